//! Hand-offs: marks in a finished task's answer that give a follow-up task to another agent.

use crate::{limits, text};

/// The start of a hand-off.
const START: &str = "[HANDOFF:";

/// A follow-up task that an answer asks for: `[HANDOFF: @name "title"]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Handoff {
    /// The assignee, as written.
    pub name: String,
    /// The title of the task, in one line.
    pub title: String,
}

/// Finds the hand-offs of an answer in order, at most `HANDOFFS_MAX`. Unlike the original, names with a blank are found
/// too: the name ends at the quotation mark.
///
/// A name has at most `NAME_CHARS_MAX` characters and is on one line. A title has no quotation marks; line breaks in it
/// become blanks, and a longer one is cut at `TITLE_CHARS_MAX`. What does not have this form is ordinary text.
pub fn find_handoffs(body: &str) -> Vec<Handoff> {
    let mut found = Vec::new();
    let mut rest = body;
    while let Some(index) = rest.find(START)
        && found.len() < limits::HANDOFFS_MAX
    {
        let tail = &rest[index + START.len()..];
        rest = match read(tail) {
            Some((handoff, after)) => {
                found.push(handoff);
                after
            }
            None => tail,
        };
    }
    found
}

/// Parses the text after the start of a hand-off; returns the hand-off and the rest of the text.
fn read(tail: &str) -> Option<(Handoff, &str)> {
    let (name, tail) = read_name(tail.trim_start().strip_prefix('@')?)?;
    let (title, tail) = tail.split_once('"')?;
    let after = tail.strip_prefix(']')?;
    let title = one_line(title);
    text::check_not_blank(&title).ok()?;
    Some((Handoff { name: name.to_owned(), title }, after))
}

/// The name before the quotation mark, separated by at least one blank, and the text after that mark.
fn read_name(tail: &str) -> Option<(&str, &str)> {
    let end =
        tail.char_indices().find(|(_, sign)| matches!(sign, '"' | '[' | ']' | '@')).filter(|(_, sign)| *sign == '"')?.0;
    let name = tail[..end].trim_end();
    let is_apart = name.len() < end && name.starts_with(|sign: char| !sign.is_whitespace());
    let is_name = name.chars().count() <= limits::NAME_CHARS_MAX && !name.contains(['\n', '\r']);
    (is_apart && is_name).then(|| (name, &tail[end + 1..]))
}

