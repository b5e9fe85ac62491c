//! The parts of the trials, their meshes, and where a ball hits them.

use std::f64::consts::PI;

use carom_contact::closed_form::{HertzPair, elastic_ball_stiffening};
use carom_mesh::make::{HexOptions, Solid, hexahedra};
use carom_mesh::{CellShape, Mesh, msh};
use nalgebra::Vector3;

use super::drawn::drawn_parts;
use super::{DENSITY, POISSON, YOUNG};
use crate::BenchError;
use crate::bench::Bench;

/// A part with the place of an impact.
pub(super) struct Part {
    pub(super) name: String,
    /// Place on its surface \[m\].
    pub(super) place: [f64; 3],
    /// Outward normal there.
    pub(super) normal: [f64; 3],
    /// Curvature there, positive where the surface bulges \[1/m\].
    pub(super) curvature: f64,
    /// Radius of the ball \[m\].
    pub(super) ball_radius: f64,
    /// True if an equal part takes the place of the ball.
    pub(super) is_pair: bool,
    /// Speed of the ball \[m/s\].
    pub(super) speed: f64,
    /// Density of both bodies \[kg/m³\].
    pub(super) density: f64,
    /// Force \[N\] and duration \[s\] of a resolved impact.
    pub(super) expected: [f64; 2],
    /// Largest error, where it is not that of the cells.
    pub(super) claim: Option<f64>,
    pub(super) meshes: Vec<PartMesh>,
}

impl Part {
    /// Mass of the ball \[kg\], for the time that the impact may take.
    pub(super) fn ball_mass(&self) -> f64 {
        4.0 / 3.0 * PI * self.ball_radius.powi(3) * self.density
    }

    /// The centre of the ball at the moment of contact \[m\].
    pub(super) fn ball_center(&self) -> Vector3<f64> {
        Vector3::from(self.place) + self.ball_radius * Vector3::from(self.normal)
    }
}

/// A mesh of a part.
#[derive(Clone)]
pub(super) struct PartMesh {
    /// Kind of its cells, with the degree of splines.
    pub(super) cells: &'static str,
    /// Its size in words, for the names of files.
    pub(super) size: String,
    /// Keys of the body in a scenario.
    pub(super) source: String,
    /// The file that these keys name.
    file: Option<(String, Contents)>,
}

/// Contents of a file of a part.
#[derive(Clone)]
enum Contents {
    /// A script of Gmsh.
    Script(String),
    Mesh(Mesh),
}

impl PartMesh {
    /// Name of the mesh among those of its part.
    pub(super) fn name(&self) -> String {
        format!("{}-{}", self.cells, self.size)
    }

    /// True for cells of the first degree.
    pub(super) fn is_linear(&self) -> bool {
        ["hex8", "tet4"].contains(&self.cells)
    }

    /// Writes the file that the keys of the body name.
    pub(super) fn place(&self, bench: &Bench<'_>) -> Result<(), BenchError> {
        match &self.file {
            None => Ok(()),
            Some((name, Contents::Script(text))) => bench.place(name, text),
            Some((name, Contents::Mesh(mesh))) => {
                let mut bytes = Vec::new();
                msh::write_to(&mut bytes, mesh).map_err(|error| BenchError::Scenario(error.to_string()))?;
                bench.place(name, bytes)
            }
        }
    }

    /// A shape of splines.
    fn splines(cells: &'static str, shape: &str, degree: usize, elements: [usize; 3]) -> Self {
        let n = if shape.starts_with("shape = \"ball\"") { &elements[..2] } else { &elements[..] };
        Self {
            cells,
            size: n.iter().map(usize::to_string).collect::<Vec<_>>().join("x"),
            source: format!("make = {{ {shape}, degree = {degree}, elements = {n:?} }}"),
            file: None,
        }
    }

    /// A mesh from a file.
    pub(super) fn of_mesh(part: &str, cells: &'static str, size: String, mesh: Mesh) -> Self {
        let file = format!("trial-{part}-{cells}-{size}.msh").replace([' ', '/'], "-");
        Self { cells, source: format!("file = \"{file}\""), size, file: Some((file, Contents::Mesh(mesh))) }
    }

    /// Hexahedra of a solid.
    fn hexahedra(
        part: &str,
        cells: &'static str,
        solid: Solid,
        elements: &[usize],
    ) -> Result<Self, BenchError> {
        let shape = CellShape::from_name(cells).expect("the kinds of the trials exist");
        let options = HexOptions { shape, elements: elements.to_vec(), ..HexOptions::default() };
        let mesh = hexahedra(solid, &options).map_err(|error| BenchError::Scenario(error.to_string()))?;
        let size = elements.iter().map(usize::to_string).collect::<Vec<_>>().join("x");
        Ok(Self::of_mesh(part, cells, size, mesh))
    }

