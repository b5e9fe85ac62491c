//! The compliance of a body on the fine grid of a contact.
//!
//! ```text
//! C_ik = G_ik + Σ_jm c_ij n_iᵀ (A_jm − H_jm) n_k c_km
//! ```
//!
//! G is that of the half-space between the cells, c the weights of the cells at places, A the response of the
//! body to the loads of the places, and H that of the half-space to the same loads. Each cell has a plane of
//! its own, which touches the surface: n_i is its normal, and for tangential displacements its tangents take
//! the place of n_i. The half-space of two loads is normal to the mean of the normals of their places.
//!
//! So C depends on the points of the surface at which the cells lie, and on nothing else.

use faer::Mat;
use nalgebra::{Matrix3, Vector3};
use thiserror::Error;

pub use super::cut::CutMeans;
use super::cut::{PlacedLoad, ReadLoad, unit_disc};
use super::definite::smallest_pivot;
use super::footprint::{Footprint, tangents_of};
use super::grid_compliance::{GridCompliance, along_frames, sandwiched};
use super::weights::{Fallback, Order, PlanePlaces, PointWeights, WeightsError};
use super::{HalfSpace, Kernel, PressureGrid, SurfaceMeans};
use crate::patch::PatchPlane;

/// Smallest pivot of the compliance, scaled to unit diagonal, that is accepted.
pub const LEAST_PIVOT: f64 = 1e-8;

/// Distance of two loads, in r₀, from which on the change of H by a cut is left out: it falls with the cube
/// of the distance, since force and moment are restored, and is 1e-3 of 1/d here.
const FARTHEST_CUT: f64 = 4.0;

/// Cosine of the angle between the normals of a cell and of a place: up to the first one the place takes no
/// part, from the second one on all of it.
const COSINES: [f64; 2] = [0.5, 0.8];

/// The loads of the places of a body.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Loads {
    /// Their shape.
    pub kernel: Kernel,
    /// r₀ \[m\].
    pub radius: f64,
    /// Distance between places, by which the reach of the weights is measured \[m\]; r₀ as a rule, less for
    /// fields that vary within 2 r₀.
    pub spacing: f64,
}

impl Loads {
    /// Second moments of a whole load, xx, xy and yy: ⟨r²⟩/2, 0, ⟨r²⟩/2 \[m²\].
    pub fn second(&self) -> [f64; 3] {
        let along = 0.5 * self.kernel.moments()[0] * self.radius * self.radius;
        [along, 0.0, along]
    }
}

/// A body as seen from places of its surface: its response to smooth loads, in the axes of the body.
#[derive(Debug, Clone)]
pub struct PlacedBody {
    /// Its loads.
    pub loads: Loads,
    /// Elastic constants at the surface.
    pub half_space: HalfSpace,
    /// Mean curvature κ of the surface, positive where it bulges \[1/m\].
    pub curvature: f64,
    /// The places x_j \[m\].
    pub positions: Vec<Vector3<f64>>,
    /// Their outward normals.
    pub normals: Vec<Vector3<f64>>,
    /// A, 3 × 3 blocks: displacement read by load j under a unit force of load k \[m/N\].
    pub response: Mat<f64>,
    /// Changes of H by edges: load j, load k ≥ j.
    cuts: Vec<(u32, u32, CutMeans)>,
    /// Second moments of the loads that an edge cuts \[m²\].
    cut_seconds: Vec<Option<Matrix3<f64>>>,
    /// By how much the mesh of the body makes the displacement of each place under its normal load too small
    /// \[m/N\]; empty if that is not known.
    pub mesh_errors: Vec<f64>,
}

/// Errors of a compliance.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum ComplianceError {
    /// A cell has no weights.
    #[error(transparent)]
    Weights(#[from] WeightsError),
    /// The response does not fit to the places.
    #[error("{places} places need a response of {} rows, not of {rows} × {columns}", 3 * .places)]
    Size {
        /// Number of places.
        places: usize,
        /// Rows of the response.
        rows: usize,
        /// Columns of the response.
        columns: usize,
    },
    /// The compliance is not positive definite.
    #[error(
        "the compliance of the contact is not positive definite (smallest pivot {pivot:.1e}, at least \
         {LEAST_PIVOT:.0e} needed): loads of radius {radius:.3e} m are too small for the body's mesh or \
         lie too far apart; lay places with larger loads"
    )]
    Indefinite {
        /// Smallest pivot, scaled to unit diagonal.
        pivot: f64,
        /// r₀ \[m\].
        radius: f64,
    },
}

/// Which displacements and forces of the cells take part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Directions {
    /// Normal ones.
    Normal,
    /// Normal and tangential ones, three for each cell, the normal first.
    All,
}

