//! A body of two materials against the equation of its axial vibrations.

use carom_fem::{Body, Geometry, Material};
use carom_mesh::make::{HexOptions, Solid, hexahedra};
use carom_mesh::{CellShape, Set};
use carom_progress::Silent;
use carom_reduce::{Attachment, AttachmentKind, CraigBamptonOptions, FixedModes, craig_bampton};

/// A bar of two halves, fixed at one end: sin(k₁ x) and cos(k₂ (L − x)) meet where E₁ k₁ cot(k₁ L₁) = E₂ k₂
/// tan(k₂ L₂).
#[test]
fn the_axial_frequencies_of_a_bar_of_two_materials_satisfy_their_equation() {
    let (half, b) = (0.1, 0.004);
    let materials = [("steel", 7800.0, 210e9), ("light", 1800.0, 45e9)]
        .map(|(name, rho, e)| Material::new(name, rho, e, 0.0).unwrap());
    let options = HexOptions { shape: CellShape::Hex20, elements: vec![24, 1, 1], ..HexOptions::default() };
    let mut mesh = hexahedra(Solid::Box { size: [2.0 * half, b, b] }, &options).unwrap();
    // Cells are selected by their centres; sets are given by nodes, since faces would be renumbered.
    let of_nodes = |x: f64| {
        let at = |p: &[f64; 3]| (p[0] - x).abs() < 1e-9;
        Set::Nodes((0..mesh.points.len() as u32).filter(|&i| at(&mesh.points[i as usize])).collect())
    };
    let (west, east) = (of_nodes(0.0), of_nodes(2.0 * half));
    let block = mesh.blocks.remove(0);
    let n = block.shape.n_nodes();
    let mut parts = [block.clone(), block.clone()];
    parts.iter_mut().for_each(|part| part.connectivity.clear());
    for cell in block.connectivity.chunks(n) {
        let middle = cell.iter().map(|&i| mesh.points[i as usize][0]).sum::<f64>() / n as f64;
        parts[usize::from(middle > half)].connectivity.extend(cell);
    }
    mesh.blocks = parts.to_vec();
    mesh.sets = [("west".to_owned(), west), ("east".to_owned(), east)].into();
    let body = Body {
        name: "bar".to_owned(),
        geometry: Geometry::Mesh(mesh),
        material_of_block: vec![0, 1],
        materials: materials.to_vec(),
        sections: Vec::new(),
    };
    let options = CraigBamptonOptions {
        attachments: vec![Attachment { set: "east".to_owned(), kind: AttachmentKind::Mean, at: None }],
        held: vec!["west".to_owned()],
        modes: FixedModes::Count(150),
        ..CraigBamptonOptions::default()
    };
    let reduced = craig_bampton(&body, &options, &Silent).unwrap().reduced;
    let mass = b * b * half * (7800.0 + 1800.0);
    assert!((reduced.invariants.mass / mass - 1.0).abs() < 1e-12);
    let equation = |omega: f64| {
        let [k1, k2] = [0, 1].map(|i| omega * (materials[i].density / materials[i].young).sqrt() * half);
        // Multiplied by sin k₁ cos k₂, without poles.
        materials[0].young * k1 * k1.cos() * k2.cos() - materials[1].young * k2 * k2.sin() * k1.sin()
    };
    // Axial modes move the marker along x alone.
    let marker = &reduced.markers[0].translation;
    let axial: Vec<f64> = (0..reduced.omega.len())
        .filter(|&k| marker[(0, k)].abs() > 10.0 * marker[(1, k)].abs().max(marker[(2, k)].abs()))
        .map(|k| reduced.omega[k])
        .take(3)
        .collect();
    assert_eq!(axial.len(), 3);
    for omega in axial {
        let slope = (equation(1.001 * omega) - equation(0.999 * omega)) / 0.002;
        let error = equation(omega) / slope;
        println!("{:.2} Hz, relative error {error:.1e}", omega / std::f64::consts::TAU);
        assert!(error.abs() < 1e-4, "{omega}: {error:e}");
    }
}
