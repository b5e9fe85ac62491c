//! Bodies of a system: their constants, and where their frame lies in the source geometry.

use crate::centrifugal::{CentrifugalCompliance, centrifugal_loads};
use crate::floating_frame::{DampingFailure, FloatingFrame, FrameError};
use crate::kinetics::Kinetics;
use crate::modal_matrix::ModalMatrix;
use crate::velocities::Velocities;
use carom_dynamics::{Placement, rotation};
use carom_reduce::{Damping, DampingRatio, ReducedBody, StaticModes};
use faer::Mat;
use nalgebra::{DMatrix, Matrix3, Vector3};
use std::sync::Arc;

/// A rigid or reduced body.
#[derive(Debug, Clone)]
pub struct Body {
    /// Name, as shown to the user.
    pub name: String,
    /// Constants over the dynamic modes.
    pub frame: FloatingFrame,
    /// True if the body frame is held in space. The modes of a held reduced body still move: its Buckens
    /// frame is held, that is the mean of its motion, not some of its points.
    pub fixed: bool,
    /// Origin of the body frame in source coordinates \[m\].
    pub frame_origin: Vector3<f64>,
    /// Largest displacement of the surface for a unit of each dynamic mode \[1/√kg\].
    pub amplitudes: Vec<f64>,
    /// The reduced body that this one is made from; none for rigid bodies. Where loads have static modes of
    /// their own, it is over these.
    pub reduced: Option<Arc<ReducedBody>>,
    /// Number of modes below the split of its file.
    n_split: usize,
    /// From the modes of the body's file to those of `reduced`; none if they are the same.
    pub(crate) static_modes: Option<Arc<StaticModes>>,
    /// Compliance of its quasistatic modes under centrifugal forces; none without such modes.
    pub(crate) centrifugal: Option<CentrifugalCompliance>,
}

/// A body that cannot be used, with its name.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("body `{body}`: {source}")]
pub struct BodyError {
    /// Name of the body.
    pub body: String,
    /// The error of its constants.
    pub source: FrameError,
}

/// Initial values of one body: r, quaternion, q; P, L, p (decision 2).
#[derive(Debug, Clone, PartialEq)]
pub struct InitialState {
    /// Origin of the body frame \[m\].
    pub position: Vector3<f64>,
    /// Unit quaternion.
    pub quaternion: [f64; 4],
    /// Modal coordinates.
    pub modal: Vec<f64>,
    /// P \[N s\].
    pub momentum: Vector3<f64>,
    /// L about the inertial origin \[N m s\].
    pub ang_momentum: Vector3<f64>,
    /// Momenta conjugate to the modal coordinates.
    pub modal_momentum: Vec<f64>,
}

impl Body {
    /// A rigid body: mass \[kg\], inertia tensor about the centre of mass in source axes \[kg m²\], centre of
    /// mass in source coordinates \[m\].
    ///
    /// # Errors
    ///
    /// [`BodyError`] if they describe no body.
    pub fn rigid(
        name: impl Into<String>,
        mass: f64,
        inertia: Matrix3<f64>,
        com: Vector3<f64>,
    ) -> Result<Self, BodyError> {
        let name = name.into();
        let frame =
            FloatingFrame::rigid(mass, inertia).map_err(|source| BodyError { body: name.clone(), source })?;
        Ok(Self {
            name,
            frame,
            fixed: false,
            frame_origin: com,
            amplitudes: Vec::new(),
            reduced: None,
            n_split: 0,
            static_modes: None,
            centrifugal: None,
        })
    }

    /// A reduced body whose first `n_low` modes move (all others are quasistatic).
    ///
    /// # Errors
    ///
    /// [`BodyError`] if its arrays do not fit together or describe no body.
    pub fn reduced(reduced: Arc<ReducedBody>) -> Result<Self, BodyError> {
        let n = reduced.n_low;
        Self::with_dynamic_modes(reduced, n)
    }

