//! The bases of all levels of one direction.

use std::ops::Range;

use super::tree::Cell;
use crate::{KnotVector, LineOperator};

/// The basis of one level in one direction.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct LevelLine {
    /// Its knots: every span of the level before is halved.
    pub(crate) basis: KnotVector,
    /// Knot index of each nonempty span.
    pub(crate) spans: Vec<usize>,
    /// The spans on which each function is nonzero.
    pub(crate) support: Vec<Range<u32>>,
    /// Coefficients of this level from those of the level before; `None` on level 0.
    pub(crate) two_scale: Option<LineOperator>,
}

impl LevelLine {
    fn new(basis: KnotVector, two_scale: Option<LineOperator>) -> Self {
        let spans = basis.spans();
        let (knots, p) = (basis.knots(), basis.degree());
        let ordinal = |u: f64| spans.partition_point(|&k| knots[k] < u) as u32;
        let support =
            (0..basis.n_functions()).map(|i| ordinal(knots[i])..ordinal(knots[i + p + 1])).collect();
        Self { spans, support, two_scale, basis }
    }

    /// All levels of a direction.
    pub(crate) fn levels(basis: &KnotVector, n_levels: usize) -> Vec<Self> {
        let mut levels = vec![Self::new(basis.clone(), None)];
        while levels.len() < n_levels {
            let last = &levels[levels.len() - 1].basis;
            let middles: Vec<f64> =
                last.breakpoints().windows(2).map(|pair| 0.5 * (pair[0] + pair[1])).collect();
            let (finer, operator) =
                last.insert(&middles).expect("the middle of a span is inside it and no knot yet");
            levels.push(Self::new(finer, Some(operator)));
        }
        levels
    }

    /// Functions that are nonzero on a span.
    pub(crate) fn functions(&self, span: u32) -> Range<usize> {
        let first = self.basis.first_function(self.spans[span as usize]);
        first..first + self.basis.degree() + 1
    }
}

/// Functions of a level in a direction: n_l = n_0 + (2^l − 1) times the number of spans.
pub(crate) fn n_functions(basis: &KnotVector, level: usize) -> usize {
    basis.n_functions() + ((1 << level) - 1) * (basis.breakpoints().len() - 1)
}

/// Parameters of the cells of a level.
pub(crate) struct Lattice {
    breaks: [Vec<f64>; 3],
    level: usize,
}

impl Lattice {
    pub(crate) fn new(basis: &[KnotVector; 3], level: usize) -> Self {
        Self { breaks: basis.each_ref().map(KnotVector::breakpoints), level }
    }

    pub(crate) fn bounds(&self, cell: Cell) -> [[f64; 2]; 3] {
        let parts = (1_u32 << self.level) as f64;
        [0, 1, 2].map(|d| {
            let span = (cell[d] >> self.level) as usize;
            let [a, b] = [self.breaks[d][span], self.breaks[d][span + 1]];
            let part = f64::from(cell[d] - ((span as u32) << self.level));
            [a + (b - a) * part / parts, a + (b - a) * (part + 1.0) / parts]
        })
    }
}
