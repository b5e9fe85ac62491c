//! Datasets that grow chunk by chunk.

use std::io::{self, Seek, Write};

use flate2::write::ZlibEncoder;

use super::message::{self, Message, dataspace, datatype};
use super::{File, UNDEFINED};
use crate::Values;

/// Children of a node: twice the rank 32 that a superblock without an extension implies.
const CHILDREN: usize = 64;

/// A dataset of equal chunks of rows.
#[derive(Debug, Clone)]
pub(crate) struct Chunked {
    /// Number of rows of a chunk, and of columns of the dataset.
    shape: [usize; 2],
    datatype: Vec<u8>,
    size: usize,
    /// Level of deflate; none for uncompressed chunks.
    level: Option<u32>,
    /// Address and length of each chunk.
    chunks: Vec<[u64; 2]>,
}

/// Bytes of numbers in a chunk: unchanged, or shuffled and deflated.
pub(crate) fn packed(values: &Values, level: Option<u32>) -> Vec<u8> {
    let bytes = values.to_bytes();
    let Some(level) = level else { return bytes };
    let size = bytes.len() / values.len().max(1);
    // All first bytes, then all second bytes: exponents of similar numbers are equal.
    let shuffled: Vec<u8> = (0..size).flat_map(|k| bytes.iter().skip(k).step_by(size).copied()).collect();
    let mut encoder = ZlibEncoder::new(Vec::new(), flate2::Compression::new(level));
    encoder.write_all(&shuffled).expect("a vector takes all bytes");
    encoder.finish().expect("a vector takes all bytes")
}

impl Chunked {
    /// A dataset of numbers with the type of `values`, the numbers of one chunk.
    pub(crate) fn new(values: &Values, columns: usize, level: Option<u32>) -> Self {
        let size = values.to_bytes().len() / values.len().max(1);
        let shape = [values.len() / columns.max(1), columns];
        Self { shape, datatype: datatype(values), size, level, chunks: Vec::new() }
    }

    /// Appends a chunk that [`packed`] made.
    pub(crate) fn push<W: Write + Seek>(&mut self, file: &mut File<W>, chunk: &[u8]) -> io::Result<()> {
        if chunk.len() > u32::MAX as usize {
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, "a field of more than 4 GiB a frame"));
        }
        let address = file.append(chunk)?;
        self.chunks.push([address, chunk.len() as u64]);
        Ok(())
    }

    /// Writes index and header; returns the address of the latter.
    pub(crate) fn finish<W: Write + Seek>(
        self,
        file: &mut File<W>,
        attributes: Vec<Message>,
    ) -> io::Result<u64> {
        let [rows, columns] = self.shape;
        let tree = self.index(file)?;
        let columns_of = |rows: usize| if columns == 1 { vec![rows] } else { vec![rows, columns] };
        let mut messages = vec![
            Message::new(0x01, dataspace(&columns_of(rows * self.chunks.len()))),
            Message::new(0x03, self.datatype),
            message::fill_value(true),
            message::chunked(tree, &columns_of(rows), self.size),
        ];
        messages.extend(self.level.map(|level| message::filters(self.size, level)));
        messages.extend(attributes);
        file.object(&messages)
    }

    /// Writes the B-tree from its leaves up; returns the address of its root.
    fn index<W: Write + Seek>(&self, file: &mut File<W>) -> io::Result<u64> {
        // First chunk of each child, and its address; the chunk beyond the last one closes the last key.
        let mut children: Vec<(usize, u64)> =
            self.chunks.iter().enumerate().map(|(n, chunk)| (n, chunk[0])).collect();
        if children.is_empty() {
            return Ok(UNDEFINED);
        }
        for level in 0_u8.. {
            let nodes: Vec<&[(usize, u64)]> = children.chunks(CHILDREN).collect();
            // Nodes of a level are contiguous, so that the addresses of neighbours are known.
            let start = file.end.next_multiple_of(8);
            let address = |node: usize| start + (node * self.node_length()) as u64;
            let mut above = Vec::with_capacity(nodes.len());
            for (number, node) in nodes.iter().enumerate() {
                let left = number.checked_sub(1).map_or(UNDEFINED, address);
                let right = if number + 1 < nodes.len() { address(number + 1) } else { UNDEFINED };
                let next = nodes.get(number + 1).map_or(self.chunks.len(), |node| node[0].0);
                let written = file.append(&self.node(level, node, [left, right], next))?;
                debug_assert_eq!(written, address(number));
                above.push((node[0].0, written));
            }
            if let [(_, root)] = above[..] {
                return Ok(root);
            }
            children = above;
        }
        unreachable!("a level has fewer nodes than the one below")
    }

    fn key_length(&self) -> usize {
        8 + 8 * if self.shape[1] == 1 { 2 } else { 3 }
    }

    fn node_length(&self) -> usize {
        (24 + (CHILDREN + 1) * self.key_length() + 8 * CHILDREN).next_multiple_of(8)
    }

    /// A node with the keys of its children and of the chunk `next` after them.
    fn node(&self, level: u8, children: &[(usize, u64)], neighbours: [u64; 2], next: usize) -> Vec<u8> {
        let mut bytes = b"TREE\x01".to_vec();
        bytes.push(level);
        bytes.extend((children.len() as u16).to_le_bytes());
        bytes.extend(neighbours.iter().flat_map(|address| address.to_le_bytes()));
        for &(chunk, address) in children {
            self.put_key(&mut bytes, chunk);
            bytes.extend(address.to_le_bytes());
        }
        self.put_key(&mut bytes, next);
        bytes.resize(self.node_length(), 0);
        bytes
    }

    /// The key of a chunk: length, filter mask, and position in rows, columns and bytes.
    fn put_key(&self, bytes: &mut Vec<u8>, chunk: usize) {
        let length = self.chunks.get(chunk).map_or(0, |chunk| chunk[1] as u32);
        bytes.extend(length.to_le_bytes());
        bytes.extend([0; 4]);
        bytes.extend(((chunk * self.shape[0]) as u64).to_le_bytes());
        let zeros = self.key_length() - 16;
        bytes.resize(bytes.len() + zeros, 0);
    }
}
