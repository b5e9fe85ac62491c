//! SID_FEM files: files of other programs are read; our files satisfy the same identities and agree with
//! independent sums.

use std::path::{Path, PathBuf};

use carom_fem::{
    Body, CellEvaluator, Cells, Discretisation, Geometry, Integrand, Material, Quadrature, QuadratureRule,
};
use carom_format::sid::identities::identities;
use carom_format::sid::{
    GrLayout, Imported, NodeKind, ReadSidError, Sid, SidImportError, SidNodes, read_sid, reduced_of, sid_of,
    write_sid,
};
use carom_nurbs::{Multipatch, solids};
use carom_progress::{Progress, Silent};
use carom_reduce::{
    CraigBamptonOptions, FixedModes, Invariants, Modes, ReducedBody, Stiffening, craig_bampton,
};
use carom_testing::shared_data;
use faer::Mat;
use nalgebra::{Matrix3, Vector3};

/// Name, modes, nodes, layout of Gr.
const SAMPLES: [(&str, usize, usize, GrLayout); 5] = [
    ("example.sid_fem", 3, 3, GrLayout::ByComponent),
    ("example_all_ev.sid_fem", 6, 3, GrLayout::ByComponent),
    ("five_node_model.sid_fem", 2, 5, GrLayout::ByComponent),
    ("balken1m.SID_FEM", 1, 3, GrLayout::ByComponent),
    ("beam.SID_FEM", 11, 6, GrLayout::ByMode),
];

fn sample(name: &str) -> Option<PathBuf> {
    shared_data(&format!("sid/{name}"))
}

fn steel() -> Material {
    Material::new("steel", 7800.0, 210e9, 0.3).unwrap()
}

fn nurbs(name: &str, multipatch: Multipatch) -> Body {
    let material_of_block = vec![0; multipatch.patches.len()];
    let geometry = Geometry::Nurbs(multipatch);
    Body {
        name: name.to_owned(),
        geometry,
        materials: vec![steel()],
        material_of_block,
        sections: Vec::new(),
    }
}

fn ball() -> Body {
    nurbs("ball", solids::ball(0.05, Some(0.02)).unwrap().subdivide(2).unwrap())
}

fn rod() -> Body {
    nurbs("rod", solids::rod(0.01, 0.1, None).unwrap().subdivide(2).unwrap())
}

fn tetrahedra() -> Option<Body> {
    let path = shared_data("meshes/rod_hemi_tet10.msh")?;
    let (mesh, _) = carom_mesh::msh::read(&path).unwrap();
    let material_of_block = vec![0; mesh.blocks.len()];
    let geometry = Geometry::Mesh(mesh);
    Some(Body {
        name: "hemi".to_owned(),
        geometry,
        materials: vec![steel()],
        material_of_block,
        sections: Vec::new(),
    })
}

fn reduced(body: &Body, set: &str, modes: usize) -> ReducedBody {
    let options = CraigBamptonOptions {
        interface_sets: vec![set.to_owned()],
        modes: FixedModes::Count(modes),
        ..Default::default()
    };
    craig_bampton(body, &options, &Silent).unwrap().reduced
}

/// Writes a SID to a file and reads it back.
fn through_a_file(sid: &Sid) -> Sid {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("body.SID_FEM");
    write_sid(&path, sid, &Silent).unwrap();
    read_sid(&path, &Silent).unwrap().sid
}

#[test]
fn files_of_other_programs_are_read() {
    for (name, n_modes, n_nodes, layout) in SAMPLES {
        let Some(path) = sample(name) else { return };
        let read = read_sid(&path, &Silent).unwrap();
        assert_eq!((read.sid.n_modes(), read.sid.nodes.len()), (n_modes, n_nodes), "{name}");
        // With one mode the order of columns is unique.
        assert!(read.gr_layout == layout || n_modes == 1, "{name}: {:?}", read.gr_layout);
        let worst = identities(&read.sid).iter().map(|identity| identity.deviation).fold(0.0, f64::max);
        println!("{name}: largest deviation of an identity {worst:.1e}");
        assert!(worst < 1e-10, "{name}: {worst:e}");
        assert_eq!(through_a_file(&read.sid), read.sid, "{name}: written and read again");
    }
}

