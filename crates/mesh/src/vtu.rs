//! VTK's unstructured grids (.vtu): files of VTK, meshio and carom are read as meshes; meshes are written
//! with their sets.
//!
//! * Point k of the file is node k.
//! * A set is a field of marks called `set:NAME`, 1 for its members and 0 elsewhere: over the volume cells
//!   for a set of cells; over surface cells, which then follow the volume cells, for a set of faces; over
//!   points for a set of nodes.
//! * Fields of group numbers that other programs write (`gmsh:physical`, `medit:ref`, `CellEntityIds`) become
//!   a set for each number, `physical3`, `ref3`, `entity3`.
//! * Cells of one kind and in the same sets form a block. The file has no materials.
//!
//! Polyhedra and other unsupported kinds are errors that name the kind. Bezier cells are errors too: they are
//! pictures of NURBS bodies without their knots. Wedges of either orientation are read.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::path::{Path, PathBuf};

use carom_files::coordinates::ImpossiblePoint;
use carom_vtk::{CellType, Field, Grid, ReadError, Values, read_vtu_with};

use crate::measure::VolumeRule;
use crate::{CellBlock, CellRef, CellShape, FaceRef, FaceShape, FaceTable, Mesh, Set};

/// Prefix of the names of fields that mark a set.
const MARK: &str = "set:";

/// Fields of group numbers, and the prefix of the names of their sets.
const GROUPS: [(&str, &str); 5] = [
    ("gmsh:physical", "physical"),
    ("medit:ref", "ref"),
    ("CellEntityIds", "entity"),
    ("cell_tags", "tag"),
    ("MaterialIds", "material"),
];

/// Error from reading the mesh of a `.vtu` file.
#[derive(Debug, thiserror::Error)]
pub enum ReadVtuError {
    /// The file cannot be read.
    #[error(transparent)]
    File(#[from] ReadError),
    /// The grid of the file is not a mesh.
    #[error("`{path}`: {source}")]
    Mesh {
        /// The file.
        path: PathBuf,
        /// Error in the grid.
        source: GridMeshError,
    },
}

/// Errors of a grid that is not a mesh.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum GridMeshError {
    /// A kind of cell is not supported.
    #[error(
        "cell {cell} is one of {count} {kind}; carom reads tetrahedra, hexahedra, wedges and pyramids of \
         first and second order (VTK's cell types {}): mesh without others",
        known_types()
    )]
    UnsupportedCell {
        /// Number of the first cell of this kind, from zero.
        cell: usize,
        /// Number of cells of this kind.
        count: usize,
        /// Name of the kind.
        kind: &'static str,
    },
    /// The grid has Bezier cells.
    #[error(
        "it holds {kind}, the picture of a NURBS body without its knots and patches: import the NURBS file \
         itself (.xml, .mesh, .json, …) or use the body file that it was written from"
    )]
    Bezier {
        /// Name of the kind.
        kind: &'static str,
    },
    /// A coordinate is too large; points are counted from zero.
    #[error(transparent)]
    Coordinates(#[from] ImpossiblePoint),
    /// The grid has no volume cells.
    #[error("the grid has no volume cells, only {found}; save the solid, not its surface")]
    NoVolume {
        /// The cells that the grid has.
        found: String,
    },
}

/// VTK's numbers of the supported kinds: "10, 24, …".
fn known_types() -> String {
    CellShape::SOLIDS.map(|shape| (shape.table().vtk.kind as u8).to_string()).join(", ")
}

/// A note for the user about a grid that was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Note {
    /// Nodes that no volume cell uses.
    UnusedNodes {
        /// How many.
        count: usize,
    },
    /// Points, lines and surface cells in no set, or of a kind that cannot be a face; they are left out.
    LeftOut {
        /// Name of the kind.
        kind: &'static str,
        /// Number of cells.
        count: usize,
    },
    /// Surface cells in a set that are not a face of a volume cell; they are left out.
    LooseFaces {
        /// Name of the set.
        name: String,
        /// Number of cells.
        count: usize,
    },
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnusedNodes { count } => {
                write!(
                    f,
                    "{count} nodes belong to no volume cell; they keep their numbers but get no freedoms"
                )
            }
            Self::LeftOut { kind, count } => {
                write!(f, "{count} {kind} in addition to the volume cells are in no set and are left out")
            }
            Self::LooseFaces { name, count } => write!(
                f,
                "set `{name}`: {count} of its surface cells are not faces of a volume cell and are left out"
            ),
        }
    }
}

