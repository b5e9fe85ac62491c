//! `carom run` killed at random moments, and its folder.

#![cfg(unix)]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

use carom_format::ResultReader;

use crate::program::{self, Place, did};
use crate::tables;

/// Files below a folder, relative to it.
fn files(folder: &Path) -> BTreeSet<PathBuf> {
    let mut found = BTreeSet::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(inner) = folders.pop() {
        for path in std::fs::read_dir(inner).unwrap().map(|entry| entry.unwrap().path()) {
            if path.is_dir() {
                folders.push(path);
            } else {
                found.insert(path.strip_prefix(folder).unwrap().to_owned());
            }
        }
    }
    found
}

/// Kills the chain `kills` times before its end; each run continues where the last one was killed. A chain
/// that reaches its end earlier is compared with the undisturbed one, and a new chain is started.
///
/// * `moments` — fractions of the time of the undisturbed chain
fn kill_and_run_again(change: &[&str], kills: usize, moments: &mut dyn FnMut() -> f64) {
    let place = Place::new();
    place.write("small.toml", program::SMALL);
    let set: Vec<&str> = change.iter().flat_map(|change| ["--set", change]).collect();
    let command = |folder: &'static str| [&["run", "small.toml", "-o", folder][..], &set].concat();
    let begun = Instant::now();
    place.ok(&command("whole"));
    let took = begun.elapsed();
    let [cut, whole] = ["cut", "whole"].map(|folder| place.path().join(folder));
    let assert_whole = || {
        place.ok(&command("cut"));
        tables::assert_equal(&cut.join("result.carom"), &whole.join("result.carom"), "carom run");
        assert_eq!(files(&cut), files(&whole));
    };
    let (mut killed, mut with_result, mut whole_before) = (0, 0, 0);
    while killed < kills {
        let mut child =
            place.command(&command("cut")).stderr(Stdio::null()).stdout(Stdio::null()).spawn().unwrap();
        std::thread::sleep(took.mul_f64(moments()));
        let was_running = child.try_wait().unwrap().is_none();
        child.kill().unwrap();
        child.wait().unwrap();
        let result = cut.join("result.carom");
        if result.exists() {
            ResultReader::open(&result).unwrap().state().unwrap();
            with_result += usize::from(was_running);
        }
        killed += usize::from(was_running);
        if !was_running {
            whole_before += 1;
            assert_whole();
            std::fs::remove_dir_all(&cut).unwrap();
        }
    }
    assert_whole();
    println!(
        "{took:.1?}: {killed} runs were killed, {with_result} of them with a result, {whole_before} ended \
         before"
    );
}

#[test]
fn a_chain_killed_and_run_again_gives_the_undisturbed_result() {
    let change = ["simulation.end_time=2.0e-4", "simulation.checkpoint_every=10"];
    let mut moments = [0.05, 0.2, 0.4, 0.5, 0.6].into_iter().cycle();
    kill_and_run_again(&change, 5, &mut || moments.next().expect("they begin again"));
}

#[test]
#[ignore = "4 min: thirty kills at random moments"]
fn thirty_kills_of_the_chain_lose_no_results() {
    let change = ["simulation.end_time=4.0e-4", "simulation.relative_tolerance=1e-12"];
    let mut state = 5_u64;
    let mut moments = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) as f64 / f64::from(1u32 << 31)
    };
    for _ in 0..3 {
        kill_and_run_again(&change, 10, &mut moments);
    }
}

#[test]
fn a_folder_with_files_of_other_programs_is_refused() {
    let place = Place::new();
    place.write("small.toml", program::SMALL);
    for (folder, file) in [("mine", "mine/notes.txt"), ("drawings", "drawings/bodies/ball.step")] {
        std::fs::create_dir_all(place.path().join(file).parent().unwrap()).unwrap();
        place.write(file, "precious");
        let message = place.fails(&["run", "small.toml", "-o", folder], 2);
        let entry = Path::new(file).components().nth(1).unwrap().as_os_str().to_str().unwrap();
        assert!(message.contains(entry) && message.contains("-o"), "{message}");
        assert_eq!(files(&place.path().join(folder)).len(), 1, "something was made");
        // It is possible on request.
        place.ok(&["run", "small.toml", "-o", folder, "--force"]);
        assert_eq!(std::fs::read_to_string(place.path().join(file)).unwrap(), "precious");
        // From then on the folder belongs to `carom run`, and other files in it are accepted.
        let again = place.json(&["run", "small.toml", "-o", folder]);
        assert_eq!(did(&again, "solution"), "up-to-date");
    }
}

#[test]
fn files_of_killed_programs_are_removed() {
    let place = Place::new();
    place.write("small.toml", program::SMALL);
    let mut dead = std::process::Command::new("true").spawn().unwrap();
    dead.wait().unwrap();
    let mut left = Vec::new();
    for folder in ["", "bodies", "paraview", "plots"] {
        let folder = place.path().join("out").join(folder);
        std::fs::create_dir_all(&folder).unwrap();
        left.push(folder.join(format!(".carom-{}-abcdef.part", dead.id())));
    }
    place.write("out/carom-run.json", "{}");
    left.iter().for_each(|path| std::fs::write(path, "half").unwrap());
    place.ok(&["run", "small.toml", "-o", "out"]);
    assert!(left.iter().all(|path| !path.exists()));
}

/// A stopped chain has the exit code of the signal, also before its bodies are ready.
#[test]
fn a_signal_while_bodies_are_made_has_its_exit_code() {
    let place = Place::new();
    place.write("small.toml", &program::SMALL.replace("finest = 1e-3", "finest = 2e-4"));
    let mut child = place
        .command(&["run", "small.toml", "-o", "out"])
        .stderr(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let begun = Instant::now();
    while !place.path().join("out/carom-run.json").exists() && begun.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(2));
    }
    let pid = child.id().to_string();
    std::process::Command::new("kill").args(["-TERM", &pid]).status().unwrap();
    let begun = Instant::now();
    while child.try_wait().unwrap().is_none() {
        assert!(begun.elapsed() < Duration::from_secs(30), "it does not end");
        std::thread::sleep(Duration::from_millis(5));
    }
    let ended = child.wait_with_output().unwrap();
    let message = carom_testing::program::printed(&ended);
    assert_eq!(ended.status.code(), Some(143), "{message}");
    assert!(message.contains("interrupted"), "{message}");
}
