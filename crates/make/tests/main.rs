//! The integration tests of `carom-make`: one program with one module in each file.

mod mesh_files;
mod shapes;
