//! The solids of a CAD file: their list, the choice of one of them, and which of them share faces.

use carom_mesh::SolidChoice;
use serde::{Deserialize, Serialize};

use crate::gmsh::{Entity, Gmsh, GmshError};
use crate::groups::own_name;
use crate::job::FailureKind;
use crate::worker::{Failed, failed};

/// A solid of a CAD file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Solid {
    /// Its number, from one, in the order of the file.
    pub(crate) number: usize,
    /// Its name in the file, if it has one.
    pub(crate) name: Option<String>,
    /// [m³]
    pub(crate) volume: f64,
    /// Centre of the volume [m].
    pub(crate) centre: [f64; 3],
    /// Corners of the box around it [m].
    pub(crate) bounds: [[f64; 3]; 2],
    /// Number of its faces.
    pub(crate) faces: usize,
}

impl Solid {
    /// Number and name, for messages.
    pub(crate) fn title(&self) -> String {
        match &self.name {
            Some(name) => format!("{} `{name}`", self.number),
            None => self.number.to_string(),
        }
    }
}

/// The solids with their measures.
pub(crate) fn list(gmsh: &Gmsh, volumes: &[Entity]) -> Result<Vec<Solid>, GmshError> {
    let solid = |(number, &volume): (usize, &Entity)| {
        Ok(Solid {
            number,
            name: own_name(&gmsh.entity_name(volume)?),
            volume: gmsh.measure(volume)?,
            centre: gmsh.centre(volume)?,
            bounds: gmsh.box_around(volume.0, volume.1)?,
            faces: gmsh.boundary(&[volume])?.len(),
        })
    };
    (1..).zip(volumes).map(solid).collect()
}

/// Index of the chosen solid.
pub(crate) fn chosen(choice: &SolidChoice, solids: &[Solid]) -> Result<usize, Failed> {
    let (message, hint) = match choice {
        SolidChoice::Number(number) => {
            if (1..=solids.len()).contains(number) {
                return Ok(number - 1);
            }
            let there = if solids.len() == 1 { "is 1 solid".into() } else { format!("are {}", solids.len()) };
            (format!("there is no solid {number}: there {there}"), "give one of their numbers or names")
        }
        SolidChoice::Name(name) => {
            let same: Vec<&Solid> =
                solids.iter().filter(|solid| solid.name.as_deref() == Some(name)).collect();
            match same.as_slice() {
                [solid] => return Ok(solid.number - 1),
                [] => (format!("there is no solid named `{name}`"), "give one of their numbers or names"),
                several => {
                    let numbers: Vec<String> = several.iter().map(|solid| solid.number.to_string()).collect();
                    let text = format!("{} solids are named `{name}`: {}", several.len(), numbers.join(", "));
                    (text, "give the number of one of them")
                }
            }
        }
    };
    Err(failed(FailureKind::Input, format!("{message}; {}", listed(solids)), hint))
}

/// The solids in a sentence; of many only the first.
pub(crate) fn listed(solids: &[Solid]) -> String {
    const SHOWN: usize = 20;
    let shown: Vec<String> = solids.iter().take(SHOWN).map(Solid::title).collect();
    let more =
        if solids.len() > SHOWN { format!(" and {} more", solids.len() - SHOWN) } else { String::new() };
    format!("the solids are {}{more}", shown.join(", "))
}

/// Number of groups of solids that are connected by shared faces.
pub(crate) fn pieces(gmsh: &Gmsh, volumes: &[Entity]) -> Result<usize, GmshError> {
    let faces: Vec<Vec<Entity>> =
        volumes.iter().map(|&volume| gmsh.boundary(&[volume])).collect::<Result<_, _>>()?;
    let mut piece: Vec<usize> = (0..volumes.len()).collect();
    for b in 1..volumes.len() {
        for a in 0..b {
            if piece[a] != piece[b] && faces[b].iter().any(|face| faces[a].contains(face)) {
                let (kept, joined) = (piece[a].min(piece[b]), piece[a].max(piece[b]));
                piece.iter_mut().filter(|piece| **piece == joined).for_each(|piece| *piece = kept);
            }
        }
    }
    piece.sort_unstable();
    piece.dedup();
    Ok(piece.len())
}
