//! Operations of OpenCASCADE on the shapes of the model: measures, copies, Boolean fragments.

use std::ffi::{c_int, c_void};
use std::ptr;

use super::{Entity, Gmsh, GmshError, flattened, pairs, take_integers, take_string};

impl Gmsh {
    /// Takes over what operations of OpenCASCADE have changed.
    pub(crate) fn synchronise(&self) -> Result<(), GmshError> {
        // SAFETY: takes the error flag alone.
        self.call("synchronise the shapes", |ierr| unsafe { gmsh_sys::gmshModelOccSynchronize(ierr) })
    }

    /// Volume, area or length of an entity [m³, m², m].
    pub(crate) fn measure(&self, (dim, tag): Entity) -> Result<f64, GmshError> {
        let mut measure = 0.0;
        // SAFETY: `measure` is a variable of ours.
        self.call("measure a shape", |ierr| unsafe {
            gmsh_sys::gmshModelOccGetMass(dim, tag, &raw mut measure, ierr);
        })?;
        Ok(measure)
    }

    /// Word for the kind of an entity: `Plane`, `Cylinder`, `BSpline surface`, …
    pub(crate) fn kind_of(&self, (dim, tag): Entity) -> Result<String, GmshError> {
        let mut text = ptr::null_mut();
        // SAFETY: `text` is a variable of ours that receives a string which becomes ours.
        self.call("read the kind of a face", |ierr| unsafe {
            gmsh_sys::gmshModelGetType(dim, tag, &raw mut text, ierr);
        })?;
        Ok(take_string(text))
    }

    /// Centre of an entity of uniform density [m].
    pub(crate) fn centre(&self, (dim, tag): Entity) -> Result<[f64; 3], GmshError> {
        let [mut x, mut y, mut z] = [0.0; 3];
        // SAFETY: the pointers are to three different variables of ours.
        self.call("find the centre of a shape", |ierr| unsafe {
            gmsh_sys::gmshModelOccGetCenterOfMass(dim, tag, &raw mut x, &raw mut y, &raw mut z, ierr);
        })?;
        Ok([x, y, z])
    }

    /// Copies of entities, in their order.
    pub(crate) fn copies(&self, entities: &[Entity]) -> Result<Vec<Entity>, GmshError> {
        let mut flat = flattened(entities);
        let (mut copies, mut n) = (ptr::null_mut(), 0);
        // SAFETY: `flat` has the length given and is only read; the array returned becomes ours.
        self.call("copy shapes", |ierr| unsafe {
            gmsh_sys::gmshModelOccCopy(flat.as_mut_ptr(), flat.len(), &raw mut copies, &raw mut n, ierr);
        })?;
        Ok(pairs(&take_integers(copies, n)))
    }

    /// Removes entities with their boundaries, except those that bound other entities too.
    pub(crate) fn remove(&self, entities: &[Entity]) -> Result<(), GmshError> {
        let mut flat = flattened(entities);
        // SAFETY: `flat` has the length given and is only read.
        self.call("remove shapes", |ierr| unsafe {
            gmsh_sys::gmshModelOccRemove(flat.as_mut_ptr(), flat.len(), 1, ierr);
        })
    }

    /// Cuts entities along each other, so that they share their common parts. Returns the pieces of each
    /// entity, first those of `objects`, then those of `tools`, in their orders.
    pub(crate) fn fragments(
        &self,
        objects: &[Entity],
        tools: &[Entity],
    ) -> Result<Vec<Vec<Entity>>, GmshError> {
        let (mut flat_objects, mut flat_tools) = (flattened(objects), flattened(tools));
        let (mut all, mut n_all) = (ptr::null_mut(), 0);
        let (mut rows, mut lengths, mut n_rows) = (ptr::null_mut(), ptr::null_mut(), 0);
        // SAFETY: both lists have the lengths given and are only read; the arrays returned become ours. Tag
        // −1 asks for new numbers; the flags remove the entities that are replaced by pieces.
        self.call("cut shapes along each other", |ierr| unsafe {
            gmsh_sys::gmshModelOccFragment(
                flat_objects.as_mut_ptr(),
                flat_objects.len(),
                flat_tools.as_mut_ptr(),
                flat_tools.len(),
                &raw mut all,
                &raw mut n_all,
                &raw mut rows,
                &raw mut lengths,
                &raw mut n_rows,
                -1,
                1,
                1,
                ierr,
            );
        })?;
        take_integers(all, n_all);
        Ok(take_rows(rows, lengths, n_rows).iter().map(|row| pairs(row)).collect())
    }
}

/// Copies rows of integers that Gmsh allocated, and frees them.
fn take_rows(rows: *mut *mut c_int, lengths: *mut usize, n: usize) -> Vec<Vec<i32>> {
    if rows.is_null() || lengths.is_null() {
        return Vec::new();
    }
    // SAFETY: Gmsh returns two arrays of the length that it says from its own allocator, to be freed by
    // `gmshFree`, once; each row has its length in the second array, and is freed by `take_integers`.
    unsafe {
        let copies = (0..n).map(|i| take_integers(*rows.add(i), *lengths.add(i))).collect();
        gmsh_sys::gmshFree(rows.cast::<c_void>());
        gmsh_sys::gmshFree(lengths.cast::<c_void>());
        copies
    }
}
