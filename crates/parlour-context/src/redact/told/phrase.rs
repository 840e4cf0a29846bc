//! Passphrases: some plain words that make no sentence.

use std::{ops::Range, sync::LazyLock};

use super::{
    super::words::{AFTERTHOUGHTS, SENTENCE_WORDS, STOP_WORDS},
    key::{Class, Key},
    pattern,
};

/// `passphrase is four words: marble ostrich tundra gravy`, and passwords of applications in groups of four letters.
pub(super) fn phrase(key: &Key<'_>, window: &str) -> Option<Range<usize>> {
    static WORDS: LazyLock<Option<regex::Regex>> = LazyLock::new(|| {
        pattern(
            r"^(?:[ \t]+[^\s:=]{1,24}){0,9}?(?:[ \t]*[:=→]|[ \t]+(?:is|lautet|ist|est|es|er|är))[ \t]*\n?[\x22'`“„*]{0,3}((?:[a-zà-ÿ]{3,12}[ -]){2,23}[a-zà-ÿ]{3,12})[\x22'`”“*]{0,3}[ \t]*(?:[.,;)!?\n]|$)",
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
    // The same right behind the word, where somebody logs in.
    static BESIDE: LazyLock<Option<regex::Regex>> =
        LazyLock::new(|| pattern(r"^[ \t]+((?:[A-ZÀ-Þ][A-Za-zÀ-ÿ]{2,14} ){2,4}[0-9]{1,4})[ \t]*(?:[.,;\n]|$)"));
    static GROUPS: LazyLock<Option<regex::Regex>> = LazyLock::new(|| {
        pattern(r"^[^\n:=]{0,40}?(?:[ \t]*[:=→]|[ \t]+is)[ \t]*[\x22'`]?([a-z]{4}(?:[ -][a-z]{4}){3})\b")
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
        return (!is_sentence).then(|| found.range());
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
    // Words have vowels in every group of four; what is drawn by lot has not.
    let is_drawn = found.as_str().split([' ', '-']).any(|group| !group.contains(['a', 'e', 'i', 'o', 'u', 'y']));
    is_drawn.then(|| found.range())
}
