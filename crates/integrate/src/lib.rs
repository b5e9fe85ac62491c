//! Time integrators over small traits. No mechanics: a system is a vector y and its rate.
//!
//! * [`Ode`]: the system, y' = f(t, y), whose evaluation may fail and is then retried with a smaller step
//! * [`RungeKutta`]: explicit embedded pairs with error control and dense output, [`Method::DormandPrince5`] and
//!   [`Method::Dop853`]. A step is *attempted*, looked at, cut if something happened within it, then *accepted*
//! * [`Radau5`]: the same for stiff systems, implicit, of order 5
//! * [`locate_crossing`]: where a function along the step changes its sign
//!
//! Reading order: `ode`, `tableau` (coefficients), `control` (step sizes), `runge_kutta` (the step), `crossing`.

pub mod attempt;
mod collocation;
pub mod control;
pub mod crossing;
mod dense;
mod factor;
mod jacobian;
pub mod ode;
pub mod radau;
pub mod runge_kutta;
pub mod tableau;

pub use attempt::{Attempt, Counters, RungeKuttaState};
pub use control::{Controller, Tolerances};
pub use crossing::{Crossing, locate_crossing};
pub use ode::{IntegrateError, Ode};
pub use radau::Radau5;
pub use runge_kutta::RungeKutta;
pub use tableau::Method;
