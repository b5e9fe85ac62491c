//! Size, mass, centre and inertia of an imported body, for a check by the user.

use carom_reduce::ReducedBody;

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

/// Mass divided by the volume of the box \[kg/m³\]; none if the box is flat.
fn density_of_box(mass: f64, size: [f64; 3]) -> Option<f64> {
    let volume: f64 = size.iter().product();
    (volume > 0.0).then(|| mass / volume)
}

/// Size, mass, centre and inertia on a line each.
///
/// * `of_all_nodes` — true if the box contains the whole body
pub(super) fn rigid_text(reduced: &ReducedBody, size: [f64; 3], of_all_nodes: bool) -> String {
    let invariants = &reduced.invariants;
    let [x, y, z] = reduced.center_of_mass();
    let [[xx, xy, xz], [_, yy, yz], [_, _, zz]] = invariants.inertia_about_center();
    let density = density_of_box(invariants.mass, size)
        .filter(|_| of_all_nodes)
        .map(|density| {
            format!(
                "; {density:.4e} kg/m³ in that box, the density of the material if the body fills the box"
            )
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

/// A note if the moments of inertia are impossible: a simulation refuses the model.
pub(super) fn impossible_inertia(reduced: &ReducedBody) -> Option<String> {
    let error = reduced.invariants.check_inertia().err()?;
    Some(format!(
        "{error}; carom-solve will refuse the model, so check the inertia J and the centre of mass of the \
         file"
    ))
}

/// A note if the density of the box is implausible.
pub(super) fn implausible_density(mass: f64, size: [f64; 3]) -> Option<String> {
    /// Densities of the thinnest frames and of the heaviest metals, with a margin \[kg/m³\].
    const BOUNDS: [f64; 2] = [0.05, 25_000.0];
    let density = density_of_box(mass, size).filter(|density| !(BOUNDS[0]..=BOUNDS[1]).contains(density))?;
    let what = if density < BOUNDS[0] { "lighter than a thin frame" } else { "heavier than any metal" };
    Some(format!(
        "the density of the box of the nodes is {density:.1e} kg/m³, {what}: units are inconsistent; use \
         --units mm-t-s for mm, N and MPa, or --scale 1e-3 if only the node list is in mm"
    ))
}
