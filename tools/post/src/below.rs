//! The stress below a contact on a half-space grid: that of a half-space under its pressures and tractions,
//! and that of the modes of the body.

use carom_contact::half_space::stress::{HalfSpaceStress, LargestStress, LoadedGrid};
use carom_fem::stress::{rotated, von_mises};
use carom_format::result::StoredFrame;
use carom_report::number::quantity;
use carom_report::{Axis, Drawing, Map};

use crate::body_stress::BodyStress;
use crate::grids::PlacedGrid;
use crate::patch::strongest_frame;
use crate::{Run, RunError};

/// Squares along a half of the width of a map, and over its depth.
const SQUARES: usize = 24;

/// Half of the width and depth of a map, in contact radii.
const EXTENT: f64 = 1.8;

/// The stress in one of the two bodies of a contact.
#[derive(Debug, Clone, PartialEq)]
pub struct StressBelow {
    /// Name of the body.
    pub body: String,
    /// Poisson's ratio.
    pub poisson: f64,
    /// Where it is largest.
    pub largest: LargestStress,
    /// Contact radius \[m\].
    pub radius: f64,
    /// Stress of the modes of the body at its surface there, axes of the grid, the third one into the body
    /// \[Pa\]; none of a body without a stress of modes.
    pub of_modes: Option<HalfSpaceStress>,
}

impl StressBelow {
    /// A sentence about it.
    pub(crate) fn sentence(&self) -> String {
        let LargestStress { von_mises: most, shear, depth, .. } = self.largest;
        let place = if depth == 0.0 {
            "at the surface".to_owned()
        } else {
            format!("{} below the surface", quantity(depth, "m", 3))
        };
        let modes = self.of_modes.map_or_else(String::new, |stress| {
            format!("; the modes of the body alone have {}", quantity(von_mises(&stress), "Pa", 3))
        });
        format!(
            "`{}`: largest von Mises stress {}, {place} ({:.2} contact radii), where the largest shear \
             stress, half the difference of the outer principal stresses, is {}{modes}",
            self.body,
            quantity(most, "Pa", 4),
            depth / self.radius,
            quantity(shear, "Pa", 4)
        )
    }
}

/// A contact on a half-space grid at its largest force.
pub(crate) struct Below {
    frame: StoredFrame,
    pair: usize,
    /// The elastic bodies: which of the two, the name, Poisson's ratio and the stress of the modes.
    bodies: Vec<(usize, String, f64, Option<HalfSpaceStress>)>,
}

impl Below {
    /// The contact of a pair.
    ///
    /// # Errors
    ///
    /// [`RunError::Empty`] if the contact has no pressures on a grid.
    pub(crate) fn of(run: &Run, pair: usize) -> Result<Self, RunError> {
        let frame = strongest_frame(run, pair)?;
        let grid = PlacedGrid::of(&frame, pair).ok_or(NOT_ON_GRID)?;
        let mut bodies = Vec::new();
        for k in [0, 1] {
            let Some(poisson) = grid.poisson(k) else { continue };
            let number = number_of(run, pair, &grid, k);
            let of_modes = of_modes(run, &frame, &grid, (k, number))?;
            bodies.push((k, run.header().bodies[number].name.clone(), poisson, of_modes));
        }
        Ok(Self { frame, pair, bodies })
    }

    fn grid(&self) -> PlacedGrid<'_> {
        PlacedGrid::of(&self.frame, self.pair).expect("the frame was chosen for its grid")
    }

    /// The largest stress in each elastic body.
    pub(crate) fn stresses(&self) -> Vec<StressBelow> {
        let grid = self.grid();
        let of_body = |(k, name, poisson, of_modes): &(usize, String, f64, Option<HalfSpaceStress>)| {
            let (cells, loads) = grid.loads_on(*k);
            let beside = of_modes.unwrap_or_default();
            let largest = LoadedGrid { grid: &cells, loads: &loads, poisson: *poisson, beside }.largest()?;
            Some(StressBelow {
                body: name.clone(),
                poisson: *poisson,
                largest,
                radius: grid.radius(),
                of_modes: *of_modes,
            })
        };
        self.bodies.iter().filter_map(of_body).collect()
    }

    /// Draws von Mises' stress in a plane normal to the surfaces through the centre of the force, along the
    /// first tangent of the grid, for each elastic body.
    pub(crate) fn draw(&self) -> Drawing {
        let grid = self.grid();
        let maps = self.bodies.iter().map(|(k, name, poisson, of_modes)| {
            let title = format!("von Mises stress in {name} at {}", quantity(self.frame.time, "s", 4));
            let (cells, loads) = grid.loads_on(*k);
            let beside = of_modes.unwrap_or_default();
            let loaded = LoadedGrid { grid: &cells, loads: &loads, poisson: *poisson, beside };
            map(&title, &loaded, grid.middle(), grid.radius())
        });
        Drawing::side_by_side(maps)
    }
}

