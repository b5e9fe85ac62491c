//! Memory and time of a reduction, estimated before it begins.
//!
//! With n dofs, N columns of the basis (interface dofs and modes) and N modes of the model there are at most
//! at one time
//!
//! ```text
//! 2 n N          the basis T and the mode values Φ = T Z
//! 36 N²          mass integrals of pairs of columns and of pairs of modes, and the invariants
//! ```
//!
//! numbers, in addition to the factor, which iteration can replace. The operations other than the
//! factorisation are about 5 n N² + 25 N³.

use carom_linalg::memory::memory;
use carom_linalg::{Wanted, eigen::search_bytes};

/// Number of square matrices over the columns of the basis in memory at the same time.
const SQUARES: u64 = 36;

/// Operations per second of a core in products of tall matrices, and in the dense eigenproblem, which runs on
/// one core.
const TALL_RATE: f64 = 2e10;
const DENSE_RATE: f64 = 1e10;

/// Assumed number of modes if it is not known.
const GUESS: usize = 100;

/// The size of a reduction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReductionSize {
    /// Dofs of the body.
    pub n_dofs: usize,
    /// Interface dofs.
    pub n_interface: usize,
    /// Number of modes in addition, as far as it is known.
    pub n_modes: usize,
    /// Least memory in bytes, with either solver.
    pub bytes: u64,
}

impl ReductionSize {
    /// * `wanted` — normal modes
    pub fn new(n_dofs: usize, n_interface: usize, wanted: Wanted) -> Self {
        let n_modes = match wanted {
            Wanted::Count(n) => n,
            Wanted::UpTo(_) => GUESS,
        };
        let (n, columns) = (n_dofs as u64, (n_interface + n_modes) as u64);
        let search = search_bytes(n_dofs, wanted) + 8 * n * n_interface as u64;
        let bytes = (8 * (2 * n * columns + SQUARES * columns * columns)).max(search);
        Self { n_dofs, n_interface, n_modes, bytes }
    }

    /// Rough time of products and dense problems, in addition to the factorisation \[s\].
    ///
    /// * `threads` — number of cores
    pub fn seconds(&self, threads: usize) -> f64 {
        let (n, columns) = (self.n_dofs as f64, (self.n_interface + self.n_modes) as f64);
        5.0 * n * columns.powi(2) / (TALL_RATE * threads.max(1) as f64) + 25.0 * columns.powi(3) / DENSE_RATE
    }

    /// The memory of a machine, if it is too small.
    ///
    /// * `total` — of the machine, in bytes; `None` where it is not known
    pub(crate) fn exceeds(&self, total: Option<u64>) -> Option<u64> {
        total.filter(|&total| total < self.bytes)
    }

    /// A note for the user if the reduction is long or large.
    ///
    /// * `threads` — number of cores
    pub fn note(&self, threads: usize) -> Option<String> {
        let seconds = self.seconds(threads);
        let is_scarce = memory().available.is_some_and(|available| available < self.bytes);
        if !is_scarce && self.bytes < 2_000_000_000 && seconds < 60.0 {
            return None;
        }
        let mut text = format!(
            "{} interface dofs: the reduction needs at least {:.1} GB of memory, and about {} in addition \
             to the factorisation",
            self.n_interface,
            self.bytes as f64 / 1e9,
            duration(seconds)
        );
        if is_scarce {
            let free = memory().available.unwrap_or(0) as f64 / 1e9;
            text.push_str(&format!("; {free:.1} GB are free; {REMEDY}"));
        }
        Some(text)
    }
}

/// Remedy for too many interface dofs.
pub(crate) const REMEDY: &str = "a smaller interface needs less: tie a set that carries a joint to a marker \
    (--attach SET=rigid or SET=mean), \
                                 list fewer nodes, name a zone of the face that is touched, or keep \
                                 interface modes alone (--interface-modes)";

/// `40 seconds`, `7 minutes`, `3 hours`.
fn duration(seconds: f64) -> String {
    let (value, unit) = match seconds {
        s if s < 90.0 => (s, "seconds"),
        s if s < 5400.0 => (s / 60.0, "minutes"),
        s => (s / 3600.0, "hours"),
    };
    format!("{value:.0} {unit}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_memory_of_a_large_interface_is_estimated_before_the_reduction() {
        let face = ReductionSize::new(121_590, 7_400, Wanted::Count(24));
        assert!((28e9..32e9).contains(&(face.bytes as f64)), "{}", face.bytes);
        assert_eq!(face.exceeds(Some(16 << 30)), Some(16 << 30));
        assert_eq!(face.exceeds(Some(64 << 30)), None);
        let note = face.note(2).unwrap();
        assert!(
            note.contains("7400 interface dofs") && note.contains("GB") && note.contains("minutes"),
            "{note}"
        );
        let marker = ReductionSize::new(121_590, 12, Wanted::Count(24));
        assert_eq!(marker.note(2), None);
    }
}
