//! Parts that a CAD program has drawn or a script of Gmsh draws, and where a ball hits them.

use carom_mesh::msh;
use nalgebra::Vector3;

use super::DENSITY;
use super::parts::{Part, PartMesh};
use crate::{BenchError, reference};

/// Radius of the ball \[m\].
pub(super) const BALL: f64 = 0.01;

/// Its speed \[m/s\].
pub(super) const SPEED: f64 = 0.4;

/// Expected contact radius \[m\]: for the cells of the resolved impacts, which serve several parts.
pub(super) const CONTACT_RADIUS: f64 = 3.3e-4;

/// A part with the place of an impact.
pub(super) struct Spot {
    pub(super) name: String,
    /// Script of Gmsh, without sizes of cells.
    pub(super) script: String,
    /// Place on its surface \[m\].
    pub(super) place: [f64; 3],
    /// Outward normal there.
    pub(super) normal: [f64; 3],
    /// Cells of a resolved impact away from the place \[m\].
    pub(super) size: f64,
    /// Expected semi-axes of the contact for the cells of a resolved impact, the longer one first \[m\].
    pub(super) semi_axes: [f64; 2],
    /// Expected duration \[s\].
    pub(super) duration: f64,
}

/// A part with the place of an impact on a flat face, and its meshes.
pub(super) struct Drawn {
    pub(super) spot: Spot,
    /// Force \[N\] and duration \[s\] of the resolved impact: what the case `trials-resolved` finds.
    pub(super) expected: [f64; 2],
    meshes: Meshes,
}

