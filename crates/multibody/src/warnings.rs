//! What a user should know about a run that ended well: where the model was used beyond its limits.

use crate::contact::Rim;
use crate::simulation::Simulation;

impl Simulation {
    /// Share of the force at a rim, or outside the interface, below which nothing is said.
    const SHARE: f64 = 1e-3;

    /// Sentences about pressure at the rim of a contact zone, force outside the interface points, modes that are treated
    /// statically although the impact is short for them, and fallbacks of the contact solver. Empty if all is well.
    pub fn warnings(&self) -> Vec<String> {
        let mut warnings = Vec::new();
        for (pair, memory) in self.memory.iter().enumerate() {
            if let Some((time, rim)) = memory.rim.filter(|(_, rim)| rim.share > Self::SHARE) {
                warnings.push(self.rim_warning(pair, time, rim));
            }
        }
        if self.off_interface > Self::SHARE {
            warnings.push(format!(
                "{:.1} % of a contact force acts on points outside the interface, whose compliance is incomplete: the contact is \
                 too stiff there; make the interface larger than the contact zone",
                100.0 * self.off_interface
            ));
        }
        self.split_warnings(&mut warnings);
        let fallbacks = self.system.contact_sums.fallbacks;
        if fallbacks > 0 {
            warnings.push(format!(
                "{fallbacks} contact problems needed Lemke's algorithm, as active sets cycled"
            ));
        }
        warnings
    }

    fn rim_warning(&self, pair: usize, time: f64, rim: Rim) -> String {
        let (model, local) = self.system.pair_of[pair];
        let model = &self.system.contacts[model];
        let [first, second] = [0, 1].map(|side| model.surface_name(local, side));
        format!(
            "contact `{first}` / `{second}`: at t = {time:.4e} s {:.1} % of the force lies at the rim of `{}` (face {} of the \
             surface with the pressure): the zone is too small and the force too low; enlarge its set",
            100.0 * rim.share,
            model.surface_name(local, rim.side),
            rim.face,
        )
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
                    "body `{}`: modes from {frequency:.4e} Hz on are static, but an impact lasts {shortest:.3e} s, {:.2} of their periods \
                     (at least 2, better 5): raise the split",
                    body.name,
                    frequency * shortest
                ));
            }
        }
    }
}
