//! Stress of many displacement fields at once at fixed points of a body: stress modes, and the stress at
//! nodes.
//!
//! Stress is linear in the displacement of the points, σ = D B u. Each kind of cell has fixed *samples*: one
//! point of a tet4, four of a tet10, 2×2×2 of hexahedra and pyramids, 3×2 of wedges, p Gauss points a
//! direction of a knot span of degree p. Stress is most accurate there. These samples are the *Gauss points*.
//! *Nodal* stress of a mesh is extrapolated from them to the nodes of the cell, and averaged over the cells
//! of one material that share a node. NURBS have no nodes: their cells are evaluated at the lattice i/p, the
//! points of the body's Bezier form, and averaged where these coincide.
//!
//! A node at which two materials meet has two sites, because the stress is discontinuous there.

mod cell_strain;
mod energy_error;
mod large_strain;
mod nodes;
mod place;
mod point_fit;
mod scheme;

use std::collections::HashMap;
use std::ops::Range;

use carom_mesh::{CellRef, CellShape};
use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, MatMut, MatRef, Par};
use rayon::prelude::*;

use crate::evaluator::CellEvaluator;
use crate::quadrature::Quadrature;
use crate::stress::of_gradient;
use crate::{Body, Cells, Discretisation, Geometry};
use carom_nurbs::Multipatch;
use scheme::Scheme;

pub use energy_error::energy_errors;
pub use nodes::at_nodes;
pub use place::PlaceRecovery;
pub use point_fit::PointFit;

/// Number of displacement fields that are processed together.
const CHUNK: usize = 32;

/// Kinds of places for stress recovery.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StressAt {
    /// Nodes of a mesh, lattice points of knot spans: averaged between cells.
    Nodes,
    /// Points inside the cells, without averaging.
    GaussPoints,
}

/// A place at which stress is recovered.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StressSite {
    /// Position in the axes of the body \[m\].
    pub position: [f64; 3],
    /// Material of the stress.
    pub material: u32,
    /// Number of the node of a mesh; `None` at Gauss points, and for NURBS.
    pub node: Option<u32>,
    /// First cell that contains it.
    pub cell: CellRef,
    /// Its parameters in that cell.
    pub xi: [f64; 3],
}

/// The sites of a body, and the cells that contribute to their stress.
#[derive(Debug, Clone)]
pub struct StressSites {
    /// Kind of the places.
    pub at: StressAt,
    /// The places.
    pub sites: Vec<StressSite>,
    cells: Vec<CellSamples>,
    schemes: Vec<Scheme>,
    /// Number of cells that contribute to each site.
    counts: Vec<u32>,
}

/// A cell and the sites to which it contributes.
#[derive(Debug, Clone)]
struct CellSamples {
    cell: CellRef,
    scheme: usize,
    /// Site of each row of the scheme; `u32::MAX` if the map collapses there, or the site was left out.
    targets: Vec<u32>,
}

impl StressSites {
    /// The Gauss points of all cells, cell by cell.
    pub fn gauss_points(discretisation: &Discretisation) -> Self {
        let mut found = Self::empty(StressAt::GaussPoints);
        let mut evaluator = CellEvaluator::new(discretisation);
        for (i_block, block) in discretisation.blocks.iter().enumerate() {
            let points = match &block.cells {
                Cells::Lagrange { shape, .. } => Scheme::gauss_of(*shape),
                Cells::Spline(cells) => Quadrature::cube(cells.degrees).points,
            };
            found.schemes.push(Scheme::samples(points));
            for cell in 0..block.n_cells() {
                let cell = CellRef { block: i_block as u32, cell: cell as u32 };
                found.add_cell(&mut evaluator, cell, i_block, block.material as u32, |_, next| (next, None));
            }
        }
        found
    }

    /// The nodes of a mesh, or the lattice points of knot spans, one site for each material that meets there.
    pub fn nodes(body: &Body, discretisation: &Discretisation) -> Self {
        match &body.geometry {
            Geometry::Mesh(_) => Self::mesh_nodes(discretisation),
            Geometry::Nurbs(multipatch) => Self::lattice_nodes(multipatch, discretisation, Scheme::lattice),
        }
    }

    /// As [`Self::nodes`], also for NURBS extrapolated from the points of a cell at which stress is most
    /// accurate: these differ from the stress of the cell itself.
    fn extrapolated(body: &Body, discretisation: &Discretisation) -> Self {
        match &body.geometry {
            Geometry::Mesh(_) => Self::mesh_nodes(discretisation),
            Geometry::Nurbs(multipatch) => {
                Self::lattice_nodes(multipatch, discretisation, Scheme::fitted_lattice)
            }
        }
    }

