//! From stiffness and mass to a reduced body, whatever the body is known by.

use std::f64::consts::PI;

use carom_fem::{Material, SystemMatrices};
use carom_linalg::dense::product;
use carom_linalg::{DofSet, Wanted};
use carom_progress::Progress;
use faer::{Mat, MatRef};

use crate::boundary::{Boundary, Interior};
use crate::characteristic::{interface_parts, reduced_second_modes};
use crate::column::{Composition, effective_mass, strain_shares};
use crate::condensation::{Condensation, ConstraintModes, constraint_modes};
use crate::craig_bampton::{CraigBampton, CraigBamptonOptions, RIGID_ERROR, ReduceError, check_count};
use crate::frame::{self, BodyFrame, Follower, FrameChoiceError, Reframed, reframed};
use crate::further::{self, DEPENDENT, FreeModesError, beyond_constraint_modes, independent, inertia_relief};
use crate::interface::dofs;
use crate::modes::hz;
use crate::moments::Moments;
use crate::reduced::{Modes, NamedSurface, ReducedBody};
use crate::rigid::rigid_modes;
use crate::timing::{Lap, Seconds};
use crate::variant::ModeKind;

/// Relative departure of ω² at which a mode counts as the free mode that the basis holds.
const FREE_AGAIN: f64 = 1e-6;

/// What a reduction knows of a body beside its matrices.
pub(crate) struct Subject<'a> {
    pub(crate) name: &'a str,
    /// Positions of all points \[m\].
    pub(crate) points: &'a [[f64; 3]],
    pub(crate) is_used: &'a [bool],
    pub(crate) boundary: &'a Boundary,
    /// Names of the sets that are held.
    pub(crate) held: &'a [String],
    /// Names of the interface sets with their points, ascending.
    pub(crate) sets: &'a [(String, Vec<u32>)],
    pub(crate) materials: &'a [Material],
    /// Points at which modes are kept.
    pub(crate) field_points: Vec<u32>,
    pub(crate) surfaces: Vec<NamedSurface>,
}

/// Combinations of the columns of T that are the modes of the reduced body.
struct ReducedModes {
    /// Z, columns of T × modes.
    combination: Mat<f64>,
    /// ω of each \[rad/s\].
    omega: Vec<f64>,
    n_low: usize,
    /// ω of the free reduced body.
    free_omega: Vec<f64>,
    /// D̄_e.
    damping: Option<Mat<f64>>,
}

