//! Surface points of a reduced body as functions of its modal coordinates.

use std::sync::Arc;

use carom_contact::foreshortening::Foreshortening;
use carom_contact::points::{PointForce, Response, SurfacePoints};
use carom_contact::submodel;
use carom_reduce::ReducedBody;
use faer::Mat;

/// Points X + Φ q in the frame of a body: q are the coordinates of its dynamic modes, Φ their rows at the
/// points. A rigid body has no modes. Points of a body with geometric stiffness are displaced in second
/// order, too: see [`Foreshortening`].
///
/// Quasistatic modes are not among the coordinates. They are the compliance of the points,
/// C = Φ_hf Ω_hf⁻² Φ_hfᵀ, docs/theory/reduction.md, eq. (14). The pose of the frame is not among them either:
/// forces act on it by their resultant, as on a rigid body.
#[derive(Debug, Clone)]
pub struct ModalPoints {
    /// Reference positions, 3 numbers a point \[m\].
    reference: Vec<f64>,
    /// Dynamic modes at the points: column k at `[3 n k ..]`.
    low: Vec<f64>,
    /// Number of dynamic modes.
    n_low: usize,
    /// Displacement of second order of the points.
    foreshortening: Option<Foreshortening>,
    /// The reduced body, and the row of its boundary that each point is.
    reduced: Option<(Arc<ReducedBody>, Vec<usize>)>,
}

impl ModalPoints {
    /// Points of a rigid body.
    ///
    /// * `positions` — in the frame of the body \[m\]
    pub fn rigid(positions: &[[f64; 3]]) -> Self {
        Self { reference: positions.concat(), low: Vec::new(), n_low: 0, foreshortening: None, reduced: None }
    }

    /// Points of a reduced body.
    ///
    /// * `rows` — of its boundary, one for each point
    /// * `n_low` — number of its modes that are coordinates; the other ones are quasistatic
    pub fn reduced(body: Arc<ReducedBody>, rows: Vec<usize>, n_low: usize) -> Self {
        let boundary = &body.boundary;
        let reference = rows.iter().flat_map(|&row| boundary.positions_b[row]).collect();
        let entries =
            (0..n_low).flat_map(|k| rows.iter().flat_map(move |row| (0..3).map(move |a| (3 * row + a, k))));
        let low = entries.map(|entry| boundary.values[entry]).collect();
        let at_rows = |values: &Mat<f64>| {
            Mat::from_fn(3 * rows.len(), values.ncols(), |i, k| values[(3 * rows[i / 3] + i % 3, k)])
        };
        let foreshortening = body.stiffening.as_ref().and_then(|stiffening| {
            let values = at_rows(stiffening.boundary.as_ref()?);
            Some(Foreshortening::new(Arc::new(stiffening.basis.clone()), values))
        });
        Self { reference, low, n_low, foreshortening, reduced: Some((body, rows)) }
    }

    /// True if forces on the points change the stiffness of the body.
    pub(crate) fn stiffen(&self) -> bool {
        self.foreshortening.is_some()
    }

    /// Dynamic mode k at the points.
    fn column(&self, k: usize) -> &[f64] {
        let rows = self.reference.len();
        &self.low[rows * k..rows * (k + 1)]
    }

    /// The reduced body and the rows of the points, if it has quasistatic modes.
    fn quasistatic(&self) -> Option<(&ReducedBody, &[usize])> {
        let (body, rows) = self.reduced.as_ref().filter(|(body, _)| body.omega.len() > self.n_low)?;
        Some((body, rows))
    }

    /// C, 3n × 3n \[m/N\]; `None` if no mode is quasistatic.
    pub fn compliance(&self) -> Option<Mat<f64>> {
        let (body, rows) = self.quasistatic()?;
        let modes = Mat::from_fn(3 * rows.len(), body.omega.len() - self.n_low, |i, k| {
            body.boundary.values[(3 * rows[i / 3] + i % 3, self.n_low + k)]
        });
        Some(submodel::compliance(modes.as_ref(), &body.omega[self.n_low..]))
    }

    /// Adds the coordinates of the quasistatic modes under forces on the points, q_k = φ_kᵀ f / ω_k².
    ///
    /// * `forces` — on all points \[N\]
    /// * `modal` — one number for each quasistatic mode
    pub fn add_quasistatic(&self, forces: &[f64], modal: &mut [f64]) {
        let Some((body, _)) = &self.reduced else { return };
        self.for_modal_forces(self.n_low, forces, &mut |mode, work| {
            modal[mode - self.n_low] += work / body.omega[mode].powi(2);
        });
    }

