//! Files of a program that ends at once. The test has its own process, because nothing can be written
//! after it.

use std::io::Write;
use std::sync::mpsc;

use carom_files::unfinished::abandon_all;
use carom_files::{Unfinished, write_atomically};

#[test]
fn no_unfinished_file_is_left_and_no_write_begins() {
    let folder = tempfile::tempdir().unwrap();
    let (half, whole) = (folder.path().join("half.txt"), folder.path().join("whole.txt"));
    write_atomically(&whole, |out| out.write_all(b"all of it")).unwrap();
    let names = || {
        let mut names: Vec<_> =
            std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        names
    };
    let (_kept, unfinished) =
        Unfinished::begin(|| tempfile::tempdir_in(folder.path()), |dir| dir.path().to_owned()).unwrap();
    let (begun, printed) = mpsc::channel();
    let (_never, wait) = mpsc::channel::<()>();
    let path = half.clone();
    std::thread::spawn(move || {
        write_atomically(&path, |out| {
            out.write_all(&[0; 1 << 20])?;
            begun.send(()).unwrap();
            // A long computation that is not waited for.
            let _ = wait.recv();
            Ok(())
        })
    });
    printed.recv().unwrap();
    assert_eq!(names().len(), 3, "{:?}", names());
    abandon_all();
    assert_eq!(names(), ["whole.txt"]);
    // Another writer is blocked.
    let late = folder.path().join("late.txt");
    let writer = std::thread::spawn(move || write_atomically(&late, |_| Ok(())));
    std::thread::sleep(std::time::Duration::from_millis(100));
    assert!(!writer.is_finished());
    assert_eq!(names(), ["whole.txt"]);
    // A write that has begun does not finish either.
    std::mem::forget(unfinished);
}
