//! The problems of Puso and Zywicz, and the drift of a system's energy and momenta.

use carom_dynamics::{JointKind, Placement};
use carom_rigid::{Ball, Block, JointEnd, JointSpec, Law, PairSpec, Plane, RigidBody, Shape, Sphere, System};
use nalgebra::{Matrix3, Vector3};

/// Extremes over a run.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Drift {
    /// Largest |E − E₀|/E₀ over all steps.
    pub(crate) energy: f64,
    /// |P − P₀|/|P₀|.
    pub(crate) momentum: f64,
    /// |L − L₀|/|L₀|.
    pub(crate) ang_momentum: f64,
}

/// Runs a number of steps and returns the extremes.
pub(crate) fn run(system: &mut System, steps: u64) -> Drift {
    let (energy, momentum, ang_momentum) = (system.energy(), system.momentum(), system.ang_momentum());
    let mut drift = Drift::default();
    for step in 1..=steps {
        system.step().unwrap();
        if step % 64 == 0 || step == steps {
            let size = |a: Vector3<f64>, b: Vector3<f64>| (a - b).norm() / b.norm();
            drift.momentum = drift.momentum.max(size(system.momentum(), momentum));
            drift.ang_momentum = drift.ang_momentum.max(size(system.ang_momentum(), ang_momentum));
        }
    }
    let [least, largest] = system.energy_range();
    drift.energy =
        (largest.max(system.energy()) / energy - 1.0).max(1.0 - least.min(system.energy()) / energy);
    drift
}

/// A body with these principal moments, its source axes turned against them.
pub(crate) fn turned_body(moments: [f64; 3]) -> RigidBody {
    let turn = Placement::rotated([1.0, -2.0, 0.5], 40.0);
    let rotation = carom_dynamics::rotation::matrix(&turn.quaternion);
    let inertia = rotation * Matrix3::from_diagonal(&moments.into()) * rotation.transpose();
    RigidBody::new("top", 2.0, inertia, Vector3::zeros()).unwrap()
}

/// Puso & Zywicz (1998), first example: a ball of 0.274 kg and radius 1 rolls in a shell of 0.743 kg and
/// inner radius 9. The paper gives neither the step nor the moments of inertia; forces act through both
/// centres, so that the moments do not matter.
pub(crate) fn ball_in_shell(stiffness: f64, dt: f64) -> System {
    let ball = RigidBody::new("ball", 0.274, 0.4 * 0.274 * Matrix3::identity(), Vector3::zeros()).unwrap();
    let shell = RigidBody::new("shell", 0.743, 50.0 * Matrix3::identity(), Vector3::zeros()).unwrap();
    let placements = [
        Placement { origin: [0.0, 0.0, 2.0], velocity: [0.0, 1.0, 0.0], ..Placement::default() },
        Placement { origin: [0.0, 0.0, 10.0], ..Placement::default() },
    ];
    let pair = PairSpec {
        bodies: [0, 1],
        points: vec![Ball::new(Vector3::zeros(), 1.0)],
        moving: None,
        edges: [Vec::new(), Vec::new()],
        shape: Shape::Cavity(Sphere { center: Vector3::zeros(), radius: 9.0 }),
        law: Law::per_point(stiffness),
        restitution: 1.0,
        friction: 0.0,
    };
    System::new(vec![ball, shell], &placements, &[pair], Vector3::zeros(), dt).unwrap()
}

/// Masses of the six nodes of the rod \[kg\], and half its length \[m\].
pub(crate) const ROD: ([f64; 6], f64) = ([0.7e-6, 1.4e-6, 1.4e-6, 1.4e-6, 1.4e-6, 0.7e-6], 0.5);

/// The six walls of a cube around the origin with this half length, touched from inside.
fn room(half: f64) -> Shape {
    let wall = |axis: usize, side: f64| {
        Plane::new(half * Vector3::ith(axis, side), Vector3::ith(axis, -side)).unwrap()
    };
    Shape::Planes((0..3).flat_map(|axis| [wall(axis, 1.0), wall(axis, -1.0)]).collect())
}

/// The walls of a cube from −1 to 1.
pub(crate) fn walls() -> Shape {
    room(1.0)
}

