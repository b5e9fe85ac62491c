//! What each column of the basis T = [C Φ] of a condensation is, and what each mode of the reduced body is made of.

use std::fmt;

use faer::{Mat, MatRef};

use crate::moments::Moments;

/// A motion of a marker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Motion {
    /// Along x, y or z: 0, 1, 2.
    Translation(u8),
    /// About x, y or z: 0, 1, 2.
    Rotation(u8),
}

impl Motion {
    /// The six motions in the order of a marker's dofs.
    pub const ALL: [Self; 6] = [
        Self::Translation(0),
        Self::Translation(1),
        Self::Translation(2),
        Self::Rotation(0),
        Self::Rotation(1),
        Self::Rotation(2),
    ];

    /// Its place in [`Motion::ALL`].
    pub fn index(self) -> usize {
        match self {
            Self::Translation(axis) => usize::from(axis),
            Self::Rotation(axis) => 3 + usize::from(axis),
        }
    }
}

/// Name of an axis.
fn axis_name(axis: u8) -> &'static str {
    ["x", "y", "z"].get(usize::from(axis)).copied().unwrap_or("?")
}

impl fmt::Display for Motion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Translation(axis) => write!(f, "along {}", axis_name(*axis)),
            Self::Rotation(axis) => write!(f, "about {}", axis_name(*axis)),
        }
    }
}

/// A column of T.
#[derive(Debug, Clone, PartialEq)]
pub enum Column {
    /// Constraint mode: unit displacement of an interface point along an axis, all other interface dofs held.
    Point {
        /// Name of the first interface set with the point; empty for one of a list of nodes.
        set: String,
        /// The point, counted from 0.
        point: u32,
        /// 0, 1, 2 for x, y, z.
        axis: u8,
    },
    /// Constraint mode: unit motion of a marker, all other interface dofs held.
    Marker {
        /// Name of the marker.
        marker: String,
        /// Which motion.
        motion: Motion,
    },
    /// Fixed-interface normal mode.
    FixedMode {
        /// Its number, from 0, by frequency.
        number: u32,
        /// Its frequency \[Hz\].
        hz: f64,
    },
    /// Interior field beside the fixed-interface modes: inertia relief, or what modes of the free body add.
    Further {
        /// Its number, from 0.
        number: u32,
    },
}

impl Column {
    /// What it belongs to: an interface set, a marker, the listed nodes, or the fixed-interface modes.
    pub fn group(&self) -> &str {
        match self {
            Self::Point { set, .. } if set.is_empty() => "listed nodes",
            Self::Point { set, .. } => set,
            Self::Marker { marker, .. } => marker,
            Self::FixedMode { .. } => "fixed-interface modes",
            Self::Further { .. } => "further interior modes",
        }
    }
}

impl fmt::Display for Column {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Point { set, point, axis } => {
                write!(f, "node {} along {}", u64::from(*point) + 1, axis_name(*axis))?;
                if set.is_empty() { Ok(()) } else { write!(f, " ({set})") }
            }
            Self::Marker { marker, motion } => write!(f, "marker {marker} {motion}"),
            Self::Further { number } => write!(f, "further interior mode {}", number + 1),
            Self::FixedMode { number, hz } => write!(f, "fixed-interface mode {}, {hz:.6} Hz", number + 1),
        }
    }
}

/// What the modes of a reduced body are made of; empty for a model of another program.
#[derive(Debug, Clone, PartialEq)]
pub struct Composition {
    /// The columns of T in their order: interface points, markers, fixed-interface modes.
    pub columns: Vec<Column>,
    /// Share of each column in the strain energy of each mode after the second eigenproblem, columns × modes.
    ///
    /// ```text
    /// s_ik = z_ik (K̂ z_k)_i / ω_k²,   Σ_i s_ik = 1
    /// ```
    ///
    /// A single share can be negative or above 1, where interface dofs work against each other.
    pub strain_shares: Mat<f64>,
    /// Effective mass of each fixed-interface mode along x, y, z, (∫ φ dm)² for mass-normalised modes, 3 × modes \[kg\].
    pub effective_mass: Mat<f64>,
}

impl Default for Composition {
    fn default() -> Self {
        Self { columns: Vec::new(), strain_shares: Mat::new(), effective_mass: Mat::new() }
    }
}

impl Composition {
    /// The groups of the columns, in the order of their first ones.
    pub fn groups(&self) -> Vec<&str> {
        let mut groups: Vec<&str> = Vec::new();
        for column in &self.columns {
            if !groups.contains(&column.group()) {
                groups.push(column.group());
            }
        }
        groups
    }

    /// Share of each group in the strain energy of a mode, in the order of [`Composition::groups`].
    pub fn group_shares(&self, mode: usize) -> Vec<f64> {
        let groups = self.groups();
        let mut shares = vec![0.0; groups.len()];
        for (i, column) in self.columns.iter().enumerate() {
            let group = groups.iter().position(|&group| group == column.group());
            shares[group.expect("every column has a group")] += self.strain_shares[(i, mode)];
        }
        shares
    }
}

/// s_ik = z_ik (K̂ z_k)_i / ω_k².
///
/// * `stiffness` — K̂
/// * `z` — combinations of the columns with zᵀ M̂ z = E
pub(crate) fn strain_shares(stiffness: MatRef<'_, f64>, z: MatRef<'_, f64>, omega: &[f64]) -> Mat<f64> {
    let forces = stiffness * z;
    Mat::from_fn(z.nrows(), z.ncols(), |i, k| z[(i, k)] * forces[(i, k)] / omega[k].powi(2))
}

/// (∫ φ dm)² of the fixed-interface modes, 3 × modes.
///
/// * `first` — their first column
pub(crate) fn effective_mass(moments: &Moments, first: usize, n: usize) -> Mat<f64> {
    Mat::from_fn(3, n, |a, k| moments.modes[(a, first + k)].powi(2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_say_what_they_are() {
        let point = Column::Point { set: "pole".to_owned(), point: 6, axis: 2 };
        assert_eq!((point.to_string().as_str(), point.group()), ("node 7 along z (pole)", "pole"));
        let marker = Column::Marker { marker: "left".to_owned(), motion: Motion::Rotation(0) };
        assert_eq!(marker.to_string(), "marker left about x");
        let mode = Column::FixedMode { number: 0, hz: 12.5 };
        assert_eq!(mode.to_string(), "fixed-interface mode 1, 12.500000 Hz");
        for (i, motion) in Motion::ALL.into_iter().enumerate() {
            assert_eq!(motion.index(), i);
        }
    }

    #[test]
    fn shares_of_groups_add_up() {
        let column = |set: &str| Column::Point { set: set.to_owned(), point: 0, axis: 0 };
        let composition = Composition {
            columns: vec![column("a"), column("b"), column("a")],
            strain_shares: Mat::from_fn(3, 1, |i, _| [0.5, 0.2, 0.3][i]),
            effective_mass: Mat::zeros(3, 0),
        };
        assert_eq!(composition.groups(), ["a", "b"]);
        assert_eq!(composition.group_shares(0), [0.8, 0.2]);
    }
}
