//! The command line.

mod compliance;

use std::path::PathBuf;

use carom_cli::{OptionalOutputArgs, OutputArgs, RunArgs};
use carom_continuum::half_space::PlaceSpec;
use carom_fem::Units;
use carom_reduce::Attachment;
use clap::{Parser, Subcommand, ValueEnum};

use crate::after_help;
use crate::solver::SolverArgs;
use crate::variant::VariantArgs;

pub(crate) use compliance::{Against, ComplianceArgs};

/// Make, compare, inspect and exchange reduced-order models of bodies.
///
/// Exit codes: 0 done, 1 other failure, 2 usage, 3 invalid input, 4 the eigenpairs did not converge, 5 cannot
/// read or write.
#[derive(Debug, Parser)]
#[command(name = "carom-reduce", version, propagate_version = true, after_help = after_help::REDUCE)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,
}

impl Args {
    pub(crate) fn run_args(&self) -> &RunArgs {
        match &self.command {
            Command::Modes(args) => &args.output.run,
            Command::CraigBampton(args) => &args.output.run,
            Command::Export(args) => &args.output.run,
            Command::Import(args) => &args.output.run,
            Command::Info(args) => &args.run,
            Command::Compare(args) => &args.run,
            Command::Compliance(args) => &args.output.run,
        }
    }
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Frequencies and shapes of a body, free or held
    #[command(after_help = after_help::MODES)]
    Modes(ModesArgs),
    /// Reduce a body by constraint modes and fixed-interface modes
    #[command(after_help = after_help::CRAIG_BAMPTON)]
    CraigBampton(CraigBamptonArgs),
    /// Report the content of a reduced-order model
    #[command(after_help = after_help::INFO)]
    Info(InfoArgs),
    /// Write a model for other programs, or the matrices of a body
    #[command(after_help = after_help::EXPORT)]
    Export(ExportArgs),
    /// Make a model from files of another program
    #[command(after_help = after_help::IMPORT)]
    Import(ImportArgs),
    /// Compare a model with its body: frequencies, shapes, static response
    #[command(after_help = after_help::COMPARE)]
    Compare(CompareArgs),
    /// Compliance of the contact regions of a model, and the split that an impact needs
    #[command(after_help = after_help::COMPLIANCE)]
    Compliance(ComplianceArgs),
}

/// How stiffness and mass are integrated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum QuadratureName {
    /// The usual rules, exact for undistorted cells
    Default,
    /// More points, for strongly curved cells
    High,
}

impl QuadratureName {
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::High => "high",
        }
    }
}

/// Frequencies and shapes of a body, free or held.
///
/// Rigid modes are counted too: with --count 18 a free body has 6 modes near zero and 12 elastic modes.
/// Multiple frequencies are complete: the number of modes below the last one is verified by an inertia count.
#[derive(Debug, clap::Args)]
pub(crate) struct ModesArgs {
    /// The body file
    pub(crate) body: PathBuf,
    /// Hold all points of a set, or only their x and z components with =xz (symmetry planes, rollers,
    /// hinges); may be repeated
    #[arg(long = "fix", value_name = "SET|SET=xz")]
    pub(crate) fix: Vec<String>,
    /// Number of modes [default: 18]
    #[arg(long, value_name = "N", conflicts_with = "up_to",
          value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) count: Option<u32>,
    /// All modes up to this frequency [Hz]
    #[arg(long, value_name = "HZ", value_parser = positive)]
    pub(crate) up_to: Option<f64>,
    /// How stiffness and mass are integrated
    #[arg(long, value_enum, default_value = "default")]
    pub(crate) quadrature: QuadratureName,
    #[command(flatten)]
    pub(crate) solver: SolverArgs,
    /// The output is a .vtu file with a displacement field for each mode
    #[command(flatten)]
    pub(crate) output: OptionalOutputArgs,
}

