//! Sides and edges that are the same surface or curve in different bases get a common basis.
//!
//! Two patches with a common side may have different knots or degrees on it, if only one was refined.
//! Inserting knots and raising degrees where they are missing does not change the patches, and afterwards
//! their control points coincide.

use std::collections::BTreeMap;
use std::fmt;

use crate::classes::Classes;
use crate::closest::distance;
use crate::topology::{Edge, Interface, Orientation, corner_ids};
use crate::{Patch, PatchError, Side};

/// Knots on \[0,1\] closer than this are equal.
const SAME_KNOT: f64 = 1e-8;
/// Largest number of control points of a matched body: beyond it patches are unchanged and reported as not
/// matching.
const MAX_POINTS: f64 = 5.0e6;
/// Parameters at which sides and edges are compared, symmetric so that reversal maps them to each other.
const PLACES: [f64; 4] = [0.13, 0.37, 0.63, 0.87];

/// Points of a side at [`PLACES`], its first direction fastest.
type SideSamples = [[f64; 3]; 16];
/// Points of an edge at [`PLACES`].
type EdgeSamples = [[f64; 3]; 4];
/// A side that others may lie on: patch, side, points.
type KnownSide = (usize, Side, SideSamples);

/// Knots and degrees that a direction of a patch received so that its sides match those of its neighbours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Matched {
    /// Number of the patch.
    pub patch: u32,
    /// 0 = u, 1 = v, 2 = w.
    pub direction: usize,
    /// Increase of the degree.
    pub degrees: usize,
    /// Number of knots inserted.
    pub knots: usize,
}

impl fmt::Display for Matched {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let direction = ["u", "v", "w"][self.direction];
        write!(f, "patch {}: ", self.patch)?;
        let knots = match self.knots {
            1 => "one knot was inserted".to_owned(),
            n => format!("{n} knots were inserted"),
        };
        match (self.degrees, self.knots) {
            (0, _) => write!(f, "{knots} along {direction}")?,
            (k, 0) => write!(f, "the degree along {direction} was raised by {k}")?,
            (k, _) => write!(f, "the degree along {direction} was raised by {k} and {knots}")?,
        }
        f.write_str(", so that it matches its neighbours; the shape is the same")
    }
}

/// The relations between directions of patches that lie on each other.
struct Relations {
    classes: Classes,
    /// True if any two of them have different bases.
    unequal: bool,
}

/// Gives all directions that coincide the same knots and degrees; patches must be right-handed, with merged
/// corners.
///
/// * `ids` — numbers of the control points after merging; only those of corners are used
/// * `tolerance` — within which points are the same \[m\]
pub(crate) fn match_bases(
    patches: &mut [Patch],
    ids: &[Vec<u32>],
    tolerance: f64,
) -> Result<Vec<Matched>, PatchError> {
    let mut relations = Relations { classes: Classes::new(3 * patches.len()), unequal: false };
    relations.find_sides(patches, ids, tolerance);
    relations.find_edges(patches, ids, tolerance);
    if !relations.unequal {
        return Ok(Vec::new());
    }
    let classes = relations.classes;
    let wishes: Vec<(Vec<(usize, usize)>, Wish)> = classes
        .members()
        .into_values()
        .map(|members| (members.clone(), Wish::of(patches, &classes, &members)))
        .collect();
    if points_after(patches, &wishes) > MAX_POINTS {
        return Ok(Vec::new());
    }
    let mut matched = Vec::new();
    for (members, wish) in &wishes {
        for &member in members {
            let patch = &mut patches[member.0];
            let degrees = wish.degree - patch.basis[member.1].degree();
            if degrees > 0 {
                *patch = patch.elevate(member.1, degrees)?;
            }
            let missing = wish.missing(patch, member.1, classes.reversed(member));
            if !missing.is_empty() {
                *patch = patch.insert(member.1, &missing)?;
            }
            if degrees > 0 || !missing.is_empty() {
                let (patch, direction) = (member.0 as u32, member.1);
                matched.push(Matched { patch, direction, degrees, knots: missing.len() });
            }
        }
    }
    matched.sort_by_key(|m| (m.patch, m.direction));
    Ok(matched)
}

