//! Safe wrappers of the functions of Gmsh that are used; their C signatures are in [`signatures`].

#![expect(unsafe_code, reason = "Gmsh is a C library")]

use std::ffi::{CStr, CString, NulError, c_char, c_int, c_void};
use std::fmt;
use std::marker::PhantomData;
use std::ptr;

use signatures::{KNOWN_VERSIONS, NAMES_GROUPS, fresh};

mod fields;
mod shapes;
mod signatures;

/// A geometric entity: dimension and tag.
pub(crate) type Entity = (i32, i32);

/// Errors of calls to Gmsh.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum GmshError {
    /// A function failed.
    Call {
        /// The operation that failed.
        what: &'static str,
        /// Gmsh's last error message.
        message: String,
    },
    /// A version whose header was not compared with the declarations.
    Version {
        /// The version found.
        found: String,
    },
    /// A path or name with a NUL byte, which C strings cannot contain.
    Nul,
}

impl fmt::Display for GmshError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Call { what, message } if message.is_empty() => {
                write!(f, "Gmsh cannot {what} and gives no reason")
            }
            Self::Call { what, message } => write!(f, "Gmsh cannot {what}: {message}"),
            Self::Version { found } => {
                let known: Vec<String> = KNOWN_VERSIONS.iter().map(|(a, b)| format!("{a}.{b}")).collect();
                write!(f, "Gmsh {found} is linked, but only {} is known to work", known.join(", "))
            }
            Self::Nul => write!(f, "a file name contains a NUL byte"),
        }
    }
}

impl From<NulError> for GmshError {
    fn from(_: NulError) -> Self {
        Self::Nul
    }
}

/// The initialised library. Its state is global to the process, so that there is one instance, on one thread.
/// It is finalised when dropped.
#[derive(Debug)]
pub(crate) struct Gmsh {
    /// Version as reported by the library.
    pub(crate) version: String,
    /// True for versions from [`NAMES_GROUPS`] on, in which physical groups get their name when they are
    /// created.
    names_groups: bool,
    not_send: PhantomData<*const ()>,
}

impl Gmsh {
    /// Initialises the library and refuses versions whose signatures are not known.
    ///
    /// Must be called once in a process.
    pub(crate) fn start() -> Result<Self, GmshError> {
        let mut name = *b"carom-gmsh\0";
        let mut argv = [name.as_mut_ptr().cast::<c_char>(), ptr::null_mut()];
        let mut ierr = 0;
        // SAFETY: argv holds one NUL-terminated string and the null that ends it, which outlive the call; see
        // `fresh::initialize` for the last two arguments.
        unsafe { fresh::initialize(1, argv.as_mut_ptr(), 0, 0, &raw mut ierr) };
        if ierr != 0 {
            return Err(GmshError::Call { what: "start", message: String::new() });
        }
        let mut gmsh = Self { version: String::new(), names_groups: false, not_send: PhantomData };
        gmsh.version = gmsh.string_option(c"General.Version")?;
        let mut numbers = gmsh.version.split(['.', '-']).map(str::parse);
        match (numbers.next(), numbers.next()) {
            (Some(Ok(major)), Some(Ok(minor))) if KNOWN_VERSIONS.contains(&(major, minor)) => {
                gmsh.names_groups = (major, minor) >= NAMES_GROUPS;
                Ok(gmsh)
            }
            _ => Err(GmshError::Version { found: gmsh.version.clone() }),
        }
    }

