//! Stress in a half-space under rectangles of constant pressure and traction, and under a whole grid of them.
//!
//! With r = (x, y, z) from a surface point to the point, z into the body, R = |r| and the potentials
//! χ = ∫∫ ln(R + z), V = ∂χ/∂z = ∫∫ 1/R of the loaded rectangle, a pressure p gives (Boussinesq, Love)
//!
//! ```text
//! 2π σ_xx/p = 2ν V_z − z V_xx − (1 − 2ν) χ_xx        2π σ_zz/p = V_z − z V_zz
//! 2π σ_xy/p = −z V_xy − (1 − 2ν) χ_xy                 2π σ_xz/p = −z V_xz
//! ```
//!
//! and a traction q along x (Cerruti), with F = ∫∫ (z ln(R + z) − R), F_zz = V,
//!
//! ```text
//! 2π σ_xx/q = 2 V_x + 2ν (F_xxx + V_x) − z F_xxxz     2π σ_xz/q = V_z − z V_xx
//! 2π σ_yy/q = 2ν (F_xyy + V_x) − z F_xyyz             2π σ_yz/q = −z V_xy
//! 2π σ_xy/q = V_y + 2ν F_xxy − z F_xxyz               2π σ_zz/q = −z V_xz
//! ```
//!
//! The stress depends on Poisson's ratio alone. Each integral is the sum of a closed function over the four
//! corners, with alternating signs.
//!
//! # Source
//!
//! Love (1929), Phil. Trans. R. Soc. A 228, 377–420; Johnson (1985), *Contact Mechanics*, sections 3.2 and
//! 3.6, for the potentials. The corner functions of Cerruti's part follow from them by integration; tests
//! compare both parts with sums of point forces.

use std::f64::consts::PI;

use carom_fem::stress::von_mises;

use super::PressureGrid;

/// Components xx, yy, zz, xy, yz, xz \[Pa\]; x and y along the tangents of the plane, z into the body.
pub type HalfSpaceStress = [f64; 6];

/// The stress at a point by constant pressure and traction on a rectangle.
///
/// * `offset` — from the middle of the rectangle to the point: along both sides, then the depth z ≥ 0 \[m\]
/// * `sides` — of the rectangle \[m\]
/// * `loads` — pressure, positive in compression, and the traction on the body along both sides \[Pa\]
/// * `poisson` — ν
///
/// On the edges of a rectangle with traction the stress is infinite, at z = 0.
pub fn rectangle_stress(offset: [f64; 3], sides: [f64; 2], loads: [f64; 3], poisson: f64) -> HalfSpaceStress {
    let [pressure, along_x, along_y] = loads;
    let has_traction = along_x != 0.0 || along_y != 0.0;
    let z = offset[2].max(0.0);
    let mut sum = [0.0; 6];
    for (sign_x, sign_y) in [(1.0, 1.0), (-1.0, 1.0), (1.0, -1.0), (-1.0, -1.0)] {
        let x = offset[0] + 0.5 * sign_x * sides[0];
        let y = offset[1] + 0.5 * sign_y * sides[1];
        let sign = sign_x * sign_y / (2.0 * PI);
        let mut add = |load: f64, stress: HalfSpaceStress| {
            sum.iter_mut().zip(stress).for_each(|(sum, own)| *sum += sign * load * own);
        };
        add(pressure, of_pressure([x, y, z], poisson));
        if has_traction {
            add(along_x, of_traction([x, y, z], poisson));
            let [yy, xx, zz, xy, xz, yz] = of_traction([y, x, z], poisson);
            add(along_y, [xx, yy, zz, xy, yz, xz]);
        }
    }
    sum
}

