//! A small rasteriser: triangles and lines in depth order, smoothed with several samples per pixel.

use crate::Color;

/// Samples per pixel in each direction.
const SAMPLES: usize = 3;

/// A corner of a triangle: position in samples (x right, y down), depth (larger is nearer), and values to
/// interpolate.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Vertex<const N: usize> {
    pub(crate) at: [f64; 2],
    pub(crate) depth: f64,
    pub(crate) values: [f64; N],
}

/// Colours and depths of all samples.
pub(crate) struct ZBuffer {
    width: usize,
    height: usize,
    depth: Vec<f32>,
    color: Vec<[u8; 3]>,
    /// Strength of the line over each sample, 0 (none) to 255 (covers the face).
    lines: Vec<u8>,
}

/// Colour of lines.
const LINE: [u8; 3] = [40, 40, 40];

impl ZBuffer {
    /// White paper of this many pixels.
    pub(crate) fn new([width, height]: [usize; 2]) -> Self {
        let (width, height) = (width * SAMPLES, height * SAMPLES);
        let n = width * height;
        Self { width, height, depth: vec![f32::NEG_INFINITY; n], color: vec![[255; 3]; n], lines: vec![0; n] }
    }

    /// Samples per pixel in each direction: positions are given in samples.
    pub(crate) fn samples() -> f64 {
        SAMPLES as f64
    }

    /// Draws a triangle; `shade` gives the colour from the interpolated values.
    pub(crate) fn triangle<const N: usize>(
        &mut self,
        corners: &[Vertex<N>; 3],
        shade: impl Fn(&[f64; N]) -> Color,
    ) {
        let [a, b, c] = corners.map(|v| v.at);
        let area = (b[0] - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (b[1] - a[1]);
        let lowest = |n: usize| a[n].min(b[n]).min(c[n]).floor().max(0.0);
        let highest = |n: usize, size: usize| a[n].max(b[n]).max(c[n]).ceil().min(size as f64 - 1.0);
        if !(area.is_finite() && area != 0.0) {
            return;
        }
        for row in lowest(1) as usize..=highest(1, self.height).max(0.0) as usize {
            for column in lowest(0) as usize..=highest(0, self.width).max(0.0) as usize {
                let p = [column as f64 + 0.5, row as f64 + 0.5];
                let l0 = ((b[0] - p[0]) * (c[1] - p[1]) - (c[0] - p[0]) * (b[1] - p[1])) / area;
                let l1 = ((c[0] - p[0]) * (a[1] - p[1]) - (a[0] - p[0]) * (c[1] - p[1])) / area;
                let l = [l0, l1, 1.0 - l0 - l1];
                // A small tolerance, so that no sample falls between two triangles with a common edge.
                if l.iter().any(|&l| l < -1e-9) {
                    continue;
                }
                let depth: f64 = (0..3).map(|n| l[n] * corners[n].depth).sum();
                let place = row * self.width + column;
                if depth as f32 > self.depth[place] {
                    let values = std::array::from_fn(|k| (0..3).map(|n| l[n] * corners[n].values[k]).sum());
                    self.depth[place] = depth as f32;
                    self.color[place] = shade(&values).0;
                }
            }
        }
    }

    /// Draws a line one pixel wide where it is not hidden; its depth should be raised a little over the faces
    /// it borders. `strength` from 0 (nothing) to 255 (dark) lets the colours below shine through. Triangles
    /// must be drawn before.
    pub(crate) fn line(&mut self, a: ([f64; 2], f64), b: ([f64; 2], f64), strength: u8) {
        let length = (b.0[0] - a.0[0]).abs().max((b.0[1] - a.0[1]).abs());
        if !length.is_finite() {
            return;
        }
        let steps = (length.ceil() as usize).clamp(1, 4 * (self.width + self.height));
        for n in 0..=steps {
            let t = n as f64 / steps as f64;
            let mix = |p: f64, q: f64| p + t * (q - p);
            let (x, y, depth) = (mix(a.0[0], b.0[0]), mix(a.0[1], b.0[1]), mix(a.1, b.1));
            for (dx, dy) in [(0.0, 0.0), (1.0, 0.0), (0.0, 1.0), (1.0, 1.0)] {
                self.dot([x + dx - 0.5, y + dy - 0.5], depth, strength);
            }
        }
    }

    fn dot(&mut self, [x, y]: [f64; 2], depth: f64, strength: u8) {
        if !(x >= 0.0 && y >= 0.0) || x as usize >= self.width || y as usize >= self.height {
            return;
        }
        let place = y as usize * self.width + x as usize;
        if depth as f32 > self.depth[place] {
            // The depth stays that of the face: a line must not hide others that cross it.
            self.lines[place] = self.lines[place].max(strength);
        }
    }

    /// Colours in the middles of the pixels, without lines and not smoothed; row after row.
    pub(crate) fn middles(&self) -> impl Iterator<Item = [u8; 3]> + '_ {
        let rows = (SAMPLES / 2..self.height).step_by(SAMPLES);
        rows.flat_map(move |y| {
            (SAMPLES / 2..self.width).step_by(SAMPLES).map(move |x| self.color[y * self.width + x])
        })
    }

