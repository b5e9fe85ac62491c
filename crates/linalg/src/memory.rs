//! Memory of the machine and of this process, as the operating system reports it.

/// Memory of the machine, in bytes; `None` where the system does not report it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Memory {
    /// All of it.
    pub total: Option<u64>,
    /// Memory that a program can have without others being swapped out.
    pub available: Option<u64>,
}

/// Queries the operating system; Linux only.
pub fn memory() -> Memory {
    let text = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    Memory { total: entry(&text, "MemTotal:"), available: entry(&text, "MemAvailable:") }
}

/// The largest amount of memory that this process has held so far, in bytes; `None` where the system does
/// not report it.
pub fn peak_memory_bytes() -> Option<u64> {
    entry(&std::fs::read_to_string("/proc/self/status").ok()?, "VmHWM:")
}

/// An entry in kilobytes (of 1024), in bytes.
fn entry(text: &str, key: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(key))?;
    let kilobytes: u64 = line.split_whitespace().next()?.parse().ok()?;
    Some(1024 * kilobytes)
}

/// Bytes that are missing if a program needs so many; 0 if there are enough or the system does not report it.
pub(crate) fn missing_bytes(wanted: u64, memory: Memory) -> u64 {
    memory.available.map_or(0, |available| wanted.saturating_sub(available))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_read_and_compared() {
        let text = "MemTotal:       24570000 kB\nMemFree:  1 kB\nMemAvailable:   2048 kB\n";
        let memory = Memory { total: entry(text, "MemTotal:"), available: entry(text, "MemAvailable:") };
        assert_eq!(memory, Memory { total: Some(25_159_680_000), available: Some(2 << 20) });
        assert_eq!(missing_bytes(2 << 20, memory), 0);
        assert_eq!(missing_bytes(3 << 20, memory), 1 << 20);
        assert_eq!(missing_bytes(u64::MAX, Memory::default()), 0);
        assert_eq!(entry("MemTotal: lots\n", "MemTotal:"), None);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_process_holds_at_least_a_megabyte() {
        assert!(peak_memory_bytes().is_some_and(|bytes| bytes > 1 << 20));
        assert!(memory().total >= memory().available);
    }
}
