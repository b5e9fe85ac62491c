//! Dense output in the nested form of Hairer, Nørsett & Wanner, II.6: with s = (t − t₀)/h and s' = 1 − s,
//!
//! ```text
//! y(s) = r₀ + s (r₁ + s' (r₂ + s (r₃ + s' (r₄ + s (r₅ + s' (r₆ + s r₇))))))
//! ```

/// Writes the polynomial at s to `out`; `r` holds the coefficients one after the other, each of the length of
/// `out`.
pub(crate) fn evaluate(r: &[f64], s: f64, out: &mut [f64]) {
    let n = out.len();
    let coefficients = r.len() / n.max(1);
    out.copy_from_slice(&r[(coefficients - 1) * n..]);
    for j in (0..coefficients - 1).rev() {
        let factor = if j % 2 == 0 { s } else { 1.0 - s };
        for (o, r) in out.iter_mut().zip(&r[j * n..(j + 1) * n]) {
            *o = r + factor * *o;
        }
    }
}

/// The cubic Hermite part r₀ … r₃ of a step of size h from `y0` with rate `f0` to `y1` with rate `f1`.
pub(crate) fn hermite(r: &mut [f64], step: f64, y0: &[f64], f0: &[f64], y1: &[f64], f1: &[f64]) {
    let n = y0.len();
    for i in 0..n {
        let change = y1[i] - y0[i];
        let bend = step * f0[i] - change;
        r[i] = y0[i];
        r[n + i] = change;
        r[2 * n + i] = bend;
        r[3 * n + i] = change - step * f1[i] - bend;
    }
}
