mod links;

use proptest::prelude::*;

use super::*;

fn view(text: &str) -> String {
    View::of(text).text
}

#[test]
fn every_pattern_compiles() {
    let patterns = [
        &*blobs::DATA,
        &*html::ALT,
        &*html::HREF,
        &*super::links::WHOLE,
        &*super::links::RELATIVE,
        &*markdown::DEFINITIONS,
    ];
    assert!(patterns.iter().all(|pattern| !pattern.as_str().is_empty()));
}

#[test]
fn invisible_characters_are_removed_and_counted() {
    let seen = View::of("a\u{200b}b\u{202e}c\u{e0041}d\u{ad}e\u{feff}f\u{0}g\u{2066}h\u{3164}");
    assert_eq!((seen.text.as_str(), seen.invisible), ("abcdefgh", 8));
}

#[test]
fn joiners_that_a_script_needs_stay() {
    for text in ["👩\u{200d}💻", "می\u{200c}خواهم", "क\u{94d}\u{200d}ष", "❤\u{fe0f}", "1\u{fe0f}\u{20e3}"]
    {
        assert_eq!(view(text), text);
    }
    assert_eq!(view("pa\u{200d}ss\u{200c}word"), "password");
}

#[test]
fn all_line_ends_become_newlines() {
    assert_eq!(view("a\r\nb\rc\u{b}d\u{c}e\u{85}f\u{2028}g\u{2029}h\ti"), "a\nb\nc\nd\ne\nf\ng\nh i");
    assert_eq!(view("a\n\n\n\n \n\nb\n\nc"), "a\n\nb\n\nc");
}

#[test]
fn combining_marks_per_letter_are_limited() {
    assert_eq!(view(&format!("a{}", "\u{301}".repeat(100))).chars().count(), 1 + 4);
}

#[test]
fn blobs_become_marks() {
    let blob: String = (0..3_000_u32).map(|at| char::from(b"aB3xY7qR9"[(at % 9) as usize])).collect();
    assert_eq!(view(&format!("see {blob} there")), "see [blob 3 kB] there");
    assert_eq!(view(&format!("data:image/png;base64,{}", &blob[..100])), "[blob 122 B]");
    let wall = format!("!function(){{{}}}", "a=b;c(d);".repeat(400));
    assert!(view(&wall).len() < 280 && view(&wall).contains(" [blob 4 kB] "), "{}", view(&wall));
    for text in ["9fceb02d0ae598e95dc970b74767f19372d61af8", &"1".repeat(150), &"path/to/some/file/".repeat(20)] {
        assert_eq!(view(text), text);
    }
}

#[test]
fn a_row_of_one_character_is_shortened() {
    let row = |sign: &str| sign.repeat(lines::ROW_CHARS_MAX);
    for sign in ["-", "=", "─", "a", "😂", " ."] {
        assert_eq!(view(&format!("x\n{}\ny", row(sign))), format!("x\n{}\ny", row(sign)));
    }
    for sign in ["-", "=", "─"] {
        let seen = View::of(&format!("x\n{}\ny", sign.repeat(120)));
        assert_eq!((seen.text, seen.is_cut), (format!("x\n{}\ny", row(sign)), false));
    }
    for sign in ["-", "a", "😂"] {
        let seen = View::of(&format!("x\n{}\ny", sign.repeat(4_000)));
        assert_eq!((seen.text, seen.is_cut), (format!("x\n{}[… 3968 characters more]\ny", row(sign)), true));
    }
    let number = "7".repeat(90);
    assert_eq!(view(&number), number);
}

/// A paragraph of so many characters at least, with a question at its end.
fn paragraph(chars: usize) -> String {
    let steps = (1..).map(|step| format!("Step {step} of the import took {} seconds and then it went on. ", step * 3));
    let mut text = String::new();
    for step in steps {
        text.push_str(&step);
        if text.len() > chars {
            break;
        }
    }
    text + "Now my question: which step should we drop?"
}

#[test]
fn a_paragraph_of_prose_is_not_cut() {
    for text in [paragraph(3_200), paragraph(7_500), format!("{}\n\n{}", paragraph(3_200), paragraph(3_500))] {
        let seen = View::of(&text);
        assert_eq!((seen.text.as_str(), seen.is_cut), (text.as_str(), false));
    }
}

#[test]
fn a_long_line_keeps_both_ends_and_states_the_missing_length() {
    for text in [paragraph(14_000), vec![paragraph(1_500); 9].join("\n"), "语".repeat(2) + &"文字 ".repeat(4_000)] {
        let seen = View::of(&text);
        assert!(seen.is_cut && seen.text.chars().count() <= 9_200, "{}", seen.text.chars().count());
        let end: String = text.trim_end().chars().rev().take(200).collect::<Vec<_>>().into_iter().rev().collect();
        for line in seen.text.lines() {
            let (head, rest) = line.split_once(" [… ").expect("a note");
            let (missing, tail) = rest.split_once(" characters more] ").expect("its end");
            assert!(text.starts_with(head) && tail.trim_end().ends_with(&end), "{line}");
            let longest = text.lines().next().map_or(0, |line| line.chars().count());
            assert_eq!(
                head.chars().count() + tail.chars().count() + missing.parse::<usize>().expect("a number"),
                longest
            );
        }
    }
}

