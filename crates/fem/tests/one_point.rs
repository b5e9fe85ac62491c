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

/// A cell of the size of a box, in an elastic-plastic law of Young's modulus 1.
struct Yielding {
    points: Vec<[f64; 3]>,
    internal: InternalForce,
    laws: [Plastic; 1],
    history: History,
}

impl Yielding {
    fn new(size: [f64; 3], poisson: f64, yield_stress: f64) -> Self {
        Self::hardening(size, poisson, yield_stress, 0.0)
    }

    fn hardening(size: [f64; 3], poisson: f64, yield_stress: f64, modulus: f64) -> Self {
        let body = block(CellShape::Hex8, 1, |t| [0, 1, 2].map(|a| size[a] * (t[a] - 0.5)));
        let (d, internal) = with_rule(&body, PointRule::OnePoint);
        let moduli = ElasticModuli::from_young_poisson(1.0, poisson).unwrap();
        let laws = [Plastic::new(moduli, Hardening::linear(yield_stress, modulus).unwrap()).unwrap()];
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

/// A cell that is stretched and bent at constant rates far beyond its yield strain: the strain of the surface
/// is `ratio` times that of the centre, with a contraction across of `contraction` times the strain along the
/// axis. Returns the energy of the hourglass modes over their limit.
fn stretched_and_bent(ratio: f64, contraction: f64) -> f64 {
    let (size, yield_stress, steps) = ([1.6, 0.9, 0.5], 1e-5, 2000);
    let mut cell = Yielding::new(size, POISSON, yield_stress);
    let mut energy = 0.0;
    for k in 1..=steps {
        let stretch = 40.0 * yield_stress * f64::from(k) / f64::from(steps);
        let kappa = ratio * stretch / (0.5 * size[2]);
        energy = cell.go(|x| {
            let bend = bent(kappa, x, contraction);
            // Plastic flow keeps the volume.
            [bend[0] + stretch * x[0], bend[1] - 0.5 * stretch * x[1], bend[2] - 0.5 * stretch * x[2]]
        });
    }
    energy / (size.iter().product::<f64>() * 0.375 * yield_stress * yield_stress)
}

const POISSON: f64 = 0.3;

/// Energy density of surface strains (e_x, e_y) σ_y/3μ of bending over its limit ⅜ σ_y²/E, with E = 1.
fn of_surface([x, y]: [f64; 2]) -> f64 {
    let mu = 0.5 / (1.0 + POISSON);
    let elastic = (x * x + y * y + 2.0 * POISSON * x * y) / (1.0 - POISSON * POISSON);
    elastic / 6.0 / (3.0 * mu).powi(2) / 0.375
}

/// Without hardening, bending along the flow has no resistance while the multiplier of the flow is above
/// zero in the whole cell: |κ̇ t/2| < ε̇. The faster part of the strain is elastic; the turn of the flow
/// relaxes it at the rate 3 μ ε̇/σ_y, which leaves (κ̇ t/2 − ε̇)/ε̇ of σ_y/3μ.
#[test]
fn bending_along_the_flow_of_a_cell_has_no_resistance() {
    let slow = stretched_and_bent(0.5, 0.5);
    assert!(slow < 1e-3, "{slow}");
    let (fast, expected) = (stretched_and_bent(2.0, 0.5), of_surface([1.0, -0.5]));
    // Steps of a fiftieth of the yield strain: the implicit decay has an error of a step.
    assert!((fast / expected - 1.0).abs() < 0.06, "{fast} {expected}");
}

/// Bending with the elastic contraction turns the flow over the cell. Of the strain (1, −ν) the part along
/// the flow (2, −1) has no resistance. It is found in the metric of the moduli C without stress across the
/// plane:
///
/// ```text
/// (1, −ν) − a (2, −1),   a = (2, −1) C (1, −ν)/((2, −1) C (2, −1)) = 2 (1 − ν²)/(5 − 4 ν)
/// ```
#[test]
fn bending_across_the_flow_of_a_cell_relaxes() {
    let ratio = 0.5;
    let along = 2.0 * (1.0 - POISSON * POISSON) / (5.0 - 4.0 * POISSON);
    let expected = of_surface([ratio * (1.0 - 2.0 * along), ratio * (along - POISSON)]);
    let found = stretched_and_bent(ratio, POISSON);
    assert!((found / expected - 1.0).abs() < 0.06, "{found} {expected}");
}

/// Hardening resists bending along the flow. With the flow N = (2, −1, −1)/√6 of the centre and surface
/// strains s (1, −½) = e (1, −½) + γ N, of which e is elastic,
///
/// ```text
/// N : S = ⅔ σ_y' γ,   N : S = e E (5 − 4 ν)/(2 √6 (1 − ν²))
/// e = k (s − e),   k = 4 σ_y' (1 − ν²)/(E (5 − 4 ν))
/// ```
#[test]
fn hardening_holds_the_bending_of_a_cell_that_flows() {
    let (size, yield_stress, hardening) = ([1.6, 0.9, 0.5], 1e-5, 0.02);
    let factor = 4.0 * hardening * (1.0 - POISSON * POISSON) / (5.0 - 4.0 * POISSON);
    let mut cell = Yielding::hardening(size, POISSON, yield_stress, hardening);
    let (mut energy, mut surface) = (0.0, 0.0);
    for k in 1..=2000 {
        let stretch = 40.0 * yield_stress * f64::from(k) / 2000.0;
        surface = 0.5 * stretch;
        let kappa = surface / (0.5 * size[2]);
        energy = cell.go(|x| {
            let bend = bent(kappa, x, 0.5);
            [bend[0] + stretch * x[0], bend[1] - 0.5 * stretch * x[1], bend[2] - 0.5 * stretch * x[2]]
        });
    }
    let elastic = factor * surface / (1.0 + factor);
    let density = 0.5 / 3.0 * (1.25 - POISSON) / (1.0 - POISSON * POISSON) * elastic * elastic;
    let found = energy / size.iter().product::<f64>();
    // The strain before the first yield, a fortieth, flows later, and a part of it relaxes.
    assert!((found / density - 1.0).abs() < 2.0 / 40.0, "{found} {density}");
}

/// The tangent of a cell in plastic flow, after accepted steps of bending along, across and against the flow.
#[test]
fn the_tangent_of_a_cell_that_flows_is_the_derivative_of_its_force() {
    for [ratio, contraction] in [[0.4, 0.5], [0.4, -0.3], [3.0, 0.2], [-8.0, 0.4]] {
        let mut cell = Yielding::hardening([1.6, 0.9, 0.5], POISSON, 1e-3, 0.05);
        let place = |k: f64, x: [f64; 3]| {
            let stretch = 2e-3 * k;
            let bend = bent(ratio * stretch / 0.25, x, contraction);
            let twist = 0.3 * stretch * x[0] * x[1];
            [bend[0] + stretch * x[0], bend[1] - 0.4 * stretch * x[1], bend[2] - 0.4 * stretch * x[2] + twist]
        };
        for k in 1..=5 {
            cell.go(|x| place(f64::from(k), x));
        }
        let u: Vec<f64> = cell.points.iter().flat_map(|&x| place(5.6, x)).collect();
        let direction = crate::deformed::noise(u.len(), 1.0);
        let mut product = vec![0.0; u.len()];
        cell.internal.tangent_product(&cell.laws, &u, &mut cell.history, &direction, &mut product).unwrap();
        let step = 1e-8;
        let ends = [step, -step].map(|step| {
            let moved: Vec<f64> = u.iter().zip(&direction).map(|(u, d)| u + step * d).collect();
            let mut force = vec![0.0; u.len()];
            cell.internal.force(&cell.laws, &moved, &mut cell.history, &mut force).unwrap();
            force
        });
        let slope: Vec<f64> = ends[0].iter().zip(&ends[1]).map(|(p, m)| (p - m) / (2.0 * step)).collect();
        let error = crate::deformed::difference(&slope, &product) / crate::deformed::largest(&product);
        assert!(error < 1e-6, "{ratio}, {contraction}: {error:e}");
    }
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
