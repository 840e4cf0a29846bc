//! Passwords and passphrases of plain words, recognised by the text around them.

use std::ops::Range;

use super::{
    super::{
        pattern::patterns,
        placeholder,
        shape::{CharCounts, char_boundary_before},
        words::{
            DESCRIPTIVE_SUFFIXES, ENGLISH_PHRASE_CONNECTORS, IDIOM_CONNECTORS, IDIOM_STARTS, LABEL_COMPOUNDS,
            METADATA_SUFFIXES, NON_VALUES, NOTE_WORDS, PASS_PREFIXES, PASSPHRASE_ENDS, PASSWORD_REMARKS,
            PHRASE_CONNECTORS, SENTENCE_WORDS, SPELLING_LEADS, SPELLING_NOTES, SecretClass, UNITS, WORD_COUNT_NOUNS,
            is_context_word,
        },
    },
    classify::{LabelledValue, Separator},
    label::Label,
};

patterns! {
    /// Four words or more after a link.
    LINKED_PHRASE = r"(?:[:=→–—]|\b(?:is|was|are|be|now|as|ist|war|lautet|heißt|heisst|jetzt|est|es|è|é|er|är|jest|je|na|til|till|reads|became|becomes|called)\b)[ \t]*\n?[\x22'`“„*]{0,3}((?:(?:[a-zà-ÿ]{2,12}|[0-9]{1,4})[ -]){3,23}(?:[a-zà-ÿ]{2,12}|[0-9]{1,4}))";
    /// Three lower-case words or more after "passphrase is" or a colon.
    NAMED_PHRASE = r"^(?:[ \t]+[^\s:=]{1,24}){0,9}?(?:[ \t]*[:=→]|[ \t]+(?:is|lautet|ist|est|es|er|är))[ \t]*\n?[\x22'`“„*]{0,3}((?:(?:[a-zà-ÿ]{3,12}|[0-9]{1,4})[ -]){2,23}(?:[a-zà-ÿ]{3,12}|[0-9]{1,4}))[\x22'`”“*]{0,3}[ \t]*(?:[.,;)!?\n]|$)";
    QUOTED_PHRASE = r"^[^\n\x22“„`]{0,60}[\x22“„`]((?:[A-Za-zÀ-ÿ]{2,12}[ -]){2,23}[A-Za-zÀ-ÿ]{2,12})[\x22”“`]";
    /// Four lower-case words or more right after a colon or equals sign.
    UNQUOTED_PHRASE = r"^[*_]{0,2}[ \t]*[:=→][*_]{0,2}[ \t]*((?:[a-z]{3,12}[ -]){3,7}[a-z]{3,12})[ \t]*(?:[.;)!\n]|$)";
    /// Three to five words that end the sentence.
    PICTURE_PHRASE = r"^(?:['’]s|[ \t]+(?:is|ist|lautet|est|c['’]est|es|è))(?:[ \t]+(?:now|jetzt))?:?[ \t]+((?:[a-zà-ÿ]{1,14} ){2,4}[a-zà-ÿ]{3,14})[ \t]*(?:[.,;!)\n]|$)";
    /// `Tortuga Lenta 8`: capitalised words and a number.
    CAPITALISED_PHRASE = r"^(?:[ \t]+[^\s:=]{1,24}){0,6}(?:[ \t]*[:=→]|[ \t]+(?:is|ist|est|es|é|è))[ \t]*((?:[A-ZÀ-Þ][A-Za-zÀ-ÿ]{2,14} ){2,4}[0-9]{1,4})[ \t]*(?:[.,;\n]|$)";
    ADJACENT_CAPITALISED_PHRASE = r"^[ \t]+((?:[A-ZÀ-Þ][A-Za-zÀ-ÿ]{2,14} ){2,4}[0-9]{1,4})[ \t]*(?:[.,;\n]|$)";
    /// Groups of four characters, as app passwords have them.
    GROUPS = r"^(?:[^\n:=]{0,40}?(?:[ \t]*[:=→]|[ \t]+is))?[ \t]*[\x22'`]?([A-Za-z0-9]{4}(?:[ -][A-Za-z0-9]{4}){2,7})(?:[^A-Za-z0-9-]|$)";
}

