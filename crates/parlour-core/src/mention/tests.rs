//! Mentions in texts.

use std::fmt::Write;

use proptest::prelude::*;

use super::*;

/// A roster whose member ids are made from the indexes of the names: `agt_0`, `agt_1` …
fn roster_of(names: &[&str]) -> Roster {
    Roster::new(names.iter().enumerate().map(|(index, name)| (member(index), Name::parse(name).expect("name"))))
}

fn member(index: usize) -> MemberId {
    format!("agt_{index}").parse().expect("member id")
}

fn roster() -> Roster {
    roster_of(&[
        "Coder",
        "Coder 2",
        "Coder-3",
        "Project Manager",
        "Project",
        "Jürgen",
        "O'Brien",
        "v1.2",
        "my_agent",
        "太郎",
    ])
}

#[test]
fn mentions_of_one_member_are_removed_from_a_text() {
    for (text, kept) in [
        ("@Coder why does it stop?", " why does it stop?"),
        ("so @coder, why? @CODER!", "so, why?!"),
        ("ask @Coder 2 and @Coder-3, @Coder", "ask @Coder 2 and @Coder-3,"),
        ("what did Coder say to me@coder.test?", "what did Coder say to me@coder.test?"),
        ("@agt_0 look", " look"),
        ("太郎@Coder", "太郎"),
        ("", ""),
    ] {
        assert_eq!(without_mentions_of(&member(0), text, &roster()), kept, "{text}");
    }
}

/// The result as text: names of members, then `?name` for unknown and `!name` for ambiguous ones.
fn found(body: &str, roster: &Roster) -> String {
    let mentions = find_mentions(body, roster);
    let mut text =
        mentions.members.iter().map(|id| roster.name_of(id).expect("known").as_str()).collect::<Vec<_>>().join(",");
    for problem in mentions.problems {
        let sign = if problem.reason == MentionProblemReason::Unknown { '?' } else { '!' };
        write!(text, "{sign}{}", problem.name).expect("string");
    }
    text
}

fn check(cases: &[(&str, &str)]) {
    let roster = roster();
    for (body, expected) in cases {
        assert_eq!(found(body, &roster), *expected, "{body:?}");
    }
}

#[test]
fn a_mention_starts_at_the_start_or_after_a_non_word_character() {
    check(&[
        ("@Coder", "Coder"),
        ("hi @Coder", "Coder"),
        ("(@Coder)", "Coder"),
        ("a,@Coder", "Coder"),
        ("é-@Coder", "Coder"),
        ("line\n@Coder", "Coder"),
        ("@@Coder", "Coder"),
        ("<@Coder>", "Coder"),
        ("\"@Coder\"", "Coder"),
        ("x@Coder", ""),
        ("é@Coder", ""),
        ("7@Coder", ""),
        ("x_@Coder", ""),
        ("@ Coder", ""),
        ("@", ""),
        ("@-Coder @.Coder", ""),
    ]);
}

/// The page has the same test cases.
#[test]
fn shared_cases_give_the_same_mentions_as_on_the_page() {
    let json = include_str!("../../tests/fixtures/mentions.json");
    let cases: Vec<(String, Vec<String>)> = serde_json::from_str(json).expect("cases");
    let roster = roster_of(&["Coder", "Project Manager", "太郎", "지민", "สมชาย"]);
    for (body, expected) in cases {
        let found = find_mentions(&body, &roster).members;
        let names: Vec<_> = found.iter().map(|id| roster.name_of(id).expect("known").as_str()).collect();
        assert_eq!(names, expected, "{body:?}");
    }
}

#[test]
fn an_unknown_name_in_a_script_without_spaces_is_reported_as_a_whole() {
    check(&[("请@Codr看一下", "?Codr"), ("@花子さん、これ", "?花子さん"), ("@太郎花子", "太郎")]);
    assert_eq!(find_mentions("请@everyone看一下", &roster()).wide, Some(WideMention::Everyone));
}

#[test]
fn a_name_ends_where_its_word_ends() {
    check(&[
        ("@Coder.", "Coder"),
        ("@Coder-", "Coder"),
        ("@Coder - done", "Coder"),
        ("@Coder... done", "Coder"),
        ("@Coder, @Jürgen: both", "Coder,Jürgen"),
        ("@Coder's turn", "Coder"),
        ("@Coder/@Jürgen", "Coder,Jürgen"),
        ("@Coder@Jürgen", "Coder"),
        ("@Coder!?", "Coder"),
        ("@Coder-2", "?Coder-2"),
        ("@Coder2", "?Coder2"),
        ("@Coder_2", "?Coder_2"),
        ("@Coder.rs", "?Coder.rs"),
        ("@Coder\u{301}", "?Codeŕ"),
        ("@Code", "?Code"),
    ]);
}