    /// Hands over φ_kᵀ f of the modes from the k-th on; of no mode without forces, or of a rigid body.
    ///
    /// * `forces` — on all points \[N\]
    pub fn for_modal_forces(&self, from: usize, forces: &[f64], take: &mut dyn FnMut(usize, f64)) {
        let Some((body, rows)) = &self.reduced else { return };
        let forces = forces.as_chunks::<3>().0;
        // Between impacts no point carries a force, and most do not in one.
        let is_loaded = |f: &[f64; 3]| *f != [0.0; 3];
        if !forces.iter().any(is_loaded) {
            return;
        }
        for mode in from..body.omega.len() {
            let phi = body.boundary.values.col_as_slice(mode);
            let loaded = rows.iter().zip(forces).filter(|(_, f)| is_loaded(f));
            take(mode, loaded.map(|(row, f)| (0..3).map(|a| phi[3 * row + a] * f[a]).sum::<f64>()).sum());
        }
    }

    /// Adds Φ times numbers of the modes.
    fn add_modes(&self, values: &[f64], at_points: &mut [f64]) {
        for (k, value) in values.iter().enumerate().take(self.n_low) {
            at_points.iter_mut().zip(self.column(k)).for_each(|(x, phi)| *x += value * phi);
        }
    }
}

impl SurfacePoints for ModalPoints {
    fn n_points(&self) -> usize {
        self.reference.len() / 3
    }

    fn n_coordinates(&self) -> usize {
        self.n_low
    }

    fn positions_into(&self, q: &[f64], positions: &mut [f64]) {
        positions.copy_from_slice(&self.reference);
        self.add_modes(q, positions);
        if let Some(second) = &self.foreshortening {
            second.add_displacement(&q[..self.n_low], positions);
        }
    }

    fn velocities_into(&self, q: &[f64], v: &[f64], velocities: &mut [f64]) {
        velocities.fill(0.0);
        self.add_modes(v, velocities);
        if let Some(second) = &self.foreshortening {
            second.add_rate(&q[..self.n_low], &v[..self.n_low], velocities);
        }
    }

    fn add_forces(&self, q: &[f64], forces: &[f64], generalised: &mut [f64]) {
        for (k, modal) in generalised.iter_mut().enumerate().take(self.n_low) {
            *modal += self.column(k).iter().zip(forces).map(|(phi, f)| phi * f).sum::<f64>();
        }
        if let Some(second) = &self.foreshortening {
            let points = || forces.as_chunks::<3>().0.iter().copied().enumerate();
            let loaded = || points().filter(|(_, force)| *force != [0.0; 3]);
            second.add_forces(&q[..self.n_low], loaded, &mut generalised[..self.n_low]);
        }
    }

    fn add_point_forces(&self, q: &[f64], forces: &[PointForce], generalised: &mut [f64]) {
        for (k, modal) in generalised.iter_mut().enumerate().take(self.n_low) {
            *modal += work_on_mode(forces, self.column(k), |point| point);
        }
        if let Some(second) = &self.foreshortening {
            let points = || forces.iter().map(|(point, force)| (*point as usize, *force));
            second.add_forces(&q[..self.n_low], points, &mut generalised[..self.n_low]);
        }
    }

    /// The inverse mass is not known, as it is that of all modes and of the frame together.
    fn add_response(
        &self,
        response: Response,
        _q: &[f64],
        forces: &[PointForce],
        motion: &mut [f64],
    ) -> bool {
        if response == Response::InverseMass {
            return false;
        }
        // Without quasistatic modes no force moves a point.
        let Some((body, rows)) = self.quasistatic() else { return true };
        for mode in self.n_low..body.omega.len() {
            let phi = body.boundary.values.col_as_slice(mode);
            let q = work_on_mode(forces, phi, |point| rows[point]) / body.omega[mode].powi(2);
            for (motion, row) in motion.chunks_exact_mut(3).zip(rows) {
                (0..3).for_each(|a| motion[a] += phi[3 * row + a] * q);
            }
        }
        true
    }
}

/// φᵀ f of forces on a few points.
///
/// * `row` — of φ for a point
fn work_on_mode(forces: &[PointForce], phi: &[f64], row: impl Fn(usize) -> usize) -> f64 {
    let work = |(point, f): &PointForce| -> f64 {
        let row = row(*point as usize);
        (0..3).map(|a| phi[3 * row + a] * f[a]).sum()
    };
    forces.iter().map(work).sum()
}
