use proptest::prelude::*;

use super::*;

const TALK: &[(&str, &str, &str)] = &[
    ("msg_01", "Mara", "The release of billing slips to Thursday, Nov 19, at 10:30. We lose about 12 % of the orders."),
    (
        "msg_02",
        "Coder",
        "The migration fails on 1,204 invoices without a currency; see src/billing/migrate.rs and PR-88.",
    ),
    ("msg_03", "Jürgen Weiß", "I can stay three hours longer. Ask Ines, or write to @ops: \"do not retry by hand\"."),
    ("msg_04", "Ines", "It costs $50 a day. The key was [aws-key 1]; version v2.4.1 is out."),
];

fn said() -> Vec<SourceText<'static>> {
    TALK.iter().map(|&(id, name, text)| SourceText { id, name, text }).collect()
}

fn refused(summary: &str) -> String {
    match check(summary, &said()) {
        Err(Unfaithful::Unknown(name)) => name,
        other => format!("{other:?}"),
    }
}

#[test]
fn a_paraphrase_of_the_source_is_accepted() {
    for summary in [
        "Mara says that billing's release is delayed to Thursday at 10:30.",
        "The migration fails for 1204 invoices. Coder points to PR-88 and `src/billing/migrate.rs`.",
        "Jürgen Weiß offers 3 hours more, and Ines should be asked.",
        "They lose about 12 percent of the orders; it costs 50 dollars a day.",
        "- Mara: the release slips to November 19.\n- Ines: costs are $50 a day.\n",
        "1. Release on Thursday\n2. Migrating fails without a currency",
        "Ines lost [aws-key 1], and v2.4.1 is out (msg_04).",
        "@ops is told \"do not retry by hand\".",
        "Das Release ist am Thursday, und Mara verliert 12 % der orders.",
        "Selon Mara, la migration échoue sur 1.204 invoices.",
        "A twelve percent loss is expected, and I quote Ines.",
    ] {
        assert_eq!(check(summary, &said()), Ok(()), "{summary}");
    }
}

#[test]
fn invented_names_are_found_anywhere() {
    for (summary, name) in [
        ("Bob delays the release.", "Bob"),
        ("The release is delayed by Bob.", "Bob"),
        ("Mara and Bob's team wait.", "Bob"),
        ("The release slips.\nKowalski agrees.", "Kowalski"),
        ("Mara uses GCP for it.", "GCP"),
        ("Mara schreibt an Herrn Schmidt.", "Herrn"),
        ("Мара ждёт Ивана.", "Мара"),
        ("Mara asks Inès.", "Inès"),
        ("The release slips to Friday.", "Friday"),
        ("Mara waits for plan B.", "B"),
    ] {
        assert_eq!(refused(summary), name, "{summary}");
    }
}

#[test]
fn invented_numbers_are_found_in_digits_and_words() {
    for (summary, number) in [
        ("The migration fails on 1,205 invoices.", "1,205"),
        ("About 21 % of the orders are lost.", "21"),
        ("Mara wants four hours.", "four"),
        ("It costs 50% a day.", "50"),
        ("It costs €50 a day.", "50"),
        ("It costs $120 a day.", "120"),
        ("The release is in 2027.", "2027"),
        ("Twenty-five orders are lost.", "twenty five"),
        ("Mara wartet seit fünf Tagen.", "fünf"),
        ("The release starts at 11:30.", "11:30"),
        ("The release is on 2026-11-19.", "2026-11-19"),
        ("About １３ orders are lost.", "13"),
    ] {
        assert_eq!(refused(summary), number, "{summary}");
    }
}

#[test]
fn addresses_identifiers_mentions_and_quotes_must_occur_unchanged() {
    for (summary, name) in [
        ("See https://evil.example/x for more.", "https://evil.example/x"),
        ("Coder points to src/billing/other.rs.", "src/billing/other.rs"),
        ("Coder points to PR-89.", "PR-89"),
        ("Ask @op about it.", "@op"),
        ("Ask @operators about it.", "@operators"),
        ("The variable max_retries is wrong.", "max_retries"),
        ("The version v2.4 is out.", "v2.4"),
        ("Mara says \"do retry by hand\".", "do retry by hand"),
        ("Mara sagt „alles neu“.", "alles neu"),
        ("Run `rm -rf` first.", "rm -rf"),
        ("The key was [aws-key 2].", "aws-key 2"),
        ("It is told in msg_09.", "msg_09"),
        ("Write to ines@ops.example.", "ines@ops.example"),
    ] {
        assert_eq!(refused(summary), name, "{summary}");
    }
}

#[test]
fn text_without_capitals_may_only_use_words_of_the_source() {
    let said = [
        SourceText { id: "m", name: "王", text: "明天下午发布新版本。" },
        SourceText { id: "n", name: "دينا", text: "الموعد غدا" },
    ];
    assert_eq!(check("王明天发布新版本。", &said), Ok(()));
    assert_eq!(check("دينا: الموعد غدا", &said), Ok(()));
    assert_eq!(check("李明天发布新版本。", &said), Err(Unfaithful::Unknown("李明天发布新版本".into())));
    assert_eq!(check("سامي: الموعد", &said), Err(Unfaithful::Unknown("سامي".into())));
}

#[test]
fn empty_too_long_and_invisible_texts_are_refused() {
    assert_eq!(check(" \n", &said()), Err(Unfaithful::Length(2)));
    let long = "the ".repeat(limits::SUMMARY_CHARS_MAX);
    assert_eq!(check(&long, &said()), Err(Unfaithful::Length(long.len())));
    for sign in ['\u{200B}', '\u{202E}', '\u{E0041}', '\u{7}', '\u{FEFF}'] {
        assert_eq!(check(&format!("the release{sign} slips"), &said()), Err(Unfaithful::Invisible));
    }
}

#[test]
fn lookalike_letters_make_another_name() {
    assert_eq!(refused("М\u{430}ra delays it."), "М\u{430}ra");
    assert_eq!(check("Ｍａｒａ delays it.", &said()), Ok(()));
}

#[test]
fn without_sources_every_name_is_refused() {
    assert_eq!(check("Mara agrees.", &[]), Err(Unfaithful::Unknown("Mara".into())));
    assert_eq!(check("They agreed on it.", &[]), Ok(()));
}

proptest! {
    #[test]
    fn an_invented_name_or_number_is_always_refused(
        name in "[A-Z][a-z]{5,9}qx", number in 2_000u64..1_000_000, start in any::<bool>(),
    ) {
        let shown = if start { format!("{name} waits.") } else { format!("Then {name} waits.") };
        prop_assert_eq!(check(&shown, &said()), Err(Unfaithful::Unknown(name)));
        let shown = format!("The loss is {number}.");
        prop_assert_eq!(check(&shown, &said()), Err(Unfaithful::Unknown(number.to_string())));
    }

    #[test]
    fn no_text_causes_a_panic(summary in "\\PC{0,200}", source in "\\PC{0,200}") {
        let said = [SourceText { id: "m", name: "Mara", text: &source }];
        let _ = check(&summary, &said);
        prop_assert!(check(&summary, &said) == check(&summary, &said));
    }
}
