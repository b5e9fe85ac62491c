//! Memory and time of a reduction, estimated before it begins from the number of its dofs, by the formulas
//! of [`carom_cost::Reduction`]. The module `cost` also finds the structure of the factor.

use carom_cost::{Machine, Reduction};
use carom_linalg::memory::memory;
use carom_linalg::{Wanted, eigen::search_bytes};

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
        let bytes = counted(n_dofs, n_interface, n_modes).least_bytes(search_bytes(n_dofs, wanted));
        Self { n_dofs, n_interface, n_modes, bytes }
    }

    /// Rough time of products and dense problems, in addition to the factorisation \[s\].
    ///
    /// * `threads` — number of cores
    pub fn seconds(&self, threads: usize) -> f64 {
        let work = counted(self.n_dofs, self.n_interface, self.n_modes).dense_work();
        Machine::REFERENCE.seconds(work) / threads.max(1) as f64
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

/// A reduction without its factor.
fn counted(n_dofs: usize, n_interface: usize, n_modes: usize) -> Reduction {
    Reduction { n_interface, n_modes, ..Reduction::of(n_dofs, 0) }
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