impl PlacedBody {
    /// A body with whole loads.
    ///
    /// * `response` — A, symmetric
    ///
    /// # Errors
    ///
    /// [`ComplianceError::Size`].
    pub fn new(
        loads: Loads,
        half_space: HalfSpace,
        positions: Vec<Vector3<f64>>,
        normals: Vec<Vector3<f64>>,
        response: Mat<f64>,
    ) -> Result<Self, ComplianceError> {
        let places = positions.len();
        let (rows, columns) = (response.nrows(), response.ncols());
        if rows != 3 * places || columns != rows || normals.len() != places {
            return Err(ComplianceError::Size { places, rows, columns });
        }
        let cut_seconds = vec![None; places];
        Ok(Self {
            loads,
            half_space,
            curvature: 0.0,
            positions,
            normals,
            response,
            cuts: Vec::new(),
            cut_seconds,
            mesh_errors: Vec::new(),
        })
    }

    /// Takes the footprints of the loads, in the order of the places, so that H has the same cuts as A.
    pub fn cut_by(&mut self, footprints: &[Footprint]) {
        let place = |j: usize| PlacedLoad {
            position: &self.positions[j],
            normal: &self.normals[j],
            footprint: &footprints[j],
        };
        let n = footprints.len();
        let unit = unit_disc(self.loads.kernel);
        let mut cuts = Vec::new();
        for j in 0..n {
            let reach = FARTHEST_CUT * self.loads.radius;
            let is_cut = |k: usize| footprints[j].is_cut() || footprints[k].is_cut();
            let is_near = |k: usize| (self.positions[j] - self.positions[k]).norm() < reach;
            let mut partners = (j..n).filter(|&k| is_cut(k) && is_near(k)).peekable();
            if partners.peek().is_some() {
                let read = ReadLoad::new(place(j), self.loads, &unit);
                cuts.extend(partners.map(|k| (j as u32, k as u32, read.means(place(k)))));
            }
        }
        self.cuts = cuts;
        self.cut_seconds = footprints.iter().map(|f| f.is_cut().then_some(f.second)).collect();
    }

    /// Changes of the interaction of pairs of loads by edges, ascending.
    pub fn cuts(&self) -> &[(u32, u32, CutMeans)] {
        &self.cuts
    }

    /// Second moments of the loads that an edge cuts \[m²\].
    pub fn cut_seconds(&self) -> &[Option<Matrix3<f64>>] {
        &self.cut_seconds
    }

    /// The same body with loads that edges cut, as [`Self::cuts`] and [`Self::cut_seconds`] had them.
    pub fn with_cuts(
        mut self,
        mut cuts: Vec<(u32, u32, CutMeans)>,
        seconds: impl IntoIterator<Item = (u32, Matrix3<f64>)>,
    ) -> Self {
        cuts.sort_by_key(|cut| (cut.0, cut.1));
        self.cuts = cuts;
        for (load, second) in seconds {
            if let Some(slot) = self.cut_seconds.get_mut(load as usize) {
                *slot = Some(second);
            }
        }
        self
    }

    /// Second moments of a load in a plane.
    fn second(&self, plane: &PatchPlane, cut: Option<&Matrix3<f64>>) -> [f64; 3] {
        let Some(second) = cut else { return self.loads.second() };
        let seen = plane.axes * second * plane.axes.transpose();
        [seen[(0, 0)], seen[(0, 1)], seen[(1, 1)]]
    }

    /// The weights' view of the places in a plane, whose normal is outward: places on the far face of a thin
    /// body take no part.
    fn in_plane(&self, plane: &PatchPlane) -> PlanePlaces {
        let normal = plane.axes.row(2).transpose();
        PlanePlaces {
            coordinates: self
                .positions
                .iter()
                .map(|x| {
                    let [x, y, _] = plane.coordinates(x);
                    [x, y]
                })
                .collect(),
            seconds: self.cut_seconds.iter().map(|cut| self.second(plane, cut.as_ref())).collect(),
            facing: self.normals.iter().map(|n| facing(n.dot(&normal))).collect(),
            loads: self.loads,
        }
    }

    /// The weights of cells in planes of their own.
    pub(super) fn weights_on(
        &self,
        planes: &[PatchPlane],
        sides: [f64; 2],
        order: Order,
    ) -> Result<Vec<PointWeights>, WeightsError> {
        let mut seen: Option<(PatchPlane, PlanePlaces)> = None;
        let mut found = Vec::with_capacity(planes.len());
        for plane in planes {
            let (from, places) = match seen.take().filter(|(from, _)| from.axes == plane.axes) {
                Some(same) => seen.insert(same),
                None => seen.insert((*plane, self.in_plane(plane))),
            };
            let [x, y, _] = from.coordinates(&plane.center);
            found.push(places.weights([x, y], sides, order)?);
        }
        Ok(found)
    }