#[test]
fn omitted_text_leaves_a_note() {
    let links = (0..5).map(|at| format!("https://a{at}.dev ")).collect::<String>();
    let blob: String = (0..900_u32).map(|at| char::from(b"aB3xY7qR9"[(at % 9) as usize])).collect();
    for text in [links.as_str(), &blob, &"var a=b;".repeat(200), &"many words\n".repeat(2_000), &"A".repeat(4_000)] {
        assert!(View::of(text).is_cut, "{}", view(text));
    }
    for text in ["a\n\n\n\nb", "![a cat](https://x.dev/c.png)", "https://a.dev\u{200b}", &"-".repeat(80)] {
        assert!(!View::of(text).is_cut, "{}", view(text));
    }
}

#[test]
fn a_text_that_is_too_long_ends_with_a_note() {
    let text = view(&"many words\n".repeat(10_000));
    assert!(
        text.chars().count() <= limits::CONTEXT_ITEM_CHARS_MAX && text.ends_with(" kB more]"),
        "{}",
        &text[text.len() - 40..]
    );
}

#[test]
fn a_mark_is_never_cut() {
    for before in [2_370, 2_371, 2_372, 2_373, 2_374, 2_375, 4_800] {
        a_mark_behind_is_not_cut(before);
    }
}

fn a_mark_behind_is_not_cut(before: usize) {
    let text = format!("{}[mail 1]{}", "a ".repeat(before), " b".repeat(7_000 - before));
    let at = text.find("[mail").expect("there");
    let ShortenedText { text: short, marks, .. } =
        shorten(&text, vec![Mark { kind: "mail".into(), range: at..at + 8 }], 0);
    assert!(!short.contains("[mail") || short.contains("[mail 1]"), "{short}");
    marks.iter().for_each(|mark| assert_eq!(&short[mark.range.clone()], "[mail 1]"));
}

/// Text of everything that the view treats specially.
fn hostile() -> impl Strategy<Value = String> {
    let pieces = prop_oneof![
        Just("![a](http://x.y/z)".to_owned()),
        Just("[b](http://x.y/(z))".to_owned()),
        Just("http://a.b/c".to_owned()),
        Just("<https://q.r>".to_owned()),
        Just("\n[l]: http://d.e\n".to_owned()),
        Just("[l]".to_owned()),
        Just("][".to_owned()),
        Just("](".to_owned()),
        Just("!".to_owned()),
        Just("[".to_owned()),
        Just("(/x)".to_owned()),
        Just(":".to_owned()),
        Just("\n".to_owned()),
        Just(" ".to_owned()),
        Just("<img alt='x'>".to_owned()),
        Just("<img src=\"a>b\" ".to_owned()),
        Just("<picture><source srcset='http://s.t/u'>".to_owned()),
        Just("</picture>".to_owned()),
        Just("<a href=//v.w/x>".to_owned()),
        Just("![".to_owned()),
        Just("![l]".to_owned()),
        Just("[l][l]".to_owned()),
        Just("[more links]".to_owned()),
        Just("( sftp://f.g/h \"t\" )".to_owned()),
        Just("\\".to_owned()),
        Just("//i.j/k".to_owned()),
        Just("mailto:m@n.o".to_owned()),
        Just("www.a.b".to_owned()),
        Just("aB3xY7qR9".repeat(30)),
        Just("data:text/plain,aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa".to_owned()),
        Just("w ".repeat(300)),
        Just("-".repeat(70)),
        Just("é".repeat(40)),
        Just("var a=b;".repeat(130)),
        Just("[mail 1]".to_owned()),
        Just("\u{200d}".to_owned()),
        Just("👩".to_owned()),
        Just("\u{fe0f}".to_owned()),
        Just("e\u{301}".to_owned()),
        Just("\u{301}".to_owned()),
        Just("\u{1100}\u{1161}\u{11a8}".to_owned()),
        Just("\u{200c}".to_owned()),
        Just("ن".to_owned()),
        ".{0,5}",
        "[ -~]{0,9}",
    ];
    prop::collection::vec(pieces, 0..60).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn the_view_of_a_view_is_itself(text in hostile()) {
        let once = View::of(&text);
        let twice = View::of(&once.text);
        prop_assert_eq!(&twice.text, &once.text);
        prop_assert_eq!(twice.invisible, 0);
    }

    #[test]
    fn lines_and_texts_are_bounded(text in hostile(), times in 1_usize..40) {
        let text = view(&text.repeat(times));
        prop_assert!(text.chars().count() <= limits::CONTEXT_ITEM_CHARS_MAX);
        let long = text.lines().map(|line| line.chars().count()).filter(|chars| *chars > limits::CONTEXT_LINE_CHARS_MAX);
        prop_assert!(long.sum::<usize>() <= 8_000);
    }
}
