//! Mean pressures on the faces of a pair for results.

use carom_contact::geometry::Faces;
use carom_dynamics::SurfacePressures;

use super::Pair;
use crate::explicit::which::Which;

impl Pair {
    /// The side whose pressures a result has, and its faces: the scenario's first body, or the second body if
    /// the first is rigid. An automatic contact has one side with all bodies.
    fn pressure_side(&self) -> Option<(usize, &Faces)> {
        let first = usize::from(self.is_turned);
        let is_deformable =
            |side: usize| self.is_automatic || matches!(self.ends[side].which(None), Which::Flexible(_));
        let sides = [first, 1 - first].into_iter().filter(|&side| is_deformable(side));
        sides.filter_map(|side| Some((side, self.gaps.side(side).shape.as_faces()?))).next()
    }

    /// Mean pressure on the faces of that side that carry pressure \[Pa\], body by body.
    ///
    /// ```text
    /// p = Σ_i f_i/A_i
    /// ```
    ///
    /// over the points of a face, with the area A_i of all faces around a point: each of these takes a share
    /// of f_i by its area.
    ///
    /// * `for_forces` — calls with each deformable body, its point and the normal force on it \[N\]
    pub(in crate::explicit::contact) fn pressures(
        &self,
        for_forces: impl FnOnce(&mut dyn FnMut(usize, u32, f64)),
    ) -> Vec<SurfacePressures> {
        let Some((side, faces)) = self.pressure_side() else { return Vec::new() };
        let end = &self.ends[side];
        let mut forces = vec![0.0; end.points.len()];
        let mut ranges: Vec<_> = end.ranges().collect();
        ranges.sort_unstable_by_key(|(which, _)| which.flexible());
        for_forces(&mut |of, point, force| {
            let Ok(part) = ranges.binary_search_by_key(&Some(of), |(which, _)| which.flexible()) else {
                return;
            };
            let range = ranges[part].1.clone();
            if let Ok(k) = end.points[range.clone()].binary_search(&point) {
                forces[range.start + k] += force;
            }
        });
        let pressure = |face: &carom_fem::Face| -> f64 {
            face.points.iter().map(|&k| forces[k as usize] / end.around[k as usize]).sum()
        };
        let mut made: Vec<SurfacePressures> = Vec::new();
        let mut first = 0;
        for (number, face) in (0..).zip(&faces.surface.faces) {
            let body = self.of_faces.get(number as usize).map_or(0, |body| *body as usize);
            if number > 0 && self.of_faces.get(number as usize - 1).is_some_and(|&of| of as usize != body) {
                first = number;
            }
            let pressure = pressure(face);
            if pressure <= 0.0 {
                continue;
            }
            if made.last().is_none_or(|last| last.body != body) {
                made.push(SurfacePressures { body, ..SurfacePressures::default() });
            }
            if let Some(last) = made.last_mut() {
                last.faces.push(number - first);
                last.pressures.push(pressure);
            }
        }
        made
    }
}
