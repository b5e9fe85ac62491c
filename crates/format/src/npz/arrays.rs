//! The arrays of an archive as numbers and texts, checked against the required types and shapes.

use std::io;

use carom_files::npy::last_index_fastest;

use super::{ArchiveReader, Element, Header, ReadArchiveError};

impl ArchiveReader {
    fn check_shape(
        &self,
        name: &str,
        header: &Header,
        shape: &[Option<usize>],
    ) -> Result<(), ReadArchiveError> {
        let fits = header.shape.len() == shape.len()
            && header.shape.iter().zip(shape).all(|(&found, wanted)| wanted.is_none_or(|w| w == found));
        if fits {
            return Ok(());
        }
        let wanted = shape.iter().map(|w| w.map_or("any".to_owned(), |w| w.to_string())).collect::<Vec<_>>();
        Err(self.unexpected(name, format!("shape ({})", wanted.join(", ")), format!("{:?}", header.shape)))
    }

    /// Doubles with the last index fastest; `shape` contains the known extents.
    ///
    /// # Errors
    ///
    /// [`ReadArchiveError`]
    pub fn f64(&mut self, name: &str, shape: &[Option<usize>]) -> Result<Vec<f64>, ReadArchiveError> {
        let (header, bytes) = self.array(name)?;
        self.check_shape(name, &header, shape)?;
        let values = self.decode_f64(name, &header, &bytes)?;
        drop(bytes);
        Ok(if header.fortran_order && header.shape.len() > 1 {
            last_index_fastest(&values, &header.shape)
        } else {
            values
        })
    }

    /// A matrix as its row count and its columns one after the other.
    ///
    /// # Errors
    ///
    /// [`ReadArchiveError`]
    pub fn columns(
        &mut self,
        name: &str,
        n_rows: Option<usize>,
        n_columns: Option<usize>,
    ) -> Result<(usize, usize, Vec<f64>), ReadArchiveError> {
        let (header, bytes) = self.array(name)?;
        self.check_shape(name, &header, &[n_rows, n_columns])?;
        let (n_rows, n_columns) = (header.shape[0], header.shape[1]);
        let values = self.decode_f64(name, &header, &bytes)?;
        drop(bytes);
        if header.fortran_order {
            return Ok((n_rows, n_columns, values));
        }
        Ok((n_rows, n_columns, last_index_fastest(&values, &[n_columns, n_rows])))
    }

    /// The columns of a matrix of doubles in Fortran order, one after the other, without a copy of the whole.
    ///
    /// * `each` — receives the number of columns, the number of the column and its values
    ///
    /// # Errors
    ///
    /// [`ReadArchiveError`]
    pub fn each_column(
        &mut self,
        name: &str,
        n_rows: usize,
        n_columns: Option<usize>,
        each: impl FnMut(usize, usize, &[f64]),
    ) -> Result<(), ReadArchiveError> {
        let (header, infinite) = self.each_fortran_column(name, [Some(n_rows), n_columns], each)?;
        if header.element != Element::F64 {
            return Err(self.unexpected(name, "numbers of the type <f8", header.element.descr()));
        }
        self.check_shape(name, &header, &[Some(n_rows), n_columns])?;
        if !header.fortran_order {
            return Err(self.unexpected(name, "Fortran order (numpy.asfortranarray)", "C order"));
        }
        infinite.map_or(Ok(()), |found| Err(self.unexpected(name, "finite numbers", found)))
    }

    /// The columns of a matrix of known size, one after the other: of doubles in Fortran order without a copy
    /// of the whole, of other matrices with one.
    ///
    /// * `each` — receives the number of the column and its values
    ///
    /// # Errors
    ///
    /// [`ReadArchiveError`]
    pub fn each_column_of(
        &mut self,
        name: &str,
        [n_rows, n_columns]: [usize; 2],
        mut each: impl FnMut(usize, &[f64]),
    ) -> Result<(), ReadArchiveError> {
        let shape = [Some(n_rows), Some(n_columns)];
        let (header, infinite) = self.each_fortran_column(name, shape, |_, j, column| each(j, column))?;
        if header.element != Element::F64 || !header.fortran_order {
            let (_, _, values) = self.columns(name, Some(n_rows), Some(n_columns))?;
            values.chunks_exact(n_rows.max(1)).enumerate().for_each(|(j, column)| each(j, column));
            return Ok(());
        }
        self.check_shape(name, &header, &shape)?;
        self.take_memory(n_rows * n_columns * size_of::<f64>())?;
        infinite.map_or(Ok(()), |found| Err(self.unexpected(name, "finite numbers", found)))
    }

    /// Hands on the columns of a matrix of doubles of this shape in Fortran order; reads others without any
    /// use.
    ///
    /// Returns the header, and the first number that is not finite, with its place.
    fn each_fortran_column(
        &mut self,
        name: &str,
        shape: [Option<usize>; 2],
        mut each: impl FnMut(usize, usize, &[f64]),
    ) -> Result<(Header, Option<String>), ReadArchiveError> {
        let mut header = None;
        let mut infinite = None;
        self.streamed(name, |found, elements| {
            header = Some(found.clone());
            let fits = found.shape.len() == 2
                && found.shape.iter().zip(shape).all(|(&n, wanted)| wanted.is_none_or(|w| w == n));
            if !fits || found.element != Element::F64 || !found.fortran_order {
                return io::copy(elements, &mut io::sink()).map(drop);
            }
            let (n_rows, n_columns) = (found.shape[0], found.shape[1]);
            let (mut bytes, mut values) = (vec![0; n_rows * size_of::<f64>()], vec![0.0; n_rows]);
            for column in 0..n_columns {
                elements.read_exact(&mut bytes)?;
                for (value, bytes) in values.iter_mut().zip(bytes.as_chunks::<8>().0) {
                    *value = f64::from_le_bytes(*bytes);
                }
                if infinite.is_none() {
                    let at = values.iter().position(|value| !value.is_finite());
                    infinite = at.map(|row| format!("{} at ({row}, {column})", values[row]));
                }
                each(n_columns, column, &values);
            }
            Ok(())
        })?;
        Ok((header.expect("a header was read"), infinite))
    }

