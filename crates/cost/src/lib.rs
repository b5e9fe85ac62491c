//! CPU time and memory of reductions and runs, estimated before they begin (docs/cost-model.md).
//!
//! A [`Work`] is the CPU time of a computation on the machine on which the constants were measured, divided
//! by the kind of its operations. A [`Machine`] turns it into seconds of this machine, by three kernels that
//! take some milliseconds. [`Reduction`] is the cost of a reduced model, [`Run`] that of a run.
//!
//! The crate knows numbers alone: the callers count dofs, bodies, cells and steps.
//!
//! # Example
//!
//! A cube of 100 000 dofs with a small interface: the factor takes most of the time.
//!
//! ```
//! use carom_cost::{Factor, Machine, Reduction};
//!
//! let cube = Reduction { n_interface: 60, n_modes: 50, ..Reduction::of(100_000, 3_000_000) };
//! assert!(cube.factor.flops > 1e10);
//! let seconds = Machine::REFERENCE.seconds(cube.work());
//! assert!((2.0..60.0).contains(&seconds));
//! assert!(cube.bytes() > Factor::of(100_000).bytes());
//! ```

mod clock;
mod machine;
mod reduction;
pub mod run;
mod vibration;

pub use clock::{cpu_seconds, cpu_seconds_of_children};
pub use machine::{Machine, Work, on_one_thread};

/// Factor within which times are right where the number of steps is known.
pub const FACTOR: f64 = 2.0;

pub use reduction::{Factor, MeshCheck, Phase, Places, Reduction, assembly};
pub use run::{Run, Span};
pub use vibration::Extent;
