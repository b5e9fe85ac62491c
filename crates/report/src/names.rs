//! Names on the faces of a picture: written on the face if it is large enough, otherwise next to the body
//! with a line to the face.

use crate::drawing::{Anchor, Drawing, Stroke, Text};
use crate::panel::LABEL;
use crate::{Color, font};

/// A name for some of the triangles of a picture.
#[derive(Debug, Clone, PartialEq)]
pub struct Name {
    /// The word.
    pub text: String,
    /// Colour of its triangles.
    pub color: Color,
    /// Numbers of its triangles.
    pub triangles: Vec<usize>,
}

/// Height of a name with its frame, and distance of two names next to the body \[px\].
const HEIGHT: f64 = LABEL + 6.0;
/// Largest width of a name next to the body \[px\]; longer names are shortened.
const WIDEST: f64 = 190.0;
/// Distance of the names next to the body from the edge of the paper and from the body \[px\].
const GAP: f64 = 12.0;

/// The name that each pixel shows; [`NO_NAME`] where there is none.
pub(crate) struct Regions {
    pub(crate) width: usize,
    pub(crate) height: usize,
    pub(crate) names: Vec<u32>,
}

/// Paper, or a face without a name.
pub(crate) const NO_NAME: u32 = u32::MAX;

/// The visible part of the faces with a name.
struct Seen {
    name: usize,
    /// Middle of its frame on the face, if there is room.
    on_face: Option<[f64; 2]>,
    /// Pixel farthest from the rim of the largest visible part.
    anchor: [f64; 2],
    /// Number of pixels.
    area: usize,
}

/// Space that names next to the body need at each side \[px\].
pub(crate) fn column(names: &[Name]) -> f64 {
    let widest = names.iter().map(|name| font::width(&name.text, LABEL, false)).fold(0.0, f64::max);
    widest.min(WIDEST) + 3.0 * GAP
}

/// True if every visible name fits on its face.
pub(crate) fn all_fit(regions: &Regions, names: &[Name]) -> bool {
    seen(regions, names).iter().all(|seen| seen.on_face.is_some())
}

/// Writes the visible names; returns for each whether it is written in full.
pub(crate) fn draw(drawing: &mut Drawing, regions: &Regions, names: &[Name]) -> Vec<bool> {
    let seen = seen(regions, names);
    let mut written = vec![false; names.len()];
    for seen in &seen {
        if let Some(middle) = seen.on_face {
            draw_on_face(drawing, middle, &names[seen.name]);
            written[seen.name] = true;
        }
    }
    let beside: Vec<&Seen> = seen.iter().filter(|seen| seen.on_face.is_none()).collect();
    let size = [regions.width as f64, regions.height as f64];
    for (side, places) in columns(&beside, size).into_iter().enumerate() {
        for (seen, y) in places {
            let name = &names[seen.name];
            let text = shortened(&name.text);
            written[seen.name] = text == name.text;
            let x = if side == 0 { column(names) - 2.0 * GAP } else { size[0] - column(names) + 2.0 * GAP };
            draw_beside(drawing, [x, y], side == 0, seen.anchor, &text, name.color);
        }
    }
    written
}

fn draw_on_face(drawing: &mut Drawing, [x, y]: [f64; 2], name: &Name) {
    let width = frame_width(&name.text);
    let stroke = Stroke::solid(name.color.shaded(0.7), 1.2);
    drawing.rectangle([x - 0.5 * width, y - 0.5 * HEIGHT], [width, HEIGHT], Some(Color::WHITE), Some(stroke));
    drawing.text(Text::new(&name.text, [x, y + 0.36 * LABEL], LABEL).anchored(Anchor::Middle));
}

fn draw_beside(
    drawing: &mut Drawing,
    [x, y]: [f64; 2],
    at_left: bool,
    anchor: [f64; 2],
    text: &str,
    color: Color,
) {
    let sense = if at_left { 1.0 } else { -1.0 };
    drawing.line(vec![[x + sense * GAP, y], anchor], Stroke::solid(Color::WHITE, 2.6));
    drawing.line(vec![[x + sense * GAP, y], anchor], Stroke::solid(Color::INK, 0.9));
    let dot: Vec<[f64; 2]> = (0..12)
        .map(|n| {
            let (sin, cos) = (f64::from(n) * std::f64::consts::TAU / 12.0).sin_cos();
            [anchor[0] + 2.6 * cos, anchor[1] + 2.6 * sin]
        })
        .collect();
    drawing.polygon(dot, Some(Color::INK), Some(Stroke::solid(Color::WHITE, 0.8)));
    let left = if at_left { x } else { x - GAP };
    let frame = Some(Stroke::solid(Color::GREY, 0.8));
    drawing.rectangle([left, y - 0.5 * GAP], [GAP, GAP], Some(color), frame);
    let end = if at_left { Anchor::End } else { Anchor::Start };
    drawing.text(Text::new(text, [x - sense * 5.0, y + 0.36 * LABEL], LABEL).anchored(end));
}

