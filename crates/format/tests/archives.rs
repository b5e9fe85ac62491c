//! Body and ROM files: written files are read back, damaged ones are refused.

use crate::problems;
use std::io::{Read, Write};
use std::path::Path;
use std::process::Command;

use carom_fem::{Body, Geometry};
use carom_files::write_atomically;
use carom_format::npz::{ArchiveWriter, ReadArchiveError, Version};
use carom_format::{body_file, read_body, read_rom, rom_file, write_body, write_rom};
use carom_progress::Silent;
use carom_reduce::Composition;
use carom_testing::heap;
use carom_testing::machine::python;

pub(crate) fn in_folder(test: impl FnOnce(&Path)) {
    let folder = tempfile::tempdir().unwrap();
    test(folder.path());
}

#[test]
fn a_written_body_is_read_back() {
    in_folder(|folder| {
        for body in [problems::cube_mesh(), problems::two_patches()] {
            let path = folder.join("body.npz");
            let checksum = write_body(&path, &body).unwrap();
            let stored = read_body(&path).unwrap();
            assert_eq!(stored.body, body);
            assert_eq!(stored.checksum, checksum);
            assert_eq!(checksum.len(), 64);
        }
    });
}

#[test]
fn a_written_model_is_read_back() {
    in_folder(|folder| {
        let path = folder.join("model.npz");
        let (model, options) = problems::model();
        let checksum = write_rom(&path, &model, &options, &Silent).unwrap();
        let stored = read_rom(&path).unwrap();
        problems::assert_same_model(&stored.reduced, &model);
        assert_eq!(stored.options, options);
        assert_eq!(stored.checksum, checksum);
    });
}

#[test]
fn equal_contents_give_equal_files() {
    in_folder(|folder| {
        let (a, b) = (folder.join("a.npz"), folder.join("b.npz"));
        write_body(&a, &problems::two_patches()).unwrap();
        write_body(&b, &problems::two_patches()).unwrap();
        assert_eq!(std::fs::read(&a).unwrap(), std::fs::read(b).unwrap());
        // The clock advances between the two files, so that an entry with the time of writing would differ.
        let mut archive = zip::ZipArchive::new(std::fs::File::open(a).unwrap()).unwrap();
        for i in 0..archive.len() {
            assert_eq!(archive.by_index(i).unwrap().last_modified(), Some(zip::DateTime::default()));
        }
    });
}

#[test]
fn any_truncation_is_an_error() {
    in_folder(|folder| {
        let whole = folder.join("whole.npz");
        write_body(&whole, &problems::two_patches()).unwrap();
        let bytes = std::fs::read(&whole).unwrap();
        let cut = folder.join("cut.npz");
        for length in (0..bytes.len()).step_by(101) {
            std::fs::write(&cut, &bytes[..length]).unwrap();
            let error = read_body(&cut).unwrap_err();
            assert!(!error.is_io(), "cut to {length}: {error}");
        }
    });
}

#[test]
fn any_changed_byte_is_an_error_or_harmless() {
    in_folder(|folder| {
        let whole = folder.join("whole.npz");
        let body = problems::cube_mesh();
        write_body(&whole, &body).unwrap();
        let bytes = std::fs::read(&whole).unwrap();
        let changed = folder.join("changed.npz");
        for at in (0..bytes.len()).step_by(37) {
            let mut damaged = bytes.clone();
            damaged[at] ^= 0x55;
            std::fs::write(&changed, &damaged).unwrap();
            // Changes of unused bytes of the ZIP directory, such as dates, are accepted.
            if let Ok(stored) = read_body(&changed) {
                assert_eq!(stored.body, body, "byte {at}");
            }
        }
    });
}

fn archive(path: &Path, kind: &str, version: Version) {
    write_atomically(path, |out| {
        let mut archive = ArchiveWriter::new(out, kind, version)?;
        archive.text("program", "carom 9.9.9")?;
        archive.finish().map(|_| ())
    })
    .unwrap();
}

#[test]
fn a_newer_version_is_refused_with_a_remedy() {
    in_folder(|folder| {
        let path = folder.join("new.npz");
        archive(&path, rom_file::KIND, Version { major: 2, minor: 0 });
        let error = read_rom(&path).unwrap_err();
        assert!(matches!(error, ReadArchiveError::Newer { .. }));
        let text = error.to_string();
        assert!(text.contains("version 2.0") && text.contains("carom 9.9.9"), "{text}");
        // A newer minor version only adds arrays: it is read, and the error here is about a missing array.
        archive(&path, rom_file::KIND, Version { major: 1, minor: 12 });
        assert!(matches!(read_rom(&path), Err(ReadArchiveError::Missing { .. })));
    });
}

