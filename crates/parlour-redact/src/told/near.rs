//! What looks like a password by itself, near a word that speaks of one: `log in as demo and enter …`, `no wait, it's …`.

use super::{
    super::{
        shape,
        shape::Makeup,
        stand_in,
        words::{
            AFTERTHOUGHTS, LEADS, NAMING, NUMBER_LEADS, SAYING_LEADS, SENTENCE_WORDS, SORTS, STOP_WORDS, STRONG_LEADS,
            TRAILS,
        },
    },
    Found, floor,
    judge::is_strong,
    key::{Class, Key},
    things::{has_inner_sign, is_identifier, is_thing, is_unlike_names, looks_chosen},
};

/// Bytes behind a word that are looked at.
const AFTER_BYTES_MAX: usize = 200;
/// Bytes before it.
const BEFORE_BYTES_MAX: usize = 100;
/// Signs that stand inside of passwords, and hardly of anything else that people write.
const INNER_SIGNS: &str = "!$%^&*?";

/// A word of the text, without what encloses it.
struct Word<'t> {
    text: &'t str,
    start: usize,
    is_quoted: bool,
    is_alone: bool,
    is_before_comma: bool,
    /// What stands before it in its line.
    lead: &'t str,
    /// What stands behind it in its line.
    rest: &'t str,
}

impl Word<'_> {
    /// Whether it stands between commas: `the same pw everywhere, …, all year`.
    fn is_apart(&self) -> bool {
        self.lead.ends_with(", ") && (self.rest.is_empty() || self.is_before_comma)
    }
}

/// What stands before the name of a place, a person or a thing.
const PLACING: &[&str] = &[
    "in", "on", "at", "see", "from", "via", "under", "of", "by", "the", "for", "like", "to", "and", "or", "im", "am",
    "auf", "bei", "von", "für", "dans", "sur", "chez", "en", "de", "del", "per", "than", "against", "into", "within",
    "inside", "called", "named", "a", "an", "our", "my", "your",
];

/// Bytes from which a word drawn by lot is a token by itself.
const TOKEN_LEAST: usize = 20;
/// Bytes of a piece of one.
const PIECE_LEAST: usize = 10;

/// Words that look like passwords, around the name and behind what was told already.
pub(super) fn near(text: &str, key: &Key<'_>, from: usize) -> Vec<Found> {
    match key.class {
        Class::Password if key.name.to_lowercase().ends_with("code") => {
            let mut found = passwords(text, key, from);
            found.extend(numbers(text, key, from));
            found
        }
        Class::Password | Class::Credentials | Class::Door | Class::Site => passwords(text, key, from),
        Class::Secret | Class::Token | Class::Key => tokens(text, key, from),
        Class::Pin | Class::Code => numbers(text, key, from),
    }
}

/// `the pin is what it was, I mean 4711`: digits behind what leads to them, in the same line.
fn numbers(text: &str, key: &Key<'_>, from: usize) -> Vec<Found> {
    let window = &text[from..floor(text, (from + AFTER_BYTES_MAX).min(text.len()))];
    let line = window.split_inclusive('\n').next().unwrap_or_default();
    let is_led = |word: &Word<'_>| NUMBER_LEADS.iter().any(|lead| ends_with_words(word.lead, lead));
    let is_end = |word: &Word<'_>| word.rest.is_empty() || !word.rest.starts_with(char::is_alphanumeric);
    words(line, from)
        .into_iter()
        .filter(|word| (4..=8).contains(&word.text.len()) && word.text.bytes().all(|byte| byte.is_ascii_digit()))
        .filter(|word| is_led(word) && is_end(word) || key.class == Class::Pin && word.is_apart())
        .map(|word| (word.start..word.start + word.text.len(), key.class.kind()))
        .collect()
}

