//! Normals of a shell at its nodes.

use nalgebra::Vector3;

/// Cosine of the largest angle between normals of cells that share a director, 30°.
const SMOOTH: f64 = 0.866_025_403_784_438_6;

/// A cell of a shell: its nodes, three or four of them.
#[derive(Debug, Clone, Copy)]
pub(super) struct Corners {
    pub(super) nodes: [u32; 4],
    pub(super) n: usize,
}

/// The unit normal of the surface at each corner of each cell.
///
/// At a node, a cell takes the mean of the normals of all cells whose normal there is within 30° of its own,
/// weighted with the angles of the corners. Cells that meet at a larger angle keep directors of their own, so
/// that a fold stays a fold. A cell that is numbered in the other sense counts with its normal reversed.
pub(super) fn directors(points: &[Vector3<f64>], cells: &[Corners]) -> Vec<[Vector3<f64>; 4]> {
    let mut starts = vec![0_usize; points.len() + 1];
    for cell in cells {
        cell.nodes[..cell.n].iter().for_each(|&node| starts[node as usize + 1] += 1);
    }
    for k in 0..points.len() {
        starts[k + 1] += starts[k];
    }
    let mut next = starts.clone();
    let mut corners = vec![(Vector3::zeros(), 0.0); starts[points.len()]];
    for cell in cells {
        for a in 0..cell.n {
            let node = cell.nodes[a] as usize;
            corners[next[node]] = normal(points, cell, a);
            next[node] += 1;
        }
    }
    let of_corner = |cell: &Corners, a: usize| {
        let node = cell.nodes[a] as usize;
        let (own, _) = normal(points, cell, a);
        let mut sum = Vector3::zeros();
        for (other, angle) in &corners[starts[node]..starts[node + 1]] {
            let cosine = own.dot(other);
            if cosine.abs() >= SMOOTH {
                sum += angle * cosine.signum() * other;
            }
        }
        sum.normalize()
    };
    let of_cell = |cell: &Corners| {
        std::array::from_fn(|a| if a < cell.n { of_corner(cell, a) } else { Vector3::zeros() })
    };
    cells.iter().map(of_cell).collect()
}

/// The unit normal of a cell at one of its corners, and the angle there.
fn normal(points: &[Vector3<f64>], cell: &Corners, a: usize) -> (Vector3<f64>, f64) {
    let at = |k: usize| points[cell.nodes[k % cell.n] as usize];
    let (ahead, behind) = (at(a + 1) - at(a), at(a + cell.n - 1) - at(a));
    let cross = ahead.cross(&behind);
    (cross.normalize(), cross.norm().atan2(ahead.dot(&behind)))
}