/// Number of control points of all patches after all refinements, before gluing.
fn points_after(patches: &[Patch], wishes: &[(Vec<(usize, usize)>, Wish)]) -> f64 {
    let mut counts = vec![[1.0; 3]; patches.len()];
    for (members, wish) in wishes {
        let inner: usize = wish.knots.iter().map(|&(_, multiplicity)| multiplicity).sum();
        for &(patch, direction) in members {
            counts[patch][direction] = (wish.degree + 1 + inner) as f64;
        }
    }
    counts.iter().map(|n| n[0] * n[1] * n[2]).sum()
}

/// Degree and inner knots on \[0,1\], with multiplicities, that contain those of all directions of a class.
struct Wish {
    degree: usize,
    knots: Vec<(f64, usize)>,
}

impl Wish {
    fn of(patches: &[Patch], classes: &Classes, members: &[(usize, usize)]) -> Self {
        let degree = members.iter().map(|&(p, d)| patches[p].basis[d].degree()).max().unwrap_or(1);
        let mut all: Vec<(f64, usize)> = Vec::new();
        for &member in members {
            let raised = degree - patches[member.0].basis[member.1].degree();
            for (t, _, multiplicity) in unit_knots(&patches[member.0], member.1, classes.reversed(member)) {
                all.push((t, multiplicity + raised));
                if classes.is_symmetric(member) {
                    all.push((1.0 - t, multiplicity + raised));
                }
            }
        }
        all.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut knots: Vec<(f64, usize)> = Vec::new();
        for (t, multiplicity) in all {
            match knots.last_mut() {
                Some(last) if t - last.0 <= SAME_KNOT => last.1 = last.1.max(multiplicity),
                _ => knots.push((t, multiplicity)),
            }
        }
        Self { degree, knots }
    }

    /// The knots that a direction of this degree lacks, in its own parameters.
    fn missing(&self, patch: &Patch, direction: usize, reversed: bool) -> Vec<f64> {
        let [a, b] = patch.basis[direction].domain();
        let there = unit_knots(patch, direction, reversed);
        let mut missing = Vec::new();
        for &(t, multiplicity) in &self.knots {
            let own = there.iter().find(|knot| (knot.0 - t).abs() <= SAME_KNOT);
            let place = if reversed { b - t * (b - a) } else { a + t * (b - a) };
            let (knot, has) = own.map_or((place, 0), |&(_, u, has)| (u, has));
            missing.extend(std::iter::repeat_n(knot, multiplicity.saturating_sub(has)));
        }
        missing
    }
}

/// Inner knots of a direction: on \[0,1\] in the sense of its class, as they are, and their multiplicity.
fn unit_knots(patch: &Patch, direction: usize, reversed: bool) -> Vec<(f64, f64, usize)> {
    let [a, b] = patch.basis[direction].domain();
    let unit = |u: f64| if reversed { (b - u) / (b - a) } else { (u - a) / (b - a) };
    patch.basis[direction].inner_knots().into_iter().map(|(u, m)| (unit(u), u, m)).collect()
}

impl Relations {
    /// Relates directions of which the bases are compared.
    fn join(&mut self, patches: &[Patch], a: (usize, usize), b: (usize, usize), reversed: bool) {
        let there = &patches[b.0].basis[b.1];
        let matches = |other| patches[a.0].basis[a.1].matches(other, SAME_KNOT);
        self.unequal |= !if reversed { matches(&there.reversed()) } else { matches(there) };
        self.classes.join(a, b, reversed);
    }

