//! Warnings about a run that ended well: where the model was used beyond its limits.

use crate::contact::{Overlap, Rim, RimPolicy};
use crate::events::{ContactEvents, PairRecord};
use crate::expected_error::doubts_of_meshes;
use crate::force_swing::swing_warnings;
use crate::outcome::{RimPlace, RunError};
use crate::resolution::resolution_warnings;
use crate::system::System;
use nalgebra::Vector3;

/// Share of the force at a rim, or outside the interface, below which there is no warning.
const SHARE: f64 = 1e-3;

/// Impacts from which on they may be one contact that chatters.
const CHATTER: usize = 3;

/// Overlap without force, in sizes of the pressure cell, below which there is no warning. The force sets in
/// late by it.
const OVERLAP: f64 = 0.05;

/// Sentences about pressure at the rim of a contact zone, overlap without force, meshes that are too coarse
/// for a contact, forces that swing, force outside the interface points, and modes that are treated
/// statically although the impact is short for them. Empty if all is well.
pub(crate) fn of_contacts(system: &System, events: &ContactEvents) -> Vec<String> {
    let mut warnings = Vec::new();
    for (pair, PairRecord { memory, .. }) in events.pairs().iter().enumerate() {
        if let Some((time, rim)) = memory.rim.filter(|(_, rim)| rim.share > SHARE) {
            warnings.push(format!("at t = {time:.4e} s: {}", rim_place(system, pair, rim)));
        }
        if let Some((time, overlap)) = memory.overlap.filter(|(_, o)| o.ratio() > OVERLAP) {
            warnings.push(overlap_warning(system, pair, time, overlap));
        }
    }
    if events.off_interface() > SHARE {
        warnings.push(format!(
            "{:.1} % of a contact force acts on points outside the interface, whose compliance is \
             incomplete: the contact is too stiff there; make the interface larger than the contact zone",
            100.0 * events.off_interface()
        ));
    }
    for (pair, record) in events.pairs().iter().enumerate() {
        warnings.extend(doubts_of_meshes(system, pair, record));
    }
    let pairs = || events.pairs().iter();
    warnings.extend(resolution_warnings(system, pairs().map(|pair| (&pair.resolution, &pair.memory))));
    warnings.extend(swing_warnings(system, pairs().map(|pair| &pair.swing)));
    warnings.extend(system.contacts().models().iter().flat_map(|model| model.doubts()));
    split_warnings(system, events, &mut warnings);
    warnings
}

/// A sentence about contact problems that needed the fallback of the solver; none without any.
pub(crate) fn of_fallbacks(system: &System) -> Option<String> {
    let fallbacks = system.contacts().sums().fallbacks;
    (fallbacks > 0)
        .then(|| format!("{fallbacks} contact problems needed Lemke's algorithm, as active sets cycled"))
}

/// Pairs without a touch that are named.
const MOST_MISSED: usize = 10;

/// A sentence for each pair that has not touched: how near its surfaces came, and when. Of many such
/// pairs the sentences name the nearest ones and count the others.
pub(crate) fn missed_contacts(system: &System, events: &ContactEvents) -> Vec<String> {
    let never = |pair: &usize| {
        !events.pairs()[*pair].tracker.touching && !events.over().iter().any(|event| event.pair == *pair)
    };
    let mut missed: Vec<usize> = (0..events.pairs().len()).filter(never).collect();
    let others = missed.len().saturating_sub(MOST_MISSED);
    if others > 0 {
        // Of pairs that were always far apart a bound at the end is known.
        let nearest =
            |pair: usize| events.pairs()[pair].memory.nearest[0].min(system.contacts().free_gap(pair));
        missed.sort_by(|&a, &b| nearest(a).total_cmp(&nearest(b)));
        missed.truncate(MOST_MISSED);
        missed.sort_unstable();
    }
    let sentence = |pair: usize| {
        let [first, second] = system.contacts().surface_names(pair);
        let memory = &events.pairs()[pair].memory;
        let [gap, time] = memory.nearest;
        if gap.is_infinite() {
            return format!("contact `{first}` / `{second}`: no contact; the surfaces were always far apart");
        }
        // Gaps are evaluated where bodies may touch within a step, and bounded from below in between.
        let last = if memory.gap.is_finite() { memory.gap } else { system.contacts().free_gap(pair) };
        let end = if last < gap { format!(" (at the end at least {last:.3e} m)") } else { String::new() };
        format!(
            "contact `{first}` / `{second}`: no contact; nearest gap {gap:.3e} m at t = {time:.4e} s{end}"
        )
    };
    let rest = (others > 0).then(|| format!("{others} other contacts: none of them touched or came as near"));
    missed.into_iter().map(sentence).chain(rest).collect()
}