#[test]
fn files_of_other_programs_become_bodies() {
    for (name, n_modes, n_nodes, _) in SAMPLES {
        let Some(path) = sample(name) else { return };
        let sid = read_sid(&path, &Silent).unwrap().sid;
        let imported = reduced_of(&sid, name).unwrap();
        println!("{name}: {:?}", imported.notes);
        let reduced = &imported.reduced;
        assert_eq!((reduced.n_low, reduced.boundary.points.len()), (n_modes, n_nodes), "{name}");
        assert!(reduced.omega.is_sorted() && reduced.omega[0] > 0.0);
        // Frequencies as listed in the file with its modes. The masses of the three-mass model (`example…`)
        // differ from those of its analysis: its M_e and K_e have 8.1 kHz with the frame held and 14.8 kHz
        // free, while the file lists 6.7 kHz.
        for (label, omega) in
            sid.mode_labels.iter().zip(&reduced.omega).filter(|_| !name.starts_with("example"))
        {
            let said: f64 =
                label.split(':').nth(1).unwrap().trim().trim_end_matches("Hz").trim().parse().unwrap();
            let hz = omega / std::f64::consts::TAU;
            assert!((hz - said).abs() < 1e-4 * said, "{name}: {hz} Hz for {said}");
        }
        // The solver requires consistent invariants of every body.
        assert_consistent(&reduced.invariants);
    }
}

/// Cr1 is antisymmetric, I2_kl is I2_lkᵀ, and skew parts of I1 and I2 are those of Cr.
fn assert_consistent(invariants: &Invariants) {
    let n = invariants.mass_modal.nrows();
    let epsilon = |a: usize, b: usize| match (3 + b - a) % 3 {
        1 => Some((1.0, (a + 2) % 3)),
        2 => Some((-1.0, (a + 1) % 3)),
        _ => None,
    };
    let close = |x: f64, y: f64, scale: f64, what: &str| {
        assert!((x - y).abs() <= 1e-12 * scale, "{what}: {x:e} {y:e} of {scale:e}");
    };
    let [coupling_r1, inertia_2] =
        [&invariants.coupling_r1, &invariants.inertia_2].map(|pairs| pairs.all().unwrap());
    let inertia = invariants.inertia_1.norm_max().max(invariants.coupling_r0.norm_max());
    for k in 0..n {
        for (a, b) in (0..9).map(|i| (i / 3, i % 3)) {
            let skew = invariants.inertia_1[(3 * k + a, b)] - invariants.inertia_1[(3 * k + b, a)];
            let axial = epsilon(a, b).map_or(0.0, |(sign, c)| sign * invariants.coupling_r0[(c, k)]);
            close(skew, axial, inertia, "I1");
            for l in 0..n {
                let i2 = |k: usize, l: usize, a: usize, b: usize| inertia_2[(3 * k + a, 3 * l + b)];
                close(i2(k, l, a, b), i2(l, k, b, a), 2.0, "I2");
                let r1 = |k: usize, l: usize, c: usize| coupling_r1[(3 * k + c, l)];
                let axial = epsilon(a, b).map_or(0.0, |(sign, c)| sign * r1(k, l, c));
                close(i2(k, l, a, b) - i2(k, l, b, a), axial, 2.0, "I2 and Cr1");
                (0..3).for_each(|c| close(r1(k, l, c), -r1(l, k, c), 2.0, "Cr1"));
            }
        }
    }
}

/// Largest difference of two matrices over the largest entry, or over `scale`.
fn apart(a: &Mat<f64>, b: &Mat<f64>, scale: f64) -> f64 {
    (a - b).norm_max() / a.norm_max().max(scale)
}

