//! The integration tests of `carom-reduce`: one program with one module in each file.

mod attached_bodies;
mod attachments;
mod bodies;
mod columns;
mod comparison;
mod condensed;
mod craig_bampton;
mod given;
mod iterative;
mod lamb_sphere;
mod markers;
mod mesh_errors;
mod reference_modes;
mod residual;
mod slender;
mod stiffening;
mod stress_modes;
mod supports;
mod two_materials;
mod variants;
