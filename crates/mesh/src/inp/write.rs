//! Writing .inp files that CalculiX and Abaqus read.

use std::collections::HashMap;
use std::io::{self, Write};
use std::path::Path;

use carom_files::write_atomically;

use super::InpMaterial;
use super::assemble::BLOCK_PREFIX;
use super::error::WriteInpError;
use crate::cell::AbaqusLast;
use crate::section::{Section, ShellSection};
use crate::{CellRef, Mesh, Set};

/// Writes `mesh` with the materials of its blocks to a temporary file, which is renamed once it is complete.
///
/// * `materials` — in the units of the coordinates
/// * `material_of_block` — number of the material of each block
/// * `sections` — section of each block, empty for solids; beams are refused
///
/// Sets of cells become `*ELSET`, sets of nodes `*NSET`, sets of faces `*SURFACE` and, in addition, an
/// `*NSET` of the same name, to which supports can be applied. Reading the file back gives the same blocks,
/// sets and materials. CalculiX reads at most 20 characters of a number: longer coordinates are rounded, by
/// less than 1e-14 of their size. CalculiX has neither C3D27 nor the pyramids C3D5 and C3D13. Abaqus has them
/// except for C3D13, which is Gmsh's name of quadratic pyramids.
///
/// # Errors
///
/// [`WriteInpError`]: the file cannot be written, or a set has a name that the format cannot hold.
pub fn write(
    path: &Path,
    mesh: &Mesh,
    materials: &[InpMaterial],
    material_of_block: &[Option<usize>],
    sections: &[Option<Section>],
) -> Result<(), WriteInpError> {
    check_names(mesh)?;
    check_sections(sections)?;
    Ok(write_atomically(path, |out| write_text(out, mesh, materials, material_of_block, sections))?)
}

/// Writes a mesh as [`write()`] does, to any writer.
///
/// # Errors
///
/// [`WriteInpError`] for names before anything is written, or if the writer fails.
pub fn write_to(
    out: &mut dyn Write,
    mesh: &Mesh,
    materials: &[InpMaterial],
    material_of_block: &[Option<usize>],
    sections: &[Option<Section>],
) -> Result<(), WriteInpError> {
    check_names(mesh)?;
    check_sections(sections)?;
    write_text(out, mesh, materials, material_of_block, sections)
        .map_err(|source| WriteInpError::Write { source })
}

/// The constants of the section of a beam say nothing of its outline, which `*BEAM SECTION` needs.
fn check_sections(sections: &[Option<Section>]) -> Result<(), WriteInpError> {
    match sections.iter().position(|section| matches!(section, Some(Section::Beam(_)))) {
        Some(block) => Err(WriteInpError::Beams { block }),
        None => Ok(()),
    }
}

fn check_names(mesh: &Mesh) -> Result<(), WriteInpError> {
    let mut known: HashMap<String, &String> = HashMap::new();
    for name in mesh.sets.keys() {
        let is_short = !name.trim().is_empty() && name.trim() == name && name.len() <= 80;
        if !is_short || name.contains(['"', '\n', '\r', ',', '=']) {
            return Err(WriteInpError::Name { name: name.clone() });
        }
        if let Some(first) = known.insert(name.to_uppercase(), name) {
            return Err(WriteInpError::SameName { first: first.clone(), second: name.clone() });
        }
    }
    Ok(())
}

fn write_text(
    out: &mut dyn Write,
    mesh: &Mesh,
    materials: &[InpMaterial],
    material_of_block: &[Option<usize>],
    sections: &[Option<Section>],
) -> io::Result<()> {
    writeln!(out, "** Written by carom; SI units: m, kg, s, N, Pa\n*HEADING\ncarom mesh\n*NODE")?;
    for (number, x) in (1..).zip(&mesh.points) {
        let [x, y, z] = x.map(number_of_twenty);
        writeln!(out, "{number}, {x}, {y}, {z}")?;
    }
    let first = write_elements(out, mesh)?;
    for (name, set) in &mesh.sets {
        write_set(out, mesh, &first, name, set)?;
    }
    for InpMaterial { name, density, elastic } in materials {
        writeln!(out, "*MATERIAL, NAME={}", quoted(name))?;
        if let Some([young, poisson]) = elastic {
            writeln!(out, "*ELASTIC\n{}, {}", number_of_twenty(*young), number_of_twenty(*poisson))?;
        }
        if let Some(density) = density {
            writeln!(out, "*DENSITY\n{}", number_of_twenty(*density))?;
        }
    }
    for (block, material) in material_of_block.iter().enumerate() {
        if let Some(material) = material.and_then(|m| materials.get(m)) {
            let (block, name) = (block + 1, quoted(&material.name));
            match sections.get(block - 1).copied().flatten() {
                Some(Section::Shell(ShellSection { thickness, n_layers })) => {
                    let thickness = number_of_twenty(thickness);
                    writeln!(out, "*SHELL SECTION, ELSET={BLOCK_PREFIX}{block}, MATERIAL={name}")?;
                    writeln!(out, "{thickness}, {n_layers}")?;
                }
                _ => writeln!(out, "*SOLID SECTION, ELSET={BLOCK_PREFIX}{block}, MATERIAL={name}")?,
            }
        }
    }
    Ok(())
}