#[test]
fn a_file_of_another_kind_is_named() {
    in_folder(|folder| {
        let path = folder.join("body.npz");
        write_body(&path, &problems::cube_mesh()).unwrap();
        let text = read_rom(&path).unwrap_err().to_string();
        assert!(text.contains("`carom-body`; a `carom-rom` is required here"), "{text}");
        std::fs::write(&path, "$MeshFormat\n4.1 0 8\n").unwrap();
        assert!(read_body(&path).unwrap_err().to_string().contains("is not a body file"));
        assert!(read_body(&folder.join("nothing.npz")).unwrap_err().is_io());
        assert!(read_body(folder).unwrap_err().is_io());
        assert_eq!(body_file::VERSION.major, 1);
    });
}

#[test]
fn indices_out_of_range_are_refused() {
    in_folder(|folder| {
        let path = folder.join("body.npz");
        let broken = |change: &dyn Fn(&mut Body)| {
            let mut body = problems::cube_mesh();
            change(&mut body);
            write_body(&path, &body).unwrap();
            read_body(&path).unwrap_err().to_string()
        };
        let text = broken(&|body| {
            let Geometry::Mesh(mesh) = &mut body.geometry else { unreachable!() };
            mesh.blocks[0].connectivity[3] = 8;
        });
        assert!(text.contains("block_0_cells") && text.contains("below 8"), "{text}");
        let text = broken(&|body| body.material_of_block[0] = 1);
        assert!(text.contains("material_of_block"), "{text}");
        let text = broken(&|body| body.materials[0].poisson = 0.5);
        assert!(text.contains("material_poisson"), "{text}");
    });
}

#[test]
fn numpy_opens_both_without_pickle() {
    let Some(python) = python("numpy") else { return };
    in_folder(|folder| {
        write_body(&folder.join("body.npz"), &problems::cube_mesh()).unwrap();
        let (model, options) = problems::model();
        write_rom(&folder.join("model.npz"), &model, &options, &Silent).unwrap();
        let script = r#"
import sys
import numpy as np
b = np.load("body.npz", allow_pickle=False)
assert str(b["format"]) == "carom-body" and str(b["version"]) == sys.argv[1], b["version"]
assert b["points"].shape == (8, 3) and b["points"][2].tolist() == [1, 1, 0]
assert list(b["set_name"]) == ["Deckfläche/äußen", "all", "nodes at x = 0", "none"]
assert b["set_0"].tolist() == [[0, 0, 5]] and b["block_0_cells"].dtype == np.uint32
m = np.load("model.npz", allow_pickle=False)
assert all(m[k] is not None for k in m.files)
assert m["coupling_r1"].shape == (9, 3) and m["coupling_r1"][2, 1] == 3.0 + 0.2 + 10.0 + 1.0 / 3.0
assert float(m["mass"]) == 2.0 and m["mass_modal"].tolist() == np.eye(3).tolist()
np.savez_compressed("again.npz", **b)
np.savez("changed.npz", **{**b, "points": 2 * b["points"]})
"#;
        let ran = Command::new(python)
            .args(["-c", script, &body_file::VERSION.to_string()])
            .current_dir(folder)
            .output()
            .unwrap();
        assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
        // Files written by NumPy are read, compressed or not; a change is detected.
        assert_eq!(read_body(&folder.join("again.npz")).unwrap().body, problems::cube_mesh());
        let text = read_body(&folder.join("changed.npz")).unwrap_err().to_string();
        assert!(text.contains("the file was changed after it was written"), "{text}");
    });
}

#[test]
fn a_part_of_a_part_of_sides_keeps_both_balls() {
    let body = problems::parts_of_parts();
    in_folder(|folder| {
        let path = folder.join("body.npz");
        write_body(&path, &body).unwrap();
        assert_eq!(read_body(&path).unwrap().body, body);
    });
}

