//! Shells and beams in .inp files.

use carom_mesh::inp::{self, InpFile};
use carom_mesh::{BeamSection, CellRef, CellShape, FaceRef, Section, Set, ShellSection, quality};

use crate::inp_files::read;

/// A plate of a quadrilateral and a triangle with a beam, and their sections.
const STRUCTURE: &str = "*NODE\n1,0,0,0\n2,1,0,0\n3,1,1,0\n4,0,1,0\n5,2,.5,0\n6,0,0,2\n\
    *ELEMENT, TYPE=S4R, ELSET=wall\n1,1,2,3,4\n*ELEMENT, TYPE=S3, ELSET=wing\n2,2,5,3\n\
    *ELEMENT, TYPE=B31, ELSET=post\n3,1,6\n\
    *SURFACE, NAME=above, TYPE=ELEMENT\nwall, SPOS\n2, SPOS\n\
    *SURFACE, NAME=below, TYPE=ELEMENT\nwall, SNEG\n\
    *SHELL SECTION, ELSET=wall, MATERIAL=M\n0.01, 7\n*SHELL SECTION, ELSET=wing, MATERIAL=M\n0.02\n\
    *BEAM SECTION, ELSET=post, MATERIAL=M, SECTION=RECT\n0.1, 0.2\n0., 1., 0.\n\
    *MATERIAL, NAME=M\n*ELASTIC\n210e9, 0.3\n*DENSITY\n7800\n";

#[test]
fn shells_and_beams_are_cells_of_files_without_solids() {
    let file = read(STRUCTURE).unwrap();
    let shapes: Vec<CellShape> = file.mesh.blocks.iter().map(|block| block.shape).collect();
    assert_eq!(shapes, [CellShape::Quad4, CellShape::Tri3, CellShape::Line2]);
    assert_eq!(file.material_of_block, [Some(0); 3]);
    let shell = |thickness, n_layers| Some(Section::Shell(ShellSection { thickness, n_layers }));
    let post = BeamSection::rectangle([0.1, 0.2], [0.0, 1.0, 0.0]).unwrap();
    assert_eq!(file.section_of_block, [shell(0.01, 7), shell(0.02, 5), Some(Section::Beam(post))]);
    let face = |block, face| FaceRef { block, cell: 0, face };
    assert_eq!(file.mesh.sets["above"], Set::of_faces(vec![face(0, 0), face(1, 0)]));
    assert_eq!(file.mesh.sets["below"], Set::of_faces(vec![face(0, 1)]));
    assert_eq!(file.mesh.sets["post"], Set::of_cells(vec![CellRef { block: 2, cell: 0 }]));
    assert!(file.notes.is_empty(), "{:?}", file.notes);
    let found = quality::assess(&file.mesh);
    assert!(found.is_watertight() && found.folded.is_empty() && found.parts == 1, "{found:?}");
    assert_eq!(file.mesh.boundary_faces().len(), 4);
}

#[test]
fn shells_are_written_and_read_back_and_beams_refused() {
    let shells = STRUCTURE.replace("*ELEMENT, TYPE=B31, ELSET=post\n3,1,6\n", "");
    let shells =
        shells.replace("*BEAM SECTION, ELSET=post, MATERIAL=M, SECTION=RECT\n0.1, 0.2\n0., 1., 0.\n", "");
    let file = read(&shells).unwrap();
    let write = |file: &InpFile| {
        let mut text = Vec::new();
        inp::write_to(&mut text, &file.mesh, &file.materials, &file.material_of_block, &file.section_of_block)
            .map(|()| String::from_utf8(text).unwrap())
    };
    let again = read(&write(&file).unwrap()).unwrap();
    assert_eq!(again.mesh.blocks, file.mesh.blocks);
    assert_eq!(again.section_of_block, file.section_of_block);
    assert_eq!(again.mesh.sets["below"], file.mesh.sets["below"]);
    let refused = write(&read(STRUCTURE).unwrap()).unwrap_err().to_string();
    assert!(refused.contains("block 2 has beams"), "{refused}");
}

#[test]
fn sections_that_are_not_supported_are_refused_by_name() {
    let cases = [
        ("0.01, 7", "-0.01, 7", "thickness [m] = -0.01 is not possible"),
        ("MATERIAL=M\n0.02", "MATERIAL=M, OFFSET=SPOS\n0.02", "*SHELL SECTION, OFFSET is not read"),
        ("SECTION=RECT", "SECTION=PIPE", "*BEAM SECTION, SECTION=PIPE is not read"),
        ("3,1,6", "3,1,6,5", "*ELEMENT, TYPE=B31 with a third node is not read"),
    ];
    for (old, new, message) in cases {
        let error = read(&STRUCTURE.replacen(old, new, 1)).unwrap_err();
        assert!(error.contains(message), "{error}");
    }
}
