//! Nodes of a SID_FEM file as markers, and the geometric stiffness in the slopes of phi, psi, Ct and Cr.
//!
//! A force f and a moment l at a node act on the modes with `phi(q)ᵀ f + psi(q)ᵀ l`, gravity g and the
//! acceleration a of the frame act with `Ct(q) (g − a)`, its angular acceleration α with `−Cr(q) α`. The
//! symmetric parts of the slopes are geometric stiffness by unit loads (docs/theory/stiffening.md, section
//! 14.4):
//!
//! ```text
//! ∂phi_al/∂q_k = −K_a,kl ,     ∂psi_al/∂q_k = −K_(3+a),kl ,
//! ∂Ct_la/∂q_k = −K_a,kl ,      sym ∂Cr_la/∂q_k = −K_(3+a),kl
//! ```

use carom_reduce::{AttachedMarker, AttachmentKind, Stiffening};
use faer::Mat;

use super::import::PURE_INERTIA;
use super::{Sid, SidNode, Taylor};

/// Part of the largest slope by which slopes may differ from symmetric ones.
const SYMMETRIC: f64 = 1e-6;

/// Name of the marker of a node.
pub(super) fn marker_name(id: u64) -> String {
    format!("node{id}")
}

/// Number of the node of a marker that [`marker_name`] has named.
pub(super) fn node_of_marker(name: &str) -> Option<u32> {
    name.strip_prefix("node")?.parse().ok().filter(|id| *id > 0)
}

/// Markers of nodes with their geometric stiffness.
pub(super) struct Frames {
    pub(super) markers: Vec<AttachedMarker>,
    pub(super) stiffening: Option<Stiffening>,
}

impl Frames {
    /// Goes over to the modes Φ Z.
    pub(super) fn combine(&mut self, z: &Mat<f64>) {
        for marker in &mut self.markers {
            marker.translation = &marker.translation * z;
            marker.rotation = &marker.rotation * z;
        }
        if let Some(stiffening) = &mut self.stiffening {
            stiffening.basis = z.transpose().to_owned();
        }
    }
}

/// The markers of the nodes that have rotations or slopes, or are fixed in the frame, with the geometric
/// stiffness of the file.
pub(super) fn frames(sid: &Sid, nodes: &[&SidNode], notes: &mut Vec<String>) -> Frames {
    let n = sid.n_modes();
    let turns = |node: &SidNode| {
        node.psi.largest() > 0.0 || node.phi.linear.iter().any(|slope| slope.norm_max() > 0.0)
    };
    // A node that no mode moves or turns belongs to those that the frame is tied to.
    let is_fixed = |node: &SidNode| node.phi.largest() == 0.0 && node.psi.largest() == 0.0;
    let is_marker = |node: &&&SidNode| turns(node) || is_fixed(node);
    let chosen: Vec<&SidNode> = nodes.iter().filter(is_marker).copied().collect();
    let markers = chosen.iter().map(|node| AttachedMarker {
        name: marker_name(node.id),
        kind: AttachmentKind::Rigid,
        position_b: [0, 1, 2].map(|a| node.origin.constant[(a, 0)]),
        translation: node.phi.constant.clone(),
        rotation: node.psi.constant.clone(),
    });
    let mut asymmetry = 0.0_f64;
    let of_nodes: Vec<Mat<f64>> = chosen
        .iter()
        .flat_map(|node| [&node.phi, &node.psi])
        .flat_map(|shape| stiffness(n, |k, l, a| slope(shape, k, a, l), &mut asymmetry))
        .collect();
    let weight = stiffness(n, |k, l, a| slope(&sid.coupling_t, k, l, a), &mut asymmetry);
    if asymmetry > 0.0 {
        notes.push(format!(
            "slopes of phi, psi or Ct are not symmetric in the modes (by {asymmetry:.1e} of their size), as \
             those of a geometric stiffness are: their symmetric parts are used"
        ));
    }
    // The skew parts of the slopes of Cr are ∫ φ_k × φ_l dm.
    let turning = stiffness(n, |k, l, a| slope(&sid.coupling_r, k, l, a), &mut 0.0);
    let modal = sid.mass_modal.constant.norm_max();
    let has = |all: &[Mat<f64>]| all.iter().any(|k| k.norm_max() > 0.0);
    let is_rounding = turning.iter().all(|k| k.norm_max() <= PURE_INERTIA * modal);
    let turning = if is_rounding { Vec::new() } else { turning.to_vec() };
    let stiffening = (has(&of_nodes) || has(&weight) || has(&turning)).then(|| Stiffening {
        basis: Mat::identity(n, n),
        // Centrifugal stress is a part of the inertia.
        products: vec![Mat::zeros(n, n); Stiffening::PAIRS.len()],
        weight: if has(&weight) { weight.to_vec() } else { Vec::new() },
        turning,
        boundary: None,
        markers: of_nodes,
    });
    Frames { markers: markers.collect(), stiffening }
}

/// Entry (i, j) of the slope by the coordinate k.
fn slope(of: &Taylor, k: usize, i: usize, j: usize) -> f64 {
    of.slope(k, i, j)
}

/// −½ (A₁ₖ,l + A₁ₗ,k) of each axis.
///
/// * `slope` — by (k, l, axis)
/// * `asymmetry` — takes the largest deviation from symmetry, relative to the largest slope
fn stiffness(n: usize, slope: impl Fn(usize, usize, usize) -> f64, asymmetry: &mut f64) -> [Mat<f64>; 3] {
    [0, 1, 2].map(|a| {
        let k = Mat::from_fn(n, n, |k, l| -0.5 * (slope(k, l, a) + slope(l, k, a)));
        let skew = Mat::from_fn(n, n, |k, l| 0.5 * (slope(k, l, a) - slope(l, k, a))).norm_max();
        let largest = k.norm_max().max(skew);
        if skew > SYMMETRIC * largest {
            *asymmetry = asymmetry.max(skew / largest);
        }
        k
    })
}
