//! The behaviour of the Matrix Market reader of sprs on damaged files, the reason for our own reader
//! (docs/decisions, page 38). When a version of the library refuses them, this test fails and our reader can
//! go.

use std::io::{BufRead, Cursor, Read};
use std::panic::catch_unwind;

use carom_linalg::sparse::TriMat;
use sprs::io::read_matrix_market_from_bufread;

/// The number of reads at the end of a file after which a reader is assumed never to stop.
const MAX_READS_AT_END: usize = 1000;

/// A file that panics when its end has been read a thousand times.
struct Impatient {
    content: Cursor<Vec<u8>>,
    reads_at_end: usize,
}

impl Read for Impatient {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        self.content.read(out)
    }
}

impl BufRead for Impatient {
    fn fill_buf(&mut self) -> std::io::Result<&[u8]> {
        let rest = self.content.fill_buf()?;
        if rest.is_empty() {
            self.reads_at_end += 1;
            assert!(self.reads_at_end < MAX_READS_AT_END, "reads the end of the file for ever");
        }
        Ok(rest)
    }

    fn consume(&mut self, n: usize) {
        self.content.consume(n);
    }
}

fn outcome(content: &str) -> String {
    let mut file = Impatient { content: Cursor::new(content.as_bytes().to_vec()), reads_at_end: 0 };
    let read = catch_unwind(move || read_matrix_market_from_bufread::<f64, usize, _>(&mut file));
    match read {
        Err(panic) => {
            let text = panic.downcast_ref::<String>().cloned();
            let text = text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()));
            format!("panic: {}", text.unwrap_or_default())
        }
        Ok(Err(error)) => format!("error: {error}"),
        Ok(Ok(matrix)) => {
            let matrix: TriMat<f64> = matrix;
            format!("read: {:?}", matrix.data())
        }
    }
}

#[test]
fn the_reader_of_sprs_panics_or_never_ends_on_damaged_files() {
    let header = "%%MatrixMarket matrix coordinate real general\n";
    let outcomes = [
        ("a whole file", format!("{header}2 2 1\n1 2 1.5\n")),
        ("no sizes", header.to_owned()),
        ("2^64 - 1 entries", format!("{header}2 2 18446744073709551615\n1 1 1.0\n")),
        ("a row beyond the last", format!("{header}2 2 1\n3 1 1.0\n")),
        ("a value that is not finite", format!("{header}2 2 1\n1 1 nan\n")),
        ("no number", format!("{header}2 2 1\n1 1 x\n")),
    ]
    .map(|(name, content)| (name, outcome(&content)));
    outcomes.iter().for_each(|(name, outcome)| println!("{name}: {outcome}"));
    let [whole, sizes, count, row, value, number] = outcomes.map(|(_, outcome)| outcome);
    assert_eq!(whole, "read: [1.5]");
    assert!(sizes.contains("for ever"), "{sizes}");
    assert!(count.starts_with("panic"), "{count}");
    assert!(row.starts_with("panic"), "{row}");
    assert_eq!(value, "read: [NaN]");
    // The message names neither the place nor the kind of the error.
    assert_eq!(number, "error: Bad matrix market file.");
}
