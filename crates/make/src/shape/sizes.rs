//! The sizes of each shape, and the limits of poles.

use super::{MakeError, Shape, ShapeOptions};

/// Refuses sizes that the shape does not have: an unused number is probably an error of the user.
pub(super) fn check_sizes(options: &ShapeOptions) -> Result<(), MakeError> {
    let (shape, known): (_, &[&'static str]) = match options.shape {
        Shape::Ball => ("ball", &["radius", "pole_radius"]),
        Shape::Octant => ("octant", &["radius", "pole_radius"]),
        Shape::Ellipsoid => ("ellipsoid", &["semi_axes", "pole_radius"]),
        Shape::Shell => ("shell", &["radius", "inner_radius", "pole_radius"]),
        Shape::Rod => ("rod", &["radius", "length", "pole_radius"]),
        Shape::Capsule => ("capsule", &["radius", "length", "pole_radius"]),
        Shape::Tube => ("tube", &["radius", "inner_radius", "length"]),
        Shape::Box => ("box", &["size"]),
        Shape::Plate => ("plate", &["size", "pole_radius"]),
        Shape::Torus => ("torus", &["radius", "inner_radius"]),
    };
    let given = [
        ("radius", options.radius.is_some()),
        ("inner_radius", options.inner_radius.is_some()),
        ("length", options.length.is_some()),
        ("size", options.size.is_some()),
        ("semi_axes", options.semi_axes.is_some()),
        ("pole_radius", options.pole_radius.is_some()),
    ];
    if let Some((key, _)) = given.iter().find(|(key, is_given)| *is_given && !known.contains(key)) {
        return Err(MakeError::NoSuchSize { shape, key, known: known.join(", ") });
    }
    check_proportions(shape, options)?;
    match (options.pole_radius, largest_pole(options)) {
        (Some(radius), Some((most, of))) if radius > most => {
            Err(MakeError::PoleRadius { shape, radius, most, of })
        }
        _ => Ok(()),
    }
}

/// Smallest ratio of two sizes: points closer than 1e-6 of the body's size are merged when patches are glued,
/// and control points are closer to each other than the sizes.
pub(crate) const SMALLEST_RATIO: f64 = 1e-5;

/// Refuses sizes with a too small ratio: points of the body would be merged.
fn check_proportions(shape: &'static str, options: &ShapeOptions) -> Result<(), MakeError> {
    let mut lengths: Vec<(&'static str, f64)> = Vec::new();
    for (flag, size) in
        [("--radius", options.radius), ("--inner-radius", options.inner_radius), ("--length", options.length)]
    {
        lengths.extend(size.map(|size| (flag, size)));
    }
    for (flags, sizes) in [
        (["the first of --size", "the second of --size", "the third of --size"], options.size),
        (
            ["the first of --semi-axes", "the second of --semi-axes", "the third of --semi-axes"],
            options.semi_axes,
        ),
    ] {
        lengths.extend(sizes.into_iter().flat_map(|sizes| flags.into_iter().zip(sizes)));
    }
    if let (Some(outer), Some(inner)) = (options.radius, options.inner_radius) {
        lengths.push(("--radius less --inner-radius", outer - inner));
    }
    if let (Shape::Capsule, Some(radius), Some(length)) = (options.shape, options.radius, options.length) {
        lengths.push(("--length less twice the --radius", length - 2.0 * radius));
    }
    // The makers report invalid sizes with the valid range.
    lengths.retain(|(_, size)| *size > 0.0 && size.is_finite());
    let by_size = |a: &&(&str, f64), b: &&(&str, f64)| a.1.total_cmp(&b.1);
    match (lengths.iter().min_by(by_size), lengths.iter().max_by(by_size)) {
        (Some(&(small, value)), Some(&(large, most))) if value < SMALLEST_RATIO * most => {
            Err(MakeError::Proportions { shape, small, value, large, most, ratio: SMALLEST_RATIO })
        }
        _ => Ok(()),
    }
}

/// The largest radius of a pole \[m\], with a description; `None` if the size that it depends on is missing.
fn largest_pole(options: &ShapeOptions) -> Option<(f64, &'static str)> {
    match options.shape {
        Shape::Ellipsoid => {
            Some((options.semi_axes?.into_iter().fold(0.0, f64::max), "the longest of its half axes"))
        }
        Shape::Plate => Some((0.5 * options.size?[0].max(options.size?[1]), "half of its longer edge")),
        _ => Some((options.radius?, "its radius")),
    }
}

/// The required sizes of a shape; the error names a missing one.
pub(super) struct Sizes<'a>(pub(super) &'a ShapeOptions);

impl Sizes<'_> {
    pub(super) fn radius(&self, shape: &'static str) -> Result<f64, MakeError> {
        self.0.radius.ok_or(MakeError::Missing { shape, what: "a radius", flag: "radius R", key: "radius" })
    }

    pub(super) fn inner_radius(&self, shape: &'static str) -> Result<f64, MakeError> {
        let what = if shape == "torus" { "the radius of its section" } else { "an inner radius" };
        self.0.inner_radius.ok_or(MakeError::Missing {
            shape,
            what,
            flag: "inner-radius R",
            key: "inner_radius",
        })
    }

    pub(super) fn length(&self, shape: &'static str) -> Result<f64, MakeError> {
        self.0.length.ok_or(MakeError::Missing { shape, what: "a length", flag: "length L", key: "length" })
    }

    pub(super) fn semi_axes(&self) -> Result<[f64; 3], MakeError> {
        let (shape, what, flag, key) =
            ("ellipsoid", "three half lengths along x, y, z", "semi-axes A,B,C", "semi_axes");
        self.0.semi_axes.ok_or(MakeError::Missing { shape, what, flag, key })
    }

    pub(super) fn size(&self, shape: &'static str) -> Result<[f64; 3], MakeError> {
        self.0.size.ok_or(MakeError::Missing { shape, what: "three edges", flag: "size A,B,C", key: "size" })
    }
}
