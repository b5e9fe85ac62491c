//! Materials on the command line.

use carom_cli::{Category, Failure, FailureContext};
use carom_fem::Material;
use carom_fem::plausible::plain;
use clap::Args;

/// A material given by its constants.
#[derive(Debug, Clone, Copy, Args)]
struct ConstantArgs {
    /// Density [kg/m³].
    #[arg(long, value_name = "R", requires_all = ["young", "poisson"])]
    density: Option<f64>,

    /// Young's modulus [Pa].
    #[arg(long, value_name = "E", requires_all = ["density", "poisson"])]
    young: Option<f64>,

    /// Poisson's ratio.
    #[arg(long, value_name = "N", requires_all = ["density", "young"])]
    poisson: Option<f64>,
}

/// A note that the default material is used.
pub(crate) fn default_material_note(material: &Material) -> String {
    let Material { name, density, young, poisson } = material;
    format!(
        "no material is given: {name} is used ({density} kg/m³, {} Pa, {poisson}); choose another with \
         --material or with --density, --young and --poisson",
        plain(*young)
    )
}

/// The material of a body.
#[derive(Debug, Args)]
pub(crate) struct MaterialArgs {
    /// Name of the material (see `carom-mesh materials`) [default: steel].
    #[arg(long, value_name = "NAME", conflicts_with_all = ["density", "young", "poisson"])]
    pub(crate) material: Option<String>,

    #[command(flatten)]
    constants: ConstantArgs,
}

impl MaterialArgs {
    /// True if any flag was given.
    pub(crate) fn is_given(&self) -> bool {
        self.material.is_some() || self.constants.density.is_some()
    }

    /// The material given by the flags.
    pub(crate) fn material(&self) -> Result<Material, Failure> {
        let ConstantArgs { density, young, poisson } = self.constants;
        match (density, young, poisson) {
            (Some(density), Some(young), Some(poisson)) => {
                Material::new("custom", density, young, poisson).or_fail(Category::Input)
            }
            _ => Material::named(self.material.as_deref().unwrap_or("steel")).or_fail(Category::Input),
        }
    }
}

/// A set of cells and its material.
pub(crate) type OfSet = (String, Material);

/// The materials of the parts of a file.
#[derive(Debug, Args)]
pub(crate) struct PartMaterialArgs {
    /// Name of the material (see `carom-mesh materials`) of all cells, or of a set of cells (a physical
    /// volume of Gmsh, an element set); may be repeated: --material steel --material lining=bronze [default:
    /// the materials of an .inp file, otherwise steel].
    #[arg(long = "material", value_name = "NAME|SET=NAME")]
    pub(crate) materials: Vec<String>,

    #[command(flatten)]
    constants: ConstantArgs,
}

impl PartMaterialArgs {
    /// The material of the remaining cells, if one is given, and the materials of sets.
    pub(crate) fn materials(&self) -> Result<(Option<Material>, Vec<OfSet>), Failure> {
        let (of_sets, of_all): (Vec<&String>, Vec<&String>) =
            self.materials.iter().partition(|text| text.contains('='));
        if of_all.len() > 1 || (!of_all.is_empty() && self.constants.density.is_some()) {
            let what = "two materials are given for all cells".to_owned();
            return Err(Failure::new(Category::Usage, what).hint(
                "assign each material to a set of cells: --material SET=NAME; `carom-mesh info` lists the \
                 sets",
            ));
        }
        let whole =
            MaterialArgs { material: of_all.first().map(|name| (*name).clone()), constants: self.constants };
        let of_sets = of_sets.into_iter().map(|text| {
            let (set, name) = text.rsplit_once('=').expect("these have an equals sign");
            Ok((set.to_owned(), Material::named(name).or_fail(Category::Input)?))
        });
        let of_sets = of_sets.collect::<Result<Vec<_>, Failure>>()?;
        Ok((if whole.is_given() { Some(whole.material()?) } else { None }, of_sets))
    }
}
