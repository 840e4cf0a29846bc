//! A key that is shown to nobody but its provider.

use std::fmt;

/// The key of a provider. It has no way to be printed: not by `Debug`, not in an error, not in a log.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Takes a key, without the blanks and line breaks around it that files and variables tend to have.
    pub fn new(text: &str) -> Self {
        Self(text.trim().to_owned())
    }

    /// The key itself, for the one header that carries it.
    pub(super) fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Secret(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_never_printed() {
        assert_eq!(format!("{:?}", Some(Secret::new("sk-123"))), "Some(Secret(…))");
    }

    #[test]
    fn the_line_break_of_a_file_is_no_part_of_a_key() {
        assert_eq!(Secret::new(" sk-123\r\n").reveal(), "sk-123");
    }
}
