//! Passphrases: some plain words that make no sentence.

use std::{ops::Range, sync::LazyLock};

use super::{
    super::words::{SENTENCE_WORDS, STOP_WORDS},
    key::{Class, Key},
    pattern,
};

/// `passphrase is four words: marble ostrich tundra gravy`, and passwords of applications in groups of four letters.
pub(super) fn phrase(key: &Key<'_>, window: &str) -> Option<Range<usize>> {
    static WORDS: LazyLock<Option<regex::Regex>> = LazyLock::new(|| {
        pattern(
            r"^(?:[ \t]+[^\s:=]{1,24}){0,9}?(?:[ \t]*[:=→]|[ \t]+(?:is|lautet|ist|est|es|er|är))[ \t]*\n?[\x22'`“„*]{0,3}((?:\p{Ll}{3,12}[ -]){2,23}\p{Ll}{3,12})[\x22'`”“*]{0,3}[ \t]*(?:[.,;)!?\n]|$)",
        )
    });
    static QUOTED: LazyLock<Option<regex::Regex>> =
        LazyLock::new(|| pattern(r"^[^\n\x22“„`]{0,60}[\x22“„`]((?:\p{L}{2,12}[ -]){2,23}\p{L}{2,12})[\x22”“`]"));
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
        let is_word = |word: &str| SENTENCE_WORDS.contains(&word) || STOP_WORDS.contains(&word);
        return (!found.as_str().split([' ', '-']).any(is_word)).then(|| found.range());
    }
    let found = GROUPS.as_ref()?.captures(window)?.get(1)?;
    // Words have vowels in every group of four; what is drawn by lot has not.
    let is_drawn = found.as_str().split([' ', '-']).any(|group| !group.contains(['a', 'e', 'i', 'o', 'u', 'y']));
    is_drawn.then(|| found.range())
}
