//! Elimination order of nodes: METIS's nested dissection, its separators in an order of their own.

use std::sync::Mutex;

use crate::graph::NodeGraph;

mod dominated;
mod multisection;

use dominated::{Adjacency, Dominance};
use multisection::best_order;

/// Why METIS gave no order.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OrderingError {
    /// The graph has more couplings than METIS's 32-bit indices can count.
    #[error("{n_couplings} couplings of nodes are more than METIS can number ({max}); use a coarser \
        mesh", max = i32::MAX)]
    TooLarge {
        /// Number of ordered pairs of different nodes that couple.
        n_couplings: usize,
    },
    /// METIS failed: out of memory, by its return code.
    #[error("METIS_NodeND returned {code}: memory is too small for a graph of {n_nodes} nodes")]
    Metis {
        /// METIS's return code.
        code: i32,
        /// Number of nodes of the graph.
        n_nodes: usize,
    },
}

/// Separators that METIS tries at each cut. Five in place of one save 2 to 4 % of the operations of large
/// factors (connecting rods of 100 000 to 300 000 dofs, a round bar), for less than a hundredth of their
/// time.
const SEPARATORS: i32 = 5;

/// METIS draws from one random sequence for the whole process: two calls at once would disturb each other's
/// order.
static METIS: Mutex<()> = Mutex::new(());

/// A fill-reducing order of the active nodes by nested dissection, its separators in the better of two orders
/// (module `multisection`).
///
/// * `graph` — couplings of all nodes
/// * `weights` — number of free dofs of each node; nodes of weight 0 are left out
///
/// Returns the nodes in the order in which they are eliminated. The same graph gives the same order. Where
/// most nodes are dominated by others, the others alone are dissected, see the module `dominated`.
///
/// # Errors
///
/// [`OrderingError`] if the graph is too large for METIS.
///
/// # Source
///
/// Karypis & Kumar (1998), SIAM J. Sci. Comput. 20(1), 359–392.
pub fn nested_dissection(graph: &NodeGraph, weights: &[u8]) -> Result<Vec<u32>, OrderingError> {
    let active: Vec<u32> = (0..graph.n_nodes() as u32).filter(|&node| weights[node as usize] > 0).collect();
    let couplings = adjacency(graph, weights, &active)?;
    let weight_of = |vertex: usize| i32::from(weights[active[vertex] as usize]);
    let dominance = Dominance::new(&couplings);
    let order: Vec<u32> = if 2 * dominance.corners.len() > active.len() {
        let vertex_weights: Vec<i32> = (0..active.len()).map(weight_of).collect();
        order_of(&couplings, vertex_weights)?.into_iter().map(|vertex| vertex as u32).collect()
    } else {
        let vertex_weights = dominance.shared_weights(weight_of);
        dominance.expand(&order_of(&dominance.corner_graph(&couplings), vertex_weights)?)
    };
    Ok(order.into_iter().map(|vertex| active[vertex as usize]).collect())
}

/// The better order of the vertices of a graph.
fn order_of(graph: &Adjacency, weights: Vec<i32>) -> Result<Vec<i32>, OrderingError> {
    let dissection = dissect(graph, weights.clone())?;
    Ok(best_order(graph, &weights, dissection))
}

