//! Description of the columns in the basis of a reduction, and their shares in the modes of the reduced body.

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

    /// Its index in [`Motion::ALL`].
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

/// A dof of the interface.
#[derive(Debug, Clone, PartialEq)]
pub enum BoundaryDof {
    /// Displacement of an interface point along an axis.
    Point {
        /// Name of the first interface set with the point; empty for a listed node.
        set: String,
        /// The point, counted from 0.
        point: u32,
        /// 0, 1, 2 for x, y, z.
        axis: u8,
    },
    /// Motion of a marker.
    Marker {
        /// Name of the marker.
        marker: String,
        /// Which motion.
        motion: Motion,
    },
}

impl BoundaryDof {
    /// The interface set or marker that it belongs to.
    pub fn group(&self) -> &str {
        match self {
            Self::Point { set, .. } if set.is_empty() => "listed nodes",
            Self::Point { set, .. } => set,
            Self::Marker { marker, .. } => marker,
        }
    }
}

impl fmt::Display for BoundaryDof {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Point { set, point, axis } => {
                write!(f, "node {} along {}", u64::from(*point) + 1, axis_name(*axis))?;
                if set.is_empty() { Ok(()) } else { write!(f, " ({set})") }
            }
            Self::Marker { marker, motion } => write!(f, "marker {marker} {motion}"),
        }
    }
}

/// A column of the basis. Rigid motions, which the second eigenproblem removes, are not included.
#[derive(Debug, Clone, PartialEq)]
pub enum Column {
    /// Constraint mode: a unit of a dof of the interface, all others held.
    Constraint(BoundaryDof),
    /// Interface mode of a reduced part of the interface (characteristic constraint mode), all other
    /// interface dofs held.
    Interface {
        /// Name of the set, or a description of the part.
        part: String,
        /// Its number, from 0: rigid motions of the part first, then by frequency.
        number: u32,
        /// Its frequency with all other interface dofs held \[Hz\]; none for a rigid motion of the part.
        hz: Option<f64>,
    },
    /// Fixed-interface normal mode.
    FixedMode {
        /// Its number, from 0, by frequency.
        number: u32,
        /// Its frequency \[Hz\].
        hz: f64,
    },
    /// Elastic mode of the body without its interface held.
    FreeMode {
        /// Its number, from 0, by frequency; rigid modes are not counted.
        number: u32,
        /// Its frequency \[Hz\].
        hz: f64,
    },
    /// Residual attachment mode: the part of the static response to a unit load on an interface dof that the
    /// free modes do not contain.
    Residual(BoundaryDof),
    /// Inertia-relief mode: response to the inertia forces of a rigid acceleration of the body.
    InertiaRelief {
        /// Its number, from 0, by frequency.
        number: u32,
        /// Its frequency, uncoupled from the other modes \[Hz\].
        hz: f64,
    },
    /// Interior field of a model without further information about it.
    Further {
        /// Its number, from 0.
        number: u32,
    },
}

impl Column {
    /// The group of the column: an interface set, a marker, the listed nodes, or the modes of its kind.
    pub fn group(&self) -> &str {
        match self {
            Self::Constraint(dof) | Self::Residual(dof) => dof.group(),
            Self::Interface { part, .. } => part,
            Self::FixedMode { .. } => "fixed-interface modes",
            Self::FreeMode { .. } => "free modes",
            Self::InertiaRelief { .. } => "inertia relief",
            Self::Further { .. } => "further interior modes",
        }
    }

    /// The name of its kind, in the plural.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Constraint(_) => "constraint modes",
            Self::Interface { .. } => "interface modes",
            Self::FixedMode { .. } => "fixed-interface modes",
            Self::FreeMode { .. } => "free modes",
            Self::Residual(_) => "residual attachment modes",
            Self::InertiaRelief { .. } => "inertia-relief modes",
            Self::Further { .. } => "further interior modes",
        }
    }
}

impl fmt::Display for Column {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Constraint(dof) => dof.fmt(f),
            Self::Residual(dof) => write!(f, "residual attachment mode: {dof}"),
            Self::Interface { part, number, hz } => {
                write!(f, "interface mode {} of {part}, ", number + 1)?;
                match hz {
                    Some(hz) => write!(f, "{hz:.6} Hz"),
                    None => write!(f, "rigid motion"),
                }
            }
            Self::FreeMode { number, hz } => write!(f, "free mode {}, {hz:.6} Hz", number + 1),
            Self::InertiaRelief { number, hz } => write!(f, "inertia-relief mode {}, {hz:.6} Hz", number + 1),
            Self::Further { number } => write!(f, "further interior mode {}", number + 1),
            Self::FixedMode { number, hz } => write!(f, "fixed-interface mode {}, {hz:.6} Hz", number + 1),
        }
    }
}

/// The columns of the basis and their shares in the modes; empty for a model of another program.
#[derive(Debug, Clone, PartialEq)]
pub struct Composition {
    /// The columns of the basis in their order. With a reduced interface its interface modes come first, then
    /// interface points and markers, then modes of the interior; with residual attachment modes these come
    /// first, then the free modes.
    pub columns: Vec<Column>,
    /// Share of each column in the strain energy of each mode after the second eigenproblem, columns × modes.
    ///
    /// ```text
    /// s_ik = z_ik (K̂ z_k)_i / ω_k²,   Σ_i s_ik = 1
    /// ```
    ///
    /// A single share can be negative or above 1, where interface dofs work against each other.
    pub strain_shares: Mat<f64>,
    /// Effective mass of each fixed-interface mode along x, y, z, (∫ φ dm)² for mass-normalised modes, 3 ×
    /// modes \[kg\].
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
    fn columns_are_described_by_kind_and_group() {
        let point = Column::Constraint(BoundaryDof::Point { set: "pole".to_owned(), point: 6, axis: 2 });
        assert_eq!((point.to_string().as_str(), point.group()), ("node 7 along z (pole)", "pole"));
        let marker = BoundaryDof::Marker { marker: "left".to_owned(), motion: Motion::Rotation(0) };
        assert_eq!(Column::Constraint(marker.clone()).to_string(), "marker left about x");
        let residual = Column::Residual(marker);
        assert_eq!(residual.to_string(), "residual attachment mode: marker left about x");
        assert_eq!((residual.group(), residual.kind()), ("left", "residual attachment modes"));
        let interface = |hz| Column::Interface { part: "pole".to_owned(), number: 6, hz };
        assert_eq!(interface(None).to_string(), "interface mode 7 of pole, rigid motion");
        assert_eq!(interface(Some(12.5)).to_string(), "interface mode 7 of pole, 12.500000 Hz");
        let mode = Column::FixedMode { number: 0, hz: 12.5 };
        assert_eq!(mode.to_string(), "fixed-interface mode 1, 12.500000 Hz");
        for (i, motion) in Motion::ALL.into_iter().enumerate() {
            assert_eq!(motion.index(), i);
        }
    }

    #[test]
    fn shares_of_groups_sum_up_to_one() {
        let column =
            |set: &str| Column::Constraint(BoundaryDof::Point { set: set.to_owned(), point: 0, axis: 0 });
        let composition = Composition {
            columns: vec![column("a"), column("b"), column("a")],
            strain_shares: Mat::from_fn(3, 1, |i, _| [0.5, 0.2, 0.3][i]),
            effective_mass: Mat::zeros(3, 0),
        };
        assert_eq!(composition.groups(), ["a", "b"]);
        assert_eq!(composition.group_shares(0), [0.8, 0.2]);
    }
}
