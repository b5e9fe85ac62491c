//! The stress at a place of a reduced body from its modal coordinates and the pressures of its contacts.

use carom_dynamics::{ContactState, Pose, ProbeQuantity};
use carom_fem::stress::{Stress, rotated, von_mises};
use nalgebra::Vector3;

use crate::system::System;

/// The stress at a place of a reduced body by linear elasticity, body axes:
///
/// ```text
/// σ = Σ_k q_k σ_k + Σ_c p_c τ_c
/// ```
///
/// with the coordinates q of all modes of the file of the body, quasistatic ones included, and the contact
/// pressures p of the cells of its surface that meet there. Components are xx, yy, zz, xy, yz, xz.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PlaceStress {
    /// σ_k of each mode \[Pa/(m √kg)\].
    pub modes: Vec<Stress>,
    /// τ_c of each cell: the stress by a unit of pressure on it.
    pub cells: Vec<Stress>,
    /// The contacts whose pressure acts on these cells.
    pub pressures: Vec<CellPressures>,
    /// Numbers of the contacts on half-space grids of the body: while one of them is loaded within
    /// `load_radius` and its contact radius of a place, the stress is that of smooth loads and not known.
    pub grids: Vec<usize>,
    /// Radius of the loads of contacts on half-space grids \[m\].
    pub load_radius: f64,
    /// The places of which the stress is the mean, body frame \[m\].
    pub places_b: Vec<[f64; 3]>,
}

/// The pressures of a contact pair on cells of the surface at a place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CellPressures {
    /// Number of the pair.
    pub pair: usize,
    /// Face of the pressure surface of the pair, and number of the cell in [`PlaceStress::cells`].
    pub faces: Vec<(u32, usize)>,
}

/// Buffers of an evaluation.
#[derive(Debug, Default)]
pub(super) struct Buffers {
    contact: ContactState,
    pressures: Vec<f64>,
}

impl PlaceStress {
    /// True if it depends on the forces of contacts, in addition to the coordinates of the modes.
    pub(super) fn depends_on_contacts(&self) -> bool {
        !(self.pressures.is_empty() && self.grids.is_empty())
    }

    /// The stress at a state of the system, body axes \[Pa\]; none within the loads of a contact on a
    /// half-space grid.
    ///
    /// * `modal` — coordinates of all modes of the file of the body
    pub(super) fn at(
        &self,
        (system, body): (&System, usize),
        modal: &[f64],
        buffers: &mut Buffers,
    ) -> Option<Stress> {
        let Buffers { contact, pressures } = buffers;
        if self.is_loaded(system, body, contact) {
            return None;
        }
        pressures.clear();
        pressures.resize(self.cells.len(), 0.0);
        for CellPressures { pair, faces } in &self.pressures {
            report(system, *pair, contact);
            for (face, pressure) in contact.pressure_faces.iter().zip(&contact.pressures) {
                for (_, cell) in faces.iter().filter(|(own, _)| own == face) {
                    // As pictures: of several contacts on a cell the largest pressure counts.
                    pressures[*cell] = pressures[*cell].max(*pressure);
                }
            }
        }
        let mut sum = [0.0; 6];
        let terms = modal.iter().zip(&self.modes).chain(pressures.iter().zip(&self.cells));
        for (factor, unit) in terms {
            sum.iter_mut().zip(unit).for_each(|(sum, unit)| *sum += factor * unit);
        }
        Some(sum)
    }

    /// True if one of the places lies within the loads of a contact on a half-space grid.
    fn is_loaded(&self, system: &System, body: usize, contact: &mut ContactState) -> bool {
        let states = system.states();
        self.grids.iter().any(|&pair| {
            report(system, pair, contact);
            let grid = &contact.grid;
            if grid.cells.is_empty() {
                return false;
            }
            let center = states.pose(grid.body).point(&grid.force_center_b().into());
            let pose = states.pose(body);
            let center_b = pose.rotation.tr_mul(&(center - pose.position));
            let radius = self.load_radius + grid.contact_radius();
            self.places_b.iter().any(|place| (Vector3::from(*place) - center_b).norm() < radius)
        })
    }
}

/// The pressures of a pair at the last evaluation.
fn report(system: &System, pair: usize, contact: &mut ContactState) {
    contact.pressure_faces.clear();
    contact.pressures.clear();
    contact.grid.cells.clear();
    system.contacts().report(pair, contact);
}

/// A quantity of a stress in body axes, or turned to inertial axes by the rotation of a pose; infinite if the
/// stress is not known.
pub(super) fn quantity(
    quantity: ProbeQuantity,
    stress: Option<&Stress>,
    turn_by: Option<&Pose>,
) -> Vector3<f64> {
    let Some(stress) = stress else { return Vector3::repeat(f64::INFINITY) };
    if quantity == ProbeQuantity::VonMises {
        return Vector3::new(von_mises(stress), 0.0, 0.0);
    }
    let [xx, yy, zz, xy, yz, xz] = match turn_by {
        Some(pose) => {
            let axes = &pose.rotation;
            rotated(stress, &[0, 1, 2].map(|a| [0, 1, 2].map(|b| axes[(a, b)])))
        }
        None => *stress,
    };
    match quantity {
        ProbeQuantity::NormalStress => Vector3::new(xx, yy, zz),
        _ => Vector3::new(xy, yz, xz),
    }
}
