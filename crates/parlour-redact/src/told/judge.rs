//! Whether what stands behind a name is a secret.

use super::{
    super::{
        personal,
        shape::{self, Makeup},
        stand_in,
        words::{COMMON_PASSWORDS, GOING_ON, JOINING_WORDS, JOINS, SENTENCE_WORDS, UNITS},
    },
    key::{Class, Key},
    things::{has_code_noun, has_inner_sign, is_moment, is_place, is_trade, is_version},
    value::Value,
};

/// Characters of a secret in quotation marks that may have any sign, and its bits as `entropy` tells them.
const QUOTED_DRAW_LEAST: usize = 16;
const QUOTED_DRAW_ENTROPY: u32 = 340;

/// What links a name to a value, from the strongest to the weakest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Link {
    /// `KEY=x`, an option of a command, an element.
    Tight,
    /// `key = x`, `key := x`, `key => x`.
    Equals,
    /// `key: x`.
    Colon,
    /// `| key | x |`.
    Cell,
    /// `the key for this is x`.
    Prose,
    /// `x is the key`.
    Reversed,
    /// `key x`.
    Beside {
        /// Somebody logs in nearby.
        is_login: bool,
    },
}

/// A name, a link and a value.
pub(super) struct Told<'a, 't> {
    pub(super) key: &'a Key<'t>,
    pub(super) link: Link,
    pub(super) value: &'a Value<'t>,
    pub(super) window: &'t str,
    pub(super) is_flag: bool,
}

impl Told<'_, '_> {
    pub(super) fn is_secret(&self) -> bool {
        let value = self.value.text;
        let is_call = !self.value.is_quoted && self.value.after(self.window).starts_with('(');
        // A remark in brackets, the next option of a command, and the text of a link.
        let is_remark = !self.value.is_quoted && (value.starts_with('(') || is_option(value) || value.contains("]("));
        if is_remark
            || stand_in::is_stand_in(value)
            || is_call
            || stand_in::is_code(value) && !(self.is_worded() || self.is_pictured() || self.is_sure())
            || is_trade(value)
            || is_place(value)
            || shape::is_own_id(value)
        {
            return false;
        }
        match self.key.class {
            Class::Password => self.is_password(),
            Class::Credentials | Class::Door | Class::Site => self.is_spoken_password(),
            Class::Secret => self.is_token() || self.is_set_secret() || self.is_spoken_secret(),
            Class::Token | Class::Key => self.is_token(),
            Class::Pin => self.is_pin(),
            Class::Code => self.is_code(),
        }
    }

    fn is_password(&self) -> bool {
        match self.link {
            Link::Tight | Link::Equals if self.value.is_quoted => self.is_quoted_password(),
            Link::Tight => is_strong(self.value.text) && !self.is_measure() || self.is_plain_setting(),
            Link::Colon if self.value.is_quoted => self.is_quoted_password(),
            Link::Colon => self.is_spoken_password() || self.is_plain_in_list() || self.is_plain_beside_user(),
            Link::Equals | Link::Cell | Link::Prose | Link::Reversed | Link::Beside { .. } => self.is_spoken_password(),
        }
    }

    /// In quotation marks: a word that is not one of those that are said of passwords, or a phrase that is no sentence.
    fn is_quoted_password(&self) -> bool {
        let value = self.value.text;
        let words: Vec<_> = value.split_whitespace().map(str::to_lowercase).collect();
        if words.len() > 1 {
            // What is set in code may join its words as sentences do.
            let is_joined = self.link == Link::Tight && words.len() <= 5;
            let is_sentence = words
                .iter()
                .map(|word| word.trim_matches(|char: char| !char.is_alphanumeric()))
                .any(|word| SENTENCE_WORDS.contains(word) && !(is_joined && JOINING_WORDS.contains(&word)));
            let is_set =
                self.link == Link::Tight && self.key.is_setting && self.key.name.to_lowercase().ends_with("phrase");
            let is_cell = matches!(self.link, Link::Cell | Link::Beside { .. });
            return (!is_sentence || is_set)
                && (words.len() > 3 && words.len() < 13 || !is_cell || is_strong(value))
                && !value.contains(['{', '<']);
        }
        value.chars().count() >= 3
            && !self.is_measure()
            && !(self.key.name.eq_ignore_ascii_case(value))
            && !value.contains("://")
    }

