use std::fmt::Write as _;

use parlour_core::Timestamp;
use serde_json::Value;
use tracing::Level;

use super::fields::LogFields;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LogStyle {
    Plain,
    Colored,
    Json,
}

/// One log event.
pub(super) struct LogLine<'a> {
    pub(super) at: Timestamp,
    pub(super) level: Level,
    pub(super) target: &'a str,
    /// The fields of the event and its spans; `message` is the text.
    pub(super) fields: LogFields,
}

impl LogLine<'_> {
    /// Formats the line; the only line break is at its end.
    pub(super) fn written(mut self, look: LogStyle) -> String {
        let message = match self.fields.take("message") {
            Some(Value::String(message)) => message,
            _ => String::new(),
        };
        let mut line = match look {
            LogStyle::Json => self.json(message),
            LogStyle::Plain => self.text(&message, ""),
            LogStyle::Colored => self.text(&message, color(self.level)),
        };
        line.push('\n');
        line
    }

    fn json(&self, message: String) -> String {
        let mut line = String::from("{");
        let first = [
            ("timestamp", Value::String(self.at.to_string())),
            ("level", self.level.as_str().into()),
            ("message", message.into()),
            ("target", self.target.into()),
        ];
        for (name, value) in first.iter().map(|(name, value)| (*name, value)).chain(self.fields.iter()) {
            let comma = if line.len() == 1 { "" } else { "," };
            write!(line, "{comma}{}:{}", Value::from(name), value).expect(TAKES_ALL);
        }
        line.push('}');
        // JSON does not escape all control characters of terminals. They occur only in strings, where the escape is equivalent.
        without_hidden(&line, |line, hidden| write!(line, "\\u{:04x}", u32::from(hidden)))
    }

    fn text(&self, message: &str, color: &str) -> String {
        let end = if color.is_empty() { "" } else { "\x1b[0m" };
        let mut line = format!("{} {color}{:>5}{end} {}", self.at, self.level, escaped(message));
        for (name, value) in self.fields.iter() {
            write!(line, " {name}={}", bare(value)).expect(TAKES_ALL);
        }
        line
    }
}

const TAKES_ALL: &str = "a text takes everything";

fn color(level: Level) -> &'static str {
    match level {
        Level::ERROR => "\x1b[31m",
        Level::WARN => "\x1b[33m",
        Level::INFO => "\x1b[32m",
        _ => "\x1b[2m",
    }
}

/// A value in the text format, quoted if necessary.
fn bare(value: &Value) -> String {
    let Value::String(text) = value else { return value.to_string() };
    let is_plain = |char: char| char.is_alphanumeric() || "-_.:/{}".contains(char);
    match !text.is_empty() && text.chars().all(is_plain) {
        true => text.clone(),
        false => format!("\"{}\"", escaped(&text.replace('\\', "\\\\").replace('"', "\\\""))),
    }
}

fn escaped(text: &str) -> String {
    without_hidden(text, |line, hidden| write!(line, "{}", hidden.escape_default()))
}

/// Replaces invisible characters: control characters, line breaks, direction changes.
fn without_hidden(text: &str, replace: impl Fn(&mut String, char) -> std::fmt::Result) -> String {
    let mut shown = String::with_capacity(text.len());
    for char in text.chars() {
        match is_hidden(char) {
            true => replace(&mut shown, char).expect(TAKES_ALL),
            false => shown.push(char),
        }
    }
    shown
}

fn is_hidden(char: char) -> bool {
    char.is_control()
        || matches!(char, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn line(message: &str, fields: &[(&'static str, Value)], look: LogStyle) -> String {
        let mut all = LogFields::default();
        all.set("message", message.into());
        fields.iter().for_each(|(name, value)| all.set(name, value.clone()));
        let at = Timestamp::from_millis(1_735_689_600_000);
        LogLine { at, level: Level::WARN, target: "parlour_server", fields: all }.written(look)
    }

    #[test]
    fn a_text_line_has_time_level_message_and_fields() {
        let fields = [("status", 503.into()), ("route", "/messages/{id}".into()), ("cause", "disk full".into())];
        let expected = "2025-01-01T00:00:00.000Z  WARN refused status=503 route=/messages/{id} cause=\"disk full\"\n";
        assert_eq!(line("refused", &fields, LogStyle::Plain), expected);
    }

    #[test]
    fn a_json_line_is_one_flat_object() {
        let json: Value =
            serde_json::from_str(&line("refused", &[("status", 503.into())], LogStyle::Json)).expect("JSON");
        let expected = serde_json::json!({
            "timestamp": "2025-01-01T00:00:00.000Z", "level": "WARN", "message": "refused", "target": "parlour_server",
            "status": 503
        });
        assert_eq!(json, expected);
    }

    #[test]
    fn only_terminal_lines_have_colours() {
        assert!(line("x", &[], LogStyle::Colored).contains("\x1b[33m WARN\x1b[0m x"));
        assert!(!line("x", &[], LogStyle::Plain).contains('\x1b'));
    }

    #[test]
    fn a_value_cannot_imitate_another_field() {
        let text = line("x", &[("name", "a status=200 \"b\" \\".into())], LogStyle::Plain);
        assert!(text.ends_with("name=\"a status=200 \\\"b\\\" \\\\\"\n"), "{text}");
    }

    proptest! {
        #[test]
        fn values_cannot_break_a_line_or_control_the_terminal(
            text in "(.|[\n\r\t\u{0}\u{1b}\u{9b}\u{7f}\u{85}\u{2028}\u{202e}\"\\\\])*",
        ) {
            for look in [LogStyle::Plain, LogStyle::Json] {
                let line = line(&text, &[("value", text.as_str().into())], look);
                let inside = line.strip_suffix('\n').expect("its end");
                prop_assert!(!inside.chars().any(is_hidden), "{inside:?}");
            }
        }

        #[test]
        fn json_lines_parse_to_the_logged_values(text in "(.|[\n\u{1b}\u{9b}\u{202e}\"\\\\])*") {
            let line = line(&text, &[("value", text.as_str().into())], LogStyle::Json);
            let json: Value = serde_json::from_str(&line).expect("JSON");
            prop_assert_eq!(&json["message"], &Value::from(text.as_str()));
            prop_assert_eq!(&json["value"], &Value::from(text));
        }
    }
}
