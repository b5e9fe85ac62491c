//! The integration tests of `carom-vtk`: one program with one module in each file.

mod legacy;
mod readable;
mod reading;
mod vtkhdf;