/// A word of letters of both cases and digits that is drawn by lot, in the same line.
fn tokens(text: &str, key: &Key<'_>, from: usize) -> Vec<Found> {
    let window = &text[from..floor(text, (from + AFTER_BYTES_MAX).min(text.len()))];
    let line = window.split_inclusive('\n').next().unwrap_or_default();
    let words = words(line, from);
    let is_blanked = words.iter().filter(|word| is_drawn_piece(word.text)).count() > 1;
    words
        .into_iter()
        .filter(|word| {
            let is_hex = key.class == Class::Key && is_long_hex(word);
            !key.is_setting && (is_drawn(word.text) || is_hex || is_blanked && is_drawn_piece(word.text))
        })
        .map(|word| (word.start..word.start + word.text.len(), key.class.kind()))
        .collect()
}

/// One of the pieces of a token that was written with blanks.
fn is_drawn_piece(text: &str) -> bool {
    let makeup = Makeup::of(text);
    text.len() >= PIECE_LEAST
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric())
        && makeup.upper > 1
        && makeup.lower > 1
        && (makeup.digits > 0 || !shape::is_words(text))
        && !stand_in::is_stand_in(text)
}

/// `AES key (hex) 70a0…`: digits of a key, and not of something that is made from it.
fn is_long_hex(word: &Word<'_>) -> bool {
    let is_hex = word.text.len() >= 32 && word.text.bytes().all(|byte| byte.is_ascii_hexdigit());
    let lead = word.lead.to_lowercase();
    is_hex
        && lead.split_whitespace().count() <= 3
        && !["id", "hash", "print", "sha", "md5", "digest", "sum", "commit", "iv", "public"]
            .iter()
            .any(|part| lead.contains(part))
}

fn is_drawn(text: &str) -> bool {
    let makeup = Makeup::of(text);
    let is_plain = text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'));
    is_plain
        && (TOKEN_LEAST..=256).contains(&text.len())
        && makeup.upper > 2
        && makeup.lower > 2
        && makeup.digits > 1
        && shape::is_random(text)
        && !stand_in::is_stand_in(text)
        && !shape::is_own_id(text)
        && !text.starts_with("AAAA")
}

fn passwords(text: &str, key: &Key<'_>, from: usize) -> Vec<Found> {
    let start = floor(text, key.range.start.saturating_sub(BEFORE_BYTES_MAX));
    let before = start..key.range.start;
    let after = from..floor(text, (from + AFTER_BYTES_MAX).min(text.len()));
    let ranges = [before, after].into_iter().filter(|range| range.start < range.end);
    ranges
        .flat_map(|range| words(&text[range.clone()], range.start))
        .filter(|word| {
            is_meant(word, key.class)
                && (!key.is_setting || word.is_alone || matches!(key.class, Class::Door | Class::Site))
        })
        .map(|word| (word.start..word.start + word.text.len(), "password"))
        .collect()
}

/// The words of a window; one that may be cut at its start or end is none.
fn words(window: &str, offset: usize) -> Vec<Word<'_>> {
    let mut words = Vec::new();
    let mut line_start = 0;
    for line in window.split_inclusive('\n') {
        let mut at = 0;
        for piece in line.split_inclusive(char::is_whitespace) {
            let raw = piece.trim_end();
            let place = line_start + at;
            let is_cut = place == 0 && offset > 0 || place + raw.len() == window.len() && raw.len() == piece.len();
            if !is_plain(raw) && (!is_cut || offset == 0 || place > 0) {
                words.push(word(window, line, raw, place, at, offset));
            }
            at += piece.len();
        }
        line_start += line.len();
    }
    words
}

/// Small letters and what ends a sentence: most words, and never what is looked for.
fn is_plain(raw: &str) -> bool {
    raw.bytes().all(|byte| byte.is_ascii_lowercase() || b".,;:?!'".contains(&byte))
}

fn word<'t>(window: &'t str, line: &'t str, raw: &'t str, place: usize, at: usize, offset: usize) -> Word<'t> {
    let opened = raw.trim_start_matches(['"', '\'', '`', '*', '_', '(', '“', '„', '«', '‘', '‹', '「']);
    let text = opened.trim_end_matches([
        '"', '\'', '`', '*', '_', ')', '”', '“', '»', '’', '」', '.', ',', ';', ':', '?', '…', '。',
    ]);
    let start = place + raw.len() - opened.len();
    let close = window[start + text.len()..].chars().next();
    // In brackets stands what was named right before them, or a remark on something else.
    let is_remark = raw.starts_with('(') && line[..at].split_whitespace().count() > 3;
    let is_quoted = !is_remark && opened.len() < raw.len() && close.is_some_and(|char| "\"'`*”“»’」)".contains(char));
    let lead = &line[..at];
    let rest = line[at + raw.len()..].trim();
    let is_alone = rest.is_empty() && is_label(lead);
    let is_before_comma = raw.ends_with(',');
    Word { text, start: offset + start, is_quoted, is_alone, is_before_comma, lead, rest }
}

