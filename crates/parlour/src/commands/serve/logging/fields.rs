use std::{
    fmt::{self, Debug, Write as _},
    sync::LazyLock,
};

use parlour_redact::Redactor;
use serde_json::Value;
use tracing::field::{Field, Visit};

/// Maximum length of a value.
const VALUE_CHARS_MAX: usize = 2_000;
/// Additional characters for the redaction, so that a secret at the cut is recognised.
const SECRET_CHARS_MAX: usize = 1_000;
/// Minimum length of a value for the redaction.
const SECRET_CHARS_LEAST: usize = 4;
const CUT: char = '…';

/// The fields of an event or span, in order.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct LogFields(Vec<(&'static str, Value)>);

impl LogFields {
    /// Sets or replaces a field.
    pub(super) fn set(&mut self, name: &'static str, value: Value) {
        match self.0.iter_mut().find(|(known, _)| *known == name) {
            Some((_, known)) => *known = value,
            None => self.0.push((name, value)),
        }
    }

    /// Removes a field.
    pub(super) fn take(&mut self, name: &str) -> Option<Value> {
        let index = self.0.iter().position(|(known, _)| *known == name)?;
        Some(self.0.remove(index).1)
    }

    /// Adds or replaces fields.
    pub(super) fn extend(&mut self, others: Self) {
        others.0.into_iter().for_each(|(name, value)| self.set(name, value));
    }

    /// Redacts and cuts the values. The redactor gets `name=value`, because names such as `token` mark secrets.
    pub(super) fn without_secrets(mut self) -> Self {
        for (name, value) in &mut self.0 {
            if let Value::String(text) = value {
                *text = cut(without_secrets(name, std::mem::take(text)));
            }
        }
        self
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&'static str, &Value)> {
        self.0.iter().map(|(name, value)| (*name, value))
    }
}

impl Visit for LogFields {
    fn record_f64(&mut self, field: &Field, value: f64) {
        self.set(field.name(), value.into());
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.set(field.name(), value.into());
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.set(field.name(), value.into());
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.set(field.name(), value.into());
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.record_debug(field, &format_args!("{value}"));
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        let mut cut = BoundedText::default();
        // The writer returns an error at its limit; the text so far is used.
        let _ = write!(cut, "{value:?}");
        self.set(field.name(), cut.text.into());
    }
}

fn without_secrets(name: &str, text: String) -> String {
    static REDACTOR: LazyLock<Redactor> = LazyLock::new(Redactor::secrets_only);
    if text.len() < SECRET_CHARS_LEAST {
        return text;
    }
    let named = format!("{name}={text}");
    let redacted = REDACTOR.redact(&named);
    if redacted.marks.is_empty() {
        return text;
    }
    redacted
        .text
        .strip_prefix(name)
        .and_then(|rest| rest.strip_prefix('='))
        .map_or(redacted.text.clone(), str::to_owned)
}

fn cut(mut text: String) -> String {
    if let Some((at, _)) = text.char_indices().nth(VALUE_CHARS_MAX) {
        text.truncate(at);
        text.push(CUT);
    }
    text
}

/// A text with a maximum length.
#[derive(Default)]
struct BoundedText {
    text: String,
    chars: usize,
}

impl fmt::Write for BoundedText {
    fn write_str(&mut self, more: &str) -> fmt::Result {
        for char in more.chars() {
            if self.chars == VALUE_CHARS_MAX + SECRET_CHARS_MAX {
                return Err(fmt::Error);
            }
            self.text.push(char);
            self.chars += 1;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn logged(text: &str) -> String {
        let mut taken = BoundedText::default();
        let _ = write!(taken, "{text}");
        let fields = LogFields(vec![("cause", taken.text.into())]).without_secrets();
        fields.iter().next().and_then(|(_, value)| value.as_str().map(str::to_owned)).expect("a text")
    }

    #[test]
    fn a_huge_value_is_cut() {
        let text = logged(&"ö ".repeat(100_000));
        assert_eq!((text.chars().count(), text.chars().last()), (VALUE_CHARS_MAX + 1, Some(CUT)));
        assert_eq!(logged(&"x ".repeat(VALUE_CHARS_MAX / 2)).len(), VALUE_CHARS_MAX);
    }

    #[test]
    fn a_secret_at_the_cut_is_not_halved() {
        let key = ["AK", "IA", "QW7ER4TY2UI6OP3A"].concat();
        for before in VALUE_CHARS_MAX - 30..VALUE_CHARS_MAX {
            let text = logged(&format!("{}{key} refused", " ".repeat(before)));
            assert!(!text.contains(&key[..8]), "{}", text.trim_start());
        }
    }

    #[test]
    fn secrets_are_recognised_by_their_field_name() {
        let fields = LogFields(vec![("token", "f3a9c1d7e5b2480f96ad77c1".into()), ("route", "/messages/{id}".into())]);
        let expected = LogFields(vec![("token", "[token 1]".into()), ("route", "/messages/{id}".into())]);
        assert_eq!(fields.without_secrets(), expected);
    }

    #[test]
    fn the_latest_value_of_a_field_is_used() {
        let mut fields = LogFields::default();
        fields.set("a", 1.into());
        fields.set("b", 2.into());
        fields.extend(LogFields(vec![("a", 3.into())]));
        assert_eq!(fields, LogFields(vec![("a", 3.into()), ("b", 2.into())]));
        assert_eq!((fields.take("a"), fields.take("c")), (Some(3.into()), None));
    }
}
