//! Bodies on markers against closed forms, and against the same bodies without markers.

use crate::bodies::nurbs;
use crate::condensed::{Condensed, Spec, box_body, condensed, mean};
use carom_fem::{Body, Geometry, Material, QuadratureRule};
use carom_linalg::{Cholesky, DofSet};
use carom_mesh::CellShape;
use carom_mesh::make::{HexOptions, Solid, hexahedra};
use carom_nurbs::solids;
use carom_progress::Silent;
use carom_reduce::AttachmentKind::{Mean, Rigid};
use carom_reduce::solver::SolverChoice;
use carom_reduce::{
    AttachmentKind, CraigBampton, FixedModes, ModalOptions, ModesWanted, craig_bampton, modes,
};
use faer::Mat;
use faer::linalg::solvers::Solve;

/// K̂ over the dofs of one marker, scaled to displacements, of the box held at the west.
fn tip_stiffness(kind: AttachmentKind) -> (Condensed, Mat<f64>) {
    let it = condensed(&box_body(), &Spec::attached(&[("east", kind)]).holding("west"), 0);
    let stiffness = it.condensation.stiffness.clone();
    (it, stiffness)
}

#[test]
fn a_mean_is_softer_than_a_rigid_set() {
    let ((it, rigid), (_, mean)) = (tip_stiffness(Rigid), tip_stiffness(Mean));
    let extent = it.marker("east").1.extent;
    let scale = |i: usize| if i < 3 { 1.0 } else { 1.0 / extent };
    let difference = Mat::from_fn(6, 6, |i, j| scale(i) * (rigid[(i, j)] - mean[(i, j)]) * scale(j));
    let values = carom_linalg::dense::symmetric_pairs(difference.as_ref()).unwrap().lambda;
    assert!(values[0] > -1e-10 * values[5] && values[5] > 0.0, "{values:?}");
    println!("stiffness, rigid over mean: {:?}", [0, 1, 2, 3, 4, 5].map(|i| rigid[(i, i)] / mean[(i, i)]));
}

#[test]
fn a_load_spread_over_a_set_moves_its_mean_with_the_marker() {
    let (it, stiffness) = tip_stiffness(Mean);
    let (_, marker) = it.marker("east");
    let mut u = Mat::zeros(it.discretisation.n_dofs(), 6);
    for (i, &point) in marker.points.iter().enumerate() {
        for a in 0..3 {
            (0..6).for_each(|k| u[(3 * point as usize + a, k)] = marker.mean[(3 * i + a, k)]);
        }
    }
    let free = DofSet::all(it.discretisation.n_points()).without_dofs(&it.interface.boundary.held);
    Cholesky::new(&it.system.stiffness, None, free, &Silent).unwrap().solve_in_place(u.as_mut());
    let exact = mean(marker, u.as_ref());
    let condensed = stiffness.partial_piv_lu().solve(Mat::<f64>::identity(6, 6));
    for i in 0..6 {
        for j in 0..6 {
            let error = (condensed[(i, j)] - exact[(i, j)]).abs() / (exact[(i, i)] * exact[(j, j)]).sqrt();
            assert!(error < 1e-9, "{i} {j}: {error:.1e}");
        }
    }
}

/// Square bar of b = 20 mm, L = 200 mm, ν = 0, one end held, the other on a marker.
///
/// Axial L/(E A), exact for ν = 0; bending L³/(3 E I) + L/(κ G A) with κ = 5/6, Timoshenko; torsion L/(G J),
/// J = 0.1406 b⁴, Timoshenko & Goodier, § 109, with its ends kept from warping somewhat stiffer.
#[test]
fn the_tip_of_a_cantilever_follows_the_beam_formulas() {
    let (b, length, young) = (0.02, 0.2, 210e9);
    let options = HexOptions { shape: CellShape::Hex20, elements: vec![20, 2, 2], ..HexOptions::default() };
    let mesh = hexahedra(Solid::Box { size: [length, b, b] }, &options).unwrap();
    let body = Body {
        name: "bar".to_owned(),
        material_of_block: vec![0; mesh.blocks.len()],
        geometry: Geometry::Mesh(mesh),
        materials: vec![Material::new("plain", 7800.0, young, 0.0).unwrap()],
        sections: Vec::new(),
    };
    let (area, inertia, shear) = (b * b, b.powi(4) / 12.0, young / 2.0);
    let bending = length.powi(3) / (3.0 * young * inertia) + length / (5.0 / 6.0 * shear * area);
    let torsion = length / (shear * 0.1406 * b.powi(4));
    for kind in [Rigid, Mean] {
        let it = condensed(&body, &Spec::attached(&[("east", kind)]).holding("west"), 0);
        let compliance = it.condensation.stiffness.partial_piv_lu().solve(Mat::<f64>::identity(6, 6));
        let slope = length.powi(2) / (2.0 * young * inertia);
        let parts = [
            ("axial", compliance[(0, 0)], length / (young * area), 1e-9),
            ("bending y", compliance[(1, 1)], bending, 4e-3),
            ("bending z", compliance[(2, 2)], bending, 4e-3),
            ("torsion", compliance[(3, 3)], torsion, 3e-2),
            ("slope by moment", compliance[(4, 4)], length / (young * inertia), 1e-6),
            ("slope by force", compliance[(5, 1)], slope, 1e-6),
        ];
        for (what, found, exact, tolerance) in parts {
            println!("{kind:?} {what}: {found:.6e}, formula {exact:.6e}, {:+.2e}", found / exact - 1.0);
            assert!((found / exact - 1.0).abs() < tolerance, "{kind:?} {what}: {found:e}, formula {exact:e}");
        }
    }
}

