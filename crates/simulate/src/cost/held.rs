//! How long a body that is held at a set stays in contact.
//!
//! A run of the bodies as rigid ones knows the contact as Hertz' theory does. A held body gives way as a
//! whole, and pushes the other one back much later.

use std::f64::consts::PI;

use carom_fem::plausible::bounds;
use carom_fem::{Body, Discretisation};
use carom_format::scenario::model::{BodySpec, ContactSpec, Scenario};
use nalgebra::{Quaternion, UnitQuaternion, Vector3};

use super::Known;
use super::reductions::volume;
use crate::geometry::placement;

/// A body with its place.
struct Placed<'a> {
    spec: &'a BodySpec,
    body: &'a Body,
    discretisation: Discretisation,
}

impl<'a> Placed<'a> {
    fn of(scenario: &'a Scenario, known: &'a [Known], name: &str) -> Option<Self> {
        let number = scenario.body.iter().position(|spec| spec.name == name)?;
        let body = known[number].geometry.as_deref()?;
        let discretisation = Discretisation::new(body).ok()?;
        Some(Self { spec: &scenario.body[number], body, discretisation })
    }

    fn is_held(&self) -> bool {
        !self.spec.rigid && self.spec.reduce.as_ref().is_some_and(|reduce| !reduce.fix.is_empty())
    }

    /// From its axes to inertial ones.
    fn rotation(&self) -> UnitQuaternion<f64> {
        let [w, x, y, z] = placement(self.spec).quaternion;
        UnitQuaternion::from_quaternion(Quaternion::new(w, x, y, z))
    }

    /// The middle of its box, inertial axes \[m\].
    fn middle(&self) -> Vector3<f64> {
        let [low, high] = bounds(self.body).map(Vector3::from);
        Vector3::from(placement(self.spec).origin) + self.rotation() * (0.5 * (low + high))
    }

    /// Its extent along a direction, inertial axes \[m\].
    fn extent(&self, direction: Vector3<f64>) -> f64 {
        let [low, high] = bounds(self.body).map(Vector3::from);
        let own = self.rotation().inverse() * direction;
        (0..3).map(|axis| (high - low)[axis] / own[axis].abs()).fold(f64::INFINITY, f64::min)
    }

    fn material(&self) -> &carom_fem::Material {
        &self.discretisation.materials[self.discretisation.blocks[0].material]
    }
}

/// The time for which a held elastic body gives way to a free one \[s\]: half a period of the mass of the
/// free one on the other as the spring of a bar between its middle and the free body. None of other pairs.
///
/// ```text
/// T = π (m/k)^½,   k = E A/L,   A = V/L,   m = m_free + m_bar/3
/// ```
///
/// A bar bends more easily than it is compressed: contact from its side lasts longer.
pub(super) fn time_of_held(scenario: &Scenario, known: &[Known], pair: &ContactSpec) -> Option<f64> {
    let [first, second] = pair.between.each_ref().map(|end| Placed::of(scenario, known, &end.body));
    let (held, free) = match (first?, second?) {
        (held, free) if held.is_held() && !free.is_held() => (held, free),
        (free, held) if held.is_held() && !free.is_held() => (held, free),
        _ => return None,
    };
    if free.spec.fixed {
        return None;
    }
    let direction = (free.middle() - held.middle()).try_normalize(0.0)?;
    let length = held.extent(direction);
    let [volume, of_free] = [&held, &free].map(|placed| volume(&placed.discretisation));
    let (bar, other) = (held.material(), free.material());
    let stiffness = bar.young * volume / (length * length);
    let mass = other.density * of_free + bar.density * volume / 3.0;
    Some(PI * (mass / stiffness).sqrt())
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::sync::Arc;

    use carom_fem::Material;
    use carom_make::{Shape, ShapeOptions, make};
    use carom_progress::Silent;

    use super::*;

    /// Half a period of a block on a bar: T = π (m L/(E A))^½ in closed form, wherever both lie.
    #[test]
    fn a_held_bar_pushes_back_after_half_a_period() {
        let body = |name: &str, more: &str| {
            format!("[[body]]\nname = \"{name}\"\nfile = \"{name}.npz\"\nmaterial = \"steel\"\n{more}\n")
        };
        let turned = "rotation = { axis = [0.0, 0.0, 1.0], degrees = 90.0 }\nposition = [3.0, 0.0, 0.0]";
        let text = |reduce: &str| {
            let bar = body("bar", &format!("{turned}\nreduce = {{ interface = [\"end\"]{reduce} }}"));
            let block = body("block", "rigid = true\nposition = [2.95, 1.0, -0.05]");
            format!(
                "[simulation]\nend_time = 1.0\n\n{bar}{block}[[contact]]\nbetween = [\"bar:end\", \
                 \"block\"]\n"
            )
        };
        let box_of = |size: [f64; 3]| {
            let options = ShapeOptions { size: Some(size), hex: true, ..ShapeOptions::of(Shape::Box) };
            make(&options, "box", Material::named("steel").unwrap(), &Silent).unwrap()
        };
        let known = [[1.0, 0.1, 0.1], [0.1, 0.1, 0.1]].map(|size| Known {
            geometry: Some(Arc::new(box_of(size))),
            finer: None,
            model: None,
            rom_path: None,
            is_to_make: false,
            owner: 0,
        });
        let of = |reduce: &str| {
            let text = text(reduce);
            let scenario = Scenario::parse(Path::new("bar.toml"), &text, &[], &["steel"]).unwrap();
            time_of_held(&scenario, &known, &scenario.contact[0])
        };
        let steel = Material::named("steel").unwrap();
        let mass = steel.density * (1e-3 + 1e-2 / 3.0);
        let exact = PI * (mass / (steel.young * 1e-2)).sqrt();
        let found = of(", fix = [\"start\"]").unwrap();
        assert!((found / exact - 1.0).abs() < 0.02, "{found} {exact}");
        assert_eq!(of(""), None);
    }
}
