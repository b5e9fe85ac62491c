//! Colours of curves and colour ramps of scalar fields.

/// A colour without transparency, sRGB.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Color(pub [u8; 3]);

impl Color {
    /// Text and axes: nearly black.
    pub const INK: Self = Self([26, 26, 26]);
    /// Secondary lines and text.
    pub const GREY: Self = Self([110, 110, 110]);
    /// Grid lines.
    pub const PALE: Self = Self([224, 224, 224]);
    /// Paper.
    pub const WHITE: Self = Self([255, 255, 255]);

    /// The n-th colour of a series: eight colours that people with any colour vision can distinguish, then
    /// again from the start.
    ///
    /// Okabe & Ito (2008), "Color Universal Design", yellow left out as too pale for lines on white.
    pub fn of_series(n: usize) -> Self {
        const COLORS: [[u8; 3]; 8] = [
            [0, 114, 178],
            [213, 94, 0],
            [0, 158, 115],
            [204, 121, 167],
            [230, 159, 0],
            [86, 180, 233],
            [90, 90, 90],
            [124, 72, 30],
        ];
        Self(COLORS[n % COLORS.len()])
    }

    /// `n` different colours, with neighbours in the list far from each other: first those of a series, then
    /// repeatedly the colour of a grid that is farthest from white, from ink and from all colours before it.
    /// None is grey or so dark that black lines are invisible on it.
    ///
    /// Distances are measured in Oklab, which agrees with perceived differences: Ottosson (2020), "A
    /// perceptual color space for image processing".
    pub fn distinct(n: usize) -> Vec<Self> {
        let mut colors: Vec<Self> = (0..n.min(8)).map(Self::of_series).collect();
        if n <= colors.len() {
            return colors;
        }
        let steps = || (0..=255_u8).step_by(15);
        let grid = steps().flat_map(|r| steps().flat_map(move |g| steps().map(move |b| Self([r, g, b]))));
        let mut left: Vec<(Self, [f64; 3], f64)> = grid
            .map(|color| (color, color.oklab(), f64::INFINITY))
            .filter(|(color, [light, a, b], _)| {
                (0.45..0.9).contains(light) && a.hypot(*b) > 0.07 && !colors.contains(color)
            })
            .collect();
        let distance = |a: [f64; 3], b: [f64; 3]| (0..3).map(|k| (a[k] - b[k]).powi(2)).sum::<f64>();
        let mut taken: Vec<[f64; 3]> =
            [Self::WHITE, Self::INK].into_iter().chain(colors.clone()).map(Self::oklab).collect();
        while colors.len() < n {
            for (_, lab, nearest) in &mut left {
                *nearest = taken.iter().fold(*nearest, |nearest, other| nearest.min(distance(*lab, *other)));
            }
            let farthest = (0..left.len()).max_by(|&i, &j| left[i].2.total_cmp(&left[j].2));
            let Some(farthest) = farthest else { break };
            let (color, lab, _) = left.swap_remove(farthest);
            colors.push(color);
            taken = vec![lab];
        }
        // More colours than the grid has: they differ in value, but not visibly.
        let known: std::collections::HashSet<[u8; 3]> = colors.iter().map(|color| color.0).collect();
        let others = (0..1_u32 << 24).map(|n| [(n >> 16) as u8, (n >> 8) as u8, n as u8]);
        let missing = n - colors.len();
        colors.extend(others.filter(|rgb| !known.contains(rgb)).take(missing).map(Self));
        colors
    }

    /// Lightness from 0 to 1, green to red, blue to yellow.
    fn oklab(self) -> [f64; 3] {
        let [r, g, b] = self.0.map(|c| {
            let c = f64::from(c) / 255.0;
            if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
        });
        let long = (0.412_221_470_8 * r + 0.536_332_536_3 * g + 0.051_445_992_9 * b).cbrt();
        let middle = (0.211_903_498_2 * r + 0.680_699_545_1 * g + 0.107_396_956_6 * b).cbrt();
        let short = (0.088_302_461_9 * r + 0.281_718_837_6 * g + 0.629_978_700_5 * b).cbrt();
        [
            0.210_454_255_3 * long + 0.793_617_785_0 * middle - 0.004_072_046_8 * short,
            1.977_998_495_1 * long - 2.428_592_205_0 * middle + 0.450_593_709_9 * short,
            0.025_904_037_1 * long + 0.782_771_766_2 * middle - 0.808_675_766_0 * short,
        ]
    }

