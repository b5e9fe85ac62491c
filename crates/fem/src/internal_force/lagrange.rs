//! Mesh cells: gradients and forces by the table of shape functions.

use carom_mesh::{CellShape, lagrange};

use super::PointRule;
use super::maps::{Local, PointMaps, inverse};
use super::shape::{Mapped, Shape, Stages};
use crate::constitutive::{LANES, Lanes, ZERO, each, lanes};
use crate::evaluator::determinant;
use crate::quadrature::{Integrand, Quadrature, QuadratureRule};

/// Shape functions of a kind of mesh cell at its quadrature points.
#[derive(Debug, Clone)]
pub(super) struct LagrangeShape {
    n_nodes: usize,
    rule: Quadrature,
    /// ∂N_i/∂ξ, point after point.
    slopes: Vec<[f64; 3]>,
}

impl LagrangeShape {
    pub(super) fn new(shape: CellShape, rule: PointRule) -> Self {
        let n_nodes = shape.n_nodes();
        let rule = points(shape, rule);
        let mut slopes = vec![[0.0; 3]; n_nodes * rule.points.len()];
        for (slopes, &xi) in slopes.chunks_exact_mut(n_nodes).zip(&rule.points) {
            lagrange::gradients_into(shape, xi, slopes);
        }
        Self { n_nodes, rule, slopes }
    }
}

/// The quadrature points of a kind of cell.
pub(crate) fn points(shape: CellShape, rule: PointRule) -> Quadrature {
    match rule {
        PointRule::Cell(rule) => Quadrature::for_cell(shape, Integrand::Stiffness, rule),
        PointRule::Centre => centre(shape),
        PointRule::OnePoint if shape == CellShape::Hex8 => centre(shape),
        PointRule::MeanDilatation | PointRule::OnePoint => {
            Quadrature::for_cell(shape, Integrand::Stiffness, QuadratureRule::Default)
        }
    }
}

/// The centroid of the reference cell with its volume.
fn centre(shape: CellShape) -> Quadrature {
    let rule = Quadrature::for_cell(shape, Integrand::Mass, QuadratureRule::Default);
    let volume: f64 = rule.weights.iter().sum();
    let mut point = [0.0; 3];
    for (xi, weight) in rule.points.iter().zip(&rule.weights) {
        (0..3).for_each(|d| point[d] += weight * xi[d] / volume);
    }
    Quadrature { points: vec![point], weights: vec![volume] }
}

impl Shape<3> for LagrangeShape {
    fn n_nodes(&self) -> usize {
        self.n_nodes
    }

    fn n_points(&self) -> usize {
        self.rule.points.len()
    }

    fn xi(&self, point: usize) -> [f64; 3] {
        self.rule.points[point]
    }

    fn stages(&self) -> Stages {
        Stages::default()
    }

    #[inline(always)]
    fn enter(&self, _: &[u32; LANES], _: &mut Stages) {}

    #[inline(always)]
    fn gradients(&self, nodal: &[[Lanes; 3]], local: &mut [Local<3>], _: &mut Stages) {
        for (slopes, out) in self.slopes.chunks_exact(self.n_nodes).zip(local) {
            let mut sums = [[ZERO; 3]; 3];
            for (slope, u) in slopes.iter().zip(nodal) {
                for d in 0..3 {
                    for a in 0..3 {
                        for l in 0..LANES {
                            sums[d][a][l] += slope[d] * u[a][l];
                        }
                    }
                }
            }
            *out = sums;
        }
    }

    #[inline(always)]
    fn forces(&self, local: &[Local<3>], nodal: &mut [[Lanes; 3]], _: &mut Stages) {
        nodal.fill([ZERO; 3]);
        for (slopes, stress) in self.slopes.chunks_exact(self.n_nodes).zip(local) {
            for (slope, force) in slopes.iter().zip(nodal.iter_mut()) {
                for a in 0..3 {
                    for l in 0..LANES {
                        force[a][l] += slope[0] * stress[0][a][l]
                            + slope[1] * stress[1][a][l]
                            + slope[2] * stress[2][a][l];
                    }
                }
            }
        }
    }

    #[inline(always)]
    fn functions(&self, point: usize, maps: &PointMaps<3>, _: &Stages, out: &mut [[Lanes; 3]]) {
        let slopes = &self.slopes[self.n_nodes * point..self.n_nodes * (point + 1)];
        for (slope, out) in slopes.iter().zip(out) {
            *out = each(|b| {
                lanes(|l| {
                    slope[0] * maps.slopes[0][b][l]
                        + slope[1] * maps.slopes[1][b][l]
                        + slope[2] * maps.slopes[2][b][l]
                })
            });
        }
    }

    fn map(&self, point: usize, coordinates: &Local<3>, _: &Local<3>) -> Mapped<3> {
        let mut slopes = [[ZERO; 3]; 3];
        let mut det = ZERO;
        for l in 0..LANES {
            let jacobian: [[f64; 3]; 3] = each(|a| each(|d| coordinates[d][a][l]));
            det[l] = determinant(&jacobian);
            let inverse = inverse(&jacobian, det[l]);
            for d in 0..3 {
                for b in 0..3 {
                    slopes[d][b][l] = inverse[d][b];
                }
            }
        }
        let volume = lanes(|l| self.rule.weights[point] * det[l]);
        Mapped { maps: PointMaps { slopes, volume }, det }
    }
}
