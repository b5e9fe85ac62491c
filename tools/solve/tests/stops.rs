//! Runs that are stopped by signals, killed, or short of disk space: their files, and the outcome of resumed
//! runs.

#![cfg(unix)]

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use assert_cmd::cargo::CommandCargoExt;
use carom_format::ResultReader;
use carom_testing::program::{failure, printed};
use carom_testing::scenarios::RIGID_BALL_ON_PLATE;
use tempfile::TempDir;

use crate::tables;

/// A scenario with changes that limit its run to about a second.
#[derive(Clone, Copy)]
struct Case {
    name: &'static str,
    text: &'static str,
    set: &'static [&'static str],
    /// Additional changes that extend the run to some seconds.
    longer: &'static [&'static str],
}

const PENDULUM: &str = include_str!("../../../meshes/double-pendulum/scenario.toml");
const STACK: &str = include_str!("../../../meshes/stack/scenario.toml");
const PRESSED: &str = include_str!("../../../meshes/hertz-static/scenario.toml");

const CASES: [Case; 8] = [
    Case {
        name: "quasistatic",
        text: RIGID_BALL_ON_PLATE,
        set: &["simulation.end_time=2e-4"],
        longer: &["simulation.relative_tolerance=1e-12"],
    },
    Case {
        name: "friction",
        text: RIGID_BALL_ON_PLATE,
        set: &["simulation.integrator=bdf2", "simulation.end_time=8e-5", "contact.0.friction=0.3"],
        longer: &["simulation.time_step=1e-8"],
    },
    Case {
        name: "dynamic",
        text: RIGID_BALL_ON_PLATE,
        set: &["simulation.scheme=dynamic", "simulation.integrator=dop853", "simulation.end_time=4e-5"],
        longer: &["simulation.end_time=2.5e-4"],
    },
    Case {
        name: "damped",
        text: RIGID_BALL_ON_PLATE,
        set: &["simulation.scheme=damped", "simulation.integrator=dop853", "simulation.end_time=4e-5"],
        longer: &["simulation.end_time=2.5e-4"],
    },
    Case { name: "joints", text: PENDULUM, set: &[], longer: &["simulation.end_time=5.0"] },
    Case {
        name: "alpha",
        text: PENDULUM,
        set: &["simulation.integrator=generalised-alpha"],
        longer: &["simulation.end_time=12.0"],
    },
    Case {
        name: RIGID,
        text: STACK,
        set: &["simulation.end_time=1.5"],
        longer: &["simulation.end_time=12.0"],
    },
    Case { name: STATIC, text: PRESSED, set: &["simulation.steps=6"], longer: &["simulation.steps=50"] },
];

const RIGID: &str = "rigid";
const STATIC: &str = "static";

/// Checkpoints by steps, because these runs are shorter than the interval of a second.
const OFTEN: &str = "simulation.checkpoint_every=17";

/// The case with the given name.
fn case(name: &str) -> Case {
    CASES.into_iter().find(|case| case.name == name).expect("it is one of them")
}

/// A folder with a scenario, in which the program runs.
struct Place {
    folder: TempDir,
    set: Vec<String>,
}

impl Place {
    fn new(case: &Case, changes: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        // The frames of the impact follow from the end time, which a resumed run may change.
        let text = case.text.replace("output_every = 1.0e-5\n", "");
        std::fs::write(folder.path().join("a.toml"), text).unwrap();
        let set = case.set.iter().chain(changes);
        let set = set.flat_map(|set| ["--set".to_owned(), (*set).to_owned()]).collect();
        Self { folder, set }
    }