#[test]
fn export_and_import_give_the_same_body() {
    let tetrahedra = tetrahedra();
    let bodies = [Some((ball(), "pole")), Some((rod(), "end")), tetrahedra.map(|body| (body, "end"))];
    for (body, set) in bodies.into_iter().flatten() {
        let mut model = reduced(&body, set, 8);
        let n = model.omega.len();
        // The damping is not diagonal, as in files of other programs.
        let damping = |i: usize, j: usize| (1.0 + (i * j) as f64).cos() * model.omega[i.min(j)];
        model.invariants.damping_modal = Some(Mat::from_fn(n, n, damping));
        let (sid, _) = sid_of(&model, SidNodes::Interface, None, &Silent).unwrap();
        let sid = through_a_file(&sid);
        let worst = identities(&sid).iter().map(|identity| identity.deviation).fold(0.0, f64::max);
        assert!(worst < 1e-11, "{}: an identity is {worst:e} off", body.name);
        let imported = reduced_of(&sid, "again").unwrap();
        assert!(imported.notes.is_empty(), "{:?}", imported.notes);
        let (old, new) = (&model.invariants, &imported.reduced.invariants);
        let (r, t) = (old.inertia[0][0].sqrt(), old.mass.sqrt());
        let differences = [
            (new.mass / old.mass - 1.0).abs(),
            apart(&old.coupling_t, &new.coupling_t, t),
            apart(&old.coupling_r0, &new.coupling_r0, r),
            apart(old.coupling_r1.all().unwrap(), new.coupling_r1.all().unwrap(), 1.0),
            apart(&old.inertia_1, &new.inertia_1, r),
            apart(old.inertia_2.all().unwrap(), new.inertia_2.all().unwrap(), 1.0),
            apart(&old.mass_modal, &new.mass_modal, 1.0),
            apart(&old.stiffness_modal, &new.stiffness_modal, 0.0),
            apart(old.damping_modal.as_ref().unwrap(), new.damping_modal.as_ref().unwrap(), 0.0),
        ];
        println!("{} ({} modes): {differences:.1?}", body.name, model.omega.len());
        let inertia = |i: &Invariants| Mat::from_fn(3, 3, |a, b| i.inertia[a][b]);
        assert!(apart(&inertia(old), &inertia(new), 0.0) < 1e-15);
        assert!(differences.iter().all(|&d| d < 1e-11), "{}: {differences:?}", body.name);
        // Points keep their numbers, places and modes.
        let boundary = &imported.reduced.boundary;
        for (i, point) in model.boundary.points.iter().enumerate() {
            let Ok(j) = boundary.points.binary_search(point) else {
                assert!(matches!(body.geometry, Geometry::Nurbs(_)), "point {point}");
                continue;
            };
            if matches!(body.geometry, Geometry::Mesh(_)) {
                // The functions of a face give the places of its nodes to rounding.
                let reach = model.boundary.values.norm_max();
                for (a, k) in (0..3 * model.omega.len()).map(|m| (m % 3, m / 3)) {
                    let (x, y) = (model.boundary.values[(3 * i + a, k)], boundary.values[(3 * j + a, k)]);
                    assert!((x - y).abs() < 1e-12 * reach, "{x} {y}");
                }
            }
        }
    }
}

