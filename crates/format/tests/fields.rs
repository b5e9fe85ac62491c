//! Modes at all points, and mass integrals over pairs of modes, that stay in the file of a model until they
//! are needed.

use std::fs;
use std::path::{Path, PathBuf};

use carom_format::npz::ArchiveReader;
use carom_format::{open_rom, read_rom, rom_file, write_rom};
use carom_progress::Silent;
use carom_reduce::field_modes::{FieldModes, sample_points};
use carom_reduce::{Invariants, Modes, PairIntegrals, ReducedBody};
use faer::Mat;
use nalgebra::Vector3;
use zip::CompressionMethod::Stored;

use crate::archives::{array_of, arrays, in_folder, write_arrays};
use crate::problems;

/// Points with modes: every third is in the sample, which is worthwhile.
const POINTS: usize = 9001;

/// A model with modes at many points, no two numbers of them the same.
fn model() -> ReducedBody {
    let (model, _) = problems::model();
    let value = |i: usize, k: usize| (1.0 + (7 * i + 13 * k) as f64).sin() * (1.0 + k as f64);
    let modes = Modes {
        points: (0..POINTS as u32).map(|point| 2 * point).collect(),
        positions_b: (0..POINTS).map(|i| [i as f64, 0.5 * i as f64, -1.0]).collect(),
        values: Mat::from_fn(3 * POINTS, model.omega.len(), value),
    };
    ReducedBody { fields: Some(modes.into()), ..model }
}

/// Writes [`model`]; the file and its checksum.
fn written(folder: &Path) -> (PathBuf, String) {
    let path = folder.join("model.rom");
    let checksum = write_rom(&path, &model(), &problems::model().1, &Silent).unwrap();
    (path, checksum)
}

fn opened(path: &Path) -> FieldModes {
    open_rom(path).unwrap().reduced.fields.unwrap()
}

/// The integrals that may stay in the file, with the rows and columns of a mode.
fn pairs(of: &Invariants) -> [(&PairIntegrals, [usize; 2]); 2] {
    [(&of.coupling_r1, [3, 1]), (&of.inertia_2, [3, 3])]
}

/// The same model with all of its integrals in memory.
fn with_all_pairs(mut model: ReducedBody) -> ReducedBody {
    let Invariants { coupling_r1, inertia_2, .. } = &mut model.invariants;
    for of in [coupling_r1, inertia_2] {
        *of = of.all().unwrap().clone().into();
    }
    model
}

fn text_of<T>(result: Result<T, impl std::error::Error>) -> String {
    result.err().unwrap().to_string()
}

#[test]
fn modes_that_are_read_when_needed_and_their_summary_are_those_of_the_whole_file() {
    in_folder(|folder| {
        let (path, checksum) = written(folder);
        let stored = open_rom(&path).unwrap();
        assert_eq!(stored.checksum, checksum);
        let left = stored.reduced.fields.as_ref().unwrap();
        let whole = read_rom(&path).unwrap();
        assert_eq!(whole.checksum, checksum);
        let whole = whole.reduced.fields.unwrap();
        assert!(whole.are_read() && !left.are_read());
        assert_eq!((left.points(), left.positions_b()), (whole.points(), whole.positions_b()));
        assert_eq!(left.largest(), whole.largest());
        let points: Vec<usize> = sample_points(POINTS).collect();
        assert_eq!(points, (0..POINTS).step_by(3).collect::<Vec<_>>());
        let of_model = model().fields.unwrap().into_modes().unwrap();
        let [a, b] = [left.sample(), whole.sample()];
        assert_eq!([a.n_modes(), b.n_modes()], [3; 2]);
        for (i, &point) in points.iter().enumerate() {
            for k in 0..3 {
                let expected = Vector3::from_fn(|axis, _| of_model.values[(3 * point + axis, k)]);
                assert_eq!([a.displacement(i, k), b.displacement(i, k)], [expected; 2]);
            }
        }
        assert!(!left.are_read(), "the summary needs no values");
        assert_eq!(left.modes().unwrap().values, of_model.values);
        assert!(left.are_read());
        assert_eq!(left.largest(), whole.largest());
        // The rest of the model is the same.
        let mut rest = with_all_pairs(stored.reduced);
        rest.fields = model().fields;
        problems::assert_same_model(&rest, &model());
    });
}

