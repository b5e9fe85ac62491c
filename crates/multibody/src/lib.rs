//! Rigid and reduced bodies in the floating frame of reference, integrated in momenta.
//!
//! * [`FloatingFrame`]: the constants of a body over its dynamic modes; [`Kinetics`]: its mass matrix, velocities from
//!   momenta, ∂T/∂q
//! * [`Body`]: a rigid or reduced body and where its frame lies in the source geometry
//! * [`System`]: bodies under loads as an ordinary differential equation; its balance of energy and momenta
//! * [`velocity_form`]: the same equations in velocities, THEORY (1.1)
//!
//! Reading order: `floating_frame`, `kinetics`, `body`, `layout`, `system`, `balance`.

mod balance;
pub mod body;
pub mod floating_frame;
pub mod kinetics;
pub mod layout;
pub mod system;
pub mod velocity_form;

pub use body::{Body, BodyError, InitialState};
pub use floating_frame::{FloatingFrame, FrameError};
pub use kinetics::{Kinetics, MassError, Velocities};
pub use layout::Layout;
pub use system::{RateError, System, SystemError};