/// 2π σ of a unit pressure: the corner functions.
fn of_pressure([x, y, z]: [f64; 3], poisson: f64) -> HalfSpaceStress {
    let r = (x * x + y * y + z * z).sqrt();
    let v_z = -(x * y).atan2(z * r);
    let [v_xx, v_yy] = [second(x, y, z, r), second(y, x, z, r)];
    let rest = 1.0 - 2.0 * poisson;
    // V is harmonic: V_zz = −V_xx − V_yy; the functions `second` have the factor z.
    [
        2.0 * poisson * v_z - v_xx - rest * chi_xx(x, y, z, r),
        2.0 * poisson * v_z - v_yy - rest * chi_xx(y, x, z, r),
        v_z + v_xx + v_yy,
        -over(z, r) - rest * log_sum(z, x.hypot(y), r),
        -mixed(x, y, z, r),
        -mixed(y, x, z, r),
    ]
}

/// 2π σ of a unit traction along x: the corner functions.
fn of_traction([x, y, z]: [f64; 3], poisson: f64) -> HalfSpaceStress {
    let r = (x * x + y * y + z * z).sqrt();
    let v_x = log_sum(y, x.hypot(z), r);
    let v_y = log_sum(x, y.hypot(z), r);
    let v_z = -(x * y).atan2(z * r);
    let z_v_xz = mixed(y, x, z, r);
    let [f_xyy, f_xxy] = [-over(y, r + z), -over(x, r + z)];
    let [z_f_xyyz, z_f_xxyz] = [over(z * y, r * (r + z)), over(z * x, r * (r + z))];
    [
        // F_xxx = −F_xyy − V_x, as F is harmonic.
        2.0 * v_x - 2.0 * poisson * f_xyy + z_f_xyyz + z_v_xz,
        2.0 * poisson * (f_xyy + v_x) - z_f_xyyz,
        -z_v_xz,
        v_y + 2.0 * poisson * f_xxy - z_f_xxyz,
        -over(z, r),
        v_z - second(x, y, z, r),
    ]
}

/// z V_xx: z x/(r (r + y)), with its digits for y < 0.
fn second(x: f64, y: f64, z: f64, r: f64) -> f64 {
    if y >= 0.0 { over(z * x, r * (r + y)) } else { over(z * x * (r - y), r * (x * x + z * z)) }
}

/// z V_yz: z²/(r (r + x)), and z V_xz with x and y changed.
fn mixed(x: f64, y: f64, z: f64, r: f64) -> f64 {
    if x >= 0.0 { over(z * z, r * (r + x)) } else { over(z * z * (r - x), r * (y * y + z * z)) }
}

/// χ_xx: atan(y/x) − atan(z y/(x r)).
fn chi_xx(x: f64, y: f64, z: f64, r: f64) -> f64 {
    if x == 0.0 { 0.0 } else { (y / x).atan() - (z * y / (x * r)).atan() }
}

/// ln(r + y), with its digits for y < 0; `rest` is √(r² − y²).
fn log_sum(y: f64, rest: f64, r: f64) -> f64 {
    if y >= 0.0 { (r + y).ln() } else { 2.0 * rest.ln() - (r - y).ln() }
}

/// a/b, 0 for a = 0.
fn over(a: f64, b: f64) -> f64 {
    if a == 0.0 { 0.0 } else { a / b }
}

/// The largest von Mises stress below a contact.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LargestStress {
    /// Von Mises stress \[Pa\].
    pub von_mises: f64,
    /// Largest shear stress there, half the difference of the largest and the smallest principal stress
    /// \[Pa\].
    pub shear: f64,
    /// Coordinates in the plane \[m\].
    pub place: [f64; 2],
    /// Depth \[m\].
    pub depth: f64,
}

/// Pressure and tractions on the cells of a grid, over a stress of the body that they do not cause.
#[derive(Debug, Clone, Copy)]
pub struct LoadedGrid<'a> {
    /// Its cells.
    pub grid: &'a PressureGrid,
    /// Pressure and tractions along both tangents on each cell \[Pa\].
    pub loads: &'a [[f64; 3]],
    /// ν of the body.
    pub poisson: f64,
    /// Stress of the body beside that of the loads, the same everywhere: that of its bending at the contact,
    /// which hardly changes over a few contact radii \[Pa\].
    pub beside: HalfSpaceStress,
}

