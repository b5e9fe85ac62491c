//! What a person can check of an imported body by eye: size, mass, centre and inertia.

use carom_reduce::ReducedBody;
use nalgebra::Matrix3;

/// Edges of the box around points \[m\].
pub(super) fn box_of<'a>(points: impl Iterator<Item = &'a [f64; 3]>) -> [f64; 3] {
    let mut bounds = [[f64::INFINITY, f64::NEG_INFINITY]; 3];
    for point in points {
        for (bound, &x) in bounds.iter_mut().zip(point) {
            *bound = [bound[0].min(x), bound[1].max(x)];
        }
    }
    bounds.map(|[low, high]| (high - low).max(0.0))
}

/// Mass by volume of the box \[kg/m³\]; none if the box is flat.
fn density_of_box(mass: f64, size: [f64; 3]) -> Option<f64> {
    let volume: f64 = size.iter().product();
    (volume > 0.0).then(|| mass / volume)
}

/// Four lines.
///
/// * `of_all_nodes` — whether the box is that of the whole body
pub(super) fn rigid_text(reduced: &ReducedBody, size: [f64; 3], of_all_nodes: bool) -> String {
    let invariants = &reduced.invariants;
    let [x, y, z] = reduced.center_of_mass();
    let [[xx, xy, xz], [_, yy, yz], [_, _, zz]] = invariants.inertia_about_center();
    let density = density_of_box(invariants.mass, size)
        .filter(|_| of_all_nodes)
        .map(|density| {
            format!("; {density:.4e} kg/m³ of that box, the density of the material if the body fills it")
        })
        .unwrap_or_default();
    let [a, b, c] = size;
    format!(
        "size     {a:.6e} x {b:.6e} x {c:.6e} m (box of the nodes)\nmass     {:.6e} kg{density}\ncentre   \
         ({x:.6e}, {y:.6e}, {z:.6e}) m\ninertia  xx {xx:.6e}, yy {yy:.6e}, zz {zz:.6e}, xy {xy:.3e}, yz \
         {yz:.3e}, xz {xz:.3e} kg m² about the centre",
        invariants.mass,
    )
}

/// A note if no body has such moments of inertia: a simulation refuses the model.
pub(super) fn impossible_inertia(reduced: &ReducedBody) -> Option<String> {
    let rows = reduced.invariants.inertia_about_center();
    let mut moments: [f64; 3] = Matrix3::from_fn(|a, b| rows[a][b]).symmetric_eigenvalues().into();
    moments.sort_by(f64::total_cmp);
    let [least, middle, most] = moments;
    (least <= 0.0 || most > (least + middle) * (1.0 + 1e-6)).then(|| {
        format!(
            "the principal moments of inertia about the centre of mass are {least:.4e}, {middle:.4e} and \
             {most:.4e} kg m², which no body has: each must be positive and none above the sum of the other \
             two; carom-solve will refuse the model, so check the inertia J and the centre of mass of the \
             file"
        )
    })
}

/// A note if no material fills the box as the mass says.
pub(super) fn implausible_density(mass: f64, size: [f64; 3]) -> Option<String> {
    /// What is lighter than the thinnest frames, and heavier than all metals \[kg/m³\].
    const BOUNDS: [f64; 2] = [0.05, 25_000.0];
    let density = density_of_box(mass, size).filter(|density| !(BOUNDS[0]..=BOUNDS[1]).contains(density))?;
    let what = if density < BOUNDS[0] { "lighter than a thin frame" } else { "heavier than any metal" };
    Some(format!(
        "the mass is {density:.1e} kg/m³ of the box of the nodes, {what}: units do not fit together; --units \
         mm-t-s for mm, N and MPa, --scale 1e-3 if the node list alone is in mm"
    ))
}