    fn decode_f64(
        &mut self,
        name: &str,
        header: &Header,
        bytes: &[u8],
    ) -> Result<Vec<f64>, ReadArchiveError> {
        self.take_memory(bytes.len() / header.element.size().max(1) * size_of::<f64>())?;
        let values = header
            .element
            .decode_f64(bytes)
            .ok_or_else(|| self.unexpected(name, "numbers of the type <f8", header.element.descr()))?;
        if let Some(index) = values.iter().position(|v| !v.is_finite()) {
            return Err(self.unexpected(
                name,
                "finite numbers",
                format!("{} at index {index}", values[index]),
            ));
        }
        Ok(values)
    }

    /// Integers that fit 32 bits, the last index fastest.
    ///
    /// # Errors
    ///
    /// [`ReadArchiveError`]
    pub fn u32(&mut self, name: &str, shape: &[Option<usize>]) -> Result<Vec<u32>, ReadArchiveError> {
        let (header, bytes) = self.array(name)?;
        self.check_shape(name, &header, shape)?;
        if header.fortran_order && header.shape.len() > 1 {
            return Err(self.unexpected(name, "C order", "Fortran order"));
        }
        self.take_memory(bytes.len() / header.element.size().max(1) * size_of::<u32>())?;
        self.integers(name, &header, &bytes)?
            .map(|v| {
                u32::try_from(v).map_err(|_| self.unexpected(name, "integers from 0 to 2³²−1", v.to_string()))
            })
            .collect()
    }

    fn integers<'a>(
        &self,
        name: &str,
        header: &Header,
        bytes: &'a [u8],
    ) -> Result<impl Iterator<Item = i128> + use<'a>, ReadArchiveError> {
        header
            .element
            .decode_integers(bytes)
            .ok_or_else(|| self.unexpected(name, "integers", header.element.descr()))
    }

    /// One integer.
    ///
    /// # Errors
    ///
    /// [`ReadArchiveError`]
    pub fn count(&mut self, name: &str) -> Result<usize, ReadArchiveError> {
        let (header, bytes) = self.array(name)?;
        self.check_shape(name, &header, &[])?;
        let value = self.integers(name, &header, &bytes)?.next().expect("a single value has one element");
        usize::try_from(value).map_err(|_| self.unexpected(name, "a count", value.to_string()))
    }

    /// Truth values.
    ///
    /// # Errors
    ///
    /// [`ReadArchiveError`]
    pub fn flags(&mut self, name: &str, n: Option<usize>) -> Result<Vec<bool>, ReadArchiveError> {
        Ok(self.u32(name, &[n])?.into_iter().map(|v| v != 0).collect())
    }

    /// A single text.
    ///
    /// # Errors
    ///
    /// [`ReadArchiveError`]
    pub fn text(&mut self, name: &str) -> Result<String, ReadArchiveError> {
        let (header, bytes) = self.array(name)?;
        self.check_shape(name, &header, &[])?;
        Ok(self.decode_texts(name, &header, &bytes)?.pop().expect("a single value has one element"))
    }

    /// A list of texts.
    ///
    /// # Errors
    ///
    /// [`ReadArchiveError`]
    pub fn texts(&mut self, name: &str) -> Result<Vec<String>, ReadArchiveError> {
        let (header, bytes) = self.array(name)?;
        self.check_shape(name, &header, &[None])?;
        self.decode_texts(name, &header, &bytes)
    }

    fn decode_texts(
        &mut self,
        name: &str,
        header: &Header,
        bytes: &[u8],
    ) -> Result<Vec<String>, ReadArchiveError> {
        let Element::Text(width) = header.element else {
            return Err(self.unexpected(name, "texts", header.element.descr()));
        };
        if width == 0 {
            let n = header.n_elements().unwrap_or(0);
            // An empty text needs no bytes, so that a damaged file could claim any number of them.
            return if n <= 1 {
                Ok(vec![String::new(); n])
            } else {
                Err(self.unexpected(name, "texts", "empty texts"))
            };
        }
        // The size of a string, its overhead on the heap, and its characters.
        self.take_memory(bytes.len() / (4 * width) * (size_of::<String>() + 32 + width))?;
        let decode = |chunk: &[u8]| {
            let points =
                chunk.as_chunks::<4>().0.iter().map(|&b| u32::from_le_bytes(b)).take_while(|&c| c != 0);
            points.map(char::from_u32).collect::<Option<String>>()
        };
        bytes
            .chunks_exact(4 * width)
            .map(|chunk| {
                decode(chunk).ok_or_else(|| self.unexpected(name, "Unicode text", "invalid code points"))
            })
            .collect()
    }
}