/// Stress in the elastic bodies of a pair at its largest force: that of half-spaces under the pressures and
/// tractions of the contact, and that of the modes at the surface.
///
/// The modes are those of smooth loads around the contact, whose own stress there is smaller than that of the
/// contact by the square of the contact radius over the radius of the loads.
///
/// # Errors
///
/// [`RunError::Empty`] if the contact has no pressures on a grid.
pub fn stresses(run: &Run, pair: usize) -> Result<Vec<StressBelow>, RunError> {
    Ok(Below::of(run, pair)?.stresses())
}

const NOT_ON_GRID: RunError = RunError::Empty {
    what: "no pressures of this contact on a half-space grid",
    hint: "the field `von_mises` of ParaView files has the stress of bodies whose mesh resolves the contact",
};

/// Draws von Mises' stress below a contact, as [`stresses`].
///
/// # Errors
///
/// As [`stresses`].
pub fn draw(run: &Run, pair: usize) -> Result<Drawing, RunError> {
    Ok(Below::of(run, pair)?.draw())
}

fn map(title: &str, loaded: &LoadedGrid<'_>, [x, y]: [f64; 2], radius: f64) -> Drawing {
    let side = EXTENT * radius / SQUARES as f64;
    let mut map = Map::new(title, Axis::new("x", "m"), Axis::new("depth", "m"), Axis::new("von Mises", "Pa"));
    for (i, k) in (0..2 * SQUARES).flat_map(|i| (0..SQUARES).map(move |k| (i, k))) {
        let (u, z) = ((i as f64 - SQUARES as f64 + 0.5) * side, (k as f64 + 0.5) * side);
        let h = 0.5 * side;
        map.polygons.push(vec![[u - h, h - z], [u + h, h - z], [u + h, -h - z], [u - h, -h - z]]);
        map.values.push(von_mises(&loaded.stress([x + u, y, z])));
    }
    map.draw()
}

/// Number of the body to which the plane of a grid is fixed (0), or of the other one.
fn number_of(run: &Run, pair: usize, grid: &PlacedGrid<'_>, k: usize) -> usize {
    let own = grid.body();
    if k == 0 {
        return own;
    }
    let header = run.header();
    let names = [&header.pairs[pair].first, &header.pairs[pair].second];
    let numbers = names.map(|end| {
        let name = end.split(':').next().unwrap_or(end);
        header.bodies.iter().position(|body| body.name == name)
    });
    numbers.into_iter().flatten().find(|&number| number != own).unwrap_or(own)
}

/// Stress of the modes at the contact, axes of the grid; none of a rigid body, of one whose model has no
/// dynamic modes or none at its surface, and of one whose files are not there.
///
/// * `k`, `number` — which of both bodies of the contact, and its number in the run
fn of_modes(
    run: &Run,
    frame: &StoredFrame,
    grid: &PlacedGrid<'_>,
    (k, number): (usize, usize),
) -> Result<Option<HalfSpaceStress>, RunError> {
    let body = match BodyStress::of(run, number) {
        Ok(Ok(body)) => body,
        Ok(Err(_)) | Err(RunError::Missing { .. }) => return Ok(None),
        Err(error) => return Err(error),
    };
    let Some(at) = body.in_file(frame, grid.center()) else { return Ok(None) };
    let stress = body.at(frame, &[]).tensor[body.nearest(&at)];
    Ok(Some(rotated(&stress, &grid.axes_into(k, &frame.bodies[number].pose()))))
}
