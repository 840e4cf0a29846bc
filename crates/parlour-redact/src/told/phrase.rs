//! Passphrases: some plain words that make no sentence.

use std::{ops::Range, sync::LazyLock};

use super::{
    super::{
        shape::Makeup,
        words::{
            AFTERTHOUGHTS, ITS_PARTS, JUDGING, PHRASE_ENDS, SAID_ENDINGS, SENTENCE_WORDS, STOP_WORDS, UNITS,
            WORD_COUNTS,
        },
    },
    key::{Class, Key},
    pattern,
    worded::{IDIOMS, JOINERS, is_painted},
};

/// Words that a phrase has at least where what leads to it may be any sentence.
const SAID_LEAST: usize = 4;
/// Bytes behind a word in which such a phrase begins.
const SAID_BYTES_MAX: usize = 160;

/// `the passphrase, in case I am away: marble ostrich tundra gravy`, `… turned out to be marble ostrich tundra gravy, it was …`:
/// four words or more that say nothing, behind whatever links them. Where no phrase is named, the text must count its words.
fn said(window: &str, is_phrase: bool) -> Option<Range<usize>> {
    static LINK: LazyLock<Option<regex::Regex>> = LazyLock::new(|| {
        pattern(
            r"(?:[:=→–—]|\b(?:is|was|are|be|now|as|ist|war|lautet|heißt|heisst|jetzt|est|es|è|é|er|är|jest|je|na|til|till|reads|became|becomes|called)\b)[ \t]*\n?[\x22'`“„*]{0,3}((?:(?:[a-zà-ÿ]{2,12}|[0-9]{1,4})[ -]){3,23}(?:[a-zà-ÿ]{2,12}|[0-9]{1,4}))",
        )
    });
    let window = &window[..super::floor(window, window.len().min(SAID_BYTES_MAX + PHRASE_BYTES_MAX))];
    // Most texts name no phrase and count no words: that costs less to see than to look for one.
    if !is_phrase && !WORD_COUNTS.iter().any(|words| window.contains(words)) {
        return None;
    }
    let mut from = 0;
    // A sentence links more than once before it comes to the phrase.
    while let Some(groups) = LINK.as_ref()?.captures_at(window, from).filter(|_| from < SAID_BYTES_MAX) {
        let run = groups.get(1)?;
        let lead = &window[..run.start()];
        let is_meant = is_phrase || WORD_COUNTS.iter().any(|words| lead.contains(words));
        if let Some(len) = phrase_len(run.as_str()).filter(|_| is_meant && !lead.trim_end().contains('\n')) {
            return Some(run.start()..run.start() + len);
        }
        from = run.start();
    }
    None
}

/// Bytes of the longest phrase.
const PHRASE_BYTES_MAX: usize = 240;

/// Bytes of the words at the start that say nothing, up to one that goes on with the sentence.
fn phrase_len(run: &str) -> Option<usize> {
    let words: Vec<&str> = run.split([' ', '-']).collect();
    // The best known of all phrases begins with a word that judges.
    let is_said = |place: usize, word: &str| {
        let is_judged = ["ed", "ing", "ly", "tion", "ment"].iter().any(|ending| word.ends_with(ending));
        !(place == 0 && word == "correct")
            && (STOP_WORDS.contains(word)
                || SENTENCE_WORDS.contains(word)
                || AFTERTHOUGHTS.contains(word)
                || UNITS.contains(&word)
                || is_judged && word.len() > 4)
    };
    let is_over = |place: &usize| PHRASE_ENDS.contains(&words[*place]);
    let end = (0..words.len()).find(is_over).unwrap_or(words.len());
    let are_plain = words[..end].iter().enumerate().all(|(place, word)| !is_said(place, word));
    let len = words[..end].iter().map(|word| word.len() + 1).sum::<usize>().saturating_sub(1);
    let long = words[..end].iter().filter(|word| word.chars().count() > 2).count();
    (long >= SAID_LEAST && are_plain).then_some(len)
}

