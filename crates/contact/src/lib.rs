//! Contact is one room with three floors: geometry, law, solver.
//!
//! * [`geometry`]: faces over moving points, the closest point, the gap with its variations; planes and spheres

pub mod geometry;

#[cfg(test)]
mod test_surfaces;
