//! Time integrators over small traits. No mechanics: a system is a vector y and its rate.
//!
//! * [`Ode`]: the system, y' = f(t, y), whose evaluation may fail and is then retried with a smaller step
//! * [`RungeKutta`]: explicit embedded pairs with error control and dense output,
//!   [`Method::DormandPrince5`] and [`Method::Dop853`]. A step is *attempted*, inspected, shortened if an
//!   event happened within it, then *accepted*
//! * [`Radau5`]: the same for stiff systems, implicit, of order 5; [`Implicit`]: of order 2, midpoint rule
//!   and BDF2
//! * [`Exponential`]: steps longer than the periods of oscillations, which its linear part carries exactly
//! * [`SecondOrder`]: a system of second order with constraints on a manifold; [`GeneralisedAlpha`]: of order
//!   2 for these, with a chosen numerical damping of high frequencies
//! * [`Structure`]: which bodies and joints of such a system depend on each other, so that the equations of a
//!   step are solved in proportion to their number
//! * [`Integrator`]: one of these, chosen at run time
//! * [`locate_crossing`]: time at which a function along the step changes its sign
//!
//! # Example
//!
//! y' = −y over two seconds, with steps under error control:
//!
//! ```
//! use carom_integrate::{Method, Ode, RungeKutta, Tolerances};
//! use std::convert::Infallible;
//!
//! struct Decay;
//!
//! impl Ode for Decay {
//!     type Error = Infallible;
//!     fn dim(&self) -> usize {
//!         1
//!     }
//!     fn rate(&mut self, _time: f64, y: &[f64], rate: &mut [f64]) -> Result<(), Infallible> {
//!         rate[0] = -y[0];
//!         Ok(())
//!     }
//! }
//!
//! let (mut time, mut y) = (0.0, vec![1.0]);
//! let mut integrator = RungeKutta::new(Method::DormandPrince5, Tolerances::uniform(0.0, 1e-9, 1));
//! while time < 2.0 {
//!     integrator.attempt(&mut Decay, time, &y, 2.0)?;
//!     time = integrator.accept(&mut y);
//! }
//! assert!((y[0] - (-2.0_f64).exp()).abs() < 1e-8);
//! # Ok::<(), carom_integrate::IntegrateError<Infallible>>(())
//! ```
//!
//! Reading order: `ode`, `tableau` (coefficients), `control` (step sizes), `adaptive` (the step under
//! control), `runge_kutta`, `rate_matrix`, `implicit`, `radau`, `exponential`, `second_order` and `alpha`
//! (formulas), `crossing`.

pub mod adaptive;
pub mod alpha;
pub mod attempt;
mod collocation;
pub mod control;
pub mod crossing;
mod dense;
pub mod exponential;
pub mod implicit;
pub mod integrator;
mod jacobian;
mod newton;
pub mod ode;
pub mod radau;
mod rate_matrix;
pub mod runge_kutta;
pub mod second_order;
pub mod structure;
pub mod tableau;
mod tiles;

pub use adaptive::Adaptive;
pub use alpha::{ConstraintForm, GeneralisedAlpha, SpectralRadius, SpectralRadiusError};
pub use attempt::{Attempt, Counters, IntegratorState};
pub use control::{Controller, Tolerances};
pub use crossing::{Crossing, locate_crossing};
pub use exponential::Exponential;
pub use implicit::{Implicit, ImplicitMethod};
pub use integrator::{Integrator, IntegratorKind};
pub use ode::{IntegrateError, Ode};
pub use radau::Radau5;
pub use runge_kutta::RungeKutta;
pub use second_order::{Displacement, Reading, SecondOrder};
pub use structure::{ConstraintGroup, Part, StateStructure, Structure};
pub use tableau::Method;
