//! Geometric stiffness of a reduced body: how centrifugal stress, its own weight, and the stress of forces on
//! its markers, stiffen or soften it (docs/theory/stiffening.md).
//!
//! ```text
//! K_kl(σ) = ∫ tr(∂φ_k σ ∂φ_lᵀ) dV
//! ```
//!
//! σ is the stress of the whole body, not of its modes: a slender rod has no mode of low frequency along its
//! axis, and its tension comes from there. K is kept over the motions that can be dynamic, the low modes and
//! the static response to loads on the markers.
//!
//! Forces of contact have no place that is known beforehand. By reciprocity the stiffness of a force f is
//! fᵀ w_kl, where w_kl is the displacement by the strain of second order of two motions: it is kept at all
//! points that contact may load.

use carom_fem::foreshortening::loads_of_pairs;
use carom_fem::geometric_stiffness::geometric_stiffness;
use carom_fem::{Body, Discretisation, QuadratureRule};
use carom_linalg::IterationError;
use carom_linalg::tall::product;
use carom_progress::Progress;
use faer::{Mat, MatMut, MatRef};

use crate::attachment::Attached;
use crate::comparison::{rigid_sets, whole_body};
use crate::error::ReduceError;
use crate::field_modes::in_memory;
use crate::flexibility::Flexibility;
use crate::options::CraigBamptonOptions;
use crate::point_modes::Modes;
use crate::reduced::ReducedBody;
use crate::residual::{GROUP, SpreadLoad, read};
use crate::static_modes::StaticModes;

/// Part of a response that is new, below which it depends on those before it.
const DEPENDENT: f64 = 1e-8;

/// Geometric stiffness of a reduced body under unit loads.
#[derive(Debug, Clone)]
pub struct Stiffening {
    /// B: motions over which K is kept, modes × motions.
    pub basis: Mat<f64>,
    /// K of the centrifugal stress of a unit of each product of angular velocities, [`Stiffening::PAIRS`],
    /// motions × motions \[kg m²/(m² kg)\]; empty for a held body of versions of files before 1.10.
    pub products: Vec<Mat<f64>>,
    /// K of the stress of a unit of gravity along x, y, z on a body whose frame is tied to some of its
    /// points, as those that hold it, motions × motions \[kg/(m kg)\]. An acceleration of the frame is a
    /// gravity in the opposite direction. Empty for a body in the Buckens frame, which no acceleration
    /// stresses.
    pub weight: Vec<Mat<f64>>,
    /// K of the stress of the forces M (e_a × R), those of a unit of angular acceleration of the frame about
    /// −x, −y, −z, of such a body \[kg m/(m kg)\]; empty for a body in the Buckens frame.
    pub turning: Vec<Mat<f64>>,
    /// K of the stress of a unit force along x, y, z and a unit moment about x, y, z on each marker: six
    /// matrices each \[1/(m kg)\], \[1/(m² kg)\].
    pub markers: Vec<Mat<f64>>,
    /// w of the points of [`ReducedBody::boundary`], which contact, joints and forces may load: their
    /// displacement of second order is `−½ Σ_kl z_k z_l w_kl`, `z = Bᵀ q`. Three rows for each point, one
    /// column for each of the [`Stiffening::pairs`] \[m/(m² kg)\]. None of a model without interface points,
    /// and of models before version 1.10 of their files.
    pub boundary: Option<Mat<f64>>,
}

impl Stiffening {
    /// Axes of the products of angular velocities.
    pub const PAIRS: [[usize; 2]; 6] = [[0, 0], [1, 1], [2, 2], [0, 1], [0, 2], [1, 2]];

    /// Pairs k ≤ l of n motions, those of the first motion first.
    pub fn pairs(n: usize) -> impl Iterator<Item = [usize; 2]> {
        (0..n).flat_map(move |k| (k..n).map(move |l| [k, l]))
    }

