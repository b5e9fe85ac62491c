//! Joints of rigid bodies in explicit dynamics.

use carom_contact::Law;
use carom_continuum::explicit::{BodyKind, Problem, Settings, Simulation};
use carom_dynamics::{Ignore, JointKind, Placement};
use carom_progress::Silent;
use carom_rigid::{JointEnd, JointSpec};
use nalgebra::{Matrix3, Vector3};

use crate::setup::{Kept, Last, at, block, deformable, pair, residuals, rigid, run, settings};

/// A joint with the axis y.
fn joint(name: &str, kind: JointKind, ends: [(Option<usize>, [f64; 3]); 2]) -> JointSpec {
    let triad = Matrix3::from_columns(&[Vector3::z(), Vector3::x(), Vector3::y()]);
    let end = |(body, point): (Option<usize>, [f64; 3])| JointEnd { body, point: point.into(), triad };
    JointSpec { name: name.to_owned(), kind, ends: ends.map(end), actions: Vec::new() }
}

/// A hammer with a handle on a hinge hits a deformable brick off its centre.
fn hammer(kind: JointKind) -> Problem {
    let steel = [7800.0, 2e9, 0.3];
    let head = block("head", [0.03, 0.02, 0.05], [2, 2, 2], steel);
    let handle = block("handle", [0.1, 0.02, 0.02], [2, 1, 1], steel);
    let brick = block("brick", [0.1, 0.06, 0.04], [6, 4, 3], [1000.0, 1e7, 0.3]);
    let velocity = [0.7, -0.2, -5.0];
    Problem {
        bodies: vec![
            rigid(head, at([0.065, 0.035, 0.0405], velocity)),
            rigid(handle, at([0.095, 0.035, 0.0705], velocity)),
            deformable(brick, "neo-hookean", at([0.0; 3], [0.0; 3])),
        ],
        contacts: vec![pair(0, [0, 2], ["bottom", "top"], Law::Hard, 0.0)],
        joints: vec![joint("hinge", kind, [(Some(0), [0.03, 0.01, 0.04]), (Some(1), [0.0, 0.01, 0.01])])],
        ..Problem::default()
    }
}

/// Joint, contact forces and motion fit together in each step: momenta and books are exact, the joint is
/// closed.
#[test]
fn a_jointed_pair_that_hits_a_deformable_brick_keeps_the_momenta() {
    for kind in [JointKind::Revolute, JointKind::Spherical, JointKind::Fixed] {
        let (simulation, kept) = run(&hammer(kind), settings(4e-3, None));
        let row = &kept.rows[0].balance;
        let [energy, momentum, ang_momentum] = residuals(&kept);
        let counts = simulation.contact_counts();
        println!("{kind:?}: {energy:e} {momentum:e} {ang_momentum:e} {counts:?}");
        assert!(counts.multipliers > 50 && counts.sweeps > 0 && counts.unsettled == 0, "{counts:?}");
        assert!(energy < 1e-12 * row.e_kin, "{energy} {}", row.e_kin);
        assert!(momentum < 1e-13 * row.momentum_scale, "{momentum}");
        assert!(ang_momentum < 1e-13 * row.ang_momentum_scale, "{ang_momentum}");
        assert!(simulation.joint_error() < 1e-12, "{}", simulation.joint_error());
        let last = &kept.rows.last().unwrap().balance;
        assert!(last.d_num.abs() < 0.01 * row.e_kin, "{} {}", last.d_num, row.e_kin);
        // The brick moves.
        assert!(kept.velocities.last().unwrap()[2][2] < -0.5);
    }
}

