//! The command line.

use std::path::PathBuf;

use carom_cli::{OutputArgs, RunArgs};
use carom_fem::Units;
use carom_make::shape::Grade;
use carom_make::{NearPlace, Place, Shape, ShapeOptions, Zone};
use carom_mesh::{SizeNear, SolidChoice};
use clap::builder::RangedI64ValueParser;
use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::after_help;
use crate::material::{MaterialArgs, PartMaterialArgs};

/// Make, import, refine, inspect and convert bodies. Quantities are in SI units.
#[derive(Debug, Parser)]
#[command(name = "carom-mesh", version, propagate_version = true, after_help = after_help::MESH)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

impl Arguments {
    /// The flags that all commands share.
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
    /// Report the content of a body file, or of a mesh or NURBS file.
    #[command(after_help = after_help::INFO)]
    Info(InfoArgs),
    /// Write a body as a file of another program.
    #[command(after_help = after_help::CONVERT)]
    Convert(ConvertArgs),
    /// List the named materials.
    #[command(after_help = after_help::MATERIALS)]
    Materials(RunArgs),
}

/// A shape and its material.
#[derive(Debug, Args)]
pub(crate) struct MakeArgs {
    /// Shape to make.
    #[arg(value_enum)]
    pub(crate) shape: ShapeName,

    /// Radius [m]; of a torus, that of its centre line.
    #[arg(long, value_name = "R")]
    pub(crate) radius: Option<f64>,

    /// Inner radius of a shell or tube; radius of the section of a torus [m].
    #[arg(long, value_name = "R")]
    pub(crate) inner_radius: Option<f64>,

    /// Length of a rod or tube; length of a capsule from tip to tip [m].
    #[arg(long, value_name = "L")]
    pub(crate) length: Option<f64>,

    /// Edges of a box or plate [m].
    #[arg(long, value_name = "A,B,C", value_parser = three_numbers)]
    pub(crate) size: Option<[f64; 3]>,

    /// Half lengths of an ellipsoid along x, y, z [m].
    #[arg(long, value_name = "A,B,C", value_parser = three_numbers)]
    pub(crate) semi_axes: Option<[f64; 3]>,

    /// Radius of the sets pole, start_pole, end_pole [m], at most the radius of the shape [default: a tenth
    /// of it].
    #[arg(long, value_name = "R")]
    pub(crate) pole_radius: Option<f64>,

    /// Concentrate the patches of a NURBS ball at its pole: lengths there shrink by this factor, 1 to 2.8.
    /// This saves dofs in a ball that is graded towards a small contact.
    #[arg(long, value_name = "F")]
    pub(crate) focus: Option<f64>,

    /// Degree of a NURBS body [default: the lowest exact degree, at least 2].
    #[arg(long, value_name = "P", value_parser = any_count())]
    pub(crate) degree: Option<usize>,

    /// Number of knot spans or cells along the directions of the shape: one number for all, or one for each.
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

    /// Order of the hexahedra [default: 2].
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
    /// Where cells are small: a point or a set of faces.
    #[arg(long, value_name = "SET|X,Y,Z", requires = "finest", allow_hyphen_values = true)]
    pub(crate) grade: Option<Place>,

    /// Size of the small cells [m].
    #[arg(long, value_name = "H", requires = "grade")]
    pub(crate) finest: Option<f64>,

    /// Radius within which cells have the size --finest [m] [default: the radius of the set, or four cells
    /// around a point].
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
    /// Make a named set from the part of a set within a radius of a point [m], such as
    /// hit=top@0.02,0,0.01:0.001. --grade and --near can use the new set, in any order of the flags.
    #[arg(long = "zone", value_name = "NAME=SET@X,Y,Z:R", allow_hyphen_values = true)]
    pub(crate) zones: Vec<Zone>,
}

#[derive(Debug, Args)]
pub(crate) struct ImportArgs {
    /// The file, in one of the formats of the table in the crate `make`.
    #[arg(help = format!("File: {}", carom_make::formats::readable()))]
    pub(crate) file: PathBuf,

    /// The solid of a CAD file that becomes the body, by its number or name (`carom-mesh info FILE` lists
    /// them), or all: a body file for each, the name or number of the solid after the name of the output.
    /// Faces at which it touches solid M become the set tie-N-M, the lower number first.
    #[arg(long, value_name = "N|NAME|all")]
    pub(crate) solid: Option<SolidChoice>,

    /// Size of the cells in the mesh of a CAD file [m].
    #[arg(long, value_name = "H")]
    pub(crate) size: Option<f64>,

