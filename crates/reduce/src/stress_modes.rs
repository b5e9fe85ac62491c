//! Stress of each mode, so that the stress of a reduced body is a sum over its modal coordinates.
//!
//! ```text
//! σ_k = D B φ_k,    σ(q) = Σ_k q_k σ_k
//! ```
//!
//! This is the stress that direct recovery gives for the displacement u = Φ q, up to rounding: both are
//! linear.

use carom_fem::{Body, Discretisation, DiscretisationError, StressAt, StressSites};
use carom_progress::Progress;
use faer::Mat;

use crate::point_modes::Modes;

/// Number of modes between two reports of progress.
const CHUNK: usize = 64;

/// The stress of each mode at places of the body.
#[derive(Debug, Clone)]
pub struct StressModes {
    /// Nodes or Gauss points.
    pub at: StressAt,
    /// Reference position of each site in the body frame \[m\].
    pub positions_b: Vec<[f64; 3]>,
    /// Number of the node of each site; none at Gauss points, and for NURBS.
    pub nodes: Option<Vec<u32>>,
    /// Material of each site. Materials that meet at a node have a site each.
    pub materials: Vec<u32>,
    /// σ_k, 6 sites × modes \[Pa/(m √kg)\]: row 6 i + c is component c of xx, yy, zz, xy, yz, xz at the i-th
    /// site.
    pub values: Mat<f64>,
}

/// Errors of stress modes.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum StressModesError {
    /// The body cannot be discretised.
    #[error(transparent)]
    Discretisation(#[from] DiscretisationError),
    /// The model does not keep its modes at every point.
    #[error(
        "the model keeps its modes at {kept} of the {n_points} points of the body; stress needs all of \
         them: reduce with full fields"
    )]
    Fields {
        /// Number of points at which modes are kept.
        kept: usize,
        /// Number of points of the body.
        n_points: usize,
    },
    /// The user stopped the operation.
    #[error("stopped while the stress of the modes was recovered")]
    Interrupted,
}

impl StressModes {
    /// Recovers the stress of modes that are known at every point of the body.
    ///
    /// * `fields` — the modes; none if the model keeps none
    /// * `origin` — origin of the body frame in source coordinates \[m\]
    /// * `surface_only` — only sites on the surface
    ///
    /// # Errors
    ///
    /// [`StressModesError`].
    pub fn new(
        fields: Option<&Modes>,
        origin: [f64; 3],
        body: &Body,
        at: StressAt,
        surface_only: bool,
        progress: &dyn Progress,
    ) -> Result<Self, StressModesError> {
        let discretisation = Discretisation::new(body)?;
        let n_points = discretisation.n_points();
        let Some(fields) = fields.filter(|fields| fields.points.len() == n_points) else {
            let kept = fields.map_or(0, |fields| fields.points.len());
            return Err(StressModesError::Fields { kept, n_points });
        };
        let mut sites = match at {
            StressAt::Nodes => StressSites::nodes(body, &discretisation),
            StressAt::GaussPoints => StressSites::gauss_points(&discretisation),
        };
        if surface_only {
            sites = sites.on_surface(body);
        }
        let n_modes = fields.values.ncols();
        let mut values = Mat::zeros(6 * sites.len(), n_modes);
        progress.begin("stress of the modes", n_modes as u64);
        for start in (0..n_modes).step_by(CHUNK) {
            let width = CHUNK.min(n_modes - start);
            let part = sites.stress(&discretisation, fields.values.as_ref().subcols(start, width));
            values.as_mut().subcols_mut(start, width).copy_from(part);
            progress.set((start + width) as u64);
            if progress.interrupted() {
                return Err(StressModesError::Interrupted);
            }
        }
        progress.end();
        let place = |x: [f64; 3]| std::array::from_fn(|a| x[a] - origin[a]);
        Ok(Self {
            at,
            positions_b: sites.sites.iter().map(|site| place(site.position)).collect(),
            nodes: sites.sites.iter().map(|site| site.node).collect(),
            materials: sites.sites.iter().map(|site| site.material).collect(),
            values,
        })
    }

    /// Number of sites.
    pub fn len(&self) -> usize {
        self.positions_b.len()
    }

    /// True without any site.
    pub fn is_empty(&self) -> bool {
        self.positions_b.is_empty()
    }

    /// Stress at each site for modal coordinates q \[Pa\].
    pub fn stress(&self, q: &[f64]) -> Vec<[f64; 6]> {
        let mut out = vec![[0.0; 6]; self.len()];
        for (k, &q) in q.iter().enumerate().filter(|(_, q)| **q != 0.0) {
            for (i, value) in self.values.col(k).iter().enumerate() {
                out[i / 6][i % 6] += q * value;
            }
        }
        out
    }
}
