//! Interface reduction: characteristic constraint modes instead of the dofs of a part of the interface.
//!
//! ```text
//! K̂_JJ w = ω² M̂_JJ w,   w_Rᵀ M̂_JJ w = 0,    L = blockdiag(E, [w_R w_1 … w_N])
//! ```
//!
//! over the columns J of a part of the interface, all others held. The rigid motions w_R of the part are kept
//! exactly, so that rigid motions of the body remain free of strain. The subspaces are nested, so that
//! frequencies converge from above with N.
//!
//! # Source
//!
//! Castanier, Tan & Pierre (2001), AIAA J. 39(6), 1182–1187.

use std::f64::consts::TAU;
use std::ops::Range;

use carom_linalg::DenseEigenError;
use carom_linalg::dense::{fix_signs, symmetrised};
use faer::linalg::solvers::{Qr, SolveLstsq};
use faer::{Mat, MatRef};

use crate::error::ReduceError;
use crate::reduced::NamedSurface;
use crate::second::{SecondModes, second_modes};
use crate::variant::{Keep, Variant};

/// A part of the interface that is reduced.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Part {
    /// Name of the set, or a description of the part.
    pub(crate) name: String,
    /// Its columns among those of T.
    pub(crate) columns: Vec<usize>,
    pub(crate) keep: Keep,
}

/// Fraction of the largest rigid motion of a part below which a rigid motion is dependent (one or two nodes,
/// nodes on a line).
const DEPENDENT: f64 = 1e-9;

/// A kept coordinate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Kept {
    /// An unchanged column of T.
    Whole(usize),
    /// A mode of a part: its number, and its frequency \[Hz\], none for a rigid motion.
    Mode { part: usize, number: usize, hz: Option<f64> },
}

/// A reduced interface.
#[derive(Debug, Clone)]
pub(crate) struct ReducedInterface {
    /// L, columns of T × kept coordinates.
    pub(crate) map: Mat<f64>,
    /// The kept coordinates: first those of the parts, one part after the other, then all other columns in
    /// their order.
    pub(crate) kept: Vec<Kept>,
    /// Number of kept coordinates of each part.
    pub(crate) counts: Vec<usize>,
}

/// The map L from the coordinates that are kept to those of T.
///
/// * `stiffness`, `mass` — K̂ and M̂ over the columns of T
/// * `rigid` — rigid motions in these coordinates
pub(crate) fn characteristic_modes(
    stiffness: MatRef<'_, f64>,
    mass: MatRef<'_, f64>,
    rigid: MatRef<'_, f64>,
    parts: &[Part],
) -> Result<ReducedInterface, DenseEigenError> {
    let n = stiffness.nrows();
    let mut is_whole = vec![true; n];
    let (mut kept, mut counts) = (Vec::new(), Vec::new());
    let mut vectors: Vec<(&Part, Mat<f64>)> = Vec::new();
    for (i, part) in parts.iter().enumerate() {
        part.columns.iter().for_each(|&column| is_whole[column] = false);
        let own = |a: MatRef<'_, f64>| {
            Mat::from_fn(part.columns.len(), part.columns.len(), |i, j| a[(part.columns[i], part.columns[j])])
        };
        let motions = Mat::from_fn(part.columns.len(), rigid.ncols(), |i, k| rigid[(part.columns[i], k)]);
        let modes = part_modes(own(stiffness).as_ref(), own(mass).as_ref(), motions, part.keep)?;
        counts.push(modes.vectors.ncols());
        match modes.hz {
            Some(hz) => {
                kept.extend(hz.into_iter().enumerate().map(|(number, hz)| Kept::Mode { part: i, number, hz }))
            }
            None => kept.extend(part.columns.iter().map(|&column| Kept::Whole(column))),
        }
        vectors.push((part, modes.vectors));
    }
    let whole: Vec<usize> = (0..n).filter(|&column| is_whole[column]).collect();
    let mut map = Mat::zeros(n, counts.iter().sum::<usize>() + whole.len());
    let mut at = 0;
    for (part, w) in &vectors {
        for k in 0..w.ncols() {
            (0..w.nrows()).for_each(|i| map[(part.columns[i], at + k)] = w[(i, k)]);
        }
        at += w.ncols();
    }
    whole.iter().enumerate().for_each(|(k, &column)| map[(column, at + k)] = 1.0);
    kept.extend(whole.into_iter().map(Kept::Whole));
    Ok(ReducedInterface { map, kept, counts })
}