/// Sums over points of the body: mass, place in the body frame, modes there.
fn for_points(body: &Body, model: &ReducedBody, mut visit: impl FnMut(f64, Vector3<f64>, &[Vector3<f64>])) {
    let discretisation = Discretisation::new(body).unwrap();
    let fields = model.fields.as_ref().unwrap().modes().unwrap();
    assert_eq!(fields.points.len(), discretisation.n_points());
    let mut evaluator = CellEvaluator::new(&discretisation);
    let mut modes = vec![Vector3::zeros(); model.omega.len()];
    let com = Vector3::from(model.com);
    for cell in discretisation.cells().collect::<Vec<_>>() {
        let block = &discretisation.blocks[cell.block as usize];
        // The rule of the mass matrix: curved cells are integrated alike.
        let rule = match &block.cells {
            Cells::Lagrange { shape, .. } => {
                Quadrature::for_cell(*shape, Integrand::Mass, QuadratureRule::Default)
            }
            Cells::Spline(cells) => Quadrature::cube(
                cells.degrees.map(|p| carom_fem::quadrature::spline_points(p, QuadratureRule::Default)),
            ),
        };
        evaluator.enter(cell);
        for (xi, weight) in rule.points.iter().zip(&rule.weights) {
            let point = evaluator.at(*xi);
            let mass = weight * point.det * discretisation.materials[block.material].density;
            for (k, mode) in modes.iter_mut().enumerate() {
                *mode = evaluator
                    .ids()
                    .iter()
                    .zip(evaluator.values())
                    .map(|(&id, r)| *r * Vector3::from_fn(|a, _| fields.values[(3 * id as usize + a, k)]))
                    .sum();
            }
            visit(mass, Vector3::from(point.position) - com, &modes);
        }
    }
}

#[test]
fn the_blocks_are_the_sums_over_points_that_define_them() {
    let tetrahedra = tetrahedra();
    let bodies = [Some((ball(), "pole")), Some((rod(), "end")), tetrahedra.map(|body| (body, "end"))];
    for (body, set) in bodies.into_iter().flatten() {
        let model = reduced(&body, set, 8);
        let n = 7;
        let (sid, _) = sid_of(&model, SidNodes::Sets, Some(n), &Silent).unwrap();
        let sid = through_a_file(&sid);
        let til = |v: Vector3<f64>| v.cross_matrix();
        let mut mass = 0.0;
        let (mut moment, mut inertia) = (Vector3::zeros(), Matrix3::zeros());
        let mut ct = vec![Vector3::zeros(); n];
        let mut cr = vec![Vector3::zeros(); n];
        let mut gr = vec![Matrix3::zeros(); n];
        let mut ge = vec![vec![Vector3::zeros(); n]; n];
        let mut oe1 = vec![vec![Matrix3::zeros(); n]; n];
        let mut me = Mat::<f64>::zeros(n, n);
        for_points(&body, &model, |m, r, phi| {
            mass += m;
            moment += m * r;
            inertia -= m * til(r) * til(r);
            for k in 0..n {
                ct[k] += m * phi[k];
                cr[k] += m * r.cross(&phi[k]);
                gr[k] -= 2.0 * m * til(r) * til(phi[k]);
                for i in 0..n {
                    // Coriolis force on mode i of the rate of mode k, on the left-hand side: 2 ∫ φ_iᵀ ω̃ φ_k
                    // dm.
                    ge[i][k] += 2.0 * m * phi[k].cross(&phi[i]);
                    oe1[i][k] += m * til(phi[k]) * til(phi[i]);
                    me[(i, k)] += m * phi[i].dot(&phi[k]);
                }
            }
        });
        let (t, r) = (mass.sqrt(), inertia.norm().sqrt());
        let close = |found: f64, expected: f64, scale: f64, what: &str| {
            let error = (found - expected).abs() / scale;
            assert!(error < 1e-9, "{}, {what}: {found:e} for {expected:e}", body.name);
        };
        close(sid.mass, mass, mass, "mass");
        let rows = [(0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)];
        let columns = [(0, 0), (1, 1), (2, 2), (0, 1), (1, 2), (0, 2)];
        for (row, (a, b)) in rows.into_iter().enumerate() {
            close(sid.inertia.constant[(row, 0)], inertia[(a, b)], r * r, "J");
            for k in 0..n {
                let symmetric = 0.5 * (gr[k][(a, b)] + gr[k][(b, a)]);
                close(sid.inertia.slope(k, row, 0), symmetric, r, "slope of J");
            }
        }
        for k in 0..n {
            for a in 0..3 {
                close(sid.md_cm.constant[(a, 0)], moment[a], r * t, "mdCM");
                close(sid.md_cm.slope(k, a, 0), ct[k][a], t, "slope of mdCM");
                close(sid.coupling_t.constant[(k, a)], ct[k][a], t, "Ct");
                close(sid.coupling_r.constant[(k, a)], cr[k][a], r, "Cr");
                for b in 0..3 {
                    close(sid.gyroscopic_r.constant[(a, b * n + k)], gr[k][(a, b)], r, "Gr");
                }
            }
            for i in 0..n {
                close(sid.mass_modal.constant[(i, k)], me[(i, k)], 1.0, "Me");
                for a in 0..3 {
                    close(sid.gyroscopic_e.constant[(i, a * n + k)], ge[i][k][a], 1.0, "Ge");
                }
                for (column, (a, b)) in columns.into_iter().enumerate() {
                    // −ωᵀ (∫ −φ̃_k φ̃_i dm) ω q_k: centrifugal force on mode i of a mass that has moved.
                    let product =
                        if a == b { oe1[i][k][(a, a)] } else { oe1[i][k][(a, b)] + oe1[i][k][(b, a)] };
                    close(sid.centrifugal.slope(k, i, column), product, 1.0, "slope of Oe");
                }
            }
        }
        for i in 0..n {
            for (column, (a, b)) in columns.into_iter().enumerate() {
                let product =
                    if a == b { gr[i][(a, a)] / 2.0 } else { (gr[i][(a, b)] + gr[i][(b, a)]) / 2.0 };
                close(sid.centrifugal.constant[(i, column)], -product, r, "Oe");
            }
        }
    }
}

