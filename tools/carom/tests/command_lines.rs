//! `carom completions` and `carom man`; scripts replace the other programs.

#![cfg(unix)]

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output};

use assert_cmd::cargo::CommandCargoExt;
use carom_testing::program::{json, printed};

/// A script that responds like the other programs.
const STAND_IN: &str = r#"#!/bin/sh
test "$1" = --command-line || exit 9
case "$2" in
completions) echo "complete $(basename "$0") in $3" ;;
man) echo page > "$3/$(basename "$0").1"; echo "$3/$(basename "$0").1" ;;
esac
"#;

/// A folder with the program and with scripts for two others: one of this version, one of an older version.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::copy(Command::cargo_bin("carom").unwrap().get_program(), folder.path().join("carom")).unwrap();
    for (name, script) in
        [("carom-mesh", STAND_IN), ("carom-post", "#!/bin/sh\necho 'error: what?' >&2\nexit 2\n")]
    {
        let path = folder.path().join(name);
        std::fs::write(&path, script).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    folder
}

fn run(folder: &Path, args: &[&str]) -> Output {
    let mut command = Command::new(folder.join("carom"));
    // The scripts need a shell; its folder contains none of our programs.
    command.args(args).current_dir(folder).env("PATH", "/usr/bin:/bin");
    loop {
        match command.output() {
            // Another test that starts a program has the copy open for the moment.
            Err(error) if error.kind() == std::io::ErrorKind::ExecutableFileBusy => {}
            ran => return ran.unwrap(),
        }
    }
}

#[test]
fn completions_cover_all_available_programs_and_name_the_others() {
    let folder = folder();
    let ran = run(folder.path(), &["completions", "bash"]);
    assert!(ran.status.success(), "{}", printed(&ran));
    let script = String::from_utf8_lossy(&ran.stdout).into_owned();
    for part in ["complete carom-mesh in bash", "--compression", "completions"] {
        assert!(script.contains(part), "no `{part}` in {script}");
    }
    let errors = printed(&ran);
    assert!(
        errors.contains("carom-solve is left out: it is neither in the folder of this program"),
        "{errors}"
    );
    assert!(errors.contains("carom-post is left out") && errors.contains("error: what?"), "{errors}");

    let made = json(&run(folder.path(), &["completions", "zsh", "-o", "new/below", "--json"]));
    assert_eq!(made["programs"], serde_json::json!(["carom", "carom-mesh"]));
    assert_eq!(made["files"], serde_json::json!(["new/below/_carom", "new/below/_carom-mesh"]));
    let own = std::fs::read_to_string(folder.path().join("new/below/_carom")).unwrap();
    assert!(own.starts_with("#compdef carom\n"), "{own}");
}

#[test]
fn the_manual_has_a_page_for_each_command() {
    let folder = folder();
    let made = json(&run(folder.path(), &["man", "-o", "man1", "--json"]));
    let files = made["files"].as_array().unwrap();
    for name in ["carom.1", "carom-run.1", "carom-check.1", "carom-doctor.1", "carom-mesh.1"] {
        let path = format!("man1/{name}");
        assert!(files.iter().any(|file| file == &path) && folder.path().join(&path).is_file(), "{made:#}");
    }
    let page = std::fs::read_to_string(folder.path().join("man1/carom-run.1")).unwrap();
    assert!(page.contains(".SH EXAMPLES") && page.contains("carom run tap.toml"), "{page}");
}

#[cfg(target_os = "linux")]
#[test]
fn bash_completes_with_the_script() {
    if !Path::new("/bin/bash").exists() {
        println!("skipped: this system has no /bin/bash");
        return;
    }
    let folder = folder();
    let ran = run(folder.path(), &["completions", "bash", "-o", "."]);
    assert!(ran.status.success(), "{}", printed(&ran));
    let script = "source ./carom.bash; COMP_WORDS=(carom run --com); COMP_CWORD=2; _carom carom --com run; \
        echo \"${COMPREPLY[@]}\"";
    let ran = Command::new("/bin/bash").args(["-c", script]).current_dir(folder.path()).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&ran.stdout).trim(), "--compression", "{}", printed(&ran));
}
