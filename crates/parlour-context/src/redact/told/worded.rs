//! Passwords that are plain words, told by what stands around them.

use super::{
    super::{
        shape::Makeup,
        words::{AFTERTHOUGHTS, DESCRIBING, DESCRIBING_BEFORE, PASS_HEADS, SENTENCE_WORDS, STOP_WORDS},
    },
    judge::{Link, Told},
    key::Class,
};

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
        is_said
            && self.key.class == Class::Password
            && !self.key.is_setting
            && parts.len() > 2
            && parts.len() < 7
            && parts.iter().all(is_word)
            && !is_host
    }

    /// `DB_PASSWORD=swordfish`: a setting may be a plain word where code would have a name.
    pub(super) fn is_plain_setting(&self) -> bool {
        let value = self.value.text;
        let after = self.value.after(self.window);
        let is_argument = after.starts_with([')', ',']) || after.starts_with(['(', '[', '.']);
        let is_word = value.chars().all(|char| char.is_alphanumeric() || "-_".contains(char));
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

/// `expired`, `missing`: ends as words do that are said of something.
fn is_describing(word: &str) -> bool {
    word.len() > 4 && ["ed", "ing", "able", "ible", "ly"].iter().any(|ending| word.ends_with(ending))
}
