//! Unstructured grids with fields.

use thiserror::Error;

use crate::CellType;

/// Numbers of a field, in the type of the file.
#[derive(Debug, Clone, PartialEq)]
pub enum Values {
    /// 32-bit floats.
    F32(Vec<f32>),
    /// 64-bit floats.
    F64(Vec<f64>),
    /// 32-bit integers.
    I32(Vec<i32>),
    /// 64-bit integers.
    I64(Vec<i64>),
    /// Bytes, such as marks 0 and 1.
    U8(Vec<u8>),
}

impl Values {
    /// Number of scalars.
    pub fn len(&self) -> usize {
        match self {
            Self::F32(v) => v.len(),
            Self::F64(v) => v.len(),
            Self::I32(v) => v.len(),
            Self::I64(v) => v.len(),
            Self::U8(v) => v.len(),
        }
    }

    /// The numbers in double precision.
    pub fn to_f64(&self) -> Vec<f64> {
        match self {
            Self::F32(v) => v.iter().map(|&x| x.into()).collect(),
            Self::F64(v) => v.clone(),
            Self::I32(v) => v.iter().map(|&x| x.into()).collect(),
            Self::I64(v) => v.iter().map(|&x| x as f64).collect(),
            Self::U8(v) => v.iter().map(|&x| x.into()).collect(),
        }
    }

    /// The numbers if they are integers.
    pub fn to_i64(&self) -> Option<Vec<i64>> {
        match self {
            Self::F32(_) | Self::F64(_) => None,
            Self::I32(v) => Some(v.iter().map(|&x| x.into()).collect()),
            Self::I64(v) => Some(v.clone()),
            Self::U8(v) => Some(v.iter().map(|&x| x.into()).collect()),
        }
    }

    /// True if there is no number.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// A named field over points or cells.
#[derive(Debug, Clone, PartialEq)]
pub struct Field {
    /// Name, shown by ParaView.
    pub name: String,
    /// Components of a tuple: 1 scalar, 3 vector, 6 symmetric tensor in the order xx, yy, zz, xy, yz, xz
    /// (VTK's).
    pub n_components: usize,
    /// Tuple after tuple.
    pub values: Values,
}

impl Field {
    /// Scalar field in double precision.
    pub fn scalar(name: &str, values: Vec<f64>) -> Self {
        Self { name: name.to_owned(), n_components: 1, values: Values::F64(values) }
    }

    /// Field of `N` components in double precision.
    pub fn tuples<const N: usize>(name: &str, values: &[[f64; N]]) -> Self {
        Self { name: name.to_owned(), n_components: N, values: Values::F64(values.as_flattened().to_vec()) }
    }

    /// The same field in single precision: half the size; 1e-7 relative is enough for pictures.
    pub fn single(self) -> Self {
        let values = match self.values {
            Values::F64(v) => Values::F32(v.iter().map(|&x| x as f32).collect()),
            other => other,
        };
        Self { values, ..self }
    }
}

/// An unstructured grid: points, cells and fields over both.
///
/// Points of Bezier cells are Cartesian control points; with `rational_weights` the cells are rational, and
/// so are all point fields: x(ξ) = Σ B_i w_i x_i / Σ B_i w_i.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Grid {
    /// Points \[m\].
    pub points: Vec<[f64; 3]>,
    /// Point numbers, cell after cell, in VTK's order within a cell ([`crate::order`]).
    pub connectivity: Vec<u32>,
    /// End of each cell in `connectivity`.
    pub offsets: Vec<usize>,
    /// Kind of each cell.
    pub types: Vec<CellType>,
    /// Weight of each point for rational cells; empty if no cell is rational.
    pub rational_weights: Vec<f64>,
    /// Degrees of each cell, unused directions 0; empty if no cell needs them.
    pub degrees: Vec<[u8; 3]>,
    /// Fields over points. The first one with three components is the active vector field (Warp By Vector).
    pub point_fields: Vec<Field>,
    /// Fields over cells.
    pub cell_fields: Vec<Field>,
}

