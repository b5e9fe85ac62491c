//! The list of skipped tests.

use std::collections::{BTreeMap, BTreeSet};

/// Environment variable with the path of the file of records, documented in
/// `carom_testing::machine`.
pub(crate) const RECORDS: &str = "CAROM_SKIPPED";

/// A test that was skipped because the machine lacks a requirement.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Record {
    pub(crate) reason: String,
    pub(crate) package: String,
    pub(crate) test: String,
}

impl Record {
    /// True if something is missing that a complete run need not have: reference data, which is not part of
    /// the project, PETSc with MPI, which is large, or Snakemake's plugin for Slurm.
    pub(crate) fn is_optional(&self) -> bool {
        ["reference data: ", "PETSc: ", "Slurm: "].iter().any(|start| self.reason.starts_with(start))
    }
}

/// The records in a file, a line each: reason, package and test with tabs between, and `more` of them.
pub(crate) fn read(text: &str, more: Vec<Record>) -> BTreeSet<Record> {
    let record = |line: &str| {
        let mut parts = line.split('\t').map(str::to_owned);
        Some(Record { reason: parts.next()?, package: parts.next()?, test: parts.next()? })
    };
    text.lines().filter_map(record).chain(more).collect()
}

/// The records by reason and package.
pub(crate) fn list(records: &BTreeSet<Record>) -> String {
    if records.is_empty() {
        return "skipped: none".to_owned();
    }
    let mut by_reason: BTreeMap<&str, Vec<&Record>> = BTreeMap::new();
    for record in records {
        by_reason.entry(&record.reason).or_default().push(record);
    }
    let tests: BTreeSet<_> = records.iter().map(|record| (&record.package, &record.test)).collect();
    let mut text = format!("skipped wholly or in part: {}, as this machine lacks", tests.len());
    for (reason, records) in by_reason {
        text += &format!("\n  {reason}");
        for Record { package, test, .. } in records {
            text += &format!("\n    {package} {test}");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::{Record, list, read};

    #[test]
    fn tests_are_listed_once_by_reason() {
        let gmsh = Record { reason: "Gmsh: none".into(), package: "carom-gmsh".into(), test: "all".into() };
        let text = "reference data: no `b`\tcarom-fem\tmodes::two\n\
                    Python: no numpy\tcarom-format\tarchives::one\n\
                    Python: no numpy\tcarom-format\tarchives::one\n\
                    reference data: no `a`\tcarom-fem\tmodes::two\n";
        let records = read(text, vec![gmsh]);
        assert_eq!(records.iter().filter(|record| record.is_optional()).count(), 2);
        let expected = "skipped wholly or in part: 3, as this machine lacks\n  \
                        Gmsh: none\n    carom-gmsh all\n  \
                        Python: no numpy\n    carom-format archives::one\n  \
                        reference data: no `a`\n    carom-fem modes::two\n  \
                        reference data: no `b`\n    carom-fem modes::two";
        assert_eq!(list(&records), expected);
        assert_eq!(list(&read("", Vec::new())), "skipped: none");
    }
}