/// A model whose modes are motions that are linear in the place: u = H (R − R₀).
fn with_linear_modes(body: &Body, set: &str, gradients: &[Matrix3<f64>]) -> ReducedBody {
    let mut model = reduced(body, set, 8);
    let n = model.omega.len();
    let linear = |modes: &Modes| {
        let places = &modes.positions_b;
        let values = Mat::from_fn(3 * places.len(), n, |row, k| {
            let gradient = gradients.get(k).copied().unwrap_or_else(Matrix3::zeros);
            (gradient * Vector3::from(places[row / 3]))[row % 3]
        });
        Modes { values, ..modes.clone() }
    };
    model.boundary = linear(&model.boundary);
    model.fields = model.fields.map(|fields| linear(fields.modes().unwrap()).into());
    model
}

#[test]
fn rotations_of_nodes_agree_with_the_motion_of_the_body() {
    let turn = Vector3::new(0.3, -0.2, 0.5).cross_matrix();
    let stretch = Matrix3::from_diagonal(&Vector3::new(1.0, -0.3, -0.3));
    let tetrahedra = tetrahedra();
    let bodies = [Some((ball(), "pole")), Some((rod(), "end")), tetrahedra.map(|body| (body, "end"))];
    for (body, set) in bodies.into_iter().flatten() {
        let model = with_linear_modes(&body, set, &[turn, stretch]);
        let (sid, kinds) = sid_of(&model, SidNodes::Interface, None, &Silent).unwrap();
        assert_eq!(kinds.len(), sid.nodes.len());
        assert_eq!(kinds.last().unwrap().1, NodeKind::Set(set.to_owned()));
        assert!(kinds.iter().map(|kind| kind.0).collect::<Vec<_>>().is_sorted_by(|a, b| a < b));
        for node in &sid.nodes {
            let place = Vector3::from_fn(|a, _| node.origin.constant[(a, 0)]);
            let expected = turn * place;
            for a in 0..3 {
                // In a rigid rotation all nodes rotate alike, also points and means.
                let psi = [0.3, -0.2, 0.5][a];
                assert!((node.psi.constant[(a, 0)] - psi).abs() < 1e-9, "{}, node {}", body.name, node.id);
                assert!(
                    (node.phi.constant[(a, 0)] - expected[a]).abs() < 1e-12,
                    "{}, node {}",
                    body.name,
                    node.id
                );
            }
        }
        // The end of a rod in tension and the pole of the ball on the axis do not rotate.
        let end = sid.nodes.last().unwrap();
        if set == "end" {
            assert!((0..3).all(|a| end.psi.constant[(a, 1)].abs() < 1e-6), "{:?}", end.psi.constant);
        }
    }
}

