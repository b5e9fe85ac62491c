//! A breathing, moving ball as a ParaView series: `cargo run -p carom-scene --example ball_series -- FOLDER`.
//!
//! Shows every step of an export: grid of the exact ball, displacement with rigid motion, stress of the
//! elastic part, a contact pressure on faces, frames and their `.pvd`.

use std::path::PathBuf;

use carom_fem::{Body, Geometry, Material};
use carom_nurbs::solids;
use carom_report::Axis;
use carom_scene::{BodyGrid, Coloring, StressRecovery, picture};
use carom_vtk::{Collection, Field, FrameWriter, WriteOptions};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = PathBuf::from(std::env::args().nth(1).unwrap_or_else(|| ".".to_owned()));
    // 1. The exact ball, 4 × 4 × 4 knot spans in each patch.
    let multipatch = solids::ball(0.015, Some(6e-4))?.elements([4, 4, 4])?;
    let steel = Material { name: "steel".to_owned(), density: 7800.0, young: 210e9, poisson: 0.3 };
    let material_of_block = vec![0; multipatch.patches.len()];
    let body = Body {
        name: "ball".to_owned(),
        geometry: Geometry::Nurbs(multipatch),
        materials: vec![steel],
        material_of_block,
        sections: Vec::new(),
    };
    let Geometry::Nurbs(multipatch) = &body.geometry else { unreachable!("it was just made") };

    // 2. An elastic displacement of its control points that flattens it along z: 5 µm at the pole.
    let mut elastic = vec![[0.0; 3]; multipatch.n_points()];
    for (patch, ids) in multipatch.patches.iter().zip(multipatch.point_ids()) {
        for (x, &id) in patch.points.iter().zip(ids) {
            let squash = 5e-6 * (x[2] / 0.015).powi(3);
            elastic[id as usize] = [0.1 * squash * x[0] / 0.015, 0.1 * squash * x[1] / 0.015, -squash];
        }
    }

    // 3. Grid, stress, pressure.
    for (name, grid) in [("volume", BodyGrid::volume(&body)), ("surface", BodyGrid::surface(&body))] {
        let stress = StressRecovery::new(&grid, &body)?.stress(&elastic);
        let on_grid = grid.at_points(&elastic);
        let top: Vec<_> =
            BodyGrid::surface(&body).faces.into_iter().take(4).map(|face| (face, 2e9)).collect();
        let pressure = Field::scalar("contact_pressure", grid.face_values(&top)).single();

        // 4. Frames: the ball flies along z while it breathes.
        let writer = FrameWriter::new(&grid.grid, WriteOptions::default())?;
        let mut collection = Collection::new();
        for frame in 0..5 {
            let time = 1e-5 * f64::from(frame);
            let breath = (0.8 * f64::from(frame)).sin();
            let displacement: Vec<[f64; 3]> =
                on_grid.iter().map(|u| [breath * u[0], breath * u[1], breath * u[2] + 0.3 * time]).collect();
            let tensor: Vec<[f64; 6]> = stress.tensor.iter().map(|s| s.map(|x| breath * x)).collect();
            let fields = [
                Field::tuples("displacement", &displacement).single(),
                Field::tuples("stress", &tensor).single(),
                Field::scalar("von_mises", stress.von_mises.iter().map(|s| breath.abs() * s).collect())
                    .single(),
            ];
            let file = format!("{name}_{frame:04}.vtu");
            writer.write(&folder.join(&file), &fields, std::slice::from_ref(&pressure), Some(time))?;
            collection.push(time, 0, "ball", &file);
        }
        collection.write(&folder.join(format!("{name}.pvd")))?;

        // 5. The same picture without ParaView.
        if name == "surface" {
            let quantity = Axis::new("von Mises stress", "Pa");
            let mut drawn = picture(
                &[(&grid, Coloring::Points { values: &stress.von_mises, quantity: &quantity })],
                true,
            );
            drawn.title = "Flattened ball".to_owned();
            std::fs::write(folder.join("ball.png"), drawn.draw().to_png(2.0)?)?;
        }
    }
    Ok(())
}
