//! Damaged files of every kind that carom reads: an error or a value, never a panic, an abort or a hang, and
//! no more memory than 16 times the file and 200 MB.
//!
//! Damage is seeded: a failure names the reader, the file and the number of the case, which reproduces the
//! damage.

mod mutate;
mod readers;
mod seeds;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::time::{Duration, Instant};

use carom_files::input::memory_limit;
use carom_testing::heap;

use mutate::{Random, damaged};
use readers::READERS;
use seeds::Seed;

/// The longest time to read a small file.
const LONGEST: Duration = Duration::from_secs(10);

/// The outcome of reading damaged files of one kind.
#[derive(Default)]
struct Tally {
    refused: usize,
    read: usize,
    most_memory: usize,
    longest: Duration,
}

/// Reads `n` damaged files of each kind.
fn read_damaged(n: usize) {
    let folder = tempfile::tempdir().unwrap();
    let seeds = seeds::all(folder.path());
    for (kind, reader) in READERS {
        let of_kind: Vec<&Seed> = seeds.iter().filter(|seed| seed.kind == *kind).collect();
        assert!(!of_kind.is_empty(), "no file of the kind {kind} to damage");
        let mut tally = Tally::default();
        for case in 0..n {
            let seed = of_kind[case % of_kind.len()];
            attempt(kind, *reader, seed, case, folder.path(), &mut tally);
        }
        println!(
            "{kind}: {} refused, {} read; at most {:.1} MB and {:.2} s",
            tally.refused,
            tally.read,
            tally.most_memory as f64 / 1e6,
            tally.longest.as_secs_f64()
        );
        assert!(tally.refused > n / 10, "{kind}: hardly any damage is noticed");
    }
}

fn attempt(kind: &str, reader: readers::Reader, seed: &Seed, case: usize, folder: &Path, tally: &mut Tally) {
    let mut random = Random::new(kind, case);
    let content = damaged(&seed.content, &mut random);
    let path = folder.join(format!("damaged.{}", seed.ending));
    std::fs::write(&path, &content).unwrap();
    let of = format!("{kind}, case {case} of {}", seed.name);
    let started = Instant::now();
    let (ended, memory) = heap::highest_of_this_thread(|| catch_unwind(AssertUnwindSafe(|| reader(&path))));
    let seconds = started.elapsed();
    let Ok(result) = ended else {
        let kept = std::env::temp_dir().join(format!("carom-damaged-{kind}-{case}.{}", seed.ending));
        std::fs::write(&kept, &content).unwrap();
        panic!("{of}: the reader panicked; the file is kept as {}", kept.display());
    };
    assert!(
        memory as u64 <= memory_limit(content.len() as u64),
        "{of}: {memory} bytes for {}",
        content.len()
    );
    assert!(seconds < LONGEST, "{of}: {seconds:?}");
    match result {
        Ok(()) => tally.read += 1,
        Err(message) => {
            assert!(!message.is_empty(), "{of}: an error without a message");
            tally.refused += 1;
        }
    }
    tally.most_memory = tally.most_memory.max(memory);
    tally.longest = tally.longest.max(seconds);
}

#[test]
fn damaged_files_of_every_kind_are_errors_or_values() {
    read_damaged(200);
}

#[test]
#[ignore = "2 min: 30 000 damaged files; cargo test -p carom-tool-solve --test tests -- --ignored \
    thirty_thousand"]
fn thirty_thousand_damaged_files_are_errors_or_values() {
    read_damaged(30_000 / READERS.len() + 1);
}
