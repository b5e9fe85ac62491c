//! SID_FEM: the text format of flexible bodies for multibody programs (Wallrapp 1994).
//!
//! A [`Sid`] is the content of a file: Taylor expansions of the integrals of the floating frame, and of
//! position, modes and orientation at nodes. Read: [`text`] (writing), [`read`] (reading), [`identities`]
//! (checks of every file), [`export`] and [`import`] (from and to a reduced body), [`nodes`] (the nodes of an
//! export).
//!
//! Matrices are stored as in files, with one exception: programs order the columns of Gr in two ways; here
//! the column is always c n + k (component c of the matrix of mode k), see [`GrLayout`].
//!
//! # Source
//!
//! Wallrapp (1994), Mech. Struct. Mach. 22(3), 283–304; Schwertassek & Wallrapp, Dynamik flexibler
//! Mehrkörpersysteme, ch. 6.

mod error;
pub mod export;
mod frames;
pub mod identities;
pub mod import;
pub mod nodes;
mod parse;
pub mod read;
pub mod text;

use faer::Mat;

pub use error::ReadSidError;
pub use export::{SidExportError, sid_of};
pub use import::{Imported, SidImportError, reduced_of};
pub use nodes::{NodeKind, SidNodes};
pub use read::{is_sid, read_sid};
pub use text::write_sid;

/// Largest number of modes in a file: some blocks have six lines for each pair of modes.
pub const MOST_MODES: usize = 2000;

/// A matrix as a function of the modal coordinates, A(q) = A₀ + Σ_k A₁ₖ q_k.
#[derive(Debug, Clone, PartialEq)]
pub struct Taylor {
    /// A₀.
    pub constant: Mat<f64>,
    /// A₁ₖ, one per mode; empty if A does not depend on q.
    pub linear: Vec<Mat<f64>>,
}

impl Taylor {
    /// A matrix that does not depend on q.
    pub fn constant(constant: Mat<f64>) -> Self {
        Self { constant, linear: Vec::new() }
    }

    /// The zero matrix.
    pub fn zeros(rows: usize, columns: usize) -> Self {
        Self::constant(Mat::zeros(rows, columns))
    }

    /// Entry (i, j) of A₁ₖ, zero where there is none.
    pub fn slope(&self, k: usize, i: usize, j: usize) -> f64 {
        self.linear.get(k).map_or(0.0, |matrix| matrix[(i, j)])
    }

    /// Largest magnitude of all entries.
    pub fn largest(&self) -> f64 {
        self.linear.iter().map(Mat::norm_max).fold(self.constant.norm_max(), f64::max)
    }
}

/// A node of the file, over n modes.
#[derive(Debug, Clone, PartialEq)]
pub struct SidNode {
    /// Its number in the file; any order, not from 1.
    pub id: u64,
    /// Position in the body frame, 3 × 1 \[m\]; its slopes are the modes φ.
    pub origin: Taylor,
    /// Modes at the node, 3 × n.
    pub phi: Taylor,
    /// Rotations of the node in the modes, 3 × n.
    pub psi: Taylor,
    /// Orientation of the node, 3 × 3; its slopes are ψ̃.
    pub orientation: Taylor,
}

/// The content of a SID_FEM file of a body with n modes; R is the reference position, c = R + Σ φ_k q_k.
#[derive(Debug, Clone, PartialEq)]
pub struct Sid {
    /// The text after the second colon of the first line.
    pub comment: String,
    /// `new modal = …`, often empty.
    pub name: String,
    /// m \[kg\].
    pub mass: f64,
    /// The text about each mode.
    pub mode_labels: Vec<String>,
    /// Its nodes.
    pub nodes: Vec<SidNode>,
    /// m c, 3 × 1 \[kg m\].
    pub md_cm: Taylor,
    /// Inertia about the origin, 6 × 1 in the order 11, 22, 33, 12, 13, 23 of the tensor \[kg m²\].
    pub inertia: Taylor,
    /// C_t = ∫ Φᵀ dm, n × 3.
    pub coupling_t: Taylor,
    /// C_r = ∫ (c̃ Φ)ᵀ dm, n × 3.
    pub coupling_r: Taylor,
    /// M_e, n × n.
    pub mass_modal: Taylor,
    /// G_r,k = −2 ∫ R̃ φ̃_k dm, 3 × 3n: entry (a, c) of the matrix of mode k in column c n + k.
    pub gyroscopic_r: Taylor,
    /// G_e: entry (i, c n + k) is 2 ∫ (φ_k × φ_i)_c dm, n × 3n.
    pub gyroscopic_e: Taylor,
    /// O_e, n × 6 over (ω₁², ω₂², ω₃², ω₁ω₂, ω₂ω₃, ω₁ω₃): not the order of the inertia.
    pub centrifugal: Taylor,
    /// Forces of a stressed reference state, n × 1.
    pub reference_force: Taylor,
    /// K_e, n × n.
    pub stiffness_modal: Taylor,
    /// D_e, n × n.
    pub damping_modal: Taylor,
}

impl Sid {
    /// Number of modes n.
    pub fn n_modes(&self) -> usize {
        self.mode_labels.len()
    }
}

/// Rows of the inertia block as (row, column) of the tensor.
pub(crate) const INERTIA_ROWS: [(usize, usize); 6] = [(0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)];

/// Columns of the centrifugal block as products ω_a ω_b.
pub(crate) const CENTRIFUGAL_COLUMNS: [(usize, usize); 6] = [(0, 0), (1, 1), (2, 2), (0, 1), (1, 2), (0, 2)];

/// The order of the columns of Gr in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GrLayout {
    /// Column c n + k, three blocks of n: FEMBS, and files written by carom.
    ByComponent,
    /// Column 3 k + c, one block per mode: PY_SID and others.
    ByMode,
}
