//! One picture of each kind: `cargo run -p carom-report --example gallery -- FOLDER`.
//!
//! Draws a Hertzian impact (curves, with a dashed reference), an energy drift (offset axis), a convergence
//! table (logarithmic axes), the pressure over a contact patch with Hertz' circle, and a shaded ball.

use std::f64::consts::{PI, TAU};
use std::path::PathBuf;

use carom_report::map::ellipse;
use carom_report::{
    Axis, Color, Column, Drawing, Map, Paint, Picture, Plot, Report, Series, Style, Table, Triangle, Value,
};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = PathBuf::from(std::env::args().nth(1).unwrap_or_else(|| ".".to_owned()));
    let mut report = Report::new("Gallery of carom-report");
    let drawings = [
        ("impact", impact()),
        ("drift", drift()),
        ("convergence", convergence()),
        ("pressure", Drawing::side_by_side([pressure_map(), pressure_over_radius()])),
        ("ball", ball()),
    ];
    for (name, drawing) in drawings {
        std::fs::write(folder.join(format!("{name}.svg")), drawing.to_svg())?;
        std::fs::write(folder.join(format!("{name}.png")), drawing.to_png(2.0)?)?;
        report.drawing(drawing, name);
    }
    report.heading("Contacts");
    report.table(contacts()?, "Peak force and its reference.");
    std::fs::write(folder.join("gallery.html"), report.to_html())?;
    Ok(())
}

/// Half a sine with ripple, its smooth reference, and a second panel of energies.
fn impact() -> Drawing {
    let time: Vec<f64> = (0..=400).map(|n| 2.0e-4 * f64::from(n) / 400.0).collect();
    let force = |t: f64| if t < 1.343e-4 { 776.0 * (PI * t / 1.343e-4).sin() } else { 0.0 };
    let rippled = time.iter().map(|&t| force(t) * (1.0 + 0.02 * (TAU * 6e4 * t).sin())).collect();
    let reference = time.iter().map(|&t| force(t) * 0.98).collect();
    let forces =
        Plot::new("Contact force, ball on rod", Axis::new("time", "s"), Axis::new("contact force", "N"))
            .with(Series::line("ball:pole / rod:end", time.clone(), rippled))
            .with(
                Series::line("Hertz and bar wave", time.clone(), reference)
                    .styled(Style::Dashed)
                    .colored(Color::INK),
            );
    let energy = |c: f64| time.iter().map(|&t| 5e-3 * (1.0 - c * force(t) / 776.0)).collect::<Vec<f64>>();
    let energies = Plot::new("Energies", Axis::new("time", "s"), Axis::new("energy", "J"))
        .with(Series::line("kinetic", time.clone(), energy(0.8)))
        .with(Series::line("elastic", time.clone(), energy(0.8).iter().map(|e| 5e-3 - e).collect()))
        .with(Series::line("total", time.clone(), energy(0.0)));
    Drawing::stacked([forces.draw(), energies.draw()])
}

fn drift() -> Drawing {
    let time: Vec<f64> = (0..=200).map(|n| f64::from(n) * 1e-6).collect();
    let energy = time.iter().map(|&t| 4.953_271_2e-3 * (1.0 + 3e-9 * (t * 4e4).sin() - 1e-5 * t)).collect();
    Plot::new("Total energy", Axis::new("time", "s"), Axis::new("energy", "J"))
        .with(Series::line("", time, energy))
        .draw()
}

fn convergence() -> Drawing {
    let h = [0.5, 0.333, 0.25, 0.1667, 0.125];
    let x = Axis::new("h / a", "").logarithmic();
    let y = Axis::new("relative error", "").logarithmic();
    let quadratic = h.iter().map(|h| 0.11 * h * h).collect();
    Plot::new("Peak force against cell size", x, y)
        .with(
            Series::line("carom", h.to_vec(), vec![2.5e-2, 1.2e-2, 7e-3, 3e-3, 1.7e-3])
                .styled(Style::LineMarkers),
        )
        .with(Series::line("second order", h.to_vec(), quadratic).styled(Style::Dashed).colored(Color::GREY))
        .draw()
}

