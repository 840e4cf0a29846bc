//! Passwords that are plain words, told by what stands around them.

use super::{
    super::{
        shape::Makeup,
        stand_in,
        words::{AFTERTHOUGHTS, DESCRIBING, DESCRIBING_BEFORE, PASS_HEADS, SENTENCE_WORDS, STOP_WORDS},
    },
    judge::{Link, Told},
    key::Class,
};

/// Small words that join others to a picture. Those of most idioms (`end-of-life`, `copy-and-paste`) are none.
pub(super) const JOINERS: &[&str] = &[
    "a", "am", "an", "at", "auf", "aus", "avec", "beim", "con", "dans", "das", "de", "dem", "den", "der", "des", "di",
    "die", "du", "e", "een", "ein", "eine", "el", "en", "et", "het", "hinter", "il", "im", "in", "la", "le", "les",
    "los", "med", "mit", "na", "nach", "nad", "near", "neben", "nel", "og", "ohne", "on", "op", "over", "pod", "på",
    "sin", "sobre", "sopra", "sotto", "sous", "sul", "sur", "the", "um", "und", "under", "unter", "vom", "von", "vor",
    "with", "without", "y", "zum", "zur", "zwischen", "über",
];
/// Those of them that English has.
const ENGLISH_JOINERS: &[&str] = &["a", "an", "at", "in", "near", "on", "over", "the", "under", "with", "without"];
/// What joins the words of idioms and of remarks.
const LINKS: &[&str] = &["and", "for", "not", "per", "than", "too", "via", "wie", "yet", "noch", "nur", "only"];
/// What idioms with these words begin with, and what is done with passwords.
pub(super) const IDIOMS: &[&str] = &[
    "all", "anmelden", "ask", "back", "break", "built", "case", "check", "copy", "day", "easy", "end", "face", "given",
    "hard", "head", "held", "just", "kept", "left", "log", "login", "look", "lost", "man", "middle", "once", "opt",
    "out", "peer", "plain", "point", "rate", "read", "right", "safe", "see", "sent", "set", "shown", "sign", "single",
    "state", "stored", "tongue", "work",
];

impl Told<'_, '_> {
    /// `the password is dry-Dock-Tuesday`: joined words, a later one with a capital letter, as no adjective is written.
    pub(super) fn is_titled(&self) -> bool {
        let parts: Vec<&str> = self.value.text.split(['-', '_', '.']).collect();
        let is_word = |part: &&str| part.len() >= 3 && part.bytes().all(|byte| byte.is_ascii_alphabetic());
        let is_capital = |part: &&str| part.starts_with(|char: char| char.is_ascii_uppercase());
        let starts_so = parts.last().is_some_and(is_capital) || parts.len() > 2 && parts.iter().skip(1).any(is_capital);
        let is_known = parts.iter().any(|part| {
            let lower = part.to_lowercase();
            STOP_WORDS.contains(&lower) || SENTENCE_WORDS.contains(&lower)
        });
        matches!(self.link, Link::Colon | Link::Equals | Link::Prose | Link::Beside { is_login: true })
            && self.key.class == Class::Password
            && parts.len() > 1
            && parts.iter().all(is_word)
            && starts_so
            && Makeup::of(self.value.text).lower > 5
            && !is_known
    }

    /// `the password is bumblebee, all lower case`: what is said behind it is said of how it is typed.
    pub(super) fn is_described(&self) -> bool {
        let rest =
            self.value.after(self.window).trim_start_matches(['"', '\'', '`', '*', ' ', ',', '(', '-', '–', '—', '.']);
        let rest = rest.split('\n').next().unwrap_or_default().to_lowercase();
        let lead = self.window.get(..self.value.range().start).unwrap_or_default().to_lowercase();
        let lead = lead.trim_end_matches(['"', '\'', '`', '*', ' ', ',', ':', '(']);
        matches!(self.link, Link::Colon | Link::Equals | Link::Prose)
            && self.key.class == Class::Password
            && self.value.text.chars().count() >= 5
            && (DESCRIBING.iter().any(|words| rest.starts_with(words))
                || DESCRIBING_BEFORE.iter().any(|words| lead.ends_with(words)))
    }

    /// `the password is twelve.oars.east`: three words or more that mean nothing together.
    pub(super) fn is_worded(&self) -> bool {
        let value = self.value.text;
        let parts: Vec<&str> = value.split(['-', '_', '.']).collect();
        let is_word = |part: &&str| {
            part.len() >= 3
                && part.bytes().all(|byte| byte.is_ascii_lowercase())
                && !STOP_WORDS.contains(part)
                && !SENTENCE_WORDS.contains(part)
                && !AFTERTHOUGHTS.contains(part)
                && !is_describing(part)
        };
        let is_said = matches!(self.link, Link::Colon | Link::Prose | Link::Beside { is_login: true });
        let is_host = parts
            .last()
            .is_some_and(|last| ["com", "org", "net", "test", "internal", "local", "dev", "app"].contains(last));
        let has_joiner = parts.iter().any(|part| JOINERS.contains(part));
        is_said
            && self.key.class == Class::Password
            && !self.key.is_setting
            && parts.len() > 2
            && parts.len() < 7
            && parts.iter().all(is_word)
            && !parts.first().is_some_and(|first| JOINERS.contains(first) || IDIOMS.contains(first) && has_joiner)
            && !is_host
    }

