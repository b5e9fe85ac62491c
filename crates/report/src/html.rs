//! Reports: one HTML file without references to other files.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use crate::{Drawing, Table};

/// A block of a report.
#[derive(Debug, Clone, PartialEq)]
enum Block {
    Heading(String),
    Paragraph(String),
    Drawing(Box<Drawing>, String),
    Png(Vec<u8>, String),
    Table(Box<Table>, String),
    Facts(Vec<(String, String)>),
    Links(Vec<Link>),
    Warning(String),
    Preformatted(String),
    Folded(String, String),
}

/// A report, written from top to bottom.
#[derive(Debug, Clone, PartialEq)]
pub struct Report {
    title: String,
    blocks: Vec<Block>,
}

/// A file to which a report links.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// Its path relative to the report, with `/`.
    pub path: String,
    /// A description of its content.
    pub what: String,
}

/// Style sheet: black on white, numbers aligned; printed smaller, with unbroken figures and tables.
const STYLE: &str = "\
body { color: #1a1a1a; background: #ffffff; font: 16px/1.5 'Helvetica Neue', Helvetica, Arial, sans-serif; \
max-width: 56rem; margin: 2rem auto; padding: 0 1.2rem; overflow-wrap: break-word; }
h1 { font-size: 1.6rem; margin: 0 0 0.3rem; } \
h2 { font-size: 1.2rem; margin: 2.2rem 0 0.6rem; border-bottom: 1px solid #d0d0d0; }
table { border-collapse: collapse; margin: 0.7rem 0; font-size: 0.9rem; line-height: 1.4; } \
caption, figcaption { color: #555555; font-size: 0.9rem; text-align: left; }
caption { caption-side: bottom; padding-top: 0.3rem; }
th { text-align: left; vertical-align: bottom; font-weight: 600; border-bottom: 1px solid #1a1a1a; } \
th, td { padding: 0.15rem 14px 0.15rem 0; } td { vertical-align: top; }
th:last-child, td:last-child { padding-right: 0; }
.number { text-align: right; font-variant-numeric: tabular-nums; } td.number { white-space: nowrap; }
.facts th { border: 0; font-weight: 400; color: #555555; white-space: nowrap; vertical-align: top; }
figure { margin: 1rem 0; } svg, img { max-width: 100%; height: auto; }
a { color: #0a58a6; } code { font-size: 0.9em; } .warning \
{ border-left: 4px solid #d55e00; padding-left: 0.8rem; }
pre { background: #f5f5f5; padding: 0.7rem; white-space: pre-wrap; overflow-wrap: anywhere; \
font-size: 0.85rem; line-height: 1.35; }
summary { cursor: pointer; color: #555555; }
@page { size: A4; margin: 15mm; }
@media print \
{ body { font-size: 11px; max-width: none; margin: 0; padding: 0; } h1 { font-size: 18px; } h2 { font-size: \
14px; break-after: avoid; } \
table { font-size: 10.5px; } th, td { padding-right: 10px; } figure, tr { break-inside: avoid; } caption, \
figcaption { font-size: 10px; } \
figure svg, figure img { max-height: 150mm; width: auto; } pre \
{ font-size: 9px; border: 1px solid #d0d0d0; } a { color: inherit; } }
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

    /// Adds a picture given as a PNG file.
    pub fn png(&mut self, png: Vec<u8>, caption: &str) {
        self.blocks.push(Block::Png(png, caption.to_owned()));
    }

    /// Adds a table with a caption (which may be empty).
    pub fn table(&mut self, table: Table, caption: &str) {
        self.blocks.push(Block::Table(Box::new(table), caption.to_owned()));
    }

    /// Adds a list of names and values, such as version, date, command.
    pub fn facts(&mut self, facts: Vec<(String, String)>) {
        self.blocks.push(Block::Facts(facts));
    }

    /// Adds a list of files.
    pub fn links(&mut self, links: Vec<Link>) {
        self.blocks.push(Block::Links(links));
    }

    /// Adds a highlighted sentence.
    pub fn warning(&mut self, text: &str) {
        self.blocks.push(Block::Warning(text.to_owned()));
    }

    /// Adds a long text that is shown after a click on its title.
    pub fn folded(&mut self, title: &str, text: &str) {
        self.blocks.push(Block::Folded(title.to_owned(), text.to_owned()));
    }

    /// Adds preformatted text, such as the scenario.
    pub fn preformatted(&mut self, text: &str) {
        self.blocks.push(Block::Preformatted(text.to_owned()));
    }

    /// The report as one HTML document.
    pub fn to_html(&self) -> String {
        let title = escape(&self.title);
        let body: String = self.blocks.iter().map(block_html).collect();
        format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" \
             content=\"width=device-width, initial-scale=1\">\n<title>{title}</title>\n<style>\n\
             {STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n{body}</body>\n</html>\n"
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
            format!("<div class=\"wide\">{}</div>\n", table.to_html_with(caption))
        }
        Block::Facts(facts) => {
            let row = |(word, what): &(String, String)| {
                format!("<tr><th>{}</th><td>{}</td></tr>\n", escape(word), escape(what))
            };
            format!("<table class=\"facts\">\n{}</table>\n", facts.iter().map(row).collect::<String>())
        }
        Block::Links(links) => {
            let item = |Link { path, what }: &Link| {
                format!("<li><a href=\"{}\">{}</a>: {}</li>\n", address(path), escape(path), escape(what))
            };
            format!("<ul>\n{}</ul>\n", links.iter().map(item).collect::<String>())
        }
        Block::Warning(text) => format!("<p class=\"warning\">{}</p>\n", escape(text)),
        Block::Preformatted(text) => format!("<pre>{}</pre>\n", escape(text)),
        Block::Folded(title, text) => format!(
            "<details><summary>{}</summary>\n<pre>{}</pre>\n</details>\n",
            escape(title),
            escape(text)
        ),
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

/// A path as an address within the folder of the report: characters with a special meaning are
/// percent-encoded.
fn address(path: &str) -> String {
    let plain = |b: u8| b.is_ascii_alphanumeric() || b"-_.~/".contains(&b);
    let one = |b: u8| if plain(b) { char::from(b).to_string() } else { format!("%{b:02X}") };
    let address: String = path.bytes().map(one).collect();
    // A name with a colon would be read as a protocol, `//` as a host.
    if path.starts_with('/') { format!("file://{address}") } else { format!("./{address}") }
}

/// Escaped text for HTML or XML; control characters, which XML does not allow, become blanks.
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
    fn file_names_and_user_text_are_escaped() {
        let mut report = Report::new("run");
        report.links(vec![Link { path: "a b/x%<y>.pvd".to_owned(), what: "ParaView & more".to_owned() }]);
        report.facts(vec![("command".to_owned(), "carom run \"a<b\"".to_owned())]);
        report.folded("all </pre>", "x = \"</pre><script>\"");
        report.warning("5 < 6");
        let html = report.to_html();
        let link = "<a href=\"./a%20b/x%25%3Cy%3E.pvd\">a b/x%&lt;y&gt;.pvd</a>: ParaView &amp; more";
        assert!(html.contains(link), "{html}");
        assert!(html.contains("<td>carom run &quot;a&lt;b&quot;</td>") && html.contains("5 &lt; 6"));
        assert!(
            html.contains("<pre>x = &quot;&lt;/pre&gt;&lt;script&gt;&quot;</pre>")
                && !html.contains("<script")
        );
    }

    #[test]
    fn a_report_is_one_file_without_external_references() {
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
