//! The number of tests over all programs, from their closing lines.

use std::fmt;

/// Tests of all programs.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct Totals {
    programs: usize,
    passed: usize,
    failed: usize,
    ignored: usize,
}

impl Totals {
    /// Adds the numbers of a line if it is the closing line of a program.
    pub(crate) fn add(&mut self, line: &str) {
        // Output of a test without a line end of its own comes before it.
        let Some((_, counts)) = line.rsplit_once("test result: ") else { return };
        let count = |word: &str| {
            let before = counts.split(';').find_map(|part| part.trim().strip_suffix(word))?;
            before.split_whitespace().next_back()?.parse::<usize>().ok()
        };
        let (Some(passed), Some(failed), Some(ignored)) =
            (count(" passed"), count(" failed"), count(" ignored"))
        else {
            return;
        };
        self.programs += 1;
        self.passed += passed;
        self.failed += failed;
        self.ignored += ignored;
    }
}

impl fmt::Display for Totals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { programs, passed, failed, ignored } = self;
        write!(f, "all tests: {passed} passed; {failed} failed; {ignored} ignored, of {programs} programs")
    }
}

#[cfg(test)]
mod tests {
    use super::Totals;

    #[test]
    fn closing_lines_are_added_and_other_lines_ignored() {
        let mut totals = Totals::default();
        for line in [
            "running 3 tests",
            "test result: ok. 3 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.52s",
            "a word of a testtest result: FAILED. 4 passed; 2 failed; 0 ignored; 0 measured; 9 filtered out; \
             finished in 1s",
            "test result: unknown",
        ] {
            totals.add(line);
        }
        assert_eq!(totals.to_string(), "all tests: 7 passed; 2 failed; 1 ignored, of 2 programs");
    }
}
