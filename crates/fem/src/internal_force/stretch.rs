//! The largest change of the shape of a cell, by distances of its points.

use rayon::prelude::*;

use crate::Discretisation;

/// Cells of a task.
const CELLS: usize = 64;

/// Largest relative change of a distance between points of a cell from one displacement to another.
///
/// ```text
/// max | |x_a − x_b| / |x⁰_a − x⁰_b| − 1 |
/// ```
///
/// over neighbours a and b along the three directions of a cell and along the diagonals between these. Turns
/// of the body do not count. Slopes of a spline are convex combinations of differences of neighbouring
/// control points (of their weighted ones if it is rational), so that strains change by about as much.
///
/// * `before`, `now` — displacements of all points \[m\]
///
/// # Panics
///
/// If a displacement is not one of all points.
pub fn largest_stretch(discretisation: &Discretisation, before: &[f64], now: &[f64]) -> f64 {
    assert!([before, now].iter().all(|u| u.len() == discretisation.n_dofs()), "three numbers a point");
    let fields = [before, now].map(|u| u.as_chunks::<3>().0);
    let of_block = |block: &crate::Block| {
        let n = block.n_cell_points();
        let side = (n as f64).cbrt().round().max(1.0) as usize;
        let steps = [1, side, side * side, 1 + side, 1 + side * side, side + side * side];
        let of_cells = |first: usize| {
            let (mut ids, mut places) = (vec![0; n], vec![[[0.0; 3]; 2]; n]);
            let mut largest = 0.0_f64;
            for cell in first..(first + CELLS).min(block.n_cells()) {
                block.basis(cell).point_ids_into(&mut ids);
                for (place, &id) in places.iter_mut().zip(&ids) {
                    let x = discretisation.value(id, &discretisation.points);
                    *place = fields.map(|field| {
                        let u = discretisation.value(id, field);
                        std::array::from_fn(|d| x[d] + u[d])
                    });
                }
                for step in steps {
                    let pairs = places.iter().zip(places.iter().skip(step));
                    let changes = pairs.map(|(a, b)| {
                        let [then, now] = [0, 1].map(|k| square_distance(&a[k], &b[k]));
                        // Points that coincide, at the pole of a ball, have no distance.
                        if then > 0.0 { ((now / then).sqrt() - 1.0).abs() } else { 0.0 }
                    });
                    largest = changes.fold(largest, f64::max);
                }
            }
            largest
        };
        let firsts: Vec<usize> = (0..block.n_cells()).step_by(CELLS).collect();
        firsts.into_par_iter().map(of_cells).reduce(|| 0.0, f64::max)
    };
    discretisation.blocks.iter().map(of_block).fold(0.0, f64::max)
}

fn square_distance(a: &[f64; 3], b: &[f64; 3]) -> f64 {
    (0..3).map(|d| (a[d] - b[d]) * (a[d] - b[d])).sum()
}
