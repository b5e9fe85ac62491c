//! The table `[response]`, read with its defaults.

use super::decode::{Interval, Table};
use super::model::{ExcitationSpec, ResponseSpec};
use super::sections::{Referring, one_end};

/// Number of frequencies by default, and at most.
const COUNT: usize = 200;
const MOST: usize = 100_000;

/// * `in_equilibrium` — true if the run starts in an equilibrium
pub(super) fn response(table: Table<'_>, in_equilibrium: bool) -> Option<Referring<ResponseSpec>> {
    if !in_equilibrium {
        let text = "`[response]` is that about an equilibrium: set `start = \"equilibrium\"` in [simulation]";
        table.problem(&table.span, super::problem::ProblemKind::Conflict(text.to_owned()));
    }
    let end = table.has("on").then(|| one_end(&table)).flatten();
    let [force, torque, ground] = ["force", "torque", "ground"].map(|key| table.vector(key));
    let excitation = match (&end, ground) {
        (Some((on, _)), None) => {
            if force.is_none() && torque.is_none() {
                table.missing("force", "the amplitude of the force in N or of a `torque` in N m");
            }
            let (force, torque) = (force.unwrap_or_default(), torque.unwrap_or_default());
            Some(ExcitationSpec::Load { on: on.clone(), force, torque })
        }
        (None, Some(ground)) => {
            for key in ["force", "torque"].into_iter().filter(|key| table.has(key)) {
                table.conflict(key, format!("`{key}` belongs to `on`, the point where it acts"));
            }
            Some(ExcitationSpec::Ground { ground })
        }
        (Some(_), Some(_)) => {
            table.conflict("ground", "`on` and `ground` exclude each other: give one");
            None
        }
        (None, None) => {
            if !table.has("on") && !table.has("ground") {
                table.missing(
                    "on",
                    "the point of the force, `on = \"BODY:MARKER\"`; or `ground = [x, y, z]`, the \
                     acceleration of the ground in m/s²",
                );
            }
            None
        }
    };
    for (key, why) in [("from", "the lowest frequency in Hz"), ("to", "the highest frequency in Hz")] {
        if !table.has(key) {
            table.missing(key, why);
        }
    }
    let [from, to] = ["from", "to"].map(|key| table.number(key, Interval::Positive));
    if let (Some(from), Some(to)) = (from, to)
        && to < from
    {
        table.conflict("to", "`to` must not be below `from`");
    }
    let count = table.count("count", 1).unwrap_or(COUNT);
    if count > MOST {
        table.conflict("count", format!("`count` is {count}; at most {MOST} frequencies are possible"));
    }
    let context = table.context.clone();
    table.finish();
    let spec = ResponseSpec { excitation: excitation?, from: from?, to: to?, count };
    Some(Referring { spec, ends: end.into_iter().collect(), context })
}
