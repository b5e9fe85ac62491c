//! The known word that looks most like an unknown one.

/// A known word within an edit distance of a third of its length (insertions, deletions, substitutions and
/// exchanges of neighbours), the nearest one, the first on ties.
pub fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<String> {
    known
        .into_iter()
        .map(|candidate| (distance(word, candidate), candidate))
        .filter(|&(distance, candidate)| distance <= (candidate.chars().count() / 3).max(1))
        .min_by_key(|&(distance, _)| distance)
        .map(|(_, candidate)| candidate.to_owned())
}

/// Optimal string alignment distance, ignoring case and taking `-` and `_` as equal.
fn distance(a: &str, b: &str) -> usize {
    let fold = |text: &str| text.to_lowercase().replace('-', "_").chars().collect::<Vec<char>>();
    let (a, b) = (fold(a), fold(b));
    let mut rows = [vec![0; b.len() + 1], (0..=b.len()).collect::<Vec<usize>>(), vec![0; b.len() + 1]];
    for i in 0..a.len() {
        rows[2][0] = i + 1;
        for j in 0..b.len() {
            let mut best =
                (rows[1][j] + usize::from(a[i] != b[j])).min(rows[1][j + 1] + 1).min(rows[2][j] + 1);
            if i > 0 && j > 0 && a[i] == b[j - 1] && a[i - 1] == b[j] {
                best = best.min(rows[0][j - 1] + 1);
            }
            rows[2][j + 1] = best;
        }
        rows.rotate_left(1);
    }
    rows[1][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn typing_errors_are_recognised() {
        let known = ["radius", "inner_radius", "density", "end_time"];
        assert_eq!(nearest("raduis", known).as_deref(), Some("radius"));
        assert_eq!(nearest("densty", known).as_deref(), Some("density"));
        assert_eq!(nearest("End-Time", known).as_deref(), Some("end_time"));
        assert_eq!(nearest("colour", known), None);
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("abcd", "acbd"), 1);
    }
}
