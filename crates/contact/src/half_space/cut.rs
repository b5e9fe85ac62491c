//! The half-space part of loads that an edge cuts: the table of whole loads, corrected by sums over both.
//!
//! ```text
//! H_jk = table(|x_j − x_k|) + Σ_cut − Σ_whole
//! ```
//!
//! Both sums run over one square raster in the tangent plane of the first place, so that their errors cancel
//! and the correction vanishes with the cut.

use std::f64::consts::PI;

use nalgebra::{Matrix2, Matrix3, Vector2, Vector3};

use super::footprint::{Footprint, tangents_of};
use super::{Kernel, Loads};

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

/// The raster of a place with its load, against which the loads of other places are taken.
pub(super) struct ReadLoad<'a> {
    loads: Loads,
    raster: Raster,
    /// Shares of the load, whole and cut.
    shares: Shares,
    unit: &'a [UnitPoint],
}

impl<'a> ReadLoad<'a> {
    /// * `unit` — [`unit_disc`] of the kernel
    pub(super) fn new(read: PlacedLoad<'_>, loads: Loads, unit: &'a [UnitPoint]) -> Self {
        let raster =
            Raster { origin: *read.position, axes: tangents_of(read.normal), side: loads.radius / RASTER };
        let shares = raster.shares(read, loads.radius, unit);
        Self { loads, raster, shares, unit }
    }

    /// The change of the means with another load, with d from `load` to the read one.
    pub(super) fn means(&self, load: PlacedLoad<'_>) -> CutMeans {
        let (second, first) =
            self.raster.means(&self.shares, &self.raster.shares(load, self.loads.radius, self.unit));
        let axes = nalgebra::Matrix3x2::from_columns(&self.raster.axes);
        CutMeans { second: axes * second * axes.transpose(), first: axes * first }
    }
}

/// A point of a whole load of radius 1: place and share of the force.
#[derive(Debug, Clone, Copy)]
pub(super) struct UnitPoint {
    place: [f64; 2],
    weight: f64,
}

/// A whole load by midpoints of rings and spokes.
pub(super) fn unit_disc(kernel: Kernel) -> Vec<UnitPoint> {
    let point = |m: usize| {
        let x = ((m / SPOKES) as f64 + 0.5) / RINGS as f64;
        let angle = 2.0 * PI * ((m % SPOKES) as f64 + 0.5) / SPOKES as f64;
        let weight = kernel.value(x) * x * 2.0 * PI / (RINGS * SPOKES) as f64;
        UnitPoint { place: [x * angle.cos(), x * angle.sin()], weight }
    };
    (0..RINGS * SPOKES).map(point).collect()
}

/// A square raster in a tangent plane.
struct Raster {
    origin: Vector3<f64>,
    axes: [Vector3<f64>; 2],
    side: f64,
}

/// Shares of a load on the nodes of a window of a raster, row after row.
struct Shares {
    /// First node.
    first: [i32; 2],
    /// Nodes along both axes.
    size: [usize; 2],
    whole: Vec<f64>,
    /// As the edges cut it; empty of a load that none cuts.
    cut: Vec<f64>,
}

impl Shares {
    fn as_cut(&self) -> &[f64] {
        if self.cut.is_empty() { &self.whole } else { &self.cut }
    }
}

impl Raster {
    /// A load as it would be whole and as it is cut, shared by the nodes of the raster.
    fn shares(&self, place: PlacedLoad<'_>, radius: f64, unit: &[UnitPoint]) -> Shares {
        let on_raster = |x: Vector3<f64>| self.axes.map(|axis| (x - self.origin).dot(&axis) / self.side);
        let middle = on_raster(*place.position);
        let tangents = tangents_of(place.normal);
        let along = tangents.map(|t| self.axes.map(|axis| radius * t.dot(&axis) / self.side));
        let of_unit = |point: &UnitPoint| {
            let [a, b] = point.place;
            let at = [0, 1].map(|d| middle[d] + a * along[0][d] + b * along[1][d]);
            (at, point.weight)
        };
        let cut = if place.footprint.is_cut() { place.footprint.samples.as_slice() } else { &[] };
        let cut: Vec<([f64; 2], f64)> = cut.iter().map(|(x, weight)| (on_raster(*x), *weight)).collect();
        let (mut low, mut high) = ([f64::INFINITY; 2], [f64::NEG_INFINITY; 2]);
        for (at, _) in unit.iter().map(of_unit).chain(cut.iter().copied()) {
            for d in 0..2 {
                (low[d], high[d]) = (low[d].min(at[d]), high[d].max(at[d]));
            }
        }
        let first = low.map(|x| x.floor() as i32);
        let size = [0, 1].map(|d| (high[d].floor() as i32 - first[d] + 2) as usize);
        let whole = gathered(unit.iter().map(of_unit), first, size);
        let cut = if cut.is_empty() { Vec::new() } else { gathered(cut.into_iter(), first, size) };
        Shares { first, size, whole, cut }
    }

