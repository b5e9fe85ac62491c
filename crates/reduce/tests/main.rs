//! The integration tests of `carom-reduce`: one program with a module a file.

mod attachments;
mod bodies;
mod columns;
mod comparison;
mod craig_bampton;
mod iterative;
mod lamb_sphere;
mod reference_modes;
mod slender;
mod stress_modes;
mod supports;
mod two_materials;
mod variants;
