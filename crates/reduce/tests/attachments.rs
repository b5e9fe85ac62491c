//! Attachments: rigid sets and means of sets with a marker, alone and mixed, against closed forms and dense algebra.

use crate::bodies::{nurbs, steel_box};
use carom_fem::{Body, Discretisation, Geometry, Material, QuadratureRule, SystemMatrices, assemble};
use carom_linalg::dense::generalised_pairs;
use carom_linalg::{Cholesky, DofSet, Wanted};
use carom_mesh::make::{HexOptions, Solid, hexahedra};
use carom_mesh::{CellShape, Set};
use carom_nurbs::solids;
use carom_progress::Silent;
use carom_reduce::attachment::Attached;
use carom_reduce::condensation::{Condensation, constraint_modes};
use carom_reduce::interface::{Interface, InterfaceSpec};
use carom_reduce::rigid::rigid_modes;
use carom_reduce::solver::{Interior, Operator, SolverChoice};
use carom_reduce::{
    Attachment, AttachmentKind, CraigBampton, CraigBamptonOptions, FixedModes, ModalOptions, ModesWanted,
    craig_bampton, modes,
};
use faer::linalg::solvers::{Qr, Solve};
use faer::{Mat, MatRef};

use AttachmentKind::{Mean, Rigid};

/// An interface before it is found on a body.
#[derive(Default)]
struct Spec {
    sets: Vec<String>,
    points: Vec<u32>,
    attachments: Vec<Attachment>,
    held: Vec<String>,
}

impl Spec {
    fn attached(ties: &[(&str, AttachmentKind)]) -> Self {
        Self {
            attachments: ties
                .iter()
                .map(|&(set, kind)| Attachment { set: set.to_owned(), kind, at: None })
                .collect(),
            ..Self::default()
        }
    }

    fn with_points(self, points: &[u32]) -> Self {
        Self { points: points.to_vec(), ..self }
    }

    fn holding(self, set: &str) -> Self {
        Self { held: vec![set.to_owned()], ..self }
    }

    fn options(&self, modes: FixedModes) -> CraigBamptonOptions {
        CraigBamptonOptions {
            interface_sets: self.sets.clone(),
            interface_points: self.points.clone(),
            attachments: self.attachments.clone(),
            held: self.held.clone(),
            modes,
            ..CraigBamptonOptions::default()
        }
    }
}

/// A condensed body with everything that it was made from.
struct Condensed {
    discretisation: Discretisation,
    system: SystemMatrices,
    interface: Interface,
    condensation: Condensation,
    rigid_error: f64,
}

fn condensed(body: &Body, spec: &Spec, n_modes: usize) -> Condensed {
    let discretisation = Discretisation::new(body).unwrap();
    let system = assemble(&discretisation, QuadratureRule::Default, &Silent).unwrap();
    let parts = InterfaceSpec {
        sets: &spec.sets,
        points: &spec.points,
        attachments: &spec.attachments,
        held: &spec.held,
    };
    let interface = Interface::new(body, &discretisation, parts).unwrap();
    let used = DofSet::all(discretisation.n_points());
    let operator = Operator { k: &system.stiffness, shifted_mass: None, points: &discretisation.points };
    let space = interface.boundary.space(&used);
    let interior = Interior::new(operator, space, &SolverChoice::default(), 0, &Silent).unwrap();
    let constraint = constraint_modes(
        &system,
        &interior,
        &interface.boundary,
        &discretisation.points,
        &discretisation.point_is_used(),
        &Silent,
    )
    .unwrap();
    let rigid_error = constraint.rigid_error;
    let condensation =
        Condensation::new(&system, interior, constraint, Wanted::Count(n_modes), &Silent).unwrap();
    Condensed { discretisation, system, interface, condensation, rigid_error }
}

impl Condensed {
    fn marker(&self, name: &str) -> (usize, &Attached) {
        self.interface.boundary.markers().find(|(_, marker)| marker.name == name).unwrap()
    }
}

/// The rows of a field at the points of an attached set.
fn at_set(marker: &Attached, field: MatRef<'_, f64>) -> Mat<f64> {
    Mat::from_fn(3 * marker.points.len(), field.ncols(), |i, k| {
        field[(3 * marker.points[i / 3] as usize + i % 3, k)]
    })
}