/// Zywicz & Puso (1999), fourth example: a rod of five beams, masses lumped at its nodes, in a hollow cube.
/// About its axis the rod has the moment of its cross-section 0.1 × 0.1; the cube has 1.68e-3 kg and 3.36e-3
/// kg m².
pub(crate) fn rod_in_cube(velocity: [f64; 3], law: Law, dt: f64) -> System {
    let (masses, half) = ROD;
    let place = |i: usize| -half + 2.0 * half * i as f64 / 5.0;
    let mass: f64 = masses.iter().sum();
    let transverse: f64 = masses.iter().enumerate().map(|(i, m)| m * place(i) * place(i)).sum();
    let moments = Vector3::new(mass * (0.01 + 0.01) / 12.0, transverse, transverse);
    let rod = RigidBody::new("rod", mass, Matrix3::from_diagonal(&moments), Vector3::zeros()).unwrap();
    let cube = RigidBody::new("cube", 1.68e-3, 3.36e-3 * Matrix3::identity(), Vector3::zeros()).unwrap();
    let placements = [
        Placement { velocity, angular_velocity: [0.0, 40.0, 0.0], ..Placement::default() },
        Placement::default(),
    ];
    let point = |i: usize| Ball::point(Vector3::new(place(i), 0.0, 0.0));
    let pair = PairSpec {
        bodies: [0, 1],
        points: (0..6).map(point).collect(),
        moving: None,
        edges: [Vec::new(), Vec::new()],
        shape: walls(),
        law,
        restitution: 1.0,
        friction: 0.0,
    };
    System::new(vec![rod, cube], &placements, &[pair], Vector3::zeros(), dt).unwrap()
}

/// The initial velocity of the paper.
pub(crate) const ROD_VELOCITY: [f64; 3] = [50.0, 2.0, 0.0];

/// Radius of the balls of [`ball`] \[m\].
pub(crate) const RADIUS: f64 = 0.1;

pub(crate) fn ball(mass: f64) -> RigidBody {
    let inertia = 0.4 * mass * RADIUS * RADIUS * Matrix3::identity();
    RigidBody::new("ball", mass, inertia, Vector3::zeros()).unwrap()
}

pub(crate) fn at(origin: [f64; 3], velocity: [f64; 3]) -> Placement {
    Placement { origin, velocity, ..Placement::default() }
}

pub(crate) fn pair(bodies: [usize; 2], points: Vec<Ball>, shape: Shape) -> PairSpec {
    PairSpec {
        bodies,
        points,
        moving: None,
        edges: [Vec::new(), Vec::new()],
        shape,
        law: Law::Hard,
        restitution: 1.0,
        friction: 0.0,
    }
}

pub(crate) fn balls_touch(a: usize, b: usize) -> PairSpec {
    let sphere = Shape::Sphere(Sphere { center: Vector3::zeros(), radius: RADIUS });
    pair([a, b], vec![Ball::new(Vector3::zeros(), RADIUS)], sphere)
}

pub(crate) fn ground() -> (RigidBody, Shape) {
    let body = RigidBody::new("ground", 1.0, Matrix3::identity(), Vector3::zeros()).unwrap().fixed();
    (body, Shape::plane(Vector3::zeros(), Vector3::z()).unwrap())
}

/// A block around its centre of mass.
pub(crate) fn block(mass: f64, size: Vector3<f64>) -> RigidBody {
    let [x, y, z] = <[f64; 3]>::from(size.component_mul(&size));
    let moments = Vector3::new(y + z, x + z, x + y) * (mass / 12.0);
    RigidBody::new("block", mass, Matrix3::from_diagonal(&moments), Vector3::zeros()).unwrap()
}

/// The four lower corners of a block.
pub(crate) fn feet(size: Vector3<f64>) -> Vec<Ball> {
    Ball::corners(Vector3::zeros(), size)[..4].to_vec()
}

/// Balls in a cube whose walls are fixed, an eighth of it filled, each with all others and with the walls.
pub(crate) fn crowd(n: usize, dt: f64) -> System {
    let side = (n as f64).cbrt().ceil();
    let (mut random, half) = (Random(5), 1.6 * RADIUS * (n as f64).cbrt());
    let mut bodies: Vec<RigidBody> = (0..n).map(|_| ball(1.0)).collect();
    bodies.push(RigidBody::new("cube", 1.0, Matrix3::identity(), Vector3::zeros()).unwrap().fixed());
    let place = |i: usize| {
        let cell = [i, i / side as usize, i / (side * side) as usize].map(|k| (k % side as usize) as f64);
        cell.map(|k| 2.0 * half * (k + 0.5) / side - half)
    };
    let mut places: Vec<Placement> = (0..n).map(|i| at(place(i), random.vector().into())).collect();
    places.push(at([0.0; 3], [0.0; 3]));
    let cube = room(half);
    let mut pairs = Vec::new();
    for i in 0..n {
        pairs.extend((0..i).map(|j| balls_touch(i, j)));
        pairs.push(pair([i, n], vec![Ball::new(Vector3::zeros(), RADIUS)], cube.clone()));
    }
    System::new(bodies, &places, &pairs, Vector3::zeros(), dt).unwrap()
}