/// Errors of an inconsistent grid.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum GridError {
    /// `offsets`, `types` (and `degrees`, if given) differ in length.
    #[error(
        "the grid has {offsets} cell ends, {types} cell types and {degrees} degree triples; give one of each \
         a cell (or no degrees)"
    )]
    CellCounts {
        /// Length of `offsets`.
        offsets: usize,
        /// Length of `types`.
        types: usize,
        /// Length of `degrees`.
        degrees: usize,
    },
    /// A cell refers to a point that does not exist.
    #[error("cell {cell} uses point {point}; the grid has points 0 to {last}", last = *n_points as i64 - 1)]
    NoSuchPoint {
        /// Zero-based number of the cell.
        cell: usize,
        /// The point.
        point: u32,
        /// Number of points.
        n_points: usize,
    },
    /// A cell has a wrong number of points for its kind.
    #[error("cell {cell} ({kind:?}, degrees {degrees:?}) has {found} points, but its kind needs {needed}")]
    CellSize {
        /// Zero-based number of the cell.
        cell: usize,
        /// Its kind.
        kind: CellType,
        /// Its degrees.
        degrees: [u8; 3],
        /// Number of points that it has.
        found: usize,
        /// Number of points that it should have.
        needed: usize,
    },
    /// The number of tuples of a field is not that of points or cells.
    #[error("field `{name}` has {found} numbers; {n_tuples} {over} times {n_components} components make \
        {}", n_tuples * n_components)]
    FieldSize {
        /// Name of the field.
        name: String,
        /// "points" or "cells".
        over: &'static str,
        /// Number of scalars that it has.
        found: usize,
        /// Number of points or cells.
        n_tuples: usize,
        /// Components of a tuple.
        n_components: usize,
    },
    /// The same name occurs twice, or is one that VTK reserves.
    #[error(
        "field name `{name}` over {over} is used twice or reserved (RationalWeights, HigherOrderDegrees); \
         rename it"
    )]
    FieldName {
        /// The name.
        name: String,
        /// "points" or "cells".
        over: &'static str,
    },
    /// Weights are given, but not one for each point.
    #[error("the grid has {weights} rational weights for {points} points; give one for each, or none")]
    WeightCount {
        /// Number of weights.
        weights: usize,
        /// Number of points.
        points: usize,
    },
    /// A weight is not a positive finite number.
    #[error("point {point} has rational weight {weight}; weights must be positive and finite")]
    Weight {
        /// Zero-based number of the point.
        point: usize,
        /// Its weight.
        weight: f64,
    },
}

impl Grid {
    /// Appends a cell. `degrees` is used by Lagrange and Bezier kinds (unused directions 0); pass `[0; 3]`
    /// for others.
    pub fn push_cell(&mut self, kind: CellType, degrees: [u8; 3], points: impl IntoIterator<Item = u32>) {
        self.connectivity.extend(points);
        self.offsets.push(self.connectivity.len());
        self.types.push(kind);
        self.degrees.push(degrees);
    }

    /// Number of cells.
    pub fn n_cells(&self) -> usize {
        self.types.len()
    }

    /// Checks that points, cells, weights and fields are consistent.
    ///
    /// # Errors
    ///
    /// The first [`GridError`] found.
    pub fn check(&self) -> Result<(), GridError> {
        self.check_cells()?;
        self.check_weights()?;
        check_fields(&self.point_fields, "points", self.points.len())?;
        check_fields(&self.cell_fields, "cells", self.n_cells())
    }