    /// In a sentence: something that is no word.
    fn is_spoken_password(&self) -> bool {
        let value = self.value.text;
        if COMMON_PASSWORDS.contains(&value.to_lowercase().trim_end_matches('!')) {
            return true;
        }
        // A verb as often as a name: `pass "next" back to get more`.
        let is_verb = self.key.name.eq_ignore_ascii_case("pass")
            && !self.key.is_login
            && matches!(self.link, Link::Beside { .. } | Link::Prose);
        if self.value.is_quoted && is_verb {
            return self.is_quoted_password() && is_strong(value);
        }
        if self.link == Link::Cell && has_code_noun(value) {
            return false;
        }
        if self.value.is_quoted && !matches!(self.link, Link::Reversed) {
            return self.is_quoted_password() && (self.link != Link::Cell || is_strong(value));
        }
        if self.is_titled() || self.is_described() || self.is_worded() || self.is_pictured() {
            return true;
        }
        let makeup = Makeup::of(value);
        if is_assignment(value) && matches!(self.link, Link::Beside { .. } | Link::Prose | Link::Reversed) {
            return false;
        }
        let is_number = makeup.letters() == 0;
        // `password reset mails: 1204 sent`.
        if is_number && self.link == Link::Prose && self.is_counting() {
            return false;
        }
        let needs_more = match self.link {
            // A key of a network is often a number, and nothing else of it has as many digits.
            Link::Beside { .. } if is_number => {
                let is_passcode = self.key.name.to_lowercase().ends_with("passcode") && makeup.digits <= 8;
                !is_passcode && (!self.key.is_network || makeup.digits < 8)
            }
            Link::Beside { is_login } => {
                !is_login
                    && !self.is_short_told(makeup)
                    && !(makeup.digits > 0 && makeup.letters() > 0 && (makeup.upper > 0 || makeup.signs > 0))
                    && !(has_inner_sign(value) && makeup.letters() > 5 && !value.contains(['(', '=', '/']))
            }
            Link::Reversed => is_number || value.len() < 6 || value.contains("://"),
            Link::Equals => is_number || value.contains(['(', '[', '{', '.']),
            _ => value.contains("://"),
        };
        !needs_more && is_strong(value) && !self.is_measure()
    }

    fn is_token(&self) -> bool {
        let value = self.value.text;
        let least = match self.link {
            Link::Tight | Link::Equals | Link::Colon => 8,
            Link::Cell | Link::Prose => 10,
            Link::Reversed | Link::Beside { .. } => 14,
        };
        let is_plain = value.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-+/=.:~!@#$%^&*".contains(&byte));
        let is_address = value.contains("://") || value.contains(['(', '[', '{', '\\']);
        if self.is_quoted_draw() {
            return true;
        }
        let is_number = Makeup::of(value).letters() == 0;
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
            && !is_moment(value)
            && !has_code_noun(value.rsplit(['.', ':']).next().unwrap_or(value))
            && !(value.contains('/') && personal::is_file(value))
    }