    /// The option of a `Distance` field for the number of sampled points; it was renamed in version 4.9.
    pub(crate) fn samples_of_distance(&self) -> &'static CStr {
        if self.names_groups { c"Sampling" } else { c"NumPointsPerCurve" }
    }

    /// Calls a function that takes the error flag last.
    fn call(&self, what: &'static str, function: impl FnOnce(*mut c_int)) -> Result<(), GmshError> {
        let mut ierr = 0;
        function(&raw mut ierr);
        if ierr == 0 { Ok(()) } else { Err(GmshError::Call { what, message: self.last_error() }) }
    }

    /// The last error message; empty if there was none.
    pub(crate) fn last_error(&self) -> String {
        let (mut text, mut ierr) = (ptr::null_mut(), 0);
        // SAFETY: both pointers are to variables of ours; the string becomes ours.
        unsafe { fresh::last_error(&raw mut text, &raw mut ierr) };
        take_string(text)
    }

    fn string_option(&self, name: &CStr) -> Result<String, GmshError> {
        let mut text = ptr::null_mut();
        // SAFETY: `name` is NUL-terminated, `text` a variable of ours that receives a string which becomes
        // ours.
        self.call("read an option", |ierr| unsafe {
            gmsh_sys::gmshOptionGetString(name.as_ptr(), &raw mut text, ierr);
        })?;
        Ok(take_string(text))
    }

    /// Sets a numerical option.
    pub(crate) fn set_option(&self, name: &CStr, value: f64) -> Result<(), GmshError> {
        // SAFETY: `name` is NUL-terminated and outlives the call.
        self.call("set an option", |ierr| unsafe {
            gmsh_sys::gmshOptionSetNumber(name.as_ptr(), value, ierr)
        })
    }

    /// Sets an option with a string as its value.
    pub(crate) fn set_text_option(&self, name: &CStr, value: &CStr) -> Result<(), GmshError> {
        // SAFETY: both strings are NUL-terminated and outlive the call.
        self.call("set an option", |ierr| unsafe {
            gmsh_sys::gmshOptionSetString(name.as_ptr(), value.as_ptr(), ierr);
        })
    }

    /// Runs a .geo script, or opens any other file.
    pub(crate) fn open(&self, path: &str) -> Result<(), GmshError> {
        let path = CString::new(path)?;
        // SAFETY: `path` is NUL-terminated and outlives the call.
        self.call("open the file", |ierr| unsafe { gmsh_sys::gmshOpen(path.as_ptr(), ierr) })
    }

    /// Imports the solids of a STEP, IGES or BREP file into a new model.
    pub(crate) fn import_shapes(&self, path: &str) -> Result<(), GmshError> {
        let path = CString::new(path)?;
        // SAFETY: the name is NUL-terminated and outlives the call.
        self.call("start a model", |ierr| unsafe { gmsh_sys::gmshModelAdd(c"part".as_ptr(), ierr) })?;
        let (mut entities, mut n) = (ptr::null_mut(), 0);
        // SAFETY: strings are NUL-terminated and outlive the call; an empty format means that of the file
        // name; the array becomes ours.
        self.call("import the shapes", |ierr| unsafe {
            gmsh_sys::gmshModelOccImportShapes(
                path.as_ptr(),
                &raw mut entities,
                &raw mut n,
                1,
                c"".as_ptr(),
                ierr,
            );
        })?;
        take_integers(entities, n);
        self.synchronise()
    }

    /// The entities of a dimension.
    pub(crate) fn entities(&self, dim: i32) -> Result<Vec<Entity>, GmshError> {
        let (mut entities, mut n) = (ptr::null_mut(), 0);
        // SAFETY: the pointers are to variables of ours; the array becomes ours.
        self.call("list entities", |ierr| unsafe {
            gmsh_sys::gmshModelGetEntities(&raw mut entities, &raw mut n, dim, ierr);
        })?;
        Ok(pairs(&take_integers(entities, n)))
    }

    /// Corners of the box around the model [m].
    pub(crate) fn bounding_box(&self) -> Result<[[f64; 3]; 2], GmshError> {
        self.box_around(-1, -1)
    }

    /// Corners of the box around an entity [m]; dimension and tag −1 mean the whole model.
    pub(crate) fn box_around(&self, dim: i32, tag: i32) -> Result<[[f64; 3]; 2], GmshError> {
        let [mut low, mut high] = [[0.0; 3]; 2];
        let ([x0, y0, z0], [x1, y1, z1]) = (&mut low, &mut high);
        // SAFETY: the pointers are to six different numbers of ours.
        self.call("find the extent of the part", |ierr| unsafe {
            gmsh_sys::gmshModelGetBoundingBox(dim, tag, x0, y0, z0, x1, y1, z1, ierr);
        })?;
        Ok([low, high])
    }

    /// The surfaces that bound these volumes, each once, inner ones too.
    pub(crate) fn boundary(&self, volumes: &[Entity]) -> Result<Vec<Entity>, GmshError> {
        let mut flat = flattened(volumes);
        let (mut entities, mut n) = (ptr::null_mut(), 0);
        // SAFETY: `flat` has the length given and is only read; the array returned becomes ours. The flags:
        // do not combine (inner faces would cancel), no signs, not recursive.
        self.call("list the faces", |ierr| unsafe {
            gmsh_sys::gmshModelGetBoundary(
                flat.as_mut_ptr(),
                flat.len(),
                &raw mut entities,
                &raw mut n,
                0,
                0,
                0,
                ierr,
            );
        })?;
        let mut faces = pairs(&take_integers(entities, n));
        faces.sort_unstable();
        faces.dedup();
        Ok(faces)
    }

    /// Physical groups of all dimensions.
    pub(crate) fn physical_groups(&self) -> Result<Vec<Entity>, GmshError> {
        let (mut groups, mut n) = (ptr::null_mut(), 0);
        // SAFETY: the pointers are to variables of ours; the array becomes ours. −1 means all dimensions.
        self.call("list physical groups", |ierr| unsafe {
            gmsh_sys::gmshModelGetPhysicalGroups(&raw mut groups, &raw mut n, -1, ierr);
        })?;
        Ok(pairs(&take_integers(groups, n)))
    }

    /// Makes a named physical group of entities of one dimension.
    pub(crate) fn add_physical_group(&self, name: &str, dim: i32, tags: &[i32]) -> Result<(), GmshError> {
        let name = CString::new(name)?;
        if self.names_groups {
            // SAFETY: the name is NUL-terminated and outlives the call; `tags` has the length given; −1 asks
            // for a new number. The version was found to have this signature.
            return self.call("make a physical group", |ierr| unsafe {
                fresh::add_named_physical_group(dim, tags.as_ptr(), tags.len(), -1, name.as_ptr(), ierr);
            });
        }
        let mut tags = tags.to_vec();
        let mut group = 0;
        // SAFETY: `tags` has the length given and is only read; −1 asks for a new number. The version was
        // found to have the signature of `gmsh-sys`.
        self.call("make a physical group", |ierr| {
            group =
                unsafe { gmsh_sys::gmshModelAddPhysicalGroup(dim, tags.as_mut_ptr(), tags.len(), -1, ierr) };
        })?;
        // SAFETY: the name is NUL-terminated and outlives the call.
        self.call("name a physical group", |ierr| unsafe {
            gmsh_sys::gmshModelSetPhysicalName(dim, group, name.as_ptr(), ierr);
        })
    }

    /// Meshes the volumes, replacing an earlier mesh.
    pub(crate) fn generate(&self) -> Result<(), GmshError> {
        // SAFETY: takes a number and the error flag.
        self.call("mesh the part", |ierr| unsafe { gmsh_sys::gmshModelMeshGenerate(3, ierr) })
    }

    /// Raises the order of the elements.
    pub(crate) fn set_order(&self, order: u8) -> Result<(), GmshError> {
        // SAFETY: takes a number and the error flag.
        self.call("make second-order elements", |ierr| unsafe {
            gmsh_sys::gmshModelMeshSetOrder(order.into(), ierr);
        })
    }

    /// Types of the volume elements that the mesh has.
    pub(crate) fn volume_element_types(&self) -> Result<Vec<i32>, GmshError> {
        let (mut types, mut n) = (ptr::null_mut(), 0);
        // SAFETY: the pointers are to variables of ours; the array becomes ours. Tag −1 means all volumes.
        self.call("list element types", |ierr| unsafe {
            gmsh_sys::gmshModelMeshGetElementTypes(&raw mut types, &raw mut n, 3, -1, ierr);
        })?;
        Ok(take_integers(types, n))
    }

    /// Writes the model in the format of the file's extension.
    pub(crate) fn write(&self, path: &str) -> Result<(), GmshError> {
        let path = CString::new(path)?;
        // SAFETY: `path` is NUL-terminated and outlives the call.
        self.call("write the mesh", |ierr| unsafe { gmsh_sys::gmshWrite(path.as_ptr(), ierr) })
    }
}

