//! Colours of the terminal.

use std::{env, io::IsTerminal};

use parlour_core::author::Source;

/// Whether colours are used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Style {
    is_colourful: bool,
}

/// The emphasis of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Emphasis {
    Dim,
    Good,
    Warning,
    Bad,
    /// An author, in the colour of its source.
    Author(Option<Source>),
}

impl Style {
    #[cfg(test)]
    pub(crate) const PLAIN: Self = Self { is_colourful: false };

    /// Colours when stdout is a terminal and `NO_COLOR` is unset or empty.
    pub(crate) fn for_stdout() -> Self {
        let is_refused = env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        Self { is_colourful: std::io::stdout().is_terminal() && !is_refused }
    }

    pub(crate) fn paint(self, look: Emphasis, text: &str) -> String {
        if self.is_colourful { format!("\x1b[{}m{text}\x1b[0m", code(look)) } else { text.to_owned() }
    }
}

/// Authors have the colours of the page: blue, orange, purple, teal.
fn code(look: Emphasis) -> &'static str {
    match look {
        Emphasis::Dim => "2",
        Emphasis::Good => "32",
        Emphasis::Warning => "33",
        Emphasis::Bad => "31",
        Emphasis::Author(Some(Source::User)) => "1;34",
        Emphasis::Author(Some(Source::Applet)) => "1;33",
        Emphasis::Author(Some(Source::Agent)) => "1;35",
        Emphasis::Author(Some(Source::Scheduler)) => "1;36",
        Emphasis::Author(None) => "1",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_text_stays_as_it_is() {
        assert_eq!(Style::PLAIN.paint(Emphasis::Bad, "no"), "no");
    }

    #[test]
    fn a_colour_is_reset_after_its_text() {
        let style = Style { is_colourful: true };
        assert_eq!(style.paint(Emphasis::Author(Some(Source::Agent)), "Coder"), "\x1b[1;35mCoder\x1b[0m");
    }
}