/// Reduce a body by constraint modes and fixed-interface modes.
///
/// The interface consists of the points that other bodies or joints touch. The static response to loads on it
/// is exact. At least one --interface, --interface-nodes, --attach or --places is required.
#[derive(Debug, clap::Args)]
pub(crate) struct CraigBamptonArgs {
    /// The body file
    pub(crate) body: PathBuf,
    #[command(flatten)]
    pub(crate) interface: InterfaceArgs,
    /// Lay smooth loads over a set of faces, or over the surface within R of a point [m], for contact that
    /// does not see the mesh (compliance = "half-space"); may be repeated. With places alone the body is
    /// reduced to the modes that it has without supports
    #[arg(long, value_name = "SET|X,Y,Z:R", allow_hyphen_values = true)]
    pub(crate) places: Vec<PlaceSpec>,
    /// Number of fixed-interface modes [default: 24]
    #[arg(long, value_name = "N", conflicts_with = "up_to",
          value_parser = clap::builder::RangedI64ValueParser::<usize>::new().range(0..=1_000_000_000))]
    pub(crate) modes: Option<usize>,
    /// All fixed-interface modes up to this frequency [Hz]
    #[arg(long, value_name = "HZ", value_parser = positive)]
    pub(crate) up_to: Option<f64>,
    /// Modes of the reduced body up to this frequency [Hz] are dynamic, the others quasistatic [default: the
    /// highest fixed-interface frequency of the model]
    #[arg(long, value_name = "HZ", value_parser = positive)]
    pub(crate) split: Option<f64>,
    /// Points at which the model keeps its modes for pictures and stress [default: surface; full with
    /// --stress]
    #[arg(long, value_enum)]
    pub(crate) fields: Option<FieldsName>,
    /// Keep the stress of each mode, so that the stress of the body is a sum over its modes; with --fields
    /// surface only the stress on the surface. The file grows by 48 bytes for each place and mode
    #[arg(long, value_enum, default_value = "none")]
    pub(crate) stress: StressName,
    /// How stiffness and mass are integrated
    #[arg(long, value_enum, default_value = "default")]
    pub(crate) quadrature: QuadratureName,
    #[command(flatten)]
    pub(crate) solver: SolverArgs,
    /// Take constraint modes and fixed-interface modes from a file of tools/cluster/interior.py instead of
    /// computing them; they are checked. The other flags must be those of `export --format petsc`
    #[arg(long, value_name = "FILE", conflicts_with = "places")]
    pub(crate) modes_from: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) variant: VariantArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

impl CraigBamptonArgs {
    /// Points at which the model keeps its modes: with stress all points, unless a flag says otherwise.
    pub(crate) fn fields(&self) -> FieldsName {
        let unless_given = match self.stress {
            StressName::None => FieldsName::Surface,
            StressName::Nodes | StressName::Gauss => FieldsName::Full,
        };
        self.fields.unwrap_or(unless_given)
    }
}

/// The interface of a reduction and the supports.
#[derive(Debug, clap::Args)]
pub(crate) struct InterfaceArgs {
    /// A set whose points are interface points; may be repeated
    #[arg(long = "interface", value_name = "SET")]
    pub(crate) sets: Vec<String>,
    /// Text file of node numbers, from 1 in the order of the mesh file; all three dofs of each are interface
    /// dofs
    #[arg(long, value_name = "FILE")]
    pub(crate) interface_nodes: Option<PathBuf>,
    /// Tie a set to a marker of six dofs, as a rigid body or by its mean motion; may be repeated. The marker
    /// lies at the area centroid of the set, or at X,Y,Z [m]: for instance on the axis of a bore with a
    /// keyway, which does not contain the centroid
    #[arg(long, value_name = "SET=rigid|mean[@X,Y,Z]")]
    pub(crate) attach: Vec<Attachment>,
    /// Hold all points of a set, or only their x and z components with =xz, to the body frame, which is
    /// grounded; may be repeated. All supports together must leave no rigid motion
    #[arg(long = "fix", value_name = "SET|SET=xz")]
    pub(crate) fix: Vec<String>,
}

impl InterfaceArgs {
    /// The first flag that was given, for outputs that accept none of them.
    pub(crate) fn first_given(&self) -> Option<&'static str> {
        [
            ("--interface", !self.sets.is_empty()),
            ("--interface-nodes", self.interface_nodes.is_some()),
            ("--attach", !self.attach.is_empty()),
            ("--fix", !self.fix.is_empty()),
        ]
        .into_iter()
        .find_map(|(flag, is_given)| is_given.then_some(flag))
    }
}

