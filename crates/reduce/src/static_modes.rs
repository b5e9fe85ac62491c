//! Static modes of loads: the response of the quasistatic modes to given loads, as a few dynamic modes.
//! Quasistatic modes respond to contact by their compliance. Joints, springs and forces act only on dynamic
//! modes; a body with quasistatic high modes would be too stiff at its joints. With shapes Φ_h, frequencies Ω
//! and mass matrix M_h of the quasistatic modes and the generalised forces B of m unit loads on them, the
//! static response lies in the span of Ω⁻² B:
//!
//! ```text
//! Ω⁻¹ B = Q R,   Qᵀ Q = E                                       (columns that depend on others left out)
//! Qᵀ Ω⁻¹ M_h Ω⁻¹ Q = Z diag(1/ω_s²) Zᵀ
//! P = Ω⁻¹ Q Z diag(ω_s)                                     static modes: Pᵀ M_h P = E, Pᵀ Ω² P = diag(ω_s²)
//! C = ω̄ Ω⁻¹ Q_⊥                                            the rest: Pᵀ Ω² C = 0, Bᵀ C = 0, Cᵀ Ω² C = ω̄² E
//! ```
//!
//! The static modes are dynamic, with their inertia, in addition to the low modes. The rest stays
//! quasistatic: no given load acts on it (Bᵀ C = 0), so that it responds only to contact, with the compliance
//! Φ_h C C ᵀ Φ_hᵀ/ω̄² = U − U B (Bᵀ U B)⁻¹ Bᵀ U of points held at the loads. Joints, loads and contact are
//! thereby one problem without further unknowns in the rates.
//!
//! # Source
//!
//! Residual attachment modes: Craig & Chang (1977), NASA CP-2001, 727–752; the choice compared with a
//! massless compliance in the joints: decision 30.

use carom_linalg::DenseEigenError;
use carom_linalg::dense::{Reflections, symmetric_pairs, symmetrised};
use carom_linalg::tall::{gram, product};
use faer::{Mat, MatRef};

use crate::field_modes::FieldModes;
use crate::invariants::Invariants;
use crate::places::PlacedSurface;
use crate::point_modes::Modes;
use crate::reduced::ReducedBody;
use crate::unread::UnreadArrayError;

/// Fraction of the norm of a load's response, over all modes, below which its remainder depends on the loads
/// before it. Its square is the relative loss of static compliance.
const DEPENDENT: f64 = 1e-6;

/// A change of the basis of modes: unchanged low modes, then static modes, then the rest of the quasistatic
/// modes.
#[derive(Debug, Clone)]
pub struct StaticModes {
    /// Number of low modes, which are unchanged.
    n_low: usize,
    /// Circular frequencies of the static modes, ascending \[rad/s\].
    omega: Vec<f64>,
    /// \[P C\], n_high × n_high.
    high: Mat<f64>,
    /// ω̄ \[rad/s\].
    omega_rest: f64,
    /// Coordinates of the static modes under a unit of each load; none for loads whose response depends on
    /// others.
    responses: Vec<Option<Vec<f64>>>,
}

/// Largest frequency of a static mode, relative to the highest frequency of the body held at one of its
/// loads: the inertia of stiffer modes is increased. This inertia has no effect on the motion of the body,
/// and the step size need not resolve it.
const HIGHEST: f64 = 4.0;