/// Reads the mesh of a `.vtu` file.
///
/// # Errors
///
/// [`ReadVtuError`]: the file cannot be read, or its grid is not a mesh of solids.
pub fn read(path: &Path) -> Result<(Mesh, Vec<Note>), ReadVtuError> {
    let is_set = |name: &str| name.starts_with(MARK) || GROUPS.iter().any(|(group, _)| *group == name);
    let grid = read_vtu_with(path, &is_set)?;
    mesh(&grid).map_err(|source| ReadVtuError::Mesh { path: path.to_owned(), source })
}

/// A mesh as a grid whose fields mark its sets; [`mesh`] gives the same nodes, cells and sets back.
pub fn grid(mesh: &Mesh) -> Grid {
    let mut grid = Grid { points: mesh.points.clone(), ..Grid::default() };
    let mut first = Vec::with_capacity(mesh.blocks.len());
    for block in &mesh.blocks {
        first.push(grid.n_cells());
        for nodes in block.cells() {
            grid.push_cell(block.shape.table().vtk.kind, [0; 3], nodes.iter().copied());
        }
    }
    let n_volumes = grid.n_cells();
    let mut faces: Vec<FaceRef> = Vec::new();
    for set in mesh.sets.values() {
        if let Set::Faces(members) = set {
            faces.extend(members);
        }
    }
    faces.sort_unstable();
    faces.dedup();
    for &face in &faces {
        let (shape, nodes) = mesh.face(face);
        grid.push_cell(shape.vtk(), [0; 3], nodes);
    }
    for (name, set) in &mesh.sets {
        let mut marks =
            vec![0; if matches!(set, Set::Nodes(_)) { grid.points.len() } else { grid.n_cells() }];
        match set {
            Set::Nodes(nodes) => nodes.iter().for_each(|&node| marks[node as usize] = 1),
            Set::Cells(cells) => {
                cells.iter().for_each(|c| marks[first[c.block as usize] + c.cell as usize] = 1);
            }
            Set::Faces(members) => {
                for face in members {
                    let at = faces.binary_search(face).expect("all faces of sets are in the list");
                    marks[n_volumes + at] = 1;
                }
            }
        }
        let field = Field { name: format!("{MARK}{name}"), n_components: 1, values: Values::U8(marks) };
        if matches!(set, Set::Nodes(_)) { &mut grid.point_fields } else { &mut grid.cell_fields }.push(field);
    }
    grid
}