    /// Small cells of size H in the mesh of a CAD file, within R of a point or at a set of faces [m]; the
    /// size grows by 0.3 of the distance from there. May be repeated.
    #[arg(long, value_name = "X,Y,Z:R=H|SET=H", allow_hyphen_values = true)]
    pub(crate) near: Vec<SizeNear>,

    /// Longest time for meshing a CAD file [s] [default: 900].
    #[arg(long, value_name = "S", value_parser = positive)]
    pub(crate) time_limit: Option<f64>,

    /// Order of the cells in the mesh of a CAD file.
    #[arg(long, value_name = "1|2", value_parser = clap::value_parser!(u8).range(1..=2))]
    pub(crate) order: Option<u8>,

    /// Mesh a CAD file with hexahedra, where Gmsh can make them.
    #[arg(long)]
    pub(crate) hex: bool,

    /// Thickness of shells [m]: the surfaces of a .msh file become shells; in an .inp file, for shells
    /// without a section.
    #[arg(long, value_name = "T")]
    pub(crate) thickness: Option<f64>,

    /// Factor on all coordinates, such as 1e-3 for a mesh in millimetres.
    #[arg(long, value_name = "S", conflicts_with = "units")]
    pub(crate) scale: Option<f64>,

    /// Units of the file, as length, mass and time: mm-t-s for mm, N and MPa, mm-kg-ms for mm, kN and GPa.
    /// Scales the coordinates, and density and Young's modulus of the materials in the file. STEP and IGES
    /// files contain their unit of length.
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

    /// Undo refinement: remove the knots and degrees that the shape of a NURBS body does not need. Other
    /// options are applied afterwards: --elevate first, then --subdivide (k-refinement), then --grade.
    #[arg(long)]
    pub(crate) coarsen: bool,

    /// Largest distance by which --coarsen may move points [m] [default: 1e-9 of the body's diameter, as
    /// rounding].
    #[arg(long, value_name = "D", requires = "coarsen")]
    pub(crate) tolerance: Option<f64>,

    /// Raise the degrees of a NURBS body by this number. It is applied before --subdivide, so that the basis
    /// at new knots is as smooth as the new degree allows (k-refinement).
    #[arg(long, value_name = "K", value_parser = RangedI64ValueParser::<usize>::new().range(1..=11))]
    pub(crate) elevate: Option<usize>,

    /// Divide every cell or knot span into this many parts in each direction.
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
    /// Halve the knot spans of a NURBS body (hierarchical B-splines), or the edges of tetrahedra (bisection),
    /// only near a point or a set of faces. This must be the last step for a NURBS body: degrees and knots of
    /// whole patches cannot change afterwards.
    #[arg(long, value_name = "SET|X,Y,Z", requires = "levels", allow_hyphen_values = true)]
    pub(crate) near: Option<Place>,

    /// Distance within which knot spans or tetrahedra get the finest level [m] [default: the radius of a pole
    /// or zone of a NURBS body, otherwise 0: those that touch the place].
    #[arg(long = "radius", value_name = "R", requires = "near")]
    pub(crate) near_radius: Option<f64>,

    /// How often they are halved there: knot spans counted from those before any local refinement, edges of
    /// tetrahedra from those of the given mesh.
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
    /// Body file; or a mesh or NURBS file, which is read as by `import`, with steel as its material; or a CAD
    /// file, whose solids are listed.
    pub(crate) body: PathBuf,

    /// Density for the masses of the solids of a CAD file [kg/m³].
    #[arg(long, value_name = "R", value_parser = positive)]
    pub(crate) density: Option<f64>,

    /// Draw the body with its cells, and each set with its name in a different colour.
    #[arg(long, value_name = "FILE.png|svg")]
    pub(crate) picture: Option<PathBuf>,

    /// Report area, centre and mean normal of each set with faces.
    #[arg(long)]
    pub(crate) faces: bool,

    /// Report the point of the surface that is closest to this point [m], its normal and the sets there.
    #[arg(long, value_name = "X,Y,Z", value_parser = three_numbers, allow_hyphen_values = true)]
    pub(crate) at: Option<[f64; 3]>,

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

/// A count; its range is checked where it is used.
fn any_count() -> RangedI64ValueParser<usize> {
    RangedI64ValueParser::new().range(0..=1_000_000_000)
}

fn positive(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(value) if value > 0.0 && f64::is_finite(value) => Ok(value),
        _ => Err("give a number above 0".to_owned()),
    }
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
    fn examples_of_the_help_are_valid_calls() {
        assert_eq!(carom_cli::examples::check(&super::Arguments::command()), Ok(()));
    }
}
