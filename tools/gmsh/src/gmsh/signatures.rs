//! Signatures of the C functions: those of `gmsh-sys` are of Gmsh 4.4.
//!
//! [`USED`] lists the number of arguments of each function in the versions that `Gmsh::start` admits;
//! functions that `gmsh-sys` declares differently are declared again in [`fresh`].

/// Versions (major, minor) whose headers were compared: all declare the used functions alike, except two
/// functions in [`fresh`]. The tests ran with 4.8.4, 4.13.1 and 4.15.2.
pub(super) const KNOWN_VERSIONS: [(u32, u32); 6] = [(4, 8), (4, 10), (4, 11), (4, 12), (4, 13), (4, 15)];

/// The first known version that names a physical group as it makes it.
pub(super) const NAMES_GROUPS: (u32, u32) = (4, 10);

/// Every function that is called, with its numbers of arguments in versions before and from [`NAMES_GROUPS`].
#[cfg(test)]
const USED: [(&str, [usize; 2]); 36] = [
    ("gmshFree", [1, 1]),
    ("gmshInitialize", [4, 5]),
    ("gmshOptionSetString", [3, 3]),
    ("gmshFinalize", [1, 1]),
    ("gmshOpen", [2, 2]),
    ("gmshWrite", [2, 2]),
    ("gmshOptionSetNumber", [3, 3]),
    ("gmshOptionGetString", [3, 3]),
    ("gmshOptionGetNumber", [3, 3]),
    ("gmshModelGetEntityName", [4, 4]),
    ("gmshModelGetType", [4, 4]),
    ("gmshModelGetPhysicalName", [4, 4]),
    ("gmshModelGetEntitiesForPhysicalGroup", [5, 5]),
    ("gmshModelMeshFieldAdd", [3, 3]),
    ("gmshModelMeshFieldSetNumber", [4, 4]),
    ("gmshModelMeshFieldSetNumbers", [5, 5]),
    ("gmshModelMeshFieldSetString", [4, 4]),
    ("gmshModelMeshFieldSetAsBackgroundMesh", [2, 2]),
    ("gmshModelAdd", [2, 2]),
    ("gmshModelGetEntities", [4, 4]),
    ("gmshModelGetBoundingBox", [9, 9]),
    ("gmshModelGetBoundary", [8, 8]),
    ("gmshModelGetPhysicalGroups", [4, 4]),
    ("gmshModelAddPhysicalGroup", [5, 6]),
    ("gmshModelSetPhysicalName", [4, 4]),
    ("gmshModelOccImportShapes", [6, 6]),
    ("gmshModelOccSynchronize", [1, 1]),
    ("gmshModelOccGetMass", [4, 4]),
    ("gmshModelOccGetCenterOfMass", [6, 6]),
    ("gmshModelOccCopy", [5, 5]),
    ("gmshModelOccRemove", [4, 4]),
    ("gmshModelOccFragment", [13, 13]),
    ("gmshModelMeshGenerate", [2, 2]),
    ("gmshModelMeshSetOrder", [2, 2]),
    ("gmshModelMeshGetElementTypes", [5, 5]),
    ("gmshLoggerGetLastError", [2, 2]),
];

/// Declarations that are missing or different in `gmsh-sys`.
pub(super) mod fresh {
    use std::ffi::{c_char, c_int};

    unsafe extern "C" {
        /// Versions up to 4.8 take (argc, argv, readConfigFiles, ierr), later ones (…, run, ierr). The
        /// version can only be read after this call, so it is made in a way that both understand: zero stands
        /// for a null `ierr` in the one and for `run` = false in the other, and an argument too many is
        /// ignored by the C calling conventions.
        #[link_name = "gmshInitialize"]
        pub(crate) fn initialize(
            argc: c_int,
            argv: *mut *mut c_char,
            read_config_files: c_int,
            null_or_no_run: usize,
            ierr: *mut c_int,
        );

        /// The signature of later versions; up to 4.8 there is no name.
        #[link_name = "gmshModelAddPhysicalGroup"]
        pub(crate) fn add_named_physical_group(
            dim: c_int,
            tags: *const c_int,
            tags_n: usize,
            tag: c_int,
            name: *const c_char,
            ierr: *mut c_int,
        ) -> c_int;

        #[link_name = "gmshLoggerGetLastError"]
        pub(crate) fn last_error(error: *mut *mut c_char, ierr: *mut c_int);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Number of arguments of a function in a C header.
    fn arguments(header: &str, function: &str) -> Option<usize> {
        // Comments mention functions too: a declaration begins with the mark of an exported one.
        let declared = |at: &usize| {
            let line = header[..*at].rfind('\n').map_or(0, |end| end + 1);
            header[line..*at].starts_with("GMSH_API ")
        };
        let start = header.match_indices(function).map(|(at, _)| at).filter(declared);
        let list = start.filter_map(|at| header[at + function.len()..].strip_prefix('(')).next()?;
        let list = &list[..list.find(')')?];
        Some(if list.trim().is_empty() { 0 } else { list.split(',').count() })
    }

    #[test]
    fn the_installed_header_has_the_signatures_that_are_used() {
        let folders = ["GMSH_INCLUDE_DIR"].iter().filter_map(std::env::var_os).map(std::path::PathBuf::from);
        let usual = ["/usr/include", "/usr/local/include"].map(std::path::PathBuf::from);
        let Some(path) = folders.chain(usual).map(|f| f.join("gmshc.h")).find(|p| p.is_file()) else {
            eprintln!("skipped: no gmshc.h (set GMSH_INCLUDE_DIR)");
            return;
        };
        let header = std::fs::read_to_string(&path).unwrap();
        let number = |what: &str| {
            let line = header.lines().find(|line| line.contains(what)).unwrap();
            line.split_whitespace().last().unwrap().parse().unwrap()
        };
        let version = (number("define GMSH_API_VERSION_MAJOR"), number("define GMSH_API_VERSION_MINOR"));
        assert!(KNOWN_VERSIONS.contains(&version), "{version:?} in {}", path.display());
        let since = usize::from(version >= NAMES_GROUPS);
        for (function, expected) in USED {
            assert_eq!(
                arguments(&header, function),
                Some(expected[since]),
                "{function} in {}",
                path.display()
            );
        }
    }

    #[test]
    fn arguments_are_counted_over_lines() {
        let header = "/* See gmshOpen(). */\nGMSH_API void gmshOpenAll(int a);\nGMSH_API void gmshOpen(const \
            char * fileName,\n   int * ierr);";
        assert_eq!(arguments(header, "gmshOpen"), Some(2));
        assert_eq!(arguments(header, "gmshMerge"), None);
    }
}
