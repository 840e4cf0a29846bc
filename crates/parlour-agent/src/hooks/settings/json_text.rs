//! A JSON text with the places of its parts, so that it can be changed without writing it anew.
//!
//! Comments and a comma after the last element are taken too: some of the files that are read here may have them.

use std::ops::Range;

/// Deeper texts are refused.
const DEPTH_MAX: usize = 64;

/// A value and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Node {
    pub(super) span: Range<usize>,
    pub(super) kind: Kind,
}

/// What a value is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Object(Vec<Member>),
    Array(Vec<Node>),
    Text(String),
    /// A number, a truth value or nothing.
    Plain,
}

/// A member of an object, from its key to the end of its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Member {
    pub(super) key: String,
    pub(super) span: Range<usize>,
    pub(super) value: Node,
}

/// Why a text is no JSON.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {what}")]
pub struct BadJson {
    line: usize,
    what: &'static str,
}

impl Node {
    /// Reads a whole text.
    pub(super) fn parse(text: &str) -> Result<Self, BadJson> {
        let mut scan = Scan { text, at: 0 };
        let node = scan.value(0)?;
        scan.at = skip_blank(text, scan.at);
        if scan.at < text.len() { Err(scan.bad("there is more after the end")) } else { Ok(node) }
    }

    /// The member of this key; the last one counts, as readers of JSON do it.
    pub(super) fn member(&self, key: &str) -> Option<&Member> {
        match &self.kind {
            Kind::Object(members) => members.iter().rev().find(|member| member.key == key),
            _ => None,
        }
    }

    /// Where its elements or members stand.
    pub(super) fn spans(&self) -> Vec<Range<usize>> {
        match &self.kind {
            Kind::Object(members) => members.iter().map(|member| member.span.clone()).collect(),
            Kind::Array(elements) => elements.iter().map(|element| element.span.clone()).collect(),
            Kind::Text(_) | Kind::Plain => Vec::new(),
        }
    }

    /// Its elements, when it is an array.
    pub(super) fn elements(&self) -> Option<&[Node]> {
        match &self.kind {
            Kind::Array(elements) => Some(elements),
            _ => None,
        }
    }

    /// Its members, when it is an object.
    pub(super) fn members(&self) -> Option<&[Member]> {
        match &self.kind {
            Kind::Object(members) => Some(members),
            _ => None,
        }
    }
}

/// The first place from here on that is neither blank nor comment.
pub(super) fn skip_blank(text: &str, mut at: usize) -> usize {
    loop {
        let rest = &text[at..];
        let blank = rest.len() - rest.trim_start_matches([' ', '\t', '\r', '\n', '\u{feff}']).len();
        at += blank;
        match comment_bytes(&text[at..]) {
            Some(bytes) => at += bytes,
            None => return at,
        }
    }
}

/// How long the comment is that begins here; none when there is none, or it does not end.
pub(super) fn comment_bytes(rest: &str) -> Option<usize> {
    if rest.starts_with("//") {
        return Some(rest.find('\n').unwrap_or(rest.len()));
    }
    rest.strip_prefix("/*").and_then(|inner| inner.find("*/")).map(|end| end + 4)
}

struct Scan<'a> {
    text: &'a str,
    at: usize,
}