    pub(crate) fn check_cells(&self) -> Result<(), GridError> {
        let (offsets, types, degrees) = (self.offsets.len(), self.types.len(), self.degrees.len());
        let in_order =
            self.offsets.is_sorted() && self.offsets.last().is_none_or(|&n| n == self.connectivity.len());
        if offsets != types || (degrees != 0 && degrees != types) || !in_order {
            return Err(GridError::CellCounts { offsets, types, degrees });
        }
        let mut start = 0;
        for (cell, (&end, &kind)) in self.offsets.iter().zip(&self.types).enumerate() {
            let points = &self.connectivity[start..end];
            start = end;
            let degrees = self.degrees.get(cell).copied().unwrap_or_default();
            let needed = match (kind.n_points(), kind.n_degrees()) {
                (Some(n), _) => n,
                (None, 0) => points.len().max(2),
                (None, n) if self.degrees.is_empty() => equal_degree_size(points.len(), n),
                (None, n) => degrees[..n].iter().map(|&p| usize::from(p) + 1).product(),
            };
            if points.len() != needed {
                return Err(GridError::CellSize { cell, kind, degrees, found: points.len(), needed });
            }
            if let Some(&point) = points.iter().find(|&&p| p as usize >= self.points.len()) {
                return Err(GridError::NoSuchPoint { cell, point, n_points: self.points.len() });
            }
        }
        Ok(())
    }

    fn check_weights(&self) -> Result<(), GridError> {
        let (weights, points) = (self.rational_weights.len(), self.points.len());
        if weights != 0 && weights != points {
            return Err(GridError::WeightCount { weights, points });
        }
        match self.rational_weights.iter().position(|&w| !(w.is_finite() && w > 0.0)) {
            Some(point) => Err(GridError::Weight { point, weight: self.rational_weights[point] }),
            None => Ok(()),
        }
    }
}

/// Number of points of the smallest cell with equal degrees in `n` directions and at least `found` points.
fn equal_degree_size(found: usize, n: usize) -> usize {
    (2..).map(|k: usize| k.pow(n as u32)).find(|&size| size >= found).expect("the powers are unbounded")
}

/// Checks lengths and names of the fields over `n_tuples` points or cells.
pub(crate) fn check_fields(fields: &[Field], over: &'static str, n_tuples: usize) -> Result<(), GridError> {
    for (i, field) in fields.iter().enumerate() {
        let Field { name, n_components, values } = field;
        if values.len() != n_tuples * n_components || *n_components == 0 {
            return Err(GridError::FieldSize {
                name: name.clone(),
                over,
                found: values.len(),
                n_tuples,
                n_components: *n_components,
            });
        }
        let reserved = ["RationalWeights", "HigherOrderDegrees"].contains(&name.as_str());
        if reserved || fields[..i].iter().any(|f| f.name == *name) {
            return Err(GridError::FieldName { name: name.clone(), over });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn triangle() -> Grid {
        let mut grid = Grid { points: vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], ..Grid::default() };
        grid.push_cell(CellType::Triangle, [0; 3], [0, 1, 2]);
        grid
    }

    #[test]
    fn inconsistent_grids_are_named() {
        assert_eq!(triangle().check(), Ok(()));

        let mut grid = triangle();
        grid.connectivity[1] = 7;
        let message = grid.check().unwrap_err().to_string();
        assert_eq!(message, "cell 0 uses point 7; the grid has points 0 to 2");

        let mut grid = triangle();
        grid.types[0] = CellType::Quad;
        assert!(matches!(grid.check(), Err(GridError::CellSize { found: 3, needed: 4, .. })));

        let mut grid = triangle();
        grid.rational_weights = vec![1.0, -1.0, 1.0];
        assert!(matches!(grid.check(), Err(GridError::Weight { point: 1, .. })));

        let mut grid = triangle();
        grid.point_fields.push(Field::scalar("t", vec![1.0]));
        let message = grid.check().unwrap_err().to_string();
        assert_eq!(message, "field `t` has 1 numbers; 3 points times 1 components make 3");

        let mut grid = triangle();
        grid.cell_fields = vec![Field::scalar("a", vec![1.0]), Field::scalar("a", vec![1.0])];
        assert!(matches!(grid.check(), Err(GridError::FieldName { .. })));
    }

    #[test]
    fn degrees_fix_the_size_of_a_bezier_cell() {
        let mut grid = Grid { points: vec![[0.0; 3]; 12], ..Grid::default() };
        grid.push_cell(CellType::BezierHexahedron, [1, 2, 1], 0..12);
        assert_eq!(grid.check(), Ok(()));
        grid.degrees[0] = [2, 2, 1];
        assert!(matches!(grid.check(), Err(GridError::CellSize { found: 12, needed: 18, .. })));
    }
}
