//! Contact as the rate and the time loop see it: a model turns the motion of the bodies into forces on them.

use crate::half_space::Touched;
use crate::kinetics::Kinetics;
use crate::layout::Layout;
use crate::settings::Settings;
use crate::tangential::Tangential;
use crate::velocities::Velocities;
use carom_contact::submodel::Wrench;
use carom_dynamics::{ContactState, ErrorEstimate, Pose};
use nalgebra::Vector3;
use std::f64::consts::PI;

/// Motion of all bodies, borrowed from the system.
#[derive(Debug, Clone, Copy)]
pub struct Motion<'a> {
    pub(crate) layout: &'a Layout,
    pub(crate) poses: &'a [Pose],
    pub(crate) kinetics: &'a [Kinetics],
    pub(crate) y: &'a [f64],
}

impl<'a> Motion<'a> {
    /// Pose of a body frame.
    pub fn pose(&self, body: usize) -> &'a Pose {
        &self.poses[body]
    }

    /// Coordinates of the dynamic modes of a body.
    pub fn modal(&self, body: usize) -> &'a [f64] {
        let start = self.layout.modal(body);
        &self.y[start..start + self.layout.modes(body)]
    }

    /// Velocities of a body.
    pub fn velocities(&self, body: usize) -> &'a Velocities {
        &self.kinetics[body].velocities
    }
}

/// Generalised forces on one body: on P, L and p.
#[derive(Debug, Clone, PartialEq)]
pub struct BodyForces {
    /// Σ f, inertial axes \[N\].
    pub force: Vector3<f64>,
    /// Σ x × f + τ about the inertial origin \[N m\].
    pub moment: Vector3<f64>,
    /// Σ φᵀ Aᵀ f + ψᵀ Aᵀ τ on each dynamic mode.
    pub modal: Vec<f64>,
}

impl BodyForces {
    /// No forces, for n dynamic modes.
    pub fn none(n: usize) -> Self {
        Self { force: Vector3::zeros(), moment: Vector3::zeros(), modal: vec![0.0; n] }
    }

    /// Sets all to zero.
    pub fn clear(&mut self) {
        self.force = Vector3::zeros();
        self.moment = Vector3::zeros();
        self.modal.fill(0.0);
    }

    /// Adds a force on a body with its moment about the origin of the body's frame.
    pub(crate) fn add_wrench(&mut self, pose: &Pose, wrench: &Wrench) {
        let force = pose.rotation * wrench.force_b;
        self.force += force;
        self.moment += pose.position.cross(&force) + pose.rotation * wrench.moment_b;
    }

    /// Adds a force at a spatial point.
    pub fn add_force(&mut self, point: &Vector3<f64>, force: &Vector3<f64>) {
        self.force += force;
        self.moment += point.cross(force);
    }
}

/// Pressure where the model does not hold: at the rim of a contact zone.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rim {
    /// 0 or 1: first or second surface of the pair, whose rim is reached.
    pub side: usize,
    /// Face with the largest force of those concerned, of the surface that carries the pressure.
    pub face: usize,
    /// Part of the pair's force that they carry, 0 to 1.
    pub share: f64,
}

/// What pressure at the rim of a contact zone does to a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RimPolicy {
    /// It ends the run: the force is too low, by 14 % for a zone of 0.63 contact radii, and nothing else
    /// looks wrong.
    #[default]
    Error,
    /// It is said when the run has ended.
    Warning,
}

/// Overlap of two surfaces that brings about no force, as a face is large for the shape of what it meets.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Overlap {
    /// Face of the surface that carries the pressure.
    pub face: usize,
    /// How deep a point of it lies inside the other body \[m\].
    pub depth: f64,
    /// √A of the face \[m\].
    pub size: f64,
    /// Where that is on the undeformed body: the corner, or the middle of the face, in the body frame \[m\].
    pub place: [f64; 3],
    /// True if it is a corner of the face at an edge of the surface.
    pub is_corner: bool,
}

impl Overlap {
    /// Depth over the size of the face.
    pub fn ratio(&self) -> f64 {
        self.depth / self.size
    }
}

