//! Groups of neighbouring cells.

use crate::Discretisation;

/// Groups of at most `most` neighbouring cells of a block, halved along the longest extent of their centres
/// until they are small. Groups and the cells of each have a fixed order.
pub(super) fn groups(discretisation: &Discretisation, i_block: usize, most: usize) -> Vec<Vec<u32>> {
    let centres = centres(discretisation, i_block);
    let (mut open, mut groups) = (vec![(0..centres.len() as u32).collect::<Vec<u32>>()], Vec::new());
    while let Some(mut group) = open.pop() {
        if group.len() <= most {
            group.sort_unstable();
            groups.push(group);
            continue;
        }
        let extent = [0, 1, 2].map(|d| {
            let along = group.iter().map(|&cell| centres[cell as usize][d]);
            let (low, high) =
                along.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), x| (l.min(x), h.max(x)));
            high - low
        });
        let longest = (0..3).max_by(|&a, &b| extent[a].total_cmp(&extent[b])).unwrap_or(0);
        let before = |&a: &u32, &b: &u32| {
            centres[a as usize][longest].total_cmp(&centres[b as usize][longest]).then(a.cmp(&b))
        };
        // All groups but one are full, so that few lanes are unused.
        let half = (group.len() / 2).next_multiple_of(most).min(group.len() - 1);
        group.select_nth_unstable_by(half, before);
        let rest = group.split_off(half);
        open.extend([rest, group]);
    }
    groups
}

/// The mean of the points of each cell.
fn centres(discretisation: &Discretisation, i_block: usize) -> Vec<[f64; 3]> {
    let block = &discretisation.blocks[i_block];
    let mut ids = vec![0; block.n_cell_points()];
    let centre = |cell| {
        block.basis(cell).point_ids_into(&mut ids);
        let mut sum = [0.0; 3];
        for &id in &ids {
            let point = discretisation.value(id, &discretisation.points);
            (0..3).for_each(|d| sum[d] += point[d]);
        }
        sum
    };
    (0..block.n_cells()).map(centre).collect()
}