/// W u.
fn mean(marker: &Attached, field: MatRef<'_, f64>) -> Mat<f64> {
    marker.mean.transpose() * at_set(marker, field)
}

fn box_body() -> Body {
    steel_box([0.1, 0.02, 0.03], [8, 2, 3])
}

/// Points on the top of the box, away from its ends.
fn pads(body: &Body) -> Vec<u32> {
    let Geometry::Mesh(mesh) = &body.geometry else { unreachable!("it is a mesh") };
    let is_pad = |p: &[f64; 3]| p[2] > 0.0299 && p[0] > 0.03 && p[0] < 0.07;
    (0..mesh.points.len() as u32).filter(|&i| is_pad(&mesh.points[i as usize])).collect()
}

fn cases() -> Vec<(&'static str, Spec)> {
    let pads = pads(&box_body());
    vec![
        ("two rigid sets", Spec::attached(&[("west", Rigid), ("east", Rigid)])),
        ("rigid and mean", Spec::attached(&[("west", Rigid), ("east", Mean)])),
        ("two means alone", Spec::attached(&[("west", Mean), ("east", Mean)])),
        ("points, rigid and mean", Spec::attached(&[("west", Rigid), ("east", Mean)]).with_points(&pads)),
        ("two points and a mean", Spec::attached(&[("east", Mean)]).with_points(&pads[..2])),
        ("held, mean", Spec::attached(&[("east", Mean)]).holding("west")),
    ]
}

#[test]
fn means_and_rigid_sets_move_as_their_markers_say() {
    for (case, spec) in cases() {
        let it = condensed(&box_body(), &spec, 12);
        let n = it.condensation.n_interface;
        let basis = it.condensation.basis.as_ref();
        for (first, marker) in it.interface.boundary.markers() {
            let unit = Mat::from_fn(6, basis.ncols(), |i, k| if k == first + i { 1.0 } else { 0.0 });
            // Turns are measured as displacements at the rim of the set.
            let scale = |k: usize| if k < 3 { 1.0 } else { marker.extent };
            let of_mean = mean(marker, basis);
            for j in 0..basis.ncols() {
                let largest = at_set(marker, basis.subcols(j, 1)).norm_max().max(f64::MIN_POSITIVE);
                for i in 0..6 {
                    let error = scale(i) * (of_mean[(i, j)] - unit[(i, j)]).abs() / largest;
                    assert!(
                        error < 1e-10 || (j >= n && largest < 1e-12),
                        "{case}, {}: row {i}, column {j} misses by {error:.1e}",
                        marker.name
                    );
                }
            }
            if marker.kind == Rigid {
                let field = at_set(marker, basis);
                assert!((field - &marker.rigid * &unit).norm_max() < 1e-13, "{case}");
            }
        }
    }
}

#[test]
fn constraint_modes_reproduce_rigid_motions() {
    for (case, spec) in cases().into_iter().filter(|(_, spec)| spec.held.is_empty()) {
        let it = condensed(&box_body(), &spec, 6);
        assert!(it.rigid_error < 1e-9, "{case}: {:e}", it.rigid_error);
        let n = it.condensation.n_interface;
        let r = rigid_modes(&it.discretisation.points, [0.0; 3]);
        // Boundary dofs of a rigid motion, from the motion itself.
        let mut z = Mat::zeros(n, 6);
        for (i, &point) in it.interface.boundary.points.iter().enumerate() {
            for a in 0..3 {
                (0..6).for_each(|k| z[(3 * i + a, k)] = r[(3 * point as usize + a, k)]);
            }
        }
        for (first, marker) in it.interface.boundary.markers() {
            let of_mean = mean(marker, r.as_ref());
            z.subrows_mut(first, 6).copy_from(&of_mean);
            // The mean of a rigid motion is the motion of the marker: t + θ × c and θ.
            let at_marker = rigid_modes(&[marker.center], [0.0; 3]);
            for k in 0..6 {
                for i in 0..3 {
                    assert!((of_mean[(i, k)] - at_marker[(i, k)]).abs() < 1e-12);
                    let turn = if k == 3 + i { 1.0 } else { 0.0 };
                    assert!((of_mean[(3 + i, k)] - turn).abs() < 1e-11);
                }
            }
        }
        let error = (it.condensation.basis.subcols(0, n) * &z - &r).norm_max();
        assert!(error < 1e-12, "{case}: {error:e}");
        let strain = (it.condensation.stiffness.submatrix(0, 0, n, n) * &z).norm_max();
        assert!(strain < 1e-10 * it.condensation.stiffness.norm_max(), "{case}: {strain:e}");
    }
}

