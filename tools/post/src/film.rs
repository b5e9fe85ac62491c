//! Selection of the frames that are exported.

use carom_format::result::StoredFrame;

use crate::{Run, RunError};

/// A selection of frames.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Frames {
    /// Every n-th frame, and the last one.
    Every(usize),
    /// About this many frames of free motion and as many of contact, evenly chosen, and the first and last
    /// frame.
    Film(usize),
}

/// The selected frames.
pub(crate) fn selected(run: &Run, frames: Frames) -> Result<Vec<StoredFrame>, RunError> {
    run.check_frames()?;
    let last = run.times().len() - 1;
    let numbers = match frames {
        Frames::Every(every) => (0..=last).filter(|n| n % every.max(1) == 0 || *n == last).collect(),
        Frames::Film(most) => {
            let mut touches = vec![false; last + 1];
            for forces in run.normal_forces()? {
                touches.iter_mut().zip(forces).for_each(|(touches, force)| *touches |= *force > 0.0);
            }
            film(&touches, most)
        }
    };
    numbers.into_iter().map(|n| Ok(run.reader().frame(n)?)).collect()
}

/// Numbers of frames: about `most` without contact, as many with contact, and the last frame.
fn film(touches: &[bool], most: usize) -> Vec<usize> {
    let strides = [false, true].map(|touch| {
        let count = touches.iter().filter(|&&now| now == touch).count();
        count.saturating_sub(1).div_ceil(most.max(1)).max(1)
    });
    let mut seen = [0; 2];
    let chosen = touches.iter().enumerate().filter(|&(n, &touch)| {
        let class = usize::from(touch);
        seen[class] += 1;
        (seen[class] - 1) % strides[class] == 0 || n + 1 == touches.len()
    });
    chosen.map(|(n, _)| n).collect()
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_film_shows_a_short_impact_within_a_long_flight() {
        let touches: Vec<bool> = (0..1000).map(|n| (500..540).contains(&n)).collect();
        let film = super::film(&touches, 60);
        assert!(film.len() <= 2 * 60 + 2 && film[0] == 0 && film.last() == Some(&999), "{film:?}");
        assert_eq!(film.iter().filter(|n| touches[**n]).count(), 40);
        assert_eq!(super::film(&[false; 10], 60).len(), 10);
    }
}
