//! The derivative as numbers, for a restart.

use super::{PartsMatrix, RateMatrix};
use crate::jacobian::Jacobian;
use crate::structure::StateStructure;
use crate::tiles::take;

/// First number of a derivative: of a dense one, and of one by parts.
const WHOLE: f64 = 0.0;
const PARTS: f64 = 1.0;

impl RateMatrix {
    /// Appends its kind, its structure and its entries.
    pub(crate) fn write(&self, memory: &mut Vec<f64>) {
        match self {
            Self::Unknown => {}
            Self::Whole(jacobian) => {
                memory.push(WHOLE);
                memory.extend(jacobian.numbers());
            }
            Self::Parts(parts) => {
                memory.push(PARTS);
                parts.of.write(memory);
                let PartsMatrix { rates, reactions, rows, momenta, .. } = &**parts;
                for tiles in [rates, reactions, rows, momenta] {
                    memory.extend_from_slice(&tiles.values);
                }
            }
        }
    }

    /// The derivative of `dim` components that these numbers are; none if they are not one.
    pub(crate) fn read(memory: &[f64], dim: usize) -> Option<Self> {
        let (&kind, mut rest) = memory.split_first()?;
        if kind == WHOLE {
            let mut jacobian = Jacobian::new(dim);
            return (rest.len() == dim * dim).then(|| {
                jacobian.take(rest);
                Self::Whole(jacobian)
            });
        }
        let of = (kind == PARTS).then(|| StateStructure::read(&mut rest, dim))??;
        let mut parts = PartsMatrix::new(dim, of);
        let PartsMatrix { rates, reactions, rows, momenta, .. } = &mut parts;
        let all =
            [rates, reactions, rows, momenta].into_iter().all(|tiles| take(&mut rest, &mut tiles.values));
        (all && rest.is_empty()).then(|| Self::Parts(Box::new(parts)))
    }
}
