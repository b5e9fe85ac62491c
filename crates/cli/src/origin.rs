//! Time and command line of a call, for results and reports.

use std::ffi::OsStr;
use std::time::{SystemTime, UNIX_EPOCH};

/// The command line of this process as it can be typed in a shell; the program is named without its folder.
pub fn command() -> String {
    let mut words = std::env::args_os();
    let program = words.next().unwrap_or_default();
    let program = std::path::Path::new(&program).file_name().unwrap_or(&program).to_owned();
    let words = std::iter::once(program).chain(words);
    words.map(|word| quoted(&word)).collect::<Vec<_>>().join(" ")
}

/// A word quoted for a shell where it has characters with a special meaning.
fn quoted(word: &OsStr) -> String {
    let word = word.to_string_lossy();
    let is_plain = |c: char| c.is_alphanumeric() || "-_./=:,+@%".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.into_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// Date and time of day now, UTC, to the minute: `2026-11-23 17:49 UTC`. If the environment variable
/// `SOURCE_DATE_EPOCH` is set, in seconds since 1970, its time is used instead, so that the same run gives
/// the same files.
pub fn date() -> String {
    let given = std::env::var("SOURCE_DATE_EPOCH").ok().and_then(|text| text.trim().parse().ok());
    let now = || SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    date_of(given.unwrap_or_else(now))
}

/// The date and time of a number of seconds since 1970.
fn date_of(seconds: u64) -> String {
    let (days, second) = (seconds / 86_400, seconds % 86_400);
    let (year, month, day) = civil(days);
    format!("{year}-{month:02}-{day:02} {:02}:{:02} UTC", second / 3600, second / 60 % 60)
}

/// Year, month and day of a number of days since 1970: Howard Hinnant, "chrono-compatible low-level date
/// algorithms" (2013), `civil_from_days`. Years begin in March there, so that the leap day is the last one.
fn civil(days: u64) -> (u64, u64, u64) {
    let days = days + 719_468;
    let (era, of_era) = (days / 146_097, days % 146_097);
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (400 * era + year + u64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_agree_with_the_calendar() {
        for (seconds, date) in [
            (0, "1970-01-01 00:00 UTC"),
            (951_782_399, "2000-02-28 23:59 UTC"),
            (951_782_400, "2000-02-29 00:00 UTC"),
            (1_709_251_199, "2024-02-29 23:59 UTC"),
            (1_795_455_000, "2026-11-23 17:30 UTC"),
            (4_107_542_400, "2100-03-01 00:00 UTC"),
        ] {
            assert_eq!(date_of(seconds), date);
        }
    }

    #[test]
    fn a_recorded_command_can_be_repeated() {
        let words = ["carom", "run", "my case.toml", "--set", "body.a.velocity=[0, 1]", "it's", ""];
        let typed: Vec<String> = words.iter().map(|word| quoted(OsStr::new(word))).collect();
        assert_eq!(typed.join(" "), r"carom run 'my case.toml' --set 'body.a.velocity=[0, 1]' 'it'\''s' ''");
    }
}
