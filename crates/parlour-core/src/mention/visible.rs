//! The words that the author of a message addresses to its readers: no code, no quotes, no HTML comments, no URLs, no
//! marks of emphasis.

use std::ops::Range;

use pulldown_cmark::{Event, LinkType, Parser, Tag, TagEnd};
use unicode_normalization::{UnicodeNormalization, is_nfc};

/// Replaces omitted text. It is not a word character, so a mention can start after it as after punctuation.
const GAP: char = '\u{FFFC}';

/// The words of a markdown text in NFC: code, automatic links, HTML comments and quoted lines become a gap, escapes are
/// resolved, and emphasis marks are removed. Other raw HTML stays, because readers see it as text. An escaped `@` is a
/// gap too: it starts no mention.
///
/// A quoted line starts with `>`. A line that only continues the paragraph of a quote stays: authors often write their
/// own words directly below a quote.
pub(super) fn visible_text(body: &str) -> String {
    let text = String::with_capacity(body.len());
    let is_line_marked = is_marked(body);
    let mut visible =
        Visible { body, text, html: String::new(), is_hidden: false, quote_depth: 0, searched: 0, is_line_marked };
    for (event, range) in Parser::new(body).into_offset_iter() {
        visible.take(&event, &range);
    }
    if is_nfc(&visible.text) { visible.text } else { visible.text.nfc().collect() }
}

struct Visible<'a> {
    body: &'a str,
    text: String,
    /// The current HTML block. A comment can span several of its lines.
    html: String,
    is_hidden: bool,
    quote_depth: usize,
    /// The end of the searched part of the source, and whether its last line starts with `>`.
    searched: usize,
    is_line_marked: bool,
}

/// Whether a line starts with `>`, also below the mark of a list item.
fn is_marked(line: &str) -> bool {
    let is_list_mark = |sign: char| matches!(sign, ' ' | '\t' | '-' | '+' | '*' | '.' | ')') || sign.is_ascii_digit();
    line.trim_start_matches(is_list_mark).starts_with('>')
}

impl Visible<'_> {
    fn take(&mut self, event: &Event<'_>, range: &Range<usize>) {
        match event {
            Event::Start(tag) => self.open(tag),
            Event::End(tag) => self.close(*tag),
            Event::Text(_) | Event::InlineHtml(_) | Event::Html(_) if self.is_quoted(range.start) => {
                self.text.push(GAP)
            }
            Event::Text(part) if !self.is_hidden => self.push(part, range.start),
            Event::Html(part) => self.html.push_str(part),
            Event::InlineHtml(part) => self.text.push_str(&without_comments(part)),
            Event::Code(_) => self.text.push(GAP),
            Event::SoftBreak | Event::HardBreak | Event::Rule => self.text.push('\n'),
            _ => {}
        }
    }

    fn open(&mut self, tag: &Tag<'_>) {
        self.quote_depth += usize::from(matches!(tag, Tag::BlockQuote(_)));
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
        self.quote_depth -= usize::from(matches!(tag, TagEnd::BlockQuote(_)));
        if tag == TagEnd::HtmlBlock {
            let html = std::mem::take(&mut self.html);
            self.text.push_str(&without_comments(&html));
        }
        match tag {
            // Code and automatic links contain no other links, so text is visible again after the end of any link.
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

    /// Whether this index is inside a quote, on a line that starts with `>`. Indexes are given in ascending order, so
    /// each byte of the source is searched once.
    fn is_quoted(&mut self, start: usize) -> bool {
        if let Some(end) = self.body.get(self.searched..start).and_then(|passed| passed.rfind('\n')) {
            self.is_line_marked = is_marked(&self.body[self.searched + end + 1..]);
        }
        self.searched = self.searched.max(start);
        self.quote_depth > 0 && self.is_line_marked
    }

    /// Whether the source has a bare `@` here, neither escaped by a backslash nor written as an entity.
    fn is_typed_at(&self, start: usize) -> bool {
        self.body[start..].starts_with('@') && !self.body[..start].ends_with('\\')
    }
}

/// Raw HTML with a gap for each comment. A comment without an end reaches to the end of the text.
fn without_comments(html: &str) -> String {
    const OPEN: &str = "<!--";
    let (mut kept, mut rest) = (String::with_capacity(html.len()), html);
    while let Some(at) = rest.find(OPEN) {
        kept.push_str(&rest[..at]);
        kept.push(GAP);
        // The dashes of the start can belong to the end: `<!-->` is an empty comment.
        let comment = &rest[at + "<!".len()..];
        rest = comment.find("-->").map_or("", |end| &comment[end + "-->".len()..]);
    }
    kept.push_str(rest);
    kept
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
    fn emphasis_marks_are_removed() {
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
        assert_eq!(words("# a\nb\n- c\n- d\n\ne\n***\nf"), "a b c d e f");
    }

    #[test]
    fn quoted_lines_become_a_gap() {
        assert_eq!(words("> @b\n\nc"), "□ c");
        assert_eq!(words("> > @b\n> @c `d` <b>@e</b>\n\nf"), "□ □□□□□□ f");
        assert_eq!(words("- > @b\n- c"), "□ c");
        assert_eq!(words("> <div>\n> @b\n> </div>\n\nc"), "□□□ c");
        assert_eq!(words("1 > @b"), "1 > @b");
        assert_eq!(words("\\> @b"), "> @b");
    }

    #[test]
    fn a_line_below_a_quote_without_its_sign_stays() {
        assert_eq!(words("> a\n@b c"), "□ @b c");
        assert_eq!(words("> a\n<b>@c</b>"), "□ <b>@c</b>");
    }

    #[test]
    fn html_comments_become_a_gap() {
        assert_eq!(words("a <!-- @b --> c"), "a □ c");
        assert_eq!(words("<!-- @b -->\nc"), "□ c");
        assert_eq!(words("<!--\n@b\n--> @c"), "□ @c");
        assert_eq!(words("<div>\n<!-- @b --> @c\n</div>"), "<div> □ @c </div>");
        assert_eq!(words("<!-- @b"), "□");
        assert_eq!(words("<!--> @b"), "□ @b");
        assert_eq!(words("a <!- @b"), "a <!- @b");
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
