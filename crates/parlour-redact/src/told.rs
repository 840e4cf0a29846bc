//! Secrets that are told and not shaped: a word such as `password`, something that links it to a value, and the value.
//!
//! Every word that says so is found by the scanner; here its surroundings are read, in a window of bounded size, so that the
//! cost stays in proportion to the text.

mod changed;
mod columns;
mod judge;
mod key;
mod list;
mod near;
mod phrase;
mod plainly;
mod things;
mod value;
mod worded;

use std::{ops::Range, sync::LazyLock};

use regex::Regex;

pub(super) use self::{
    judge::is_strong,
    things::{
        has_code_noun, has_inner_sign, is_counted, is_identifier, is_place, is_prefixed_id, is_thing, is_trade,
        is_version,
    },
};
use self::{
    judge::{Link, Told},
    key::{Class, Key},
    value::Value,
};
use super::{
    marks::NUMBER_DIGITS_MAX,
    shape, stand_in,
    words::{ITS_PARTS, NAMING},
};

/// The kinds of told secrets.
pub(super) const KINDS: &[&str] = &["password", "secret", "token", "api-key", "pin", "code"];

/// Bytes behind a word in which its value begins and ends.
const WINDOW_BYTES_MAX: usize = 480;
/// Bytes before a word in which a value that is told first stands.
const BEFORE_BYTES_MAX: usize = 120;

