//! The integration tests of `carom-scene`: one program with a module a file.

mod exact;
mod large_deformation;
mod vtk;