/// Meshes of a part for the trials.
enum Meshes {
    /// Sizes of cells of tetrahedra \[m\], and of cells near the contact alone, over the contact radius.
    Gmsh { of_ten: &'static [f64], of_four: &'static [f64], graded: &'static [f64] },
    /// Kinds and names of files of the reference data.
    Files(&'static [(&'static str, &'static str)]),
}

impl Spot {
    /// A place with the cells and the contact of a flat face.
    pub(super) fn new(
        name: impl Into<String>,
        script: impl Into<String>,
        place: [f64; 3],
        normal: [f64; 3],
    ) -> Self {
        let (name, script) = (name.into(), script.into());
        let semi_axes = [CONTACT_RADIUS; 2];
        Self { name, script, place, normal, size: 6e-3, semi_axes, duration: 80e-6 }
    }

    /// The script with small cells at the place of the impact.
    ///
    /// * `finest` — their size \[m\]
    /// * `near` — distance \[m\] from which on the size grows by two fifths of the distance
    pub(super) fn graded(&self, finest: f64, near: f64) -> String {
        let [x, y, z] = self.place;
        let squares = format!("(x-({x:e}))^2+(y-({y:e}))^2+(z-({z:e}))^2");
        let size = format!("Max({finest:e}, {finest:e}+0.4*(Sqrt({squares})-{near:e}))");
        format!(
            "{}Physical Surface(\"surface\") = Surface{{:}};\n\
                 Field[1] = MathEval;\nField[1].F = \"{size}\";\n\
                 Background Field = 1;\nMesh.MeshSizeExtendFromBoundary = 0;\n",
            self.script
        )
    }

    /// A rotation that turns the z axis against the normal: its axis and angle in degrees.
    pub(super) fn facing(&self) -> ([f64; 3], f64) {
        let (from, to) = (Vector3::z(), -Vector3::from(self.normal));
        let axis = from.cross(&to);
        let axis = if axis.norm() > 1e-9 { axis.normalize() } else { Vector3::x() };
        (axis.into(), from.dot(&to).clamp(-1.0, 1.0).acos().to_degrees())
    }
}

impl Drawn {
    /// The part with its meshes.
    fn part(&self) -> Result<Part, BenchError> {
        let Spot { ref name, ref script, place, normal, .. } = self.spot;
        let meshes = match self.meshes {
            Meshes::Gmsh { of_ten, of_four, graded } => {
                let of = |cells, sizes: &[f64]| -> Vec<PartMesh> {
                    sizes.iter().map(|&h| PartMesh::tetrahedra(name, script, cells, h)).collect()
                };
                let near = |&share: &f64| {
                    let finest = CONTACT_RADIUS / share;
                    let script = self.spot.graded(finest, 3.0 * CONTACT_RADIUS.max(finest));
                    PartMesh::graded(&format!("{name} {share}"), &script, finest)
                };
                [of("tet10", of_ten), of("tet4", of_four), graded.iter().map(near).collect()].concat()
            }
            Meshes::Files(files) => {
                let mesh = |(cells, file): &(&'static str, &str)| {
                    let path = reference::data(&format!("meshes/{file}.msh"))?;
                    let (mesh, _) =
                        msh::read(&path).map_err(|error| BenchError::Scenario(format!("{file}: {error}")))?;
                    Ok(PartMesh::of_mesh(name, cells, (*file).to_owned(), mesh))
                };
                files.iter().map(mesh).collect::<Result<_, BenchError>>()?
            }
        };
        Ok(Part {
            name: name.clone(),
            place,
            normal,
            curvature: 0.0,
            ball_radius: BALL,
            is_pair: false,
            speed: SPEED,
            density: DENSITY,
            expected: self.expected,
            claim: None,
            meshes,
        })
    }
}

/// The parts with their meshes.
pub(super) fn drawn_parts() -> Result<Vec<Part>, BenchError> {
    all_drawn()?.iter().map(Drawn::part).collect()
}

/// The parts; those of the reference data if they are at hand.
pub(super) fn all_drawn() -> Result<Vec<Drawn>, BenchError> {
    let mut drawn: Vec<Drawn> = scripts().into();
    match of_data() {
        Err(BenchError::NoData) => {}
        found => drawn.extend(found?),
    }
    Ok(drawn)
}

fn scripts() -> [Drawn; 3] {
    let up = [0.0, 0.0, 1.0];
    [
        Drawn {
            spot: Spot::new(
                "block with bores",
                include_str!("../../../../meshes/parts/block-with-bores.geo"),
                [0.0, 0.0, 0.0],
                up,
            ),
            expected: [562.1, 79.97e-6],
            meshes: Meshes::Gmsh { of_ten: &[4e-3, 6e-3], of_four: &[3e-3], graded: &[0.5, 1.0, 2.0] },
        },
        Drawn {
            spot: Spot::new(
                "gear blank",
                include_str!("../../../../meshes/parts/gear-blank.geo"),
                [0.0355, 0.0, 0.006],
                up,
            ),
            expected: [398.5, 79.68e-6],
            meshes: Meshes::Gmsh { of_ten: &[3e-3, 6e-3], of_four: &[2.25e-3], graded: &[] },
        },
        Drawn {
            spot: Spot::new(
                "angle bracket",
                include_str!("../../../../meshes/parts/bracket.geo"),
                [0.010, 0.002, 0.0],
                up,
            ),
            expected: [412.8, 80.75e-6],
            meshes: Meshes::Gmsh { of_ten: &[3e-3, 6e-3], of_four: &[2.25e-3], graded: &[] },
        },
    ]
}

/// Parts of the reference data.
fn of_data() -> Result<[Drawn; 3], BenchError> {
    let merged = |file: &str| {
        let path = reference::data(&format!("meshes/{file}.step"))?;
        Ok::<_, BenchError>(format!(
            "SetFactory(\"OpenCASCADE\");\nGeometry.OCCTargetUnit = \"M\";\nMerge \"{}\";\n",
            path.display()
        ))
    };
    Ok([
        Drawn {
            spot: Spot::new("connecting rod", merged("conrod")?, [-0.0295, 0.0, 0.01], [0.0, 0.0, 1.0]),
            expected: [473.8, 75.73e-6],
            meshes: Meshes::Files(&[
                ("tet10", "conrod_30k"),
                ("tet10", "conrod_tet10"),
                ("tet4", "conrod_tet4"),
            ]),
        },
        Drawn {
            spot: Spot::new("bracket on a wall", merged("bracket")?, [0.0, 0.030, 0.040], [-1.0, 0.0, 0.0]),
            expected: [546.2, 82.26e-6],
            meshes: Meshes::Files(&[("tet10", "bracket_tet10")]),
        },
        Drawn {
            spot: Spot::new("flange", merged("io1_part")?, [0.020, 0.031, 0.010], [0.0, 1.0, 0.0]),
            expected: [540.2, 79.61e-6],
            meshes: Meshes::Files(&[("tet10", "io1_part_tet10")]),
        },
    ])
}
