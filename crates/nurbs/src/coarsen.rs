//! Removal of knots and degrees that the map of a body does not need.

use carom_progress::{Progress, Silent};
use thiserror::Error;

use crate::classes::Classes;
use crate::closest::{bounding_box, distance};
use crate::{Multipatch, Patch};

/// A body with fewer knots, and the number of removed knots and degrees.
#[derive(Debug, Clone, PartialEq)]
pub struct Coarsened {
    /// The body.
    pub body: Multipatch,
    /// Number of removed knots, those of glued directions counted once.
    pub knots: usize,
    /// Number of lowered degrees, those of glued directions counted once.
    pub degrees: usize,
    /// Bound for the distance by which points of the body have moved \[m\].
    pub deviation: f64,
}

/// Errors of coarsening.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum CoarsenError {
    /// An invalid tolerance.
    #[error("the tolerance {tolerance} m is not possible: it must be a length of 0 or more")]
    Tolerance {
        /// The given value.
        tolerance: f64,
    },
    /// The user requested a stop.
    #[error("the removal of knots was interrupted")]
    Interrupted,
    /// The body has a local refinement, which depends on the knots of its patches.
    #[error(
        "the body is refined locally (hierarchical B-splines): knots and degrees cannot be removed any more; \
         coarsen first, refine near places last"
    )]
    Hierarchical,
}

/// Rounding moves control points by less than this fraction of the body's diameter.
const ROUNDING: f64 = 1e-9;

impl Patch {
    /// Removes one occurrence of an inner knot from a direction.
    ///
    /// Returns the coarser patch and a bound for the distance by which points move:
    ///
    /// ```text
    /// max_i (|w_i (P_i − c) − w'_i (P'_i − c)| + R |w_i − w'_i|) / w_i
    /// ```
    ///
    /// with P', w' the control points after the knot is inserted again, c the middle of the patch and R the
    /// largest |P' − c|: points x(u) are means of the control points with positive factors N_i w_i. `None`
    /// if the direction does not have the knot, or if a weight would not stay positive.
    pub fn remove(&self, direction: usize, knot: f64) -> Option<(Self, f64)> {
        let (basis, operator) = self.basis[direction].remove(knot).ok()?;
        let coarse = self.in_basis(direction, basis, &operator).checked()?;
        let again = coarse.insert(direction, &[knot]).ok()?;
        let moved = self.moved(&again);
        Some((coarse, moved))
    }

    /// Lowers the degree of a direction by one and keeps the continuity; a bound for the error as in
    /// [`Patch::remove`].
    ///
    /// `None` if the degree is 1, if an inner knot is too smooth for a lower degree (multiplicity 1: remove
    /// it first), or if a weight would not stay positive.
    ///
    /// # Source
    ///
    /// Piegl & Tiller, *The NURBS Book*, algorithm A5.11: Bézier pieces are reduced, then their knots
    /// removed.
    pub fn lower(&self, direction: usize) -> Option<(Self, f64)> {
        let line = &self.basis[direction];
        let p = line.degree();
        let inner = line.inner_knots();
        if p == 1 || inner.iter().any(|&(_, multiplicity)| multiplicity == 1) {
            return None;
        }
        let missing: Vec<f64> =
            inner.iter().flat_map(|&(u, multiplicity)| std::iter::repeat_n(u, p - multiplicity)).collect();
        let pieces = self.insert(direction, &missing).ok()?;
        let (basis, operator) = pieces.basis[direction].lower_bezier().ok()?;
        let mut low = pieces.in_basis(direction, basis, &operator).checked()?;
        for (u, multiplicity) in inner {
            for _ in multiplicity..p {
                let (basis, operator) = low.basis[direction].remove(u).ok()?;
                low = low.in_basis(direction, basis, &operator).checked()?;
            }
        }
        let again = low.elevate(direction, 1).ok()?;
        let moved = self.moved(&again);
        Some((low, moved))
    }

