//! Poses, mass matrices and velocities of a run while those of output are set.

use carom_dynamics::Pose;

use super::Bodies;
use crate::kinetics::Kinetics;

/// The poses, masses and velocities of [`Bodies`] at the state of the run, while output sets other states; in
/// between those of the last output.
#[derive(Debug)]
pub(super) struct Aside {
    /// True while it is that of the run.
    is_kept: bool,
    poses: Vec<Pose>,
    placed: Vec<f64>,
    kinetics: Vec<Kinetics>,
}

impl Bodies {
    /// Puts the state that was set last aside until [`Bodies::take_back`], unless that is done already.
    /// Allocates the first time. A state is to be set before anything is read.
    pub(crate) fn put_aside(&mut self) {
        let Self { aside, poses, placed, kinetics, .. } = self;
        let aside = aside.get_or_insert_with(|| Aside {
            is_kept: false,
            poses: poses.clone(),
            placed: placed.clone(),
            kinetics: kinetics.clone(),
        });
        if !aside.is_kept {
            aside.is_kept = true;
            self.exchange();
        }
    }

    /// Sets the state that was put aside again; nothing without one.
    pub(crate) fn take_back(&mut self) {
        if let Some(aside) = self.aside.as_mut().filter(|aside| aside.is_kept) {
            aside.is_kept = false;
            self.exchange();
        }
    }

    fn exchange(&mut self) {
        let Self { aside, poses, placed, kinetics, moves, .. } = self;
        if let Some(aside) = aside {
            std::mem::swap(&mut aside.poses, poses);
            std::mem::swap(&mut aside.placed, placed);
            std::mem::swap(&mut aside.kinetics, kinetics);
            *moves += 1;
        }
    }
}
