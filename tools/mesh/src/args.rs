//! The command line.

use std::path::PathBuf;

use carom_cli::{OutputArgs, RunArgs};
use carom_fem::Units;
use carom_make::shape::Grade;
use carom_make::{NearPlace, Place, Shape, ShapeOptions, Zone};
use clap::builder::RangedI64ValueParser;
use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::after_help;
use crate::material::{MaterialArgs, PartMaterialArgs};

/// Makes, imports, refines, inspects and converts bodies. Quantities are SI units.
#[derive(Debug, Parser)]
#[command(name = "carom-mesh", version, propagate_version = true, after_help = after_help::MESH)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

impl Arguments {
    /// The flags that every command shares.
    pub(crate) fn run(&self) -> &RunArgs {
        match &self.command {
            Command::Make(args) => &args.output.run,
            Command::Import(args) => &args.output.run,
            Command::Refine(args) => &args.output.run,
            Command::Convert(args) => &args.output.run,
            Command::Info(args) => &args.run,
            Command::Materials(run) => run,
        }
    }
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Make a body of a simple shape, as exact NURBS or as hexahedra.
    #[command(after_help = after_help::MAKE)]
    Make(MakeArgs),
    /// Read a mesh, NURBS or CAD file.
    #[command(after_help = after_help::IMPORT)]
    Import(ImportArgs),
    /// Make the cells of a body finer.
    #[command(after_help = after_help::REFINE)]
    Refine(RefineArgs),
    /// Report what a body file, or a mesh or NURBS file, holds.
    #[command(after_help = after_help::INFO)]
    Info(InfoArgs),
    /// Write a body as a file of another program.
    #[command(after_help = after_help::CONVERT)]
    Convert(ConvertArgs),
    /// List the named materials.
    #[command(after_help = after_help::MATERIALS)]
    Materials(RunArgs),
}

/// A shape and what it is made of.
#[derive(Debug, Args)]
pub(crate) struct MakeArgs {
    /// Shape to make.
    #[arg(value_enum)]
    pub(crate) shape: ShapeName,

    /// Radius [m]; of a torus, that of its centre line.
    #[arg(long, value_name = "R")]
    pub(crate) radius: Option<f64>,

    /// Inner radius of a shell or tube, radius of the section of a torus [m].
    #[arg(long, value_name = "R")]
    pub(crate) inner_radius: Option<f64>,

    /// Length of a rod or tube, of a capsule from tip to tip [m].
    #[arg(long, value_name = "L")]
    pub(crate) length: Option<f64>,

    /// Edges of a box or plate [m].
    #[arg(long, value_name = "A,B,C", value_parser = three_numbers)]
    pub(crate) size: Option<[f64; 3]>,

    /// Half lengths of an ellipsoid along x, y, z [m].
    #[arg(long, value_name = "A,B,C", value_parser = three_numbers)]
    pub(crate) semi_axes: Option<[f64; 3]>,

    /// Radius of the sets called pole, start_pole, end_pole [m], at most that of the shape; a tenth of it if
    /// not given.
    #[arg(long, value_name = "R")]
    pub(crate) pole_radius: Option<f64>,

    /// Draw the patches of a NURBS ball towards its pole: lengths there shrink by this factor, 1 to 2.8.
    /// Saves dofs of a ball that is graded towards a small contact.
    #[arg(long, value_name = "F")]
    pub(crate) focus: Option<f64>,

    /// Degree of a NURBS body; the lowest exact one, at least 2, if not given.
    #[arg(long, value_name = "P", value_parser = any_count())]
    pub(crate) degree: Option<usize>,

    /// Spans or cells along the directions of the shape, one number for all or one each.
    #[arg(long, value_name = "N[,N,N]", value_delimiter = ',', num_args = 1, value_parser = any_count())]
    pub(crate) elements: Vec<usize>,

    #[command(flatten)]
    pub(crate) grade: GradeArgs,

    /// Exact NURBS (the default).
    #[arg(long, conflicts_with = "hex")]
    pub(crate) nurbs: bool,

    /// Hexahedra.
    #[arg(long)]
    pub(crate) hex: bool,