    /// `the password's kaktus-im-regen`: words that paint a picture, joined by small ones as idioms hardly are.
    pub(super) fn is_pictured(&self) -> bool {
        let parts: Vec<&str> = self.value.text.split(['-', '_', '.']).collect();
        let [first, middle @ .., last] = parts.as_slice() else { return false };
        let is_said = matches!(self.link, Link::Colon | Link::Prose | Link::Beside { is_login: true });
        let is_network = self.key.is_near_network;
        // `stuck-in-queue`: in English such words tell how something is, too.
        let is_clear = |part: &&str| JOINERS.contains(part) && !ENGLISH_JOINERS.contains(part);
        let is_any = |part: &str| part.chars().all(char::is_lowercase) && part.len() > 2 && !LINKS.contains(&part);
        let is_middle = |part: &&str| JOINERS.contains(part) || is_painted(part) || is_network && is_any(part);
        is_said
            && self.key.class == Class::Password
            && !self.key.is_setting
            && (1..5).contains(&middle.len())
            && is_painted(first)
            && is_painted(last)
            && middle.iter().all(is_middle)
            && (is_network || middle.iter().any(is_clear) && !self.value.text.contains('.'))
            && !IDIOMS.contains(first)
            && self.ends_saying()
    }

    /// Whether the sentence ends behind the value, or goes on with how long it is good for.
    fn ends_saying(&self) -> bool {
        let after = self.value.after(self.window).trim_start_matches(['"', '\'', '`', '*']);
        let next = after.split_whitespace().next().unwrap_or_default();
        after.is_empty()
            || after.starts_with(['.', ',', ';', '!', ')', '\n'])
            || ["until", "till", "for", "bis", "(", "-", "–", "—", "|", "and", "und", "now", "jetzt", "today", "heute"]
                .contains(&next)
            || next.starts_with('(')
    }

    /// `psk="palette.gabel.stapler"`: names that nothing but a key is ever set to, whatever its words look like.
    pub(super) fn is_sure(&self) -> bool {
        let name: String = self.key.name.to_lowercase().chars().filter(|char| char.is_alphanumeric()).collect();
        let is_named = ["psk", "passphrase", "presharedkey", "wpakey", "wifikey", "wifipassword", "wlanpassword"]
            .iter()
            .any(|sure| name.ends_with(sure));
        let is_set = matches!(self.link, Link::Tight | Link::Equals | Link::Colon);
        is_named
            && is_set
            && (self.value.is_quoted || self.link == Link::Tight && self.value.ends_line(self.window))
            && stand_in::is_dotted_words(self.value.text)
    }

    /// `DB_PASSWORD=swordfish`: a setting may be a plain word where code would have a name.
    pub(super) fn is_plain_setting(&self) -> bool {
        let value = self.value.text;
        let after = self.value.after(self.window);
        let is_argument = after.starts_with([')', ',']) || after.starts_with(['(', '[', '.']);
        let is_word = value.chars().all(|char| char.is_alphanumeric() || "-_".contains(char)) || self.is_sure();
        is_word
            && value.chars().count() >= 4
            && !is_argument
            && (self.key.is_setting || self.is_flag || value.len() >= 6)
            && !self.key.name.eq_ignore_ascii_case(value)
            && !self.is_measure()
    }

    /// `password: swordfish`, alone in its line.
    pub(super) fn is_plain_in_list(&self) -> bool {
        let value = self.value.text;
        let lower = value.to_lowercase();
        let is_said =
            ["ed", "ing", "ly", "en", "able", "ible", "ive", "ful"].iter().any(|ending| lower.ends_with(ending));
        let is_word =
            value.bytes().all(|byte| byte.is_ascii_alphabetic() || byte == b'-') && Makeup::of(value).upper <= 1;
        // `rootPassword: …`: whose password it is, in one word.
        let head = self.key.name.strip_suffix("Password").or_else(|| self.key.name.strip_suffix("Passwd"));
        let is_camel = head.is_some_and(|head| PASS_HEADS.contains(&head.to_lowercase()));
        (self.key.is_setting || self.key.is_below_user || is_camel)
            && is_word
            && value.len() >= 6
            && !is_said
            && self.value.ends_line(self.window)
            && !value.contains('-')
    }

    /// `wifi: Guests pass: spaghetti-western`: words without a number, behind who logs in and where.
    pub(super) fn is_plain_beside_user(&self) -> bool {
        let value = self.value.text;
        let is_part = |part: &str| {
            part.len() >= 3
                && part.bytes().all(|byte| byte.is_ascii_lowercase())
                && !STOP_WORDS.contains(part)
                && !SENTENCE_WORDS.contains(part)
                && !AFTERTHOUGHTS.contains(part)
        };
        self.key.is_login
            && value.contains(['-', '_'])
            && value.len() >= 9
            && value.split(['-', '_']).all(is_part)
            && self.value.ends_line(self.window)
    }
}

/// A plain word that says nothing of a password.
pub(super) fn is_painted(part: &str) -> bool {
    part.chars().count() >= 3
        && part.chars().all(char::is_lowercase)
        && !JOINERS.contains(&part)
        && !STOP_WORDS.contains(part)
        && !SENTENCE_WORDS.contains(part)
        && !AFTERTHOUGHTS.contains(part)
        && !is_describing(part)
}

/// `expired`, `missing`: ends as words do that are said of something.
fn is_describing(word: &str) -> bool {
    word.len() > 4 && ["ed", "ing", "able", "ible", "ly"].iter().any(|ending| word.ends_with(ending))
}
