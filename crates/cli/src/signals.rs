//! Signals that stop a process.
//!
//! Ctrl-C (SIGINT), SIGTERM, SIGHUP and the end of the CPU time that the shell allows (SIGXCPU) stop the
//! computation at its next safe point. A second Ctrl-C or SIGTERM ends the process at once, after unfinished
//! files are removed; so does the first one while the process waits for another one
//! ([`carom_files::waiting`]). A file that grows beyond the limit of the shell (SIGXFSZ) is a write error
//! like a full disk.

use std::io::{self, Write};
use std::sync::atomic::{AtomicI32, AtomicUsize, Ordering};

use crate::exit_code;

/// How often the user requested a stop.
static STOP_REQUESTS: AtomicUsize = AtomicUsize::new(0);

/// The signal of the first request; 0 for none.
static FIRST_SIGNAL: AtomicI32 = AtomicI32::new(0);

/// True once the user requested a stop.
pub fn stop_requested() -> bool {
    STOP_REQUESTS.load(Ordering::Relaxed) > 0
}

/// The exit code of a process that was stopped by the user.
pub(crate) fn stop_code() -> u8 {
    match u8::try_from(FIRST_SIGNAL.load(Ordering::Relaxed)) {
        Ok(signal) if (1..exit_code::SIGNAL).contains(&signal) => exit_code::SIGNAL + signal,
        _ => exit_code::OTHER,
    }
}

/// Requests a stop of the computation; ends the process at the second request, or while it waits for another
/// process.
///
/// * `signal` — its number; 0 if there was none
/// * `again` — how the user repeats the request; `None` if this signal may come twice for one reason, as
///   SIGHUP does from the terminal and from the shell
pub(crate) fn stop(signal: i32, again: Option<&str>) {
    let _ = FIRST_SIGNAL.compare_exchange(0, signal, Ordering::Relaxed, Ordering::Relaxed);
    let asked_before = STOP_REQUESTS.fetch_add(1, Ordering::Relaxed) > 0;
    match again {
        Some(_) if asked_before || carom_files::waiting::is_waiting() => {
            carom_files::unfinished::abandon_all();
            std::process::exit(i32::from(stop_code()));
        }
        _ if asked_before => {}
        // The terminal may be closed.
        Some(again) => {
            let _ = writeln!(io::stderr(), "\nstopping at the next safe point; {again} to end at once");
        }
        None => {
            let _ = writeln!(io::stderr(), "\nstopping at the next safe point");
        }
    }
}

/// Listens for the rest of the process.
#[cfg(unix)]
pub(crate) fn listen_for_stop() {
    use std::sync::Once;

    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXCPU, SIGXFSZ};
    use signal_hook::iterator::Signals;

    static LISTENING: Once = Once::new();
    LISTENING.call_once(|| {
        let mut wanted = vec![SIGINT, SIGTERM, SIGXCPU];
        // Under `nohup` a run continues after its user has logged out.
        if !is_ignored(SIGHUP) {
            wanted.push(SIGHUP);
        }
        // This flag is never read; it replaces the default action of the signal, which ends the process.
        let _ = signal_hook::flag::register(SIGXFSZ, std::sync::Arc::default());
        // Without a listener signals have their default action.
        let Ok(mut signals) = Signals::new(wanted) else { return };
        std::thread::spawn(move || {
            for signal in signals.forever() {
                let again = match signal {
                    SIGINT => Some("press Ctrl-C again"),
                    SIGTERM => Some("send the signal again"),
                    _ => None,
                };
                stop(signal, again);
            }
        });
    });
}

/// True if the parent process made this one ignore a signal; where the system does not report it, SIGHUP
/// counts as ignored.
#[cfg(unix)]
fn is_ignored(signal: i32) -> bool {
    let Ok(status) = std::fs::read_to_string("/proc/self/status") else { return true };
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok())
        .is_none_or(|mask| mask >> (signal - 1) & 1 == 1)
}

/// Listens for the rest of the process.
#[cfg(not(unix))]
pub(crate) fn listen_for_stop() {
    // An error means that a handler is installed already, by an earlier call in this process.
    const SIGINT: i32 = 2;
    let _ = ctrlc::set_handler(|| stop(SIGINT, Some("press Ctrl-C again")));
}
