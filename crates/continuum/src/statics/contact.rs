//! The contacts of a static problem: zones, compliances, and rims of zones where the surface continues.

use carom_contact::Law;
use carom_contact::assembly::{Assembly, BodyPoints, points_by_body};
use carom_contact::closed_form::contact_modulus;
use carom_contact::geometry::Faces;
use carom_contact::points::SurfacePoints;
use carom_contact::pressure::{Cell, PressureCells};
use carom_contact::submodel::{
    ContactBody, PointMotion, QuasistaticContact, SolveError, WarmState, Workspace, Zone,
};
use carom_fem::Surface;
use carom_mesh::FaceRef;
use carom_progress::Progress;
use nalgebra::Vector3;

use super::body::StaticBody;
use super::problem::{ContactSpec, Problem};
use super::{EquilibriumError, RimPressure, SetupError};
use crate::nodal_points::NodalPoints;

/// Normals that differ by more than this across an edge of the surface make a sharp edge: cos 30°.
const SMOOTH: f64 = 0.866;

/// The condensed contact problem of all pairs.
pub(super) struct StaticContact {
    pub(super) model: QuasistaticContact,
    pub(super) warm: WarmState,
    pub(super) work: Workspace,
    /// The bodies with contacts.
    pub(super) sides: Vec<Side>,
    pub(super) pairs: Vec<PairNames>,
    /// The free motions at the points of the sides, in the order of the unknowns.
    pub(super) motions: Vec<PointMotion>,
}

/// A body with contacts.
pub(super) struct Side {
    /// Its number.
    pub(super) body: usize,
    /// Its nodes on contact surfaces, ascending.
    pub(super) points: NodalPoints,
    /// Displacements of all its nodes without contact \[m\]; only those of the points are updated.
    displacement: Vec<f64>,
    /// Positions of the points without contact, 3 numbers each \[m\].
    pub(super) positions: Vec<f64>,
}

/// Names of a pair in messages and in the result.
pub(super) struct PairNames {
    pub(super) name: String,
    /// The surface that carries the pressure, and the surface onto which it is projected: `BODY:SET`.
    pub(super) surfaces: [String; 2],
    /// True for pressure cells of the first zone with an edge where the surface continues outside the zone.
    pub(super) open_rim: Vec<bool>,
    /// True if the second zone has such faces.
    pub(super) second_open: bool,
    /// True if pressure at such cells is a warning.
    tolerates_rim: bool,
}

impl StaticContact {
    /// The contacts of a problem; `None` if it has none.
    pub(super) fn new(
        problem: &Problem,
        bodies: &[StaticBody],
        progress: &dyn Progress,
    ) -> Result<Option<Self>, SetupError> {
        if problem.contacts.is_empty() {
            return Ok(None);
        }
        let ends = problem.contacts.iter().flat_map(|pair| pair.bodies.iter().zip(&pair.sets));
        let surfaces = ends.map(|(&body, set)| ZoneFaces::new(&bodies[body], body, set));
        let surfaces = surfaces.collect::<Result<Vec<_>, SetupError>>()?;
        let sides = sides(bodies, &surfaces);
        let mut contact_bodies = Vec::with_capacity(sides.len());
        for side in &sides {
            contact_bodies.push(contact_body(&bodies[side.body], side, progress)?);
        }
        let (mut assembly, mut orders) = (Assembly::default(), Vec::new());
        for (spec, ends) in problem.contacts.iter().zip(surfaces.chunks_exact(2)) {
            let zones = [ends[0].zone(bodies, &sides)?, ends[1].zone(bodies, &sides)?];
            let carrier = assembly.add(zones, law(spec, bodies, ends), 0.0, None);
            orders.push(carrier.ordered([&ends[0], &ends[1]]));
        }
        let model = assembly.build(contact_bodies)?.with_sharp_rims();
        let names = |(k, (spec, ends)): (usize, (&ContactSpec, &[&ZoneFaces; 2]))| {
            let open = ends.map(|end| end.open_faces(bodies));
            PairNames {
                name: spec.bodies.map(|body| bodies[body].name.clone()).join("/"),
                surfaces: ends.map(|end| end.name.clone()),
                open_rim: open_cells(&model.zones()[model.pair(k).first], &open[0]),
                second_open: open[1].contains(&true),
                tolerates_rim: spec.tolerates_rim,
            }
        };
        let pairs = problem.contacts.iter().zip(&orders).enumerate().map(names).collect();
        let (warm, work) = (model.cold(), model.workspace());
        let motions = motions(bodies, &sides);
        Ok(Some(Self { model, warm, work, sides, pairs, motions }))
    }