/// Vectors over the columns of a part.
struct PartModes {
    vectors: Mat<f64>,
    /// Frequency of each \[Hz\], none for a rigid motion; no list if the vectors are the unchanged columns.
    hz: Option<Vec<Option<f64>>>,
}

/// Rigid motions of a part, then its characteristic modes.
fn part_modes(
    stiffness: MatRef<'_, f64>,
    mass: MatRef<'_, f64>,
    motions: Mat<f64>,
    keep: Keep,
) -> Result<PartModes, DenseEigenError> {
    let n = stiffness.nrows();
    let rigid = independent_columns(motions);
    let r = rigid.ncols();
    if r >= n {
        return Ok(PartModes { vectors: Mat::identity(n, n), hz: None });
    }
    let modes = second_modes(stiffness, mass, rigid.as_ref())?;
    let elastic = match keep {
        Keep::Count(count) => count.saturating_sub(r),
        Keep::UpTo(hz) => modes.omega.partition_point(|&omega| omega <= TAU * hz),
    }
    .min(n - r);
    let vectors =
        Mat::from_fn(
            n,
            r + elastic,
            |i, k| if k < r { rigid[(i, k)] } else { modes.combination[(i, k - r)] },
        );
    let hz = (0..r + elastic).map(|k| k.checked_sub(r).map(|k| modes.omega[k] / TAU)).collect();
    Ok(PartModes { vectors, hz: Some(hz) })
}

/// An orthonormal basis of the columns, each scaled to length 1 before.
fn independent_columns(mut columns: Mat<f64>) -> Mat<f64> {
    for k in 0..columns.ncols() {
        let length = columns.col(k).norm_l2();
        if length > 0.0 {
            columns.col_mut(k).iter_mut().for_each(|x| *x /= length);
        }
    }
    let mut kept: Vec<usize> = Vec::new();
    for k in 0..columns.ncols() {
        for _ in 0..2 {
            for &j in &kept {
                let part: f64 = columns.col(j).transpose() * columns.col(k);
                for i in 0..columns.nrows() {
                    let x = part * columns[(i, j)];
                    columns[(i, k)] -= x;
                }
            }
        }
        let length = columns.col(k).norm_l2();
        if length > DEPENDENT {
            columns.col_mut(k).iter_mut().for_each(|x| *x /= length);
            kept.push(k);
        }
    }
    Mat::from_fn(columns.nrows(), kept.len(), |i, k| columns[(i, kept[k])])
}

/// The second eigenproblem on an interface with reduced parts, in combinations of the columns of T.
///
/// # Errors
///
/// [`DenseEigenError`]
pub(crate) fn reduced_second_modes(
    stiffness: MatRef<'_, f64>,
    mass: MatRef<'_, f64>,
    rigid: MatRef<'_, f64>,
    parts: &[Part],
    notes: &mut Vec<String>,
) -> Result<(SecondModes, Option<ReducedInterface>), DenseEigenError> {
    if parts.is_empty() {
        return Ok((second_modes(stiffness, mass, rigid)?, None));
    }
    let reduced = characteristic_modes(stiffness, mass, rigid, parts)?;
    notes.extend(parts.iter().zip(&reduced.counts).map(|(part, &count)| note_on_part(part, count)));
    let map = &reduced.map;
    let projected = |a: MatRef<'_, f64>| symmetrised((map.transpose() * (a * map)).as_ref());
    let own = coordinates(map.as_ref(), rigid);
    let second = second_modes(projected(stiffness).as_ref(), projected(mass).as_ref(), own.as_ref())?;
    let mut combination = map * &second.combination;
    fix_signs(combination.as_mut());
    Ok((SecondModes { combination, ..second }, Some(reduced)))
}