impl Subject<'_> {
    /// From stiffness and mass to the reduced body.
    pub(crate) fn reduce(
        mut self,
        system: SystemMatrices,
        wanted: Wanted,
        options: &CraigBamptonOptions,
        mut seconds: Seconds,
        progress: &dyn Progress,
    ) -> Result<CraigBampton, ReduceError> {
        let name = || self.name.to_owned();
        let mut lap = Lap::start();
        let factor = self
            .boundary
            .factorise(&system.stiffness, &self.used(), progress)
            .map_err(|source| ReduceError::Factor { body: name(), source })?;
        seconds.factorisation = lap.lap();
        let constraint =
            constraint_modes(&system, &factor, self.boundary, self.points, self.is_used, progress)
                .ok_or(ReduceError::Interrupted)?;
        check_rigid_motions(self.name, constraint.rigid_error)?;
        let rigid_error = constraint.rigid_error;
        seconds.constraint_modes = lap.lap();
        let mut notes = Vec::new();
        let given = Given { system: &system, factor, constraint, wanted };
        let condensation = self.condense(given, options, &mut notes, progress)?;
        check_count(self.name, options, condensation.fixed_lambda.len())?;
        seconds.eigen = lap.lap();
        let SystemMatrices { mass, stiffness } = system;
        drop(stiffness);
        let moments = Moments::new(&mass, self.points, condensation.basis.as_ref(), progress)
            .ok_or(ReduceError::Interrupted)?;
        progress.begin("second eigenproblem and invariants", 0);
        let modes = self.modes(&condensation, &moments, options, &mut notes)?;
        check_interruption(progress)?;
        let projection = self.project(condensation, &moments, modes, options);
        progress.end();
        check_interruption(progress)?;
        seconds.projection = lap.lap();
        Ok(CraigBampton { seconds, rigid_error, notes, ..projection })
    }

    /// All dofs of the body.
    fn used(&self) -> DofSet {
        DofSet::from_flags(self.is_used.iter().map(|&used| [used; 3]).collect())
    }

    /// The basis T: constraint modes, fixed-interface modes, further interior fields.
    fn condense(
        &self,
        given: Given<'_>,
        options: &CraigBamptonOptions,
        notes: &mut Vec<String>,
        progress: &dyn Progress,
    ) -> Result<Condensation, ReduceError> {
        let variant = &options.variant;
        let Given { system, factor, constraint, wanted } = given;
        let is_residual = variant.modes != ModeKind::FixedInterface;
        let relief = (variant.inertia_relief || is_residual).then(|| {
            let mut rigid = rigid_modes(self.points, further::middle(self.points, self.is_used));
            for dof in (0..rigid.nrows()).filter(|dof| !self.is_used[dof / 3]) {
                (0..6).for_each(|k| rigid[(dof, k)] = 0.0);
            }
            let at_rest = Mat::zeros(self.boundary.n_constraints(), 6);
            inertia_relief(system, &factor, at_rest.as_ref(), rigid.as_ref())
        });
        let (mut condensation, fields) = if is_residual {
            drop(factor);
            let (lambda, free) = self.free_modes(system, wanted, progress)?;
            let at_boundary = self.boundary.of_fields(free.as_ref());
            let basis = constraint.modes.as_ref();
            let held = dofs(&self.boundary.points);
            let beyond = beyond_constraint_modes(free.as_ref(), basis, at_boundary.as_ref(), &held);
            let plain = Condensation::of_constraint_modes(constraint);
            let condensation = Condensation { free_lambda: lambda, ..plain };
            (condensation, further::joined([relief.as_ref(), Some(&beyond)]))
        } else {
            let condensation = Condensation::new(system, factor, constraint, wanted, progress)
                .map_err(|source| ReduceError::Eigen { body: self.name.to_owned(), source })?;
            (condensation, further::joined([relief.as_ref(), None]))
        };
        check_interruption(progress)?;
        if fields.ncols() > 0 {
            let n_fixed = condensation.fixed_lambda.len();
            let fixed = condensation.basis.subcols(condensation.n_interface, n_fixed);
            let further = independent(system, fields, fixed, &condensation.fixed_lambda)
                .map_err(|source| ReduceError::Further { body: self.name.to_owned(), source })?;
            if further.n_dropped > 0 {
                notes.push(format!(
                    "{} of {} further interior modes are left out: they depend on the others to {DEPENDENT:.0e} of their strain",
                    further.n_dropped,
                    further.n_dropped + further.lambda.len()
                ));
            }
            condensation.add(&further);
        }
        Ok(condensation)
    }

    /// Modes of the body without supports.
    fn free_modes(
        &self,
        system: &SystemMatrices,
        wanted: Wanted,
        progress: &dyn Progress,
    ) -> Result<(Vec<f64>, Mat<f64>), ReduceError> {
        let body = || self.name.to_owned();
        let shift = further::shift(system, self.points, self.is_used);
        let used = self.used().without_nodes(&self.boundary.held);
        let n_rigid = if self.boundary.held.is_empty() { 6 } else { 0 };
        let free = further::free_modes(system, used, n_rigid, shift, wanted, progress);
        free.map_err(|error| match error {
            FreeModesError::Factor(source) => ReduceError::FreeFactor { body: body(), source },
            FreeModesError::Eigen(source) => ReduceError::Eigen { body: body(), source },
        })
    }

    /// Interface reduction, second eigenproblem, split, body frame, damping.
    fn modes(
        &mut self,
        condensation: &Condensation,
        moments: &Moments,
        options: &CraigBamptonOptions,
        notes: &mut Vec<String>,
    ) -> Result<ReducedModes, ReduceError> {
        let body = || self.name.to_owned();
        let (stiffness, mass) = (condensation.stiffness.as_ref(), moments.mass_matrix());
        let mut rigid = self.boundary.rigid_motions(self.points, moments.center());
        rigid.resize_with(stiffness.nrows(), rigid.ncols(), |_, _| 0.0);
        let parts = interface_parts(
            self.name,
            &self.boundary.points,
            self.sets,
            &mut self.surfaces,
            &options.variant,
            notes,
        )?;
        let second = reduced_second_modes(stiffness, mass.as_ref(), rigid.as_ref(), &parts, notes)
            .map_err(|source| ReduceError::Second { body: body(), source })?;
        let n_low = self.n_low(condensation, &second.omega, options)?;
        let damping = options.variant.damping.as_ref();
        let mut rates: Option<Mat<f64>> = damping.map(|damping| {
            let n = second.omega.len();
            Mat::from_fn(n, n, |i, j| if i == j { damping.rate(second.omega[i]) } else { 0.0 })
        });
        let mut modes = ReducedModes {
            free_omega: second.omega.clone(),
            combination: second.combination,
            omega: second.omega,
            n_low,
            damping: None,
        };
        if let Some(follower) = self.follower(&options.variant.frame)?
            && n_low > 0
        {
            let seen = self.reframe(&follower, condensation, mass.as_ref(), rigid.as_ref(), &modes)?;
            rates = rates.map(|rates| frame::transformed(&rates, &seen.combination));
            frame::apply(&mut modes.combination, &mut modes.omega, &rigid, &seen);
        }
        if options.variant.modes == ModeKind::MasslessBoundary {
            // What has no mass does not move by itself, so that nothing of it is damped.
            rates = rates.map(|rates| without_high(&rates, n_low));
            modes.free_omega.truncate(n_low);
        }
        Ok(ReducedModes { damping: rates, ..modes })
    }

    /// Number of dynamic modes.
    fn n_low(
        &self,
        condensation: &Condensation,
        omega: &[f64],
        options: &CraigBamptonOptions,
    ) -> Result<usize, ReduceError> {
        let below = |split: f64| omega.partition_point(|&omega| omega <= 2.0 * PI * split);
        if options.variant.modes == ModeKind::FixedInterface {
            let highest = condensation.stiffness.diagonal().column_vector();
            let last = match condensation.fixed_lambda.last() {
                Some(&lambda) => lambda,
                None if condensation.n_further > 0 => highest[highest.nrows() - 1],
                None => 0.0,
            };
            return Ok(below(options.split.unwrap_or(hz(last))));
        }
        // The second eigenproblem finds the free modes again as they are.
        let same = |(omega, lambda): &(&f64, &f64)| (*omega * *omega / *lambda - 1.0).abs() < FREE_AGAIN;
        let n_free = omega.iter().zip(&condensation.free_lambda).take_while(same).count();
        let Some(split) = options.split else { return Ok(n_free) };
        let n_low = below(split);
        if options.variant.modes == ModeKind::MasslessBoundary && n_low > n_free {
            let highest = n_free.checked_sub(1).map_or(0.0, |last| omega[last] / (2.0 * PI));
            return Err(ReduceError::MasslessSplit { body: self.name.to_owned(), split, highest });
        }
        Ok(n_low)
    }

    /// What the body frame follows; none for the Buckens frame.
    fn follower(&self, frame: &BodyFrame) -> Result<Option<Follower>, ReduceError> {
        let found = match frame {
            BodyFrame::Buckens => return Ok(None),
            _ if !self.boundary.held.is_empty() => Err(FrameChoiceError::Held),
            BodyFrame::Nodes(nodes) => Follower::of_nodes(*nodes, self.points, self.is_used),
            BodyFrame::Marker(name) => match self.boundary.markers.iter().find(|own| own.name == *name) {
                Some(marker) => Ok(Follower::of_marker(marker)),
                None => Follower::of_set(name, self.sets, self.points),
            },
        };
        found.map(Some).map_err(|source| ReduceError::Frame { body: self.name.to_owned(), source })
    }

    /// The dynamic modes in another frame.
    fn reframe(
        &self,
        follower: &Follower,
        condensation: &Condensation,
        mass: MatRef<'_, f64>,
        rigid: MatRef<'_, f64>,
        modes: &ReducedModes,
    ) -> Result<Reframed, ReduceError> {
        let rows = follower.rows_of(condensation.basis.as_ref());
        let of_rigid = product(rows.as_ref(), rigid);
        let of_modes = product(rows.as_ref(), modes.combination.subcols(0, modes.n_low));
        let rigid_mass = rigid.transpose() * mass * rigid;
        let omega = &modes.omega[..modes.n_low];
        reframed(&follower.name, &of_rigid, &of_modes, &rigid_mass, omega)
            .map_err(|source| ReduceError::Frame { body: self.name.to_owned(), source })
    }

    /// Invariants and mode values.
    fn project(
        self,
        condensation: Condensation,
        moments: &Moments,
        modes: ReducedModes,
        options: &CraigBamptonOptions,
    ) -> CraigBampton {
        let Condensation { basis, stiffness, fixed_lambda, n_interface, .. } = condensation;
        let com = moments.center();
        let z = modes.combination.as_ref();
        let n = modes.omega.len();
        let stiffness_modal = Mat::from_fn(n, n, |i, j| if i == j { modes.omega[i].powi(2) } else { 0.0 });
        let mut invariants = moments.combined(z).from_origin(com).invariants(stiffness_modal);
        invariants.mass_modal = Mat::identity(n, n);
        invariants.damping_modal = modes.damping.clone();
        if options.variant.modes == ModeKind::MasslessBoundary {
            invariants.drop_mass_from(modes.n_low);
        }
        let values = |points: Vec<u32>| mode_values(self.points, com, basis.as_ref(), z, points);
        let fixed_interface_hz: Vec<f64> = fixed_lambda.iter().map(|&lambda| hz(lambda)).collect();
        let composition = Composition {
            strain_shares: strain_shares(stiffness.as_ref(), z, &modes.omega),
            effective_mass: effective_mass(moments, n_interface, fixed_interface_hz.len()),
            columns: self.boundary.columns(self.sets, &fixed_interface_hz, stiffness.nrows()),
        };
        let reduced = ReducedBody {
            name: self.name.to_owned(),
            body_checksum: options.body_checksum.clone(),
            materials: self.materials.to_vec(),
            com,
            invariants,
            omega: modes.omega,
            n_low: modes.n_low,
            fixed_interface_hz,
            n_interface_dofs: n_interface,
            composition,
            markers: self.boundary.attached_markers(z, com),
            held: self.held.to_vec(),
            n_dofs: 3 * self.is_used.iter().filter(|&&used| used).count(),
            surfaces: self.surfaces,
            boundary: values(self.boundary.points.clone()),
            fields: Some(values(self.field_points)),
            stress: None,
        };
        CraigBampton {
            reduced,
            seconds: Seconds::default(),
            peak_memory_bytes: None,
            condensed_stiffness: stiffness,
            condensed_mass: moments.mass_matrix(),
            rigid_error: 0.0,
            free_omega: modes.free_omega,
            notes: Vec::new(),
        }
    }
}