impl Scan<'_> {
    fn value(&mut self, depth: usize) -> Result<Node, BadJson> {
        if depth > DEPTH_MAX {
            return Err(self.bad("it is nested too deeply"));
        }
        self.at = skip_blank(self.text, self.at);
        let start = self.at;
        let kind = match self.peek() {
            Some(b'{') => self.object(depth)?,
            Some(b'[') => self.array(depth)?,
            Some(b'"') => Kind::Text(self.string()?),
            Some(_) => self.plain()?,
            None => return Err(self.bad("it ends in the middle")),
        };
        Ok(Node { span: start..self.at, kind })
    }

    fn object(&mut self, depth: usize) -> Result<Kind, BadJson> {
        let mut members = Vec::new();
        self.list(b'}', |scan| {
            let start = scan.at;
            let key = scan.string()?;
            scan.expect(b':', "a colon is missing")?;
            let value = scan.value(depth + 1)?;
            members.push(Member { key, span: start..scan.at, value });
            Ok(())
        })?;
        Ok(Kind::Object(members))
    }

    fn array(&mut self, depth: usize) -> Result<Kind, BadJson> {
        let mut elements = Vec::new();
        self.list(b']', |scan| {
            elements.push(scan.value(depth + 1)?);
            Ok(())
        })?;
        Ok(Kind::Array(elements))
    }

    /// Elements with commas between them, up to the sign that closes the list.
    fn list(&mut self, close: u8, mut element: impl FnMut(&mut Self) -> Result<(), BadJson>) -> Result<(), BadJson> {
        self.at += 1;
        loop {
            self.at = skip_blank(self.text, self.at);
            if self.peek() == Some(close) {
                self.at += 1;
                return Ok(());
            }
            element(self)?;
            self.at = skip_blank(self.text, self.at);
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(sign) if sign == close => {}
                _ => return Err(self.bad("a comma or the end of a list is missing")),
            }
        }
    }

    fn string(&mut self) -> Result<String, BadJson> {
        self.expect(b'"', "a text in quotation marks is missing")?;
        let start = self.at - 1;
        let bytes = self.text.as_bytes();
        while let Some(sign) = bytes.get(self.at) {
            self.at += 1;
            match sign {
                b'"' => {
                    let read = serde_json::from_str(&self.text[start..self.at]);
                    return read.map_err(|_| self.bad("a text holds signs that it may not"));
                }
                b'\\' => self.at += 1,
                _ => {}
            }
        }
        Err(self.bad("a text does not end"))
    }

    fn plain(&mut self) -> Result<Kind, BadJson> {
        let rest = &self.text[self.at..];
        let is_of_it = |sign: char| sign.is_ascii_alphanumeric() || "+-.".contains(sign);
        let word = &rest[..rest.find(|sign| !is_of_it(sign)).unwrap_or(rest.len())];
        match serde_json::from_str::<serde::de::IgnoredAny>(word) {
            Ok(_) => {
                self.at += word.len();
                Ok(Kind::Plain)
            }
            Err(_) => Err(self.bad("this is no value")),
        }
    }

    fn expect(&mut self, sign: u8, what: &'static str) -> Result<(), BadJson> {
        self.at = skip_blank(self.text, self.at);
        if self.peek() == Some(sign) {
            self.at += 1;
            return Ok(());
        }
        Err(self.bad(what))
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn bad(&self, what: &'static str) -> BadJson {
        let read = &self.text.as_bytes()[..self.at.min(self.text.len())];
        BadJson { line: 1 + read.iter().filter(|byte| **byte == b'\n').count(), what }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn parts_are_found_where_they_stand() {
        let text = "// head\n{ \"a\": [1, \"x\\\"y\"], /* b */ \"c\": null, }\n";
        let node = Node::parse(text).expect("JSON");
        let a = node.member("a").expect("a");
        assert_eq!(&text[a.span.clone()], "\"a\": [1, \"x\\\"y\"]");
        assert_eq!(a.value.elements().expect("array")[1].kind, Kind::Text("x\"y".into()));
        assert_eq!(node.members().expect("members").len(), 2);
    }

    #[test]
    fn broken_texts_are_refused_with_the_line() {
        for (text, told) in [
            ("", "line 1: it ends in the middle"),
            ("{\n\"a\" 1}", "line 2: a colon is missing"),
            ("{\n\n\"a\": 1 \"b\"", "line 3: a comma or the end of a list is missing"),
            ("[1, 2", "a comma or the end of a list is missing"),
            ("{} {}", "there is more after the end"),
            ("{\"a\": yes}", "this is no value"),
            ("\"a", "a text does not end"),
            ("\"a\\", "a text does not end"),
            ("/* a", "this is no value"),
        ] {
            let error = Node::parse(text).expect_err(text).to_string();
            assert!(error.contains(told), "{text}: {error}");
        }
        assert!(Node::parse(&"[".repeat(100_000)).is_err_and(|error| error.what.contains("deeply")));
    }

    proptest! {
        #[test]
        fn no_text_panics_the_reader(text in ".*|[\\[\\]{}\",:/* \\\\\n1aü]*") {
            let _ = Node::parse(&text);
        }

        #[test]
        fn whatever_is_json_is_read(text in "[\\[\\]{}\",: 1a]{0,12}") {
            if serde_json::from_str::<serde_json::Value>(&text).is_ok() {
                prop_assert!(Node::parse(&text).is_ok());
            }
        }
    }
}
