//! Checks that energy, stress and tangent of a law are consistent.

use super::{ElasticModuli, LANES, Lanes, Law, Tangent, Tensor, ZERO, lanes, product};

/// Step of the central differences.
const STEP: f64 = 1e-5;
/// Number of tested batches of deformation gradients.
const BATCHES: usize = 6;
/// Largest entry of the tested displacement gradients.
const STRETCH: f64 = 0.3;

/// Largest relative errors of a law over deformation gradients with stretches between about 0.5 and 1.6.
///
/// Differences have errors of 1e-9; all other errors of a correct law are round-off.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Verification {
    /// P against ∂ψ/∂F by central differences; `None` for laws with history, whose stored energy is not a
    /// potential of the stress.
    pub stress_error: Option<f64>,
    /// A against ∂P/∂F by central differences.
    pub tangent_error: f64,
    /// A:dF by [`Law::tangent_product`] against [`Law::tangent`].
    pub product_error: f64,
    /// A_abcd − A_cdab.
    pub asymmetry: f64,
    /// ψ(QF) − ψ(F).
    pub rotated_energy_error: f64,
    /// P(QF) − Q P(F).
    pub rotated_stress_error: f64,
    /// The antisymmetric part of P Fᵀ, a torque per volume.
    pub torque: f64,
    /// P(E₃) per modulus.
    pub stress_at_rest: f64,
    /// A(E₃) against Hooke's tensor.
    pub hooke_error: f64,
}

/// Measures a law at some deformation gradients, each from the initial history.
///
/// * `moduli` — the moduli of the law in small strains
pub fn verify<L: Law>(law: &L, moduli: &ElasticModuli) -> Verification {
    let modulus = moduli.p_wave();
    let mut numbers = Numbers(1);
    let at_rest = Point::new(law, [ZERO; 9]);
    let mut report = Verification {
        stress_error: (law.n_history() == 0).then_some(0.0),
        tangent_error: 0.0,
        product_error: 0.0,
        asymmetry: 0.0,
        rotated_energy_error: 0.0,
        rotated_stress_error: 0.0,
        torque: 0.0,
        stress_at_rest: largest(&at_rest.stress) / modulus,
        hooke_error: hooke_error(&at_rest.tangent, moduli) / modulus,
    };
    for _ in 0..BATCHES {
        let h: Tensor = std::array::from_fn(|_| lanes(|_| STRETCH * numbers.next()));
        let point = Point::new(law, h);
        let scale = modulus * STRETCH;
        if let Some(error) = &mut report.stress_error {
            raise(error, differences_of_energy(law, &point) / scale);
        }
        raise(&mut report.tangent_error, differences_of_stress(law, &point) / modulus);
        let dh: Tensor = std::array::from_fn(|_| lanes(|_| numbers.next()));
        raise(&mut report.product_error, product_error(law, &point, &dh) / modulus);
        raise(&mut report.asymmetry, asymmetry(&point.tangent) / modulus);
        let rotation = rotation(&mut numbers);
        let rotated = Point::new(law, rotated_gradient(&rotation, &h));
        let change = lanes(|l| rotated.energy[l] - point.energy[l]);
        raise(&mut report.rotated_energy_error, largest(&[change]) / (scale * STRETCH));
        let expected = product(&rotation, &point.stress);
        raise(&mut report.rotated_stress_error, largest_difference(&rotated.stress, &expected) / scale);
        raise(&mut report.torque, torque(&point) / scale);
    }
    report
}

/// Energy, stress and tangent at a batch of points.
struct Point {
    h: Tensor,
    old: Vec<Lanes>,
    energy: Lanes,
    stress: Tensor,
    tangent: Tangent,
}

impl Point {
    fn new<L: Law>(law: &L, h: Tensor) -> Self {
        let mut initial = vec![0.0; law.n_history()];
        law.initial_history(&mut initial);
        let old: Vec<Lanes> = initial.iter().map(|&x| [x; LANES]).collect();
        let (energy, stress) = energy_and_stress(law, &h, &old);
        let mut tangent = [[ZERO; 9]; 9];
        law.tangent(&h, &old, &mut tangent);
        Self { h, old, energy, stress, tangent }
    }
}

fn energy_and_stress<L: Law>(law: &L, h: &Tensor, old: &[Lanes]) -> (Lanes, Tensor) {
    let (mut new, mut stress) = (old.to_vec(), [ZERO; 9]);
    law.stress(h, old, &mut new, &mut stress);
    (law.stored_energy(h, &new), stress)
}