/// A fixed joint makes one body of two: the motion of the brick is that under a body with the mass, the
/// centre and the inertia of both.
#[test]
fn two_bodies_on_a_fixed_joint_move_as_one() {
    let problem = hammer(JointKind::Fixed);
    let mut one = problem.clone();
    let parts: Vec<_> = problem.bodies[..2]
        .iter()
        .map(|spec| match &spec.kind {
            BodyKind::Rigid(body) => {
                (body.mass, body.com + Vector3::from(spec.placement.origin), body.inertia)
            }
            _ => panic!("head and handle are rigid"),
        })
        .collect();
    let mass: f64 = parts.iter().map(|(mass, ..)| mass).sum();
    let center = parts.iter().map(|(mass, x, _)| *mass * x).sum::<Vector3<f64>>() / mass;
    let mut inertia = Matrix3::zeros();
    for (mass, x, own) in &parts {
        let d = x - center;
        inertia += Matrix3::from_diagonal(own)
            + *mass * (d.norm_squared() * Matrix3::identity() - d * d.transpose());
    }
    let center_in_head = center - Vector3::from(problem.bodies[0].placement.origin);
    let whole = carom_rigid::RigidBody::new("head", mass, inertia, center_in_head).unwrap();
    one.bodies[0].kind = BodyKind::Rigid(whole);
    one.bodies.remove(1);
    one.joints.clear();
    one.contacts[0].bodies = [0, 1];
    let (_, of_two) = run(&problem, settings(4e-3, None));
    let (_, of_one) = run(&one, settings(4e-3, None));
    let [two, one] = [of_two.velocities.last().unwrap()[2], of_one.velocities.last().unwrap()[1]];
    for d in 0..3 {
        // Impulses of the joint act where those of the contact do, but for the turn within a step.
        assert!((two[d] - one[d]).abs() < 1e-3, "{two:?} {one:?}");
    }
}

/// The handle of [`hammer`] in its own frame at the centre of mass, under gravity. Joint and gravity alone
/// act on it.
fn hammer_with_centred_handle() -> (Problem, f64) {
    let mut problem = hammer(JointKind::Fixed);
    problem.gravity = [0.0, 0.0, -9.81];
    let handle = &mut problem.bodies[1];
    let BodyKind::Rigid(body) = &handle.kind else { panic!("the handle is rigid") };
    let (mass, inertia) = (body.mass, Matrix3::from_diagonal(&body.inertia));
    (0..3).for_each(|d| handle.placement.origin[d] += body.com[d]);
    problem.joints[0].ends[1].point -= body.com;
    handle.kind =
        BodyKind::Rigid(carom_rigid::RigidBody::new("handle", mass, inertia, Vector3::zeros()).unwrap());
    (problem, mass)
}

/// The force of a joint in a frame times the time since the frame before is the impulse on its body, through
/// the impact and the oscillation of the brick after it: with that of gravity the change of the momentum.
/// Frames of a run that is continued between two frames are the same.
#[test]
fn forces_of_joints_in_frames_are_the_change_of_momentum_between_them() {
    let (problem, mass) = hammer_with_centred_handle();
    let settings = || Settings { output_every: 4.1e-4, ..settings(4e-3, None) };
    let mut whole = Simulation::new(&problem, settings()).unwrap();
    let (mut kept, mut last) = (Kept::default(), Last::at(12));
    whole.run(&mut kept, &Silent).unwrap();
    let time = |n: usize| kept.rows[n].balance.time;
    let velocity = |n: usize| Vector3::from(kept.velocities[n][1]);
    let steps = whole.n_steps() as usize;
    assert!(steps > 3 * kept.rows.len(), "{steps} steps, {} frames", kept.rows.len());
    let mut largest = 0.0_f64;
    for n in 1..kept.rows.len() {
        let since = time(n) - time(n - 1);
        let impulse = since * Vector3::from(kept.joints[n][0].force);
        let expected = mass * (velocity(n) - velocity(n - 1) - since * Vector3::from(problem.gravity));
        let missing = impulse - expected;
        assert!(missing.norm() < 1e-13 * mass * 5.0, "frame {n}: {missing} of {impulse}");
        largest = largest.max(impulse.norm());
    }
    assert!(largest > 0.02 * mass * 5.0, "no impact: {largest}");
    Simulation::new(&problem, settings()).unwrap().run(&mut last, &Silent).unwrap();
    let checkpoint = last.found.unwrap();
    assert!(kept.rows.iter().all(|row| (row.balance.time - checkpoint.time).abs() > 1e-9));
    let (mut resumed, mut later) = (Simulation::new(&problem, settings()).unwrap(), Kept::default());
    resumed.resume(&checkpoint).unwrap();
    resumed.run(&mut later, &Silent).unwrap();
    let first = kept.joints.len() - later.joints.len();
    assert!(first > 1 && kept.joints[first..] == later.joints[..], "from frame {first}");
}