    /// The patch if its weights are positive and its points finite.
    fn checked(self) -> Option<Self> {
        let sound =
            self.weights.iter().all(|&w| w > 0.0) && self.points.iter().flatten().all(|x| x.is_finite());
        sound.then_some(self)
    }

    /// Bound for the distance between points of two patches of the same basis.
    fn moved(&self, other: &Self) -> f64 {
        let [low, high] = bounding_box(self.points.iter());
        let middle = [0, 1, 2].map(|d| 0.5 * (low[d] + high[d]));
        let size = other.points.iter().map(|&point| distance(point, middle)).fold(0.0, f64::max);
        let pairs = self.points.iter().zip(&self.weights).zip(other.points.iter().zip(&other.weights));
        pairs
            .map(|((point, w), (there, w_there))| {
                let [a, b] =
                    [(point, w), (there, w_there)].map(|(x, w)| [0, 1, 2].map(|d| w * (x[d] - middle[d])));
                (distance(a, b) + size * (w - w_there).abs()) / w
            })
            .fold(0.0, f64::max)
    }
}

impl Multipatch {
    /// Removes all inner knots that the map of the body does not need, from glued directions together.
    ///
    /// * `tolerance` — largest total displacement of a point \[m\]; `None` for rounding, 1e-9 of the body's
    ///   diameter
    ///
    /// # Errors
    ///
    /// [`CoarsenError`] if the tolerance is negative or NaN, or if the body is refined locally.
    pub fn remove_knots(&self, tolerance: Option<f64>) -> Result<Coarsened, CoarsenError> {
        let mut coarsening = Coarsening::new(self, tolerance)?;
        coarsening.remove_knots(&Silent)?;
        Ok(coarsening.finished())
    }

    /// Removes all knots and lowers all degrees that the map of the body does not need, in glued directions
    /// together: the coarsest body of the same shape and parameters.
    ///
    /// Undoes [`Multipatch::insert`], [`Multipatch::subdivide`], [`Multipatch::grade`] and
    /// [`Multipatch::elevate`]. It stops where the removal of any knot or degree would move a point by more
    /// than the tolerance.
    ///
    /// * `tolerance` — as of [`Multipatch::remove_knots`]
    ///
    /// # Errors
    ///
    /// [`CoarsenError`] if the tolerance is negative or NaN, or if the body is refined locally.
    pub fn coarsen(&self, tolerance: Option<f64>) -> Result<Coarsened, CoarsenError> {
        self.coarsen_reporting(tolerance, &Silent)
    }

    /// As [`Multipatch::coarsen`], reporting the number of checked knots.
    ///
    /// # Errors
    ///
    /// As [`Multipatch::coarsen`]; [`CoarsenError::Interrupted`] if the user requested a stop.
    pub fn coarsen_reporting(
        &self,
        tolerance: Option<f64>,
        progress: &dyn Progress,
    ) -> Result<Coarsened, CoarsenError> {
        let mut coarsening = Coarsening::new(self, tolerance)?;
        progress.begin("removal of knots", coarsening.n_knots());
        let removed = coarsening.remove_knots(progress);
        progress.end();
        removed?;
        progress.begin("lowering degrees", 0);
        let lowered = coarsening.lower_degrees(progress);
        progress.end();
        lowered?;
        Ok(coarsening.finished())
    }
}

/// The state of a body during coarsening.
struct Coarsening<'a> {
    source: &'a Multipatch,
    tolerance: f64,
    patches: Vec<Patch>,
    /// Bound of the displacement of the points of each patch so far.
    moved: Vec<f64>,
    classes: Classes,
    knots: usize,
    degrees: usize,
}

impl<'a> Coarsening<'a> {
    fn new(source: &'a Multipatch, tolerance: Option<f64>) -> Result<Self, CoarsenError> {
        let [low, high] = bounding_box(source.patches.iter().flat_map(|patch| &patch.points));
        let tolerance = tolerance.unwrap_or(ROUNDING * distance(low, high));
        if !(tolerance >= 0.0 && tolerance.is_finite()) {
            return Err(CoarsenError::Tolerance { tolerance });
        }
        if source.hierarchy.is_some() {
            return Err(CoarsenError::Hierarchical);
        }
        let n = source.patches.len();
        Ok(Self {
            source,
            tolerance,
            patches: source.patches.clone(),
            moved: vec![0.0; n],
            classes: source.topology().classes(n),
            knots: 0,
            degrees: 0,
        })
    }

