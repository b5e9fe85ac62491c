//! Plastic bending of a strip.

use carom_fem::constitutive::{ElasticModuli, Hardening, Plastic, SolidLaw};
use carom_fem::structural::{ShellSection, StructuralCells};
use carom_mesh::quadrature::gauss_legendre;

use super::model::{Model, material};

/// A square of one cell, bent to a curvature between two of its edges; it is free to contract across and to
/// bend about the other axis. Returns the moment of a unit width.
fn moment(thickness: f64, layers: usize, curvature: f64, length: f64, yield_stress: f64) -> f64 {
    let points = [[0.0, 0.0, 0.0], [length, 0.0, 0.0], [length, length, 0.0], [0.0, length, 0.0]];
    let section = ShellSection::new(thickness, layers).unwrap();
    let cells = StructuralCells::Quadrilaterals { connectivity: vec![[0, 1, 2, 3]], section };
    let steel = material(200.0e9, 0.3);
    let hardening = Hardening::linear(yield_stress, 0.0).unwrap();
    let law = SolidLaw::Plastic(Plastic::new(ElasticModuli::of(&steel), hardening).unwrap());
    let mut model = Model::new(&points, cells, steel, law);
    // In steps of a tenth, so that the elastic state is accepted first.
    for _ in 0..10 {
        for point in 0..4 {
            let side = if point == 1 || point == 2 { 0.5 } else { -0.5 };
            model.turn(point, &[0.0, 0.0, 0.0, 0.0, side * 0.1 * curvature * length, 0.0]);
        }
        // Rotations about y are prescribed; those about x make room for the anticlastic curvature.
        model.held.fill(false);
        for point in 0..4 {
            model.hold(point, &[2, 4, 5]);
        }
        model.hold(0, &[0, 1]);
        model.hold(3, &[0]);
        model.solve(length);
        model.history.commit();
    }
    let forces = model.internal();
    (forces[6 + 4] + forces[12 + 4]) / length
}

/// M = M_p (1 − ⅓ (κ_e/κ)²), M_p = ¼ σ_y h² a unit width, of an elastic and perfectly plastic strip with
/// uniaxial stress; exactly its sum over Gauss points, and within their error the integral.
#[test]
fn a_strip_bent_beyond_yield_has_its_elastic_plastic_moment() {
    let (h, yield_stress, young) = (0.01, 250.0e6, 200.0e9);
    let elastic = 2.0 * yield_stress / (young * h);
    for (ratio, layers) in [(0.8, 5), (3.0, 5), (3.0, 9)] {
        let curvature = ratio * elastic;
        let found = moment(h, layers, curvature, 0.01, yield_stress);
        let (places, weights) = gauss_legendre(layers);
        let fibre = |(z, w): (&f64, &f64)| {
            let z = (z - 0.5) * h;
            w * h * z * (young * z * curvature).clamp(-yield_stress, yield_stress)
        };
        let sum: f64 = places.iter().zip(&weights).map(fibre).sum();
        // The sum has no stress across. The layers share one curvature there, but not one ratio of plastic
        // strains: a sum of two stresses in the plane differs by 0.03 % here. Strains are up to 0.4 %.
        assert!((found / sum - 1.0).abs() < 0.004, "{ratio} {layers}: {found} {sum}");
        let plastic = 0.25 * yield_stress * h * h;
        let closed = if ratio < 1.0 {
            young * curvature * h.powi(3) / 12.0
        } else {
            plastic * (1.0 - ratio.powi(-2) / 3.0)
        };
        // The kink of the stress costs a rule of n points up to 1/n² of the moment.
        let tolerance = 0.01 + (layers as f64).powi(-2);
        assert!((found / closed - 1.0).abs() < tolerance, "{ratio} {layers}: {found} {closed}");
    }
}
