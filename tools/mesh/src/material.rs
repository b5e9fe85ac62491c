//! What bodies are made of, on the command line.

use carom_cli::{Category, Failure, FailureContext};
use carom_fem::Material;
use carom_fem::plausible::plain;
use clap::Args;

/// A material that has no name.
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

/// Tells that nobody said what the body is made of.
pub(crate) fn taken_by_default(material: &Material) -> String {
    let Material { name, density, young, poisson } = material;
    format!(
        "no material is given: {name} is taken ({density} kg/m³, {} Pa, {poisson}); --material or --density, \
         --young and --poisson say another",
        plain(*young)
    )
}

/// What a body is made of.
#[derive(Debug, Args)]
pub(crate) struct MaterialArgs {
    /// Material by name (see `carom-mesh materials`); steel if nothing is given.
    #[arg(long, value_name = "NAME", conflicts_with_all = ["density", "young", "poisson"])]
    pub(crate) material: Option<String>,

    #[command(flatten)]
    constants: ConstantArgs,
}

impl MaterialArgs {
    /// Whether any flag was given.
    pub(crate) fn is_given(&self) -> bool {
        self.material.is_some() || self.constants.density.is_some()
    }

    /// The material that the flags say.
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

/// What the parts of a file are made of.
#[derive(Debug, Args)]
pub(crate) struct PartMaterialArgs {
    /// Material by name (see `carom-mesh materials`), of all cells or of a set of cells (a physical volume of
    /// Gmsh, an element set); may be repeated: --material steel --material lining=bronze. Steel if nothing is
    /// given, or what an .inp file says.
    #[arg(long = "material", value_name = "NAME|SET=NAME")]
    pub(crate) materials: Vec<String>,

    #[command(flatten)]
    constants: ConstantArgs,
}

impl PartMaterialArgs {
    /// The material of cells that no set is named for, if one is given, and those of sets.
    pub(crate) fn materials(&self) -> Result<(Option<Material>, Vec<OfSet>), Failure> {
        let (of_sets, of_all): (Vec<&String>, Vec<&String>) =
            self.materials.iter().partition(|text| text.contains('='));
        if of_all.len() > 1 || (!of_all.is_empty() && self.constants.density.is_some()) {
            let what = "two materials are given for all cells".to_owned();
            return Err(Failure::new(Category::Usage, what).hint(
                "say which cells are of which: --material SET=NAME; `carom-mesh info` lists the sets",
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
