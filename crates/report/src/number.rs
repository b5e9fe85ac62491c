//! Formatting of numbers for people.

/// `x` to `digits` significant digits, as plain text: fixed between 10⁻³ and 10⁵, else with an exponent
/// (`1.23e-6`).
///
/// ```
/// assert_eq!(carom_report::number::significant(776.0634, 5), "776.06");
/// assert_eq!(carom_report::number::significant(1.343e-4, 3), "1.34e-4");
/// ```
pub fn significant(x: f64, digits: usize) -> String {
    let digits = digits.max(1);
    if x == 0.0 || !x.is_finite() {
        return if x == 0.0 { "0".to_owned() } else { format!("{x}") };
    }
    // Rounding first: 999.97 to four digits has one digit more before the point than its logarithm says.
    let rounded = format!("{x:.*e}", digits - 1);
    let (mantissa, exponent) = rounded.split_once('e').expect("scientific notation has an exponent");
    let exponent: i32 = exponent.parse().expect("an exponent is an integer");
    if (-3..5).contains(&exponent) {
        format!("{x:.*}", (digits as i32 - 1 - exponent).max(0) as usize)
    } else {
        format!("{mantissa}e{exponent}")
    }
}

/// As [`significant`], with a typographic minus and powers of ten: 1.23·10⁻⁶.
pub fn pretty(x: f64, digits: usize) -> String {
    let text = significant(x, digits);
    match text.split_once('e') {
        Some((mantissa, exponent)) => format!("{}·10{}", minus(mantissa), superscript(exponent)),
        None => minus(&text),
    }
}

/// A quantity with the prefix that suits it: `134.3 µs`.
pub fn quantity(x: f64, unit: &str, digits: usize) -> String {
    let Some((power, prefix)) = prefix_for(x.abs(), unit) else {
        return format!("{} {unit}", pretty(x, digits)).trim_end().to_owned();
    };
    format!("{} {prefix}{unit}", pretty(x * 10f64.powi(-power), digits))
}

/// Fraction of the natural scale of a quantity below which a number is round-off: some thousand times the
/// rounding of a double, as sums over many steps have it.
pub const ROUND_OFF: f64 = 1e-12;

/// Text for a number that is zero up to round-off.
pub const ZERO: &str = "0 (round-off)";

/// True for a number that is zero up to round-off: at most [`ROUND_OFF`] times its natural scale. NaN is not
/// zero.
///
/// * `scale` — natural size of the number: for a momentum that cancels, the size of its terms
pub fn is_round_off(x: f64, scale: f64) -> bool {
    x.abs() <= ROUND_OFF * scale.abs()
}

/// A relative error to two digits, or [`ZERO`].
///
/// ```
/// assert_eq!(carom_report::number::relative_error(3.21e-8), "3.2e-8");
/// assert_eq!(carom_report::number::relative_error(4e-16), "0 (round-off)");
/// ```
pub fn relative_error(error: f64) -> String {
    if is_round_off(error, 1.0) { ZERO.to_owned() } else { significant(error, 2) }
}

/// Power of ten and SI prefix that bring `size` between 1 and 1000, if the unit can have a prefix.
///
/// A unit can have a prefix if it begins with a plain symbol without a power (N, m/s, N s, but not m², 1/s or
/// kg m²/s).
pub(crate) fn prefix_for(size: f64, unit: &str) -> Option<(i32, &'static str)> {
    const PREFIXES: [&str; 11] = ["f", "p", "n", "µ", "m", "", "k", "M", "G", "T", "P"];
    let symbol: String = unit.chars().take_while(|c| c.is_alphabetic()).collect();
    let after = unit.chars().nth(symbol.chars().count());
    let plain = matches!(after, None | Some(' ' | '/' | '·'));
    if !["s", "m", "N", "Pa", "J", "Hz", "W"].contains(&symbol.as_str()) || !plain {
        return None;
    }
    if size == 0.0 || !size.is_finite() {
        return Some((0, ""));
    }
    let power = thousands(size).clamp(-15, 15);
    Some((power, PREFIXES[(power / 3 + 5) as usize]))
}

/// The multiple of three n for which `size` lies between 10ⁿ and 10ⁿ⁺³.
pub(crate) fn thousands(size: f64) -> i32 {
    // A hair above the limit, so that 1e-6 counts as 1 µ although its logarithm rounds to below −6.
    3 * ((size.log10() + 1e-9) / 3.0).floor() as i32
}

/// An integer in raised digits.
pub(crate) fn superscript(text: &str) -> String {
    let raised = |c: char| match c {
        '-' => '⁻',
        '1' => '¹',
        '2' => '²',
        '3' => '³',
        '0' | '4'..='9' => char::from_u32('⁰' as u32 + c as u32 - '0' as u32).unwrap_or(c),
        other => other,
    };
    text.chars().map(raised).collect()
}

/// A typographic minus sign instead of a hyphen.
pub(crate) fn minus(text: &str) -> String {
    text.replace('-', "−")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn significant_digits_survive_rounding_up() {
        assert_eq!(significant(999.97, 4), "1000");
        assert_eq!(significant(0.00999996, 3), "0.0100");
        assert_eq!(significant(-123456.0, 3), "-1.23e5");
        assert_eq!(significant(0.0, 3), "0");
        assert_eq!(significant(f64::NAN, 3), "NaN");
    }

    #[test]
    fn round_off_is_distinguished_from_small_numbers() {
        assert!(is_round_off(4e-16, 1.0) && is_round_off(0.0, 0.0) && is_round_off(-3e-17, 0.07));
        assert!(!is_round_off(1e-9, 1.0) && !is_round_off(1e-17, 0.0));
        // NaN must be visible.
        assert!(!is_round_off(f64::NAN, 1.0) && relative_error(f64::NAN) == "NaN");
    }

    #[test]
    fn quantities_are_written_with_prefixes() {
        assert_eq!(quantity(1.3432e-4, "s", 4), "134.3 µs");
        assert_eq!(quantity(1e-6, "m", 3), "1.00 µm");
        assert_eq!(quantity(2.1e11, "Pa", 3), "210 GPa");
        assert_eq!(quantity(776.06, "N", 4), "776.1 N");
        assert_eq!(quantity(-1.5e-5, "kg m²/s", 2), "−1.5·10⁻⁵ kg m²/s");
        assert_eq!(quantity(0.2, "m/s", 2), "200 mm/s");
        assert_eq!(quantity(0.25, "", 2), "0.25");
    }
}
