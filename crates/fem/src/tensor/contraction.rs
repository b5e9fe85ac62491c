//! Contraction of point coefficients direction by direction.
//!
//! K and M are sums over points of D N_i^α N_j^β with N = N(ξ) N(η) N(ζ). In each direction the product of a
//! pair (i, j) is split into the part that stays and the part that changes its sign when i and j are
//! exchanged (*even* and *odd*), and so is D in its components (σ and τ, see [`super::coefficients`]). K is
//! symmetric, so only terms with an even number of odd factors occur, and pairs i ≥ j in every direction are
//! enough: seven terms give all blocks of the four pairs of functions that result from exchanges.
//!
//! ```text
//! sss  saa  asa  aas   even components σ        (first letter ξ, then η, ζ: s even, a odd)
//! ass  sas  ssa        odd components τ
//! ```

use super::LANES;
use super::coefficients::{Lanes, ROW, place};
use super::pairs::Products;

/// Length of a row after the contraction in ξ: groups of whole vectors, see [`after_x`].
pub(super) const ROW_X: usize = 76;
/// Length of a row after the contraction in η, see [`after_y`].
pub(super) const ROW_Y: usize = 52;
/// Length of a row after the contraction in ζ, see [`after_z`].
pub(super) const ROW_Z: usize = 34;

/// Operations of the contraction in ξ for one pair at one point, padding not counted.
pub(super) const OPERATIONS_X: usize = 2 * 97;
/// Operations of the contraction in η for one pair at one point.
pub(super) const OPERATIONS_Y: usize = 2 * 76;
/// Operations of the contraction in ζ for one pair at one point.
pub(super) const OPERATIONS_Z: usize = 2 * 52;

/// The places of the sums after the contraction in ξ: first the term in ξ, then their factors in η and ζ.
mod after_x {
    pub(super) const EVEN_SLOPES_Y: usize = 0;
    pub(super) const EVEN_SLOPES_Z: usize = 6;
    pub(super) const EVEN_MIXED: usize = 12;
    pub(super) const EVEN_MIXED_TAU: usize = 18;
    pub(super) const MASS: usize = 21;
    pub(super) const EVEN_SUM_Y: usize = 24;
    pub(super) const EVEN_SUM_Z: usize = 30;
    pub(super) const EVEN_DIFFERENCE_Y_TAU: usize = 36;
    pub(super) const EVEN_DIFFERENCE_Z_TAU: usize = 39;
    pub(super) const EVEN_VALUES: usize = 44;
    pub(super) const ODD_DIFFERENCE_Y: usize = 52;
    pub(super) const ODD_DIFFERENCE_Z: usize = 58;
    pub(super) const ODD_VALUES_TAU: usize = 64;
    pub(super) const ODD_SUM_Y_TAU: usize = 67;
    pub(super) const ODD_SUM_Z_TAU: usize = 70;
}

/// The places of the sums after the contraction in η: the terms in ξ and η, then their factors in ζ.
mod after_y {
    pub(super) const SS_VALUES: usize = 0;
    pub(super) const AA_VALUES: usize = 6;
    pub(super) const SS_SUM: usize = 12;
    pub(super) const AS_DIFFERENCE: usize = 18;
    pub(super) const SA_DIFFERENCE: usize = 24;
    pub(super) const SS_SLOPES: usize = 30;
    pub(super) const AS_VALUES_TAU: usize = 36;
    pub(super) const SA_VALUES_TAU: usize = 39;
    pub(super) const AS_SUM_TAU: usize = 42;
    pub(super) const SA_SUM_TAU: usize = 45;
    pub(super) const SS_DIFFERENCE_TAU: usize = 48;
    pub(super) const MASS: usize = 51;
}

/// The places of the terms after the contraction in ζ.
mod after_z {
    pub(super) const SSS: usize = 0;
    pub(super) const AAS: usize = 6;
    pub(super) const ASA: usize = 12;
    pub(super) const SAA: usize = 18;
    pub(super) const ASS: usize = 24;
    pub(super) const SAS: usize = 27;
    pub(super) const SSA: usize = 30;
    pub(super) const MASS: usize = 33;
}

/// out += Σ_k factor_k · row_k over `N` entries of the rows from `from` on.
#[inline(always)]
fn sum_up<const N: usize>(
    out: &mut [f64; N],
    rows: &[[f64; ROW]],
    from: usize,
    factors: impl Fn(usize) -> f64,
) {
    for (k, row) in rows.iter().enumerate() {
        let (factor, row) = (factors(k), &row[from..from + N]);
        for c in 0..N {
            out[c] += factor * row[c];
        }
    }
}

