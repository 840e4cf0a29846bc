//! A JSONC text with the byte range of every part, and edits that leave all other bytes as they are.
//!
//! `jsonc-parser` parses the text. Its concrete syntax tree is not used for the edits because it reformats: it breaks a
//! one-line file into several lines and drops the blanks of an empty list, so removing an entry would not restore the file.

use jsonc_parser::{
    CollectOptions, CommentCollectionStrategy, ParseOptions,
    ast::Value,
    common::{Range, Ranged as _},
    parse_to_ast,
    tokens::{Token, TokenAndRange},
};
use serde::{Serialize, de::IgnoredAny};
use serde_json::ser::PrettyFormatter;

/// Comments and trailing commas are allowed; all else must be standard JSON.
const OPTIONS: ParseOptions = ParseOptions {
    allow_comments: true,
    allow_trailing_commas: true,
    allow_loose_object_property_names: false,
    allow_missing_commas: false,
    allow_single_quoted_strings: false,
    allow_hexadecimal_numbers: false,
    allow_unary_plus_numbers: false,
    allow_bare_decimal_point_numbers: false,
    allow_non_finite_numbers: false,
    allow_extended_string_escapes: false,
};

/// Why a text is not valid JSON.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {reason}")]
pub struct JsonSyntaxError {
    line: usize,
    reason: String,
}

/// A parsed text.
pub(super) struct JsoncDocument<'a> {
    text: &'a str,
    pub(super) root: Value<'a>,
    /// All tokens in order, comments included.
    tokens: Vec<TokenAndRange<'a>>,
}

/// A member of an object or an element of an array.
pub(super) struct Child<'v, 'a> {
    /// The name of a member; `None` for an element.
    pub(super) key: Option<&'v str>,
    /// From the start of the key or element to the end of the value.
    range: Range,
    pub(super) value: &'v Value<'a>,
}

/// The members of an object or the elements of an array; empty for all other values.
pub(super) fn children<'v, 'a>(value: &'v Value<'a>) -> Vec<Child<'v, 'a>> {
    match value {
        Value::Object(object) => {
            let members = object.properties.iter();
            members.map(|one| Child { key: Some(one.name.as_str()), range: one.range, value: &one.value }).collect()
        }
        Value::Array(array) => {
            array.elements.iter().map(|value| Child { key: None, range: value.range(), value }).collect()
        }
        _ => Vec::new(),
    }
}

/// The value of a member. The last of several with the same key counts, as for other readers of JSON.
pub(super) fn member<'v, 'a>(value: &'v Value<'a>, key: &str) -> Option<&'v Value<'a>> {
    children(value).into_iter().rfind(|child| child.key == Some(key)).map(|child| child.value)
}

impl<'a> JsoncDocument<'a> {
    /// Parses a text without byte order mark.
    pub(super) fn parse(text: &'a str) -> Result<Self, JsonSyntaxError> {
        let collect = CollectOptions { comments: CommentCollectionStrategy::AsTokens, tokens: true };
        let parsed = parse_to_ast(text, &collect, &OPTIONS)
            .map_err(|error| JsonSyntaxError { line: error.line_display(), reason: error.kind().to_string() })?;
        let tokens = parsed.tokens.unwrap_or_default();
        // The parser accepts control characters inside of strings, as other readers of JSON do not.
        for string in tokens.iter().filter(|one| matches!(one.token, Token::String(_))) {
            if serde_json::from_str::<IgnoredAny>(string.text(text)).is_err() {
                let line = 1 + text[..string.start()].matches('\n').count();
                return Err(JsonSyntaxError { line, reason: "Invalid string".to_owned() });
            }
        }
        match parsed.value {
            Some(root) => Ok(Self { text, root, tokens }),
            None => Err(JsonSyntaxError { line: 1, reason: "Expected a value".to_owned() }),
        }
    }

