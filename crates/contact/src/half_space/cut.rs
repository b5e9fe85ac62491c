//! The half-space part of loads that an edge cuts: the table of whole loads, corrected by sums over both.
//!
//! ```text
//! H_jk = table(|x_j − x_k|) + Σ_cut − Σ_whole
//! ```
//!
//! Both sums run over one square raster in the tangent plane of the first place, so that their errors cancel
//! and the correction vanishes with the cut.

use std::collections::BTreeMap;
use std::f64::consts::PI;

use nalgebra::{Matrix2, Matrix3, Vector2, Vector3};

use super::Loads;
use super::footprint::{Footprint, tangents_of};

/// Raster cells per radius.
const RASTER: f64 = 10.0;

/// The value of 1/r at 0, in cells, with which a sum over a square lattice is the integral of g/r for smooth
/// g: −4 ζ(½) β(½), the regularised sum of 1/r over the other points of the lattice.
const OWN: f64 = 3.900_264_920_001_956;

/// The same of 1/r³: −4 ζ(3/2) β(3/2).
const OWN_CUBE: f64 = -9.033_621_683_100_95;

/// Rings and spokes of midpoints that stand for a whole load.
const RINGS: usize = 40;
const SPOKES: usize = 80;

/// The change of the means of a pair of loads by a cut, in axes of the body.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CutMeans {
    /// Change of ⟨d dᵀ/|d|³⟩ \[1/m\]; its trace is that of ⟨1/r⟩.
    pub second: Matrix3<f64>,
    /// Change of ⟨d/|d|²⟩ \[1/m\].
    pub first: Vector3<f64>,
}

/// A place with its load.
#[derive(Clone, Copy)]
pub(super) struct PlacedLoad<'a> {
    pub(super) position: &'a Vector3<f64>,
    pub(super) normal: &'a Vector3<f64>,
    pub(super) footprint: &'a Footprint,
}

impl CutMeans {
    /// The change between two loads, with d from `load` to `read`.
    pub(super) fn new(read: PlacedLoad<'_>, load: PlacedLoad<'_>, loads: Loads) -> Self {
        let raster =
            Raster { origin: *read.position, axes: tangents_of(read.normal), side: loads.radius / RASTER };
        let wholes = [read, load].map(|place| raster.gathered(whole(place, loads)));
        let cuts: [Vec<(Vector2<f64>, f64)>; 2] = std::array::from_fn(|k| {
            let place = [read, load][k];
            if place.footprint.is_cut() {
                raster.gathered(place.footprint.samples.iter().copied())
            } else {
                wholes[k].clone()
            }
        });
        let ((cut, cut_first), (plain, plain_first)) = (raster.means(&cuts), raster.means(&wholes));
        let (second, first) = (cut - plain, cut_first - plain_first);
        let axes = nalgebra::Matrix3x2::from_columns(&raster.axes);
        Self { second: axes * second * axes.transpose(), first: axes * first }
    }
}

/// A square raster in a tangent plane.
struct Raster {
    origin: Vector3<f64>,
    axes: [Vector3<f64>; 2],
    side: f64,
}

impl Raster {
    /// Forces of points shared by the four nodes around each, which keeps force and moment; lengths in cells.
    fn gathered(&self, samples: impl Iterator<Item = (Vector3<f64>, f64)>) -> Vec<(Vector2<f64>, f64)> {
        let mut nodes = BTreeMap::new();
        for (x, weight) in samples {
            let [u, v] = self.axes.map(|axis| (x - self.origin).dot(&axis) / self.side);
            let (i, j) = (u.floor(), v.floor());
            let (a, b) = (u - i, v - j);
            for (di, dj, share) in
                [(0, 0, (1.0 - a) * (1.0 - b)), (1, 0, a * (1.0 - b)), (0, 1, (1.0 - a) * b), (1, 1, a * b)]
            {
                *nodes.entry((i as i32 + di, j as i32 + dj)).or_insert(0.0) += weight * share;
            }
        }
        nodes.into_iter().map(|((i, j), f)| (Vector2::new(f64::from(i), f64::from(j)), f)).collect()
    }

    /// ⟨d dᵀ/|d|³⟩ and ⟨d/|d|²⟩ with d from the second load to the first \[1/m\].
    ///
    /// Bilinear shares widen each load by the second moment δ²/6 along both axes, so that the mean of f
    /// becomes that of f + δ²/6 Δf. The sum is over f − δ²/6 Δf instead, with
    ///
    /// ```text
    /// Δ(1/r) = 1/r³ ,     Δ(x²/r³) = (2y² − x²)/r⁵ ,     Δ(x/r²) = 0
    /// ```
    fn means(&self, [read, load]: &[Vec<(Vector2<f64>, f64)>; 2]) -> (Matrix2<f64>, Vector2<f64>) {
        const WIDENING: f64 = 1.0 / 6.0;
        let own = 0.5 * (OWN - WIDENING * OWN_CUBE);
        let (mut second, mut first, mut isotropic) = (Matrix2::zeros(), Vector2::zeros(), 0.0);
        for (x, f) in read {
            for (y, g) in load {
                let (d, weight) = (x - y, f * g);
                let square = d.norm_squared();
                if square < 0.5 {
                    isotropic += weight * own;
                } else {
                    let cube = square * square.sqrt();
                    second += weight / cube * (1.0 + 3.0 * WIDENING / square) * d * d.transpose();
                    isotropic -= weight * 2.0 * WIDENING / cube;
                    first += weight / square * d;
                }
            }
        }
        ((second + isotropic * Matrix2::identity()) / self.side, first / self.side)
    }
}

/// The whole load of a place by midpoints of rings and spokes.
fn whole(place: PlacedLoad<'_>, loads: Loads) -> impl Iterator<Item = (Vector3<f64>, f64)> {
    let (position, [t, s]) = (*place.position, tangents_of(place.normal));
    (0..RINGS * SPOKES).map(move |m| {
        let x = ((m / SPOKES) as f64 + 0.5) / RINGS as f64;
        let angle = 2.0 * PI * ((m % SPOKES) as f64 + 0.5) / SPOKES as f64;
        let weight = loads.kernel.value(x) * x * 2.0 * PI / (RINGS * SPOKES) as f64;
        (position + loads.radius * x * (angle.cos() * t + angle.sin() * s), weight)
    })
}
