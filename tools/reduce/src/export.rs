//! `carom-reduce export`

use std::io::Write;
use std::path::PathBuf;

use carom_cli::{Category, Failure, FailureContext, Session, keep_input};
use carom_files::write_atomically;
use carom_format::write_rom;
use faer::Mat;
use serde::Serialize;

use crate::args::{ExportArgs, ExportFormat};

#[derive(Debug, Serialize)]
struct Report {
    outputs: Vec<String>,
}

pub(crate) fn export(args: &ExportArgs, session: &Session) -> Result<(), Failure> {
    let output = &args.output.output;
    if args.format == ExportFormat::Npz {
        crate::model_name(output)?;
    }
    let stored = crate::open_rom(&args.rom)?;
    keep_input(&args.rom, output)?;
    let outputs = match args.format {
        ExportFormat::Npz => {
            write_rom(output, &stored.reduced, &stored.options).or_fail(Category::Files)?;
            vec![output.clone()]
        }
        ExportFormat::Mtx => {
            let invariants = &stored.reduced.invariants;
            let mut written = Vec::new();
            for (letter, matrix) in [("K", &invariants.stiffness_modal), ("M", &invariants.mass_modal)] {
                let mut name = output.as_os_str().to_owned();
                name.push(format!(".{letter}.mtx"));
                let path = PathBuf::from(name);
                write_atomically(&path, |out| write_matrix(out, matrix)).or_fail(Category::Files)?;
                written.push(path);
            }
            written
        }
    };
    let outputs: Vec<String> = outputs.iter().map(|path| path.display().to_string()).collect();
    session.print_summary(&outputs.join("\n"))?;
    session.print_json("carom-reduce export 1", &Report { outputs })
}

/// Dense, column by column; seventeen digits give the same number back.
fn write_matrix(out: &mut impl Write, matrix: &Mat<f64>) -> std::io::Result<()> {
    writeln!(out, "%%MatrixMarket matrix array real general")?;
    writeln!(out, "{} {}", matrix.nrows(), matrix.ncols())?;
    for j in 0..matrix.ncols() {
        for i in 0..matrix.nrows() {
            writeln!(out, "{:.17e}", matrix[(i, j)])?;
        }
    }
    Ok(())
}
