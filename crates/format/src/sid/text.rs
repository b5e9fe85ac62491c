//! Writing of SID_FEM files.

use std::io::{self, Write};
use std::path::Path;

use carom_files::{WriteFileError, write_atomically};
use carom_progress::Progress;
use faer::Mat;

use super::{Sid, SidNode, Taylor};
use crate::watched::Watched;

/// The part of a block that is written, by its structure number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Structure {
    /// 0: nothing, all is zero.
    Zero,
    /// 2: the lower triangle of a symmetric matrix.
    Symmetric,
    /// 3: all nonzero entries.
    Full,
    /// 4: nothing, the unit matrix.
    Unit,
}

impl Structure {
    fn number(self) -> u8 {
        match self {
            Self::Zero => 0,
            Self::Symmetric => 2,
            Self::Full => 3,
            Self::Unit => 4,
        }
    }
}

/// Writes a SID_FEM file, atomically.
///
/// Numbers have seventeen digits, so that reading gives the same bits.
///
/// # Errors
///
/// [`WriteFileError`], also if the user stopped it
pub fn write_sid(path: &Path, sid: &Sid, progress: &dyn Progress) -> Result<(), WriteFileError> {
    write_atomically(path, |out| {
        let mut out = Watched::begin(out, "writing", size(sid), progress);
        write_text(&mut out, sid)?;
        out.end();
        Ok(())
    })
}

/// Estimated size of the file in bytes.
fn size(sid: &Sid) -> u64 {
    /// Bytes of an entry.
    const LINE: usize = 73;
    /// Bytes of a node with its four blocks, without the entries of modes.
    const NODE: usize = 2000;
    let n = sid.n_modes();
    // Entries of each mode: phi, psi, and the slopes of origin and AP.
    let of_mode = if sid.nodes.iter().any(|node| node.psi.largest() != 0.0) { 15 } else { 6 };
    let of_pairs = 13 * n * n;
    (sid.nodes.len() * (NODE + LINE * of_mode * n) + LINE * of_pairs) as u64
}

fn write_text(out: &mut impl Write, sid: &Sid) -> io::Result<()> {
    let n = sid.n_modes();
    writeln!(
        out,
        "{:5} {:5}   :No. nodes, No. modes:{}",
        sid.nodes.len(),
        n,
        sid.comment.replace(['\n', '\r'], " ")
    )?;
    writeln!(out, " part")?;
    let name = format!("      new modal                                 = {}", sid.name);
    writeln!(out, "{}", name.trim_end())?;
    writeln!(out, "           refmod")?;
    writeln!(out, "                mass                            ={}", number(sid.mass))?;
    writeln!(out, "                nelastq                         ={n:6}")?;
    for (k, label) in sid.mode_labels.iter().enumerate() {
        writeln!(out, "                ielastq ({:4})                  = {label}", k + 1)?;
    }
    writeln!(out, "           end refmod")?;
    writeln!(out, "           frame")?;
    for node in &sid.nodes {
        write_node(out, node, n)?;
    }
    writeln!(out, "           end frame")?;
    for (name, block) in [
        ("mdCM", &sid.md_cm),
        ("J", &sid.inertia),
        ("Ct", &sid.coupling_t),
        ("Cr", &sid.coupling_r),
        ("Me", &sid.mass_modal),
        ("Gr", &sid.gyroscopic_r),
        ("Ge", &sid.gyroscopic_e),
        ("Oe", &sid.centrifugal),
        ("ksigma", &sid.reference_force),
        ("Ke", &sid.stiffness_modal),
        ("De", &sid.damping_modal),
    ] {
        let structure = match block.largest() {
            0.0 => Structure::Zero,
            _ if block.linear.is_empty() && block.constant == block.constant.transpose() => {
                Structure::Symmetric
            }
            _ => Structure::Full,
        };
        write_block(out, 11, name, block, n, structure)?;
    }
    writeln!(out, "      end modal")?;
    writeln!(out, " end part")
}

fn write_node(out: &mut impl Write, node: &SidNode, n: usize) -> io::Result<()> {
    writeln!(out, "                new node                        ={:8}", node.id)?;
    writeln!(out, "                     rframe                     = body ref")?;
    for (name, block) in [("origin", &node.origin), ("phi", &node.phi), ("psi", &node.psi)] {
        let structure = if block.largest() == 0.0 { Structure::Zero } else { Structure::Full };
        write_block(out, 21, name, block, n, structure)?;
    }
    let still = node.orientation.linear.iter().all(|slope| slope.norm_max() == 0.0);
    let unit = node.orientation.constant == Mat::<f64>::identity(3, 3);
    let structure = if still && unit { Structure::Unit } else { Structure::Full };
    write_block(out, 21, "AP", &node.orientation, n, structure)?;
    writeln!(out, "                end node")
}

fn write_block(
    out: &mut impl Write,
    indent: usize,
    name: &str,
    block: &Taylor,
    n: usize,
    structure: Structure,
) -> io::Result<()> {
    let blank = "";
    let order = usize::from(!block.linear.is_empty());
    writeln!(out, "{blank:indent$}{name}")?;
    for (key, value) in [
        ("order", order),
        ("nrow", block.constant.nrows()),
        ("ncol", block.constant.ncols()),
        ("nq", n),
        ("nqn", 0),
        ("structure", usize::from(structure.number())),
    ] {
        writeln!(out, "{blank:26}{key:21} ={value:5}")?;
    }
    let (rows, columns) = (block.constant.nrows(), block.constant.ncols());
    for j in 0..columns {
        let first = if structure == Structure::Symmetric { j } else { 0 };
        for i in first..rows {
            let value = block.constant[(i, j)];
            if value != 0.0 && structure != Structure::Unit {
                let entry = format!("m0({:2},{:2})", i + 1, j + 1);
                writeln!(out, "{blank:26}{entry:21} ={}", number(value))?;
            }
        }
    }
    for j in 0..columns {
        for i in 0..rows {
            for (k, slope) in block.linear.iter().enumerate() {
                if slope[(i, j)] != 0.0 {
                    let entry = format!("m1({:2},{:2},{:2})", i + 1, k + 1, j + 1);
                    writeln!(out, "{blank:26}{entry:21} ={}", number(slope[(i, j)]))?;
                }
            }
        }
    }
    writeln!(out, "{blank:indent$}end {name}")
}

/// A number in Fortran's format, with space for its sign: ` 1.5000000000000000D+00`.
fn number(value: f64) -> String {
    let text = format!("{value:.16e}");
    let (digits, exponent) = text.split_once('e').expect("Rust writes an exponent");
    let exponent: i32 = exponent.parse().expect("Rust writes a whole exponent");
    let sign = if digits.starts_with('-') { "" } else { " " };
    format!("{sign}{digits}D{exponent:+03}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_in_the_form_of_fortran() {
        assert_eq!(number(1.005), " 1.0049999999999999D+00");
        assert_eq!(number(-0.785), "-7.8500000000000003D-01");
        assert_eq!(number(2.5e-123), " 2.5000000000000001D-123");
        assert_eq!(number(1e20), " 1.0000000000000000D+20");
    }
}