#[test]
fn the_longest_known_name_wins() {
    check(&[
        ("@Coder 2", "Coder 2"),
        ("@Coder 2 please", "Coder 2"),
        ("@Coder 22", "Coder"),
        ("@Coder 2-x", "Coder"),
        ("@Coder-3", "Coder-3"),
        ("@Project Manager", "Project Manager"),
        ("@Project Managers", "Project"),
        ("@Project  Manager", "Project"),
        ("@Project\nManager", "Project"),
        ("@Project\tManager", "Project"),
        ("@Project-Manager", "?Project-Manager"),
        ("@O'Brien's", "O'Brien"),
        ("@v1.2.", "v1.2"),
        ("@v1.2.3", "?v1.2.3"),
        ("@my_agent", "my_agent"),
        ("@太郎、これ", "太郎"),
    ]);
}

#[test]
fn case_and_composition_do_not_matter() {
    check(&[("@CODER", "Coder"), ("@project manager", "Project Manager"), ("@ju\u{308}RGEN", "Jürgen")]);
}

#[test]
fn members_come_in_order_of_appearance_and_once() {
    check(&[("@Jürgen @Coder @jürgen @CODER @Project", "Jürgen,Coder,Project")]);
}

#[test]
fn code_and_urls_contain_no_mentions() {
    check(&[
        ("`@Coder`", ""),
        ("``a ` @Coder``", ""),
        ("```\n@Coder\n```", ""),
        ("~~~sh\n@Coder", ""),
        ("text\n\n    @Coder", ""),
        ("> ```\n> @Coder\n> ```", ""),
        ("`@Coder` @Jürgen", "Jürgen"),
        ("` @Coder", "Coder"),
        ("bob@Coder.org", ""),
        ("mailto:bob@Coder", ""),
        ("<bob@Coder.org>", ""),
        ("https://example.org/@Coder and @Jürgen", "Jürgen"),
        ("<https://example.org/@Coder>", ""),
        ("[@Jürgen](https://example.org/@Coder)", "Jürgen"),
        ("[x]: https://example.org/@Coder", ""),
    ]);
}

#[test]
fn quotes_and_comments_contain_no_mentions() {
    check(&[
        ("> @Coder", ""),
        ("> @Coder\n\n@Jürgen", "Jürgen"),
        ("> what @Coder said\n@Jürgen, is it so?", "Jürgen"),
        (">@Nobody @everyone", ""),
        ("<!-- @Coder -->", ""),
        ("@Jürgen <!-- @Coder -->", "Jürgen"),
        ("<!--\n@Coder\n-->\n@Jürgen", "Jürgen"),
    ]);
}

#[test]
fn emphasis_marks_are_not_part_of_words() {
    check(&[
        ("**@Coder**", "Coder"),
        ("_@Coder_ and __@Jürgen__", "Coder,Jürgen"),
        ("*@Coder 2*", "Coder 2"),
        (r"@my\_agent", "my_agent"),
        (r"@Coder\_2", "?Coder_2"),
        (r"\@Coder &#64;Coder", ""),
        ("# @Coder\n- @Jürgen\n\n@Project", "Coder,Jürgen,Project"),
        ("| @Coder | @Jürgen |", "Coder,Jürgen"),
        ("<b>@Coder</b>", "Coder"),
    ]);
}

#[test]
fn ids_can_be_mentioned() {
    check(&[("@agt_1 hi", "Coder 2"), ("@agt_99", "?agt_99"), ("@agt_1-x", "?agt_1-x")]);
}

#[test]
fn unknown_names_are_reported_once_with_candidates() {
    let mentions = find_mentions("@Codr @CODR @Projekt", &roster());
    let names: Vec<_> = mentions.problems.iter().map(|problem| problem.name.as_str()).collect();
    assert_eq!(names, ["Codr", "Projekt"]);
    assert_eq!(mentions.problems[0].candidates, ["Coder"]);
    assert_eq!(mentions.problems[1].candidates, ["Project"]);
}

