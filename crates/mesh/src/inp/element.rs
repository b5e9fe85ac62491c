//! Abaqus' element types, their node orders and faces.

use crate::{CellShape, FaceShape};

/// The part of the mesh that an element type becomes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A cell of the mesh.
    Cell(CellShape),
    /// A face, which names a part of the surface. `false`: plane elements, which meshers write for this
    /// purpose; `true`: shells and membranes, whose stiffness is lost.
    Face(FaceShape, bool),
    /// A shell or beam that carom has: a cell in files without solids, otherwise a face, or left out.
    Structural(CellShape),
    /// Neither a cell nor a face: beams, springs, masses, rigid bodies.
    Other,
}

/// The kind of an element type, or the name of an unsupported solid.
pub(super) fn kind(name: &str) -> Result<Kind, &'static str> {
    let name = name.trim().to_uppercase();
    // Letters after the number of nodes choose the integration (R, I), pressure (H), fields (T, P, E), a
    // formulation (M, S).
    let count = |prefix: &str| -> Option<u32> {
        let rest = name.strip_prefix(prefix)?;
        let n_digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let is_plain = rest[n_digits..].bytes().all(|c| c.is_ascii_uppercase());
        rest[..n_digits].parse().ok().filter(|_| is_plain)
    };
    if let Some(shape) = structural(&name) {
        return Ok(Kind::Structural(shape));
    }
    if name.starts_with("C3D") {
        let shape = count("C3D").and_then(|n| of_type(&format!("C3D{n}")));
        return shape.map(Kind::Cell).ok_or("solids of an unknown kind");
    }
    let solids = [
        ("DC3D", "heat transfer elements"),
        ("AC3D", "acoustic elements"),
        ("F3D", "fluid elements"),
        ("COH3D", "cohesive elements"),
        ("SC", "continuum shells"),
        ("CSS", "solid shells"),
        ("CAX", "axisymmetric elements"),
        ("CIN3D", "infinite elements"),
        ("CCL", "cylindrical elements"),
    ];
    if let Some((_, what)) = solids.iter().find(|(prefix, _)| count(prefix).is_some()) {
        return Err(what);
    }
    Ok(face(&name, count).unwrap_or(Kind::Other))
}

/// Shells and beams of large rotation; letters choose the integration.
fn structural(name: &str) -> Option<CellShape> {
    match name {
        "S3" | "S3R" | "S3RS" => Some(CellShape::Tri3),
        "S4" | "S4R" | "S4RS" => Some(CellShape::Quad4),
        "B31" => Some(CellShape::Line2),
        _ => None,
    }
}

/// Plane elements, shells, membranes, surface elements.
fn face(name: &str, count: impl Fn(&str) -> Option<u32>) -> Option<Kind> {
    // S8R5 and S9R5: five degrees of freedom a node; STRI65: six nodes with five each.
    let special = match name {
        "STRI65" => Some(6),
        "S8R5" => Some(8),
        "S9R5" => Some(9),
        "S4R5" => Some(4),
        _ => None,
    };
    let shells = ["STRI", "S", "M3D", "R3D", "DS"].iter().find_map(|prefix| count(prefix));
    let planes = ["CPS", "CPE", "CPEG", "SFM3D"].iter().find_map(|prefix| count(prefix));
    let (n, stiff) = match (special.or(shells), planes) {
        (Some(n), _) => (n, true),
        (None, n) => (n?, false),
    };
    FaceShape::with_nodes(n as usize).map(|shape| Kind::Face(shape, stiff))
}

/// The kind of cell with this plain type.
fn of_type(name: &str) -> Option<CellShape> {
    CellShape::SOLIDS.into_iter().find(|shape| shape.table().abaqus.name == name)
}

/// The plain types of all kinds of cells for messages: "C3D4, C3D10, …, S3, S4, B31".
pub(super) fn types() -> String {
    CellShape::all().map(|shape| shape.table().abaqus.name).collect::<Vec<_>>().join(", ")
}

/// Whether a type has stiffness or mass, which is lost with it. All types have, except the plane elements
/// that meshers write to name faces.
pub(super) fn is_stiff(name: &str) -> bool {
    !matches!(kind(name), Ok(Kind::Cell(_) | Kind::Face(_, false)))
}