/// Energies and stresses at both ends of a step of one component of H.
fn ends<L: Law>(law: &L, point: &Point, component: usize) -> [(Lanes, Tensor); 2] {
    [1.0, -1.0].map(|sign| {
        let mut h = point.h;
        h[component] = lanes(|l| point.h[component][l] + sign * STEP);
        energy_and_stress(law, &h, &point.old)
    })
}

fn differences_of_energy<L: Law>(law: &L, point: &Point) -> f64 {
    let mut error = 0.0_f64;
    for k in 0..9 {
        let [(plus, _), (minus, _)] = ends(law, point, k);
        let difference = lanes(|l| (plus[l] - minus[l]) / (2.0 * STEP) - point.stress[k][l]);
        raise(&mut error, largest(&[difference]));
    }
    error
}

fn differences_of_stress<L: Law>(law: &L, point: &Point) -> f64 {
    let mut error = 0.0_f64;
    for cd in 0..9 {
        let [(_, plus), (_, minus)] = ends(law, point, cd);
        for ab in 0..9 {
            let slope = lanes(|l| (plus[ab][l] - minus[ab][l]) / (2.0 * STEP));
            raise(&mut error, largest(&[lanes(|l| slope[l] - point.tangent[ab][cd][l])]));
        }
    }
    error
}

fn product_error<L: Law>(law: &L, point: &Point, dh: &Tensor) -> f64 {
    let mut found = [ZERO; 9];
    law.tangent_product(&point.h, &point.old, dh, &mut found);
    let expected: Tensor =
        std::array::from_fn(|ab| lanes(|l| (0..9).map(|cd| point.tangent[ab][cd][l] * dh[cd][l]).sum()));
    largest_difference(&found, &expected)
}

fn asymmetry(tangent: &Tangent) -> f64 {
    let transposed: Tangent = std::array::from_fn(|i| std::array::from_fn(|j| tangent[j][i]));
    tangent.iter().zip(&transposed).map(|(a, b)| largest_difference(a, b)).fold(0.0, f64::max)
}

fn hooke_error(tangent: &Tangent, moduli: &ElasticModuli) -> f64 {
    let hooke = moduli.hooke();
    let row = |ab: usize| {
        let expected: Tensor = std::array::from_fn(|cd| [hooke[ab][cd]; LANES]);
        largest_difference(&tangent[ab], &expected)
    };
    (0..9).map(row).fold(0.0, f64::max)
}

fn torque(point: &Point) -> f64 {
    let transposed: Tensor = std::array::from_fn(|k| point.h[3 * (k % 3) + k / 3]);
    let mut kirchhoff = product(&point.stress, &transposed);
    for k in 0..9 {
        kirchhoff[k] = lanes(|l| kirchhoff[k][l] + point.stress[k][l]);
    }
    let turned: Tensor = std::array::from_fn(|k| kirchhoff[3 * (k % 3) + k / 3]);
    largest_difference(&kirchhoff, &turned)
}

/// H of Q F: Q (E₃ + H) − E₃.
fn rotated_gradient(rotation: &Tensor, h: &Tensor) -> Tensor {
    let turned = product(rotation, h);
    std::array::from_fn(|k| {
        let unit = if k % 4 == 0 { 1.0 } else { 0.0 };
        lanes(|l| turned[k][l] + (rotation[k][l] - unit))
    })
}

/// A rotation in each lane, by Cayley's map of a random vector.
fn rotation(numbers: &mut Numbers) -> Tensor {
    let v: [Lanes; 3] = std::array::from_fn(|_| lanes(|_| 2.0 * numbers.next()));
    std::array::from_fn(|k| {
        let (a, b) = (k / 3, k % 3);
        lanes(|l| {
            let square = v[0][l] * v[0][l] + v[1][l] * v[1][l] + v[2][l] * v[2][l];
            let unit = if a == b { 1.0 - square } else { 0.0 };
            let cross = if a == b {
                0.0
            } else {
                let sign = if (a + 1) % 3 == b { -1.0 } else { 1.0 };
                sign * v[3 - a - b][l]
            };
            (unit + 2.0 * (v[a][l] * v[b][l] + cross)) / (1.0 + square)
        })
    })
}

/// Pseudo-random numbers between −1 and 1 that are the same on every machine.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }
}

fn raise(error: &mut f64, found: f64) {
    // A NaN is kept.
    if found > *error || found.is_nan() {
        *error = found;
    }
}

fn largest(values: &[Lanes]) -> f64 {
    values.as_flattened().iter().fold(0.0, |a, x| if x.abs() <= a { a } else { x.abs() })
}

fn largest_difference(a: &Tensor, b: &Tensor) -> f64 {
    let difference: Tensor = std::array::from_fn(|k| lanes(|l| a[k][l] - b[k][l]));
    largest(&difference)
}
