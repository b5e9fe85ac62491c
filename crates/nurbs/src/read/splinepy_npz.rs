//! NumPy archives of splinepy.

use std::io::{Cursor, Read};

use carom_files::npy::{Header, HeaderError, last_index_fastest};
use zip::ZipArchive;
use zip::result::ZipError;

use super::contents::Contents;
use super::solid::no_solid;
use super::splinepy::Spline;
use super::{Place, ReadError};
use crate::KnotError;
use crate::basis::MAX_DEGREE;

/// Longest knot vector: a longer one is invalid.
const MAX_KNOTS: usize = 1 << 20;
/// Largest number of bytes from one byte of a deflated stream.
const MOST_PACKED: usize = 1032;
/// Largest header of an array with its magic, in bytes: the shapes here need a tenth of it.
const MAX_HEADER: u64 = 1 << 12;

/// True for a ZIP archive.
pub(super) fn is_archive(content: &[u8]) -> bool {
    content.starts_with(b"PK\x03\x04")
}

/// Reads the content of a splinepy archive: all its splines.
///
/// # Errors
///
/// [`ReadError`] with the array; body files and models of carom are refused, as they need no import.
pub(super) fn parse(content: &[u8]) -> Result<Contents, ReadError> {
    let damaged = |error: ZipError| ReadError::Archive { place: Place::Byte(0), message: error.to_string() };
    let zip = ZipArchive::new(Cursor::new(content)).map_err(damaged)?;
    if zip.has_duplicate_names() {
        let message = format!("its list has more entries than the {} different names", zip.len());
        return Err(ReadError::Archive { place: Place::Byte(0), message });
    }
    let mut arrays = Arrays { zip, size: content.len() };
    if arrays.has("format") && arrays.has("version") {
        return Err(ReadError::Refused {
            place: Place::Entry("format".to_owned()),
            what: "an archive of carom".to_owned(),
            way_out:
                "a body file is used as it is, without import: in a scenario by `body`, not `file`, and \
                      a model by `rom`"
                    .to_owned(),
        });
    }
    if !arrays.has("number_of_splines") {
        let way_out =
            "only archives of splinepy are read, with `number_of_splines` and `spline_0_control_points`"
                .to_owned();
        let (place, what) =
            (Place::Entry("number_of_splines".to_owned()), "an archive without this array".to_owned());
        return Err(ReadError::Refused { place, what, way_out });
    }
    let n_splines = arrays.integers("number_of_splines", 1)?[0];
    let mut patches = Vec::new();
    // A count that is too large ends at the first spline that is missing.
    for number in 0..n_splines {
        patches.push(arrays.spline(number)?.patch(number)?);
    }
    Ok(Contents::of(patches))
}

/// The arrays of an archive by name.
struct Arrays<'a> {
    zip: ZipArchive<Cursor<&'a [u8]>>,
    /// Bytes of the whole archive.
    size: usize,
}

