//! Tangents that are not symmetric: derivatives of the force, the symmetric assembly, solutions by LU.

use carom_fem::Discretisation;
use carom_fem::constitutive::{ElasticModuli, LANES, Lanes, Law, NeoHookean, Tensor, lanes};
use carom_fem::internal_force::{GeneralTangentAssembly, InternalForce, TangentAssembly};
use carom_linalg::sparse::{CsMat, SparseLu};
use carom_testing::heap;
use faer::Mat;

use crate::bodies::{block, distort, spline_block};
use crate::deformed::{difference, every_kind, internal, largest, laws, noise, soft, waves};
use carom_mesh::CellShape;

/// Neo-Hookean with a shear stress that follows another component, P₀₁ += c (H₂₂ + H₀₀ H₁₂): it has no
/// potential.
#[derive(Debug, Clone, Copy)]
struct OneWay(NeoHookean);

const COUPLING: f64 = 0.7;

impl Law for OneWay {
    fn name(&self) -> &'static str {
        "one-way"
    }

    fn is_symmetric(&self) -> bool {
        false
    }

    fn elastic_moduli(&self) -> ElasticModuli {
        self.0.moduli()
    }

    fn stored_energy(&self, h: &Tensor, history: &[Lanes]) -> Lanes {
        self.0.stored_energy(h, history)
    }

    fn stress(&self, h: &Tensor, old: &[Lanes], new: &mut [Lanes], pk1: &mut Tensor) {
        self.0.stress(h, old, new, pk1);
        for l in 0..LANES {
            pk1[1][l] += COUPLING * (h[8][l] + h[0][l] * h[5][l]);
        }
    }

    fn tangent_product(&self, h: &Tensor, old: &[Lanes], dh: &Tensor, d_pk1: &mut Tensor) {
        self.0.tangent_product(h, old, dh, d_pk1);
        let more = lanes(|l| COUPLING * (dh[8][l] + dh[0][l] * h[5][l] + h[0][l] * dh[5][l]));
        (0..LANES).for_each(|l| d_pk1[1][l] += more[l]);
    }
}

fn law() -> OneWay {
    OneWay(NeoHookean::new(soft()).unwrap())
}

fn tangent<L: Law>(d: &Discretisation, internal: &mut InternalForce, laws: &[L], u: &[f64]) -> CsMat<f64> {
    let mut assembly = GeneralTangentAssembly::new(d, internal).unwrap();
    let (history, mut matrix) = (internal.history(laws), assembly.matrix());
    let pattern = matrix.clone();
    // The second assembly replaces the first one.
    for _ in 0..2 {
        assembly.assemble(internal, laws, u, &history, &mut matrix).unwrap();
    }
    assert_eq!(matrix.indices(), pattern.indices(), "the pattern is unchanged");
    matrix
}

fn times(matrix: &CsMat<f64>, x: &[f64]) -> Vec<f64> {
    matrix.outer_iterator().map(|row| row.iter().map(|(k, value)| value * x[k]).sum()).collect()
}

#[test]
fn the_matrix_is_the_derivative_of_the_force() {
    for (name, body) in every_kind() {
        let (d, mut internal) = internal(&body);
        let (u, direction) = (waves(&d), noise(d.n_dofs(), 1.0));
        let laws = laws(&d, law());
        let matrix = tangent(&d, &mut internal, &laws, &u);
        let found = times(&matrix, &direction);
        let (mut history, mut product) = (internal.history(&laws), vec![0.0; u.len()]);
        internal.tangent_product(&laws, &u, &mut history, &direction, &mut product).unwrap();
        let error = difference(&found, &product) / largest(&product);
        assert!(error < 1e-12, "{name}: product {error:e}");
        let h = 1e-6;
        let ends = [h, -h].map(|h| {
            let moved: Vec<f64> = u.iter().zip(&direction).map(|(u, d)| u + h * d).collect();
            let mut force = vec![0.0; u.len()];
            internal.force(&laws, &moved, &mut history, &mut force).unwrap();
            force
        });
        let slope: Vec<f64> = ends[0].iter().zip(&ends[1]).map(|(p, m)| (p - m) / (2.0 * h)).collect();
        let error = difference(&slope, &found) / largest(&found);
        assert!(error < 1e-7, "{name}: differences {error:e}");
        let transposed = times(&matrix.transpose_view().to_csr(), &direction);
        assert!(difference(&transposed, &found) > 1e-3 * largest(&found), "{name}: the tangent is symmetric");
    }
}