/// Words of a phrase after any sentence, and bytes after a label in which such a phrase begins.
const LINKED_WORDS_LEAST: usize = 4;
const LINKED_BYTES_MAX: usize = 160;
/// Bytes of the longest phrase.
const PHRASE_BYTES_MAX: usize = 240;

/// `the passphrase, in case I am away: marble ostrich tundra gravy`: four unrelated words or more after any link. If the label
/// is no passphrase, the text has to mention a number of words.
fn linked_phrase(window: &str, is_phrase: bool) -> Option<Range<usize>> {
    let window = &window[..char_boundary_before(window, window.len().min(LINKED_BYTES_MAX + PHRASE_BYTES_MAX))];
    // Cheap test first: most texts mention no number of words.
    if !is_phrase && !WORD_COUNT_NOUNS.iter().any(|words| window.contains(words)) {
        return None;
    }
    let mut from = 0;
    // A sentence may have several links before the phrase.
    while let Some(groups) = LINKED_PHRASE.captures_at(window, from).filter(|_| from < LINKED_BYTES_MAX) {
        let run = groups.get(1)?;
        let lead = &window[..run.start()];
        let is_announced = is_phrase || WORD_COUNT_NOUNS.iter().any(|words| lead.contains(words));
        if let Some(len) = phrase_len(run.as_str()).filter(|_| is_announced && !lead.trim_end().contains('\n')) {
            return Some(run.start()..run.start() + len);
        }
        from = run.start();
    }
    None
}

/// Bytes of the unrelated words at the start, up to a word that continues the sentence.
fn phrase_len(run: &str) -> Option<usize> {
    let words: Vec<&str> = run.split([' ', '-']).collect();
    // "correct horse battery staple" begins with an adjective.
    let is_remark = |index: usize, word: &str| {
        let is_derived = ["ed", "ing", "ly", "tion", "ment"].iter().any(|ending| word.ends_with(ending));
        !(index == 0 && word == "correct")
            && (is_context_word(word) || UNITS.contains(word) || is_derived && word.len() > 4)
    };
    let is_over = |index: &usize| PASSPHRASE_ENDS.contains(words[*index]);
    let end = (0..words.len()).find(is_over).unwrap_or(words.len());
    let are_plain = words[..end].iter().enumerate().all(|(index, word)| !is_remark(index, word));
    let len = words[..end].iter().map(|word| word.len() + 1).sum::<usize>().saturating_sub(1);
    let long = words[..end].iter().filter(|word| word.chars().count() > 2).count();
    (long >= LINKED_WORDS_LEAST && are_plain).then_some(len)
}

/// A passphrase of plain words after a label, or an app password in groups of four.
pub(super) fn passphrase(label: &Label<'_>, window: &str) -> Option<Range<usize>> {
    if label.class != SecretClass::Password {
        return None;
    }
    let is_phrase = label.name.to_lowercase().ends_with("phrase");
    let first = window.split_whitespace().next().unwrap_or_default();
    if is_phrase && window.starts_with(' ') && LABEL_COMPOUNDS.contains(first.trim_end_matches(':')) {
        return None;
    }
    if let Some(range) = linked_phrase(window, is_phrase) {
        return Some(range);
    }
    match is_phrase {
        true => named_phrase(window),
        false => unquoted_phrase(window)
            .or_else(|| capitalised_phrase(label, window))
            .or_else(|| app_password(window))
            .or_else(|| network_phrase(label, window)),
    }
}

/// After a label for passphrases: lower-case words, or any quoted words.
fn named_phrase(window: &str) -> Option<Range<usize>> {
    let quoted = || QUOTED_PHRASE.captures(window)?.get(1);
    let found = NAMED_PHRASE.captures(window).and_then(|groups| groups.get(1)).or_else(quoted)?;
    let words = || found.as_str().split([' ', '-']);
    let stops = words().filter(|word| NON_VALUES.contains(word)).count();
    let is_sentence = words().any(|word| SENTENCE_WORDS.contains(word)) || stops > words().count() / 4;
    // `minimum 5 words`: a number is a count, unless there are four words or more.
    let has_number = found.as_str().bytes().any(|byte| byte.is_ascii_digit());
    let is_count = has_number && (words().count() < 4 || words().any(|word| UNITS.contains(word) && word.len() > 2));
    // `entered once per boot`, `take four words nobody …`.
    let first = words().next().unwrap_or_default();
    let is_remark = ["ed", "ing"].iter().any(|ending| first.len() > 4 && first.ends_with(ending))
        && (stops > 0 || words().any(|word| METADATA_SUFFIXES.contains(word)))
        || words().any(|word| UNITS.contains(word) && word.len() > 3);
    (!is_sentence && !is_count && !is_remark).then(|| found.range())
}

