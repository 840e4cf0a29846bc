//! Changes to a JSON text that leave every other byte as it is. Taking an element out undoes putting it in.

use super::json_text::{Node, comment_bytes, skip_blank};

/// The text with one element more at the end of a list, and what stood before the end of the list if it was empty.
pub(super) fn put(
    text: &str,
    list: &Node,
    key: Option<&str>,
    piece: &Piece,
    style: &Style,
    depth: usize,
) -> (String, Option<String>) {
    let element = style.line(depth) + &style.element(key, piece, depth);
    let close = list.span.end - 1;
    let Some(last) = list.spans().pop() else {
        let blank_start = before_blank(text, close);
        let tail = text[blank_start..close].to_owned();
        let end = style.line(depth - 1);
        return (format!("{}{element}{end}{}", &text[..blank_start], &text[close..]), Some(tail));
    };
    let after = skip_blank(text, last.end);
    if text.as_bytes()[after] == b',' {
        // The file has a comma after its last element, so the new last one gets one too.
        let at = if style.is_one_line() { after + 1 } else { after_comments(text, after + 1) };
        return (format!("{}{element},{}", &text[..at], &text[at..]), None);
    }
    let at = if style.is_one_line() { last.end } else { after_comments(text, last.end) };
    (format!("{},{}{element}{}", &text[..last.end], &text[last.end..at], &text[at..]), None)
}

/// The text without one element of a list; `tail` is what stood before the end of the list when it was empty.
pub(super) fn take_out(text: &str, list: &Node, index: usize, tail: &str) -> String {
    let spans = list.spans();
    let element = &spans[index];
    let start = before_blank(text, element.start);
    let after = skip_blank(text, element.end);
    let has_comma = text.as_bytes()[after] == b',';
    if spans.len() == 1 {
        let rest = if has_comma { after + 1 } else { element.end };
        let close = list.span.end - 1;
        let kept = text[rest..close].trim_end();
        let kept = if kept.trim().is_empty() { "" } else { kept };
        // What closes the list must not become a part of a comment.
        let is_commented = start > list.span.start + 1 || !kept.is_empty();
        let tail = if tail.is_empty() && is_commented { "\n" } else { tail };
        return format!("{}{kept}{tail}{}", &text[..start], &text[close..]);
    }
    if has_comma {
        return format!("{}{}{}", &text[..start], &text[element.end..after], &text[after + 1..]);
    }
    let comma = skip_blank(text, spans[index - 1].end);
    format!("{}{}{}", &text[..comma], &text[comma + 1..start], &text[element.end..])
}

/// Where the blanks begin that end here.
fn before_blank(text: &str, at: usize) -> usize {
    text[..at].trim_end_matches([' ', '\t', '\r', '\n']).len()
}

/// The end of the comments that follow in the same line, or this place when there are none.
fn after_comments(text: &str, from: usize) -> usize {
    let mut end = from;
    loop {
        let rest = &text[end..];
        let start = end + (rest.len() - rest.trim_start_matches([' ', '\t']).len());
        let comment = comment_bytes(&text[start..]).filter(|bytes| !text[start..start + bytes].contains('\n'));
        match comment {
            // A line may end in a carriage return, which is not of the comment.
            Some(bytes) => end = start + text[start..start + bytes].trim_end_matches('\r').len(),
            None => return end,
        }
        if text[end..].starts_with('\r') || text[end..].starts_with('\n') || end >= text.len() {
            return end;
        }
    }
}

/// A value to be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Piece {
    Object(Vec<(&'static str, Piece)>),
    Array(Vec<Piece>),
    Text(String),
    Number(u64),
}

/// How the file around it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Style {
    /// What ends a line; none when everything stands in one.
    newline: Option<&'static str>,
    /// What a step inwards is.
    unit: String,
}

impl Style {
    /// The style of a text whose root stands here, with its first member there.
    pub(super) fn of(text: &str, root_start: usize, first: Option<usize>) -> Self {
        let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
        let usual = Self { newline: Some(newline), unit: "  ".to_owned() };
        let Some(first) = first else { return usual };
        let lead = &text[root_start + 1..first];
        match lead.rsplit_once('\n') {
            None => Self { newline: None, unit: String::new() },
            Some((_, indent)) if !indent.is_empty() && indent.trim().is_empty() => {
                Self { unit: indent.to_owned(), ..usual }
            }
            Some(_) => usual,
        }
    }

    /// Whether everything stands in one line.
    pub(super) fn is_one_line(&self) -> bool {
        self.newline.is_none()
    }

    /// A new line that begins so many steps inwards; nothing when everything stands in one.
    pub(super) fn line(&self, depth: usize) -> String {
        self.newline.map(|newline| newline.to_owned() + &self.unit.repeat(depth)).unwrap_or_default()
    }

    /// A member, or an element when there is no key, as it stands so many steps inwards.
    pub(super) fn element(&self, key: Option<&str>, piece: &Piece, depth: usize) -> String {
        let value = self.write(piece, depth);
        let colon = if self.newline.is_some() { ": " } else { ":" };
        key.map(|key| quoted(key) + colon).unwrap_or_default() + &value
    }

    fn write(&self, piece: &Piece, depth: usize) -> String {
        let list = |open: &str, elements: Vec<String>, close: &str| {
            let lines: Vec<_> = elements.iter().map(|element| self.line(depth + 1) + element).collect();
            format!("{open}{}{}{close}", lines.join(","), self.line(depth))
        };
        match piece {
            Piece::Object(members) => {
                let members = members.iter().map(|(key, value)| self.element(Some(key), value, depth + 1));
                list("{", members.collect(), "}")
            }
            Piece::Array(elements) => {
                list("[", elements.iter().map(|one| self.element(None, one, depth + 1)).collect(), "]")
            }
            Piece::Text(text) => quoted(text),
            Piece::Number(number) => number.to_string(),
        }
    }
}

fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
