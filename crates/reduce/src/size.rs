//! How much memory a reduction takes, known before it begins.
//!
//! With n dofs, N columns of the basis (interface dofs and modes) and N modes of the model there are at most
//! at one time
//!
//! ```text
//! 2 n N          the basis T and the mode values Φ = T Z
//! 36 N²          mass integrals of pairs of columns, of pairs of modes, and the invariants that are made of them
//! ```
//!
//! numbers, besides the factor, which is weighed against iteration. The operations that are not of the factor
//! are some 5 n N² + 25 N³.

use carom_linalg::memory::memory;
use carom_linalg::{Wanted, eigen::search_bytes};

/// Square matrices over the columns of the basis that are held at the same time.
const SQUARES: u64 = 36;

/// Operations a second of a core in products of tall matrices, and in the dense eigenproblem, which one core
/// solves.
const TALL_RATE: f64 = 2e10;
const DENSE_RATE: f64 = 1e10;

/// Modes that are counted where their number is not known.
const GUESS: usize = 100;

/// The size of a reduction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReductionSize {
    /// Dofs of the body.
    pub n_dofs: usize,
    /// Interface dofs.
    pub n_interface: usize,
    /// Modes besides, as far as they are known.
    pub n_modes: usize,
    /// Bytes that it takes at least, whichever way systems are solved.
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

    /// Seconds that products and dense problems take beside the factor: a rough figure.
    ///
    /// * `threads` — cores that work on it
    pub fn seconds(&self, threads: usize) -> f64 {
        let (n, columns) = (self.n_dofs as f64, (self.n_interface + self.n_modes) as f64);
        5.0 * n * columns.powi(2) / (TALL_RATE * threads.max(1) as f64) + 25.0 * columns.powi(3) / DENSE_RATE
    }

    /// The memory of a machine, if that is less than what is needed.
    ///
    /// * `total` — of the machine, in bytes; `None` where it is not known
    pub(crate) fn exceeds(&self, total: Option<u64>) -> Option<u64> {
        total.filter(|&total| total < self.bytes)
    }

    /// What a person should know before it begins: a sentence, where it is long or large.
    ///
    /// * `threads` — cores that work on it
    pub fn told(&self, threads: usize) -> Option<String> {
        let seconds = self.seconds(threads);
        let is_scarce = memory().available.is_some_and(|available| available < self.bytes);
        if !is_scarce && self.bytes < 2_000_000_000 && seconds < 60.0 {
            return None;
        }
        let mut text = format!(
            "{} interface dofs: the reduction takes at least {:.1} GB of memory, and some {} besides the \
             factor",
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

/// What to do about too many interface dofs.
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
    fn a_whole_face_of_a_fine_part_is_said_before_it_begins() {
        let face = ReductionSize::new(121_590, 7_400, Wanted::Count(24));
        assert!((28e9..32e9).contains(&(face.bytes as f64)), "{}", face.bytes);
        assert_eq!(face.exceeds(Some(16 << 30)), Some(16 << 30));
        assert_eq!(face.exceeds(Some(64 << 30)), None);
        let told = face.told(2).unwrap();
        assert!(
            told.contains("7400 interface dofs") && told.contains("GB") && told.contains("minutes"),
            "{told}"
        );
        let marker = ReductionSize::new(121_590, 12, Wanted::Count(24));
        assert_eq!(marker.told(2), None);
    }
}
