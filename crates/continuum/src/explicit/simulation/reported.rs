//! Bodies of a run in reports, and warnings about its accuracy.

use carom_dynamics::repeated_equations;
use carom_rigid::{MOST_EDGES, System};

use super::Simulation;
use crate::explicit::deformable::Deformable;
use crate::explicit::problem::{AddedMass, EnlargedInertia};
use crate::explicit::which::Which;
use crate::mean_turn::{self, TURNED};

/// Error of the time integration relative to the largest energy, above which there is a warning.
const DOUBTFUL: f64 = 0.02;

/// Part of the energy of deformation that hourglass control may have, above which there is a warning.
const HOURGLASS: f64 = 0.01;

/// Share of added mass above which there is a warning.
const MUCH_MASS: f64 = 0.05;

/// Largest number of pairs of bodies that a warning names.
const MOST_NAMED: usize = 4;

impl Simulation {
    /// Mass of a body \[kg\].
    pub fn mass(&self, body: usize) -> f64 {
        match (self.system.bodies.which[body], &self.system.bodies.rigid) {
            (Which::Flexible(k), _) => self.system.bodies.flexible[k].mass(),
            (Which::Rigid(k), Some(rigid)) => rigid.system.bodies[k].mass,
            (Which::Rigid(_), None) => 0.0,
        }
    }

    /// Mass that a body got for the sake of the step; none if it has its own mass, or is rigid.
    pub fn added_mass(&self, body: usize) -> Option<AddedMass> {
        match self.system.bodies.which[body] {
            Which::Flexible(k) => self.system.bodies.flexible[k].whole()?.added,
            Which::Rigid(_) => None,
        }
    }

    /// Largest energy of hourglass control at a frame, and its part of the energy of deformation \[J\]; none
    /// without any.
    pub fn hourglass(&self) -> Option<[f64; 2]> {
        let [hourglass, internal] = self.hourglass;
        (hourglass > 0.0).then(|| [hourglass, hourglass / internal])
    }

    /// Rotary inertia of the shells of a body that is larger than that of their wall; none for other bodies.
    pub fn enlarged_inertia(&self, body: usize) -> Option<EnlargedInertia> {
        match self.system.bodies.which[body] {
            Which::Flexible(k) => self.system.bodies.flexible[k].whole()?.turning()?.enlarged_inertia(),
            Which::Rigid(_) => None,
        }
    }

    /// Origin of the frame in which a body is reported, in source coordinates: the centre of mass of a rigid
    /// body \[m\].
    pub fn frame_origin(&self, body: usize) -> [f64; 3] {
        match (self.system.bodies.which[body], &self.system.bodies.rigid) {
            (Which::Rigid(k), Some(rigid)) => rigid.system.bodies[k].com.into(),
            (Which::Flexible(k), _) => self.system.bodies.flexible[k].frame_origin(),
            (Which::Rigid(_), None) => [0.0; 3],
        }
    }

    /// Number of displacements of a body: three a point, none of a rigid body.
    pub fn n_displacements(&self, body: usize) -> usize {
        match self.system.bodies.which[body] {
            Which::Flexible(k) => self.system.bodies.flexible[k].n_coordinates(),
            Which::Rigid(_) => 0,
        }
    }

    /// The rigid bodies with their contacts, and the number of each among all bodies; none without rigid
    /// bodies.
    pub fn rigid(&self) -> Option<(&System, &[usize])> {
        self.system.bodies.rigid.as_ref().map(|rigid| (&rigid.system, &rigid.numbers[..]))
    }

    /// Warnings about the accuracy, each with its value and a remedy.
    pub fn warnings(&self) -> Vec<String> {
        let mut out = Vec::new();
        let size = &self.system.size;
        if size.is_unstable() {
            out.push(format!(
                "steps of {:.3e} s are longer than the critical step, {:.3e} s: central differences are \
                 unstable there; shorten `simulation.time_step`, or leave it out",
                size.dt, size.least_critical
            ));
        }
        let whole = || self.system.bodies.flexible.iter().map(Deformable::whole);
        let scaled = whole().flatten().filter_map(|body| Some((body, body.added?)));
        out.extend(scaled.filter(|(_, added)| added.share() > MUCH_MASS).map(|(body, added)| {
            format!(
                "body `{}`: mass scaling adds {:.1} % to its mass, up to {:.1} times that of a cell: its \
                 inertia is wrong by as much; lower `simulation.mass_scaling`",
                body.name,
                100.0 * added.share(),
                added.largest_factor
            )
        }));
        let turned = self.turns.iter().zip(whole()).filter(|(turn, _)| **turn > TURNED);
        let turned = turned.filter_map(|(turn, body)| Some((turn, body?)));
        out.extend(turned.map(|(turn, body)| mean_turn::warning(&body.name, *turn)));
        let overlaps = self.system.contacts.pairs.iter().filter_map(|pair| pair.overlap);
        out.extend(overlaps.map(|overlap| {
            let [node, face] = overlap.names(&self.system.bodies);
            format!(
                "`{node}` and `{face}` overlap at the start by up to {:.2e} m at {} nodes: they touch there \
                 without force, and the overlap stays until they separate; move them apart, or use finer \
                 cells on curved surfaces",
                overlap.depth, overlap.n_nodes
            )
        }));
        out.extend(self.system.bodies.rigid.as_ref().and_then(|rigid| without_edges(&rigid.system)));
        let repeated = self.system.bodies.rigid.iter().flat_map(|rigid| &rigid.repeated);
        out.extend(repeated.map(|(joint, count)| repeated_equations(joint, *count)));
        let unsettled = self.system.contacts.counts.unsettled;
        if unsettled > 0 {
            out.push(format!(
                "in {unsettled} steps the impacts of rigid bodies and the contact forces of deformable ones \
                 that touch them did not settle: what was left is corrected in the next step; use a smaller \
                 `simulation.courant`"
            ));
        }
        let [hourglass, internal] = self.hourglass;
        if hourglass > HOURGLASS * internal {
            out.push(format!(
                "hourglass control has {hourglass:.2e} J, {:.1} % of the energy of deformation: cells bend \
                 or twist; use more cells there, or `elements = \"mean-dilatation\"` for the body",
                100.0 * hourglass / internal
            ));
        }
        let [missed, energy] = self.missed;
        if missed > DOUBTFUL * energy {
            out.push(format!(
                "the time integration has an energy error of {missed:.2e} J, {:.1} % of the energy: use a \
                 smaller `simulation.courant`",
                100.0 * missed / energy
            ));
        }
        out
    }
}

/// Warning of rigid bodies whose edges do not touch each other.
fn without_edges(system: &System) -> Option<String> {
    let (mut named, mut n_pairs) = (Vec::new(), 0_usize);
    system.for_without_edges(|pair| {
        n_pairs += 1;
        if named.len() < MOST_NAMED {
            let [a, b] = pair.map(|body| &system.bodies[body].name);
            named.push(format!("`{a}` and `{b}`"));
        }
    });
    let others = match n_pairs - named.len() {
        0 => String::new(),
        n => format!(", and {n} further pairs of bodies"),
    };
    (n_pairs > 0).then(|| {
        let named = named.join(", ");
        format!(
            "edges do not touch edges between {named}{others}: each two have more than {MOST_EDGES} pairs of \
             edges and touch by their nodes alone; use coarser meshes, or sets with fewer edges in contacts"
        )
    })
}
