//! Scenarios that tests of several packages share, as text. Tests change single keys by overrides, as
//! `--set` does, or by further tables behind the text.

/// An elastic ball of 15 mm at 40 m/s against a rigid wall. The contact radius of 2.7 mm covers two faces.
pub const BALL_ON_WALL: &str = r#"
[simulation]
end_time = 5.0e-5

[[body]]
name = "ball"
make = { shape = "ball", radius = 0.015, pole_radius = 3.9e-3, grade = { at = "pole", finest = 1.5e-3 } }
material = "steel"
reduce = { interface = ["pole"], modes = 8, split = 1.0e5 }
position = [0.0, 0.0, -0.0150001]
velocity = [0.0, 0.0, 40.0]

[[body]]
name = "wall"
make = { shape = "box", size = [0.02, 0.02, 0.01] }
rigid = true
fixed = true
material = "steel"
position = [-0.01, -0.01, 0.0]

[[contact]]
between = ["ball:pole", "wall:bottom"]
law = { kind = "lagrange" }
"#;

/// An elastic ball of 15 mm at 20 m/s against a free elastic block, coarse enough for a test.
pub const BALL_ON_BLOCK: &str = r#"
[simulation]
end_time = 6.0e-5
output_every = 2.0e-6

[[body]]
name = "ball"
make = { shape = "ball", radius = 0.015, pole_radius = 3.9e-3, grade = { at = "pole", finest = 3.0e-3 } }
material = "steel"
reduce = { interface = ["pole"], modes = 8, split = 2.0e4 }
position = [0.003, -0.001, -0.0151]
velocity = [0.0, 0.0, 20.0]

[[body]]
name = "block"
make = { shape = "box", size = [0.06, 0.06, 0.03], elements = [6, 6, 3] }
material = "steel"
reduce = { interface = ["bottom"], modes = 8, split = 2.0e4 }
position = [-0.03, -0.03, 0.0]

[[contact]]
between = ["ball:pole", "block:bottom"]
"#;

/// A rigid ball of 10 mm at 1 m/s on a plate of quadratic splines: 2592 dofs, reduced in a fraction of a
/// second.
pub const RIGID_BALL_ON_PLATE: &str = r#"
[simulation]
end_time = 4.0e-5
output_every = 1.0e-5

[[body]]
name = "ball"
make = { shape = "ball", radius = 0.01, pole_radius = 2.0e-3 }
material = "steel"
rigid = true
rotation = { axis = [1.0, 0.0, 0.0], degrees = 180.0 }
position = [0.0, 0.0, 0.01001]
velocity = [0.0, 0.0, -1.0]

[[body]]
name = "plate"
make = { shape = "plate", size = [0.02,0.02,5e-3], pole_radius = 2e-3, grade = {at = "pole", finest = 1e-3}}
material = "pmma"
reduce = { interface = ["pole"], modes = 8, split = 5.0e4 }
position = [0.0, 0.0, -0.0025]

[[contact]]
between = ["plate:pole", "ball:pole"]
"#;

/// A rigid plate that falls flat on a free block of 2 × 2 × 1 cells, whose four faces carry the pressure.
pub const PLATE_ON_BLOCK: &str = r#"
[simulation]
end_time = 2.4e-5
output_every = 1.0e-6

[[body]]
name = "block"
make = { shape = "box", size = [0.02, 0.02, 0.01], elements = [2, 2, 1] }
material = "steel"
reduce = { interface = ["top"], modes = 8, split = 1.0e5 }

[[body]]
name = "plate"
make = { shape = "box", size = [0.04, 0.04, 0.01] }
material = "steel"
rigid = true
position = [-0.009, -0.008, 0.010004]
velocity = [0.0, 0.0, -1.0]

[[contact]]
between = ["block:top", "plate:bottom"]
law = { kind = "penalty" }
"#;

/// A rigid steel rod of 0.4 m, hinged to the ground at its start, that falls from level.
pub const PENDULUM: &str = r#"
[simulation]
end_time = 1.0
integrator = "dop853"
gravity = [0.0, 0.0, -9.81]

[[body]]
name = "rod"
make = { shape = "rod", radius = 0.01, length = 0.4 }
material = "steel"
rigid = true

[[joint]]
kind = "revolute"
between = ["ground", "rod:start"]
axis = [0.0, 1.0, 0.0]
"#;
