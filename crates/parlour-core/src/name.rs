//! Names of members, channels and projects: readable, typeable, and hard to confuse with one another.

use std::{collections::HashSet, fmt, str::FromStr, sync::Arc, sync::LazyLock};

use unicode_normalization::UnicodeNormalization;
use unicode_security::skeleton;

use crate::{
    Code, Refusal,
    id::{MemberId, text_serde},
    limits,
};

mod spelling;

/// Words with a special meaning, and names of authors that are not members: no member can have such a name.
const RESERVED: &str = "agents all applet assistant channel everyone here host hub me nobody parlour people scheduler \
                        system tool user you";

/// Rounds until a key is stable; two are the most that are known to be needed.
const KEY_ROUNDS_MAX: usize = 4;

/// The name of a member, channel or project, in NFC.
///
/// It holds letters and digits of one script (or of a mixture that is usual, such as Japanese with Latin), single
/// blanks, `-`, `_`, `.` and `'`; it starts and ends with a letter or digit, is not reserved and is no id.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "schema", schema(value_type = String, min_length = 1, max_length = 64, example = "Coder-2"))]
pub struct Name(Arc<str>);

impl Name {
    /// Parses a name, or returns which character or rule forbids it.
    pub fn parse(text: &str) -> Result<Self, Refusal> {
        let name: String = text.nfc().take(limits::NAME_CHARS_MAX + 1).collect();
        check_length(&name)?;
        spelling::check_letters(&name)?;
        spelling::check_scripts(&name)?;
        check_meaning(&name)?;
        Ok(Self(name.into()))
    }

    /// The name as it is shown.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The key that two confusable names share; only one of them can exist in one place.
    pub fn key(&self) -> NameKey {
        // Capital i and small L look alike, and capital and small i are the same letter: so all three are one.
        NameKey(outline(&self.0).replace('i', "l"))
    }

    /// The form in which texts are compared without case.
    pub fn fold(text: &str) -> String {
        if text.is_ascii() {
            return text.to_ascii_lowercase();
        }
        // Upper case maps `ß` and `SS` to the same text; lower case before it maps `ẞ` to `ß`. Both can decompose
        // letters.
        let upper = text.nfc().flat_map(char::to_lowercase).flat_map(char::to_uppercase);
        upper.flat_map(char::to_lowercase).nfc().collect()
    }
}

/// A key that two words share if a reader could confuse them, whatever letters they consist of. It is for comparison
/// only.
pub fn look_of(word: &str) -> String {
    outline(&word.nfkc().collect::<String>())
}

/// The key of confusable names: equal keys mean that a reader could confuse the names.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NameKey(String);

impl NameKey {
    /// The key as it is stored. It is for comparison only and reads oddly.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for Name {
    type Err = Refusal;

    fn from_str(text: &str) -> Result<Self, Refusal> {
        Self::parse(text)
    }
}

