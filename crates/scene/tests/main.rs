//! The integration tests of `carom-scene`: one program with one module in each file.

mod exact;
mod large_deformation;
mod structures;
mod vtk;