/// Readers accept samples of every version that was ever written.
#[test]
fn samples_of_all_versions_are_read() {
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/samples");
    if std::env::var_os("CAROM_WRITE_SAMPLES").is_some() {
        let (model, options) = problems::model();
        write_rom(&samples.join("rom-1.12.npz"), &model, &options, &Silent).unwrap();
        write_body(&samples.join("body-mesh-1.4.npz"), &problems::shells_and_beams()).unwrap();
    }
    for (sample, body) in [
        ("body-mesh-1.0", problems::cube_mesh()),
        ("body-nurbs-1.0", problems::two_patches()),
        // Since 1.1 there is local refinement.
        ("body-mesh-1.1", problems::cube_mesh()),
        ("body-nurbs-1.1", problems::two_patches()),
        ("body-refined-1.1", problems::refined_locally()),
        // Since 1.2 parts of sides lie in several balls.
        ("body-mesh-1.2", problems::cube_mesh()),
        ("body-nurbs-1.2", problems::parts_of_parts()),
        ("body-refined-1.2", problems::refined_locally()),
        // Since 1.3 there are wedges and pyramids.
        ("body-mesh-1.3", problems::wedge_and_pyramid()),
        ("body-nurbs-1.3", problems::parts_of_parts()),
        ("body-refined-1.3", problems::refined_locally()),
        // Since 1.4 there are shells and beams.
        ("body-mesh-1.4", problems::shells_and_beams()),
    ] {
        let stored = read_body(&samples.join(format!("{sample}.npz"))).unwrap();
        assert!(sample.ends_with(&stored.version.to_string()), "{sample} has version {}", stored.version);
        assert_eq!(stored.body, body, "{sample}");
    }
    let (mut model, mut options) = problems::model();
    // Version 1.11 has no integrals of the dynamic modes alone, version 1.10 no list of digests.
    for sample in ["rom-1.12.npz", "rom-1.11.npz", "rom-1.10.npz"] {
        let stored = read_rom(&samples.join(sample)).unwrap();
        assert!(sample.contains(&stored.version.to_string()));
        problems::assert_same_model(&stored.reduced, &model);
    }
    // Version 1.9 has no displacements of second order by contact, and of held bodies no geometric stiffness
    // by the motion of their support.
    let stiffening = model.stiffening.as_mut().unwrap();
    (stiffening.boundary, stiffening.turning, stiffening.products) = (None, Vec::new(), Vec::new());
    model.places[0].foreshortening = None;
    let stored = read_rom(&samples.join("rom-1.9.npz")).unwrap();
    problems::assert_same_model(&stored.reduced, &model);
    // Version 1.8 has no errors of frequencies.
    model.frequency_errors.clear();
    let stored = read_rom(&samples.join("rom-1.8.npz")).unwrap();
    problems::assert_same_model(&stored.reduced, &model);
    // Version 1.7 has no geometric stiffness by weight.
    model.stiffening.as_mut().unwrap().weight.clear();
    let stored = read_rom(&samples.join("rom-1.7.npz")).unwrap();
    problems::assert_same_model(&stored.reduced, &model);
    // Version 1.6 has no geometric stiffness; version 1.5 has the errors of modes with each surface.
    model.stiffening = None;
    for sample in ["rom-1.6.npz", "rom-1.5.npz"] {
        let stored = read_rom(&samples.join(sample)).unwrap();
        problems::assert_same_model(&stored.reduced, &model);
        assert_eq!(stored.options, options);
    }
    // Version 1.4 has no errors by the mesh.
    model.places[0].mesh_errors = None;
    model.mode_errors.clear();
    let stored = read_rom(&samples.join("rom-1.4.npz")).unwrap();
    problems::assert_same_model(&stored.reduced, &model);
    assert_eq!(stored.options, options);
    // Version 1.3 has no places.
    model.places.clear();
    options.places.clear();
    let stored = read_rom(&samples.join("rom-1.3.npz")).unwrap();
    problems::assert_same_model(&stored.reduced, &model);
    assert_eq!(stored.options, options);
    // Damping and the frequencies of columns are optional.
    model.invariants.damping_modal = None;
    model.composition.columns.truncate(3);
    model.composition.strain_shares.truncate(3, model.omega.len());
    let stored = read_rom(&samples.join("rom-1.2.npz")).unwrap();
    problems::assert_same_model(&stored.reduced, &model);
    assert_eq!(stored.options, options);
    // Version 1.1 has neither columns nor markers.
    (model.composition, model.markers) = (Composition::default(), Vec::new());
    model.held.clear();
    let stored = read_rom(&samples.join("rom-1.1.npz")).unwrap();
    problems::assert_same_model(&stored.reduced, &model);
    assert_eq!(stored.options, options);
    // Version 1.0 has no sharp edges.
    model.surfaces[0].sharp_edges.clear();
    let stored = read_rom(&samples.join("rom-1.0.npz")).unwrap();
    problems::assert_same_model(&stored.reduced, &model);
    assert_eq!(stored.options, options);
}

/// The arrays of an archive, by their names with `.npy`.
pub(crate) fn arrays(path: &Path) -> Vec<(String, Vec<u8>)> {
    let mut archive = zip::ZipArchive::new(std::fs::File::open(path).unwrap()).unwrap();
    (0..archive.len())
        .map(|i| {
            let mut entry = archive.by_index(i).unwrap();
            let mut bytes = Vec::new();
            entry.read_to_end(&mut bytes).unwrap();
            (entry.name().unwrap().into_owned(), bytes)
        })
        .collect()
}

