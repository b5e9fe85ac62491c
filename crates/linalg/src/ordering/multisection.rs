//! The separators of a dissection in an order of their own.
//!
//! Nested dissection eliminates separators from the leaves of its tree up to the root. In a slender body, cut
//! across again and again, that is not the best that can be done: a separator that is eliminated between two
//! others fills three of them, but two if the one on its one side is gone already, and elimination from end
//! to end takes three eighths of the separators' operations (7/3 s³ in place of 19/3 s³ for each one of s
//! dofs). So the separators above the smaller parts, the *multisector*, are ordered by minimum degree in the
//! graph that is left when these parts are eliminated, for parts of several sizes, and the order with the
//! fewest operations is chosen; it is the order of the dissection where no other has fewer.
//!
//! # Source
//!
//! Ashcraft & Liu (1998), SIAM J. Matrix Anal. Appl. 19(3), 816–832.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::sparse::SymbolicSparseColMatRef;
use faer::sparse::linalg::amd;

use super::dominated::Adjacency;
use crate::tree::{NONE, Tree};

/// Fewest vertices of a graph whose separators are ordered again.
const FEWEST_VERTICES: usize = 500;

/// Into about how many parts the graph falls without its multisector.
const PARTS: [usize; 4] = [16, 32, 64, 128];

/// Most vertices of a multisector.
const MOST_VERTICES: usize = 20_000;

/// Most couplings of it for each vertex of the graph, repetitions counted: its order then takes a small part
/// of the time of the factor.
const MOST_COUPLINGS: usize = 400;

/// The order with the fewest operations; where the vertices stand for others with them, as far as their
/// weights tell.
///
/// * `graph` — without the diagonal
/// * `weights` — of the vertices, in any unit
/// * `dissection` — the vertices in the order of a dissection
pub(super) fn best_order(graph: &Adjacency, weights: &[i32], dissection: Vec<i32>) -> Vec<i32> {
    if graph.n_vertices() < FEWEST_VERTICES {
        return dissection;
    }
    let lower = graph.lower();
    let weight = |vertex: usize| weights[vertex] as usize;
    let analysed = |order: &[u32]| {
        let (order, tree) = Tree::new(&lower, weight, order);
        let n_operations = tree.operations(|k| weight(order[k] as usize));
        (n_operations, order, tree)
    };
    let dissection: Vec<u32> = dissection.into_iter().map(|vertex| vertex as u32).collect();
    let (of_dissection, order, tree) = analysed(&dissection);
    let sizes = tree.subtree_sizes();
    let (mut fewest, mut best) = (of_dissection, dissection);
    for n_parts in PARTS {
        let largest = graph.n_vertices() / n_parts;
        let Some(other) = with_multisector(graph, &order, &tree, &sizes, largest) else { continue };
        let (n_operations, ..) = analysed(&other);
        if n_operations < fewest {
            (fewest, best) = (n_operations, other);
        }
    }
    best.into_iter().map(|vertex| vertex as i32).collect()
}

/// The parts as they are, then the multisector by minimum degree; nothing where that would take too long.
///
/// * `largest` — most vertices of a part, which is a subtree
fn with_multisector(
    graph: &Adjacency,
    order: &[u32],
    tree: &Tree,
    sizes: &[u32],
    largest: usize,
) -> Option<Vec<u32>> {
    let is_part = |k: usize| sizes[k] as usize <= largest;
    // Number of each vertex in the multisector.
    let mut number = vec![NONE; order.len()];
    let mut multisector = Vec::new();
    for (k, &vertex) in order.iter().enumerate().filter(|(k, _)| !is_part(*k)) {
        debug_assert!(tree.parent(k).is_none_or(|parent| !is_part(parent)), "sizes grow towards the root");
        number[vertex as usize] = multisector.len() as u32;
        multisector.push(vertex);
    }
    if multisector.len() > MOST_VERTICES {
        return None;
    }
    let inside = |vertices: &[i32]| -> Vec<u32> {
        vertices.iter().map(|&other| number[other as usize]).filter(|&other| other != NONE).collect()
    };
    let mut couples: Vec<Vec<u32>> =
        multisector.iter().map(|&vertex| inside(graph.of(vertex as usize))).collect();
    // What surrounds a part couples once the part is eliminated.
    let mut n_couplings: usize = couples.iter().map(Vec::len).sum();
    let mut cliques = Vec::new();
    let mut end = 0;
    while end < order.len() {
        let first = end;
        let root = (first..order.len()).find(|&k| tree.parent(k).is_none_or(|parent| !is_part(parent)));
        end = root.map_or(order.len(), |root| root + 1);
        if !is_part(end - 1) {
            continue;
        }
        let mut around: Vec<u32> =
            order[first..end].iter().flat_map(|&vertex| inside(graph.of(vertex as usize))).collect();
        around.sort_unstable();
        around.dedup();
        n_couplings += around.len() * around.len();
        if n_couplings > MOST_COUPLINGS * order.len() {
            return None;
        }
        cliques.push(around);
    }
    for around in &cliques {
        for &one in around {
            couples[one as usize].extend_from_slice(around);
        }
    }
    for (k, others) in couples.iter_mut().enumerate() {
        others.sort_unstable();
        others.dedup();
        others.retain(|&other| other != k as u32);
    }
    let by_degree = minimum_degree(&couples);
    let mut out: Vec<u32> = (0..order.len()).filter(|&k| is_part(k)).map(|k| order[k]).collect();
    out.extend(by_degree.into_iter().map(|k| multisector[k as usize]));
    Some(out)
}

