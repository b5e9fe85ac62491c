//! Every Rust file of the workspace is compiled: an undeclared module would lose its tests without a
//! message.

use std::fs;
use std::path::{Path, PathBuf};

/// The folders of the packages.
fn packages() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut found = Vec::new();
    for folder in ["crates", "tools", "tests"] {
        found.extend(entries(&root.join(folder)).into_iter().filter(|path| path.join("Cargo.toml").exists()));
    }
    found
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let mut paths: Vec<_> =
        fs::read_dir(folder).into_iter().flatten().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths
}

fn rust_files(folder: &Path, files: &mut Vec<PathBuf>) {
    for path in entries(folder) {
        if path.is_dir() {
            rust_files(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
}

/// True if one of the files has a line `mod name;`, of any visibility.
fn declares(files: &[PathBuf], name: &str) -> bool {
    files.iter().filter_map(|path| fs::read_to_string(path).ok()).any(|text| {
        text.lines().any(|line| {
            let line = line.trim_start();
            let item =
                if line.starts_with("pub") { line.split_once(' ').map_or("", |two| two.1) } else { line };
            item.strip_prefix("mod ").and_then(|rest| rest.strip_suffix(';')) == Some(name)
        })
    })
}

/// The files that may declare the module of `file`, and its name.
fn parents(file: &Path) -> (Vec<PathBuf>, String) {
    let (folder, stem) = (file.parent().unwrap(), file.file_stem().unwrap().to_str().unwrap());
    let (folder, name) = match stem {
        "mod" => (folder.parent().unwrap(), folder.file_name().unwrap().to_str().unwrap()),
        _ => (folder, stem),
    };
    let files = ["main.rs", "lib.rs", "mod.rs"].map(|file| folder.join(file)).into_iter();
    (files.chain([folder.with_extension("rs")]).collect(), name.to_owned())
}

#[test]
fn every_file_of_sources_and_tests_is_a_module_of_its_program() {
    let mut forgotten = Vec::new();
    let mut n_files = 0;
    for package in packages() {
        let mut files = Vec::new();
        ["src", "tests"].iter().for_each(|folder| rust_files(&package.join(folder), &mut files));
        // Folders of programs and examples that Cargo finds by itself.
        files.retain(|file| file.parent().is_some_and(|folder| !folder.ends_with("src/bin")));
        for file in files {
            let of_program =
                ["src/main.rs", "src/lib.rs", "tests/main.rs"].iter().any(|end| file.ends_with(end));
            let (parents, name) = parents(&file);
            if !of_program && !declares(&parents, &name) {
                forgotten.push(file.display().to_string());
            }
            n_files += 1;
        }
    }
    assert!(n_files > 500, "{n_files} files");
    assert_eq!(
        forgotten,
        Vec::<String>::new(),
        "add `mod NAME;` to `main.rs`, `lib.rs` or `mod.rs` beside them"
    );
}

#[test]
fn every_package_with_integration_tests_has_one_program_of_them() {
    for package in packages().into_iter().filter(|package| package.join("tests").exists()) {
        let text = fs::read_to_string(package.join("Cargo.toml")).unwrap();
        let lines = "autotests = false\n";
        let program = "[[test]]\nname = \"tests\"\npath = \"tests/main.rs\"\n";
        assert!(
            text.contains(lines) && text.contains(program),
            "{}/Cargo.toml: {lines}{program}",
            package.display()
        );
        assert_eq!(text.matches("[[test]]").count(), 1, "{}/Cargo.toml", package.display());
    }
}

/// The part of a manifest under a header, or nothing.
fn section<'a>(manifest: &'a str, header: &str) -> &'a str {
    let after = manifest.split_once(&format!("\n{header}\n")).map_or("", |two| two.1);
    after.split_once("\n[").map_or(after, |two| two.0)
}

/// True if the text has a block of code in its documentation that runs as a test.
fn has_doc_test(text: &str) -> bool {
    let mut open: Option<bool> = None;
    for line in text.lines() {
        let line = line.trim_start();
        let Some(line) = line.strip_prefix("///").or_else(|| line.strip_prefix("//!")) else {
            open = None;
            continue;
        };
        if let Some(language) = line.trim().strip_prefix("```") {
            open = match open {
                Some(true) => return true,
                Some(false) => None,
                None => Some(["", "rust", "no_run", "should_panic"].contains(&language)),
            };
        }
    }
    false
}

#[test]
fn a_target_that_is_left_out_has_no_tests() {
    for package in packages() {
        let manifest = fs::read_to_string(package.join("Cargo.toml")).unwrap();
        let mut files = Vec::new();
        rust_files(&package.join("src"), &mut files);
        let (programs, library): (Vec<_>, Vec<_>) =
            files.iter().partition(|file| file.ends_with("src/main.rs"));
        let any = |files: &[&PathBuf], has: &dyn Fn(&str) -> bool| {
            files.iter().any(|file| has(&fs::read_to_string(file).unwrap()))
        };
        let (lib, bin) = (section(&manifest, "[lib]"), section(&manifest, "[[bin]]"));
        let says = |section: &str, line: &str| section.lines().any(|other| other == line);
        let name = package.display();
        if says(lib, "test = false") {
            assert!(!any(&library, &|text| text.contains("#[test]")), "{name}: the library has unit tests");
        }
        if says(lib, "doctest = false") {
            assert!(!any(&library, &has_doc_test), "{name}: the library has tests in its documentation");
        }
        if says(bin, "test = false") {
            let has =
                |text: &str| text.contains("#[test]") || text.lines().any(|line| line.starts_with("mod "));
            assert!(!any(&programs, &has), "{name}: the program may have unit tests");
        }
    }
}
