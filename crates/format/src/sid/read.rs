//! Reading of SID_FEM files.

use std::io::{self, Read};
use std::path::Path;

use carom_progress::{Progress, Silent};
use faer::Mat;

use super::error::ReadSidError;
use super::identities::{gr_layout, identities};
use super::parse::{Lines, is_words};
use super::{GrLayout, MOST_MODES, Sid, SidNode, Taylor};

/// The result of reading a file.
#[derive(Debug, Clone)]
pub struct ReadSid {
    /// Its content.
    pub sid: Sid,
    /// The order of its columns of Gr.
    pub gr_layout: GrLayout,
}

/// True if a file begins as SID_FEM files do: the numbers of nodes and modes, then `part`.
///
/// # Errors
///
/// Those of the operating system.
pub fn is_sid(path: &Path) -> io::Result<bool> {
    /// Number of bytes that contain the first line with a long comment.
    const HEAD: u64 = 1 << 16;
    let mut head = Vec::new();
    carom_files::input::open(path)?.take(HEAD).read_to_end(&mut head)?;
    let text = String::from_utf8_lossy(&head);
    let mut lines = Lines::new(path, &text, &Silent);
    Ok(first_line(&mut lines).is_ok() && lines.word("part").is_ok())
}

/// Reads a SID_FEM file and checks its [`identities`](super::identities).
///
/// Known programs order the columns of Gr in two ways; the order is found from the slopes of J.
///
/// # Errors
///
/// [`ReadSidError`]
pub fn read_sid(path: &Path, progress: &dyn Progress) -> Result<ReadSid, ReadSidError> {
    let bytes = carom_files::input::read(path)
        .map_err(|source| ReadSidError::Io { path: path.to_owned(), source })?;
    // Comments may be in any encoding; the other content is ASCII.
    let text = String::from_utf8_lossy(&bytes);
    progress.begin("reading", text.len() as u64);
    let read = read_text(Lines::new(path, &text, progress));
    progress.end();
    read
}

fn read_text(mut lines: Lines<'_>) -> Result<ReadSid, ReadSidError> {
    let path = lines.path();
    let (n_nodes, comment) = first_line(&mut lines)?;
    lines.word("part")?;
    let name = lines.value("new modal")?.to_owned();
    let (mass, mode_labels) = reference_modes(&mut lines)?;
    let n = mode_labels.len();
    lines.word("frame")?;
    let (nodes, places) = nodes(&mut lines, n)?;
    if nodes.len() != n_nodes {
        return Err(
            lines.unexpected(format!("{n_nodes} nodes, as the first line says"), &nodes.len().to_string())
        );
    }
    let (read, starts) = body_blocks(&mut lines, n)?;
    lines.word("end part")?;
    let [md_cm, inertia, coupling_t, coupling_r, mass_modal, gr, ge, oe, ksigma, ke, de] = read;
    let layout = gr_layout(&gr.constant, |k, row| inertia.slope(k, row, 0));
    let gyroscopic_r = match layout {
        GrLayout::ByComponent => gr,
        GrLayout::ByMode => by_component(&gr),
    };
    let sid = Sid {
        comment,
        name,
        mass,
        mode_labels,
        nodes,
        md_cm,
        inertia,
        coupling_t,
        coupling_r,
        mass_modal,
        gyroscopic_r,
        gyroscopic_e: ge,
        centrifugal: oe,
        reference_force: ksigma,
        stiffness_modal: ke,
        damping_modal: de,
    };
    check(&path, &sid, &starts, &places)?;
    Ok(ReadSid { sid, gr_layout: layout })
}

/// `   3   1   :No. nodes, No. modes:comment`: the number of nodes and the comment.
fn first_line(lines: &mut Lines<'_>) -> Result<(usize, String), ReadSidError> {
    let line = lines.next("the numbers of nodes and modes")?;
    let mut parts = line.splitn(3, ':');
    let counts: Vec<usize> =
        parts.next().unwrap_or("").split_whitespace().map_while(|word| word.parse().ok()).collect();
    match counts[..] {
        [n_nodes, _] => Ok((n_nodes, parts.nth(1).unwrap_or("").trim().to_owned())),
        _ => Err(lines.unexpected("the numbers of nodes and modes, `3 1 :No. nodes, No. modes:…`", line)),
    }
}

/// Mass, and the text about each mode.
fn reference_modes(lines: &mut Lines<'_>) -> Result<(f64, Vec<String>), ReadSidError> {
    lines.word("refmod")?;
    let mass = lines.number_of("mass")?;
    if mass <= 0.0 {
        return Err(lines.unexpected("a mass above 0", &mass.to_string()));
    }
    let n = lines.count("nelastq")?;
    if n == 0 || n > MOST_MODES {
        return Err(ReadSidError::ModeCount { path: lines.path(), line: lines.number, n });
    }
    let mut labels = Vec::new();
    for k in 0..n {
        let line = lines.next("ielastq")?;
        match line.split_once('=') {
            Some((key, label)) if key.trim_start().starts_with("ielastq") => {
                labels.push(label.trim().to_owned())
            }
            _ => {
                return Err(
                    lines.unexpected(format!("`ielastq ({}) = …`, one for each of {n} modes", k + 1), line)
                );
            }
        }
    }
    lines.word("end refmod")?;
    Ok((mass, labels))
}

/// First lines of the blocks of a node: origin, phi, psi, AP.
type NodeLines = [usize; 4];

