//! The stress at one point of a solid body, or its mean over the points of a set, for many states in turn.
//!
//! ```text
//! σ(x) = Σ_j N_j(ξ) σ_j ,   σ_j = (1/n_j) Σ_c Σ_s E_js σ_c(ξ_s) = Σ_c Σ_s w_cs σ_c(ξ_s)
//! ```
//!
//! The sites j of the cell that contains x are its nodes, or the lattice points i/p of a knot span. The
//! stress σ_j of a site is the mean of the n_j cells of one material that meet there, each extrapolated from
//! the points s at which stress is most accurate, or from the quadrature points of the scheme where the law
//! keeps history. The field is continuous in each material. The few weights w are computed once, and an
//! evaluation is a sum over some points of few cells.

use std::collections::{BTreeMap, HashMap};

use carom_mesh::{CellRef, CellShape, FaceRef, lagrange};
use faer::Mat;
use nalgebra::{Matrix3, Vector3};

use super::PointFit;
use super::scheme::{Scheme, lattice_factors, lattice_points, matrix};
use crate::constitutive::{LANES, Lanes, Law, Tensor, ZERO, cauchy_stress};
use crate::evaluator::CellEvaluator;
use crate::internal_force::dilatation::{change_of, modified_gradient};
use crate::internal_force::lagrange::points as rule_points;
use crate::internal_force::{History, HistoryPlace, InternalForce, PointRule, PointStress};
use crate::quadrature::Quadrature;
use crate::sets::SetError;
use crate::stress::Stress;
use crate::{Body, Cells, Discretisation, Geometry};

/// Largest number of history variables of a law.
const MOST_HISTORY: usize = 16;

/// Distance in the parameters of a knot span below which a lattice point lies on one of its sides.
const ON_SIDE: f64 = 1e-12;

/// The weights w of the stress at a place, over points of few cells.
#[derive(Debug, Clone)]
pub struct PlaceRecovery {
    cells: Vec<PlacedCell>,
}

/// A cell with the points of it that have weights.
#[derive(Debug, Clone)]
struct PlacedCell {
    cell: CellRef,
    /// Points of the body whose displacements it needs.
    points: Vec<u32>,
    samples: Vec<Sample>,
    /// The quadrature points with their volumes, of a cell that has one change of volume.
    dilated: Vec<(f64, Vec<[f64; 3]>)>,
    /// Where its history is, of a law with history.
    history: Option<HistoryPlace>,
}

/// A point of a cell.
#[derive(Debug, Clone)]
struct Sample {
    weight: f64,
    /// Derivatives ∂R_i/∂X of the functions of the points of the cell \[1/m\].
    slopes: Vec<[f64; 3]>,
    /// Number among the quadrature points of the cell, of a law with history.
    number: usize,
}

/// A site: number of a node or lattice point, and material.
type Site = (u32, usize);

/// Points of a cell with the factors of their stress (columns) at its sites (rows).
struct CellScheme {
    points: Vec<[f64; 3]>,
    rows: Mat<f64>,
}

impl PlaceRecovery {
    /// The stress at a point of a body.
    ///
    /// * `rule` — points and strains of its cells
    /// * `laws` — one for each block
    /// * `cell`, `xi` — the solid cell that contains the point, and its parameters
    ///
    /// # Panics
    ///
    /// If the cell does not exist or is not solid, or a law has more history than any of this crate.
    pub fn at<L: Law>(
        (body, discretisation): (&Body, &Discretisation),
        (rule, laws): (PointRule, &[L]),
        (cell, xi): (CellRef, [f64; 3]),
    ) -> Self {
        let block = &discretisation.blocks[cell.block as usize];
        let all = Sites::new(body, discretisation);
        let sites = all.of_cell(cell);
        let values = match &block.cells {
            Cells::Lagrange { shape, .. } => {
                let mut values = vec![0.0; shape.n_nodes()];
                lagrange::values_into(*shape, xi, &mut values);
                values
            }
            Cells::Spline(cells) => lattice_factors(cells.degrees, xi),
        };
        let mut weights = BTreeMap::new();
        for (site, value) in sites.into_iter().zip(values) {
            *weights.entry((site, block.material)).or_default() += value;
        }
        Self::of_sites((&all, discretisation), (rule, laws), &weights)
    }

