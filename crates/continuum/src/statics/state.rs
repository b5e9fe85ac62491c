//! The end of a load step: displacements, forces, energies.

use carom_contact::points::SurfacePoints;
use carom_contact::pressure::Cell;
use carom_dynamics::{Balance, BodyState, ContactState, rotation};
use carom_progress::Progress;
use nalgebra::Vector3;

use super::EquilibriumError;
use super::body::StaticBody;
use super::contact::StaticContact;
use super::contacts::Contacts;
use super::equilibrium::Balanced;
use super::outcome::{BodyForces, ForceFrom};

/// Unbalanced forces on a deformable body at free points, relative to the largest force, above which a run
/// fails.
const UNBALANCED: f64 = 1e-6;

/// A body at the end of a load step.
pub(super) struct BodyResult {
    pub(super) state: BodyState,
    pub(super) forces: BodyForces,
    /// ½ uᵀ K u, and half the work of all forces on u \[J\].
    energy: [f64; 2],
}

/// The body under a part of its load, with its free motions and contact forces.
pub(super) fn body_result(
    number: usize,
    body: &StaticBody,
    part: f64,
    balanced: &Balanced,
    contact: Option<&Contacts>,
    progress: &dyn Progress,
) -> Result<BodyResult, EquilibriumError> {
    let pressed =
        contact.map_or_else(|| vec![[0.0; 3]; body.load.len()], |contact| contact.forces(number, body));
    let motion = &balanced.motion[number];
    let mut displacement: Vec<Vector3<f64>> =
        (0..body.load.len()).map(|k| body.moved(k, part, motion)).collect();
    if let Some(elastic) = &body.elastic {
        let by_contact = elastic
            .displacement(&pressed, progress)
            .map_err(|source| EquilibriumError::factor(&body.name, source.into()))?;
        for (u, c) in displacement.iter_mut().zip(by_contact) {
            *u += Vector3::from(c);
        }
    }
    let sum = |forces: &[[f64; 3]]| forces.iter().map(|&f| Vector3::from(f)).sum::<Vector3<f64>>();
    let mut forces = BodyForces {
        name: body.name.clone(),
        load: (body.total_load() * part).into(),
        contact: sum(&pressed).into(),
        by_pair: contact.map_or_else(Vec::new, |contact| contact.pair_forces(number)),
        max_displacement: displacement.iter().map(|u| u.norm()).fold(0.0, f64::max),
        ..BodyForces::default()
    };
    let mut energy = [0.0; 2];
    if let Some(elastic) = &body.elastic {
        forces.deflection = deflection(&body.discretisation.points, &displacement);
        let u: Vec<[f64; 3]> = displacement.iter().map(|&u| u.into()).collect();
        let inner = elastic.forces(&u);
        let left = leftover(body, part, &inner, &pressed);
        (forces.residual, forces.by_support) = reactions(body, &left, &inner);
        let by_support = forces.by_support.iter().map(|support| Vector3::from(support.force));
        forces.support = by_support.sum::<Vector3<f64>>().into();
        let work =
            |f: &[[f64; 3]]| f.iter().flatten().zip(u.iter().flatten()).map(|(f, u)| f * u).sum::<f64>();
        let load: Vec<[f64; 3]> = body.load.iter().map(|f| f.map(|f| part * f)).collect();
        energy = [0.5 * work(&inner), 0.5 * (work(&load) + work(&pressed) + work(&held_only(body, &left)))];
        if forces.residual > UNBALANCED {
            return Err(EquilibriumError::Unbalanced { body: body.name.clone(), residual: forces.residual });
        }
    } else if body.motions.len() < 6 {
        // The supports of a held rigid body carry the difference.
        let rest = -(Vector3::from(forces.load) + Vector3::from(forces.contact));
        forces.support = rest.into();
    }
    Ok(BodyResult { state: state(body, part, motion, &displacement), forces, energy })
}

/// Forces of the contacts of zones on all points of a body.
pub(super) fn zone_forces(number: usize, body: &StaticBody, contact: &StaticContact) -> Vec<[f64; 3]> {
    let mut forces = vec![[0.0; 3]; body.load.len()];
    let Some(s) = contact.sides.iter().position(|side| side.body == number) else { return forces };
    let on_points = &contact.work.solution.force_b[s];
    contact.sides[s].points.add_forces(&[], on_points, forces.as_flattened_mut());
    forces
}

/// K u − f − f_c: the forces of the supports, and at free points the residual.
fn leftover(body: &StaticBody, part: f64, inner: &[[f64; 3]], pressed: &[[f64; 3]]) -> Vec<[f64; 3]> {
    let rows = inner.iter().zip(&body.load).zip(pressed);
    rows.map(|((k, f), c)| [0, 1, 2].map(|d| k[d] - part * f[d] - c[d])).collect()
}

/// The largest of these forces at a free dof relative to the largest force, and the sums of the supports.
fn reactions(body: &StaticBody, left: &[[f64; 3]], inner: &[[f64; 3]]) -> (f64, Vec<ForceFrom>) {
    let (mut free, mut largest) = (0.0f64, 0.0f64);
    let mut supports: Vec<ForceFrom> = Vec::new();
    for (k, (rest, inner)) in left.iter().zip(inner).enumerate() {
        for d in 0..3 {
            largest = largest.max(inner[d].abs());
            if !body.held.flags[k][d] {
                free = free.max(rest[d].abs());
                continue;
            }
            let owner = body.held.owner[k][d];
            let place = supports.iter().position(|support| support.number == owner).unwrap_or_else(|| {
                supports.push(ForceFrom { number: owner, force: [0.0; 3] });
                supports.len() - 1
            });
            supports[place].force[d] += rest[d];
        }
    }
    supports.sort_by_key(|support| support.number);
    (if largest > 0.0 { free / largest } else { 0.0 }, supports)
}

