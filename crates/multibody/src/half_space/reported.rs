//! The pressures of a pair for results and pictures.

use carom_dynamics::{GridCell, GridPressures};

use super::pair::Pair;

impl Pair {
    /// Pressures at the last evaluation; no cells without force.
    pub(super) fn report(&self, out: &mut GridPressures) {
        out.cells.clear();
        let Some(grid) = self.last_grid().filter(|grid| grid.sums.force > 0.0) else { return };
        let plane = grid.moved_plane();
        out.body = self.sides[0].body;
        out.center = plane.center.into();
        out.axes = [0, 1, 2].map(|d| plane.axes.row(d).transpose().into());
        out.sides = grid.grid.sides();
        out.curvature = grid.plan.curvature;
        out.modulus = self.hertz.modulus;
        out.poisson = self.sides.each_ref().map(|side| side.under.half_space().map(|h| h.poisson));
        let per_area = 1.0 / grid.grid.area();
        out.cells.extend(grid.loaded_cells().map(|(force, height)| GridCell {
            index: force.cell,
            height,
            pressure: force.normal * per_area,
            traction: force.tangential.map(|f| f * per_area),
        }));
    }
}