fn reduce(body: &Body, spec: &Spec, n: usize) -> CraigBampton {
    craig_bampton(body, &spec.options(FixedModes::Count(n)), &Silent).unwrap()
}

/// Elastic frequencies of the model and of the whole body \[Hz\].
fn frequencies(body: &Body, spec: &Spec, n: usize, count: usize) -> (Vec<f64>, Vec<f64>) {
    let n_rigid = if spec.held.is_empty() { 6 } else { 0 };
    let wanted = ModalOptions {
        fix: spec.held.clone(),
        wanted: ModesWanted::Count(n_rigid + count),
        rule: QuadratureRule::Default,
        solver: SolverChoice::default(),
    };
    let full = modes(body, &wanted, &Silent).unwrap().hz[n_rigid..].to_vec();
    let reduced = reduce(body, spec, n).reduced;
    (reduced.omega[..count].iter().map(|w| w / std::f64::consts::TAU).collect(), full)
}

#[test]
fn attachments_by_means_keep_the_frequencies_of_the_body() {
    for ties in [[("west", Mean), ("east", Mean)], [("south", Mean), ("top", Mean)]] {
        let mut ties = ties.to_vec();
        // Sides that share an edge share its nodes.
        if ties[0].0 == "south" {
            ties.truncate(1);
        }
        let (model, full) = frequencies(&box_body(), &Spec::attached(&ties), 60, 8);
        for (model, full) in model.iter().zip(&full) {
            let error = model / full - 1.0;
            assert!(error > -1e-9 && error < 2e-3, "{ties:?}: {model} Hz, body {full} Hz");
        }
    }
}

#[test]
fn a_held_body_has_its_frequencies_and_no_rigid_motion() {
    let spec = Spec { sets: vec!["east".to_owned()], ..Spec::default() }.holding("west");
    let (model, full) = frequencies(&box_body(), &spec, 40, 8);
    for (model, full) in model.iter().zip(&full) {
        let error = model / full - 1.0;
        assert!(error > -1e-9 && error < 1e-3, "{model} Hz, body {full} Hz");
    }
    let reduced = reduce(&box_body(), &spec, 10).reduced;
    assert_eq!(reduced.omega.len(), reduced.n_interface_dofs + 10, "no mode is removed");
    assert_eq!(reduced.held, ["west"]);
}

#[test]
fn rigid_ends_of_a_rod_hardly_change_its_frequencies() {
    // Steel, diameter 20 mm, length 400 mm: bending in pairs, torsion at c_t/(2L) with c_t = √(G/ρ), the
    // first longitudinal mode.
    let rod = solids::rod(0.01, 0.4, None).unwrap();
    let rod = solids::Solid::Rod { radius: 0.01, length: 0.4 }.with_elements(&rod, &[24, 1, 1]).unwrap();
    let body = nurbs("rod", rod.with_degree(3).unwrap());
    let spec = Spec::attached(&[("start", Rigid), ("end", Rigid)]);
    let result = reduce(&body, &spec, 40);
    let hz: Vec<f64> = result.reduced.omega.iter().map(|w| w / std::f64::consts::TAU).collect();
    let expected = [573.68, 573.68, 1563.1, 1563.1, 3014.5, 3014.5, 4023.2, 4881.0, 4881.0, 6485.0];
    println!("{:?}", &hz[..10]);
    for (k, (hz, expected)) in hz.iter().zip(expected).enumerate() {
        assert!((hz / expected - 1.0).abs() < 3e-3, "mode {k}: {hz} Hz, {expected} Hz");
    }
    // With ten modes the lowest two pairs are accurate; torsion and the third pair come from the constraint
    // modes alone.
    let few = reduce(&body, &spec, 10).reduced;
    assert_eq!(few.omega.len(), 12 + 10 - 6);
    for k in 0..4 {
        assert!((few.omega[k] / result.reduced.omega[k] - 1.0).abs() < 3e-3, "mode {k}");
    }
}
