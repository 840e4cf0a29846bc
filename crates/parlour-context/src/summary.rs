//! Summaries of conversations: verbatim lines, or the text of a model that was checked against the source.
//!
//! | part | does |
//! |---|---|
//! | [`plan`] | divides a conversation into spans, each summarised once |
//! | [`extract`] | selects verbatim lines without a model |
//! | [`TextSentences`] | the analysed sentences of one text, for caching |
//! | [`check`] | accepts a model's text only if its names and numbers occur in the source |

use sha2::{Digest as _, Sha256};

pub use check::{Unfaithful, check};

pub use extract::{ExtractWeights, extract, extract_by, extract_known};

pub use sentences::TextSentences;

mod check;
mod extract;
mod facts;
mod sentences;
mod words;

/// One message of the summarised conversation, as it may be shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceText<'a> {
    /// Its id.
    pub id: &'a str,
    /// The name of the author.
    pub name: &'a str,
    /// The prepared text.
    pub text: &'a str,
}

/// A line of an extractive summary: a verbatim quote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExtractedLine {
    /// The index of the message in the summarised messages.
    pub index: usize,
    /// A verbatim part of its text.
    pub text: String,
}

/// Messages of the shortest whole span.
const SPAN_LEN: u64 = 40;
/// The number of spans that are combined into one of the next level.
const ROLLED_LEN: u64 = 10;
/// The number of levels: the longest span has `SPAN_LEN` messages times `ROLLED_LEN` for each level.
const LEVELS: u32 = 3;

/// A span of a conversation, by the numbers of its messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// The number of its first message.
    pub first_seq: u64,
    /// The number of its last message.
    pub last_seq: u64,
    /// Whether it has its full length and will not grow; only then a model writes its summary.
    pub is_whole: bool,
}

/// The spans that cover a conversation from one message to another, oldest first and without gaps: the longest whole
/// spans that fit, and open ones elsewhere.
pub fn plan(first_seq: u64, last_seq: u64) -> Vec<Span> {
    let mut spans = Vec::new();
    let mut next = first_seq.max(1);
    while next <= last_seq {
        let whole = (0..=LEVELS).rev().map(len_at).find(|len| begins(next, *len) && last_seq - next >= len - 1);
        let last = match whole {
            Some(len) => next + len - 1,
            None => last_seq.min((next - 1) / SPAN_LEN * SPAN_LEN + SPAN_LEN),
        };
        spans.push(Span { first_seq: next, last_seq: last, is_whole: whole.is_some() });
        next = last.saturating_add(1);
    }
    spans
}

impl Span {
    /// The shorter spans of which it is combined; none for the shortest, which consist of messages.
    pub fn parts(&self) -> Vec<Span> {
        let len = self.last_seq - self.first_seq + 1;
        if !self.is_whole || len <= SPAN_LEN {
            return Vec::new();
        }
        let part = |number| {
            let first_seq = self.first_seq + number * (len / ROLLED_LEN);
            Span { first_seq, last_seq: first_seq + len / ROLLED_LEN - 1, is_whole: true }
        };
        (0..ROLLED_LEN).map(part).collect()
    }
}

/// A hash of the source messages. It changes with every edit, removal and redaction of one of them.
pub fn digest(said: &[SourceText<'_>]) -> [u8; 32] {
    let mut hash = Sha256::new();
    for one in said {
        for text in [one.id, one.name, one.text] {
            // The length first, so that different lists of texts never have the same bytes.
            hash.update((text.len() as u64).to_be_bytes());
            hash.update(text.as_bytes());
        }
    }
    hash.finalize().into()
}

fn len_at(level: u32) -> u64 {
    SPAN_LEN * ROLLED_LEN.pow(level)
}

fn begins(seq: u64, len: u64) -> bool {
    (seq - 1).is_multiple_of(len)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn shown(first_seq: u64, last_seq: u64) -> Vec<(u64, u64, bool)> {
        plan(first_seq, last_seq).iter().map(|span| (span.first_seq, span.last_seq, span.is_whole)).collect()
    }

    #[test]
    fn whole_spans_start_at_fixed_numbers_and_the_rest_is_open() {
        assert_eq!(shown(1, 95), [(1, 40, true), (41, 80, true), (81, 95, false)]);
        assert_eq!(shown(30, 95), [(30, 40, false), (41, 80, true), (81, 95, false)]);
        assert_eq!(shown(1, 3), [(1, 3, false)]);
        assert_eq!(shown(5, 4), []);
    }

    #[test]
    fn ten_spans_are_combined_into_one() {
        assert_eq!(shown(1, 445), [(1, 400, true), (401, 440, true), (441, 445, false)]);
        let parts = plan(1, 400)[0].parts();
        assert_eq!(parts, plan(1, 399).into_iter().take(9).chain(plan(361, 400)).collect::<Vec<_>>());
        assert!(parts[0].parts().is_empty());
        assert_eq!(
            plan(1, 4_000)[0].parts(),
            plan(1, 3_999).into_iter().take(9).chain(plan(3_601, 4_000)).collect::<Vec<_>>()
        );
    }

    #[test]
    fn the_digest_depends_on_text_name_and_order() {
        let (one, two) =
            (SourceText { id: "a", name: "Mara", text: "bc" }, SourceText { id: "b", name: "Ines", text: "c" });
        let digests = [
            digest(&[]),
            digest(std::slice::from_ref(&one)),
            digest(&[one.clone(), two.clone()]),
            digest(&[two.clone(), one.clone()]),
            digest(&[SourceText { text: "bd", ..one.clone() }, two.clone()]),
            digest(&[SourceText { name: "Marab", text: "c", ..one.clone() }, two]),
        ];
        let different: std::collections::BTreeSet<_> = digests.iter().collect();
        assert_eq!(different.len(), digests.len());
    }

    proptest! {
        #[test]
        fn spans_have_no_gaps_and_are_few(first_seq in 1u64..200_000, len in 0u64..100_000) {
            let spans = plan(first_seq, first_seq + len);
            prop_assert_eq!(spans[0].first_seq, first_seq);
            prop_assert_eq!(spans.last().map(|span| span.last_seq), Some(first_seq + len));
            prop_assert!(spans.windows(2).all(|pair| pair[0].last_seq + 1 == pair[1].first_seq));
            prop_assert!(spans.len() <= 70, "{}", spans.len());
        }

        #[test]
        fn a_new_message_changes_no_whole_span_unless_it_is_combined(last_seq in 1u64..50_000) {
            let before: Vec<Span> = plan(1, last_seq).into_iter().filter(|span| span.is_whole).collect();
            let after = plan(1, last_seq + 1);
            let rolled: Vec<Span> = after.iter().flat_map(Span::parts).collect();
            prop_assert!(before.iter().all(|span| after.contains(span) || rolled.contains(span)
                || rolled.iter().any(|part| part.parts().contains(span))
                || rolled.iter().flat_map(Span::parts).any(|part| part.parts().contains(span))));
        }
    }
}
