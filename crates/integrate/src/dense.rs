//! Dense output in the nested form of Hairer, Nørsett & Wanner, II.6: with s = (t − t₀)/h and s' = 1 − s,
//!
//! ```text
//! y(s) = r₀ + s (r₁ + s' (r₂ + s (r₃ + s' (r₄ + s (r₅ + s' (r₆ + s r₇))))))
//! ```

/// Writes the polynomial of the first components to `out`, at s; `r` holds the coefficients one after the
/// other, each of n components.
pub(crate) fn evaluate(r: &[f64], n: usize, s: f64, out: &mut [f64]) {
    let coefficients = r.len() / n.max(1);
    out.copy_from_slice(&r[(coefficients - 1) * n..][..out.len()]);
    for j in (0..coefficients - 1).rev() {
        let factor = if j % 2 == 0 { s } else { 1.0 - s };
        for (o, r) in out.iter_mut().zip(&r[j * n..(j + 1) * n]) {
            *o = r + factor * *o;
        }
    }
}

/// The cubic Hermite part r₀ … r₃ of a step of size h from y₀ with rate f₀ to y₁ with rate f₁, for as many
/// components as these have; `r` is that of n components.
pub(crate) fn hermite(r: &mut [f64], n: usize, step: f64, [y0, f0, y1, f1]: [&[f64]; 4]) {
    for i in 0..y0.len() {
        let change = y1[i] - y0[i];
        let bend = step * f0[i] - change;
        r[i] = y0[i];
        r[n + i] = change;
        r[2 * n + i] = bend;
        r[3 * n + i] = change - step * f1[i] - bend;
    }
}