fn frame_width(text: &str) -> f64 {
    font::width(text, LABEL, false) + 10.0
}

/// The name, shortened in its middle if it is wider than its column.
fn shortened(text: &str) -> String {
    let letters: Vec<char> = text.chars().collect();
    let fits = |text: &str| font::width(text, LABEL, false) <= WIDEST;
    if fits(text) {
        return text.to_owned();
    }
    let cut = |kept: usize| -> String {
        let (head, tail) = (kept - kept / 3, kept / 3);
        letters[..head].iter().chain(&['…']).chain(&letters[letters.len() - tail..]).collect()
    };
    (1..letters.len()).rev().map(cut).find(|text| fits(text)).unwrap_or_default()
}

fn seen(regions: &Regions, names: &[Name]) -> Vec<Seen> {
    let mut boxes = vec![None::<[usize; 4]>; names.len()];
    for (place, &name) in regions.names.iter().enumerate().filter(|(_, name)| **name != NO_NAME) {
        let (x, y) = (place % regions.width, place / regions.width);
        let around = boxes[name as usize].get_or_insert([x, y, x, y]);
        *around = [around[0].min(x), around[1].min(y), around[2].max(x), around[3].max(y)];
    }
    let found = boxes.into_iter().enumerate().filter_map(|(name, around)| Some((name, around?)));
    found.map(|(name, around)| Part::new(regions, name as u32, around).seen(&names[name].text)).collect()
}

/// The pixels of one name within the box around them, with a rim of one pixel.
struct Part {
    name: usize,
    corner: [f64; 2],
    size: [usize; 2],
    is_own: Vec<bool>,
}

impl Part {
    fn new(regions: &Regions, name: u32, [left, top, right, bottom]: [usize; 4]) -> Self {
        let size = [right - left + 3, bottom - top + 3];
        let mut is_own = vec![false; size[0] * size[1]];
        for y in top..=bottom {
            for x in left..=right {
                is_own[(y - top + 1) * size[0] + x - left + 1] = regions.names[y * regions.width + x] == name;
            }
        }
        Self { name: name as usize, corner: [left as f64 - 1.0, top as f64 - 1.0], size, is_own }
    }

    fn seen(&self, text: &str) -> Seen {
        let distance = self.distances();
        let deepest = (0..distance.len()).max_by_key(|&n| (distance[n], std::cmp::Reverse(n))).unwrap_or(0);
        Seen {
            name: self.name,
            on_face: self.room(frame_width(text), HEIGHT),
            anchor: self.pixel(deepest),
            area: self.is_own.iter().filter(|own| **own).count(),
        }
    }

    /// Middle of a pixel \[px\].
    fn pixel(&self, n: usize) -> [f64; 2] {
        let [x, y] = [n % self.size[0], n / self.size[0]];
        [self.corner[0] + x as f64 + 0.5, self.corner[1] + y as f64 + 0.5]
    }

    /// Distance of each pixel from the nearest other one, in thirds of a pixel: a step aside is 3, one across
    /// is 4 (Borgefors 1986).
    fn distances(&self) -> Vec<u32> {
        let [width, height] = self.size;
        let mut distance: Vec<u32> =
            self.is_own.iter().map(|own| if *own { u32::MAX / 2 } else { 0 }).collect();
        let mut relax = |n: usize, neighbours: [(usize, u32); 4]| {
            let nearest = neighbours.map(|(m, step)| distance[m] + step).into_iter().min().unwrap_or(0);
            distance[n] = distance[n].min(nearest);
        };
        for n in (1..height - 1).flat_map(|y| (1..width - 1).map(move |x| y * width + x)) {
            relax(n, [(n - 1, 3), (n - width, 3), (n - width - 1, 4), (n - width + 1, 4)]);
        }
        for n in (1..height - 1).rev().flat_map(|y| (1..width - 1).rev().map(move |x| y * width + x)) {
            relax(n, [(n + 1, 3), (n + width, 3), (n + width + 1, 4), (n + width - 1, 4)]);
        }
        distance
    }

