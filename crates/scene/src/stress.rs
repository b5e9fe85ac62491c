//! Stress of a displaced body at the points of its grid.
//!
//! The scheme of the result decides how stress follows from the displacement ([`StressTheory`]): linear
//! elasticity for reduced bodies, whose displacement is small in the frame of the body; a law at the
//! deformation gradient for bodies in large deformation; the stress that the scheme has stored where the law
//! keeps history.

use carom_fem::constitutive::{ElasticLaw, ElasticModuli, LawError};
use carom_fem::internal_force::{PointCount, PointRule, PointStress};
use carom_fem::stress::{cauchy_of_gradient, of_gradient, von_mises};
use carom_fem::{Body, Discretisation, DiscretisationError, Geometry, Material, StressSites};

use crate::body_grid::{BodyGrid, Source};
use crate::spline_stress::SplineRecovery;

/// Cauchy stress at the points of a grid, in the axes of the source geometry. For Bezier cells these are
/// control values of the field, like the points themselves.
#[derive(Debug, Clone, PartialEq)]
pub struct Stress {
    /// xx, yy, zz, xy, yz, xz \[Pa\], VTK's order.
    pub tensor: Vec<[f64; 6]>,
    /// Von Mises stress \[Pa\], never negative, also between points.
    pub von_mises: Vec<f64>,
}

impl Stress {
    /// Without stress at any of `n` points.
    pub(crate) fn zero(n: usize) -> Self {
        Self { tensor: vec![[0.0; 6]; n], von_mises: vec![0.0; n] }
    }

    pub(crate) fn of_tensor(tensor: Vec<[f64; 6]>) -> Self {
        Self { von_mises: tensor.iter().map(von_mises).collect(), tensor }
    }
}

/// The law with history, by its name in results.
const PLASTIC: &str = "plastic";

/// How the stress of a body follows from its displacement.
#[derive(Debug, Clone, PartialEq)]
pub enum StressTheory {
    /// Linear elasticity: displacements are small in the axes of the body.
    Linear,
    /// Cauchy stress of a constitutive law at the deformation gradient: displacements are arbitrary, rigid
    /// motions included. One law for each material of the body.
    Large(Vec<ElasticLaw>),
    /// The stress that the scheme has stored at the quadrature points: the law keeps history.
    Stored,
}

impl StressTheory {
    /// The theory of a body in a result.
    ///
    /// * `law` — name of the constitutive law in the header of the result; empty for linear elasticity
    ///
    /// # Errors
    ///
    /// [`LawError`] if there is no law of this name, or it excludes a material of the body.
    pub fn named(law: &str, body: &Body) -> Result<Self, LawError> {
        if law.is_empty() {
            return Ok(Self::Linear);
        }
        if law == PLASTIC {
            return Ok(Self::Stored);
        }
        let of_material = |material: &Material| ElasticLaw::named(law, ElasticModuli::of(material));
        body.materials.iter().map(of_material).collect::<Result<_, _>>().map(Self::Large)
    }

    /// The law of a material of the body.
    pub(crate) fn law_of(&self, body: &Body, material: usize) -> PointLaw {
        match self {
            Self::Linear | Self::Stored => PointLaw::Linear(body.materials[material].clone()),
            Self::Large(laws) => PointLaw::Large(laws[material]),
        }
    }
}

/// The stress at a point from the displacement gradient.
#[derive(Debug, Clone)]
pub(crate) enum PointLaw {
    Linear(Material),
    Large(ElasticLaw),
}

impl PointLaw {
    /// Cauchy stress \[Pa\].
    ///
    /// * `h` — entry `[a][b]` = ∂u_a/∂X_b
    pub(crate) fn stress(&self, h: &[[f64; 3]; 3]) -> [f64; 6] {
        match self {
            Self::Linear(material) => of_gradient(material, h),
            Self::Large(law) => cauchy_of_gradient(law, h),
        }
    }
}

/// Stress recovery of a body at the points of a grid, frame by frame: data that do not depend on the
/// displacement are computed once.
///
/// Meshes: averages at the nodes, [`StressSites::node_averages`]. NURBS: evaluated in every cell at the
/// lattice i/p of its Bezier form, averaged over the cells that meet there, and converted to control values
/// that interpolate these averages. The field is continuous; the jumps that averaging removed are of the
/// order of the discretisation error.
#[derive(Debug, Clone)]
pub struct StressRecovery<'a> {
    grid: &'a BodyGrid,
    discretisation: Discretisation,
    sites: StressSites,
    spline: Option<SplineRecovery>,
    /// One law for each block in large deformation.
    laws: Option<Vec<ElasticLaw>>,
    /// Points and strains of the cells.
    rule: PointRule,
}

impl<'a> StressRecovery<'a> {
    /// Prepares the recovery by linear elasticity for a grid and the body that it was made from.
    ///
    /// # Errors
    ///
    /// [`DiscretisationError`] if the body cannot be discretised.
    pub fn new(grid: &'a BodyGrid, body: &Body) -> Result<Self, DiscretisationError> {
        Self::with_theory(grid, body, &StressTheory::Linear)
    }

