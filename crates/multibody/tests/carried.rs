//! Derivatives of momenta and of the speeds of joints by positions, against central differences.

use carom_dynamics::{JointKind, Loads, Placement, TimeFunction, rotation};
use carom_integrate::{Displacement, Reading, SecondOrder};
use carom_multibody::{Coordinate, Coupling, CouplingSlopes, CouplingTerm, Drive, Joint, JointEnd, System};
use nalgebra::Vector3;

use crate::lattice::{Lattice, Numbers};

/// Symmetric slopes of C_t and C_r, of the size of the modes.
fn slopes(n: usize) -> CouplingSlopes {
    let mut numbers = Numbers(11);
    let mut symmetric = || {
        let values: Vec<Vector3<f64>> = (0..n * n).map(|_| 10.0 * numbers.vector()).collect();
        let entry = |i: usize| 0.5 * (values[i] + values[n * (i % n) + i / n]);
        (0..n * n).flat_map(|i| <[f64; 3]>::from(entry(i))).collect::<Vec<f64>>()
    };
    CouplingSlopes { translation: symmetric(), rotation: symmetric() }
}

/// Two bodies of the lattice, one on the ground and the other on it, by two joints of a kind; all velocities
/// at random. With `aligned` the axes z of all ends are parallel, and bodies turn about them.
struct Pair {
    system: System,
    y: Vec<f64>,
    velocity: Vec<f64>,
}

impl Pair {
    fn new(kind: JointKind, modes: usize, aligned: bool) -> Self {
        let mut body = Lattice::new(0.1, 1.0, 2000.0).body(modes);
        let mut numbers = Numbers(3);
        body.frame.slopes = Some(slopes(modes));
        let mut triad = || {
            let turn = if aligned { numbers.next() * Vector3::z() } else { numbers.vector() };
            rotation::matrix(&rotation::from_vector(&turn))
        };
        let marker = |points: &[u32]| body.marker(points).unwrap();
        let [start, stop] = [marker(&[0, 1, 2, 9]), marker(&[6, 7, 8, 15])];
        let mut joint = |name: &str, ends: [(Option<usize>, _); 2]| Joint {
            name: name.to_owned(),
            kind,
            ends: ends.map(|(body, marker)| JointEnd { body, marker, triad_b: triad() }),
        };
        let first = joint("first", [(None, start.clone()), (Some(0), start.clone())]);
        let second = joint("second", [(Some(0), stop), (Some(1), start)]);
        let bodies = vec![body.clone(), body];
        let system = System::new(bodies, Loads::default(), Vec::new()).unwrap();
        let system = system.with_joints(vec![first, second]).unwrap();
        let mut place = |x: f64| {
            let turn = if aligned { numbers.next() * Vector3::z() } else { numbers.vector() };
            let quaternion = rotation::from_vector(&turn);
            Placement { origin: [x, 0.2, -0.1], quaternion, ..Placement::default() }
        };
        let mut y = system.initial_state(&[place(0.0), place(0.3)]).unwrap();
        let n = system.velocities();
        let mut velocity: Vec<f64> = (0..n).map(|_| 3.0 * numbers.next()).collect();
        for body in 0..2 {
            let q = system.layout().modal(body);
            for k in 0..modes {
                y[q + k] = if aligned { 0.0 } else { 1e-3 * numbers.next() };
            }
            if aligned {
                let omega = body * (6 + modes) + 3;
                velocity[omega..omega + 2].fill(0.0);
            }
        }
        Self { system, y, velocity }
    }

    /// Momenta in the directions of the velocities, less those of `base`, and speeds of all rows, after an
    /// increment.
    fn moved(&mut self, increment: &[f64], base: &[f64]) -> [Vec<f64>; 2] {
        let (n, m) = (self.system.velocities(), self.system.constraints());
        let mut y = self.y.clone();
        let step = Displacement { increment, velocity: &self.velocity, impulse: &[] };
        self.system.place(0.0, &self.y, step, &mut y).unwrap();
        let change: Vec<f64> = y.iter().zip(base).map(|(y, base)| y - base).collect();
        let mut momenta = vec![0.0; n];
        self.system.pull_back(base, &change, &mut momenta);
        self.system.rate_with(0.0, &y, Some(&vec![0.0; m]), &mut vec![0.0; base.len()]).unwrap();
        let mut reading = Reading::new(n, m);
        self.system.read(&mut reading);
        [momenta, reading.value_rate]
    }

