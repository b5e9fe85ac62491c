//! Rollers on half-space grids: crowned ones against Hertz' ellipse, straight ones are refused.

use carom_contact::closed_form::hertz_ellipse;
use carom_dynamics::{Ignore, Loads, Placement};
use carom_mesh::CellShape;
use carom_mesh::make::{HexOptions, Solid, hexahedra};
use carom_multibody::{
    Body, HalfSpaceContacts, HalfSpaceSpec, HalfSpaceSurface, Law, Settings, Shape, Simulation, System,
};
use carom_progress::Silent;
use nalgebra::{Matrix3, Vector3};

use crate::half_space::{RADIUS, STEEL, faces_around, message_of};

const MASS: f64 = 0.1;

/// All faces of a solid of hexahedra with 20 nodes, stretched along y.
fn faces(solid: Solid, elements: Vec<usize>, stretch: f64) -> Shape {
    let shape = CellShape::from_name("hex20").unwrap();
    let mut mesh = hexahedra(solid, &HexOptions { shape, elements, ..HexOptions::default() }).unwrap();
    mesh.points.iter_mut().for_each(|x| x[1] *= stretch);
    faces_around(mesh)
}

/// A rigid roller with the elasticity of steel that falls on a rigid plate at z = 0.
fn falling(roller: Shape, speed: f64, end: f64) -> Result<Simulation, Box<dyn std::error::Error>> {
    let body = |name: &str| Body::rigid(name, MASS, 1e-4 * Matrix3::identity(), Vector3::zeros()).unwrap();
    let bodies = vec![body("roller"), body("plate").fixed()];
    let of = |shape, half_space| HalfSpaceSurface::Of {
        name: "surface".into(),
        shape,
        half_space,
        has_edges: true,
    };
    let plate = Shape::plane(Vector3::zeros(), Vector3::z()).unwrap();
    let surfaces = [of(roller, Some(STEEL)), of(plate, None)];
    let spec = HalfSpaceSpec { bodies: [0, 1], surfaces, law: Law::Hard, friction: 0.0 };
    let contacts = HalfSpaceContacts::new(&bodies, &[spec]).unwrap();
    let system = System::new(bodies, Loads::default(), vec![Box::new(contacts)]).unwrap();
    let start =
        Placement { origin: [0.0, 0.0, RADIUS + 1e-6], velocity: [0.0, 0.0, -speed], ..Placement::default() };
    let settings = Settings { relative_tolerance: 1e-7, ..Settings::until(end) };
    Ok(Simulation::new(system, &[start, Placement::default()], settings)?)
}

#[test]
fn a_crowned_roller_falls_as_on_hertz_ellipse() {
    for ratio in [10.0, 100.0, 900.0f64] {
        // Edges of 0.1 radii: curvatures to 1 %, the force of an impact to 0.2 %.
        let roller = faces(Solid::Ball { radius: RADIUS }, vec![16, 4], ratio.sqrt());
        let unit =
            hertz_ellipse(STEEL.contact_modulus(), [1.0 / RADIUS, 1.0 / (RADIUS * ratio)], 1.0).unwrap();
        let stiffness = unit.approach.powf(-1.5);
        // ½ m v² = ⅖ F d with F = K d^(3/2).
        let speed: f64 = 0.05;
        let depth = (1.25 * MASS * speed * speed / stiffness).powf(0.4);
        let (force, duration) = (stiffness * depth.powf(1.5), 2.9432 * depth / speed);
        let mut simulation = falling(roller, speed, 1e-6 / speed + 1.5 * duration).unwrap();
        let summary = simulation.run(&mut Ignore, &Silent).unwrap();
        let [event] = summary.contacts[..] else { panic!("one impact: {:?}", summary.contacts) };
        let errors = [event.peak_force / force - 1.0, event.duration() / duration - 1.0];
        println!("{ratio}: {force:.2} N {errors:+.5?} {:?}", summary.ledger);
        assert!(errors[0].abs() < 5e-3 && errors[1].abs() < 1e-2, "{ratio}: {errors:?}");
        // The grid lies a quarter of a cell beside the roller's middle and spins it a little, so that the
        // velocity of the point of contact is not that of the roller.
        let impulse = event.impulse[2] / (2.0 * MASS * speed) - 1.0;
        assert!(impulse.abs() < 1e-6, "{ratio}: {impulse:e}");
        assert!(summary.ledger.energy_error < 1e-6, "{:?}", summary.ledger);
    }
}

#[test]
fn a_straight_roller_is_refused_with_the_way_out() {
    let solid = Solid::Rod { radius: RADIUS, length: 4.0 * RADIUS };
    let error = falling(faces(solid, vec![4, 6, 2], 1.0), 0.05, 1e-3).unwrap_err();
    let message = message_of(error.as_ref());
    assert!(message.contains("flat or conforming along a direction"), "{message}");
    assert!(
        message.contains("crown one of the surfaces") && message.contains("`compliance = \"body\"`"),
        "{message}"
    );
}