/// Adds the contraction in ξ of one span and pair.
///
/// * `rows` — coefficients at the Gauss points of the span; `products` — those of the pair there
#[inline(always)]
pub(super) fn contract_x(rows: &[[f64; ROW]], products: &[Products], out: &mut [f64; ROW_X]) {
    let mut first = [0.0; 24];
    sum_up(&mut first, rows, place::VALUE_ONLY, |k| products[k][0]);
    let mut second = [0.0; 20];
    sum_up(&mut second, rows, place::VALUE, |k| products[k][0]);
    sum_up(&mut second, rows, place::SUM, |k| products[k][2]);
    let mut third = [0.0; 8];
    sum_up(&mut third, rows, place::VALUE_INNER, |k| products[k][0]);
    sum_up(&mut third, rows, place::SLOPE_INNER, |k| products[k][1]);
    sum_up(&mut third, rows, place::SUM_INNER, |k| products[k][2]);
    let mut fourth = [0.0; 24];
    sum_up(&mut fourth, rows, place::DIFFERENCE, |k| products[k][3]);
    let (a, rest) = out.split_at_mut(24);
    let (b, rest) = rest.split_at_mut(20);
    let (c, d) = rest.split_at_mut(8);
    for (out, sums) in [(a, &first[..]), (b, &second[..]), (c, &third[..]), (d, &fourth[..])] {
        for (out, sum) in out.iter_mut().zip(sums) {
            *out += sum;
        }
    }
}

/// Rows of `LANES` pairs, interleaved.
#[inline(always)]
pub(super) fn interleave(rows: [&[f64; ROW_X]; LANES], out: &mut [Lanes; ROW_X]) {
    for (k, out) in out.iter_mut().enumerate() {
        *out = std::array::from_fn(|l| rows[l][k]);
    }
}

/// The row of each lane.
#[inline(always)]
pub(super) fn separate(by_lane: &[Lanes; ROW], rows: &mut [[f64; ROW]; LANES]) {
    for (k, part) in by_lane.as_chunks::<LANES>().0.iter().enumerate() {
        let part: [Lanes; LANES] = std::array::from_fn(|l| std::array::from_fn(|c| part[c][l]));
        for l in 0..LANES {
            rows[l][LANES * k..LANES * (k + 1)].copy_from_slice(&part[l]);
        }
    }
}

/// sum += factor · x in every lane.
#[inline(always)]
fn add(sum: &mut Lanes, factor: f64, x: &Lanes) {
    for l in 0..LANES {
        sum[l] += factor * x[l];
    }
}

/// A step of the contraction in η: the place of the row, and the products there.
pub(super) type Step = (usize, Products);

/// The contraction in η of one pair.
///
/// * `rows` — after the contraction in ξ; `steps` — all points at which the pair is not zero
/// * `offset` — added to the place of every step
#[inline(always)]
pub(super) fn contract_y(rows: &[[Lanes; ROW_X]], steps: &[Step], offset: usize, out: &mut [Lanes; ROW_Y]) {
    use after_x as x;
    for c in 0..6 {
        let [mut values, mut aa, mut sum, mut odd, mut odd_y, mut slopes] = [[0.0; LANES]; 6];
        for &(at, [value, slope, even, difference]) in steps {
            let row = &rows[at + offset];
            add(&mut values, value, &row[x::EVEN_VALUES + c]);
            add(&mut values, slope, &row[x::EVEN_SLOPES_Y + c]);
            add(&mut values, even, &row[x::EVEN_SUM_Y + c]);
            add(&mut aa, difference, &row[x::ODD_DIFFERENCE_Y + c]);
            add(&mut sum, value, &row[x::EVEN_SUM_Z + c]);
            add(&mut sum, even, &row[x::EVEN_MIXED + c]);
            add(&mut odd, value, &row[x::ODD_DIFFERENCE_Z + c]);
            add(&mut odd_y, -difference, &row[x::EVEN_MIXED + c]);
            add(&mut slopes, value, &row[x::EVEN_SLOPES_Z + c]);
        }
        out[after_y::SS_VALUES + c] = values;
        out[after_y::AA_VALUES + c] = aa;
        out[after_y::SS_SUM + c] = sum;
        out[after_y::AS_DIFFERENCE + c] = odd;
        out[after_y::SA_DIFFERENCE + c] = odd_y;
        out[after_y::SS_SLOPES + c] = slopes;
    }
    for c in 0..3 {
        let [mut odd, mut odd_y, mut sum, mut sum_y, mut even_z] = [[0.0; LANES]; 5];
        for &(at, [value, _, even, difference]) in steps {
            let row = &rows[at + offset];
            add(&mut odd, value, &row[x::ODD_VALUES_TAU + c]);
            add(&mut odd, even, &row[x::ODD_SUM_Y_TAU + c]);
            add(&mut odd_y, difference, &row[x::EVEN_DIFFERENCE_Y_TAU + c]);
            add(&mut sum, value, &row[x::ODD_SUM_Z_TAU + c]);
            add(&mut sum_y, difference, &row[x::EVEN_MIXED_TAU + c]);
            add(&mut even_z, value, &row[x::EVEN_DIFFERENCE_Z_TAU + c]);
            add(&mut even_z, -even, &row[x::EVEN_MIXED_TAU + c]);
        }
        out[after_y::AS_VALUES_TAU + c] = odd;
        out[after_y::SA_VALUES_TAU + c] = odd_y;
        out[after_y::AS_SUM_TAU + c] = sum;
        out[after_y::SA_SUM_TAU + c] = sum_y;
        out[after_y::SS_DIFFERENCE_TAU + c] = even_z;
    }
    let mut mass = [0.0; LANES];
    for &(at, [value, ..]) in steps {
        add(&mut mass, value, &rows[at + offset][x::MASS]);
    }
    out[after_y::MASS] = mass;
}

