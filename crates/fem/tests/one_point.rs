//! Hexahedra with one point: their modes, and bending.

use carom_fem::constitutive::{ElasticLaw, ElasticModuli, Hardening, Plastic, SaintVenantKirchhoff};
use carom_fem::internal_force::{History, InternalForce, PointRule, TangentAssembly};
use carom_mesh::CellShape;

use crate::bodies::{block, block_of};
use crate::deformed::{displacement, soft};
use crate::locking::{statics, with_rule};

#[test]
fn a_cell_with_one_point_has_six_rigid_modes_and_eighteen_with_energy() {
    for skew in [0.0, 0.4] {
        let body =
            block(CellShape::Hex8, 1, |[x, y, z]| [x + skew * y, 1.5 * y + skew * x * z, 0.6 * z - skew * x]);
        let (d, mut internal) = with_rule(&body, PointRule::OnePoint);
        let laws = [SaintVenantKirchhoff::new(soft())];
        let (history, mut assembly) = (internal.history(&laws), TangentAssembly::new(&d, &internal).unwrap());
        let mut matrix = assembly.matrix();
        assembly.assemble(&mut internal, &laws, &[0.0; 24], &history, &mut matrix).unwrap();
        let dense = matrix.extract(&(0..24).collect::<Vec<_>>());
        let lambda = carom_linalg::dense::symmetric_pairs(dense.as_ref()).unwrap().lambda;
        assert_eq!(lambda.iter().filter(|lambda| lambda.abs() < 1e-13).count(), 6, "{lambda:?}");
        assert_eq!(lambda.iter().filter(|&&lambda| lambda > 1e-2).count(), 18, "{lambda:?}");
    }
}

/// Pure bending of a beam about y, u = κ (x z, −ν y z, −½ (x² − ν y² + ν z²)), has the energy ½ E κ² ∫ z² dV
/// in a single cell: a box, or a parallelepiped with its faces ±ζ across z.
#[test]
fn one_cell_has_the_energy_of_pure_bending() {
    let poisson = [0.0, 0.3, 0.4999];
    for nu in poisson {
        let moduli = ElasticModuli::from_young_poisson(2.0, nu).unwrap();
        for [along, aside] in [[0.0, 0.0], [0.5, 0.0], [0.3, 0.4]] {
            let size = [1.6, 0.9, 0.5];
            let body = block(CellShape::Hex8, 1, |t| {
                let x = [0, 1, 2].map(|a| size[a] * (t[a] - 0.5));
                [x[0] + along * x[1], x[1] + aside * x[0], x[2]]
            });
            let (d, mut internal) = with_rule(&body, PointRule::OnePoint);
            let u = displacement(&d, |[x, y, z]| {
                let bent = [x * z, -nu * y * z, -0.5 * (x * x - nu * y * y + nu * z * z)];
                bent.map(|u| 1e-3 * u)
            });
            let laws = [ElasticLaw::named("small-strain", moduli).unwrap()];
            let mut history = internal.history(&laws);
            let energy = internal.stored_energy(&laws, &u, &mut history).unwrap();
            let volume = size[0] * size[1] * size[2] * (1.0 - along * aside);
            let exact = 0.5 * 2.0 * 1e-6 * volume * size[2] * size[2] / 12.0;
            assert!((energy / exact - 1.0).abs() < 1e-12, "ν = {nu}, {along}, {aside}: {}", energy / exact);
            let [hourglass, lost] = internal.hourglass_energy(&laws, &u, &mut history).unwrap();
            assert!((hourglass / energy - 1.0).abs() < 1e-12 && lost == 0.0, "{hourglass} {lost}");
        }
    }
}

/// Deflection of a cantilever with one cell over its thickness, relative to beam theory with shear.
fn deflection(nu: f64, n: usize, skew: f64) -> f64 {
    let (length, width, height) = (10.0, 1.0, 1.0);
    let moduli = ElasticModuli::from_young_poisson(1.0, nu).unwrap();
    let body = block_of(CellShape::Hex8, [n, 1, 1], |[x, y, z]| {
        [length * x + skew * (z - 0.5) * height, width * (y - 0.5), height * (z - 0.5)]
    });
    let (d, mut internal) = with_rule(&body, PointRule::OnePoint);
    let axial = |x: [f64; 3]| x[0] - skew * x[2];
    let mut load = vec![0.0; d.n_dofs()];
    for (k, _) in d.points.iter().enumerate().filter(|(_, x)| axial(**x) > length - 1e-9) {
        load[3 * k + 2] = 0.25;
    }
    // The clamped section is free to contract in its plane.
    let held = |x: [f64; 3]| {
        let clamp = (axial(x).abs() < 1e-9).then_some(0.0);
        let is_corner = clamp.is_some() && x[1] < 0.0 && x[2] < 0.0;
        [clamp, clamp.filter(|_| x[1] < 0.0), clamp.filter(|_| is_corner || x[2] < 0.0)]
    };
    let u = statics(&d, &mut internal, moduli, held, &load);
    let tip: Vec<f64> = d
        .points
        .iter()
        .enumerate()
        .filter(|(_, x)| axial(**x) > length - 1e-9)
        .map(|(k, _)| u[3 * k + 2])
        .collect();
    let tip = tip.iter().sum::<f64>() / tip.len() as f64;
    let inertia = width * height.powi(3) / 12.0;
    let shear = 6.0 / 5.0 * length / (moduli.mu * width * height);
    tip / (length.powi(3) / (3.0 * inertia) + shear)
}

