//! Ties: faces, or parts of them, that two solids of a file have in common.
//!
//! Solids of an assembly that touch have a face each at the same place. [`find`] cuts copies of such faces
//! along each other: their common pieces are the tie. [`imprint`] cuts the faces of one solid along the
//! outlines of its ties, so that cells of its mesh end there and each tie is a set.

use serde::{Deserialize, Serialize};

use crate::gmsh::{Entity, Gmsh, GmshError};
use crate::solids::Solid;

/// Distance up to which OpenCASCADE takes faces for coincident, in the unit of the model \[m\].
pub(crate) const COINCIDENT: f64 = 1e-7;

/// Relative difference up to which measures of a shape are equal: OpenCASCADE integrates over the faces, to
/// 1e-5 in parts of the reference data.
const SAME: f64 = 1e-4;

/// Relative volume above which solids overlap: smaller ones are rounding.
const OVERLAP: f64 = 1e-6;

/// The faces at which two solids touch.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Tie {
    /// Name of the set on both bodies.
    pub(crate) name: String,
    /// Numbers of the solids, the lower one first.
    pub(crate) solids: [usize; 2],
    /// Numbers of the faces of each solid that contain the tie.
    pub(crate) faces: [Vec<usize>; 2],
    /// Common area [m²].
    pub(crate) area: f64,
    /// Centre of the common area [m].
    pub(crate) centre: [f64; 3],
    /// Volume that both solids fill [m³]; 0 for solids that only touch.
    pub(crate) overlap: f64,
}

impl Tie {
    /// A sentence for the user.
    pub(crate) fn sentence(&self, solids: &[Solid]) -> String {
        let [a, b] = self.solids.map(|number| solids[number - 1].title());
        let faces = |side: usize| {
            let names: Vec<String> = self.faces[side].iter().map(|face| format!("face{face}")).collect();
            names.join(", ")
        };
        let [x, y, z] = self.centre.map(|x| (x * 1e7).round() / 1e7 + 0.0);
        let mut text = format!(
            "set `{}`: solids {a} and {b} touch on {:.4e} m² around ({x}, {y}, {z}), less than \
             {COINCIDENT:e} m apart: {} of solid {} and {} of solid {}",
            self.name,
            self.area,
            faces(0),
            self.solids[0],
            faces(1),
            self.solids[1],
        );
        if self.overlap > 0.0 {
            text += &format!(
                "; the solids also overlap by {:.3e} m³, to be removed in the CAD program",
                self.overlap
            );
        }
        text
    }
}

/// The ties between solids, of one of them or of all, and notes.
///
/// * `only` — index of the solid whose ties are wanted
pub(crate) fn find(
    gmsh: &Gmsh,
    volumes: &[Entity],
    solids: &[Solid],
    only: Option<usize>,
) -> Result<(Vec<Tie>, Vec<String>), GmshError> {
    let faces: Vec<Vec<Face>> =
        volumes.iter().map(|&volume| faces_of(gmsh, volume)).collect::<Result<_, _>>()?;
    let (mut ties, mut notes) = (Vec::new(), Vec::new());
    for b in 1..volumes.len() {
        for a in 0..b {
            let is_wanted = only.is_none_or(|only| only == a || only == b);
            if !is_wanted || !are_near(solids[a].bounds, solids[b].bounds) {
                continue;
            }
            let pair = [(volumes[a], &solids[a], &faces[a]), (volumes[b], &solids[b], &faces[b])];
            match between(gmsh, pair) {
                Ok(tie) => ties.extend(tie),
                Err(error) => notes.push(format!(
                    "whether the solids {} and {} touch is not known: {error}",
                    solids[a].title(),
                    solids[b].title()
                )),
            }
        }
    }
    ties.sort_by_key(|tie| tie.solids);
    Ok((ties, notes))
}

/// A face with the box around it.
struct Face {
    entity: Entity,
    bounds: [[f64; 3]; 2],
}