    /// A reduced body whose first n modes move, whatever the split of its file: all of them for the `dynamic`
    /// scheme. Modes that move are limited by their frequency: an explicit step resolves the highest one.
    ///
    /// # Errors
    ///
    /// [`BodyError`] as [`Body::reduced`], or if it has fewer modes.
    pub fn with_dynamic_modes(reduced: Arc<ReducedBody>, n: usize) -> Result<Self, BodyError> {
        let mut frame = FloatingFrame::new(&reduced.invariants, n)
            .map_err(|source| BodyError { body: reduced.name.clone(), source })?;
        if let Some(stiffening) = &reduced.stiffening {
            frame.stiffen(stiffening);
        }
        let loads = centrifugal_loads(reduced.invariants.inertia_1.as_ref());
        let massive = &reduced.omega[..loads.ncols().min(reduced.omega.len())];
        Ok(Self {
            name: reduced.name.clone(),
            fixed: false,
            frame_origin: Vector3::from(reduced.com),
            amplitudes: amplitudes(&reduced, n),
            frame,
            n_split: reduced.n_low,
            centrifugal: CentrifugalCompliance::new(loads.as_ref(), massive, n),
            reduced: Some(reduced),
            static_modes: None,
        })
    }

    /// A reduced body whose low modes move, and with them the static modes of loads on it; the rest is
    /// quasistatic. Motion is resolved by the low modes: static modes respond to their loads, and their own
    /// frequencies do not limit steps beyond the error control.
    ///
    /// * `file` — the reduced body over the modes of its file
    ///
    /// # Errors
    ///
    /// [`BodyError`] as [`Body::reduced`].
    pub fn with_static_modes(file: &ReducedBody, modes: StaticModes) -> Result<Self, BodyError> {
        let reduced = modes
            .applied_to(file)
            .map_err(|source| BodyError { body: file.name.clone(), source: source.into() })?;
        let body = Self::with_dynamic_modes(Arc::new(reduced), modes.n_moving())?;
        let loads = modes.rows(centrifugal_loads(file.invariants.inertia_1.as_ref()).as_ref());
        let omega = &body.reduced.as_ref().expect("made from a reduced body").omega;
        let centrifugal = CentrifugalCompliance::new(loads.as_ref(), omega, modes.n_moving());
        Ok(Self { n_split: modes.n_low(), static_modes: Some(Arc::new(modes)), centrifugal, ..body })
    }

    /// Damps the vibration of its dynamic modes so, whatever damping the reduced body has of its own.
    ///
    /// # Errors
    ///
    /// [`BodyError`] if numbers are negative, or if the free vibrations of the modes cannot be found.
    pub fn with_damping(mut self, damping: &Damping) -> Result<Self, BodyError> {
        let n = self.frame.n;
        let of = |reduced: &ReducedBody| -> Result<_, DampingFailure> {
            damping.check()?;
            let matrix = damping.matrix(reduced, n)?;
            Ok((!damping.is_none()).then(|| ModalMatrix::from(DMatrix::from_fn(n, n, |i, j| matrix[(i, j)]))))
        };
        if let Some(reduced) = &self.reduced {
            self.frame.damping_modal = of(reduced).map_err(|source| BodyError {
                body: self.name.clone(),
                source: FrameError::Damping { source },
            })?;
        }
        Ok(self)
    }

    /// Damps the static modes that no joint binds, see [`StaticModes::damping`]; nothing if all modes of its
    /// file move.
    ///
    /// * `bound` — numbers of the unit loads of the body whose static modes a joint binds
    ///
    /// # Errors
    ///
    /// [`BodyError`] if the modes have numbers that are not finite.
    pub fn with_damped_static_modes(mut self, bound: &[usize], ratio: f64) -> Result<Self, BodyError> {
        let Some(modes) = self.static_modes.clone().filter(|modes| !modes.are_all()) else { return Ok(self) };
        let damping = modes.damping(bound.iter().copied(), ratio).map_err(|source| BodyError {
            body: self.name.clone(),
            source: FrameError::Damping { source: source.into() },
        })?;
        if damping.norm_max() > 0.0 {
            self.add_damping(&damping);
        }
        Ok(self)
    }

    /// Adds to D̄_e.
    fn add_damping(&mut self, matrix: &Mat<f64>) {
        let n = self.frame.n;
        let own = self.frame.damping_modal.take().map_or_else(|| DMatrix::zeros(n, n), |own| own.dense());
        self.frame.damping_modal = Some((own + DMatrix::from_fn(n, n, |i, j| matrix[(i, j)])).into());
    }