/// Writes an archive of the given arrays.
pub(crate) fn write_arrays(path: &Path, arrays: &[(String, Vec<u8>)], method: zip::CompressionMethod) {
    let mut out = zip::ZipWriter::new(std::fs::File::create(path).unwrap());
    for (name, bytes) in arrays {
        out.start_file(name, zip::write::SimpleFileOptions::default().compression_method(method)).unwrap();
        out.write_all(bytes).unwrap();
    }
    out.finish().unwrap();
}

/// The bytes of an array of an archive.
pub(crate) fn array_of<'a>(arrays: &'a mut [(String, Vec<u8>)], name: &str) -> &'a mut Vec<u8> {
    let file = format!("{name}.npy");
    &mut arrays.iter_mut().find(|(name, _)| *name == file).unwrap().1
}

fn without_checksum(arrays: &mut Vec<(String, Vec<u8>)>) {
    arrays.retain(|(name, _)| name != "checksum.npy");
}

#[test]
fn an_array_stored_twice_is_refused() {
    in_folder(|folder| {
        let path = folder.join("body.npz");
        write_body(&path, &problems::cube_mesh()).unwrap();
        let mut content = std::fs::read(&path).unwrap();
        // The list at the end names the first set twice and the second not at all.
        let list = content.windows(4).position(|window| window == b"PK\x01\x02").unwrap();
        let (a, b) = (b"set_0.npy", b"set_1.npy");
        let at = list + content[list..].windows(b.len()).position(|window| window == b).unwrap();
        content[at..at + a.len()].copy_from_slice(a);
        std::fs::write(&path, content).unwrap();
        let text = read_body(&path).unwrap_err().to_string();
        assert!(text.contains("different names") && text.contains("make it again"), "{text}");
    });
}

#[test]
fn an_archive_that_expands_too_much_is_refused_before_reading() {
    in_folder(|folder| {
        let path = folder.join("bomb.npz");
        write_body(&path, &problems::cube_mesh()).unwrap();
        let mut all = arrays(&path);
        without_checksum(&mut all);
        // An unused array of zeros, compressed by a factor of a thousand.
        let mut zeros = array_of(&mut all, "points").clone();
        zeros.resize(200_000_000, 0);
        all.push(("unknown.npy".to_owned(), zeros));
        write_arrays(&path, &all, zip::CompressionMethod::Deflated);
        let (read, memory) = heap::highest_of_this_thread(|| read_body(&path));
        let text = read.unwrap_err().to_string();
        assert!(text.contains("expands to") && text.contains("numpy.savez"), "{text}");
        assert!(memory < 1_000_000, "{memory}");
    });
}

#[test]
fn unused_arrays_need_no_memory() {
    in_folder(|folder| {
        let path = folder.join("body.npz");
        write_body(&path, &problems::cube_mesh()).unwrap();
        let mut all = arrays(&path);
        without_checksum(&mut all);
        let n = 3_000_000_u64;
        let header = format!("{{'descr': '<f8', 'fortran_order': False, 'shape': ({n},), }}\n");
        let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
        bytes.extend(u16::try_from(header.len()).unwrap().to_le_bytes());
        bytes.extend(header.bytes());
        bytes.resize(bytes.len() + 8 * n as usize, 0);
        all.push(("unknown.npy".to_owned(), bytes));
        write_arrays(&path, &all, zip::CompressionMethod::Stored);
        let (read, memory) = heap::highest_of_this_thread(|| read_body(&path));
        assert_eq!(read.unwrap().body, problems::cube_mesh());
        assert!(memory < 1_000_000, "{memory}");
    });
}

#[test]
fn a_number_of_points_beyond_those_of_the_patches_is_refused() {
    in_folder(|folder| {
        let path = folder.join("body.npz");
        write_body(&path, &problems::two_patches()).unwrap();
        let mut all = arrays(&path);
        without_checksum(&mut all);
        let count = array_of(&mut all, "n_points");
        let at = count.len() - 8;
        count[at..].copy_from_slice(&2_000_000_000_u64.to_le_bytes());
        write_arrays(&path, &all, zip::CompressionMethod::Stored);
        let text = read_body(&path).unwrap_err().to_string();
        assert!(text.contains("`n_points`") && text.contains("at most"), "{text}");
    });
}