    /// Sets the positions of the contact points of all sides without contact.
    pub(super) fn place(&mut self, bodies: &[StaticBody], part: f64, motion: &[Vec<f64>]) {
        for Side { body: number, points, displacement, positions } in &mut self.sides {
            let body = &bodies[*number];
            for &node in points.nodes() {
                let u = body.moved(node as usize, part, &motion[*number]);
                displacement[3 * node as usize..3 * node as usize + 3].copy_from_slice(u.as_slice());
            }
            points.positions_into(displacement, positions);
        }
    }

    /// The contact problem of a load step was not solved.
    pub(super) fn failed(&self, step: usize, source: SolveError) -> EquilibriumError {
        let pair = match source {
            SolveError::NotConverged { pair, .. } | SolveError::NoDescent { pair, .. } => Some(pair),
            _ => None,
        };
        let between = pair.map_or_else(String::new, |pair| {
            let [first, second] = &self.pairs[pair].surfaces;
            format!(", contact of `{first}` on `{second}`")
        });
        EquilibriumError::Solve { step, between, source }
    }

    /// Returns pressure at rims where the surface continues; an error unless it is only a warning.
    pub(super) fn check_rims(&self) -> Result<Vec<RimPressure>, EquilibriumError> {
        let mut found = Vec::new();
        for (k, pair) in self.pairs.iter().enumerate() {
            match self.rim_pressure(k, pair) {
                Some(rim) if !pair.tolerates_rim => return Err(rim.into()),
                Some(rim) => found.push(rim),
                None => {}
            }
        }
        Ok(found)
    }

    fn rim_pressure(&self, k: usize, pair: &PairNames) -> Option<RimPressure> {
        let (sums, lambda) =
            (&self.work.solution.pairs[k], &self.work.solution.lambda[self.model.cell_range(k)]);
        let at_rim = || (0..lambda.len()).filter(|&s| pair.open_rim[s] && lambda[s] > 0.0);
        let rim = |zone: usize, cell: usize, share: f64| RimPressure {
            pair: pair.name.clone(),
            zone: pair.surfaces[zone].clone(),
            cell,
            percent: 100.0 * share,
            force: sums.force,
        };
        if let Some(cell) = at_rim().max_by(|&a, &b| lambda[a].total_cmp(&lambda[b])) {
            return Some(rim(0, cell, at_rim().map(|s| lambda[s]).sum::<f64>() / sums.force));
        }
        let second = sums.rim.filter(|rim| rim.zone == carom_contact::submodel::WhichZone::Second);
        second.filter(|_| pair.second_open).map(|found| rim(1, found.cell, found.share))
    }
}

/// A surface of a pair.
struct ZoneFaces {
    body: usize,
    name: String,
    faces: Vec<FaceRef>,
    surface: Surface,
}

impl ZoneFaces {
    fn new(body: &StaticBody, number: usize, set: &str) -> Result<Self, SetupError> {
        let surface = body.body.surface_of_set(&body.discretisation, set)?;
        let faces = body.body.faces_of_set(set)?;
        Ok(Self { body: number, name: format!("{}:{set}", body.name), faces, surface })
    }

    fn zone(&self, bodies: &[StaticBody], sides: &[Side]) -> Result<Zone, SetupError> {
        let number = sides.iter().position(|side| side.body == self.body).expect("every zone has its side");
        let points = sides[number].points.nodes();
        let at = |k: &u32| bodies[self.body].discretisation.points[*k as usize];
        let positions: Vec<[f64; 3]> = points.iter().map(at).collect();
        Ok(Zone::of_faces(number, &self.name, self.surface.clone(), points, &positions, &[])?)
    }

