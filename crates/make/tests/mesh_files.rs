//! Every mesh file of the reference data, of every format, gives the body that other codes measured.

use std::path::Path;

use carom_fem::{Body, Discretisation, MassProperties, Material, QuadratureRule, assemble, inspect};
use carom_make::{ImportOptions, import};
use carom_progress::Silent;
use carom_testing::{json_file, numbers, shared_data};
use serde_json::Value;

fn body(path: &Path) -> Body {
    let steel = Material::named("steel").unwrap();
    import(path, &ImportOptions::default(), steel).unwrap_or_else(|error| panic!("{error}")).body
}

/// A mesh file, the entry of `reference.json` that says its values, the .msh file of the same mesh if it is another, and the
/// relative accuracy of its numbers.
type File = (String, Value, Option<String>, f64);

fn largest(numbers: &[f64]) -> f64 {
    numbers.iter().fold(0.0, |m, x| m.max(x.abs()))
}

/// Mesh files beside `reference.json`.
fn files(folder: &Path) -> Vec<File> {
    let reference = json_file(&folder.join("reference.json"));
    let mut files = Vec::new();
    for (name, expected) in reference.as_object().unwrap() {
        files.push((name.clone(), expected.clone(), None, 1e-12));
        for ending in ["inp", "vtu"] {
            let twin = name.replace(".msh", &format!(".{ending}"));
            if folder.join(&twin).exists() {
                // gear_hex8.vtu is text of 12 digits, the .inp files have 14.
                let accuracy = if twin == "gear_hex8.vtu" { 1e-11 } else { 1e-12 };
                files.push((twin, expected.clone(), Some(name.clone()), accuracy));
            }
        }
    }
    files
}

#[test]
fn every_file_has_the_volume_mass_centre_and_inertia_of_its_reference() {
    let Some(folder) = shared_data("meshes") else { return };
    let files = files(&folder);
    assert!(files.len() >= 20);
    for (name, expected, twin, accuracy) in files {
        let body = body(&folder.join(&name));
        let found = inspect(&body).unwrap();
        let number = |key: &str| expected[key].as_f64().unwrap();
        assert_eq!(found.nodes as u64, expected["nodes"].as_u64().unwrap(), "{name}");
        let kind = expected["element"].as_str().unwrap();
        assert_eq!(found.elements[kind] as u64, expected["elements"].as_u64().unwrap(), "{name}");
        let p = &found.properties;
        assert!((p.volume / number("volume") - 1.0).abs() < accuracy, "{name}: {}", p.volume);
        assert!((p.mass / number("mass") - 1.0).abs() < accuracy, "{name}: {}", p.mass);
        // The reference integrates moments of curved cells by a rule that is not exact for them: 1e-9. Twins below agree fully.
        let size = number("volume").cbrt();
        for (c, expected) in p.center_of_mass.iter().zip(numbers(&expected["center_of_mass"])) {
            assert!((c - expected).abs() < 1e-9 * size, "{name}: {c} {expected}");
        }
        let rows = expected["inertia_about_com"].as_array().unwrap();
        let inertia: Vec<f64> = rows.iter().flat_map(numbers).collect();
        let scale = largest(&inertia);
        for (i, expected) in p.inertia.iter().flatten().zip(inertia) {
            assert!((i - expected).abs() < 1e-9 * scale, "{name}: {i} {expected}");
        }
        if let Some(twin) = &twin {
            let of_twin = inspect(&self::body(&folder.join(twin))).unwrap();
            let moments = |p: &MassProperties| {
                let [x, y, z] = p.center_of_mass.map(|c| c / size);
                let inertia = p.inertia.as_flattened().iter().map(|i| i / scale);
                [x, y, z, p.mass / number("mass"), p.volume / number("volume")]
                    .into_iter()
                    .chain(inertia)
                    .collect::<Vec<f64>>()
            };
            for (a, b) in moments(p).iter().zip(moments(&of_twin.properties)) {
                assert!((a - b).abs() < accuracy, "{name}: {a} {b}");
            }
            assert!((found.surface_area / of_twin.surface_area - 1.0).abs() < accuracy, "{name}");
            assert!(
                (found.min_scaled_jacobian - of_twin.min_scaled_jacobian).abs() < 10.0 * accuracy,
                "{name}"
            );
        }
        // The .vtu files of the reference data have no groups.
        for (group, n_nodes) in expected["surface_groups"].as_object().unwrap() {
            let carom_fem::Geometry::Mesh(mesh) = &body.geometry else { panic!("{name} is a mesh") };
            let as_nodes = format!("{group}.nodes");
            match mesh.nodes_of_set(&as_nodes).or_else(|_| mesh.nodes_of_set(group)) {
                Ok(nodes) => assert_eq!(nodes.len() as u64, n_nodes.as_u64().unwrap(), "{name}: {group}"),
                Err(_) => assert!(name.ends_with(".vtu"), "{name}: {group}"),
            }
        }
    }
}

#[test]
fn stiffness_and_mass_of_twins_are_the_same() {
    let Some(folder) = shared_data("meshes") else { return };
    let traces = |name: &str| {
        let body = body(&folder.join(name));
        let discretisation = Discretisation::new(&body).unwrap();
        let system = assemble(&discretisation, QuadratureRule::Default, &Silent).unwrap();
        (system.stiffness.trace(), system.mass.trace())
    };
    for (name, twins, accuracy) in [
        ("conrod_tet10", &["conrod_tet10.inp", "conrod_tet10_v22.msh"][..], 1e-11),
        ("sphere_hex20", &["sphere_hex20.inp", "sphere_hex20.vtu"], 1e-11),
        ("bracket_tet10", &["bracket_tet10.vtu"], 1e-14),
        ("gear_hex8", &["gear_hex8.vtu"], 1e-10),
    ] {
        let (stiffness, mass) = traces(&format!("{name}.msh"));
        for twin in twins {
            let (k, m) = traces(twin);
            assert!((k / stiffness - 1.0).abs() < accuracy, "{twin}: {:e}", k / stiffness - 1.0);
            assert!((m / mass - 1.0).abs() < accuracy, "{twin}: {:e}", m / mass - 1.0);
        }
    }
}
