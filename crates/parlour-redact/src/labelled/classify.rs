//! Decides whether a labelled value is a secret.

use std::ops::Range;

use super::{
    super::{
        benign::{has_code_noun, has_inner_symbol, is_date_or_time, is_region_name, is_technical_term, is_version},
        personal, placeholder,
        shape::{self, CharCounts},
        words::{
            COMMON_PASSWORDS, COUNT_CONNECTORS, PASSPHRASE_CONNECTORS, SENTENCE_CONTINUATIONS, SENTENCE_WORDS,
            SecretClass, UNITS,
        },
    },
    label::Label,
    value::Value,
};

/// Characters and entropy of a quoted random value that may contain any symbol.
const QUOTED_RANDOM_LEAST: usize = 16;
const QUOTED_RANDOM_ENTROPY: u32 = 340;

/// The text between a label and a value, from the most to the least reliable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Separator {
    /// `KEY=x`, an option of a command, an XML element.
    Assignment,
    /// `key = x`, `key := x`, `key => x`.
    Equals,
    /// `key: x`.
    Colon,
    /// `| key | x |`.
    TableCell,
    /// `the key for this is x`.
    Prose,
    /// `x is the key`.
    Reversed,
    /// `key x`.
    Adjacent {
        /// Whether the text before is about signing in.
        is_login: bool,
    },
}

/// A label, a separator and a value.
pub(super) struct LabelledValue<'a> {
    pub(super) label: &'a Label<'a>,
    pub(super) separator: Separator,
    pub(super) value: &'a Value<'a>,
    pub(super) window: &'a str,
    pub(super) is_flag: bool,
}

