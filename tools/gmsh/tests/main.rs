//! The integration tests of `carom-gmsh`: one program with a module a file.

mod meshing;