    /// The mean of the stress over the nodes of a set, or over the lattice points of its faces on NURBS;
    /// where materials meet, of each of them. None if the set has none.
    ///
    /// * `rule`, `laws` — as in [`PlaceRecovery::at`]
    ///
    /// # Errors
    ///
    /// [`SetError`] if there is no such set, or it has no face on NURBS.
    ///
    /// # Panics
    ///
    /// As [`PlaceRecovery::at`].
    pub fn of_set<L: Law>(
        (body, discretisation): (&Body, &Discretisation),
        (rule, laws): (PointRule, &[L]),
        set: &str,
    ) -> Result<Option<Self>, SetError> {
        let all = Sites::new(body, discretisation);
        let mut weights = BTreeMap::new();
        match &body.geometry {
            Geometry::Mesh(_) => {
                let nodes = body.points_of_set(discretisation, set)?;
                for block in &discretisation.blocks {
                    let Cells::Lagrange { shape, connectivity } = &block.cells else { continue };
                    let own = connectivity.iter().filter(|node| nodes.binary_search(node).is_ok());
                    own.filter(|_| shape.is_solid()).for_each(|&node| {
                        weights.insert((node, block.material), 1.0);
                    });
                }
            }
            Geometry::Nurbs(_) => {
                for face in body.faces_of_set(set)? {
                    let block = &discretisation.blocks[face.block as usize];
                    for site in all.on_face(face) {
                        weights.insert((site, block.material), 1.0);
                    }
                }
            }
        }
        let n = weights.len() as f64;
        weights.values_mut().for_each(|weight| *weight /= n);
        let made = || Self::of_sites((&all, discretisation), (rule, laws), &weights);
        Ok((!weights.is_empty()).then(made))
    }

