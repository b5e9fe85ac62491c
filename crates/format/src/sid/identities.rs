//! Identities between the blocks of every SID_FEM file.
//!
//! ```text
//! ∂mdCM/∂q_k = ∫ φ_k dm = row k of Ct        ∂origin/∂q_k = φ_k        ∂AP/∂q_k = ψ̃_k
//! ∂J/∂q_k = ½ (Gr_k + Gr_kᵀ)                 Ge(i, c n + k) = 2 ∂Cr(i, c)/∂q_k
//! Oe(k, aa) = −½ ∂J_aa/∂q_k,                 Oe(k, ab) = −∂J_ab/∂q_k
//! ```
//!
//! The skew part of Gr_k should be that of Cr, but files of known programs differ; it is not checked.

use faer::Mat;

use super::{CENTRIFUGAL_COLUMNS, GrLayout, INERTIA_ROWS, Sid};

/// Largest accepted deviation from an identity, relative to the numbers in it; files have twelve digits.
pub const LARGEST_DEVIATION: f64 = 1e-6;

/// The deviation of a file from one identity.
#[derive(Debug, Clone, PartialEq)]
pub struct Identity {
    /// The identity.
    pub name: &'static str,
    /// The two blocks that it compares.
    pub blocks: [&'static str; 2],
    /// The node, for identities of nodes.
    pub node: Option<u64>,
    /// Largest difference of its sides over their largest number.
    pub deviation: f64,
}

impl Identity {
    /// True if the file satisfies it.
    pub fn holds(&self) -> bool {
        // NaN fails this test too.
        self.deviation <= LARGEST_DEVIATION
    }
}

/// Largest difference of pairs over the largest magnitude in them, or over `floor` if that is larger.
#[derive(Default)]
struct Comparison {
    difference: f64,
    magnitude: f64,
}

impl Comparison {
    fn add(&mut self, a: f64, b: f64) {
        self.difference = self.difference.max((a - b).abs());
        self.magnitude = self.magnitude.max(a.abs()).max(b.abs());
    }

    fn deviation(&self, floor: f64) -> f64 {
        let scale = self.magnitude.max(floor);
        if scale > 0.0 { self.difference / scale } else { 0.0 }
    }
}

/// All identities of a file.
pub fn identities(sid: &Sid) -> Vec<Identity> {
    let n = sid.n_modes();
    let modal = sid.mass_modal.constant.norm_max();
    // Rounding errors of integrals that vanish, relative to √(m M_e), √(J M_e) and M_e.
    let [linear, angular] = [sid.mass, sid.inertia.constant.norm_max()].map(|of| (of * modal).abs().sqrt());
    let mut first_moment = Comparison::default();
    let mut inertia = Comparison::default();
    let mut centrifugal = Comparison::default();
    let mut gyroscopic = Comparison::default();
    for k in 0..n {
        (0..3).for_each(|a| first_moment.add(sid.md_cm.slope(k, a, 0), sid.coupling_t.constant[(k, a)]));
        for (row, (a, b)) in INERTIA_ROWS.into_iter().enumerate() {
            let gr = |a: usize, b: usize| sid.gyroscopic_r.constant[(a, b * n + k)];
            inertia.add(sid.inertia.slope(k, row, 0), 0.5 * (gr(a, b) + gr(b, a)));
        }
        for (column, (a, b)) in CENTRIFUGAL_COLUMNS.into_iter().enumerate() {
            let row = INERTIA_ROWS.iter().position(|&pair| pair == (a, b)).expect("both list all pairs");
            let part = if a == b { -0.5 } else { -1.0 };
            centrifugal.add(sid.centrifugal.constant[(k, column)], part * sid.inertia.slope(k, row, 0));
        }
        for i in 0..n {
            for c in 0..3 {
                // Symmetric parts of the slopes are geometric stiffness.
                let entry = |i: usize, k: usize| sid.gyroscopic_e.constant[(i, c * n + k)];
                let slope = |k: usize, i: usize| sid.coupling_r.slope(k, i, c);
                gyroscopic.add(0.5 * (entry(i, k) - entry(k, i)), slope(k, i) - slope(i, k));
            }
        }
    }
    let of_body = |name, blocks, deviation| Identity { name, blocks, node: None, deviation };
    let mut all = vec![
        of_body("the slopes of mdCM are the rows of Ct", ["mdCM", "Ct"], first_moment.deviation(linear)),
        of_body("the slopes of J are the symmetric parts of Gr", ["J", "Gr"], inertia.deviation(angular)),
        of_body("Oe is made of the slopes of J", ["Oe", "J"], centrifugal.deviation(angular)),
        of_body(
            "Ge is made of the skew parts of the slopes of Cr",
            ["Ge", "Cr"],
            gyroscopic.deviation(modal),
        ),
    ];
    for node in &sid.nodes {
        let (mut position, mut rotation) = (Comparison::default(), Comparison::default());
        for k in 0..n {
            (0..3).for_each(|a| position.add(node.origin.slope(k, a, 0), node.phi.constant[(a, k)]));
            let psi = [0, 1, 2].map(|a| node.psi.constant[(a, k)]);
            let skew = skew(psi);
            for a in 0..3 {
                (0..3).for_each(|b| rotation.add(node.orientation.slope(k, a, b), skew[(a, b)]));
            }
        }
        let of_node = |name, blocks, deviation| Identity { name, blocks, node: Some(node.id), deviation };
        all.push(of_node("the slopes of origin are phi", ["origin", "phi"], position.deviation(0.0)));
        all.push(of_node(
            "the slopes of AP are those of the turns psi",
            ["AP", "psi"],
            rotation.deviation(0.0),
        ));
    }
    all
}

/// ã: ã b = a × b.
pub(super) fn skew(a: [f64; 3]) -> Mat<f64> {
    let mut matrix = Mat::zeros(3, 3);
    for i in 0..3 {
        let (j, k) = ((i + 1) % 3, (i + 2) % 3);
        matrix[(k, j)] = a[i];
        matrix[(j, k)] = -a[i];
    }
    matrix
}

/// The order of the columns of Gr in a file: the one in which their symmetric parts agree better with the
/// slopes of J.
///
/// * `gr` — the block of the file, 3 × 3n
/// * `slope` — entry of a row of the slope of J of mode k
pub(super) fn gr_layout(gr: &Mat<f64>, slope: impl Fn(usize, usize) -> f64) -> GrLayout {
    let n = gr.ncols() / 3;
    let distance = |column: &dyn Fn(usize, usize) -> usize| {
        let mut sum = 0.0;
        for k in 0..n {
            for (row, (a, b)) in INERTIA_ROWS.into_iter().enumerate() {
                let symmetric = 0.5 * (gr[(a, column(b, k))] + gr[(b, column(a, k))]);
                sum += (symmetric - slope(k, row)).powi(2);
            }
        }
        sum
    };
    if distance(&|c, k| 3 * k + c) < distance(&|c, k| c * n + k) {
        GrLayout::ByMode
    } else {
        GrLayout::ByComponent
    }
}