impl LabelledValue<'_> {
    /// The range of the value in its window, if it is a secret.
    pub(super) fn accept(&self) -> Option<Range<usize>> {
        self.is_secret().then(|| self.value.range())
    }

    fn is_secret(&self) -> bool {
        let value = self.value.text;
        let is_call = !self.value.is_quoted && self.value.after(self.window).starts_with('(');
        // A remark in brackets, the next option of a command, or the text of a Markdown link.
        let is_remark = !self.value.is_quoted && (value.starts_with('(') || is_option(value) || value.contains("]("));
        if is_remark
            || placeholder::is_placeholder(value)
            || is_call
            || placeholder::is_code(value)
                && !(self.is_unrelated_words() || self.is_picture_phrase() || self.is_certain_key())
            || is_technical_term(value)
            || is_region_name(value)
            || shape::is_own_id(value)
        {
            return false;
        }
        match self.label.class {
            SecretClass::Password => self.is_password(),
            SecretClass::Credentials | SecretClass::LoginPhrase | SecretClass::Service => self.is_prose_password(),
            SecretClass::Secret => self.is_token() || self.is_set_secret() || self.is_prose_secret(),
            SecretClass::Token | SecretClass::Key => self.is_token(),
            SecretClass::Pin => self.is_pin(),
            SecretClass::Code => self.is_code(),
        }
    }

    fn is_password(&self) -> bool {
        match self.separator {
            Separator::Assignment | Separator::Equals if self.value.is_quoted => self.is_quoted_password(),
            Separator::Assignment => is_strong(self.value.text) && !self.is_measurement() || self.is_plain_setting(),
            Separator::Colon if self.value.is_quoted => self.is_quoted_password(),
            Separator::Colon => self.is_prose_password() || self.is_plain_in_list() || self.is_plain_beside_user(),
            Separator::Equals
            | Separator::TableCell
            | Separator::Prose
            | Separator::Reversed
            | Separator::Adjacent { .. } => self.is_prose_password(),
        }
    }

    /// A quoted password: a word, or a phrase that is no sentence.
    fn is_quoted_password(&self) -> bool {
        let value = self.value.text;
        let words: Vec<_> = value.split_whitespace().map(str::to_lowercase).collect();
        if words.len() > 1 {
            // A passphrase in a setting may contain connectors.
            let is_joined = self.separator == Separator::Assignment && words.len() <= 5;
            let is_sentence = words
                .iter()
                .map(|word| word.trim_matches(|char: char| !char.is_alphanumeric()))
                .any(|word| SENTENCE_WORDS.contains(word) && !(is_joined && PASSPHRASE_CONNECTORS.contains(word)));
            let is_set = self.separator == Separator::Assignment
                && self.label.is_setting
                && self.label.name.to_lowercase().ends_with("phrase");
            let is_cell = matches!(self.separator, Separator::TableCell | Separator::Adjacent { .. });
            return (!is_sentence || is_set)
                && (words.len() > 3 && words.len() < 13 || !is_cell || is_strong(value))
                && !value.contains(['{', '<']);
        }
        value.chars().count() >= 3
            && !self.is_measurement()
            && !(self.label.name.eq_ignore_ascii_case(value))
            && !value.contains("://")
    }

    /// A password in a sentence: no plain word, unless the text describes it.
    fn is_prose_password(&self) -> bool {
        let value = self.value.text;
        if COMMON_PASSWORDS.contains(value.to_lowercase().trim_end_matches('!')) {
            return true;
        }
        // "pass" is also a verb: `pass "next" back to get more`.
        let is_verb = self.label.name.eq_ignore_ascii_case("pass")
            && !self.label.is_login
            && matches!(self.separator, Separator::Adjacent { .. } | Separator::Prose);
        if self.value.is_quoted && is_verb {
            return self.is_quoted_password() && is_strong(value);
        }
        if self.separator == Separator::TableCell && has_code_noun(value) {
            return false;
        }
        if self.value.is_quoted && !matches!(self.separator, Separator::Reversed) {
            return self.is_quoted_password() && (self.separator != Separator::TableCell || is_strong(value));
        }
        if self.has_capitalised_words()
            || self.has_spelling_note()
            || self.is_unrelated_words()
            || self.is_picture_phrase()
        {
            return true;
        }
        let counts = CharCounts::of(value);
        if is_assignment(value)
            && matches!(self.separator, Separator::Adjacent { .. } | Separator::Prose | Separator::Reversed)
        {
            return false;
        }
        let is_number = counts.letters() == 0;
        // `password reset mails: 1204 sent`.
        if is_number && self.separator == Separator::Prose && self.is_counting() {
            return false;
        }
        let needs_more = match self.separator {
            // A network key is often a number of eight digits or more.
            Separator::Adjacent { .. } if is_number => {
                let is_passcode = self.label.name.to_lowercase().ends_with("passcode") && counts.digits <= 8;
                !is_passcode && (!self.label.is_network || counts.digits < 8)
            }
            Separator::Adjacent { is_login } => {
                !is_login
                    && !self.is_short_label_value(counts)
                    && !(counts.digits > 0 && counts.letters() > 0 && (counts.upper > 0 || counts.symbols > 0))
                    && !(has_inner_symbol(value) && counts.letters() > 5 && !value.contains(['(', '=', '/']))
            }
            Separator::Reversed => is_number || value.len() < 6 || value.contains("://"),
            Separator::Equals => is_number || value.contains(['(', '[', '{', '.']),
            _ => value.contains("://"),
        };
        !needs_more && is_strong(value) && !self.is_measurement()
    }

    fn is_token(&self) -> bool {
        let value = self.value.text;
        let least = match self.separator {
            Separator::Assignment | Separator::Equals | Separator::Colon => 8,
            Separator::TableCell | Separator::Prose => 10,
            Separator::Reversed | Separator::Adjacent { .. } => 14,
        };
        let is_plain = value.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-+/=.:~!@#$%^&*".contains(&byte));
        let is_address = value.contains("://") || value.contains(['(', '[', '{', '\\']);
        if self.is_quoted_random() {
            return true;
        }
        let is_number = CharCounts::of(value).letters() == 0;
        let is_long_run = value.len() >= 20
            && shape::entropy(value) >= 300
            && !shape::is_words(value)
            && !shape::is_name_with_number(value);
        is_plain
            && !is_address
            && !is_number
            && !is_assignment(value)
            && value.len() >= least
            && (shape::is_random(value) || is_long_run)
            && !is_version(value)
            && !is_date_or_time(value)
            && !has_code_noun(value.rsplit(['.', ':']).next().unwrap_or(value))
            && !(value.contains('/') && personal::is_file(value))
    }

    /// `SECRET_KEY = "w(8)$…"`: a quoted random value may contain symbols of code.
    fn is_quoted_random(&self) -> bool {
        let value = self.value.text;
        let counts = CharCounts::of(value);
        let is_linked = matches!(self.separator, Separator::Assignment | Separator::Equals | Separator::Colon);
        self.value.is_quoted
            && is_linked
            && value.len() >= QUOTED_RANDOM_LEAST
            && value.bytes().all(|byte| byte.is_ascii_graphic())
            && !["${", "{{", "#{", "%(", "%{", "}", "()", "://"].iter().any(|part| value.contains(part))
            && counts.digits > 1
            && counts.letters() > 4
            && counts.symbols > 1
            && shape::is_random(value)
            && shape::entropy(value) >= QUOTED_RANDOM_ENTROPY
            && !value
                .split(|char: char| !char.is_ascii_alphanumeric())
                .all(|part| shape::is_name_with_number(part) && part.len() < 12)
    }

    /// `JWT_SECRET=k3yboard-cat`: the value of a setting, not random.
    fn is_set_secret(&self) -> bool {
        let value = self.value.text;
        let is_set = matches!(self.separator, Separator::Assignment)
            || self.value.is_quoted && matches!(self.separator, Separator::Equals | Separator::Colon);
        let counts = CharCounts::of(value);
        let is_name = shape::is_words(value)
            || shape::is_name_with_number(value) && value.contains(['-', '_', '.']) && !self.is_signing();
        is_set
            && value.len() >= 6
            && counts.digits + counts.symbols > 0
            && counts.letters() > 0
            && !is_name
            && !value.contains([' ', '/', '('])
    }

    /// `SESSION_SECRET`: the value of a signing secret is never the name of something else.
    fn is_signing(&self) -> bool {
        let name = self.label.name.to_lowercase();
        self.label.is_setting
            && name.ends_with("secret")
            && ["session", "jwt", "cookie", "signing", "auth", "csrf", "refresh", "hmac", "webhook", "shared"]
                .iter()
                .any(|word| name.contains(word))
    }

    /// `shared secret: Onyx!Tiger.Lily`: a symbol between letters that sentences do not have.
    fn is_prose_secret(&self) -> bool {
        let value = self.value.text;
        let chars: Vec<char> = value.chars().collect();
        let is_inner = chars
            .windows(3)
            .any(|three| "!#$%^&*?@".contains(three[1]) && three[0].is_alphanumeric() && three[2].is_alphanumeric());
        let is_linked =
            matches!(self.separator, Separator::Colon | Separator::Equals | Separator::Prose | Separator::TableCell);
        let counts = CharCounts::of(value);
        is_linked
            && is_inner
            && chars.len() >= 8
            && counts.upper + counts.digits > 0
            && !value.contains(['(', '[', '/'])
    }

    fn is_pin(&self) -> bool {
        let value = self.value.text.trim_matches(['#', '*']);
        let is_digits = value.bytes().all(|byte| byte.is_ascii_digit());
        let is_linked = !matches!(self.separator, Separator::Reversed);
        let groups: Vec<&str> = value.split('-').collect();
        let is_group = |group: &&str| (2..=4).contains(&group.len()) && group.bytes().all(|byte| byte.is_ascii_digit());
        if groups.len() > 1
            && value.len() <= 11
            && groups.iter().all(is_group)
            && groups.iter().all(|group| group.len() == groups[0].len())
        {
            return matches!(
                self.separator,
                Separator::Colon | Separator::Equals | Separator::Prose | Separator::Assignment
            );
        }
        is_digits
            && (4..=8).contains(&value.len())
            && is_linked
            && !self.is_measurement()
            && !self.value.after(self.window).starts_with(['.', ':', '-', '/'])
            || is_digits
                && (4..=8).contains(&value.len())
                && is_linked
                && self.value.after(self.window).starts_with(". ")
    }

    fn is_code(&self) -> bool {
        let value = self.value.text.trim_matches('#');
        let counts = CharCounts::of(value);
        let is_linked = !matches!(self.separator, Separator::Reversed);
        let is_short = value.bytes().all(|byte| {
            byte.is_ascii_digit() || byte == b'-' || byte.is_ascii_uppercase() || byte.is_ascii_lowercase()
        });
        counts.digits >= 3
            && is_short
            && (4..=24).contains(&value.len())
            && is_linked
            && !is_date_or_time(value)
            && !self.is_measurement()
            && !is_status(value, self.label.name)
            && !self.is_explained()
    }

    /// `alarm code E4471 means …`: a status that a machine shows.
    fn is_explained(&self) -> bool {
        let next = self.value.after(self.window).split_whitespace().next().unwrap_or_default();
        ["means", "indicates", "stands", "occurs", "appears", "bedeutet", "heißt", "signifie", "significa"]
            .contains(&next)
    }

    /// `…, pw bretzel44, …`: a short label and a word with a number at the end of a clause.
    fn is_short_label_value(&self, counts: CharCounts) -> bool {
        let after = self.value.after(self.window);
        let is_end = after.is_empty()
            || after.starts_with([',', '.', ';', ')', '\n'])
            || after.starts_with(" –")
            || after.starts_with(" -");
        let name = self.label.name.to_lowercase();
        ["pw", "pwd", "mdp", "psk", "passwort", "kennwort", "wachtwoord", "contraseña", "senha"]
            .contains(&name.as_str())
            && counts.digits > 1
            && counts.letters() > 3
            && is_end
    }

    /// Whether the next word is counted by the number, because it does not continue the sentence.
    fn is_counting(&self) -> bool {
        let after = self.value.after(self.window).trim_start_matches(' ');
        let next = after.split(|char: char| !char.is_alphanumeric()).next().unwrap_or_default().to_lowercase();
        !next.is_empty() && !SENTENCE_CONTINUATIONS.contains(next.as_str())
    }

    /// A measurement: `8 characters`, `30 days`, `12+`.
    pub(super) fn is_measurement(&self) -> bool {
        let value = self.value.text.trim_end_matches('+');
        let unit = value.trim_start_matches(|char: char| char.is_ascii_digit());
        // `8 or more` is a count, `4711 and` is not: four digits or more are no count before a connector.
        let is_long = value.len() - unit.len() >= 4;
        let is_numbered_noun = !value.is_empty() && unit.len() < value.len();
        let next = self
            .value
            .after(self.window)
            .trim_start_matches([' ', '+', '-'])
            .split(|char: char| !char.is_alphanumeric())
            .next()
            .unwrap_or_default()
            .to_lowercase();
        is_numbered_noun
            && (unit.is_empty()
                && UNITS.contains(next.as_str())
                && !(is_long && COUNT_CONNECTORS.contains(next.as_str()))
                || UNITS.contains(unit.trim_start_matches('-').to_lowercase().as_str())
                || unit.starts_with('-') && UNITS.iter().any(|word| word.len() > 2 && unit[1..].starts_with(word)))
    }
}

