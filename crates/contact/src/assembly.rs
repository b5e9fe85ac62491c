//! From pairs of surfaces to the quasistatic problem: the contact points of each body, and the surface of
//! each pair that carries the pressure. All schemes that solve the problem use this map.

use std::collections::BTreeMap;

use crate::law::Law;
use crate::pressure::PressureCells;
use crate::shape::Shape;
use crate::submodel::{ContactBody, Pair, QuasistaticContact, SetupError, Zone};

/// A body with contact, and its points on contact surfaces.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BodyPoints {
    /// Number of the body in its system.
    pub body: usize,
    /// Numbers of the points, ascending.
    pub points: Vec<u32>,
}

/// The bodies of some surfaces, ascending, each with the points of all its surfaces.
///
/// * `surfaces` — body and points of each surface; a surface without points may be given too
pub fn points_by_body<'a>(surfaces: impl IntoIterator<Item = (usize, &'a [u32])>) -> Vec<BodyPoints> {
    let mut by_body: BTreeMap<usize, Vec<u32>> = BTreeMap::new();
    for (body, points) in surfaces {
        by_body.entry(body).or_default().extend(points);
    }
    let sorted = |(body, mut points): (usize, Vec<u32>)| {
        points.sort_unstable();
        points.dedup();
        BodyPoints { body, points }
    };
    by_body.into_iter().map(sorted).collect()
}

/// The surface of a pair that carries the pressure, by the order of the caller.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Carrier {
    /// The surface that the caller names first.
    First,
    /// The surface that the caller names second.
    Second,
}

impl Carrier {
    /// Chooses the surface with faces, and of two such surfaces the one with the smaller pressure cells; the
    /// first if they are equal.
    ///
    /// Cells are compared by √A of their true areas, not by their control points. The control points of a
    /// spline face reach far beyond the face: a fine NURBS zone would count as coarse, and the large faces of
    /// a mesh would carry a pressure that they cannot resolve.
    pub fn of([first, second]: [&Shape; 2]) -> Self {
        if cell_size(second) < cell_size(first) { Self::Second } else { Self::First }
    }

    /// Index of the carrier in the order of the caller: 0 or 1.
    pub fn index(self) -> usize {
        match self {
            Self::First => 0,
            Self::Second => 1,
        }
    }

    /// Puts the values of both surfaces from the order of the caller to carrier first, or back.
    pub fn ordered<T>(self, [first, second]: [T; 2]) -> [T; 2] {
        match self {
            Self::First => [first, second],
            Self::Second => [second, first],
        }
    }

    /// Index of the carrier (0) or of the other surface (1) for an index in the order of the caller, or back.
    pub fn turned(self, index: usize) -> usize {
        index ^ self.index()
    }

    /// Sign that turns a force on the surface without pressure cells into the force on the caller's first.
    pub fn sign(self) -> f64 {
        match self {
            Self::First => -1.0,
            Self::Second => 1.0,
        }
    }
}

/// Mean √A of the pressure cells of a shape \[m\]; infinite if it cannot carry pressure.
fn cell_size(shape: &Shape) -> f64 {
    match shape.as_faces() {
        Some(faces) if faces.n_faces() > 0 => {
            let cells = PressureCells::new(faces, &faces.reference);
            cells.area.iter().map(|area| area.sqrt()).sum::<f64>() / cells.len() as f64
        }
        _ => f64::INFINITY,
    }
}

/// Zones and pairs of a quasistatic problem, collected one pair after the other.
#[derive(Debug, Clone, Default)]
pub struct Assembly {
    zones: Vec<Zone>,
    pairs: Vec<Pair>,
}

