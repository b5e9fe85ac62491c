//! What a user should know about a run that ended well: where the model was used beyond its limits.

use crate::contact::{Overlap, Rim, RimPolicy};
use crate::outcome::{RimPlace, RunError};
use crate::simulation::Simulation;
use nalgebra::Vector3;

impl Simulation {
    /// Share of the force at a rim, or outside the interface, below which nothing is said.
    const SHARE: f64 = 1e-3;

    /// Overlap without force, in sizes of the span, below which nothing is said: the force sets in late by
    /// it.
    const OVERLAP: f64 = 0.05;

    /// Sentences about pressure at the rim of a contact zone, overlap without force, meshes that are too
    /// coarse for a contact, forces that swing, force outside the interface points, modes that are treated
    /// statically although the impact is short for them, and fallbacks of the contact solver. Empty if all is
    /// well.
    pub fn warnings(&self) -> Vec<String> {
        let mut warnings = Vec::new();
        for (pair, memory) in self.memory.iter().enumerate() {
            if let Some((time, rim)) = memory.rim.filter(|(_, rim)| rim.share > Self::SHARE) {
                warnings.push(format!("at t = {time:.4e} s: {}", self.rim_place(pair, rim)));
            }
            if let Some((time, overlap)) = memory.overlap.filter(|(_, o)| o.ratio() > Self::OVERLAP) {
                warnings.push(self.overlap_warning(pair, time, overlap));
            }
        }
        if self.off_interface > Self::SHARE {
            warnings.push(format!(
                "{:.1} % of a contact force acts on points outside the interface, whose compliance is \
                 incomplete: the contact is too stiff there; make the interface larger than the contact zone",
                100.0 * self.off_interface
            ));
        }
        warnings.extend(self.resolution_warnings());
        warnings.extend(self.swing_warnings());
        self.split_warnings(&mut warnings);
        warnings.extend(self.linearity.warnings(&self.system));
        warnings.extend(self.centrifugal_warnings());
        let fallbacks = self.system.contact_sums.fallbacks;
        if fallbacks > 0 {
            warnings.push(format!(
                "{fallbacks} contact problems needed Lemke's algorithm, as active sets cycled"
            ));
        }
        warnings
    }

    /// A sentence for each pair that has not touched: how near its surfaces came, and when.
    pub fn missed_contacts(&self) -> Vec<String> {
        let never = |pair: &usize| {
            !self.trackers[*pair].touching && !self.events.iter().any(|event| event.pair == *pair)
        };
        let missed = (0..self.memory.len()).filter(never);
        let sentence = |pair: usize| {
            let (model, local) = self.system.pair_of[pair];
            let [first, second] = [0, 1].map(|side| self.system.contacts[model].surface_name(local, side));
            let [gap, time] = self.memory[pair].nearest;
            if gap.is_infinite() {
                return format!(
                    "contact `{first}` / `{second}`: no contact; the surfaces were always far apart"
                );
            }
            // Gaps are evaluated where bodies may touch within a step, and bounded from below in between.
            let last = self.memory[pair].gap;
            let end = if last < gap { format!(" (at the end at least {last:.3e} m)") } else { String::new() };
            format!(
                "contact `{first}` / `{second}`: no contact; nearest gap {gap:.3e} m at t = {time:.4e} s{end}"
            )
        };
        missed.map(sentence).collect()
    }

    /// Ends the run if a pair that must not has pressure at the rim of a zone at the end of an accepted step:
    /// trial stages may overshoot, and count for nothing.
    pub(crate) fn check_rims(&self) -> Result<(), RunError> {
        for (pair, reaction) in self.system.reactions.iter().enumerate() {
            let (model, local) = self.system.pair_of[pair];
            let policy = self.system.contacts[model].rim_policy(local);
            if let Some(rim) =
                reaction.rim.filter(|rim| rim.share > Self::SHARE && policy == RimPolicy::Error)
            {
                return Err(RunError::Rim { time: self.time, place: self.rim_place(pair, rim) });
            }
        }
        Ok(())
    }

    fn overlap_warning(&self, pair: usize, time: f64, overlap: Overlap) -> String {
        let (model, local) = self.system.pair_of[pair];
        let model = &self.system.contacts[model];
        let [first, second] = [0, 1].map(|side| model.surface_name(local, side));
        let carrier = model.surface_name(local, model.carrier(local));
        let Overlap { face, depth, size, place, is_corner } = overlap;
        let body = &self.system.bodies[self.system.pair_bodies(pair)[model.carrier(local)]];
        let [x, y, z]: [f64; 3] = (body.frame_origin + Vector3::from(place)).into();
        let (what, remedy) = if is_corner {
            (
                "the corner",
                format!(
                    "make spans of `{carrier}` shorter there (`grade = \
                     {{ at = [{x:.4e}, {y:.4e}, {z:.4e}], finest = … }}`)"
                ),
            )
        } else {
            ("a point", format!("refine `{carrier}`"))
        };
        format!(
            "at t = {time:.4e} s: contact `{first}` / `{second}`: {what} of span {face} of `{carrier}` (near \
             {x:.4e}, {y:.4e}, {z:.4e} m in source coordinates of body `{}`) lies {depth:.3e} m inside the \
             other body without a force, as the gap is still open on the average over the span of {size:.3e} \
             m: the force sets in late, or never; {remedy}, or round off the edge that meets it",
            body.name
        )
    }

    fn rim_place(&self, pair: usize, rim: Rim) -> RimPlace {
        let (model, local) = self.system.pair_of[pair];
        let model = &self.system.contacts[model];
        let name = |side: usize| model.surface_name(local, side);
        RimPlace {
            first: name(0),
            second: name(1),
            zone: name(rim.side),
            carrier: name(model.carrier(local)),
            span: rim.face,
            share: rim.share,
        }
    }

    /// A static mode of frequency f answers a pulse T with an error of 1/(2 f T)² of its part (THEORY 2.3).
    fn split_warnings(&self, warnings: &mut Vec<String>) {
        for (i, body) in self.system.bodies.iter().enumerate() {
            let first_static = body.reduced.as_ref().and_then(|reduced| reduced.omega.get(body.frame.n));
            let Some(frequency) = first_static.map(|omega| omega / std::f64::consts::TAU) else { continue };
            let touching = self.events.iter().filter(|event| {
                event.duration() > 0.0 && !event.open && self.system.pair_bodies(event.pair).contains(&i)
            });
            let shortest = touching.map(|event| event.duration()).fold(f64::INFINITY, f64::min);
            if frequency * shortest < 2.0 {
                warnings.push(format!(
                    "body `{}`: modes from {frequency:.4e} Hz on are static, but an impact lasts \
                     {shortest:.3e} s, {:.2} of their periods (at least 2, better 5): raise the split",
                    body.name,
                    frequency * shortest
                ));
            }
        }
    }
}
