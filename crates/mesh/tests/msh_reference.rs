//! Meshes written by Gmsh, compared with the figures of other codes in `reference.json`.

use std::time::Instant;

use carom_mesh::msh::{self, Note};
use carom_mesh::quality::{self, ScaledJacobian};
use carom_mesh::{CellShape, Set};
use carom_testing::{json_file, shared_data};

#[test]
fn meshes_have_the_counts_sets_and_volume_of_their_reference() {
    let Some(meshes) = shared_data("meshes") else { return };
    let reference = json_file(&meshes.join("reference.json"));
    let reference = reference.as_object().unwrap();
    assert!(reference.len() >= 15);
    for (file, expected) in reference.iter().filter(|(file, _)| file.ends_with(".msh")) {
        let (mesh, notes) = msh::read(&meshes.join(file)).unwrap();
        // The rod is a solid of revolution; the file still contains its profile, whose elements are not part
        // of the surface.
        let printed = if file == "rod_hemi_tet10.msh" {
            vec![
                Note::UnusedNodes { count: 192 },
                Note::LooseSurface { name: "tip".into(), count: 96, all: false },
            ]
        } else {
            vec![]
        };
        assert_eq!(notes, printed, "{file}");
        assert_eq!(mesh.used_nodes().len() as u64, expected["nodes"].as_u64().unwrap(), "{file}: nodes");
        let kind = expected["element"].as_str().unwrap();
        assert_eq!(
            mesh.cell_counts().into_iter().collect::<Vec<_>>(),
            [(kind, expected["elements"].as_u64().unwrap() as usize)],
            "{file}"
        );
        assert_eq!(mesh.set("body").unwrap().len(), mesh.n_cells(), "{file}");
        for (group, n_nodes) in expected["surface_groups"].as_object().unwrap() {
            assert!(matches!(mesh.set(group).unwrap(), Set::Faces(_)), "{file}: {group}");
            let as_nodes = format!("{group}.nodes");
            let nodes = mesh.nodes_of_set(&as_nodes).or_else(|_| mesh.nodes_of_set(group)).unwrap();
            assert_eq!(nodes.len() as u64, n_nodes.as_u64().unwrap(), "{file}: nodes of {group}");
        }
        let (volume, wanted) = (mesh.volume(), expected["volume"].as_f64().unwrap());
        // Both integrate the same polynomials exactly; a wrong node order changes the third digit.
        assert!((volume / wanted - 1.0).abs() < 1e-12, "{file}: volume {volume} instead of {wanted}");
        let quality = quality::assess(&mesh);
        assert!(quality.is_watertight() && quality.parts == 1, "{file}: {quality:?}");
        assert_eq!(quality.inverted, [], "{file}");
        // Two curved tetrahedra of the crankshaft are folded at a node, but not at quadrature
        // points.
        let folded = if file == "crankshaft_tet10.msh" { 2 } else { 0 };
        assert_eq!(quality.folded.len(), folded, "{file}: {}", quality.min_scaled_jacobian);
    }
}

#[test]
fn scaled_jacobians_of_linear_cells_agree_with_vtk() {
    let Some(meshes) = shared_data("meshes") else { return };
    // ParaView's filter Mesh Quality, measure Scaled Jacobian: smallest and mean value.
    let of_vtk = [
        ("conrod_tet4.msh", 0.17158322054124878, 0.5598427207751024),
        ("gear_hex8.msh", 0.5747938883265081, 0.8510999318984088),
    ];
    for (file, smallest, mean) in of_vtk {
        let (mesh, _) = msh::read(&meshes.join(file)).unwrap();
        let measure = ScaledJacobian::new(mesh.blocks[0].shape);
        let mut buffer = [[0.0; 3]; CellShape::MAX_NODES];
        let values: Vec<f64> = mesh
            .cells()
            .map(|(_, _, nodes)| measure.of_cell(mesh.coordinates_into(nodes, &mut buffer)))
            .collect();
        let least = values.iter().copied().fold(f64::INFINITY, f64::min);
        let average = values.iter().sum::<f64>() / values.len() as f64;
        // The coordinates were passed to VTK as text of 16 digits.
        assert!((least - smallest).abs() < 1e-12, "{file}: {least} {smallest}");
        assert!((average - mean).abs() < 1e-12, "{file}: {average} {mean}");
    }
}

#[test]
fn a_large_mesh_is_read_fast() {
    let Some(path) = shared_data("meshes/conrod_100k.msh") else { return };
    let start = Instant::now();
    let (mesh, _) = msh::read(&path).unwrap();
    let seconds = start.elapsed().as_secs_f64();
    eprintln!("conrod_100k.msh: {} nodes in {seconds:.3} s", mesh.points.len());
    assert_eq!(3 * mesh.points.len(), 108_066);
    // 20 ms on the machine where it was written; the bound allows for a busy one.
    assert!(seconds < 1.0, "{seconds} s");
}
