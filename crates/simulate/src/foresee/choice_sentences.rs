//! Sentences about choices: bodies or contacts with the same choice share a sentence.

use super::chosen::Choice;

/// Names that a sentence lists; of more it counts the others.
const LISTED: usize = 3;

/// Sentences with the same value for different reasons; of more contacts or bodies one sentence counts them.
const REASONS: usize = 10;

/// A sentence for each choice; one for those that differ only in their body or contact. Of choices with the
/// same value and more than ten different reasons the further ones are counted.
///
/// ```text
/// contacts a / b, a / c, a / d and 46 others: compliance = "half-space", as they do not touch
/// ```
pub fn choice_sentences(choices: &[Choice]) -> Vec<String> {
    let mut alike: Vec<Vec<&Choice>> = Vec::new();
    for choice in choices {
        match alike.iter_mut().find(|group| is_alike(group[0], choice) && group[0].reason == choice.reason) {
            Some(group) => group.push(choice),
            None => alike.push(vec![choice]),
        }
    }
    let mut sentences = Vec::with_capacity(alike.len());
    for (i, group) in alike.iter().enumerate() {
        let before = alike[..i].iter().filter(|other| is_alike(other[0], group[0])).count();
        if before < REASONS {
            sentences.push(sentence(group));
        } else if before == REASONS {
            let further: Vec<&Choice> =
                alike[i..].iter().flatten().copied().filter(|other| is_alike(other, group[0])).collect();
            let Choice { key, value, .. } = group[0];
            let reasons = if further.len() > 1 { "reasons of their own" } else { "a reason of its own" };
            sentences.push(format!("{}: {key} = {value}, for {reasons}", names(&further)));
        }
    }
    sentences
}

/// True for the same value of the same key in tables of one kind.
fn is_alike(a: &Choice, b: &Choice) -> bool {
    (a.key, &a.value, kind(a).0) == (b.key, &b.value, kind(b).0)
}

/// `body` or `contact`, and the name.
fn kind(choice: &Choice) -> (&str, &str) {
    choice.of.split_once(' ').unwrap_or((&choice.of, ""))
}

fn sentence(group: &[&Choice]) -> String {
    let Choice { key, value, reason, .. } = group[0];
    format!("{}: {key} = {value}, as {reason}", names(group))
}

fn names(group: &[&Choice]) -> String {
    if let [only] = group {
        return only.of.clone();
    }
    let plural = if kind(group[0]).0 == "body" { "bodies" } else { "contacts" };
    let listed: Vec<&str> = group.iter().take(LISTED).map(|choice| kind(choice).1).collect();
    let listed = match (group.len() - listed.len(), &listed[..]) {
        (0, [first @ .., last]) => format!("{} and {last}", first.join(", ")),
        (1, _) => format!("{} and another", listed.join(", ")),
        (others, _) => format!("{} and {others} others", listed.join(", ")),
    };
    format!("{plural} {listed}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn choice(of: &str, value: &str, reason: &str) -> Choice {
        Choice { of: of.to_owned(), key: "compliance", value: value.to_owned(), reason: reason.to_owned() }
    }

    #[test]
    fn equal_choices_share_a_sentence() {
        let mut choices = vec![
            choice("contact a / b", "x", "they are apart"),
            choice("contact a / c", "y", "they touch"),
            choice("contact b / c", "x", "they are apart"),
            choice("body a", "x", "they are apart"),
        ];
        let found = choice_sentences(&choices);
        assert_eq!(
            found,
            [
                "contacts a / b and b / c: compliance = x, as they are apart",
                "contact a / c: compliance = y, as they touch",
                "body a: compliance = x, as they are apart",
            ]
        );
        choices.extend((0..5).map(|k| choice(&format!("contact c / {k}"), "x", "they are apart")));
        assert_eq!(
            choice_sentences(&choices)[0],
            "contacts a / b, b / c, c / 0 and 4 others: compliance = x, as they are apart"
        );
    }

    #[test]
    fn of_many_reasons_the_further_ones_are_counted() {
        let choices: Vec<Choice> =
            (0..30).map(|k| choice(&format!("contact a / {k}"), "x", &format!("reason {k}"))).collect();
        let found = choice_sentences(&choices);
        assert_eq!(found.len(), REASONS + 1);
        assert_eq!(found[REASONS - 1], "contact a / 9: compliance = x, as reason 9");
        assert_eq!(
            found[REASONS],
            "contacts a / 10, a / 11, a / 12 and 17 others: compliance = x, for reasons of their own"
        );
    }
}