    /// Adds critical damping to the modes that its file marks as quasistatic, as other programs do with modes
    /// that move but are not of interest.
    ///
    /// # Errors
    ///
    /// [`BodyError`] if the free vibrations of the modes cannot be found.
    pub fn with_critical_damping(mut self) -> Result<Self, BodyError> {
        let n = self.frame.n;
        let Some(reduced) = self.reduced.clone().filter(|reduced| reduced.n_low < n) else { return Ok(self) };
        let hz = |mode: usize| reduced.omega[mode] / std::f64::consts::TAU;
        let ratio = match reduced.n_low.checked_sub(1) {
            None => DampingRatio::Constant(1.0),
            Some(last) => {
                let (last, first) = (hz(last), hz(reduced.n_low));
                DampingRatio::Table(vec![[last, 0.0], [0.5 * (last + first), 1.0]])
            }
        };
        let matrix = Damping { ratio, ..Damping::default() }.matrix(&reduced, n).map_err(|source| {
            BodyError { body: self.name.clone(), source: FrameError::Damping { source: source.into() } }
        })?;
        self.add_damping(&matrix);
        Ok(self)
    }

    /// The same body with its frame held in space.
    pub fn fixed(self) -> Self {
        Self { fixed: true, ..self }
    }

    /// Initial values for a placement, undeformed. docs/theory/floating-frame.md, section 3.1: the source
    /// geometry is rotated about its origin, the velocity is that of the centre of mass.
    pub fn placed(&self, placement: &Placement) -> InitialState {
        let a = rotation::matrix(&placement.quaternion);
        let position = Vector3::from(placement.origin) + a * self.frame_origin;
        let omega = Vector3::from(placement.angular_velocity);
        let velocity = Vector3::from(placement.velocity) - omega.cross(&(a * self.frame.com_b()));
        let n = self.frame.n;
        let mut kinetics = Kinetics::new(n);
        let modal = vec![0.0; n];
        let mut modal_momentum = vec![0.0; n];
        kinetics.set_modal(&self.frame, &modal);
        let z = Velocities { v: a.transpose() * velocity, omega: a.transpose() * omega, modal: vec![0.0; n] };
        let (linear, angular) = kinetics.momenta(&self.frame, &z, &mut modal_momentum);
        let momentum = a * linear;
        let mut quaternion = placement.quaternion;
        rotation::normalise(&mut quaternion);
        InitialState {
            position,
            quaternion,
            modal,
            momentum,
            ang_momentum: a * angular + position.cross(&momentum),
            modal_momentum,
        }
    }

    /// Angular frequency of mode k \[rad/s\] if it lies above the split or is a static mode, 0 for others.
    pub(crate) fn high_frequency(&self, k: usize) -> f64 {
        self.reduced.as_ref().filter(|_| k >= self.n_split).map_or(0.0, |reduced| reduced.omega[k])
    }

    /// Highest frequency of the modes that steps resolve \[Hz\], 0 without any: all that move but static
    /// modes of loads.
    pub fn highest_frequency(&self) -> f64 {
        let k = &self.frame.stiffness_modal;
        let n = if self.static_modes.is_some() { self.n_split } else { self.frame.n };
        let largest = (0..n)
            .map(|i| (0..self.frame.n).map(|j| k[(i, j)].abs()).sum::<f64>() / self.frame.mass_modal[(i, i)])
            .fold(0.0, f64::max);
        largest.sqrt() / std::f64::consts::TAU
    }
}

/// max |φ_k| over the boundary, at least the root mean square over the mass, 1/√m.
fn amplitudes(reduced: &ReducedBody, n: usize) -> Vec<f64> {
    let least = 1.0 / reduced.invariants.mass.sqrt();
    let values = &reduced.boundary.values;
    (0..n.min(values.ncols()))
        .map(|k| {
            (0..values.nrows() / 3)
                .map(|point| (0..3).map(|a| values[(3 * point + a, k)].powi(2)).sum::<f64>().sqrt())
                .fold(least, f64::max)
        })
        .chain(std::iter::repeat(least))
        .take(n)
        .collect()
}
