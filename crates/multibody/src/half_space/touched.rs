//! Where the bodies of a pair have touched: the places that a reduction has to prepare for contact.

use carom_contact::half_space::nearest::Approach;
use nalgebra::Vector3;

use super::pair::{Last, Pair};

/// Where the bodies of a pair have touched in a run so far, and how.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Touched {
    /// Least and largest coordinates of the middle of the forces in the frame of each body; while there was
    /// no force, of the nearest points \[m\].
    pub boxes: [[Vector3<f64>; 2]; 2],
    /// Largest contact radius \[m\]; 0 if there was no force.
    pub radius: f64,
    /// Least gap of the undeformed surfaces where no force was, an estimate \[m\].
    pub gap: f64,
    /// Shortest duration of an impact by Hertz at the speed of the approach \[s\]; 0 if there was none.
    pub duration: f64,
}

impl Touched {
    fn at(points: [Vector3<f64>; 2], gap: f64) -> Self {
        Self { boxes: points.map(|x| [x, x]), radius: 0.0, gap, duration: 0.0 }
    }

    fn include(&mut self, points: [Vector3<f64>; 2]) {
        for ([low, high], x) in self.boxes.iter_mut().zip(points) {
            (*low, *high) = (low.inf(&x), high.sup(&x));
        }
    }
}

impl Pair {
    /// Takes in the forces at the end of a step.
    pub(super) fn note_touch(&mut self, last: &Last) {
        let Some(grid) = self.last_grid() else { return };
        let radius = grid.grid.contact_radius(&grid.forces);
        let points = on_both(last, &grid.point_of_forces());
        let touched = match &mut self.touched {
            Some(touched) if touched.radius > 0.0 => touched,
            none => none.insert(Touched::at(points, 0.0)),
        };
        touched.include(points);
        touched.radius = touched.radius.max(radius);
    }

    /// Takes in a search that found the bodies near each other without a force.
    ///
    /// * `place` — the nearest point in axes of the first body
    pub(super) fn note_near(&mut self, last: &Last, place: &Vector3<f64>, gap: f64) {
        if self.touched.is_none_or(|touched| touched.radius == 0.0 && gap < touched.gap) {
            self.touched = Some(Touched::at(on_both(last, place), gap));
        }
    }

    /// Takes in the end of a step at which the bodies were so far apart that no nearest point was sought.
    pub(super) fn note_far(&mut self, last: &Last) {
        if self.touched.is_none() && self.nearest.is_none_or(|nearest| last.gap < nearest.gap) {
            self.nearest = Some(*last);
        }
    }

    /// Where bodies that were always far apart came nearest: the foot points of the middle of the second
    /// body and of that point.
    fn far(&self) -> Option<Touched> {
        let last = self.nearest?;
        let center = last.rotation * self.sides[1].hull.center() + last.origin;
        let shapes = self.sides.each_ref().map(|side| &side.shape);
        let (place, gap) = Approach::new(shapes, last.rotation, last.origin).about(&center)?;
        Some(Touched::at(on_both(&last, &place), gap))
    }

    /// Where the bodies touched, in the caller's order of the bodies.
    pub(super) fn touched(&self) -> Option<Touched> {
        let mut touched = self.touched.or_else(|| self.far())?;
        touched.duration = self.worst.duration();
        if self.is_turned {
            touched.boxes.swap(0, 1);
        }
        Some(touched)
    }
}

/// A point in axes of the first body, and in those of the second.
fn on_both(last: &Last, x: &Vector3<f64>) -> [Vector3<f64>; 2] {
    [*x, last.rotation.transpose() * (x - last.origin)]
}