    /// The text with one more child at the end of a list, `depth` levels below the root. If the list was empty, also the
    /// blanks that stood before its closing bracket.
    pub(super) fn with_child(
        &self,
        list: &Value<'_>,
        key: Option<&str>,
        value: &impl Serialize,
        depth: usize,
    ) -> (String, Option<String>) {
        let (text, layout) = (self.text, self.layout());
        let child = layout.line(depth) + &layout.child(key, value, depth);
        let Some(last) = children(list).last().map(|last| last.range.end) else {
            let close = list.end() - 1;
            let start = before_blanks(text, close);
            let end = layout.line(depth - 1);
            return (format!("{}{child}{end}{}", &text[..start], &text[close..]), Some(text[start..close].to_owned()));
        };
        let comma = self.comma_after(last);
        let from = comma.map_or(last, |comma| comma + 1);
        let at = if layout.is_one_line() { from } else { self.end_of_line_comments(from) };
        let (before, between, after) = (&text[..last], &text[last..at], &text[at..]);
        let new = match comma {
            // A list with a trailing comma keeps one.
            Some(_) => format!("{before}{between}{child},{after}"),
            None => format!("{before},{between}{child}{after}"),
        };
        (new, None)
    }

    /// The text without one child of a list. `blanks` are inserted before the closing bracket of a list that becomes empty.
    pub(super) fn without_child(&self, list: &Value<'_>, index: usize, blanks: &str) -> String {
        let (text, all) = (self.text, children(list));
        let range = all[index].range;
        let start = before_blanks(text, range.start);
        let comma = self.comma_after(range.end);
        if all.len() == 1 {
            let rest = comma.map_or(range.end, |comma| comma + 1);
            let close = list.end() - 1;
            let kept = text[rest..close].trim_end();
            let kept = if kept.trim().is_empty() { "" } else { kept };
            let is_left =
                |token: &&TokenAndRange| token.end() <= start || (token.start() >= rest && token.end() <= close);
            let last = self.tokens.iter().rev().find(is_left);
            let is_line_comment = last.is_some_and(|token| matches!(token.token, Token::CommentLine(_)));
            // Without a line break, a line comment would swallow the closing bracket.
            let blanks = if blanks.is_empty() && is_line_comment { "\n" } else { blanks };
            return format!("{}{kept}{blanks}{}", &text[..start], &text[close..]);
        }
        if let Some(comma) = comma {
            return format!("{}{}{}", &text[..start], &text[range.end..comma], &text[comma + 1..]);
        }
        let comma_before = self.comma_after(all[index - 1].range.end).expect("the parser refuses missing commas");
        format!("{}{}{}", &text[..comma_before], &text[comma_before + 1..start], &text[range.end..])
    }

    /// The position of the comma that follows a child which ends here.
    fn comma_after(&self, end: usize) -> Option<usize> {
        let next = self.tokens.iter().find(|token| token.start() >= end && !is_comment(token))?;
        (next.token == Token::Comma).then(|| next.start())
    }

    /// The end of the comments that follow on the same line; `from` if there are none.
    fn end_of_line_comments(&self, from: usize) -> usize {
        let following = self.tokens.iter().filter(|token| token.start() >= from);
        let mut end = from;
        for token in following {
            if !is_comment(token) || self.text[end..token.end()].contains(['\r', '\n']) {
                break;
            }
            end = token.end();
        }
        end
    }

    fn layout(&self) -> Layout {
        let newline = if self.text.contains("\r\n") { "\r\n" } else { "\n" };
        let usual = Layout { newline: Some(newline), indent: "  ".to_owned() };
        let Some(first) = children(&self.root).first().map(|first| first.range.start) else { return usual };
        match self.text[self.root.start() + 1..first].rsplit_once('\n') {
            None => Layout { newline: None, indent: String::new() },
            Some((_, indent)) if !indent.is_empty() && indent.trim().is_empty() => {
                Layout { indent: indent.to_owned(), ..usual }
            }
            Some(_) => usual,
        }
    }
}