/// Nothing, the mark of a quotation, or who speaks and when: `> `, `A: `, `[14:03] tom: `.
fn is_label(lead: &str) -> bool {
    let lead = lead.rsplit('?').next().unwrap_or(lead).trim_matches([' ', '\t', '>', '-', '*', '•']);
    lead.is_empty() || lead.ends_with(':') && lead.split_whitespace().count() <= 3
}

/// What is asked is asked in the order of its cost: most words fail at the first.
fn is_meant(word: &Word<'_>, class: Class) -> bool {
    let text = word.text;
    let makeup = Makeup::of(text);
    let is_plain = makeup.digits + makeup.signs == 0 && makeup.upper < 2;
    if is_plain || !(6..=64).contains(&text.chars().count()) {
        return false;
    }
    // `log in with Passkeys2`: a word with a digit names a thing, unless a password is spoken of.
    let stem = text.trim_end_matches(|char: char| char.is_ascii_digit());
    let is_feature =
        stem.len() + 1 == text.len() && makeup.upper == 1 && makeup.signs == 0 && text.starts_with(char::is_uppercase);
    if is_feature && class != Class::Password {
        return false;
    }
    let looks_so = match class {
        Class::Site => is_typed(word),
        _ => is_odd(text) || is_pointed_at(word, class),
    };
    looks_so && !is_thing(text) && !stand_in::is_stand_in(text) && !stand_in::is_code(text) && !is_name(word)
}

/// Whether what stands around it says that it is meant, and it looks like a password.
fn is_pointed_at(word: &Word<'_>, class: Class) -> bool {
    let (text, len) = (word.text, word.text.chars().count());
    let is_joined = has_hump_or_sign(text);
    let may_be_shown = len >= 7 && is_strong(text);
    if are_joined_words(text) {
        let is_known = matches!(class, Class::Password | Class::Door);
        return is_known && SAYING_LEADS.iter().any(|lead| ends_with_words(word.lead, lead));
    }
    if !is_joined && !may_be_shown {
        return false;
    }
    let is_outcome = word.rest.is_empty() && ends_with_words(word.lead, "so");
    let is_led = is_outcome
        || LEADS.iter().any(|lead| ends_with_words(word.lead, lead))
        || TRAILS.iter().any(|trail| starts_with(word.rest, trail));
    let is_apart = matches!(class, Class::Password | Class::Credentials)
        && word.is_apart()
        && (is_joined || text.ends_with('!') && len >= 8 || has_inner_sign(text) && may_be_shown);
    let is_shown = word.is_quoted || word.is_alone && class != Class::Door || is_led || is_apart;
    let is_answer = word.is_alone && class == Class::Password && word.lead.contains('?');
    let is_dashed = class == Class::Password && word.rest.is_empty() && ends_with_dash(word.lead);
    is_shown && may_be_shown || (is_led || is_answer || is_dashed) && is_joined || is_chosen(word, class)
}

/// `coffee-before-code`: three words or more that mean nothing together, as networks for guests have them.
fn are_joined_words(text: &str) -> bool {
    let parts = || text.split(['-', '_', '.']);
    let is_said = |part: &str| {
        let is_judged = ["ed", "ing", "able", "ible", "ly"].iter().any(|ending| part.ends_with(ending));
        let is_known = STOP_WORDS.contains(part) || SENTENCE_WORDS.contains(part) || AFTERTHOUGHTS.contains(part);
        is_known || is_judged && part.len() > 4
    };
    let is_word = |part: &str| part.len() > 2 && part.bytes().all(|byte| byte.is_ascii_lowercase()) && !is_said(part);
    let is_sort = parts().next_back().is_some_and(|last| SORTS.contains(&last));
    (3..7).contains(&parts().count()) && parts().all(is_word) && !is_sort
}

