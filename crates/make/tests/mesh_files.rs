//! Every mesh file of the reference data, in every format, has the mass properties that other codes compute.

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

/// A mesh file, its entry in `reference.json`, another .msh file of the same mesh if there is one, and the
/// relative accuracy of its numbers.
type File = (String, Value, Option<String>, f64);

fn largest(numbers: &[f64]) -> f64 {
    numbers.iter().fold(0.0, |m, x| m.max(x.abs()))
}

/// Mesh files in the folder of `reference.json`.
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
        // The reference integrates moments of curved cells by a rule that is not exact for them: 1e-9. Twins
        // below agree fully.
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
fn stiffness_and_mass_of_one_mesh_in_two_formats_agree() {
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

/// A unit cube of one hexahedron with a material, everything in the given units.
fn deck(length: f64, density: f64, young: f64) -> String {
    let mut text = "*NODE\n".to_owned();
    for (i, [x, y, z]) in CORNERS.iter().enumerate() {
        let [x, y, z] = [x, y, z].map(|x| length * x);
        text.push_str(&format!("{}, {x}, {y}, {z}\n", i + 1));
    }
    text.push_str(
        "*ELEMENT, TYPE=C3D8, ELSET=E\n1, 1, 2, 3, 4, 5, 6, 7, 8\n*SOLID SECTION, ELSET=E, \
        MATERIAL=M\n*MATERIAL, NAME=M\n",
    );
    text.push_str(&format!("*DENSITY\n{density:e}\n*ELASTIC\n{young:e}, 0.3\n"));
    text
}

const CORNERS: [[f64; 3]; 8] = [
    [0.0, 0.0, 0.0],
    [1.0, 0.0, 0.0],
    [1.0, 1.0, 0.0],
    [0.0, 1.0, 0.0],
    [0.0, 0.0, 1.0],
    [1.0, 0.0, 1.0],
    [1.0, 1.0, 1.0],
    [0.0, 1.0, 1.0],
];

fn import_deck(text: &str, options: &ImportOptions) -> Result<carom_make::Imported, carom_make::ImportError> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("part.inp");
    std::fs::write(&path, text).unwrap();
    import(&path, options, Material::named("glass").unwrap())
}

#[test]
fn a_deck_with_given_units_gives_the_same_body_in_si() {
    for (units, length, density, young) in [
        ("m-kg-s", 1.0, 7800.0, 210e9),
        ("mm-t-s", 1e3, 7.8e-9, 210e3),
        ("mm-kg-ms", 1e3, 7.8e-6, 210.0),
        ("cm-g-us", 1e2, 7.8, 2.1),
    ] {
        let options = ImportOptions {
            units: Some(units.parse().unwrap()),
            materials_of_file: true,
            ..ImportOptions::default()
        };
        let imported = import_deck(&deck(length, density, young), &options).unwrap();
        let found = inspect(&imported.body).unwrap();
        assert!((found.properties.mass / 7800.0 - 1.0).abs() < 1e-12, "{units}: {}", found.properties.mass);
        assert!((imported.body.materials[0].young / 210e9 - 1.0).abs() < 1e-12, "{units}");
        assert!(
            imported.has_own_materials
                && carom_fem::plausible::of_body(&imported.body, true).unwrap().is_empty()
        );
    }
    let both = ImportOptions {
        units: Some("mm-t-s".parse().unwrap()),
        scale: Some(1e-3),
        ..ImportOptions::default()
    };
    assert!(import_deck(&deck(1e3, 1.0, 1.0), &both).unwrap_err().to_string().contains("give one of them"));
}

#[test]
fn a_deck_in_millimetres_read_as_si_is_implausible_and_its_units_are_guessed() {
    let options = ImportOptions { materials_of_file: true, ..ImportOptions::default() };
    let body = import_deck(&deck(1e3, 7.8e-9, 210e3), &options).unwrap().body;
    let printed: Vec<String> =
        carom_fem::plausible::of_body(&body, true).unwrap().iter().map(ToString::to_string).collect();
    for what in ["the density is 7.8e-9 kg/m³", "the speed of sound", "the largest extent is 1000 m"] {
        assert!(
            printed.iter().any(|text| text.contains(what) && text.contains("mm-t-s")),
            "{what}: {printed:#?}"
        );
    }
}

#[test]
fn slivers_are_reported() {
    // Two tetrahedra on a triangle, one of them nearly flat.
    let text = "*NODE\n1, 0., 0., 0.\n2, 1., 0., 0.\n3, 0., 1., 0.\n4, 0., 0., 1.\n5, 0.3, 0.3, -3e-5\n\
                *ELEMENT, TYPE=C3D4\n1, 1, 2, 3, 4\n2, 1, 3, 2, 5\n";
    let notes = import_deck(text, &ImportOptions::default()).unwrap().notes;
    assert!(notes.iter().any(|note| note.starts_with("1 of 2 cells are slivers")), "{notes:?}");
    let found = inspect(&import_deck(text, &ImportOptions::default()).unwrap().body).unwrap();
    assert_eq!(found.soundness.slivers, 1);
    assert!(found.findings.iter().any(|finding| finding.contains("slivers")), "{:?}", found.findings);
}

/// A square of two triangles in the group `skin`, without volume elements.
const SURFACE: &str = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n\
    $PhysicalNames\n1\n2 1 \"skin\"\n$EndPhysicalNames\n\
    $Nodes\n4\n1 0 0 0\n2 2 0 0\n3 2 1 0\n4 0 1 0\n$EndNodes\n\
    $Elements\n2\n1 2 2 1 1 1 2 3\n2 2 2 1 1 1 3 4\n$EndElements\n";

#[test]
fn surfaces_of_a_mesh_file_with_a_thickness_are_shells() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sheet.msh");
    std::fs::write(&path, SURFACE).unwrap();
    let steel = || carom_fem::Material::named("steel").unwrap();
    let wanted = |thickness| ImportOptions { scale: Some(0.5), thickness, ..ImportOptions::default() };
    let body = carom_make::import(&path, &wanted(Some(0.01)), steel()).unwrap().body;
    let found = inspect(&body).unwrap();
    // 1 m × 0.5 m × 10 mm.
    assert!((found.properties.mass / (7800.0 * 0.005) - 1.0).abs() < 1e-14, "{}", found.properties.mass);
    assert_eq!((found.elements["tri3"], found.dofs), (2, 24));
    assert!(found.findings.is_empty() && found.sets["skin"].count == 2, "{:?}", found.findings);
    let without = carom_make::import(&path, &wanted(None), steel()).unwrap_err().to_string();
    assert!(without.contains("only 2 tri3") && without.contains("`thickness`"), "{without}");
    let impossible = carom_make::import(&path, &wanted(Some(-1.0)), steel()).unwrap_err().to_string();
    assert!(impossible.contains("thickness [m] = -1 is not possible"), "{impossible}");
}
