//! Bulk viscosity: a pressure against the rate of the volume of a cell, which spreads shock waves over some
//! cells and damps the oscillation behind them.
//!
//! ```text
//! q = ρ l (c₁ c d + c₂ l |d| d [d < 0]),   d = θ̇/θ,   ρ = ρ₀/θ,   l = (θ V)^(1/3),   P = q cof F
//! ```
//!
//! with the volume ratio θ of the cell, its mean, and θ̇ its change over the last step: a body that turns
//! keeps its volume, while the product of a velocity half a step before with the present cofactor does not
//! vanish.
//!
//! # Source
//!
//! von Neumann & Richtmyer (1950), Journal of Applied Physics 21, 232–237, for the quadratic part; Landshoff
//! (1955), Los Alamos report LA-1930, for the linear one.

use super::cell_map::{CellMap, CellPoints};
use super::chunk::lower;
use super::dilatation::{cofactor, contraction};
use super::{ElementFrequencies, History, InternalForce, Part, SweepError, of_chunks, of_shape, sweep};
use crate::constitutive::{LANES, Lanes, Tensor, ZERO, lanes, volume_change};

/// Bulk viscosity of a block.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BulkViscosity {
    /// c₁, about the damping ratio of the highest frequency of a cell.
    pub linear: f64,
    /// c₂.
    pub quadratic: f64,
    /// ρ₀ \[kg/m³\].
    pub density: f64,
    /// Speed c of pressure waves \[m/s\].
    pub wave_speed: f64,
    /// Bulk modulus κ \[Pa\].
    pub bulk: f64,
}

impl InternalForce {
    /// The forces of bulk viscosity \[N\]; returns their power ∫ q θ̇ dV \[W\].
    ///
    /// * `viscosities` — one for each block
    /// * `u`, `v` — displacement of all points, and their mean velocity over the last step \[m\], \[m/s\]
    /// * `behind` — length dt of that step, θ̇ = (θ(u) − θ(u − dt v))/dt; 0 for the rate at u \[s\]
    /// * `history` — of the body; it is not changed
    /// * `force` — receives the forces that the points overcome, with the sign of [`InternalForce::force`]
    ///
    /// # Errors
    ///
    /// [`SweepError::Inverted`]; `force` is not to be used then.
    ///
    /// # Panics
    ///
    /// As [`InternalForce::force`].
    pub fn viscous_force(
        &mut self,
        viscosities: &[BulkViscosity],
        ([u, v], behind): ([&[f64]; 2], f64),
        history: &mut History,
        force: &mut [f64],
    ) -> Result<f64, SweepError> {
        self.run(viscosities, [u, v], history, Some(force), |part, own, history, fields, has_force| {
            let map = Viscous { own, behind };
            of_shape!(part, shape, chunks => sweep(chunks, shape, &map, fields, history, has_force));
        })
    }
}

impl InternalForce {
    /// A step below which central differences with the viscous forces of the velocity half a step before are
    /// stable \[s\].
    ///
    /// ```text
    /// M − ½ dt C − ¼ dt² K ≥ 0 in each cell, C ≤ β K, β = l ρ (c₁ c + c₂ s)/κ:
    /// dt = 2/ω (√(1 + ζ²) − ζ),   ζ = ½ β ω
    /// ```
    ///
    /// * `frequencies` — bounds ω of all cells
    /// * `speed` — a bound s of l |d|: the largest difference of velocities in a cell \[m/s\]
    ///
    /// # Panics
    ///
    /// If an argument belongs to another body.
    pub fn viscous_critical_step(
        &self,
        frequencies: &ElementFrequencies,
        viscosities: &[BulkViscosity],
        speed: f64,
    ) -> f64 {
        let mut least = f64::INFINITY;
        for ((part, own), bounds) in self.blocks.iter().zip(viscosities).zip(&frequencies.blocks) {
            let rate = own.density * (own.linear * own.wave_speed + own.quadratic * speed) / own.bulk;
            for (volume, &omega) in part.cell_volumes().into_iter().zip(bounds) {
                let ratio = 0.5 * volume.cbrt() * rate * omega;
                least = least.min(2.0 / omega * ((1.0 + ratio * ratio).sqrt() - ratio));
            }
        }
        least
    }
}

impl Part {
    /// Volume of each cell \[m³\].
    fn cell_volumes(&self) -> Vec<f64> {
        let [n_cells, n_points] = self.cells_and_points();
        let mut volumes = vec![0.0; n_cells];
        of_chunks!(self, chunks => for chunk in chunks {
            for (batch, maps) in chunk.batches.iter().zip(chunk.maps.chunks_exact(n_points)) {
                for (l, cell) in batch.cells[..batch.n_cells].iter().enumerate() {
                    volumes[*cell as usize] = maps.iter().map(|maps| maps.volume[l]).sum();
                }
            }
        });
        volumes
    }
}

/// The map of a block.
struct Viscous<'l> {
    own: &'l BulkViscosity,
    /// Length of the last step \[s\].
    behind: f64,
}

impl<const A: usize> CellMap<A, 2> for Viscous<'_> {
    fn checked_field(&self) -> Option<usize> {
        Some(0)
    }

    #[inline(always)]
    fn apply(&self, points: CellPoints<'_, A>) -> Lanes {
        let (mut volume, mut change, mut rate) = (ZERO, ZERO, ZERO);
        for point in 0..points.maps.len() {
            let h = points.gradient(0, point);
            let cofactor = cofactor(&h);
            let (own, velocity) = (volume_change(&h), points.gradient(1, point));
            let own_rate = if self.behind > 0.0 {
                let before = std::array::from_fn(|k| lanes(|l| h[k][l] - self.behind * velocity[k][l]));
                let before = volume_change(&before);
                lanes(|l| (own[l] - before[l]) / self.behind)
            } else {
                contraction(&cofactor, &velocity)
            };
            lower(points.least, &own);
            let weight = &points.maps[point].volume;
            for l in 0..LANES {
                volume[l] += weight[l];
                change[l] += weight[l] * own[l];
                rate[l] += weight[l] * own_rate[l];
            }
        }
        let pressure = lanes(|l| self.pressure(volume[l], change[l], rate[l]));
        for point in 0..points.maps.len() {
            let cofactor = cofactor(&points.gradient(0, point));
            let pk1: Tensor = cofactor.map(|c| lanes(|l| pressure[l] * c[l]));
            points.local[0][point] = points.maps[point].stress(&pk1);
        }
        lanes(|l| pressure[l] * rate[l])
    }
}

impl Viscous<'_> {
    /// q of a cell from ∫ dV, ∫ (J − 1) dV and ∫ J̇ dV.
    #[inline(always)]
    fn pressure(&self, volume: f64, change: f64, rate: f64) -> f64 {
        // Lanes without a cell have no volume.
        if volume == 0.0 {
            return 0.0;
        }
        let BulkViscosity { linear, quadratic, density, wave_speed, .. } = *self.own;
        let (present, d) = (volume + change, rate / (volume + change));
        let length = present.cbrt();
        let compression = if d < 0.0 { quadratic * length * d.abs() } else { 0.0 };
        density * volume / present * length * (linear * wave_speed + compression) * d
    }
}
