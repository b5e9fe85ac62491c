//! Output and exit of a program: data on standard output, all messages on standard error, documented exit
//! codes.

use std::process::Output;

use serde_json::Value;

/// Standard error of a program.
pub fn printed(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// The only JSON object on standard output of a program that succeeded.
///
/// # Panics
///
/// If the program failed, or printed anything else.
pub fn json(output: &Output) -> Value {
    assert!(output.status.success(), "{}: {}", output.status, printed(output));
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("no single JSON object ({error}): {output:?}"))
}

/// Standard error of a program that failed with this exit code and printed no data.
///
/// # Panics
///
/// If the exit code differs, if data was printed, or if the message reports a bug.
pub fn failure(output: &Output, code: i32) -> String {
    let message = printed(output);
    assert_eq!(output.status.code(), Some(code), "{message}");
    assert!(output.stdout.is_empty(), "data on standard output of a failure: {output:?}");
    assert!(!message.contains("bug in carom"), "{message}");
    message
}

/// The lines of progress on standard error, such as `20 s: ball (1 of 2): assembly`, without the time.
pub fn progress(output: &Output) -> Vec<String> {
    let line = |line: &str| {
        let (seconds, rest) = line.split_once(" s: ")?;
        seconds.parse::<u64>().ok().map(|_| rest.to_owned())
    };
    printed(output).lines().filter_map(line).collect()
}