    /// Compares; `modal` says whether columns of modal coordinates are exact for the rows.
    fn agrees(&mut self, modal: bool, what: &str) {
        let (n, m) = (self.system.velocities(), self.system.constraints());
        let mut base = self.y.clone();
        let still = Displacement { increment: &vec![0.0; n], velocity: &self.velocity, impulse: &[] };
        self.system.place(0.0, &self.y, still, &mut base).unwrap();
        self.moved(&vec![0.0; n], &base);
        let size = n / 2;
        let mut momenta = vec![vec![0.0; size * size]; 2];
        for (part, out) in momenta.iter_mut().enumerate() {
            assert!(self.system.carried_momenta(part, out));
        }
        let mut rows = vec![vec![0.0; n]; m];
        for (k, row) in rows.iter_mut().enumerate() {
            for part in 0..2 {
                assert!(self.system.carried_rate(k, part, &mut row[part * size..(part + 1) * size]));
            }
        }
        let of_momenta = momenta.iter().flatten().fold(0.0, |most: f64, x| x.abs().max(most));
        let of_rows = rows.iter().flatten().fold(0.0, |most: f64, x| x.abs().max(most));
        assert!(of_rows > 0.0, "{what}: no row moves");
        for j in 0..n {
            let h = 1e-6;
            let [after, before] = [h, -h].map(|h| {
                let mut increment = vec![0.0; n];
                increment[j] = h;
                self.moved(&increment, &base)
            });
            let difference = |of: usize, i: usize| (after[of][i] - before[of][i]) / (2.0 * h);
            let part = j / size;
            for i in 0..size {
                let found = momenta[part][i * size + j % size];
                let expected = difference(0, part * size + i);
                assert!(
                    (found - expected).abs() < 1e-7 * of_momenta,
                    "{what} p{i} by {j}: {found} {expected}"
                );
            }
            if j % size >= 6 && !modal {
                continue;
            }
            for (k, row) in rows.iter().enumerate() {
                let expected = difference(1, k);
                assert!(
                    (row[j] - expected).abs() < 1e-6 * of_rows,
                    "{what} row {k} by {j}: {} {expected}",
                    row[j]
                );
            }
        }
    }
}

/// The speeds of a spherical joint are exact in modal coordinates, too.
#[test]
fn points_of_bodies_with_modes_are_carried_along() {
    Pair::new(JointKind::Spherical, 5, false).agrees(true, "spherical");
}

#[test]
fn axes_of_joints_are_carried_along() {
    for kind in [JointKind::Fixed, JointKind::Prismatic, JointKind::Universal, JointKind::Planar] {
        Pair::new(kind, 5, false).agrees(false, &format!("{kind:?}"));
    }
    Pair::new(JointKind::Distance { length: 0.4 }, 5, false).agrees(true, "distance");
}

/// Drives of lengths and shifts at any position, of an angle about parallel axes.
#[test]
fn coordinates_are_carried_along() {
    let course = || TimeFunction::Constant(0.1);
    for (kind, coordinate) in [
        (JointKind::Prismatic, Coordinate::Shift { zero: 0.0 }),
        (JointKind::Distance { length: 0.4 }, Coordinate::Length),
    ] {
        let mut pair = Pair::new(kind, 3, false);
        let drive = Drive { joint: 1, coordinate, course: course() };
        pair.system = pair.system.with_drives(vec![drive]).unwrap();
        pair.agrees(false, &format!("{coordinate:?}"));
    }
    let mut pair = Pair::new(JointKind::Cylindrical, 0, true);
    let term = |joint: usize, coordinate, factor| CouplingTerm { joint, coordinate, factor };
    let shift = Coordinate::Shift { zero: 0.0 };
    let terms = vec![term(0, Coordinate::Angle, 2.0), term(1, Coordinate::Angle, -0.5), term(1, shift, 3.0)];
    pair.system = pair.system.with_couplings(vec![Coupling { name: "screw".to_owned(), terms }]).unwrap();
    pair.agrees(false, "screw");
}