/// Balls that fall into a heap on the floor between four walls, restitution 0.
pub(crate) fn heap(n: usize, friction: f64) -> System {
    let (mut random, half) = (Random(11), 0.25);
    let mut bodies: Vec<RigidBody> = (0..n).map(|_| ball(1.0)).collect();
    bodies.push(RigidBody::new("tub", 1.0, Matrix3::identity(), Vector3::zeros()).unwrap().fixed());
    let place = |i: usize| {
        let [x, y, z] = [i % 2, i / 2 % 2, i / 4].map(|k| k as f64);
        let shift = 0.01 * random.vector();
        [0.25 * x - 0.125 + shift.x, 0.25 * y - 0.125 + shift.y, 0.13 + 0.24 * z + shift.z]
    };
    let mut places: Vec<Placement> = (0..n).map(place).map(|origin| at(origin, [0.0; 3])).collect();
    places.push(at([0.0; 3], [0.0; 3]));
    let wall = |axis: usize, side: f64| {
        Plane::new(half * Vector3::ith(axis, side), Vector3::ith(axis, -side)).unwrap()
    };
    let walls = [wall(0, 1.0), wall(0, -1.0), wall(1, 1.0), wall(1, -1.0)];
    let floor = Plane::new(Vector3::zeros(), Vector3::z()).unwrap();
    let tub = Shape::Planes(walls.into_iter().chain([floor]).collect());
    let mut pairs = Vec::new();
    for i in 0..n {
        pairs.extend((0..i).map(|j| balls_touch(i, j)));
        pairs.push(pair([i, n], vec![Ball::new(Vector3::zeros(), RADIUS)], tub.clone()));
    }
    pairs.iter_mut().for_each(|pair| (pair.restitution, pair.friction) = (0.0, friction));
    System::new(bodies, &places, &pairs, Vector3::new(0.0, 0.0, -9.81), 1e-3).unwrap()
}

/// Twelve balls in a free box whose walls have this law.
pub(crate) fn gas(walls_law: Law, dt: f64) -> System {
    let n = 12;
    let mut bodies: Vec<RigidBody> = (0..n).map(|i| ball(1.0 + 0.1 * i as f64)).collect();
    let mut places = Vec::new();
    for i in 0..n {
        let (x, y, z) = (i % 3, i / 3 % 2, i / 6);
        let wave = |k: f64| (1.0 + 2.3 * k * i as f64).sin();
        let origin = [0.5 * x as f64 - 0.5, 0.6 * y as f64 - 0.3, 0.6 * z as f64 - 0.3];
        places.push(at(origin, [wave(1.0), wave(1.7), wave(2.9)]));
    }
    bodies.push(RigidBody::new("box", 50.0, 30.0 * Matrix3::identity(), Vector3::zeros()).unwrap());
    places.push(at([0.0; 3], [0.0; 3]));
    let mut pairs = Vec::new();
    for i in 0..n {
        pairs.extend((0..i).map(|j| balls_touch(i, j)));
        let centre = vec![Ball::new(Vector3::zeros(), RADIUS)];
        pairs.push(PairSpec { law: walls_law, ..pair([i, n], centre, walls()) });
    }
    System::new(bodies, &places, &pairs, Vector3::zeros(), dt).unwrap()
}

/// Blocks on each other on the ground, each a little smaller than the one below, four feet each,
/// restitution 0.
pub(crate) fn stack(storeys: usize, friction: f64) -> System {
    let (floor, plane) = ground();
    let size = |storey: usize| Vector3::new(1.0 - 0.02 * storey as f64, 1.0 - 0.02 * storey as f64, 0.5);
    let mut bodies = vec![floor];
    let mut places = vec![at([0.0; 3], [0.0; 3])];
    let mut pairs = Vec::new();
    for i in 1..=storeys {
        bodies.push(block(2.0, size(i)));
        places.push(at([0.0, 0.0, 0.5 * i as f64 - 0.25], [0.0; 3]));
        let below = if i == 1 {
            plane.clone()
        } else {
            Shape::Block(Block::new(Vector3::zeros(), 0.5 * size(i - 1)))
        };
        pairs.push(PairSpec { restitution: 0.0, friction, ..pair([i, i - 1], feet(size(i)), below) });
    }
    System::new(bodies, &places, &pairs, Vector3::new(0.0, 0.0, -9.81), 1e-3).expect("blocks lie apart")
}