impl fmt::Display for Name {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

text_serde!(Name);

/// The skeleton of a text: without case, with confusable characters and separators unified.
fn outline(text: &str) -> String {
    let mut outline = text.to_owned();
    for _ in 0..KEY_ROUNDS_MAX {
        // A confusable character can be a capital letter (`0` is `O`), so folding is repeated until nothing changes.
        let next: String = skeleton(&join_separators(&Name::fold(&outline))).collect();
        if next == outline {
            break;
        }
        outline = next;
    }
    outline
}

fn join_separators(text: &str) -> String {
    text.split([' ', '-', '_', '.']).filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
}

fn check_length(name: &str) -> Result<(), Refusal> {
    match name.chars().count() {
        0 => Err(bad_name("a name needs at least one character")),
        count if count > limits::NAME_CHARS_MAX => {
            Err(bad_name(format!("a name has at most {} characters", limits::NAME_CHARS_MAX)))
        }
        _ => Ok(()),
    }
}

fn check_meaning(name: &str) -> Result<(), Refusal> {
    static LOOKS: LazyLock<HashSet<String>> = LazyLock::new(reserved_looks);
    if LOOKS.contains(&outline(name)) || LOOKS.contains(&skeleton(name).collect::<String>()) {
        return Err(bad_name(format!("{name:?} is reserved or too similar to a reserved name")));
    }
    if name.parse::<MemberId>().is_ok() {
        return Err(bad_name(format!("{name:?} has the form of an id")));
    }
    Ok(())
}

/// How reserved names look: without regard to case, and in their usual spelling, where `AII` (with capital i) looks
/// like `All`.
fn reserved_looks() -> HashSet<String> {
    let looks = |word: &str| {
        let titled = word[..1].to_uppercase() + &word[1..];
        [outline(word), skeleton(word).collect(), skeleton(&titled).collect()]
    };
    RESERVED.split_whitespace().flat_map(looks).collect()
}

fn bad_name(detail: impl Into<String>) -> Refusal {
    Refusal::new(Code::BadName, detail)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn name(text: &str) -> Name {
        Name::parse(text).unwrap_or_else(|refusal| panic!("{text}: {refusal}"))
    }

    fn detail(text: &str) -> String {
        let refusal = Name::parse(text).expect_err(text);
        assert_eq!(refusal.code, Code::BadName, "{text}");
        refusal.detail
    }

    #[test]
    fn a_name_is_kept_in_composed_form() {
        assert_eq!(name("Jose\u{301}").as_str(), "José");
    }

    #[test]
    fn a_name_has_1_to_64_characters() {
        assert!(detail("").contains("at least one"));
        assert!(detail(&"x".repeat(65)).contains("at most 64"));
        assert_eq!(name(&"ö".repeat(64)).as_str().chars().count(), 64);
    }

    #[test]
    fn reserved_names_and_their_look_alikes_are_refused() {
        let look_alikes = "System EVERYONE H0ST h0st hоst Сhannel ChanneI AII a1l T00l Мe";
        for text in RESERVED.split_whitespace() {
            assert!(detail(text).contains("reserved"), "{text}");
        }
        for text in look_alikes.split_whitespace() {
            assert!(Name::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn an_id_of_a_member_is_refused_as_a_name() {
        assert!(detail("agt_1").contains("form of an id"));
        assert!(detail("per_x-y").contains("form of an id"));
    }

    #[test]
    fn words_in_similar_letters_have_the_same_look() {
        for word in ["from", "FROM", "fr\u{43e}m", "\u{ff46}\u{ff52}\u{ff4f}\u{ff4d}", "\u{1d41f}rom"] {
            assert_eq!(look_of(word), look_of("from"), "{word}");
        }
        assert_ne!(look_of("form"), look_of("from"));
    }

    #[test]
    fn look_alikes_share_a_key() {
        let pairs = "Coder-2=coder 2|Coder_2=Coder.2|Coder=CODER|Coco=Сосо|Agent 0=Agent O|Agent 1=Agent l|AI=Al\
                     |Straße=STRASSE|morn=mom|ΟΔΟΣ=οδος|J. Doe=J-Doe";
        for (left, right) in pairs.split('|').filter_map(|pair| pair.split_once('=')) {
            assert_eq!(name(left).key(), name(right).key(), "{left} and {right}");
        }
    }

    #[test]
    fn different_names_have_different_keys() {
        let pairs = "Coder=Coder-2|Coder2=Coder 2|Jose=José|OBrien=O'Brien|2=3";
        for (left, right) in pairs.split('|').filter_map(|pair| pair.split_once('=')) {
            assert_ne!(name(left).key(), name(right).key(), "{left} and {right}");
        }
    }

    #[test]
    fn folding_covers_letters_beyond_ascii() {
        assert_eq!(Name::fold("ÄRGER"), Name::fold("a\u{308}rger"));
        assert_eq!((Name::fold("Straße"), Name::fold("STRAẞE")), ("strasse".to_owned(), "strasse".to_owned()));
    }

    /// Texts that resemble names, from scripts with case, marks and confusable characters.
    pub(super) fn near_names() -> impl Strategy<Value = String> {
        prop_oneof![
            "[a-zA-Z0-9]{1,3}[a-zA-Z0-9 ._'-]{0,10}",
            "[a-zA-ZÀ-ɏ]{1,12}",
            "[Α-ωА-я]{1,8}",
            "\\p{L}{1,3}",
            "[a-z\u{300}-\u{345}]{1,6}",
            ".{0,70}",
        ]
    }

    proptest! {
        #[test]
        fn parsing_twice_changes_nothing(text in near_names()) {
            if let Ok(once) = Name::parse(&text) {
                prop_assert_eq!(Name::parse(once.as_str()).expect("own text"), once);
            }
        }

        #[test]
        fn accepted_names_survive_json(text in near_names()) {
            if let Ok(name) = Name::parse(&text) {
                let json = serde_json::to_string(&name).expect("text");
                prop_assert_eq!(serde_json::from_str::<Name>(&json).expect("own text"), name);
            }
        }

        #[test]
        fn names_that_differ_only_in_case_share_a_key(text in near_names()) {
            let upper = text.to_uppercase();
            if let (Ok(name), Ok(upper)) = (Name::parse(&text), Name::parse(&upper)) {
                prop_assert_eq!(name.key(), upper.key());
                prop_assert_eq!(Name::fold(name.as_str()), Name::fold(upper.as_str()));
            }
        }

        #[test]
        fn folding_twice_changes_nothing(text in near_names()) {
            let fold = Name::fold(&text);
            prop_assert_eq!(Name::fold(&fold), fold);
        }

        #[test]
        fn equal_folds_mean_equal_keys(left in "[a-cA-C -]{1,3}", right in "[a-cA-C -]{1,3}") {
            if let (Ok(left), Ok(right)) = (Name::parse(&left), Name::parse(&right))
                && Name::fold(left.as_str()) == Name::fold(right.as_str())
            {
                prop_assert_eq!(left.key(), right.key());
            }
        }
    }
}
