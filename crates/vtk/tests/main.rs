//! The integration tests of `carom-vtk`: one program with a module a file.

mod legacy;
mod readable;
mod reading;
mod vtkhdf;
