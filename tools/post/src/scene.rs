//! Pictures of the bodies in a frame.

use carom_dynamics::BodyState;
use carom_format::result::StoredFrame;
use carom_report::{Color, Drawing, Picture};
use carom_scene::{BodyGrid, Coloring};
use nalgebra::Vector3;

use crate::bodies::RunBody;
use crate::frame_fields::in_body_frame;
use crate::grids::PlacedGrid;
use crate::impacts::pair_name;
use crate::{Run, RunError, patch};

/// Bodies with names in the picture.
const NAMES: usize = 12;

/// Width and height of one of two pictures side by side \[px\].
const SIZE: [f64; 2] = [440.0, 360.0];

/// Maps of pressure below the picture of a time.
const MAPS: usize = 2;

/// Pictures of several times in a row.
const IN_A_ROW: usize = 3;

/// The bodies of a run in its first frame and in the frame of the largest contact force (the last one without
/// contact), side by side, with notes about bodies that are not shown.
///
/// # Errors
///
/// As [`Run::load_body`]; [`RunError::Empty`] if no body has a shape.
pub(crate) fn draw(run: &Run) -> Result<(Drawing, Vec<String>), RunError> {
    run.check_frames()?;
    let (shown, mut notes) = shown(run)?;
    let second = strongest(run)?;
    let start = run.reader().frame(0)?;
    let unit = run.unit_of_time()?;
    let mut drawn = |frame: &StoredFrame, title: &str, mark: Option<[f64; 3]>| {
        let mut picture = bodies(&shown, frame, &mut notes);
        picture.marks.extend(mark.map(|place| (place, "contact".to_owned())));
        picture.size = SIZE;
        picture.title = format!("{title}, t = {}", unit.quantity(frame.time, "s", 4));
        picture.draw()
    };
    let mut drawings = vec![drawn(&start, "start", None)];
    if second.frame > 0 {
        let frame = run.reader().frame(second.frame)?;
        let mark = second.touch.map(|(_, mark)| mark);
        let pair = second.touch.map(|(pair, _)| pair_name(run, pair));
        let title = pair.map_or_else(|| "end".to_owned(), |pair| format!("largest force of {pair}"));
        drawings.push(drawn(&frame, &title, mark));
    }
    Ok((Drawing::side_by_side(drawings), notes))
}

