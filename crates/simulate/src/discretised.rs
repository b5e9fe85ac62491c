//! Discretisations and surfaces of the bodies of a scenario; equal bodies share them.

use std::cell::{OnceCell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

use carom_fem::{
    Body, Cells, Discretisation, DiscretisationError, MassProperties, SetError, Surface, mass_properties,
    rough_mass_properties,
};
use nalgebra::Vector3;

use crate::enclosed::{coarse_volume, rough_volume};

/// The discretisation of a body, with its surface and mass once they are needed.
pub(crate) struct Discretised<'a> {
    body: &'a Body,
    /// Its cells.
    pub(crate) discretisation: Discretisation,
    whole: OnceCell<(Surface, Vec<Vector3<f64>>)>,
    properties: OnceCell<MassProperties>,
    rough: OnceCell<[f64; 2]>,
    coarse: OnceCell<Option<f64>>,
    /// Surfaces of sets, by name.
    surfaces: RefCell<BTreeMap<String, Result<Rc<Surface>, SetError>>>,
}

impl Discretised<'_> {
    /// Its whole surface, and the positions of the points of that in source coordinates \[m\].
    pub(crate) fn whole(&self) -> &(Surface, Vec<Vector3<f64>>) {
        self.whole.get_or_init(|| {
            let surface = self.discretisation.surface(&self.body.boundary_faces());
            let position = |&point: &u32| Vector3::from(self.discretisation.points[point as usize]);
            let points = surface.points.iter().map(position).collect();
            (surface, points)
        })
    }

    /// Its volume and mass.
    pub(crate) fn properties(&self) -> &MassProperties {
        self.properties.get_or_init(|| mass_properties(&self.discretisation))
    }

    /// Its volume \[m³\] and its mass \[kg\] to a thousandth, which takes less time.
    pub(crate) fn rough_volume_and_mass(&self) -> [f64; 2] {
        let of = |properties: &MassProperties| [properties.volume, properties.mass];
        let integrated = || of(&rough_mass_properties(&self.discretisation));
        match self.properties.get() {
            Some(properties) => of(properties),
            None => *self.rough.get_or_init(|| self.enclosed().unwrap_or_else(integrated)),
        }
    }

    /// The mass \[kg\] of a NURBS body of one density but for a factor of two, which takes a fraction of the
    /// time; none if it is not known so.
    pub(crate) fn coarse_mass(&self) -> Option<f64> {
        *self.coarse.get_or_init(|| {
            let (density, surface, points) = self.closed_surface()?;
            coarse_volume(surface, points).map(|volume| density * volume)
        })
    }

    /// Volume and mass of a NURBS body of one density from its surface, which leaves out the sides inside of
    /// it; none for other bodies, and for a surface that cannot be evaluated or encloses no positive volume.
    fn enclosed(&self) -> Option<[f64; 2]> {
        let (density, surface, points) = self.closed_surface()?;
        let volume = rough_volume(surface, points);
        (volume > 0.0 && volume.is_finite()).then_some([volume, density * volume])
    }

    /// Density, surface and its points of a NURBS body of one density whose surface can be evaluated.
    fn closed_surface(&self) -> Option<(f64, &Surface, &[Vector3<f64>])> {
        let Discretisation { blocks, materials, .. } = &self.discretisation;
        let density = materials[blocks.first()?.material].density;
        let is_spline = blocks.iter().all(|block| matches!(block.cells, Cells::Spline(_)));
        if !is_spline || blocks.iter().any(|block| materials[block.material].density != density) {
            return None;
        }
        let (surface, points) = self.whole();
        surface.validate().ok()?;
        Some((density, surface, points))
    }

    /// The surface of a set of the body, see [`Body::surface_of_set`].
    pub(crate) fn surface_of_set(&self, name: &str) -> Result<Rc<Surface>, SetError> {
        if let Some(known) = self.surfaces.borrow().get(name) {
            return known.clone();
        }
        let surface = self.body.surface_of_set(&self.discretisation, name).map(Rc::new);
        self.surfaces.borrow_mut().insert(name.to_owned(), surface.clone());
        surface
    }

    /// Keeps surfaces of sets that were found otherwise.
    pub(crate) fn keep_surfaces(&self, surfaces: Vec<(String, Surface)>) {
        let surfaces = surfaces.into_iter().map(|(name, surface)| (name, Ok(Rc::new(surface))));
        self.surfaces.borrow_mut().extend(surfaces);
    }
}

/// The discretisations of all different bodies.
#[derive(Default)]
pub(crate) struct Bodies<'a>(RefCell<Vec<Rc<Discretised<'a>>>>);

impl<'a> Bodies<'a> {
    /// The discretisation of a body, made at the first call for this or an equal body.
    pub(crate) fn of(&self, body: &'a Body) -> Result<Rc<Discretised<'a>>, DiscretisationError> {
        let is_it = |known: &&Rc<Discretised<'a>>| std::ptr::eq(known.body, body) || known.body == body;
        if let Some(known) = self.0.borrow().iter().find(is_it) {
            return Ok(Rc::clone(known));
        }
        let made = Rc::new(Discretised {
            body,
            discretisation: Discretisation::new(body)?,
            whole: OnceCell::new(),
            properties: OnceCell::new(),
            rough: OnceCell::new(),
            coarse: OnceCell::new(),
            surfaces: RefCell::default(),
        });
        self.0.borrow_mut().push(Rc::clone(&made));
        Ok(made)
    }
}