/// Depth of the search for the largest stress, in radii of the patch.
const DEEPEST: f64 = 1.5;

/// Depths of the first search.
const DEPTHS: usize = 25;

/// Halvings of the step of the second search.
const HALVINGS: usize = 7;

impl LoadedGrid<'_> {
    /// The stress at a point: coordinates in the plane, and depth z ≥ 0 \[m\].
    pub fn stress(&self, [x, y, z]: [f64; 3]) -> HalfSpaceStress {
        let mut sum = self.beside;
        for (cell, loads) in self.loads.iter().enumerate() {
            let [u, v] = self.grid.middle(cell);
            let own = rectangle_stress([x - u, y - v, z], self.grid.sides(), *loads, self.poisson);
            sum.iter_mut().zip(own).for_each(|(sum, own)| *sum += own);
        }
        sum
    }

    /// The largest von Mises stress; none without load. It is searched below the middles of the cells, then
    /// along all directions with steps down to a hundredth of a cell.
    ///
    /// Within half a cell of the surface the stress is that of the corners of cells, not that of the smooth
    /// pressure; there only the points at the surface below middles of cells are searched.
    pub fn largest(&self) -> Option<LargestStress> {
        let force: f64 = self.loads.iter().map(|load| load[0]).sum();
        let squares: f64 = self.loads.iter().map(|load| load[0] * load[0]).sum();
        if squares == 0.0 {
            return None;
        }
        // Radius of the area with the pressure.
        let radius = (force * force * self.grid.area() / (squares * PI)).sqrt();
        let [first, second] = self.grid.sides();
        let cell_side = first.max(second);
        let loaded: Vec<usize> = (0..self.loads.len()).filter(|&cell| self.loads[cell] != [0.0; 3]).collect();
        // A pass over few columns finds the region.
        let stride = loaded.len().div_ceil(60);
        let mut best = ([0.0; 3], 0.0);
        let mut take = |at: [f64; 3]| {
            let found = von_mises(&self.stress(at));
            if found > best.1 {
                best = (at, found);
            }
            found
        };
        for &cell in loaded.iter().step_by(stride) {
            let [x, y] = self.grid.middle(cell);
            for k in 0..=DEPTHS {
                let z = DEEPEST * radius * k as f64 / DEPTHS as f64;
                if k == 0 || z >= 0.5 * cell_side {
                    take([x, y, z]);
                }
            }
        }
        let mut at = best.0;
        if at[2] > 0.0 {
            let mut step = (DEEPEST * radius / DEPTHS as f64).max(cell_side);
            for _ in 0..HALVINGS {
                let mut moved = true;
                while moved {
                    moved = false;
                    for d in 0..3 {
                        for sign in [-1.0, 1.0] {
                            let mut next = at;
                            next[d] += sign * step;
                            if next[2] >= 0.5 * cell_side && von_mises(&self.stress(next)) > best.1 {
                                best = (next, von_mises(&self.stress(next)));
                                (at, moved) = (next, true);
                            }
                        }
                    }
                }
                step *= 0.5;
            }
        }
        let ([x, y, depth], most) = best;
        let shear = largest_shear(&self.stress([x, y, depth]));
        Some(LargestStress { von_mises: most, shear, place: [x, y], depth })
    }
}

/// Half the difference of the largest and the smallest principal stress \[Pa\].
pub fn largest_shear(&[xx, yy, zz, xy, yz, xz]: &HalfSpaceStress) -> f64 {
    let matrix = nalgebra::Matrix3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz);
    let values = matrix.symmetric_eigenvalues();
    0.5 * (values.max() - values.min())
}

#[cfg(test)]
mod tests;