fn held_only(body: &StaticBody, forces: &[[f64; 3]]) -> Vec<[f64; 3]> {
    let rows = forces.iter().zip(&body.held.flags);
    rows.map(|(f, held)| [0, 1, 2].map(|d| if held[d] { f[d] } else { 0.0 })).collect()
}

/// The state in the result: the pose of a rigid body, the displacements of a deformable one in body axes.
fn state(body: &StaticBody, part: f64, motion: &[f64], displacement: &[Vector3<f64>]) -> BodyState {
    let rest =
        BodyState { position: body.origin.into(), quaternion: body.quaternion, ..BodyState::default() };
    if body.elastic.is_some() {
        let back = body.rotation.transpose();
        let modal = displacement.iter().flat_map(|u| <[f64; 3]>::from(back * u)).collect();
        return BodyState { modal, ..rest };
    }
    let (shift, theta) = body.rigid_motion(part, motion);
    let turned = rotation::product(&rotation::from_vector(&theta), &body.quaternion);
    BodyState { position: (body.origin + shift).into(), quaternion: turned, ..rest }
}

/// The contact pairs in the result.
pub(super) fn contact_states(contact: &StaticContact) -> Vec<ContactState> {
    let solution = &contact.work.solution;
    let of_pair = |k: usize| {
        let sums = &solution.pairs[k];
        let (pressure_faces, pressures) = pressures(contact, k);
        ContactState {
            force: (-sums.force_i).into(),
            normal_force: sums.force,
            free_gap: if sums.is_apart {
                contact.model.clearance(k, &contact.work)
            } else {
                sums.min_free_gap
            },
            pressure_faces,
            pressures,
            ..ContactState::default()
        }
    };
    (0..contact.pairs.len()).map(of_pair).collect()
}

/// Mean pressure on the faces of the pressure zone; on linear faces, which carry it at their nodes, the mean
/// of the corners.
fn pressures(contact: &StaticContact, pair: usize) -> (Vec<u32>, Vec<f64>) {
    let cells = contact.model.cells(pair);
    let lambda = &contact.work.solution.lambda[contact.model.cell_range(pair)];
    let pressure = |s: usize| lambda[s] / cells.area[s];
    let shape = &contact.model.zones()[contact.model.pair(pair).first].shape;
    let Some(faces) = shape.as_faces() else { return (Vec::new(), Vec::new()) };
    let mut at_point = vec![0.0; faces.n_points()];
    let mut on_face = vec![0.0; faces.n_faces()];
    for (s, cell) in cells.cell.iter().enumerate().filter(|(s, _)| lambda[*s] > 0.0) {
        match *cell {
            Cell::Face(face) => on_face[face as usize] = pressure(s),
            Cell::Point(point) => at_point[point as usize] = pressure(s),
        }
    }
    for (mean, face) in on_face.iter_mut().zip(&faces.surface.faces) {
        *mean += face.points.iter().map(|&k| at_point[k as usize]).sum::<f64>() / face.points.len() as f64;
    }
    let loaded = on_face.iter().enumerate().filter(|(_, p)| **p > 0.0);
    loaded.map(|(face, p)| (face as u32, *p)).unzip()
}

/// The balance of a load step, by Clapeyron's theorem: the elastic energy is half of the work of all forces
/// on the displacements; W_ext is that work, with the energy of the penalties and that of the dents on
/// half-space grids, which are not in the displacements of the meshes.
pub(super) fn balance(time: f64, bodies: &[BodyResult], contact: Option<&Contacts>, f_res: f64) -> Balance {
    let e_con = contact.map_or(0.0, Contacts::penalty_energy);
    let local = contact.map_or(0.0, Contacts::local_energy);
    Balance {
        time,
        e_el: bodies.iter().map(|body| body.energy[0]).sum::<f64>() + local,
        e_con,
        w_ext: bodies.iter().map(|body| body.energy[1]).sum::<f64>() + e_con + local,
        pen_max: contact.map_or(0.0, Contacts::penetration),
        f_res,
        ..Balance::default()
    }
}

/// Largest difference between the displacements of a point and of the point that moves least, over the
/// largest extent. Rotations count, because statics is linear in them, too.
fn deflection(points: &[[f64; 3]], displacement: &[Vector3<f64>]) -> f64 {
    let least = displacement.iter().min_by(|a, b| a.norm_squared().total_cmp(&b.norm_squared()));
    let Some(least) = least else { return 0.0 };
    let extent = (0..3).map(|a| {
        let [lo, hi] = points
            .iter()
            .fold([f64::INFINITY, f64::NEG_INFINITY], |[lo, hi], x| [lo.min(x[a]), hi.max(x[a])]);
        hi - lo
    });
    displacement.iter().map(|u| (u - least).norm()).fold(0.0, f64::max)
        / extent.fold(f64::MIN_POSITIVE, f64::max)
}
