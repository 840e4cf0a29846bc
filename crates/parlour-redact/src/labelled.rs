//! Values after a label: a word such as `password`, a separator, and a value.
//!
//! The scanner finds the labels. This module reads the text around each of them, in a window of bounded size, so that the cost
//! stays linear in the text.

mod classify;
mod label;
mod more_values;
mod plain_words;
mod proximity;
mod value;

use std::ops::Range;

pub(crate) use self::classify::is_strong;
use self::{
    classify::{LabelledValue, Separator},
    label::Label,
    value::Value,
};
use super::{
    marks::NUMBER_DIGITS_MAX,
    pattern::patterns,
    placeholder,
    shape::{CharCounts, char_boundary_before},
    words::{LABEL_COMPOUNDS, NAMED_NOUNS, SecretClass},
};

/// The kinds of labelled secrets.
pub(crate) const KINDS: &[&str] = &["password", "secret", "token", "api-key", "pin", "code"];

/// Bytes after a label that may contain its value.
const WINDOW_BYTES_MAX: usize = 480;
/// Bytes before a label that may contain its value.
const BEFORE_BYTES_MAX: usize = 120;
/// Bytes before a value that may contain the beginning of its PEM block, or the column that it is compared with.
const BLOCK_BYTES_MAX: usize = 4_000;
const COLUMN_BYTES_MAX: usize = 120;
/// Parts of the names of columns that contain secrets.
const SECRET_COLUMNS: &[&str] = &["pass", "pwd", "secret", "token", "key", "pin", "code", "credential", "auth"];
/// Words after a label that follows its value.
const LABEL_TRAILS: &[&str] = &[
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
];