    /// The weighted sum of the stress at some sites.
    fn of_sites<L: Law>(
        (all, discretisation): (&Sites<'_>, &Discretisation),
        (rule, laws): (PointRule, &[L]),
        weights: &BTreeMap<Site, f64>,
    ) -> Self {
        let mut near: Vec<(CellRef, Vec<u32>)> = Vec::new();
        let mut counts: BTreeMap<Site, f64> = BTreeMap::new();
        all.each(|cell, sites| {
            let material = discretisation.blocks[cell.block as usize].material;
            let mut has_one = false;
            for &site in sites {
                if weights.contains_key(&(site, material)) {
                    *counts.entry((site, material)).or_default() += 1.0;
                    has_one = true;
                }
            }
            if has_one {
                near.push((cell, sites.to_vec()));
            }
        });
        let mut schemes: HashMap<u32, CellScheme> = HashMap::new();
        let mut evaluator = CellEvaluator::new(discretisation);
        let cells = near.into_iter().map(|(cell, sites)| {
            let block = &discretisation.blocks[cell.block as usize];
            let law = &laws[cell.block as usize];
            let scheme = schemes
                .entry(cell.block)
                .or_insert_with(|| CellScheme::new(&block.cells, rule, law.n_history() > 0));
            let of_site = |site: &u32| {
                let site = (*site, block.material);
                weights.get(&site).map_or(0.0, |weight| weight / counts[&site])
            };
            let of_sites: Vec<f64> = sites.iter().map(of_site).collect();
            let of_point = |s: usize| (0..of_sites.len()).map(|j| of_sites[j] * scheme.rows[(j, s)]).sum();
            let weights: Vec<f64> = (0..scheme.points.len()).map(of_point).collect();
            assert!(law.n_history() <= MOST_HISTORY, "no law has more variables");
            PlacedCell::new(&mut evaluator, (cell, &block.cells, rule), &scheme.points, &weights)
        });
        Self { cells: cells.collect() }
    }

    /// The same for a body that is turned: places and displacements have other axes.
    #[must_use]
    pub fn turned(mut self, rotation: &Matrix3<f64>) -> Self {
        for cell in &mut self.cells {
            let of_samples = cell.samples.iter_mut().map(|sample| &mut sample.slopes);
            let all = of_samples.chain(cell.dilated.iter_mut().map(|(_, slopes)| slopes));
            for slope in all.flatten() {
                *slope = (rotation * Vector3::from(*slope)).into();
            }
        }
        self
    }

    /// The same with the places of the history of its cells, which a law with history needs.
    ///
    /// # Panics
    ///
    /// If the forces are those of another body.
    #[must_use]
    pub fn with_history(mut self, internal: &InternalForce) -> Self {
        for cell in &mut self.cells {
            cell.history = Some(internal.history_place(cell.cell));
        }
        self
    }

    /// Points of the body whose displacements the stress depends on, each once, ascending.
    pub fn points(&self) -> Vec<u32> {
        let mut points: Vec<u32> = self.cells.iter().flat_map(|cell| &cell.points).copied().collect();
        points.sort_unstable();
        points.dedup();
        points
    }

    /// Cauchy's stress under a displacement, in the axes of the displacement \[Pa\]. Allocates nothing.
    ///
    /// * `laws` — one for each block
    /// * `u` — three numbers a point \[m\]
    /// * `history` — its accepted state is read; not needed by laws without history
    ///
    /// # Panics
    ///
    /// If `u` is too short, or a law has history and [`PlaceRecovery::with_history`] was not called.
    pub fn stress<L: Law>(&self, laws: &[L], u: &[f64], history: Option<&History>) -> Stress {
        let mut sum = [0.0; 6];
        for placed in &self.cells {
            let law = &laws[placed.cell.block as usize];
            let mean = placed.mean_change(law.is_objective(), u);
            for sample in &placed.samples {
                let own = placed.gradient(&sample.slopes, u);
                let h = match mean {
                    Some(mean) => modified_gradient(&own, &[mean; LANES], law.is_objective()),
                    None => own,
                };
                let stress = match (law.n_history(), placed.history, history) {
                    (0, ..) => of_law(law, &h, &[], 0),
                    (_, Some(place), Some(history)) => {
                        of_law(law, &h, history.accepted_at(place, sample.number), place.lane)
                    }
                    _ => panic!("a law with history needs it"),
                };
                (0..6).for_each(|c| sum[c] += sample.weight * stress[c]);
            }
        }
        sum
    }
}

impl CellScheme {
    fn new(cells: &Cells, rule: PointRule, has_history: bool) -> Self {
        let scheme = match cells {
            Cells::Lagrange { shape, .. } => Scheme::nodes_of(*shape),
            Cells::Spline(cells) => Scheme::fitted_lattice(cells.degrees),
        };
        let Scheme { points, rows, places } = scheme;
        let rows = rows.expect("sites of these schemes are extrapolated");
        if !has_history {
            return Self { points, rows };
        }
        let fit = PointFit::new(cells, rule);
        let rows = matrix(places.iter().map(|&xi| fit.row(xi)));
        Self { points: PointStress::quadrature_points(cells, rule), rows }
    }
}

impl PlacedCell {
    fn new(
        evaluator: &mut CellEvaluator<'_>,
        (cell, cells, rule): (CellRef, &Cells, PointRule),
        points: &[[f64; 3]],
        weights: &[f64],
    ) -> Self {
        evaluator.enter(cell);
        let terms = evaluator.terms();
        let mut ids: Vec<u32> = terms.iter().map(|(_, point, _)| *point).collect();
        ids.sort_unstable();
        ids.dedup();
        let mut slopes_at = |xi: [f64; 3]| {
            let point = evaluator.at(xi);
            evaluator.physical_gradients(&point);
            let mut slopes = vec![[0.0; 3]; ids.len()];
            for &(function, point, factor) in &terms {
                let to = &mut slopes[ids.binary_search(&point).expect("a point of the cell")];
                (0..3).for_each(|d| to[d] += factor * evaluator.physical()[d][function]);
            }
            (point.det, slopes)
        };
        let of_quadrature =
            |rule: &Quadrature, slopes_at: &mut dyn FnMut([f64; 3]) -> (f64, Vec<[f64; 3]>)| {
                let points = rule.points.iter().zip(&rule.weights);
                let made = points.map(|(&xi, weight)| {
                    let (det, slopes) = slopes_at(xi);
                    (weight * det, slopes)
                });
                made.collect::<Vec<_>>()
            };
        let shape = match cells {
            Cells::Lagrange { shape, .. } => Some(*shape),
            Cells::Spline(_) => None,
        };
        let is_mean = rule == PointRule::OnePoint && shape == Some(CellShape::Hex8);
        let is_dilated = shape.is_some_and(|shape| rule.has_mean_dilatation(shape));
        let quadrature = shape.filter(|_| is_mean || is_dilated);
        let of_volume = quadrature.map_or_else(Vec::new, |shape| {
            of_quadrature(&rule_points(shape, PointRule::MeanDilatation), &mut slopes_at)
        });
        if is_mean {
            // All points of the cell have the mean gradient.
            let volume: f64 = of_volume.iter().map(|(dv, _)| dv).sum();
            let mut slopes = vec![[0.0; 3]; ids.len()];
            for (dv, own) in &of_volume {
                let shares = slopes.as_flattened_mut().iter_mut().zip(own.as_flattened());
                shares.for_each(|(sum, slope)| *sum += dv / volume * slope);
            }
            let sample = Sample { weight: weights.iter().sum(), slopes, number: 0 };
            return Self { cell, points: ids, samples: vec![sample], dilated: Vec::new(), history: None };
        }
        let all = points.iter().zip(weights).enumerate().filter(|(_, (_, weight))| **weight != 0.0);
        let samples = all.map(|(number, (&xi, &weight))| Sample { weight, slopes: slopes_at(xi).1, number });
        Self { cell, samples: samples.collect(), points: ids, dilated: of_volume, history: None }
    }