/// `passphrase is four words: marble ostrich tundra gravy`, and passwords of applications in groups of four letters.
pub(super) fn phrase(key: &Key<'_>, window: &str) -> Option<Range<usize>> {
    if key.class != Class::Password {
        return None;
    }
    let is_phrase = key.name.to_lowercase().ends_with("phrase");
    let first = window.split_whitespace().next().unwrap_or_default();
    if is_phrase && window.starts_with(' ') && ITS_PARTS.contains(first.trim_end_matches(':')) {
        return None;
    }
    if let Some(range) = said(window, is_phrase) {
        return Some(range);
    }
    match is_phrase {
        true => named(window),
        false => unquoted(window)
            .or_else(|| titled(key, window))
            .or_else(|| grouped(window))
            .or_else(|| pictured(key, window)),
    }
}

/// Where a phrase is named: words in small letters, or any in quotation marks.
fn named(window: &str) -> Option<Range<usize>> {
    static WORDS: LazyLock<Option<regex::Regex>> = LazyLock::new(|| {
        pattern(
            r"^(?:[ \t]+[^\s:=]{1,24}){0,9}?(?:[ \t]*[:=→]|[ \t]+(?:is|lautet|ist|est|es|er|är))[ \t]*\n?[\x22'`“„*]{0,3}((?:(?:[a-zà-ÿ]{3,12}|[0-9]{1,4})[ -]){2,23}(?:[a-zà-ÿ]{3,12}|[0-9]{1,4}))[\x22'`”“*]{0,3}[ \t]*(?:[.,;)!?\n]|$)",
        )
    });
    static QUOTED: LazyLock<Option<regex::Regex>> = LazyLock::new(|| {
        pattern(r"^[^\n\x22“„`]{0,60}[\x22“„`]((?:[A-Za-zÀ-ÿ]{2,12}[ -]){2,23}[A-Za-zÀ-ÿ]{2,12})[\x22”“`]")
    });
    let quoted = || QUOTED.as_ref()?.captures(window)?.get(1);
    let found = WORDS.as_ref()?.captures(window).and_then(|groups| groups.get(1)).or_else(quoted)?;
    let words = || found.as_str().split([' ', '-']);
    let stops = words().filter(|word| STOP_WORDS.contains(word)).count();
    let is_sentence = words().any(|word| SENTENCE_WORDS.contains(word)) || stops > words().count() / 4;
    // `minimum 5 words`: a number counts something, or stands among four words or more.
    let has_number = found.as_str().bytes().any(|byte| byte.is_ascii_digit());
    let is_count = has_number && (words().count() < 4 || words().any(|word| UNITS.contains(&word) && word.len() > 2));
    // `entered once per boot`, `take four words nobody …`.
    let first = words().next().unwrap_or_default();
    let is_said = ["ed", "ing"].iter().any(|ending| first.len() > 4 && first.ends_with(ending))
        && (stops > 0 || words().any(|word| AFTERTHOUGHTS.contains(word)))
        || words().any(|word| UNITS.contains(&word) && word.len() > 3);
    (!is_sentence && !is_count && !is_said).then(|| found.range())
}

/// `password: marble ostrich tundra gravy`: four words or more that say nothing, right behind the word.
fn unquoted(window: &str) -> Option<Range<usize>> {
    static UNQUOTED: LazyLock<Option<regex::Regex>> = LazyLock::new(|| {
        pattern(r"^[*_]{0,2}[ \t]*[:=→][*_]{0,2}[ \t]*((?:[a-z]{3,12}[ -]){3,7}[a-z]{3,12})[ \t]*(?:[.;)!\n]|$)")
    });
    let found = UNQUOTED.as_ref()?.captures(window)?.get(1)?;
    let is_said = |word: &str| {
        STOP_WORDS.contains(word)
            || SENTENCE_WORDS.contains(word)
            || AFTERTHOUGHTS.contains(word)
            || ["ed", "ing", "ly", "ten", "tion", "ment"].iter().any(|ending| word.ends_with(ending))
    };
    // What is meant by the best known of them is no judgement.
    let is_sentence = found.as_str().trim_start_matches("correct ").split([' ', '-']).any(is_said);
    (!is_sentence).then(|| found.range())
}

