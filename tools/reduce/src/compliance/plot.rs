//! A picture of the share of the compliance below each frequency.

use carom_report::{Axis, Color, Drawing, Plot, Series, Style, number};

use super::{RegionReport, Report};

/// One plot per region, one above the other.
pub(super) fn draw(report: &Report) -> Drawing {
    Drawing::stacked(report.regions.iter().map(|region| plot(region, report).draw()))
}

fn plot(region: &RegionReport, report: &Report) -> Plot {
    let spectrum = &region.spectrum;
    let mut plot = Plot::new(
        &format!("Compliance of `{}` below each frequency", region.name),
        Axis::new("frequency", "Hz").logarithmic(),
        Axis { range: Some([0.0, 1.0]), ..Axis::new("share of the compliance", "") },
    );
    // The height leaves space for the legend next to the curves.
    plot.size = [760.0, 440.0];
    let stairs = |share: &[f64]| -> (Vec<f64>, Vec<f64>) {
        // The share rises at the frequency of each mode.
        let mut last = 0.0;
        let mut points = Vec::with_capacity(2 * share.len());
        for (&hz, &now) in spectrum.hz.iter().zip(share) {
            points.extend([(hz, last), (hz, now)]);
            last = now;
        }
        points.into_iter().unzip()
    };
    let (x, y) = stairs(&spectrum.point_share);
    plot = plot.with(Series::line("point load on the middle", x, y));
    if spectrum.patch_radius > 0.0 {
        let (x, y) = stairs(&spectrum.patch_share);
        let label = format!("Hertz' pressure, radius {}", number::quantity(spectrum.patch_radius, "m", 3));
        plot = plot.with(Series::line(&label, x, y));
    }
    let upright =
        |label: &str, hz: f64| Series::line(label, vec![hz, hz], vec![0.0, 1.0]).styled(Style::Dashed);
    if let Some(last) = report.dynamic_modes.checked_sub(1) {
        plot = plot.with(upright("last dynamic mode", spectrum.hz[last]).colored(Color::INK));
    }
    if let Some(impact) = &region.impact {
        for periods in [2.0, 5.0] {
            let label = format!("{periods} periods in {}", number::quantity(impact.duration, "s", 3));
            plot = plot.with(upright(&label, periods / impact.duration));
        }
    }
    plot
}
