//! Passphrases: some plain words that make no sentence.

use std::{ops::Range, sync::LazyLock};

use super::{
    super::{
        shape::Makeup,
        words::{AFTERTHOUGHTS, SENTENCE_WORDS, STOP_WORDS, UNITS},
    },
    key::{Class, Key},
    pattern,
};

/// `passphrase is four words: marble ostrich tundra gravy`, and passwords of applications in groups of four letters.
pub(super) fn phrase(key: &Key<'_>, window: &str) -> Option<Range<usize>> {
    static WORDS: LazyLock<Option<regex::Regex>> = LazyLock::new(|| {
        pattern(
            r"^(?:[ \t]+[^\s:=]{1,24}){0,9}?(?:[ \t]*[:=→]|[ \t]+(?:is|lautet|ist|est|es|er|är))[ \t]*\n?[\x22'`“„*]{0,3}((?:(?:[a-zà-ÿ]{3,12}|[0-9]{1,4})[ -]){2,23}(?:[a-zà-ÿ]{3,12}|[0-9]{1,4}))[\x22'`”“*]{0,3}[ \t]*(?:[.,;)!?\n]|$)",
        )
    });
    static QUOTED: LazyLock<Option<regex::Regex>> = LazyLock::new(|| {
        pattern(r"^[^\n\x22“„`]{0,60}[\x22“„`]((?:[A-Za-zÀ-ÿ]{2,12}[ -]){2,23}[A-Za-zÀ-ÿ]{2,12})[\x22”“`]")
    });
    // `Tortuga Lenta 8`: words that begin with capital letters and a number, up to the end of the line.
    static TITLED: LazyLock<Option<regex::Regex>> = LazyLock::new(|| {
        pattern(
            r"^(?:[ \t]+[^\s:=]{1,24}){0,6}(?:[ \t]*[:=→]|[ \t]+(?:is|ist|est|es|é|è))[ \t]*((?:[A-ZÀ-Þ][A-Za-zÀ-ÿ]{2,14} ){2,4}[0-9]{1,4})[ \t]*(?:[.,;\n]|$)",
        )
    });
    // `password: marble ostrich tundra gravy`: four words or more that say nothing, right behind the word.
    static UNQUOTED: LazyLock<Option<regex::Regex>> = LazyLock::new(|| {
        pattern(r"^[*_]{0,2}[ \t]*[:=→][*_]{0,2}[ \t]*((?:[a-z]{3,12}[ -]){3,7}[a-z]{3,12})[ \t]*(?:[.;)!\n]|$)")
    });
    // The same right behind the word, where somebody logs in.
    static BESIDE: LazyLock<Option<regex::Regex>> =
        LazyLock::new(|| pattern(r"^[ \t]+((?:[A-ZÀ-Þ][A-Za-zÀ-ÿ]{2,14} ){2,4}[0-9]{1,4})[ \t]*(?:[.,;\n]|$)"));
    static GROUPS: LazyLock<Option<regex::Regex>> = LazyLock::new(|| {
        pattern(
            r"^(?:[^\n:=]{0,40}?(?:[ \t]*[:=→]|[ \t]+is))?[ \t]*[\x22'`]?([A-Za-z0-9]{4}(?:[ -][A-Za-z0-9]{4}){2,7})(?:[^A-Za-z0-9-]|$)",
        )
    });
    if key.class != Class::Password {
        return None;
    }
    let name = key.name.to_lowercase();
    if name.ends_with("phrase") {
        let quoted = || QUOTED.as_ref()?.captures(window)?.get(1);
        let found = WORDS.as_ref()?.captures(window).and_then(|groups| groups.get(1)).or_else(quoted)?;
        let words = || found.as_str().split([' ', '-']);
        let stops = words().filter(|word| STOP_WORDS.contains(word)).count();
        let is_sentence = words().any(|word| SENTENCE_WORDS.contains(word)) || stops > words().count() / 4;
        // `minimum 5 words`: a number counts something, or stands among four words or more.
        let has_number = found.as_str().bytes().any(|byte| byte.is_ascii_digit());
        let is_count =
            has_number && (words().count() < 4 || words().any(|word| UNITS.contains(&word) && word.len() > 2));
        return (!is_sentence && !is_count).then(|| found.range());
    }
    if let Some(found) = UNQUOTED.as_ref()?.captures(window).and_then(|groups| groups.get(1)) {
        let is_said = |word: &str| {
            STOP_WORDS.contains(word)
                || SENTENCE_WORDS.contains(word)
                || AFTERTHOUGHTS.contains(word)
                || ["ed", "ing", "ly", "ten", "tion", "ment"].iter().any(|ending| word.ends_with(ending))
        };
        // What is meant by the best known of them is no judgement.
        if !found.as_str().trim_start_matches("correct ").split([' ', '-']).any(is_said) {
            return Some(found.range());
        }
    }
    let beside = || BESIDE.as_ref().filter(|_| key.is_login)?.captures(window)?.get(1);
    if let Some(found) = TITLED.as_ref()?.captures(window).and_then(|groups| groups.get(1)).or_else(beside) {
        let is_word = |word: &str| {
            let lower = word.to_lowercase();
            STOP_WORDS.contains(&lower) || AFTERTHOUGHTS.contains(&lower)
        };
        return (!found.as_str().split(' ').any(is_word)).then(|| found.range());
    }
    let found = GROUPS.as_ref()?.captures(window)?.get(1)?;
    // Words have vowels in every group of four; what is drawn by lot has not, or has letters and digits in one group.
    let is_drawn = |group: &str| {
        let makeup = Makeup::of(group);
        makeup.digits < 4
            && (makeup.digits > 0 || !group.contains(['a', 'e', 'i', 'o', 'u', 'y', 'A', 'E', 'I', 'O', 'U']))
    };
    let groups = || found.as_str().split([' ', '-']);
    let is_word = |group: &str| STOP_WORDS.contains(group) || SENTENCE_WORDS.contains(group);
    (groups().any(is_drawn) && !groups().any(is_word)).then(|| found.range())
}