    /// For each face whether the surface of the body continues smoothly across one of its edges, outside the
    /// zone.
    fn open_faces(&self, bodies: &[StaticBody]) -> Vec<bool> {
        let StaticBody { body, discretisation, .. } = &bodies[self.body];
        let whole = body.boundary_faces();
        let surface = discretisation.surface(&whole);
        let positions: Vec<Vector3<f64>> =
            surface.points.iter().map(|&k| Vector3::from(discretisation.points[k as usize])).collect();
        // Faces that cannot be evaluated were an error of the zone.
        let Ok(outside) = Faces::new(surface, &positions) else { return vec![false; self.faces.len()] };
        let mut now = outside.state_at(&positions);
        let mut open = |face: &FaceRef| {
            let Ok(f) = whole.binary_search(face) else { return false };
            let domain = outside.domain(f as u32);
            (0..domain.n_corners()).any(|edge| {
                let Some((next, next_edge, t)) = outside.topology.across(f as u32, edge as u8, 0.5) else {
                    return false;
                };
                if self.faces.binary_search(&whole[next as usize]).is_ok() {
                    return false;
                }
                let mut normal = |face: u32, edge: usize, t: f64| {
                    let xi = outside.domain(face).on_edge(edge, t);
                    let jet = outside.jet(&mut now, face, xi);
                    outside.normal(&mut now, face, xi, &jet)
                };
                normal(f as u32, edge, 0.5).dot(&normal(next, next_edge as usize, t)) > SMOOTH
            })
        };
        self.faces.iter().map(&mut open).collect()
    }
}

/// For each pressure cell of a zone whether it belongs to an open face.
fn open_cells(zone: &Zone, open: &[bool]) -> Vec<bool> {
    let Some(faces) = zone.shape.as_faces() else { return Vec::new() };
    let cells = PressureCells::new(faces, &faces.reference);
    let at_point = |point: u32| {
        faces.surface.faces.iter().zip(open).any(|(face, &open)| open && face.points.contains(&point))
    };
    let is_open = |cell: &Cell| match *cell {
        Cell::Face(face) => open[face as usize],
        Cell::Point(point) => at_point(point),
    };
    cells.cell.iter().zip(&cells.at_rim).map(|(cell, &rim)| rim && is_open(cell)).collect()
}

/// The bodies of all zones with their points.
fn sides(bodies: &[StaticBody], surfaces: &[ZoneFaces]) -> Vec<Side> {
    let found = points_by_body(surfaces.iter().map(|zone| (zone.body, &zone.surface.points[..])));
    let side = |BodyPoints { body, points }: BodyPoints| {
        let all = &bodies[body].discretisation.points;
        let (displacement, positions) = (vec![0.0; 3 * all.len()], vec![0.0; 3 * points.len()]);
        Side { body, points: NodalPoints::new(points, all), displacement, positions }
    };
    found.into_iter().map(side).collect()
}

fn contact_body(body: &StaticBody, side: &Side, progress: &dyn Progress) -> Result<ContactBody, SetupError> {
    let compliance = match &body.elastic {
        Some(elastic) => {
            let compliance = elastic.compliance(side.points.nodes(), progress);
            Some(compliance.map_err(|source| SetupError::factor(&body.name, source.into()))?)
        }
        None => None,
    };
    Ok(ContactBody { name: body.name.clone(), n_points: side.points.n_points(), compliance })
}

/// The law of a pair, with the modulus of its materials.
fn law(spec: &ContactSpec, bodies: &[StaticBody], ends: &[ZoneFaces]) -> Law {
    let material = |end: &ZoneFaces| {
        let body = &bodies[end.body];
        let block = end.faces.first().map_or(0, |face| face.block as usize);
        let material = &body.discretisation.materials[body.discretisation.blocks[block].material];
        (if body.elastic.is_some() { material.young } else { f64::INFINITY }, material.poisson)
    };
    let [a, b] = [material(&ends[0]), material(&ends[1])];
    spec.law.with_modulus(contact_modulus([a.0, b.0], [a.1, b.1]))
}

/// The free motions of all bodies at the points of the sides; motions of bodies without contact are zero.
fn motions(bodies: &[StaticBody], sides: &[Side]) -> Vec<PointMotion> {
    let mut all = Vec::new();
    for (number, body) in bodies.iter().enumerate() {
        let side = sides.iter().position(|side| side.body == number);
        for k in 0..body.motions.len() {
            let displacement = side.map_or_else(Vec::new, |s| {
                let at =
                    |&i: &u32| <[f64; 3]>::from(body.motions.at(k, &body.discretisation.points[i as usize]));
                sides[s].points.nodes().iter().flat_map(at).collect()
            });
            // Without a side the motion belongs to no body of the contact.
            all.push(PointMotion { body: side.unwrap_or(usize::MAX), displacement });
        }
    }
    all
}