    /// As `#rrggbb`.
    pub fn hex(self) -> String {
        let [r, g, b] = self.0;
        format!("#{r:02x}{g:02x}{b:02x}")
    }

    /// This colour times a brightness between 0 (black) and 1 (itself), or towards white above 1 (2 is
    /// white).
    pub fn shaded(self, brightness: f64) -> Self {
        let scale = |c: u8| {
            let c = f64::from(c);
            let shaded =
                if brightness <= 1.0 { c * brightness } else { c + (255.0 - c) * (brightness - 1.0) };
            shaded.clamp(0.0, 255.0).round() as u8
        };
        Self(self.0.map(scale))
    }
}

/// A colour ramp from 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Ramp {
    /// White through yellow and red to dark red: quantities that start at zero, such as pressure.
    #[default]
    Heat,
    /// Dark blue through green to yellow, even in lightness: any scalar.
    Even,
    /// Blue through white to red: quantities with two signs.
    TwoSided,
}

impl Ramp {
    /// Colour at `t`, clamped to \[0, 1\]; grey if `t` is not a number.
    pub fn at(self, t: f64) -> Color {
        const HEAT: &[[u8; 3]] =
            &[[255, 255, 255], [255, 237, 160], [254, 178, 76], [240, 80, 42], [189, 0, 38], [90, 0, 26]];
        const EVEN: &[[u8; 3]] =
            &[[48, 18, 92], [50, 76, 140], [38, 124, 142], [44, 170, 116], [130, 206, 66], [246, 230, 50]];
        const TWO_SIDED: &[[u8; 3]] = &[
            [33, 66, 150],
            [96, 146, 204],
            [190, 214, 232],
            [246, 246, 246],
            [244, 190, 164],
            [214, 96, 77],
            [150, 18, 40],
        ];
        if t.is_nan() {
            return Color([190, 190, 190]);
        }
        let stops = match self {
            Self::Heat => HEAT,
            Self::Even => EVEN,
            Self::TwoSided => TWO_SIDED,
        };
        let place = t.clamp(0.0, 1.0) * (stops.len() - 1) as f64;
        let n = (place as usize).min(stops.len() - 2);
        let part = place - n as f64;
        let mix = |c: usize| f64::from(stops[n][c]) * (1.0 - part) + f64::from(stops[n + 1][c]) * part;
        Color([0, 1, 2].map(|c| mix(c).round() as u8))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_of_sixty_faces_are_distinguishable_and_of_ten_thousand_different() {
        assert_eq!(Color::distinct(3), [0, 1, 2].map(Color::of_series));
        let colors = Color::distinct(60);
        let lab: Vec<[f64; 3]> = colors.iter().map(|color| color.oklab()).collect();
        let pairs = (0..60).flat_map(|i| (0..i).map(move |j| (i, j)));
        let apart =
            |(i, j): (usize, usize)| (0..3).map(|k| (lab[i][k] - lab[j][k]).powi(2)).sum::<f64>().sqrt();
        let nearest = pairs.map(apart).fold(f64::INFINITY, f64::min);
        // Twice a difference of 0.02, which is seen side by side.
        assert!(nearest > 0.04, "{nearest}");
        let many = Color::distinct(10_000);
        let different: std::collections::HashSet<[u8; 3]> = many.iter().map(|color| color.0).collect();
        assert_eq!(different.len(), 10_000);
    }

    #[test]
    fn lightness_of_oklab_runs_from_black_to_white() {
        let [white, black] = [Color::WHITE, Color([0; 3])].map(Color::oklab);
        assert!((white[0] - 1.0).abs() < 1e-6 && white[1].hypot(white[2]) < 1e-6 && black == [0.0; 3]);
    }

    #[test]
    fn ramps_reach_both_end_colours() {
        assert_eq!(Ramp::Heat.at(-1.0), Color([255, 255, 255]));
        assert_eq!(Ramp::Heat.at(2.0), Color([90, 0, 26]));
        assert_eq!(Ramp::TwoSided.at(0.5), Color([246, 246, 246]));
        assert_eq!(Ramp::Even.at(f64::NAN), Color([190, 190, 190]));
    }
}
