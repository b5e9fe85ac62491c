//! Plots, maps, pictures, tables and HTML reports from plain data.
//!
//! Everything drawn becomes a [`Drawing`], a list of shapes and texts that is written as SVG or PNG; the font
//! is built in, so pictures look alike on every machine. [`Plot`] draws curves, [`Map`] coloured polygons in
//! a plane (contact pressure), [`Picture`] the shaded surface of a body. A [`Table`] is written as text, CSV,
//! JSON or HTML; a [`Report`] is one HTML file with all of these inside.
//!
//! The crate does not read result files: callers pass numbers with names and units.
//!
//! ```
//! use carom_report::{Axis, Plot, Series, Style};
//!
//! // A half-sine pulse of 200 µs, with the points of a measurement.
//! let time: Vec<f64> = (0..=20).map(|n| 1e-5 * f64::from(n)).collect();
//! let force: Vec<f64> = time.iter().map(|t| 800.0 * (t / 2e-4 * std::f64::consts::PI).sin()).collect();
//! let plot = Plot::new("Contact force", Axis::new("time", "s"), Axis::new("force", "N"))
//!     .with(Series::line("half sine", time.clone(), force.clone()))
//!     .with(Series::line("measured", time, force).styled(Style::Markers));
//! let svg = plot.draw().to_svg();
//! // The axis of time chooses its unit.
//! assert!(svg.contains("time [µs]") && svg.contains("half sine"));
//! ```

pub mod color;
pub mod drawing;
mod font;
pub mod html;
mod layout;
pub mod map;
pub mod names;
pub mod number;
mod panel;
pub mod picture;
pub mod plot;
pub mod prefix;
mod raster;
mod svg;
pub mod table;
pub mod ticks;
mod zbuffer;

pub use color::{Color, Ramp};
pub use drawing::Drawing;
pub use html::{Link, Report};
pub use layout::wrapped;
pub use map::Map;
pub use names::Name;
pub use picture::{Paint, Picture, Triangle};
pub use plot::{Axis, Plot, Scale, Series, Style};
pub use prefix::Prefix;
pub use raster::RasterError;
pub use table::{Column, Table, Value};
