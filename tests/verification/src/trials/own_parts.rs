//! Places on the parts of the gallery at which a ball hits them.

use super::drawn::{BALL, Spot};
use crate::BenchError;

const BLOCK_WITH_BORES: &str = include_str!("../../../../meshes/parts/block-with-bores.geo");
const GEAR_BLANK: &str = include_str!("../../../../meshes/parts/gear-blank.geo");
const BRACKET: &str = include_str!("../../../../meshes/parts/bracket.geo");
const FLANGE: &str = include_str!("../../../../meshes/parts/flange.geo");
const ROCKER: &str = include_str!("../../../../meshes/parts/rocker.geo");
const THIN_PLATE: &str = include_str!("../../../../meshes/parts/thin-plate.geo");
const KEYED_SHAFT: &str = include_str!("../../../../meshes/parts/keyed-shaft.geo");
const HOUSING: &str = include_str!("../../../../meshes/parts/housing.geo");
const SPRING_CLIP: &str = include_str!("../../../../meshes/parts/spring-clip.geo");
const FORK: &str = include_str!("../../../../meshes/parts/fork.geo");
const PULLEY: &str = include_str!("../../../../meshes/parts/pulley.geo");
const PISTON: &str = include_str!("../../../../meshes/parts/piston.geo");
const ECCENTRIC: &str = include_str!("../../../../meshes/parts/eccentric.geo");
const NUT: &str = include_str!("../../../../meshes/parts/nut.geo");
const VEE_BLOCK: &str = include_str!("../../../../meshes/parts/vee-block.geo");
const RING: &str = include_str!("../../../../meshes/parts/ring.geo");
const TEE: &str = include_str!("../../../../meshes/parts/tee.geo");
const CUP: &str = include_str!("../../../../meshes/parts/cup.geo");
const RIBBED_PLATE: &str = include_str!("../../../../meshes/parts/ribbed-plate.geo");
const BEARING_CAP: &str = include_str!("../../../../meshes/parts/bearing-cap.geo");

const UP: [f64; 3] = [0.0, 0.0, 1.0];
const FLAT: [f64; 2] = [0.0; 2];

/// A place of a part at which something hits it.
pub(super) struct Hit {
    pub(super) spot: Spot,
    /// Principal curvatures of the surface there, positive where it bulges \[1/m\].
    pub(super) curvatures: [f64; 2],
    pub(super) expected: Expected,
    striker: Striker,
    /// Origin of the body that hits, if it is not a ball above the place \[m\].
    pub(super) ball: Option<[f64; 3]>,
}

/// What is expected of a hit.
pub(super) enum Expected {
    /// Force \[N\] and duration \[s\] of an impact with cells that resolve the contact: what the case
    /// `trials-resolved` finds.
    Resolved([f64; 2]),
    /// Those of Hertz' theory with the effective mass of the rigid bodies, where these do not vibrate.
    Hertz,
    /// Nothing is known.
    Open,
    /// An error with these words.
    Refused(&'static str),
}

impl Expected {
    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::Resolved(_) => "resolved cells",
            Self::Hertz => "Hertz",
            Self::Open | Self::Refused(_) => "",
        }
    }
}

/// The body that hits.
#[derive(Clone, Copy)]
enum Striker {
    Ball,
    /// A pin of 11.9 mm radius along y.
    Pin,
}

