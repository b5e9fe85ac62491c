//! The summary of a run as text: lines of at most 100 letters, figures of four digits, one unit of time.

use carom_dynamics::PairImpacts;
use carom_report::number::{quantity, relative_error};
use carom_report::table::LINE;
use carom_report::{Column, Prefix, Table, Value, wrapped};

use crate::solved::{Contact, Energy, Error, Solved};

/// Pairs whose impacts are listed.
const PAIRS: usize = 12;

/// Bodies whose velocities are listed.
const BODIES: usize = 20;

impl Solved {
    /// Rejected steps and right-hand sides, of schemes that have them.
    fn integration(&self) -> String {
        match (self.rejected_steps, self.right_hand_sides) {
            (Some(rejected), Some(sides)) => format!(" ({rejected} rejected, {sides} right-hand sides)"),
            _ => String::new(),
        }
    }

    /// CPU time of the program, and the phases that took more than a fiftieth of it.
    fn cpu(&self) -> String {
        let long = self.cpu_phases.iter().filter(|phase| phase.cpu_seconds > 0.02 * self.cpu_seconds);
        let phases = long.map(|phase| format!("{} {}", phase.name, quantity(phase.cpu_seconds, "s", 2)));
        let phases: Vec<_> = phases.collect();
        let all = quantity(self.cpu_seconds, "s", 3);
        if phases.is_empty() {
            format!("CPU time {all}")
        } else {
            format!("CPU time {all}: {}", phases.join(", "))
        }
    }

    /// As text.
    pub fn text(&self) -> String {
        if let Some(statics) = &self.statics {
            return statics.text(self.steps, self.seconds, self.energy.last);
        }
        let time = self.unit_of_time();
        let mut out = format!(
            "{} in {} steps{}; it took {}\n{}\n{}",
            time.quantity(self.end_time, "s", 4),
            self.steps,
            self.integration(),
            quantity(self.seconds, "s", 3),
            self.cpu(),
            self.balance()
        );
        if !self.shown.is_empty() {
            out += &format!("\n{}", self.impacts(time));
        }
        if !self.bodies.is_empty() {
            out += &format!("\n{}", self.velocities());
        }
        // A list, as a run may have made many choices.
        for (i, remark) in self.remarks.iter().enumerate() {
            let space = if i == 0 { "\n" } else { "" };
            out += &format!("{space}- {}", lines(remark).replace('\n', "\n  ").trim_end());
            out.push('\n');
        }
        out
    }

    /// The unit that suits the run and its impacts.
    fn unit_of_time(&self) -> Prefix {
        let mut durations: Vec<f64> = self.contacts.iter().map(|c| c.duration).filter(|d| *d > 0.0).collect();
        durations.sort_by(f64::total_cmp);
        Prefix::of_times(self.end_time, durations.get(durations.len() / 2).copied())
    }

    fn balance(&self) -> String {
        let error = |error: &Error| relative(error.max_relative_error);
        format!(
            "energy {} at the start, {} at the end\n\
             errors: energy {}{}, momentum {}, angular momentum {}\n",
            quantity(self.energy.initial, "J", 4),
            quantity(self.energy.last, "J", 4),
            relative(self.energy.max_relative_error),
            self.energy.claim(),
            error(&self.linear_momentum),
            error(&self.angular_momentum),
        )
    }

