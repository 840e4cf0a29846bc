//! Recall and false alarms over the corpus, and properties of redaction.

mod corpus;

use base64::{
    Engine as _,
    engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD},
};
use parlour_redact::{CustomRule, Options, Redactor, RuleList, count_words, kinds};
use proptest::prelude::*;

use corpus::{
    samples::{ALNUM, RandomChars},
    texts::{made_up, provider_tokens},
};

fn redactor() -> Redactor {
    Redactor::default()
}

#[test]
fn recall_is_at_least_99_percent_without_false_alarms() {
    let measured = corpus::measure(&redactor());
    let (missed, alarms) = (measured.missed.join("\n"), &measured.alarms);
    println!("{:?}, of {} harmless", measured.groups, measured.negatives);
    println!("missed:\n{missed}");
    assert!(alarms.is_empty(), "{alarms:#?}\n{missed}");
    assert!(measured.recall() >= 0.99, "{}: {:?}\n{missed}", measured.recall(), measured.groups);
    assert!(measured.groups.values().map(|group| group.1).sum::<usize>() >= 300 && measured.negatives >= 150);
}

/// Texts of known secrets, trigger words, hostile characters and cut marks.
fn hostile() -> impl Strategy<Value = String> {
    let known = corpus::texts::positives().into_iter().map(|positive| positive.text).collect::<Vec<_>>();
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

/// Encodings that the redactor decodes.
const ENCODINGS: &[fn(&str) -> String] = &[
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
    fn provider_tokens_are_redacted_in_any_sentence(
        seed in any::<u64>(),
        (name, token) in prop::sample::select(provider_tokens().collect::<Vec<_>>()),
        before in "([A-Za-zäöé,.]{1,9} ){0,12}",
        after in "( [A-Za-zäöé,.]{1,9}){0,12}",
        around in prop::sample::select(vec![("", ""), ("`", "`"), ("\"", "\""), ("(", ")"), ("\n", "\n"), ("<", ">"), ("'", "',")]),
    ) {
        let secret = made_up(token, &mut RandomChars::new(seed));
        let text = format!("{before}{}{secret}{}{after}", around.0, around.1);
        let shown = redactor().redact(&text).text;
        prop_assert!(!corpus::is_left(&shown, &secret), "{name}: {shown}");
    }

    #[test]
    fn encoded_provider_tokens_are_redacted(
        seed in any::<u64>(),
        (name, token) in prop::sample::select(provider_tokens().collect::<Vec<_>>()),
        encoding in 0..ENCODINGS.len(),
        before in "([a-zäöé,.]{1,9} ){0,6}",
        after in "( [a-zäöé,.]{1,9}){0,6}",
    ) {
        let secret = made_up(token, &mut RandomChars::new(seed));
        let coded = ENCODINGS[encoding](&secret);
        let shown = redactor().redact(&format!("{before}{coded}{after}")).text;
        prop_assert!(!corpus::is_left(&shown, &coded), "{name} as {coded}: {shown}");
    }

    #[test]
    fn secrets_are_redacted_between_unrelated_lines(
        known in prop::sample::select(corpus::texts::positives()),
        before in "([a-zäöé]{4,9} ){0,8}",
        after in "( [a-zäöé]{4,9}){0,8}",
    ) {
        // Words that trigger rules would be part of the text.
        let around_text = format!("{before}{after}");
        prop_assume!(redactor().redact(&around_text).marks.is_empty() && count_words(&around_text) == 0);
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
    fn redaction_is_idempotent_for_any_text(text in hostile()) {
        let once = redactor().redact(&text).text;
        let twice = redactor().redact(&once);
        prop_assert_eq!(&twice.text, &once);
        prop_assert!(twice.marks.is_empty());
    }

    #[test]
    fn mark_ranges_contain_the_marks(text in hostile()) {
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
fn a_token_concatenated_in_code_is_redacted() {
    let redactor = redactor();
    let is_code_host = |name: &str| name.starts_with("GitHub") || name.starts_with("GitLab");
    let tokens: Vec<_> = provider_tokens().filter(|(name, _)| is_code_host(name)).collect();
    assert!(!tokens.is_empty());
    for (name, token) in tokens {
        let secret = made_up(token, &mut RandomChars::new(11));
        let (head, rest) = secret.split_at(8);
        let (middle, tail) = rest.split_at(rest.len() / 2);
        for joined in [format!("\"{head}\" + \"{middle}\" + \"{tail}\""), format!("'{head}' .\n    '{middle}{tail}'")] {
            let shown = redactor.redact(&format!("const TOKEN = {joined};")).text;
            assert!(!shown.contains(tail), "{name}: {shown}");
        }
    }
}

#[test]
fn a_token_without_a_rule_is_redacted_if_its_prefix_says_so() {
    let redactor = redactor();
    let body = RandomChars::new(5).of(ALNUM, 28);
    for prefix in ["acme_secret_", "acme_live_key_", "zed-api-token-", "quux_pat_"] {
        assert_eq!(redactor.redact(&format!("use {prefix}{body} there")).text, "use [token 1] there");
    }
    for prefix in ["req_", "acme_pub_key_", "run-id-"] {
        let text = format!("see {prefix}{body} there");
        assert_eq!(redactor.redact(&text).text, text);
    }
}

#[test]
fn redaction_is_idempotent() {
    let redactor = redactor();
    let changed = corpus::texts::positives().into_iter().filter_map(|positive| {
        let once = redactor.redact(&positive.text).text;
        let twice = redactor.redact(&once).text;
        (once != twice).then(|| format!("{once} → {twice}"))
    });
    let changed: Vec<String> = changed.collect();
    assert!(changed.is_empty(), "{changed:#?}");
}

/// Repetitive texts that trigger many rules, of about this many bytes each.
fn repetitive(bytes: usize) -> Vec<String> {
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
fn redaction_of_repetitive_texts_is_idempotent() {
    let redactor = redactor();
    for text in repetitive(4_000) {
        let once = redactor.redact(&text).text;
        assert_eq!(redactor.redact(&once).text, once);
    }
}

#[test]
fn secrets_that_were_seen_to_leak_are_redacted() {
    let seed = format!("SU{}", RandomChars::new(7).of("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 56));
    let key = format!("AK{}{}", "IA", RandomChars::new(8).of("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 16));
    let full_width =
        |text: &str| text.chars().filter_map(|char| char::from_u32(u32::from(char) + 0xfee0)).collect::<String>();
    for (text, secret) in [
        (format!("-----BEGIN USER NKEY SEED-----\n{seed}\n------END USER NKEY SEED------"), seed.clone()),
        (
            format!("-----BEGIN NATS USER SEED-----\r\n{}\r\n-----END NATS USER SEED-----", &seed[..40]),
            seed[..40].to_owned(),
        ),
        (format!("the seed is {seed}."), seed.clone()),
        (format!("aws {} is live", full_width(&key)), full_width(&key)),
        ("PASSWORD\u{a0}:\u{a0}Otterpond9".to_owned(), "Otterpond9".to_owned()),
        ("pass\u{200b}word:\u{2009}Otter\u{2060}pond9".to_owned(), "pond9".to_owned()),
        ("𝗽𝗮𝘀𝘀𝘄𝗼𝗿𝗱: Otterpond9".to_owned(), "Otterpond9".to_owned()),
        ("docker login -u ci -p swordfish registry.acme.test".to_owned(), "swordfish".to_owned()),
        ("docker login --username ci --password swordfish registry.acme.test".to_owned(), "swordfish".to_owned()),
        ("the wifi at the office is Kaffee2go!".to_owned(), "Kaffee2go".to_owned()),
        ("wi-fi in our new lab is now otter-pond-91, enjoy".to_owned(), "otter-pond-91".to_owned()),
        ("2FA backup codes: 8301-2295".to_owned(), "8301-2295".to_owned()),
        ("my recovery codes are: 8301 2295, 4410 9921".to_owned(), "4410 9921".to_owned()),
    ] {
        let shown = redactor().redact(&text).text;
        assert!(!shown.contains(&secret), "{text} → {shown}");
    }
}

#[test]
fn harmless_texts_close_to_leaked_secrets_stay() {
    for text in [
        "the wifi at the office is down!",
        "the wifi at the office is super-slow since v2.1",
        "wlan im büro ist 802.11ax",
        "docker login -u ci -p $CI_PASSWORD registry.acme.test",
        "docker login -u ci --password-stdin registry.acme.test",
        "backup codes: 3 of 10 are left",
        "naïve “quotes”, 1–2 m², ½ cup, ①②③, the ﬁrst of ５ runs",
        "全角テキスト：こんにちは　世界",
    ] {
        assert_eq!(redactor().redact(text).text, text);
    }
}

#[test]
fn only_the_secret_of_a_text_with_unusual_characters_changes() {
    let shown = redactor().redact("Größe\u{a0}５ — PASSWORD\u{a0}：\u{a0}Ｏtterpond９, 日本語").text;
    assert_eq!(shown, "Größe\u{a0}５ — PASSWORD\u{a0}：\u{a0}[password 1], 日本語");
}

#[test]
fn equal_values_have_the_same_number() {
    let text = "password: Tr0ub4dor&3, the old password: kX9$mQ2vL, and again password: Tr0ub4dor&3";
    let shown = redactor().redact(text).text;
    assert_eq!(shown, "password: [password 1], the old password: [password 2], and again password: [password 1]");
}

#[test]
fn trigger_words_and_marks_grow_linearly_with_the_text() {
    let text = "the password is hunter2, call +49 171 2345678 or write to jane@acme.dev\n";
    let (once, often) = (count_words(text), count_words(&text.repeat(50)));
    assert!(once > 0 && often <= once * 51, "{once} {often}");
    let marks = redactor().redact(&text.repeat(50)).marks.len();
    assert_eq!(marks, redactor().redact(text).marks.len() * 50);
}

#[test]
fn a_secret_that_is_found_once_is_redacted_everywhere() {
    let text = "the password is Otter-pond9, then run `app.jar ops Otter-pond9`; on the old box otter_pond8 may work";
    let shown = redactor().redact(text).text;
    let expected =
        "the password is [password 1], then run `app.jar ops [password 1]`; on the old box [password 2] may work";
    assert_eq!(shown, expected);
    let harmless = "run `app.jar ops Otter-pond9`";
    assert_eq!(redactor().redact(harmless).text, harmless);
}

#[test]
fn an_identifier_is_classified_by_its_most_specific_word() {
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
fn custom_rules_are_applied() {
    let redactor =
        Redactor::new(&options(&[("badge", r"badge (\d{4})"), ("project", "Nightjar")], &[])).expect("valid options");
    assert_eq!(redactor.redact("badge 1234 for Nightjar").text, "badge [badge 1] for [project 1]");
    assert_eq!(redactor.redact("badge [badge 1] for [project 1]").text, "badge [badge 1] for [project 1]");
}

#[test]
fn muted_kinds_are_not_redacted() {
    let text = "write to jane@acme.dev, password: Tr0ub4dor&3";
    let muted = Redactor::new(&options(&[], &["mail"])).expect("valid options");
    assert_eq!(muted.redact(text).text, "write to jane@acme.dev, password: [password 1]");
    let secrets = Options { personal: false, ..Options::default() };
    assert_eq!(Redactor::new(&secrets).expect("valid options").redact(text).text, muted.redact(text).text);
    assert_eq!(Redactor::secrets_only().redact(text).text, muted.redact(text).text);
    for kind in kinds() {
        assert!(Redactor::new(&options(&[], &[kind])).is_ok(), "{kind}");
    }
}

#[test]
fn an_invalid_rule_is_refused_with_a_reason() {
    let invalid =
        |add: &[(&str, &str)], mute: &[&str]| Redactor::new(&options(add, mute)).expect_err("invalid options");
    for pattern in ["(", "a*", "(?:a{1000}){1000}", r"(a)\1"] {
        let found = invalid(&[("good", "x"), ("worse", pattern)], &[]);
        assert_eq!((found.list, found.index), (RuleList::Custom, 1));
        assert!(found.reason.contains("worse") && !found.reason.contains('\n'), "{found:?}");
    }
    assert_eq!(invalid(&[("Not a kind", "x")], &[]).index, 0);
    let found = invalid(&[], &["mail", "no-such-rule"]);
    assert_eq!((found.list, found.index), (RuleList::Mute, 1));
    assert!(found.reason.contains("no-such-rule"), "{found:?}");
}