/// A valid title of a task: without line breaks, control characters and characters that change the text direction.
fn one_line(title: &str) -> String {
    let plain: String = title
        .chars()
        .map(|sign| if sign.is_control() || matches!(sign, '\u{2028}' | '\u{2029}') { ' ' } else { sign })
        .filter(|sign| !matches!(sign, '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}'))
        .collect();
    let words: Vec<&str> = plain.split_whitespace().collect();
    let cut: String = words.join(" ").chars().take(limits::TITLE_CHARS_MAX).collect();
    cut.trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::task::check_title;

    /// The found hand-offs as `name: title` lines.
    fn found(body: &str) -> String {
        let lines: Vec<_> = find_handoffs(body).into_iter().map(|one| format!("{}: {}", one.name, one.title)).collect();
        lines.join("|")
    }

    #[test]
    fn a_hand_off_names_an_agent_and_a_title() {
        let cases = [
            (r#"[HANDOFF: @Coder "Write the tests"]"#, "Coder: Write the tests"),
            (r#"Done. [HANDOFF:@Coder-2   "Go on"] Bye."#, "Coder-2: Go on"),
            (r#"[HANDOFF: @Project Manager "Plan it"]"#, "Project Manager: Plan it"),
            (r#"[HANDOFF: @Jürgen "Prüfen"]"#, "Jürgen: Prüfen"),
            ("[HANDOFF:\n@Coder\n\"Two\nlines\"]", "Coder: Two lines"),
            (r#"[HANDOFF: @a "x"][HANDOFF: @b "y"] [HANDOFF: @a "x"]"#, "a: x|b: y|a: x"),
            (r#"[HANDOFF: @a "one @b [two]"]"#, "a: one @b [two]"),
        ];
        for (body, expected) in cases {
            assert_eq!(found(body), expected, "{body}");
        }
    }

    #[test]
    fn text_of_another_form_is_not_a_hand_off() {
        let cases = [
            "",
            "[HANDOFF:",
            r#"[HANDOFF: Coder "x"]"#,
            r#"[HANDOFF: @ "x"]"#,
            r#"[HANDOFF: @"x"]"#,
            r#"[HANDOFF: @Coder"x"]"#,
            r#"[HANDOFF: @Coder ""]"#,
            r#"[HANDOFF: @Coder "  "]"#,
            r#"[HANDOFF: @Coder "x" ]"#,
            r#"[HANDOFF: @Coder "x"#,
            r#"[HANDOFF: @Coder x]"#,
            r#"[handoff: @Coder "x"]"#,
            "[HANDOFF: @Co\nder \"x\"]",
            "[HANDOFF: @Coder \"\u{200B}\"]",
        ];
        for body in cases {
            assert_eq!(found(body), "", "{body}");
        }
    }

    #[test]
    fn a_broken_hand_off_does_not_hide_the_next_one() {
        assert_eq!(found(r#"[HANDOFF: @a [HANDOFF: @b "y"]"#), "b: y");
        assert_eq!(found(r#"[HANDOFF: @a "open [HANDOFF: @b "y"]"#), "b: y");
    }

    #[test]
    fn hand_offs_names_and_titles_are_bounded() {
        let many: String = (0..50).map(|number| format!("[HANDOFF: @a{number} \"x\"]")).collect();
        assert_eq!(find_handoffs(&many).len(), limits::HANDOFFS_MAX);
        assert_eq!(found(&format!("[HANDOFF: @{} \"x\"]", "n".repeat(limits::NAME_CHARS_MAX + 1))), "");
        let long = format!("[HANDOFF: @a \"{}\"]", "ü".repeat(5_000));
        assert_eq!(find_handoffs(&long)[0].title.chars().count(), limits::TITLE_CHARS_MAX);
    }

    #[test]
    fn parsing_a_hostile_answer_terminates() {
        for part in ["[HANDOFF:", "[HANDOFF: @a ", "[HANDOFF: @a \"", "[HANDOFF: @a \"x\"", "[HANDOFF: @a \"x\"]"] {
            let body = part.repeat(limits::MESSAGE_BODY_BYTES_MAX / part.len());
            assert!(find_handoffs(&body).len() <= limits::HANDOFFS_MAX, "{part}");
        }
    }

    proptest! {
        #[test]
        fn every_title_is_a_valid_task_title(title in "[^\"]{1,300}") {
            for handoff in find_handoffs(&format!("[HANDOFF: @a \"{title}\"]")) {
                prop_assert_eq!(check_title(&handoff.title), Ok(()));
            }
        }

        #[test]
        fn every_hand_off_has_a_name_and_a_title(body in ".{0,60}", marks in "(\\[HANDOFF:|@| |a|\"|\\]|\n|é){0,20}") {
            for handoff in find_handoffs(&body).iter().chain(&find_handoffs(&marks)) {
                prop_assert!(!handoff.name.is_empty() && text::check_not_blank(&handoff.title).is_ok());
            }
        }

        #[test]
        fn a_written_hand_off_is_found(name in "[A-Za-z][A-Za-z0-9 -]{0,20}[A-Za-z]", title in "[a-z][a-z .,-]{0,40}[a-z]") {
            let found = find_handoffs(&format!("So. [HANDOFF: @{name} \"{title}\"] That is all."));
            let words = title.split_whitespace().collect::<Vec<_>>().join(" ");
            prop_assert_eq!(found, vec![Handoff { name, title: words }]);
        }
    }
}