#[test]
fn condensed_stiffness_is_the_projection_and_splits_in_blocks() {
    for (case, spec) in cases() {
        let it = condensed(&box_body(), &spec, 12);
        let basis = &it.condensation.basis;
        let projected = basis.transpose() * it.system.stiffness.product(basis.as_ref());
        let scale = |i: usize| projected[(i, i)].sqrt();
        for j in 0..projected.ncols() {
            for i in 0..projected.nrows() {
                let error =
                    (projected[(i, j)] - it.condensation.stiffness[(i, j)]).abs() / (scale(i) * scale(j));
                assert!(error < 1e-9, "{case}: entry {i}, {j} of the stiffness is off by {error:.1e}");
            }
        }
    }
}

/// All ω² of the interior by dense algebra: a basis of ker W on the interior dofs from a QR factorisation.
fn dense_lambda(it: &Condensed) -> Vec<f64> {
    let boundary = &it.interface.boundary;
    let interior = boundary.interior(&DofSet::all(it.discretisation.n_points())).to_vec();
    let means: Vec<&Attached> = boundary.markers.iter().filter(|marker| marker.kind == Mean).collect();
    let w = Mat::from_fn(interior.len(), 6 * means.len(), |i, j| {
        let (marker, k) = (means[j / 6], j % 6);
        let point = marker.points.binary_search(&((interior[i] / 3) as u32));
        let scale = if k < 3 { 1.0 } else { marker.extent };
        point.map_or(0.0, |p| scale * marker.mean[(3 * p + interior[i] % 3, k)])
    });
    let free = interior.len() - w.ncols();
    let basis = if w.ncols() == 0 {
        Mat::identity(interior.len(), interior.len())
    } else {
        Qr::new(w.as_ref()).compute_Q().subcols(w.ncols(), free).to_owned()
    };
    let n_dofs = it.discretisation.n_dofs();
    let mut field = Mat::zeros(n_dofs, free);
    for (i, &dof) in interior.iter().enumerate() {
        (0..free).for_each(|k| field[(dof, k)] = basis[(i, k)]);
    }
    let k = field.transpose() * it.system.stiffness.product(field.as_ref());
    let m = field.transpose() * it.system.mass.product(field.as_ref());
    generalised_pairs(k.as_ref(), m.as_ref()).unwrap().lambda
}