/// Whether a value looks like a password: letters with digits, symbols or inner capital letters, or four digits or more.
pub(crate) fn is_strong(value: &str) -> bool {
    let counts = CharCounts::of(value);
    let inner_signs = value
        .trim_end_matches(['!', '?', '.', ')'])
        .chars()
        .filter(|char| !char.is_alphanumeric() && !"-'’./_ ".contains(*char))
        .count();
    let has_digits = counts.digits > 0 && counts.letters() > 0 && counts.all() >= 5;
    let has_symbols =
        counts.letters() > 2 && counts.all() >= 6 && (inner_signs > 0 || value.ends_with('!') && counts.upper > 0);
    let has_inner_capitals =
        counts.upper > 1 && counts.lower > 1 && counts.all() >= 8 && !shape::is_words(value) && counts.symbols == 0;
    let is_number = counts.letters() == 0 && counts.digits >= 4 && counts.symbols == 0;
    (has_digits && !is_version(value) && !is_date_or_time(value) || has_symbols || has_inner_capitals || is_number)
        && !is_technical_term(value)
}

/// `--update-labels=a=b`.
fn is_option(value: &str) -> bool {
    value.strip_prefix("--").is_some_and(|name| name.starts_with(|char: char| char.is_ascii_lowercase()))
}

/// `prompt=1204`: a name with its own value.
fn is_assignment(value: &str) -> bool {
    let (name, rest) = value.split_once('=').unwrap_or_default();
    !name.is_empty()
        && name.bytes().all(|byte| byte.is_ascii_alphabetic() || byte == b'_')
        && !rest.starts_with('=')
        && !rest.is_empty()
}

/// `exit code 127`, `status code: 404`.
fn is_status(value: &str, name: &str) -> bool {
    value.len() <= 3 && !name.to_lowercase().contains("otp")
}
