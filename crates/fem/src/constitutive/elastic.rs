//! The elastic laws by name.

use super::{
    ElasticModuli, Lanes, Law, LawError, NeoHookean, SaintVenantKirchhoff, SmallStrain, Tangent, Tensor,
};

/// One of the elastic laws, for bodies whose law is an input.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ElasticLaw {
    /// Linear elasticity of small strains.
    SmallStrain(SmallStrain),
    /// Hooke's law in Green's strain.
    SaintVenantKirchhoff(SaintVenantKirchhoff),
    /// Compressible neo-Hookean.
    NeoHookean(NeoHookean),
}

impl ElasticLaw {
    /// Names of the laws, as [`ElasticLaw::named`] reads them.
    pub const NAMES: [&'static str; 3] = ["small-strain", "saint-venant-kirchhoff", "neo-hookean"];

    /// The law of that name.
    ///
    /// # Errors
    ///
    /// [`LawError::Unknown`] lists the names; [`LawError::OutOfRange`] if the law excludes these moduli.
    pub fn named(name: &str, moduli: ElasticModuli) -> Result<Self, LawError> {
        match name {
            "small-strain" => Ok(Self::SmallStrain(SmallStrain::new(moduli))),
            "saint-venant-kirchhoff" => Ok(Self::SaintVenantKirchhoff(SaintVenantKirchhoff::new(moduli))),
            "neo-hookean" => NeoHookean::new(moduli).map(Self::NeoHookean),
            _ => Err(LawError::Unknown { name: name.to_owned(), known: Self::NAMES.join(", ") }),
        }
    }
}

/// Calls a function of the inner law: one branch per batch of points, always the same one.
macro_rules! of_law {
    ($self:ident, $law:ident => $call:expr) => {
        match $self {
            Self::SmallStrain($law) => $call,
            Self::SaintVenantKirchhoff($law) => $call,
            Self::NeoHookean($law) => $call,
        }
    };
}

impl Law for ElasticLaw {
    fn name(&self) -> &'static str {
        of_law!(self, law => law.name())
    }

    fn is_objective(&self) -> bool {
        of_law!(self, law => law.is_objective())
    }

    fn elastic_moduli(&self) -> ElasticModuli {
        of_law!(self, law => law.elastic_moduli())
    }

    #[inline(always)]
    fn stored_energy(&self, h: &Tensor, history: &[Lanes]) -> Lanes {
        of_law!(self, law => law.stored_energy(h, history))
    }

    #[inline(always)]
    fn stress(&self, h: &Tensor, old: &[Lanes], new: &mut [Lanes], pk1: &mut Tensor) {
        of_law!(self, law => law.stress(h, old, new, pk1));
    }

    #[inline(always)]
    fn tangent_product(&self, h: &Tensor, old: &[Lanes], dh: &Tensor, d_pk1: &mut Tensor) {
        of_law!(self, law => law.tangent_product(h, old, dh, d_pk1));
    }

    #[inline(always)]
    fn tangent(&self, h: &Tensor, old: &[Lanes], tangent: &mut Tangent) {
        of_law!(self, law => law.tangent(h, old, tangent));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_law_is_refused_with_the_names_of_all() {
        let moduli = ElasticModuli::from_young_poisson(1.0, 0.3).unwrap();
        for name in ElasticLaw::NAMES {
            assert_eq!(ElasticLaw::named(name, moduli).unwrap().name(), name);
        }
        let message = ElasticLaw::named("hook", moduli).unwrap_err().to_string();
        assert_eq!(
            message,
            "there is no constitutive law `hook`; the laws are small-strain, saint-venant-kirchhoff, \
             neo-hookean"
        );
    }
}
