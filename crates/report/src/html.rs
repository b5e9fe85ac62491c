//! Reports: one HTML file that needs nothing beside it.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use crate::{Drawing, Table};

/// Something in a report.
#[derive(Debug, Clone, PartialEq)]
enum Block {
    Heading(String),
    Paragraph(String),
    Drawing(Box<Drawing>, String),
    Png(Vec<u8>, String),
    Table(Box<Table>, String),
    Preformatted(String),
}

/// A report, written from top to bottom.
#[derive(Debug, Clone, PartialEq)]
pub struct Report {
    title: String,
    blocks: Vec<Block>,
}

/// Black on white, numbers aligned, printable.
const STYLE: &str = "\
body { color: #1a1a1a; background: #ffffff; font: 16px/1.5 'Helvetica Neue', Helvetica, Arial, sans-serif; \
max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.6rem; margin: 0 0 1rem; } h2 { font-size: 1.2rem; margin: 2rem 0 0.5rem; border-bottom: 1px solid #d0d0d0; }
table { border-collapse: collapse; margin: 0.5rem 0; } caption, figcaption { color: #555555; font-size: 0.9rem; text-align: left; }
caption { caption-side: bottom; padding-top: 0.3rem; }
th { text-align: left; border-bottom: 1px solid #1a1a1a; } th, td { padding: 0.15rem 0.9rem 0.15rem 0; vertical-align: top; }
.number { text-align: right; font-variant-numeric: tabular-nums; }
figure { margin: 1rem 0; } svg, img { max-width: 100%; height: auto; }
pre { background: #f5f5f5; padding: 0.7rem; overflow-x: auto; font-size: 0.85rem; line-height: 1.35; }
.wide { overflow-x: auto; }
";

impl Report {
    /// An empty report.
    pub fn new(title: &str) -> Self {
        Self { title: title.to_owned(), blocks: Vec::new() }
    }

    /// Starts a section.
    pub fn heading(&mut self, text: &str) {
        self.blocks.push(Block::Heading(text.to_owned()));
    }

    /// Adds a paragraph of plain text.
    pub fn paragraph(&mut self, text: &str) {
        self.blocks.push(Block::Paragraph(text.to_owned()));
    }

    /// Adds a drawing with a caption.
    pub fn drawing(&mut self, drawing: Drawing, caption: &str) {
        self.blocks.push(Block::Drawing(Box::new(drawing), caption.to_owned()));
    }

    /// Adds a picture that is a PNG file already.
    pub fn png(&mut self, png: Vec<u8>, caption: &str) {
        self.blocks.push(Block::Png(png, caption.to_owned()));
    }

    /// Adds a table with a caption (which may be empty).
    pub fn table(&mut self, table: Table, caption: &str) {
        self.blocks.push(Block::Table(Box::new(table), caption.to_owned()));
    }

    /// Adds text as it is, such as the scenario.
    pub fn preformatted(&mut self, text: &str) {
        self.blocks.push(Block::Preformatted(text.to_owned()));
    }

    /// The report as one HTML document.
    pub fn to_html(&self) -> String {
        let title = escape(&self.title);
        let body: String = self.blocks.iter().map(block_html).collect();
        format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{title}</title>\n\
             <style>\n{STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n{body}</body>\n</html>\n"
        )
    }
}

fn block_html(block: &Block) -> String {
    match block {
        Block::Heading(text) => format!("<h2>{}</h2>\n", escape(text)),
        Block::Paragraph(text) => format!("<p>{}</p>\n", escape(text)),
        Block::Drawing(drawing, caption) => figure(&drawing.to_svg(), caption),
        Block::Png(png, caption) => {
            let image = format!(
                "<img alt=\"{}\" src=\"data:image/png;base64,{}\">",
                escape(caption),
                STANDARD.encode(png)
            );
            figure(&image, caption)
        }
        Block::Table(table, caption) => {
            let html = table.to_html();
            let caption = if caption.is_empty() {
                String::new()
            } else {
                format!("<caption>{}</caption>\n", escape(caption))
            };
            format!(
                "<div class=\"wide\">{}</div>\n",
                html.replacen("<table>\n", &format!("<table>\n{caption}"), 1)
            )
        }
        Block::Preformatted(text) => format!("<pre>{}</pre>\n", escape(text)),
    }
}

fn figure(inside: &str, caption: &str) -> String {
    let caption = if caption.is_empty() {
        String::new()
    } else {
        format!("<figcaption>{}</figcaption>", escape(caption))
    };
    format!("<figure>{inside}{caption}</figure>\n")
}

/// Text for HTML or XML; control characters, which XML has no place for, become blanks.
pub(crate) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' | '\t' => out.push(c),
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_is_one_file_without_references() {
        let mut report = Report::new("ball & rod");
        report.heading("Energy");
        report.paragraph("<script>");
        report.drawing(Drawing::new([10.0, 10.0]), "nothing");
        report.png(vec![1, 2, 3], "three bytes");
        report.preformatted("[simulation]\nend_time = 1e-3");
        let html = report.to_html();
        assert!(html.contains("<title>ball &amp; rod</title>") && html.contains("&lt;script&gt;"));
        assert!(html.contains("data:image/png;base64,AQID") && html.contains("<figcaption>nothing"));
        let outside = html.replace("http://www.w3.org/2000/svg", "");
        assert!(!outside.contains("http") && !outside.contains("<link"), "refers to something outside");
    }
}
