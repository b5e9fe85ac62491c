//! Licences and sources of all dependencies, of every platform that the lock file was made for.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use serde_json::Value;

/// Licences that are sufficient alone. `OR` chooses one of several, `AND` requires all.
const ALLOWED: [&str; 11] = [
    "MIT",
    "MIT-0",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "ISC",
    "Unicode-3.0",
    "Unlicense",
    "Zlib",
];

/// The only program that may have another licence, as it links Gmsh.
const WITH_GMSH: &str = "carom-gmsh";

/// The bindings of Gmsh, whose licence is a file.
const BINDINGS: &str = "gmsh-sys";

/// True if an expression of SPDX is met by the allowed licences.
///
/// `OR` binds weaker than `AND`; parentheses group; the old `/` means `OR`.
fn is_allowed(expression: &str) -> bool {
    let spaced = expression.replace('/', " OR ").replace('(', " ( ").replace(')', " ) ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let mut at = 0;
    let allowed = any_of(&words, &mut at);
    allowed && at == words.len()
}

fn any_of(words: &[&str], at: &mut usize) -> bool {
    let mut allowed = all_of(words, at);
    while words.get(*at) == Some(&"OR") {
        *at += 1;
        allowed |= all_of(words, at);
    }
    allowed
}

fn all_of(words: &[&str], at: &mut usize) -> bool {
    let mut allowed = single(words, at);
    while words.get(*at) == Some(&"AND") {
        *at += 1;
        allowed &= single(words, at);
    }
    allowed
}

fn single(words: &[&str], at: &mut usize) -> bool {
    if words.get(*at) == Some(&"(") {
        *at += 1;
        let allowed = any_of(words, at);
        let is_closed = words.get(*at) == Some(&")");
        *at += 1;
        return allowed && is_closed;
    }
    let Some(&licence) = words.get(*at) else {
        // Beyond the end: the expression is incomplete.
        *at = words.len() + 1;
        return false;
    };
    *at += 1;
    if words.get(*at) == Some(&"WITH") {
        let exception = words.get(*at + 1).copied().unwrap_or_default();
        *at += 2;
        return ALLOWED.contains(&format!("{licence} WITH {exception}").as_str());
    }
    ALLOWED.contains(&licence)
}

/// The packages of the workspace and of its dependencies, with the dependencies of each.
fn metadata() -> Value {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let manifest = concat!(env!("CARGO_MANIFEST_DIR"), "/../../Cargo.toml");
    let arguments = ["metadata", "--format-version", "1", "--locked", "--manifest-path", manifest];
    let host = Command::new("rustc").arg("-vV").output().expect("rustc runs");
    let host = String::from_utf8(host.stdout).expect("rustc prints text");
    let host = host.lines().find_map(|line| line.strip_prefix("host: ")).expect("rustc names its host");
    let output = Command::new(cargo).args(arguments).args(["--filter-platform", host]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("cargo metadata is JSON")
}

fn text<'a>(package: &'a Value, key: &str) -> &'a str {
    package[key].as_str().unwrap_or_default()
}

#[test]
fn all_dependencies_have_free_licences_and_come_from_the_registry() {
    let metadata = metadata();
    let packages = metadata["packages"].as_array().expect("a list of packages");
    let mut wrong = Vec::new();
    for package in packages {
        let (name, licence, source) =
            (text(package, "name"), text(package, "license"), text(package, "source"));
        if !is_allowed(licence) && ![WITH_GMSH, BINDINGS].contains(&name) {
            wrong.push(format!("{name}: the licence `{licence}` is not in the list"));
        }
        let is_registry =
            source.is_empty() || source.starts_with("registry+https://github.com/rust-lang/crates.io-index");
        if !is_registry {
            wrong.push(format!("{name} comes from {source}"));
        }
    }
    assert!(packages.len() > 100 && wrong.is_empty(), "{} packages: {wrong:#?}", packages.len());
}

#[test]
fn only_one_program_links_gmsh_and_nothing_depends_on_it() {
    let metadata = metadata();
    let names: BTreeMap<&str, &str> = metadata["packages"]
        .as_array()
        .expect("a list of packages")
        .iter()
        .map(|package| (text(package, "id"), text(package, "name")))
        .collect();
    let mut users: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for node in metadata["resolve"]["nodes"].as_array().expect("a list of nodes") {
        for used in node["dependencies"].as_array().expect("a list of dependencies") {
            users.entry(names[used.as_str().unwrap()]).or_default().insert(names[text(node, "id")]);
        }
    }
    assert_eq!(users.get(BINDINGS), Some(&BTreeSet::from([WITH_GMSH])));
    assert_eq!(users.get(WITH_GMSH), None);
}

#[test]
fn expressions_of_licences_are_understood() {
    for good in ["MIT", "MIT OR GPL-3.0", "MIT/Apache-2.0", "(MIT OR Apache-2.0) AND Unicode-3.0"] {
        assert!(is_allowed(good), "{good}");
    }
    assert!(is_allowed("Apache-2.0 WITH LLVM-exception OR Apache-2.0 OR MIT"));
    for bad in ["", "GPL-3.0", "MIT AND GPL-3.0", "MIT OR", "(MIT", "GPL-2.0 WITH LLVM-exception"] {
        assert!(!is_allowed(bad), "{bad}");
    }
}