/// A note about the kept coordinates of a part, with the reason if their number is not the requested one.
fn note_on_part(part: &Part, count: usize) -> String {
    let (name, n) = (&part.name, part.columns.len());
    let why = match part.keep {
        Keep::Count(wanted) if wanted < count => {
            format!(
                ", not to {wanted}: its {count} rigid motions are always kept, so that the body can move \
                 without strain"
            )
        }
        Keep::Count(wanted) if wanted > count => format!(", not to {wanted}: it has no more"),
        _ => String::new(),
    };
    format!("`{name}`: {n} interface dofs reduced to {count}{why}")
}

/// The parts of the interface that are reduced.
///
/// A point of several sets belongs to the part that is named first. A set with faces is reduced only if it is
/// named; its compliance is then incomplete.
///
/// * `interface` — its points, ascending: columns 3 i + a of T
/// * `n_interface` — number of interface dofs; those beyond the points are dofs of markers, which cannot be
///   in contact
///
/// # Errors
///
/// [`ReduceError::NoInterfaceSet`]
pub(crate) fn interface_parts(
    body: &str,
    interface: &[u32],
    n_interface: usize,
    sets: &[(String, Vec<u32>)],
    surfaces: &mut [NamedSurface],
    variant: &Variant,
    notes: &mut Vec<String>,
) -> Result<Vec<Part>, ReduceError> {
    let mut is_reduced = vec![false; interface.len()];
    let mut parts = Vec::new();
    let markers = 3 * interface.len()..n_interface;
    let mut add =
        |name: String, points: &[u32], more: Range<usize>, keep: Keep, is_reduced: &mut Vec<bool>| {
            let own: Vec<usize> = points
                .iter()
                .filter_map(|point| interface.binary_search(point).ok())
                .filter(|&i| !std::mem::replace(&mut is_reduced[i], true))
                .collect();
            let columns: Vec<usize> =
                own.iter().flat_map(|&i| (0..3).map(move |a| 3 * i + a)).chain(more).collect();
            if !columns.is_empty() {
                parts.push(Part { name, columns, keep });
            }
        };
    for (set, keep) in &variant.interface_modes {
        let Some((_, points)) = sets.iter().find(|(name, _)| name == set) else {
            let known: Vec<String> = sets.iter().map(|(name, _)| format!("`{name}`")).collect();
            let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
            return Err(ReduceError::NoInterfaceSet { body: body.to_owned(), set: set.clone(), known });
        };
        add(set.clone(), points, 0..0, *keep, &mut is_reduced);
        if surfaces.iter().any(|surface| surface.name == *set) {
            notes.push(format!(
                "set `{set}` has faces and is reduced to interface modes: its local compliance is lost, so \
                 that it is not suitable for contact"
            ));
        }
    }
    if let Some(keep) = variant.reduce_interface {
        let mut touchable: Vec<u32> =
            surfaces.iter().flat_map(|surface| surface.surface.points.iter().copied()).collect();
        touchable.sort_unstable();
        let rest: Vec<u32> =
            interface.iter().copied().filter(|point| touchable.binary_search(point).is_err()).collect();
        let before = is_reduced.clone();
        add("interface without faces".to_owned(), &rest, markers.clone(), keep, &mut is_reduced);
        if is_reduced == before && markers.is_empty() {
            notes.push(
                "no part of the interface is reduced: all of it has faces and can be in contact; name the \
                 sets that only carry joints as interface modes"
                    .to_owned(),
            );
        }
    }
    mark_incomplete(surfaces, interface, &is_reduced);
    Ok(parts)
}

/// Marks the points of surfaces that are reduced, or not interface points, as incomplete.
fn mark_incomplete(surfaces: &mut [NamedSurface], interface: &[u32], is_reduced: &[bool]) {
    for surface in surfaces {
        for (point, complete) in surface.surface.points.iter().zip(&mut surface.is_interface) {
            *complete &= interface.binary_search(point).is_ok_and(|i| !is_reduced[i]);
        }
    }
}

/// The coordinates y of z in the columns of L, z = L y, by least squares: exact for vectors in the span of L.
pub(crate) fn coordinates(map: MatRef<'_, f64>, z: MatRef<'_, f64>) -> Mat<f64> {
    Qr::new(map).solve_lstsq(z)
}