    /// K of a product of angular velocities over the first n modes, n × n; none if it is not known.
    ///
    /// * `pair` — number in [`Stiffening::PAIRS`]
    fn of_product(&self, pair: usize, n: usize) -> Option<Mat<f64>> {
        self.products.get(pair).map(|k| self.over_modes(k, n))
    }

    /// K of a unit load on a marker over the first n modes, n × n.
    ///
    /// * `marker` — number in the model
    /// * `load` — 0 to 2 forces along x, y, z, 3 to 5 moments about them
    ///
    /// # Panics
    ///
    /// If the model has no marker of this number.
    pub fn of_marker(&self, marker: usize, load: usize, n: usize) -> Mat<f64> {
        self.over_modes(&self.markers[6 * marker + load], n)
    }

    /// K of forces on points of the boundary over the first n modes, n × n, eq. (131); none if the model does
    /// not keep the displacement of second order of these points.
    ///
    /// ```text
    /// K_kl = Σ f · w_kl
    /// ```
    ///
    /// * `forces` — number of a point of [`ReducedBody::boundary`], and the force on it \[N\]
    ///
    /// # Panics
    ///
    /// If the boundary has no point of one of these numbers.
    pub fn of_boundary(
        &self,
        forces: impl IntoIterator<Item = (usize, [f64; 3])>,
        n: usize,
    ) -> Option<Mat<f64>> {
        let w = self.boundary.as_ref()?;
        let forces: Vec<(usize, [f64; 3])> = forces.into_iter().collect();
        let n_motions = self.basis.ncols();
        let mut k = Mat::zeros(n_motions, n_motions);
        for (pair, [i, j]) in Self::pairs(n_motions).enumerate() {
            let column = w.col_as_slice(pair);
            let of_point =
                |(point, f): &(usize, [f64; 3])| (0..3).map(|a| column[3 * point + a] * f[a]).sum::<f64>();
            k[(i, j)] = forces.iter().map(of_point).sum();
            k[(j, i)] = k[(i, j)];
        }
        Some(self.over_modes(&k, n))
    }

    /// The part of I2_kl by the centrifugal stress over the first n modes, entry (a, b) in row 3 k + a and
    /// column 3 l + b: `½ ωᵀ I2_kl ω q_k q_l` is −½ qᵀ K(ω) q. Symmetric in the modes and in the axes.
    pub fn of_inertia(&self, n: usize) -> Mat<f64> {
        let mut of_inertia = Mat::zeros(3 * n, 3 * n);
        for (pair, [a, b]) in Self::PAIRS.into_iter().enumerate() {
            let Some(k) = self.of_product(pair, n) else { continue };
            // ω_a ω_b has two entries of the inertia.
            let part = if a == b { 1.0 } else { 0.5 };
            for (i, j) in (0..n).flat_map(|i| (0..n).map(move |j| (i, j))) {
                of_inertia[(3 * i + a, 3 * j + b)] = -part * k[(i, j)];
                of_inertia[(3 * i + b, 3 * j + a)] = -part * k[(i, j)];
            }
        }
        of_inertia
    }

    /// B K Bᵀ of the first n modes.
    pub fn over_modes(&self, k: &Mat<f64>, n: usize) -> Mat<f64> {
        let rows = self.basis.subrows(0, n);
        let left = rows * k;
        let full = &left * rows.transpose();
        Mat::from_fn(n, n, |i, j| 0.5 * (full[(i, j)] + full[(j, i)]))
    }

    /// The same over other modes.
    pub(crate) fn changed(&self, modes: &StaticModes) -> Self {
        let rows = modes.rows(self.basis.transpose().to_owned().as_ref());
        Self { basis: rows.transpose().to_owned(), ..self.clone() }
    }