patterns! {
    /// `password: x`, `"password": "x"`, `PASSWORD=x`, `**Password:** x`, `<password>x</password>`, `| password | x |`.
    SEPARATOR = r#"^(?:\\?["'`’”*_)\]}~]){0,4}[ \t]{0,12}(?:\([^()\n]{0,40}\)[ \t]{0,2})?(?:#?[0-9]{1,2}[ \t]{0,2})?(:=|=>|->|<-|→|⇒|\|\|=|\?\?=|\?=|={1,3}|:|：|\||>)(?:\*\*|__|\*|_)?[ \t]{0,12}(?:<!\[CDATA\[)?"#;
    /// `set("password", "x")`, `element("password").type("x")`.
    ARGUMENT = r#"(?i)^(?:["']?\]?["']\s{0,4},\s{0,20}|["'\])]{1,4}\.(?:send_?keys|type|fill|set_?value|set_?text|input_?text)\(\s{0,4})["']"#;
    /// `name: DB_PASSWORD` and `value: x` next to it or on the next line.
    VALUE_FIELD = r#"(?i)^["'`]?[ \t]{0,4}[,:=]?\s{0,40}\{?(?:\s{0,40}(?:type|description|sensitive)[ \t]{0,4}=[^\n{}]{0,120}\n){0,3}\s{0,40}["']?(?:value|val|content|default)["']?[ \t]{0,4}[:=][ \t]{0,4}"#;
    /// A log line that names a setting and, later, its value.
    LOGGED_VALUE = r#"(?i)^["'`\])]{0,3}[^\n=]{0,120}?[\s,;(\[](?:with |to |the |new |raw |effective |resolved |actual ){0,2}(?:value|val)(?:[ \t]+(?:is|was)\b)?[ \t]{0,2}[:=]?[ \t]{0,2}(?:["'`\[]|\b)"#;
    /// `<td>Password</td><td>x</td>`.
    NEXT_ELEMENT = r#"(?i)^(?::?\s{0,4}</(?:td|th|dt|b|strong|label|span|key|name)>|["']\s{0,4}>):?\s{0,40}(?:<[a-z][^<>]{0,80}>\s{0,4}){1,3}"#;
    /// `password for the database is x`, `Passwort lautet x`.
    SENTENCE = concat!(
            r"(?i)^(?:\(s\))?[\x22’`*]{0,3},?(?:[ \t]+(?:[^\s()<>=:,;|\x22`]+|\([^()\n]*\))){0,8}?",
            r"(?:'s\b|[ \t]+(?:is|was|are|ist|lautet|war|wäre|est|es|è|é|sono|to|jest|är|er|este|là|adalah|olsun|είναι|becomes|became|being|remains|equals|reads|heißt|heisst|(?:turned out|used) to be|ended up (?:as|being)|mudou para|cambió a|cambiata in|(?:veranderd|gewijzigd) (?:in|naar)|(?:byttet|endret|ændret|ændrat|ändrat) til|это|будет|changed to|switched to|now|namely)\b|[ \t]+i\.e\.|[ \t]+c['’]est\b|[ \t]*(?:是|は|는|은|:|：|→|->|–|—)|[ \t]+(?:=|-[ \t]))",
            r"(?:[ \t]*(?::|=)|[ \t]+(?:now|still|just|currently|probably|again|simply|literally|always|temporarily|set to|changed to|reset to|back to|called|not|no longer|jetzt|nun|wieder|(?:ganz |alles )?klein ?geschrieben|tout en minuscules|en minuscules|todo en minúsculas|en minúsculas|tutto minuscolo|(?:capital|uppercase|lowercase|upper case|lower case)(?: [a-z])?|set|this|as follows|the following|following)\b:?){0,2}[ \t]*\n{0,2}[ \t]*"
        );
    /// `the recovery key for the disk, in case I am away: x`.
    LATE_COLON = r"^(?:(?:\(s\))?[^\n:=]{0,60}[,(–—][^\n:=]{1,80}[:：][ \t]+|[^\n:=?(]{0,80}\?+(?:[ \t→>-]{1,4}\n?|\n)[ \t>]{0,4})";
    /// `use x as the password`, `x is the password for the database`.
    BEFORE_LABEL = concat!(
            r"(?i)(\S+)(?:[ \t]+(?:(?:in[ \t]+)?as|is|was|=|ist|war|als|est|es|être|como|comme|come|как|jako|som|sebagai|→|->|for|für|por|<-{1,2}|←|<=)|[ \t]*[,;(–—-]{1,2}[ \t]*(?:(?:and|so|but)[ \t]+)?(?:it['’]?s|it is|that['’]?s|that is|this is|which is|das ist|c['’]est|es|è))[ \t]+",
            r"(?:(?:the|my|our|your|a|an|its|his|her|their|new|temp|temporary|das|dein|mein|unser|neues|neue|le|la|el|il|root|admin|master|db|database|wifi|user|login|vpn|staging|prod|production|default|initial|api|access|secret)[ \t]+){0,5}(?:[a-zà-ÿ-]{4,14}[ \t]+)?(?:(?:api|access|secret|admin|user|bot|db)[ \t]+){0,2}$"
        );
    /// `creds: admin / x`, `login is admin:x`.
    CREDENTIALS = r#"(?i)^["'*_)]{0,3}(?:[ \t]+[^\s()<>=:,;|]+){0,6}?(?:[ \t]+(?:is|are|with|using|as|sind|lauten|sont|son|mit|met|avec|con|com|med)\b:?|[ \t]*(?::|=|->|→)\*{0,2})\s{1,3}["'`(]?[^\s:/,"'`]{1,80}["'`]?(?:[ \t]*[/:|,][ \t]*|[ \t]+(?:and|with|und|et)[ \t]+)"#;
    /// Words without spaces, or not in ASCII, between a label and an ASCII value: `密码改成了 x`.
    NON_ASCII_WORDS = r"^(?:[ \t]?[^\x00-\x7f，。；！？]{1,20}){0,5}[ \t：「『（\x22']{0,4}";
    /// Words between a label and a value in languages without a copula: `пароль админа x`.
    WORDS = r"^(?:[ \t]+[\p{L}\p{M}]{1,20}){0,5}[ \t]+";
    MARK = r"\[[a-z0-9-]{1,40} [0-9]{1,6}\]";
    /// `… p.token IS NULL AND u.status = 'active'`.
    COMPARED_COLUMN = r"(?i)\b(?:where|and|or|on|having)\s+([\w.]{1,60})\s*(?:=|<>|!=|like)\s*['\x22]?$";
}