    /// Pixels: means over their samples; red, green, blue, row after row.
    pub(crate) fn pixels(&self) -> Vec<u8> {
        let mut rgb = Vec::with_capacity(3 * self.width * self.height / (SAMPLES * SAMPLES));
        for row in 0..self.height / SAMPLES {
            for column in 0..self.width / SAMPLES {
                let mut sum = [0_u32; 3];
                for sample in 0..SAMPLES * SAMPLES {
                    let (y, x) = (row * SAMPLES + sample / SAMPLES, column * SAMPLES + sample % SAMPLES);
                    let place = y * self.width + x;
                    let strength = u32::from(self.lines[place]);
                    for (n, total) in sum.iter_mut().enumerate() {
                        let (face, line) = (u32::from(self.color[place][n]), u32::from(LINE[n]));
                        *total += (face * (255 - strength) + line * strength) / 255;
                    }
                }
                rgb.extend(sum.map(|total| (total / (SAMPLES * SAMPLES) as u32) as u8));
            }
        }
        rgb
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn corner(x: f64, y: f64, depth: f64) -> Vertex<1> {
        Vertex { at: [x, y], depth, values: [x] }
    }

    #[test]
    fn the_nearer_triangle_hides_the_farther_in_any_order() {
        let near = [corner(-10.0, -10.0, 2.0), corner(40.0, -10.0, 2.0), corner(-10.0, 40.0, 2.0)];
        let far = near.map(|v| Vertex { depth: 1.0, ..v });
        for order in [[&near, &far], [&far, &near]] {
            let mut buffer = ZBuffer::new([4, 4]);
            for triangle in order {
                let color = if triangle[0].depth > 1.5 { Color([255, 0, 0]) } else { Color([0, 0, 255]) };
                buffer.triangle(triangle, |_| color);
            }
            assert!(buffer.pixels().chunks(3).all(|c| c == [255, 0, 0]));
        }
    }

    #[test]
    fn adjacent_triangles_have_no_gap_and_edges_are_smoothed() {
        let mut buffer = ZBuffer::new([6, 6]);
        // A square of 3 × 3.1 pixels, cut along its diagonal.
        let [a, b, c, d] = [[0.0, 0.0], [9.0, 0.0], [9.0, 9.3], [0.0, 9.3]].map(|p| corner(p[0], p[1], 0.0));
        buffer.triangle(&[a, b, c], |_| Color([0, 0, 0]));
        buffer.triangle(&[a, c, d], |_| Color([0, 0, 0]));
        let pixels = buffer.pixels();
        let at = |x: usize, y: usize| pixels[3 * (6 * y + x)];
        assert!((0..3).all(|y| (0..3).all(|x| at(x, y) == 0)), "{pixels:?}");
        assert_eq!(at(4, 1), 255);
    }
}