    /// The compliance on a flat grid, whose plane is given in the axes of the body with the normal outward.
    ///
    /// # Errors
    ///
    /// [`ComplianceError`].
    pub fn on_grid(
        &self,
        grid: &PressureGrid,
        directions: Directions,
    ) -> Result<GridCompliance, ComplianceError> {
        self.on_planes(grid, &grid.planes(), directions)
    }

    /// The compliance on cells in planes of their own.
    ///
    /// Weights are quadratic where places allow it, and linear on all cells if the compliance is not positive
    /// definite otherwise.
    ///
    /// * `grid` — the cells, as they lie beside each other on the surface
    /// * `planes` — the plane of each cell in the axes of the body: middle, two tangents, outward normal
    ///
    /// # Errors
    ///
    /// [`ComplianceError`].
    pub fn on_planes(
        &self,
        grid: &PressureGrid,
        planes: &[PatchPlane],
        directions: Directions,
    ) -> Result<GridCompliance, ComplianceError> {
        let quadratic = self.weighted(grid, planes, directions, Order::Quadratic)?;
        if quadratic.pivot > LEAST_PIVOT {
            return Ok(quadratic);
        }
        let mut linear = self.weighted(grid, planes, directions, Order::Linear)?;
        if linear.pivot > LEAST_PIVOT {
            linear.linear = Some((grid.len(), Fallback::Indefinite { pivot: quadratic.pivot }));
            return Ok(linear);
        }
        Err(ComplianceError::Indefinite { pivot: linear.pivot, radius: self.loads.radius })
    }

    /// The compliance on a flat grid with weights of one order, positive definite or not.
    ///
    /// # Errors
    ///
    /// [`ComplianceError::Weights`].
    pub fn with_weights(
        &self,
        grid: &PressureGrid,
        directions: Directions,
        order: Order,
    ) -> Result<GridCompliance, ComplianceError> {
        self.weighted(grid, &grid.planes(), directions, order)
    }

    fn weighted(
        &self,
        grid: &PressureGrid,
        planes: &[PatchPlane],
        directions: Directions,
        order: Order,
    ) -> Result<GridCompliance, ComplianceError> {
        let points = self.weights_on(planes, grid.sides(), order)?;
        let mut places: Vec<usize> = points.iter().flat_map(|p| p.places.iter().copied()).collect();
        places.sort_unstable();
        places.dedup();
        let row = |place: &usize| places.binary_search(place).expect("the list has the places of all cells");
        let mut weights = Mat::zeros(places.len(), grid.len());
        let mut gradients = [weights.clone(), weights.clone()];
        for (cell, point) in points.iter().enumerate() {
            for (k, place) in point.places.iter().enumerate() {
                weights[(row(place), cell)] = point.values[k];
                (0..2).for_each(|a| gradients[a][(row(place), cell)] = point.gradients[k][a]);
            }
        }
        let fallbacks = points.iter().filter_map(|p| p.fallback);
        let linear = fallbacks.clone().next().map(|first| (fallbacks.count(), first));
        let mut matrix = match directions {
            Directions::Normal => grid.normal_compliance(&self.half_space),
            Directions::All => grid.compliance(&self.half_space),
        };
        let frames = planes.iter().map(|plane| {
            let axes = &plane.axes;
            Matrix3::from_rows(&[-axes.row(2), axes.row(0).into(), axes.row(1).into()])
        });
        let frames: Vec<Matrix3<f64>> = frames.collect();
        let far = self.far_part(&places);
        matrix += sandwiched(&along_frames(&weights, &frames, directions), &far);
        self.add_curvature(grid, directions, &mut matrix);
        let pivot = smallest_pivot(matrix.as_ref());
        let cut_share = self.cut_share(&places, &weights);
        Ok(GridCompliance { matrix, places, weights, gradients, frames, far, linear, cut_share, pivot })
    }

    /// See [`GridCompliance::cut_share`].
    fn cut_share(&self, places: &[usize], weights: &Mat<f64>) -> f64 {
        let is_cut = |row: &usize| self.cut_seconds[places[*row]].is_some();
        let of_cell = |cell: usize| {
            let sum = |rows: &mut dyn Iterator<Item = usize>| -> f64 {
                rows.map(|row| weights[(row, cell)].abs()).sum()
            };
            sum(&mut (0..places.len()).filter(is_cut)) / sum(&mut (0..places.len()))
        };
        (0..weights.ncols()).map(of_cell).fold(0.0, f64::max)
    }

