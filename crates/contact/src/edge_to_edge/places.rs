//! Places on a surface: the ends of edges. A place of a mesh is a point, one of a spline a sum of points.

use nalgebra::Vector3;

/// Places, each a sum of points with weights that add up to one.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Places {
    /// End of the terms of each place.
    ends: Vec<u32>,
    terms: Vec<(u32, f64)>,
}

impl Places {
    /// Adds a place.
    ///
    /// * `terms` — points with their weights
    ///
    /// Returns its number.
    pub fn add(&mut self, terms: impl Iterator<Item = (u32, f64)>) -> u32 {
        self.terms.extend(terms);
        self.ends.push(self.terms.len() as u32);
        self.ends.len() as u32 - 1
    }

    /// Number of places.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// True without places.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The points of a place with their weights.
    pub fn of(&self, place: u32) -> &[(u32, f64)] {
        let place = place as usize;
        let start = if place == 0 { 0 } else { self.ends[place - 1] };
        &self.terms[start as usize..self.ends[place] as usize]
    }

    /// Positions of all places.
    ///
    /// * `points` — positions of the points \[m\]
    pub fn at(&self, points: &[Vector3<f64>]) -> Vec<Vector3<f64>> {
        let mut all = vec![Vector3::zeros(); self.len()];
        self.at_into(points, &mut all);
        all
    }

    /// [`Places::at`] without memory from the heap.
    pub fn at_into(&self, points: &[Vector3<f64>], all: &mut [Vector3<f64>]) {
        for (place, x) in (0..).zip(all) {
            *x = match *self.of(place) {
                [(point, _)] => points[point as usize],
                ref terms => terms.iter().map(|&(point, weight)| weight * points[point as usize]).sum(),
            };
        }
    }

    /// Gives the points other numbers.
    pub fn renumber(&mut self, number: impl Fn(u32) -> u32) {
        self.terms.iter_mut().for_each(|(point, _)| *point = number(*point));
    }

    /// Numbers of all points, ascending.
    pub fn points(&self) -> Vec<u32> {
        let mut points: Vec<u32> = self.terms.iter().map(|(point, _)| *point).collect();
        points.sort_unstable();
        points.dedup();
        points
    }

    /// Adds the places of another surface, whose points come after those of this one.
    ///
    /// * `first` — number of points of this one
    pub fn append(&mut self, other: &Self, first: u32) {
        let n = self.terms.len() as u32;
        self.ends.extend(other.ends.iter().map(|end| end + n));
        self.terms.extend(other.terms.iter().map(|&(point, weight)| (point + first, weight)));
    }
}
