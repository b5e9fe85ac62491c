//! The stress below a contact on a half-space grid: that of a half-space under its pressures and tractions.

use carom_contact::half_space::stress::{LargestStress, LoadedGrid};
use carom_fem::stress::von_mises;
use carom_report::number::quantity;
use carom_report::{Axis, Drawing, Map};

use crate::grids::PlacedGrid;
use crate::patch::strongest_frame;
use crate::{Run, RunError};

/// Squares along a half of the width of a map, and over its depth.
const SQUARES: usize = 24;

/// Half of the width and depth of a map, in contact radii.
const EXTENT: f64 = 1.8;

/// The stress in one of the two bodies of a contact.
#[derive(Debug, Clone, PartialEq)]
pub struct BodyStress {
    /// Name of the body.
    pub body: String,
    /// Poisson's ratio.
    pub poisson: f64,
    /// Where it is largest.
    pub largest: LargestStress,
    /// Contact radius \[m\].
    pub radius: f64,
}

impl BodyStress {
    /// A sentence about it.
    pub(crate) fn sentence(&self) -> String {
        let LargestStress { von_mises, shear, depth, .. } = self.largest;
        let place = if depth == 0.0 {
            "at the surface".to_owned()
        } else {
            format!("{} below the surface", quantity(depth, "m", 3))
        };
        format!(
            "`{}`: largest von Mises stress {}, {place} ({:.2} contact radii), where the largest shear \
             stress, half the difference of the outer principal stresses, is {}",
            self.body,
            quantity(von_mises, "Pa", 4),
            depth / self.radius,
            quantity(shear, "Pa", 4)
        )
    }
}

/// Stress in the elastic bodies of a pair at its largest force: that of half-spaces under the pressures and
/// tractions of the contact. The stress by the bending of the bodies is not part of it.
///
/// # Errors
///
/// [`RunError::Empty`] if the contact has no pressures on a grid.
pub fn stresses(run: &Run, pair: usize) -> Result<Vec<BodyStress>, RunError> {
    let frame = strongest_frame(run, pair)?;
    let grid = PlacedGrid::of(&frame, pair).ok_or(NOT_ON_GRID)?;
    let of_body = |k: usize| {
        let poisson = grid.poisson(k)?;
        let (cells, loads) = grid.loads_on(k);
        let largest = LoadedGrid { grid: &cells, loads: &loads, poisson }.largest()?;
        Some(BodyStress { body: name_of(run, pair, &grid, k), poisson, largest, radius: grid.radius() })
    };
    Ok([0, 1].into_iter().filter_map(of_body).collect())
}

const NOT_ON_GRID: RunError = RunError::Empty {
    what: "no pressures of this contact on a half-space grid",
    hint: "the field `von_mises` of ParaView files has the stress of bodies whose mesh resolves the contact",
};

/// Draws von Mises' stress in a plane normal to the surfaces through the centre of the force, along the first
/// tangent of the grid, for each elastic body of a pair at its largest force.
///
/// # Errors
///
/// As [`stresses`].
pub fn draw(run: &Run, pair: usize) -> Result<Drawing, RunError> {
    let frame = strongest_frame(run, pair)?;
    let grid = PlacedGrid::of(&frame, pair).ok_or(NOT_ON_GRID)?;
    let maps = [0, 1].into_iter().filter_map(|k| {
        let poisson = grid.poisson(k)?;
        let title = format!(
            "von Mises stress in {} at {}",
            name_of(run, pair, &grid, k),
            quantity(frame.time, "s", 4)
        );
        Some(map(&title, &grid, k, poisson))
    });
    Ok(Drawing::side_by_side(maps))
}

fn map(title: &str, grid: &PlacedGrid<'_>, body: usize, poisson: f64) -> Drawing {
    let (cells, loads) = grid.loads_on(body);
    let loaded = LoadedGrid { grid: &cells, loads: &loads, poisson };
    let side = EXTENT * grid.radius() / SQUARES as f64;
    let [x, y] = grid.middle();
    let mut map = Map::new(title, Axis::new("x", "m"), Axis::new("depth", "m"), Axis::new("von Mises", "Pa"));
    for (i, k) in (0..2 * SQUARES).flat_map(|i| (0..SQUARES).map(move |k| (i, k))) {
        let (u, z) = ((i as f64 - SQUARES as f64 + 0.5) * side, (k as f64 + 0.5) * side);
        let h = 0.5 * side;
        map.polygons.push(vec![[u - h, h - z], [u + h, h - z], [u + h, -h - z], [u - h, -h - z]]);
        map.values.push(von_mises(&loaded.stress([x + u, y, z])));
    }
    map.draw()
}

/// Name of the body to which the plane of a grid is fixed (0), or of the other one.
fn name_of(run: &Run, pair: usize, grid: &PlacedGrid<'_>, k: usize) -> String {
    let own = &run.header().bodies[grid.body()].name;
    if k == 0 {
        return own.clone();
    }
    let pair = &run.header().pairs[pair];
    let names = [&pair.first, &pair.second].map(|end| end.split(':').next().unwrap_or(end));
    names.into_iter().find(|name| name != own).unwrap_or(own).to_owned()
}
