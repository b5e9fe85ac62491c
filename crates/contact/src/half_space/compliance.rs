//! The compliance of a body on the fine grid of a contact.
//!
//! ```text
//! C = G + cᵀ (A − H) c
//! ```
//!
//! G is that of the half-space between the cells, c the weights of the cells at places, A the response of the
//! body to the loads of the places, and H that of the half-space to the same loads.

use faer::Mat;
use nalgebra::{Matrix3, Vector3};
use thiserror::Error;

pub use super::cut::CutMeans;
use super::cut::PlacedLoad;
use super::definite::smallest_pivot;
use super::footprint::Footprint;
use super::grid_compliance::{GridCompliance, sandwiched};
use super::weights::{Fallback, Order, PlanePlaces, WeightsError};
use super::{HalfSpace, Kernel, PressureGrid, SurfaceMeans};

/// Smallest pivot of the compliance, scaled to unit diagonal, that is accepted.
pub const LEAST_PIVOT: f64 = 1e-8;

/// Distance of two loads, in r₀, from which on the change of H by a cut is left out: it falls with the cube
/// of the distance, since force and moment are restored, and is 1e-3 of 1/d here.
const FARTHEST_CUT: f64 = 4.0;

/// Least cosine of the angle between the normals of a contact and of a place that takes part in it.
const LEAST_COSINE: f64 = 0.5;

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
        let mut cuts = Vec::new();
        for j in 0..n {
            let reach = FARTHEST_CUT * self.loads.radius;
            let is_cut = |k: usize| footprints[j].is_cut() || footprints[k].is_cut();
            let is_near = |k: usize| (self.positions[j] - self.positions[k]).norm() < reach;
            for k in (j..n).filter(|&k| is_cut(k) && is_near(k)) {
                cuts.push((j as u32, k as u32, CutMeans::new(place(j), place(k), self.loads)));
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

    /// Second moments of a load in the plane of a grid.
    fn second(&self, grid: &PressureGrid, cut: Option<&Matrix3<f64>>) -> [f64; 3] {
        let Some(second) = cut else { return self.loads.second() };
        let seen = grid.plane.axes * second * grid.plane.axes.transpose();
        [seen[(0, 0)], seen[(0, 1)], seen[(1, 1)]]
    }

    /// The weights' view of the places in the plane of a grid, whose normal is outward: places on the far
    /// face of a thin body take no part.
    pub(super) fn in_plane(&self, grid: &PressureGrid) -> PlanePlaces {
        let normal = grid.plane.axes.row(2).transpose();
        PlanePlaces {
            coordinates: self
                .positions
                .iter()
                .map(|x| {
                    let [x, y, _] = grid.plane.coordinates(x);
                    [x, y]
                })
                .collect(),
            seconds: self.cut_seconds.iter().map(|cut| self.second(grid, cut.as_ref())).collect(),
            takes_part: self.normals.iter().map(|n| n.dot(&normal) >= LEAST_COSINE).collect(),
            loads: self.loads,
        }
    }

    /// The compliance on a grid, whose plane is given in the axes of the body.
    ///
    /// Weights are quadratic where places allow it, and linear on all cells if the compliance is not positive
    /// definite otherwise.
    ///
    /// # Errors
    ///
    /// [`ComplianceError`].
    pub fn on_grid(
        &self,
        grid: &PressureGrid,
        directions: Directions,
    ) -> Result<GridCompliance, ComplianceError> {
        let quadratic = self.with_weights(grid, directions, Order::Quadratic)?;
        if quadratic.pivot > LEAST_PIVOT {
            return Ok(quadratic);
        }
        let mut linear = self.with_weights(grid, directions, Order::Linear)?;
        if linear.pivot > LEAST_PIVOT {
            linear.linear = Some((grid.len(), Fallback::Indefinite { pivot: quadratic.pivot }));
            return Ok(linear);
        }
        Err(ComplianceError::Indefinite { pivot: linear.pivot, radius: self.loads.radius })
    }

    /// The compliance with weights of one order, positive definite or not.
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
        let plane = self.in_plane(grid);
        let points = (0..grid.len()).map(|cell| plane.weights(grid.middle(cell), grid.side, order));
        let points: Vec<_> = points.collect::<Result<_, _>>()?;
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
        let (far, mut matrix) = match directions {
            Directions::Normal => (self.normal_part(grid, &places), grid.normal_compliance(&self.half_space)),
            Directions::All => (self.full_part(grid, &places), grid.compliance(&self.half_space)),
        };
        matrix += sandwiched(&weights, &far);
        self.add_curvature(grid, directions, &mut matrix);
        let pivot = smallest_pivot(matrix.as_ref());
        let cut_share = self.cut_share(&places, &weights);
        Ok(GridCompliance { matrix, places, weights, gradients, far, linear, cut_share, pivot })
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

    /// nᵀ A n − H of the places.
    pub(super) fn normal_part(&self, grid: &PressureGrid, places: &[usize]) -> Mat<f64> {
        let normal = grid.plane.axes.row(2).transpose();
        Mat::from_fn(places.len(), places.len(), |a, b| {
            let (j, k) = (places[a], places[b]);
            let response = normal.dot(&(self.block(j, k) * normal));
            response - self.half_space.normal(&self.means(grid, j, k)) + self.curved(j, k)
        })
    }

    /// A − H of the places with tangents.
    fn full_part(&self, grid: &PressureGrid, places: &[usize]) -> Mat<f64> {
        let axes = &grid.plane.axes;
        // Rows: inward normal, tangents.
        let frame = Matrix3::from_rows(&[-axes.row(2), axes.row(0).into(), axes.row(1).into()]);
        let mut far = Mat::zeros(3 * places.len(), 3 * places.len());
        for (a, &j) in places.iter().enumerate() {
            for (b, &k) in places.iter().enumerate() {
                let mut block = frame * self.block(j, k) * frame.transpose()
                    - self.half_space.block(&self.means(grid, j, k));
                block[(0, 0)] += self.curved(j, k);
                for (r, s) in (0..9).map(|m| (m / 3, m % 3)) {
                    far[(3 * a + r, 3 * b + s)] = block[(r, s)];
                }
            }
        }
        far
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

    /// Means between two loads in the axes of a grid, from load k to load j.
    fn means(&self, grid: &PressureGrid, j: usize, k: usize) -> SurfaceMeans {
        let axes = &grid.plane.axes;
        let apart = self.positions[j] - self.positions[k];
        let along = axes * apart;
        let (length, flat) = (apart.norm(), along.x.hypot(along.y));
        let e = if flat > 0.0 { [along.x / flat, along.y / flat] } else { [1.0, 0.0] };
        let table = self.loads.kernel.table().at(length / self.loads.radius);
        let (half, turned) =
            (0.5 * table.inverse / self.loads.radius, 0.5 * table.second / self.loads.radius);
        let double = [e[0] * e[0] - e[1] * e[1], 2.0 * e[0] * e[1]];
        let mut means = SurfaceMeans {
            second: [half + turned * double[0], turned * double[1], half - turned * double[0]],
            first: e.map(|e| e * table.first / self.loads.radius),
        };
        let pair = (j.min(k) as u32, j.max(k) as u32);
        if let Ok(found) = self.cuts.binary_search_by_key(&pair, |cut| (cut.0, cut.1)) {
            let change = &self.cuts[found].2;
            let second = axes * change.second * axes.transpose();
            // The trace is that of ⟨1/r⟩; a part along the normal of the contact goes to both tangents.
            let across = 0.5 * second[(2, 2)];
            let sign = if j <= k { 1.0 } else { -1.0 };
            let first = sign * (axes * change.first);
            means.second[0] += second[(0, 0)] + across;
            means.second[1] += second[(0, 1)];
            means.second[2] += second[(1, 1)] + across;
            means.first[0] += first.x;
            means.first[1] += first.y;
        }
        means
    }
}

#[cfg(test)]
mod tests;