    /// Order of the hexahedra; 2 if not given.
    #[arg(long, value_name = "1|2", requires = "hex")]
    pub(crate) order: Option<u8>,

    #[command(flatten)]
    pub(crate) material: MaterialArgs,

    #[command(flatten)]
    pub(crate) zones: ZoneArgs,

    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum ShapeName {
    Ball,
    Octant,
    Ellipsoid,
    Shell,
    Rod,
    Capsule,
    Tube,
    Box,
    Plate,
    Torus,
}

#[derive(Debug, Args)]
pub(crate) struct GradeArgs {
    /// Small cells here: a point or a set of faces.
    #[arg(long, value_name = "SET|X,Y,Z", requires = "finest", allow_hyphen_values = true)]
    pub(crate) grade: Option<Place>,

    /// Size of the small cells [m].
    #[arg(long, value_name = "H", requires = "grade")]
    pub(crate) finest: Option<f64>,

    /// Radius within which cells are that small [m]; that of the set, or four cells around a point, if not
    /// given.
    #[arg(long, value_name = "R", requires = "grade")]
    pub(crate) grade_radius: Option<f64>,
}

impl GradeArgs {
    pub(crate) fn grade(&self) -> Option<Grade> {
        let (at, finest) = (self.grade.clone()?, self.finest?);
        Some(Grade { at, finest, radius: self.grade_radius })
    }
}

#[derive(Debug, Args)]
pub(crate) struct ZoneArgs {
    /// Name the part of a set within a radius of a point [m] as a set of its own, such as
    /// hit=top@0.02,0,0.01:0.001. Where on the line this stands makes no difference: --grade hit and --near
    /// hit find it.
    #[arg(long = "zone", value_name = "NAME=SET@X,Y,Z:R", allow_hyphen_values = true)]
    pub(crate) zones: Vec<Zone>,
}

#[derive(Debug, Args)]
pub(crate) struct ImportArgs {
    /// File: .msh (Gmsh), .inp (Abaqus, CalculiX), .vtu (VTK, meshio); NURBS as .xml (G+Smo), .mesh (MFEM),
    /// .txt (GeoPDEs), .json (geomdl, splinepy), .npz (splinepy), .dat (PetIGA), .itd (IRIT); .step .stp
    /// .iges .igs .brep .geo are meshed by carom-gmsh.
    pub(crate) file: PathBuf,

    /// Size of the cells of a CAD file [m].
    #[arg(long, value_name = "H")]
    pub(crate) size: Option<f64>,

    /// Order of the cells of a CAD file.
    #[arg(long, value_name = "1|2", value_parser = clap::value_parser!(u8).range(1..=2))]
    pub(crate) order: Option<u8>,

    /// Hexahedra for a CAD file, where Gmsh can make them.
    #[arg(long)]
    pub(crate) hex: bool,

    /// Factor on all coordinates, such as 1e-3 for a mesh in millimetres.
    #[arg(long, value_name = "S", conflicts_with = "units")]
    pub(crate) scale: Option<f64>,

    /// Units of the file, as length, mass and time: mm-t-s for mm, N and MPa, mm-kg-ms for mm, kN and GPa.
    /// Scales the coordinates, and density and Young's modulus of the file's own materials. STEP and IGES
    /// files say their unit of length themselves.
    #[arg(long, value_name = "L-M-T")]
    pub(crate) units: Option<Units>,

    #[command(flatten)]
    pub(crate) material: PartMaterialArgs,

    #[command(flatten)]
    pub(crate) zones: ZoneArgs,

    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

#[derive(Debug, Args)]
pub(crate) struct RefineArgs {
    /// Body file.
    pub(crate) body: PathBuf,

    /// Remove the knots and degrees that the shape of a NURBS body does not need: undoes refinement. Other
    /// options apply afterwards, --elevate first, then --subdivide (k-refinement), then --grade.
    #[arg(long)]
    pub(crate) coarsen: bool,

    /// How far --coarsen may move points [m]; as rounding does, 1e-9 of the body's diameter, if not given.
    #[arg(long, value_name = "D", requires = "coarsen")]
    pub(crate) tolerance: Option<f64>,

