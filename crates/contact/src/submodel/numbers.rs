//! Reads the numbers of a checkpoint from front to back, and checksums of numbers.

/// Numbers that are read one after another, and whether all reads have succeeded.
pub(super) struct Reader<'a> {
    numbers: &'a [f64],
    ok: bool,
}

impl<'a> Reader<'a> {
    /// Starts at the first number.
    pub(super) fn new(numbers: &'a [f64]) -> Self {
        Self { numbers, ok: true }
    }

    /// True if every read succeeded and no number is left over.
    pub(super) fn is_complete(&self) -> bool {
        self.ok && self.numbers.is_empty()
    }

    /// The next number; 0 and an error where none is left.
    pub(super) fn next(&mut self) -> f64 {
        match self.numbers.split_first() {
            Some((x, rest)) => {
                self.numbers = rest;
                *x
            }
            None => {
                self.ok = false;
                0.0
            }
        }
    }

    /// The next number as an index; an error if it is not a natural number.
    pub(super) fn index(&mut self) -> u32 {
        let x = self.next();
        self.ok &= x >= 0.0 && x <= f64::from(u32::MAX) && x.fract() == 0.0;
        x as u32
    }

    /// The next number as a count of entries of at least `size` numbers each; 0 and an error if fewer numbers
    /// are left.
    pub(super) fn count(&mut self, size: usize) -> usize {
        let n = self.index() as usize;
        let fits = n <= self.numbers.len() / size;
        self.ok &= fits;
        if fits { n } else { 0 }
    }

    /// The next three numbers.
    pub(super) fn vector(&mut self) -> [f64; 3] {
        [self.next(), self.next(), self.next()]
    }

    /// Fills a slice with the next numbers.
    pub(super) fn fill(&mut self, out: &mut [f64]) {
        out.iter_mut().for_each(|x| *x = self.next());
    }
}

/// Checksum of numbers in their order (FNV-1a, a number at a time).
pub(super) struct Checksum(u64);

impl Checksum {
    /// The checksum of an empty list.
    pub(super) fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }

    /// Adds a number.
    pub(super) fn add(&mut self, x: u64) {
        self.0 = (self.0 ^ x).wrapping_mul(0x0000_0100_0000_01b3);
        self.0 ^= self.0 >> 29;
    }

    /// Never 0.
    pub(super) fn value(&self) -> u64 {
        self.0.max(1)
    }
}
