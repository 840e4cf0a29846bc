use proptest::prelude::*;

use super::*;

fn said<'a>(rows: &[(&'a str, &'a str)]) -> Vec<SourceText<'a>> {
    rows.iter().map(|&(name, text)| SourceText { id: "msg", name, text }).collect()
}

const RELEASE: &[(&str, &str)] = &[
    ("Mara", "Hi everybody!"),
    ("Mara", "Well, the release of the billing service slips to Thursday because the migration fails on old invoices."),
    ("Ines", "Oh no."),
    ("Ines", "ok"),
    ("Coder", "The migration fails on invoices without a currency. I can patch it with a default of EUR."),
    ("Mara", "Sure, do that."),
    ("Ines", "Thanks!"),
];

fn lines(rows: &[(&str, &str)], lines_max: usize, chars_max: usize) -> Vec<String> {
    extract(&said(rows), lines_max, chars_max).into_iter().map(|line| line.text).collect()
}

#[test]
fn what_the_talk_is_about_is_quoted_and_small_talk_is_not() {
    assert_eq!(
        lines(RELEASE, 2, 250),
        [
            "the release of the billing service slips to Thursday because the migration fails on old invoices.",
            "The migration fails on invoices without a currency.",
        ]
    );
}

#[test]
fn lines_come_in_the_order_in_which_they_were_said_with_their_messages() {
    let lines = extract(&said(RELEASE), 4, 1_000);
    assert!(lines.is_sorted_by_key(|line| line.index));
    assert_eq!(lines.first().map(|line| line.index), Some(1));
    assert!(lines.iter().any(|line| line.index == 4));
}

#[test]
fn both_sides_are_heard_before_one_is_heard_twice() {
    let talk = [
        ("Mara", "The printer on the second floor prints every page twice."),
        ("Mara", "The printer on the second floor is also out of toner."),
        ("Ines", "A technician comes tomorrow with toner."),
    ];
    let quoted = extract(&said(&talk), 2, 1_000);
    assert_eq!(quoted.iter().map(|line| talk[line.index].0).collect::<Vec<_>>(), ["Mara", "Ines"]);
}

#[test]
fn copies_are_quoted_once_as_long_as_there_is_something_else() {
    let mut talk = vec![("Bot", "Deploy 4711 of the shop failed at step verify."); 500];
    talk.push(("Mara", "The shop needs the new certificate before the next deploy."));
    let quoted = lines(&talk, 2, 1_000);
    assert!(quoted.contains(&talk[500].1.to_owned()), "{quoted:?}");
}

#[test]
fn a_talk_without_spaces_or_english_has_a_summary_too() {
    let talk = [("王", "明天下午三点在会议室讨论发布计划。"), ("李", "好的。"), ("王", "请带上发布计划的草稿。")];
    assert_eq!(lines(&talk, 1, 100), ["明天下午三点在会议室讨论发布计划。"]);
    let talk = [("Jan", "Hallo!"), ("Jan", "Der Umzug der Datenbank ist am Freitag um neun Uhr."), ("Eva", "Ja, gut.")];
    assert_eq!(lines(&talk, 1, 100), ["Der Umzug der Datenbank ist am Freitag um neun Uhr."]);
}

#[test]
fn nothing_is_made_of_nothing() {
    assert!(lines(&[], 3, 200).is_empty());
    assert!(lines(&[("Mara", ""), ("Ines", " … \n")], 3, 200).is_empty());
    assert!(lines(RELEASE, 0, 200).is_empty());
    assert!(lines(RELEASE, 3, 0).is_empty());
}

#[test]
fn what_is_too_long_for_the_room_is_cut_between_two_words() {
    assert_eq!(lines(&RELEASE[1..2], 3, 30), ["the release of the billing"]);
}

#[test]
fn ten_thousand_messages_give_no_more_lines_than_asked() {
    let texts: Vec<String> =
        (0..10_000).map(|number| format!("Ticket {number} is about topic {}.", number % 97)).collect();
    let talk: Vec<(&str, &str)> = texts.iter().map(|text| ("Mara", text.as_str())).collect();
    assert_eq!(lines(&talk, 10, 4_000).len(), 10);
}

proptest! {
    #[test]
    fn every_line_is_a_quote_and_all_fit(
        talk in proptest::collection::vec(("[A-C]", "(\\PC|[ .,!?\\n\\[\\]]|well, |the key ){0,60}"), 0..12),
        lines_max in 0usize..6,
        chars_max in 0usize..200,
    ) {
        let rows: Vec<SourceText<'_>> = talk.iter().map(|(name, text)| SourceText { id: "", name, text }).collect();
        let lines = extract(&rows, lines_max, chars_max);
        prop_assert!(lines.len() <= lines_max);
        prop_assert!(lines.iter().map(|line| line.text.chars().count()).sum::<usize>() <= chars_max);
        prop_assert!(lines.is_sorted_by_key(|line| line.index));
        for line in &lines {
            prop_assert!(talk[line.index].1.contains(&line.text));
            prop_assert!(line.text.chars().any(char::is_alphanumeric));
        }
        prop_assert_eq!(extract(&rows, lines_max, chars_max), lines);
    }
}
