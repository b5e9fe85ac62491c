//! Steps whose contacts have no solution are divided.

use crate::snapshot::Snapshot;
use crate::step_error::Unsolved;
use crate::system::System;

/// Numbers of parts that are tried, one after the other.
const PARTS: [u32; 3] = [2, 4, 8];

impl System {
    /// Repeats a failed step in equal parts; energy and momenta are as exact as in one step. If this fails
    /// too, the system is unchanged.
    ///
    /// A step can fail where bodies overlap deeply, as bodies whose edges have crossed: their contacts then
    /// face each other. A dense problem of many contacts comes last.
    #[cold]
    pub(crate) fn advance_in_parts(&mut self, mut why: Unsolved) -> Result<(), Unsolved> {
        if why.is_contradiction() {
            self.stages.iter_mut().for_each(|stage| stage.touched = false);
            return Err(why);
        }
        let (dt, steps, limited) = (self.dt, self.steps, self.limited);
        let mut before = Snapshot::default();
        self.snapshot_into(&mut before);
        let start = self.start_of_step;
        for parts in PARTS {
            self.dt = dt / f64::from(parts);
            self.forget_joint_impulses();
            let done = (0..parts).try_for_each(|part| {
                self.start_of_step = f64::from(part).mul_add(self.dt, steps as f64 * dt);
                // Each part belongs to the same step and considers all pairs.
                self.steps = steps;
                self.pairs.iter_mut().for_each(|pair| pair.due = 0);
                self.stages.iter_mut().for_each(|stage| stage.touched = false);
                self.advance()
            });
            self.dt = dt;
            self.pairs.iter_mut().for_each(|pair| pair.due = 0);
            if done.is_ok() {
                self.n_divided += 1;
                // All parts count as one step.
                self.limited.steps = self.limited.steps.min(limited.steps + 1);
                return Ok(());
            }
            self.go_back(&before);
        }
        if self.impulses.laws.has_left_out {
            self.start_of_step = start;
            self.forget_joint_impulses();
            self.stages.iter_mut().for_each(|stage| stage.touched = false);
            self.impulses.laws.is_last_resort = true;
            let done = self.advance();
            self.impulses.laws.is_last_resort = false;
            match done {
                Ok(()) => return Ok(()),
                // It knows which bodies motions press together.
                Err(of_dense) => why = of_dense,
            }
            self.go_back(&before);
        }
        self.stages.iter_mut().for_each(|stage| stage.touched = false);
        Err(why)
    }
}

#[cfg(test)]
mod tests {
    use carom_dynamics::{JointKind, Placement};
    use nalgebra::{Matrix3, Vector3};

    use crate::{JointEnd, JointSpec, RigidBody, StepError, System, Unsolved};

    /// A pendulum: the impulse of its joint and its weight are its change of momentum over the whole step.
    #[test]
    fn impulses_of_joints_are_those_of_all_parts_of_a_step() -> Result<(), StepError> {
        let (mass, dt, gravity) = (2.0, 0.01, Vector3::new(0.0, 0.0, -9.81));
        let body = RigidBody::new("rod", mass, 0.1 * Matrix3::identity(), Vector3::zeros()).unwrap();
        let start = Placement { origin: [0.5, 0.0, 0.0], ..Placement::default() };
        let mut system = System::new(vec![body], &[start], &[], gravity, dt).unwrap();
        let end = |body: Option<usize>, x: f64| JointEnd {
            body,
            point: Vector3::new(x, 0.0, 0.0),
            triad: Matrix3::identity(),
        };
        let ends = [end(None, 0.0), end(Some(0), -0.5)];
        let joint =
            JointSpec { name: "pin".to_owned(), kind: JointKind::Spherical, ends, actions: Vec::new() };
        system.join(&[joint]).unwrap();
        system.keep_joint_impulses();
        for _ in 0..20 {
            system.step()?;
        }
        for divided in [false, true] {
            let before = system.momentum();
            if divided {
                system.start_of_step = system.time();
                system.advance_in_parts(Unsolved::Impulses { contacts: 0, missed: 1.0 }).unwrap();
            } else {
                system.step()?;
            }
            let [impulse, _] = system.joint_impulses[0].wrench;
            let missing = system.momentum() - before - impulse - mass * dt * gravity;
            assert!(missing.norm() < 1e-15, "{divided}: {missing}");
            assert!(impulse.norm() > 0.5 * mass * dt * 9.81, "{divided}: {impulse}");
        }
        assert_eq!((system.n_divided(), system.steps()), (1, 22));
        Ok(())
    }
}
