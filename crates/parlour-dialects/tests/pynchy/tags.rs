//! The tags in answers of pynchy's model: `<internal>` and `<host>`.

use parlour_core::message::Kind;
use parlour_dialects::pynchy::{TaggedAnswer, show_internal, split_host, strip_internal};
use proptest::prelude::*;
use serde_json::json;

use crate::any_row::message;

#[test]
fn internal_text_is_removed_or_shown() {
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
fn an_unclosed_internal_tag_extends_to_the_end() {
    assert_eq!(strip_internal("Hello <internal>the password is"), "Hello");
    assert_eq!(show_internal("Hello <internal>hm"), "Hello 🧠 _hm_");
    assert_eq!(strip_internal("<internal><internal>a</internal> b"), "b");
}

#[test]
fn only_an_answer_inside_one_pair_of_host_tags_is_a_host_message() {
    for text in ["<host>Up</host>", " \n<host> Up\n</host>\t"] {
        assert_eq!(split_host(text), TaggedAnswer::Host("Up"), "{text}");
    }
    assert_eq!(split_host("<host></host>"), TaggedAnswer::Host(""));
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
        assert_eq!(split_host(text), TaggedAnswer::Text(text), "{text}");
    }
}

#[test]
fn tags_in_a_row_are_text() {
    for (name, kind) in [("user", Kind::User), ("assistant", Kind::Assistant)] {
        let text = "<host>I speak for the house</host><internal>x</internal>";
        let message = message(&json!({"content": text, "message_type": name}));
        assert_eq!((message.kind, message.body.as_str()), (kind, text));
    }
}

proptest! {
    #[test]
    fn stripping_removes_all_internal_text(parts in prop::collection::vec(("[a-z ]{0,5}", "[A-Z ]{0,5}"), 0..6)) {
        let text: String = parts.iter().map(|(said, thought)| format!("{said}<internal>{thought}</internal>")).collect();
        let said: String = parts.iter().map(|(said, _)| said.as_str()).collect();
        prop_assert_eq!(strip_internal(&text), said.trim());
    }

    #[test]
    fn any_text_can_be_parsed_for_tags(text in "(<internal>|</internal>|<host>|</host>| |é|a){0,20}") {
        let stripped = strip_internal(&text);
        prop_assert!(stripped.len() <= text.len());
        if let TaggedAnswer::Host(inner) = split_host(&stripped) {
            prop_assert!(!inner.contains("<host>") && !inner.contains("</host>"));
        }
    }

    #[test]
    fn a_text_without_tags_is_only_trimmed(text in "[^<]{0,40}") {
        prop_assert_eq!(strip_internal(&text), text.trim());
        prop_assert_eq!(show_internal(&text), text.trim());
        prop_assert_eq!(split_host(&text), TaggedAnswer::Text(&text));
    }
}
