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

use carom_fem::geometric_stiffness::geometric_stiffness;
use carom_fem::{Body, Discretisation, QuadratureRule};
use carom_linalg::tall::product;
use carom_progress::Progress;
use faer::{Mat, MatMut, MatRef};

use crate::attachment::Attached;
use crate::comparison::{rigid_sets, whole_body};
use crate::error::ReduceError;
use crate::options::CraigBamptonOptions;
use crate::reduced::ReducedBody;
use crate::static_modes::StaticModes;

/// Part of a response that is new, below which it depends on those before it.
const DEPENDENT: f64 = 1e-8;

/// Geometric stiffness of a reduced body under unit loads.
#[derive(Debug, Clone)]
pub struct Stiffening {
    /// B: motions over which K is kept, modes × motions.
    pub basis: Mat<f64>,
    /// K of the centrifugal stress of a unit of each product of angular velocities, [`Stiffening::PAIRS`],
    /// motions × motions \[kg m²/(m² kg)\]; empty for a body that is held.
    pub products: Vec<Mat<f64>>,
    /// K of the stress of a unit of gravity along x, y, z on a body that is held, motions × motions
    /// \[kg/(m kg)\]; empty for a free body, whose weight is carried by forces on its markers.
    pub weight: Vec<Mat<f64>>,
    /// K of the stress of a unit force along x, y, z and a unit moment about x, y, z on each marker: six
    /// matrices each \[1/(m kg)\], \[1/(m² kg)\].
    pub markers: Vec<Mat<f64>>,
}

impl Stiffening {
    /// Axes of the products of angular velocities.
    pub const PAIRS: [[usize; 2]; 6] = [[0, 0], [1, 1], [2, 2], [0, 1], [0, 2], [1, 2]];

    /// K of a product of angular velocities over the first n modes, n × n; none for a body that is held.
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

    /// K of the weight under gravity g, in axes of the body \[m/s²\], over the first n modes, n × n; none for
    /// a free body.
    pub fn of_weight(&self, g_b: [f64; 3], n: usize) -> Option<Mat<f64>> {
        let [x, y, z] = &self.weight[..] else { return None };
        let sum = faer::Scale(g_b[0]) * x + faer::Scale(g_b[1]) * y + faer::Scale(g_b[2]) * z;
        Some(self.over_modes(&sum, n))
    }

    /// Largest change of the stiffness of the modes by gravity of 1 m/s² along an axis of the body, relative
    /// to the stiffness; 0 of a model without K of its weight \[s²/m\].
    ///
    /// ```text
    /// max |K_a,kl|/(ω_k ω_l)
    /// ```
    ///
    /// * `omega` — angular frequencies of the first modes, above 0 \[rad/s\]
    pub fn weight_part(&self, omega: &[f64]) -> f64 {
        let n = omega.len();
        let unit = |axis: usize| [0, 1, 2].map(|a| if a == axis { 1.0 } else { 0.0 });
        let of_axes = (0..3).filter_map(|axis| self.of_weight(unit(axis), n));
        let part = |k: &Mat<f64>| {
            let pairs = (0..n).flat_map(|i| (0..n).map(move |j| (i, j)));
            pairs.map(|(i, j)| k[(i, j)].abs() / (omega[i] * omega[j])).fold(0.0, f64::max)
        };
        of_axes.map(|k| part(&k)).fold(0.0, f64::max)
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
    fn over_modes(&self, k: &Mat<f64>, n: usize) -> Mat<f64> {
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
        let fields = model.fields.as_ref().expect("modes are kept at all points for the stiffening");
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
        let accelerations = if is_free {
            centrifugal(&discretisation.points, model.com)
        } else {
            uniform(discretisation.points.len())
        };
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
        let (products, weight) = if is_free { (all, Vec::new()) } else { (Vec::new(), all) };
        Ok(Self { basis, products, weight, markers })
    }
}

/// −ω × (ω × r) at all points for a unit of each product of angular velocities.
fn centrifugal(points: &[[f64; 3]], com: [f64; 3]) -> Mat<f64> {
    let mut away = Mat::zeros(3 * points.len(), Stiffening::PAIRS.len());
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
    }
    away
}

/// A unit acceleration along each axis at all of n points.
fn uniform(n: usize) -> Mat<f64> {
    Mat::from_fn(3 * n, 3, |row, a| if row % 3 == a { 1.0 } else { 0.0 })
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
