//! What a reader sees of a message as words: no code, no addresses, no marks of emphasis.

use std::ops::Range;

use pulldown_cmark::{Event, LinkType, Parser, Tag, TagEnd};
use unicode_normalization::{UnicodeNormalization, is_nfc};

/// Stands where something was left out. It is no word character, so it borders a mention like punctuation does.
const GAP: char = '\u{FFFC}';

/// The words of a markdown text in NFC: code and automatic links become a gap, escapes are resolved, and emphasis
/// leaves no trace. Raw HTML stays, because readers see it as text. An escaped `@` is a gap too: it calls nobody.
pub(super) fn visible_text(body: &str) -> String {
    let mut visible = Visible { body, text: String::with_capacity(body.len()), is_hidden: false };
    for (event, range) in Parser::new(body).into_offset_iter() {
        visible.take(&event, &range);
    }
    if is_nfc(&visible.text) { visible.text } else { visible.text.nfc().collect() }
}

struct Visible<'a> {
    body: &'a str,
    text: String,
    is_hidden: bool,
}

impl Visible<'_> {
    fn take(&mut self, event: &Event<'_>, range: &Range<usize>) {
        match event {
            Event::Start(tag) => self.open(tag),
            Event::End(tag) => self.close(*tag),
            Event::Text(part) if !self.is_hidden => self.push(part, range.start),
            Event::Html(part) | Event::InlineHtml(part) => self.text.push_str(part),
            Event::Code(_) => self.text.push(GAP),
            Event::SoftBreak | Event::HardBreak | Event::Rule => self.text.push('\n'),
            _ => {}
        }
    }

    fn open(&mut self, tag: &Tag<'_>) {
        match tag {
            Tag::CodeBlock(_) | Tag::Link { link_type: LinkType::Autolink | LinkType::Email, .. } => {
                self.text.push(GAP);
                self.is_hidden = true;
            }
            Tag::Emphasis | Tag::Strong | Tag::Link { .. } | Tag::Image { .. } => {}
            _ => self.text.push('\n'),
        }
    }

    fn close(&mut self, tag: TagEnd) {
        match tag {
            // Neither code nor automatic links hold other links, so the end of any link shows again what follows.
            TagEnd::CodeBlock | TagEnd::Link => self.is_hidden = false,
            TagEnd::Emphasis | TagEnd::Strong | TagEnd::Image => {}
            _ => self.text.push('\n'),
        }
    }

    fn push(&mut self, part: &str, start: usize) {
        match part.strip_prefix('@') {
            Some(rest) if !self.is_typed_at(start) => {
                self.text.push(GAP);
                self.text.push_str(rest);
            }
            _ => self.text.push_str(part),
        }
    }

    /// Says whether the source has a bare `@` here, neither escaped by a backslash nor written as an entity.
    fn is_typed_at(&self, start: usize) -> bool {
        self.body[start..].starts_with('@') && !self.body[..start].ends_with('\\')
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn words(body: &str) -> String {
        visible_text(body).replace(GAP, "□").split_whitespace().collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn code_becomes_a_gap() {
        assert_eq!(words("a `@b` c"), "a □ c");
        assert_eq!(words("a ``x ` @b`` c"), "a □ c");
        assert_eq!(words("a\n\n```rust\n@b\n```\nc"), "a □ c");
        assert_eq!(words("a\n\n~~~\n@b"), "a □");
        assert_eq!(words("a\n\n    @b\n\nc"), "a □ c");
        assert_eq!(words("- a\n\n      @b\n"), "a □");
    }

    #[test]
    fn an_open_backtick_hides_nothing() {
        assert_eq!(words("a ` @b"), "a ` @b");
    }

    #[test]
    fn addresses_are_left_out_but_the_words_of_a_link_stay() {
        assert_eq!(words("[see @b](http://x/@c) d"), "see @b d");
        assert_eq!(words("<http://x/@c> d <e@f.org> g"), "□ d □ g");
        assert_eq!(words("[see]\n\n[see]: http://x/@c"), "see");
    }

    #[test]
    fn emphasis_leaves_no_trace() {
        assert_eq!(words("_@b_ **@c** **@d**x"), "@b @c @dx");
        assert_eq!(words("@my_agent_name @two * three"), "@my_agent_name @two * three");
    }

    #[test]
    fn escapes_are_resolved_and_an_escaped_at_is_a_gap() {
        assert_eq!(words(r"@b\_c \*"), "@b_c *");
        assert_eq!(words(r"\@b &#64;c &commat;d \\@e"), r"□b □c □d \@e");
    }

    #[test]
    fn raw_html_is_text() {
        assert_eq!(words("<b>@c</b>"), "<b>@c</b>");
        assert_eq!(words("<div>\n@c\n</div>"), "<div> @c </div>");
    }

    #[test]
    fn blocks_do_not_run_together() {
        assert_eq!(words("# a\nb\n- c\n- d\n\n> e\n***\nf"), "a b c d e f");
    }

    #[test]
    fn letters_are_composed() {
        assert_eq!(visible_text("Jose\u{301}").trim(), "José");
    }

    proptest! {
        #[test]
        fn no_body_panics(body in ".{0,80}", marks in "[@a `*_~<>\\[\\]()\\\\&#;:/\n\t>-]{0,40}") {
            visible_text(&body);
            visible_text(&marks);
        }

        #[test]
        fn plain_words_stay_as_they_are(body in "[a-z@]{1,8}( [a-z@]{1,8}){0,5}") {
            prop_assert_eq!(words(&body), body);
        }
    }
}
