//! The end of what a command writes to its standard error.

use parlour_core::limits;

use super::text::clean;

/// The last bytes of a flow, however long it was.
#[derive(Debug, Default)]
pub(super) struct Tail {
    bytes: Vec<u8>,
    is_cut: bool,
}

impl Tail {
    /// Takes the next bytes and forgets what is too old.
    pub(super) fn push(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
        let surplus = self.bytes.len().saturating_sub(limits::COMMAND_STDERR_BYTES_MAX);
        self.is_cut |= surplus > 0;
        self.bytes.drain(..surplus);
    }

    /// The last lines as a text; a line whose beginning is lost is left out unless it is all there is.
    pub(super) fn text(&self) -> String {
        let text = clean(&self.bytes);
        if !self.is_cut {
            return text.trim_start().to_owned();
        }
        let whole_lines = text.split_once('\n').map_or(text.as_str(), |(_, lines)| lines);
        format!("… {}", whole_lines.trim_start())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tail_of(text: &str) -> String {
        let mut tail = Tail::default();
        text.as_bytes().chunks(700).for_each(|piece| tail.push(piece));
        tail.text()
    }

    #[test]
    fn a_short_text_is_kept_whole_and_clean() {
        assert_eq!(tail_of(""), "");
        assert_eq!(tail_of("\n  \x1b[31merror:\x1b[0m no key\r\n"), "error: no key");
    }

    #[test]
    fn of_a_long_text_the_last_whole_lines_are_kept() {
        let text = format!("{}\nlast but one\nlast\n", "x".repeat(limits::COMMAND_STDERR_BYTES_MAX));
        assert_eq!(tail_of(&text), "… last but one\nlast");
    }

    #[test]
    fn of_one_long_line_the_end_is_kept() {
        let text = tail_of(&"ü".repeat(5_000));
        assert!(text.ends_with("üü") && text.starts_with("… "));
        assert!(text.len() <= limits::COMMAND_STDERR_BYTES_MAX + 8);
    }
}
