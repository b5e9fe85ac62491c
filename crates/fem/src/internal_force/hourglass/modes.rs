//! The fields of strain of the hourglass modes, and their moduli.

use crate::constitutive::{ElasticModuli, LANES, Lanes, Law, ZERO, each, lanes};
use crate::internal_force::one_point::{CellAxes, CellMetric};

/// q of the four hourglass vectors along the three axes.
pub(super) type Modes = [[Lanes; 3]; 4];

/// Number of fields of a cell: linear in ξ, η, ζ, and bilinear.
pub(super) const N_FIELDS: usize = 6;

/// Components of the fields of the modes in the axes of the cell. Strains are covariant, with 2 E_kl;
/// stresses are contravariant.
#[derive(Debug, Clone, Copy)]
pub(super) struct Fields {
    /// Linear in ξ_m: kk, ll and kl, where k, l, m are cyclic.
    pub(super) linear: [[Lanes; 3]; 3],
    /// Bilinear in ξ_l and ξ_m: kk.
    pub(super) bilinear: [Lanes; 3],
}

impl Fields {
    /// The strains of modes.
    #[inline(always)]
    pub(super) fn of(q: &Modes) -> Self {
        let linear = each(|m| {
            let (k, l) = ((m + 1) % 3, (m + 2) % 3);
            [q[l][k], q[k][l], lanes(|i| q[k][k][i] + q[l][l][i])]
        });
        Self { linear, bilinear: q[3] }
    }

    /// Derivatives of w by the modes, from stresses.
    #[inline(always)]
    pub(super) fn on_modes(&self) -> Modes {
        let mut stress = [[ZERO; 3]; 4];
        for m in 0..3 {
            let (k, l) = ((m + 1) % 3, (m + 2) % 3);
            let [kk, ll, kl] = &self.linear[m];
            for i in 0..LANES {
                stress[l][k][i] += kk[i] / 3.0;
                stress[k][l][i] += ll[i] / 3.0;
                stress[k][k][i] += kl[i] / 3.0;
                stress[l][l][i] += kl[i] / 3.0;
                stress[3][m][i] = self.bilinear[m][i] / 9.0;
            }
        }
        stress
    }

    /// Strains less others from a list of their numbers; laws without history have none.
    #[inline(always)]
    pub(super) fn minus(&self, other: &[Lanes]) -> Self {
        if other.is_empty() {
            return *self;
        }
        Self {
            linear: each(|m| each(|c| lanes(|i| self.linear[m][c][i] - other[3 * m + c][i]))),
            bilinear: each(|k| lanes(|i| self.bilinear[k][i] - other[9 + k][i])),
        }
    }

    /// The products of strain and stress of each field.
    #[inline(always)]
    pub(super) fn products(&self, stress: &Self) -> [Lanes; N_FIELDS] {
        each(|field| {
            if field < 3 {
                let (a, b) = (&self.linear[field], &stress.linear[field]);
                lanes(|i| a[0][i] * b[0][i] + a[1][i] * b[1][i] + a[2][i] * b[2][i])
            } else {
                lanes(|i| self.bilinear[field - 3][i] * stress.bilinear[field - 3][i])
            }
        })
    }

    /// The mean of strain times stress over the cell: the means of ξ_m² and ξ_l² ξ_m² are ⅓ and ⅑.
    #[inline(always)]
    pub(super) fn contraction(&self, stress: &Self) -> Lanes {
        let products = self.products(stress);
        lanes(|i| {
            (products[0][i] + products[1][i] + products[2][i]) / 3.0
                + (products[3][i] + products[4][i] + products[5][i]) / 9.0
        })
    }

    /// All components times a factor.
    #[inline(always)]
    pub(super) fn scaled(&self, factor: &Lanes) -> Self {
        let times = |x: &Lanes| lanes(|i| factor[i] * x[i]);
        Self {
            linear: each(|m| each(|c| times(&self.linear[m][c]))),
            bilinear: each(|k| times(&self.bilinear[k])),
        }
    }

    /// Fields whose components are found from those of two others, by a function of the number of the field.
    #[inline(always)]
    pub(super) fn combined(&self, other: &Self, by: impl Fn(usize, f64, f64, usize) -> f64) -> Self {
        Self {
            linear: each(|m| each(|c| lanes(|i| by(m, self.linear[m][c][i], other.linear[m][c][i], i)))),
            bilinear: each(|k| lanes(|i| by(3 + k, self.bilinear[k][i], other.bilinear[k][i], i))),
        }
    }

    /// Strains of a tensor in each field, from its covariant components.
    #[inline(always)]
    pub(super) fn of_tensor(covariant: impl Fn(usize, usize) -> Lanes) -> Self {
        let linear = each(|m| {
            let (k, l) = ((m + 1) % 3, (m + 2) % 3);
            let kl = covariant(k, l);
            [covariant(k, k), covariant(l, l), lanes(|i| 2.0 * kl[i])]
        });
        Self { linear, bilinear: each(|k| covariant(k, k)) }
    }
}

/// The moduli of the modes: those without stress on the planes ξ_m = const, and Young's modulus.
pub(super) struct ModeModuli {
    elastic: ElasticModuli,
    metric: CellMetric,
}

impl ModeModuli {
    /// The moduli in a state of the law.
    #[inline(always)]
    pub(super) fn new<L: Law>(axes: &CellAxes, law: &L, history: &[Lanes]) -> Self {
        let metric = law.plastic_metric(history).map_or(axes.metric, |c| axes.plastic_metric(&c));
        Self { elastic: law.elastic_moduli(), metric }
    }

    /// The stresses of elastic strains \[Pa m⁻²\].
    #[inline(always)]
    pub(super) fn stress(&self, strain: &Fields) -> Fields {
        let ElasticModuli { lambda, mu } = self.elastic;
        let plane_lambda = 2.0 * lambda * mu / (lambda + 2.0 * mu);
        let young = self.elastic.young();
        let mut linear = [[ZERO; 3]; 3];
        for m in 0..3 {
            let [kk, ll, kl] = &self.metric.planes[m];
            let [e_k, e_l, shear] = &strain.linear[m];
            for i in 0..LANES {
                let (e_k, e_l, shear) = (e_k[i], e_l[i], shear[i]);
                let (a, b, c) = (kk[i], ll[i], kl[i]);
                let trace = plane_lambda * (a * e_k + b * e_l + c * shear);
                linear[m][0][i] = trace * a + 2.0 * mu * (a * a * e_k + c * c * e_l + a * c * shear);
                linear[m][1][i] = trace * b + 2.0 * mu * (c * c * e_k + b * b * e_l + b * c * shear);
                linear[m][2][i] =
                    trace * c + 2.0 * mu * (a * c * e_k + b * c * e_l + 0.5 * (a * b + c * c) * shear);
            }
        }
        let bilinear = each(|k| lanes(|i| young * self.metric.squares[k][i] * strain.bilinear[k][i]));
        Fields { linear, bilinear }
    }
}
