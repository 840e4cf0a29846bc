//! Word lists, included from `words/` at build time.
//!
//! A file holds one purpose and one language; `other_` files hold several languages with few words each, and `any_` files
//! hold technical terms. Each line is one word in lower case. Lines that start with `#` are comments. A word with
//! leading or trailing spaces, or that starts with a quotation mark, is quoted.

use std::{
    collections::{HashMap, HashSet},
    ops::Deref,
    sync::LazyLock,
};

/// Words of one purpose, in all languages. It derefs to a slice.
pub(crate) struct WordList {
    words: Vec<&'static str>,
    lookup: HashSet<&'static str>,
}

impl WordList {
    /// The words of some files. Panics if there are none: an empty list would switch a detector off.
    fn read(files: &[&'static str]) -> Self {
        let words: Vec<_> = files.iter().flat_map(|file| file.lines()).filter_map(word).collect();
        assert!(!words.is_empty(), "a word list is empty");
        let lookup = words.iter().copied().collect();
        Self { words, lookup }
    }

    pub(crate) fn contains(&self, word: &str) -> bool {
        self.lookup.contains(word)
    }
}

impl Deref for WordList {
    type Target = [&'static str];

    fn deref(&self) -> &Self::Target {
        &self.words
    }
}

/// Declares word lists by their files, and an index of them for the test.
macro_rules! word_lists {
    ($($name:ident = $($file:literal)+;)+) => {
        $(pub(crate) static $name: LazyLock<WordList> =
            LazyLock::new(|| WordList::read(&[$(include_str!(concat!("../words/", $file, ".txt"))),+]));)+

        #[cfg(test)]
        static ALL: &[(&str, &LazyLock<WordList>)] = &[$((stringify!($name), &$name)),+];
    };
}

word_lists! {
    ALGORITHM_PREFIXES = "any_algorithm_prefixes";
    CHANGE_VERBS = "en_change_verbs" "other_change_verbs";
    CODE_IDENTIFIERS = "any_code_identifiers";
    CODE_NOUNS = "any_code_nouns";
    COMMON_PASSWORDS = "en_common_passwords" "other_common_passwords";
    COMPOUND_ENDINGS = "en_compound_endings";
    COUNT_CONNECTORS = "en_count_connectors";
    DATA_KEY_QUALIFIERS = "en_data_key_qualifiers";
    DEFAULT_USERS = "en_default_users" "other_default_users";
    DESCRIPTIVE_SUFFIXES = "en_descriptive_suffixes" "de_descriptive_suffixes" "other_descriptive_suffixes";
    DOCUMENT_EXTENSIONS = "any_document_extensions";
    ENCODING_WORDS = "en_encoding_words";
    ENCRYPTED_THINGS = "en_encrypted_things";
    ENGLISH_PHRASE_CONNECTORS = "en_phrase_connectors";
    FIELD_NAMES = "en_field_names" "other_field_names";
    FILE_EXTENSIONS = "any_file_extensions";
    FINGERPRINT_QUALIFIERS = "en_fingerprint_qualifiers";
    IDIOM_CONNECTORS = "en_idiom_connectors" "other_idiom_connectors";
    IDIOM_STARTS = "en_idiom_starts" "other_idiom_starts";
    KEY_PURPOSES = "en_key_purposes";
    LABEL_COMPOUNDS = "en_label_compounds";
    LIKELY_PREFIX_WORDS = "en_likely_prefix_words";
    LOCKED_DEVICES = "en_locked_devices" "other_locked_devices";
    LOCKED_THINGS = "en_locked_things" "de_locked_things" "fr_locked_things" "es_locked_things" "other_locked_things";
    LOGIN_HINTS = "en_login_hints" "other_login_hints";
    LOGIN_PHRASES = "en_login_phrases" "other_login_phrases";
    LOGIN_TRAILS = "en_login_trails" "other_login_trails";
    LOGIN_WORDS = "en_login_words" "other_login_words";
    MESSAGE_NAMESPACES = "en_message_namespaces";
    METADATA_SUFFIXES = "en_metadata_suffixes";
    MODIFIER_KEYS = "any_modifier_keys";
    MONTH_PREFIXES = "en_month_prefixes" "other_month_prefixes";
    NAMED_NOUNS = "en_named_nouns" "other_named_nouns";
    NAME_PREPOSITIONS = "en_name_prepositions" "de_name_prepositions" "other_name_prepositions";
    NETWORK_QUALIFIERS = "en_network_qualifiers" "other_network_qualifiers";
    NETWORK_WORDS = "en_network_words" "other_network_words";
    NON_USERS = "any_non_users";
    NON_VALUES = "en_non_values" "de_non_values" "other_non_values";
    NOTE_WORDS = "en_note_words" "de_note_words";
    NUMBERED_NOUNS = "en_numbered_nouns";
    NUMBER_LEADS = "en_number_leads" "other_number_leads";
    NUMBER_QUALIFIERS = "en_number_qualifiers" "de_number_qualifiers" "other_number_qualifiers";
    PAIRED_NOUNS = "en_paired_nouns";
    PAIR_LEADS = "en_pair_leads" "other_pair_leads";
    PAIR_PREPOSITIONS = "en_pair_prepositions" "other_pair_prepositions";
    PASSPHRASE_CONNECTORS = "en_passphrase_connectors";
    PASSPHRASE_ENDS = "en_passphrase_ends" "de_passphrase_ends" "other_passphrase_ends";
    PASSPHRASE_LEADS = "en_passphrase_leads" "other_passphrase_leads";
    PASSWORD_LEADS = "en_password_leads" "de_password_leads" "fr_password_leads" "other_password_leads";
    PASSWORD_MANAGERS = "any_password_managers";
    PASSWORD_REMARKS = "en_password_remarks" "other_password_remarks";
    PASSWORD_TRAILS = "en_password_trails" "de_password_trails" "other_password_trails";
    PASS_PREFIXES = "any_pass_prefixes";
    PHRASE_CONNECTORS = "en_phrase_connectors" "de_phrase_connectors" "fr_phrase_connectors" "es_phrase_connectors" "other_phrase_connectors";
    PLACEHOLDER_PARTS = "en_placeholder_parts";
    PLACE_PREPOSITIONS = "en_place_prepositions" "other_place_prepositions";
    PRODUCTS = "any_products";
    PROXY_DIRECTIVES = "any_proxy_directives";
    PUBLIC_CODE_QUALIFIERS = "en_public_code_qualifiers";
    PUBLIC_KEY_QUALIFIERS = "en_public_key_qualifiers";
    PUBLIC_PREFIX_WORDS = "en_public_prefix_words";
    PUBLIC_TOKEN_LABELS = "en_public_token_labels";
    REFERENCE_VERBS = "en_reference_verbs" "other_reference_verbs";
    REGIONS = "any_regions";
    RENAME_VERBS = "en_rename_verbs" "other_rename_verbs";
    REVERSED_WORDS = "en_reversed_words" "other_reversed_words";
    SECRET_CODE_QUALIFIERS = "en_secret_code_qualifiers" "other_secret_code_qualifiers";
    SECRET_KEY_QUALIFIERS = "en_secret_key_qualifiers";
    SECRET_PREFIX_WORDS = "en_secret_prefix_words";
    SECRET_WORDS = "en_secret_words" "other_secret_words";
    SENTENCE_CONTINUATIONS = "en_sentence_continuations" "de_sentence_continuations" "fr_sentence_continuations" "es_sentence_continuations" "other_sentence_continuations";
    SENTENCE_WORDS = "en_sentence_words";
    SHARED_SECRET_QUALIFIERS = "en_shared_secret_qualifiers";
    SOURCE_EXTENSIONS = "any_source_extensions";
    SPELLING_LEADS = "en_spelling_leads" "other_spelling_leads";
    SPELLING_NOTES = "en_spelling_notes" "de_spelling_notes" "other_spelling_notes";
    TECHNICAL_TERMS = "any_technical_terms";
    TYPED_LEADS = "en_typed_leads" "other_typed_leads";
    UNITS = "en_units" "other_units";
    UNLOCK_WORDS = "en_unlock_words" "de_unlock_words" "other_unlock_words";
    USER_LABELS = "en_user_labels" "other_user_labels";
    WEB_APPLICATIONS = "any_web_applications";
    WORD_COUNT_NOUNS = "en_word_count_nouns" "other_word_count_nouns";
}

fn word(line: &'static str) -> Option<&'static str> {
    let is_word = !line.is_empty() && !line.starts_with('#');
    is_word.then(|| line.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or(line))
}

/// Whether a word belongs to a text about secrets rather than to a secret.
pub(crate) fn is_context_word(word: &str) -> bool {
    NON_VALUES.contains(word) || SENTENCE_WORDS.contains(word) || METADATA_SUFFIXES.contains(word)
}

/// What kind of secret a label announces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SecretClass {
    Password,
    Secret,
    Token,
    Key,
    Pin,
    Code,
    Credentials,
    /// A phrase about signing in or unlocking. Only values that look like a password by themselves are redacted.
    LoginPhrase,
    /// A service or account. Only values that look typed, and hardly like a name, are redacted.
    Service,
}

impl SecretClass {
    /// The kind in the mark.
    pub(crate) fn kind(self) -> &'static str {
        match self {
            Self::Password | Self::Credentials | Self::LoginPhrase | Self::Service => "password",
            Self::Secret => "secret",
            Self::Token => "token",
            Self::Key => "api-key",
            Self::Pin => "pin",
            Self::Code => "code",
        }
    }
}

/// A word that labels a secret.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SecretLabel {
    pub(crate) word: &'static str,
    pub(crate) class: SecretClass,
    /// Whether only a whole word is a label (`pw`, but not `pwned`). Others are labels as a suffix too: `dbpassword`.
    is_whole: bool,
}

