//! Chapter 1: reduces a steel rod and draws its modes.
//!
//! ```text
//! cargo run --release -q -p carom-examples --bin reduce_a_body -- out/modes
//! ```
//!
//! A free rod, 0.4 m long and 20 mm thick, is reduced by the method of Craig and Bampton with both ends as
//! interface. The modes of the reduced body are those of the free rod. Three frequencies have closed forms
//! for a slender rod: torsion √(G/ρ)/2L, axial √(E/ρ)/2L, and bending 22.373 √(EI/ρA)/2πL². Shear and
//! rotary inertia lower the last one by half a per cent. The program writes a picture of each kind of mode
//! to the folder.
//!
//! ```text
//! dofs                    2964
//! modes                   386
//! first bending           573.74 Hz
//! second bending          1563.21 Hz
//! first torsion           4022.40 Hz
//! first axial             6485.28 Hz
//! torsion, closed form    4022.40 Hz
//! axial, closed form      6485.93 Hz
//! ```
//!
//! Guarded by `a_reduced_rod_has_the_frequencies_of_a_slender_rod` in `tests/chapters.rs`.

use std::error::Error;
use std::f64::consts::TAU;
use std::fs;
use std::path::{Path, PathBuf};

use carom_fem::{Body, Material};
use carom_make::{Shape, ShapeOptions, make};
use carom_progress::Silent;
use carom_reduce::{CraigBamptonOptions, FixedModes, ReducedBody, craig_bampton};
use carom_report::{Axis, Drawing};
use carom_scene::{BodyGrid, Coloring, picture};

const RADIUS: f64 = 0.01;
const LENGTH: f64 = 0.4;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = PathBuf::from(std::env::args().nth(1).unwrap_or_else(|| "out/modes".to_owned()));

    // 1. The body: an exact NURBS rod with sixteen knot spans along its axis, of steel.
    let options = ShapeOptions {
        radius: Some(RADIUS),
        length: Some(LENGTH),
        degree: Some(3),
        elements: vec![16, 1, 1],
        ..ShapeOptions::of(Shape::Rod)
    };
    let steel = Material { name: "steel".to_owned(), density: 7800.0, young: 210e9, poisson: 0.3 };
    let rod = make(&options, "rod", steel.clone(), &Silent)?;

    // 2. The reduction: the control points of both end faces are the interface, with 80 fixed-interface
    //    modes.
    let options = CraigBamptonOptions {
        interface_sets: vec!["start".to_owned(), "end".to_owned()],
        modes: FixedModes::Count(80),
        ..CraigBamptonOptions::default()
    };
    let reduced = craig_bampton(&rod, &options, &Silent)?.reduced;
    println!("dofs                    {}", reduced.n_dofs);
    println!("modes                   {}", reduced.omega.len());

    // 3. The frequencies. Bending modes come in pairs, as the rod is round.
    let hz: Vec<f64> = reduced.omega.iter().map(|omega| omega / TAU).collect();
    let kinds = [("first bending", 0), ("second bending", 2), ("first torsion", 6), ("first axial", 9)];
    for (name, mode) in kinds {
        println!("{name:<23} {:.2} Hz", hz[mode]);
    }

    // 4. The closed forms of a slender rod.
    let shear = steel.young / (2.0 * (1.0 + steel.poisson));
    println!("torsion, closed form    {:.2} Hz", (shear / steel.density).sqrt() / (2.0 * LENGTH));
    println!("axial, closed form      {:.2} Hz", (steel.young / steel.density).sqrt() / (2.0 * LENGTH));

    // 5. A picture of each kind.
    fs::create_dir_all(&folder)?;
    let drawings = kinds.map(|(name, mode)| mode_picture(&rod, &reduced, mode, name));
    fs::write(folder.join("modes.png"), Drawing::stacked(drawings).to_png(1.0)?)?;
    wrote(&folder.join("modes.png"));
    Ok(())
}

/// The surface of the body, displaced by a mode, coloured by the length of its displacement.
fn mode_picture(body: &Body, reduced: &ReducedBody, mode: usize, title: &str) -> Drawing {
    let fields = reduced.fields.as_ref().expect("modes are kept at all points unless options say otherwise");
    let fields = fields.modes().expect("the modes of a new model are in memory");
    let n_points = fields.points.len();
    let mut displacement = vec![[0.0; 3]; n_points];
    for (i, &point) in fields.points.iter().enumerate() {
        displacement[point as usize] = std::array::from_fn(|a| fields.values[(3 * i + a, mode)]);
    }
    let mut grid = BodyGrid::surface(body);
    let on_grid = grid.at_points(&displacement);
    let lengths: Vec<f64> = on_grid.iter().map(|u| u.iter().map(|x| x * x).sum::<f64>().sqrt()).collect();
    let largest = lengths.iter().copied().fold(0.0, f64::max);
    for (x, u) in grid.grid.points.iter_mut().zip(&on_grid) {
        *x = std::array::from_fn(|a| x[a] + 1.5 * RADIUS / largest * u[a]);
    }
    let relative: Vec<f64> = lengths.iter().map(|length| length / largest).collect();
    let quantity = Axis::new("displacement over its maximum", "");
    let mut drawn = picture(&[(&grid, Coloring::Points { values: &relative, quantity: &quantity })], false);
    drawn.title = title.to_owned();
    drawn.view = [0.3, -1.0, 0.5];
    drawn.size = [720.0, 240.0];
    drawn.draw()
}

fn wrote(path: &Path) {
    eprintln!("wrote {}", path.display());
}