    /// Computes it for a model whose modes are known at all points of its body.
    ///
    /// # Errors
    ///
    /// [`ReduceError`].
    ///
    /// # Panics
    ///
    /// If the model does not keep its modes at all points.
    pub(crate) fn new(
        body: &Body,
        discretisation: &Discretisation,
        model: &ReducedBody,
        options: &CraigBamptonOptions,
        progress: &dyn Progress,
    ) -> Result<Self, ReduceError> {
        let fields = model.fields.as_ref().map(in_memory);
        let fields = fields.expect("modes are kept at all points for the stiffening");
        let rule = options.rule.unwrap_or(QuadratureRule::Default);
        let (flexibility, _) = whole_body(
            body,
            discretisation,
            &options.held,
            &rigid_sets(model),
            rule,
            &options.solver,
            progress,
        )
        .map_err(|source| ReduceError::Stiffening { body: body.name.clone(), source })?;
        let sets: Vec<Attached> = options
            .attachments
            .iter()
            .map(|attachment| Attached::new(body, discretisation, attachment))
            .collect::<Result<_, _>>()?;
        let is_free = options.held.is_empty();
        // Of a held body those of a frame that moves with its support, too.
        let of_frame = if is_free { 0 } else { 6 };
        let accelerations = accelerations(&discretisation.points, model.com, of_frame);
        let n_inertia = accelerations.ncols();
        let mut loads = Mat::zeros(discretisation.n_dofs(), n_inertia + 6 * sets.len());
        let forces = flexibility.system.mass.product(accelerations.as_ref());
        loads.as_mut().subcols_mut(0, n_inertia).copy_from(forces);
        // Markers of the model come in the order of its attachments.
        for (number, set) in sets.iter().enumerate() {
            on_set(set, loads.as_mut().subcols_mut(n_inertia + 6 * number, 6));
        }
        flexibility
            .respond(loads.as_mut(), progress)
            .map_err(|source| ReduceError::of_solution(&body.name, source))?;
        let basis = motions(model);
        let moved = product(fields.values.as_ref(), basis.as_ref());
        let mut all = geometric_stiffness(discretisation, loads.as_ref(), moved.as_ref(), progress)
            .ok_or(ReduceError::Interrupted)?;
        let markers = all.split_off(n_inertia);
        let mut weight = all.split_off(Stiffening::PAIRS.len());
        let turning = weight.split_off(of_frame / 2);
        let products = all;
        let points: Vec<SpreadLoad> = model.boundary.points.iter().map(|&point| vec![(point, 1.0)]).collect();
        let boundary = match points.is_empty() {
            true => None,
            false => Some(
                foreshortening(discretisation, &flexibility, moved.as_ref(), &points, progress)
                    .map_err(|source| ReduceError::of_solution(&body.name, source))?,
            ),
        };
        Ok(Self { basis, products, weight, turning, markers, boundary })
    }

    /// w of loads that are spread over points: three rows for each, one column for each of the
    /// [`Stiffening::pairs`].
    ///
    /// * `fields` — modes of the model at all points of its body
    ///
    /// # Errors
    ///
    /// [`IterationError`], also if the user stopped it.
    pub fn foreshortening_of(
        &self,
        discretisation: &Discretisation,
        flexibility: &Flexibility,
        fields: &Modes,
        loads: &[SpreadLoad],
        progress: &dyn Progress,
    ) -> Result<Mat<f64>, IterationError> {
        let moved = product(fields.values.as_ref(), self.basis.as_ref());
        foreshortening(discretisation, flexibility, moved.as_ref(), loads, progress)
    }
}

/// w of loads: their displacement in the static response to the strain of second order of each pair of
/// motions.
///
/// * `moved` — the motions at all points of the body
fn foreshortening(
    discretisation: &Discretisation,
    flexibility: &Flexibility,
    moved: MatRef<'_, f64>,
    loads: &[SpreadLoad],
    progress: &dyn Progress,
) -> Result<Mat<f64>, IterationError> {
    let pairs: Vec<[usize; 2]> = Stiffening::pairs(moved.ncols()).collect();
    let mut found = Mat::zeros(3 * loads.len(), pairs.len());
    progress.begin("displacement of second order", pairs.len() as u64);
    for (group, pairs) in pairs.chunks(GROUP).enumerate() {
        let mut response = loads_of_pairs(discretisation, moved, pairs);
        flexibility.respond(response.as_mut(), progress)?;
        let first = GROUP * group;
        for (k, (load, j)) in (0..pairs.len()).flat_map(|k| loads.iter().zip(0..).map(move |load| (k, load)))
        {
            (0..3).for_each(|a| found[(3 * j + a, first + k)] = read(response.as_ref(), load, a, k));
        }
        progress.set((first + pairs.len()) as u64);
        if progress.interrupted() {
            return Err(IterationError::Interrupted);
        }
    }
    progress.end();
    Ok(found)
}

