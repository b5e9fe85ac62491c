//! The integration tests of `carom-gmsh`: one program with one module in each file.

mod meshing;
mod sizes;
mod solids;