fn faces_of(gmsh: &Gmsh, volume: Entity) -> Result<Vec<Face>, GmshError> {
    let face = |entity: Entity| Ok(Face { entity, bounds: gmsh.box_around(entity.0, entity.1)? });
    gmsh.boundary(&[volume])?.into_iter().map(face).collect()
}

/// True if two boxes have common points, or nearly so.
fn are_near([low, high]: [[f64; 3]; 2], [other_low, other_high]: [[f64; 3]; 2]) -> bool {
    (0..3).all(|d| {
        let reach = 10.0 * COINCIDENT + 1e-6 * (high[d] - low[d] + other_high[d] - other_low[d]);
        low[d] <= other_high[d] + reach && other_low[d] <= high[d] + reach
    })
}

/// The tie of two solids, if they touch.
fn between(gmsh: &Gmsh, pair: [(Entity, &Solid, &Vec<Face>); 2]) -> Result<Option<Tie>, GmshError> {
    let [(_, _, all_a), (_, _, all_b)] = pair;
    let near = |face: &Face, others: &[Face]| others.iter().any(|other| are_near(face.bounds, other.bounds));
    let candidates = |faces: &[Face], others: &[Face]| -> Vec<usize> {
        (0..faces.len()).filter(|&i| near(&faces[i], others)).collect()
    };
    let (near_a, near_b) = (candidates(all_a, all_b), candidates(all_b, all_a));
    if near_a.is_empty() || near_b.is_empty() {
        return Ok(None);
    }
    let entities =
        |faces: &[Face], near: &[usize]| -> Vec<Entity> { near.iter().map(|&i| faces[i].entity).collect() };
    let common = common_pieces(gmsh, &entities(all_a, &near_a), &entities(all_b, &near_b))?;
    let (mut area, mut moment) = (0.0, [0.0; 3]);
    let mut faces = [Vec::new(), Vec::new()];
    for &(i, j, piece) in &common {
        let own = gmsh.measure(piece)?;
        let centre = gmsh.centre(piece)?;
        area += own;
        (0..3).for_each(|d| moment[d] += own * centre[d]);
        faces[0].push(near_a[i] + 1);
        faces[1].push(near_b[j] + 1);
    }
    gmsh.remove(&common.iter().map(|&(_, _, piece)| piece).collect::<Vec<_>>())?;
    if faces[0].is_empty() {
        return Ok(None);
    }
    faces.iter_mut().for_each(|faces| {
        faces.sort_unstable();
        faces.dedup();
    });
    let [(a, solid_a, _), (b, solid_b, _)] = pair;
    Ok(Some(Tie {
        name: format!("tie-{}-{}", solid_a.number, solid_b.number),
        solids: [solid_a.number, solid_b.number],
        faces,
        area,
        centre: moment.map(|m| m / area),
        overlap: overlap(gmsh, [a, b], solid_a.volume.min(solid_b.volume))?,
    }))
}

/// The common pieces of two lists of faces, each with the indices of the faces that contain it. They are new
/// faces in the model; the given ones remain as they are.
fn common_pieces(
    gmsh: &Gmsh,
    of_a: &[Entity],
    of_b: &[Entity],
) -> Result<Vec<(usize, usize, Entity)>, GmshError> {
    let (copies_a, copies_b) = (gmsh.copies(of_a)?, gmsh.copies(of_b)?);
    let pieces = gmsh.fragments(&copies_a, &copies_b)?;
    let (of_a, of_b) = pieces.split_at(copies_a.len().min(pieces.len()));
    let mut common = Vec::new();
    for (i, pieces_a) in of_a.iter().enumerate() {
        for (j, pieces_b) in of_b.iter().enumerate() {
            let both = pieces_a.iter().filter(|piece| pieces_b.contains(piece));
            common.extend(both.map(|&piece| (i, j, piece)));
        }
    }
    let mut rest = pieces.concat();
    rest.retain(|piece| !common.iter().any(|(_, _, kept)| kept == piece));
    rest.sort_unstable();
    rest.dedup();
    gmsh.remove(&rest)?;
    Ok(common)
}