    /// The lattice points of knot spans.
    fn lattice_nodes(
        multipatch: &Multipatch,
        discretisation: &Discretisation,
        scheme_for: fn([usize; 3]) -> Scheme,
    ) -> Self {
        let mut found = Self::empty(StressAt::Nodes);
        let mut evaluator = CellEvaluator::new(discretisation);
        let mut known = HashMap::new();
        let mut scheme_of = HashMap::new();
        let numbers = multipatch.cell_numbers();
        for bezier in &multipatch.bezier().cells {
            let (block, cell) = numbers.of(bezier.patch, bezier.level, bezier.cell);
            let scheme = *scheme_of.entry(bezier.degrees).or_insert_with(|| {
                found.schemes.push(scheme_for(bezier.degrees));
                found.schemes.len() - 1
            });
            let material = discretisation.blocks[block as usize].material as u32;
            found.add_cell(&mut evaluator, CellRef { block, cell }, scheme, material, |row, next| {
                (*known.entry((bezier.points[row], material)).or_insert(next), None)
            });
        }
        found
    }

    /// The nodes of the Lagrange cells of a discretisation; NURBS blocks are skipped.
    pub fn mesh_nodes(discretisation: &Discretisation) -> Self {
        let mut found = Self::empty(StressAt::Nodes);
        let mut evaluator = CellEvaluator::new(discretisation);
        let mut known: HashMap<(u32, u32), u32> = HashMap::new();
        for (i_block, block) in discretisation.blocks.iter().enumerate() {
            let Cells::Lagrange { shape, connectivity } = &block.cells else { continue };
            found.schemes.push(Scheme::nodes_of(*shape));
            let (scheme, n) = (found.schemes.len() - 1, shape.n_nodes());
            for (cell, nodes) in connectivity.chunks_exact(n).enumerate() {
                let cell = CellRef { block: i_block as u32, cell: cell as u32 };
                let material = block.material as u32;
                found.add_cell(&mut evaluator, cell, scheme, material, |row, next| {
                    let node = nodes[row];
                    (*known.entry((node, material)).or_insert(next), Some(node))
                });
            }
        }
        found
    }

    fn empty(at: StressAt) -> Self {
        Self { at, sites: Vec::new(), cells: Vec::new(), schemes: Vec::new(), counts: Vec::new() }
    }

    /// Adds a cell; `site_of` returns the site of a row (the next number for a new one) and its node.
    fn add_cell(
        &mut self,
        evaluator: &mut CellEvaluator<'_>,
        cell: CellRef,
        scheme: usize,
        material: u32,
        mut site_of: impl FnMut(usize, u32) -> (u32, Option<u32>),
    ) {
        evaluator.enter(cell);
        let Scheme { places, rows, .. } = &self.schemes[scheme];
        let mut targets = Vec::with_capacity(places.len());
        for (row, &xi) in places.iter().enumerate() {
            let point = evaluator.at(xi);
            let next = self.sites.len() as u32;
            let (site, node) = site_of(row, next);
            if site == next {
                self.sites.push(StressSite { position: point.position, material, node, cell, xi });
                self.counts.push(0);
            }
            // At a collapsed point of a degenerate patch the gradient does not exist: such a point gets the
            // stress of neighbouring cells.
            let exists = rows.is_some() || point.inverse().as_flattened().iter().all(|x| x.is_finite());
            if exists {
                self.counts[site as usize] += 1;
            }
            targets.push(if exists { site } else { u32::MAX });
        }
        self.cells.push(CellSamples { cell, scheme, targets });
    }

    /// The sites of the surface only: nodes on it, or all Gauss points of the cells behind it.
    #[must_use]
    pub fn on_surface(mut self, body: &Body) -> Self {
        let mut faces_of: HashMap<CellRef, Vec<u8>> = HashMap::new();
        for face in body.boundary_faces() {
            faces_of.entry(face.cell()).or_default().push(face.face);
        }
        let mut kept = vec![false; self.sites.len()];
        for own in &self.cells {
            let Some(faces) = faces_of.get(&own.cell) else { continue };
            let places = &self.schemes[own.scheme].places;
            for (&site, xi) in own.targets.iter().zip(places).filter(|(site, _)| **site != u32::MAX) {
                let shape = match &body.geometry {
                    Geometry::Mesh(mesh) => Some(mesh.blocks[own.cell.block as usize].shape),
                    Geometry::Nurbs(_) => None,
                };
                let on_face = |face: &u8| lies_on(shape, *face, xi);
                kept[site as usize] |= self.at == StressAt::GaussPoints || faces.iter().any(on_face);
            }
        }
        let mut next = 0;
        let new: Vec<u32> = kept
            .iter()
            .map(|&kept| {
                next += u32::from(kept);
                if kept { next - 1 } else { u32::MAX }
            })
            .collect();
        for own in &mut self.cells {
            for target in own.targets.iter_mut().filter(|target| **target != u32::MAX) {
                *target = new[*target as usize];
            }
        }
        self.cells.retain(|own| own.targets.iter().any(|&target| target != u32::MAX));
        let mut keep = kept.iter();
        self.sites.retain(|_| *keep.next().expect("one flag a site"));
        let mut keep = kept.iter();
        self.counts.retain(|_| *keep.next().expect("one flag a site"));
        self
    }