/// A place to take out, and its kind.
pub(super) type Found = (Range<usize>, &'static str);

/// What the word at this place tells, if it is one of a name of secrets; and where that name ends.
pub(super) fn told(text: &str, word: Range<usize>) -> Option<(usize, Vec<Found>)> {
    let key = Key::around(text, word)?;
    if is_in_mark(text, &key.range) {
        return Some((key.range.end, Vec::new()));
    }
    let mut found: Vec<Found> = value_of(text, &key).into_iter().collect();
    if let Some((first, kind)) = found.first().cloned() {
        found.extend(changed::next(text, &key, first.clone()));
        found.extend(list::rest(text, first).into_iter().map(|range| (range, kind)));
    }
    if found.is_empty() {
        found = columns::below(text, &key);
    }
    found.extend(changed::both(text, &key));
    let from = found.last().map_or(key.range.end, |(range, _)| range.end);
    found.extend(near::near(text, &key, from));
    found.retain(|(range, _)| !plainly::is_plainly_none(text, range));
    Some((key.range.end, found))
}

fn value_of(text: &str, key: &Key<'_>) -> Option<Found> {
    let window = window_after(text, key.range.end);
    if matches!(key.class, Class::Door | Class::Site) {
        return None;
    }
    if key.class == Class::Credentials {
        return credentials(key, window);
    }
    let found = phrase::phrase(key, window)
        .or_else(|| direct(key, window))
        .or_else(|| argument(text, key, window))
        .or_else(|| named(key, window))
        .or_else(|| in_next_element(key, window))
        .or_else(|| prose(key, window))
        .or_else(|| beside(text, key, window))
        .or_else(|| far(key, window))
        // What was told is a mark already: what stands behind it is something else.
        .filter(|value| first_mark(window).is_none_or(|mark| mark >= value.end))
        .map(|value| (key.range.end + value.start..key.range.end + value.end, key.class.kind()));
    found.or_else(|| reversed(text, key, window)).or_else(|| foreign(key, window)).or_else(|| scriptless(key, window))
}

/// `密码改成了 x`: in scripts without blanks, or beyond ASCII, the first word in ASCII that looks like one is meant.
fn scriptless(key: &Key<'_>, window: &str) -> Option<Found> {
    static WORDS: LazyLock<Option<Regex>> =
        LazyLock::new(|| pattern(r"^(?:[ \t]?[^\x00-\x7f，。；！？]{1,20}){0,5}[ \t：「『（\x22']{0,4}"));
    let is_known = matches!(key.class, Class::Password | Class::Pin | Class::Code) && !window.is_ascii();
    let found = WORDS.as_ref().filter(|_| is_known)?.find(window)?;
    let rest = &window[found.end()..];
    let len = rest.bytes().take_while(u8::is_ascii_graphic).count();
    let value = Value::at(&window[..found.end() + len], found.end()).filter(|value| value.range().end > found.end())?;
    let told = Told { key, link: Link::Colon, value: &value, window, is_flag: false };
    let is_clear = key.class != Class::Password || shape::Makeup::of(value.text).digits > 0;
    (!found.as_str().is_ascii() && is_clear && told.is_secret())
        .then(|| (key.range.end + value.range().start..key.range.end + value.range().end, key.class.kind()))
}

/// `пароль админа x`: languages without a word for `is` tell it behind the name of what it opens.
fn foreign(key: &Key<'_>, window: &str) -> Option<Found> {
    static WORDS: LazyLock<Option<Regex>> = LazyLock::new(|| pattern(r"^(?:[ \t]+[\p{L}\p{M}]{1,20}){0,5}[ \t]+"));
    let name = key.name.to_lowercase();
    let is_english =
        ["password", "passwd", "passphrase", "passcode", "pw"].iter().any(|word| name.contains(word)) || name == "pass";
    if key.class != Class::Password || is_english {
        return None;
    }
    let found = WORDS.as_ref()?.find(window)?;
    let value = Value::at(window, found.end())?;
    let told = Told { key, link: Link::Prose, value: &value, window, is_flag: false };
    let makeup = shape::Makeup::of(value.text);
    let is_clear = makeup.digits > 0 && makeup.upper + makeup.signs > 0;
    (is_clear && told.is_secret())
        .then(|| (key.range.end + value.range().start..key.range.end + value.range().end, key.class.kind()))
}

fn window_after(text: &str, from: usize) -> &str {
    let end = (from + WINDOW_BYTES_MAX).min(text.len());
    text.get(from..floor(text, end)).unwrap_or_default()
}

pub(super) fn floor(text: &str, mut at: usize) -> usize {
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// A pattern of this module; that all of them can be read is a matter of tests.
fn pattern(pattern: &str) -> Option<Regex> {
    let read = Regex::new(pattern);
    debug_assert!(read.is_ok(), "{pattern}");
    read.ok()
}

/// `password: x`, `"password": "x"`, `PASSWORD=x`, `**Password:** x`, `<password>x</password>`, `| password | x |`.
fn direct(key: &Key<'_>, window: &str) -> Option<Range<usize>> {
    static LINK: LazyLock<Option<Regex>> = LazyLock::new(|| {
        pattern(
            r#"^(?:\\?["'`’”*_)\]}~]){0,4}[ \t]{0,12}(?:\([^()\n]{0,40}\)[ \t]{0,2})?(?:#?[0-9]{1,2}[ \t]{0,2})?(:=|=>|->|<-|→|⇒|\|\|=|\?\?=|\?=|={1,3}|:|：|\||>)(?:\*\*|__|\*|_)?[ \t]{0,12}(?:<!\[CDATA\[)?"#,
        )
    });
    let found = LINK.as_ref()?.captures(window)?;
    let sign = found.get(1)?;
    // What a function gives back: `fn read_key(path: &Path) -> Key`.
    if sign.as_str() == "->" && window[..sign.start()].trim_end().ends_with(')') {
        return None;
    }
    let mut at = found.get(0)?.end();
    let link = match sign.as_str() {
        "|" => Link::Cell,
        ">" if window[sign.end()..].split('\n').next().is_some_and(|line| line.contains("</")) => Link::Tight,
        ">" => return None,
        // Names in code, and no link: `Test::token`.
        ":" if window[sign.end()..].starts_with(':') => return None,
        ":" | "：" => Link::Colon,
        "=" if at == sign.end() && sign.start() == 0 => Link::Tight,
        _ => Link::Equals,
    };
    let rest = &window[at..];
    let line = rest.split('\n').next().unwrap_or_default();
    let mut is_next_line = false;
    if line.trim().is_empty() || line.trim_start().starts_with("```") {
        // The value may stand in the next line, alone or in a block.
        let skipped = rest.len()
            - rest
                .trim_start_matches(|char: char| char.is_whitespace() || char == '`' || char == '>' || char == '|')
                .len();
        (at, is_next_line) = (at + skipped, true);
    }
    let value = Value::at(window, at)?;
    let is_alone = !is_next_line || value.ends_line(window);
    let told = Told { key, link, value: &value, window, is_flag: false };
    (is_alone && told.is_secret()).then(|| value.range())
}

/// `set("password", "x")`, `element("password").type("x")`: what follows a name in a call.
fn argument(text: &str, key: &Key<'_>, window: &str) -> Option<Range<usize>> {
    static LINK: LazyLock<Option<Regex>> = LazyLock::new(|| {
        pattern(
            r#"(?i)^(?:["']?\]?["']\s{0,4},\s{0,20}|["'\])]{1,4}\.(?:send_?keys|type|fill|set_?value|set_?text|input_?text)\(\s{0,4})["']"#,
        )
    });
    let is_name = text[..key.range.start].ends_with(['"', '\'', '#', '=', '-']);
    let found = LINK.as_ref().filter(|_| is_name)?.find(window)?;
    let value = Value::at(window, found.end() - 1)?;
    let told = Told { key, link: Link::Cell, value: &value, window, is_flag: false };
    (value.is_quoted && told.is_secret()).then(|| value.range())
}

/// `name: DB_PASSWORD` and `value: x` beside it or in the next line.
fn named(key: &Key<'_>, window: &str) -> Option<Range<usize>> {
    static LINK: LazyLock<Option<Regex>> = LazyLock::new(|| {
        pattern(
            r#"(?i)^["'`]?[ \t]{0,4}[,:=]?\s{0,40}\{?(?:\s{0,40}(?:type|description|sensitive)[ \t]{0,4}=[^\n{}]{0,120}\n){0,3}\s{0,40}["']?(?:value|val|content|default)["']?[ \t]{0,4}[:=][ \t]{0,4}"#,
        )
    });
    // A line of a log that names a setting and, further on, its value.
    static LOGGED: LazyLock<Option<Regex>> = LazyLock::new(|| {
        pattern(
            r#"(?i)^["'`\])]{0,3}[^\n=]{0,120}?[\s,;(\[](?:with |to |the |new |raw |effective |resolved |actual ){0,2}(?:value|val)(?:[ \t]+(?:is|was)\b)?[ \t]{0,2}[:=]?[ \t]{0,2}(?:["'`\[]|\b)"#,
        )
    });
    let logged = || LOGGED.as_ref().filter(|_| key.is_setting)?.find(window);
    let found = LINK.as_ref()?.find(window).or_else(logged)?;
    let value = Value::at(window, found.end() - quote_len(found.as_str()))?;
    let told = Told { key, link: Link::Tight, value: &value, window, is_flag: false };
    told.is_secret().then(|| value.range())
}

/// Bytes of the quotation mark that a link ends with.
fn quote_len(link: &str) -> usize {
    usize::from(link.ends_with(['"', '\'', '`']))
}

/// `<td>Password</td><td>x</td>`.
fn in_next_element(key: &Key<'_>, window: &str) -> Option<Range<usize>> {
    static LINK: LazyLock<Option<Regex>> = LazyLock::new(|| {
        pattern(
            r#"(?i)^(?::?\s{0,4}</(?:td|th|dt|b|strong|label|span|key|name)>|["']\s{0,4}>):?\s{0,40}(?:<[a-z][^<>]{0,80}>\s{0,4}){1,3}"#,
        )
    });
    let found = LINK.as_ref()?.find(window)?;
    let value = Value::at(window, found.end())?;
    let told = Told { key, link: Link::Colon, value: &value, window, is_flag: false };
    told.is_secret().then(|| value.range())
}

/// `password for the database is x`, `Passwort lautet x`.
fn prose(key: &Key<'_>, window: &str) -> Option<Range<usize>> {
    static LINK: LazyLock<Option<Regex>> = LazyLock::new(|| {
        pattern(concat!(
            r"(?i)^(?:\(s\))?[\x22’`*]{0,3},?(?:[ \t]+(?:[^\s()<>=:,;|\x22`]+|\([^()\n]*\))){0,8}?",
            r"(?:'s\b|[ \t]+(?:is|was|are|ist|lautet|war|wäre|est|es|è|é|sono|to|jest|är|er|este|là|adalah|olsun|είναι|becomes|became|being|remains|equals|reads|heißt|heisst|(?:turned out|used) to be|ended up (?:as|being)|mudou para|cambió a|cambiata in|(?:veranderd|gewijzigd) (?:in|naar)|(?:byttet|endret|ændret|ændrat|ändrat) til|это|будет|changed to|switched to|now|namely)\b|[ \t]+i\.e\.|[ \t]+c['’]est\b|[ \t]*(?:是|は|는|은|:|：|→|->|–|—)|[ \t]+(?:=|-[ \t]))",
            r"(?:[ \t]*(?::|=)|[ \t]+(?:now|still|just|currently|probably|again|simply|literally|always|temporarily|set to|changed to|reset to|back to|called|not|no longer|jetzt|nun|wieder|(?:ganz |alles )?klein ?geschrieben|tout en minuscules|en minuscules|todo en minúsculas|en minúsculas|tutto minuscolo|(?:capital|uppercase|lowercase|upper case|lower case)(?: [a-z])?|set|this|as follows|the following|following)\b:?){0,2}[ \t]*\n{0,2}[ \t]*"
        ))
    });
    let first = window.split_whitespace().next().unwrap_or_default();
    let mut from = 0;
    if window.starts_with(' ') && ITS_PARTS.contains(first) {
        return None;
    }
    // A sentence may link more than once before it comes to the value: `password for prod: it is x`.
    for _ in 0..3 {
        let found = LINK.as_ref()?.find(&window[from..])?;
        if names_other(found.as_str()) {
            return None;
        }
        from += found.end();
        let value = Value::at(window, from)?;
        if is_in_reference(window, value.range().start) {
            return None;
        }
        let told = Told { key, link: Link::Prose, value: &value, window, is_flag: false };
        if told.is_secret() {
            return Some(value.range());
        }
        if !window[from..].starts_with(|char: char| char.is_alphabetic()) {
            return None;
        }
        from = floor(window, from.saturating_sub(1));
    }
    None
}

/// `arn:aws:…:secret:x`: what stands behind a colon of what only says where something is.
fn is_in_reference(window: &str, at: usize) -> bool {
    let start = window[..at].rfind(char::is_whitespace).map_or(0, |blank| blank + 1);
    let word = window[start..].split(char::is_whitespace).next().unwrap_or_default();
    start < at && stand_in::is_reference(word.trim_start_matches(['"', '\'', '`', '(']))
}

/// `password please? username is x`: another sentence, and what it is about.
fn names_other(link: &str) -> bool {
    let words: Vec<&str> = link.split_whitespace().collect();
    let subject = words.iter().rev().nth(1).map(|word| word.to_lowercase()).unwrap_or_default();
    let is_over = |word: &&str| word.ends_with(['?', '!', '.']) || matches!(*word, "and" | "but" | "und" | "et" | "y");
    words.len() > 2 && NAMING.contains(&subject.as_str()) && words[..words.len() - 2].iter().any(is_over)
}

/// `the recovery key for the disk, in case I am away: x`: a colon far behind the name, and nothing behind the value.
fn far(key: &Key<'_>, window: &str) -> Option<Range<usize>> {
    static LINK: LazyLock<Option<Regex>> = LazyLock::new(|| {
        pattern(
            r"^(?:(?:\(s\))?[^\n:=]{0,60}[,(–—][^\n:=]{1,80}[:：][ \t]+|[^\n:=?(]{0,80}\?+(?:[ \t→>-]{1,4}\n?|\n)[ \t>]{0,4})",
        )
    });
    let found = LINK.as_ref().filter(|_| !key.is_setting)?.find(window)?;
    let value = Value::at(window, found.end())?;
    let makeup = shape::Makeup::of(value.text);
    let is_clear = makeup.digits > 0 && makeup.letters() > 0 && makeup.all() >= 8;
    let told = Told { key, link: Link::Prose, value: &value, window, is_flag: false };
    (is_clear && value.ends_line(window) && told.is_secret()).then(|| value.range())
}

/// `--password x`, and `password x` where somebody logs in.
fn beside(text: &str, key: &Key<'_>, window: &str) -> Option<Range<usize>> {
    let blanks = window.len() - window.trim_start_matches([' ', '\t']).len();
    let value = Value::at(window, blanks).filter(|_| blanks > 0)?;
    let is_flag = key.is_flag(text);
    let link = if is_flag { Link::Tight } else { Link::Beside { is_login: key.is_login } };
    let told = Told { key, link, value: &value, window, is_flag };
    told.is_secret().then(|| value.range())
}

/// `use x as the password`, `x is the password for the database`.
fn reversed(text: &str, key: &Key<'_>, window: &str) -> Option<Found> {
    static LINK: LazyLock<Option<Regex>> = LazyLock::new(|| {
        pattern(concat!(
            r"(?i)(\S+)(?:[ \t]+(?:(?:in[ \t]+)?as|is|was|=|ist|war|als|est|es|être|como|comme|come|как|jako|som|sebagai|→|->|for|für|por|<-{1,2}|←|<=)|[ \t]*[,;(–—-]{1,2}[ \t]*(?:(?:and|so|but)[ \t]+)?(?:it['’]?s|it is|that['’]?s|that is|this is|which is|das ist|c['’]est|es|è))[ \t]+",
            r"(?:(?:the|my|our|your|a|an|its|his|her|their|new|temp|temporary|das|dein|mein|unser|neues|neue|le|la|el|il|root|admin|master|db|database|wifi|user|login|vpn|staging|prod|production|default|initial|api|access|secret)[ \t]+){0,5}(?:[a-zà-ÿ-]{4,14}[ \t]+)?(?:(?:api|access|secret|admin|user|bot|db)[ \t]+){0,2}$"
        ))
    });
    let from = floor(text, key.range.start.saturating_sub(BEFORE_BYTES_MAX));
    let before = &text[from..key.range.start];
    let is_end = !window.trim_start_matches([' ', '\t']).starts_with(|char: char| char.is_alphanumeric())
        || [
            "for",
            "to",
            "of",
            "on",
            "in",
            "and",
            "until",
            "für",
            "pour",
            "para",
            "there",
            "please",
            "everywhere",
            "between",
            "when",
            "if",
            "while",
            "with",
            "from",
            "at",
            "once",
            "after",
            "again",
        ]
        .contains(&window.split_whitespace().next().unwrap_or_default());
    let word = LINK.as_ref()?.captures(before).filter(|_| is_end)?.get(1)?;
    let previous = before[..word.start()].split_whitespace().next_back().unwrap_or_default().to_lowercase();
    if NAMING.contains(&previous.as_str()) {
        return None;
    }
    let value = Value::at(before, word.start())?;
    let told = Told { key, link: Link::Reversed, value: &value, window: before, is_flag: false };
    told.is_secret().then(|| (from + value.range().start..from + value.range().end, key.class.kind()))
}

/// `creds: admin / x`, `login is admin:x`.
fn credentials(key: &Key<'_>, window: &str) -> Option<Found> {
    static LINK: LazyLock<Option<Regex>> = LazyLock::new(|| {
        pattern(
            r#"(?i)^["'*_)]{0,3}(?:[ \t]+[^\s()<>=:,;|]+){0,6}?(?:[ \t]+(?:is|are|with|using|as|sind|lauten|sont|son|mit|met|avec|con|com|med)\b:?|[ \t]*(?::|=|->|→)\*{0,2})\s{1,3}["'`(]?[^\s:/,"'`]{1,80}["'`]?(?:[ \t]*[/:|,][ \t]*|[ \t]+(?:and|with|und|et)[ \t]+)"#,
        )
    });
    let found = LINK.as_ref()?.find(window)?;
    let value = Value::at(window, found.end())?;
    let told = Told { key, link: Link::Beside { is_login: true }, value: &value, window, is_flag: false };
    let range = key.range.end + value.range().start..key.range.end + value.range().end;
    told.is_secret().then_some((range, "password"))
}

/// Whether a name is the kind of a mark and no word of the text.
fn is_in_mark(text: &str, name: &Range<usize>) -> bool {
    let after = text.as_bytes()[name.end..].iter().take(NUMBER_DIGITS_MAX + 2);
    let mut rest = after.skip_while(|byte| **byte == b' ').skip_while(|byte| byte.is_ascii_digit());
    let is_number = text.as_bytes()[name.end..].first() == Some(&b' ') && rest.next() == Some(&b']');
    is_number && text[..name.start].ends_with('[')
}

fn first_mark(window: &str) -> Option<usize> {
    static MARK: LazyLock<Option<Regex>> = LazyLock::new(|| pattern(r"\[[a-z0-9-]{1,40} [0-9]{1,6}\]"));
    MARK.as_ref()?.find(window).map(|mark| mark.start())
}

fn has_any(text: &str, words: &[&str]) -> bool {
    words.iter().any(|word| text.contains(word))
}
