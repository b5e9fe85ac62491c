//! From stiffness and mass to a reduced body, whatever the body is known by.

use std::f64::consts::PI;

use carom_fem::{Material, SystemMatrices};
use carom_linalg::dense::product;
use carom_linalg::{Cholesky, DofSet, Wanted};
use carom_progress::Progress;
use faer::{Mat, MatRef};

use crate::column::{Column, Composition, strain_shares};
use crate::condensation::{Condensation, constraint_modes, interior};
use crate::craig_bampton::{CraigBampton, CraigBamptonOptions, RIGID_ERROR, ReduceError, check_count};
use crate::interface::dofs;
use crate::modes::hz;
use crate::moments::Moments;
use crate::reduced::{Modes, NamedSurface, ReducedBody};
use crate::rigid::rigid_modes;
use crate::second::{SecondModes, second_modes};
use crate::timing::{Lap, Seconds};

/// What a reduction knows of a body beside its matrices.
pub(crate) struct Subject<'a> {
    pub(crate) name: &'a str,
    /// Positions of all points \[m\].
    pub(crate) points: &'a [[f64; 3]],
    pub(crate) is_used: &'a [bool],
    /// Interface points, ascending.
    pub(crate) interface: &'a [u32],
    /// Names of the interface sets with their points, ascending.
    pub(crate) sets: &'a [(String, Vec<u32>)],
    pub(crate) materials: &'a [Material],
    /// Points at which modes are kept.
    pub(crate) field_points: Vec<u32>,
    pub(crate) surfaces: Vec<NamedSurface>,
}

impl Subject<'_> {
    /// From stiffness and mass to the reduced body.
    pub(crate) fn reduce(
        self,
        system: SystemMatrices,
        wanted: Wanted,
        options: &CraigBamptonOptions,
        mut seconds: Seconds,
        progress: &dyn Progress,
    ) -> Result<CraigBampton, ReduceError> {
        let name = || self.name.to_owned();
        let mut lap = Lap::start();
        let used = DofSet::from_flags(self.is_used.iter().map(|&used| [used; 3]).collect());
        let factor = Cholesky::new(&system.stiffness, None, interior(&used, self.interface), progress)
            .map_err(|source| ReduceError::Factor { body: name(), source })?;
        seconds.factorisation = lap.lap();
        let dofs = dofs(self.interface);
        let constraint = constraint_modes(&system, &factor, &dofs, self.points, self.is_used);
        check_rigid_motions(self.name, constraint.rigid_error)?;
        let rigid_error = constraint.rigid_error;
        check_interruption(progress)?;
        seconds.constraint_modes = lap.lap();
        let condensation = Condensation::new(&system, factor, constraint, wanted, progress)
            .map_err(|source| ReduceError::Eigen { body: name(), source })?;
        check_count(self.name, options, condensation.fixed_lambda.len())?;
        seconds.eigen = lap.lap();
        let SystemMatrices { mass, stiffness } = system;
        drop(stiffness);
        let moments = Moments::new(&mass, self.points, condensation.basis.as_ref());
        check_interruption(progress)?;
        let projection = self.project(&dofs, condensation, &moments, options)?;
        seconds.projection = lap.lap();
        Ok(CraigBampton { seconds, rigid_error, ..projection })
    }

    /// Second eigenproblem, invariants, mode values.
    fn project(
        self,
        interface_dofs: &[usize],
        condensation: Condensation,
        moments: &Moments,
        options: &CraigBamptonOptions,
    ) -> Result<CraigBampton, ReduceError> {
        let Condensation { basis, stiffness, fixed_lambda, n_interface } = condensation;
        let com = moments.center();
        let rigid_full = rigid_modes(self.points, com);
        let rigid = Mat::from_fn(stiffness.nrows(), 6, |i, k| {
            if i < n_interface { rigid_full[(interface_dofs[i], k)] } else { 0.0 }
        });
        let mass = moments.mass_matrix();
        let second = second_modes(stiffness.as_ref(), mass.as_ref(), rigid.as_ref())
            .map_err(|source| ReduceError::Second { body: self.name.to_owned(), source })?;
        let z = second.combination.as_ref();
        let n = second.omega.len();
        let stiffness_modal = Mat::from_fn(n, n, |i, j| if i == j { second.omega[i].powi(2) } else { 0.0 });
        let mut invariants = moments.combined(z).from_origin(com).invariants(stiffness_modal);
        invariants.mass_modal = Mat::identity(n, n);

        let fixed_interface_hz: Vec<f64> = fixed_lambda.iter().map(|&lambda| hz(lambda)).collect();
        let split = options.split.unwrap_or_else(|| fixed_interface_hz.last().copied().unwrap_or(0.0));
        let n_low = second.omega.partition_point(|&omega| omega <= 2.0 * PI * split);
        let values = |points: Vec<u32>| mode_values(self.points, com, basis.as_ref(), z, points);
        let composition = self.composition(&fixed_interface_hz, moments, stiffness.as_ref(), &second);
        let reduced = ReducedBody {
            name: self.name.to_owned(),
            body_checksum: options.body_checksum.clone(),
            materials: self.materials.to_vec(),
            com,
            invariants,
            omega: second.omega,
            n_low,
            fixed_interface_hz,
            n_interface_dofs: n_interface,
            composition,
            markers: Vec::new(),
            held: Vec::new(),
            n_dofs: 3 * self.is_used.iter().filter(|&&used| used).count(),
            surfaces: self.surfaces,
            boundary: values(self.interface.to_vec()),
            fields: Some(values(self.field_points)),
        };
        Ok(CraigBampton {
            reduced,
            seconds: Seconds::default(),
            peak_memory_bytes: None,
            condensed_stiffness: stiffness,
            condensed_mass: mass,
            rigid_error: 0.0,
        })
    }
}

impl Subject<'_> {
    /// What the columns of T are, and what they contribute to the modes.
    fn composition(
        &self,
        fixed_hz: &[f64],
        moments: &Moments,
        stiffness: MatRef<'_, f64>,
        second: &SecondModes,
    ) -> Composition {
        let points = self.interface.iter().flat_map(|&point| {
            let set = self.sets.iter().find(|(_, points)| points.binary_search(&point).is_ok());
            let set = set.map_or(String::new(), |(name, _)| name.clone());
            (0..3).map(move |axis| Column::Point { set: set.clone(), point, axis })
        });
        let fixed = fixed_hz.iter().zip(0..).map(|(&hz, number)| Column::FixedMode { number, hz });
        let columns: Vec<Column> = points.chain(fixed).collect();
        let first = columns.len() - fixed_hz.len();
        Composition {
            strain_shares: strain_shares(stiffness, second.combination.as_ref(), &second.omega),
            effective_mass: Mat::from_fn(3, fixed_hz.len(), |a, k| moments.modes[(a, first + k)].powi(2)),
            columns,
        }
    }
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