/// What the two surfaces of a pair do to each other.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Reaction {
    /// Σ f on the first body, inertial axes \[N\]; the second has the opposite.
    pub force: Vector3<f64>,
    /// The part of it that is friction \[N\]; none without friction.
    pub friction: Option<Vector3<f64>>,
    /// Sum of the sizes of the tangential forces of all cells \[N\], at most μ times that of the pressures.
    pub tangential_force: f64,
    /// Sum of the pressures \[N\], ≥ 0.
    pub normal_force: f64,
    /// Smallest gap without quasistatic response \[m\]: negative in contact and there alone. A lower bound if
    /// far apart.
    pub free_gap: f64,
    /// Its rate \[m/s\], negative while approaching; none if unknown.
    pub gap_rate: Option<f64>,
    /// Where the force acts, without force where that gap is \[m\].
    pub point: Vector3<f64>,
    /// How far off that gap may be from there: half the diagonal of a pressure cell \[m\].
    pub point_error: f64,
    /// Deepest penetration that is left \[m\], ≥ 0.
    pub penetration: f64,
    /// Pressure at the rim of a zone.
    pub rim: Option<Rim>,
    /// Overlap without force.
    pub overlap: Option<Overlap>,
    /// Cells with pressure; none where no cell carries it.
    pub loaded_cells: Option<usize>,
}

impl Reaction {
    /// No contact far and wide.
    pub const NONE: Self = Self {
        force: Vector3::new(0.0, 0.0, 0.0),
        friction: None,
        tangential_force: 0.0,
        normal_force: 0.0,
        free_gap: f64::INFINITY,
        gap_rate: None,
        point: Vector3::new(0.0, 0.0, 0.0),
        point_error: 0.0,
        penetration: 0.0,
        rim: None,
        overlap: None,
        loaded_cells: None,
    };
}

/// The loaded patch of a pair.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LoadedPatch {
    /// Contact radius a \[m\].
    pub radius: f64,
    /// Size of the cells or faces of the first and of the second surface there \[m\]; none of a surface
    /// without faces.
    pub sizes: [Option<f64>; 2],
    /// True if all cells of the surface that carries the pressure are loaded: the outline of the surfaces is
    /// that of the patch.
    pub is_full: bool,
}

/// What a model did at its last evaluation.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct ContactSums {
    /// Elastic energy of the quasistatic response of all bodies \[J\].
    pub elastic_energy: f64,
    /// Potential of the penalties \[J\].
    pub contact_energy: f64,
    /// Energy that friction has taken since the start \[J\].
    pub friction_loss: f64,
    /// Residual of the quasistatic problem, relative to its size.
    pub residual: f64,
    /// Largest part of the force on a body that acts on points whose compliance is not complete, 0 to 1.
    pub off_interface: f64,
    /// Evaluations that needed the fallback of the solver, since the start.
    pub fallbacks: u64,
}

/// What the step size needs to know of a pair before any contact: Hertz' numbers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HertzNumbers {
    /// E* \[Pa\].
    pub modulus: f64,
    /// Effective radius R_e of the surfaces where they are most curved \[m\].
    pub radius: f64,
    /// Two rigid bodies: stiffness ε of their contact \[N/m³\] and area A of the surface that carries the
    /// pressure \[m²\].
    pub foundation: Option<[f64; 2]>,
}

impl HertzNumbers {
    /// Duration of an impact \[s\]: by Hertz, docs/theory/closed-forms.md, eq. (92); of two rigid bodies on
    /// springs ε that fill the contact, with F = π R_e ε δ² while the contact grows and F = A ε δ once all of
    /// the surface touches.
    ///
    /// ```text
    /// T_c = 2.868 (m*²/(R_e E*² v))^(1/5)
    /// T_c = max(2.804 δ_m/v, π (m*/(A ε))^(1/2)),   δ_m³ = 3 m* v²/(2 π R_e ε)
    /// ```
    pub fn duration(&self, mass: f64, speed: f64) -> f64 {
        if let Some([stiffness, area]) = self.foundation {
            let depth = (1.5 * mass * speed * speed / (PI * self.radius * stiffness)).cbrt();
            return (2.804_364 * depth / speed).max(PI * (mass / (area * stiffness)).sqrt());
        }
        2.868_265_7 * (mass * mass / (self.radius * self.modulus * self.modulus * speed)).powf(0.2)
    }
}

/// Why contact could not be evaluated: the reason of the model's own solver.
pub type ContactFailure = Box<dyn std::error::Error + Send + Sync>;

/// Pairs of surfaces that may touch.
pub trait ContactModel: std::fmt::Debug + Send {
    /// Number of pairs.
    fn pairs(&self) -> usize;

    /// Indices of the two bodies of a pair.
    fn bodies(&self, pair: usize) -> [usize; 2];

    /// Local error of the integrator in a step with this contact, relative to the tolerance of the run.
    fn integrator_share(&self) -> f64 {
        Settings::INTEGRATOR_SHARE
    }

