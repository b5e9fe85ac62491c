//! Forces of joints in frames: means over the time since the frame before.
//!
//! The impulse J_n of a joint in a step acts from t_{n−1/2} to t_{n+1/2}, around a frame at t_n. The part
//! θ_n of the step lies before the frame ([`super::books`]), and the velocity of the frame has this part of
//! the impulse. The mean from a frame at t_m to one at t_n is therefore
//!
//! ```text
//! f = ((1 − θ_m) J_m + Σ J_k + θ_n J_n)/(t_n − t_m),   m < k < n
//! ```
//!
//! and f (t_n − t_m) is the change of the momentum between both frames under the joint, exactly.

use carom_dynamics::{Checkpoint, CheckpointError, JointState};
use carom_rigid::{JointImpulse, System};

/// Entries of a checkpoint.
const SUMS: &str = "joint_sums";
const SINCE: &str = "joints_since";

/// Impulses of the joints since the last frame.
#[derive(Debug, Default)]
pub(super) struct JointMeans {
    /// From the last frame to t_{n−1/2}.
    sums: Vec<JointImpulse>,
    /// Time of the last frame; 0 before the first one \[s\].
    since: f64,
}

impl JointMeans {
    /// Keeps the impulses of the joints of a system from now on.
    pub(super) fn new(system: &mut System) -> Self {
        system.keep_joint_impulses();
        Self { sums: system.joint_impulses().to_vec(), since: 0.0 }
    }

    /// The joints in a frame at t_n, which starts new sums. The frame at the start has the forces of the
    /// first step.
    ///
    /// * `share` — θ_n
    pub(super) fn hand_over(&mut self, system: &System, time: f64, share: f64) -> Vec<JointState> {
        let mut states = system.joint_states();
        for ((state, sum), of_step) in states.iter_mut().zip(&mut self.sums).zip(system.joint_impulses()) {
            sum.add(of_step, share);
            if time > self.since {
                sum.mean_into(state, time - self.since);
            }
            // The end of the step adds the whole impulse.
            *sum = JointImpulse::default();
            sum.add(of_step, -share);
        }
        self.since = time;
        states
    }

    /// Adds the impulses of the step to t_{n+1/2}.
    pub(super) fn end_step(&mut self, system: &System) {
        let sums = self.sums.iter_mut().zip(system.joint_impulses());
        sums.for_each(|(sum, of_step)| sum.add(of_step, 1.0));
    }

    pub(super) fn save(&self, checkpoint: &mut Checkpoint) {
        let sums: Vec<f64> = self.sums.iter().flat_map(|sum| sum.to_array()).collect();
        checkpoint.put_reals(SUMS, &sums);
        checkpoint.put_reals(SINCE, &[self.since]);
    }

    pub(super) fn restore(&mut self, checkpoint: &Checkpoint) -> Result<(), CheckpointError> {
        let sums = checkpoint.reals_of(SUMS, JointImpulse::NUMBERS * self.sums.len())?;
        self.sums = sums.as_chunks().0.iter().map(JointImpulse::from_array).collect();
        self.since = checkpoint.reals_of(SINCE, 1)?[0];
        Ok(())
    }
}