    fn result(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The command that computes a result; results in one folder share their bodies.
    fn command(&self, result: &str, args: &[&str]) -> Command {
        let bodies = self.result(&format!("{result}.bodies"));
        if !bodies.exists() && result != "whole" {
            std::os::unix::fs::symlink("whole.bodies", &bodies).unwrap();
        }
        let mut command = Command::cargo_bin("carom-solve").unwrap();
        command.args(["a.toml", "-q", "-o", result]).args(&self.set).args(args);
        command.current_dir(self.folder.path()).stdout(Stdio::null()).stderr(Stdio::piped());
        command
    }

    fn run(&self, result: &str, args: &[&str]) -> Output {
        self.command(result, args).output().unwrap()
    }

    fn ok(&self, result: &str, args: &[&str]) {
        let output = self.run(result, args);
        assert!(output.status.success(), "{result} {args:?}: {}", printed(&output));
    }

    /// Runs without a stop, twice, and returns the time with existing bodies.
    fn whole(&self) -> Duration {
        self.ok("whole", &[]);
        let begun = Instant::now();
        self.ok("whole", &["--force"]);
        begun.elapsed()
    }
}

fn send(signal: &str, child: &Child) {
    let sent = Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
}

/// Waits until the result exists, which is when the steps begin.
fn wait_for(result: &Path, child: &mut Child) {
    let begun = Instant::now();
    while !result.exists() && child.try_wait().unwrap().is_none() {
        assert!(begun.elapsed() < Duration::from_secs(120), "no {}", result.display());
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// Checks that a killed run leaves no result or a readable one.
fn assert_absent_or_whole(result: &Path) {
    if result.exists() {
        let reader = ResultReader::open(result).unwrap();
        reader.state().unwrap();
        let times = reader.times().unwrap();
        assert!(times.windows(2).all(|pair| pair[0] < pair[1]), "{times:?}");
        assert_eq!(reader.ledger().unwrap().len(), times.len());
    }
}

/// Pseudo-random numbers in [0, 1), the same in every run.
struct Moments(u64);

impl Moments {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) as f64 / f64::from(1u32 << 31)
    }
}

/// The moment when the last checkpoint of a run was first seen; later steps are lost by a kill.
struct LastCheckpoint {
    time: f64,
    seen: Instant,
}

impl LastCheckpoint {
    /// The state at the start of a run.
    fn of(result: &Path) -> Self {
        Self { time: Self::time(result).unwrap_or(0.0), seen: Instant::now() }
    }

    /// Time of the last checkpoint, 0 without one; none while there is no readable result \[s\].
    fn time(result: &Path) -> Option<f64> {
        let checkpoint = ResultReader::open(result).and_then(|reader| reader.checkpoint()).ok()?;
        Some(checkpoint.map_or(0.0, |checkpoint| checkpoint.time))
    }