/// The mesh of a grid.
///
/// # Errors
///
/// [`GridMeshError`]: it has volume cells of other kinds, or none.
pub fn mesh(grid: &Grid) -> Result<(Mesh, Vec<Note>), GridMeshError> {
    let checked = |(point, &x)| ImpossiblePoint::check("point", point, x);
    (0..).zip(&grid.points).try_for_each(checked)?;
    let mut groups = Groups::of(grid);
    let mut mesh = Mesh { points: grid.points.clone(), ..Mesh::default() };
    let mut surfaces = Vec::new();
    let mut left_out: BTreeMap<CellType, usize> = BTreeMap::new();
    let mut block_of: HashMap<(CellShape, Vec<usize>), usize> = HashMap::new();
    let mut start = 0;
    for (cell, (&kind, &end)) in grid.types.iter().zip(&grid.offsets).enumerate() {
        let nodes = &grid.connectivity[start..end];
        start = end;
        let members = groups.of_cell(cell);
        match solid(kind, nodes.len()) {
            Some((shape, places)) => {
                let key = (shape, members);
                let block = block_of.get(&key).copied().unwrap_or_else(|| {
                    mesh.blocks.push(CellBlock { shape, connectivity: Vec::new() });
                    mesh.blocks.len() - 1
                });
                let cells = &mut mesh.blocks[block];
                let number = CellRef { block: block as u32, cell: cells.n_cells() as u32 };
                match places {
                    None => cells.connectivity.extend_from_slice(nodes),
                    Some(places) => cells.connectivity.extend(places.iter().map(|&k| nodes[k as usize])),
                }
                key.1.iter().for_each(|&group| groups.cells[group].push(number));
                block_of.entry(key).or_insert(block);
            }
            None if kind.dimension() == 3 => return Err(unsupported(grid, cell, kind)),
            None if members.is_empty() => *left_out.entry(kind).or_default() += 1,
            None => match FaceShape::from_vtk(kind, nodes.len()) {
                Some(shape) => surfaces.push((shape, nodes, members)),
                None if kind.dimension() < 2 => {
                    members.iter().for_each(|&group| groups.nodes[group].extend_from_slice(nodes));
                }
                None => *left_out.entry(kind).or_default() += 1,
            },
        }
    }
    if mesh.blocks.is_empty() {
        return Err(GridMeshError::NoVolume { found: kinds_found(grid) });
    }
    mesh.blocks.iter_mut().for_each(|block| turn_mirrored(&mesh.points, block));
    let loose = groups.match_faces(&mesh, &surfaces);
    groups.name_sets(&mut mesh);
    let unused = mesh.points.len() - mesh.used_nodes().len();
    let mut notes = Vec::new();
    if unused > 0 {
        notes.push(Note::UnusedNodes { count: unused });
    }
    notes.extend(left_out.into_iter().map(|(kind, count)| Note::LeftOut { kind: kind.name(), count }));
    notes.extend(loose);
    Ok((mesh, notes))
}

/// The kind of a volume cell, and the places of its nodes if the order differs.
fn solid(kind: CellType, n_nodes: usize) -> Option<(CellShape, Option<&'static [u8]>)> {
    CellShape::SOLIDS.into_iter().find_map(|shape| {
        let vtk = &shape.table().vtk;
        if vtk.kind == kind {
            return Some((shape, None));
        }
        let alias = vtk.others.iter().find(|alias| alias.kind == kind && alias.n_nodes == n_nodes)?;
        Some((shape, alias.places))
    })
}

/// Inverts mirrored cells of a block if VTK's definition allows both orientations: the figure of the wedge in
/// VTK's documentation and its shape functions contradict each other.
fn turn_mirrored(points: &[[f64; 3]], block: &mut CellBlock) {
    let Some(mirrored) = block.shape.table().vtk.mirrored else { return };
    let rule = VolumeRule::new(block.shape);
    let mut coordinates = [[0.0; 3]; CellShape::MAX_NODES];
    for nodes in block.connectivity.chunks_exact_mut(block.shape.n_nodes()) {
        for (x, &node) in coordinates.iter_mut().zip(&*nodes) {
            *x = points[node as usize];
        }
        if rule.volume(&coordinates[..nodes.len()]) < 0.0 {
            let old = nodes.to_vec();
            nodes.iter_mut().zip(mirrored).for_each(|(node, &place)| *node = old[place as usize]);
        }
    }
}

fn unsupported(grid: &Grid, cell: usize, kind: CellType) -> GridMeshError {
    use CellType::{BezierHexahedron, BezierPyramid, BezierTetrahedron, BezierWedge};
    if [BezierHexahedron, BezierTetrahedron, BezierWedge, BezierPyramid].contains(&kind) {
        return GridMeshError::Bezier { kind: kind.name() };
    }
    let count = grid.types.iter().filter(|k| **k == kind).count();
    GridMeshError::UnsupportedCell { cell, count, kind: kind.name() }
}

/// "12 triangles, 3 lines", or "points".
fn kinds_found(grid: &Grid) -> String {
    let mut counts: BTreeMap<CellType, usize> = BTreeMap::new();
    grid.types.iter().for_each(|kind| *counts.entry(*kind).or_default() += 1);
    if counts.is_empty() {
        return "points".to_owned();
    }
    counts.iter().map(|(kind, count)| format!("{count} {}", kind.name())).collect::<Vec<_>>().join(", ")
}

