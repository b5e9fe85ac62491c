//! Frequencies of every reference mesh, free and clamped, computed by other codes.

use crate::bodies::reference_mesh;
use carom_fem::QuadratureRule;
use carom_progress::Silent;
use carom_reduce::{ModalOptions, ModesWanted, SolverChoice, modes};
use carom_testing::{json_file, numbers, shared_data};
use serde_json::Value;

/// Largest relative deviation of the 12 elastic frequencies; rigid modes must be below 1e-5 of the first.
fn deviation(file: &str, fix: &[String], rule: QuadratureRule, expected: &[f64]) -> Option<f64> {
    let body = reference_mesh(file)?;
    let n_rigid = if fix.is_empty() { 6 } else { 0 };
    let wanted = ModesWanted::Count(n_rigid + expected.len());
    let options = ModalOptions { fix: fix.to_vec(), wanted, rule, solver: SolverChoice::default() };
    let analysis = modes(&body, &options, &Silent).unwrap_or_else(|error| panic!("{file}: {error}"));
    let (rigid, elastic) = analysis.hz.split_at(n_rigid);
    assert!(rigid.iter().all(|&hz| hz < 1e-4 * elastic[0]), "{file}: rigid modes {rigid:?}");
    Some(elastic.iter().zip(expected).map(|(a, b)| (a / b - 1.0).abs()).fold(0.0, f64::max))
}

fn check_meshes(skip_large: bool) {
    let Some(path) = shared_data("meshes/reference.json") else { return };
    let reference = json_file(&path);
    let mut failures = Vec::new();
    for (file, mesh) in reference.as_object().unwrap() {
        if skip_large != (mesh["nodes"].as_u64().unwrap() < 5500) {
            continue;
        }
        for case in ["free_free", "clamped"] {
            let data = &mesh[case];
            let Some(hz) = data.get("hz") else { continue };
            let fix: Vec<String> = data["clamped_group"].as_str().map(str::to_owned).into_iter().collect();
            let mut rules = vec![(QuadratureRule::Default, numbers(hz))];
            if let Some(high) = data.get("hz_high_quadrature").filter(|value| !value.is_null()) {
                rules.push((QuadratureRule::High, numbers(high)));
            }
            for (rule, expected) in rules {
                let Some(worst) = deviation(file, &fix, rule, &expected) else { return };
                println!("{file} {case} {rule:?}: {worst:.1e}");
                if worst > 1e-6 {
                    failures.push(format!("{file} {case} {rule:?}: {worst:.1e}"));
                }
            }
        }
    }
    assert!(failures.is_empty(), "off by more than 1e-6: {failures:#?}");
}

#[test]
fn frequencies_of_small_meshes_agree_with_other_codes() {
    check_meshes(true);
}

#[test]
#[ignore = "1 min: the four meshes above 16 000 dofs"]
fn frequencies_of_large_meshes_agree_with_other_codes() {
    check_meshes(false);
}

#[test]
fn modes_of_a_clamped_hollow_sphere_come_in_complete_multiplets() {
    // Its lowest roots have 3, 3 and 5 copies by symmetry; known codes have lost one of them.
    let Some(path) = shared_data("meshes/reference.json") else { return };
    let reference = json_file(&path);
    let Value::String(group) = &reference["hollow_sphere_hex8.msh"]["clamped"]["clamped_group"] else {
        return;
    };
    let Some(body) = reference_mesh("hollow_sphere_hex8.msh") else { return };
    let options = ModalOptions {
        fix: vec![group.clone()],
        wanted: ModesWanted::Count(11),
        rule: QuadratureRule::Default,
        solver: SolverChoice::default(),
    };
    let hz = modes(&body, &options, &Silent).unwrap().hz;
    let spread = |range: std::ops::Range<usize>| hz[range.end - 1] / hz[range.start] - 1.0;
    assert!(spread(0..3) < 1e-3 && spread(3..6) < 1e-3, "{hz:?}");
    assert!(hz[3] > 1.01 * hz[2] && hz[6] > 1.01 * hz[5], "{hz:?}");
}
