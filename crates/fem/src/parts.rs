//! The connected parts of a body.

use crate::Discretisation;

/// Points of each part of a body, ascending, in the order of their first points; parts share no point.
///
/// * `joined` — further sets of points that are joined: the parts that a set reaches become one part
pub fn parts(discretisation: &Discretisation, joined: &[&[u32]]) -> Vec<Vec<u32>> {
    let n_points = discretisation.n_points();
    // Hanging points have numbers after those of points. A cell joins its own points, and each hanging point
    // joins the points on which it depends, once for all of its cells.
    let mut parent: Vec<u32> = (0..discretisation.n_cell_point_ids() as u32).collect();
    fn root(parent: &mut [u32], mut point: u32) -> u32 {
        while parent[point as usize] != point {
            // Path halving keeps the trees flat.
            parent[point as usize] = parent[parent[point as usize] as usize];
            point = parent[point as usize];
        }
        point
    }
    let mut join = |points: &[u32]| {
        let Some((&first, others)) = points.split_first() else { return };
        let mut joined = root(&mut parent, first);
        for &point in others {
            // Most points of a cell are those of cells before it.
            if parent[point as usize] != joined {
                let own = root(&mut parent, point);
                parent[joined.max(own) as usize] = joined.min(own);
                joined = joined.min(own);
            }
        }
    };
    let mut is_seen = vec![false; discretisation.hanging.len()];
    let mut ids = Vec::new();
    for cell in discretisation.cells() {
        let basis = discretisation.basis(cell);
        ids.resize(basis.n_points(), 0);
        basis.point_ids_into(&mut ids);
        join(&ids);
        ids.iter().filter_map(|&id| (id as usize).checked_sub(n_points)).for_each(|id| is_seen[id] = true);
    }
    for (id, row) in discretisation.hanging.iter().enumerate().filter(|(id, _)| is_seen[*id]) {
        row.iter().for_each(|&(point, _)| join(&[(n_points + id) as u32, point]));
    }
    joined.iter().for_each(|points| join(points));
    let used = discretisation.point_is_used();
    // The root of a part is its first point.
    let mut of_root = std::collections::BTreeMap::<u32, Vec<u32>>::new();
    for point in (0..n_points as u32).filter(|&point| used[point as usize]) {
        of_root.entry(root(&mut parent, point)).or_default().push(point);
    }
    of_root.into_values().collect()
}
