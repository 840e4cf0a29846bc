//! Secrets and personal data in chat as people write it: what is found, and what is left alone.

mod corpus;

use base64::{
    Engine as _,
    engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD},
};
use parlour_redact::{CustomRule, Options, Redactor, RuleList, count_words, kinds};
use proptest::prelude::*;

use corpus::makers::{MAKERS, Signs, made};

fn redactor() -> Redactor {
    Redactor::default()
}

#[test]
fn nearly_all_secrets_are_found_and_nothing_else() {
    let measured = corpus::measure(&redactor());
    let (missed, alarms) = (measured.missed.join("\n"), &measured.alarms);
    println!("{:?}, of {} harmless", measured.groups, measured.negatives);
    println!("missed:\n{missed}");
    assert!(alarms.is_empty(), "{alarms:#?}\n{missed}");
    assert!(measured.recall() >= 0.99, "{}: {:?}\n{missed}", measured.recall(), measured.groups);
    assert!(measured.groups.values().map(|group| group.1).sum::<usize>() >= 300 && measured.negatives >= 150);
}

/// Everything that rules look at, hostile signs, and what is left of cut secrets.
fn hostile() -> impl Strategy<Value = String> {
    let known = corpus::positives::positives().into_iter().map(|positive| positive.text).collect::<Vec<_>>();
    let pieces = prop_oneof![
        prop::sample::select(known),
        prop::sample::select(vec![
            "password",
            "пароль:",
            " is ",
            "=",
            ": ",
            "\"",
            "'",
            "`",
            "\n",
            "\\n",
            "token=",
            "://",
            ":",
            "@",
            "[mail 1]",
            "[password 2",
            "-----BEGIN PRIVATE KEY-----",
            "eyJ",
            "%3D",
            "密码",
            "\u{200d}",
            "\u{301}",
            "\u{202e}",
            "é",
            "👩",
            "\0",
            "|",
            "creds: a / ",
        ])
        .prop_map(str::to_owned),
        ".{0,6}",
        "[ -~]{0,12}",
    ];
    prop::collection::vec(pieces, 0..12).prop_map(|pieces| pieces.concat())
}

/// Ways to write a text so that it is not read at first sight.
const CODES: &[fn(&str) -> String] = &[
    |text| STANDARD.encode(text),
    |text| URL_SAFE_NO_PAD.encode(text),
    |text| text.bytes().map(|byte| format!("{byte:02x}")).collect(),
    |text| text.bytes().map(|byte| format!("%{byte:02X}")).collect(),
    |text| text.bytes().map(|byte| format!("\\u{byte:04x}")).collect(),
    |text| text.bytes().map(|byte| format!("\\x{byte:02x}")).collect(),
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn a_token_of_a_provider_never_survives_in_a_sentence(
        seed in any::<u64>(),
        maker in 0..MAKERS.len(),
        before in "([A-Za-zäöé,.]{1,9} ){0,12}",
        after in "( [A-Za-zäöé,.]{1,9}){0,12}",
        around in prop::sample::select(vec![("", ""), ("`", "`"), ("\"", "\""), ("(", ")"), ("\n", "\n"), ("<", ">"), ("'", "',")]),
    ) {
        let secret = made(MAKERS[maker].2, &mut Signs::new(seed));
        let text = format!("{before}{}{secret}{}{after}", around.0, around.1);
        let shown = redactor().redact(&text).text;
        prop_assert!(!corpus::is_left(&shown, &secret), "{}: {shown}", MAKERS[maker].0);
    }

    #[test]
    fn one_level_of_code_hides_no_token(
        seed in any::<u64>(),
        maker in 0..MAKERS.len(),
        code in 0..CODES.len(),
        before in "([a-zäöé,.]{1,9} ){0,6}",
        after in "( [a-zäöé,.]{1,9}){0,6}",
    ) {
        let secret = made(MAKERS[maker].2, &mut Signs::new(seed));
        let coded = CODES[code](&secret);
        let shown = redactor().redact(&format!("{before}{coded}{after}")).text;
        prop_assert!(!corpus::is_left(&shown, &coded), "{} as {coded}: {shown}", MAKERS[maker].0);
    }

    #[test]
    fn what_is_known_is_found_in_any_company(
        known in prop::sample::select(corpus::positives::positives()),
        before in "([a-zäöé]{4,9} ){0,8}",
        after in "( [a-zäöé]{4,9}){0,8}",
    ) {
        // Words that mean something to the rules of their own would be part of the text, and not its company.
        let company = format!("{before}{after}");
        prop_assume!(redactor().redact(&company).marks.is_empty() && count_words(&company) == 0);
        let is_found = |text: &str| {
            let shown = redactor().redact(&corpus::visible(text)).text;
            !known.secrets.iter().any(|secret| corpus::is_left(&shown, secret))
        };
        if is_found(&known.text) {
            let text = format!("{before}\n{}\n{after}", known.text);
            prop_assert!(is_found(&text), "{text}");
        }
    }

    #[test]
    fn taking_out_again_changes_nothing_whatever_the_text(text in hostile()) {
        let once = redactor().redact(&text).text;
        let twice = redactor().redact(&once);
        prop_assert_eq!(&twice.text, &once);
        prop_assert!(twice.marks.is_empty());
    }

    #[test]
    fn marks_stand_where_they_say_they_do(text in hostile()) {
        let redacted = redactor().redact(&text);
        let mut end = 0;
        for mark in &redacted.marks {
            prop_assert!(mark.range.start >= end);
            end = mark.range.end;
            let shown = &redacted.text[mark.range.clone()];
            let number = shown.strip_prefix(&format!("[{} ", mark.kind)).and_then(|rest| rest.strip_suffix(']'));
            prop_assert!(number.is_some_and(|number| number.parse::<usize>().is_ok_and(|number| number > 0)), "{shown}");
        }
    }
}