#[test]
fn a_cantilever_with_one_cell_over_its_thickness_bends_as_a_beam() {
    for nu in [0.0, 0.3, 0.4999] {
        for skew in [0.0, 0.4] {
            let ratio = deflection(nu, 10, skew);
            assert!((ratio - 1.0).abs() < 0.025, "ν = {nu}, skew {skew}: {ratio}");
        }
    }
}

/// A cell of the size of a box, in an elastic-perfectly plastic law of Young's modulus 1.
struct Yielding {
    points: Vec<[f64; 3]>,
    internal: InternalForce,
    laws: [Plastic; 1],
    history: History,
}

impl Yielding {
    fn new(size: [f64; 3], poisson: f64, yield_stress: f64) -> Self {
        let body = block(CellShape::Hex8, 1, |t| [0, 1, 2].map(|a| size[a] * (t[a] - 0.5)));
        let (d, internal) = with_rule(&body, PointRule::OnePoint);
        let moduli = ElasticModuli::from_young_poisson(1.0, poisson).unwrap();
        let laws = [Plastic::new(moduli, Hardening::linear(yield_stress, 0.0).unwrap()).unwrap()];
        Self { history: internal.history(&laws), points: d.points, internal, laws }
    }

    /// Moves the points, and returns the energy stored in the hourglass modes.
    fn go(&mut self, displacement: impl Fn([f64; 3]) -> [f64; 3]) -> f64 {
        let u: Vec<f64> = self.points.iter().flat_map(|&x| displacement(x)).collect();
        self.internal.force(&self.laws, &u, &mut self.history, &mut vec![0.0; u.len()]).unwrap();
        self.history.commit();
        self.internal.hourglass_energy(&self.laws, &u, &mut self.history).unwrap()[0]
    }
}

/// Bending of curvature κ about y of a box that is x long, free of stress across its axis.
fn bent(kappa: f64, [x, y, z]: [f64; 3], nu: f64) -> [f64; 3] {
    [kappa * x * z, -kappa * nu * y * z, -0.5 * kappa * (x * x - nu * y * y + nu * z * z)]
}

/// A cell that is stretched and bent at constant rates ε̇ and κ̇, κ̇ t/2 = ε̇/10, far beyond its yield
/// strain: the relaxation leaves the elastic strain of the surface at (κ̇ t/2) σ_y/(3 μ ε̇), and its energy
/// is a sixth of Young's modulus times the square of the strain. Without relaxation it would be at the limit
/// of pure bending, more than a hundred times as much.
#[test]
fn plastic_flow_of_a_cell_relaxes_its_bending() {
    let (nu, yield_stress, thickness) = (0.3, 1e-5, 0.5);
    let mut cell = Yielding::new([1.6, 0.9, thickness], nu, yield_stress);
    let steps = 2000;
    let mut energy = 0.0;
    for k in 1..=steps {
        let stretch = 40.0 * yield_stress * f64::from(k) / f64::from(steps);
        let kappa = 0.1 * stretch / (0.5 * thickness);
        energy = cell.go(|x| {
            let bend = bent(kappa, x, nu);
            // Plastic flow keeps the volume.
            [bend[0] + stretch * x[0], bend[1] - 0.5 * stretch * x[1], bend[2] - 0.5 * stretch * x[2]]
        });
    }
    let surface = 0.1 * yield_stress / (3.0 / (2.0 * (1.0 + nu)));
    let expected = 1.6 * 0.9 * thickness * surface * surface / 6.0;
    // Steps of a fiftieth of the yield strain: the implicit decay has an error of a step.
    assert!((energy / expected - 1.0).abs() < 0.06, "{}", energy / expected);
}

/// A cell that has flowed to twice its length bends with the stiffness of a cell of its new size, to its
/// elastic strain of 1e-6.
#[test]
fn a_cell_that_has_been_stretched_bends_with_its_new_size() {
    let (nu, yield_stress) = (0.3, 1e-6);
    let mut cell = Yielding::new([1.0, 0.9, 0.5], nu, yield_stress);
    let side = |stretch: f64| 1.0 / stretch.sqrt();
    let stretched = |[x, y, z]: [f64; 3], s: f64| [s * x, side(s) * y, side(s) * z];
    let back = |to: [f64; 3], x: [f64; 3]| [0, 1, 2].map(|a| to[a] - x[a]);
    for k in 1..=100 {
        cell.go(|x| back(stretched(x, 1.0 + 0.01 * f64::from(k)), x));
    }
    // A surface strain of a tenth of the yield strain; the centre stays as it is.
    let size = [2.0, 0.9 * side(2.0), 0.5 * side(2.0)];
    let kappa = 0.1 * yield_stress / (0.5 * size[2]);
    let energy = cell.go(|x| {
        let now = stretched(x, 2.0);
        let bend = bent(kappa, now, nu);
        [0, 1, 2].map(|a| now[a] + bend[a] - x[a])
    });
    let exact = 0.5 * kappa * kappa * size[0] * size[1] * size[2].powi(3) / 12.0;
    assert!((energy / exact - 1.0).abs() < 1e-4, "{}", energy / exact);
}
