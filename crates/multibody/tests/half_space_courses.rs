//! Contacts on half-space grids that move over a fixed part: past a bore, and from a flat into a hollow.

use carom_contact::closed_form::HertzPair;
use carom_dynamics::{ContactEvent, Frame, Ignore, LedgerSummary, Loads, Observer, ObserverError, Placement};
use carom_mesh::make::{HexOptions, Solid, hexahedra};
use carom_mesh::{CellShape, Mesh};
use carom_multibody::{
    HalfSpaceContacts, HalfSpaceSpec, Law, RunError, RunSummary, Settings, Simulation, System,
};
use carom_progress::Silent;

use crate::half_space::{RADIUS, STEEL, ball, faces_around, message_of, sphere, surface};

/// A ball of steel that slides without friction over a fixed part of steel, pressed on it by gravity.
struct Course {
    /// Approach at rest on a plane \[m\].
    depth: f64,
    /// Where it starts on the part \[m\].
    start: [f64; 3],
    velocity: [f64; 3],
    duration: f64,
}

impl Course {
    fn over(&self, part: Mesh, observer: &mut dyn Observer) -> (Simulation, Result<RunSummary, RunError>) {
        let bodies = vec![ball("ball"), ball("part").fixed()];
        let surfaces = [sphere(), faces_around(part)].map(|shape| surface(shape, Some(STEEL)));
        let spec = HalfSpaceSpec { bodies: [0, 1], surfaces, law: Law::Hard, friction: 0.0 };
        let contacts = HalfSpaceContacts::new(&bodies, &[spec]).unwrap();
        let hertz = HertzPair { modulus: 0.5 * STEEL.contact_modulus(), radius: RADIUS };
        let gravity = hertz.at_approach(self.depth).force / bodies[0].frame.mass;
        let loads = Loads { gravity: [0.0, 0.0, -gravity], ..Loads::default() };
        let system = System::new(bodies, loads, vec![Box::new(contacts)]).unwrap();
        let [x, y, z] = self.start;
        let start = Placement {
            origin: [x, y, z + RADIUS - self.depth],
            velocity: self.velocity,
            ..Placement::default()
        };
        let settings = Settings {
            relative_tolerance: 1e-6,
            output_every: Some(self.duration / 40.0),
            ..Settings::until(self.duration)
        };
        let mut simulation = Simulation::new(system, &[start, Placement::default()], settings).unwrap();
        let ended = simulation.run(observer, &Silent);
        (simulation, ended)
    }

    /// Place and velocity of the ball at the end.
    fn end_on(&self, part: Mesh) -> ([[f64; 3]; 2], LedgerSummary) {
        let (mut simulation, ended) = self.over(part, &mut Ignore);
        let summary = ended.unwrap_or_else(|error| panic!("{}", message_of(&error)));
        let ball = &simulation.body_states().unwrap()[0];
        ([ball.position, ball.velocity], summary.ledger)
    }
}

fn block(cells: &str, size: [f64; 3], elements: [usize; 3]) -> Mesh {
    let shape = CellShape::from_name(cells).unwrap();
    let options = HexOptions { shape, elements: elements.to_vec(), ..HexOptions::default() };
    hexahedra(Solid::Box { size }, &options).unwrap()
}

/// Half-spaces do not feel a bore beside the contact: the ball moves as on a whole plate. It slides at 45° to
/// the rows of its grid, from (1, 1) mm on, past the bore at (2 to 2.5, 1 to 1.5) mm, which lies between the
/// first row and the contact.
#[test]
fn a_contact_passes_a_bore_between_it_and_the_row_where_it_began() {
    let course =
        Course { depth: 4e-6, start: [1e-3, 1e-3, 1e-3], velocity: [5.0, 5.0, 0.0], duration: 3.2e-4 };
    let whole = block("hex8", [6e-3, 6e-3, 1e-3], [12, 12, 1]);
    let mut bored = whole.clone();
    for block in &mut bored.blocks {
        let is_kept = |cell: &&[u32]| {
            let middle = |d: usize| cell.iter().map(|&p| whole.points[p as usize][d]).sum::<f64>() / 8.0;
            !((2e-3..2.5e-3).contains(&middle(0)) && (1e-3..1.5e-3).contains(&middle(1)))
        };
        block.connectivity = block.connectivity.chunks(8).filter(is_kept).flatten().copied().collect();
    }
    let [whole, bored] = [whole, bored].map(|mesh| {
        let (end, ledger) = course.end_on(mesh);
        assert!(ledger.energy_error < 1e-6, "{ledger:?}");
        end
    });
    println!("{whole:?} {bored:?}");
    for d in 0..3 {
        assert!((whole[0][d] - bored[0][d]).abs() < 1e-9 * course.depth, "{whole:?} {bored:?}");
        assert!((whole[1][d] - bored[1][d]).abs() < 1e-9 * course.velocity[0], "{whole:?} {bored:?}");
    }
}

