//! The blocks of the matrix of a step, scaled.

use super::{Parameters, StepMatrix};
use carom_linalg::blocks::BlockMut;

impl StepMatrix {
    /// γ/β (M − h κ C) + h M_ξ − h² κ K of two parts.
    pub(super) fn write_parts(&self, coupling: usize, of: &Parameters, h: f64, mut out: BlockMut<'_>) {
        let [a, b] = self.places.couplings[coupling];
        let [rows, columns] =
            [a, b].map(|part| &self.scales[self.places.structure.parts[part].velocities.clone()]);
        let damping = (-h * of.share() * of.speed(), self.damping.get(coupling));
        let stiffness = (-h * h * of.share(), self.stiffness.get(coupling));
        if a == b {
            let (mass, carried) = ((of.speed(), self.mass.get(a)), (h, self.carried.get(a)));
            write([damping, stiffness, mass, carried], rows, columns, &mut out, [0, 0]);
        } else {
            write([damping, stiffness], rows, columns, &mut out, [0, 0]);
        }
    }

    /// Gᵀ in the equations of a part.
    pub(super) fn write_reaction(&self, incidence: usize, mut out: BlockMut<'_>) {
        let (rows, columns) = self.scales_of(incidence);
        let g = self.reactions.get(incidence);
        for (i, column) in columns.iter().enumerate() {
            let of_rows = g[i..].iter().step_by(columns.len()).zip(rows);
            out.row_mut(i).iter_mut().zip(of_rows).for_each(|(out, (g, row))| *out = column * g * row);
        }
    }

    /// Gᵀ and Gᵀ − h κ C M⁻¹ Gᵀ in the equations of a part.
    pub(super) fn write_reaction_of_both(
        &self,
        damped: usize,
        incidence: Option<usize>,
        of: &Parameters,
        h: f64,
        mut out: BlockMut<'_>,
    ) {
        let (part, group) = self.places.damped[damped];
        let rows = self.places.structure.groups[group].rows.clone();
        let scales = &self.scales[self.places.structure.parts[part].velocities.clone()];
        let of_rows = &self.scales[self.sizes.0..][rows];
        let r = of_rows.len();
        for (i, scale) in scales.iter().enumerate() {
            let (out, damped) = (out.row_mut(i), self.damped.row(damped, i));
            for (l, of_row) in of_rows.iter().enumerate() {
                let g = incidence.map_or(0.0, |at| self.reactions.row(at, l)[i]);
                out[l] = scale * g * of_row;
                out[r + l] = scale * (g - h * of.share() * damped[l]) * of_row;
            }
        }
    }

    /// g_ξ of a group by a part.
    pub(super) fn write_constraint(&self, incidence: usize, out: &mut BlockMut<'_>) {
        let (rows, columns) = self.scales_of(incidence);
        let terms = [(1.0, self.reactions.get(incidence)), (1.0, self.rows.get(incidence))];
        write(terms, rows, columns, out, [0, 0]);
    }

    /// g_ξ and γ/β G + h (G z)_ξ of a group by a part.
    pub(super) fn write_constraint_of_both(&self, incidence: usize, mut out: BlockMut<'_>) {
        self.write_constraint(incidence, &mut out);
        let (rows, columns) = self.scales_of(incidence);
        write([(1.0, self.speeds.get(incidence))], rows, columns, &mut out, [rows.len(), 0]);
    }

    /// G M⁻¹ Gᵀ of two groups, from a row and column of the block on.
    pub(super) fn write_response(&self, response: usize, first: [usize; 2], mut out: BlockMut<'_>) {
        let (group, other) = self.places.responses[response];
        let groups = &self.places.structure.groups;
        let [rows, columns] = [group, other].map(|k| &self.scales[self.sizes.0..][groups[k].rows.clone()]);
        write([(1.0, self.response.get(response))], rows, columns, &mut out, first);
    }

    /// G M⁻¹ Gᵀ of two groups, after the rows and columns of their multipliers.
    pub(super) fn write_response_of_both(&self, response: usize, out: BlockMut<'_>) {
        let (group, other) = self.places.responses[response];
        let before = [group, other].map(|group| self.places.structure.groups[group].rows.len());
        self.write_response(response, before, out);
    }

    /// Scales of the constraints and of the velocities of an incidence.
    fn scales_of(&self, incidence: usize) -> (&[f64], &[f64]) {
        let (rows, velocities) = self.places.spans(incidence);
        (&self.scales[self.sizes.0..][rows], &self.scales[velocities])
    }
}

/// Writes a sum of factors times tiles, scaled, from a row and column of the block on.
///
/// * `rows`, `columns` — their scales
fn write<const T: usize>(
    terms: [(f64, &[f64]); T],
    rows: &[f64],
    columns: &[f64],
    out: &mut BlockMut<'_>,
    first: [usize; 2],
) {
    // Bodies without modes, and joints of three rows: loops of a known length.
    match columns.len() {
        0 => {}
        3 => write_few::<T, 3>(terms, rows, columns, out, first),
        6 => write_few::<T, 6>(terms, rows, columns, out, first),
        n => {
            for (i, row) in rows.iter().enumerate() {
                let out = &mut out.row_mut(first[0] + i)[first[1]..];
                out.fill(0.0);
                for (factor, tile) in terms {
                    let tile = &tile[i * n..(i + 1) * n];
                    out.iter_mut().zip(tile).for_each(|(out, entry)| *out += factor * entry);
                }
                out.iter_mut().zip(columns).for_each(|(out, column)| *out *= row * column);
            }
        }
    }
}

fn write_few<const T: usize, const N: usize>(
    terms: [(f64, &[f64]); T],
    rows: &[f64],
    columns: &[f64],
    out: &mut BlockMut<'_>,
    first: [usize; 2],
) {
    let terms = terms.map(|(factor, tile)| (factor, tile.as_chunks::<N>().0));
    let columns: &[f64; N] = columns.first_chunk().expect("there are N columns");
    for (i, row) in rows.iter().enumerate() {
        let out = &mut out.row_mut(first[0] + i)[first[1]..];
        let out: &mut [f64; N] = out.first_chunk_mut().expect("there are N columns");
        let mut sums = [0.0; N];
        for (factor, tile) in terms {
            let entries = &tile[i];
            (0..N).for_each(|j| sums[j] += factor * entries[j]);
        }
        (0..N).for_each(|j| out[j] = row * columns[j] * sums[j]);
    }
}