#[test]
fn an_export_keeps_the_requested_number_of_modes() {
    let model = reduced(&rod(), "end", 6);
    let (sid, _) = sid_of(&model, SidNodes::Sets, Some(3), &Silent).unwrap();
    assert_eq!((sid.n_modes(), sid.nodes.len()), (3, 1));
    for wrong in [0, model.omega.len() + 1] {
        let text = sid_of(&model, SidNodes::Sets, Some(wrong), &Silent).unwrap_err().to_string();
        assert!(text.contains(&format!("{wrong} modes are requested")), "{text}");
    }
    let (all, kinds) = sid_of(&model, SidNodes::Fields, None, &Silent).unwrap();
    let (some, _) = sid_of(&model, SidNodes::Interface, None, &Silent).unwrap();
    // Control points are not points of the body.
    assert!(kinds.iter().all(|(_, kind)| !matches!(kind, NodeKind::Point(_))));
    assert_eq!(all.nodes.len(), some.nodes.len());
}

/// The error of reading a text.
fn refused(text: &str) -> ReadSidError {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("damaged.SID_FEM");
    std::fs::write(&path, text).unwrap();
    read_sid(&path, &Silent).unwrap_err()
}

/// The text of a small export, and the number of the first line that is not blank.
fn small_text() -> String {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("small.SID_FEM");
    let (sid, _) = sid_of(&reduced(&rod(), "end", 6), SidNodes::Sets, Some(2), &Silent).unwrap();
    write_sid(&path, &sid, &Silent).unwrap();
    std::fs::read_to_string(&path).unwrap()
}

/// A progress observer that requests a stop at the first query.
struct Impatient;

impl Progress for Impatient {
    fn begin(&self, _: &str, _: u64) {}
    fn set(&self, _: u64) {}
    fn note(&self, _: &str) {}
    fn end(&self) {}
    fn interrupted(&self) -> bool {
        true
    }
}

#[test]
fn reading_a_long_file_can_be_stopped() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("long.SID_FEM");
    let text = small_text();
    let (head, rest) = text.split_once("new node").unwrap();
    std::fs::write(&path, format!("{head}{}new node{rest}", "\n \n".repeat(5000))).unwrap();
    assert!(read_sid(&path, &Silent).is_ok());
    assert!(matches!(read_sid(&path, &Impatient), Err(ReadSidError::Interrupted { .. })));
}