    /// Tetrahedra of a script of Gmsh.
    ///
    /// * `size` — of the cells \[m\]
    pub(super) fn tetrahedra(part: &str, script: &str, cells: &'static str, size: f64) -> Self {
        let file = format!("trial-{part}.geo").replace(' ', "-");
        let order = if cells == "tet4" { 1 } else { 2 };
        Self {
            cells,
            size: format!("{:.2} mm", 1e3 * size),
            source: format!("file = \"{file}\"\nsize = {size:e}\norder = {order}"),
            file: Some((file, Contents::Script(script.to_owned()))),
        }
    }

    /// Tetrahedra of a script that sets the sizes of the cells itself.
    ///
    /// * `finest` — the least of them \[m\]
    pub(super) fn graded(part: &str, script: &str, finest: f64) -> Self {
        let file = format!("trial-{part}.geo").replace(' ', "-");
        Self {
            cells: "tet10",
            size: format!("{:.3} mm at the contact", 1e3 * finest),
            source: format!("file = \"{file}\"\norder = 2"),
            file: Some((file, Contents::Script(script.to_owned()))),
        }
    }
}

/// The parts, their meshes made.
pub(super) fn all_parts() -> Result<Vec<Part>, BenchError> {
    let mut parts = balls()?;
    parts.push(rod()?);
    parts.extend(plates()?);
    parts.extend(drawn_parts()?);
    Ok(parts)
}

/// Two equal balls of 15 mm.
fn balls() -> Result<Vec<Part>, BenchError> {
    let name = "ball on a ball";
    let mut meshes = Vec::new();
    for (cells, n) in [("hex20", 4), ("hex20", 8), ("hex27", 6)] {
        meshes.push(PartMesh::hexahedra(name, cells, Solid::Ball { radius: BALL }, &[n, n / 2])?);
    }
    for size in [4e-3, 2.5e-3] {
        meshes.push(PartMesh::tetrahedra(name, SPHERE, "tet10", size));
    }
    for n in [4, 6] {
        let shape = "shape = \"ball\", radius = 0.015";
        meshes.push(PartMesh::splines("NURBS p = 4", shape, 4, [n, n.div_ceil(2), 0]));
    }
    let part = |name: &str, speed, own: &[usize]| Part {
        name: name.to_owned(),
        place: [0.0, 0.0, BALL],
        normal: [0.0, 0.0, 1.0],
        curvature: 1.0 / BALL,
        ball_radius: BALL,
        is_pair: true,
        speed,
        density: BALL_DENSITY,
        expected: of_whole_balls(speed),
        claim: None,
        meshes: own.iter().map(|&k| meshes[k].clone()).collect(),
    };
    Ok(vec![
        part("balls at 0.03 m/s", 0.03, &[0, 5]),
        part("balls at 0.2 m/s", 0.2, &[1, 5]),
        part("balls at 0.5 m/s", 0.5, &[0, 1, 2, 3, 4, 5, 6]),
        part("balls at 1 m/s", 1.0, &[1, 5]),
    ])
}

/// Radius \[m\] and density \[kg/m³\] of the two balls.
const BALL: f64 = 0.015;
const BALL_DENSITY: f64 = 7780.0;

/// Largest force \[N\] and duration \[s\] of the impact of the two balls at a relative speed, by the static
/// force of the converged ball (docs/quasistatic.md, section 3), F(d) = F_Hertz(d) (1 + k a/R).
///
/// Each ball has half of the approach. One half of the impact is computed, in steps of velocity Verlet; the
/// other mirrors it.
fn of_whole_balls(speed: f64) -> [f64; 2] {
    const STEPS: f64 = 1e5;
    let on_rigid = HertzPair::new([BALL, f64::INFINITY], [YOUNG, f64::INFINITY], [POISSON; 2]);
    let force = |approach: f64| {
        let state = on_rigid.at_approach(0.5 * approach);
        let ratio = state.contact_radius / BALL;
        state.force * (1.0 + elastic_ball_stiffening(ratio) * ratio)
    };
    let mass = 0.5 * BALL_DENSITY * 4.0 / 3.0 * PI * BALL.powi(3);
    let step = HertzPair::new([BALL; 2], [YOUNG; 2], [POISSON; 2]).impact(mass, speed).duration / STEPS;
    let (mut time, mut approach, mut velocity) = (0.0, 0.0, speed);
    loop {
        let halfway = velocity - 0.5 * step * force(approach) / mass;
        let ahead = approach + step * halfway;
        let next = halfway - 0.5 * step * force(ahead) / mass;
        if next <= 0.0 {
            let part = velocity / (velocity - next);
            return [force(approach + 0.5 * part * step * velocity), 2.0 * (time + part * step)];
        }
        (time, approach, velocity) = (time + step, ahead, next);
    }
}