impl Assembly {
    /// Adds a pair and returns which of its zones carries the pressure.
    ///
    /// * `zones` — in the order of the caller
    /// * `max_depth` — see [`Pair::max_depth`]
    pub fn add(&mut self, zones: [Zone; 2], law: Law, friction: f64, max_depth: Option<f64>) -> Carrier {
        let carrier = Carrier::of(zones.each_ref().map(|zone| &zone.shape));
        let at = self.zones.len();
        let [first, second] = carrier.ordered([at, at + 1]);
        self.zones.extend(zones);
        self.pairs.push(Pair { first, second, law, friction, max_depth });
        carrier
    }

    /// The problem between these bodies.
    ///
    /// # Errors
    ///
    /// [`SetupError`] if bodies, zones and pairs do not fit together.
    pub fn build(self, bodies: Vec<ContactBody>) -> Result<QuasistaticContact, SetupError> {
        QuasistaticContact::new(bodies, self.zones, &self.pairs)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_surfaces::plate;
    use carom_mesh::FaceShape;
    use nalgebra::Vector3;

    fn sheet(n: usize) -> Shape {
        let (surface, positions) = plate(FaceShape::Quad4, n, n, |x, y| [x, y, 0.0]);
        Shape::faces(surface, &positions).unwrap()
    }

    #[test]
    fn points_of_a_body_are_the_union_of_its_surface_points_in_ascending_order() {
        let surfaces: [(usize, &[u32]); 4] = [(7, &[5, 2]), (1, &[]), (7, &[2, 9, 3]), (4, &[0])];
        let found = points_by_body(surfaces);
        let expected = [(1, vec![]), (4, vec![0]), (7, vec![2, 3, 5, 9])];
        assert_eq!(found, expected.map(|(body, points)| BodyPoints { body, points }));
    }

    #[test]
    fn the_surface_with_the_smaller_cells_carries_the_pressure_and_a_plane_never_does() {
        let plane = Shape::plane(Vector3::zeros(), Vector3::z()).unwrap();
        let (coarse, fine) = (sheet(2), sheet(3));
        assert_eq!(Carrier::of([&coarse, &fine]), Carrier::Second);
        assert_eq!(Carrier::of([&fine, &coarse]), Carrier::First);
        assert_eq!(Carrier::of([&fine, &fine]), Carrier::First);
        assert_eq!(Carrier::of([&plane, &coarse]), Carrier::Second);
        assert_eq!(Carrier::of([&coarse, &plane]), Carrier::First);
    }

    #[test]
    fn ordering_twice_by_the_same_carrier_restores_the_order() {
        for carrier in [Carrier::First, Carrier::Second] {
            let turned = carrier.ordered(["a", "b"]);
            assert_eq!(carrier.ordered(turned), ["a", "b"]);
            assert_eq!(turned[0], ["a", "b"][carrier.index()]);
            assert!((0..2).all(|i| turned[i] == ["a", "b"][carrier.turned(i)]));
        }
    }

    #[test]
    fn an_assembly_puts_the_carrier_first_in_every_pair() {
        let zone = |body: usize, shape: Shape| {
            let n = shape.as_faces().map_or(0, |faces| faces.n_points());
            let points = (0..n as u32).collect();
            Zone { points, is_interface: vec![true; n], ..Zone::of_shape(body, "zone", shape) }
        };
        let n = sheet(2).as_faces().unwrap().n_points();
        let body = |n_points| ContactBody { name: "body".to_owned(), n_points, compliance: None };
        let plane = Shape::plane(Vector3::zeros(), Vector3::z()).unwrap();
        let mut assembly = Assembly::default();
        let law = Law::Penalty(crate::Stiffness::PerArea(1e9));
        assert_eq!(assembly.add([zone(0, sheet(2)), zone(1, plane.clone())], law, 0.0, None), Carrier::First);
        assert_eq!(assembly.add([zone(1, plane), zone(0, sheet(2))], law, 0.0, None), Carrier::Second);
        let model = assembly.build(vec![body(n), body(0)]).unwrap();
        for pair in 0..2 {
            let bodies = [model.pair(pair).first, model.pair(pair).second].map(|z| model.zones()[z].body);
            assert_eq!(bodies, [0, 1]);
        }
    }
}
