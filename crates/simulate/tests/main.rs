//! The integration tests of `carom-simulate`: one program with one module in each file.

mod ball_on_plane;
mod chain;
mod complementarity;
mod explicit;
mod fixtures;
mod flat_impact;
mod forces;
mod grounded;
mod half_space;
mod joints;
mod linearity;
mod mechanisms;
mod meshed_surfaces;
mod points;
mod reduction_variants;
mod rigid;
mod rigid_pairs;
mod rigid_partner;
mod robust;
mod rolling;
mod schemes;
mod static_modes;
mod statics;
mod supports;
mod threads;
mod turning;