/// Points at which the model keeps its modes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum FieldsName {
    /// All points
    Full,
    /// Points of the surface: a smaller file, without stress inside
    Surface,
    /// Points of the interface: the smallest file; pictures show the body undeformed
    Interface,
}

/// Where a model keeps the stress of its modes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum StressName {
    /// Nowhere
    None,
    /// At the nodes of a mesh or the lattice points of NURBS knot spans, averaged over the cells of a
    /// material
    Nodes,
    /// At Gauss points, without averaging
    Gauss,
}

/// Report the content of a reduced-order model.
#[derive(Debug, clap::Args)]
pub(crate) struct InfoArgs {
    /// The model file
    pub(crate) rom: PathBuf,
    /// List every column of the basis, and its share in every mode
    #[arg(long)]
    pub(crate) modes: bool,
    #[command(flatten)]
    pub(crate) run: RunArgs,
}

/// Write a model for other programs, or the matrices of a body.
#[derive(Debug, clap::Args)]
pub(crate) struct ExportArgs {
    /// The model file; for mtx also a body file, for petsc a body file
    pub(crate) rom: PathBuf,
    /// npz: NumPy archive with all matrices; sid: SID_FEM for multibody programs; mtx: Matrix Market, of a
    /// model K and M of its modes as FILE.K.mtx and FILE.M.mtx, of a body the full sparse ones with
    /// FILE.nodes.txt (number x y z); petsc: K and M of a body in the binary format of PETSc as FILE.K.petsc
    /// and FILE.M.petsc, and with an interface FILE.problem.npz for tools/cluster/interior.py
    #[arg(long, value_enum, default_value = "npz")]
    pub(crate) format: ExportFormat,
    /// sid: the nodes of the file
    #[arg(long, value_enum, default_value = "interface")]
    pub(crate) nodes: NodesName,
    /// sid: write only the lowest N modes [default: all]; petsc: number of fixed-interface modes to compute
    /// [default: 24]
    #[arg(long, value_name = "N")]
    pub(crate) modes: Option<usize>,
    /// petsc: compute all fixed-interface modes up to this frequency [Hz]
    #[arg(long, value_name = "HZ", value_parser = positive, conflicts_with = "modes")]
    pub(crate) up_to: Option<f64>,
    #[command(flatten, next_help_heading = "Interface (petsc)")]
    pub(crate) interface: InterfaceArgs,
    /// mtx and petsc of a body: how stiffness and mass are integrated
    #[arg(long, value_enum, default_value = "default")]
    pub(crate) quadrature: QuadratureName,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

/// Formats of other programs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ExportFormat {
    /// NumPy archive
    Npz,
    /// SID_FEM
    Sid,
    /// Matrix Market
    Mtx,
    /// Binary files of PETSc
    Petsc,
}

/// Nodes of a SID_FEM file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum NodesName {
    /// One for each interface: it follows the mean motion of its area
    Sets,
    /// The nodes of `sets` and every point of the interfaces
    Interface,
    /// The nodes of `interface` and every point at which the model keeps its modes (meshes only)
    Fields,
}