/// `password: marble ostrich tundra gravy`.
fn unquoted_phrase(window: &str) -> Option<Range<usize>> {
    let found = UNQUOTED_PHRASE.captures(window)?.get(1)?;
    let is_remark = |word: &str| {
        is_context_word(word) || ["ed", "ing", "ly", "ten", "tion", "ment"].iter().any(|ending| word.ends_with(ending))
    };
    // "correct horse battery staple" begins with an adjective.
    let is_sentence = found.as_str().trim_start_matches("correct ").split([' ', '-']).any(is_remark);
    (!is_sentence).then(|| found.range())
}

/// `guest wifi …, the password's lemon tart tuesday`: words at the end of a sentence about a network.
fn network_phrase(label: &Label<'_>, window: &str) -> Option<Range<usize>> {
    let found = label.is_near_network.then(|| PICTURE_PHRASE.captures(window)).flatten()?.get(1)?;
    let words: Vec<&str> = found.as_str().split(' ').collect();
    let [first, middle @ .., last] = words.as_slice() else { return None };
    let is_picture = |word: &str| {
        is_picture_word(word) && !NOTE_WORDS.contains(word) && !PASSWORD_REMARKS.contains(word) && !UNITS.contains(word)
    };
    let is_whole = is_picture_word(first)
        && is_picture(last)
        && middle.iter().all(|word| PHRASE_CONNECTORS.contains(word) || is_picture(word))
        && !IDIOM_STARTS.contains(first)
        && !NOTE_WORDS.contains(first)
        && !PASSWORD_REMARKS.contains(first)
        && !DESCRIPTIVE_SUFFIXES.iter().any(|ending| first.ends_with(ending));
    is_whole.then(|| found.range())
}

fn capitalised_phrase(label: &Label<'_>, window: &str) -> Option<Range<usize>> {
    let beside = || label.is_login.then(|| ADJACENT_CAPITALISED_PHRASE.captures(window)).flatten()?.get(1);
    let found = CAPITALISED_PHRASE.captures(window).and_then(|groups| groups.get(1)).or_else(beside)?;
    let is_word = |word: &str| {
        let lower = word.to_lowercase();
        NON_VALUES.contains(&lower) || METADATA_SUFFIXES.contains(&lower)
    };
    (!found.as_str().split(' ').any(is_word)).then(|| found.range())
}

fn app_password(window: &str) -> Option<Range<usize>> {
    let found = GROUPS.captures(window)?.get(1)?;
    // Words have vowels in each group of four; random groups have not, or mix letters and digits.
    let is_random = |group: &str| {
        let counts = CharCounts::of(group);
        counts.digits < 4
            && (counts.digits > 0 || !group.contains(['a', 'e', 'i', 'o', 'u', 'y', 'A', 'E', 'I', 'O', 'U']))
    };
    let groups = || found.as_str().split([' ', '-']);
    let is_word = |group: &str| NON_VALUES.contains(group) || SENTENCE_WORDS.contains(group);
    (groups().any(is_random) && !groups().any(is_word)).then(|| found.range())
}

