//! Surfaces of several bodies as one surface.

use carom_fem::{Face, FaceBasis, Surface};

/// Several surfaces as one: its points are numbered one surface after the other, and so are its faces.
pub fn joined<'a>(surfaces: impl IntoIterator<Item = &'a Surface>) -> Surface {
    let mut all = Surface::default();
    for surface in surfaces {
        let (n_points, n_operators) = (all.points.len() as u32, all.operators.len() as u32);
        let face = |face: &Face| Face {
            basis: with_operators(&face.basis, n_operators),
            points: face.points.iter().map(|k| k + n_points).collect(),
            orientation: face.orientation,
        };
        all.faces.extend(surface.faces.iter().map(face));
        all.points.extend((n_points..).take(surface.points.len()));
        all.weights.extend(&surface.weights);
        all.operators.extend(surface.operators.iter().cloned());
    }
    all
}

/// The basis with the numbers of its operators raised.
fn with_operators(basis: &FaceBasis, by: u32) -> FaceBasis {
    let mut basis = basis.clone();
    match &mut basis {
        FaceBasis::Lagrange(_) => {}
        FaceBasis::Spline { operators, .. } => operators.iter_mut().for_each(|k| *k += by),
        FaceBasis::Combined { operator, .. } => *operator += by,
    }
    basis
}