    /// Centre of a frame of this size whose pixels all lie on the part, as near as possible to the centre of
    /// the part.
    fn room(&self, width: f64, height: f64) -> Option<[f64; 2]> {
        let [w, h] = [width.ceil() as usize + 2, height.ceil() as usize + 2];
        let [columns, rows] = self.size;
        if w > columns || h > rows {
            return None;
        }
        // Sums over the rectangle from the upper left corner, one row and column more than pixels.
        let mut sums = vec![0_u32; (columns + 1) * (rows + 1)];
        let mut middle = [0.0; 2];
        for y in 0..rows {
            for x in 0..columns {
                let own = self.is_own[y * columns + x];
                let at = |x: usize, y: usize| y * (columns + 1) + x;
                sums[at(x + 1, y + 1)] =
                    u32::from(own) + sums[at(x, y + 1)] + sums[at(x + 1, y)] - sums[at(x, y)];
                if own {
                    middle = [middle[0] + x as f64, middle[1] + y as f64];
                }
            }
        }
        let area = f64::from(sums[sums.len() - 1]).max(1.0);
        let middle = middle.map(|sum| sum / area);
        let at = |x: usize, y: usize| sums[y * (columns + 1) + x];
        let is_full =
            |x: usize, y: usize| at(x + w, y + h) + at(x, y) - at(x + w, y) - at(x, y + h) == (w * h) as u32;
        let off = |&[x, y]: &[usize; 2]| {
            (x as f64 + 0.5 * w as f64 - middle[0]).hypot(y as f64 + 0.5 * h as f64 - middle[1])
        };
        let places = (0..=rows - h).flat_map(|y| (0..=columns - w).map(move |x| [x, y]));
        let best = places.filter(|&[x, y]| is_full(x, y)).min_by(|a, b| off(a).total_cmp(&off(b)))?;
        let half = [0.5 * w as f64, 0.5 * h as f64];
        Some([0, 1].map(|d| self.corner[d] + best[d] as f64 + half[d]))
    }
}

