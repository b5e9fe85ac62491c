//! What a process does when it is asked to stop.
//!
//! Ctrl-C (SIGINT), SIGTERM, SIGHUP and the end of the CPU time that the shell allows (SIGXCPU) ask the
//! computation to stop. A second Ctrl-C or SIGTERM ends the process at once, after what it was writing is
//! removed; so does the first one while the process waits for another one ([`carom_files::waiting`]). A file
//! that grows beyond what the shell allows (SIGXFSZ) is an error of writing like a full disk.

use std::io::{self, Write};
use std::sync::atomic::{AtomicI32, AtomicUsize, Ordering};

use crate::exit_code;

/// How often the user asked to stop.
static STOP_REQUESTS: AtomicUsize = AtomicUsize::new(0);

/// The signal that asked first; 0 for none.
static FIRST_SIGNAL: AtomicI32 = AtomicI32::new(0);

/// True once the user asked to stop.
pub fn stop_requested() -> bool {
    STOP_REQUESTS.load(Ordering::Relaxed) > 0
}

/// The exit code of a process that was asked to stop.
pub(crate) fn stop_code() -> u8 {
    match u8::try_from(FIRST_SIGNAL.load(Ordering::Relaxed)) {
        Ok(signal) if (1..exit_code::SIGNAL).contains(&signal) => exit_code::SIGNAL + signal,
        _ => exit_code::OTHER,
    }
}

/// Asks the computation to stop; ends the process if it was asked before, or waits for something outside.
///
/// * `signal` — its number; 0 if it was none
/// * `again` — how it is asked again; `None` if this signal may come twice for one reason, as SIGHUP does
///   from the terminal and from the shell
pub(crate) fn stop(signal: i32, again: Option<&str>) {
    let _ = FIRST_SIGNAL.compare_exchange(0, signal, Ordering::Relaxed, Ordering::Relaxed);
    let asked_before = STOP_REQUESTS.fetch_add(1, Ordering::Relaxed) > 0;
    match again {
        Some(_) if asked_before || carom_files::waiting::is_waiting() => {
            carom_files::unfinished::abandon_all();
            std::process::exit(i32::from(stop_code()));
        }
        _ if asked_before => {}
        // The terminal may be gone.
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
        // Under `nohup` a run goes on after its user has logged out.
        if !is_ignored(SIGHUP) {
            wanted.push(SIGHUP);
        }
        // A flag that no one reads: the default of this signal is to end the process.
        let _ = signal_hook::flag::register(SIGXFSZ, std::sync::Arc::default());
        // Without a listener signals do what they did before the program began.
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

/// Whether whoever started the process made it ignore a signal; where the system does not tell, SIGHUP counts
/// as ignored.
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
    // An error means that another handler is installed (a second call in one process): it counts the same.
    const SIGINT: i32 = 2;
    let _ = ctrlc::set_handler(|| stop(SIGINT, Some("press Ctrl-C again")));
}
