//! The integration tests of `carom-mesh`: one program with one module in each file.

mod bisect;
mod gallery;
mod inp_files;
mod inp_structures;
mod inp_writing;
mod make;
mod msh_files;
mod msh_reference;
mod msh_versions;
mod refine;
mod vtu_files;
