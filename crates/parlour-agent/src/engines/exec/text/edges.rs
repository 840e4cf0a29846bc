//! The beginning and the end of an answer.

/// Leaves out empty lines at the beginning and white space at the end. White space is held back until something
/// follows it.
#[derive(Debug, Default)]
pub(super) struct Edges {
    held: String,
    has_begun: bool,
}

impl Edges {
    /// Takes the next character, and adds to the text what is certain.
    pub(super) fn push(&mut self, sign: char, text: &mut String) {
        if sign.is_whitespace() {
            return self.hold(sign);
        }
        text.push_str(&self.held);
        text.push(sign);
        self.held.clear();
        self.has_begun = true;
    }

    fn hold(&mut self, sign: char) {
        // The first line keeps its indentation.
        if sign == '\n' && !self.has_begun {
            self.held.clear();
        } else {
            self.held.push(sign);
        }
    }
}