    /// Relative errors that are to be expected of the largest force of a pair, of models that estimate them.
    ///
    /// * `duration` — of the impact \[s\]
    fn error_estimate(&self, pair: usize, duration: f64) -> Option<ErrorEstimate> {
        let _ = (pair, duration);
        None
    }

    /// Where a pair has touched since the start of this run, of models that watch it.
    fn touched(&self, pair: usize) -> Option<Touched> {
        let _ = pair;
        None
    }

    /// Memory of matrices that the model has made in the run so far \[bytes\].
    fn bytes(&self) -> usize {
        0
    }

    /// Name of the first (0) or second (1) surface of a pair, for messages.
    fn surface_name(&self, pair: usize, side: usize) -> String {
        format!("surface of body {}", self.bodies(pair)[side])
    }

    /// Radii of balls about the origins of the two body frames that hold the surfaces of a pair \[m\].
    fn reach(&self, pair: usize) -> [f64; 2];

    /// For the step size.
    fn hertz(&self, pair: usize) -> HertzNumbers;

    /// Which surface of a pair (0 or 1) carries the pressure.
    fn carrier(&self, pair: usize) -> usize {
        let _ = pair;
        0
    }

    /// What pressure at the rim of a zone does to the run.
    fn rim_policy(&self, pair: usize) -> RimPolicy {
        let _ = pair;
        RimPolicy::Error
    }

    /// Asks for displacements with errors below this part of the largest one.
    fn set_accuracy(&mut self, relative: f64) {
        let _ = relative;
    }

    /// Computes reactions for a motion and *adds* their forces to those on the bodies (indexed as in the
    /// system). Forces on two bodies are opposite and have a common line of action, so that both momenta are
    /// kept to round-off. Allocates nothing once it has run.
    ///
    /// # Errors
    ///
    /// The solver's reason, such as no convergence.
    fn evaluate(
        &mut self,
        motion: &Motion<'_>,
        forces: &mut [BodyForces],
        reactions: &mut [Reaction],
    ) -> Result<ContactSums, ContactFailure>;

    /// As [`ContactModel::evaluate`], for the reaction of one pair: those of others and all forces on bodies
    /// may stay as they were.
    ///
    /// # Errors
    ///
    /// As there.
    fn evaluate_pair(
        &mut self,
        pair: usize,
        motion: &Motion<'_>,
        forces: &mut [BodyForces],
        reactions: &mut [Reaction],
    ) -> Result<(), ContactFailure> {
        let _ = pair;
        self.evaluate(motion, forces, reactions).map(drop)
    }

    /// Says whether the next evaluations are asked for their forces alone: gaps of pairs without a force may
    /// then be bounds from below, with no rate.
    fn seek_forces_alone(&mut self, alone: bool) {
        let _ = alone;
    }

    /// Completes the reactions of pairs of which the last evaluation, for the same motion, has found the
    /// force alone.
    ///
    /// * `all` — or only where the gap may have changed much since a step ended with a complete reaction
    ///
    /// # Errors
    ///
    /// As those of an evaluation.
    fn complete(
        &mut self,
        motion: &Motion<'_>,
        forces: &mut [BodyForces],
        reactions: &mut [Reaction],
        all: bool,
    ) -> Result<(), ContactFailure> {
        let _ = (motion, forces, reactions, all);
        Ok(())
    }

    /// Numbers of the pairs that the last evaluation looked at, ascending, if it leaves out pairs whose
    /// bodies are far apart: [`Reaction::NONE`] stands for them.
    fn near(&self) -> Option<&[u32]> {
        None
    }

    /// Bound from below on the gap of a pair that the last evaluation has left out \[m\].
    fn clearance(&self, pair: usize) -> f64 {
        let _ = pair;
        f64::INFINITY
    }

    /// Bound from below on the time in which a pair that the last evaluation has left out may touch, if all
    /// bodies keep their velocities \[s\].
    ///
    /// * `motion` — velocity of the frame of a body of the system, inertial axes \[m/s\], and its angular
    ///   speed \[rad/s\]
    fn time_apart(&mut self, motion: &dyn Fn(usize) -> (Vector3<f64>, f64)) -> f64 {
        let _ = motion;
        f64::INFINITY
    }

    /// The same of pairs that are near each other, but were left out because they have no force until their
    /// bodies have moved by some way.
    ///
    /// * `motion` — as there
    fn time_settled(&self, motion: &dyn Fn(usize) -> (Vector3<f64>, f64)) -> f64 {
        let _ = motion;
        f64::INFINITY
    }

