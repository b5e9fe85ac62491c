//! Chapter 3: a contact law that the library does not have.
//!
//! ```text
//! cargo run --release -q -p carom-examples --bin own_contact_law
//! ```
//!
//! A rigid body with a blunt conical tip drops onto an elastic half-space. Sneddon's force of a cone with
//! the half opening angle α is F = 2/π E* tan α δ². The law is a [`ContactModel`]: it gives the distance of
//! the bodies, adds opposite forces to both, and reports the energy that they store. The impact has a
//! closed form, as ½ m v² = k δ³/3 with k = 2/π E* tan α:
//!
//! ```text
//! δ_max = (3 m v²/2k)^(1/3),   F_max = k δ_max²,   T = 2 δ_max/v ∫₀¹ dx/√(1 − x³) = 2.8043643 δ_max/v
//! ```
//!
//! ```text
//! peak force               166.933 N
//! deepest approach         224.641 µm
//! duration                 1259.952 µs
//! energy error             2e-10
//! peak force, closed form  166.933 N
//! approach, closed form    224.641 µm
//! duration, closed form    1259.953 µs
//! ```
//!
//! Guarded by `a_cone_on_a_half_space_meets_the_closed_form` in `tests/chapters.rs`.

use std::error::Error;
use std::f64::consts::{FRAC_2_PI, FRAC_PI_3};

use carom_dynamics::{Ignore, Loads, Placement};
use carom_multibody::{
    Body, BodyForces, ContactFailure, ContactModel, ContactSums, HertzNumbers, Motion, Reaction, Settings,
    Simulation, System,
};
use carom_progress::Silent;
use nalgebra::{Matrix3, Vector3};

/// A cone (first body) on a half-space (second body).
#[derive(Debug, Clone, Copy)]
struct ConeOnPlane {
    /// Tip of the cone in its body frame \[m\].
    tip_b: Vector3<f64>,
    /// k of F = k δ² \[N/m²\].
    stiffness: f64,
    /// E* \[Pa\].
    modulus: f64,
}

impl ContactModel for ConeOnPlane {
    fn pairs(&self) -> usize {
        1
    }

    fn bodies(&self, _pair: usize) -> [usize; 2] {
        [0, 1]
    }

    fn reach(&self, _pair: usize) -> [f64; 2] {
        [self.tip_b.norm(), 0.0]
    }

    /// The first steps in contact follow from Hertz' duration for a tip of 1 mm.
    fn hertz(&self, _pair: usize) -> HertzNumbers {
        HertzNumbers { modulus: self.modulus, radius: 1e-3, foundation: None }
    }

    fn evaluate(
        &mut self,
        motion: &Motion<'_>,
        forces: &mut [BodyForces],
        reactions: &mut [Reaction],
    ) -> Result<ContactSums, ContactFailure> {
        let (cone, plane) = (motion.pose(0), motion.pose(1));
        let tip = cone.point(&self.tip_b);
        let normal = plane.rotation * Vector3::z();
        let gap = (tip - plane.position).dot(&normal);
        let velocities = motion.velocities(0);
        let rate = cone.rotation * (velocities.v + velocities.omega.cross(&self.tip_b));
        let mut reaction =
            Reaction { free_gap: gap, gap_rate: Some(rate.dot(&normal)), point: tip, ..Reaction::NONE };
        let mut sums = ContactSums::default();
        if gap < 0.0 {
            reaction.normal_force = self.stiffness * gap * gap;
            reaction.force = reaction.normal_force * normal;
            sums.elastic_energy = self.stiffness * (-gap).powi(3) / 3.0;
            // Opposite forces at one point in space conserve both momenta.
            forces[0].add_force(&tip, &reaction.force);
            forces[1].add_force(&tip, &-reaction.force);
        }
        reactions[0] = reaction;
        Ok(sums)
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let (mass, speed, modulus, angle) = (0.1, 0.5, 3e9, FRAC_PI_3);

    // 1. Two rigid bodies: 0.1 kg with its tip 20 mm below the centre of mass, and the held half-space.
    let inertia = 1e-5 * Matrix3::identity();
    let cone = Body::rigid("cone", mass, inertia, Vector3::zeros())?;
    let ground = Body::rigid("ground", 1.0, Matrix3::identity(), Vector3::zeros())?.fixed();

    // 2. The law.
    let stiffness = FRAC_2_PI * modulus * f64::tan(angle);
    let law = ConeOnPlane { tip_b: Vector3::new(0.0, 0.0, -0.02), stiffness, modulus };

    // 3. The run: the tip begins 0.1 mm above the surface.
    let start =
        Placement { origin: [0.0, 0.0, 0.0201], velocity: [0.0, 0.0, -speed], ..Placement::default() };
    let system = System::new(vec![cone, ground], Loads::default(), vec![Box::new(law)])?;
    let mut simulation = Simulation::new(system, &[start, Placement::default()], Settings::until(2e-3))?;
    let summary = simulation.run(&mut Ignore, &Silent)?;
    let event = summary.contacts[0];
    println!("peak force               {:.3} N", event.peak_force);
    println!("deepest approach         {:.3} µm", 1e6 * event.max_approach);
    println!("duration                 {:.3} µs", 1e6 * event.duration());
    println!("energy error             {:.0e}", summary.ledger.energy_error);

    // 4. The closed form.
    let depth = (1.5 * mass * speed * speed / stiffness).cbrt();
    println!("peak force, closed form  {:.3} N", stiffness * depth * depth);
    println!("approach, closed form    {:.3} µm", 1e6 * depth);
    println!("duration, closed form    {:.3} µs", 1e6 * 2.804_364_3 * depth / speed);
    Ok(())
}
