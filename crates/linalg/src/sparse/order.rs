//! Elimination orders of the rows and columns of a sparse matrix.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::perm::PermRef;
use faer::sparse::SymbolicSparseColMatRef;
use faer::sparse::linalg::qr;

use super::SparseError;
use super::columns::Columns;
use crate::graph::NodeGraph;
use crate::ordering::{OrderingError, nested_dissection};

/// Largest diagonal entry of the scaled matrix, in units of the largest entry of its row, that needs a
/// partner.
const WEAK: f64 = 1e-2;

/// An order and its inverse.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Order {
    /// Row of each place.
    pub(super) forward: Vec<usize>,
    /// Place of each row.
    pub(super) inverse: Vec<usize>,
}

impl Order {
    pub(super) fn new(forward: Vec<usize>) -> Self {
        let mut inverse = vec![0; forward.len()];
        forward.iter().enumerate().for_each(|(place, &row)| inverse[row] = place);
        Self { forward, inverse }
    }

    /// The same order with its places in another order.
    pub(super) fn of(&self, places: &[usize]) -> Self {
        Self::new(places.iter().map(|&place| self.forward[place]).collect())
    }

    pub(super) fn as_permutation(&self) -> PermRef<'_, usize> {
        PermRef::new_checked(&self.forward, &self.inverse, self.forward.len())
    }
}

/// The partner of each row with a weak diagonal: a row to which it couples strongly and that has no
/// partner yet. Rows without a partner are their own.
pub(super) fn partners(columns: &Columns) -> Vec<usize> {
    let n = columns.n;
    let entries = |j: usize| (columns.starts[j]..columns.starts[j + 1]).map(|e| (columns.rows[e], e));
    let is_weak: Vec<bool> = (0..n)
        .map(|j| {
            let (mut diagonal, mut largest) = (0.0_f64, 0.0_f64);
            for (i, e) in entries(j) {
                let size = columns.scaled[e].abs();
                largest = largest.max(size);
                if i == j {
                    diagonal = size;
                }
            }
            diagonal <= WEAK * largest
        })
        .collect();
    let mut partner: Vec<usize> = (0..n).collect();
    let mut weak: Vec<usize> = (0..n).filter(|&j| is_weak[j]).collect();
    // Those with few neighbours choose first.
    weak.sort_by_key(|&j| columns.starts[j + 1] - columns.starts[j]);
    for j in weak {
        if partner[j] != j {
            continue;
        }
        let free = entries(j).filter(|&(i, e)| i != j && partner[i] == i && columns.scaled[e] != 0.0);
        let best = free.max_by(|&(i, a), &(k, b)| {
            let size = |e: usize| columns.scaled[e].abs();
            (!is_weak[i]).cmp(&!is_weak[k]).then(size(a).total_cmp(&size(b))).then(k.cmp(&i))
        });
        if let Some((i, _)) = best {
            partner[j] = i;
            partner[i] = j;
        }
    }
    partner
}

/// A fill-reducing order of the rows of A + Aᵀ in which partners follow each other.
pub(super) fn dissection(columns: &Columns, partner: &[usize]) -> Result<Vec<usize>, SparseError> {
    let n = columns.n;
    let first: Vec<usize> = (0..n).filter(|&row| row <= partner[row]).collect();
    let mut group = vec![0_u32; n];
    for (k, &row) in first.iter().enumerate() {
        group[row] = k as u32;
        group[partner[row]] = k as u32;
    }
    let mut couplings = vec![Vec::new(); if columns.is_symmetric() { 0 } else { first.len() }];
    if !columns.is_symmetric() {
        for j in 0..n {
            for &i in &columns.rows[columns.starts[j]..columns.starts[j + 1]] {
                couplings[group[i] as usize].push(group[j]);
            }
        }
    }
    let neighbours = |k: usize, out: &mut Vec<u32>| {
        let row = first[k];
        for j in std::iter::once(row).chain((partner[row] != row).then_some(partner[row])) {
            let rows = &columns.rows[columns.starts[j]..columns.starts[j + 1]];
            out.extend(rows.iter().map(|&i| group[i]));
        }
        if let Some(others) = couplings.get(k) {
            out.extend_from_slice(others);
        }
    };
    let graph = NodeGraph::from_neighbours(first.len(), neighbours)
        .map_err(|_| OrderingError::TooLarge { n_couplings: columns.rows.len() })?;
    let weights: Vec<u8> = first.iter().map(|&row| if partner[row] == row { 1 } else { 2 }).collect();
    let order = nested_dissection(&graph, &weights)?;
    let rows = order.iter().flat_map(|&k| {
        let row = first[k as usize];
        std::iter::once(row).chain((partner[row] != row).then_some(partner[row]))
    });
    Ok(rows.collect())
}

/// The order of columns in which those of a subtree of the elimination tree of AᵀA follow each other.
pub(super) fn column_postorder(pattern: SymbolicSparseColMatRef<'_, usize>, order: Order) -> Order {
    let n = order.forward.len();
    let request = qr::col_etree_scratch::<usize>(n, n).or(qr::postorder_scratch::<usize>(n));
    let mut memory = MemBuffer::new(request);
    let stack = MemStack::new(&mut memory);
    let mut tree = vec![0_usize; n];
    let mut places = vec![0_usize; n];
    let tree = qr::col_etree(pattern, Some(order.as_permutation()), &mut tree, stack);
    qr::postorder(&mut places, tree, stack);
    order.of(&places)
}
