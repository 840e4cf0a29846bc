//! Colours, where somebody can see them.

use std::{env, io::IsTerminal};

use parlour_core::author::Source;

/// Whether colours are used. Everything reads the same without them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Style {
    is_colourful: bool,
}

/// How a piece of text is set off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Look {
    /// Of less weight.
    Dim,
    /// All is well.
    Good,
    /// Worth a look.
    Warning,
    /// Not well.
    Bad,
    /// An author, in the colour of the page.
    Author(Option<Source>),
}

impl Style {
    /// No colours, whatever stdout is.
    #[cfg(test)]
    pub(crate) const PLAIN: Self = Self { is_colourful: false };

    /// Colours when stdout is a terminal and `NO_COLOR` is unset or empty.
    pub(crate) fn for_stdout() -> Self {
        let is_refused = env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        Self { is_colourful: std::io::stdout().is_terminal() && !is_refused }
    }

    /// The text in this look.
    pub(crate) fn paint(self, look: Look, text: &str) -> String {
        if self.is_colourful { format!("\x1b[{}m{text}\x1b[0m", code(look)) } else { text.to_owned() }
    }
}

/// The colours of authors are those of the page: blue, orange, purple, teal.
fn code(look: Look) -> &'static str {
    match look {
        Look::Dim => "2",
        Look::Good => "32",
        Look::Warning => "33",
        Look::Bad => "31",
        Look::Author(Some(Source::User)) => "1;34",
        Look::Author(Some(Source::Applet)) => "1;33",
        Look::Author(Some(Source::Agent)) => "1;35",
        Look::Author(Some(Source::Scheduler)) => "1;36",
        Look::Author(None) => "1",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_text_stays_as_it_is() {
        assert_eq!(Style::PLAIN.paint(Look::Bad, "no"), "no");
    }

    #[test]
    fn colours_end_where_the_text_ends() {
        let style = Style { is_colourful: true };
        assert_eq!(style.paint(Look::Author(Some(Source::Agent)), "Coder"), "\x1b[1;35mCoder\x1b[0m");
    }
}
