//! Sets of a body by name: faces, points and surfaces.

use carom_mesh::{CellRef, CellShape, FaceRef, Mesh, Set};
use carom_nurbs::{Multipatch, PatchFace, Region, UnknownRegion};
use thiserror::Error;

use crate::{Body, Discretisation, Geometry, Surface};

/// Errors from the sets of a body.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum SetError {
    /// A mesh does not have the set, or the set is of the wrong kind.
    #[error("body `{body}`: {source}")]
    Mesh {
        /// Name of the body.
        body: String,
        /// The problem, with the names that exist.
        source: carom_mesh::SetError,
    },
    /// A NURBS body does not have the set.
    #[error("body `{body}`: {source}")]
    Region {
        /// Name of the body.
        body: String,
        /// The problem, with the names that exist.
        source: UnknownRegion,
    },
    /// The set has no face, but a surface is required.
    #[error(
        "body `{body}`: set `{set}` has {count} {kind}, but no face of the surface has all of its nodes \
         among them; a surface is needed here: {remedy}"
    )]
    NoFaces {
        /// Name of the body.
        body: String,
        /// Name of the set.
        set: String,
        /// "nodes", "cells" or "faces".
        kind: &'static str,
        /// Number of members.
        count: usize,
        /// The way out.
        remedy: &'static str,
    },
    /// A face of the set does not exist.
    #[error("body `{body}`: set `{set}` names face {} of cell {} of block {}, which does not \
        exist", .face.face, .face.cell, .face.block)]
    NoSuchFace {
        /// Name of the body.
        body: String,
        /// Name of the set.
        set: String,
        /// The face.
        face: FaceRef,
    },
}

impl Body {
    /// Number of nodes of a mesh, or of control points of the body.
    pub fn n_points(&self) -> usize {
        match &self.geometry {
            Geometry::Mesh(mesh) => mesh.points.len(),
            Geometry::Nurbs(multipatch) => multipatch.n_body_points(),
        }
    }

    /// Names of its sets, ascending; sides of patches such as `patch0:west` can be named too.
    pub fn set_names(&self) -> Vec<String> {
        match &self.geometry {
            Geometry::Mesh(mesh) => mesh.sets.keys().cloned().collect(),
            Geometry::Nurbs(multipatch) => multipatch.regions.keys().cloned().collect(),
        }
    }

    /// The faces of a set, ascending. A set of nodes has the faces of the surface with all nodes in it, a set
    /// of cells the faces of its cells that lie on the surface.
    ///
    /// # Errors
    ///
    /// [`SetError`] lists the known sets, or says that the set has no face.
    pub fn faces_of_set(&self, name: &str) -> Result<Vec<FaceRef>, SetError> {
        let (faces, kind, count) = match &self.geometry {
            Geometry::Mesh(mesh) => {
                let set = self.mesh_set(mesh, name)?;
                (faces_of_mesh_set(mesh, set), set.kind(), set.len())
            }
            Geometry::Nurbs(multipatch) => {
                let region = multipatch
                    .region(name)
                    .map_err(|source| SetError::Region { body: self.name.clone(), source })?;
                (faces_of_region(multipatch, &region), "faces", 0)
            }
        };
        if faces.is_empty() {
            let remedy = if self.has_beams() {
                "beams have no faces: they carry no pressure, and touch others in the scheme `explicit`; \
                 name shells or solids"
            } else {
                "name a surface group, or take more nodes"
            };
            return Err(SetError::NoFaces {
                body: self.name.clone(),
                set: name.to_owned(),
                kind,
                count,
                remedy,
            });
        }
        Ok(faces)
    }

    /// The beams of a set, ascending: of a set of cells those that are beams, of a set of nodes the beams
    /// with both nodes in it.
    ///
    /// # Errors
    ///
    /// [`SetError`] lists the known sets.
    pub fn beams_of_set(&self, name: &str) -> Result<Vec<CellRef>, SetError> {
        let Geometry::Mesh(mesh) = &self.geometry else { return Ok(Vec::new()) };
        let set = self.mesh_set(mesh, name)?;
        let blocks = (0..).zip(&mesh.blocks).filter(|(_, block)| block.shape == CellShape::Line2);
        let beams =
            blocks.flat_map(|(block, of)| (0..of.n_cells() as u32).map(move |cell| CellRef { block, cell }));
        let is_in = |beam: &CellRef| match set {
            Set::Cells(cells) => cells.binary_search(beam).is_ok(),
            Set::Nodes(nodes) => mesh.cell(*beam).1.iter().all(|node| nodes.binary_search(node).is_ok()),
            Set::Faces(_) => false,
        };
        Ok(beams.filter(is_in).collect())
    }

