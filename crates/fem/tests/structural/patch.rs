//! Patch tests of MacNeal & Harder (1985), Finite Elements in Analysis and Design 1, 3–20: a rectangle of
//! 0.24 × 0.12 of five distorted cells, with the displacements of a constant strain on the boundary.

use carom_fem::structural::{ShellSection, StructuralCells};

use super::model::{Model, elastic, material};

const POINTS: [[f64; 3]; 8] = [
    [0.0, 0.0, 0.0],
    [0.24, 0.0, 0.0],
    [0.24, 0.12, 0.0],
    [0.0, 0.12, 0.0],
    [0.04, 0.02, 0.0],
    [0.18, 0.03, 0.0],
    [0.16, 0.08, 0.0],
    [0.08, 0.08, 0.0],
];

const CELLS: [[u32; 4]; 5] = [[0, 1, 5, 4], [1, 2, 6, 5], [2, 3, 7, 6], [3, 0, 4, 7], [4, 5, 6, 7]];

fn patch(corners: usize) -> Model {
    let section = ShellSection::new(0.001, 2).unwrap();
    let cells = if corners == 3 {
        let connectivity = CELLS.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
        StructuralCells::Triangles { connectivity, section }
    } else {
        StructuralCells::Quadrilaterals { connectivity: CELLS.to_vec(), section }
    };
    let material = material(1.0e6, 0.25);
    let law = elastic(&material);
    Model::new(&POINTS, cells, material, law)
}

/// Moves the boundary by a field of six dofs, solves for the inner nodes, and returns their largest error
/// relative to the largest value of the same kind.
fn error(corners: usize, field: impl Fn(f64, f64) -> [f64; 6]) -> f64 {
    let mut model = patch(corners);
    for point in 0..4 {
        let [x, y, _] = POINTS[point];
        model.turn(point, &field(x, y));
        model.hold(point, &[0, 1, 2, 3, 4, 5]);
    }
    model.solve(1e-3);
    let mut worst = 0.0_f64;
    for point in 4..8 {
        let [x, y, _] = POINTS[point];
        let expected = field(x, y);
        let turn = &model.rotations[point];
        let found = [(2, 1), (0, 2), (1, 0)].map(|(a, b)| 0.5 * (turn[(a, b)] - turn[(b, a)]));
        let u = model.displacement(point);
        let at_corner = field(0.24, 0.12);
        let largest = |range: std::ops::Range<usize>| range.map(|k| at_corner[k].abs()).fold(1e-30, f64::max);
        // A turn about the normal is without stiffness.
        for k in 0..3 {
            worst = worst.max((u[k] - expected[k]).abs() / largest(0..3));
        }
        for k in 0..2 {
            if largest(3..5) > 1e-20 {
                worst = worst.max((found[k] - expected[3 + k]).abs() / largest(3..5));
            }
        }
    }
    worst
}

/// u = 10⁻³ (x + y/2), v = 10⁻³ (y + x/2): homogeneous, exact in large deformation too.
#[test]
fn a_patch_of_constant_membrane_strain_is_exact() {
    for corners in [3, 4] {
        let error = error(corners, |x, y| [1e-3 * (x + 0.5 * y), 1e-3 * (y + 0.5 * x), 0.0, 0.0, 0.0, 0.0]);
        assert!(error < 1e-9, "{corners}: {error:e}");
    }
}

/// w = ½ a (x² + x y + y²): constant curvature and twist. With a = 10⁻⁷ strains of the surface, of the order
/// of the slope squared, are 10⁻⁶ of those of bending.
#[test]
fn a_patch_of_constant_curvature_and_twist_is_exact() {
    let a = 1e-7;
    for corners in [3, 4] {
        let error = error(corners, |x, y| {
            [0.0, 0.0, 0.5 * a * (x * x + x * y + y * y), a * (y + 0.5 * x), -a * (x + 0.5 * y), 0.0]
        });
        assert!(error < 1e-5, "{corners}: {error:e}");
    }
}
