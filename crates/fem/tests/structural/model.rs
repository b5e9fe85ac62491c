//! Static equilibrium of shells and beams by Newton's method, the tangent by differences.

use carom_fem::Material;
use carom_fem::constitutive::{ElasticLaw, ElasticModuli, SaintVenantKirchhoff, SolidLaw};
use carom_fem::internal_force::History;
use carom_fem::structural::{BeamSection, ShellSection, StructuralBlock, StructuralCells, StructuralForce};
use faer::Mat;
use faer::prelude::Solve;
use faer::sparse::{SparseColMat, Triplet};
use nalgebra::{Matrix3, Rotation3, Vector3};

/// St. Venant-Kirchhoff with the moduli of a material.
pub(super) fn elastic(material: &Material) -> SolidLaw {
    let moduli = ElasticModuli::of(material);
    SolidLaw::Elastic(ElasticLaw::SaintVenantKirchhoff(SaintVenantKirchhoff::new(moduli)))
}

/// A material of density 1.
pub(super) fn material(young: f64, poisson: f64) -> Material {
    Material::new("test", 1.0, young, poisson).unwrap()
}

/// A surface of n₁ × n₂ cells; node (i, j) is at `place(i/n₁, j/n₂)` and has the number i + (n₁ + 1) j.
pub(super) struct Sheet {
    pub(super) n: [usize; 2],
    pub(super) points: Vec<[f64; 3]>,
}

impl Sheet {
    pub(super) fn new(n: [usize; 2], place: impl Fn(f64, f64) -> [f64; 3]) -> Self {
        let at = |k: usize| {
            let (i, j) = (k % (n[0] + 1), k / (n[0] + 1));
            place(i as f64 / n[0] as f64, j as f64 / n[1] as f64)
        };
        Self { n, points: (0..(n[0] + 1) * (n[1] + 1)).map(at).collect() }
    }

    pub(super) fn node(&self, i: usize, j: usize) -> usize {
        i + (self.n[0] + 1) * j
    }

    pub(super) fn quadrilaterals(&self) -> Vec<[u32; 4]> {
        let cell = |k: usize| {
            let (i, j) = (k % self.n[0], k / self.n[0]);
            [(0, 0), (1, 0), (1, 1), (0, 1)].map(|(a, b)| self.node(i + a, j + b) as u32)
        };
        (0..self.n[0] * self.n[1]).map(cell).collect()
    }

    /// Two triangles for each quadrilateral, with alternating diagonals.
    pub(super) fn triangles(&self) -> Vec<[u32; 3]> {
        let cut = |(k, [a, b, c, d]): (usize, [u32; 4])| {
            let (i, j) = (k % self.n[0], k / self.n[0]);
            if (i + j) % 2 == 0 { [[a, b, c], [a, c, d]] } else { [[a, b, d], [b, c, d]] }
        };
        self.quadrilaterals().into_iter().enumerate().flat_map(cut).collect()
    }

    /// The cells with three or four nodes each.
    pub(super) fn cells(&self, corners: usize, section: ShellSection) -> StructuralCells {
        match corners {
            3 => StructuralCells::Triangles { connectivity: self.triangles(), section },
            _ => StructuralCells::Quadrilaterals { connectivity: self.quadrilaterals(), section },
        }
    }

    pub(super) fn model(&self, corners: usize, thickness: f64, material: &Material) -> Model {
        let cells = self.cells(corners, ShellSection::new(thickness, 2).unwrap());
        Model::new(&self.points, cells, material.clone(), elastic(material))
    }
}

/// Beams along a list of points.
pub(super) fn line(points: &[[f64; 3]], section: BeamSection, material: &Material) -> Model {
    let connectivity = (1..points.len() as u32).map(|k| [k - 1, k]).collect();
    let cells = StructuralCells::Beams { connectivity, section };
    Model::new(points, cells, material.clone(), elastic(material))
}