    /// Evaluates the forces of pairs that the last evaluation, for the same motion, has left out as settled.
    ///
    /// # Errors
    ///
    /// As those of an evaluation.
    fn evaluate_settled(
        &mut self,
        motion: &Motion<'_>,
        forces: &mut [BodyForces],
        reactions: &mut [Reaction],
    ) -> Result<(), ContactFailure> {
        let _ = (motion, forces, reactions);
        Ok(())
    }

    /// Number of rows that may have forces of their own, if the model tells of them; then all of its forces
    /// are such.
    ///
    /// A formula that solves for contact itself takes `−Bᵀ (W + d)⁻¹ B` over the closed rows for the
    /// derivative of the forces by the motion.
    fn rows(&self) -> Option<usize> {
        None
    }

    /// Hands over the rows that are closed at the last evaluation, ascending.
    fn for_closed(&self, take: &mut dyn FnMut(usize)) {
        let _ = take;
    }

    /// (W + d) of two closed rows \[m/N\].
    fn closed_compliance(&self, row: usize, other: usize) -> f64 {
        let _ = (row, other);
        0.0
    }

    /// Adds the forces that a unit of a closed row brings about to those on the bodies, at the last
    /// evaluation.
    fn add_row(&self, row: usize, poses: &[Pose], forces: &mut [BodyForces]) {
        let _ = (row, poses, forces);
    }

    /// True if the forces of a pair change the stiffness of one of its bodies (docs/theory/stiffening.md,
    /// eq. (132)).
    fn stiffens(&self, pair: usize, body: usize) -> bool {
        let _ = (pair, body);
        false
    }

    /// Coefficient μ of Coulomb friction of a pair.
    fn friction(&self, pair: usize) -> f64 {
        let _ = pair;
        0.0
    }

    /// Sets how a pair with friction takes tangential forces, from the next evaluation on.
    fn hold(&mut self, pair: usize, tangential: Tangential) {
        let _ = (pair, tangential);
    }

    /// Counts friction of a pair from the place of its bodies at the last evaluation on, without forces
    /// there.
    fn follow(&mut self, pair: usize) {
        let _ = pair;
    }

    /// Sets the energy that friction has taken until the last accepted state to zero.
    fn clear_friction_loss(&mut self) {}

    /// Puts the last evaluation and the memory of later ones aside until [`ContactModel::take_back`]:
    /// evaluations in between are for output alone. Each further call before that makes the next evaluation
    /// start from this memory again.
    ///
    /// * `reactions` — of the last evaluation
    ///
    /// Returns false if nothing is put aside. Then an evaluation for the same motion has to repeat the last
    /// one bit for bit, whatever came between them.
    fn put_aside(&mut self, reactions: &[Reaction]) -> bool {
        let _ = reactions;
        false
    }

    /// Takes back what [`ContactModel::put_aside`] has put aside, with its reactions.
    fn take_back(&mut self, reactions: &mut [Reaction]) {
        let _ = reactions;
    }

    /// Takes the state of the last evaluation as the end of a step: what depends on the path, friction, goes
    /// on from there. Until then evaluations, of whatever state, do not change what later ones give beyond
    /// the accuracy of the model's solver. Adds to the reactions what is looked for at ends of steps alone.
    fn accept(&mut self, reactions: &mut [Reaction]) {
        let _ = reactions;
    }

    /// Adds what the last evaluation says of the pressures of a pair.
    fn report(&self, pair: usize, state: &mut ContactState) {
        let _ = (pair, state);
    }

    /// The loaded patch of a pair at the last evaluation; none without force, or where no mesh resolves it.
    /// Allocates nothing.
    fn patch(&self, pair: usize) -> Option<LoadedPatch> {
        let _ = pair;
        None
    }

    /// Sentences about limits of the model that the run has met; none if all is well.
    fn doubts(&self) -> Vec<String> {
        Vec::new()
    }

    /// Adds the quasistatic modal coordinates of a body of the system at the last evaluation; `modal` holds
    /// one number for each quasistatic mode.
    fn add_quasistatic(&self, body: usize, modal: &mut [f64]) {
        let _ = (body, modal);
    }

    /// Hands over φ_kᵀ f of the modes of a body of the system, dynamic and quasistatic, under the forces f of
    /// the last evaluation; of no mode where the model does not know it.
    fn for_modal_forces(&self, body: usize, take: &mut dyn FnMut(usize, f64)) {
        let _ = (body, take);
    }

    /// Starting values of inner iterations, for a restart bit for bit.
    fn memory(&self) -> Vec<f64> {
        Vec::new()
    }

    /// Takes back what [`ContactModel::memory`] gave. False if it does not fit.
    fn restore(&mut self, memory: &[f64]) -> bool {
        memory.is_empty()
    }
}
