//! The size of the result of unreduced bodies that move through time, known before the run.

use carom_fem::Body;
use carom_format::result::FrameContent;
use carom_format::scenario::model::{Bodies, Precision, Scenario};

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
    /// The last checkpoint: displacements and velocities in double precision. History variables of plastic
    /// materials are not counted.
    pub checkpoint: u64,
    /// The file.
    pub file: u64,
}

impl ExpectedSize {
    /// The size for bodies with so many points, none of bodies that are rigid; none of schemes whose bodies
    /// are not unreduced bodies that move through time.
    pub(crate) fn of(scenario: &Scenario, n_points: &[Option<usize>]) -> Option<Self> {
        let row = scenario.simulation.scheme.row();
        if row.bodies != Bodies::Whole || !row.has_time {
            return None;
        }
        let content = frame_content(scenario);
        let pages = |bytes: u64| bytes.div_ceil(PAGE[1]) * PAGE[0];
        let counts = || n_points.iter().flatten().map(|n| 3 * n);
        let fields: u64 = counts().map(|n| pages(content.bytes(n))).sum();
        let frame = fields + OF_FRAME + OF_BODY * n_points.len() as u64;
        let checkpoint = counts().map(|n| 2 * pages(8 * n as u64)).sum();
        let simulation = &scenario.simulation;
        // One at the start, and one at the end in addition to those before it.
        let between = (simulation.end_time / simulation.output_every - 1e-9).floor() as u64;
        let frames = between + 2;
        Some(Self { frames, frame, checkpoint, file: TABLES + frames * frame + checkpoint })
    }

    /// The size of the result of bodies that are ready.
    pub fn of_prepared(scenario: &Scenario, prepared: &Prepared) -> Option<Self> {
        let points = prepared.bodies.iter().map(|body| match &body.model {
            PreparedModel::Deformable(body) => Some(body.n_points()),
            _ => None,
        });
        Self::of(scenario, &points.collect::<Vec<_>>())
    }

    /// The size of the result of bodies as far as they are known.
    pub(crate) fn of_bodies(scenario: &Scenario, bodies: &[Option<&Body>]) -> Option<Self> {
        let specs = scenario.body.iter().zip(bodies);
        let points = specs.map(|(spec, body)| match (spec.rigid, body) {
            (true, _) => Some(None),
            (false, body) => body.map(|body| Some(body.n_points())),
        });
        Self::of(scenario, &points.collect::<Option<Vec<_>>>()?)
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