/// Ends the run if a pair that must not has pressure at the rim of a zone at the end of an accepted step:
/// trial stages may overshoot, and count for nothing.
pub(crate) fn check_rims(system: &System, time: f64) -> Result<(), RunError> {
    for (pair, reaction) in system.contacts().reactions() {
        let policy = system.contacts().rim_policy(pair);
        if let Some(rim) = reaction.rim.filter(|rim| rim.share > SHARE && policy == RimPolicy::Error) {
            return Err(RunError::Rim { time, place: rim_place(system, pair, rim) });
        }
    }
    Ok(())
}

fn overlap_warning(system: &System, pair: usize, time: f64, overlap: Overlap) -> String {
    let names = system.contacts().surface_names(pair);
    let ([first, second], side) = (&names, system.contacts().carrier(pair));
    let carrier = &names[side];
    let Overlap { face, depth, size, place, is_corner } = overlap;
    let body = &system.bodies()[system.pair_bodies(pair)[side]];
    let [x, y, z]: [f64; 3] = (body.frame_origin + Vector3::from(place)).into();
    let (what, remedy) = if is_corner {
        (
            "the corner",
            format!(
                "make faces of `{carrier}` smaller there (`grade = \
                 {{ at = [{x:.4e}, {y:.4e}, {z:.4e}], finest = … }}`)"
            ),
        )
    } else {
        ("a point", format!("refine `{carrier}`"))
    };
    format!(
        "at t = {time:.4e} s: contact `{first}` / `{second}`: {what} of pressure cell {face} of `{carrier}` \
         (near {x:.4e}, {y:.4e}, {z:.4e} m in source coordinates of body `{}`) lies {depth:.3e} m inside the \
         other body without a force, as the gap is still open on the average over the cell of {size:.3e} \
         m: the force sets in late, or never; {remedy}, or round off the edge that meets it",
        body.name
    )
}

fn rim_place(system: &System, pair: usize, rim: Rim) -> RimPlace {
    let names = system.contacts().surface_names(pair);
    let name = |side: usize| names[side].clone();
    RimPlace {
        first: name(0),
        second: name(1),
        zone: name(rim.side),
        carrier: name(system.contacts().carrier(pair)),
        cell: rim.face,
        share: rim.share,
    }
}

/// Warns of static modes in a short impact: a static mode of frequency f responds to a pulse T with an error
/// of 1/(2 f T)² of its part (docs/theory/reduction.md, eq. (13)).
fn split_warnings(system: &System, events: &ContactEvents, warnings: &mut Vec<String>) {
    for (i, body) in system.bodies().iter().enumerate() {
        let first_static = body.reduced.as_ref().and_then(|reduced| reduced.omega.get(body.frame.n));
        let Some(frequency) = first_static.map(|omega| omega / std::f64::consts::TAU) else { continue };
        let touching = || {
            events.over().iter().filter(|event| {
                event.duration() > 0.0 && !event.open && system.pair_bodies(event.pair).contains(&i)
            })
        };
        let shortest = touching().map(|event| event.duration()).fold(f64::INFINITY, f64::min);
        let [start, end] = touching().fold([f64::INFINITY, 0.0], |[start, end], event| {
            [f64::min(start, event.start), f64::max(end, event.end)]
        });
        // So many periods of the split fit in the contact as a whole.
        let lower = 5.0 / (end - start);
        if frequency * shortest < 1.0 && touching().count() >= CHATTER && lower < frequency {
            warnings.push(format!(
                "body `{}`: its {} impacts last {shortest:.3e} s and less than a period of the first static \
                 mode, {frequency:.4e} Hz: one contact chatters on modes that are too few or too stiff, and \
                 its forces are not known; lower the split to about {lower:.0e} Hz, five periods in all of \
                 it, so that more modes answer it without inertia",
                body.name,
                touching().count()
            ));
        } else if frequency * shortest < 2.0 {
            warnings.push(format!(
                "body `{}`: modes from {frequency:.4e} Hz on are static, but an impact lasts \
                 {shortest:.3e} s, {:.2} of their periods (at least 2, better 5): raise the split",
                body.name,
                frequency * shortest
            ));
        }
    }
}
