//! Texts decoded in a wrong encoding are repaired, and correct texts stay unchanged.

use parlour_dialects::mojibake::{repair, repair_value};
use proptest::prelude::*;
use serde_json::json;

/// Windows-1252 from 0x80 to 0x9F, with control characters for the five bytes that mean nothing.
const WINDOWS_1252: &str = "€\u{81}‚ƒ„…†‡ˆ‰Š‹Œ\u{8d}Ž\u{8f}\u{90}‘’“”•–—˜™š›œ\u{9d}žŸ";
/// Mac Roman from 0x80 to 0xFF.
const MAC_ROMAN: &str = "ÄÅÇÉÑÖÜáàâäãåçéèêëíìîïñóòôöõúùûü†°¢£§•¶ß®©™´¨≠ÆØ∞±≤≥¥µ∂∑∏π∫ªºΩæø\
    ¿¡¬√ƒ≈∆«»…\u{a0}ÀÃÕŒœ–—“”‘’÷◊ÿŸ⁄€‹›ﬁﬂ‡·‚„‰ÂÊÁËÈÍÎÏÌÓÔ\u{f8ff}ÒÚÛÙıˆ˜¯˘˙˚¸˝˛ˇ";

fn latin_1(byte: u8) -> char {
    char::from(byte)
}

fn windows_1252(byte: u8) -> char {
    let index = usize::from(byte).wrapping_sub(0x80);
    WINDOWS_1252.chars().nth(index).unwrap_or_else(|| char::from(byte))
}

fn mac_roman(byte: u8) -> char {
    let index = usize::from(byte).wrapping_sub(0x80);
    MAC_ROMAN.chars().nth(index).unwrap_or_else(|| char::from(byte))
}

/// Reads the bytes of a text in a wrong table.
fn damage(text: &str, table: WrongTable) -> String {
    text.bytes().map(table).collect()
}

type WrongTable = fn(u8) -> char;

const TABLES: [(&str, WrongTable); 3] =
    [("latin-1", latin_1), ("windows-1252", windows_1252), ("mac roman", mac_roman)];

/// Correct texts of many languages, among them those that look most like damage.
const RIGHT: &[&str] = &[
    "Grüße aus Köln, Ärger, Öl, Übermut, Maß",
    "„Spaß“ und »Fuß«, heiß… „DIE Ä“ groß”",
    "l’été, d’être, qu’à Noël, “Éric”, «École», —Él, …à, “À bientôt”",
    "Voilà\u{a0}», dit-il. Il a mangé…” Le café\u{a0}»",
    "CAFÉ» CAFÉ® BEYONCÉ’s ÇA… L’ÎLE ÎLE É… À",
    "¿Qué? ¡Sí! mañana, pingüino, “Ñandú”, AÑO…",
    "São Paulo, irmã…” NÃO, IRMÃ” maçã, MAÇû, coração",
    "Úžasný den, žluťoučký kůň, Úžice, příliš",
    "Õõnes, „Öö“, ‚Öö‘, „Ääres“ jäääär, õhtuõpik",
    "Tiếng Việt có dấu: phở, đường, Ưu tiên, Ồ",
    "Ελληνικά: καλημέρα, ώρα, Ω",
    "Привет, мир! Ёжик, щука",
    "日本語、中文、한국어、ไทย, עברית, العربية",
    "👍 ✅ ⚠️ 👩‍💻 🏠 🔧 ❌ ☕️",
    "£10–£20, €5–€10, “£5”, 72°F, ±5 µm, ½, 3×”, x²",
    "√π ≈π 2√πr ∆± conﬁé ﬂûte",
    "Þórður, Ísafjörður, Ærø, Ålesund, smørrebrød",
    "İstanbul, Şişli, ığdır, çağ",
    "naïve façade, coöperate, Ångström, œuvre, Œdipe",
    "plain ASCII with \"quotes\" and 'marks'",
    "",
];

#[test]
fn correct_texts_stay_unchanged() {
    for text in RIGHT {
        assert_eq!(repair(text), None, "{text}");
        for word in text.split(' ') {
            assert_eq!(repair(word), None, "{word}");
        }
    }
}

#[test]
fn the_damaged_texts_of_the_seeds_are_repaired() {
    for (damaged, right) in [
        ("‚úÖ", "✅"),
        ("\u{f8ff}üè†", "🏠"),
        ("üè†", "🏠"),
        ("‚ö†Ô∏è", "⚠️"),
        ("\u{f8ff}üîß", "🔧"),
        ("üîß", "🔧"),
        ("‚ùå", "❌"),
        ("72Â°F", "72°F"),
        ("Legend: ‚úÖ works, ‚ùå does not, üè† home", "Legend: ✅ works, ❌ does not, 🏠 home"),
    ] {
        assert_eq!(repair(damaged).as_deref(), Some(right), "{damaged}");
    }
}

#[test]
fn words_of_many_languages_are_repaired_in_every_table() {
    for right in [
        "Käse",
        "Österreich",
        "GRÖSSE",
        "café",
        "école",
        "Français",
        "mañana",
        "señor ¿qué?",
        "coração",
        "Łódź",
        "żółć",
        "škoda",
        "Şişli",
        "Dvořák",
        "vēl",
        "Việt",
        "Привет",
        "и да",
        "καλημέρα",
        "α",
        "日本語",
        "中文",
        "한국어",
        "שלום",
        "it’s",
        "“so”",
        "a – b",
        "wait…",
        "5 €",
        "™",
        "25 °C",
        "👍",
        "👩‍💻 ok",
        "naïve",
        "où",
        "ça",
    ] {
        for (name, table) in TABLES {
            let damaged = damage(right, table);
            assert_eq!(repair(&damaged).as_deref(), Some(right), "{name}: {damaged}");
        }
    }
}

