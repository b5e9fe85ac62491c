//! Named groups of the model: only elements in groups are written.

use std::collections::BTreeMap;

use crate::gmsh::{Entity, Gmsh, GmshError};
use crate::solids;
use crate::step::{self, StepFace};
use crate::ties::Imprinted;

/// Makes groups of volumes and faces if the file has none. Returns notes.
pub(crate) fn name_groups(
    gmsh: &Gmsh,
    volumes: &[Entity],
    is_script: bool,
) -> Result<Vec<String>, GmshError> {
    let groups = gmsh.physical_groups()?;
    let mut notes = Vec::new();
    if !groups.iter().any(|(dim, _)| *dim == 3) {
        if !groups.is_empty() {
            notes.push("the script has no physical group of volumes: all of them are in `body`".to_owned());
        }
        let tags: Vec<i32> = volumes.iter().map(|(_, tag)| *tag).collect();
        gmsh.add_physical_group("body", 3, &tags)?;
        // Each solid of an assembly is a group too.
        for (number, &tag) in (1..).zip(tags.iter().filter(|_| tags.len() > 1)) {
            gmsh.add_physical_group(&format!("solid{number}"), 3, &[tag])?;
        }
        if tags.len() > 1 {
            notes.push(several(tags.len(), solids::pieces(gmsh, volumes)?, is_script));
        }
        for (name, tags) in named_solids(gmsh, volumes)? {
            gmsh.add_physical_group(&name, 3, &tags)?;
        }
    }
    if groups.is_empty() {
        for (number, (_, tag)) in (1..).zip(gmsh.boundary(volumes)?) {
            gmsh.add_physical_group(&format!("face{number}"), 2, &[tag])?;
        }
    }
    Ok(notes)
}

/// Makes groups of the faces that have a name in a STEP file of one solid, beside `face1`, …; faces of the
/// same name are together. Returns a note where names cannot be kept.
///
/// * `solids` — number of solids of the file
/// * `faces` — pieces of each face of the solid, in the order of `face1`, …
/// * `text` — of the file
pub(crate) fn name_faces(
    gmsh: &Gmsh,
    solids: usize,
    faces: &[Vec<i32>],
    text: &str,
) -> Result<Option<String>, GmshError> {
    let Some(known) = step::faces_of_solids(text) else { return Ok(None) };
    if !known.iter().flatten().any(|face| own_name(&face.name).is_some()) {
        return Ok(None);
    }
    let lost = |why: &str| {
        Ok(Some(format!("the names that faces have in the file are left out, as {why}: use `face1`, …")))
    };
    let ([known], 1) = (known.as_slice(), solids) else {
        return lost("it contains several solids");
    };
    let is_same = |(face, pieces): (&StepFace, &Vec<i32>)| {
        let kind = pieces.first().map_or(Ok(String::new()), |&tag| gmsh.kind_of((2, tag)))?;
        Ok(match face.kind {
            Some(word) => word == kind,
            None => !step::has_form(&kind),
        })
    };
    let same: Vec<bool> = known.iter().zip(faces).map(is_same).collect::<Result<_, GmshError>>()?;
    if known.len() != faces.len() || same.contains(&false) {
        return lost("OpenCASCADE changed faces as it read them");
    }
    let mut named: BTreeMap<String, Vec<i32>> = BTreeMap::new();
    for (face, pieces) in known.iter().zip(faces) {
        if let Some(name) = own_name(&face.name) {
            named.entry(name).or_default().extend(pieces);
        }
    }
    for (name, tags) in &named {
        gmsh.add_physical_group(name, 2, tags)?;
    }
    Ok(None)
}

/// Makes groups of a solid that is alone in the model: `body`, its faces from `face1`, its ties.
pub(crate) fn name_solid(gmsh: &Gmsh, solid: &Imprinted) -> Result<(), GmshError> {
    gmsh.add_physical_group("body", 3, &[solid.volume.1])?;
    for (number, tags) in (1..).zip(&solid.faces) {
        gmsh.add_physical_group(&format!("face{number}"), 2, tags)?;
    }
    for (name, tags) in &solid.ties {
        gmsh.add_physical_group(name, 2, tags)?;
    }
    Ok(())
}

/// The note about a file with several solids.
///
/// * `pieces` — number of groups of solids that share faces
fn several(n: usize, pieces: usize, is_script: bool) -> String {
    let sets = format!("there are {n} solids, also in the sets `solid1` to `solid{n}`");
    if pieces == 1 {
        return format!("{sets}: they share faces and are one piece");
    }
    let remedy = if is_script {
        "delete the others in the script, or join those that touch by `BooleanFragments` or `BooleanUnion`"
    } else {
        "take one as a body by --solid N (`solid = N` next to `file` in a scenario), each of them by --solid \
         all; `carom-mesh info` lists them"
    };
    format!(
        "{sets}: they form {pieces} pieces that share no face and no node, even where they touch, and a \
         flexible body must be one piece: {remedy}"
    )
}

/// Solids by their names in the CAD file. Solids of the same name, such as the bolts of an assembly, are
/// together; names that other sets have, or that the translator of the file has made, are left out.
fn named_solids(gmsh: &Gmsh, volumes: &[Entity]) -> Result<BTreeMap<String, Vec<i32>>, GmshError> {
    let mut named: BTreeMap<String, Vec<i32>> = BTreeMap::new();
    for &volume in volumes {
        if let Some(name) = own_name(&gmsh.entity_name(volume)?) {
            named.entry(name).or_default().push(volume.1);
        }
    }
    Ok(named)
}

/// The last part of a name such as `Shapes/as1/NUT::1/nut`.
pub(crate) fn own_name(label: &str) -> Option<String> {
    let name = label.rsplit('/').next()?.trim();
    let of_set = |stem: &str| {
        name.strip_prefix(stem)
            .is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|b| b.is_ascii_digit()))
    };
    let is_taken = name == "body" || of_set("solid") || of_set("face") || name.starts_with("tie-");
    let is_made = name.contains("STEP translator")
        || name.starts_with('#')
        || name == "NONE"
        || name.contains(['"', '\n', '\r', ',', '=']);
    (!name.is_empty() && !is_taken && !is_made).then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn solids_have_the_last_part_of_their_name() {
        assert_eq!(own_name("Shapes/as1/NUT::1/nut"), Some("nut".to_owned()));
        for none in ["", "Shapes/Open CASCADE STEP translator 7.8 2", "Shapes/body", "solid12", "#705"] {
            assert_eq!(own_name(none), None, "{none}");
        }
    }
}