/// An order of minimum degree.
fn minimum_degree(couples: &[Vec<u32>]) -> Vec<u32> {
    let n = couples.len();
    let mut starts = vec![0_u32];
    starts.extend(couples.iter().scan(0, |end, others| {
        *end += others.len() as u32;
        Some(*end)
    }));
    let rows: Vec<u32> = couples.concat();
    let pattern = SymbolicSparseColMatRef::new_checked(n, n, &starts, None, &rows);
    let (mut order, mut position) = (vec![0_u32; n], vec![0_u32; n]);
    let mut memory = MemBuffer::new(amd::order_scratch::<u32>(n, rows.len() / 2));
    let stack = MemStack::new(&mut memory);
    // Vertices of high degree are the rule in a graph of cliques; by default they would be left out and put
    // last as they come.
    let control = amd::Control { dense: f64::INFINITY, aggressive: true };
    amd::order(&mut order, &mut position, pattern, control, stack)
        .expect("couplings are fewer than 32-bit indices can count");
    order
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::NodeGraph;
    use crate::ordering::{adjacency, dissect};

    /// Nodes of a lattice, each coupled with all that are at most one step away in each direction.
    fn lattice([n_x, n_y, n_z]: [u32; 3]) -> Adjacency {
        let node = |x: u32, y: u32, z: u32| (z * n_y + y) * n_x + x;
        let mut cells = Vec::new();
        for z in 1..n_z {
            for y in 1..n_y {
                for x in 1..n_x {
                    let corner = |c: u32| node(x - (c & 1), y - (c >> 1 & 1), z - (c >> 2));
                    cells.push((0..8).map(corner).collect::<Vec<u32>>());
                }
            }
        }
        let n = (n_x * n_y * n_z) as usize;
        let graph = NodeGraph::from_cells(n, &cells).unwrap();
        let active: Vec<u32> = (0..n as u32).collect();
        adjacency(&graph, &vec![1; n], &active).unwrap()
    }

    fn n_operations(graph: &Adjacency, order: &[i32]) -> f64 {
        let order: Vec<u32> = order.iter().map(|&vertex| vertex as u32).collect();
        Tree::new(&graph.lower(), |_| 1, &order).1.operations(|_| 1)
    }

    fn both(size: [u32; 3]) -> (Adjacency, Vec<i32>, Vec<i32>) {
        let graph = lattice(size);
        let weights = vec![1; graph.n_vertices()];
        let dissection = dissect(&graph, weights.clone()).unwrap();
        let best = best_order(&graph, &weights, dissection.clone());
        (graph, dissection, best)
    }

    #[test]
    fn slender_bodies_need_far_fewer_operations_than_with_dissection() {
        let (graph, dissection, best) = both([5, 5, 200]);
        let mut sorted = best.clone();
        sorted.sort_unstable();
        assert_eq!(sorted, (0..5000).collect::<Vec<i32>>());
        let ratio = n_operations(&graph, &best) / n_operations(&graph, &dissection);
        assert!(ratio < 0.75, "{ratio}");
    }

    #[test]
    fn no_body_needs_more_operations_than_with_dissection() {
        for size in [[14, 14, 14], [40, 40, 2], [6, 12, 60], [5, 5, 200], [10, 10, 100], [3, 3, 3]] {
            let (graph, dissection, best) = both(size);
            let ratio = n_operations(&graph, &best) / n_operations(&graph, &dissection);
            println!("lattice of {size:?} nodes: {ratio:.3} of the operations of the dissection");
            assert!(ratio <= 1.0, "{size:?}: {ratio}");
        }
    }

    #[test]
    fn several_bodies_and_single_vertices_are_ordered() {
        let one = lattice([3, 3, 100]);
        let n = one.n_vertices() as i32;
        let mut two = Adjacency { starts: one.starts.clone(), neighbours: one.neighbours.clone() };
        let end = *one.starts.last().unwrap();
        two.starts.extend(one.starts[1..].iter().map(|start| start + end));
        two.neighbours.extend(one.neighbours.iter().map(|&vertex| vertex + n));
        two.starts.extend([2 * end; 50]);
        let alone = Adjacency { starts: vec![0; 601], neighbours: Vec::new() };
        for graph in [two, alone] {
            let weights = vec![1; graph.n_vertices()];
            let dissection = dissect(&graph, weights.clone()).unwrap();
            let mut best = best_order(&graph, &weights, dissection);
            best.sort_unstable();
            assert_eq!(best, (0..graph.n_vertices() as i32).collect::<Vec<i32>>());
        }
    }

    #[test]
    fn chains_of_separators_are_eliminated_from_their_ends() {
        a_chain_is_taken_from_its_ends(4);
        // Degrees far beyond AMD's threshold for dense rows.
        a_chain_is_taken_from_its_ends(200);
    }

    /// Ten cliques, each coupled with the next: minimum degree never eliminates one between two others.
    fn a_chain_is_taken_from_its_ends(size: u32) {
        let clique = |k: u32| size * k..size * (k + 1);
        let couples: Vec<Vec<u32>> = (0..10 * size)
            .map(|vertex| {
                let k = vertex / size;
                let near = clique(k.saturating_sub(1)).start..clique((k + 1).min(9)).end;
                near.filter(|&other| other != vertex).collect()
            })
            .collect();
        let order = minimum_degree(&couples);
        let (mut low, mut high) = (0, 9);
        for vertices in order.chunks(size as usize) {
            let cliques: Vec<u32> = vertices.iter().map(|vertex| vertex / size).collect();
            assert!(cliques.iter().all(|&clique| clique == cliques[0]));
            assert!(cliques[0] == low || cliques[0] == high, "{cliques:?} between {low} and {high}");
            if cliques[0] == low {
                low += 1;
            } else {
                high -= 1;
            }
        }
    }
}