    /// The points of a set, ascending: the nodes of a set of nodes, otherwise all points with nonzero
    /// functions on its faces.
    ///
    /// # Errors
    ///
    /// [`SetError`] lists the known sets.
    pub fn points_of_set(&self, discretisation: &Discretisation, name: &str) -> Result<Vec<u32>, SetError> {
        match &self.geometry {
            Geometry::Mesh(mesh) => {
                mesh.nodes_of_set(name).map_err(|source| SetError::Mesh { body: self.name.clone(), source })
            }
            Geometry::Nurbs(_) => Ok(self.surface_of_set(discretisation, name)?.points),
        }
    }

    /// The surface of a set, oriented out of the body.
    ///
    /// # Errors
    ///
    /// [`SetError`] lists the known sets, or says that the set has no face.
    pub fn surface_of_set(&self, discretisation: &Discretisation, name: &str) -> Result<Surface, SetError> {
        let faces = self.faces_of_set(name)?;
        match faces.iter().find(|&&face| !discretisation.has_face(face)) {
            Some(&face) => Err(SetError::NoSuchFace { body: self.name.clone(), set: name.to_owned(), face }),
            None => Ok(discretisation.surface(&faces)),
        }
    }

    /// The faces of the surface of the body: those of one cell only, ascending.
    pub fn boundary_faces(&self) -> Vec<FaceRef> {
        match &self.geometry {
            Geometry::Mesh(mesh) => mesh.boundary_faces(),
            Geometry::Nurbs(multipatch) => {
                faces_of_region(multipatch, &Region { sides: multipatch.outer_sides(), near: Vec::new() })
            }
        }
    }

    /// The faces that carry contact, those of a set or of the whole surface, ascending: of each shell one
    /// face, because both of its sides touch as one surface. Numbers of faces in results are places in this
    /// list.
    ///
    /// # Errors
    ///
    /// [`SetError`] lists the known sets, or says that the set has no face.
    pub fn contact_faces(&self, set: Option<&str>) -> Result<Vec<FaceRef>, SetError> {
        let mut faces = match set {
            Some(set) => self.faces_of_set(set)?,
            None => self.boundary_faces(),
        };
        if let Geometry::Mesh(mesh) = &self.geometry {
            let is_shell = |face: &FaceRef| !mesh.blocks[face.block as usize].shape.is_solid();
            faces.dedup_by(|second, first| second.cell() == first.cell() && is_shell(first));
        }
        Ok(faces)
    }

    fn mesh_set<'a>(&self, mesh: &'a Mesh, name: &str) -> Result<&'a Set, SetError> {
        mesh.set(name).map_err(|source| SetError::Mesh { body: self.name.clone(), source })
    }
}

fn faces_of_mesh_set(mesh: &Mesh, set: &Set) -> Vec<FaceRef> {
    let boundary = || mesh.boundary_faces();
    match set {
        Set::Faces(faces) => faces.clone(),
        Set::Cells(cells) => {
            boundary().into_iter().filter(|face| cells.binary_search(&face.cell()).is_ok()).collect()
        }
        Set::Nodes(nodes) => {
            let is_inside =
                |face: &FaceRef| mesh.face(*face).1.all(|node| nodes.binary_search(&node).is_ok());
            boundary().into_iter().filter(is_inside).collect()
        }
    }
}

fn faces_of_region(multipatch: &Multipatch, region: &Region) -> Vec<FaceRef> {
    let numbers = multipatch.cell_numbers();
    let to_face = |face: PatchFace| {
        let (block, cell) = numbers.of(face.patch, face.level, face.cell);
        FaceRef { block, cell, face: face.side as u8 }
    };
    let mut faces: Vec<FaceRef> = multipatch.faces(region).into_iter().map(to_face).collect();
    faces.sort_unstable();
    faces.dedup();
    faces
}
