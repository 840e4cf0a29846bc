//! Hand-offs by Jaibber's own rule.

use parlour_core::handoff::find_handoffs;
use parlour_dialects::jaibber::parse_handoffs;
use proptest::prelude::*;

fn check(text: &str, expected: &[(&str, &str)]) {
    let found: Vec<_> = parse_handoffs(text).into_iter().map(|handoff| (handoff.name, handoff.title)).collect();
    assert_eq!(found, expected, "{text:?}");
}

#[test]
fn hand_offs_are_found_by_the_pattern() {
    check(r#"Done. [HANDOFF: @Tester "Test it"]"#, &[("Tester", "Test it")]);
    check(r#"[HANDOFF:@a-b_2 "x"][HANDOFF:  @c	"y"]"#, &[("a-b_2", "x"), ("c", "y")]);
    check("[HANDOFF:\n@a\n\"two\nlines\"]", &[("a", "two\nlines")]);
    check(r#"[HANDOFF: [HANDOFF: @a "x"]"#, &[("a", "x")]);
    check(r#"[HANDOFF: @a "x" ] [HANDOFF: @b "y"]"#, &[("b", "y")]);
}

#[test]
fn text_outside_the_pattern_stays_text() {
    for text in [
        "",
        "[HANDOFF:",
        r#"[handoff: @a "x"]"#,
        r#"[HANDOFF: a "x"]"#,
        r#"[HANDOFF: @ "x"]"#,
        r#"[HANDOFF: @a"x"]"#,
        r#"[HANDOFF: @a ""]"#,
        r#"[HANDOFF: @a "x"#,
        r#"[HANDOFF: @é "x"]"#,
        r#"[HANDOFF: @Testing Agent "x"]"#,
        r#"[HANDOFF @a "x"]"#,
    ] {
        check(text, &[]);
    }
}

proptest! {
    /// Parlour's rule accepts more texts than Jaibber's.
    #[test]
    fn parlour_finds_every_handoff_that_jaibber_finds(text in "(\\[HANDOFF:| |@|a|b|-|\"|\\]|x y|\n){0,14}") {
        let wider = find_handoffs(&text);
        for handoff in parse_handoffs(&text) {
            let title = handoff.title.split_whitespace().collect::<Vec<_>>().join(" ");
            let is_found = wider.iter().any(|found| found.name == handoff.name && found.title == title);
            prop_assert!(is_found || title.is_empty(), "{handoff:?}");
        }
    }
}

#[test]
fn a_megabyte_of_unclosed_handoffs_contains_none() {
    for begin in ["[HANDOFF:", "[HANDOFF: @a \"", "[HANDOFF: @a ", "[HANDOFF:   "] {
        assert_eq!(parse_handoffs(&begin.repeat(1_000_000 / begin.len())), []);
    }
}