/// Sides of the cells under load, frame by frame \[m\].
struct Sides(Vec<f64>);

impl Observer for Sides {
    fn frame(&mut self, frame: &Frame<'_>) -> Result<(), ObserverError> {
        let grid = &frame.contacts[0].grid;
        self.0.extend((!grid.cells.is_empty()).then_some(grid.sides[0]));
        Ok(())
    }

    fn contact_event(&mut self, _event: &ContactEvent) -> Result<(), ObserverError> {
        Ok(())
    }
}

/// A ball lands with 0.2 m/s on cells of a fifth of the largest contact radius. After three radii of its way
/// they get an eighth, along the rows of the grid and across them.
#[test]
fn a_contact_that_lasts_gets_smaller_cells_along_and_across_the_rows() {
    for [x, y] in [[20.0, 0.0], [0.0, 20.0]] {
        let course = Course {
            depth: 1e-6,
            start: [1e-3, 1e-3, 1e-3 + 1e-6],
            velocity: [x, y, -0.2],
            duration: 1.6e-4,
        };
        let mut sides = Sides(Vec::new());
        let (_, ended) = course.over(block("hex8", [6e-3, 6e-3, 1e-3], [12, 12, 1]), &mut sides);
        ended.unwrap_or_else(|error| panic!("{}", message_of(&error)));
        println!("{:?}", sides.0);
        let [first, last] = [sides.0[0], sides.0[sides.0.len() - 1]];
        assert!(last < 0.7 * first, "{first:e} {last:e}");
    }
}

/// A plate that is flat up to x = 20 mm, and a hollow of 22.5 mm radius from there on.
fn hollow(curvature: f64) -> Mesh {
    let mut mesh = block("hex20", [40e-3, 24e-3, 4e-3], [20, 2, 1]);
    for point in &mut mesh.points {
        point[2] += 0.5 * curvature * (point[0] - 20e-3).max(0.0).powi(2);
    }
    mesh
}

/// A ball that slides from the flat into the hollow.
fn into_hollow(curvature: f64, depth: f64, speed: f64) -> (Vec<String>, Result<RunSummary, RunError>) {
    let course =
        Course { depth, start: [14e-3, 12e-3, 4e-3], velocity: [speed, 0.0, 0.0], duration: 10e-3 / speed };
    let (simulation, ended) = course.over(hollow(curvature), &mut Ignore);
    (simulation.warnings(), ended)
}

const IN_HOLLOW: &str = "of the radius of a hollow surface";

#[test]
fn a_hollow_is_reported_though_the_contact_began_on_a_flat() {
    for (curvature, is_reported) in [(0.0, false), (1.0 / 22.5e-3, true)] {
        let (warnings, ended) = into_hollow(curvature, 3.8e-4, 100.0);
        let summary = ended.unwrap_or_else(|error| panic!("{}", message_of(&error)));
        println!("{curvature}: {warnings:#?} {:?}", summary.ledger);
        let found = warnings.iter().filter(|text| text.contains(IN_HOLLOW)).count();
        assert_eq!(found, usize::from(is_reported), "{warnings:#?}");
    }
}

#[test]
fn a_contact_too_large_for_a_hollow_is_refused_there() {
    let (_, ended) = into_hollow(0.0, 1.35e-3, 150.0);
    assert!(ended.is_ok(), "{ended:?}");
    let (_, ended) = into_hollow(1.0 / 22.5e-3, 1.35e-3, 150.0);
    let message = message_of(&ended.unwrap_err());
    assert!(message.contains(IN_HOLLOW) && message.contains("holds up to 0.2"), "{message}");
}

/// The ball passes beside an edge of a block, 0.3 mm outside and 5 µm above it: the nearest point of the
/// block is on the edge, where no grid can lie, and nothing touches.
#[test]
fn a_ball_passes_near_an_edge_without_a_grid() {
    let course = Course {
        depth: 1e-12,
        start: [6.3e-3, 1e-3, 1e-3 + 5e-6],
        velocity: [0.0, 5.0, 0.0],
        duration: 3.2e-4,
    };
    let ([place, velocity], _) = course.end_on(block("hex8", [6e-3, 6e-3, 1e-3], [12, 12, 1]));
    let way = course.velocity[1] * course.duration;
    println!("{place:?} {velocity:?}");
    assert!((place[1] - course.start[1] - way).abs() < 1e-12, "{place:?}");
    assert!((velocity[1] - course.velocity[1]).abs() < 1e-12 && velocity[2].abs() < 1e-9, "{velocity:?}");
}