#[test]
fn damaged_files_are_refused_with_their_line() {
    let text = small_text();
    let line_of = |what: &str| text.lines().position(|line| line.contains(what)).unwrap() + 1;
    let changed = |line: usize, to: &str| {
        let lines: Vec<&str> =
            text.lines().enumerate().map(|(i, l)| if i + 1 == line { to } else { l }).collect();
        refused(&lines.join("\n")).to_string()
    };
    let line = line_of("mass  ");
    assert!(changed(line, "mass = heavy").contains(&format!("`:{line}: expected a number")));
    assert!(changed(line, "mass = -1.0D+00").contains("a mass above 0"));
    let line = line_of("nelastq");
    assert!(changed(line, "nelastq = 3").contains("one for each of 3 modes"));
    assert!(changed(line, "nelastq = 0").contains("from 1 to 2000"));
    assert!(changed(1, "9 2 :No. nodes, No. modes:").contains("expected 9 nodes"));
    let line = line_of("end node");
    assert!(changed(line, "mystery = 1").contains("damaged.SID_FEM"));
    let line = line_of("     J");
    let message = changed(line + 2, "nrow = 7");
    assert!(message.contains("6 rows and 1 columns of `J`"), "{message}");
    assert!(changed(line + 5, "nqn = 1").contains("second order"));
    let message = changed(line + 7, "m0( 9, 1) = 1.0D+00");
    assert!(message.contains(&format!("`:{}: expected an entry of `J`", line + 7)), "{message}");
    assert!(changed(line + 7, "m0( 1, 1) = NaN").contains("expected a number"));
    // A number that was changed breaks an identity.
    let line = line_of("m1( 1, 1, 1)");
    let message = changed(line, "m1( 1, 1, 1) = 0.123D+00");
    assert!(message.contains("node") && message.contains("`origin` and `phi`"), "{message}");
    assert!(message.contains("a number was changed or lost"), "{message}");
    // The error of a truncated file names the place for every length.
    for kept in (0..text.len() - 4).step_by(997) {
        let error = refused(&text[..kept]);
        assert!(error.to_string().contains("damaged.SID_FEM`"), "{error}");
    }
    let missing = read_sid(Path::new("/nowhere/a.SID_FEM"), &Silent).unwrap_err();
    assert!(missing.is_io(), "{missing}");
}

#[test]
fn a_file_with_rigid_modes_is_refused() {
    let model = reduced(&rod(), "end", 6);
    let (mut sid, _) = sid_of(&model, SidNodes::Sets, Some(2), &Silent).unwrap();
    sid.stiffness_modal.constant[(0, 0)] = 0.0;
    let error = reduced_of(&sid, "rod").unwrap_err();
    assert!(matches!(error, SidImportError::Stiffness { mode: 1, .. }), "{error}");
    sid.stiffness_modal.constant[(0, 0)] = 1.0;
    sid.nodes[0].id = 0;
    let text = reduced_of(&sid, "rod").unwrap_err().to_string();
    assert!(text.contains("numbers from 1"), "{text}");
}

#[test]
fn coupled_modes_are_uncoupled() {
    let model = reduced(&rod(), "end", 6);
    let (sid, _) = sid_of(&model, SidNodes::Sets, Some(3), &Silent).unwrap();
    let straight = reduced_of(&sid, "rod").unwrap().reduced;
    // The same modes, mixed: Φ' = Φ T.
    let t = Mat::from_fn(3, 3, |i, j| [[2.0, 0.5, 0.0], [-1.0, 3.0, 0.2], [0.0, 0.4, 0.7]][i][j]);
    let mut mixed = sid.clone();
    let congruent = |m: &Mat<f64>| t.transpose() * m * &t;
    let over_modes = |slopes: &[Mat<f64>]| -> Vec<Mat<f64>> {
        (0..3)
            .map(|k| {
                let mut sum = Mat::zeros(slopes[0].nrows(), slopes[0].ncols());
                (0..3).for_each(|j| sum += faer::Scale(t[(j, k)]) * &slopes[j]);
                sum
            })
            .collect()
    };
    mixed.mass_modal.constant = congruent(&sid.mass_modal.constant);
    mixed.stiffness_modal.constant = congruent(&sid.stiffness_modal.constant);
    mixed.inertia.linear = over_modes(&sid.inertia.linear);
    mixed.coupling_t.constant = t.transpose() * &sid.coupling_t.constant;
    mixed.coupling_r.constant = t.transpose() * &sid.coupling_r.constant;
    mixed.centrifugal.constant = t.transpose() * &sid.centrifugal.constant;
    for (to, from) in [
        (&mut mixed.coupling_r.linear, &sid.coupling_r.linear),
        (&mut mixed.centrifugal.linear, &sid.centrifugal.linear),
    ] {
        *to = over_modes(&from.iter().map(|slope| t.transpose() * slope).collect::<Vec<_>>());
    }
    for node in &mut mixed.nodes {
        node.phi.constant = &node.phi.constant * &t;
    }
    let again = reduced_of(&mixed, "rod").unwrap();
    assert!(again.notes.iter().any(|note| note.contains("coupled")), "{:?}", again.notes);
    let again = again.reduced;
    for k in 0..3 {
        assert!((again.omega[k] / straight.omega[k] - 1.0).abs() < 1e-10);
        // Modes are known up to their signs.
        let sign = (0..3)
            .map(|a| again.boundary.values[(a, k)] * straight.boundary.values[(a, k)])
            .sum::<f64>()
            .signum();
        for a in 0..3 {
            let (x, y) = (sign * again.boundary.values[(a, k)], straight.boundary.values[(a, k)]);
            assert!((x - y).abs() < 1e-8 * straight.boundary.values.norm_max(), "{x} {y}");
        }
        let (i1, i1_again) = (&straight.invariants.inertia_1, &again.invariants.inertia_1);
        for (a, b) in (0..9).map(|i| (i / 3, i % 3)) {
            let (x, y) = (sign * i1_again[(3 * k + a, b)], i1[(3 * k + a, b)]);
            assert!((x - y).abs() < 1e-8 * i1.norm_max(), "{x} {y}");
        }
    }
    assert_consistent(&again.invariants);
}

