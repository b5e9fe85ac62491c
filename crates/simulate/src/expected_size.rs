//! The size of the result of unreduced bodies that move through time, known before the run.

use carom_fem::constitutive::{ElasticModuli, LANES, Law};
use carom_fem::internal_force::{PointRule, PointStress};
use carom_fem::structural::WALL_PLACES;
use carom_fem::{Block, Body, Discretisation};
use carom_format::result::FrameContent;
use carom_format::scenario::model::{Bodies, BodySpec, Precision, Scenario};
use carom_mesh::section::Section;

use crate::explicit::{material_of, solid_law};
use crate::prepared::{Prepared, PreparedModel};

/// Tables without the frames of bodies, and the header: an empty result has some 100 kB.
const TABLES: u64 = 120_000;

/// Bytes of a frame beside the fields of unreduced bodies: the ledger, contacts, poses, indices.
const OF_FRAME: u64 = 600;
const OF_BODY: u64 = 200;

/// SQLite keeps long entries in pages of 4096 bytes, each with a link.
const PAGE: [u64; 2] = [4096, 4092];

/// Size above which it is reported without a request \[bytes\].
const LARGE: u64 = 100_000_000;

/// Sizes of a result before its run \[bytes\].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExpectedSize {
    /// Number of frames.
    pub frames: u64,
    /// A frame.
    pub frame: u64,
    /// The last checkpoint in double precision: displacements, velocities, history variables of materials,
    /// rotations. Those of hourglass control are not counted.
    pub checkpoint: u64,
    /// The file.
    pub file: u64,
}

impl ExpectedSize {
    /// The size for these bodies, none in place of those that are rigid or reduced; none of schemes whose
    /// bodies are not unreduced bodies that move through time.
    fn of(scenario: &Scenario, bodies: &[Option<&Body>]) -> Option<Self> {
        let row = scenario.simulation.scheme.row();
        if row.bodies != Bodies::Whole || !row.has_time {
            return None;
        }
        let content = frame_content(scenario);
        let (mut frame, mut checkpoint) = (OF_FRAME + OF_BODY * bodies.len() as u64, 0);
        for (spec, body) in scenario.body.iter().zip(bodies) {
            let Some(body) = body else { continue };
            let n = 3 * body.n_points();
            let history = OfHistory::of(scenario, spec, body);
            frame += pages(content.bytes(n)) + history.frame;
            checkpoint += 2 * pages(8 * n as u64) + history.checkpoint;
        }
        let simulation = &scenario.simulation;
        // One at the start, and one at the end in addition to those before it.
        let between = (simulation.end_time / simulation.output_every - 1e-9).floor() as u64;
        let frames = between + 2;
        Some(Self { frames, frame, checkpoint, file: TABLES + frames * frame + checkpoint })
    }

    /// The size of the result of bodies that are ready.
    pub fn of_prepared(scenario: &Scenario, prepared: &Prepared) -> Option<Self> {
        let bodies = prepared.bodies.iter().map(|body| match &body.model {
            PreparedModel::Deformable(body) => Some(&**body),
            _ => None,
        });
        Self::of(scenario, &bodies.collect::<Vec<_>>())
    }

    /// The size of the result of bodies as far as they are known.
    pub(crate) fn of_bodies(scenario: &Scenario, bodies: &[Option<&Body>]) -> Option<Self> {
        let specs = scenario.body.iter().zip(bodies);
        let known = specs.map(|(spec, body)| match (spec.rigid || spec.reduce.is_some(), body) {
            (true, _) => Some(None),
            (false, body) => body.map(Some),
        });
        Self::of(scenario, &known.collect::<Option<Vec<_>>>()?)
    }

    /// True for a size that is reported without a request.
    pub fn is_large(&self) -> bool {
        self.file > LARGE
    }

    /// A sentence.
    pub fn text(&self) -> String {
        let Self { frames, frame, checkpoint, file } = *self;
        let [frame, checkpoint, file] = [frame, checkpoint, file].map(megabytes);
        format!(
            "the result will have {file} MB: {frames} frames of {frame} MB and a checkpoint of {checkpoint} \
             MB; while the run writes, a log beside it may have the same size"
        )
    }
}

/// Whole pages for so many bytes.
fn pages(bytes: u64) -> u64 {
    bytes.div_ceil(PAGE[1]) * PAGE[0]
}

/// Bytes of a body that follow from its law and its cells.
#[derive(Debug, Clone, Copy, Default)]
struct OfHistory {
    /// Stress and plastic strain at the quadrature points of solids with a law with history and in the walls
    /// of shells, and rotations of points, in single precision.
    frame: u64,
    /// History variables, and rotations and their rates of shells and beams.
    checkpoint: u64,
}

impl OfHistory {
    fn of(scenario: &Scenario, spec: &BodySpec, body: &Body) -> Self {
        // An invalid body is an error of its own.
        let Ok(discretisation) = Discretisation::new(body) else { return Self::default() };
        let rule = PointRule::named(spec.elements.name()).unwrap_or_default();
        let (mut n_points, mut n_variables) = (0, 0);
        for block in &discretisation.blocks {
            let moduli = ElasticModuli::of(&discretisation.materials[block.material]);
            let law = solid_law(material_of(scenario, spec), moduli);
            let of_law = law.map_or(0, |law| law.n_history());
            let [stresses, variables] = of_block(block, rule, of_law);
            n_points += stresses;
            n_variables += variables;
        }
        let mut own = Self::default();
        if n_points > 0 {
            own.frame = pages(4 * 6 * n_points as u64) + pages(4 * n_points as u64);
        }
        if n_variables > 0 {
            own.checkpoint = pages(8 * n_variables as u64);
        }
        if discretisation.is_structural() {
            let n = body.n_points() as u64;
            own.frame += pages(4 * 3 * n);
            own.checkpoint += pages(8 * 4 * n) + pages(8 * 3 * n);
        }
        own
    }
}

/// Number of places with a stress of their own, and of history variables. A shell has a batch of points in
/// each layer, with the thickness in addition to the variables of the law; cells of solids are in batches.
fn of_block(block: &Block, rule: PointRule, of_law: usize) -> [usize; 2] {
    let n_cells = block.n_cells();
    match &block.section {
        Some(Section::Shell(shell)) => {
            [WALL_PLACES * n_cells, LANES * n_cells * shell.n_layers * (1 + of_law)]
        }
        Some(Section::Beam(_)) => [0; 2],
        None if of_law > 0 => {
            let of_cell = PointStress::quadrature_points(&block.cells, rule).len();
            [n_cells * of_cell, n_cells.next_multiple_of(LANES) * of_cell * of_law]
        }
        None => [0; 2],
    }
}

/// Three digits.
fn megabytes(bytes: u64) -> String {
    let megabytes = bytes as f64 / 1e6;
    match megabytes {
        ..0.0995 => format!("{megabytes:.3}"),
        ..0.995 => format!("{megabytes:.2}"),
        ..9.95 => format!("{megabytes:.1}"),
        _ => format!("{megabytes:.0}"),
    }
}

/// Content of the frames of unreduced bodies.
pub(crate) fn frame_content(scenario: &Scenario) -> FrameContent {
    FrameContent {
        single: scenario.output.precision == Precision::Single,
        velocities: scenario.output.keeps_velocities(),
    }
}
