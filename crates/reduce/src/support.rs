//! Supports of a body: sets whose points are held in all or some directions; and the rigid motions that they
//! leave.

use carom_fem::parts::parts;
use carom_fem::{Body, Discretisation, SetError};

use crate::motions::RigidMotions;

/// A set whose points are held along all or some axes: `foot`, `symmetry=x`, `rail=yz`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Support {
    /// Name of the set.
    pub set: String,
    /// True for each of x, y, z that is held.
    pub axes: [bool; 3],
}

/// Errors of a support.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum SupportError {
    /// There is no such set.
    #[error(transparent)]
    Set(#[from] SetError),
    /// The directions are invalid.
    #[error(
        "`{text}` has no valid directions: write SET to hold all of its points, or SET=xz to hold them \
         along some \
         of x, y, z, each named once"
    )]
    Axes {
        /// The text.
        text: String,
    },
}

impl Support {
    /// The name of the set in a text, without knowledge of the body's sets.
    pub fn name_in(text: &str) -> &str {
        match Self::read(text, &[]) {
            Ok(_) => text.rsplit_once('=').map_or(text, |(set, _)| set),
            Err(_) => text,
        }
    }

    /// Reads `SET` or `SET=xz`; the name of a set may contain an equals sign.
    ///
    /// * `sets` — names of the sets of the body
    ///
    /// # Errors
    ///
    /// [`SupportError::Axes`].
    pub fn read(text: &str, sets: &[String]) -> Result<Self, SupportError> {
        let whole = || Self { set: text.to_owned(), axes: [true; 3] };
        let Some((set, letters)) = text.rsplit_once('=') else { return Ok(whole()) };
        if sets.iter().any(|known| known == text) {
            return Ok(whole());
        }
        let axes = ['x', 'y', 'z'].map(|axis| letters.contains(axis));
        let n = axes.iter().filter(|&&held| held).count();
        if set.is_empty() || n == 0 || letters.chars().count() != n {
            return Err(SupportError::Axes { text: text.to_owned() });
        }
        Ok(Self { set: set.to_owned(), axes })
    }
}

/// The held components of each point.
///
/// * `supports` — each `SET` or `SET=xz`
///
/// # Errors
///
/// [`SupportError`].
pub fn held_components(
    body: &Body,
    discretisation: &Discretisation,
    supports: &[String],
) -> Result<Vec<[bool; 3]>, SupportError> {
    let mut held = vec![[false; 3]; discretisation.n_points()];
    let sets = body.set_names();
    for text in supports {
        let support = Support::read(text, &sets)?;
        for point in body.points_of_set(discretisation, &support.set)? {
            (0..3).filter(|&a| support.axes[a]).for_each(|a| held[point as usize][a] = true);
        }
    }
    Ok(held)
}

/// Rigid motions of a part of a body that the supports leave.
pub fn left_to(discretisation: &Discretisation, part: &[u32], held: &[[bool; 3]]) -> RigidMotions {
    let places: Vec<[f64; 3]> = part.iter().map(|&point| discretisation.points[point as usize]).collect();
    let held: Vec<[bool; 3]> = part.iter().map(|&point| held[point as usize]).collect();
    RigidMotions::left_by(&places, &held)
}

/// Number of rigid motions that the supports leave, over all parts of the body.
pub(crate) fn n_motions(discretisation: &Discretisation, held: &[[bool; 3]]) -> usize {
    parts(discretisation, &[]).iter().map(|part| left_to(discretisation, part, held).len()).sum()
}

/// Parts for a message: `part 1: 45 nodes with the sets `west`, `east`; part 2: …`.
pub(crate) fn list_of_parts(body: &Body, discretisation: &Discretisation, parts: &[Vec<u32>]) -> String {
    const MOST: usize = 4;
    let sets: Vec<(String, Vec<u32>)> = body
        .set_names()
        .into_iter()
        .filter_map(|set| body.points_of_set(discretisation, &set).ok().map(|points| (set, points)))
        .collect();
    let one = |(number, part): (usize, &Vec<u32>)| {
        let own = sets.iter().filter(|(_, points)| points.iter().any(|p| part.binary_search(p).is_ok()));
        let own: Vec<String> = own.map(|(set, _)| format!("`{set}`")).collect();
        let with = if own.is_empty() {
            let first = discretisation.points[part[0] as usize].map(|x| format!("{x:.4e}"));
            format!("near ({})", first.join(", "))
        } else {
            format!("with {}", own.join(", "))
        };
        format!("part {number}: {} nodes {with}", part.len())
    };
    let mut all: Vec<String> = (1..).zip(parts).take(MOST).map(one).collect();
    all.extend((parts.len() > MOST).then(|| format!("and {} more", parts.len() - MOST)));
    all.join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn supports_are_read_with_their_axes() {
        let sets = ["foot".to_owned(), "odd=x".to_owned()];
        let axes = |text: &str| Support::read(text, &sets).map(|support| (support.set, support.axes));
        assert_eq!(axes("foot").unwrap(), ("foot".to_owned(), [true; 3]));
        assert_eq!(axes("foot=zx").unwrap(), ("foot".to_owned(), [true, false, true]));
        assert_eq!(axes("odd=x").unwrap(), ("odd=x".to_owned(), [true; 3]));
        for text in ["foot=", "foot=xx", "foot=w", "=x", "foot=x,y"] {
            assert!(axes(text).unwrap_err().to_string().contains("SET=xz"), "{text}");
        }
    }
}
