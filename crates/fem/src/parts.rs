//! Of how many parts a body is.

use crate::Discretisation;

/// Points of each part of a body, ascending, in the order of their first points; parts share no point.
///
/// * `joined` — sets of points that are joined besides: they make one part of those that they reach
pub fn parts(discretisation: &Discretisation, joined: &[&[u32]]) -> Vec<Vec<u32>> {
    let mut parent: Vec<u32> = (0..discretisation.n_points() as u32).collect();
    fn root(parent: &mut [u32], mut point: u32) -> u32 {
        while parent[point as usize] != point {
            // Halving the path keeps the trees flat.
            parent[point as usize] = parent[parent[point as usize] as usize];
            point = parent[point as usize];
        }
        point
    }
    let mut join = |points: &[u32]| {
        for pair in points.windows(2) {
            let (a, b) = (root(&mut parent, pair[0]), root(&mut parent, pair[1]));
            parent[a.max(b) as usize] = a.min(b);
        }
    };
    for cell in discretisation.cells() {
        join(&discretisation.points_of(discretisation.basis(cell)));
    }
    joined.iter().for_each(|points| join(points));
    let used = discretisation.point_is_used();
    // The root of a part is its first point.
    let mut of_root = std::collections::BTreeMap::<u32, Vec<u32>>::new();
    for point in (0..parent.len() as u32).filter(|&point| used[point as usize]) {
        of_root.entry(root(&mut parent, point)).or_default().push(point);
    }
    of_root.into_values().collect()
}
