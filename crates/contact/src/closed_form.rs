//! Closed forms: Hertz' contact and impact, balls and ellipses, the elastic ball beyond it, a sphere on the
//! end of a rod, bodies in a row.

mod ball_row;
mod hertz;
mod hertz_ellipse;
mod sphere_on_bar;
mod sphere_on_rod;

pub use ball_row::{RowImpact, collide_in_a_row};
pub use hertz::{HertzImpact, HertzPair, HertzStatic, contact_modulus, elastic_ball_stiffening};
pub use hertz_ellipse::{HertzEllipse, hertz_ellipse};
pub use sphere_on_bar::{BarImpact, FarEnd, SphereOnBar, Touch};
pub use sphere_on_rod::{RodImpact, SphereOnRod};