/// A picture of the bodies in one frame, or in several side by side, and notes about bodies that are not
/// shown. Contacts on half-space grids are marked, with a map of their pressure below.
///
/// * `times` — of the frames, the nearest ones \[s\]; the last frame if none
/// * `view` — direction from the bodies to the camera; z is up
///
/// # Errors
///
/// As [`Run::load_body`]; [`RunError::Empty`] if no body has a shape.
pub fn picture(run: &Run, times: &[f64], view: Option<[f64; 3]>) -> Result<(Drawing, Vec<String>), RunError> {
    run.check_frames()?;
    let (shown, mut notes) = shown(run)?;
    let all = run.times();
    let nearest = |time: &f64| {
        let distance = |n: &usize| (all[*n] - time).abs();
        (0..all.len()).rev().min_by(|a, b| distance(a).total_cmp(&distance(b))).unwrap_or_default()
    };
    let last = all.last().copied().unwrap_or_default();
    let times = if times.is_empty() { std::slice::from_ref(&last) } else { times };
    let mut drawings = Vec::with_capacity(times.len());
    for frame in times.iter().map(nearest) {
        let frame = run.reader().frame(frame)?;
        let mut picture = bodies(&shown, &frame, &mut notes);
        picture.view = view.unwrap_or(picture.view);
        picture.title = format!("t = {}", run.unit_of_time()?.quantity(frame.time, "s", 4));
        if times.len() > 1 {
            picture.size = SIZE;
        }
        let grids: Vec<(usize, PlacedGrid<'_>)> = (0..run.header().pairs.len())
            .filter_map(|pair| Some((pair, PlacedGrid::of(&frame, pair)?)))
            .collect();
        picture.marks.extend(grids.iter().map(|(pair, grid)| (grid.center(), pair_name(run, *pair))));
        let map = |(pair, grid): &(usize, PlacedGrid<'_>)| {
            let title = format!("pressure of {}", pair_name(run, *pair));
            patch::map_of_grid(&title, grid, frame.contacts[*pair].normal_force)
        };
        let maps = grids.iter().take(MAPS).map(map);
        drawings.push(Drawing::stacked(std::iter::once(picture.draw()).chain(maps)));
    }
    let rows: Vec<Drawing> =
        drawings.chunks(IN_A_ROW).map(|row| Drawing::side_by_side(row.to_vec())).collect();
    Ok((Drawing::stacked(rows), notes))
}

/// The bodies that have a shape, and notes about those without.
fn shown(run: &Run) -> Result<(Vec<Shown>, Vec<String>), RunError> {
    let (mut shown, mut notes) = (Vec::new(), Vec::new());
    for (index, body) in run.header().bodies.iter().enumerate() {
        if body.body_path.is_empty() {
            notes.push(format!("{} is not shown, as its model names no body file", body.name));
            continue;
        }
        let body = run.load_body(index)?;
        shown.push(Shown { index, grid: BodyGrid::surface(&body.body), body });
    }
    if shown.is_empty() {
        return Err(RunError::Empty { what: "no body with a shape", hint: "the plots show the motion" });
    }
    Ok((shown, notes))
}

/// A body with its surface.
struct Shown {
    index: usize,
    body: RunBody,
    grid: BodyGrid,
}

/// The second frame that is shown.
struct Strongest {
    frame: usize,
    /// Pair and place of the largest contact force \[m\]; none if nothing touched.
    touch: Option<(usize, [f64; 3])>,
}

/// The frame in which the force of any pair is largest; the last one if there is none.
fn strongest(run: &Run) -> Result<Strongest, RunError> {
    let mut best = Strongest { frame: run.times().len() - 1, touch: None };
    let mut largest = 0.0;
    let events = run.reader().contact_events()?;
    for (pair, forces) in run.normal_forces()?.iter().enumerate() {
        for (frame, &force) in forces.iter().enumerate() {
            if force > largest {
                largest = force;
                let time = run.times()[frame];
                // A force of impulses is the mean since the frame before: the event is over by then.
                let of_pair = events.iter().filter(|event| event.pair == pair && event.start <= time);
                let nearest = of_pair.max_by(|a, b| a.end.min(time).total_cmp(&b.end.min(time)));
                let place = nearest.map_or([f64::NAN; 3], |event| event.place);
                best = Strongest { frame, touch: Some((pair, place)) };
            }
        }
    }
    Ok(best)
}

/// The bodies in a frame, each with its colour and name.
fn bodies(shown: &[Shown], frame: &StoredFrame, notes: &mut Vec<String>) -> Picture {
    let grids: Vec<BodyGrid> = shown.iter().map(|shown| shown.placed(frame)).collect();
    let boxes: Vec<[[f64; 3]; 2]> = grids.iter().map(|grid| bounds(&grid.grid.points)).collect();
    // Beams hide little: a ring around others is shown as it is.
    let encloses = |n: usize| {
        let has_faces = grids[n].radii.len() < grids[n].grid.n_cells();
        has_faces && boxes.iter().enumerate().any(|(k, inner)| k != n && contains(&boxes[n], inner))
    };
    let names: Vec<[(String, Color); 1]> = shown
        .iter()
        .enumerate()
        .map(|(n, shown)| [(shown.body.meta.name.clone(), Color::of_series(n))])
        .collect();
    let groups: Vec<Vec<usize>> = grids.iter().map(|grid| vec![0; grid.grid.n_cells()]).collect();
    let (around, solid): (Vec<usize>, Vec<usize>) = (0..grids.len()).partition(|&n| encloses(n));
    for &n in &around {
        let note = format!("{} is around others and shown by its edges", shown[n].body.meta.name);
        if !notes.contains(&note) {
            notes.push(note);
        }
    }
    // Each in one picture, so that many bodies are cut as coarsely as a body of as many cells.
    let picture = |of: &[usize]| {
        let coloring = |n: usize| Coloring::Cells { groups: &groups[n], names: &names[n] };
        let colored: Vec<_> = of.iter().map(|&n| (&grids[n], coloring(n))).collect();
        carom_scene::picture(&colored, true)
    };
    let (mut all, edges_alone) = (picture(&solid), picture(&around));
    all.outlines.extend(edges_alone.outlines);
    all.edges.extend(edges_alone.edges);
    all.names.truncate(NAMES);
    all
}

impl Shown {
    /// The deformed surface at its position in a frame.
    fn placed(&self, frame: &StoredFrame) -> BodyGrid {
        let mut grid = self.grid.clone();
        let rest = BodyState::default();
        let state = frame.bodies.get(self.index).unwrap_or(&rest);
        let elastic = self.grid.at_points(&self.body.elastic_displacement(&state.modal));
        let now = state.pose();
        let points = in_body_frame(&self.grid, self.body.meta.frame_origin);
        let place = |(b, u): (&Vector3<f64>, &[f64; 3])| now.point(&(b + Vector3::from(*u))).into();
        grid.grid.points = points.iter().zip(&elastic).map(place).collect();
        grid
    }
}

fn bounds(points: &[[f64; 3]]) -> [[f64; 3]; 2] {
    points.iter().fold([[f64::INFINITY; 3], [f64::NEG_INFINITY; 3]], |[low, high], x| {
        [[0, 1, 2].map(|d| low[d].min(x[d])), [0, 1, 2].map(|d| high[d].max(x[d]))]
    })
}

fn contains([low, high]: &[[f64; 3]; 2], [inner_low, inner_high]: &[[f64; 3]; 2]) -> bool {
    (0..3).all(|d| low[d] < inner_low[d] && inner_high[d] < high[d])
}

#[cfg(test)]
mod tests {
    use super::*;
    use carom_fem::{Body, Geometry, Material};
    use carom_format::result::ResultBody;

    /// Rods in a row along x, and a frame in which they lie there.
    fn rods(n: usize) -> (Vec<Shown>, StoredFrame) {
        let patches = carom_nurbs::solids::rod(0.01, 0.2, None).unwrap().elements([4, 1, 1]).unwrap();
        let body = Body {
            name: "rod".to_owned(),
            material_of_block: vec![0; patches.patches.len()],
            geometry: Geometry::Nurbs(patches),
            materials: vec![Material::named("steel").unwrap()],
            sections: Vec::new(),
        };
        let shown = |index: usize| {
            let meta = ResultBody { name: format!("rod {index}"), rigid: true, ..ResultBody::default() };
            let body = RunBody { meta, body: body.clone(), fields: None, load_radius: 0.0, fastest_hz: None };
            Shown { index, grid: BodyGrid::surface(&body.body), body }
        };
        let at = |index: usize| BodyState {
            position: [0.3 * index as f64, 0.0, 0.0],
            quaternion: [1.0, 0.0, 0.0, 0.0],
            ..BodyState::default()
        };
        let bodies = (0..n).map(at).collect();
        let frame = StoredFrame { index: 0, time: 0.0, steps: 0, bodies, contacts: Vec::new() };
        ((0..n).map(shown).collect(), frame)
    }

    /// The rods of a long row are small in the picture: each is cut into fewer triangles than one alone.
    #[test]
    fn ten_bodies_have_less_than_five_times_the_triangles_of_one() {
        let n_triangles = |n: usize| {
            let (shown, frame) = rods(n);
            bodies(&shown, &frame, &mut Vec::new()).triangles.len()
        };
        let [one, many] = [1, 10].map(n_triangles);
        assert!(one > 1000 && many < 5 * one, "{one} triangles of a rod, {many} of ten");
    }
}
