//! What every scheme shares: rigid states, loads, the ledger, contact events, checkpoints, the observer.
//!
//! * [`rotation`]: unit quaternions as plain numbers; [`Pose`] and [`Placement`]: where a body is and how it
//!   starts
//! * [`Loads`]: gravity, forces and torques at markers; [`TimeFunction`]: what changes with time
//! * [`Ledger`]: the balance of energy and momenta of THEORY section 7
//! * [`ContactEvent`], [`ContactTracker`]: what happened between two surfaces; [`condensed()`]: which of many
//!   a person is shown
//! * [`Observer`]: to whom a time loop hands its states; [`Checkpoint`]: from which it continues bit for bit
//!
//! Vectors are in inertial axes unless their name ends in `_b` (body axes). SI units throughout.

/// Default of a run's relative tolerance: its energy is off by less than this part of its size.
pub const RELATIVE_TOLERANCE: f64 = 1e-6;

pub mod checkpoint;
pub mod condensed;
pub mod contact_event;
pub mod contact_tracker;
pub mod ledger;
pub mod load;
pub mod observer;
pub mod rotation;
pub mod state;
pub mod time_function;

pub use checkpoint::{Checkpoint, CheckpointError, Values};
pub use condensed::{PairImpacts, ShownImpact, condensed};
pub use contact_event::{ContactEvent, NO_PEAK, NoRestitution};
pub use contact_tracker::{BodyMotion, ContactSample, ContactTracker};
pub use ledger::{Balance, Ledger, LedgerRow, LedgerSummary};
pub use load::{Axes, Loads, Marker, PointLoad};
pub use observer::{Frame, Ignore, Observer, ObserverError};
pub use state::{BodyState, ContactState, JointAction, JointState, Placement, Pose};
pub use time_function::{
    Formula, FormulaError, Interpolation, Jet, NotFinite, Table, TableError, TimeFunction,
};