/// All secret labels, in all languages.
pub(crate) static SECRET_LABELS: LazyLock<HashMap<&'static str, SecretLabel>> = LazyLock::new(|| {
    let files = [
        include_str!("../words/en_secret_labels.txt"),
        include_str!("../words/de_secret_labels.txt"),
        include_str!("../words/fr_secret_labels.txt"),
        include_str!("../words/other_secret_labels.txt"),
    ];
    let labels: HashMap<_, _> = files.iter().flat_map(|file| labels(file)).map(|label| (label.word, label)).collect();
    assert!(!labels.is_empty(), "there is no secret label");
    labels
});

/// The labels of a file. Section headers such as `[password suffix]` give the class and the position of the words below.
fn labels(file: &'static str) -> Vec<SecretLabel> {
    let mut section = None;
    let mut labels = Vec::new();
    for word in file.lines().filter_map(word) {
        if let Some(header) = word.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            section = Some(read_section(header));
            continue;
        }
        let (class, is_whole) = section.expect("a section header precedes the first word");
        labels.push(SecretLabel { word, class, is_whole });
    }
    labels
}

fn read_section(header: &str) -> (SecretClass, bool) {
    let class = match header.split(' ').next() {
        Some("password") => SecretClass::Password,
        Some("secret") => SecretClass::Secret,
        Some("token") => SecretClass::Token,
        Some("key") => SecretClass::Key,
        Some("pin") => SecretClass::Pin,
        Some("code") => SecretClass::Code,
        Some("credentials") => SecretClass::Credentials,
        Some("login_phrase") => SecretClass::LoginPhrase,
        Some("service") => SecretClass::Service,
        _ => unreachable!("unknown class of secret labels: {header}"),
    };
    match header.split(' ').nth(1) {
        Some("whole") => (class, true),
        Some("suffix") => (class, false),
        _ => unreachable!("unknown position of secret labels: {header}"),
    }
}