/// The volume that two solids have in common [m³]; 0 if it is rounding of the smaller one.
fn overlap(gmsh: &Gmsh, [a, b]: [Entity; 2], smaller: f64) -> Result<f64, GmshError> {
    let copies = [gmsh.copies(&[a])?, gmsh.copies(&[b])?];
    let pieces = gmsh.fragments(&copies[0], &copies[1])?;
    let mut common = 0.0;
    if let [of_a, of_b] = pieces.as_slice() {
        for &piece in of_a.iter().filter(|piece| of_b.contains(piece)) {
            common += gmsh.measure(piece)?;
        }
    }
    let mut all: Vec<Entity> = pieces.concat();
    all.sort_unstable();
    all.dedup();
    gmsh.remove(&all)?;
    Ok(if common > OVERLAP * smaller { common } else { 0.0 })
}

/// A solid that is alone in the model, with the entities that its sets consist of.
pub(crate) struct Imprinted {
    /// The solid.
    pub(crate) volume: Entity,
    /// The tags of each of its faces, which ties may have cut into pieces.
    pub(crate) faces: Vec<Vec<i32>>,
    /// The tags of each of its ties.
    pub(crate) ties: Vec<(String, Vec<i32>)>,
}

/// Removes all solids but one, and cuts its faces along the outlines of its ties. `None` if that fails or
/// changes the solid: then the model is no longer usable.
pub(crate) fn imprint(
    gmsh: &Gmsh,
    volumes: &[Entity],
    chosen: usize,
    ties: &[Tie],
) -> Result<Option<Imprinted>, GmshError> {
    let (own, volume) = (gmsh.boundary(&[volumes[chosen]])?, gmsh.measure(volumes[chosen])?);
    let before: Vec<Place> = own.iter().map(|&face| Place::of(gmsh, face)).collect::<Result<_, _>>()?;
    let mut tools: Vec<(usize, Entity)> = Vec::new();
    for (i, tie) in ties.iter().enumerate() {
        let side = usize::from(tie.solids[0] == chosen + 1);
        let others = gmsh.boundary(&[volumes[tie.solids[side] - 1]])?;
        let of = |all: &[Entity], side: usize| -> Vec<Entity> {
            tie.faces[side].iter().map(|&face| all[face - 1]).collect()
        };
        let common = common_pieces(gmsh, &of(&own, 1 - side), &of(&others, side))?;
        tools.extend(common.into_iter().map(|(_, _, piece)| (i, piece)));
    }
    keep_alone(gmsh, volumes, chosen)?;
    let objects: Vec<Entity> = std::iter::once(volumes[chosen]).chain(own.iter().copied()).collect();
    let copies: Vec<Entity> = tools.iter().map(|&(_, copy)| copy).collect();
    let Ok(pieces) = gmsh.fragments(&objects, &copies) else { return Ok(None) };
    let Some(([solid], rest)) = pieces.split_first().map(|(first, rest)| (first.as_slice(), rest)) else {
        return Ok(None);
    };
    if rest.len() != own.len() + copies.len() {
        return Ok(None);
    }
    let (of_faces, of_tools) = rest.split_at(own.len());
    gmsh.synchronise()?;
    let bounding = gmsh.boundary(&[*solid])?;
    let Some(faces) = pieces_of_faces(gmsh, &before, of_faces, &bounding)? else { return Ok(None) };
    let mut left_over: Vec<Entity> = of_tools.concat();
    left_over.retain(|piece| !bounding.contains(piece));
    left_over.sort_unstable();
    left_over.dedup();
    gmsh.remove(&left_over)?;
    gmsh.synchronise()?;
    if (gmsh.measure(*solid)? / volume - 1.0).abs() > SAME {
        return Ok(None);
    }
    let mut sets: Vec<(String, Vec<i32>)> = Vec::new();
    for (i, tie) in ties.iter().enumerate() {
        let of_tie = tools.iter().zip(of_tools).filter(|((of, _), _)| *of == i);
        let mut common: Vec<i32> = of_tie
            .flat_map(|(_, pieces)| pieces.iter().filter(|piece| bounding.contains(piece)))
            .map(|(_, tag)| *tag)
            .collect();
        common.sort_unstable();
        common.dedup();
        let area = common.iter().map(|&tag| gmsh.measure((2, tag))).sum::<Result<f64, _>>()?;
        if (area / tie.area - 1.0).abs() > SAME {
            return Ok(None);
        }
        sets.push((tie.name.clone(), common));
    }
    Ok(Some(Imprinted { volume: *solid, faces, ties: sets }))
}

