//! Size fields, names of groups and entities, numerical options.

use std::ffi::{CStr, CString};
use std::ptr;

use super::{Entity, Gmsh, GmshError, take_integers, take_string};

impl Gmsh {
    /// The value of a numerical option.
    pub(crate) fn number_option(&self, name: &CStr) -> Result<f64, GmshError> {
        let mut value = 0.0;
        // SAFETY: `name` is NUL-terminated, `value` a variable of ours.
        self.call("read an option", |ierr| unsafe {
            gmsh_sys::gmshOptionGetNumber(name.as_ptr(), &raw mut value, ierr);
        })?;
        Ok(value)
    }

    /// Name of a physical group; empty if it has none.
    pub(crate) fn group_name(&self, (dim, tag): Entity) -> Result<String, GmshError> {
        let mut text = ptr::null_mut();
        // SAFETY: `text` is a variable of ours that receives a string which becomes ours.
        self.call("read the name of a group", |ierr| unsafe {
            gmsh_sys::gmshModelGetPhysicalName(dim, tag, &raw mut text, ierr);
        })?;
        Ok(take_string(text))
    }

    /// Name of an entity in the CAD file, with those of the assemblies that contain it; empty if it has none.
    pub(crate) fn entity_name(&self, (dim, tag): Entity) -> Result<String, GmshError> {
        let mut text = ptr::null_mut();
        // SAFETY: `text` is a variable of ours that receives a string which becomes ours.
        self.call("read the name of a solid", |ierr| unsafe {
            gmsh_sys::gmshModelGetEntityName(dim, tag, &raw mut text, ierr);
        })?;
        Ok(take_string(text))
    }

    /// Tags of the entities of a physical group.
    pub(crate) fn group_entities(&self, (dim, tag): Entity) -> Result<Vec<i32>, GmshError> {
        let (mut tags, mut n) = (ptr::null_mut(), 0);
        // SAFETY: the pointers are to variables of ours; the array becomes ours.
        self.call("list the entities of a group", |ierr| unsafe {
            gmsh_sys::gmshModelGetEntitiesForPhysicalGroup(dim, tag, &raw mut tags, &raw mut n, ierr);
        })?;
        Ok(take_integers(tags, n))
    }

    /// Makes a size field and returns its number.
    pub(crate) fn add_field(&self, kind: &CStr) -> Result<i32, GmshError> {
        let mut number = 0;
        // SAFETY: `kind` is NUL-terminated and outlives the call; −1 asks for a new number.
        self.call("make a size field", |ierr| unsafe {
            number = gmsh_sys::gmshModelMeshFieldAdd(kind.as_ptr(), -1, ierr);
        })?;
        Ok(number)
    }

    /// Sets a number of a size field.
    pub(crate) fn set_field_number(&self, field: i32, option: &CStr, value: f64) -> Result<(), GmshError> {
        // SAFETY: `option` is NUL-terminated and outlives the call.
        self.call("set a size field", |ierr| unsafe {
            gmsh_sys::gmshModelMeshFieldSetNumber(field, option.as_ptr(), value, ierr);
        })
    }

    /// Sets a list of numbers of a size field.
    pub(crate) fn set_field_numbers(
        &self,
        field: i32,
        option: &CStr,
        values: &[i32],
    ) -> Result<(), GmshError> {
        let mut values: Vec<f64> = values.iter().map(|&value| f64::from(value)).collect();
        // SAFETY: `option` is NUL-terminated and outlives the call; `values` has the length given and is only
        // read.
        self.call("set a size field", |ierr| unsafe {
            gmsh_sys::gmshModelMeshFieldSetNumbers(
                field,
                option.as_ptr(),
                values.as_mut_ptr(),
                values.len(),
                ierr,
            );
        })
    }

    /// Sets a text of a size field.
    pub(crate) fn set_field_text(&self, field: i32, option: &CStr, value: &str) -> Result<(), GmshError> {
        let value = CString::new(value)?;
        // SAFETY: both strings are NUL-terminated and outlive the call.
        self.call("set a size field", |ierr| unsafe {
            gmsh_sys::gmshModelMeshFieldSetString(field, option.as_ptr(), value.as_ptr(), ierr);
        })
    }

    /// Makes a size field that of the whole mesh.
    pub(crate) fn set_background(&self, field: i32) -> Result<(), GmshError> {
        // SAFETY: takes a number and the error flag.
        self.call("use a size field", |ierr| unsafe {
            gmsh_sys::gmshModelMeshFieldSetAsBackgroundMesh(field, ierr);
        })
    }
}
