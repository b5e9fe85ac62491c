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

    /// The n-th colour of a series: eight that people with any colour vision tell apart, then again from the start.
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

    /// As `#rrggbb`.
    pub fn hex(self) -> String {
        let [r, g, b] = self.0;
        format!("#{r:02x}{g:02x}{b:02x}")
    }

    /// This colour times a brightness between 0 (black) and 1 (itself), or towards white above 1 (2 is white).
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
    fn ramps_run_from_end_to_end() {
        assert_eq!(Ramp::Heat.at(-1.0), Color([255, 255, 255]));
        assert_eq!(Ramp::Heat.at(2.0), Color([90, 0, 26]));
        assert_eq!(Ramp::TwoSided.at(0.5), Color([246, 246, 246]));
        assert_eq!(Ramp::Even.at(f64::NAN), Color([190, 190, 190]));
    }
}