#[test]
fn fixed_interface_frequencies_are_those_of_dense_algebra() {
    for (case, spec) in cases() {
        // 30 modes go through Lanczos and the inertia count, 200 through the dense solution.
        for n_modes in [30, 100] {
            let it = condensed(&box_body(), &spec, n_modes);
            let exact = dense_lambda(&it);
            for (k, &lambda) in it.condensation.fixed_lambda.iter().enumerate() {
                let error = (lambda / exact[k] - 1.0).abs();
                assert!(error < 1e-8, "{case}, mode {k}: {lambda:e} instead of {:e}, {error:.1e}", exact[k]);
            }
        }
    }
}

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
fn a_load_spread_over_a_set_moves_its_mean_as_the_marker_says() {
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
/// Axial L/(E A), exact for ν = 0; bending L³/(3 E I) + L/(κ G A) with κ = 5/6, Timoshenko; torsion L/(G J), J = 0.1406 b⁴,
/// Timoshenko & Goodier, § 109, with its ends kept from warping somewhat stiffer.
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
fn means_leave_the_frequencies_of_the_body_as_they_are() {
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
    assert_eq!(reduced.omega.len(), reduced.n_interface_dofs + 10, "no mode is taken out");
    assert_eq!(reduced.held, ["west"]);
}

#[test]
fn rigid_ends_of_a_rod_hardly_change_its_frequencies() {
    // Steel, diameter 20 mm, length 400 mm: bending in pairs, torsion at c_t/(2L) with c_t = √(G/ρ), the first longitudinal mode.
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
    // With ten modes the lowest two pairs are right; torsion and the third pair have only what the constraint modes give them.
    let few = reduce(&body, &spec, 10).reduced;
    assert_eq!(few.omega.len(), 12 + 10 - 6);
    for k in 0..4 {
        assert!((few.omega[k] / result.reduced.omega[k] - 1.0).abs() < 3e-3, "mode {k}");
    }
}

#[test]
fn markers_move_as_the_mode_shapes_say() {
    let spec = Spec::attached(&[("west", Rigid), ("east", Mean)]);
    let reduced = reduce(&box_body(), &spec, 10).reduced;
    let it = condensed(&box_body(), &spec, 6);
    let shapes = &reduced.fields.as_ref().unwrap().values;
    for marker in &reduced.markers {
        let (_, attached) = it.marker(&marker.name);
        for a in 0..3 {
            assert!((marker.position_b[a] + reduced.com[a] - attached.center[a]).abs() < 1e-15);
        }
        let of_mean = mean(attached, shapes.as_ref());
        let error = (&marker.translation - of_mean.subrows(0, 3)).norm_max();
        assert!(error < 1e-10 * marker.translation.norm_max(), "{}: {error:e}", marker.name);
        let error = (&marker.rotation - of_mean.subrows(3, 3)).norm_max();
        assert!(error < 1e-10 * marker.rotation.norm_max(), "{}: {error:e}", marker.name);
    }
    assert_eq!(reduced.markers[0].position_b.map(|x| (1e6 * x).round()), [-50e3, 0.0, 0.0]);
    let composition = &reduced.composition;
    assert_eq!(composition.groups(), ["west", "east", "fixed-interface modes"]);
    for k in 0..reduced.omega.len() {
        let sum: f64 = composition.group_shares(k).iter().sum();
        assert!((sum - 1.0).abs() < 1e-9, "mode {k}: {sum}");
    }
}

#[test]
fn what_cannot_be_attached_is_refused_with_both_names() {
    let mut body = box_body();
    let Geometry::Mesh(mesh) = &mut body.geometry else { unreachable!("it is a mesh") };
    mesh.sets.insert("pin".to_owned(), Set::Nodes(vec![40]));
    mesh.sets.insert("pair".to_owned(), Set::Nodes(vec![40, 50]));
    let fails = |spec: &Spec| {
        craig_bampton(&body, &spec.options(FixedModes::Default), &Silent).unwrap_err().to_string()
    };
    let text = fails(&Spec::attached(&[("west", Rigid), ("south", Mean)]));
    assert!(
        text.contains("`west`") && text.contains("`south`") && text.contains("no node in common"),
        "{text}"
    );
    let both = Spec { sets: vec!["south".to_owned()], ..Spec::attached(&[("west", Mean)]) };
    let text = fails(&both);
    assert!(text.contains("interface set `south`") && text.contains("attached set `west`"), "{text}");
    let text = fails(&Spec { sets: vec!["east".to_owned()], ..Spec::default() }.holding("top"));
    assert!(text.contains("interface set `east`") && text.contains("held set `top`"), "{text}");
    for set in ["pin", "pair"] {
        for kind in [Rigid, Mean] {
            let text = fails(&Spec::attached(&[(set, kind)]));
            assert!(text.contains(set) && text.contains("interface instead"), "{text}");
        }
    }
    let text = fails(&Spec::attached(&[("wset", Rigid)]));
    assert!(text.contains("wset") && text.contains("west"), "{text}");
    let text = fails(&Spec::attached(&[("east", Rigid)]).holding("pair"));
    assert!(text.contains("leaves 1 of 6 rigid motions") && text.contains("`pair`"), "{text}");
    let text = fails(&Spec::attached(&[("east", Rigid)]).holding("pin"));
    assert!(text.contains("leaves 3 of 6 rigid motions"), "{text}");
}

/// On a NURBS face, whose control points lie apart from it, a linear field u = a + G X has the mean a + G c; the mean turn of a disc
/// about its axis is half the curl, about its diameters it is the slope of the disc.
#[test]
fn the_mean_of_a_linear_field_on_a_disc_is_exact() {
    let rod = solids::rod(0.01, 0.05, None).unwrap().elements([2; 3]).unwrap();
    let body = nurbs("rod", rod);
    let discretisation = Discretisation::new(&body).unwrap();
    let attachment = Attachment { set: "end".to_owned(), kind: Mean, at: None };
    let marker = Attached::new(&body, &discretisation, &attachment).unwrap();
    for (a, exact) in [0.05, 0.0, 0.0].into_iter().enumerate() {
        assert!((marker.center[a] - exact).abs() < 1e-13, "{:?}", marker.center);
    }
    let (shift, slope) = ([0.3, -0.1, 0.2], [[0.5, 1.5, -0.7], [0.4, 2.0, 0.9], [-1.1, 0.6, 3.0]]);
    let at = |x: &[f64; 3], a: usize| shift[a] + (0..3).map(|b| slope[a][b] * x[b]).sum::<f64>();
    let field = Mat::from_fn(discretisation.n_dofs(), 1, |i, _| at(&discretisation.points[i / 3], i % 3));
    let found = mean(&marker, field.as_ref());
    let turn = [0.5 * (slope[2][1] - slope[1][2]), slope[0][2], -slope[0][1]];
    for a in 0..3 {
        assert!((found[(a, 0)] - at(&[0.05, 0.0, 0.0], a)).abs() < 1e-12);
        assert!((found[(3 + a, 0)] - turn[a]).abs() < 1e-9, "{} instead of {}", found[(3 + a, 0)], turn[a]);
    }
}

/// A marker that is put beside the centroid of its set is carried by the same rigid motion, y' = (t + θ × (p − c), θ), and the body is the same.
#[test]
fn a_placed_marker_is_carried_by_the_motion_of_its_set() {
    let body = box_body();
    let place = [0.12, 0.004, -0.003];
    for kind in [Rigid, Mean] {
        let reduced = |at| {
            let east = Attachment { set: "east".to_owned(), kind, at };
            let spec = Spec { attachments: vec![east], ..Spec::default() };
            craig_bampton(&body, &spec.options(FixedModes::Count(10)), &Silent).unwrap().reduced
        };
        let (central, placed) = (reduced(None), reduced(Some(place)));
        let (own, moved) = (&central.markers[0], &placed.markers[0]);
        for a in 0..3 {
            assert!((moved.position_b[a] + placed.com[a] - place[a]).abs() < 1e-15, "{:?}", moved.position_b);
        }
        let arm: [f64; 3] = std::array::from_fn(|a| moved.position_b[a] - own.position_b[a]);
        let (shift, turn) = (&own.translation, &own.rotation);
        let (largest_shift, largest_turn) = (shift.norm_max(), turn.norm_max());
        for k in 0..central.omega.len() {
            assert!((placed.omega[k] / central.omega[k] - 1.0).abs() < 1e-9, "{kind:?}, mode {k}");
            let carried: [f64; 3] = std::array::from_fn(|a| {
                let (b, c) = ((a + 1) % 3, (a + 2) % 3);
                shift[(a, k)] + turn[(b, k)] * arm[c] - turn[(c, k)] * arm[b]
            });
            // The sign of a mode is free.
            let along: f64 = (0..3)
                .map(|a| {
                    carried[a] * moved.translation[(a, k)] / largest_shift.powi(2)
                        + turn[(a, k)] * moved.rotation[(a, k)] / largest_turn.powi(2)
                })
                .sum();
            let sign = along.signum();
            for a in 0..3 {
                let error = (sign * moved.translation[(a, k)] - carried[a]).abs();
                assert!(error < 1e-6 * largest_shift, "{kind:?}, mode {k}: {error:e} of {largest_shift}");
                let error = (sign * moved.rotation[(a, k)] - turn[(a, k)]).abs();
                assert!(error < 1e-6 * largest_turn, "{kind:?}, mode {k}: {error:e} of {largest_turn}");
            }
        }
    }
}

#[test]
fn attachments_are_written_as_they_are_read() {
    for text in ["bore=rigid", "a=b=mean", "bore=rigid@0,-0.001,0.5", "bore=mean@1,2,3"] {
        assert_eq!(text.parse::<Attachment>().unwrap().to_string(), text);
    }
    for (text, told) in [
        ("bore", "SET=rigid or SET=mean"),
        ("=rigid", "SET=rigid or SET=mean"),
        ("bore=glue", "SET=rigid or SET=mean"),
        ("bore=rigid@1,2", "`1,2`"),
        ("bore=rigid@1,2,x", "`1,2,x`"),
        ("bore=rigid@1,2,inf", "`1,2,inf`"),
    ] {
        let error = text.parse::<Attachment>().unwrap_err().to_string();
        assert!(error.contains(told), "{text}: {error}");
    }
}