    /// `SECRET_KEY = "w(8)$…"`: in quotation marks anything may stand, also signs that code has.
    fn is_quoted_draw(&self) -> bool {
        let value = self.value.text;
        let makeup = Makeup::of(value);
        let is_linked = matches!(self.link, Link::Tight | Link::Equals | Link::Colon);
        self.value.is_quoted
            && is_linked
            && value.len() >= QUOTED_DRAW_LEAST
            && value.bytes().all(|byte| byte.is_ascii_graphic())
            && !["${", "{{", "#{", "%(", "%{", "}", "()", "://"].iter().any(|part| value.contains(part))
            && makeup.digits > 1
            && makeup.letters() > 4
            && makeup.signs > 1
            && shape::is_random(value)
            && shape::entropy(value) >= QUOTED_DRAW_ENTROPY
            && !value
                .split(|char: char| !char.is_ascii_alphanumeric())
                .all(|part| shape::is_name_with_number(part) && part.len() < 12)
    }

    /// `JWT_SECRET=k3yboard-cat`: not random, but set.
    fn is_set_secret(&self) -> bool {
        let value = self.value.text;
        let is_set =
            matches!(self.link, Link::Tight) || self.value.is_quoted && matches!(self.link, Link::Equals | Link::Colon);
        let makeup = Makeup::of(value);
        let is_name = shape::is_words(value)
            || shape::is_name_with_number(value) && value.contains(['-', '_', '.']) && !self.is_signing();
        is_set
            && value.len() >= 6
            && makeup.digits + makeup.signs > 0
            && makeup.letters() > 0
            && !is_name
            && !value.contains([' ', '/', '('])
    }

    /// `SESSION_SECRET`: what signs something is typed in and never the name of something else.
    fn is_signing(&self) -> bool {
        let name = self.key.name.to_lowercase();
        self.key.is_setting
            && name.ends_with("secret")
            && ["session", "jwt", "cookie", "signing", "auth", "csrf", "refresh", "hmac", "webhook", "shared"]
                .iter()
                .any(|word| name.contains(word))
    }

    /// `shared secret: Onyx!Tiger.Lily`: a sign between letters that sentences do not have.
    fn is_spoken_secret(&self) -> bool {
        let value = self.value.text;
        let chars: Vec<char> = value.chars().collect();
        let is_inner = chars
            .windows(3)
            .any(|three| "!#$%^&*?@".contains(three[1]) && three[0].is_alphanumeric() && three[2].is_alphanumeric());
        let is_linked = matches!(self.link, Link::Colon | Link::Equals | Link::Prose | Link::Cell);
        let makeup = Makeup::of(value);
        is_linked
            && is_inner
            && chars.len() >= 8
            && makeup.upper + makeup.digits > 0
            && !value.contains(['(', '[', '/'])
    }

    fn is_pin(&self) -> bool {
        let value = self.value.text.trim_matches(['#', '*']);
        let is_digits = value.bytes().all(|byte| byte.is_ascii_digit());
        let is_linked = !matches!(self.link, Link::Reversed);
        let groups: Vec<&str> = value.split('-').collect();
        let is_group = |group: &&str| (2..=4).contains(&group.len()) && group.bytes().all(|byte| byte.is_ascii_digit());
        if groups.len() > 1
            && value.len() <= 11
            && groups.iter().all(is_group)
            && groups.iter().all(|group| group.len() == groups[0].len())
        {
            return matches!(self.link, Link::Colon | Link::Equals | Link::Prose | Link::Tight);
        }
        is_digits
            && (4..=8).contains(&value.len())
            && is_linked
            && !self.is_measure()
            && !self.value.after(self.window).starts_with(['.', ':', '-', '/'])
            || is_digits
                && (4..=8).contains(&value.len())
                && is_linked
                && self.value.after(self.window).starts_with(". ")
    }

    fn is_code(&self) -> bool {
        let value = self.value.text.trim_matches('#');
        let makeup = Makeup::of(value);
        let is_linked = !matches!(self.link, Link::Reversed);
        let is_short = value.bytes().all(|byte| {
            byte.is_ascii_digit() || byte == b'-' || byte.is_ascii_uppercase() || byte.is_ascii_lowercase()
        });
        makeup.digits >= 3
            && is_short
            && (4..=24).contains(&value.len())
            && is_linked
            && !is_moment(value)
            && !self.is_measure()
            && !is_status(value, self.key.name)
            && !self.is_explained()
    }