    /// Reads the result again and returns the time since the last checkpoint was first seen.
    fn look(&mut self, result: &Path) -> Duration {
        let time = Self::time(result).unwrap_or(self.time);
        assert!(time >= self.time, "the checkpoint goes back from {} to {time} s", self.time);
        if time > self.time {
            *self = Self { time, seen: Instant::now() };
        }
        self.seen.elapsed()
    }
}

/// The outcome of kills.
#[derive(Default)]
struct Kills {
    /// Runs that were killed before their end.
    killed: usize,
    /// The longest time from a checkpoint, or from the start of the program, to a kill.
    longest: Duration,
}

/// A kill loses at most a second of work and the current step; the limit allows for a busy machine.
const MOST_LOST: Duration = Duration::from_secs(3);

/// Kills `kills` runs before their end, at random moments; each continues where the last one was killed. A
/// run that ends before it is killed is compared with the undisturbed one, and a new one is started.
fn kill_and_resume(place: &Place, took: Duration, kills: usize, moments: &mut Moments, what: &str) -> Kills {
    let result = place.result("killed");
    let mut done = Kills::default();
    while done.killed < kills {
        let mut child = place.command("killed", &["--resume"]).spawn().unwrap();
        let (begun, until) = (Instant::now(), took.mul_f64(moments.next()));
        let mut last = LastCheckpoint::of(&result);
        let mut lost = Duration::ZERO;
        while begun.elapsed() < until {
            std::thread::sleep((until - begun.elapsed().min(until)).min(Duration::from_millis(50)));
            lost = last.look(&result);
        }
        let was_running = child.try_wait().unwrap().is_none();
        child.kill().unwrap();
        let ended = child.wait_with_output().unwrap();
        assert!(ended.status.code().is_none_or(|code| code == 0), "{what}: {}", printed(&ended));
        assert_absent_or_whole(&result);
        if was_running {
            done.killed += 1;
            done.longest = done.longest.max(lost);
            // The kill removed no stored frames.
            last.look(&result);
        } else {
            assert_whole(place, what);
            std::fs::remove_file(&result).unwrap();
        }
    }
    place.ok("killed", &["--resume"]);
    assert_whole(place, what);
    done
}

/// Checks that the result of killed and resumed runs equals that of the undisturbed run, without other files.
fn assert_whole(place: &Place, what: &str) {
    // A run may have ended between its last checkpoint and the removal of its log.
    place.ok("killed", &["--resume"]);
    tables::assert_equal(&place.result("killed"), &place.result("whole"), what);
    let left: Vec<_> = std::fs::read_dir(place.folder.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.contains(".part") || name.ends_with("-lock") || name.ends_with("-wal"))
        .collect();
    assert!(left.is_empty(), "{what}: {left:?}");
}

#[test]
fn a_run_stopped_by_signals_and_resumed_equals_the_undisturbed_run() {
    let mut stops = 0;
    for case in CASES {
        let place = Place::new(&case, &[OFTEN]);
        let took = place.whole();
        let result = place.result("cut");
        for (signal, code, part) in [("-INT", 130, 0.2), ("-TERM", 143, 0.3)] {
            let mut child = place.command("cut", &["--resume"]).spawn().unwrap();
            wait_for(&result, &mut child);
            std::thread::sleep(took.mul_f64(part));
            if child.try_wait().unwrap().is_some() {
                continue;
            }
            send(signal, &child);
            let output = child.wait_with_output().unwrap();
            if output.status.success() {
                // The signal came after the last step.
                continue;
            }
            let message = failure(&output, code);
            assert!(
                message.contains("interrupted") && message.contains("--resume"),
                "{}: {message}",
                case.name
            );
            assert_absent_or_whole(&result);
            stops += 1;
        }
        place.ok("cut", &["--resume"]);
        tables::assert_equal(&result, &place.result("whole"), case.name);
    }
    assert!(stops > 0, "no run was stopped");
}

#[test]
fn a_run_killed_and_resumed_equals_the_undisturbed_run() {
    let mut moments = Moments(7);
    for case in CASES {
        let place = Place::new(&case, &[OFTEN]);
        let took = place.whole();
        kill_and_resume(&place, took, 3, &mut moments, case.name);
    }
}

#[test]
#[ignore = "5 min: eighty kills at random moments with checkpoints by wall time alone"]
fn eighty_kills_lose_no_stored_results() {
    let mut moments = Moments(11);
    for case in CASES {
        let place = Place::new(&case, case.longer);
        let took = place.whole();
        let done = kill_and_resume(&place, took, 10, &mut moments, case.name);
        println!("{}: {took:.1?}, {} kills, lost at most {:.2?}", case.name, done.killed, done.longest);
        assert!(done.longest < MOST_LOST, "{}: {:.2?} were lost", case.name, done.longest);
    }
}

#[test]
fn a_killed_run_loses_three_seconds_at_most() {
    // Steps of the fast scheme take microseconds, those of a stack hundreds of them; checkpoints are only by
    // wall time.
    let fast = Case {
        name: "fast",
        text: include_str!("../../../meshes/ball-in-shell/scenario.toml"),
        set: &["simulation.end_time=1.0e6", "simulation.output_every=100.0"],
        longer: &[],
    };
    let slow = Case { name: "slow", text: STACK, set: &["simulation.end_time=1000.0"], longer: &[] };
    for case in [fast, slow] {
        let place = Place::new(&case, &[]);
        let result = place.result("whole");
        let mut child = place.command("whole", &[]).spawn().unwrap();
        wait_for(&result, &mut child);
        let begun = Instant::now();
        let mut last = LastCheckpoint::of(&result);
        let mut longest = Duration::ZERO;
        while begun.elapsed() < Duration::from_secs(5) {
            longest = longest.max(last.look(&result));
            std::thread::sleep(Duration::from_millis(20));
        }
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(last.time > 0.0, "{}: no checkpoint", case.name);
        assert!(longest < MOST_LOST, "{}: {longest:?} between checkpoints", case.name);
    }
}

#[test]
fn resume_starts_extends_or_leaves_a_complete_run() {
    for case in CASES.iter().filter(|case| case.name != STATIC) {
        let place = Place::new(case, &[]);
        place.ok("whole", &["--resume"]);
        let result = place.result("whole");
        let (before, end) =
            (tables::tables(&result), *ResultReader::open(&result).unwrap().times().unwrap().last().unwrap());
        place.ok("whole", &["--resume"]);
        assert_eq!(tables::tables(&result), before, "{}: a complete result was changed", case.name);

        let longer = format!("{:e}", 1.25 * end);
        place.ok("whole", &["--resume", "--end-time", &longer]);
        let reader = ResultReader::open(&result).unwrap();
        let times = reader.times().unwrap();
        assert!(times.windows(2).all(|pair| pair[0] < pair[1]), "{}: {times:?}", case.name);
        let last = *times.last().unwrap();
        assert!((last / (1.25 * end) - 1.0).abs() < 1e-3, "{}: ends at {last}", case.name);
        // There may be additional frames during contact.
        let every = times[1] - times[0];
        let widest = times.windows(2).map(|pair| pair[1] - pair[0]).fold(0.0, f64::max);
        assert!(widest < 1.1 * every && times.len() as f64 > last / every, "{}: {times:?}", case.name);
        assert_eq!(reader.ledger().unwrap().len(), times.len());
        drop(reader);
        let message =
            failure(&place.run("whole", &["--resume", "--end-time", &format!("{:e}", 0.5 * end)]), 3);
        assert!(message.contains("it has reached") && message.contains("--force"), "{message}");
    }
}

#[test]
fn a_static_result_is_not_extended() {
    let place = Place::new(&case(STATIC), &[]);
    place.ok("whole", &["--resume"]);
    place.ok("whole", &["--resume"]);
    let message = failure(&place.run("whole", &["--resume", "--end-time", "2.0"]), 3);
    assert!(message.contains("end_time"), "{message}");
}

#[test]
fn a_result_in_use_is_refused_and_one_of_a_killed_run_is_accepted() {
    let place = Place::new(&case(RIGID), &[]);
    let longer = ["--end-time", "1000.0"];
    let mut child = place.command("whole", &longer).spawn().unwrap();
    wait_for(&place.result("whole"), &mut child);
    for flag in ["--resume", "--force"] {
        let message = failure(&place.run("whole", &[flag, longer[0], longer[1]]), 5);
        let number = format!("process {}", child.id());
        assert!(message.contains("in use") && message.contains(&number), "{message}");
    }
    let failed = failure(&place.run("whole", &longer), 5);
    assert!(failed.contains("in use"), "{failed}");
    child.kill().unwrap();
    child.wait().unwrap();
    place.ok("whole", &["--force", "--end-time", "0.1"]);
    assert!(!place.result("whole-lock").exists());
}

/// The program is started like `carom-gmsh` by `carom-mesh`: the end of its input means that the starting
/// program has ended.
#[test]
fn a_program_started_by_another_one_ends_with_it() {
    let place = Place::new(&case(RIGID), &[]);
    let mut command = place.command("whole", &["--end-time", "1000.0"]);
    let mut child = command.stdin(Stdio::piped()).env("CAROM_ENDS_WITH_INPUT", "1").spawn().unwrap();
    wait_for(&place.result("whole"), &mut child);
    assert!(child.try_wait().unwrap().is_none());
    drop(child.stdin.take());
    let message = failure(&child.wait_with_output().unwrap(), 1);
    assert!(message.contains("interrupted"), "{message}");
}

#[test]
fn a_full_disk_leaves_the_last_checkpoint() {
    let place = Place::new(&case(RIGID), &["simulation.output_every=1.0e-3", OFTEN]);
    place.whole();
    // The limit of the file size in blocks of 512 bytes is below the size of the complete result.
    let blocks = place.result("whole").metadata().unwrap().len() / 1024;
    let command = place.command("cut", &[]);
    let script = format!("ulimit -f {blocks}; exec \"$0\" \"$@\"");
    let mut limited = Command::new("sh");
    limited.args(["-c", &script]).arg(command.get_program()).args(command.get_args());
    let output = limited.current_dir(place.folder.path()).output().unwrap();
    let message = printed(&output);
    assert_eq!(output.status.code(), Some(5), "{message}");
    assert_absent_or_whole(&place.result("cut"));
    let reached = ResultReader::open(&place.result("cut")).unwrap().checkpoint().unwrap().unwrap().time;
    assert!(reached > 0.0, "{reached} s");
    place.ok("cut", &["--resume"]);
    tables::assert_equal(&place.result("cut"), &place.result("whole"), "full disk");
}