/// Names next to the body, left and right, each with its height on the paper: names of small faces are left
/// out if there is no space.
fn columns<'a>(beside: &[&'a Seen], size: [f64; 2]) -> [Vec<(&'a Seen, f64)>; 2] {
    let (top, bottom) = (46.0, size[1] - 70.0);
    let room = (((bottom - top) / HEIGHT) as usize + 1).max(1);
    let mut kept = beside.to_vec();
    kept.sort_by_key(|seen| std::cmp::Reverse(seen.area));
    kept.truncate(2 * room);
    kept.sort_by(|a, b| a.anchor[0].total_cmp(&b.anchor[0]));
    // The position of a face decides its side, unless that side is full.
    let at_left = kept.iter().filter(|seen| seen.anchor[0] < 0.5 * size[0]).count();
    let at_left = at_left.clamp(kept.len().saturating_sub(room), room.min(kept.len()));
    let (left, right) = kept.split_at(at_left);
    let place = |side: &[&'a Seen], x: f64| {
        let mut side = side.to_vec();
        side.sort_by(|a, b| a.anchor[1].total_cmp(&b.anchor[1]));
        let heights = heights(&side.iter().map(|seen| seen.anchor[1]).collect::<Vec<_>>(), top, bottom);
        uncross(&mut side, &heights, x);
        side.into_iter().zip(heights).collect()
    };
    [place(left, 0.0), place(right, size[0])]
}

/// Heights at least [`HEIGHT`] apart, each as near to the wanted one as the names above and the lower edge
/// permit.
fn heights(wanted: &[f64], top: f64, bottom: f64) -> Vec<f64> {
    let mut heights: Vec<f64> = Vec::with_capacity(wanted.len());
    for &y in wanted {
        let above = heights.last().map_or(top, |last| last + HEIGHT);
        heights.push(y.max(above));
    }
    let mut lowest = bottom;
    for y in heights.iter_mut().rev() {
        *y = y.min(lowest);
        lowest = *y - HEIGHT;
    }
    heights
}

/// Exchanges neighbours whose lines cross: each exchange makes the lines shorter, so it ends.
fn uncross(side: &mut [&Seen], heights: &[f64], x: f64) {
    for _ in 0..side.len() {
        let mut changed = false;
        for i in 1..side.len() {
            let length = |n: usize, y: f64| (side[n].anchor[0] - x).hypot(side[n].anchor[1] - y);
            let now = length(i - 1, heights[i - 1]) + length(i, heights[i]);
            if length(i - 1, heights[i]) + length(i, heights[i - 1]) < now - 1e-9 {
                side.swap(i - 1, i);
                changed = true;
            }
        }
        if !changed {
            return;
        }
    }
}

/// Colours and their names in as many columns as fit.
pub fn legend(entries: &[(String, Color)], width: f64) -> Drawing {
    const LEFT: f64 = 14.0;
    let widest = entries.iter().map(|(name, _)| font::width(name, LABEL, false)).fold(0.0, f64::max);
    let step = widest + 46.0;
    let columns = (((width - LEFT) / step) as usize).max(1);
    let rows = entries.len().div_ceil(columns);
    let mut drawing = Drawing::new([width.max(LEFT + step), rows as f64 * HEIGHT + 12.0]);
    for (n, (name, color)) in entries.iter().enumerate() {
        let [x, y] = [LEFT + step * (n / rows) as f64, 4.0 + HEIGHT * (n % rows) as f64];
        drawing.rectangle([x, y], [14.0, LABEL], Some(*color), Some(Stroke::solid(Color::GREY, 0.8)));
        drawing.text(Text::new(name, [x + 20.0, y + 0.86 * LABEL], LABEL));
    }
    drawing
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Paper with filled rectangles, one for each name.
    fn regions(size: [usize; 2], rectangles: &[[usize; 4]]) -> Regions {
        let mut names = vec![NO_NAME; size[0] * size[1]];
        for (name, &[left, top, right, bottom]) in rectangles.iter().enumerate() {
            for y in top..bottom {
                names[y * size[0] + left..y * size[0] + right].fill(name as u32);
            }
        }
        Regions { width: size[0], height: size[1], names }
    }

    fn named(texts: &[&str]) -> Vec<Name> {
        texts
            .iter()
            .map(|text| Name { text: (*text).to_owned(), color: Color::GREY, triangles: Vec::new() })
            .collect()
    }

    #[test]
    fn a_name_is_written_on_its_face_if_the_face_is_large_enough() {
        let names = named(&["top", "a name that is much longer than its face"]);
        let regions = regions([400, 300], &[[100, 100, 200, 160], [220, 100, 300, 160]]);
        let seen = seen(&regions, &names);
        let [x, y] = seen[0].on_face.unwrap();
        assert!((x - 150.0).abs() < 2.0 && (y - 130.0).abs() < 2.0, "{x} {y}");
        assert!(seen[1].on_face.is_none() && !all_fit(&regions, &names));
        let [x, y] = seen[1].anchor;
        assert!((220.0..300.0).contains(&x) && (125.0..135.0).contains(&y), "{x} {y}");
    }

    #[test]
    fn names_beside_the_body_neither_overlap_nor_cross() {
        let texts: Vec<String> = (0..40).map(|n| format!("face{n}")).collect();
        let names = named(&texts.iter().map(String::as_str).collect::<Vec<_>>());
        // Tiny faces close to each other, on a slanted line.
        let faces: Vec<[usize; 4]> =
            (0..40).map(|n| [300 + 3 * n, 200 + 2 * n, 302 + 3 * n, 202 + 2 * n]).collect();
        let regions = regions([720, 520], &faces);
        let seen = seen(&regions, &names);
        assert!(seen.iter().all(|seen| seen.on_face.is_none()));
        let columns = columns(&seen.iter().collect::<Vec<_>>(), [720.0, 520.0]);
        assert_eq!(columns[0].len() + columns[1].len(), 40, "all have room");
        for places in &columns {
            for pair in places.windows(2) {
                assert!(pair[1].1 - pair[0].1 >= HEIGHT - 1e-9);
            }
            assert!(places.iter().all(|(_, y)| (40.0..=450.0).contains(y)));
        }
        let mut drawing = Drawing::new([720.0, 520.0]);
        assert!(draw(&mut drawing, &regions, &names).iter().all(|written| *written));
    }

    #[test]
    fn names_without_room_are_only_in_the_legend() {
        let texts: Vec<String> = (0..100).map(|n| format!("face{n}")).collect();
        let names = named(&texts.iter().map(String::as_str).collect::<Vec<_>>());
        let mut faces: Vec<[usize; 4]> = (0..99).map(|n| [300, 10 + 4 * n, 302, 12 + 4 * n]).collect();
        // The last face is not visible.
        faces.push([0; 4]);
        let regions = regions([720, 520], &faces);
        let mut drawing = Drawing::new([720.0, 520.0]);
        let written = draw(&mut drawing, &regions, &names);
        let n = written.iter().filter(|written| **written).count();
        assert!((40..60).contains(&n) && !written[99], "{n}");
        let left: Vec<(String, Color)> = names
            .iter()
            .zip(&written)
            .filter(|(_, written)| !**written)
            .map(|(name, _)| (name.text.clone(), name.color))
            .collect();
        let legend = legend(&left, 720.0);
        assert_eq!(legend.items.len(), 2 * left.len());
        assert!(legend.size[1] < 300.0, "in columns: {:?}", legend.size);
    }

    #[test]
    fn a_long_name_is_shortened_in_its_middle() {
        let long = "patch10:north = a very long name of a physical group";
        let short = shortened(long);
        assert!(font::width(&short, LABEL, false) <= WIDEST && short.contains('…'), "{short}");
        assert!(short.starts_with("patch10") && short.ends_with("group"), "{short}");
        assert_eq!(shortened("top"), "top");
    }
}
