//! Contact is one room with three floors: geometry, law, solver.
//!
//! * [`geometry`]: faces over moving points, the closest point, the gap with its variations; planes and spheres
//! * [`solver`]: complementarity problems

pub mod geometry;
pub mod solver;

#[cfg(test)]
mod test_surfaces;
