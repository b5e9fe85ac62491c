//! Each row of docs/interruptions.md names a test; these tests exist.

use std::path::Path;

#[test]
fn every_row_names_existing_tests() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let page = std::fs::read_to_string(root.join("docs/interruptions.md")).unwrap();
    // The first row of the table is its heading.
    let rows: Vec<&str> = page.lines().filter(|line| line.starts_with("| ")).skip(1).collect();
    assert!(rows.len() > 15, "{}", rows.len());
    for row in rows {
        let shown = row.trim_end_matches([' ', '|']).rsplit(" | ").next().unwrap();
        // Names of tests, then the file in which they are.
        let words: Vec<&str> = shown.split('`').skip(1).step_by(2).collect();
        let mut names = Vec::new();
        let mut found = 0;
        for word in words {
            if !word.ends_with(".rs") {
                names.push(word);
                continue;
            }
            let text =
                std::fs::read_to_string(root.join(word)).unwrap_or_else(|error| panic!("{word}: {error}"));
            for name in names.drain(..) {
                assert!(text.contains(&format!("fn {name}()")), "{word} has no test `{name}`");
                found += 1;
            }
        }
        assert!(found > 0 && names.is_empty(), "no test in: {row}");
    }
}
