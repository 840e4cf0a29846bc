use proptest::prelude::*;

use super::*;
use crate::task::check_title;

/// Writes what was found: `name: title` by line.
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
fn what_has_another_form_is_ordinary_text() {
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
    let many: String = (0..50).map(|at| format!("[HANDOFF: @a{at} \"x\"]")).collect();
    assert_eq!(find_handoffs(&many).len(), limits::HANDOFFS_MAX);
    assert_eq!(found(&format!("[HANDOFF: @{} \"x\"]", "n".repeat(limits::NAME_CHARS_MAX + 1))), "");
    let long = format!("[HANDOFF: @a \"{}\"]", "ü".repeat(5_000));
    assert_eq!(find_handoffs(&long)[0].title.chars().count(), limits::TITLE_CHARS_MAX);
}

#[test]
fn hostile_answers_end() {
    for part in ["[HANDOFF:", "[HANDOFF: @a ", "[HANDOFF: @a \"", "[HANDOFF: @a \"x\"", "[HANDOFF: @a \"x\"]"] {
        let body = part.repeat(limits::MESSAGE_BODY_BYTES_MAX / part.len());
        assert!(find_handoffs(&body).len() <= limits::HANDOFFS_MAX, "{part}");
    }
}

proptest! {
    #[test]
    fn every_title_can_stand_on_a_task(title in "[^\"]{1,300}") {
        for handoff in find_handoffs(&format!("[HANDOFF: @a \"{title}\"]")) {
            prop_assert_eq!(check_title(&handoff.title), Ok(()));
        }
    }

    #[test]
    fn no_answer_panics(body in ".{0,60}", marks in "(\\[HANDOFF:|@| |a|\"|\\]|\n|é){0,20}") {
        find_handoffs(&body);
        find_handoffs(&marks);
    }

    #[test]
    fn what_is_written_is_found(name in "[A-Za-z][A-Za-z0-9 -]{0,20}[A-Za-z]", title in "[a-z][a-z .,-]{0,40}[a-z]") {
        let found = find_handoffs(&format!("So. [HANDOFF: @{name} \"{title}\"] That is all."));
        let words = title.split_whitespace().collect::<Vec<_>>().join(" ");
        prop_assert_eq!(found, vec![Handoff { name, title: words }]);
    }
}