/// METIS's order of the vertices of a graph.
fn dissect(graph: &Adjacency, weights: Vec<i32>) -> Result<Vec<i32>, OrderingError> {
    let (mut starts, mut neighbours) = (graph.starts.clone(), graph.neighbours.clone());
    let n = weights.len();
    if n < 3 || neighbours.is_empty() {
        return Ok((0..n as i32).collect());
    }
    let uniform = weights.iter().all(|&weight| weight == weights[0]);
    let mut weights = weights;
    let mut options = [0_i32; metis_sys::METIS_NOPTIONS as usize];
    let mut n_vertices = n as i32;
    let mut order = vec![0_i32; n];
    let mut position = vec![0_i32; n];
    // A panic inside the lock cannot leave anything half done: METIS keeps no state but its random sequence.
    let guard = METIS.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    #[expect(unsafe_code, reason = "METIS is a C library")]
    // SAFETY: `options` has METIS_NOPTIONS entries; `starts` has n_vertices + 1 entries, the last of which is
    // the length of `neighbours`; all neighbours are in 0..n_vertices; the weights are null or have
    // n_vertices entries; both results have n_vertices entries. METIS writes within these bounds only and
    // keeps no pointer after it returns.
    let code = unsafe {
        metis_sys::METIS_SetDefaultOptions(options.as_mut_ptr());
        options[metis_sys::moptions_et_METIS_OPTION_NUMBERING as usize] = 0;
        options[metis_sys::moptions_et_METIS_OPTION_SEED as usize] = 1;
        options[metis_sys::moptions_et_METIS_OPTION_NSEPS as usize] = SEPARATORS;
        metis_sys::METIS_NodeND(
            &mut n_vertices,
            starts.as_mut_ptr(),
            neighbours.as_mut_ptr(),
            if uniform { std::ptr::null_mut() } else { weights.as_mut_ptr() },
            options.as_mut_ptr(),
            order.as_mut_ptr(),
            position.as_mut_ptr(),
        )
    };
    drop(guard);
    if code == metis_sys::rstatus_et_METIS_OK {
        Ok(order)
    } else {
        Err(OrderingError::Metis { code, n_nodes: n })
    }
}

/// Compressed adjacency of the active nodes in METIS's form: without the diagonal, both directions,
/// neighbours ascending.
fn adjacency(graph: &NodeGraph, weights: &[u8], active: &[u32]) -> Result<Adjacency, OrderingError> {
    let mut vertex = vec![-1_i32; graph.n_nodes()];
    for (k, &node) in active.iter().enumerate() {
        vertex[node as usize] = k as i32;
    }
    let couplings = |col: usize| {
        let (_, rows) = graph.column(col);
        rows[1..].iter().map(|&row| row as usize).filter(|&row| weights[row] > 0)
    };
    let mut ends = vec![0_usize; active.len() + 1];
    for (k, &col) in active.iter().enumerate() {
        for row in couplings(col as usize) {
            ends[k + 1] += 1;
            ends[vertex[row] as usize + 1] += 1;
        }
    }
    for k in 0..active.len() {
        ends[k + 1] += ends[k];
    }
    let n_couplings = ends[active.len()];
    if i32::try_from(n_couplings).is_err() {
        return Err(OrderingError::TooLarge { n_couplings });
    }
    let starts: Vec<i32> = ends.iter().map(|&end| end as i32).collect();
    let mut neighbours = vec![0_i32; n_couplings];
    for (k, &col) in active.iter().enumerate() {
        for row in couplings(col as usize) {
            let other = vertex[row] as usize;
            neighbours[ends[k]] = other as i32;
            ends[k] += 1;
            neighbours[ends[other]] = k as i32;
            ends[other] += 1;
        }
    }
    Ok(Adjacency { starts, neighbours })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A path of n nodes.
    fn path(n: u32) -> NodeGraph {
        let cells: Vec<[u32; 2]> = (1..n).map(|k| [k - 1, k]).collect();
        NodeGraph::from_cells(n as usize, &cells).unwrap()
    }

    #[test]
    fn the_order_is_a_permutation_of_the_active_nodes_and_reproducible() {
        let graph = path(1000);
        let mut weights = vec![3_u8; 1000];
        weights[17] = 0;
        weights[500] = 1;
        let order = nested_dissection(&graph, &weights).unwrap();
        let mut sorted = order.clone();
        sorted.sort_unstable();
        assert_eq!(sorted, (0..1000).filter(|&k| k != 17).collect::<Vec<u32>>());
        assert_eq!(order, nested_dissection(&graph, &weights).unwrap());
    }

    #[test]
    fn graphs_without_couplings_need_no_metis() {
        let graph = NodeGraph::from_cells::<[u32; 1]>(4, &[]).unwrap();
        assert_eq!(nested_dissection(&graph, &[3, 0, 3, 3]).unwrap(), [0, 2, 3]);
    }
}