/// Shells or beams with held dofs and loads: three displacements and three rotations a point.
pub(super) struct Model {
    pub(super) force: StructuralForce,
    pub(super) history: History,
    pub(super) u: Vec<f64>,
    pub(super) rotations: Vec<Matrix3<f64>>,
    pub(super) held: Vec<bool>,
    pub(super) load: Vec<f64>,
    /// Points that are not in a cell with each other nor with the same third point, colour by colour.
    colours: Vec<Vec<usize>>,
    /// Points of the cells of each point.
    near: Vec<Vec<usize>>,
}

impl Model {
    pub(super) fn new(
        points: &[[f64; 3]],
        cells: StructuralCells,
        material: Material,
        law: SolidLaw,
    ) -> Self {
        let n = points.len();
        let lists: Vec<Vec<u32>> = match &cells {
            StructuralCells::Triangles { connectivity, .. } => {
                connectivity.iter().map(|nodes| nodes.to_vec()).collect()
            }
            StructuralCells::Quadrilaterals { connectivity, .. } => {
                connectivity.iter().map(|nodes| nodes.to_vec()).collect()
            }
            StructuralCells::Beams { connectivity, .. } => {
                connectivity.iter().map(|nodes| nodes.to_vec()).collect()
            }
        };
        let mut near = vec![Vec::new(); n];
        for nodes in &lists {
            for a in nodes {
                near[*a as usize].extend(nodes.iter().map(|b| *b as usize));
            }
        }
        near.iter_mut().for_each(|list| {
            list.sort_unstable();
            list.dedup();
        });
        let force = StructuralForce::new(points, &[StructuralBlock { cells, material, law }]).unwrap();
        let history = force.history();
        Self {
            history,
            force,
            u: vec![0.0; 3 * n],
            rotations: vec![Matrix3::identity(); n],
            held: vec![false; 6 * n],
            load: vec![0.0; 6 * n],
            colours: colours(&near),
            near,
        }
    }

    /// Holds dofs of a point: 0 to 2 displacements, 3 to 5 rotations.
    pub(super) fn hold(&mut self, point: usize, dofs: &[usize]) {
        dofs.iter().for_each(|dof| self.held[6 * point + dof] = true);
    }

    /// f_int of all dofs.
    pub(super) fn internal(&mut self) -> Vec<f64> {
        let n = self.u.len();
        let (mut forces, mut moments) = (vec![0.0; n], vec![0.0; n]);
        let Self { force, u, rotations, history, .. } = self;
        force.force(u, rotations, history, &mut forces, &mut moments).unwrap();
        let both = forces.chunks_exact(3).zip(moments.chunks_exact(3));
        both.flat_map(|(f, m)| f.iter().chain(m).copied().collect::<Vec<_>>()).collect()
    }

    /// Moves a point by an increment of its six dofs.
    pub(super) fn turn(&mut self, point: usize, step: &[f64]) {
        (0..3).for_each(|d| self.u[3 * point + d] += step[d]);
        let turn = Rotation3::new(Vector3::new(step[3], step[4], step[5])).into_inner();
        self.rotations[point] = turn * self.rotations[point];
    }

