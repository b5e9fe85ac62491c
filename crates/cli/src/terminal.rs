//! Progress on standard error: bars on a terminal, lines elsewhere.

mod lines;

use std::sync::Mutex;
use std::time::Duration;

use carom_progress::Progress;
use indicatif::{MultiProgress, ProgressBar, ProgressStyle};

use crate::signals::stop_requested;
use lines::Lines;

/// Shows phases as bars (a spinner where the number of units is unknown), or as lines; phases may be nested.
pub(crate) struct Bars {
    all: MultiProgress,
    open: Mutex<Vec<ProgressBar>>,
    visible: bool,
    lines: Option<Lines>,
}

impl Bars {
    /// * `visible` — whether there are bars
    /// * `lines` — whether there are lines
    pub(crate) fn new(visible: bool, lines: bool) -> Self {
        let lines = lines.then(Lines::new);
        Self { all: MultiProgress::new(), open: Mutex::new(Vec::new()), visible, lines }
    }

    /// Runs `write` with the bars out of the way.
    pub(crate) fn suspend(&self, write: impl FnOnce()) {
        if self.visible { self.all.suspend(write) } else { write() }
    }

    fn with_current(&self, action: impl FnOnce(&ProgressBar)) {
        // A thread that panicked while it drew a bar leaves the list intact.
        let open = self.open.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if let Some(bar) = open.last() {
            action(bar);
        }
    }

    /// Ends every open phase, so that a message stands alone.
    pub(crate) fn clear(&self) {
        if let Some(lines) = &self.lines {
            lines.clear();
        }
        let mut open = self.open.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        for bar in open.drain(..) {
            bar.finish_and_clear();
        }
    }
}

fn style(total: u64) -> ProgressStyle {
    let template = if total > 0 {
        "{prefix:24} [{bar:32}] {percent:>3}%  {elapsed}  {msg}"
    } else {
        "{prefix:24} {spinner}  {elapsed}  {msg}"
    };
    ProgressStyle::with_template(template).expect("the templates above are well-formed").progress_chars("=> ")
}

impl Progress for Bars {
    fn begin(&self, name: &str, total: u64) {
        if let Some(lines) = &self.lines {
            lines.begin(name, total);
        }
        if !self.visible {
            return;
        }
        let bar = if total > 0 { ProgressBar::new(total) } else { ProgressBar::new_spinner() };
        let bar = self.all.add(bar);
        bar.set_style(style(total));
        bar.set_prefix(name.to_owned());
        bar.enable_steady_tick(Duration::from_millis(200));
        self.open.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push(bar);
    }

    fn set(&self, done: u64) {
        if let Some(lines) = &self.lines {
            lines.set(done);
        }
        if self.visible {
            self.with_current(|bar| bar.set_position(done));
        }
    }

    fn note(&self, text: &str) {
        if let Some(lines) = &self.lines {
            lines.note(text);
        }
        if self.visible {
            self.with_current(|bar| bar.set_message(text.to_owned()));
        }
    }

    fn end(&self) {
        if let Some(lines) = &self.lines {
            lines.end();
        }
        if self.visible
            && let Some(bar) = self.open.lock().unwrap_or_else(std::sync::PoisonError::into_inner).pop()
        {
            bar.finish_and_clear();
        }
    }

    fn interrupted(&self) -> bool {
        stop_requested()
    }
}
