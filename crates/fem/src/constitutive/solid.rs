//! All laws of solids as one type, for bodies with a law as input.

use super::{ElasticLaw, ElasticModuli, Flow, Lanes, Law, Plastic, SmallStrain, Symmetric, Tangent, Tensor};
use crate::Discretisation;

/// An elastic or elastic-plastic law.
#[derive(Debug, Clone, PartialEq)]
pub enum SolidLaw {
    /// An elastic law, without history.
    Elastic(ElasticLaw),
    /// Von Mises plasticity.
    Plastic(Plastic),
}

/// Linear elasticity of each block of a body, by its materials.
pub fn linear_laws(discretisation: &Discretisation) -> Vec<SolidLaw> {
    let law = |block: &crate::Block| {
        let moduli = ElasticModuli::of(&discretisation.materials[block.material]);
        SolidLaw::Elastic(ElasticLaw::SmallStrain(SmallStrain::new(moduli)))
    };
    discretisation.blocks.iter().map(law).collect()
}

/// Calls a function of the inner law: one branch per batch of points, always the same one.
macro_rules! of_law {
    ($self:ident, $law:ident => $call:expr) => {
        match $self {
            Self::Elastic($law) => $call,
            Self::Plastic($law) => $call,
        }
    };
}

impl Law for SolidLaw {
    fn name(&self) -> &'static str {
        of_law!(self, law => law.name())
    }

    fn is_objective(&self) -> bool {
        of_law!(self, law => law.is_objective())
    }

    fn is_symmetric(&self) -> bool {
        of_law!(self, law => law.is_symmetric())
    }

    fn elastic_moduli(&self) -> ElasticModuli {
        of_law!(self, law => law.elastic_moduli())
    }

    #[inline(always)]
    fn flow(&self, old: &[Lanes], new: &[Lanes]) -> Option<Flow> {
        of_law!(self, law => law.flow(old, new))
    }

    #[inline(always)]
    fn flow_product(&self, h: &Tensor, old: &[Lanes], dh: &Tensor) -> Lanes {
        of_law!(self, law => law.flow_product(h, old, dh))
    }

    #[inline(always)]
    fn plastic_metric(&self, history: &[Lanes]) -> Option<Symmetric> {
        of_law!(self, law => law.plastic_metric(history))
    }

    fn n_history(&self) -> usize {
        of_law!(self, law => law.n_history())
    }

    fn initial_history(&self, history: &mut [f64]) {
        of_law!(self, law => law.initial_history(history));
    }

    #[inline(always)]
    fn stored_energy(&self, h: &Tensor, history: &[Lanes]) -> Lanes {
        of_law!(self, law => law.stored_energy(h, history))
    }

    #[inline(always)]
    fn dissipated_energy(&self, history: &[Lanes]) -> Lanes {
        of_law!(self, law => law.dissipated_energy(history))
    }

    fn plastic_strain(&self, history: &[Lanes]) -> Lanes {
        of_law!(self, law => Law::plastic_strain(law, history))
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