impl StaticModes {
    /// The static modes of loads on a reduced body.
    ///
    /// * `loads` — generalised forces of a unit of each load on all modes of the model, n × m
    /// * `mobilities` — acceleration of the rigid body at each load under a unit of it \[1/kg, 1/(kg m²)\]; 0
    ///   for a body that is held
    ///
    /// Returns none if the low modes contain the whole response, or if some quasistatic modes have no mass (a
    /// massless boundary).
    ///
    /// # Errors
    ///
    /// [`DenseEigenError`] if the numbers are not finite.
    pub fn new(
        model: &ReducedBody,
        loads: MatRef<'_, f64>,
        mobilities: &[f64],
    ) -> Result<Option<Self>, DenseEigenError> {
        let (n, n_low) = (model.omega.len(), model.n_low);
        if n_low == n || model.invariants.n_massive() < n {
            return Ok(None);
        }
        let (chosen, independent) = independent(&model.omega, n_low, loads);
        if chosen.is_empty() {
            return Ok(None);
        }
        let omega_high = &model.omega[n_low..];
        let reflections = Reflections::new(independent.as_ref());
        let scaled = |columns: Mat<f64>| {
            Mat::from_fn(columns.nrows(), columns.ncols(), |i, j| columns[(i, j)] / omega_high[i])
        };
        let (span, rest) = (scaled(reflections.span()), scaled(reflections.complement()));
        let mass = model.invariants.mass_modal.as_ref().submatrix(n_low, n_low, n - n_low, n - n_low);
        let moved = product(mass, span.as_ref());
        let pairs = symmetric_pairs(symmetrised(gram(span.as_ref(), moved.as_ref()).as_ref()).as_ref())?;
        // Ascending frequencies are descending eigenvalues 1/ω_s².
        let k = pairs.lambda.len();
        let omega: Vec<f64> = pairs.lambda.iter().rev().map(|square| 1.0 / square.sqrt()).collect();
        if omega.iter().any(|omega| !omega.is_finite()) {
            return Err(DenseEigenError::NoConvergence { n: k });
        }
        let held =
            chosen.iter().map(|&load| held_frequency(&model.omega, n_low, loads, load, mobilities[load]));
        let highest = HIGHEST * held.fold(0.0, f64::max);
        let highest = if highest > 0.0 { highest } else { f64::INFINITY };
        let omega: Vec<f64> = omega.into_iter().map(|omega| omega.min(highest)).collect();
        let turn = Mat::from_fn(k, k, |i, j| pairs.vectors[(i, k - 1 - j)] * omega[j]);
        let modes = product(span.as_ref(), turn.as_ref());
        let omega_rest = omega_high.iter().copied().fold(0.0, f64::max);
        let high = Mat::from_fn(n - n_low, n - n_low, |i, j| {
            if j < k { modes[(i, j)] } else { omega_rest * rest[(i, j - k)] }
        });
        let mut responses = vec![None; loads.ncols()];
        for &load in &chosen {
            let on_mode =
                |j: usize| -> f64 { (0..n - n_low).map(|i| modes[(i, j)] * loads[(n_low + i, load)]).sum() };
            responses[load] = Some((0..k).map(|j| on_mode(j) / omega[j].powi(2)).collect());
        }
        Ok(Some(Self { n_low, omega, high, omega_rest, responses }))
    }

    /// Number of dynamic modes: low modes and static modes.
    pub fn n_moving(&self) -> usize {
        self.n_low + self.omega.len()
    }

    /// Number of low modes.
    pub fn n_low(&self) -> usize {
        self.n_low
    }

    /// Circular frequencies of the static modes, ascending \[rad/s\].
    pub fn frequencies(&self) -> &[f64] {
        &self.omega
    }

    /// Transforms values over the modes of the model (one row each) to values over the new modes.
    pub fn rows(&self, values: MatRef<'_, f64>) -> Mat<f64> {
        let (n, n_low) = (values.ncols(), self.n_low);
        let high = product(values.subcols(n_low, n - n_low), self.high.as_ref());
        Mat::from_fn(values.nrows(), n, |i, k| if k < n_low { values[(i, k)] } else { high[(i, k - n_low)] })
    }

    /// Relative errors of the strain energy of the new modes: those of the modes of the model, weighted by
    /// their energies in each. Of the low modes alone where the model has no more.
    fn mixed(&self, omega: &[f64], errors: &[f64]) -> Vec<f64> {
        if errors.len() < omega.len() {
            return errors[..errors.len().min(self.n_low)].to_vec();
        }
        let (low, high) = errors.split_at(self.n_low);
        let of_new = |k: usize| {
            let energies = (0..high.len()).map(|i| (self.high[(i, k)] * omega[self.n_low + i]).powi(2));
            let (sum, wrong) =
                energies.zip(high).fold((0.0, 0.0), |(sum, wrong), (e, error)| (sum + e, wrong + e * error));
            wrong / sum
        };
        low.iter().copied().chain((0..high.len()).map(of_new)).collect()
    }