    /// Sides with the same corners and the same points between them.
    fn find_sides(&mut self, patches: &[Patch], ids: &[Vec<u32>], tolerance: f64) {
        let mut known: BTreeMap<[u32; 4], Vec<KnownSide>> = BTreeMap::new();
        for (number, patch) in patches.iter().enumerate() {
            for side in Side::ALL {
                let samples: SideSamples =
                    std::array::from_fn(|ij| patch.side_point(side, [PLACES[ij % 4], PLACES[ij / 4]]));
                // A side that has collapsed to a line or a point is glued by its edges.
                if (0..2).any(|along| is_collapsed(&samples, along, tolerance)) {
                    continue;
                }
                let mut corners = corner_ids(patch.counts(), &ids[number], side);
                corners.sort_unstable();
                let candidates = known.entry(corners).or_default();
                let found = candidates.iter().find_map(|&(p, s, there)| {
                    let orientation = lies_on(&there, &samples, tolerance)?;
                    Some(Interface { first: (p as u32, s), second: (number as u32, side), orientation })
                });
                let Some(interface) = found else {
                    candidates.push((number, side, samples));
                    continue;
                };
                let first = interface.first;
                for (tangent, (direction, reversed)) in
                    first.1.tangents().into_iter().zip(interface.directions())
                {
                    self.join(patches, (first.0 as usize, tangent), (number, direction), reversed);
                }
            }
        }
    }

    /// Edges with the same ends and the same points between them.
    fn find_edges(&mut self, patches: &[Patch], ids: &[Vec<u32>], tolerance: f64) {
        let mut known: BTreeMap<[u32; 2], Vec<(Edge, EdgeSamples)>> = BTreeMap::new();
        for (number, patch) in patches.iter().enumerate() {
            for edge in Edge::all(number) {
                let samples = PLACES.map(|t| patch.point(edge.parameters(patch.domain(), t)));
                if samples.iter().all(|&x| distance(x, samples[0]) <= tolerance) {
                    continue;
                }
                let line = edge.indices(patch.counts());
                let mut ends = [line[0], line[line.len() - 1]].map(|i| ids[number][i]);
                ends.sort_unstable();
                let candidates = known.entry(ends).or_default();
                let same = |there: &EdgeSamples, reversed: bool| {
                    (0..4).all(|i| distance(there[if reversed { 3 - i } else { i }], samples[i]) <= tolerance)
                };
                let found = candidates.iter().find_map(|(other, there)| {
                    let reversed = [false, true].into_iter().find(|&reversed| same(there, reversed))?;
                    Some((*other, reversed))
                });
                match found {
                    Some((other, reversed)) => {
                        let there = (other.patch, other.direction);
                        self.join(patches, there, (number, edge.direction), reversed);
                    }
                    None => candidates.push((edge, samples)),
                }
            }
        }
    }
}

/// True if the samples of a side are constant along one of its directions.
fn is_collapsed(samples: &SideSamples, along: usize, tolerance: f64) -> bool {
    (0..16).all(|ij| {
        let first = if along == 0 { ij - ij % 4 } else { ij % 4 };
        distance(samples[ij], samples[first]) <= tolerance
    })
}

/// The orientation in which the first samples coincide with the second, if there is one.
fn lies_on(first: &SideSamples, second: &SideSamples, tolerance: f64) -> Option<Orientation> {
    Orientation::ALL.into_iter().find(|orientation| {
        (0..16).all(|ij| {
            let [i, j] = orientation.map([ij % 4, ij / 4], [4, 4]);
            distance(first[ij], second[i + 4 * j]) <= tolerance
        })
    })
}

impl Patch {
    /// The point of a side at parameters of its two directions mapped to \[0,1\].
    pub(crate) fn side_point(&self, side: Side, at: [f64; 2]) -> [f64; 3] {
        self.point(self.side_parameters(side, at))
    }

    /// Parameters of the patch for those of a side mapped to \[0,1\].
    pub(crate) fn side_parameters(&self, side: Side, at: [f64; 2]) -> [f64; 3] {
        let domain = self.domain();
        let mut u = [0.0; 3];
        u[side.direction()] = domain[side.direction()][usize::from(side.is_end())];
        for (d, t) in side.tangents().into_iter().zip(at) {
            u[d] = domain[d][0] + t * (domain[d][1] - domain[d][0]);
        }
        u
    }
}