    /// ∂f_int/∂(u, θ) by central differences, with the held dofs taken out.
    ///
    /// A turn about a single director has no stiffness: a small one keeps the matrix regular, and does not
    /// change the equilibrium.
    fn tangent(&mut self, size: f64) -> SparseColMat<usize, f64> {
        let n = self.rotations.len();
        let mut triplets = Vec::new();
        let mut largest = 0.0_f64;
        for colour in self.colours.clone() {
            for dof in 0..6 {
                let step = if dof < 3 { 1e-6 * size } else { 1e-6 };
                let sides = [1.0, -1.0].map(|sign| {
                    let kept = (self.u.clone(), self.rotations.clone());
                    for &point in &colour {
                        let mut by = [0.0; 6];
                        by[dof] = sign * step;
                        self.turn(point, &by);
                    }
                    let force = self.internal();
                    (self.u, self.rotations) = kept;
                    force
                });
                for &point in &colour {
                    for row in self.near[point].iter().flat_map(|near| 6 * near..6 * near + 6) {
                        let value = (sides[0][row] - sides[1][row]) / (2.0 * step);
                        let column = 6 * point + dof;
                        if !self.held[row] && !self.held[column] {
                            largest = largest.max(value.abs());
                            triplets.push(Triplet::new(row, column, value));
                        }
                    }
                }
            }
        }
        for dof in 0..6 * n {
            let value = if self.held[dof] { 1.0 } else { 0.0 };
            let drill = if dof % 6 > 2 { 1e-9 * largest } else { 0.0 };
            triplets.push(Triplet::new(dof, dof, value + drill));
        }
        SparseColMat::try_new_from_triplets(6 * n, 6 * n, &triplets).unwrap()
    }

    /// Solves f_int = load for the free dofs, from the present state; returns the number of iterations.
    ///
    /// * `size` — a length of the body \[m\]
    pub(super) fn solve(&mut self, size: f64) -> usize {
        for iteration in 0..40 {
            let internal = self.internal();
            let rest: Vec<f64> = (0..internal.len())
                .map(|k| if self.held[k] { 0.0 } else { self.load[k] - internal[k] })
                .collect();
            let tangent = self.tangent(size);
            let step = tangent.sp_lu().unwrap().solve(Mat::from_fn(rest.len(), 1, |i, _| rest[i]));
            let step: Vec<f64> = (0..rest.len()).map(|i| step[(i, 0)]).collect();
            // Far from equilibrium the tangent turns slender bodies too far.
            let turned = step.chunks_exact(6).flat_map(|s| &s[3..]).fold(0.0_f64, |a, s| a.max(s.abs()));
            let part = (0.3 / turned).min(1.0);
            let step: Vec<f64> = step.into_iter().map(|s| part * s).collect();
            for point in 0..self.rotations.len() {
                self.turn(point, &step[6 * point..6 * point + 6]);
            }
            let moved =
                step.iter().enumerate().map(|(k, s)| if k % 6 < 3 { s.abs() / size } else { s.abs() });
            let change = moved.fold(0.0, f64::max);
            let shift = self.u.iter().fold(0.0_f64, |a, u| a.max(u.abs())) / size;
            assert!(change.is_finite());
            // The differences of a thin body leave steps of the order of 1e-9.
            if change <= 1e-7 * shift {
                self.internal();
                return iteration;
            }
        }
        panic!("no equilibrium in 40 iterations");
    }

    /// The answer of the linearised body to the load: displacements per point.
    pub(super) fn solve_linear(&mut self, size: f64) -> Vec<[f64; 6]> {
        let tangent = self.tangent(size);
        let load = |i: usize| if self.held[i] { 0.0 } else { self.load[i] };
        let step = tangent.sp_lu().unwrap().solve(Mat::from_fn(self.load.len(), 1, |i, _| load(i)));
        (0..self.rotations.len()).map(|p| std::array::from_fn(|k| step[(6 * p + k, 0)])).collect()
    }

    pub(super) fn displacement(&self, point: usize) -> Vector3<f64> {
        Vector3::from_column_slice(&self.u[3 * point..3 * point + 3])
    }
}

/// Colours in which no two points share a point of their cells.
fn colours(near: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let mut of_point = vec![usize::MAX; near.len()];
    let mut colours: Vec<Vec<usize>> = Vec::new();
    for point in 0..near.len() {
        let taken: Vec<usize> =
            near[point].iter().flat_map(|&other| near[other].iter().map(|&third| of_point[third])).collect();
        let colour = (0..).find(|colour| !taken.contains(colour)).unwrap();
        of_point[point] = colour;
        if colour == colours.len() {
            colours.push(Vec::new());
        }
        colours[colour].push(point);
    }
    colours
}
