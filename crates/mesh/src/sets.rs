//! Named sets: looking them up, their nodes and faces, and zones as parts of them.

use crate::{CellRef, FaceRef, Mesh, Set};

/// Error from the use of a set.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum SetError {
    /// There is no set of this name.
    #[error("there is no set `{name}`; {}", known_sets(.known))]
    Unknown {
        /// The requested name.
        name: String,
        /// Names of the existing sets.
        known: Vec<String>,
    },
    /// The members of the set have the wrong kind.
    #[error(
        "set `{name}` is a set of {kind}, but a set of {wanted} is needed; name a surface group of the mesh"
    )]
    WrongKind {
        /// Name of the set.
        name: String,
        /// Kind of its members.
        kind: &'static str,
        /// Required kind.
        wanted: &'static str,
    },
    /// No face lies in the zone.
    #[error(
        "no face of set `{base}` has its middle within {radius:e} m of ({}, {}, {}); the nearest is \
         {nearest:e} m away: take a larger radius, or refine the mesh \
         there", .centre[0], .centre[1], .centre[2]
    )]
    EmptyZone {
        /// Name of the set of which the zone is a part.
        base: String,
        /// Middle of the zone \[m\].
        centre: [f64; 3],
        /// The radius \[m\].
        radius: f64,
        /// Distance of the nearest face's middle \[m\].
        nearest: f64,
    },
    /// A radius must be positive and finite.
    #[error("the radius of zone `{name}` is {radius} m; it must be positive")]
    Radius {
        /// Name of the zone.
        name: String,
        /// The radius \[m\].
        radius: f64,
    },
}

/// "its sets are `a`, `b`".
fn known_sets(known: &[String]) -> String {
    if known.is_empty() {
        return "the mesh has no sets: name physical groups in the mesher".to_owned();
    }
    let names: Vec<String> = known.iter().map(|name| format!("`{name}`")).collect();
    format!("its sets are {}", names.join(", "))
}

impl Set {
    /// `"nodes"`, `"faces"` or `"cells"`.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Nodes(_) => "nodes",
            Self::Faces(_) => "faces",
            Self::Cells(_) => "cells",
        }
    }

    /// Number of nodes, faces or cells.
    pub fn len(&self) -> usize {
        match self {
            Self::Nodes(nodes) => nodes.len(),
            Self::Faces(faces) => faces.len(),
            Self::Cells(cells) => cells.len(),
        }
    }

    /// Whether the set is empty.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// A set of these nodes, sorted and without repetitions.
    pub fn of_nodes(mut nodes: Vec<u32>) -> Self {
        nodes.sort_unstable();
        nodes.dedup();
        Self::Nodes(nodes)
    }

    /// A set of these faces, sorted and without repetitions.
    pub fn of_faces(mut faces: Vec<FaceRef>) -> Self {
        faces.sort_unstable();
        faces.dedup();
        Self::Faces(faces)
    }

    /// A set of these cells, sorted and without repetitions.
    pub fn of_cells(mut cells: Vec<CellRef>) -> Self {
        cells.sort_unstable();
        cells.dedup();
        Self::Cells(cells)
    }
}

impl Mesh {
    /// Adds a set under its name, or with its kind appended (`name.nodes`) if another set has the name. A set
    /// with the same nodes as the set of that name is left out: many programs write the nodes of a group in
    /// addition to its faces.
    ///
    /// # Panics
    ///
    /// If a set of this name holds faces or cells that the mesh does not have.
    pub fn insert_set(&mut self, base: &str, set: Set) {
        let (mut name, mut n) = (base.to_owned(), 1);
        while let Some(known) = self.sets.get(&name) {
            let is_same = match &set {
                Set::Nodes(nodes) => self.nodes_of(known) == *nodes,
                _ => *known == set,
            };
            if is_same {
                return;
            }
            name =
                if n == 1 { format!("{base}.{}", set.kind()) } else { format!("{base}.{}.{n}", set.kind()) };
            n += 1;
        }
        self.sets.insert(name, set);
    }

    /// The set of that name.
    ///
    /// # Errors
    ///
    /// [`SetError::Unknown`], which lists the names there are.
    pub fn set(&self, name: &str) -> Result<&Set, SetError> {
        self.sets.get(name).ok_or_else(|| SetError::Unknown {
            name: name.to_owned(),
            known: self.sets.keys().cloned().collect(),
        })
    }

    /// The faces of a face set.
    ///
    /// # Errors
    ///
    /// [`SetError::Unknown`]; [`SetError::WrongKind`] for sets of nodes or cells.
    pub fn faces_of_set(&self, name: &str) -> Result<&[FaceRef], SetError> {
        match self.set(name)? {
            Set::Faces(faces) => Ok(faces),
            set => Err(SetError::WrongKind { name: name.to_owned(), kind: set.kind(), wanted: "faces" }),
        }
    }

    /// The nodes of a set of any kind (of its faces, of its cells), ascending.
    ///
    /// # Errors
    ///
    /// [`SetError::Unknown`].
    pub fn nodes_of_set(&self, name: &str) -> Result<Vec<u32>, SetError> {
        self.set(name).map(|set| self.nodes_of(set))
    }

