//! What a command writes, made into text that can stand in a message.

mod decode;
mod edges;
mod escapes;
mod lines;
#[cfg(test)]
mod tests;

use decode::Decoder;
use edges::Edges;
use escapes::Escapes;
use lines::Lines;

/// Makes text of bytes as they come. However they are split, the text is the same.
///
/// | in the bytes | in the text |
/// |---|---|
/// | no UTF-8 | U+FFFD |
/// | colours, titles, links and other sequences of terminals | nothing |
/// | control characters but line breaks and tabs | nothing |
/// | `\r\n` | a line break |
/// | a line that is written over and over after `\r` | its first and its last form, each on a line |
/// | empty lines at the beginning, white space at the end | nothing |
#[derive(Debug, Default)]
pub(super) struct OutputText {
    decoder: Decoder,
    escapes: Escapes,
    lines: Lines,
    edges: Edges,
}

impl OutputText {
    /// The text that these bytes add.
    pub(super) fn push(&mut self, bytes: &[u8]) -> String {
        let mut text = String::with_capacity(bytes.len());
        let decoded = self.decoder.push(bytes);
        self.take(&decoded, &mut text);
        text
    }

    /// The text that was held back until it was clear that nothing follows.
    pub(super) fn finish(mut self) -> String {
        let mut text = String::new();
        let cut_off = self.decoder.finish();
        self.take(cut_off, &mut text);
        let edges = &mut self.edges;
        self.lines.finish(&mut |sign| edges.push(sign, &mut text));
        text
    }

    fn take(&mut self, decoded: &str, text: &mut String) {
        let Self { escapes, lines, edges, .. } = self;
        for sign in decoded.chars().filter(|&sign| escapes.lets_through(sign)) {
            lines.push(sign, &mut |sign| edges.push(sign, text));
        }
    }
}

/// The text of bytes that are all there.
pub(super) fn clean(bytes: &[u8]) -> String {
    let mut output = OutputText::default();
    let mut text = output.push(bytes);
    text.push_str(&output.finish());
    text
}