    /// `alarm code E4471 means …`: what a machine shows, and not what opens it.
    fn is_explained(&self) -> bool {
        let next = self.value.after(self.window).split_whitespace().next().unwrap_or_default();
        ["means", "indicates", "stands", "occurs", "appears", "bedeutet", "heißt", "signifie", "significa"]
            .contains(&next)
    }

    /// `…, pw bretzel44, …`: a short word for passwords that is no verb, and a word with a number that ends what is said.
    fn is_short_told(&self, makeup: Makeup) -> bool {
        let after = self.value.after(self.window);
        let is_end = after.is_empty()
            || after.starts_with([',', '.', ';', ')', '\n'])
            || after.starts_with(" –")
            || after.starts_with(" -");
        let name = self.key.name.to_lowercase();
        ["pw", "pwd", "mdp", "psk", "passwort", "kennwort", "wachtwoord", "contraseña", "senha"]
            .contains(&name.as_str())
            && makeup.digits > 1
            && makeup.letters() > 3
            && is_end
    }

    /// Whether a word stands behind the number that does not go on with the sentence: it counts that.
    fn is_counting(&self) -> bool {
        let after = self.value.after(self.window).trim_start_matches(' ');
        let next = after.split(|char: char| !char.is_alphanumeric()).next().unwrap_or_default().to_lowercase();
        !next.is_empty() && !GOING_ON.contains(&next.as_str())
    }

    /// A number of something: `8 characters`, `30 days`, `12+`.
    pub(super) fn is_measure(&self) -> bool {
        let value = self.value.text.trim_end_matches('+');
        let unit = value.trim_start_matches(|char: char| char.is_ascii_digit());
        // `8 or more`, but `4711 and`: as many digits as a number has that lets somebody in count nothing.
        let is_long = value.len() - unit.len() >= 4;
        let is_counted = !value.is_empty() && unit.len() < value.len();
        let next = self
            .value
            .after(self.window)
            .trim_start_matches([' ', '+', '-'])
            .split(|char: char| !char.is_alphanumeric())
            .next()
            .unwrap_or_default()
            .to_lowercase();
        is_counted
            && (unit.is_empty() && UNITS.contains(&next.as_str()) && !(is_long && JOINS.contains(&next.as_str()))
                || UNITS.contains(&unit.trim_start_matches('-').to_lowercase().as_str())
                || unit.starts_with('-') && UNITS.iter().any(|word| word.len() > 2 && unit[1..].starts_with(word)))
    }
}

/// Letters with digits, signs or capital letters in their middle, or a row of digits.
pub(crate) fn is_strong(value: &str) -> bool {
    let makeup = Makeup::of(value);
    let inner_signs = value
        .trim_end_matches(['!', '?', '.', ')'])
        .chars()
        .filter(|char| !char.is_alphanumeric() && !"-'’./_ ".contains(*char))
        .count();
    let has_digits = makeup.digits > 0 && makeup.letters() > 0 && makeup.all() >= 5;
    let has_signs =
        makeup.letters() > 2 && makeup.all() >= 6 && (inner_signs > 0 || value.ends_with('!') && makeup.upper > 0);
    let has_humps =
        makeup.upper > 1 && makeup.lower > 1 && makeup.all() >= 8 && !shape::is_words(value) && makeup.signs == 0;
    let is_number = makeup.letters() == 0 && makeup.digits >= 4 && makeup.signs == 0;
    (has_digits && !is_version(value) && !is_moment(value) || has_signs || has_humps || is_number) && !is_trade(value)
}

/// `--update-labels=a=b`.
fn is_option(value: &str) -> bool {
    value.strip_prefix("--").is_some_and(|name| name.starts_with(|char: char| char.is_ascii_lowercase()))
}

/// `prompt=1204`: a name with a value of its own.
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