    /// The nodes of a set of any kind, ascending.
    ///
    /// # Panics
    ///
    /// If the set holds faces or cells that the mesh does not have.
    pub fn nodes_of(&self, set: &Set) -> Vec<u32> {
        let mut nodes: Vec<u32> = match set {
            Set::Nodes(nodes) => return nodes.clone(),
            Set::Faces(faces) => faces.iter().flat_map(|&face| self.face(face).1).collect(),
            Set::Cells(cells) => cells.iter().flat_map(|&cell| self.cell(cell).1.iter().copied()).collect(),
        };
        nodes.sort_unstable();
        nodes.dedup();
        nodes
    }

    /// Adds the set `name`: the faces of the face set `base` whose middle (mean of the corners) lies within
    /// `radius` of `centre`. A set of that name is replaced. Returns the number of faces.
    ///
    /// # Errors
    ///
    /// [`SetError::Unknown`], [`SetError::WrongKind`] for `base`, [`SetError::Radius`];
    /// [`SetError::EmptyZone`] if no face is that near.
    pub fn add_zone(
        &mut self,
        name: &str,
        base: &str,
        centre: [f64; 3],
        radius: f64,
    ) -> Result<usize, SetError> {
        if !(radius > 0.0 && radius.is_finite()) {
            return Err(SetError::Radius { name: name.to_owned(), radius });
        }
        let (mut zone, mut nearest) = (Vec::new(), f64::INFINITY);
        for &face in self.faces_of_set(base)? {
            let distance = distance(self.middle_of_face(face), centre);
            nearest = nearest.min(distance);
            if distance <= radius {
                zone.push(face);
            }
        }
        if zone.is_empty() {
            return Err(SetError::EmptyZone { base: base.to_owned(), centre, radius, nearest });
        }
        let count = zone.len();
        self.sets.insert(name.to_owned(), Set::Faces(zone));
        Ok(count)
    }

    /// Mean of the corners of a face \[m\].
    ///
    /// # Panics
    ///
    /// If there is no such face.
    pub fn middle_of_face(&self, face: FaceRef) -> [f64; 3] {
        let (shape, nodes) = self.face(face);
        self.mean(nodes.take(shape.n_corners()))
    }

    /// Mean of the corners of a cell \[m\].
    ///
    /// # Panics
    ///
    /// If there is no such cell.
    pub fn middle_of_cell(&self, cell: CellRef) -> [f64; 3] {
        let (shape, nodes) = self.cell(cell);
        self.mean(nodes[..shape.n_corners()].iter().copied())
    }

    /// Mean of some nodes \[m\].
    fn mean(&self, nodes: impl Iterator<Item = u32>) -> [f64; 3] {
        let (mut sum, mut n) = ([0.0; 3], 0.0);
        for node in nodes {
            for k in 0..3 {
                sum[k] += self.points[node as usize][k];
            }
            n += 1.0;
        }
        sum.map(|s| s / n)
    }
}

/// |a − b|.
pub(crate) fn distance(a: [f64; 3], b: [f64; 3]) -> f64 {
    (0..3).map(|k| (a[k] - b[k]).powi(2)).sum::<f64>().sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CellBlock, CellShape};

    fn hexahedron() -> Mesh {
        let mut mesh = Mesh {
            points: CellShape::Hex8.reference_nodes().to_vec(),
            blocks: vec![CellBlock { shape: CellShape::Hex8, connectivity: (0..8).collect() }],
            sets: Default::default(),
        };
        mesh.sets.insert("all".into(), Set::of_faces(mesh.boundary_faces()));
        mesh.sets.insert("body".into(), Set::of_cells(vec![CellRef { block: 0, cell: 0 }]));
        mesh
    }

    #[test]
    fn the_error_of_an_unknown_set_lists_the_known_ones() {
        let message = hexahedron().set("tpo").unwrap_err().to_string();
        assert_eq!(message, "there is no set `tpo`; its sets are `all`, `body`");
    }

    #[test]
    fn faces_of_a_cell_set_are_refused_by_kind() {
        let message = hexahedron().faces_of_set("body").unwrap_err().to_string();
        assert!(message.contains("`body` is a set of cells"), "{message}");
    }

    #[test]
    fn a_zone_contains_the_faces_near_its_centre() {
        let mut mesh = hexahedron();
        assert_eq!(mesh.add_zone("top", "all", [0.5, 0.5, 1.0], 0.4), Ok(1));
        assert_eq!(mesh.nodes_of_set("top").unwrap(), [4, 5, 6, 7]);
        let far = mesh.add_zone("far", "all", [0.5, 0.5, 3.0], 0.4).unwrap_err();
        assert!(matches!(far, SetError::EmptyZone { nearest, .. } if (nearest - 2.0).abs() < 1e-15), "{far}");
        assert!(matches!(mesh.add_zone("none", "all", [0.0; 3], f64::NAN), Err(SetError::Radius { .. })));
    }
}