    /// A line for each shown impact, and the number of those that are not shown.
    fn impacts(&self, time: Prefix) -> String {
        let shown: Vec<(&PairImpacts, &Contact, &'static str)> = self
            .shown
            .iter()
            .take(PAIRS)
            .flat_map(|pair| pair.shown.iter().map(move |impact| (pair, impact)))
            .filter_map(|(pair, impact)| Some((pair, self.contacts.get(impact.event)?, impact.role)))
            .collect();
        let mut out = impact_table(&shown, time).to_text();
        if shown.iter().any(|(_, contact, _)| contact.slides() || contact.bodies_differ()) {
            out += &format!("\n{}", velocity_table(&shown).to_text());
        }
        for (_, contact, _) in &shown {
            // The table marks contacts that last.
            if let (Some(reason), Some(_)) = (&contact.restitution_reason, contact.end) {
                let start = time.quantity(contact.start, "s", 4);
                out += &lines(&format!("{} at {start}: no restitution, as {reason}", contact.pair));
            }
        }
        for pair in self.shown.iter().take(PAIRS).filter(|pair| pair.shown.len() < pair.count) {
            let name = pair.shown.first().and_then(|impact| self.contacts.get(impact.event));
            let name = name.map_or("", |contact| contact.pair.as_str());
            out += &format!(
                "{name}: {} impacts, {} of them listed (all: carom-post table RESULT --csv)\n",
                pair.count,
                pair.shown.len()
            );
        }
        if self.shown.len() > PAIRS {
            let others = &self.shown[PAIRS..];
            let count: usize = others.iter().map(|pair| pair.count).sum();
            out += &format!(
                "{count} impacts of {} other pairs (carom-post table RESULT lists them)\n",
                others.len()
            );
        }
        out
    }

    fn velocities(&self) -> String {
        let speed = |v: &[f64; 3]| v.iter().map(|x| x * x).sum::<f64>().sqrt();
        let fastest = self.bodies.values().map(|body| speed(&body.velocity)).fold(0.0, f64::max);
        let column = |axis: &str| {
            let heading = format!("velocity {axis}");
            Column::new(axis, &heading, "m/s").scaled(fastest)
        };
        let mut table = Table::new(vec![
            Column::new("body", "body at the end", ""),
            column("x"),
            column("y"),
            column("z"),
        ]);
        for (name, body) in self.bodies.iter().take(BODIES) {
            let mut row = vec![Value::Text(name.clone())];
            row.extend(body.velocity.map(Value::Number));
            table.push(row).expect("the row was made with the columns");
        }
        let mut out = table.to_text();
        if self.bodies.len() > BODIES {
            let others = self.bodies.len() - BODIES;
            out += &format!("and {others} other bodies (carom-post table RESULT --what bodies)\n");
        }
        out
    }
}

/// One row an impact.
fn impact_table(shown: &[(&PairImpacts, &Contact, &'static str)], time: Prefix) -> Table {
    let column = Column::new;
    let mut columns = vec![
        column("pair", "contact", ""),
        column("role", "", ""),
        column("start", "start", "s").prefixed(time),
        column("duration", "duration", "s").prefixed(time),
        column("peak_force", "peak force", "N"),
        column("mean_force", "mean force", "N"),
        column("impulse", "impulse", "N s"),
        column("max_approach", "approach", "m"),
        column("velocity_before", "before", "m/s"),
        column("velocity_after", "after", "m/s"),
        column("restitution", "restitution", ""),
    ];
    let has_roles = shown.iter().any(|(_, _, role)| !role.is_empty());
    if !has_roles {
        columns.remove(1);
    }
    let mut table = Table::new(columns).named_by(if has_roles { 2 } else { 1 });
    for (_, contact, role) in shown {
        let force = |force: Option<f64>| force.map_or(Value::Lacking("-"), Value::Number);
        let mut row = vec![Value::Text(contact.pair.clone())];
        row.extend(has_roles.then(|| (*role).into()));
        row.extend([
            contact.start.into(),
            contact.duration.into(),
            force(contact.peak_force),
            force(contact.mean_force),
            contact.impulse.into(),
            contact.max_approach.into(),
            contact.velocity_before.into(),
            contact.velocity_after.into(),
            match contact.end {
                None => Value::Lacking("lasting"),
                Some(_) => contact.restitution.map_or(Value::Lacking("-"), Value::Number),
            },
        ]);
        table.push(row).expect("the row was made with the columns");
    }
    table
}

/// Velocities across the normal, and those of each body along it.
fn velocity_table(shown: &[(&PairImpacts, &Contact, &'static str)]) -> Table {
    let mut columns = vec![Column::new("pair", "contact", ""), Column::new("role", "", "")];
    for (key, heading) in [
        ("slip_before", "slip before"),
        ("slip_after", "slip after"),
        ("first_before", "first body before"),
        ("first_after", "first body after"),
        ("second_before", "second body before"),
        ("second_after", "second body after"),
    ] {
        columns.push(Column::new(key, heading, "m/s"));
    }
    let fastest = shown.iter().map(|(_, contact, _)| contact.fastest()).fold(0.0, f64::max);
    columns.iter_mut().for_each(|column| column.scale = fastest);
    let mut table = Table::new(columns).named_by(2);
    for (_, contact, role) in shown {
        let ([a, b], [c, d]) = (contact.own_velocities_before, contact.own_velocities_after);
        let mut row = vec![Value::Text(contact.pair.clone()), (*role).into()];
        row.extend([size(contact.slip_before), size(contact.slip_after), a, c, b, d].map(Value::Number));
        table.push(row).expect("the row was made with the columns");
    }
    table
}

fn size(vector: [f64; 3]) -> f64 {
    vector.iter().map(|x| x * x).sum::<f64>().sqrt()
}

impl Contact {
    /// The largest of its velocities \[m/s\].
    fn fastest(&self) -> f64 {
        let own = [self.own_velocities_before, self.own_velocities_after].concat();
        let others =
            [self.velocity_before, self.velocity_after, size(self.slip_before), size(self.slip_after)];
        own.into_iter().chain(others).fold(0.0, |m: f64, v| m.max(v.abs()))
    }

    /// True if the surfaces moved across the normal by more than a millionth of their velocities.
    fn slides(&self) -> bool {
        size(self.slip_before).max(size(self.slip_after)) > 1e-6 * self.fastest()
    }

    /// True if both bodies moved: the relative velocity is then not that of one of them.
    fn bodies_differ(&self) -> bool {
        let ([a, b], [c, d]) = (self.own_velocities_before, self.own_velocities_after);
        a.abs().max(c.abs()).min(b.abs().max(d.abs())) > 1e-6 * self.fastest()
    }
}

impl Energy {
    /// The claim behind its error; empty if the run claims nothing.
    fn claim(&self) -> String {
        match (self.claim, self.limit) {
            (Some("met"), _) => " (met)".to_owned(),
            (Some(verdict), Some(limit)) => format!(" ({verdict}: the limit is {limit:.1e})"),
            _ => String::new(),
        }
    }
}

/// A sentence on lines of a terminal.
fn lines(sentence: &str) -> String {
    wrapped(sentence, LINE).join("\n") + "\n"
}

/// A relative error, or that it has no reference.
fn relative(error: Option<f64>) -> String {
    error.map_or_else(|| "- (nothing to compare with)".to_owned(), relative_error)
}
