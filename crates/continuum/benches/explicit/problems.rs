//! Bodies and problems.

use std::sync::Arc;

use carom_continuum::explicit::{BodyKind, BodySpec, Problem};
use carom_dynamics::Placement;
use carom_fem::constitutive::{ElasticLaw, ElasticModuli, SolidLaw};
use carom_fem::internal_force::PointRule;
use carom_fem::{Body, Geometry, Material};
use carom_mesh::make::{HexOptions, Solid, hexahedra};

/// A steel cube of edge 1 m of n³ hex8.
pub(crate) fn cube(name: &str, n: usize) -> Body {
    let options = HexOptions { elements: vec![n; 3], ..HexOptions::default() };
    let mesh = hexahedra(Solid::Box { size: [1.0; 3] }, &options).expect("a cube can be meshed");
    Body {
        name: name.to_owned(),
        geometry: Geometry::Mesh(mesh),
        materials: vec![Material::named("steel").expect("steel is known")],
        material_of_block: vec![0],
        sections: Vec::new(),
    }
}

/// The body with the law of St. Venant and Kirchhoff.
pub(crate) fn deformable(body: Body, rule: PointRule, placement: Placement) -> BodySpec {
    let law = ElasticLaw::named("saint-venant-kirchhoff", ElasticModuli::of(&body.materials[0]));
    let laws = vec![SolidLaw::Elastic(law.expect("steel has this law")); body.material_of_block.len()];
    BodySpec {
        geometry: Arc::new(body),
        kind: BodyKind::Deformable { laws, rule, viscosity: [0.0; 2] },
        placement,
    }
}

/// The body turns, and vibrates by its centrifugal force.
pub(crate) fn spinning(body: Body, rule: PointRule) -> Problem {
    let placement =
        Placement { velocity: [1.0, 0.0, 0.0], angular_velocity: [3.0, 5.0, 7.0], ..Placement::default() };
    Problem { bodies: vec![deformable(body, rule, placement)], ..Problem::default() }
}