/// Makes version 1.2 of version 1.12 of a model; texts end with zeros.
fn make_older(all: &mut [(String, Vec<u8>)]) {
    let version = array_of(all, "version");
    let at = version.len() - 8;
    version[at..].fill(0);
    version[at] = b'2';
}

#[test]
fn a_model_without_its_checksum_is_refused_and_an_old_one_is_read() {
    in_folder(|folder| {
        let path = folder.join("model.rom");
        let (model, options) = problems::model();
        write_rom(&path, &model, &options, &Silent).unwrap();
        let mut all = arrays(&path);
        without_checksum(&mut all);
        write_arrays(&path, &all, zip::CompressionMethod::Stored);
        let text = read_rom(&path).unwrap_err().to_string();
        assert!(text.contains("version 1.12 but no checksum"), "{text}");
        make_older(&mut all);
        write_arrays(&path, &all, zip::CompressionMethod::Stored);
        problems::assert_same_model(&read_rom(&path).unwrap().reduced, &model);
    });
}

/// Each array in turn, also where the number would be refused for itself, and an array that no one reads.
#[test]
fn a_changed_array_of_a_model_is_found_by_its_checksum() {
    in_folder(|folder| {
        let path = folder.join("m.rom");
        let (model, options) = problems::model();
        let checksum = write_rom(&path, &model, &options, &Silent).unwrap();
        let all = arrays(&path);
        write_arrays(&path, &all, zip::CompressionMethod::Stored);
        assert_eq!(read_rom(&path).unwrap().checksum, checksum);
        let is_content = |name: &str| !["format.npy", "version.npy", "checksum.npy"].contains(&name);
        let mut n_changed = 0;
        for (i, (name, bytes)) in all.iter().enumerate().filter(|(_, (name, _))| is_content(name)) {
            // The header ends with its line; an empty array has nothing to change.
            if bytes.ends_with(b"\n") {
                continue;
            }
            let mut changed = all.clone();
            *changed[i].1.last_mut().unwrap() ^= 0x40;
            write_arrays(&path, &changed, zip::CompressionMethod::Stored);
            let text = read_rom(&path).unwrap_err().to_string();
            assert!(text.contains("checksum"), "{name}: {text}");
            n_changed += 1;
        }
        assert!(n_changed > 30, "{n_changed} arrays");
        let mut more = all.clone();
        more.push(("unused.npy".to_owned(), all.last().unwrap().1.clone()));
        write_arrays(&path, &more, zip::CompressionMethod::Stored);
        let text = read_rom(&path).unwrap_err().to_string();
        assert!(text.contains("checksum"), "{text}");
    });
}

/// The flag of the order in a header swaps the meaning of the two indices.
#[test]
fn matrices_of_models_are_read_in_either_order() {
    in_folder(|folder| {
        let path = folder.join("m.rom");
        let (model, options) = problems::model();
        write_rom(&path, &model, &options, &Silent).unwrap();
        let mut all = arrays(&path);
        // Files of version 1.2 need no checksum.
        without_checksum(&mut all);
        make_older(&mut all);
        let header = array_of(&mut all, "inertia_2");
        let at = header.windows(4).position(|window| window == b"True").unwrap();
        header.splice(at..at + 4, *b"False");
        let padding = header.iter().position(|&byte| byte == b'\n').unwrap() - 1;
        assert_eq!(header.remove(padding), b' ');
        write_arrays(&path, &all, zip::CompressionMethod::Stored);
        let read = read_rom(&path).unwrap().reduced.invariants.inertia_2;
        let of_model = model.invariants.inertia_2.all().unwrap();
        assert_eq!(*read.all().unwrap(), of_model.transpose().to_owned());
    });
}

#[test]
fn a_model_with_negative_stiffness_or_mass_is_refused() {
    in_folder(|folder| {
        let path = folder.join("model.rom");
        let message = |change: &dyn Fn(&mut carom_reduce::Invariants)| {
            let (mut model, options) = problems::model();
            change(&mut model.invariants);
            write_rom(&path, &model, &options, &Silent).unwrap();
            read_rom(&path).unwrap_err().to_string()
        };
        let text = message(&|invariants| invariants.stiffness_modal[(1, 1)] = -1e8);
        assert!(text.contains("stiffness matrix is -100000000.0"), "{text}");
        let text = message(&|invariants| invariants.mass_modal[(0, 1)] = 2.0);
        assert!(text.contains("mass matrix is not symmetric"), "{text}");
        let text = message(&|invariants| {
            (invariants.mass_modal[(0, 1)], invariants.mass_modal[(1, 0)]) = (2.0, 2.0);
        });
        assert!(text.contains("mass matrix has a negative eigenvalue"), "{text}");
    });
}
