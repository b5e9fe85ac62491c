//! The reduced body: what the solver knows of a flexible body.

use carom_fem::{Material, Surface};
use faer::Mat;

use crate::attachment::AttachmentKind;
use crate::column::Composition;
use crate::stress_modes::StressModes;

/// Constants of the floating frame of reference over n modes, THEORY: r, A, q with u = Φ q.
///
/// All integrals are over mass, coordinates in the body frame. With φ_k the k-th mode and R the reference
/// position: see each field. Second-order terms are complete, so that energy is a first integral.
#[derive(Debug, Clone)]
pub struct Invariants {
    /// m \[kg\].
    pub mass: f64,
    /// ∫ R dm \[kg m\], zero when the origin is the centre of mass.
    pub first_moment: [f64; 3],
    /// I₀ = ∫ −R̃ R̃ dm \[kg m²\], row by row.
    pub inertia: [[f64; 3]; 3],
    /// C_tᵀ = ∫ φ dm, 3 × n. Zero in the Buckens frame.
    pub coupling_t: Mat<f64>,
    /// C_r0ᵀ = ∫ R × φ_k dm, 3 × n. Zero in the Buckens frame.
    pub coupling_r0: Mat<f64>,
    /// C_r1ᵀ: row 3 l + a, column k holds component a of ∫ φ_l × φ_k dm (3n × n), antisymmetric in l, k.
    pub coupling_r1: Mat<f64>,
    /// I1_k = ∫ −R̃ φ̃_k dm, entry (a, b) in row 3 k + a, column b (3n × 3).
    pub inertia_1: Mat<f64>,
    /// I2_kl = ∫ −φ̃_k φ̃_l dm, entry (a, b) in row 3 k + a, column 3 l + b (3n × 3n).
    pub inertia_2: Mat<f64>,
    /// M̄_e, n × n. The identity after the second eigenproblem.
    pub mass_modal: Mat<f64>,
    /// K̄_e, n × n \[1/s² for mass-normalised modes\].
    pub stiffness_modal: Mat<f64>,
    /// D̄_e, n × n \[1/s for mass-normalised modes\]; none for a body without damping of its own.
    pub damping_modal: Option<Mat<f64>>,
}

impl Invariants {
    /// Takes the mass from the modes from `first` on: they answer forces by their stiffness alone.
    pub(crate) fn drop_mass_from(&mut self, first: usize) {
        let n = self.mass_modal.nrows();
        let clear = |matrix: &mut Mat<f64>, is_dropped: &dyn Fn(usize, usize) -> bool| {
            for k in 0..matrix.ncols() {
                (0..matrix.nrows()).filter(|&i| is_dropped(i, k)).for_each(|i| matrix[(i, k)] = 0.0);
            }
        };
        clear(&mut self.mass_modal, &|i, k| i.max(k) >= first);
        clear(&mut self.coupling_t, &|_, k| k >= first);
        clear(&mut self.coupling_r0, &|_, k| k >= first);
        clear(&mut self.coupling_r1, &|i, k| k.max(i / 3) >= first);
        clear(&mut self.inertia_1, &|i, _| i / 3 >= first);
        clear(&mut self.inertia_2, &|i, k| (i / 3).max(k / 3) >= first);
        debug_assert!(first <= n, "there are not more modes than modes");
    }

    /// Centre of mass in the body frame, ∫ R dm / m \[m\]; not the origin where a frame was given, as in an
    /// imported model.
    pub fn center_b(&self) -> [f64; 3] {
        self.first_moment.map(|moment| moment / self.mass)
    }

    /// Inertia about the centre of mass, I₀ − m (c·c E − c cᵀ) with c of [`Invariants::center_b`] \[kg m²\],
    /// row by row.
    pub fn inertia_about_center(&self) -> [[f64; 3]; 3] {
        let c = self.center_b();
        let square: f64 = c.iter().map(|x| x * x).sum();
        let steiner = |a: usize, b: usize| if a == b { square } else { 0.0 } - c[a] * c[b];
        std::array::from_fn(|a| std::array::from_fn(|b| self.inertia[a][b] - self.mass * steiner(a, b)))
    }

    /// Number of modes that have mass: all but those of a massless boundary, which come last.
    pub fn n_massive(&self) -> usize {
        let m = &self.mass_modal;
        (0..m.nrows()).take_while(|&k| m[(k, k)] != 0.0).count()
    }
}