#[test]
fn integrals_of_the_dynamic_modes_are_those_of_the_whole_file_which_more_modes_need() {
    in_folder(|folder| {
        let (path, _) = written(folder);
        let [left, whole] = [open_rom(&path), read_rom(&path)].map(|stored| stored.unwrap().reduced);
        assert_eq!([left.omega.len(), left.n_low], [3, 1]);
        for ((left, of_mode), (whole, _)) in pairs(&left.invariants).into_iter().zip(pairs(&whole.invariants))
        {
            let block = |n: usize| of_mode.map(|size| n * size);
            let leading = |of: &PairIntegrals, n: usize| {
                let [rows, columns] = block(n);
                of.leading(rows, columns).unwrap().to_owned()
            };
            assert!(whole.are_read());
            for n in 0..2 {
                assert_eq!(leading(left, n), leading(whole, n));
            }
            assert!(!left.are_read(), "the dynamic modes need no more");
            // More than the block, and more than the matrix, which is the whole of it.
            for n in 2..5 {
                assert_eq!(leading(left, n), leading(whole, n));
                assert!(left.are_read());
            }
            assert_eq!(left.all().unwrap(), whole.all().unwrap());
        }
        for (of, _) in pairs(&model().invariants) {
            assert!(of.are_read());
        }
    });
}

/// The checksum that readers without the list compute is that of all arrays, the list among them.
#[test]
fn the_checksum_of_a_file_with_a_list_is_that_of_all_its_arrays() {
    in_folder(|folder| {
        let (path, checksum) = written(folder);
        let open = || ArchiveReader::open(&path, rom_file::KIND, "model", 1).unwrap();
        assert_eq!(open().listed_checksum().unwrap(), checksum);
        assert_eq!(open().verified_checksum(true).unwrap(), checksum);
    });
}

/// Each array with a changed last byte: the ZIP archive is sound. Arrays that the run reads are refused at
/// once, the values of the modes at all points when they are needed.
#[test]
fn a_changed_array_is_refused_when_it_is_read() {
    in_folder(|folder| {
        let (path, _) = written(folder);
        let all = arrays(&path);
        let mut n_changed = 0;
        for (i, (name, bytes)) in all.iter().enumerate() {
            // The header ends with its line; an empty array has nothing to change. Kind and version have
            // messages of their own.
            if bytes.ends_with(b"\n") || ["format.npy", "version.npy"].contains(&&name[..]) {
                continue;
            }
            let array = name.strip_suffix(".npy").unwrap();
            let of_all = ["checksum", "digests"].contains(&array);
            let mut changed = all.clone();
            // The last byte of a text is the highest one of a character.
            let at = bytes.len() - if of_all { 4 } else { 1 };
            changed[i].1[at] ^= 1;
            write_arrays(&path, &changed, Stored);
            let is_refused = |text: &str| {
                let named = format!("array `{array}` does not match its checksum");
                let is_of_file = text.contains("checksum in the file does not match its content");
                if of_all { is_of_file } else { text.contains(&named) }
            };
            match array {
                "fields_modes" => {
                    let left = opened(&path);
                    // A second attempt has the same error.
                    for text in [text_of(left.modes()), text_of(left.modes())] {
                        assert!(is_refused(&text) && text.contains("model.rom"), "{text}");
                    }
                    assert!(!left.are_read());
                    assert!(is_refused(&text_of(read_rom(&path))));
                }
                "coupling_r1" | "inertia_2" => {
                    let opened = open_rom(&path).unwrap().reduced;
                    for (of, [rows, columns]) in pairs(&opened.invariants) {
                        assert!(of.leading(rows, columns).is_ok());
                    }
                    let [coupling, inertia] = pairs(&opened.invariants).map(|(of, _)| of.all());
                    let [wrong, right] =
                        if array == "inertia_2" { [inertia, coupling] } else { [coupling, inertia] };
                    assert!(right.is_ok());
                    let text = text_of(wrong);
                    assert!(is_refused(&text) && text.contains("model.rom"), "{text}");
                    assert!(is_refused(&text_of(read_rom(&path))));
                }
                "fields_largest" | "fields_sample" => {
                    assert!(is_refused(&text_of(open_rom(&path))), "{name}");
                    assert!(is_refused(&text_of(read_rom(&path))), "{name}");
                }
                // No one uses it, but the whole file is read with it.
                "program" => {
                    assert!(open_rom(&path).is_ok() && is_refused(&text_of(read_rom(&path))));
                }
                _ => {
                    let texts = [text_of(open_rom(&path)), text_of(read_rom(&path))];
                    assert!(texts.iter().all(|text| is_refused(text)), "{name}: {texts:?}");
                }
            }
            n_changed += 1;
        }
        assert!(n_changed > 40, "{n_changed} arrays");
    });
}

