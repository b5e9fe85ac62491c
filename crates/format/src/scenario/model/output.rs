//! The table `[output]`: frames for pictures, and the pictures of `carom run`.

use serde::Serialize;

/// The table `[output]`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct OutputSpec {
    /// At least so many frames of the result while bodies touch; 0: those of `output_every` alone.
    pub contact_frames: usize,
    /// Precision of the displacements and velocities of unreduced bodies in frames.
    #[serde(skip_serializing_if = "Precision::is_double")]
    pub precision: Precision,
    /// Fields that frames keep of unreduced bodies; the displacement is always one of them.
    #[serde(skip_serializing_if = "is_default")]
    pub frame_fields: Vec<FrameField>,
    /// How pictures are made; none in the scenario that a result keeps, as it does not depend on them.
    #[serde(flatten)]
    pub pictures: Option<PictureSpec>,
}

/// Precision of the numbers of unreduced bodies in frames; checkpoints are always in double precision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Precision {
    /// 8 bytes a number.
    #[default]
    Double,
    /// 4 bytes a number: the deviation from the mean of the body, to 6e-8 of itself.
    Single,
}

impl Precision {
    fn is_double(&self) -> bool {
        *self == Self::Double
    }
}

/// A field of unreduced bodies in frames.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FrameField {
    /// Displacement of all points.
    Displacement,
    /// Their velocity.
    Velocity,
}

impl FrameField {
    /// Names in scenarios.
    pub const NAMES: [(&str, Self); 2] = [("displacement", Self::Displacement), ("velocity", Self::Velocity)];
}

/// True for the fields that frames keep unless the scenario names some.
fn is_default(fields: &[FrameField]) -> bool {
    fields == FrameField::NAMES.map(|(_, field)| field)
}

/// How `carom run` makes pictures from a result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PictureSpec {
    /// Which cells are written.
    pub cells: PictureCells,
    /// Which fields they carry.
    pub fields: Vec<PictureField>,
    /// Every n-th frame of the result; chosen if not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub every: Option<usize>,
    /// How the files are packed.
    pub compression: PictureCompression,
    /// Format of the files.
    pub format: PictureFormat,
}

/// Cells of pictures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum PictureCells {
    /// Outer faces.
    #[default]
    Surface,
    /// The cells of the body; its model must keep the modes of all points.
    All,
}

/// A field of pictures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PictureField {
    /// Displacement from the first frame, rigid motion included.
    Displacement,
    /// Velocity.
    Velocity,
    /// Stress tensor.
    Stress,
    /// Von Mises stress.
    VonMises,
    /// Contact pressure of faces.
    ContactPressure,
}

impl PictureField {
    /// Names in scenarios.
    pub const NAMES: [(&str, Self); 5] = [
        ("displacement", Self::Displacement),
        ("velocity", Self::Velocity),
        ("stress", Self::Stress),
        ("von_mises", Self::VonMises),
        ("contact_pressure", Self::ContactPressure),
    ];
}

/// How the files of pictures are packed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum PictureCompression {
    /// Small files.
    #[default]
    Zlib,
    /// Files that are written and read fast.
    Lz4,
    /// As the numbers are.
    None,
}

/// Format of the files of pictures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum PictureFormat {
    /// A file for each body and frame.
    #[default]
    Vtu,
    /// A file for each body, with its mesh once and all frames.
    Vtkhdf,
}

impl Default for PictureSpec {
    fn default() -> Self {
        Self {
            cells: PictureCells::default(),
            fields: vec![PictureField::Displacement, PictureField::VonMises, PictureField::ContactPressure],
            every: None,
            compression: PictureCompression::default(),
            format: PictureFormat::default(),
        }
    }
}

impl OutputSpec {
    /// Frames while bodies touch, if the scenario does not say.
    pub const CONTACT_FRAMES: usize = 40;

    /// Points at which models keep their modes: pictures of the surface need no modes inside.
    pub fn fields_of_models(&self) -> &'static str {
        if self.pictures().cells == PictureCells::All { "full" } else { "surface" }
    }

    /// How pictures are made.
    pub fn pictures(&self) -> PictureSpec {
        self.pictures.clone().unwrap_or_default()
    }

    /// True if frames keep the velocities of the points of unreduced bodies.
    pub fn keeps_velocities(&self) -> bool {
        self.frame_fields.contains(&FrameField::Velocity)
    }
}

impl Default for OutputSpec {
    fn default() -> Self {
        Self {
            contact_frames: Self::CONTACT_FRAMES,
            precision: Precision::default(),
            frame_fields: FrameField::NAMES.map(|(_, field)| field).to_vec(),
            pictures: Some(PictureSpec::default()),
        }
    }
}