#[test]
fn a_resumed_run_with_joints_has_the_same_bits() {
    let problem = hammer(JointKind::Revolute);
    // Both in contact.
    for step in [3, 12] {
        let mut whole = Simulation::new(&problem, settings(2e-3, None)).unwrap();
        let mut last = Last::at(step);
        whole.run(&mut last, &Silent).unwrap();
        let mut resumed = Simulation::new(&problem, settings(2e-3, None)).unwrap();
        resumed.resume(&last.found.unwrap()).unwrap();
        resumed.run(&mut Ignore, &Silent).unwrap();
        let (first, second) = (whole.checkpoint(), resumed.checkpoint());
        // As text, since a tracker without an event has numbers that are not.
        for (name, entry) in &first.entries {
            let other = format!("{:?}", second.entries.get(name));
            assert!(format!("{:?}", Some(entry)) == other, "{name} from step {step}: {entry:?} {other}");
        }
        assert!(whole.body_states() == resumed.body_states(), "from step {step}");
    }
}

/// A block on a hinge is vertical after K(sin(α/2)) √(J/(m g a)), K(sin(45°)) = 1.854…
#[test]
fn a_pendulum_is_vertical_at_the_quarter_of_its_period() {
    let pendulum = block("pendulum", [0.4, 0.02, 0.02], [1; 3], [7800.0, 2e9, 0.3]);
    let center = [0.0, -0.01, -0.01];
    let problem = Problem {
        bodies: vec![rigid(pendulum, Placement { origin: center, ..Placement::default() })],
        joints: vec![joint("hinge", JointKind::Revolute, [(None, [0.0; 3]), (Some(0), [0.0, 0.01, 0.01])])],
        gravity: [0.0, 0.0, -9.81],
        ..Problem::default()
    };
    let arm = 0.2_f64;
    let moment_per_mass = (0.4 * 0.4 + 0.02 * 0.02) / 12.0 + arm * arm;
    let quarter = 1.854_074_677_301_371_9 * (moment_per_mass / (9.81 * arm)).sqrt();
    let mut kept_errors = Vec::new();
    for steps in [100.0, 200.0, 400.0] {
        let dt = quarter / steps;
        let given = Settings { output_every: quarter / 10.0, ..settings(quarter, Some(dt)) };
        let (simulation, kept) = run(&problem, given);
        assert!(simulation.joint_error() < 1e-14, "{}", simulation.joint_error());
        let [energy, momentum, ang_momentum] = residuals(&kept);
        let e_pot = 2.0 * 9.81 * arm;
        assert!(energy < 1e-12 * e_pot && momentum < 1e-12 && ang_momentum < 1e-12, "{energy} {momentum}");
        kept_errors.push(simulation.body_states()[0].position[0] / arm);
    }
    for pair in kept_errors.windows(2) {
        let order = (pair[0] / pair[1]).abs().log2();
        assert!((1.8..2.2).contains(&order), "{order} {kept_errors:?}");
    }
}

#[test]
fn joints_that_do_not_fit_are_refused_by_name() {
    let refused = |change: &dyn Fn(&mut Problem)| {
        let mut problem = hammer(JointKind::Revolute);
        change(&mut problem);
        Simulation::new(&problem, settings(4e-3, None)).err().unwrap().to_string()
    };
    let soft = refused(&|problem| problem.joints[0].ends[1].body = Some(2));
    assert!(soft.contains("joint `hinge`: body `brick` is not rigid"), "{soft}");
    let fast = refused(&|problem| problem.bodies[1].placement.velocity[0] = 1.0);
    assert!(fast.contains("joint `hinge`: the velocities at the start break it"), "{fast}");
    let apart = refused(&|problem| problem.bodies[1].placement.origin[0] += 1e-3);
    assert!(apart.contains("joint `hinge` is open at the start"), "{apart}");
}