    /// Prepares the recovery by some theory for a grid and the body that it was made from.
    ///
    /// # Errors
    ///
    /// [`DiscretisationError`] if the body cannot be discretised.
    pub fn with_theory(
        grid: &'a BodyGrid,
        body: &Body,
        theory: &StressTheory,
    ) -> Result<Self, DiscretisationError> {
        let spline = match &body.geometry {
            Geometry::Nurbs(multipatch) => Some(SplineRecovery::new(grid, multipatch, body, theory)),
            Geometry::Mesh(_) => None,
        };
        let discretisation = Discretisation::new(body)?;
        let laws = match theory {
            StressTheory::Linear | StressTheory::Stored => None,
            StressTheory::Large(laws) => {
                Some(discretisation.blocks.iter().map(|block| laws[block.material]).collect())
            }
        };
        let (sites, rule) = (StressSites::mesh_nodes(&discretisation), PointRule::default());
        Ok(Self { grid, sites, discretisation, spline, laws, rule })
    }

    /// The same for cells with the points and strains of a rule: the stress is that of the strains with which
    /// the scheme has moved the body, such as those of mean dilatation.
    pub fn with_elements(self, rule: PointRule) -> Self {
        Self { rule, ..self }
    }

    /// Stress under a displacement of the body's points (nodes, control points), in the axes of the
    /// displacement: those of the body in linear elasticity.
    ///
    /// * `displacement` — one vector per body point \[m\]
    ///
    /// # Panics
    ///
    /// If `displacement` is shorter than the body has points.
    pub fn stress(&self, displacement: &[[f64; 3]]) -> Stress {
        // Zero displacement is frequent: rigid bodies, and flexible bodies before the first contact.
        if displacement.iter().flatten().all(|&u| u == 0.0) {
            return Stress::zero(self.grid.grid.points.len());
        }
        if let Some(spline) = &self.spline {
            return spline.stress(displacement, self.grid.grid.points.len());
        }
        let n_points = self.discretisation.n_points();
        self.at_grid_nodes(match &self.laws {
            laws if self.rule.couples_points() => {
                let at_sites = self.stress_by_rule(displacement, laws.as_deref());
                self.sites.averages_at_nodes(n_points, &at_sites)
            }
            None => self.sites.node_averages(&self.discretisation, displacement),
            Some(laws) => {
                let at_sites = self.sites.cauchy(&self.discretisation, laws, displacement);
                let at_sites = at_sites.expect("bodies with a stress are solid");
                self.sites.averages_at_nodes(n_points, &at_sites)
            }
        })
    }

    /// Stress at the sites by the strains of the rule.
    fn stress_by_rule(&self, displacement: &[[f64; 3]], laws: Option<&[ElasticLaw]>) -> Vec<[f64; 6]> {
        let Self { sites, discretisation, rule, .. } = self;
        match laws {
            Some(laws) => sites.stress_by_rule(discretisation, displacement, *rule, true, |cell, h| {
                cauchy_of_gradient(&laws[cell.block as usize], h)
            }),
            None => sites.stress_by_rule(discretisation, displacement, *rule, false, |cell, h| {
                let block = &discretisation.blocks[cell.block as usize];
                of_gradient(&discretisation.materials[block.material], h)
            }),
        }
    }

    /// Stress that a scheme has stored at the quadrature points of the body, at the points of the grid.
    ///
    /// For laws with history variables, whose stress does not follow from the displacement.
    ///
    /// # Panics
    ///
    /// If the stress is of another body.
    pub fn stress_of_points(&self, points: &PointStress) -> Stress {
        if let Some(spline) = &self.spline {
            return spline.stress_of_points(&self.discretisation, points, self.grid.grid.points.len());
        }
        let at_sites = self.sites.from_points(&self.discretisation, points);
        self.at_grid_nodes(self.sites.averages_at_nodes(self.discretisation.n_points(), &at_sites))
    }

    /// As [`StressRecovery::stress_of_points`], from numbers of a result.
    ///
    /// * `rule` — quadrature points of the cells
    /// * `numbers` — xx, yy, zz, xy, yz, xz of each point \[Pa\]
    ///
    /// # Errors
    ///
    /// [`PointCount`] if the body has another number of points.
    pub fn stress_of_numbers(&self, rule: PointRule, numbers: &[f64]) -> Result<Stress, PointCount> {
        let values = numbers.as_chunks().0.to_vec();
        Ok(self.stress_of_points(&PointStress::new(&self.discretisation, rule, values)?))
    }

    /// A number at the quadrature points of the body, such as the plastic strain, at the points of the grid.
    ///
    /// # Errors
    ///
    /// [`PointCount`] if the body has another number of points.
    pub fn number_of_points(&self, rule: PointRule, numbers: &[f64]) -> Result<Vec<f64>, PointCount> {
        // The fit and the averages treat the components of a tensor separately.
        let values = numbers.iter().map(|&x| [x, 0.0, 0.0, 0.0, 0.0, 0.0]).collect();
        let points = PointStress::new(&self.discretisation, rule, values)?;
        Ok(self.stress_of_points(&points).tensor.iter().map(|tensor| tensor[0]).collect())
    }

    /// Stress at the nodes of the grid from that at all nodes of the body.
    fn at_grid_nodes(&self, all: Vec<[f64; 6]>) -> Stress {
        match &self.grid.source {
            Source::Nodes(nodes) => Stress::of_tensor(nodes.iter().map(|&node| all[node as usize]).collect()),
            Source::Bezier(_) => unreachable!("only NURBS bodies have Bezier grids"),
        }
    }
}
