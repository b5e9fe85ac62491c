//! Shells and beams against closed forms and published values.

mod beams;
mod forces;
mod large_rotation;
mod model;
mod obstacle_course;
mod patch;
mod plastic;
