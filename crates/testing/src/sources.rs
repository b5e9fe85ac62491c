//! Rules for all sources: cited pages, sections and equations exist, links lead to files, lines have at
//! most 110 columns.
//!
//! Each rule is a function from a text to a list of errors, so that a test can show that it finds them.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

/// Widest line of a Rust source, in characters.
const WIDEST: usize = 110;

/// Notes that are not in the repository. Each name is written in two halves.
fn foreign_names() -> [String; 8] {
    let halves = [
        ("THE", "ORY"),
        ("QUASI", "STATIC"),
        ("TAR", "GETS"),
        ("FOR", "MATS"),
        ("HALF", "SPACE"),
        ("CLI", ".md"),
        ("DESIGN", ".md"),
        ("STYLE", ".md"),
    ];
    halves.map(|(first, second)| format!("{first}{second}"))
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).expect("the crate lies in the workspace").into()
}

/// The files below a folder with one of these endings, sorted; build outputs and hidden folders are left out.
fn files(folder: &Path, endings: &[&str]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut entries: Vec<_> =
        fs::read_dir(folder).expect("a folder").map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        let name = path.file_name().expect("an entry has a name").to_string_lossy().into_owned();
        if path.is_dir() {
            if !name.starts_with('.') && name != "target" && name != "out" {
                found.extend(files(&path, endings));
            }
        } else if endings.iter().any(|ending| name.ends_with(ending)) {
            found.push(path);
        }
    }
    found
}

/// The text of the comments of a Rust or TOML source, a space for each break of a line, so that a citation
/// may run over two lines. Code between comments is one full stop.
fn comments(source: &str, mark: &str) -> String {
    let mut text = String::new();
    for line in source.lines() {
        let trimmed = line.trim_start();
        let comment = if trimmed.starts_with(mark) {
            trimmed
        } else {
            text.push_str(" . ");
            trailing_comment(trimmed, mark)
        };
        text.push_str(comment.trim_start_matches(['/', '#', '!']).trim());
        text.push(' ');
    }
    text
}

/// The comment after code on the same line, if the mark is not inside a string.
fn trailing_comment<'a>(line: &'a str, mark: &str) -> &'a str {
    let start = line.rfind(&format!(" {mark} "));
    start
        .filter(|&start| line[..start].matches('"').count().is_multiple_of(2))
        .map_or("", |start| &line[start + 1..])
}

/// The numbers of the equations of a page: `(12)` at the end of a line of a block.
fn equations(page: &str) -> Vec<u32> {
    let mut numbers = Vec::new();
    let mut is_block = false;
    for line in page.lines() {
        if line.starts_with("```") {
            is_block = !is_block;
        } else if let Some(rest) = line.trim_end().strip_suffix(')').filter(|_| is_block)
            && let Some((before, number)) = rest.rsplit_once('(')
            && before.ends_with("  ")
            && let Ok(number) = number.parse()
        {
            numbers.push(number);
        }
    }
    numbers
}

/// The numbers of the sections of a page, `2.3` of `## 2.3 Name` and `4` of `## 4. Name`.
fn sections(page: &str) -> BTreeSet<String> {
    let headings = page.lines().filter(|line| line.starts_with('#'));
    let number = |line: &str| {
        let word = line.trim_start_matches('#').split_whitespace().next().unwrap_or_default();
        word.trim_end_matches('.').to_owned()
    };
    headings.map(number).collect()
}

/// The leading `(12)` of a text, and the rest of the text.
fn leading_equation(text: &str) -> Option<(u32, &str)> {
    let (number, rest) = text.strip_prefix('(')?.split_once(')')?;
    Some((number.parse().ok()?, rest))
}

/// The equations cited at the start of a text: `eq. (3)`, `eqs. (3) and (4)`, `eqs. (3), (4)`,
/// `eqs. (3) to (5)`.
fn cited_equations(text: &str) -> Vec<u32> {
    let Some(mut rest) = text.strip_prefix("eq. ").or_else(|| text.strip_prefix("eqs. ")) else {
        return Vec::new();
    };
    let mut cited = Vec::new();
    while let Some((number, after)) = leading_equation(rest) {
        cited.push(number);
        let Some(next) = [" and ", ", ", " to "].iter().find_map(|link| after.strip_prefix(link)) else {
            break;
        };
        rest = next;
    }
    cited
}