impl LabelledValue<'_> {
    /// `the password is dry-Dock-Tuesday`: joined words with an inner capital letter, as no adjective has.
    pub(super) fn has_capitalised_words(&self) -> bool {
        let parts: Vec<&str> = self.value.text.split(['-', '_', '.']).collect();
        let is_word = |part: &&str| part.len() >= 3 && part.bytes().all(|byte| byte.is_ascii_alphabetic());
        let is_capital = |part: &&str| part.starts_with(|char: char| char.is_ascii_uppercase());
        let is_capitalised =
            parts.last().is_some_and(is_capital) || parts.len() > 2 && parts.iter().skip(1).any(is_capital);
        let is_known = parts.iter().any(|part| {
            let lower = part.to_lowercase();
            NON_VALUES.contains(&lower) || SENTENCE_WORDS.contains(&lower)
        });
        matches!(
            self.separator,
            Separator::Colon | Separator::Equals | Separator::Prose | Separator::Adjacent { is_login: true }
        ) && self.label.class == SecretClass::Password
            && parts.len() > 1
            && parts.iter().all(is_word)
            && is_capitalised
            && CharCounts::of(self.value.text).lower > 5
            && !is_known
    }

    /// `the password is bumblebee, all lower case`: a remark on the spelling.
    pub(super) fn has_spelling_note(&self) -> bool {
        let rest =
            self.value.after(self.window).trim_start_matches(['"', '\'', '`', '*', ' ', ',', '(', '-', '–', '—', '.']);
        let rest = rest.split('\n').next().unwrap_or_default().to_lowercase();
        let lead = self.window.get(..self.value.range().start).unwrap_or_default().to_lowercase();
        let lead = lead.trim_end_matches(['"', '\'', '`', '*', ' ', ',', ':', '(']);
        matches!(self.separator, Separator::Colon | Separator::Equals | Separator::Prose)
            && self.label.class == SecretClass::Password
            && self.value.text.chars().count() >= 5
            && (SPELLING_NOTES.iter().any(|words| rest.starts_with(words))
                || SPELLING_LEADS.iter().any(|words| lead.ends_with(words)))
    }

    /// `the password is twelve.oars.east`: three unrelated words or more.
    pub(super) fn is_unrelated_words(&self) -> bool {
        let value = self.value.text;
        let parts: Vec<&str> = value.split(['-', '_', '.']).collect();
        let is_word = |part: &&str| {
            part.len() >= 3
                && part.bytes().all(|byte| byte.is_ascii_lowercase())
                && !is_context_word(part)
                && !is_describing(part)
        };
        let is_remark =
            matches!(self.separator, Separator::Colon | Separator::Prose | Separator::Adjacent { is_login: true });
        let is_host = parts
            .last()
            .is_some_and(|last| ["com", "org", "net", "test", "internal", "local", "dev", "app"].contains(last));
        let has_joiner = parts.iter().any(|part| PHRASE_CONNECTORS.contains(part));
        is_remark
            && self.label.class == SecretClass::Password
            && !self.label.is_setting
            && parts.len() > 2
            && parts.len() < 7
            && parts.iter().all(is_word)
            && !parts
                .first()
                .is_some_and(|first| PHRASE_CONNECTORS.contains(first) || IDIOM_STARTS.contains(first) && has_joiner)
            && !is_host
    }

    /// `the password's kaktus-im-regen`: nouns joined by small words, unlike an idiom.
    pub(super) fn is_picture_phrase(&self) -> bool {
        let parts: Vec<&str> = self.value.text.split(['-', '_', '.']).collect();
        let [first, middle @ .., last] = parts.as_slice() else { return false };
        let is_remark =
            matches!(self.separator, Separator::Colon | Separator::Prose | Separator::Adjacent { is_login: true });
        let is_network = self.label.is_near_network;
        // `stuck-in-queue`: with an English connector it may also be a state.
        let is_clear = |part: &&str| PHRASE_CONNECTORS.contains(part) && !ENGLISH_PHRASE_CONNECTORS.contains(part);
        let is_any =
            |part: &str| part.chars().all(char::is_lowercase) && part.len() > 2 && !IDIOM_CONNECTORS.contains(part);
        let is_middle =
            |part: &&str| PHRASE_CONNECTORS.contains(part) || is_picture_word(part) || is_network && is_any(part);
        is_remark
            && self.label.class == SecretClass::Password
            && !self.label.is_setting
            && (1..5).contains(&middle.len())
            && is_picture_word(first)
            && is_picture_word(last)
            && middle.iter().all(is_middle)
            && (is_network || middle.iter().any(is_clear) && !self.value.text.contains('.'))
            && !IDIOM_STARTS.contains(first)
            && self.ends_statement()
    }

    /// Whether the sentence ends after the value, or continues with how long it is valid.
    fn ends_statement(&self) -> bool {
        let after = self.value.after(self.window).trim_start_matches(['"', '\'', '`', '*']);
        let next = after.split_whitespace().next().unwrap_or_default();
        after.is_empty()
            || after.starts_with(['.', ',', ';', '!', ')', '\n'])
            || ["until", "till", "for", "bis", "(", "-", "–", "—", "|", "and", "und", "now", "jetzt", "today", "heute"]
                .contains(&next)
            || next.starts_with('(')
    }

    /// `psk="palette.gabel.stapler"`: a setting that only ever contains a key.
    pub(super) fn is_certain_key(&self) -> bool {
        let name: String = self.label.name.to_lowercase().chars().filter(|char| char.is_alphanumeric()).collect();
        let is_named = ["psk", "passphrase", "presharedkey", "wpakey", "wifikey", "wifipassword", "wlanpassword"]
            .iter()
            .any(|suffix| name.ends_with(suffix));
        let is_set = matches!(self.separator, Separator::Assignment | Separator::Equals | Separator::Colon);
        is_named
            && is_set
            && (self.value.is_quoted || self.separator == Separator::Assignment && self.value.ends_line(self.window))
            && placeholder::is_dotted_words(self.value.text)
    }

    /// `DB_PASSWORD=swordfish`: the plain word of a setting.
    pub(super) fn is_plain_setting(&self) -> bool {
        let value = self.value.text;
        let after = self.value.after(self.window);
        let is_argument = after.starts_with([')', ',']) || after.starts_with(['(', '[', '.']);
        let is_word = value.chars().all(|char| char.is_alphanumeric() || "-_".contains(char)) || self.is_certain_key();
        is_word
            && value.chars().count() >= 4
            && !is_argument
            && (self.label.is_setting || self.is_flag || value.len() >= 6)
            && !self.label.name.eq_ignore_ascii_case(value)
            && !self.is_measurement()
    }

    /// `DB_PASSWORD: swordfish`, alone on its line.
    pub(super) fn is_plain_in_list(&self) -> bool {
        let value = self.value.text;
        let lower = value.to_lowercase();
        let is_remark =
            ["ed", "ing", "ly", "en", "able", "ible", "ive", "ful"].iter().any(|ending| lower.ends_with(ending));
        let is_word =
            value.bytes().all(|byte| byte.is_ascii_alphabetic() || byte == b'-') && CharCounts::of(value).upper <= 1;
        // `rootPassword: …`.
        let head = self.label.name.strip_suffix("Password").or_else(|| self.label.name.strip_suffix("Passwd"));
        let is_camel = head.is_some_and(|head| PASS_PREFIXES.contains(&head.to_lowercase()));
        (self.label.is_setting || self.label.is_below_user || is_camel)
            && is_word
            && value.len() >= 6
            && !is_remark
            && self.value.ends_line(self.window)
            && !value.contains('-')
    }

    /// `wifi: Guests pass: spaghetti-western`: joined words after a user.
    pub(super) fn is_plain_beside_user(&self) -> bool {
        let value = self.value.text;
        let is_part = |part: &str| {
            part.len() >= 3 && part.bytes().all(|byte| byte.is_ascii_lowercase()) && !is_context_word(part)
        };
        self.label.is_login
            && value.contains(['-', '_'])
            && value.len() >= 9
            && value.split(['-', '_']).all(is_part)
            && self.value.ends_line(self.window)
    }
}

/// A plain word that is no remark on a password.
fn is_picture_word(part: &str) -> bool {
    part.chars().count() >= 3
        && part.chars().all(char::is_lowercase)
        && !PHRASE_CONNECTORS.contains(part)
        && !is_context_word(part)
        && !is_describing(part)
}

/// `expired`, `missing`: a participle, adjective or adverb.
fn is_describing(word: &str) -> bool {
    word.len() > 4 && ["ed", "ing", "able", "ible", "ly"].iter().any(|ending| word.ends_with(ending))
}