/// Make a model from files of another program: a SID_FEM file, or stiffness and mass with a list of the
/// nodes.
///
/// Such a model has no surfaces: joints, supports and loads can act on it, but it cannot touch other bodies.
/// Matrices must be those of a free body of solid elements; they are reduced as by `craig-bampton`. The
/// format is recognised from the content of the file: Matrix Market, Harwell-Boeing (Ansys, HBMAT), `row
/// column value` (CalculiX, .sti and .mas; Abaqus, FORMAT=COORDINATE) or `node dof node dof value` (Abaqus,
/// FORMAT=MATRIX INPUT).
#[derive(Debug, clap::Args)]
pub(crate) struct ImportArgs {
    /// FILE.SID_FEM, or stiffness and mass in this order
    #[arg(required = true, num_args = 1..=2)]
    pub(crate) files: Vec<PathBuf>,
    /// Matrices: text file with a line `number x y z` [m] for each node, or an .inp file; in the order of the
    /// dofs unless --dofs names them
    #[arg(long, value_name = "LIST")]
    pub(crate) nodes: Option<PathBuf>,
    /// Matrices: file that names node and direction of each row: .dof of CalculiX (`node.direction`),
    /// .mapping of Ansys (`row node label`). [default: a file with the name of the stiffness file in its
    /// folder; if there is none, the rows are x, y, z of each node in the order of LIST]
    #[arg(long, value_name = "FILE")]
    pub(crate) dofs: Option<PathBuf>,
    /// Matrices: units of stiffness, mass and node list, as length, mass and time: mm-t-s for a model in mm,
    /// N and MPa [default: SI]
    #[arg(long, value_name = "LENGTH-MASS-TIME")]
    pub(crate) units: Option<Units>,
    /// Matrices: factor on the coordinates of LIST only, such as 1e-3 for coordinates in millimetres and
    /// matrices in N/m and kg
    #[arg(long, value_name = "S", value_parser = above_zero, conflicts_with = "units")]
    pub(crate) scale: Option<f64>,
    /// Matrices: text file with the numbers (as in LIST) of the interface nodes
    #[arg(long, value_name = "FILE")]
    pub(crate) interface_nodes: Option<PathBuf>,
    /// Matrices: number of fixed-interface modes [default: 24]
    #[arg(long, value_name = "N", conflicts_with = "up_to")]
    pub(crate) modes: Option<usize>,
    /// Matrices: all fixed-interface modes up to this frequency [Hz]
    #[arg(long, value_name = "HZ", value_parser = positive)]
    pub(crate) up_to: Option<f64>,
    /// Modes up to this frequency [Hz] are dynamic, the others quasistatic [default: all modes of a SID_FEM
    /// file are dynamic; of matrices those up to the highest fixed-interface frequency]
    #[arg(long, value_name = "HZ", value_parser = positive)]
    pub(crate) split: Option<f64>,
    #[command(flatten)]
    pub(crate) solver: SolverArgs,
    #[command(flatten)]
    pub(crate) variant: VariantArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

/// Compare a model with its body: frequencies, shapes (modal assurance criterion, MAC), and static response
/// to unit loads.
///
/// Modes of the body whose frequencies differ by less than 0.5 % are compared as a space. The loads are a
/// unit force and a unit moment along each axis, spread over each interface set. The energy error is the
/// error of the displacement in the norm of the elastic energy.
#[derive(Debug, clap::Args)]
pub(crate) struct CompareArgs {
    /// The model file
    pub(crate) rom: PathBuf,
    /// The body file that the model was made from
    pub(crate) body: PathBuf,
    /// Number of elastic modes to compare
    #[arg(long, value_name = "N", default_value_t = 12, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) count: u32,
    /// Largest admissible relative error of a frequency or a static displacement; the MAC of a shape must be
    /// at least 0.95
    #[arg(long, value_name = "PART", default_value_t = 0.01, value_parser = part)]
    pub(crate) tolerance: f64,
    /// Exit with code 1 if any error is too large
    #[arg(long)]
    pub(crate) check: bool,
    #[command(flatten)]
    pub(crate) solver: SolverArgs,
    #[command(flatten)]
    pub(crate) run: RunArgs,
}

fn above_zero(text: &str) -> Result<f64, String> {
    match text.trim().parse() {
        Ok(value) if value > 0.0 && f64::is_finite(value) => Ok(value),
        _ => Err("give a number above 0".to_owned()),
    }
}

fn positive(text: &str) -> Result<f64, String> {
    match text.trim().parse() {
        Ok(value) if value > 0.0 && f64::is_finite(value) => Ok(value),
        _ => Err("give a frequency above 0 in Hz".to_owned()),
    }
}

fn part(text: &str) -> Result<f64, String> {
    match text.trim().parse() {
        Ok(value) if value > 0.0 && value < 1.0 => Ok(value),
        _ => Err("give a number between 0 and 1, such as 0.01".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    #[test]
    fn examples_of_the_help_are_valid_calls() {
        assert_eq!(carom_cli::examples::check(&super::Args::command()), Ok(()));
    }
}