/// The contraction in ζ of one pair.
///
/// * `rows` — after the contraction in η, one for each Gauss point; `products` — those of the pair there
#[inline(always)]
pub(super) fn contract_z(rows: &[[Lanes; ROW_Y]], products: &[Products], out: &mut [Lanes; ROW_Z]) {
    use after_y as y;
    for c in 0..6 {
        let [mut sss, mut aas, mut asa, mut saa] = [[0.0; LANES]; 4];
        for (row, &[value, slope, even, difference]) in rows.iter().zip(products) {
            add(&mut sss, value, &row[y::SS_VALUES + c]);
            add(&mut sss, slope, &row[y::SS_SLOPES + c]);
            add(&mut sss, even, &row[y::SS_SUM + c]);
            add(&mut aas, value, &row[y::AA_VALUES + c]);
            add(&mut asa, difference, &row[y::AS_DIFFERENCE + c]);
            add(&mut saa, difference, &row[y::SA_DIFFERENCE + c]);
        }
        out[after_z::SSS + c] = sss;
        out[after_z::AAS + c] = aas;
        out[after_z::ASA + c] = asa;
        out[after_z::SAA + c] = saa;
    }
    for c in 0..3 {
        let [mut ass, mut sas, mut ssa] = [[0.0; LANES]; 3];
        for (row, &[value, _, even, difference]) in rows.iter().zip(products) {
            add(&mut ass, value, &row[y::AS_VALUES_TAU + c]);
            add(&mut ass, even, &row[y::AS_SUM_TAU + c]);
            add(&mut sas, value, &row[y::SA_VALUES_TAU + c]);
            add(&mut sas, even, &row[y::SA_SUM_TAU + c]);
            add(&mut ssa, difference, &row[y::SS_DIFFERENCE_TAU + c]);
        }
        out[after_z::ASS + c] = ass;
        out[after_z::SAS + c] = sas;
        out[after_z::SSA + c] = ssa;
    }
    let mut mass = [0.0; LANES];
    for (row, &[value, ..]) in rows.iter().zip(products) {
        add(&mut mass, value, &row[y::MASS]);
    }
    out[after_z::MASS] = mass;
}

/// The block K_ij by rows, without w_i w_j, in every lane.
///
/// * `exchanged` — the direction in which i and j are exchanged, 3 for none
#[inline(always)]
pub(super) fn block(terms: &[Lanes; ROW_Z], exchanged: usize, block: &mut [Lanes; 9]) {
    use after_z as z;
    let sign: [f64; 3] = std::array::from_fn(|d| if d == exchanged { -1.0 } else { 1.0 });
    let (xy, xz, yz) = (sign[0] * sign[1], sign[0] * sign[2], sign[1] * sign[2]);
    let mut even = [[0.0; LANES]; 6];
    for c in 0..6 {
        for l in 0..LANES {
            even[c][l] = terms[z::SSS + c][l]
                + xy * terms[z::AAS + c][l]
                + xz * terms[z::ASA + c][l]
                + yz * terms[z::SAA + c][l];
        }
    }
    let mut odd = [[0.0; LANES]; 3];
    for c in 0..3 {
        for l in 0..LANES {
            odd[c][l] = sign[0] * terms[z::ASS + c][l]
                + sign[1] * terms[z::SAS + c][l]
                + sign[2] * terms[z::SSA + c][l];
        }
    }
    for l in 0..LANES {
        for a in 0..3 {
            block[4 * a][l] = even[a][l];
        }
        for (c, (a, b)) in [(1, 2), (0, 2), (0, 1)].into_iter().enumerate() {
            block[3 * a + b][l] = even[3 + c][l] + odd[c][l];
            block[3 * b + a][l] = even[3 + c][l] - odd[c][l];
        }
    }
}

/// M_ij without w_i w_j, in every lane.
#[inline(always)]
pub(super) fn mass(terms: &[Lanes; ROW_Z]) -> &Lanes {
    &terms[after_z::MASS]
}