impl Arrays<'_> {
    fn has(&self, name: &str) -> bool {
        let file_name = format!("{name}.npy");
        self.zip.index_for_name(&file_name).is_some()
    }

    fn spline(&mut self, number: usize) -> Result<Spline, ReadError> {
        let prefix = format!("spline_{number}_");
        let degrees = self.integers(&format!("{prefix}degrees"), MAX_DIRECTIONS)?;
        let n_directions = degrees.len();
        if n_directions != 3 {
            let what = format!("a spline with {n_directions} parameters");
            return Err(no_solid(Place::Entry(format!("{prefix}degrees")), what));
        }
        if let Some(&degree) = degrees.iter().find(|&&degree| degree > MAX_DEGREE) {
            let (place, source) = (Place::Entry(format!("{prefix}degrees")), KnotError::Degree { degree });
            return Err(ReadError::Knots { place, source });
        }
        let knots_of = |d: usize| format!("{prefix}knot_vectors_{d}");
        let mut knot_vectors = Vec::new();
        if self.has(&knots_of(0)) {
            for d in 0..3 {
                knot_vectors.push(self.reals(&knots_of(d), MAX_KNOTS, None)?);
            }
        }
        let lengths = [0, 1, 2].map(|d| match knot_vectors.get(d) {
            Some(knots) => knots.len().saturating_sub(degrees[d] + 1),
            None => degrees[d] + 1,
        });
        let n_points =
            lengths.iter().try_fold(1_usize, |product, &n| product.checked_mul(n)).unwrap_or(usize::MAX);
        let points = self.reals(&format!("{prefix}control_points"), n_points.saturating_mul(3), Some(3))?;
        let weights = format!("{prefix}weights");
        let weights = if self.has(&weights) { Some(self.reals(&weights, n_points, Some(1))?) } else { None };
        let knot_vectors = (!knot_vectors.is_empty()).then_some(knot_vectors);
        Ok(Spline { prefix, degrees, knot_vectors, points, weights })
    }

    /// Integers from 0 to 2³² of an array with at most that many elements.
    fn integers(&mut self, name: &str, most: usize) -> Result<Vec<usize>, ReadError> {
        let (header, bytes) = self.array(name, most)?;
        let wrong = |found: String| ReadError::Syntax {
            place: Place::Entry(name.to_owned()),
            expected: "integers from 0 to 2³²".to_owned(),
            found,
        };
        let values = header.element.decode_integers(&bytes).ok_or_else(|| wrong(header.element.descr()))?;
        let one =
            |value: i128| u32::try_from(value).map(|v| v as usize).map_err(|_| wrong(value.to_string()));
        values.map(one).collect()
    }

    /// Doubles of an array with at most that many elements, and rows of `width` if that is given.
    fn reals(&mut self, name: &str, most: usize, width: Option<usize>) -> Result<Vec<f64>, ReadError> {
        let (header, bytes) = self.array(name, most)?;
        let wrong = |expected: &str, found: String| ReadError::Syntax {
            place: Place::Entry(name.to_owned()),
            expected: expected.to_owned(),
            found,
        };
        let values = header
            .element
            .decode_f64(&bytes)
            .ok_or_else(|| wrong("floating-point numbers", header.element.descr()))?;
        match (width, header.shape.as_slice()) {
            (Some(3), &[_, d]) if d != 3 => {
                Err(no_solid(Place::Entry(name.to_owned()), format!("a spline with {d} coordinates")))
            }
            (None | Some(1), &[_]) => Ok(values),
            (Some(width), &[_, found]) if width == found => {
                let shape = &header.shape;
                Ok(if header.fortran_order { last_index_fastest(&values, shape) } else { values })
            }
            (width, shape) => {
                let expected = format!("an array of n x {}", width.unwrap_or(1));
                Err(wrong(&expected, format!("the shape {shape:?}")))
            }
        }
    }

    /// Header and bytes of the elements; an array with more elements than `most` is refused before they are
    /// read.
    fn array(&mut self, name: &str, most: usize) -> Result<(Header, Vec<u8>), ReadError> {
        let place = || Place::Entry(name.to_owned());
        let damaged = |message: String| ReadError::Archive { place: place(), message };
        let size_of_archive = self.size;
        let mut entry = self.zip.by_name(&format!("{name}.npy")).map_err(|error| match error {
            ZipError::FileNotFound => damaged("the array is missing".to_owned()),
            error => damaged(error.to_string()),
        })?;
        let packed = usize::try_from(entry.compressed_size()).unwrap_or(usize::MAX).min(size_of_archive);
        let mut bytes = Vec::new();
        let io = |error: std::io::Error| damaged(error.to_string());
        entry.by_ref().take(MAX_HEADER).read_to_end(&mut bytes).map_err(io)?;
        let mut rest = bytes.as_slice();
        let broken = |error: HeaderError| damaged(error.to_string());
        let header = Header::parse(&mut rest).map_err(broken)?;
        let n_elements = header.n_elements().map_err(broken)?;
        if n_elements > most {
            let (what, expected) = ("elements".to_owned(), format!("at most {most}"));
            return Err(ReadError::Count { place: place(), what, expected, found: n_elements });
        }
        let needed = n_elements * header.element.size();
        if needed > packed.saturating_mul(MOST_PACKED).saturating_add(bytes.len()) {
            return Err(damaged(format!(
                "its shape needs {needed} bytes, {packed} packed ones cannot hold them"
            )));
        }
        let mut elements = rest.to_vec();
        // One byte more than needed, to detect excess data. At the end the archive's own checksum is
        // compared.
        let more = (needed + 1).saturating_sub(elements.len()) as u64;
        entry.take(more).read_to_end(&mut elements).map_err(io)?;
        if elements.len() != needed {
            let found = if elements.len() > needed { "more".to_owned() } else { elements.len().to_string() };
            return Err(damaged(format!("its shape needs {needed} bytes, it has {found}")));
        }
        Ok((header, elements))
    }
}

/// Parameters of any spline that is a spline of splinepy.
const MAX_DIRECTIONS: usize = 10;
