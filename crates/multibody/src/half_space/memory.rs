//! The memory of a pair as numbers of a checkpoint.

use carom_contact::half_space::{GridAnchor, GridPlan};
use nalgebra::{Matrix3, Vector3};

use super::pair::{Apart, Far, Memory};

impl Memory {
    /// Appends the numbers to those of a checkpoint.
    pub(super) fn write(&self, out: &mut Vec<f64>) {
        out.push(f64::from(u8::from(self.plan.is_some())));
        out.extend(self.plan.iter().flat_map(GridPlan::to_array));
        out.push(self.forces.len() as f64);
        out.extend(&self.forces);
        out.push(f64::from(u8::from(self.far.is_some())));
        if let Some(Far { at, places }) = &self.far {
            out.extend(at.to_array());
            out.extend(places.map(|place| place as f64));
        }
        out.push(f64::from(u8::from(self.open.is_some())));
        out.extend(self.open.into_iter().flat_map(Apart::to_array));
        self.anchor.write(out);
    }

    /// The inverse of [`Self::write`], with the numbers behind it.
    pub(super) fn read(numbers: &[f64]) -> Option<(Self, &[f64])> {
        let (has_plan, mut rest) = numbers.split_first()?;
        let mut plan = None;
        if *has_plan == 1.0 {
            let (array, tail) = rest.split_first_chunk::<{ GridPlan::NUMBERS }>()?;
            (plan, rest) = (Some(GridPlan::from_array(array)), tail);
        }
        let (n, tail) = rest.split_first()?;
        let (forces, tail) = tail.split_at_checked(*n as usize)?;
        let (has_far, mut rest) = tail.split_first()?;
        let mut far = None;
        if *has_far == 1.0 {
            let (at, tail) = rest.split_first_chunk()?;
            let (places, tail) = tail.split_first_chunk()?;
            let places = places.map(|place| place as usize);
            (far, rest) = (Some(Far { at: Apart::from_array(at), places }), tail);
        }
        let (is_open, mut rest) = rest.split_first()?;
        let mut open = None;
        if *is_open == 1.0 {
            let (at, tail) = rest.split_first_chunk()?;
            (open, rest) = (Some(Apart::from_array(at)), tail);
        }
        let (anchor, rest) = GridAnchor::read(rest)?;
        Some((Self { plan, forces: forces.to_vec(), far, open, anchor }, rest))
    }
}

impl Apart {
    const NUMBERS: usize = 13;

    fn to_array(self) -> [f64; Self::NUMBERS] {
        let mut array = [self.gap; Self::NUMBERS];
        array.iter_mut().zip(self.rotation.iter().chain(self.origin.iter())).for_each(|(to, x)| *to = *x);
        array
    }

    fn from_array(array: &[f64; Self::NUMBERS]) -> Self {
        let rotation = Matrix3::from_column_slice(&array[..9]);
        Self { rotation, origin: Vector3::from_column_slice(&array[9..12]), gap: array[12] }
    }
}
