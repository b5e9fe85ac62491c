//! Mass integrals of pairs of fields: of modes with modes, and of positions with modes.
//!
//! Every constant of the floating frame (docs/theory/floating-frame.md, eq. (29)) is made of ∫ φ_a,k φ_b,l dm
//! (components a, b of modes k, l) and ∫ s φ_a,k dm with s = 1, x, y, z. With M_f = M_s ⊗ E₃ they are
//! products of tall matrices, one for each pair of components.

use carom_linalg::NodeMatrix;
use carom_linalg::tall::{ComponentProducts, gram};
use carom_progress::Progress;
use faer::{Mat, MatRef};

use crate::invariants::Invariants;

/// Mass integrals of the columns of a basis.
#[derive(Debug, Clone)]
pub struct Moments {
    /// m \[kg\].
    pub mass: f64,
    /// ∫ X dm \[kg m\].
    pub first: [f64; 3],
    /// ∫ X_a X_b dm \[kg m²\].
    pub second: [[f64; 3]; 3],
    /// ∫ φ_a,k dm: 3 × n.
    pub modes: Mat<f64>,
    /// ∫ X_c φ_a,k dm in row 3 c + a: 9 × n.
    pub position_modes: Mat<f64>,
    /// ∫ φ_a,k φ_b,l dm, n × n, for a ≤ b: (0,0), (0,1), (0,2), (1,1), (1,2), (2,2).
    pub pairs: [Mat<f64>; 6],
}

/// Index of the pair of components a ≤ b in [`Moments::pairs`].
fn pair(a: usize, b: usize) -> usize {
    [[0, 1, 2], [1, 3, 4], [2, 4, 5]][a][b]
}

impl Moments {
    /// Integrates the columns of a basis.
    ///
    /// * `mass` — M_s
    /// * `points` — positions of the points \[m\]
    /// * `basis` — 3n × modes
    ///
    /// `None` if the user stopped it.
    pub fn new(
        mass: &NodeMatrix,
        points: &[[f64; 3]],
        basis: MatRef<'_, f64>,
        progress: &dyn Progress,
    ) -> Option<Self> {
        let scalars = Mat::from_fn(points.len(), 4, |i, s| if s == 0 { 1.0 } else { points[i][s - 1] });
        let mass_scalars = mass.node_product(scalars.as_ref());
        let scalar_pairs = gram(scalars.as_ref(), mass_scalars.as_ref());
        let products = ComponentProducts::new(mass, basis, scalars.as_ref(), progress)?;
        let n = basis.ncols();
        Some(Self {
            mass: scalar_pairs[(0, 0)],
            first: std::array::from_fn(|a| scalar_pairs[(0, 1 + a)]),
            second: std::array::from_fn(|a| std::array::from_fn(|b| scalar_pairs[(1 + a, 1 + b)])),
            modes: Mat::from_fn(3, n, |a, k| products.scalars[a][(0, k)]),
            position_modes: Mat::from_fn(9, n, |row, k| products.scalars[row % 3][(1 + row / 3, k)]),
            pairs: products.pairs,
        })
    }

    /// ∫ φ_k · φ_l dm: the mass matrix of the basis, symmetrised.
    pub fn mass_matrix(&self) -> Mat<f64> {
        let sum = &self.pairs[0] + &self.pairs[3] + &self.pairs[5];
        carom_linalg::dense::symmetrised(sum.as_ref())
    }

    /// Centre of mass \[m\].
    pub fn center(&self) -> [f64; 3] {
        self.first.map(|x| x / self.mass)
    }

    /// The moments of the combinations Φ = basis · Z.
    #[must_use]
    pub fn combined(&self, z: MatRef<'_, f64>) -> Self {
        Self {
            modes: &self.modes * z,
            position_modes: &self.position_modes * z,
            pairs: std::array::from_fn(|p| z.transpose() * (&self.pairs[p] * z)),
            ..*self
        }
    }

    /// The same with positions relative to another origin.
    #[must_use]
    pub fn from_origin(self, origin: [f64; 3]) -> Self {
        let (m, f, second) = (self.mass, self.first, self.second);
        let mut shifted = self;
        for a in 0..3 {
            shifted.first[a] = f[a] - m * origin[a];
            for b in 0..3 {
                shifted.second[a][b] =
                    second[a][b] - origin[a] * f[b] - f[a] * origin[b] + m * origin[a] * origin[b];
                for k in 0..shifted.modes.ncols() {
                    let shift = origin[a] * shifted.modes[(b, k)];
                    shifted.position_modes[(3 * a + b, k)] -= shift;
                }
            }
        }
        shifted
    }

    /// ∫ φ_a,k φ_b,l dm.
    fn of_pair(&self, a: usize, b: usize, k: usize, l: usize) -> f64 {
        let matrix = &self.pairs[pair(a, b)];
        if a <= b { matrix[(k, l)] } else { matrix[(l, k)] }
    }

    /// The constants of the floating frame, docs/theory/floating-frame.md, eq. (29), with their second-order
    /// terms.
    ///
    /// ```text
    /// −ã b̃ = (a·b) E − b aᵀ
    /// ```
    ///
    /// * `stiffness_modal` — K̄_e of the modes
    pub fn invariants(&self, stiffness_modal: Mat<f64>) -> Invariants {
        let n = self.modes.ncols();
        let delta = |a: usize, b: usize| if a == b { 1.0 } else { 0.0 };
        // The two cyclic successors of a component: (u × v)_a = u_b v_c − u_c v_b.
        let cyclic = |a: usize| ((a + 1) % 3, (a + 2) % 3);
        let trace = self.second[0][0] + self.second[1][1] + self.second[2][2];
        let position = |c: usize, a: usize, k: usize| self.position_modes[(3 * c + a, k)];
        let work = |k: usize| position(0, 0, k) + position(1, 1, k) + position(2, 2, k);
        let mass_modal = self.mass_matrix();
        Invariants {
            mass: self.mass,
            first_moment: self.first,
            inertia: std::array::from_fn(|a| {
                std::array::from_fn(|b| delta(a, b) * trace - self.second[a][b])
            }),
            coupling_t: self.modes.clone(),
            coupling_r0: Mat::from_fn(3, n, |a, k| {
                let (b, c) = cyclic(a);
                position(b, c, k) - position(c, b, k)
            }),
            coupling_r1: Mat::from_fn(3 * n, n, |row, k| {
                let (l, a) = (row / 3, row % 3);
                let (b, c) = cyclic(a);
                self.of_pair(b, c, l, k) - self.of_pair(c, b, l, k)
            })
            .into(),
            inertia_1: Mat::from_fn(3 * n, 3, |row, b| {
                let (k, a) = (row / 3, row % 3);
                delta(a, b) * work(k) - position(b, a, k)
            }),
            inertia_2: Mat::from_fn(3 * n, 3 * n, |row, col| {
                let (k, a, l, b) = (row / 3, row % 3, col / 3, col % 3);
                delta(a, b) * mass_modal[(k, l)] - self.of_pair(b, a, k, l)
            })
            .into(),
            mass_modal,
            stiffness_modal,
            damping_modal: None,
        }
    }
}
