//! The places of keys within a body, for hints about misplaced keys.

const OF_NEAR: &str = "`refine = { near = { at = …, levels = …, radius = … } }` of the body";
const OF_REFINE: &str = "`refine = { … }` of the body";
const OF_GRADE: &str = "`grade = { at = …, finest = … }`";
const OF_MAKE: &str = "`make = { … }` of the body";
const OF_REDUCE: &str = "`reduce = { … }` of the body";
const OF_BODY: &str = "the body itself, next to `make`";

/// Keys of the tables within a body, and their tables: users who know the flags of carom-mesh write them side
/// by side.
pub(super) const HOMES: [(&str, &str); 39] = [
    ("near", OF_NEAR),
    ("levels", OF_NEAR),
    ("coarsen", OF_REFINE),
    ("elevate", OF_REFINE),
    ("subdivide", OF_REFINE),
    ("finest", OF_GRADE),
    ("grade", "`make = { … }` or `refine = { … }` of the body"),
    ("shape", OF_MAKE),
    ("radius", "`make = { … }` of the body, or into the braces of `near`, `grade` or `zone`"),
    ("inner_radius", OF_MAKE),
    ("length", OF_MAKE),
    ("semi_axes", OF_MAKE),
    ("pole_radius", OF_MAKE),
    ("focus", OF_MAKE),
    ("degree", OF_MAKE),
    ("elements", OF_MAKE),
    ("nurbs", OF_MAKE),
    ("interface", OF_REDUCE),
    ("attach", OF_REDUCE),
    ("fix", OF_REDUCE),
    ("modes", OF_REDUCE),
    ("split", OF_REDUCE),
    ("inertia_relief", OF_REDUCE),
    ("residual", OF_REDUCE),
    ("massless_boundary", OF_REDUCE),
    ("stiffening", OF_REDUCE),
    ("interface_modes", OF_REDUCE),
    ("reduce_interface", OF_REDUCE),
    ("frame", OF_REDUCE),
    ("rayleigh", OF_REDUCE),
    ("damping_ratio", OF_REDUCE),
    ("refine", OF_BODY),
    ("reduce", OF_BODY),
    ("zone", OF_BODY),
    ("marker", OF_BODY),
    ("material", OF_BODY),
    ("position", OF_BODY),
    ("rotation", OF_BODY),
    ("velocity", OF_BODY),
];