    /// Different inner knots, those of glued directions counted once.
    fn n_knots(&self) -> u64 {
        let knots =
            |(patch, direction): (usize, usize)| self.patches[patch].basis[direction].inner_knots().len();
        self.classes.members().into_values().map(|members| knots(members[0]) as u64).sum()
    }

    fn remove_knots(&mut self, progress: &dyn Progress) -> Result<(), CoarsenError> {
        let mut looked_at = 0;
        for (_, members) in self.classes.members() {
            let (patch, direction) = members[0];
            let mut place = 0;
            while place < self.patches[patch].basis[direction].inner_knots().len() {
                if progress.interrupted() {
                    return Err(CoarsenError::Interrupted);
                }
                let before = self.patches[patch].basis[direction].inner_knots();
                let removed = self.change(&members, |classes, patch, member| {
                    let there = patch.basis[member.1].inner_knots();
                    let mirrored = there.len().checked_sub(place + 1)?;
                    let mut knots = vec![there[if classes.reversed(member) { mirrored } else { place }].0];
                    // A direction that is glued to its own reverse has knots on both sides of the middle.
                    if classes.is_symmetric(member) && mirrored != place {
                        knots = vec![there[place].0, there[mirrored].0];
                    }
                    let (mut coarse, mut moved) = (patch.clone(), 0.0);
                    for knot in knots {
                        let (next, by) = coarse.remove(member.1, knot)?;
                        (coarse, moved) = (next, moved + by);
                    }
                    Some((coarse, moved))
                });
                // One of several occurrences is removed: the same knot is still at this place.
                let gone = removed && before[place].1 == 1;
                let same = removed && before[place].1 > 1;
                self.knots += usize::from(removed);
                place += usize::from(!gone && !same);
                looked_at += u64::from(!same);
                progress.set(looked_at);
            }
        }
        Ok(())
    }

    fn lower_degrees(&mut self, progress: &dyn Progress) -> Result<(), CoarsenError> {
        for (_, members) in self.classes.members() {
            while self.change(&members, |_, patch, (_, direction)| patch.lower(direction)) {
                self.degrees += 1;
                if progress.interrupted() {
                    return Err(CoarsenError::Interrupted);
                }
            }
        }
        Ok(())
    }

    /// Applies a change to all members of a class if no point moves too far by it.
    fn change(
        &mut self,
        members: &[(usize, usize)],
        coarser: impl Fn(&Classes, &Patch, (usize, usize)) -> Option<(Patch, f64)>,
    ) -> bool {
        let mut changed: Vec<(usize, Patch, f64)> = Vec::new();
        for &member in members {
            let place = changed.iter().position(|entry| entry.0 == member.0);
            let (patch, moved) = match place {
                Some(i) => (&changed[i].1, changed[i].2),
                None => (&self.patches[member.0], self.moved[member.0]),
            };
            let Some((patch, by)) = coarser(&self.classes, patch, member) else { return false };
            // False for NaN.
            let within = moved + by <= self.tolerance;
            if !within {
                return false;
            }
            match place {
                Some(i) => changed[i] = (member.0, patch, moved + by),
                None => changed.push((member.0, patch, moved + by)),
            }
        }
        for (number, patch, moved) in changed {
            self.patches[number] = patch;
            self.moved[number] = moved;
        }
        true
    }

    fn finished(self) -> Coarsened {
        let body = self.source.refined(self.patches, &self.source.topology());
        let deviation = self.moved.into_iter().fold(0.0, f64::max);
        Coarsened { body, knots: self.knots, degrees: self.degrees, deviation }
    }
}