/// The name of the family of a type that is not a solid.
pub(super) fn words(name: &str) -> &'static str {
    let name = name.trim().to_uppercase();
    let families = [
        ("SPRING", "springs"),
        ("SFM3D", "surface elements"),
        ("STRI", "shells"),
        ("DS", "shells"),
        ("S", "shells"),
        ("M3D", "membranes"),
        ("R3D", "rigid faces"),
        ("CPS", "plane elements"),
        ("CPE", "plane elements"),
        ("MASS", "masses"),
        ("ROTARYI", "inertias"),
        ("DASHPOT", "dampers"),
        ("CONN", "connectors"),
        ("B", "beams"),
        ("T", "trusses"),
    ];
    families.iter().find(|(prefix, _)| name.starts_with(prefix)).map_or("no solids", |(_, what)| what)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_with_their_variants_are_known() {
        for (names, shape) in [
            (&["C3D4", "c3d4h"][..], CellShape::Tet4),
            (&["C3D10", "C3D10M", "C3D10MH", "C3D10I", "C3D10HS"], CellShape::Tet10),
            (&["C3D8", "C3D8R", "C3D8I", "C3D8RH", "C3D8IH", "C3D8RT"], CellShape::Hex8),
            (&["C3D20", "C3D20R", "C3D20RH"], CellShape::Hex20),
            (&["C3D27", "C3D27R"], CellShape::Hex27),
            (&["C3D6", "C3D6H", "C3D6T"], CellShape::Wedge6),
            (&["C3D15", "C3D15H", "C3D15V"], CellShape::Wedge15),
            (&["C3D5", "C3D5H"], CellShape::Pyramid5),
            (&["C3D13"], CellShape::Pyramid13),
        ] {
            for name in names {
                assert_eq!(kind(name), Ok(Kind::Cell(shape)), "{name}");
            }
            assert_eq!(kind(shape.table().abaqus.name), Ok(Kind::Cell(shape)));
        }
        assert_eq!(kind("CPS6"), Ok(Kind::Face(FaceShape::Tri6, false)));
        assert_eq!(kind("S8R5"), Ok(Kind::Face(FaceShape::Quad8, true)));
        assert_eq!(kind("STRI65"), Ok(Kind::Face(FaceShape::Tri6, true)));
        for (name, shape) in [("S4R", CellShape::Quad4), ("s3", CellShape::Tri3), ("B31", CellShape::Line2)] {
            assert_eq!(kind(name), Ok(Kind::Structural(shape)));
        }
        for name in ["B32", "T3D2", "MASS", "SPRINGA", "CONN3D2", "S"] {
            assert_eq!(kind(name), Ok(Kind::Other), "{name}");
        }
        for (name, what, stiff) in [
            ("S8R", "shells", true),
            ("STRI65", "shells", true),
            ("SPRINGA", "springs", true),
            ("CPS6", "plane elements", false),
            ("M3D4", "membranes", true),
            ("B31", "beams", true),
            ("T3D2", "trusses", true),
            ("GAPUNI", "no solids", true),
        ] {
            assert_eq!((words(name), is_stiff(name)), (what, stiff), "{name}");
        }
        for name in ["C3D7", "C3D18", "C3D", "SC8R", "DC3D8", "COH3D8", "C3D8-X"] {
            assert!(kind(name).is_err(), "{name}");
        }
    }

    #[test]
    fn faces_have_the_corners_listed_in_the_manual() {
        let tetrahedron: &[&[u8]] = &[&[1, 2, 3], &[1, 4, 2], &[2, 4, 3], &[3, 4, 1]];
        let hexahedron: &[&[u8]] =
            &[&[1, 2, 3, 4], &[5, 8, 7, 6], &[1, 5, 6, 2], &[2, 6, 7, 3], &[3, 7, 8, 4], &[4, 8, 5, 1]];
        let wedge: &[&[u8]] = &[&[1, 2, 3], &[4, 6, 5], &[1, 4, 5, 2], &[2, 5, 6, 3], &[3, 6, 4, 1]];
        let pyramid: &[&[u8]] = &[&[1, 2, 3, 4], &[1, 5, 2], &[2, 5, 3], &[3, 5, 4], &[4, 5, 1]];
        for shape in CellShape::SOLIDS {
            let manual = match shape.n_corners() {
                4 => tetrahedron,
                5 => pyramid,
                6 => wedge,
                _ => hexahedron,
            };
            let faces = shape.table().abaqus.faces;
            assert_eq!(manual.len(), faces.len());
            for (corners, &face) in manual.iter().zip(faces) {
                assert_eq!(shape.face_shape(face as usize).n_corners(), corners.len());
                let mut ours: Vec<u8> =
                    shape.face(face as usize)[..corners.len()].iter().map(|k| k + 1).collect();
                let mut theirs = corners.to_vec();
                ours.sort_unstable();
                theirs.sort_unstable();
                assert_eq!(ours, theirs, "{}", shape.name());
            }
        }
        // The node of face S1 … S6 of a C3D27 is the middle of that face.
        let abaqus = CellShape::Hex27.table().abaqus;
        let last = abaqus.last.unwrap().order;
        for (k, &face) in abaqus.faces.iter().enumerate() {
            assert_eq!(last[1 + k], *CellShape::Hex27.face(face as usize).last().unwrap());
        }
    }
}
