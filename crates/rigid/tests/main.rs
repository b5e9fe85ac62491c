//! The integration tests of `carom-rigid`: one program with one module in each file.

use carom_testing::heap;

mod allocation;
mod blocks_on_springs;
mod corners;
mod coulomb;
mod crossed_blocks;
mod crowd;
mod fast_bodies;
mod joints;
mod lasting_contact;
mod linkages;
mod many_contacts;
mod mixed_laws;
mod oblique_impacts;
mod problems;
mod puso_1998_ball_in_shell;
mod puso_1998_rod_in_cube;
mod restitution_with_friction;
mod scaled_lengths;
mod tippe_top;
mod torque_free;
mod tumbling_blocks;
mod zywicz_1999_rigid_bars;

/// Counts allocations of each thread separately, so that parallel tests do not disturb each other.
#[global_allocator]
static ALLOCATOR: heap::Counting = heap::Counting;