#[test]
fn wide_mentions_are_recognised_and_similar_names_are_not() {
    let cases = [
        ("@everyone", Some(WideMention::Everyone)),
        ("hi @ALL!", Some(WideMention::Everyone)),
        ("@Channel: news", Some(WideMention::Everyone)),
        ("@agents", Some(WideMention::Agents)),
        ("@agents and @everyone", Some(WideMention::Everyone)),
        ("@everyone and @agents", Some(WideMention::Everyone)),
        ("**@agents** please", Some(WideMention::Agents)),
        ("@Coder", None),
        ("@everybody", None),
        ("@all-hands @agents2 @channel.rs", None),
        ("x@everyone.org", None),
        ("everyone, all agents", None),
    ];
    for (body, wide) in cases {
        assert_eq!(find_mentions(body, &roster()).wide, wide, "{body}");
    }
    check(&[("@everyone @ALL @agents @channel", ""), ("@everybody @all-hands", "?everybody?all-hands")]);
}

#[test]
fn code_and_urls_contain_no_wide_mention() {
    let bodies = [
        "`@everyone`",
        "```\n@agents\n```",
        "text\n\n    @all",
        "https://example.org/@everyone",
        "<https://example.org/@all>",
        "bob@everyone",
        r"\@everyone &#64;all",
    ];
    for body in bodies {
        assert_eq!(find_mentions(body, &roster()), Mentions::default(), "{body}");
    }
}

#[test]
fn a_name_that_begins_with_a_wide_word_is_still_a_name() {
    let roster = roster_of(&["All Stars", "Agents United"]);
    let mentions = find_mentions("@All Stars, @agents united and @all others", &roster);
    assert_eq!((mentions.members, mentions.wide), (vec![member(0), member(1)], Some(WideMention::Everyone)));
}

#[test]
fn here_is_reported_with_wide_mentions_as_candidates() {
    let mentions = find_mentions("@here and @HERE", &roster());
    assert_eq!((mentions.wide, mentions.problems.len()), (None, 1));
    assert_eq!(mentions.problems[0].reason, MentionProblemReason::Wide);
    assert_eq!(mentions.problems[0].candidates, ["everyone", "agents"]);
}

#[test]
fn an_ambiguous_name_is_reported_with_the_ids() {
    let roster = roster_of(&["Kim", "kim", "Kim Lee"]);
    let problems = find_mentions("@kim and @Kim Lee", &roster).problems;
    assert_eq!(problems.len(), 1);
    assert_eq!(problems[0].reason, MentionProblemReason::Ambiguous);
    assert_eq!(problems[0].candidates, ["agt_0", "agt_1"]);
}