#[test]
fn a_token_that_code_puts_together_from_pieces_is_taken_out() {
    let redactor = redactor();
    for (name, _, parts) in MAKERS.iter().filter(|(name, ..)| name.starts_with("GitHub") || name.starts_with("GitLab"))
    {
        let secret = made(parts, &mut Signs::new(11));
        let (head, rest) = secret.split_at(8);
        let (middle, tail) = rest.split_at(rest.len() / 2);
        for joined in [format!("\"{head}\" + \"{middle}\" + \"{tail}\""), format!("'{head}' .\n    '{middle}{tail}'")] {
            let shown = redactor.redact(&format!("const TOKEN = {joined};")).text;
            assert!(!shown.contains(tail), "{name}: {shown}");
        }
    }
}

#[test]
fn a_maker_without_a_row_is_known_by_what_its_prefix_says() {
    let redactor = redactor();
    let body = Signs::new(5).of(corpus::makers::ALNUM, 28);
    for prefix in ["acme_secret_", "acme_live_key_", "zed-api-token-", "quux_pat_"] {
        assert_eq!(redactor.redact(&format!("use {prefix}{body} there")).text, "use [token 1] there");
    }
    for prefix in ["req_", "acme_pub_key_", "run-id-"] {
        let text = format!("see {prefix}{body} there");
        assert_eq!(redactor.redact(&text).text, text);
    }
}

#[test]
fn taking_out_again_changes_nothing() {
    let redactor = redactor();
    let changed = corpus::positives::positives().into_iter().filter_map(|positive| {
        let once = redactor.redact(&positive.text).text;
        let twice = redactor.redact(&once).text;
        (once != twice).then(|| format!("{once} → {twice}"))
    });
    let changed: Vec<String> = changed.collect();
    assert!(changed.is_empty(), "{changed:#?}");
}

/// Texts that are hard to read, of about this many bytes each.
fn hard(bytes: usize) -> Vec<String> {
    let pieces = [
        "password",
        "password ",
        "password=",
        "token: token: ",
        "\"'`\"'`",
        "[password 1] ",
        "sk-",
        "a",
        "-",
        "://:@",
        "%3D",
        "key=key\n",
        "| password |\n",
        "-----BEGIN PRIVATE KEY-----",
        "1.2.3.4 ",
        "+49 171 ",
        "eyJ.",
        "\\u0041",
        "is is is ",
        "AKIAAAAABBBBCCCCDDDD\n",
        "wifi / ",
        "( ( ",
    ];
    pieces.iter().map(|piece| piece.repeat(bytes / piece.len())).collect()
}

#[test]
fn hard_texts_come_to_an_end_and_stay_as_they_are_when_looked_at_again() {
    let redactor = redactor();
    for text in hard(4_000) {
        let once = redactor.redact(&text).text;
        assert_eq!(redactor.redact(&once).text, once);
    }
}