/// The label at the end of a part of an identifier: the longest one, so that `apikey` is not read as `key`. A trailing
/// number is ignored.
pub(crate) fn secret_label(part: &str) -> Option<&'static SecretLabel> {
    let without_number = part.trim_end_matches(|char: char| char.is_ascii_digit());
    longest_label(part).or_else(|| longest_label(without_number))
}

fn longest_label(part: &str) -> Option<&'static SecretLabel> {
    let fits = |start: usize, label: &&SecretLabel| {
        // `requirepass`: a whole word may follow a prefix that belongs to passwords; `bypass` is no label.
        let is_prefixed = || label.class == SecretClass::Password && PASS_PREFIXES.contains(&part[..start]);
        !label.is_whole || start == 0 || is_prefixed()
    };
    part.char_indices().find_map(|(start, _)| SECRET_LABELS.get(&part[start..]).filter(|label| fits(start, label)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_list_is_non_empty_and_without_duplicates() {
        for (name, list) in ALL {
            assert_eq!(list.len(), list.lookup.len(), "{name}");
        }
    }

    #[test]
    fn every_label_is_in_lower_case_or_has_a_lower_case_twin() {
        for word in SECRET_LABELS.keys() {
            assert!(SECRET_LABELS.contains_key(word.to_lowercase().as_str()), "{word}");
        }
    }
}