    /// The same over the dynamic modes only.
    fn moving(&self, values: MatRef<'_, f64>) -> Mat<f64> {
        let (n, n_low, k) = (values.ncols(), self.n_low, self.omega.len());
        let added = product(values.subcols(n_low, n - n_low), self.high.as_ref().subcols(0, k));
        Mat::from_fn(values.nrows(), n_low + k, |i, j| {
            if j < n_low { values[(i, j)] } else { added[(i, j - n_low)] }
        })
    }

    /// Coordinates of the modes of the model from those of the new modes. Coordinates beyond the end of `own`
    /// are zero.
    pub fn coordinates_into(&self, own: &[f64], model: &mut [f64]) {
        let (low, high) = model.split_at_mut(self.n_low);
        low.copy_from_slice(&own[..self.n_low]);
        high.fill(0.0);
        for (k, &z) in own[self.n_low..].iter().enumerate().filter(|(_, z)| **z != 0.0) {
            high.iter_mut().zip(self.high.col_as_slice(k)).for_each(|(q, p)| *q += p * z);
        }
    }

    /// The reduced body over the new modes, without stress: constants of the floating frame and values for
    /// pictures over the dynamic modes, mode values at boundary points and markers over all modes.
    ///
    /// # Errors
    ///
    /// [`UnreadArrayError`] if arrays that were left in the file of the model cannot be read.
    pub fn applied_to(&self, model: &ReducedBody) -> Result<ReducedBody, UnreadArrayError> {
        let fields = model.fields.as_ref().map(FieldModes::modes).transpose()?;
        let n = model.omega.len();
        let n_moving = self.n_moving();
        let mut omega = model.omega[..self.n_low].to_vec();
        omega.extend(&self.omega);
        omega.resize(n, self.omega_rest);
        let mut markers = model.markers.clone();
        for marker in &mut markers {
            marker.translation = self.rows(marker.translation.as_ref());
            marker.rotation = self.rows(marker.rotation.as_ref());
        }
        let Modes { points, positions_b, values } = &model.boundary;
        Ok(ReducedBody {
            name: model.name.clone(),
            body_checksum: model.body_checksum.clone(),
            materials: model.materials.clone(),
            com: model.com,
            invariants: self.invariants(&model.invariants)?,
            omega,
            n_low: n_moving,
            mode_errors: self.mixed(&model.omega, &model.mode_errors),
            frequency_errors: model.frequency_errors[..model.frequency_errors.len().min(self.n_low)].to_vec(),
            fixed_interface_hz: model.fixed_interface_hz.clone(),
            n_interface_dofs: model.n_interface_dofs,
            composition: model.composition.clone(),
            markers,
            held: model.held.clone(),
            n_dofs: model.n_dofs,
            surfaces: model.surfaces.clone(),
            places: model
                .places
                .iter()
                .map(|places| PlacedSurface { values: self.rows(places.values.as_ref()), ..places.clone() })
                .collect(),
            boundary: Modes {
                points: points.clone(),
                positions_b: positions_b.clone(),
                values: self.rows(values.as_ref()),
            },
            fields: fields.map(|fields| {
                let values = self.moving(fields.values.as_ref());
                Modes { points: fields.points.clone(), positions_b: fields.positions_b.clone(), values }
                    .into()
            }),
            stress: None,
            stiffening: model.stiffening.as_ref().map(|stiffening| stiffening.changed(self)),
        })
    }

    /// The mass matrix of the dynamic modes: its block of static modes is the identity, also where their
    /// inertia was increased.
    fn moving_mass(&self, mut mass: Mat<f64>) -> Mat<f64> {
        for j in self.n_low..mass.ncols() {
            for i in self.n_low..mass.nrows() {
                mass[(i, j)] = if i == j { 1.0 } else { 0.0 };
            }
        }
        mass
    }

