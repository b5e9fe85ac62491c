//! The integration tests of `carom-multibody`: one program with one module in each file.

use carom_testing::heap;

mod allocation;
mod blocks;
mod body_balances;
mod body_frames;
mod cap;
mod carried;
mod closed_contacts;
mod couplings;
mod damping;
mod drives;
mod equilibrium;
mod equilibrium_friction;
mod flight;
mod floating_frame;
mod forces;
mod free_motion;
mod friction;
mod gas;
mod generalised_alpha;
mod half_space;
mod half_space_courses;
mod hertz_impact;
mod integrators;
mod joints;
mod lattice;
mod leapfrog;
mod modal_points;
mod outputs_change_nothing;
mod probes;
mod quasistatic_impact;
mod rates_by_parts;
mod reactions;
mod response;
mod rollers;
mod second_order_markers;
mod stops;

/// Counts allocations of each thread separately, so that parallel tests do not disturb each other.
#[global_allocator]
static ALLOCATOR: heap::Counting = heap::Counting;
