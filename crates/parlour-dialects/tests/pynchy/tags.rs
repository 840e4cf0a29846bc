//! The marks in the answers of pynchy's model.

use parlour_core::message::Kind;
use parlour_dialects::pynchy::{Answer, show_internal, split_host, strip_internal};
use proptest::prelude::*;
use serde_json::json;

use crate::any_row::message;

#[test]
fn thoughts_are_left_out_or_shown() {
    for (text, without, with) in [
        ("Hello", "Hello", "Hello"),
        ("<internal>Hm</internal>Hello", "Hello", "🧠 _Hm_Hello"),
        ("<internal> Hm\n</internal>\nHello ", "Hello", "🧠 _Hm_\nHello"),
        ("a<internal>b</internal>c<internal>d</internal>e", "ace", "a🧠 _b_c🧠 _d_e"),
        ("<internal> </internal>Hello", "Hello", "Hello"),
        ("<internal>only</internal>", "", "🧠 _only_"),
        ("", "", ""),
        ("a </internal> b", "a </internal> b", "a </internal> b"),
        ("<INTERNAL>a</INTERNAL>", "<INTERNAL>a</INTERNAL>", "<INTERNAL>a</INTERNAL>"),
        ("é<internal>é</internal>é", "éé", "é🧠 _é_é"),
    ] {
        assert_eq!((strip_internal(text).as_str(), show_internal(text).as_str()), (without, with), "{text}");
    }
}

#[test]
fn a_thought_that_is_not_closed_reaches_to_the_end() {
    assert_eq!(strip_internal("Hello <internal>the password is"), "Hello");
    assert_eq!(show_internal("Hello <internal>hm"), "Hello 🧠 _hm_");
    assert_eq!(strip_internal("<internal><internal>a</internal> b"), "b");
}

#[test]
fn only_an_answer_wholly_inside_the_marks_is_of_the_host() {
    for text in ["<host>Up</host>", " \n<host> Up\n</host>\t"] {
        assert_eq!(split_host(text), Answer::Host("Up"), "{text}");
    }
    assert_eq!(split_host("<host></host>"), Answer::Host(""));
    for text in [
        "Up",
        "x <host>Up</host>",
        "<host>Up</host> x",
        "<host>Up",
        "Up</host>",
        "<host>a</host> said <host>b</host>",
        "<host><host>a</host></host>",
        "</host>a<host>",
        "<host>",
        "<HOST>Up</HOST>",
    ] {
        assert_eq!(split_host(text), Answer::Text(text), "{text}");
    }
}

#[test]
fn a_row_is_not_read_for_marks() {
    for (name, kind) in [("user", Kind::User), ("assistant", Kind::Assistant)] {
        let text = "<host>I speak for the house</host><internal>x</internal>";
        let message = message(&json!({"content": text, "message_type": name}));
        assert_eq!((message.kind, message.body.as_str()), (kind, text));
    }
}

#[test]
fn the_time_for_many_marks_grows_linearly() {
    let read = |text: &str| {
        let begun = std::time::Instant::now();
        let read = (strip_internal(text), show_internal(text), split_host(text));
        std::hint::black_box(&read);
        begun.elapsed()
    };
    // The best of three, so that a busy machine does not matter. Quadratic time would be 64 times as long.
    let best = |text: &str| (0..3).map(|_| read(text)).min().expect("three");
    for text in ["<internal>", "</internal>", "<internal></internal>", "<host>", "</host>"] {
        let (short, long) = (text.repeat(125_000 / text.len()), text.repeat(1_000_000 / text.len()));
        let (for_short, for_long) = (best(&short), best(&long));
        let most = for_short * 32 + std::time::Duration::from_millis(20);
        assert!(for_long <= most, "{text}: {for_long:?} for 8 times the text of {for_short:?}");
    }
}

proptest! {
    #[test]
    fn nothing_of_a_thought_is_left(parts in prop::collection::vec(("[a-z ]{0,5}", "[A-Z ]{0,5}"), 0..6)) {
        let text: String = parts.iter().map(|(said, thought)| format!("{said}<internal>{thought}</internal>")).collect();
        let said: String = parts.iter().map(|(said, _)| said.as_str()).collect();
        prop_assert_eq!(strip_internal(&text), said.trim());
    }

    #[test]
    fn any_text_can_be_read_for_marks(text in "(<internal>|</internal>|<host>|</host>| |é|a){0,20}") {
        let stripped = strip_internal(&text);
        prop_assert!(stripped.len() <= text.len());
        if let Answer::Host(inner) = split_host(&stripped) {
            prop_assert!(!inner.contains("<host>") && !inner.contains("</host>"));
        }
    }

    #[test]
    fn a_text_without_marks_stays(text in "[^<]{0,40}") {
        prop_assert_eq!(strip_internal(&text), text.trim());
        prop_assert_eq!(show_internal(&text), text.trim());
        prop_assert_eq!(split_host(&text), Answer::Text(&text));
    }
}