    /// Number of sites.
    pub fn len(&self) -> usize {
        self.sites.len()
    }

    /// True without any site.
    pub fn is_empty(&self) -> bool {
        self.sites.is_empty()
    }

    /// Number of cells that contribute to a site: 0 if no gradient exists, and the stress is zero.
    pub fn n_cells(&self, site: usize) -> u32 {
        self.counts[site]
    }

    /// Stress of displacement fields at the sites, 6 sites × fields \[Pa\]: rows 6 i … 6 i + 5 are xx, yy,
    /// zz, xy, yz, xz at the i-th site.
    ///
    /// * `discretisation` — that of the sites
    /// * `displacement` — dofs × fields \[m\]
    ///
    /// # Panics
    ///
    /// If `displacement` has fewer rows than the body has dofs.
    pub fn stress(&self, discretisation: &Discretisation, displacement: MatRef<'_, f64>) -> Mat<f64> {
        let n_fields = displacement.ncols();
        assert!(
            displacement.nrows() >= discretisation.n_dofs(),
            "rows of the displacement are the dofs of the body"
        );
        let chunks: Vec<Range<usize>> =
            (0..n_fields).step_by(CHUNK).map(|start| start..(start + CHUNK).min(n_fields)).collect();
        let parts: Vec<Vec<f64>> = chunks
            .par_iter()
            .map(|fields| self.chunk(discretisation, displacement, fields.clone()))
            .collect();
        let n_rows = 6 * self.len();
        let mut out = Mat::zeros(n_rows, n_fields);
        for (fields, part) in chunks.iter().zip(&parts) {
            let width = fields.len();
            for (k, field) in fields.clone().enumerate() {
                let column = out.col_as_slice_mut(field);
                (0..n_rows).for_each(|i| column[i] = part[i * width + k]);
            }
        }
        out
    }

    /// Stress of some fields, fields side by side.
    fn chunk(&self, discretisation: &Discretisation, u: MatRef<'_, f64>, fields: Range<usize>) -> Vec<f64> {
        let width = fields.len();
        let mut sum = vec![0.0; 6 * self.len() * width];
        let mut evaluator = CellEvaluator::new(discretisation);
        let mut gradients = Gradients::new(width);
        let (mut samples, mut found) = (Vec::new(), Vec::new());
        for CellSamples { cell, scheme, targets } in &self.cells {
            let Scheme { points, rows, .. } = &self.schemes[*scheme];
            evaluator.enter(*cell);
            let material = &discretisation.materials[discretisation.blocks[cell.block as usize].material];
            gradients.begin(discretisation, evaluator.ids(), u, &fields);
            for (s, &xi) in points.iter().enumerate() {
                if rows.is_none() && targets[s] == u32::MAX {
                    gradients.skip_point();
                    continue;
                }
                let point = evaluator.at(xi);
                evaluator.physical_gradients(&point);
                gradients.add_point(&evaluator);
            }
            gradients.evaluate();
            samples.resize(6 * points.len() * width, 0.0);
            for (s, samples) in samples.chunks_exact_mut(6 * width).enumerate() {
                for k in 0..width {
                    let stress = of_gradient(material, &gradients.of(s, k));
                    (0..6).for_each(|c| samples[c * width + k] = stress[c]);
                }
            }
            let at_sites = match rows {
                None => &samples,
                Some(rows) => {
                    product(rows.as_ref(), &samples, 6 * width, &mut found);
                    &found
                }
            };
            for (&site, values) in targets.iter().zip(at_sites.chunks_exact(6 * width)) {
                if site != u32::MAX {
                    let out = &mut sum[6 * site as usize * width..][..6 * width];
                    out.iter_mut().zip(values).for_each(|(sum, value)| *sum += value);
                }
            }
        }
        for (values, &count) in sum.chunks_exact_mut(6 * width.max(1)).zip(&self.counts) {
            if count > 1 {
                values.iter_mut().for_each(|v| *v /= f64::from(count));
            }
        }
        sum
    }
}