fn is_comment(token: &TokenAndRange) -> bool {
    matches!(token.token, Token::CommentLine(_) | Token::CommentBlock(_))
}

/// The start of the blanks that end at `at`.
fn before_blanks(text: &str, at: usize) -> usize {
    text[..at].trim_end_matches([' ', '\t', '\r', '\n']).len()
}

/// Line breaks and indentation of a file.
struct Layout {
    /// `None` if the whole file is one line.
    newline: Option<&'static str>,
    indent: String,
}

impl Layout {
    fn is_one_line(&self) -> bool {
        self.newline.is_none()
    }

    /// A line break and its indentation; empty in a one-line file.
    fn line(&self, depth: usize) -> String {
        self.newline.map(|newline| newline.to_owned() + &self.indent.repeat(depth)).unwrap_or_default()
    }

    fn child(&self, key: Option<&str>, value: &impl Serialize, depth: usize) -> String {
        let colon = if self.is_one_line() { ":" } else { ": " };
        let key = key.map(|key| self.render(&key, depth) + colon);
        key.unwrap_or_default() + &self.render(value, depth)
    }

    fn render(&self, value: &impl Serialize, depth: usize) -> String {
        let mut json = Vec::new();
        let written = if self.is_one_line() {
            serde_json::to_writer(&mut json, value)
        } else {
            let format = PrettyFormatter::with_indent(self.indent.as_bytes());
            value.serialize(&mut serde_json::Serializer::with_formatter(&mut json, format))
        };
        written.expect("strings and numbers are always serialisable");
        // Line breaks inside of strings are escaped, so these are all between tokens.
        String::from_utf8_lossy(&json).replace('\n', &self.line(depth))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn parse_error(text: &str) -> String {
        JsoncDocument::parse(text).err().expect(text).to_string()
    }

    #[test]
    fn children_have_the_range_of_key_and_value() {
        let text = "// head\n{ \"a\": [1, \"x\\\"y\"], /* b */ \"c\": null, }\n";
        let document = JsoncDocument::parse(text).expect("JSON");
        let members = children(&document.root);
        assert_eq!(members[0].range.text(text), "\"a\": [1, \"x\\\"y\"]");
        assert_eq!(children(members[0].value)[1].value.as_string_lit().expect("a string").value, "x\"y");
        assert_eq!(members.len(), 2);
    }

    #[test]
    fn syntax_errors_name_the_line() {
        for (text, reason) in [
            ("", "line 1: Expected a value"),
            ("{\n\"a\" 1}", "line 2: Expected colon"),
            ("{\n\n\"a\": 1 \"b\"", "line 3: Expected comma"),
            ("[1, 2", "Unterminated array"),
            ("{} {}", "more than one JSON value"),
            ("{\"a\": yes}", "Unexpected"),
            ("\"a", "Unterminated string"),
            ("\"a\\", "Unterminated string"),
            ("/* a", "Unterminated comment"),
            ("{\n\"a\": \"x\ny\"}", "line 2: Invalid string"),
            ("[01]", "line 1: Expected comma"),
        ] {
            let error = parse_error(text);
            assert!(error.contains(reason), "{text}: {error}");
        }
        assert!(parse_error(&"[".repeat(100_000)).contains("nesting depth"));
    }

    proptest! {
        #[test]
        fn no_text_panics_the_parser(text in ".*|[\\[\\]{}\",:/* \\\\\n1aü]*") {
            let _ = JsoncDocument::parse(&text);
        }

        #[test]
        fn every_json_text_is_parsed(key in ".*", text in ".*", number in any::<i64>(), is_pretty in any::<bool>()) {
            let value = serde_json::json!({ key: [text, number, 1.5e-7, [], {}, null, { "a": true }] });
            let json = if is_pretty { format!("{value:#}") } else { value.to_string() };
            prop_assert!(JsoncDocument::parse(&json).is_ok(), "{json}");
        }
    }
}