    /// Damping of the static modes that loads other than `bound` excite, over the dynamic modes:
    ///
    /// ```text
    /// Y = diag(ω_s) S_bound = Q R,   N = Q_⊥,   m = Nᵀ diag(ω_s⁻²) N,   D = 2 ζ diag(ω_s) N m^½ Nᵀ diag(ω_s)
    /// ```
    ///
    /// with the static responses S. Motions orthogonal to the responses to bound loads have the damping ratio
    /// ζ; these responses are undamped.
    ///
    /// * `bound` — numbers of the loads of joints that hold their static modes
    ///
    /// # Errors
    ///
    /// [`DenseEigenError`] if the numbers are not finite.
    pub fn damping(
        &self,
        bound: impl IntoIterator<Item = usize>,
        ratio: f64,
    ) -> Result<Mat<f64>, DenseEigenError> {
        let k = self.omega.len();
        let responses: Vec<&Vec<f64>> =
            bound.into_iter().filter_map(|load| self.responses[load].as_ref()).collect();
        let scaled = Mat::from_fn(k, responses.len(), |i, j| self.omega[i] * responses[j][i]);
        let free = Reflections::new(scaled.as_ref()).complement();
        let over = Mat::from_fn(k, free.ncols(), |i, j| free[(i, j)] / self.omega[i]);
        let pairs = symmetric_pairs(gram(over.as_ref(), over.as_ref()).as_ref())?;
        // m^½, applied from both sides as m^¼.
        let turned = product(free.as_ref(), pairs.vectors.as_ref());
        let half = Mat::from_fn(k, free.ncols(), |i, j| {
            self.omega[i] * turned[(i, j)] * pairs.lambda[j].max(0.0).sqrt().sqrt()
        });
        let n = self.n_moving();
        Ok(Mat::from_fn(n, n, |i, j| {
            let (Some(i), Some(j)) = (i.checked_sub(self.n_low), j.checked_sub(self.n_low)) else {
                return 0.0;
            };
            2.0 * ratio * (0..free.ncols()).map(|l| half[(i, l)] * half[(j, l)]).sum::<f64>()
        }))
    }

    /// True if no mode stays quasistatic.
    pub fn are_all(&self) -> bool {
        self.omega.len() == self.high.ncols()
    }

    /// Constants over the dynamic modes.
    fn invariants(&self, all: &Invariants) -> Result<Invariants, UnreadArrayError> {
        let n = all.mass_modal.nrows();
        let n_moving = self.n_moving();
        let entry = |i: usize, k: usize| match (i < self.n_low, k < self.n_low) {
            (true, true) if i == k => 1.0,
            (false, false) => self.high[(i - self.n_low, k - self.n_low)],
            _ => 0.0,
        };
        let basis = Mat::from_fn(n, n_moving, entry);
        // The same for each of three components, in rows 3 k + a.
        let threefold =
            Mat::from_fn(
                3 * n,
                3 * n_moving,
                |i, k| {
                    if i % 3 == k % 3 { basis[(i / 3, k / 3)] } else { 0.0 }
                },
            );
        let form = |a: &Mat<f64>| {
            let square =
                symmetrised(gram(basis.as_ref(), product(a.as_ref(), basis.as_ref()).as_ref()).as_ref());
            without_rounding(square)
        };
        let right = |a: &Mat<f64>| product(a.as_ref(), basis.as_ref());
        let left = |a: Mat<f64>| gram(threefold.as_ref(), a.as_ref());
        Ok(Invariants {
            mass: all.mass,
            first_moment: all.first_moment,
            inertia: all.inertia,
            coupling_t: right(&all.coupling_t),
            coupling_r0: right(&all.coupling_r0),
            coupling_r1: left(right(all.coupling_r1.all()?)).into(),
            inertia_1: left(all.inertia_1.clone()),
            inertia_2: left(product(all.inertia_2.all()?.as_ref(), threefold.as_ref())).into(),
            mass_modal: self.moving_mass(form(&all.mass_modal)),
            stiffness_modal: form(&all.stiffness_modal),
            damping_modal: all.damping_modal.as_ref().map(form),
        })
    }
}