/// The geometric stiffness by the angular velocity is in the slopes of Oe, as a part of the inertia, and
/// comes back.
#[test]
fn the_geometric_stiffness_of_a_model_is_written() {
    let mut model = reduced(&rod(), "end", 6);
    let n = model.omega.len();
    let k = |seed: f64| Mat::from_fn(2, 2, |i, j| seed + 0.1 * (i + j) as f64);
    let stiffening = Stiffening {
        basis: Mat::from_fn(n, 2, |i, j| if i == j { 1.0 } else { 0.0 }),
        products: (0..6).map(|pair| k(f64::from(pair))).collect(),
        weight: Vec::new(),
        markers: Vec::new(),
        turning: Vec::new(),
        boundary: None,
    };
    let plain = model.clone();
    model.stiffening = Some(stiffening);
    let models = [&plain, &model].map(|model| {
        let (sid, _) = sid_of(model, SidNodes::Sets, Some(3), &Silent).unwrap();
        reduced_of(&sid, "rod").unwrap()
    });
    let [without, with] = models.each_ref().map(|found| found.reduced.invariants.inertia_2.all().unwrap());
    let expected = model.stiffening.as_ref().unwrap().of_inertia(3);
    let difference = with - without;
    assert!((&difference - &expected).norm_max() < 1e-12 * expected.norm_max(), "{difference:?}");
    let tells = |found: &Imported| {
        found.notes.iter().any(|note| note.contains("is taken as the geometric stiffness of centrifugal"))
    };
    assert!(!tells(&models[0]) && tells(&models[1]), "{:?}", models[1].notes);
}

/// The geometric stiffness by forces and moments on an attachment is in the slopes of phi and psi of its
/// node.
#[test]
fn the_geometric_stiffness_by_forces_is_written_with_their_node() {
    let (model, _) = crate::problems::model();
    let n = model.omega.len();
    let (sid, kinds) = sid_of(&model, SidNodes::Sets, None, &Silent).unwrap();
    let number = kinds.iter().position(|(_, kind)| *kind == NodeKind::Set("hub".to_owned())).unwrap();
    let stiffening = model.stiffening.as_ref().unwrap();
    for (load, a) in (0..6).zip([0, 1, 2, 0, 1, 2]) {
        let of = if load < 3 { &sid.nodes[number].phi } else { &sid.nodes[number].psi };
        let k = stiffening.of_marker(0, load, n);
        for (i, j) in (0..n).flat_map(|i| (0..n).map(move |j| (i, j))) {
            assert_eq!(of.linear[i][(a, j)], -k[(i, j)], "load {load}");
        }
    }
}
