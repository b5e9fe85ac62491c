//! The sections of solids, shells and beams.

use super::deck::{At, Deck, Keyword, Name};
use super::error::ParseInpError;
use crate::section::{BeamSection, Section, ShellSection};

/// A section keyword: the elements of a set, their material, and their wall or cross-section.
#[derive(Debug, Clone)]
pub(super) struct SectionLine {
    pub(super) set: Name,
    pub(super) material: Name,
    pub(super) kind: SectionKind,
    pub(super) at: At,
}

/// The wall or cross-section of a keyword.
#[derive(Debug, Clone)]
pub(super) enum SectionKind {
    Solid,
    Structural(Section),
    /// A section that carom does not have, by its keyword. In files whose shells and beams are not cells it
    /// is ignored.
    Unsupported(String),
}

impl SectionLine {
    /// The section of a keyword; none if it names no elements or no material.
    pub(super) fn of(deck: &Deck, keyword: &Keyword) -> Result<Option<Self>, ParseInpError> {
        let Some(set) = keyword.value("ELSET").map(Name::new) else { return Ok(None) };
        let kind = match keyword.name.as_str() {
            "SHELLSECTION" => shell(deck, keyword)?,
            "BEAMSECTION" => beam(deck, keyword)?,
            _ => SectionKind::Solid,
        };
        let material = keyword.value("MATERIAL").map(Name::new);
        let is_named = material.is_some() || !matches!(kind, SectionKind::Solid);
        let material = material.unwrap_or_else(|| Name::new(""));
        Ok(is_named.then_some(Self { set, material, kind, at: keyword.at }))
    }
}

/// Thickness, and number of points through it. Abaqus' Simpson points are replaced by as many Gauss points.
fn shell(deck: &Deck, keyword: &Keyword) -> Result<SectionKind, ParseInpError> {
    for parameter in ["COMPOSITE", "OFFSET", "NODALTHICKNESS", "SHELLTHICKNESS"] {
        if keyword.has(parameter) {
            return Ok(SectionKind::Unsupported(format!("SHELL SECTION, {parameter}")));
        }
    }
    let Some(&line) = keyword.lines.first() else {
        return Ok(SectionKind::Unsupported("SHELL SECTION without a thickness".to_owned()));
    };
    let numbers = deck.numbers(line)?;
    let n_layers = numbers.get(1).map_or(ShellSection::DEFAULT_LAYERS, |n| *n as usize);
    let section = ShellSection::new(numbers.first().copied().unwrap_or(f64::NAN), n_layers);
    section
        .map(|shell| SectionKind::Structural(Section::Shell(shell)))
        .map_err(|source| ParseInpError::Section { place: deck.place(keyword.at), source })
}

/// A rectangle or circle, and the direction of its first axis, by default −z.
fn beam(deck: &Deck, keyword: &Keyword) -> Result<SectionKind, ParseInpError> {
    let shape = keyword.value("SECTION").unwrap_or("none").to_uppercase();
    let line = |k: usize| keyword.lines.get(k).map(|&line| deck.numbers(line)).transpose();
    let (sizes, axis) = (line(0)?.unwrap_or_default(), line(1)?);
    let size = |k: usize| sizes.get(k).copied().unwrap_or(f64::NAN);
    let axis = axis.filter(|axis| !axis.is_empty()).unwrap_or_else(|| vec![0.0, 0.0, -1.0]);
    let axis = [0, 1, 2].map(|d| axis.get(d).copied().unwrap_or(0.0));
    let section = match shape.as_str() {
        "RECT" => BeamSection::rectangle([size(0), size(1)], axis),
        "CIRC" => BeamSection::circle(size(0)),
        _ => return Ok(SectionKind::Unsupported(format!("BEAM SECTION, SECTION={shape}"))),
    };
    section
        .map(|beam| SectionKind::Structural(Section::Beam(beam)))
        .map_err(|source| ParseInpError::Section { place: deck.place(keyword.at), source })
}