impl Drop for Gmsh {
    fn drop(&mut self) {
        let mut ierr = 0;
        // SAFETY: the library was initialised by `start`, once, and nothing of it is used after this.
        unsafe { gmsh_sys::gmshFinalize(&raw mut ierr) };
    }
}

/// Copies a string that Gmsh allocated, and frees it.
fn take_string(text: *mut c_char) -> String {
    if text.is_null() {
        return String::new();
    }
    // SAFETY: Gmsh returns NUL-terminated strings from its own allocator, to be freed by `gmshFree`, once.
    unsafe {
        let copy = CStr::from_ptr(text).to_string_lossy().into_owned();
        gmsh_sys::gmshFree(text.cast::<c_void>());
        copy
    }
}

/// Copies an array that Gmsh allocated, and frees it.
fn take_integers(array: *mut c_int, n: usize) -> Vec<i32> {
    if array.is_null() {
        return Vec::new();
    }
    // SAFETY: Gmsh returns arrays of the length that it says from its own allocator, to be freed by
    // `gmshFree`, once.
    unsafe {
        let copy = std::slice::from_raw_parts(array, n).to_vec();
        gmsh_sys::gmshFree(array.cast::<c_void>());
        copy
    }
}

fn flattened(entities: &[Entity]) -> Vec<c_int> {
    entities.iter().flat_map(|(dim, tag)| [*dim, *tag]).collect()
}

fn pairs(flat: &[i32]) -> Vec<Entity> {
    flat.chunks_exact(2).map(|pair| (pair[0], pair[1])).collect()
}
