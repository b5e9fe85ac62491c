//! Which dofs are free.

use faer::{Mat, MatMut};

/// A set of free dofs of a body; dof 3·node + component.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DofSet {
    free: Vec<[bool; 3]>,
}

impl DofSet {
    /// Every dof of `n_nodes` nodes is free.
    pub fn all(n_nodes: usize) -> Self {
        Self { free: vec![[true; 3]; n_nodes] }
    }

    /// Whether each component of each node is free.
    pub fn from_flags(free: Vec<[bool; 3]>) -> Self {
        Self { free }
    }

    /// The set without all three dofs of the given nodes.
    #[must_use]
    pub fn without_nodes(mut self, nodes: &[u32]) -> Self {
        for &node in nodes {
            self.free[node as usize] = [false; 3];
        }
        self
    }

    /// The set without the given dofs.
    #[must_use]
    pub fn without_dofs(mut self, dofs: &[usize]) -> Self {
        for &dof in dofs {
            self.free[dof / 3][dof % 3] = false;
        }
        self
    }

    /// Number of nodes, with or without free dofs.
    pub fn n_nodes(&self) -> usize {
        self.free.len()
    }

    /// Number of free dofs.
    pub fn len(&self) -> usize {
        self.free.iter().flatten().filter(|&&free| free).count()
    }

    /// True if no dof is free.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// True if the dof is free.
    pub fn contains(&self, dof: usize) -> bool {
        self.free[dof / 3][dof % 3]
    }

    /// Which components of a node are free.
    pub fn of_node(&self, node: usize) -> [bool; 3] {
        self.free[node]
    }

    /// The free dofs, ascending.
    pub fn to_vec(&self) -> Vec<usize> {
        (0..3 * self.free.len()).filter(|&dof| self.contains(dof)).collect()
    }

    /// A unit displacement of each free dof, 3 n_nodes × free dofs; for small problems.
    pub(crate) fn unit_columns(&self) -> Mat<f64> {
        let dofs = self.to_vec();
        let mut unit = Mat::zeros(3 * self.n_nodes(), dofs.len());
        for (j, &dof) in dofs.iter().enumerate() {
            unit[(dof, j)] = 1.0;
        }
        unit
    }

    /// Sets the rows of all dofs that are not free to zero.
    pub fn clear_fixed(&self, mut x: MatMut<'_, f64>) {
        for k in 0..x.ncols() {
            let mut column = x.as_mut().col_mut(k);
            for (node, free) in self.free.iter().enumerate() {
                for i in 0..3 {
                    if !free[i] {
                        column[3 * node + i] = 0.0;
                    }
                }
            }
        }
    }
}
