//! Mean pressures on the faces of a pair for results.

use carom_contact::geometry::Faces;

use super::Pair;
use crate::explicit::which::Which;

impl Pair {
    /// The side whose pressures a result has, its body among the deformable ones, and its faces: the
    /// scenario's first body, or the second one if that is rigid.
    fn pressure_side(&self) -> Option<(usize, usize, &Faces)> {
        let first = usize::from(self.is_turned);
        let sides = [first, 1 - first].into_iter().filter(|_| !self.is_automatic);
        sides.filter_map(|side| Some((side, self.gaps.side(side).shape.as_faces()?))).find_map(
            |(side, faces)| match self.ends[side].which(None) {
                Which::Flexible(body) => Some((side, body, faces)),
                Which::Rigid(_) => None,
            },
        )
    }

    /// Mean pressure on the faces of that side that carry pressure \[Pa\].
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
    ) -> (Vec<u32>, Vec<f64>) {
        let Some((side, body, faces)) = self.pressure_side() else { return (Vec::new(), Vec::new()) };
        let end = &self.ends[side];
        let mut forces = vec![0.0; end.points.len()];
        for_forces(&mut |of, point, force| {
            if let (true, Ok(k)) = (of == body, end.points.binary_search(&point)) {
                forces[k] += force;
            }
        });
        let pressure = |face: &carom_fem::Face| -> f64 {
            face.points.iter().map(|&k| forces[k as usize] / end.around[k as usize]).sum()
        };
        let all = (0..).zip(&faces.surface.faces).map(|(number, face)| (number, pressure(face)));
        all.filter(|(_, pressure)| *pressure > 0.0).unzip()
    }
}
