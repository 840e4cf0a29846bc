//! What is written into a settings file: a small value, and how it looks there.

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
