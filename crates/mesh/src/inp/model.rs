//! The content of the keywords before parts become one mesh: parts, instances, materials.

use super::deck::{At, Deck, Keyword, Name};
use super::error::ParseInpError;
use super::motion::{Motion, NodeSystem};
use super::scope::{Scope, required};

/// A placed part.
#[derive(Debug, Clone)]
pub(super) struct Instance {
    pub(super) name: Name,
    pub(super) part: Option<Name>,
    pub(super) motion: Motion,
    /// Sets and sections of the instance in addition to those of its part.
    pub(super) own: Scope,
    pub(super) at: At,
}

/// An elastic material of the file, in its units.
#[derive(Debug, Clone, PartialEq)]
pub struct InpMaterial {
    /// Name of the material.
    pub name: String,
    /// Mass density.
    pub density: Option<f64>,
    /// Young's modulus and Poisson's ratio, if it is isotropic.
    pub elastic: Option<[f64; 2]>,
}

/// The content of a file by parts, instances and materials.
#[derive(Debug, Default)]
pub(super) struct Model {
    /// Content outside of parts and assembly.
    pub(super) flat: Scope,
    pub(super) parts: Vec<(Name, Scope)>,
    pub(super) instances: Vec<Instance>,
    pub(super) assembly: Scope,
    pub(super) materials: Vec<InpMaterial>,
    /// Keywords that tie or constrain nodes, each once: bodies have no constraints of their own.
    pub(super) constraints: Vec<String>,
    /// Surfaces of unsupported kinds.
    pub(super) skipped_surfaces: Vec<String>,
}

/// The scope that receives the next keywords.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Room {
    Flat,
    Part,
    Assembly,
    Instance,
}

/// Keywords that generate nodes or elements, or text from other text.
const UNSUPPORTED: [&str; 10] = [
    "NGEN",
    "NFILL",
    "NCOPY",
    "NMAP",
    "ELGEN",
    "ELCOPY",
    "PARAMETER",
    "SYMMETRICMODELGENERATION",
    "SUBSTRUCTURE",
    "USERELEMENT",
];

/// Keywords that bind nodes to others or to the ground.
const CONSTRAINTS: [&str; 10] = [
    "BOUNDARY",
    "COUPLING",
    "EMBEDDEDELEMENT",
    "EQUATION",
    "KINEMATICCOUPLING",
    "MPC",
    "RIGIDBODY",
    "SHELLTOSOLIDCOUPLING",
    "SPRING",
    "TIE",
];

impl Model {
    pub(super) fn new(deck: &Deck) -> Result<Self, ParseInpError> {
        let mut model = Self::default();
        let (mut room, mut system) = (Room::Flat, NodeSystem::default());
        for keyword in &deck.keywords {
            match keyword.name.as_str() {
                "PART" => {
                    model.parts.push((required(deck, keyword, "PART", "NAME")?, Scope::default()));
                    (room, system) = (Room::Part, NodeSystem::default());
                }
                "ASSEMBLY" | "ENDINSTANCE" => (room, system) = (Room::Assembly, NodeSystem::default()),
                "ENDPART" | "ENDASSEMBLY" => (room, system) = (Room::Flat, NodeSystem::default()),
                "INSTANCE" => {
                    model.instances.push(instance(deck, keyword)?);
                    (room, system) = (Room::Instance, NodeSystem::default());
                }
                "SYSTEM" => system.axes = NodeSystem::axes(deck, keyword)?,
                "MATERIAL" => {
                    let name = required(deck, keyword, "MATERIAL", "NAME")?.text;
                    model.materials.push(InpMaterial { name, density: None, elastic: None });
                }
                "DENSITY" | "ELASTIC" => model.material_value(deck, keyword)?,
                name if UNSUPPORTED.contains(&name) => {
                    let place = deck.place(keyword.at);
                    return Err(ParseInpError::UnsupportedKeyword { place, keyword: name.to_owned() });
                }
                name if CONSTRAINTS.contains(&name) => {
                    if !model.constraints.iter().any(|known| known == name) {
                        model.constraints.push(name.to_owned());
                    }
                }
                "SURFACE" if skip_surface(keyword) => {
                    model.skipped_surfaces.push(keyword.value("NAME").unwrap_or("?").to_owned());
                }
                _ => {
                    let scope = match room {
                        Room::Flat => &mut model.flat,
                        Room::Part => &mut model.parts.last_mut().expect("a part was begun").1,
                        Room::Assembly => &mut model.assembly,
                        Room::Instance => &mut model.instances.last_mut().expect("an instance was begun").own,
                    };
                    scope.take(deck, keyword, &system)?;
                }
            }
        }
        Ok(model)
    }

    /// The first line of a density or of elastic constants belongs to the material that was named last.
    fn material_value(&mut self, deck: &Deck, keyword: &Keyword) -> Result<(), ParseInpError> {
        let (Some(material), Some(&line)) = (self.materials.last_mut(), keyword.lines.first()) else {
            return Ok(());
        };
        let isotropic = keyword.value("TYPE").is_none_or(|kind| kind.to_uppercase().starts_with("ISO"));
        let numbers = deck.numbers(line)?;
        if keyword.name == "DENSITY" {
            material.density = numbers.first().copied();
        } else if isotropic && numbers.len() >= 2 {
            material.elastic = Some([numbers[0], numbers[1]]);
        }
        Ok(())
    }
}

/// Whether a surface is cut, combined or drawn, and so not a part of the mesh.
fn skip_surface(keyword: &Keyword) -> bool {
    let kind = keyword.value("TYPE").map_or("ELEMENT".to_owned(), str::to_uppercase);
    !["ELEMENT", "NODE"].contains(&kind.as_str()) || keyword.has("COMBINE") || keyword.has("CROP")
}

fn instance(deck: &Deck, keyword: &Keyword) -> Result<Instance, ParseInpError> {
    Ok(Instance {
        name: required(deck, keyword, "INSTANCE", "NAME")?,
        part: keyword.value("PART").map(Name::new),
        motion: Motion::of_instance(deck, keyword)?,
        own: Scope::default(),
        at: keyword.at,
    })
}
