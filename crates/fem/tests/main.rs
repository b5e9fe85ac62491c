//! The integration tests of `carom-fem`: one program with one module in each file.

use carom_testing::heap;

mod allocation;
mod assembly;
mod bodies;
mod constitutive;
mod deformed;
mod frequencies;
mod general_tangent;
mod geometric_stiffness;
mod hierarchy;
mod internal_force;
mod kinds;
mod large_strain_stress;
mod locking;
mod lumped_mass;
mod material_point;
mod mesh_error;
mod nurbs_files;
mod one_point;
mod places;
mod properties;
mod recovery;
mod spline_assembly;
mod statics;
mod structural;
mod surfaces;

/// Counts allocations of each thread separately, so that parallel tests do not disturb each other.
#[global_allocator]
static ALLOCATOR: heap::Counting = heap::Counting;
