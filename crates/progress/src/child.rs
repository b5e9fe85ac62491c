//! Child processes that end with their parent, even if the parent is killed.
//!
//! The standard input of the child is a pipe whose other end only the parent holds. The parent writes
//! nothing: the pipe closes when the parent asks the child to stop, and when the parent has ended for any
//! reason.

use std::io::{self, Read};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use crate::Progress;

/// Environment variable of a child whose standard input is such a pipe.
const VARIABLE: &str = "CAROM_ENDS_WITH_INPUT";

/// Interval of the checks whether the child has ended.
const LOOK: Duration = Duration::from_millis(5);

/// Time for a child to stop by itself and to remove its unfinished files.
const PATIENCE: Duration = Duration::from_secs(2);

/// Changes a command so that its process ends with this one.
pub fn bind(command: &mut Command) -> &mut Command {
    command.stdin(Stdio::piped()).env(VARIABLE, "1")
}

/// Calls `end` when the parent that started this process with [`bind`] asks it to stop or has ended. Does
/// nothing in a process that was started otherwise.
pub fn watch_parent(end: impl FnOnce() + Send + 'static) {
    if std::env::var_os(VARIABLE).is_none() {
        return;
    }
    std::thread::spawn(|| {
        let mut byte = [0];
        while !matches!(io::stdin().lock().read(&mut byte), Ok(0) | Err(_)) {}
        end();
    });
}

/// Runs a command to its end, and returns its standard output and standard error. `None` if the user
/// requested a stop; the child has then ended too.
///
/// # Errors
///
/// Those of the operating system.
pub fn output(command: &mut Command, progress: &dyn Progress) -> io::Result<Option<Output>> {
    let mut child = bind(command).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    // A full pipe would block the child.
    let readers = [reader(child.stdout.take()), reader(child.stderr.take())];
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        if progress.interrupted() {
            stop(&mut child)?;
            return Ok(None);
        }
        std::thread::sleep(LOOK);
    };
    let [stdout, stderr] = readers.map(|reader| reader.join().unwrap_or_default());
    Ok(Some(Output { status, stdout, stderr }))
}

/// Asks a child that was started with [`bind`] to stop, and kills it if it does not.
///
/// # Errors
///
/// Those of the operating system.
pub fn stop(child: &mut Child) -> io::Result<()> {
    drop(child.stdin.take());
    let asked = Instant::now();
    while child.try_wait()?.is_none() {
        if asked.elapsed() > PATIENCE {
            child.kill()?;
        }
        std::thread::sleep(LOOK);
    }
    Ok(())
}

/// Reads a pipe to its end.
fn reader(pipe: Option<impl Read + Send + 'static>) -> std::thread::JoinHandle<Vec<u8>> {
    std::thread::spawn(|| {
        let mut bytes = Vec::new();
        if let Some(mut pipe) = pipe {
            // The bytes before an error are kept.
            let _ = pipe.read_to_end(&mut bytes);
        }
        bytes
    })
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::Silent;

    struct Impatient;

    impl Progress for Impatient {
        fn begin(&self, _: &str, _: u64) {}
        fn set(&self, _: u64) {}
        fn note(&self, _: &str) {}
        fn end(&self) {}
        fn interrupted(&self) -> bool {
            true
        }
    }

    fn shell(script: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        command
    }

    #[test]
    fn what_a_child_writes_is_kept_however_much_it_is() {
        let script = "echo said >&2; i=0; while [ $i -lt 2000 ]; do echo \
            0123456789012345678901234567890123456789012345678901234567890123456789; i=$((i+1)); done";
        let output = output(&mut shell(script), &Silent).unwrap().unwrap();
        assert!(output.status.success() && output.stderr == b"said\n" && output.stdout.len() == 2000 * 71);
    }

    #[test]
    fn a_child_ends_when_the_user_stops() {
        let begun = Instant::now();
        // `cat` ends with its input, `sleep` does not and is killed.
        for script in ["exec cat", "exec sleep 60"] {
            assert!(output(&mut shell(script), &Impatient).unwrap().is_none());
        }
        assert!(begun.elapsed() < Duration::from_secs(30));
    }
}