/// Errors of the citations of pages of `docs`, of their equations and sections, in a text.
///
/// * `page` — the text of a page by its path from the root of the repository
fn wrong_citations(text: &str, page: impl Fn(&str) -> Option<String>) -> Vec<String> {
    let mut wrong = Vec::new();
    for (start, _) in text.match_indices("docs/") {
        let Some(end) = text[start..].find(".md") else { break };
        let path = &text[start..start + end + 3];
        if path.contains(char::is_whitespace) {
            continue;
        }
        let Some(content) = page(path) else {
            wrong.push(format!("there is no page {path}"));
            continue;
        };
        let after = text[start + end + 3..].trim_start_matches(['`', ')', ',', ' ']);
        let known = equations(&content);
        for number in cited_equations(after) {
            if !known.contains(&number) {
                wrong.push(format!("{path} has no eq. ({number})"));
            }
        }
        if let Some(rest) = after.strip_prefix("section ") {
            let number: String = rest.chars().take_while(|c| c.is_ascii_digit() || *c == '.').collect();
            let number = number.trim_end_matches('.');
            if !sections(&content).contains(number) {
                wrong.push(format!("{path} has no section {number}"));
            }
        } else if after.starts_with("eq") && cited_equations(after).is_empty() {
            wrong.push(format!("{path}, `{}` is not a number of an equation", &after[..after.len().min(12)]));
        }
    }
    wrong
}

/// The names of foreign notes that occur in a text as whole words.
fn foreign(text: &str) -> Vec<String> {
    // Names of code are in backticks or after a path.
    let is_part = |c: char| c.is_alphanumeric() || "_`:".contains(c);
    let stands_alone = |name: &String| {
        text.match_indices(name.as_str()).any(|(start, _)| {
            let after = &text[start + name.len()..];
            !text[..start].ends_with(is_part) && !after.starts_with(|c: char| c.is_alphanumeric() || c == '_')
        })
    };
    foreign_names().into_iter().filter(stands_alone).collect()
}

/// Lines that are too wide, with their numbers and widths.
fn wide_lines(source: &str) -> Vec<(usize, usize)> {
    let widths = source.lines().map(|line| line.chars().count()).enumerate();
    widths.filter(|(_, width)| *width > WIDEST).map(|(i, width)| (i + 1, width)).collect()
}

/// The targets of the links of a Markdown page that are paths, without anchors.
fn links(page: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (start, _) in page.match_indices("](") {
        let target = &page[start + 2..];
        let target = &target[..target.find(')').unwrap_or(0)];
        let path = target.split('#').next().unwrap_or_default();
        if !path.is_empty() && !path.contains("://") && !path.contains(char::is_whitespace) {
            found.push(path.to_owned());
        }
    }
    found
}

/// The paths in backticks that a page names, such as `crates/fem/src/lib.rs`.
fn named_paths(page: &str) -> Vec<&str> {
    let folders = ["crates/", "docs/", "examples/", "meshes/", "tests/", "tools/", ".ci/"];
    let named = page.split('`').skip(1).step_by(2);
    named
        .filter(|text| folders.iter().any(|folder| text.starts_with(folder)) && !text.contains(' '))
        .collect()
}

/// Applies a rule to files and fails with all errors.
fn check(files: Vec<PathBuf>, rule: impl Fn(&Path, &str) -> Vec<String>) {
    let mut complaints = String::new();
    assert!(files.len() > 9, "the files of the repository are found");
    for path in files {
        let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        for complaint in rule(&path, &text) {
            writeln!(complaints, "{}: {complaint}", path.strip_prefix(root()).unwrap().display()).unwrap();
        }
    }
    assert!(complaints.is_empty(), "\n{complaints}");
}

/// The text of a page, or of the comments of a source.
fn prose(path: &Path, text: &str) -> String {
    match path.extension().and_then(|ending| ending.to_str()) {
        Some("rs") => comments(text, "//"),
        Some("md") => text.split_whitespace().collect::<Vec<_>>().join(" "),
        _ => comments(text, "#"),
    }
}

fn page(path: &str) -> Option<String> {
    fs::read_to_string(root().join(path)).ok()
}