#[test]
fn a_symmetric_tangent_agrees_with_the_symmetric_assembly() {
    for (name, body) in every_kind() {
        let (d, mut internal) = internal(&body);
        let u = waves(&d);
        let laws = laws(&d, law().0);
        let general = tangent(&d, &mut internal, &laws, &u);
        let mut assembly = TangentAssembly::new(&d, &internal).unwrap();
        let (history, mut matrix) = (internal.history(&laws), assembly.matrix());
        assembly.assemble(&mut internal, &laws, &u, &history, &mut matrix).unwrap();
        let x = noise(d.n_dofs(), 1.0);
        let expected = matrix.product(Mat::from_fn(x.len(), 1, |i, _| x[i]).as_ref());
        let found = times(&general, &x);
        let error = difference(&found, expected.col_as_slice(0)) / largest(&found);
        assert!(error < 1e-12, "{name}: {error:e}");
    }
}

/// Newton's method with springs to the ground at all points: quadratic only if the tangent is complete.
#[test]
fn newton_with_lu_converges_quadratically_over_one_analysis() {
    for body in [block(CellShape::Hex8, 3, |x| distort(x, 0.02)), spline_block(2, 3, |x| x)] {
        let (d, mut internal) = internal(&body);
        let laws = laws(&d, law());
        let mut assembly = GeneralTangentAssembly::new(&d, &internal).unwrap();
        let (mut history, mut matrix) = (internal.history(&laws), assembly.matrix());
        let mut lu = SparseLu::analyse(&matrix.view()).unwrap();
        let load = noise(d.n_dofs(), 0.004);
        let (mut u, mut residuals) = (vec![0.0; d.n_dofs()], Vec::new());
        let spring = 0.1;
        for _ in 0..8 {
            let mut f = vec![0.0; u.len()];
            internal.force(&laws, &u, &mut history, &mut f).unwrap();
            let mut step = Mat::from_fn(u.len(), 1, |i, _| load[i] - f[i] - spring * u[i]);
            residuals.push(step.norm_max());
            assembly.assemble(&mut internal, &laws, &u, &history, &mut matrix).unwrap();
            for dof in 0..u.len() {
                *matrix.get_mut(dof, dof).expect("the pattern has the diagonal") += spring;
            }
            lu.factorise(&matrix.view()).unwrap();
            lu.solve_in_place(step.as_mut()).unwrap();
            u.iter_mut().zip(step.col_as_slice(0)).for_each(|(u, du)| *u += du);
        }
        let last = residuals.iter().position(|r| *r < 1e-12).unwrap_or(usize::MAX);
        assert!(last <= 6, "{residuals:?}");
        // Quadratic: each residual from the second on below a constant times the square of the one before.
        let constant = 10.0 * residuals[2] / residuals[1].powi(2);
        assert!(residuals[3] < constant * residuals[2].powi(2) + 1e-14, "{residuals:?}");
    }
}

#[test]
fn a_repeated_assembly_allocates_nothing_and_is_independent_of_threads() {
    for (name, body) in every_kind() {
        let (d, internal) = internal(&body);
        let (laws, u) = (laws(&d, law()), waves(&d));
        let with = |n| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(n).build().unwrap();
            let mut internal = internal.clone();
            let mut assembly = GeneralTangentAssembly::new(&d, &internal).unwrap();
            let (history, mut matrix) = (internal.history(&laws), assembly.matrix());
            let mut run = || assembly.assemble(&mut internal, &laws, &u, &history, &mut matrix).unwrap();
            let allocations = pool.install(|| {
                run();
                heap::allocations_during(run).1
            });
            // Hanging points leave the matrix by a product that allocates.
            assert!(n > 1 || !d.hanging.is_empty() || allocations == 0, "{name}: {allocations}");
            matrix
        };
        assert!(with(1) == with(8), "{name}");
    }
}