/// The sets of a grid.
struct Groups {
    names: Vec<String>,
    /// Groups with a field of marks each: the marks of all cells, and the group.
    marks: Vec<(Vec<i64>, usize)>,
    /// Fields of group numbers: the numbers of all cells, and the group of each number.
    numbers: Vec<(Vec<i64>, HashMap<i64, usize>)>,
    cells: Vec<Vec<CellRef>>,
    faces: Vec<Vec<FaceRef>>,
    nodes: Vec<Vec<u32>>,
    /// Sets with marks over the points.
    point_sets: Vec<(String, Vec<u32>)>,
}

impl Groups {
    fn of(grid: &Grid) -> Self {
        let (mut names, mut marks, mut numbers) = (Vec::new(), Vec::new(), Vec::new());
        for field in grid.cell_fields.iter().filter(|field| field.n_components == 1) {
            let Some(values) = field.values.to_i64() else { continue };
            if let Some(name) = field.name.strip_prefix(MARK) {
                marks.push((values, names.len()));
                names.push(name.to_owned());
            } else if let Some((_, prefix)) = GROUPS.iter().find(|(name, _)| *name == field.name) {
                let mut distinct: Vec<i64> = values.iter().copied().filter(|n| *n > 0).collect();
                distinct.sort_unstable();
                distinct.dedup();
                let base = names.len();
                names.extend(distinct.iter().map(|n| format!("{prefix}{n}")));
                numbers.push((values, (base..).zip(distinct).map(|(group, n)| (n, group)).collect()));
            }
        }
        let mut point_sets = Vec::new();
        for field in grid.point_fields.iter().filter(|field| field.n_components == 1) {
            if let (Some(name), Some(values)) = (field.name.strip_prefix(MARK), field.values.to_i64()) {
                let marked = (0u32..).zip(values).filter(|(_, mark)| *mark != 0).map(|(node, _)| node);
                point_sets.push((name.to_owned(), marked.collect()));
            }
        }
        let n = names.len();
        let (cells, faces, nodes) = (vec![Vec::new(); n], vec![Vec::new(); n], vec![Vec::new(); n]);
        Self { names, marks, numbers, cells, faces, nodes, point_sets }
    }

    /// Groups that a cell is in, ascending.
    fn of_cell(&self, cell: usize) -> Vec<usize> {
        let marked = self.marks.iter().filter(|(marks, _)| marks[cell] != 0).map(|(_, group)| *group);
        let numbered = self.numbers.iter().filter_map(|(numbers, group)| group.get(&numbers[cell]).copied());
        let mut all: Vec<usize> = marked.chain(numbered).collect();
        all.sort_unstable();
        all
    }

    /// Finds the cell faces of surface cells; adds a note for each set with surface cells of no volume cell.
    fn match_faces(&mut self, mesh: &Mesh, surfaces: &[(FaceShape, &[u32], Vec<usize>)]) -> Vec<Note> {
        if surfaces.is_empty() {
            return Vec::new();
        }
        let table = FaceTable::new(mesh);
        let mut loose: BTreeMap<usize, usize> = BTreeMap::new();
        for (shape, nodes, members) in surfaces {
            let found = table.behind(mesh, *shape, nodes);
            for &group in members {
                match found {
                    Some(face) => self.faces[group].push(face),
                    None => *loose.entry(group).or_default() += 1,
                }
            }
        }
        let note =
            |(group, count): (usize, usize)| Note::LooseFaces { name: self.names[group].clone(), count };
        loose.into_iter().map(note).collect()
    }

    fn name_sets(self, mesh: &mut Mesh) {
        let named = || self.names.iter().cloned();
        let cells = named().zip(self.cells.iter().cloned().map(Set::of_cells)).collect::<Vec<_>>();
        let faces = named().zip(self.faces.iter().cloned().map(Set::of_faces)).collect::<Vec<_>>();
        let nodes = named().zip(self.nodes.iter().cloned().map(Set::of_nodes)).collect::<Vec<_>>();
        let points = self.point_sets.into_iter().map(|(name, nodes)| (name, Set::of_nodes(nodes)));
        for (name, set) in cells.into_iter().chain(faces).chain(nodes).chain(points) {
            if !set.is_empty() {
                mesh.insert_set(&name, set);
            }
        }
    }
}