/// A ball as a script.
const SPHERE: &str = "SetFactory(\"OpenCASCADE\");\nSphere(1) = {0, 0, 0, 0.015};\n";

/// A rod as a script.
const ROD: &str = "SetFactory(\"OpenCASCADE\");\nCylinder(1) = {0, 0, 0, 0.4, 0, 0, 0.01};\n";

/// A plate as a script.
const PLATE: &str = "SetFactory(\"OpenCASCADE\");\nBox(1) = {-0.05, -0.04, -0.0025, 0.1, 0.08, 0.005};\n";

/// The end of a steel rod of 20 mm and 400 mm, hit by a ball of 15 mm.
fn rod() -> Result<Part, BenchError> {
    let name = "end of a rod";
    let solid = Solid::Rod { radius: 0.01, length: 0.4 };
    let mut meshes = Vec::new();
    let (coarse, fine) = ([40, 2, 1], [60, 3, 2]);
    for (cells, elements) in [("hex8", fine), ("hex20", coarse), ("hex20", fine), ("hex27", coarse)] {
        meshes.push(PartMesh::hexahedra(name, cells, solid, &elements)?);
    }
    for (cells, size) in [("tet4", 3e-3), ("tet10", 8e-3), ("tet10", 5e-3)] {
        meshes.push(PartMesh::tetrahedra(name, ROD, cells, size));
    }
    let shape = "shape = \"rod\", radius = 0.01, length = 0.4";
    for (cells, degree) in [("NURBS p = 2", 2), ("NURBS p = 3", 3), ("NURBS p = 4", 4)] {
        meshes.push(PartMesh::splines(cells, shape, degree, [30, 2, 2]));
    }
    Ok(Part {
        name: name.to_owned(),
        place: [0.4, 0.0, 0.0],
        normal: [1.0, 0.0, 0.0],
        curvature: 0.0,
        ball_radius: 0.015,
        is_pair: false,
        speed: 0.3,
        density: DENSITY,
        expected: [770.50, 134.30e-6],
        claim: None,
        meshes,
    })
}

/// A plate of 100 × 80 × 5 mm, hit off its middle and 3 mm from an edge.
fn plates() -> Result<Vec<Part>, BenchError> {
    let mut parts = Vec::new();
    let cases = [
        ("plate off its middle", [0.021, 0.0123], 0.0075, 0.5, [325.3, 62.85e-6], None),
        ("plate near its edge", [0.047, 0.0123], 0.0075, 0.5, [238.8, 71.2e-6], Some(0.025)),
    ];
    for (name, [x, y], radius, speed, expected, claim) in cases {
        let solid = Solid::Plate { size: [0.1, 0.08, 0.005] };
        let mut meshes = Vec::new();
        let (coarse, fine) = ([20, 16, 1], [40, 32, 2]);
        for (cells, elements) in [("hex8", fine), ("hex20", coarse), ("hex20", fine), ("hex27", coarse)] {
            meshes.push(PartMesh::hexahedra(name, cells, solid, &elements)?);
        }
        for (cells, size) in [("tet4", 2.5e-3), ("tet10", 5e-3), ("tet10", 2.5e-3)] {
            meshes.push(PartMesh::tetrahedra(name, PLATE, cells, size));
        }
        let shape = "shape = \"plate\", size = [0.1, 0.08, 0.005]";
        for (cells, degree) in [("NURBS p = 2", 2), ("NURBS p = 3", 3)] {
            meshes.push(PartMesh::splines(cells, shape, degree, [20, 16, 1]));
        }
        parts.push(Part {
            name: name.to_owned(),
            place: [x, y, 0.0025],
            normal: [0.0, 0.0, 1.0],
            curvature: 0.0,
            ball_radius: radius,
            is_pair: false,
            speed,
            density: DENSITY,
            expected,
            claim,
            meshes,
        });
    }
    Ok(parts)
}
