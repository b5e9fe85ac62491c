//! Overlap of the surfaces without force: cells and corners that lie inside the other body while the gap is
//! open on the average.

use nalgebra::Vector3;

use super::gaps::{GapMemory, Gaps};
use super::pair::Pairs;
use super::solution::Overlap;

/// The largest overlap of a pair, relative to the size of its cell, among the cells without force.
///
/// * `lambda` — normal forces of the cells of all pairs \[N\]
pub(super) fn overlap((k, pairs): (usize, &Pairs), lambda: &[f64], memory: &GapMemory) -> Option<Overlap> {
    let pair = pairs.get(k);
    let of_cell = |cell: usize| {
        let s = pair.cell_offset + cell;
        let depth = if lambda[s] == 0.0 { memory.overlap(s) } else { 0.0 };
        let size = pair.cells.area[cell].sqrt();
        let (place, is_corner) = (Vector3::zeros(), false);
        (depth > 0.0 && size > 0.0).then_some(Overlap { cell, depth, size, place, is_corner })
    };
    let all = (0..pair.cells.len()).filter_map(of_cell);
    let mut worst = all.max_by(|a, b| a.ratio().total_cmp(&b.ratio()))?;
    let reference = &pairs.first(k).faces.reference;
    worst.place = pair.cells.center(worst.cell, |k| reference[k as usize]);
    Some(worst)
}

/// See [`super::QuasistaticContact::corner_overlap`].
///
/// * `lambda` — normal forces of the cells of all pairs \[N\]
pub(super) fn corner_overlap(
    (k, pairs): (usize, &Pairs),
    lambda: &[f64],
    gaps: &mut Gaps,
    memory: &GapMemory,
) -> Option<Overlap> {
    if gaps.is_apart(k) {
        return None;
    }
    let pair = pairs.get(k);
    let mut worst: Option<Overlap> = None;
    for corner in &pair.corners {
        let s = pair.cell_offset + corner.cell;
        if lambda[s] > 0.0 || memory.slack(s) > corner.reach {
            continue;
        }
        let depth = gaps.corner_depth((k, corner), pairs, memory);
        let size = pair.cells.area[corner.cell].sqrt();
        let found = Overlap { cell: corner.cell, depth, size, place: corner.place, is_corner: true };
        if depth > worst.map_or(0.0, |worst| worst.ratio() * size) {
            worst = Some(found);
        }
    }
    worst
}
