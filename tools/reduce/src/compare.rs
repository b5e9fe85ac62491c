//! `carom-reduce compare`

use carom_cli::{Category, Failure, Session};
use carom_fem::QuadratureRule;
use carom_reduce::{ModalOptions, ModesWanted};
use serde::Serialize;

use crate::args::CompareArgs;

#[derive(Debug, Serialize)]
struct Report {
    rom_hz: Vec<f64>,
    body_hz: Vec<f64>,
    relative_errors: Vec<f64>,
}

pub(crate) fn compare(args: &CompareArgs, session: &Session) -> Result<(), Failure> {
    let rom = crate::open_rom(&args.rom)?;
    let body = crate::open_body(&args.body)?;
    if rom.reduced.body_checksum != body.checksum {
        let text = format!("`{}` was not made from `{}`", args.rom.display(), args.body.display());
        return Err(Failure::new(Category::Input, text)
            .context("the checksums of model and body differ")
            .hint("reduce the body again, or name the body that the model was made from"));
    }
    let rule = if rom.options.quadrature == "high" { QuadratureRule::High } else { QuadratureRule::Default };
    let n = (args.count as usize).min(rom.reduced.omega.len());
    let options = ModalOptions { fix: Vec::new(), wanted: ModesWanted::Count(n + 6), rule };
    let found = crate::modes_of(&body.body, &options, session)?;
    let body_hz: Vec<f64> = found.hz.iter().skip(6).copied().collect();
    let rom_hz: Vec<f64> = rom.reduced.omega.iter().take(n).map(|w| w / std::f64::consts::TAU).collect();
    let relative_errors: Vec<f64> = rom_hz.iter().zip(&body_hz).map(|(r, b)| r / b - 1.0).collect();
    let mut text = format!("{:>5} {:>16} {:>16} {:>12}\n", "mode", "model in Hz", "body in Hz", "error");
    for (i, error) in relative_errors.iter().enumerate() {
        text.push_str(&format!("{:5} {:16.6} {:16.6} {error:12.2e}\n", i + 1, rom_hz[i], body_hz[i]));
    }
    session.print(&text)?;
    session.print_json("carom-reduce compare 1", &Report { rom_hz, body_hz, relative_errors })
}
