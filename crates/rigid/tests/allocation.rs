//! A step allocates nothing, in flight and in contact.

use crate::problems::{ROD_VELOCITY, ball_in_shell, rod_in_cube};
use carom_rigid::Law;
use carom_testing::heap;

#[test]
fn steps_allocate_nothing_once_lists_have_grown() {
    for (mut system, warm, steps) in [
        (rod_in_cube(ROD_VELOCITY, Law::Hard, 1e-4), 3000, 20_000),
        (ball_in_shell(1e4, 0.01), 10, 2000),
        (rod_in_cube(ROD_VELOCITY, Law::per_point(1e3), 1e-4), 5000, 20_000),
    ] {
        (0..warm).for_each(|_| system.step().unwrap());
        let impulses = system.n_impulses();
        let (_, taken) = heap::allocations_during(|| (0..steps).for_each(|_| system.step().unwrap()));
        assert!(system.n_impulses() > impulses + 10);
        assert_eq!(taken, 0);
    }
}
