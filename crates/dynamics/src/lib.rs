//! The parts that all schemes share: states, loads, the ledger, contact events, checkpoints, the observer.
//!
//! * [`rotation`]: unit quaternions as plain numbers; [`Pose`] and [`Placement`]: present and initial
//!   position of a body
//! * [`Loads`]: gravity, forces and torques at markers; [`TimeFunction`]: functions of time
//! * [`JointKind`]: joints by the motion that they leave free, with their equations
//! * [`Ledger`]: the balance of energy and momenta of docs/theory/ledger.md, eq. (87)
//! * [`ContactEvent`], [`ContactTracker`]: impacts between two surfaces; [`condensed()`]: a selection of them
//!   for display
//! * [`ProbeQuantity`], [`ProbeSample`]: quantities at points, of joints and contacts at times of their own;
//!   [`MeanProbes`]: those of schemes whose forces are impulses of steps
//! * [`Observer`]: the receiver of the states of a time loop; [`Checkpoint`]: the state from which it
//!   continues bit for bit; [`RunError`]: the end of a loop before its end time
//!
//! Vectors are in inertial axes unless their name ends in `_b` (body axes). All quantities are in SI units.
//!
//! ```
//! use carom_dynamics::{Balance, Ledger};
//!
//! // A ball of 2 kg falls from rest for one second; the ledger checks energy and momentum.
//! let (mass, g) = (2.0, 9.81);
//! let mut ledger = Ledger::default();
//! for time in [0.0_f64, 0.5, 1.0] {
//!     let (fall, speed) = (0.5 * g * time * time, g * time);
//!     let row = ledger.record(Balance {
//!         time,
//!         e_kin: 0.5 * mass * speed * speed,
//!         e_pot: -mass * g * fall,
//!         momentum: [0.0, 0.0, -mass * speed],
//!         external_impulse: [0.0, 0.0, -mass * g * time],
//!         ..Balance::default()
//!     });
//!     assert!(row.r_e.abs() < 1e-12);
//! }
//! ```

/// Default relative tolerance of a run: its relative energy error is smaller.
pub const RELATIVE_TOLERANCE: f64 = 1e-6;

pub mod checkpoint;
pub mod condensed;
pub mod contact_event;
pub mod contact_tracker;
pub mod error_estimate;
pub mod grid_pressures;
pub mod joint_kind;
pub mod ledger;
pub mod load;
pub mod mean_probes;
pub mod observer;
pub mod probe;
pub mod rotation;
pub mod run_error;
pub mod state;
pub mod time_function;

pub use checkpoint::{Checkpoint, CheckpointError, Values};
pub use condensed::{PairImpacts, ShownImpact, condensed};
pub use contact_event::{ContactEvent, NO_PEAK, NoRestitution};
pub use contact_tracker::{BodyMotion, ContactSample, ContactTracker};
pub use error_estimate::{ErrorEstimate, ErrorParts};
pub use grid_pressures::{GridCell, GridPressures};
pub use joint_kind::{JointEquation, JointKind, repeated_equations};
pub use ledger::{Balance, Ledger, LedgerRow, LedgerSummary};
pub use load::{Axes, InterfacePoint, Loads, Marker, MarkerPoints, PointLoad, SecondOrder};
pub use mean_probes::{MeanProbes, Probed, ProbedPoint, SampleTime, due_at_nearest};
pub use observer::{Frame, Ignore, Observer, ObserverError};
pub use probe::{Probe, ProbeError, ProbePlace, ProbePlaces, ProbeQuantity, ProbeSample, ProbedStress};
pub use run_error::RunError;
pub use state::{
    BodyBalance, BodyState, ContactState, JointAction, JointState, Placement, Pose, SurfacePressures,
};
pub use time_function::{
    Formula, FormulaError, Interpolation, Jet, NotFinite, Table, TableError, TimeFunction,
};