    /// −(β κ/E*) ⟨ln r⟩ between the cells.
    fn add_curvature(&self, grid: &PressureGrid, directions: Directions, matrix: &mut Mat<f64>) {
        let factor = self.curvature_factor();
        if factor == 0.0 {
            return;
        }
        let means = grid.log_means();
        let stride = if directions == Directions::All { 3 } else { 1 };
        for i in 0..grid.len() {
            for k in 0..grid.len() {
                matrix[(stride * i, stride * k)] -= factor * means[(i, k)];
            }
        }
    }

    /// β κ/E* \[m/N\].
    fn curvature_factor(&self) -> f64 {
        self.half_space.curvature_factor() * self.curvature / self.half_space.contact_modulus()
    }

    /// A − H of the places, 3 × 3 blocks in the axes of the body.
    pub(super) fn far_part(&self, places: &[usize]) -> Mat<f64> {
        let mut far = Mat::zeros(3 * places.len(), 3 * places.len());
        for (a, &j) in places.iter().enumerate() {
            for (b, &k) in places.iter().enumerate() {
                let block = self.block(j, k) - self.half_space_block(j, k);
                for (r, s) in (0..9).map(|m| (m / 3, m % 3)) {
                    far[(3 * a + r, 3 * b + s)] = block[(r, s)];
                }
            }
        }
        far
    }

    /// H of two loads in the axes of the body.
    fn half_space_block(&self, j: usize, k: usize) -> Matrix3<f64> {
        let (axes, means) = self.means(j, k);
        let frame = Matrix3::from_rows(&[-axes.row(2), axes.row(0).into(), axes.row(1).into()]);
        let mut block = self.half_space.block(&means);
        block[(0, 0)] -= self.curved(j, k);
        frame.transpose() * block * frame
    }

    /// The curvature's part of H, which is subtracted: (β κ/E*) ⟨ln r⟩.
    fn curved(&self, j: usize, k: usize) -> f64 {
        let factor = self.curvature_factor();
        if factor == 0.0 {
            return 0.0;
        }
        let d = (self.positions[j] - self.positions[k]).norm() / self.loads.radius;
        factor * (self.loads.kernel.table().at(d).log + self.loads.radius.ln())
    }

    /// Block (j, k) of the response.
    pub(super) fn block(&self, j: usize, k: usize) -> Matrix3<f64> {
        Matrix3::from_fn(|a, b| self.response[(3 * j + a, 3 * k + b)])
    }

    /// Means between two loads, from load k to load j, and their axes: the direction from load to load, the
    /// tangent across it, and the mean normal of both places.
    fn means(&self, j: usize, k: usize) -> (Matrix3<f64>, SurfaceMeans) {
        let apart = self.positions[j] - self.positions[k];
        let length = apart.norm();
        let normal = (self.normals[j] + self.normals[k]).try_normalize(0.0).unwrap_or(self.normals[j]);
        let along = (apart - apart.dot(&normal) * normal).try_normalize(1e-12 * self.loads.radius);
        let along = along.unwrap_or_else(|| tangents_of(&normal)[0]);
        let across = normal.cross(&along);
        let axes = Matrix3::from_rows(&[along.transpose(), across.transpose(), normal.transpose()]);
        let table = self.loads.kernel.table().at(length / self.loads.radius);
        let [half, turned] = [table.inverse, table.second].map(|mean| 0.5 * mean / self.loads.radius);
        let mut means = SurfaceMeans {
            second: [half + turned, 0.0, half - turned],
            first: [table.first / self.loads.radius, 0.0],
        };
        let pair = (j.min(k) as u32, j.max(k) as u32);
        if let Ok(found) = self.cuts.binary_search_by_key(&pair, |cut| (cut.0, cut.1)) {
            let change = &self.cuts[found].2;
            let second = axes * change.second * axes.transpose();
            // The trace is that of ⟨1/r⟩; a part along the normal goes to both tangents.
            let part = 0.5 * second[(2, 2)];
            let sign = if j <= k { 1.0 } else { -1.0 };
            let first = sign * (axes * change.first);
            means.second[0] += second[(0, 0)] + part;
            means.second[1] += second[(0, 1)];
            means.second[2] += second[(1, 1)] + part;
            means.first[0] += first.x;
            means.first[1] += first.y;
        }
        (axes, means)
    }
}

/// Part of a place in the weights of a cell, by the cosine between their normals.
fn facing(cosine: f64) -> f64 {
    let [low, high] = COSINES;
    let t = ((cosine - low) / (high - low)).clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}

#[cfg(test)]
mod tests;
