//! The outcome of a static run.

use carom_format::result::{RunHeader, StaticForce, StoredFrame};
use carom_report::number::quantity;
use carom_report::{Column, Table, Value};
use carom_simulate::StaticOutcome;
use serde::Serialize;

/// Forces and pressures under the full load.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Statics {
    /// Forces on the bodies; those of a body add up to zero.
    forces: Vec<Force>,
    contacts: Vec<Contact>,
    max_displacement: f64,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
struct Force {
    on: String,
    kind: &'static str,
    /// The support or contact pair, empty for loads.
    by: String,
    force: [f64; 3],
}

#[derive(Debug, Clone, PartialEq, Serialize)]
struct Contact {
    pair: String,
    normal_force: f64,
    peak_pressure: f64,
    faces: usize,
}

impl Statics {
    /// Of a run that has just ended.
    pub(crate) fn of(outcome: &StaticOutcome, names: &[String]) -> Self {
        let contacts = outcome.pairs.iter().map(|pair| Contact {
            pair: pair.name.clone(),
            normal_force: pair.normal_force,
            peak_pressure: pair.peak_pressure,
            faces: pair.n_cells,
        });
        Self {
            forces: outcome.forces.iter().map(|force| Force::of(force, &names[force.body])).collect(),
            contacts: contacts.collect(),
            max_displacement: outcome.bodies.iter().map(|body| body.max_displacement).fold(0.0, f64::max),
        }
    }

    /// Of the last frame of a result; none without forces in equilibrium.
    pub(crate) fn read(forces: &[StaticForce], header: &RunHeader, last: &StoredFrame) -> Option<Self> {
        if forces.is_empty() {
            return None;
        }
        let name = |body: usize| header.bodies.get(body).map_or("", |body| body.name.as_str());
        let forces = forces.iter().filter(|force| force.frame == last.index);
        let contacts = header.pairs.iter().zip(&last.contacts).map(|(pair, state)| Contact {
            pair: pair.name.clone(),
            normal_force: state.normal_force,
            peak_pressure: state.pressures.iter().copied().fold(0.0, f64::max),
            faces: state.pressures.len(),
        });
        let size = |u: &[f64; 3]| u.iter().map(|x| x * x).sum::<f64>().sqrt();
        let displacements = last.bodies.iter().flat_map(|body| body.modal.as_chunks::<3>().0);
        Some(Self {
            forces: forces.map(|force| Force::of(force, name(force.body))).collect(),
            contacts: contacts.collect(),
            max_displacement: displacements.map(size).fold(0.0, f64::max),
        })
    }

    /// As lines for people.
    pub(crate) fn text(&self, steps: u64, seconds: f64, energy: f64) -> String {
        let mut out = format!(
            "equilibrium in {steps} load steps; it took {}\n\
             elastic and contact energy {}, largest displacement {}\n",
            quantity(seconds, "s", 3),
            quantity(energy, "J", 4),
            quantity(self.max_displacement, "m", 4)
        );
        for contact in &self.contacts {
            out.push_str(&format!(
                "contact {}: {}, peak pressure {}, {} faces under pressure\n",
                contact.pair,
                quantity(contact.normal_force, "N", 4),
                quantity(contact.peak_pressure, "Pa", 4),
                contact.faces
            ));
        }
        out + &self.force_table()
    }

    /// A line for each force on a body.
    fn force_table(&self) -> String {
        if self.forces.is_empty() {
            return String::new();
        }
        let largest = self.forces.iter().flat_map(|force| force.force).fold(0.0, |m: f64, f| m.max(f.abs()));
        let mut columns = vec![
            Column::new("body", "force on", ""),
            Column::new("kind", "by", ""),
            Column::new("of", "", ""),
        ];
        columns.extend(["x", "y", "z"].map(|axis| Column::new(axis, axis, "N").scaled(largest)));
        let mut table = Table::new(columns).named_by(3);
        for Force { on, kind, by, force } in &self.forces {
            let mut row = vec![Value::Text(on.clone()), (*kind).into(), Value::Text(by.clone())];
            row.extend(force.map(Value::Number));
            table.push(row).expect("the row was made with the columns");
        }
        format!("\n{}", table.to_text())
    }
}

impl Force {
    fn of(force: &StaticForce, on: &str) -> Self {
        let StaticForce { kind, name, force, .. } = force;
        Self { on: on.to_owned(), kind: kind.word(), by: name.clone(), force: *force }
    }
}