/// `guest wifi …, the password's lemon tart tuesday`: some words that end the sentence and say nothing of a network.
fn pictured(key: &Key<'_>, window: &str) -> Option<Range<usize>> {
    static WORDS: LazyLock<Option<regex::Regex>> = LazyLock::new(|| {
        pattern(
            r"^(?:['’]s|[ \t]+(?:is|ist|lautet|est|c['’]est|es|è))(?:[ \t]+(?:now|jetzt))?:?[ \t]+((?:[a-zà-ÿ]{1,14} ){2,4}[a-zà-ÿ]{3,14})[ \t]*(?:[.,;!)\n]|$)",
        )
    });
    let found = WORDS.as_ref().filter(|_| key.is_near_network)?.captures(window)?.get(1)?;
    let words: Vec<&str> = found.as_str().split(' ').collect();
    let [first, middle @ .., last] = words.as_slice() else { return None };
    let is_picture =
        |word: &str| is_painted(word) && !REMARKS.contains(&word) && !JUDGING.contains(&word) && !UNITS.contains(&word);
    let is_whole = is_painted(first)
        && is_picture(last)
        && middle.iter().all(|word| JOINERS.contains(word) || is_picture(word))
        && !IDIOMS.contains(first)
        && !REMARKS.contains(first)
        && !JUDGING.contains(first)
        && !SAID_ENDINGS.iter().any(|ending| first.ends_with(ending));
    is_whole.then(|| found.range())
}

/// Words of remarks on a password: what it consists of, where it is found, how it is.
const REMARKS: &[&str] = &[
    "address",
    "backwards",
    "badge",
    "below",
    "board",
    "case",
    "company",
    "desk",
    "digits",
    "different",
    "door",
    "every",
    "falsch",
    "front",
    "hier",
    "immer",
    "länger",
    "leider",
    "letters",
    "links",
    "long",
    "mal",
    "month",
    "name",
    "noch",
    "number",
    "nummer",
    "oben",
    "office",
    "plus",
    "rechts",
    "random",
    "reception",
    "rezeption",
    "room",
    "router",
    "schon",
    "sheet",
    "sign",
    "since",
    "sticker",
    "street",
    "super",
    "taped",
    "tafel",
    "three",
    "tür",
    "unten",
    "wall",
    "way",
    "week",
    "wie",
    "wieder",
    "words",
    "wörter",
    "wrong",
    "year",
    "zeichen",
    "zettel",
    "zwei",
];

/// `Tortuga Lenta 8`: words that begin with capital letters and a number, up to the end of the line.
fn titled(key: &Key<'_>, window: &str) -> Option<Range<usize>> {
    static TITLED: LazyLock<Option<regex::Regex>> = LazyLock::new(|| {
        pattern(
            r"^(?:[ \t]+[^\s:=]{1,24}){0,6}(?:[ \t]*[:=→]|[ \t]+(?:is|ist|est|es|é|è))[ \t]*((?:[A-ZÀ-Þ][A-Za-zÀ-ÿ]{2,14} ){2,4}[0-9]{1,4})[ \t]*(?:[.,;\n]|$)",
        )
    });
    // The same right behind the word, where somebody logs in.
    static BESIDE: LazyLock<Option<regex::Regex>> =
        LazyLock::new(|| pattern(r"^[ \t]+((?:[A-ZÀ-Þ][A-Za-zÀ-ÿ]{2,14} ){2,4}[0-9]{1,4})[ \t]*(?:[.,;\n]|$)"));
    let beside = || BESIDE.as_ref().filter(|_| key.is_login)?.captures(window)?.get(1);
    let found = TITLED.as_ref()?.captures(window).and_then(|groups| groups.get(1)).or_else(beside)?;
    let is_word = |word: &str| {
        let lower = word.to_lowercase();
        STOP_WORDS.contains(&lower) || AFTERTHOUGHTS.contains(&lower)
    };
    (!found.as_str().split(' ').any(is_word)).then(|| found.range())
}

/// Groups of four, as passwords of applications have them.
fn grouped(window: &str) -> Option<Range<usize>> {
    static GROUPS: LazyLock<Option<regex::Regex>> = LazyLock::new(|| {
        pattern(
            r"^(?:[^\n:=]{0,40}?(?:[ \t]*[:=→]|[ \t]+is))?[ \t]*[\x22'`]?([A-Za-z0-9]{4}(?:[ -][A-Za-z0-9]{4}){2,7})(?:[^A-Za-z0-9-]|$)",
        )
    });
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