/// Values of the modes at points: rows 3 i + a, column k is component a of mode k at the i-th listed point.
#[derive(Debug, Clone)]
pub struct Modes {
    /// Numbers of the body's points, ascending.
    pub points: Vec<u32>,
    /// Their reference positions in the body frame \[m\].
    pub positions_b: Vec<[f64; 3]>,
    /// Mode values, 3 n_points × n_modes \[1/√kg for mass-normalised modes\].
    pub values: Mat<f64>,
}

/// A named surface of the reduced body.
#[derive(Debug, Clone)]
pub struct NamedSurface {
    /// Name of the set.
    pub name: String,
    /// Its faces over body points.
    pub surface: Surface,
    /// True for each of `surface.points` that is an interface point, so that its compliance is complete.
    pub is_interface: Vec<bool>,
    /// Face and edge of the edges at which the surface of the body turns, [`Surface::sharp_edges`]: where the
    /// set ends there the body's surface does.
    pub sharp_edges: Vec<[u32; 2]>,
}

/// A marker that a set is attached to, with what it does in each mode.
///
/// Its displacement is `translation` q, its small rotation ψ q with ψ = `rotation` (THEORY 1.5), both in axes
/// of the body frame.
#[derive(Debug, Clone)]
pub struct AttachedMarker {
    /// Name of the marker: that of the set.
    pub name: String,
    /// How the set is tied to it.
    pub kind: AttachmentKind,
    /// Reference position in the body frame: where it was put, or the area centroid of the set's surface, the
    /// mean of a set of nodes \[m\].
    pub position_b: [f64; 3],
    /// Displacement in each mode, 3 × n \[1/√kg\].
    pub translation: Mat<f64>,
    /// Rotation ψ in each mode, 3 × n \[1/(m √kg)\].
    pub rotation: Mat<f64>,
}

/// A Craig-Bampton reduced body after the second eigenproblem, in the Buckens frame.
///
/// The body frame has its origin in the centre of mass and the axes of the source geometry; `com` says where
/// the centre of mass lies in source coordinates. Modes are ordered by frequency, mass-normalised, free of
/// rigid motion; the first `n_low` are dynamic, the others quasistatic.
#[derive(Debug, Clone)]
pub struct ReducedBody {
    /// Name, as shown to the user.
    pub name: String,
    /// Checksum (SHA-256, hexadecimal) of the body that it was made from.
    pub body_checksum: String,
    /// Materials of the body.
    pub materials: Vec<Material>,
    /// Origin of the body frame in source coordinates \[m\]: the centre of mass, but of an imported model the
    /// origin of its file.
    pub com: [f64; 3],
    /// Constants of the floating frame over all modes.
    pub invariants: Invariants,
    /// Circular frequencies ω of all modes, ascending \[rad/s\].
    pub omega: Vec<f64>,
    /// Number of low (dynamic) modes.
    pub n_low: usize,
    /// Frequencies of the fixed-interface normal modes that were kept \[Hz\].
    pub fixed_interface_hz: Vec<f64>,
    /// Number of interface dofs.
    pub n_interface_dofs: usize,
    /// What the modes are made of.
    pub composition: Composition,
    /// Markers of the attachments.
    pub markers: Vec<AttachedMarker>,
    /// Sets that are held to the body frame: such a body is grounded, its modes are those of the held body,
    /// and its frame does not move. Empty for a free body.
    pub held: Vec<String>,
    /// Number of dofs of the full body.
    pub n_dofs: usize,
    /// Surfaces of the interface sets.
    pub surfaces: Vec<NamedSurface>,
    /// Mode values at every interface point, and so at every point of `surfaces`.
    pub boundary: Modes,
    /// Mode values at all points (or all surface points) of the body, for pictures and stress.
    pub fields: Option<Modes>,
    /// Stress of the modes, if it was asked for.
    pub stress: Option<StressModes>,
}

impl ReducedBody {
    /// Centre of mass in source coordinates \[m\].
    pub fn center_of_mass(&self) -> [f64; 3] {
        let center_b = self.invariants.center_b();
        [0, 1, 2].map(|a| self.com[a] + center_b[a])
    }
}