#[test]
fn every_cited_page_section_and_equation_exists() {
    check(files(&root(), &[".rs", ".toml", ".py", ".md"]), |path, text| {
        wrong_citations(&prose(path, text), page)
    });
}

#[test]
fn equations_are_numbered_through_the_pages_of_the_theory() {
    let contents = page("docs/theory.md").unwrap();
    let mut numbers = Vec::new();
    for path in links(&contents).iter().filter(|path| path.starts_with("theory/")) {
        numbers.extend(equations(&page(&format!("docs/{path}")).unwrap()));
    }
    let expected: Vec<u32> = (1..=u32::try_from(numbers.len()).unwrap()).collect();
    assert_eq!(numbers, expected);
    assert!(numbers.len() > 90);
}

#[test]
fn no_notes_outside_the_repository_are_cited() {
    check(files(&root(), &[".rs", ".toml", ".py", ".md"]), |path, text| {
        let cites = |name| format!("cites {name}, which is not in the repository");
        foreign(&prose(path, text)).into_iter().map(cites).collect()
    });
}

#[test]
fn no_line_of_a_source_is_over_110_columns() {
    check(files(&root(), &[".rs"]), |_, text| {
        let complain = |(line, width)| format!("line {line} has {width} columns");
        wide_lines(text).into_iter().map(complain).collect()
    });
}

#[test]
fn links_of_pages_lead_to_files() {
    check(files(&root(), &[".md"]), |path, text| {
        let folder = path.parent().expect("a file lies in a folder");
        let broken = |target: &String| !folder.join(target).exists();
        links(text).into_iter().filter(broken).map(|target| format!("no file `{target}`")).collect()
    });
}

#[test]
fn paths_that_the_pages_for_developers_name_exist() {
    let mut n_named = 0;
    for name in ["docs/architecture.md", "CONTRIBUTING.md", "examples/README.md"] {
        let text = page(name).unwrap();
        let missing: Vec<_> =
            named_paths(&text).into_iter().filter(|path| !root().join(path).exists()).collect();
        assert!(missing.is_empty(), "{name} names {missing:?}");
        n_named += named_paths(&text).len();
    }
    assert!(n_named > 30, "{n_named}");
}

#[test]
fn wrong_citations_are_found() {
    let pages = |path: &str| {
        let text = "# 2. Chapter\n## 2.1 Name\n```text\nx = 1   (7)\ny = f(8)\n```\nz (9)\n";
        (path == "docs/a.md").then(|| text.to_owned())
    };
    let wrong = |source: &str| wrong_citations(&comments(source, "//"), pages);
    assert!(wrong("/// See docs/a.md, eq. (7), and docs/a.md, section 2.1.\n").is_empty());
    assert!(wrong("//! As in docs/a.md,\n//! eq. (7).\nlet x = \"docs/b.md\";\n").is_empty());
    assert_eq!(wrong("// docs/b.md\n"), ["there is no page docs/b.md"]);
    assert_eq!(wrong("//! As in docs/a.md,\n//! eq. (8).\n"), ["docs/a.md has no eq. (8)"]);
    assert_eq!(wrong("let x = 1; // docs/a.md, eqs. (7) to (9)\n"), ["docs/a.md has no eq. (9)"]);
    assert_eq!(wrong("// docs/a.md, section 2.2\n"), ["docs/a.md has no section 2.2"]);
    assert_eq!(wrong("// docs/a.md, eq. 7\n").len(), 1);
}

#[test]
fn foreign_names_wide_lines_and_broken_links_are_found() {
    let name = &foreign_names()[0];
    assert_eq!(foreign(&format!("see {name} 1.2")), [name.as_str()]);
    assert!(foreign(&format!("KNOWN_{name} and {name}S")).is_empty());
    let wide = format!("{}\n{}\n", "ä".repeat(WIDEST), "ä".repeat(WIDEST + 1));
    assert_eq!(wide_lines(&wide), [(2, WIDEST + 1)]);
    assert_eq!(named_paths("see `crates/a.rs`, `b` and `docs/c.md`"), ["crates/a.rs", "docs/c.md"]);
    assert_eq!(links("[a](b.md#c) [d](https://e) ![f](g/h.png) [i](#j)"), ["b.md", "g/h.png"]);
}
