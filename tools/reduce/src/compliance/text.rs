//! The report as text with tables.

use std::fmt::Write as _;

use carom_report::number::{quantity, significant};

use super::{RegionReport, Report};

/// Writing to a string cannot fail.
pub(super) fn text(report: &Report) -> String {
    let parts: Vec<String> = report.regions.iter().map(|region| of_region(region, report)).collect();
    parts.join("\n\n")
}

fn of_region(region: &RegionReport, report: &Report) -> String {
    let mut text = String::new();
    let [x, y, z] = region.middle;
    let spans = if region.spans == region.faces {
        format!("{} pressure cells, one per face", region.spans)
    } else {
        // A pressure on each linear face could alternate without a force on any node.
        format!("{} pressure cells, one around each node of {} linear faces", region.spans, region.faces)
    };
    let _ = writeln!(
        text,
        "{}: {spans}, middle ({x:.4e}, {y:.4e}, {z:.4e}) m, cell size {}, {} to the rim",
        region.name,
        quantity(region.span_size, "m", 3),
        quantity(region.reach, "m", 3)
    );
    let _ = writeln!(text, "{} of {} modes are dynamic\n", report.dynamic_modes, report.modes);
    let _ = writeln!(
        text,
        "{:>16} {:>6} {:>13} {:>10} {:>13} {:>11} {:>13}",
        "load", "cells", "model m/N", "static", "body m/N", "cut", "half-space"
    );
    for load in &region.loads {
        let name = if load.radius > 0.0 {
            format!("Hertz {}", quantity(load.radius, "m", 3))
        } else {
            "point".to_owned()
        };
        let number = |value: Option<f64>| value.map_or("-".to_owned(), |v| format!("{v:.5e}"));
        let cut = load.cut_error.map_or("-".to_owned(), |v| format!("{:.1e}", v));
        let _ = writeln!(
            text,
            "{name:>16} {:6} {:13.5e} {:9.2} % {:>13} {cut:>11} {:>13}",
            load.loaded_spans,
            load.compliance,
            100.0 * load.high_share,
            number(load.body),
            number(load.half_space)
        );
    }
    if let Some(worst) = &region.worst_place {
        let [x, y, z] = worst.place;
        let _ = writeln!(
            text,
            "largest cut under point loads at {} places: {:.1e} at ({x:.4e}, {y:.4e}, {z:.4e}) m",
            worst.places, worst.cut_error
        );
    }
    if let Some(smallest) = region.smallest_eigenvalue {
        let _ = writeln!(text, "smallest eigenvalue of the scaled compliance: {smallest:.1e} of the largest");
    }
    of_impact(region, &mut text);
    text.trim_end().to_owned()
}

fn of_impact(region: &RegionReport, text: &mut String) {
    let Some(impact) = &region.impact else {
        let _ = writeln!(text, "give the speed of an impact (--velocity) to get a proposal for the split");
        return;
    };
    let _ = writeln!(
        text,
        "\nimpact at {}: {} long, contact radius {}, {} (Hertz: R {}, m {})\n",
        quantity(impact.velocity, "m/s", 3),
        quantity(impact.duration, "s", 4),
        quantity(impact.contact_radius, "m", 3),
        quantity(impact.peak_force, "N", 4),
        quantity(impact.radius, "m", 3),
        quantity(impact.mass, "kg", 4),
    );
    let _ = writeln!(
        text,
        "{:>12} {:>9} {:>14} {:>10} {:>14} {:>14}",
        "split Hz", "f_c T", "dynamic modes", "static", "error of mode", "of compliance"
    );
    for split in &region.splits {
        let mode = split.mode_error.map_or("-".to_owned(), percent);
        let own = if split.is_own { "  this model (last dynamic mode)" } else { "" };
        let _ = writeln!(
            text,
            "{:12.0} {:9.2} {:14} {:8.2} % {mode:>14} {:>14}{own}",
            split.split_hz,
            split.periods,
            split.dynamic_modes,
            100.0 * split.high_share,
            percent(split.expected_error)
        );
    }
    let at = |periods: f64| periods / impact.duration;
    let _ = writeln!(
        text,
        "\n--split {:.3e} for 1 % error of the mode at the split (five periods), {:.3e} for 6 % (two, the \
         least)",
        at(5.0),
        at(2.0)
    );
}

fn percent(part: f64) -> String {
    format!("{} %", significant(100.0 * part, 2))
}