/// What the basis is made of.
struct Given<'a> {
    system: &'a SystemMatrices,
    factor: Interior,
    constraint: ConstraintModes,
    wanted: Wanted,
}

/// A matrix of the modes with zeros for those from `n_low` on.
fn without_high(matrix: &Mat<f64>, n_low: usize) -> Mat<f64> {
    Mat::from_fn(matrix.nrows(), matrix.ncols(), |i, j| if i.max(j) < n_low { matrix[(i, j)] } else { 0.0 })
}

fn check_interruption(progress: &dyn Progress) -> Result<(), ReduceError> {
    if progress.interrupted() { Err(ReduceError::Interrupted) } else { Ok(()) }
}

/// Refuses constraint modes whose rounding is more than can be put right.
fn check_rigid_motions(body: &str, error: f64) -> Result<(), ReduceError> {
    if error.is_nan() || error > RIGID_ERROR {
        return Err(ReduceError::RigidMotion { body: body.to_owned(), error });
    }
    Ok(())
}

/// Mode values Φ = T Z at listed points.
fn mode_values(
    places: &[[f64; 3]],
    com: [f64; 3],
    basis: MatRef<'_, f64>,
    z: MatRef<'_, f64>,
    points: Vec<u32>,
) -> Modes {
    let rows =
        Mat::from_fn(3 * points.len(), basis.ncols(), |i, k| basis[(3 * points[i / 3] as usize + i % 3, k)]);
    let positions_b =
        points.iter().map(|&point| std::array::from_fn(|a| places[point as usize][a] - com[a])).collect();
    Modes { values: product(rows.as_ref(), z), points, positions_b }
}
