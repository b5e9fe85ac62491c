//! The part of HDF5 that VTKHDF files need, written in one pass.
//!
//! Superblock of version 2, object headers of version 2, groups with links in their headers, attributes,
//! contiguous datasets, and datasets in chunks of whole rows, shuffled and deflated, indexed by a B-tree of
//! version 1: every HDF5 since 1.8 (2008) reads these. Data are written first, then the headers that point to
//! them, and last the superblock in the space reserved for it. Names follow the HDF5 File Format
//! Specification 3.0.

mod chunks;
mod message;

use std::io::{self, Seek, SeekFrom, Write};

pub(crate) use chunks::{Chunked, packed};
pub(crate) use message::{Attribute, Message, attribute};

use crate::Values;
use message::{checksum, dataspace, datatype};

/// The undefined address.
const UNDEFINED: u64 = u64::MAX;

/// Length of the superblock.
const SUPERBLOCK: usize = 48;

/// A writer of a file.
#[derive(Debug)]
pub(crate) struct File<W> {
    out: W,
    end: u64,
}

impl<W: Write + Seek> File<W> {
    /// Begins a file at the present position of `out`.
    pub(crate) fn new(mut out: W) -> io::Result<Self> {
        out.write_all(&[0; SUPERBLOCK])?;
        Ok(Self { out, end: SUPERBLOCK as u64 })
    }

    /// Appends bytes and returns their address, a multiple of 8.
    fn append(&mut self, bytes: &[u8]) -> io::Result<u64> {
        let padding = self.end.next_multiple_of(8) - self.end;
        self.out.write_all(&[0; 8][..padding as usize])?;
        let address = self.end + padding;
        self.out.write_all(bytes)?;
        self.end = address + bytes.len() as u64;
        Ok(address)
    }

    /// Writes a contiguous dataset; returns the address of its header.
    ///
    /// * `shape` — numbers of rows and columns; columns are left out of a list
    /// * `attributes` — messages of [`attribute`]
    pub(crate) fn dataset(
        &mut self,
        values: &Values,
        shape: &[usize],
        attributes: Vec<Message>,
    ) -> io::Result<u64> {
        let bytes = values.to_bytes();
        let address = if bytes.is_empty() { UNDEFINED } else { self.append(&bytes)? };
        let mut messages = vec![
            Message::new(0x01, dataspace(shape)),
            Message::new(0x03, datatype(values)),
            message::fill_value(false),
            message::contiguous(address, bytes.len() as u64),
        ];
        messages.extend(attributes);
        self.object(&messages)
    }

    /// Writes a group; returns the address of its header.
    ///
    /// * `links` — names of its members and addresses of their headers
    pub(crate) fn group(&mut self, links: &[(&str, u64)], attributes: Vec<Message>) -> io::Result<u64> {
        let mut messages = vec![message::link_info(), message::group_info()];
        messages.extend(links.iter().map(|(name, address)| message::link(name, *address)));
        messages.extend(attributes);
        self.object(&messages)
    }

    /// Writes an object header.
    fn object(&mut self, messages: &[Message]) -> io::Result<u64> {
        let body: Vec<u8> = messages.iter().flat_map(Message::bytes).collect();
        // Flags: four bytes for the length of the messages.
        let mut header = b"OHDR\x02\x02".to_vec();
        header.extend((body.len() as u32).to_le_bytes());
        header.extend(body);
        header.extend(checksum(&header).to_le_bytes());
        self.append(&header)
    }

    /// Writes the superblock.
    ///
    /// * `root` — address of the header of the root group
    pub(crate) fn finish(mut self, root: u64) -> io::Result<()> {
        // Version 2, addresses and lengths of 8 bytes, no flags.
        let mut block = b"\x89HDF\r\n\x1a\n\x02\x08\x08\x00".to_vec();
        for number in [0, UNDEFINED, self.end, root] {
            block.extend(number.to_le_bytes());
        }
        block.extend(checksum(&block).to_le_bytes());
        debug_assert_eq!(block.len(), SUPERBLOCK);
        self.out.seek(SeekFrom::Start(0))?;
        self.out.write_all(&block)
    }
}