const NODE_BLOCKS: [&str; 4] = ["origin", "phi", "psi", "AP"];

fn nodes(lines: &mut Lines<'_>, n: usize) -> Result<(Vec<SidNode>, Vec<NodeLines>), ReadSidError> {
    let (mut nodes, mut places) = (Vec::new(), Vec::new());
    let mut known = std::collections::BTreeSet::new();
    loop {
        let line = lines.next("end frame")?;
        if is_words(line, "end frame") {
            return Ok((nodes, places));
        }
        let id = match line.split_once('=') {
            Some((key, id)) if is_words(key, "new node") => id.trim().parse::<u64>().ok(),
            _ => None,
        };
        let id = id.ok_or_else(|| lines.unexpected("`new node = NUMBER` or `end frame`", line))?;
        if !known.insert(id) {
            return Err(ReadSidError::DoubleNode { path: lines.path(), line: lines.number, id });
        }
        let (node, starts) = node(lines, id, n)?;
        nodes.push(node);
        places.push(starts);
    }
}

fn node(lines: &mut Lines<'_>, id: u64, n: usize) -> Result<(SidNode, NodeLines), ReadSidError> {
    let sizes = [[3, 1], [3, n], [3, n], [3, 3]];
    let mut blocks: [Option<Taylor>; 4] = Default::default();
    let mut starts = [0; 4];
    loop {
        let name = lines.next("end node")?;
        if is_words(name, "end node") {
            break;
        }
        if let Some(b) = NODE_BLOCKS.iter().position(|block| is_words(name, block)) {
            starts[b] = lines.number;
            blocks[b] = Some(lines.block(NODE_BLOCKS[b], sizes[b], n)?);
        } else if !name.contains('=') {
            // Stress modes and the like.
            lines.skip(name)?;
        }
    }
    let path = lines.path();
    let mut take = |b: usize| {
        let missing =
            ReadSidError::Missing { path: path.clone(), place: format!("node {id}"), block: NODE_BLOCKS[b] };
        blocks[b].take().ok_or(missing)
    };
    let node = SidNode { id, origin: take(0)?, phi: take(1)?, psi: take(2)?, orientation: take(3)? };
    Ok((node, starts))
}

const BODY_BLOCKS: [&str; 11] = ["mdCM", "J", "Ct", "Cr", "Me", "Gr", "Ge", "Oe", "ksigma", "Ke", "De"];

/// The blocks of the body in the order of [`BODY_BLOCKS`], and their first lines.
fn body_blocks(lines: &mut Lines<'_>, n: usize) -> Result<([Taylor; 11], [usize; 11]), ReadSidError> {
    let square = [n, n];
    let sizes =
        [[3, 1], [6, 1], [n, 3], [n, 3], square, [3, 3 * n], [n, 3 * n], [n, 6], [n, 1], square, square];
    let mut blocks: [Option<Taylor>; 11] = Default::default();
    let mut starts = [0; 11];
    loop {
        let name = lines.next("end modal")?;
        if is_words(name, "end modal") {
            break;
        }
        match BODY_BLOCKS.iter().position(|block| is_words(name, block)) {
            Some(b) => {
                starts[b] = lines.number;
                blocks[b] = Some(lines.block(BODY_BLOCKS[b], sizes[b], n)?);
            }
            None if name.contains('=') || name.split_whitespace().count() != 1 => {
                return Err(lines.unexpected("the name of a block or `end modal`", name));
            }
            None => lines.skip(name)?,
        }
    }
    let path = lines.path();
    // Forces of a stressed reference and damping are optional.
    for optional in [8, 10] {
        blocks[optional].get_or_insert_with(|| Taylor::zeros(sizes[optional][0], sizes[optional][1]));
    }
    if let Some(b) = blocks.iter().position(Option::is_none) {
        return Err(ReadSidError::Missing { path, place: "the body".to_owned(), block: BODY_BLOCKS[b] });
    }
    Ok((blocks.map(|block| block.expect("none is missing")), starts))
}

/// Gr with the columns of one component side by side.
fn by_component(gr: &Taylor) -> Taylor {
    let n = gr.constant.ncols() / 3;
    let turned =
        |matrix: &Mat<f64>| Mat::from_fn(3, 3 * n, |a, column| matrix[(a, 3 * (column % n) + column / n)]);
    Taylor { constant: turned(&gr.constant), linear: gr.linear.iter().map(turned).collect() }
}

/// Refuses a file whose blocks contradict each other.
fn check(path: &Path, sid: &Sid, starts: &[usize; 11], places: &[NodeLines]) -> Result<(), ReadSidError> {
    let Some(wrong) = identities(sid).into_iter().find(|identity| !identity.holds()) else { return Ok(()) };
    let line = |block: &&str| match wrong.node {
        None => starts[BODY_BLOCKS.iter().position(|name| name == block).expect("a block of the body")],
        Some(id) => {
            let node = sid.nodes.iter().position(|node| node.id == id).expect("a node of the file");
            places[node][NODE_BLOCKS.iter().position(|name| name == block).expect("a block of a node")]
        }
    };
    Err(ReadSidError::Identity {
        path: path.to_owned(),
        place: wrong.node.map_or_else(|| "the body".to_owned(), |id| format!("node {id}")),
        lines: [line(&wrong.blocks[0]), line(&wrong.blocks[1])],
        blocks: wrong.blocks,
        identity: wrong.name,
        deviation: wrong.deviation,
    })
}