    /// Change of ⟨d dᵀ/|d|³⟩ and ⟨d/|d|²⟩ by the cuts, with d from the second load to the first \[1/m\].
    ///
    /// Bilinear shares widen each load by the second moment δ²/6 along both axes, so that the mean of f
    /// becomes that of f + δ²/6 Δf. The sum is over f − δ²/6 Δf instead, with
    ///
    /// ```text
    /// Δ(1/r) = 1/r³ ,     Δ(x²/r³) = (2y² − x²)/r⁵ ,     Δ(x/r²) = 0
    /// ```
    fn means(&self, read: &Shares, load: &Shares) -> (Matrix2<f64>, Vector2<f64>) {
        const WIDENING: f64 = 1.0 / 6.0;
        let own = 0.5 * (OWN - WIDENING * OWN_CUBE);
        // Nodes differ by few offsets: the product of forces for each of them comes first.
        let size = [0, 1].map(|d| read.size[d] + load.size[d] - 1);
        let mut products = vec![0.0; size[0] * size[1]];
        add_products(
            &mut products,
            size[0],
            (read.as_cut(), read.size[0]),
            (load.as_cut(), load.size[0]),
            1.0,
        );
        add_products(&mut products, size[0], (&read.whole, read.size[0]), (&load.whole, load.size[0]), -1.0);
        let lowest = [0, 1].map(|d| read.first[d] - load.first[d] - load.size[d] as i32 + 1);
        let (mut second, mut first, mut isotropic) = (Matrix2::zeros(), Vector2::zeros(), 0.0);
        for (row, products) in products.chunks_exact(size[0]).enumerate() {
            for (column, &weight) in products.iter().enumerate() {
                let d = Vector2::new(f64::from(lowest[0] + column as i32), f64::from(lowest[1] + row as i32));
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

/// Forces of points shared by the four nodes around each, which keeps force and moment.
fn gathered(
    points: impl Iterator<Item = ([f64; 2], f64)>,
    first: [i32; 2],
    [columns, rows]: [usize; 2],
) -> Vec<f64> {
    let mut nodes = vec![0.0; columns * rows];
    for ([u, v], weight) in points {
        let (i, j) = (u.floor(), v.floor());
        let (a, b) = (u - i, v - j);
        let at = (j as i32 - first[1]) as usize * columns + (i as i32 - first[0]) as usize;
        nodes[at] += weight * (1.0 - a) * (1.0 - b);
        nodes[at + 1] += weight * a * (1.0 - b);
        nodes[at + columns] += weight * (1.0 - a) * b;
        nodes[at + columns + 1] += weight * a * b;
    }
    nodes
}

/// Adds s Σ f(x) g(y) for each offset x − y: the last node of the second load and the first one of the first
/// load have the first offset.
///
/// * `width` — offsets in a row
/// * `read`, `load` — forces, and nodes in a row
fn add_products(products: &mut [f64], width: usize, read: (&[f64], usize), load: (&[f64], usize), s: f64) {
    let reversed: Vec<f64> = load.0.iter().rev().copied().collect();
    for (a, forces) in read.0.chunks_exact(read.1).enumerate() {
        for (b, others) in reversed.chunks_exact(load.1).enumerate() {
            let row = &mut products[(a + b) * width..][..width];
            for (column, &force) in forces.iter().enumerate().filter(|(_, force)| **force != 0.0) {
                let target = &mut row[column..][..others.len()];
                target.iter_mut().zip(others).for_each(|(sum, other)| *sum += s * force * other);
            }
        }
    }
}