/// Pseudo-random numbers from 0 to 1, the same in every run.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }

    pub(crate) fn vector(&mut self) -> Vector3<f64> {
        Vector3::from_fn(|_, _| 2.0 * self.next() - 1.0)
    }
}

/// A block with all eight corners above the ground, in a random orientation and with a random spin.
pub(crate) fn block_in_the_air(seed: u64, restitution: f64, friction: f64, dt: f64) -> System {
    let mut random = Random(seed);
    // Consecutive seeds have similar first numbers, which are discarded.
    random.vector();
    let size = Vector3::new(0.1, 0.15, 0.2).map(|a| a * (0.5 + random.next()));
    let (floor, plane) = ground();
    let corners = Ball::corners(Vector3::zeros(), size).to_vec();
    let spec = PairSpec { restitution, friction, ..pair([0, 1], corners, plane) };
    let axis = random.vector() + Vector3::new(0.0, 0.0, 1e-3);
    let turned = Placement::rotated(axis.into(), 360.0 * random.next());
    let place = Placement {
        origin: [0.0, 0.0, 0.3],
        velocity: (0.5 * random.vector()).into(),
        angular_velocity: (5.0 * random.vector()).into(),
        ..turned
    };
    let bodies = vec![block(7800.0 * size.product(), size), floor];
    let gravity = Vector3::new(0.0, 0.0, -9.81);
    System::new(bodies, &[place, at([0.0; 3], [0.0; 3])], &[spec], gravity, dt).unwrap()
}

/// A chain of rods on hinges about y, each with a ball around its middle, that falls flat on the floor.
/// Neighbouring links start in a zigzag of 0.05 rad: all balls meet the floor at nearly the same time.
pub(crate) fn falling_chain(n: usize, friction: f64, dt: f64) -> System {
    const LENGTH: f64 = 0.1;
    let slope = |k: usize| if k.is_multiple_of(2) { 0.05_f64 } else { -0.05 };
    let (mut bodies, mut places, mut pairs, mut joints) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let mut end = Vector3::new(0.0, 0.0, 0.03);
    // z of the triad is the axis of the hinge.
    let triad = Matrix3::from_columns(&[Vector3::z(), Vector3::x(), Vector3::y()]);
    let on = |k: usize, side: f64| {
        let turn = carom_dynamics::rotation::from_vector(&Vector3::new(0.0, -slope(k), 0.0));
        JointEnd {
            body: Some(k),
            point: Vector3::new(0.5 * side * LENGTH, 0.0, 0.0),
            triad: carom_dynamics::rotation::matrix(&turn).transpose() * triad,
        }
    };
    for k in 0..n {
        let way = LENGTH * Vector3::new(slope(k).cos(), 0.0, slope(k).sin());
        let moments = Vector3::new(1e-5, 2e-4 / 3.0, 2e-4 / 3.0);
        let inertia = Matrix3::from_diagonal(&moments);
        bodies.push(RigidBody::new(format!("link {k}"), 0.08, inertia, Vector3::zeros()).unwrap());
        let middle = end + 0.5 * way;
        places.push(Placement {
            origin: middle.into(),
            ..Placement::rotated([0.0, -1.0, 0.0], slope(k).to_degrees())
        });
        end += way;
        pairs.push(PairSpec {
            bodies: [k, n],
            points: vec![Ball::new(Vector3::zeros(), 0.02)],
            moving: None,
            edges: Default::default(),
            shape: Shape::plane(Vector3::zeros(), Vector3::z()).unwrap(),
            law: Law::Hard,
            restitution: 0.0,
            friction,
        });
        if k > 0 {
            joints.push(JointSpec {
                name: format!("hinge {k}"),
                kind: JointKind::Revolute,
                ends: [on(k - 1, 1.0), on(k, -1.0)],
                actions: Vec::new(),
            });
        }
    }
    bodies.push(RigidBody::new("floor", 1.0, Matrix3::identity(), Vector3::zeros()).unwrap().fixed());
    places.push(Placement::default());
    let gravity = Vector3::new(0.0, 0.0, -9.81);
    let mut system = System::new(bodies, &places, &pairs, gravity, dt).unwrap();
    system.join(&joints).unwrap();
    system
}