/// Where only what is logged in to is named: what looks chosen behind what leads to it, or like nothing but a password.
fn is_typed(word: &Word<'_>) -> bool {
    let text = word.text;
    let is_led = LEADS.iter().any(|lead| ends_with_words(word.lead, lead))
        || TRAILS.iter().any(|trail| starts_with(word.rest, trail));
    let lead = word.lead.trim_end();
    // `the job is …`: something else is named.
    let subject =
        lead.trim_end_matches(" is").trim_end_matches(" was").split_whitespace().next_back().unwrap_or_default();
    if NAMING.contains(&subject.to_lowercase().as_str()) {
        return false;
    }
    let is_linked =
        is_led || lead.ends_with([':', '→', '?']) || ends_with_words(lead, "is") || ends_with_words(lead, "was");
    is_linked && (is_odd(text) || is_unlike_names(text)) || is_led && looks_chosen(text)
}

/// `the pass is what it always was - …`.
fn ends_with_dash(lead: &str) -> bool {
    let is_said = [" is ", " was ", " ist ", " war ", " est ", " es "].iter().any(|word| lead.contains(word));
    is_said && lead.trim_end().ends_with(['-', '–', '—'])
}

/// Where a password is spoken of, and nothing says where or whose it is, what looks chosen is one.
fn is_chosen(word: &Word<'_>, class: Class) -> bool {
    let last = word.lead.split_whitespace().next_back().unwrap_or_default().to_lowercase();
    class == Class::Password && looks_chosen(word.text) && !PLACING.contains(&last.as_str())
}

/// A name as code has them. Those of people's making end with a number, and are typed in.
fn is_name(word: &Word<'_>) -> bool {
    let is_typed = || {
        word.text.ends_with(|char: char| char.is_ascii_digit())
            && STRONG_LEADS.iter().any(|lead| ends_with_words(word.lead, lead))
    };
    is_identifier(word.text) && !word.is_quoted && !is_typed() || is_named(word)
}

/// `ask Tom.Becker2`, `user "etl2024"`: the word before it says whose name it is.
fn is_named(word: &Word<'_>) -> bool {
    let before = word.lead.trim_end_matches([' ', '\t', ':', '"', '\'', '`']);
    let last = before.rsplit(|char: char| !char.is_alphanumeric()).next().unwrap_or_default().to_lowercase();
    NAMING.contains(&last.as_str()) && !has_inner_sign(word.text)
}

/// Letters, digits and a sign between them that hardly anything but a password has.
fn is_odd(text: &str) -> bool {
    let makeup = Makeup::of(text);
    let chars: Vec<char> = text.chars().collect();
    let is_inner = chars
        .windows(3)
        .any(|three| INNER_SIGNS.contains(three[1]) && three[0].is_alphanumeric() && three[2].is_alphanumeric());
    makeup.digits > 0 && makeup.letters() >= 3 && chars.len() >= 7 && is_inner && makeup.upper + makeup.signs > 1
}

fn has_hump_or_sign(text: &str) -> bool {
    let makeup = Makeup::of(text);
    let is_joined = text.contains(['-', '_', '.']) && makeup.upper > 0 && makeup.lower > 3;
    is_joined && text.chars().next().is_some_and(char::is_alphanumeric)
}

fn starts_with(rest: &str, words: &str) -> bool {
    let is_same = rest.get(..words.len()).is_some_and(|start| start.eq_ignore_ascii_case(words));
    is_same && !rest[words.len()..].starts_with(char::is_alphanumeric)
}

fn ends_with_words(lead: &str, words: &str) -> bool {
    let lead = lead.trim_end_matches([' ', '\t', ':']);
    let Some(start) = lead.len().checked_sub(words.len()) else { return false };
    lead.get(start..).is_some_and(|end| end.eq_ignore_ascii_case(words))
        && !lead[..start].ends_with(|char: char| char.is_alphanumeric())
}