/// A range to redact, and its kind.
type Found = (Range<usize>, &'static str);

/// The secrets that the label at this word announces, and the end of the label.
pub(crate) fn find(text: &str, word: Range<usize>) -> Option<(usize, Vec<Found>)> {
    let label = Label::around(text, word)?;
    if is_in_mark(text, &label.range) {
        return Some((label.range.end, Vec::new()));
    }
    let mut found: Vec<Found> = value_of(text, &label).into_iter().collect();
    if let Some((first, kind)) = found.first().cloned() {
        found.extend(more_values::after_arrow(text, &label, first.clone()));
        found.extend(more_values::same_shape(text, first).into_iter().map(|range| (range, kind)));
    }
    if found.is_empty() {
        found = more_values::table_column(text, &label);
    }
    found.extend(more_values::changed(text, &label));
    let from = found.last().map_or(label.range.end, |(range, _)| range.end);
    found.extend(proximity::find(text, &label, from));
    found.retain(|(range, _)| !is_in_public_block(text, range) && !is_of_another_column(text, range));
    Some((label.range.end, found))
}

/// The value of a label. The forms are tried in the order of their reliability.
fn value_of(text: &str, label: &Label<'_>) -> Option<Found> {
    let window = window_after(text, label.range.end);
    let after_label = |range: Range<usize>| label.range.end + range.start..label.range.end + range.end;
    let kind = label.class.kind();
    match label.class {
        SecretClass::LoginPhrase | SecretClass::Service => return None,
        SecretClass::Credentials => return credentials(label, window).map(|value| (after_label(value), kind)),
        _ => {}
    }
    let found = plain_words::passphrase(label, window)
        .or_else(|| after_separator(label, window))
        .or_else(|| argument(text, label, window))
        .or_else(|| value_field(label, window))
        .or_else(|| next_element(label, window))
        .or_else(|| sentence(label, window))
        .or_else(|| adjacent(text, label, window))
        .or_else(|| late_colon(label, window))
        // A mark is the value; text after it is something else.
        .filter(|value| MARK.find(window).is_none_or(|mark| mark.start() >= value.end))
        .map(|value| (after_label(value), kind));
    found
        .or_else(|| before_label(text, label, window).map(|value| (value, kind)))
        .or_else(|| after_words(label, window).map(|value| (after_label(value), kind)))
        .or_else(|| after_non_ascii_words(label, window).map(|value| (after_label(value), kind)))
}

/// The text after a label or a value that may contain the next value.
fn window_after(text: &str, from: usize) -> &str {
    let end = (from + WINDOW_BYTES_MAX).min(text.len());
    text.get(from..char_boundary_before(text, end)).unwrap_or_default()
}

fn text_before(text: &str, at: usize, bytes_max: usize) -> &str {
    &text[char_boundary_before(text, at.saturating_sub(bytes_max))..at]
}

fn after_separator(label: &Label<'_>, window: &str) -> Option<Range<usize>> {
    let found = SEPARATOR.captures(window)?;
    let sign = found.get(1)?;
    // A return type: `fn read_key(path: &Path) -> Key`.
    if sign.as_str() == "->" && window[..sign.start()].trim_end().ends_with(')') {
        return None;
    }
    let mut at = found.get(0)?.end();
    let separator = match sign.as_str() {
        "|" => Separator::TableCell,
        ">" if window[sign.end()..].split('\n').next().is_some_and(|line| line.contains("</")) => Separator::Assignment,
        ">" => return None,
        // A path in code: `Test::token`.
        ":" if window[sign.end()..].starts_with(':') => return None,
        ":" | "：" => Separator::Colon,
        "=" if at == sign.end() && sign.start() == 0 => Separator::Assignment,
        _ => Separator::Equals,
    };
    let rest = &window[at..];
    let line = rest.split('\n').next().unwrap_or_default();
    let mut is_next_line = false;
    if line.trim().is_empty() || line.trim_start().starts_with("```") {
        // The value may be on the next line, alone or in a code block.
        let is_skipped = |char: char| char.is_whitespace() || char == '`' || char == '>' || char == '|';
        let skipped = rest.len() - rest.trim_start_matches(is_skipped).len();
        (at, is_next_line) = (at + skipped, true);
    }
    let value = Value::at(window, at)?;
    let is_alone = !is_next_line || value.ends_line(window);
    is_alone.then(|| label.accept(separator, &value, window)).flatten()
}

fn argument(text: &str, label: &Label<'_>, window: &str) -> Option<Range<usize>> {
    if !text[..label.range.start].ends_with(['"', '\'', '#', '=', '-']) {
        return None;
    }
    let value = Value::at(window, ARGUMENT.find(window)?.end() - 1)?;
    value.is_quoted.then(|| label.accept(Separator::TableCell, &value, window)).flatten()
}

fn value_field(label: &Label<'_>, window: &str) -> Option<Range<usize>> {
    let logged = || label.is_setting.then(|| LOGGED_VALUE.find(window)).flatten();
    let found = VALUE_FIELD.find(window).or_else(logged)?;
    let quote_len = usize::from(found.as_str().ends_with(['"', '\'', '`']));
    let value = Value::at(window, found.end() - quote_len)?;
    label.accept(Separator::Assignment, &value, window)
}

fn next_element(label: &Label<'_>, window: &str) -> Option<Range<usize>> {
    let value = Value::at(window, NEXT_ELEMENT.find(window)?.end())?;
    label.accept(Separator::Colon, &value, window)
}

fn sentence(label: &Label<'_>, window: &str) -> Option<Range<usize>> {
    if starts_with_compound(window) {
        return None;
    }
    let mut from = 0;
    // A sentence may have several links before the value: `password for prod: it is x`.
    for _ in 0..3 {
        let found = SENTENCE.find(&window[from..])?;
        if has_other_subject(found.as_str()) {
            return None;
        }
        from += found.end();
        let value = Value::at(window, from)?;
        if is_in_reference(window, value.range().start) {
            return None;
        }
        let accepted = label.accept(Separator::Prose, &value, window);
        if accepted.is_some() || !window[from..].starts_with(|char: char| char.is_alphabetic()) {
            return accepted;
        }
        from = char_boundary_before(window, from.saturating_sub(1));
    }
    None
}

/// `password manager …`: the label is part of a compound about something else.
fn starts_with_compound(window: &str) -> bool {
    let first = window.split_whitespace().next().unwrap_or_default();
    window.starts_with(' ') && LABEL_COMPOUNDS.contains(first)
}

/// `arn:aws:…:secret:x`: the value is part of a reference to a secret.
fn is_in_reference(window: &str, at: usize) -> bool {
    let start = window[..at].rfind(char::is_whitespace).map_or(0, |blank| blank + 1);
    let word = window[start..].split(char::is_whitespace).next().unwrap_or_default();
    start < at && placeholder::is_reference(word.trim_start_matches(['"', '\'', '`', '(']))
}

/// `password please? username is x`: a new sentence with another subject.
fn has_other_subject(link: &str) -> bool {
    let words: Vec<&str> = link.split_whitespace().collect();
    let subject = words.iter().rev().nth(1).map(|word| word.to_lowercase()).unwrap_or_default();
    let ends = |word: &&str| word.ends_with(['?', '!', '.']) || matches!(*word, "and" | "but" | "und" | "et" | "y");
    words.len() > 2 && NAMED_NOUNS.contains(subject.as_str()) && words[..words.len() - 2].iter().any(ends)
}

/// A value far after the label, at the end of its line.
fn late_colon(label: &Label<'_>, window: &str) -> Option<Range<usize>> {
    if label.is_setting {
        return None;
    }
    let value = Value::at(window, LATE_COLON.find(window)?.end())?;
    let counts = CharCounts::of(value.text);
    let is_clear = counts.digits > 0 && counts.letters() > 0 && counts.all() >= 8;
    (is_clear && value.ends_line(window)).then(|| label.accept(Separator::Prose, &value, window)).flatten()
}

/// `--password x`, and `password x` near words about signing in.
fn adjacent(text: &str, label: &Label<'_>, window: &str) -> Option<Range<usize>> {
    let blanks = window.len() - window.trim_start_matches([' ', '\t']).len();
    let value = Value::at(window, blanks).filter(|_| blanks > 0)?;
    let is_flag = label.is_flag(text);
    let separator = if is_flag { Separator::Assignment } else { Separator::Adjacent { is_login: label.is_login } };
    LabelledValue { label, separator, value: &value, window, is_flag }.accept()
}

fn before_label(text: &str, label: &Label<'_>, window: &str) -> Option<Range<usize>> {
    let is_end = !window.trim_start_matches([' ', '\t']).starts_with(|char: char| char.is_alphanumeric())
        || LABEL_TRAILS.contains(&window.split_whitespace().next().unwrap_or_default());
    let before = text_before(text, label.range.start, BEFORE_BYTES_MAX);
    let word = BEFORE_LABEL.captures(before).filter(|_| is_end)?.get(1)?;
    let previous = before[..word.start()].split_whitespace().next_back().unwrap_or_default().to_lowercase();
    if NAMED_NOUNS.contains(previous.as_str()) {
        return None;
    }
    let value = Value::at(before, word.start())?;
    let from = label.range.start - before.len();
    label.accept(Separator::Reversed, &value, before).map(|range| from + range.start..from + range.end)
}

fn credentials(label: &Label<'_>, window: &str) -> Option<Range<usize>> {
    let value = Value::at(window, CREDENTIALS.find(window)?.end())?;
    label.accept(Separator::Adjacent { is_login: true }, &value, window)
}

/// The first ASCII word after a label, where the words between are not ASCII.
fn after_non_ascii_words(label: &Label<'_>, window: &str) -> Option<Range<usize>> {
    let is_known = matches!(label.class, SecretClass::Password | SecretClass::Pin | SecretClass::Code);
    if !is_known || window.is_ascii() {
        return None;
    }
    let found = NON_ASCII_WORDS.find(window)?;
    let len = window[found.end()..].bytes().take_while(u8::is_ascii_graphic).count();
    let value = Value::at(&window[..found.end() + len], found.end()).filter(|value| value.range().end > found.end())?;
    let is_clear = label.class != SecretClass::Password || CharCounts::of(value.text).digits > 0;
    (!found.as_str().is_ascii() && is_clear).then(|| label.accept(Separator::Colon, &value, window)).flatten()
}

/// A value after a few words, for labels that are not English.
fn after_words(label: &Label<'_>, window: &str) -> Option<Range<usize>> {
    let name = label.name.to_lowercase();
    let is_english =
        ["password", "passwd", "passphrase", "passcode", "pw"].iter().any(|word| name.contains(word)) || name == "pass";
    if label.class != SecretClass::Password || is_english {
        return None;
    }
    let value = Value::at(window, WORDS.find(window)?.end())?;
    let counts = CharCounts::of(value.text);
    let is_clear = counts.digits > 0 && counts.upper + counts.symbols > 0;
    is_clear.then(|| label.accept(Separator::Prose, &value, window)).flatten()
}

/// Whether a label is the kind of a mark: `[password 1]`.
fn is_in_mark(text: &str, name: &Range<usize>) -> bool {
    let after = text.as_bytes()[name.end..].iter().take(NUMBER_DIGITS_MAX + 2);
    let mut rest = after.skip_while(|byte| **byte == b' ').skip_while(|byte| byte.is_ascii_digit());
    let is_number = text.as_bytes()[name.end..].first() == Some(&b' ') && rest.next() == Some(&b']');
    is_number && text[..name.start].ends_with('[')
}

/// Whether a value is part of a PEM block of a public key or certificate.
fn is_in_public_block(text: &str, range: &Range<usize>) -> bool {
    let before = text_before(text, range.start, BLOCK_BYTES_MAX);
    let Some((_, block)) = before.rsplit_once("-----BEGIN ") else { return false };
    let title = block.split("-----").next().unwrap_or_default();
    !block.contains("-----END") && (title.contains("PUBLIC KEY") || title.contains("CERTIFICATE"))
}

/// Whether an SQL condition compares the value with a column that contains no secret.
fn is_of_another_column(text: &str, range: &Range<usize>) -> bool {
    let before = text_before(text, range.start, COLUMN_BYTES_MAX);
    let Some(column) = COMPARED_COLUMN.captures(before).and_then(|groups| groups.get(1)) else { return false };
    let column = column.as_str().to_lowercase();
    let name = column.rsplit('.').next().unwrap_or_default();
    !SECRET_COLUMNS.iter().any(|part| name.contains(part))
}