    /// Raise the degrees of a NURBS body by this. With --subdivide this comes first, so that new knots are as
    /// smooth as the new degree allows (k-refinement).
    #[arg(long, value_name = "K", value_parser = RangedI64ValueParser::<usize>::new().range(1..=11))]
    pub(crate) elevate: Option<usize>,

    /// Divide every cell or span into this many in each direction.
    #[arg(long, value_name = "N", value_parser = RangedI64ValueParser::<usize>::new().range(1..=1000))]
    pub(crate) subdivide: Option<usize>,

    #[command(flatten)]
    pub(crate) grade: GradeArgs,

    #[command(flatten)]
    pub(crate) near: NearArgs,

    #[command(flatten)]
    pub(crate) zones: ZoneArgs,

    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

#[derive(Debug, Args)]
pub(crate) struct NearArgs {
    /// Halve the spans of a NURBS body near a point or a set of faces, and there alone (hierarchical
    /// B-splines); the last step: degrees and knots of whole patches cannot change afterwards.
    #[arg(long, value_name = "SET|X,Y,Z", requires = "levels", allow_hyphen_values = true)]
    pub(crate) near: Option<Place>,

    /// Spans that come as near as this get the finest level [m]; that of a pole or zone, else 0, if not
    /// given.
    #[arg(long = "radius", value_name = "R", requires = "near")]
    pub(crate) near_radius: Option<f64>,

    /// How often spans are halved there, counted from the spans before any local refinement.
    #[arg(long, value_name = "L", requires = "near", value_parser = any_count())]
    pub(crate) levels: Option<usize>,
}

impl NearArgs {
    pub(crate) fn near(&self) -> Option<NearPlace> {
        let (at, levels) = (self.near.clone()?, self.levels?);
        Some(NearPlace { at, radius: self.near_radius, levels })
    }
}

#[derive(Debug, Args)]
pub(crate) struct InfoArgs {
    /// Body file; or a mesh or NURBS file, which is read as `import` does, of steel.
    pub(crate) body: PathBuf,

    /// Draw the body with its cells, each set in a colour of its own and with its name.
    #[arg(long, value_name = "FILE.png|svg")]
    pub(crate) picture: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) run: RunArgs,
}

#[derive(Debug, Args)]
pub(crate) struct ConvertArgs {
    /// Body file.
    pub(crate) body: PathBuf,

    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

impl MakeArgs {
    /// The options of the library.
    pub(crate) fn options(&self) -> ShapeOptions {
        ShapeOptions {
            shape: self.shape.shape(),
            radius: self.radius,
            inner_radius: self.inner_radius,
            length: self.length,
            size: self.size,
            semi_axes: self.semi_axes,
            pole_radius: self.pole_radius,
            focus: self.focus,
            degree: self.degree,
            elements: self.elements.clone(),
            grade: self.grade.grade().into_iter().collect(),
            hex: self.hex,
            order: self.order,
            elevate: None,
            subdivide: None,
            zones: self.zones.zones.clone(),
        }
    }
}

impl ShapeName {
    fn shape(self) -> Shape {
        match self {
            Self::Ball => Shape::Ball,
            Self::Octant => Shape::Octant,
            Self::Ellipsoid => Shape::Ellipsoid,
            Self::Shell => Shape::Shell,
            Self::Rod => Shape::Rod,
            Self::Capsule => Shape::Capsule,
            Self::Tube => Shape::Tube,
            Self::Box => Shape::Box,
            Self::Plate => Shape::Plate,
            Self::Torus => Shape::Torus,
        }
    }
}

/// Numbers of things; what they count says how many there may be.
fn any_count() -> RangedI64ValueParser<usize> {
    RangedI64ValueParser::new().range(0..=1_000_000_000)
}

fn three_numbers(text: &str) -> Result<[f64; 3], String> {
    match text.parse() {
        Ok(Place::Point(numbers)) => Ok(numbers),
        _ => Err("give three numbers in metres, such as 0.1,0.02,0.01".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        super::Arguments::command().debug_assert();
    }

    #[test]
    fn examples_of_the_help_are_taken() {
        assert_eq!(carom_cli::examples::check(&super::Arguments::command()), Ok(()));
    }
}