/// The shortest text of a number, or the most digits of it that fit into 20 characters.
fn number_of_twenty(x: f64) -> String {
    let plain = format!("{x}");
    if plain.len() <= 20 {
        return plain;
    }
    let without_zero = plain.replacen("0.", ".", 1);
    if x.abs() < 1.0 && without_zero.len() <= 20 {
        return without_zero;
    }
    let exact = format!("{x:e}");
    if exact.len() <= 20 {
        return exact;
    }
    let rounded = (0..17).rev().map(|digits| format!("{x:.digits$e}"));
    rounded.into_iter().find(|text| text.len() <= 20).unwrap_or(exact)
}

/// Writes the cells; returns the number of the first of each block.
fn write_elements(out: &mut dyn Write, mesh: &Mesh) -> io::Result<Vec<usize>> {
    let (mut number, mut first) = (1, Vec::new());
    for (i_block, block) in mesh.blocks.iter().enumerate() {
        first.push(number);
        let abaqus = &block.shape.table().abaqus;
        writeln!(out, "*ELEMENT, TYPE={}, ELSET={BLOCK_PREFIX}{}", abaqus.name, i_block + 1)?;
        for nodes in block.cells() {
            let mut nodes = nodes.to_vec();
            if let Some(AbaqusLast { order, without }) = abaqus.last {
                let last: Vec<u32> = order.iter().map(|&place| nodes[place as usize]).collect();
                nodes[without.n_nodes()..].copy_from_slice(&last);
            }
            write!(out, "{number}")?;
            for (k, node) in nodes.iter().enumerate() {
                // At most 16 numbers a line.
                let separator = if k % 15 == 14 { ",\n" } else { ", " };
                write!(out, "{separator}{}", node + 1)?;
            }
            writeln!(out)?;
            number += 1;
        }
    }
    Ok(first)
}

fn write_set(out: &mut dyn Write, mesh: &Mesh, first: &[usize], name: &str, set: &Set) -> io::Result<()> {
    let number = |cell: CellRef| first[cell.block as usize] + cell.cell as usize;
    let name = quoted(name);
    match set {
        Set::Nodes(nodes) => {
            writeln!(out, "*NSET, NSET={name}")?;
            write_numbers(out, nodes.iter().map(|&node| node as usize + 1))
        }
        Set::Cells(cells) => {
            writeln!(out, "*ELSET, ELSET={name}")?;
            write_numbers(out, cells.iter().map(|&cell| number(cell)))
        }
        Set::Faces(members) => {
            writeln!(out, "*SURFACE, NAME={name}, TYPE=ELEMENT")?;
            for face in members {
                let labels = mesh.cell(face.cell()).0.table().abaqus.faces;
                let label = 1 + labels.iter().position(|&f| f == face.face).expect("every face has a label");
                let is_solid = mesh.cell(face.cell()).0.is_solid();
                let label = match label {
                    1 if !is_solid => "SPOS".to_owned(),
                    2 if !is_solid => "SNEG".to_owned(),
                    _ => format!("S{label}"),
                };
                writeln!(out, "{}, {label}", number(face.cell()))?;
            }
            writeln!(out, "*NSET, NSET={name}")?;
            write_numbers(out, mesh.nodes_of(set).iter().map(|&node| node as usize + 1))
        }
    }
}

/// Writes numbers, ten a line.
fn write_numbers(out: &mut dyn Write, numbers: impl Iterator<Item = usize>) -> io::Result<()> {
    let mut n = 0;
    for number in numbers {
        let separator = match n % 10 {
            0 if n == 0 => "",
            0 => ",\n",
            _ => ", ",
        };
        write!(out, "{separator}{number}")?;
        n += 1;
    }
    if n > 0 { writeln!(out) } else { Ok(()) }
}

/// A name for the file; in quotation marks if it has more than letters, digits and a few marks.
fn quoted(name: &str) -> String {
    let is_plain = name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || "_-.:".contains(c));
    if is_plain { name.to_owned() } else { format!("\"{name}\"") }
}
