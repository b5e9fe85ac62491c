//! A reduced body as a line of sections along its longest axis, and points spread over it: how modes displace
//! and turn them.

use carom_reduce::ReducedBody;
use carom_reduce::field_modes::sample_points;
use nalgebra::{DMatrix, Matrix3, Vector3};

use crate::body::Body;

/// Sections along the body.
const SECTIONS: usize = 24;

/// Points whose displacement is watched.
const PROBES: usize = 24;

/// Sections and points of a body, with their displacements and turns in each of its lowest modes.
#[derive(Debug, Clone)]
pub(super) struct Shape {
    /// Longest axis and two across it, in columns.
    pub(super) axes: Matrix3<f64>,
    /// Centre of mass in the body frame \[m\].
    pub(super) center_b: Vector3<f64>,
    /// Largest extent along one of the axes \[m\].
    pub(super) extent: f64,
    /// Ends of the body along its longest axis, from the centre of mass \[m\].
    pub(super) ends: [f64; 2],
    /// Mean points of the sections, body frame \[m\].
    pub(super) sections: Vec<Vector3<f64>>,
    /// Their places along the longest axis, from the centre of mass \[m\].
    pub(super) along: Vec<f64>,
    /// Rows: three components for each probe, each section and each marker's rotation, twist of each section
    /// about the longest axis. Columns: modes.
    values: DMatrix<f64>,
    n_probes: usize,
    n_markers: usize,
}

/// Largest deformations at one instant.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Deformation {
    /// Displacement of a probe over the extent.
    pub(super) deflection: f64,
    /// Displacement of a section across the longest axis over the extent.
    pub(super) bending: f64,
    /// Rotation of the line of sections, of a section about it, or of a marker \[rad\].
    pub(super) rotation: f64,
}

impl Shape {
    /// Sections and probes of a reduced body; none without points that spread over it.
    pub(super) fn new(body: &Body, reduced: &ReducedBody) -> Option<Self> {
        let (positions_b, sample) = match &reduced.fields {
            Some(fields) => (fields.positions_b(), fields.sample()),
            None => (&reduced.boundary.positions_b[..], reduced.boundary.sample()),
        };
        let center_b = body.frame.com_b();
        let axes = axes(&body.frame.inertia_com());
        let local: Vec<Vector3<f64>> = sample_points(positions_b.len())
            .map(|i| axes.tr_mul(&(Vector3::from(positions_b[i]) - center_b)))
            .collect();
        let range = |a: usize| {
            local.iter().fold([f64::INFINITY, f64::NEG_INFINITY], |[lo, hi], x| [lo.min(x[a]), hi.max(x[a])])
        };
        let ranges = [0, 1, 2].map(range);
        let extent = ranges.iter().map(|[lo, hi]| hi - lo).fold(0.0, f64::max);
        let ends = ranges[0];
        if !(extent > 0.0 && ends[1] > ends[0]) {
            return None;
        }
        let bins = binned(&local, ends);
        let n = sample.n_modes();
        let probes = spread(&local, PROBES);
        let (n_probes, n_sections, n_markers) = (probes.len(), bins.len(), reduced.markers.len());
        let mut values = DMatrix::zeros(3 * (n_probes + n_sections + n_markers) + n_sections, n);
        let mean = |bin: &[usize]| bin.iter().map(|&i| local[i]).sum::<Vector3<f64>>() / bin.len() as f64;
        let means: Vec<Vector3<f64>> = bins.iter().map(|bin| mean(bin)).collect();
        for k in 0..n {
            let u = |i: usize| axes.tr_mul(&sample.displacement(i, k));
            let mut column = values.column_mut(k);
            let mut put = |row: usize, x: Vector3<f64>| column.rows_mut(row, 3).copy_from(&x);
            probes.iter().enumerate().for_each(|(row, &i)| put(3 * row, u(i)));
            for (s, bin) in bins.iter().enumerate() {
                put(3 * (n_probes + s), bin.iter().map(|&i| u(i)).sum::<Vector3<f64>>() / bin.len() as f64);
            }
            for (m, marker) in reduced.markers.iter().enumerate() {
                let turn = |a: usize, _| marker.rotation[(a, k)];
                put(3 * (n_probes + n_sections + m), Vector3::from_fn(turn));
            }
            for (s, (bin, mean)) in bins.iter().zip(&means).enumerate() {
                column[3 * (n_probes + n_sections + n_markers) + s] = twist(bin, &local, mean, &u);
            }
        }
        let sections = means.iter().map(|mean| center_b + axes * mean).collect();
        let along = means.iter().map(|mean| mean.x).collect();
        Some(Self { axes, center_b, extent, ends, sections, along, values, n_probes, n_markers })
    }

