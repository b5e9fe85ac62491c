//! Invariants of a reduced body: the mass integrals in the equations of the floating frame.

use faer::Mat;
use nalgebra::{Matrix3, Vector3};

use crate::pair_integrals::PairIntegrals;

/// Constants of the floating frame of reference over n modes, docs/theory/floating-frame.md, eq. (29): r, A,
/// q with u = Φ q.
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
    pub coupling_r1: PairIntegrals,
    /// I1_k = ∫ −R̃ φ̃_k dm, entry (a, b) in row 3 k + a, column b (3n × 3).
    pub inertia_1: Mat<f64>,
    /// I2_kl = ∫ −φ̃_k φ̃_l dm, entry (a, b) in row 3 k + a, column 3 l + b (3n × 3n).
    pub inertia_2: PairIntegrals,
    /// M̄_e, n × n. The identity after the second eigenproblem.
    pub mass_modal: Mat<f64>,
    /// K̄_e, n × n \[1/s² for mass-normalised modes\].
    pub stiffness_modal: Mat<f64>,
    /// D̄_e, n × n \[1/s for mass-normalised modes\]; none for an undamped body.
    pub damping_modal: Option<Mat<f64>>,
}

impl Invariants {
    /// Sets the mass of the modes from `first` on to zero: their response to forces is then static.
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
        clear(self.coupling_r1.made_mut(), &|i, k| k.max(i / 3) >= first);
        clear(&mut self.inertia_1, &|i, _| i / 3 >= first);
        clear(self.inertia_2.made_mut(), &|i, k| (i / 3).max(k / 3) >= first);
        debug_assert!(first <= n, "there are not more modes than modes");
    }

    /// Centre of mass in the body frame, ∫ R dm / m \[m\]; it is not the origin in an imported model with
    /// another frame.
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

    /// Inverse of the mass that a place of the free body opposes to a push, 1/m + (r × n)·I⁻¹(r × n) with r
    /// from the centre of mass \[1/kg\].
    ///
    /// * `place_b` — position in the body frame \[m\]
    /// * `direction_b` — n, a unit vector in body axes
    pub fn mobility(&self, place_b: &Vector3<f64>, direction_b: &Vector3<f64>) -> f64 {
        let arm = (place_b - Vector3::from(self.center_b())).cross(direction_b);
        let rows = self.inertia_about_center();
        let inertia = Matrix3::from_fn(|a, b| rows[a][b]);
        let turn = inertia.try_inverse().map_or(0.0, |inverse| arm.dot(&(inverse * arm)));
        1.0 / self.mass + turn
    }

    /// Number of modes that have mass: all but those of a massless boundary, which come last.
    pub fn n_massive(&self) -> usize {
        let m = &self.mass_modal;
        (0..m.nrows()).take_while(|&k| m[(k, k)] != 0.0).count()
    }
}

/// Principal moments of inertia about the centre of mass that no body can have.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[error(
    "the principal moments of inertia about the centre of mass are {0:.4e}, {1:.4e} and {2:.4e} kg m², \
     which no \
     body has: each must be positive and none above the sum of the other two"
)]
pub struct ImpossibleInertia(pub f64, pub f64, pub f64);

impl Invariants {
    /// Checks that the moments of inertia are those of a body.
    ///
    /// # Errors
    ///
    /// [`ImpossibleInertia`] with the principal moments, ascending.
    pub fn check_inertia(&self) -> Result<(), ImpossibleInertia> {
        let rows = self.inertia_about_center();
        let mut moments: [f64; 3] = Matrix3::from_fn(|a, b| rows[a][b]).symmetric_eigenvalues().into();
        moments.sort_by(f64::total_cmp);
        let [least, middle, most] = moments;
        if least <= 0.0 || most > (least + middle) * (1.0 + 1e-6) {
            return Err(ImpossibleInertia(least, middle, most));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A body without modes whose moments about the origin are known.
    fn rigid(mass: f64, center: [f64; 3], inertia: [[f64; 3]; 3]) -> Invariants {
        Invariants {
            mass,
            first_moment: center.map(|x| mass * x),
            inertia,
            coupling_t: Mat::new(),
            coupling_r0: Mat::new(),
            coupling_r1: Mat::new().into(),
            inertia_1: Mat::new(),
            inertia_2: Mat::new().into(),
            mass_modal: Mat::new(),
            stiffness_modal: Mat::new(),
            damping_modal: None,
        }
    }

    #[test]
    fn a_rod_hit_at_its_end_opposes_a_quarter_of_its_mass() {
        // A slender rod of length L along x from the origin: 1/m + (L/2)² / (m L²/12) = 4/m.
        let (mass, length) = (2.5, 0.8);
        let about_end = mass * length * length / 3.0;
        let thin = 1e-9;
        let inertia = [[thin, 0.0, 0.0], [0.0, about_end, 0.0], [0.0, 0.0, about_end]];
        let rod = rigid(mass, [0.5 * length, 0.0, 0.0], inertia);
        let hit = |x: f64| rod.mobility(&Vector3::new(x, 0.0, 0.0), &Vector3::z());
        assert!((hit(length) - 4.0 / mass).abs() < 1e-12, "{}", hit(length));
        assert!((hit(0.5 * length) - 1.0 / mass).abs() < 1e-12);
    }

    #[test]
    fn moments_of_inertia_obey_the_triangle_inequality() {
        let diagonal = |a, b, c| [[a, 0.0, 0.0], [0.0, b, 0.0], [0.0, 0.0, c]];
        assert_eq!(rigid(1.0, [0.0; 3], diagonal(1.0, 1.0, 2.0)).check_inertia(), Ok(()));
        let error = rigid(1.0, [0.0; 3], diagonal(2.5, 1.0, 1.0)).check_inertia().unwrap_err();
        assert_eq!(error, ImpossibleInertia(1.0, 1.0, 2.5));
        assert!(rigid(1.0, [0.0; 3], diagonal(-1.0, 1.0, 1.0)).check_inertia().is_err());
    }
}
