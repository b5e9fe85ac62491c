//! CPU time of this process.

/// CPU time of this process, all threads \[s\]; 0 where the system does not report it.
pub fn cpu_seconds() -> f64 {
    ticks()[..2].iter().sum::<f64>() / 100.0
}

/// CPU time of the programs that this process has started and awaited, and of those that they have \[s\].
pub fn cpu_seconds_of_children() -> f64 {
    ticks()[2..].iter().sum::<f64>() / 100.0
}

/// User and system time of this process and of its children, in ticks of 1/100 s.
fn ticks() -> [f64; 4] {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // Fields 14 to 17; the name in field 2 may hold blanks.
    let fields: Vec<&str> = text.rsplit(')').next().unwrap_or("").split_whitespace().collect();
    std::array::from_fn(|k| fields.get(11 + k).and_then(|field| field.parse().ok()).unwrap_or(0.0))
}

/// CPU time of the calling thread \[s\], to the tick of the system's clock; none where it is not reported.
pub(crate) fn thread_seconds() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    let nanoseconds: f64 = text.split_whitespace().next()?.parse().ok()?;
    Some(1e-9 * nanoseconds)
}
