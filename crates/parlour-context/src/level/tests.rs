use parlour_redact::Mark;
use proptest::prelude::*;

use super::*;
use crate::terms::Terms;

fn prepared(text: &str) -> Prepared {
    Prepared { text: text.to_owned(), ..Prepared::default() }
}

/// A text in which everything between `[` and `]` is a mark.
fn marked(text: &str) -> Prepared {
    let mut marks = Vec::new();
    let mut from = 0;
    while let Some(start) = text[from..].find('[').map(|at| from + at) {
        let Some(end) = text[start..].find(']').map(|at| start + at + 1) else { break };
        marks.push(Mark { kind: "mail".into(), range: start..end });
        from = end;
    }
    Prepared { marks, ..prepared(text) }
}

fn asking(text: &str) -> RankQuery {
    RankQuery { text: text.to_owned(), terms: Terms::of(text), ..RankQuery::default() }
}

fn at(text: &str, level: Level) -> Option<String> {
    at_level(&prepared(text), level, &RankQuery::default())
}

#[test]
fn a_short_text_has_only_the_levels_full_and_handle() {
    let lengths: Vec<Level> =
        levels(&prepared("Yes, Thursday."), &asking("Thursday")).into_iter().map(|it| it.0).collect();
    assert_eq!(lengths, [Level::Full, Level::Handle]);
    assert_eq!(at("  \n ", Level::Full), None);
    assert_eq!(at("", Level::Handle), Some(String::new()));
}

#[test]
fn head_and_tail_end_at_words_and_state_the_gap() {
    let line = "alpha beta gamma delta ".repeat(30);
    let text = at(&line, Level::HeadTail).expect("long enough");
    let (head, tail) = text.split_once(" … ").expect("one gap");
    assert!(line.starts_with(head) && line.trim_end().ends_with(tail), "{text}");
    assert!(["alpha", "beta", "gamma", "delta"].iter().any(|word| head.ends_with(word)), "{head}");

    let lines = "one line of the log\n".repeat(40);
    let text = at(&lines, Level::HeadTail).expect("long enough");
    assert_eq!(
        text.lines().filter(|line| line.starts_with("… ") && line.ends_with(" characters …")).count(),
        1,
        "{text}"
    );
}

#[test]
fn an_extract_contains_the_relevant_sentences_in_order() {
    let text = "Hello everybody, and thanks for coming. The staging server was moved to the new rack on Monday. Lunch is \
                at noon as usual. Nobody has touched the mail gateway since. Please water the plants. The rack of the \
                staging server has its own power now, so the old switch can go. That is all from me for this week, see \
                you around.";
    let extract =
        at_level(&prepared(text), Level::Extract, &asking("on which rack is the staging server")).expect("some");
    assert_eq!(
        extract,
        "… The staging server was moved to the new rack on Monday. … The rack of the staging server has its own power \
         now, so the old switch can go. …"
    );
    assert_eq!(at_level(&prepared(text), Level::Extract, &asking("zebra")), None);
}

#[test]
fn one_line_skips_greetings_and_quotes() {
    let text = "Hi all!\n> what about the budget of the third quarter then\n\nThe budget was approved yesterday evening. \
                Details follow in the minutes, which Noor will send around as soon as they are signed.";
    assert_eq!(at(text, Level::OneLine).as_deref(), Some("… The budget was approved yesterday evening. …"));
}

#[test]
fn a_very_long_line_is_cut_at_a_word() {
    let text = "word ".repeat(5_000);
    let line = at(&text, Level::OneLine).expect("a line");
    assert!(line.chars().count() <= 120 && line.ends_with("word …"), "{line}");
}

#[test]
fn dots_of_abbreviations_end_no_sentence() {
    let text = "We could use another store, e.g. the one that was measured last week by the others. Or not.";
    assert!(
        at(text, Level::OneLine).expect("a line").contains("e.g. the one that was measured"),
        "{:?}",
        at(text, Level::OneLine)
    );
}

#[test]
fn a_grapheme_cluster_of_any_length_is_not_cut() {
    let text = format!("a{} and then some words that follow", "\u{301}".repeat(3_000));
    for (_, text) in levels(&prepared(&text), &RankQuery::default()).iter().skip(1) {
        assert!(!text.contains('\u{301}'), "a sign was cut");
    }
}

/// The parts of a shortened text between its gaps.
fn parts(text: &str) -> Vec<&str> {
    let is_count = |part: &&str| part.strip_suffix(" characters").is_some_and(|number| number.parse::<usize>().is_ok());
    text.split(GAP).map(str::trim).filter(|part| !part.is_empty() && !is_count(part)).collect()
}

fn texts() -> impl Strategy<Value = String> {
    let word = prop_oneof![
        4 => "[a-zA-Z]{1,9}",
        1 => "\\PC{1,4}".prop_map(|word| word.replace(['…', '[', ']'], "x")),
        1 => Just("[mail 1]".to_owned()),
        1 => Just("👩\u{200d}👩\u{200d}👧e\u{301}🇩🇪".to_owned()),
    ];
    let end =
        prop_oneof![6 => Just(" "), 1 => Just(". "), 1 => Just("\n"), 1 => Just("! "), 1 => Just("。"), 1 => Just("")];
    proptest::collection::vec((word, end), 0..150)
        .prop_map(|words| words.into_iter().map(|(word, end)| word + end).collect())
}

proptest! {
    #[test]
    fn every_level_is_shorter_than_the_one_before_and_can_be_requested_alone(text in texts(), asked in "[a-z]{1,3}") {
        let prepared = marked(&text);
        let query = asking(&format!("{asked} {}", text.split_whitespace().nth(7).unwrap_or_default()));
        let all = levels(&prepared, &query);
        for pair in all.windows(2) {
            prop_assert!(pair[0].1.chars().count() > pair[1].1.chars().count() && pair[0].0 < pair[1].0);
        }
        for level in LEVELS {
            let alone = at_level(&prepared, level, &query);
            prop_assert_eq!(alone.as_ref(), all.iter().find(|it| it.0 == level).map(|it| &it.1));
        }
    }

    #[test]
    fn every_level_consists_of_parts_of_the_text_and_cuts_no_mark(text in texts()) {
        let prepared = marked(&text);
        let query = asking(&text.split_whitespace().skip(5).step_by(11).collect::<Vec<_>>().join(" "));
        let cuts = Cuts::of(&prepared).bytes();
        let is_cut = |at: usize| cuts.binary_search(&at).is_ok();
        for (level, short) in levels(&prepared, &query) {
            let mut from = 0;
            for part in parts(&short) {
                // A blank that carries an accent is one sign with it, and was trimmed here only.
                let begins = |at: usize| is_cut(at) || at > 0 && text[..at].ends_with(' ') && is_cut(at - 1);
                let mut found = text[from..].match_indices(part).map(|it| from + it.0);
                let begin = found.find(|begin| begins(*begin) && is_cut(begin + part.len()));
                prop_assert!(begin.is_some(), "{:?}: {:?} is not in the text", level, part);
                from = begin.unwrap_or_default() + part.len();
            }
            prop_assert_eq!(short.matches('[').count(), short.matches(']').count());
            prop_assert!(level != Level::OneLine || !short.contains('\n') && short.chars().count() <= 120);
        }
    }
}
