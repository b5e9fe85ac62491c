//! Products of two one-dimensional functions, and the pairs of functions of consecutive knot spans.

use carom_nurbs::basis::MAX_DEGREE;

use crate::basis::{LineSpan, eval_line};
use crate::quadrature::gauss_legendre;

/// Products of a pair (i, j) at a point: N_i N_j, N_i′ N_j′, N_i′ N_j + N_i N_j′ and N_i′ N_j − N_i N_j′.
pub(super) type Products = [f64; 4];

/// The pairs (i, j) with i ≥ j of n functions, j after j.
pub(super) fn half_pairs(n: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..n).flat_map(move |j| (j..n).map(move |i| (i, j)))
}

/// Functions and products of one direction of a patch at the Gauss points of its spans.
#[derive(Debug, Clone)]
pub(super) struct Line {
    /// Functions of a span, p+1.
    pub(super) n_functions: usize,
    /// Gauss points of a span.
    pub(super) n_points: usize,
    /// Pairs i ≥ j of a span.
    pub(super) n_pairs: usize,
    /// Gauss points ξ in \[0,1\].
    pub(super) points: Vec<f64>,
    /// Their weights.
    pub(super) weights: Vec<f64>,
    /// First function of each span.
    first: Vec<usize>,
    /// N_i and N_i′: span after span, point after point.
    functions: Vec<[f64; 2]>,
    /// Span after span, pair after pair, point after point.
    products: Vec<Products>,
}

impl Line {
    /// Evaluates the functions of all spans.
    pub(super) fn new(degree: usize, spans: &[LineSpan], n_points: usize) -> Self {
        let n = degree + 1;
        let (points, weights) = gauss_legendre(n_points);
        let n_pairs = n * (n + 1) / 2;
        let mut functions = Vec::with_capacity(spans.len() * n * n_points);
        let mut products = Vec::with_capacity(spans.len() * n_pairs * n_points);
        for span in spans {
            let start = functions.len();
            for &xi in &points {
                let mut line = [[0.0; MAX_DEGREE + 1]; 2];
                eval_line(&span.operator, xi, &mut line);
                functions.extend((0..n).map(|i| [line[0][i], line[1][i]]));
            }
            for (i, j) in half_pairs(n) {
                for point in functions[start..].chunks_exact(n) {
                    let ([value_i, slope_i], [value_j, slope_j]) = (point[i], point[j]);
                    let (left, right) = (slope_i * value_j, value_i * slope_j);
                    products.push([value_i * value_j, slope_i * slope_j, left + right, left - right]);
                }
            }
        }
        let first = spans.iter().map(|span| span.first).collect();
        Self { n_functions: n, n_points, n_pairs, points, weights, first, functions, products }
    }

    /// N_i and N_i′ at a Gauss point of a span.
    #[inline(always)]
    pub(super) fn functions(&self, span: usize, point: usize) -> &[[f64; 2]] {
        let start = self.n_functions * (span * self.n_points + point);
        &self.functions[start..start + self.n_functions]
    }

    /// Products of a pair at all Gauss points of a span.
    #[inline(always)]
    pub(super) fn products(&self, span: usize, pair: usize) -> &[Products] {
        let start = self.n_points * (span * self.n_pairs + pair);
        &self.products[start..start + self.n_points]
    }

    /// First function of a span.
    #[inline(always)]
    pub(super) fn first(&self, span: usize) -> usize {
        self.first[span]
    }
}

/// The pairs of functions of one direction in some consecutive knot spans.
#[derive(Debug, Clone)]
pub(super) struct Band {
    /// First of the functions.
    pub(super) first: usize,
    /// Number of functions.
    pub(super) n_functions: usize,
    /// First of the spans.
    pub(super) first_span: usize,
    /// Number of spans.
    pub(super) n_spans: usize,
    /// (i, j), i ≥ j, counted from `first`, j after j.
    pub(super) pairs: Vec<(usize, usize)>,
    /// For each function the range of functions that share a knot span with it.
    pub(super) partners: Vec<std::ops::Range<usize>>,
    /// Number in `pairs` of each pair of each span.
    pub(super) of_span: Vec<usize>,
    /// Start of the `parts` of each pair.
    part_starts: Vec<usize>,
    /// The spans that contain the pair, counted from the first, with the number of the pair in each.
    parts: Vec<(usize, usize)>,
}

impl Band {
    /// The pairs of the spans `spans` of a direction.
    pub(super) fn new(line: &Line, spans: std::ops::Range<usize>) -> Self {
        let (first_span, n_spans) = (spans.start, spans.len());
        let first = line.first(first_span);
        let n_functions = line.first(spans.end - 1) + line.n_functions - first;
        let shifted = |span: usize| {
            let shift = line.first(first_span + span) - first;
            half_pairs(line.n_functions).map(move |(i, j)| (j + shift, i + shift))
        };
        let mut sorted: Vec<(usize, usize)> = (0..n_spans).flat_map(shifted).collect();
        sorted.sort_unstable();
        sorted.dedup();
        let place = |pair| sorted.binary_search(&pair).expect("the list has the pairs of all spans");
        let of_span: Vec<usize> = (0..n_spans).flat_map(shifted).map(place).collect();
        let mut by_pair: Vec<(usize, usize)> =
            of_span.iter().copied().enumerate().map(|(k, p)| (p, k)).collect();
        by_pair.sort_unstable();
        let part_starts = (0..=sorted.len()).map(|p| by_pair.partition_point(|x| x.0 < p)).collect();
        let parts = by_pair.iter().map(|&(_, k)| (k / line.n_pairs, k % line.n_pairs)).collect();
        let mut partners: Vec<_> = (0..n_functions).map(|i| i..i + 1).collect();
        for &(j, i) in &sorted {
            partners[i].start = partners[i].start.min(j);
            partners[j].end = partners[j].end.max(i + 1);
        }
        let pairs = sorted.into_iter().map(|(j, i)| (i, j)).collect();
        Self { first, n_functions, first_span, n_spans, pairs, partners, of_span, part_starts, parts }
    }

    /// The spans that contain a pair, counted from the first, with the number of the pair in each.
    #[inline(always)]
    pub(super) fn parts(&self, pair: usize) -> &[(usize, usize)] {
        &self.parts[self.part_starts[pair]..self.part_starts[pair + 1]]
    }
}
