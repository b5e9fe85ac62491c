//! The integration tests of `carom-make`: one program with a module a file.

mod mesh_files;
mod shapes;
