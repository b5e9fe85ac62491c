//! PetIGA geometry files: big-endian integers of 32 bits and doubles, as PETSc's binary viewer writes them.
//!
//! ```text
//! 1211299, flags, dim;  dim times: degree, n, n knots;  nsd;  1211214, size, size values
//! ```
//!
//! Bit 0 of the flags means that there is a geometry (from `nsd` on), bit 1 that fields follow it. Each
//! control point is w x, w y, w z, w; the first parameter runs fastest.

use super::contents::Contents;
use super::solid::{Solid, bases, no_solid};
use super::{Place, ReadError};

/// Class of the file.
const IGA: i32 = 1_211_299;
/// Class of a vector in it.
const VECTOR: i32 = 1_211_214;

/// True if the content begins as a PetIGA file, also with integers of 64 bits.
pub(super) fn is_petiga(content: &[u8]) -> bool {
    content.starts_with(&IGA.to_be_bytes()) || content.starts_with(&i64::from(IGA).to_be_bytes())
}

/// Reads the content of a PetIGA file. Fields after the geometry are ignored.
///
/// # Errors
///
/// [`ReadError`] with the byte; files of curves and surfaces, without geometry, or with integers of 64 bits
/// are refused.
pub(super) fn parse(content: &[u8]) -> Result<Contents, ReadError> {
    let mut values = Values { content, next: 0 };
    let refused = |byte, what: &str, way_out: &str| ReadError::Refused {
        place: Place::Byte(byte),
        what: what.to_owned(),
        way_out: way_out.to_owned(),
    };
    if content.starts_with(&i64::from(IGA).to_be_bytes()) {
        let way_out = "write the file with a PETSc that has integers of 32 bits";
        return Err(refused(0, "a PetIGA file with integers of 64 bits", way_out));
    }
    values.keyword(IGA, "1211299, a PetIGA file")?;
    let flags = values.integer("the flags of the file")?;
    if flags & 1 == 0 {
        let way_out = "save it with its geometry: without control points there is no body";
        return Err(refused(4, "a PetIGA file without a geometry", way_out));
    }
    let dimension = values.integer("the number of parameters")?;
    if dimension != 3 {
        return Err(no_solid(Place::Byte(8), format!("a PetIGA file with {dimension} parameters")));
    }
    let mut direction = || {
        let degree = values.count("a degree")?;
        let n_knots = values.count("a number of knots")?;
        let place = values.place();
        Ok::<_, ReadError>((degree, values.reals(n_knots, "knots")?, place))
    };
    let mut solid = Solid::new(Place::Byte(12), 0, bases([direction()?, direction()?, direction()?])?);
    let at = values.next;
    let dimension = values.integer("the number of coordinates")?;
    if dimension != 3 {
        return Err(no_solid(Place::Byte(at), format!("a PetIGA file with {dimension} coordinates")));
    }
    values.keyword(VECTOR, "1211214, a vector of control points")?;
    let place = values.place();
    let size = values.count("the size of a vector")?;
    if solid.n_points().and_then(|n| n.checked_mul(4)) != Some(size) {
        let expected =
            format!("4 for each of the {:?} control points that the knot vectors make", solid.counts());
        return Err(ReadError::Count { place, what: "values".to_owned(), expected, found: size });
    }
    for point in values.reals(size, "values of control points")?.as_chunks::<4>().0 {
        let &[x, y, z, w] = point;
        solid.push_homogeneous([x, y, z], w);
    }
    if flags & 2 == 0 && values.next < content.len() {
        let found = format!("{} bytes more", content.len() - values.next);
        return Err(ReadError::Syntax {
            place: values.place(),
            expected: "the end of the file".to_owned(),
            found,
        });
    }
    Ok(Contents::of(vec![solid.patch()?]))
}

struct Values<'a> {
    content: &'a [u8],
    next: usize,
}

impl Values<'_> {
    fn place(&self) -> Place {
        Place::Byte(self.next)
    }

    fn take(&mut self, n: Option<usize>, expected: &str) -> Result<&[u8], ReadError> {
        let end = n.and_then(|n| self.next.checked_add(n)).filter(|&end| end <= self.content.len());
        let Some(end) = end else {
            let place = Place::Byte(self.content.len());
            return Err(ReadError::End { place, expected: expected.to_owned() });
        };
        let taken = &self.content[self.next..end];
        self.next = end;
        Ok(taken)
    }

    fn integer(&mut self, expected: &str) -> Result<i32, ReadError> {
        let bytes = self.take(Some(4), expected)?;
        Ok(i32::from_be_bytes(bytes.try_into().expect("four bytes were taken")))
    }

    fn keyword(&mut self, keyword: i32, expected: &str) -> Result<(), ReadError> {
        let place = self.place();
        let found = self.integer(expected)?;
        if found == keyword {
            return Ok(());
        }
        Err(ReadError::Syntax { place, expected: expected.to_owned(), found: found.to_string() })
    }

    fn count(&mut self, expected: &str) -> Result<usize, ReadError> {
        let place = self.place();
        let found = self.integer(expected)?;
        usize::try_from(found).map_err(|_| ReadError::Syntax {
            place,
            expected: expected.to_owned(),
            found: found.to_string(),
        })
    }

    fn reals(&mut self, n: usize, what: &str) -> Result<Vec<f64>, ReadError> {
        let bytes = self.take(n.checked_mul(8), &format!("{n} {what}"))?;
        Ok(bytes.as_chunks::<8>().0.iter().map(|&bytes| f64::from_be_bytes(bytes)).collect())
    }
}
