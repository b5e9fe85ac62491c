//! Time integrators over small traits. No mechanics: a system is a vector y and its rate.
//!
//! * [`Ode`]: the system, y' = f(t, y), whose evaluation may fail and is then retried with a smaller step
//! * [`RungeKutta`]: explicit embedded pairs with error control and dense output, [`Method::DormandPrince5`]
//!   and [`Method::Dop853`]. A step is *attempted*, looked at, cut if something happened within it, then
//!   *accepted*
//! * [`Radau5`]: the same for stiff systems, implicit, of order 5; [`Implicit`]: of order 2, midpoint rule
//!   and BDF2
//! * [`SecondOrder`]: a system of second order with constraints on a manifold; [`GeneralisedAlpha`]: of order
//!   2 for these, damps what is fast as much as is asked
//! * [`Integrator`]: one of these, chosen at run time
//! * [`locate_crossing`]: where a function along the step changes its sign
//!
//! Reading order: `ode`, `tableau` (coefficients), `control` (step sizes), `adaptive` (the step under
//! control), `runge_kutta`, `implicit`, `radau`, `second_order` and `alpha` (formulas), `crossing`.

pub mod adaptive;
pub mod alpha;
pub mod attempt;
mod collocation;
pub mod control;
pub mod crossing;
mod dense;
mod factor;
pub mod implicit;
pub mod integrator;
mod jacobian;
mod newton;
pub mod ode;
pub mod radau;
pub mod runge_kutta;
pub mod second_order;
pub mod tableau;

pub use adaptive::Adaptive;
pub use alpha::{ConstraintForm, GeneralisedAlpha, SpectralRadius, SpectralRadiusError};
pub use attempt::{Attempt, Counters, IntegratorState};
pub use control::{Controller, Tolerances};
pub use crossing::{Crossing, locate_crossing};
pub use implicit::{Implicit, ImplicitMethod};
pub use integrator::{Integrator, IntegratorKind};
pub use ode::{IntegrateError, Ode};
pub use radau::Radau5;
pub use runge_kutta::RungeKutta;
pub use second_order::{Displacement, Reading, SecondOrder};
pub use tableau::Method;
