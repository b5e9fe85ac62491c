//! Numbers of elements of bodies that are described by a shape alone, and whose model is left open.
//!
//! Contact on half-space grids needs cells whose loads (1.5 edges in radius) fit on the surface, 0.7 of its
//! radius of curvature, and that are not longer than a plate is thick. All other needs follow from the waves:
//! a cell along a rod is as long as the rod is thick, a tenth of the wave at which bending leaves beam
//! theory.

use std::borrow::Cow;
use std::f64::consts::FRAC_PI_2;

use carom_format::scenario::model::{BodySource, BodySpec, MakeSpec, ReduceSpec, Scenario};

use super::Choice;

/// Cells on a quarter of a circle: 0.39 radii each.
const QUARTER: usize = 4;

/// Most cells along a direction.
const MOST: usize = 200;

/// Most cells along an edge of a box.
const MOST_OF_BOX: f64 = 40.0;

/// Thickness over width below which a box is a plate.
const PLATE: f64 = 0.25;

/// Cells on the smallest edge of a box that is thicker than a plate.
const OF_BLOCK: f64 = 4.0;

/// Reasons for numbers of elements.
const CURVED: &str = "edges of 0.4 radii of curvature carry the loads of a contact on a grid of its own";
const WALL: &str = "edges of the thickness of the body carry the loads of a contact on a grid of its own";
const LONG: &str = "cells are then as long as the body is wide, which its modes need";
const TUBE: &str = "cells are then as long as the body is wide, and around it as the wall is thick where \
                    that takes at most 12 on a quarter";
const BLOCK: &str = "edges are then a quarter of the least edge of the block";

/// The scenario with numbers of elements for its open bodies, and the reason for each of them.
pub(crate) fn meshed(scenario: &Scenario) -> (Cow<'_, Scenario>, Vec<Choice>) {
    let (mut meshed, mut choices) = (Cow::Borrowed(scenario), Vec::new());
    for (i, spec) in scenario.body.iter().enumerate() {
        if let (true, BodySource::Make { make }) = (is_open(scenario, spec), &spec.source)
            && let Some((elements, reason)) = elements(make)
            && let BodySource::Make { make } = &mut meshed.to_mut().body[i].source
        {
            choices.push(Choice {
                of: format!("body {}", spec.name),
                key: "make.elements",
                value: format!("{elements:?}"),
                reason: reason.to_owned(),
            });
            make.elements = elements;
        }
    }
    (meshed, choices)
}

/// True if a body is to be reduced and its scenario says neither how nor by which cells.
fn is_open(scenario: &Scenario, spec: &BodySpec) -> bool {
    let reduces = scenario.simulation.scheme.row().high_modes.is_some() && !spec.rigid;
    let is_open = spec.reduce.as_ref().is_none_or(ReduceSpec::is_open);
    reduces && is_open && spec.refine.is_none() && spec.zone.is_empty()
}

/// Numbers of elements along the directions of a shape, with the reason; none if they are given, or sizes are
/// missing.
fn elements(make: &MakeSpec) -> Option<(Vec<usize>, &'static str)> {
    if !make.elements.is_empty() || !make.grade.is_empty() {
        return None;
    }
    let count = |ratio: f64, least: usize| (ratio.ceil() as usize).clamp(least, MOST);
    let (radius, inner) = (make.radius, make.inner_radius);
    Some(match make.shape.as_str() {
        "ball" => (vec![QUARTER, 2], CURVED),
        "octant" => (vec![QUARTER, 3], CURVED),
        "ellipsoid" => {
            let [a, b, c] = make.semi_axes?;
            // The tip of the longest axis has the radius of curvature min²/max.
            let (most, least) = (a.max(b).max(c), a.min(b).min(c));
            (vec![count(QUARTER as f64 * most / least, QUARTER).min(4 * QUARTER), 2], CURVED)
        }
        "shell" => (vec![count(FRAC_PI_2 * radius? / (radius? - inner?), QUARTER).min(24), 1], WALL),
        "rod" if make.length? < radius? => {
            // A disc: a plate of this thickness.
            let around = count(FRAC_PI_2 * radius? / make.length?, QUARTER).min(4 * QUARTER);
            (vec![1, around, around.div_ceil(2)], WALL)
        }
        "rod" | "capsule" => (vec![count(make.length? / (2.0 * radius?), 2), 2, 2], LONG),
        "tube" => {
            let around = count(FRAC_PI_2 * radius? / (radius? - inner?), QUARTER).min(12);
            (vec![count(make.length? / (2.0 * radius?), 2), around, 1], TUBE)
        }
        "torus" => (vec![count(FRAC_PI_2 * radius? / inner?, QUARTER), QUARTER, 2], CURVED),
        "box" | "plate" => {
            let size = make.size?;
            let mut sorted = size;
            sorted.sort_by(f64::total_cmp);
            let [least, middle, most] = sorted;
            let is_plate = least < PLATE * middle;
            let edge = if is_plate { least } else { least / OF_BLOCK };
            let edge = edge.max(most / MOST_OF_BOX);
            let counts = size.map(|length| count(length / edge * (1.0 - 1e-9), 1)).to_vec();
            (counts, if is_plate { WALL } else { BLOCK })
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_fit_the_curvature_the_thickness_and_the_length() {
        let of = |shape: &str, radius: f64, inner: f64, length: f64, size: [f64; 3]| {
            elements(&MakeSpec {
                shape: shape.to_owned(),
                radius: Some(radius),
                inner_radius: Some(inner),
                length: Some(length),
                size: Some(size),
                ..MakeSpec::default()
            })
            .map(|(elements, _)| elements)
        };
        let cube = [0.0; 3];
        assert_eq!(of("ball", 1.0, 0.0, 0.0, cube), Some(vec![4, 2]));
        assert_eq!(of("rod", 0.01, 0.0, 1.0, cube), Some(vec![50, 2, 2]));
        assert_eq!(of("rod", 0.05, 0.0, 0.005, cube), Some(vec![1, 16, 8]));
        assert_eq!(of("box", 0.0, 0.0, 0.0, [0.1, 0.08, 0.005]), Some(vec![20, 16, 1]));
        assert_eq!(of("box", 0.0, 0.0, 0.0, [0.1; 3]), Some(vec![4; 3]));
        assert_eq!(of("shell", 0.1, 0.09, 0.0, cube), Some(vec![16, 1]));
        let given = MakeSpec { shape: "ball".to_owned(), elements: vec![1], ..MakeSpec::default() };
        assert_eq!(elements(&given), None);
    }
}