#[test]
fn an_archive_whose_list_is_not_that_of_its_arrays_is_refused() {
    in_folder(|folder| {
        let (path, _) = written(folder);
        let all = arrays(&path);
        let refused = |arrays: &[(String, Vec<u8>)], wanted: &str| {
            write_arrays(&path, arrays, Stored);
            for text in [text_of(open_rom(&path)), text_of(read_rom(&path))] {
                assert!(text.contains(wanted), "{text}");
            }
        };
        let without = |name: &str| -> Vec<_> { all.iter().filter(|(n, _)| n != name).cloned().collect() };
        let wrong = "checksum in the file does not match its content";
        // Without the list the whole file is compared with the checksum, which counts the list.
        refused(&without("digests.npy"), wrong);
        refused(&without("com.npy"), wrong);
        refused(&without("fields_modes.npy"), wrong);
        refused(&without("checksum.npy"), "version 1.12 but no checksum");
        let mut more = all.clone();
        more.push(("unused.npy".to_owned(), all[0].1.clone()));
        refused(&more, wrong);
        let mut other = all.clone();
        let version = array_of(&mut other, "version").clone();
        *array_of(&mut other, "format") = version;
        refused(&other, "is of the kind");
    });
}

/// A file without the list, and one with changed content; the samples of older versions have no list.
#[test]
fn a_model_of_an_older_version_is_read_and_verified_as_a_whole() {
    let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/samples/rom-1.10.npz");
    assert!(opened(&sample).are_read());
    in_folder(|folder| {
        let path = folder.join("old.rom");
        let mut all = arrays(&sample);
        assert!(all.iter().all(|(name, _)| name != "digests.npy"));
        *array_of(&mut all, "fields_modes").last_mut().unwrap() ^= 1;
        write_arrays(&path, &all, Stored);
        let text = text_of(open_rom(&path));
        assert!(text.contains("checksum in the file does not match its content"), "{text}");
    });
}

/// The file is open: what becomes of its name has no effect, and a change of its content is found.
#[test]
fn a_file_that_is_replaced_or_changed_after_it_was_opened_gives_its_own_values_or_an_error() {
    in_folder(|folder| {
        let expected = model().fields.unwrap().into_modes().unwrap().values;
        let (path, _) = written(folder);
        let left = opened(&path);
        let other = folder.join("other.rom");
        fs::copy(&path, &other).unwrap();
        let mut all = arrays(&other);
        array_of(&mut all, "fields_modes")[500] ^= 1;
        write_arrays(&other, &all, Stored);
        if cfg!(unix) {
            fs::rename(&other, &path).unwrap();
            assert_eq!(left.modes().unwrap().values, expected);
            let (path, _) = written(folder);
            let left = opened(&path);
            fs::remove_file(&path).unwrap();
            assert_eq!(left.modes().unwrap().values, expected);
        }
        let (path, _) = written(folder);
        let bytes = fs::read(&path).unwrap();
        let header = b"fields_modes.npy";
        let at = bytes.windows(header.len()).position(|window| window == header).unwrap();
        // In the header of the array, in its numbers; a shorter file, an empty one.
        for at in [at + 40, at + 5000] {
            let left = opened(&path);
            let mut changed = bytes.clone();
            changed[at] ^= 0x11;
            fs::write(&path, &changed).unwrap();
            let text = text_of(left.modes());
            assert!(text.contains("model.rom") && text.contains("fields_modes"), "{at}: {text}");
            // Readable again once the content is.
            fs::write(&path, &bytes).unwrap();
            assert_eq!(left.modes().unwrap().values, expected);
        }
        for length in [at + 5000, 0] {
            let left = opened(&path);
            fs::write(&path, &bytes[..length]).unwrap();
            let text = text_of(left.modes());
            assert!(text.contains("model.rom") && text.contains("fields_modes"), "{length}: {text}");
            fs::write(&path, &bytes).unwrap();
        }
    });
}

/// A second thread finds the values that the first one reads.
#[test]
fn many_threads_read_the_same_values() {
    in_folder(|folder| {
        let (path, _) = written(folder);
        let left = opened(&path);
        let expected = model().fields.unwrap().into_modes().unwrap().values;
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| assert_eq!(left.modes().unwrap().values, expected));
            }
        });
    });
}

/// Small models have no summary: it would hardly be smaller than the values.
#[test]
fn a_small_model_is_read_as_a_whole() {
    in_folder(|folder| {
        let path = folder.join("small.rom");
        let (model, options) = problems::model();
        write_rom(&path, &model, &options, &Silent).unwrap();
        assert!(arrays(&path).iter().all(|(name, _)| name != "fields_sample.npy"));
        let stored = open_rom(&path).unwrap();
        assert!(stored.reduced.fields.as_ref().unwrap().are_read());
        problems::assert_same_model(&with_all_pairs(stored.reduced), &model);
    });
}