/// Hertz' pressure over a circle of radius `A`, averaged over square pressure cells.
const A: f64 = 4.0e-4;
const P0: f64 = 2.2e9;

fn cell_pressures() -> Vec<([f64; 2], f64)> {
    let h = A / 4.0;
    let place = |n: i32| h * (f64::from(n) + 0.5);
    let pressure = |x: f64, y: f64| P0 * (1.0 - (x * x + y * y) / (A * A)).max(0.0).sqrt();
    (-6..6).flat_map(|i| (-6..6).map(move |j| ([place(i), place(j)], pressure(place(i), place(j))))).collect()
}

fn pressure_map() -> Drawing {
    let mut map = Map::new(
        "Contact pressure at peak force",
        Axis::new("x", "m"),
        Axis::new("y", "m"),
        Axis::new("pressure", "Pa"),
    );
    let h = A / 8.0;
    for ([x, y], p) in cell_pressures() {
        map.polygons.push(vec![[x - h, y - h], [x + h, y - h], [x + h, y + h], [x - h, y + h]]);
        map.values.push(p);
    }
    let (x, y) = ellipse([0.0; 2], [A, A], 0.0);
    map.curves.push(Series::line("Hertz' contact circle", x, y).styled(Style::Dashed).colored(Color::INK));
    map.draw()
}

fn pressure_over_radius() -> Drawing {
    let (radius, pressure) = cell_pressures().into_iter().map(|([x, y], p)| (x.hypot(y), p)).unzip();
    let r: Vec<f64> = (0..=100).map(|n| A * f64::from(n) / 100.0).collect();
    let p = r.iter().map(|r| P0 * (1.0 - (r / A).powi(2)).sqrt()).collect();
    let mut plot = Plot::new(
        "Pressure over radius",
        Axis::new("distance from the centre", "m"),
        Axis::new("pressure", "Pa"),
    )
    .with(Series::line("cells", radius, pressure).styled(Style::Markers))
    .with(Series::line("Hertz", r, p).styled(Style::Dashed).colored(Color::INK));
    plot.size = [520.0, 460.0];
    plot.draw()
}

/// A ball coloured by height, with a red cap.
fn ball() -> Drawing {
    let radius = 0.015;
    let (n, m) = (32, 64);
    let point = |i: i32, j: i32| {
        let (theta, phi) = (PI * f64::from(i) / f64::from(n), TAU * f64::from(j) / f64::from(m));
        [radius * theta.sin() * phi.cos(), radius * theta.sin() * phi.sin(), radius * theta.cos()]
    };
    let mut picture = Picture {
        title: "Ball, R 15 mm".to_owned(),
        legend: vec![
            ("pole".to_owned(), Color([200, 40, 40])),
            ("surface".to_owned(), Color([150, 170, 195])),
        ],
        scalar: Some(Axis::new("height", "m")),
        ..Picture::default()
    };
    for i in 0..n {
        for j in 0..m {
            let corners = [point(i, j), point(i + 1, j), point(i + 1, j + 1), point(i, j + 1)];
            for triangle in [[0, 1, 2], [0, 2, 3]] {
                let corners = triangle.map(|k: usize| corners[k]);
                let paint = match i {
                    0..=3 => Paint::Solid(Color([200, 40, 40])),
                    _ if j % 32 < 16 => Paint::Solid(Color([150, 170, 195])),
                    _ => Paint::Scalar(corners.map(|x| x[2])),
                };
                picture.triangles.push(Triangle { corners, normals: Some(corners), paint });
            }
            picture.edges.extend([[corners[0], corners[1]], [corners[0], corners[3]]]);
        }
    }
    picture.draw()
}

fn contacts() -> Result<Table, carom_report::table::RowError> {
    let columns = vec![
        Column::new("pair", "pair", ""),
        Column::new("peak_force", "peak force", "N"),
        Column::new("reference", "reference", "N"),
        Column::new("deviation", "deviation", "").digits(2),
    ];
    let mut table = Table::new(columns);
    table.push(vec!["ball / rod".into(), 776.06.into(), 770.5.into(), 7.2e-3.into()])?;
    table.push(vec!["ball / ball".into(), 2281.2.into(), Value::Empty, Value::Empty])?;
    Ok(table)
}