    /// H at a point of the cell, in all lanes.
    fn gradient(&self, slopes: &[[f64; 3]], u: &[f64]) -> Tensor {
        let mut h = [0.0; 9];
        for (&point, slope) in self.points.iter().zip(slopes) {
            let own = &u[3 * point as usize..3 * point as usize + 3];
            for a in 0..3 {
                (0..3).for_each(|b| h[3 * a + b] += own[a] * slope[b]);
            }
        }
        h.map(|entry| [entry; LANES])
    }

    /// θ − 1 of a cell with one change of volume; the mean of tr H for a law of small strains.
    fn mean_change(&self, is_large: bool, u: &[f64]) -> Option<f64> {
        let (mut change, mut volume) = (0.0, 0.0);
        for (dv, slopes) in &self.dilated {
            change += dv * change_of(&self.gradient(slopes, u), is_large)[0];
            volume += dv;
        }
        (!self.dilated.is_empty()).then(|| change / volume)
    }
}

/// Cauchy's stress of a law at a gradient that is the same in all lanes.
///
/// * `old`, `lane` — accepted history, and the lane that counts
fn of_law<L: Law>(law: &L, h: &Tensor, old: &[Lanes], lane: usize) -> Stress {
    let mut new = [ZERO; MOST_HISTORY];
    let mut pk1 = [ZERO; 9];
    let n = law.n_history();
    law.stress(h, &old[..n], &mut new[..n], &mut pk1);
    // In a small-strain law P is σ.
    let stress = match law.is_objective() {
        true => cauchy_stress(h, &pk1),
        false => [pk1[0], pk1[4], pk1[8], pk1[1], pk1[5], pk1[2]],
    };
    stress.map(|lanes| lanes[lane])
}

/// The sites of all solid cells: nodes of a mesh, lattice points of knot spans.
struct Sites<'a> {
    discretisation: &'a Discretisation,
    /// Sites of knot spans.
    of_spans: BTreeMap<CellRef, Vec<u32>>,
}

impl<'a> Sites<'a> {
    fn new(body: &Body, discretisation: &'a Discretisation) -> Self {
        let mut of_spans = BTreeMap::new();
        if let Geometry::Nurbs(multipatch) = &body.geometry {
            let numbers = multipatch.cell_numbers();
            for bezier in multipatch.bezier().cells {
                let (block, cell) = numbers.of(bezier.patch, bezier.level, bezier.cell);
                of_spans.insert(CellRef { block, cell }, bezier.points);
            }
        }
        Self { discretisation, of_spans }
    }

    /// Calls a function for each cell with its sites.
    fn each(&self, mut visit: impl FnMut(CellRef, &[u32])) {
        for (i_block, block) in self.discretisation.blocks.iter().enumerate() {
            let Cells::Lagrange { shape, connectivity } = &block.cells else { continue };
            let nodes = connectivity.chunks_exact(shape.n_nodes()).filter(|_| shape.is_solid());
            for (cell, nodes) in nodes.enumerate() {
                visit(CellRef { block: i_block as u32, cell: cell as u32 }, nodes);
            }
        }
        self.of_spans.iter().for_each(|(cell, sites)| visit(*cell, sites));
    }

    /// Sites of a cell.
    fn of_cell(&self, cell: CellRef) -> Vec<u32> {
        match &self.discretisation.blocks[cell.block as usize].cells {
            Cells::Lagrange { shape, connectivity } => {
                let n = shape.n_nodes();
                connectivity[n * cell.cell as usize..][..n].to_vec()
            }
            Cells::Spline(_) => self.of_spans[&cell].clone(),
        }
    }

    /// Sites on a side of a knot span.
    fn on_face(&self, face: FaceRef) -> Vec<u32> {
        let Cells::Spline(cells) = &self.discretisation.blocks[face.block as usize].cells else {
            return Vec::new();
        };
        let (direction, end) = (usize::from(face.face / 2), f64::from(face.face % 2));
        let is_on_side = |xi: &[f64; 3]| (xi[direction] - end).abs() < ON_SIDE;
        let all = self.of_cell(face.cell()).into_iter().zip(lattice_points(cells.degrees));
        all.filter(|(_, xi)| is_on_side(xi)).map(|(site, _)| site).collect()
    }
}
