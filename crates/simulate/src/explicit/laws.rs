//! Constitutive laws of unreduced bodies by the materials of a scenario.

use carom_fem::constitutive::{ElasticLaw, ElasticModuli, Hardening, LawError, Plastic, SolidLaw};
use carom_format::scenario::model::{
    BodySpec as SpecOfBody, HardeningSpec, MaterialLaw, MaterialSpec, Scenario,
};

/// The law of the material of a body; linear for materials that the scenario does not define.
pub(crate) fn law_of(scenario: &Scenario, spec: &SpecOfBody) -> MaterialLaw {
    material_of(scenario, spec).map_or(MaterialLaw::Linear, |material| material.law)
}

/// The material of a body that the scenario defines.
pub(crate) fn material_of<'a>(scenario: &'a Scenario, spec: &SpecOfBody) -> Option<&'a MaterialSpec> {
    spec.material.as_ref().and_then(|name| scenario.material.get(name))
}

/// The law of a material with these moduli.
pub(crate) fn solid_law(
    material: Option<&MaterialSpec>,
    moduli: ElasticModuli,
) -> Result<SolidLaw, LawError> {
    let law = material.map_or(MaterialLaw::Linear, |material| material.law);
    let (MaterialLaw::Plastic, Some(material)) = (law, material) else {
        // The scalar wave equation has a stiffness of its own and no stress; its scheme asks for it.
        let name = if law == MaterialLaw::ScalarWave { MaterialLaw::Linear.name() } else { law.name() };
        return ElasticLaw::named(name, moduli).map(SolidLaw::Elastic);
    };
    let yield_stress = material.yield_stress.unwrap_or_default();
    let hardening = match &material.hardening {
        Some(HardeningSpec::Table(points)) => Hardening::table(points)?,
        Some(HardeningSpec::Modulus(modulus)) => Hardening::linear(yield_stress, *modulus)?,
        None => Hardening::linear(yield_stress, 0.0)?,
    };
    Plastic::new(moduli, hardening).map(SolidLaw::Plastic)
}
