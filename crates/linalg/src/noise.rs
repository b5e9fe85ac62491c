//! A fixed sequence of numbers without a pattern, for start vectors.

/// The k-th of a fixed sequence of numbers in (−1, 1): SplitMix64, Steele, Lea & Flood (2014), OOPSLA.
pub(crate) fn noise(k: u64) -> f64 {
    let mut z = (k + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
}