#[test]
fn the_same_value_has_the_same_number() {
    let text = "password: Tr0ub4dor&3, the old password: kX9$mQ2vL, and again password: Tr0ub4dor&3";
    let shown = redactor().redact(text).text;
    assert_eq!(shown, "password: [password 1], the old password: [password 2], and again password: [password 1]");
}

#[test]
fn words_that_rules_need_grow_with_the_text_and_no_faster() {
    let text = "the password is hunter2, call +49 171 2345678 or write to jane@acme.dev\n";
    let (once, often) = (count_words(text), count_words(&text.repeat(50)));
    assert!(once > 0 && often <= once * 51, "{once} {often}");
    let marks = redactor().redact(&text.repeat(50)).marks.len();
    assert_eq!(marks, redactor().redact(text).marks.len() * 50);
}

#[test]
fn a_secret_that_is_found_once_is_taken_out_wherever_it_stands() {
    let text = "the password is Otter-pond9, then run `app.jar ops Otter-pond9`; on the old box otter_pond8 may work";
    let shown = redactor().redact(text).text;
    let expected =
        "the password is [password 1], then run `app.jar ops [password 1]`; on the old box [password 2] may work";
    assert_eq!(shown, expected);
    let harmless = "run `app.jar ops Otter-pond9`";
    assert_eq!(redactor().redact(harmless).text, harmless);
}

#[test]
fn a_name_of_several_words_is_read_by_the_one_that_says_most() {
    for name in ["LOGIN_PASSWORD", "JWT_SECRET", "CODE_PUSH_KEY", "redis_requirepass"] {
        let shown = redactor().redact(&format!("{name}=gl4cier-Otter-0815xQ")).text;
        assert!(!shown.contains("Otter"), "{name}: {shown}");
    }
    for text in ["next_page_token=cGFnZTo0NDpz", "errors.password = 'ERR-1204'", "reason=bad_password attempts=3"] {
        assert_eq!(redactor().redact(text).text, text);
    }
}

fn options(custom: &[(&str, &str)], mute: &[&str]) -> Options {
    let rule = |(kind, pattern): &(&str, &str)| CustomRule { kind: (*kind).to_owned(), pattern: (*pattern).to_owned() };
    Options {
        custom: custom.iter().map(rule).collect(),
        mute: mute.iter().map(|kind| (*kind).to_owned()).collect(),
        ..Options::default()
    }
}

#[test]
fn a_project_adds_rules_of_its_own() {
    let redactor = Redactor::new(&options(&[("badge", r"badge (\d{4})"), ("project", "Nightjar")], &[])).expect("good");
    assert_eq!(redactor.redact("badge 1234 for Nightjar").text, "badge [badge 1] for [project 1]");
    assert_eq!(redactor.redact("badge [badge 1] for [project 1]").text, "badge [badge 1] for [project 1]");
}

#[test]
fn a_project_mutes_rules_of_the_hub() {
    let text = "write to jane@acme.dev, password: Tr0ub4dor&3";
    let muted = Redactor::new(&options(&[], &["mail"])).expect("good");
    assert_eq!(muted.redact(text).text, "write to jane@acme.dev, password: [password 1]");
    let secrets = Options { personal: false, ..Options::default() };
    assert_eq!(Redactor::new(&secrets).expect("good").redact(text).text, muted.redact(text).text);
    assert_eq!(Redactor::secrets_only().redact(text).text, muted.redact(text).text);
    for kind in kinds() {
        assert!(Redactor::new(&options(&[], &[kind])).is_ok(), "{kind}");
    }
}

#[test]
fn a_rule_that_cannot_be_used_says_why() {
    let bad = |add: &[(&str, &str)], mute: &[&str]| Redactor::new(&options(add, mute)).expect_err("bad");
    for pattern in ["(", "a*", "(?:a{1000}){1000}", r"(a)\1"] {
        let found = bad(&[("good", "x"), ("worse", pattern)], &[]);
        assert_eq!((found.list, found.index), (RuleList::Custom, 1));
        assert!(found.reason.contains("worse") && !found.reason.contains('\n'), "{found:?}");
    }
    assert_eq!(bad(&[("Not a kind", "x")], &[]).index, 0);
    let found = bad(&[], &["mail", "no-such-rule"]);
    assert_eq!((found.list, found.index), (RuleList::Mute, 1));
    assert!(found.reason.contains("no-such-rule"), "{found:?}");
}