impl Hit {
    /// A ball on a part.
    ///
    /// * `size` — of the cells of a resolved impact away from the place \[m\]
    fn new(
        (name, script, size): (&'static str, &str, f64),
        place: [f64; 3],
        normal: [f64; 3],
        curvatures: [f64; 2],
        expected: Expected,
    ) -> Self {
        let spot = Spot::of(name, script, place, normal, size);
        Self { spot, curvatures, expected, striker: Striker::Ball, ball: None }
    }

    /// The same with another body, or another place of it.
    fn struck_by(self, striker: Striker, ball: [f64; 3]) -> Self {
        Self { striker, ball: Some(ball), ..self }
    }

    /// The shape of the body that hits, as a key of a scenario.
    pub(super) fn make(&self) -> String {
        match self.striker {
            Striker::Ball => format!("{{ shape = \"ball\", radius = {BALL} }}"),
            Striker::Pin => "{ shape = \"rod\", radius = 0.0119, length = 0.03 }\n\
                 rotation = { axis = [0.0, 0.0, 1.0], degrees = 90.0 }"
                .to_owned(),
        }
    }
}

/// All places.
pub(super) fn all_hits() -> Result<Vec<Hit>, BenchError> {
    Ok(of_gallery())
}

fn of_gallery() -> Vec<Hit> {
    vec![
        Hit::new(
            ("block, bridge over a bore", BLOCK_WITH_BORES, 0.006),
            [0.0, 0.0, 0.0],
            UP,
            FLAT,
            Expected::Resolved([562.1, 79.97e-6]),
        ),
        Hit::new(
            ("block, near an edge", BLOCK_WITH_BORES, 0.006),
            [0.012, -0.0185, 0.0],
            UP,
            FLAT,
            Expected::Open,
        ),
        Hit::new(
            ("block, side", BLOCK_WITH_BORES, 0.006),
            [0.04, 0.0, -0.015],
            [1.0, 0.0, 0.0],
            FLAT,
            Expected::Open,
        ),
        Hit::new(
            ("gear blank, rim", GEAR_BLANK, 0.005),
            [0.0355, 0.0, 0.006],
            UP,
            FLAT,
            Expected::Resolved([398.5, 79.68e-6]),
        ),
        Hit::new(("gear blank, hub", GEAR_BLANK, 0.005), [0.011, 0.0, 0.012], UP, FLAT, Expected::Open),
        Hit::new(
            ("gear blank, outside of the rim", GEAR_BLANK, 0.005),
            [0.04, 0.0, 0.0],
            [1.0, 0.0, 0.0],
            [25.0, 0.0],
            Expected::Open,
        ),
        Hit::new(
            ("angle bracket, foot", BRACKET, 0.005),
            [0.01, 0.002, 0.0],
            UP,
            FLAT,
            Expected::Resolved([412.8, 80.75e-6]),
        ),
        Hit::new(
            ("angle bracket, inside of the wall", BRACKET, 0.005),
            [-0.022, 0.01, 0.03],
            [1.0, 0.0, 0.0],
            FLAT,
            Expected::Open,
        ),
        Hit::new(
            ("angle bracket, outside of the wall", BRACKET, 0.005),
            [-0.03, 0.0, 0.02],
            [-1.0, 0.0, 0.0],
            FLAT,
            Expected::Open,
        ),
        Hit::new(("flange, disc", FLANGE, 0.005), [0.0268467875173, 0.0155, 0.01], UP, FLAT, Expected::Open),
        Hit::new(("flange, hub", FLANGE, 0.005), [0.014, 0.0, 0.025], UP, FLAT, Expected::Open),
        Hit::new(
            ("flange, rim", FLANGE, 0.005),
            [0.0346410161514, 0.02, 0.005],
            [0.866_025_403_784_438_7, 0.5, 0.0],
            [25.0, 0.0],
            Expected::Open,
        ),
        Hit::new(("rocker, long arm", ROCKER, 0.004), [-0.04, 0.0, 0.008], UP, FLAT, Expected::Open),
        Hit::new(("rocker, short arm", ROCKER, 0.004), [0.03, 0.0, 0.008], UP, FLAT, Expected::Open),
        Hit::new(
            ("rocker, over the pivot", ROCKER, 0.004),
            [0.0, 0.0, 0.014],
            UP,
            [71.4285714, 0.0],
            Expected::Open,
        ),
        Hit::new(("plate of 2 mm, middle", THIN_PLATE, 0.003), [0.0, 0.0, 0.0], UP, FLAT, Expected::Open),
        Hit::new(
            ("plate of 2 mm, off its middle", THIN_PLATE, 0.003),
            [0.021, 0.0123, 0.0],
            UP,
            FLAT,
            Expected::Open,
        ),
        Hit::new(
            ("plate of 2 mm, 2 mm from an edge", THIN_PLATE, 0.003),
            [0.048, 0.0, 0.0],
            UP,
            FLAT,
            Expected::Open,
        ),
        Hit::new(
            ("keyed shaft, thick part", KEYED_SHAFT, 0.004),
            [0.055, 0.0, 0.0125],
            UP,
            [80.0, 0.0],
            Expected::Open,
        ),
        Hit::new(
            ("keyed shaft, end", KEYED_SHAFT, 0.004),
            [0.0, 0.0, -0.004],
            [-1.0, 0.0, 0.0],
            FLAT,
            Expected::Open,
        ),
        Hit::new(
            ("keyed shaft, thin part", KEYED_SHAFT, 0.004),
            [0.1, 0.0085, 0.0],
            [0.0, 1.0, 0.0],
            [117.647059, 0.0],
            Expected::Open,
        ),
        Hit::new(("housing, top", HOUSING, 0.004), [-0.015, 0.0, 0.035], UP, FLAT, Expected::Open),
        Hit::new(("housing, end", HOUSING, 0.004), [0.04, 0.01, 0.02], [1.0, 0.0, 0.0], FLAT, Expected::Open),
        Hit::new(
            ("housing, side", HOUSING, 0.004),
            [0.0, -0.03, 0.018],
            [0.0, -1.0, 0.0],
            FLAT,
            Expected::Open,
        ),
        Hit::new(
            ("spring clip, end of a leg", SPRING_CLIP, 0.0025),
            [0.036, 0.0, 0.0],
            UP,
            FLAT,
            Expected::Open,
        ),
        Hit::new(
            ("spring clip, root of a leg", SPRING_CLIP, 0.0025),
            [0.012, 0.0, 0.0],
            UP,
            FLAT,
            Expected::Open,
        ),
        Hit::new(
            ("spring clip, bend", SPRING_CLIP, 0.0025),
            [-0.0095, 0.0, -0.0095],
            [-1.0, 0.0, 0.0],
            [105.263158, 0.0],
            Expected::Open,
        ),
        Hit::new(("fork, prong", FORK, 0.004), [0.005, 0.01, 0.01], UP, FLAT, Expected::Open),
        Hit::new(("fork, root", FORK, 0.004), [-0.022, 0.0, 0.01], UP, FLAT, Expected::Open),
        Hit::new(
            ("fork, end of the shank", FORK, 0.004),
            [-0.07, 0.0, 0.0],
            [-1.0, 0.0, 0.0],
            FLAT,
            Expected::Open,
        ),
        Hit::new(("pulley, rim", PULLEY, 0.005), [0.032, 0.0, 0.009], UP, FLAT, Expected::Open),
        Hit::new(("pulley, web", PULLEY, 0.005), [0.0165, 0.0, 0.005], UP, FLAT, Expected::Open),
        Hit::new(
            ("pulley, groove", PULLEY, 0.005),
            [0.034, 0.0, 0.0],
            [1.0, 0.0, 0.0],
            [29.4117647, -90.9090909],
            Expected::Hertz,
        ),
        Hit::new(("piston, crown", PISTON, 0.004), [0.0, 0.0, 0.0], UP, FLAT, Expected::Open),
        Hit::new(
            ("piston, crown off its middle", PISTON, 0.004),
            [0.015, 0.01, 0.0],
            UP,
            FLAT,
            Expected::Open,
        ),
        Hit::new(
            ("piston, skirt", PISTON, 0.004),
            [0.03, 0.0, -0.04],
            [1.0, 0.0, 0.0],
            [33.3333333, 0.0],
            Expected::Open,
        ),
        Hit::new(("eccentric, face", ECCENTRIC, 0.004), [0.012, 0.005, 0.014], UP, FLAT, Expected::Open),
        Hit::new(
            ("eccentric, thick side", ECCENTRIC, 0.004),
            [0.025, 0.0, 0.007],
            [1.0, 0.0, 0.0],
            [40.0, 0.0],
            Expected::Open,
        ),
        Hit::new(
            ("eccentric, thin side", ECCENTRIC, 0.004),
            [-0.025, 0.0, 0.007],
            [-1.0, 0.0, 0.0],
            [40.0, 0.0],
            Expected::Open,
        ),
        Hit::new(("nut, face", NUT, 0.004), [0.014, 0.0, 0.016], UP, FLAT, Expected::Open),
        Hit::new(("nut, flat", NUT, 0.004), [0.018, 0.0, 0.008], [1.0, 0.0, 0.0], FLAT, Expected::Open),
        Hit::new(
            ("nut, face at a corner", NUT, 0.004),
            [0.0142894191624, 0.00825, 0.016],
            UP,
            FLAT,
            Expected::Open,
        ),
        Hit::new(("vee block, top", VEE_BLOCK, 0.005), [0.0, 0.0155, 0.0], UP, FLAT, Expected::Open),
        Hit::new(
            ("vee block, side", VEE_BLOCK, 0.005),
            [0.025, 0.0, -0.022],
            [1.0, 0.0, 0.0],
            FLAT,
            Expected::Open,
        ),
        Hit::new(
            ("vee block, groove, both flanks at once", VEE_BLOCK, 0.005),
            [0.0, 0.0, -0.01],
            UP,
            FLAT,
            Expected::Refused("second place"),
        )
        .struck_by(Striker::Ball, [0.0, 0.0, 0.0041441356]),
        Hit::new(
            ("ring, outside", RING, 0.004),
            [0.04, 0.0, 0.0],
            [1.0, 0.0, 0.0],
            [25.0, 0.0],
            Expected::Open,
        ),
        Hit::new(
            ("ring, outside, off its middle", RING, 0.004),
            [0.0, 0.04, 0.006],
            [0.0, 1.0, 0.0],
            [25.0, 0.0],
            Expected::Open,
        ),
        Hit::new(("ring, end face", RING, 0.004), [0.038, 0.0, 0.01], UP, FLAT, Expected::Open),
        Hit::new(
            ("tee, below", TEE, 0.004),
            [0.0, 0.0, -0.015],
            [0.0, 0.0, -1.0],
            [66.6666667, 0.0],
            Expected::Open,
        ),
        Hit::new(("tee, beside", TEE, 0.004), [0.03, 0.0, 0.015], UP, [66.6666667, 0.0], Expected::Open),
        Hit::new(("tee, end of a pipe", TEE, 0.004), [0.0125, 0.0, 0.035], UP, FLAT, Expected::Open),
        Hit::new(
            ("cup, ball in its hollow", CUP, 0.004),
            [0.0, 0.0, -0.006],
            UP,
            [-95.2380952, -95.2380952],
            Expected::Hertz,
        ),
        Hit::new(("cup, top", CUP, 0.004), [0.014, 0.01, 0.0], UP, FLAT, Expected::Open),
        Hit::new(("cup, side", CUP, 0.004), [0.02, 0.0, -0.0125], [1.0, 0.0, 0.0], FLAT, Expected::Open),
        Hit::new(
            ("ribbed plate, between ribs", RIBBED_PLATE, 0.003),
            [0.0, 0.0, 0.0],
            UP,
            FLAT,
            Expected::Open,
        ),
        Hit::new(
            ("ribbed plate, over a rib", RIBBED_PLATE, 0.003),
            [0.01, 0.012, 0.0],
            UP,
            FLAT,
            Expected::Open,
        ),
        Hit::new(
            ("ribbed plate, near a corner", RIBBED_PLATE, 0.003),
            [-0.03, -0.022, 0.0],
            UP,
            FLAT,
            Expected::Open,
        ),
        Hit::new(("bearing cap, top", BEARING_CAP, 0.004), [0.017, 0.0, 0.0], UP, FLAT, Expected::Open),
        Hit::new(
            ("bearing cap, side", BEARING_CAP, 0.004),
            [0.035, 0.0, -0.0125],
            [1.0, 0.0, 0.0],
            FLAT,
            Expected::Open,
        ),
        Hit::new(
            ("bearing cap, ball in its bore", BEARING_CAP, 0.004),
            [0.0, 0.0, -0.012],
            UP,
            [0.0, -83.3333333],
            Expected::Hertz,
        ),
        Hit::new(
            ("bearing cap, pin in its bore", BEARING_CAP, 0.004),
            [0.0, 0.0, -0.012],
            UP,
            FLAT,
            Expected::Refused("cells"),
        )
        .struck_by(Striker::Pin, [0.0, -0.015, 0.0]),
    ]
}