/// Area and centre of a face.
struct Place {
    area: f64,
    centre: [f64; 3],
}

impl Place {
    fn of(gmsh: &Gmsh, face: Entity) -> Result<Self, GmshError> {
        Ok(Self { area: gmsh.measure(face)?, centre: gmsh.centre(face)? })
    }

    fn is(&self, other: &Self) -> bool {
        let reach = 1e-2 * SAME * self.area.sqrt() + COINCIDENT;
        (self.area - other.area).abs() < SAME * self.area.abs()
            && (0..3).all(|d| (self.centre[d] - other.centre[d]).abs() < reach)
    }
}

/// The tags of the pieces of each face. Gmsh gives no pieces of faces that remained whole, but they have new
/// tags: they are recognised by their place. `None` unless each bounding face belongs to one face.
fn pieces_of_faces(
    gmsh: &Gmsh,
    before: &[Place],
    pieces: &[Vec<Entity>],
    bounding: &[Entity],
) -> Result<Option<Vec<Vec<i32>>>, GmshError> {
    let cut: Vec<Entity> = pieces.concat();
    let mut whole = Vec::new();
    for &face in bounding.iter().filter(|face| !cut.contains(face)) {
        whole.push((face.1, Place::of(gmsh, face)?));
    }
    let mut faces = Vec::new();
    for (before, pieces) in before.iter().zip(pieces) {
        let tags: Vec<i32> = if pieces.is_empty() {
            let Some(i) = whole.iter().position(|(_, place)| place.is(before)) else { return Ok(None) };
            vec![whole.swap_remove(i).0]
        } else {
            pieces.iter().map(|(_, tag)| *tag).collect()
        };
        faces.push(tags);
    }
    let n: usize = faces.iter().map(Vec::len).sum();
    Ok((whole.is_empty() && n == bounding.len()).then_some(faces))
}

/// Removes all solids but one; its ties are whole faces.
pub(crate) fn alone(
    gmsh: &Gmsh,
    volumes: &[Entity],
    chosen: usize,
    ties: &[Tie],
) -> Result<Imprinted, GmshError> {
    let own = gmsh.boundary(&[volumes[chosen]])?;
    let of_tie = |tie: &Tie| {
        let side = usize::from(tie.solids[1] == chosen + 1);
        (tie.name.clone(), tie.faces[side].iter().map(|&face| own[face - 1].1).collect())
    };
    keep_alone(gmsh, volumes, chosen)?;
    gmsh.synchronise()?;
    Ok(Imprinted {
        volume: volumes[chosen],
        faces: own.iter().map(|(_, tag)| vec![*tag]).collect(),
        ties: ties.iter().map(of_tie).collect(),
    })
}

fn keep_alone(gmsh: &Gmsh, volumes: &[Entity], chosen: usize) -> Result<(), GmshError> {
    let others: Vec<Entity> = volumes.iter().copied().filter(|volume| *volume != volumes[chosen]).collect();
    gmsh.remove(&others)
}