#[test]
fn problems_have_a_stable_form_on_the_wire() {
    let problems = find_mentions("@Codr", &roster()).problems;
    let json = serde_json::to_string(&problems).expect("json");
    assert_eq!(json, r#"[{"name":"Codr","reason":"unknown","candidates":["Coder"]}]"#);
}

#[test]
fn members_and_problems_are_bounded() {
    let names: Vec<_> = (0..60).map(|number| format!("Bot {number}")).collect();
    let roster = roster_of(&names.iter().map(String::as_str).collect::<Vec<_>>());
    let body: String = names.iter().map(|name| format!("@{name} @no{name} @none{}\n", name.len())).collect();
    let unknown: String = (0..60).map(|number| format!("@none{number} ")).collect();
    let mentions = find_mentions(&(body + &unknown), &roster);
    assert_eq!(mentions.members.len(), limits::MENTIONS_MAX);
    assert_eq!(mentions.problems.len(), limits::MENTION_PROBLEMS_MAX);
}

#[test]
fn a_word_longer_than_any_name_is_cut_in_the_report() {
    let problems = find_mentions(&format!("@{}", "x".repeat(60_000)), &roster()).problems;
    assert_eq!(problems[0].name.len(), limits::NAME_CHARS_MAX);
}

#[test]
fn parsing_a_hostile_text_terminates() {
    let names: Vec<_> = (0..20_000).map(|number| format!("a {number} a a a a")).collect();
    let roster = roster_of(&names.iter().map(String::as_str).collect::<Vec<_>>());
    for part in ["@a ", "@", "@@a", "@a a a a a a a a a a ", "://@a", "`@a ", "[@a](", "*@a_", "<@a", "@a\u{301}"] {
        let body = part.repeat(limits::MESSAGE_BODY_BYTES_MAX / part.len());
        assert!(find_mentions(&body, &roster).problems.len() <= 2, "{part}");
    }
}

fn named(names: &[&str]) -> Result<Vec<MemberId>, Refusal> {
    resolve_named(&names.iter().map(ToString::to_string).collect::<Vec<_>>(), &roster())
}

#[test]
fn listed_mentions_are_names_or_ids_and_count_once() {
    assert_eq!(named(&["@coder", "agt_1", "Coder", "@agt_5"]), Ok(vec![member(0), member(1), member(5)]));
    assert_eq!(named(&[]), Ok(Vec::new()));
}

#[test]
fn a_listed_mention_of_nobody_is_refused_with_candidates() {
    let refusal = named(&["Coder", "Codr"]).expect_err("unknown");
    assert_eq!((refusal.code, refusal.field.as_deref()), (Code::UnknownMention, Some("mentions[1]")));
    assert_eq!(refusal.candidates, ["Coder"]);
    for name in ["", "@", "@@Coder", "Coder ", "everyone"] {
        assert_eq!(named(&[name]).expect_err(name).code, Code::UnknownMention);
    }
}

#[test]
fn a_listed_mention_of_several_is_refused_with_their_ids() {
    let refusal = resolve_named(&["kim".to_owned()], &roster_of(&["Kim", "KIM"])).expect_err("ambiguous");
    assert_eq!((refusal.code, refusal.field.as_deref()), (Code::AmbiguousMention, Some("mentions[0]")));
    assert_eq!(refusal.candidates, ["agt_0", "agt_1"]);
}

#[test]
fn too_many_listed_mentions_are_refused() {
    let refusal = resolve_named(&vec!["Coder".to_owned(); limits::MENTIONS_MAX + 1], &roster()).expect_err("too many");
    assert_eq!((refusal.code, refusal.field.as_deref()), (Code::OutOfBounds, Some("mentions")));
}

#[test]
fn a_refused_mention_is_cut_in_the_refusal() {
    assert!(named(&[&"x".repeat(100_000)]).expect_err("unknown").detail.len() < 200);
}

/// Texts of names, marks, separators and unusual letters.
fn bodies() -> impl Strategy<Value = String> {
    let parts = prop_oneof![
        "[ \n\t.,'@_*`~<>\\\\\\[\\]()#&;:/-]{1,3}",
        "@?(coder|Coder 2|Project Manager|jürgen|太郎|agt_1|nobody|[a-z]{1,3})",
        ".{0,4}",
    ];
    prop::collection::vec(parts, 0..12).prop_map(|parts| parts.concat())
}

proptest! {
    #[test]
    fn mentioned_members_are_in_the_roster(body in bodies()) {
        let roster = roster();
        let mentions = find_mentions(&body, &roster);
        for (index, id) in mentions.members.iter().enumerate() {
            prop_assert!(roster.contains(id));
            prop_assert!(!mentions.members[..index].contains(id));
        }
    }

    #[test]
    fn a_text_without_an_at_sign_has_no_mentions(body in "[^@]{0,60}") {
        prop_assert_eq!(find_mentions(&body, &roster()), Mentions::default());
    }

    #[test]
    fn every_name_is_found_between_blanks(at in 0usize..10, before in "[a-z ]{0,8}", after in "[a-z]{3,8}") {
        let roster = roster();
        let name = roster.name_of(&member(at)).expect("known").clone();
        let mentions = find_mentions(&format!("x{before} @{name} {after}"), &roster);
        prop_assert_eq!(mentions.members, vec![member(at)]);
    }

    #[test]
    fn a_code_span_contains_no_mention(at in 0usize..10, before in "[a-z. ]{0,8}", after in "[a-z. ]{0,8}") {
        let roster = roster();
        let name = roster.name_of(&member(at)).expect("known").clone();
        prop_assert_eq!(find_mentions(&format!("x{before}`@{name}`{after}"), &roster), Mentions::default());
        let fenced = format!("x{before}\n```\n{before}@{name}{after}\n```\n{after}");
        prop_assert_eq!(find_mentions(&fenced, &roster), Mentions::default());
    }

    #[test]
    fn case_does_not_change_the_mentions(
        words in prop::collection::vec("[a-zé.,-]{1,6}|@(coder|project manager|jürgen|coder 2)", 0..6),
    ) {
        let body = words.join(" ");
        let upper = body.to_uppercase();
        prop_assert_eq!(find_mentions(&body, &roster()).members, find_mentions(&upper, &roster()).members);
    }

    #[test]
    fn listed_and_written_mentions_agree(at in 0usize..10) {
        let roster = roster();
        let name = roster.name_of(&member(at)).expect("known").to_string();
        let written = find_mentions(&format!("@{name}"), &roster).members;
        prop_assert_eq!(resolve_named(&[name], &roster).expect("known"), written);
    }
}
