//! The progress of one part of a computation, such as one of several bodies: its phases have the name of
//! the part.

use crate::Progress;

/// Forwards all reports, with the name of a part before that of each phase: `ball (2 of 5): factorisation`.
pub struct Part<'a> {
    whole: &'a dyn Progress,
    name: String,
}

impl<'a> Part<'a> {
    /// A part with a name and no number.
    pub fn new(whole: &'a dyn Progress, name: &str) -> Self {
        Self { whole, name: name.to_owned() }
    }

    /// Part k, from 1, of n; the number is left out if there is only one part.
    pub fn of(whole: &'a dyn Progress, name: &str, k: usize, n: usize) -> Self {
        Self { whole, name: if n > 1 { format!("{name} ({k} of {n})") } else { name.to_owned() } }
    }
}

impl Progress for Part<'_> {
    fn begin(&self, name: &str, total: u64) {
        self.whole.begin(&format!("{}: {name}", self.name), total);
    }

    fn set(&self, done: u64) {
        self.whole.set(done);
    }

    fn note(&self, text: &str) {
        self.whole.note(text);
    }

    fn end(&self) {
        self.whole.end();
    }

    fn interrupted(&self) -> bool {
        self.whole.interrupted()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    #[derive(Default)]
    struct Names(Mutex<Vec<String>>);

    impl Progress for Names {
        fn begin(&self, name: &str, _total: u64) {
            self.0.lock().unwrap().push(name.to_owned());
        }
        fn set(&self, _done: u64) {}
        fn note(&self, _text: &str) {}
        fn end(&self) {}
    }

    #[test]
    fn phases_name_their_body_and_its_number() {
        let names = Names::default();
        Part::of(&names, "ball", 2, 5).begin("factorisation", 0);
        Part::of(&names, "rod", 1, 1).begin("ordering", 0);
        assert_eq!(*names.0.lock().unwrap(), ["ball (2 of 5): factorisation", "rod: ordering"]);
    }
}
