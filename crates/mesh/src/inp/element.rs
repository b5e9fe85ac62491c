//! Abaqus' element types, their node orders and faces.

use crate::{CellShape, FaceShape};

/// What an element type is to us.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A cell of the mesh.
    Cell(CellShape),
    /// A face, which names a part of the surface. `false`: plane elements, which meshers write for just that;
    /// `true`: shells and membranes, whose stiffness is lost.
    Face(FaceShape, bool),
    /// Neither: beams, springs, masses, rigid bodies.
    Other,
}

/// What an element type means, or the name of a solid that is not supported.
pub(super) fn kind(name: &str) -> Result<Kind, &'static str> {
    let name = name.trim().to_uppercase();
    // Letters behind the number of nodes choose the integration (R, I), pressure (H), fields (T, P, E), a
    // formulation (M, S).
    let count = |prefix: &str| -> Option<u32> {
        let rest = name.strip_prefix(prefix)?;
        let n_digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let is_plain = rest[n_digits..].bytes().all(|c| c.is_ascii_uppercase());
        rest[..n_digits].parse().ok().filter(|_| is_plain)
    };
    match count("C3D") {
        Some(4) => return Ok(Kind::Cell(CellShape::Tet4)),
        Some(10) => return Ok(Kind::Cell(CellShape::Tet10)),
        Some(8) => return Ok(Kind::Cell(CellShape::Hex8)),
        Some(20) => return Ok(Kind::Cell(CellShape::Hex20)),
        Some(27) => return Ok(Kind::Cell(CellShape::Hex27)),
        Some(5) => return Err("pyramids"),
        Some(6 | 15) => return Err("wedges (prisms)"),
        _ if name.starts_with("C3D") => return Err("solids of an unknown kind"),
        _ => {}
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
    let shape = match n {
        3 => FaceShape::Tri3,
        4 => FaceShape::Quad4,
        6 => FaceShape::Tri6,
        8 => FaceShape::Quad8,
        9 => FaceShape::Quad9,
        _ => return None,
    };
    Some(Kind::Face(shape, stiff))
}

/// Whether a type has a stiffness or mass that is lost with it: all but the plane elements that meshers write
/// to name faces.
pub(super) fn is_stiff(name: &str) -> bool {
    !matches!(kind(name), Ok(Kind::Cell(_) | Kind::Face(_, false)))
}

/// What a type that is no solid stands for.
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

/// The plain type of a kind of cell.
pub(super) fn type_of(shape: CellShape) -> &'static str {
    match shape {
        CellShape::Tet4 => "C3D4",
        CellShape::Tet10 => "C3D10",
        CellShape::Hex8 => "C3D8",
        CellShape::Hex20 => "C3D20",
        CellShape::Hex27 => "C3D27",
    }
}

/// Place in VTK's order of the nodes 21 to 27 of a C3D27: the middle of all, then those of the faces S1 to
/// S6.
pub(super) const C3D27_LAST: [u8; 7] = [26, 24, 25, 22, 21, 23, 20];

/// Our number of the faces S1, S2, … Abaqus counts them by their corners: 1-2-3, 1-4-2, 2-4-3, 3-4-1 of a
/// tetrahedron, 1-2-3-4, 5-8-7-6, 1-5-6-2, 2-6-7-3, 3-7-8-4, 4-8-5-1 of a hexahedron.
pub(super) fn faces(shape: CellShape) -> &'static [u8] {
    if shape.is_tetrahedron() { &[3, 0, 1, 2] } else { &[4, 5, 2, 1, 3, 0] }
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
        ] {
            for name in names {
                assert_eq!(kind(name), Ok(Kind::Cell(shape)), "{name}");
            }
            assert_eq!(kind(type_of(shape)), Ok(Kind::Cell(shape)));
        }
        assert_eq!(kind("CPS6"), Ok(Kind::Face(FaceShape::Tri6, false)));
        assert_eq!(kind("S8R5"), Ok(Kind::Face(FaceShape::Quad8, true)));
        assert_eq!(kind("STRI65"), Ok(Kind::Face(FaceShape::Tri6, true)));
        for name in ["B31", "T3D2", "MASS", "SPRINGA", "CONN3D2", "S"] {
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
        for name in ["C3D6", "C3D15V", "C3D5", "C3D", "SC8R", "DC3D8", "COH3D8", "C3D8-X"] {
            assert!(kind(name).is_err(), "{name}");
        }
    }

    #[test]
    fn faces_have_the_corners_that_the_manual_lists() {
        let tetrahedron: &[&[u8]] = &[&[1, 2, 3], &[1, 4, 2], &[2, 4, 3], &[3, 4, 1]];
        let hexahedron: &[&[u8]] =
            &[&[1, 2, 3, 4], &[5, 8, 7, 6], &[1, 5, 6, 2], &[2, 6, 7, 3], &[3, 7, 8, 4], &[4, 8, 5, 1]];
        for shape in CellShape::ALL {
            let manual = if shape.is_tetrahedron() { tetrahedron } else { hexahedron };
            for (corners, &face) in manual.iter().zip(faces(shape)) {
                let mut ours: Vec<u8> =
                    shape.face(face as usize)[..corners.len()].iter().map(|k| k + 1).collect();
                let mut theirs = corners.to_vec();
                ours.sort_unstable();
                theirs.sort_unstable();
                assert_eq!(ours, theirs, "{}", shape.name());
            }
        }
        // The node of face S1 … S6 of a C3D27 is the middle of that face.
        for (k, &face) in faces(CellShape::Hex27).iter().enumerate() {
            assert_eq!(C3D27_LAST[1 + k], *CellShape::Hex27.face(face as usize).last().unwrap());
        }
    }
}
