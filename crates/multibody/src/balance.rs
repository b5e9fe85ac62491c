//! Energies and momenta of a system for the ledger.

use crate::bodies::Bodies;
use crate::contacts::Contacts;
use crate::layout::vector;
use carom_dynamics::{Balance, Loads};
use nalgebra::Vector3;

/// The parts of a system that have energy or pass on momentum, evaluated at one state.
pub(crate) struct Parts<'a> {
    pub(crate) bodies: &'a Bodies,
    pub(crate) contacts: &'a Contacts,
    pub(crate) loads: &'a Loads,
    /// Energy of springs, stops and bushings \[J\].
    pub(crate) spring_energy: f64,
    /// True if joints, force elements or contacts may hold a body at rest.
    pub(crate) may_rest: bool,
}

/// Balance of a system at y, at which its parts were evaluated.
pub(crate) fn of(parts: &Parts<'_>, time: f64, y: &[f64]) -> Balance {
    let Parts { bodies, contacts, loads, .. } = *parts;
    let layout = bodies.layout();
    let mut balance =
        Balance { time, w_ext: y[layout.work()], d_mat: y[layout.damping()], ..Balance::default() };
    let g = loads.gravity();
    let (mut momentum, mut ang_momentum) = (Vector3::zeros(), Vector3::zeros());
    let mut impulse = vector(y, layout.external_impulse());
    let mut ang_impulse = vector(y, layout.external_ang_impulse());
    for (i, body) in bodies.all().iter().enumerate() {
        let pose = bodies.pose(i);
        let (p, l) = (vector(y, layout.momentum(i)), vector(y, layout.ang_momentum(i)));
        let own = bodies.balance(i, y, &g);
        balance.e_kin += own.e_kin;
        balance.e_el += own.e_el;
        balance.e_pot += own.e_pot;
        if body.fixed {
            // The impulse on a fixed body is an external impulse on the others.
            impulse -= p;
            ang_impulse -= l;
            continue;
        }
        balance.mass += body.frame.mass;
        balance.radius = balance.radius.max(bodies.gyration_radius(i));
        momentum += p;
        ang_momentum += l;
        let carried = pose.position.cross(&p);
        // Joints and contacts pass on the momentum that the loads give to a body at rest.
        let passed = passed_on(parts, i, time);
        let size = p.norm() + passed;
        balance.momentum_scale += size;
        // A central impact has no angular momentum at all: errors then count against that of P at the
        // body's own radius.
        let own = bodies.gyration_radius(i) * size;
        balance.ang_momentum_scale +=
            carried.norm() + (l - carried).norm() + own + pose.position.norm() * passed;
    }
    balance.e_pot += parts.spring_energy;
    balance.e_el += contacts.sums().elastic_energy;
    balance.e_con += contacts.sums().contact_energy;
    balance.d_fric += contacts.sums().friction_loss;
    balance.f_res = contacts.sums().residual;
    balance.pen_max = contacts.reactions().fold(0.0, |most, (_, reaction)| reaction.penetration.max(most));
    balance.momentum = momentum.into();
    balance.ang_momentum = ang_momentum.into();
    balance.external_impulse = impulse.into();
    balance.external_ang_impulse = ang_impulse.into();
    balance
}

/// Momentum that gravity and forces would have given to a body by now if it rests \[N s\]: (m g + Σ |f|)
/// t. Zero where nothing can hold a body, which then has it as P.
fn passed_on(parts: &Parts<'_>, i: usize, time: f64) -> f64 {
    if !parts.may_rest {
        return 0.0;
    }
    let loads = parts.loads.point_loads.iter().filter(|load| load.body == i);
    let force: f64 =
        loads.map(|load| Vector3::from(load.force).norm() * load.scale.at(time).value.abs()).sum();
    (parts.bodies.all()[i].frame.mass * parts.loads.gravity().norm() + force) * time
}