    /// Numbers in the workspace of [`Shape::deformation`].
    pub(super) fn rows(&self) -> usize {
        self.values.nrows()
    }

    /// Displacement of a section in mode k, in the axes of the shape.
    pub(super) fn section(&self, section: usize, k: usize) -> Vector3<f64> {
        self.values.fixed_view::<3, 1>(3 * (self.n_probes + section), k).into()
    }

    /// Number of modes that are watched.
    pub(super) fn modes(&self) -> usize {
        self.values.ncols()
    }

    /// Largest deformations at modal coordinates q; `work` has [`Shape::rows`] numbers.
    pub(super) fn deformation(&self, q: &[f64], work: &mut [f64]) -> Deformation {
        work.fill(0.0);
        for (q, column) in q.iter().zip(self.values.column_iter()) {
            work.iter_mut().zip(column.iter()).for_each(|(x, value)| *x += q * value);
        }
        let n_sections = self.along.len();
        let (probes, rest) = work.split_at(3 * self.n_probes);
        let (sections, rest) = rest.split_at(3 * n_sections);
        let (markers, twists) = rest.split_at(3 * self.n_markers);
        let size = |x: &[f64; 3]| Vector3::from(*x).norm();
        let sections = sections.as_chunks::<3>().0;
        let slopes = sections
            .windows(2)
            .zip(self.along.windows(2))
            .map(|(u, s)| (u[1][1] - u[0][1]).hypot(u[1][2] - u[0][2]) / (s[1] - s[0]));
        let turns =
            slopes.chain(twists.iter().map(|x| x.abs())).chain(markers.as_chunks::<3>().0.iter().map(size));
        Deformation {
            deflection: probes.as_chunks::<3>().0.iter().map(size).fold(0.0, f64::max) / self.extent,
            bending: sections.iter().map(|u| u[1].hypot(u[2])).fold(0.0, f64::max) / self.extent,
            rotation: turns.fold(0.0, f64::max),
        }
    }
}

/// Principal axes of inertia, that of the smallest moment (the longest of the body) first.
fn axes(inertia: &Matrix3<f64>) -> Matrix3<f64> {
    let pairs = inertia.symmetric_eigen();
    let mut order = [0, 1, 2];
    order.sort_by(|&a, &b| pairs.eigenvalues[a].total_cmp(&pairs.eigenvalues[b]));
    Matrix3::from_columns(&order.map(|i| pairs.eigenvectors.column(i).into_owned()))
}

/// Points of each section that has some, in the order along the first axis.
fn binned(local: &[Vector3<f64>], [lo, hi]: [f64; 2]) -> Vec<Vec<usize>> {
    let mut bins = vec![Vec::new(); SECTIONS];
    for (i, x) in local.iter().enumerate() {
        // Points on a border of two sections belong to one of them, whatever rounding does to each: else
        // their slope would be that of rounding.
        let bin = (SECTIONS as f64 * (x.x - lo) / (hi - lo) + 1e-6) as usize;
        bins[bin.min(SECTIONS - 1)].push(i);
    }
    bins.retain(|bin| !bin.is_empty());
    bins
}

/// Points that lie far from each other: each the farthest from those before it.
fn spread(local: &[Vector3<f64>], count: usize) -> Vec<usize> {
    let mut distance = vec![f64::INFINITY; local.len()];
    let mut next = (0..local.len()).max_by(|&a, &b| local[a].norm().total_cmp(&local[b].norm()));
    let mut chosen = Vec::new();
    while let Some(i) = next.filter(|_| chosen.len() < count) {
        chosen.push(i);
        distance.iter_mut().zip(local).for_each(|(d, x)| *d = d.min((x - local[i]).norm()));
        next = (0..local.len())
            .max_by(|&a, &b| distance[a].total_cmp(&distance[b]))
            .filter(|&i| distance[i] > 0.0);
    }
    chosen
}

/// Rotation of a section about the first axis that fits its displacements best; 0 for points on that axis.
fn twist(
    bin: &[usize],
    local: &[Vector3<f64>],
    mean: &Vector3<f64>,
    u: &impl Fn(usize) -> Vector3<f64>,
) -> f64 {
    let (mut moment, mut spread) = (0.0, 0.0);
    for &i in bin {
        let (r, u) = (local[i] - mean, u(i));
        moment += r.y * u.z - r.z * u.y;
        spread += r.y * r.y + r.z * r.z;
    }
    if spread > 0.0 { moment / spread } else { 0.0 }
}