/// Share of the first `n` modes in the static compliance of a body at each load, 0 to 1; 1 for a load that
/// excites no mode.
///
/// ```text
/// Σ_{k<n} b_k²/ω_k² / Σ_k b_k²/ω_k²
/// ```
///
/// * `loads` — generalised forces of a unit of each load on all modes, one column each
pub fn held_compliance(omega: &[f64], n: usize, loads: MatRef<'_, f64>) -> Vec<f64> {
    let part = |load: usize, modes: std::ops::Range<usize>| {
        modes.map(|k| (loads[(k, load)] / omega[k]).powi(2)).sum::<f64>()
    };
    (0..loads.ncols())
        .map(|load| {
            let all = part(load, 0..omega.len());
            if all > 0.0 { part(load, 0..n) / all } else { 1.0 }
        })
        .collect()
}

/// Circular frequency of a body held at one load, with the static response of its quasistatic modes and
/// without their inertia; 0 if the load excites no mode \[rad/s\].
///
/// ```text
/// ω² = (m_r⁻¹ + Σ_low b_k²) / Σ_high b_k²/ω_k²
/// ```
fn held_frequency(
    omega: &[f64],
    n_low: usize,
    loads: MatRef<'_, f64>,
    load: usize,
    rigid_mobility: f64,
) -> f64 {
    let mobility = rigid_mobility + (0..n_low).map(|k| loads[(k, load)].powi(2)).sum::<f64>();
    let compliance: f64 = (n_low..omega.len()).map(|k| (loads[(k, load)] / omega[k]).powi(2)).sum();
    if compliance > 0.0 { (mobility / compliance).sqrt() } else { 0.0 }
}

/// The loads whose responses do not depend on those of others, and Ω⁻¹ B of these over the quasistatic modes,
/// scaled to a response of norm 1 over all modes. The largest remainders come first.
fn independent(omega: &[f64], n_low: usize, loads: MatRef<'_, f64>) -> (Vec<usize>, Mat<f64>) {
    let n_high = omega.len() - n_low;
    let scaled = |load: usize| -> Vec<f64> {
        let response: Vec<f64> = (0..omega.len()).map(|k| loads[(k, load)] / omega[k]).collect();
        let norm = norm(&response);
        response[n_low..].iter().map(|x| if norm > 0.0 { x / norm } else { 0.0 }).collect()
    };
    let columns: Vec<Vec<f64>> = (0..loads.ncols()).map(scaled).collect();
    let mut remainders = columns.clone();
    let mut chosen: Vec<usize> = Vec::new();
    while chosen.len() < n_high {
        let norms = remainders.iter().map(|column| norm(column)).enumerate();
        let largest = norms.fold((0, 0.0), |most, next| if next.1 > most.1 { next } else { most });
        let (pivot, size) = largest;
        if size <= DEPENDENT {
            break;
        }
        chosen.push(pivot);
        let direction: Vec<f64> = remainders[pivot].iter().map(|x| x / size).collect();
        for column in &mut remainders {
            // Twice, so that the remainder is orthogonal up to round-off.
            for _ in 0..2 {
                let part: f64 = column.iter().zip(&direction).map(|(x, d)| x * d).sum();
                column.iter_mut().zip(&direction).for_each(|(x, d)| *x -= part * d);
            }
        }
        remainders[pivot].fill(0.0);
    }
    let responses = Mat::from_fn(n_high, chosen.len(), |i, j| columns[chosen[j]][i]);
    (chosen, responses)
}

fn norm(column: &[f64]) -> f64 {
    column.iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// Sets entries of a symmetric matrix to zero that are round-off relative to their diagonal entries.
fn without_rounding(mut a: Mat<f64>) -> Mat<f64> {
    let n = a.nrows();
    for j in 0..n {
        for i in (0..n).filter(|&i| i != j) {
            if a[(i, j)].abs() <= 1e-11 * (a[(i, i)] * a[(j, j)]).abs().sqrt() {
                a[(i, j)] = 0.0;
            }
        }
    }
    a
}
