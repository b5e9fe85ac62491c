//! Explicit dynamics against closed forms, conserved quantities and the cases of Zywicz and Puso (1999);
//! implicit elastodynamics.

use carom_testing::heap;

mod alpha_runs;
mod automatic;
mod bars;
mod bending;
mod complementarity;
mod complementarity_friction;
mod conserving_contact;
mod conserving_friction;
mod critical;
mod cyclic;
mod edge_kinds;
mod edges;
mod elastodynamics;
mod half_space;
mod hertz;
mod joints;
mod kinds;
mod mass_scaling;
mod mixed;
mod motion;
mod overlap;
mod pressing;
mod probes;
mod rigid;
mod setup;
mod sheets;
mod shells;
mod sliding;
mod solids;
mod tumbling;
mod waves;
mod wires;

#[allow(dead_code, reason = "the tests use a part")]
#[path = "../../fem/tests/bodies/mod.rs"]
mod bodies;

/// Counts allocations of each thread separately, so that parallel tests do not disturb each other.
#[global_allocator]
static ALLOCATOR: heap::Counting = heap::Counting;