/// Displacement gradients of fields at points of a cell: one product of matrices for all of them.
pub(crate) struct Gradients {
    width: usize,
    /// Displacements of the points of the cell \[m\], from [`gather`]: rows i, columns a width + k for
    /// component a of field k.
    local: Vec<f64>,
    /// ∂R_i/∂x_b at point q of the cell: rows 3 q + b, columns i.
    functions: Vec<f64>,
    /// ∂u_a/∂x_b at point q: rows 3 q + b, columns a width + k.
    values: Vec<f64>,
}

impl Gradients {
    pub(crate) fn new(width: usize) -> Self {
        Self { width, local: Vec::new(), functions: Vec::new(), values: Vec::new() }
    }

    /// Begins with a cell.
    ///
    /// * `ids` — the points of its functions
    pub(crate) fn begin(
        &mut self,
        discretisation: &Discretisation,
        ids: &[u32],
        u: MatRef<'_, f64>,
        fields: &Range<usize>,
    ) {
        self.functions.clear();
        self.local.resize(3 * ids.len() * self.width, 0.0);
        gather(discretisation, ids, u, fields, &mut self.local);
    }

    /// Adds the point whose physical gradients were evaluated last.
    pub(crate) fn add_point(&mut self, evaluator: &CellEvaluator<'_>) {
        evaluator.physical().iter().for_each(|slopes| self.functions.extend_from_slice(slopes));
    }

    /// Adds a point at which no gradient exists.
    fn skip_point(&mut self) {
        let n = self.local.len() / self.width;
        self.functions.resize(self.functions.len() + n, 0.0);
    }

    /// Computes the gradients at all points.
    pub(crate) fn evaluate(&mut self) {
        let columns = 3 * self.width;
        let n = self.local.len() / columns;
        let functions = MatRef::from_row_major_slice(&self.functions, self.functions.len() / n, n);
        product(functions, &self.local, columns, &mut self.values);
    }

    /// Of field k at point q.
    pub(crate) fn of(&self, q: usize, k: usize) -> [[f64; 3]; 3] {
        let width = self.width;
        [0, 1, 2].map(|a| [0, 1, 2].map(|b| self.values[((3 * q + b) * 3 + a) * width + k]))
    }
}

/// A · B, rows side by side.
///
/// * `b` — of so many columns
fn product(a: MatRef<'_, f64>, b: &[f64], columns: usize, out: &mut Vec<f64>) {
    out.resize(a.nrows() * columns, 0.0);
    let b = MatRef::from_row_major_slice(b, a.ncols(), columns);
    let out = MatMut::from_row_major_slice_mut(out, a.nrows(), columns);
    matmul(out, Accum::Replace, a, b, 1.0, Par::Seq);
}

/// Displacements of the points of a cell, component a of point i of all fields side by side at (3 i + a)
/// width; those of hanging points are interpolated.
fn gather(
    discretisation: &Discretisation,
    ids: &[u32],
    u: MatRef<'_, f64>,
    fields: &Range<usize>,
    local: &mut [f64],
) {
    let width = fields.len();
    let (n_points, dofs) = (discretisation.n_points(), discretisation.dofs_per_point);
    for (i, &id) in ids.iter().enumerate() {
        for (a, values) in local[3 * i * width..3 * (i + 1) * width].chunks_exact_mut(width).enumerate() {
            let at = |k: usize, point: usize| u[(dofs * point + a, k)];
            for (field, value) in fields.clone().zip(values) {
                *value = match (id as usize).checked_sub(n_points) {
                    None => at(field, id as usize),
                    Some(hanging) => {
                        let of =
                            |sum, &(point, factor): &(u32, f64)| sum + factor * at(field, point as usize);
                        discretisation.hanging[hanging].iter().fold(0.0, of)
                    }
                };
            }
        }
    }
}

/// True if a place of the reference cell lies on a face of it.
fn lies_on(shape: Option<CellShape>, face: u8, xi: &[f64; 3]) -> bool {
    let Some(shape) = shape else {
        // Sides of a span: start and end of each direction.
        let (direction, end) = (usize::from(face / 2), f64::from(face % 2));
        return (xi[direction] - end).abs() < 1e-12;
    };
    let nodes = shape.reference_nodes();
    shape.face(usize::from(face)).iter().any(|&node| {
        let place = nodes[node as usize];
        (0..3).all(|a| (place[a] - xi[a]).abs() < 1e-12)
    })
}