/// Accelerations at all points: −ω × (ω × r) for a unit of each product of angular velocities; with
/// `of_frame` 6, in addition e_a and e_a × r along and about each axis.
fn accelerations(points: &[[f64; 3]], com: [f64; 3], of_frame: usize) -> Mat<f64> {
    let n_products = Stiffening::PAIRS.len();
    let mut away = Mat::zeros(3 * points.len(), n_products + of_frame);
    for (i, point) in points.iter().enumerate() {
        let r: [f64; 3] = std::array::from_fn(|a| point[a] - com[a]);
        for (pair, [a, b]) in Stiffening::PAIRS.into_iter().enumerate() {
            if a == b {
                (0..3).filter(|&c| c != a).for_each(|c| away[(3 * i + c, pair)] = r[c]);
            } else {
                away[(3 * i + a, pair)] = -r[b];
                away[(3 * i + b, pair)] = -r[a];
            }
        }
        for (a, column) in (0..3).zip(n_products..n_products + of_frame) {
            // e_a × r = r_b e_c − r_c e_b, with a, b, c in cyclic order.
            let (b, c) = ((a + 1) % 3, (a + 2) % 3);
            away[(3 * i + a, column)] = 1.0;
            away[(3 * i + c, column + 3)] = r[b];
            away[(3 * i + b, column + 3)] = -r[c];
        }
    }
    away
}

/// A unit force along and a unit moment about each axis at the marker of a set, spread over its points.
fn on_set(set: &Attached, mut loads: MatMut<'_, f64>) {
    for (i, &point) in set.points.iter().enumerate() {
        for (a, load) in (0..3).flat_map(|a| (0..6).map(move |load| (a, load))) {
            loads[(3 * point as usize + a, load)] = set.mean[(3 * i + a, load)];
        }
    }
}

/// The low modes and the static response to the loads on markers, orthonormal.
fn motions(model: &ReducedBody) -> Mat<f64> {
    let (n, n_low) = (model.omega.len(), model.n_low);
    let mut columns: Vec<Vec<f64>> =
        (0..n_low).map(|k| (0..n).map(|i| if i == k { 1.0 } else { 0.0 }).collect()).collect();
    let values = model.markers.iter().flat_map(|marker| [&marker.translation, &marker.rotation]);
    for (values, a) in values.flat_map(|values| (0..3).map(move |a| (values, a))) {
        let mut response = response(values.as_ref(), a, &model.omega);
        let whole = norm(&response);
        // Twice, so that it is orthogonal up to round-off.
        for column in columns.iter().chain(&columns) {
            let part: f64 = column.iter().zip(&response).map(|(c, r)| c * r).sum();
            response.iter_mut().zip(column).for_each(|(r, c)| *r -= part * c);
        }
        let rest = norm(&response);
        if rest > DEPENDENT * whole {
            columns.push(response.into_iter().map(|r| r / rest).collect());
        }
    }
    Mat::from_fn(n, columns.len(), |i, k| columns[k][i])
}

/// φ/ω² of a unit load.
fn response(values: MatRef<'_, f64>, a: usize, omega: &[f64]) -> Vec<f64> {
    omega.iter().enumerate().map(|(k, omega)| values[(a, k)] / (omega * omega)).collect()
}

fn norm(column: &[f64]) -> f64 {
    column.iter().map(|x| x * x).sum::<f64>().sqrt()
}