#[test]
fn repeated_damage_is_repaired() {
    for right in ["café", "it’s", "✅ fertig", "Привет"] {
        for (name, table) in TABLES {
            let twice = damage(&damage(right, table), table);
            assert_eq!(repair(&twice).as_deref(), Some(right), "{name}: {twice}");
            let thrice = damage(&twice, table);
            assert_eq!(repair(&thrice).as_deref(), Some(right), "{name}: {thrice}");
        }
        let mixed = damage(&damage(right, mac_roman), windows_1252);
        assert_eq!(repair(&mixed).as_deref(), Some(right), "{mixed}");
    }
}

#[test]
fn a_doubtful_run_is_repaired_if_another_one_is_certain() {
    // A dash and a sign are correct; a single damaged letter can look the same.
    assert_eq!(repair("–∏"), None);
    // Alone, this could be a quoted capital; beside certain damage it is damaged too.
    assert_eq!(repair("Ä“"), None);
    // This could be Norwegian as well as a damaged Czech name.
    assert_eq!(repair("Å\u{a0}koda"), None);
    assert_eq!(repair("Ä“ Ä“na vÄ“l").as_deref(), Some("ē ēna vēl"));
}

#[test]
fn a_run_with_correct_and_damaged_characters_is_unchanged() {
    assert_eq!(repair("✅‚úÖ"), None);
    assert_eq!(repair("✅ ‚úÖ").as_deref(), Some("✅ ✅"));
}

#[test]
fn all_texts_of_a_value_except_keys_are_repaired_and_counted() {
    let mut value = json!({"cafÃ©": "cafÃ©", "list": ["72Â°F", 1, null, {"x": "ok"}], "right": "café"});
    assert_eq!(repair_value(&mut value), 2);
    assert_eq!(value, json!({"cafÃ©": "café", "list": ["72°F", 1, null, {"x": "ok"}], "right": "café"}));
    assert_eq!(repair_value(&mut value), 0);
}

#[test]
fn long_texts_are_repaired() {
    let damaged = "Ã©Ã¨ ".repeat(100_000);
    assert_eq!(repair(&damaged).map(|repaired| repaired.len()), Some("éè ".len() * 100_000));
    assert_eq!(repair(&"é".repeat(300_000)), None);
    assert_eq!(repair(&"日本 ".repeat(100_000)), None);
}

/// Two or more consecutive non-ASCII characters: a single one can be ambiguous.
fn foreign_text() -> impl Strategy<Value = String> {
    prop_oneof![
        "[à-ÿÀ-ÖØ-Þ]{2,12}",
        "[а-яА-ЯёЁ]{2,12}",
        "[α-ωΑ-Ω]{2,12}".prop_filter("there is no such letter", |text| !text.contains('\u{3a2}')),
        "[ぁ-んァ-ヶ一-龥]{2,12}",
        "[\u{1f300}-\u{1f64f}]{2,6}",
        "[\u{a1}-\u{d7ff}]{2,12}",
    ]
}

/// Arbitrary text, or ASCII around a damaged word.
fn maybe_damaged_text() -> impl Strategy<Value = String> {
    let damaged = ("[ -~]{0,9}", foreign_text(), prop::sample::select(TABLES.to_vec()), "[ -~]{0,9}")
        .prop_map(|(before, word, (_, table), after)| format!("{before} {} {after}", damage(&word, table)));
    prop_oneof![1 => any::<String>(), 3 => damaged]
}

proptest! {
    // Excluded are the texts that are themselves the damaged form of another text: they are ambiguous.
    #[test]
    fn windows_and_latin_1_damage_is_repaired(text in foreign_text()) {
        for table in [latin_1, windows_1252] {
            let damaged = damage(&text, table);
            prop_assume!(repair(&text).is_none());
            prop_assert_eq!(repair(&damaged), Some(text.clone()), "{}", damaged);
        }
    }

    // Mac Roman has one more exception: a run that is valid in both tables is read in the other one.
    #[test]
    fn mac_roman_damage_is_repaired_unless_it_could_be_western(text in foreign_text()) {
        let damaged = damage(&text, mac_roman);
        let western: Option<Vec<u8>> = damaged.chars().map(western_byte).collect();
        prop_assume!(western.is_none_or(|bytes| String::from_utf8(bytes).is_err()));
        prop_assume!(repair(&text).is_none());
        prop_assert_eq!(repair(&damaged), Some(text), "{}", damaged);
    }

    #[test]
    fn repair_shortens_the_text_and_keeps_its_ascii_characters(text in maybe_damaged_text()) {
        if let Some(repaired) = repair(&text) {
            let ascii = |text: &str| text.chars().filter(char::is_ascii).collect::<String>();
            prop_assert_eq!(ascii(&repaired), ascii(&text));
            prop_assert!(repaired.len() < text.len());
        }
    }

    #[test]
    fn words_in_punctuation_are_never_changed(
        word in "[«“‘„‚—–…]{0,2}([ÉÄÖÜÇÑÕÚ][a-z]{1,5}|[a-z]{0,5})[äöüßéèàçñõš]?[a-z]{0,4}[»”’“…–—\u{a0}]{0,2}",
    ) {
        prop_assert_eq!(repair(&word), None);
    }
}

fn western_byte(sign: char) -> Option<u8> {
    (0x80..=u8::MAX).find(|byte| windows_1252(*byte) == sign || latin_1(*byte) == sign)
}
