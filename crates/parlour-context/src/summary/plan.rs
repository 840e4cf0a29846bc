//! Which spans of a conversation are summarised, so that each is summarised once.
//!
//! Spans begin and end at fixed numbers, so a new message changes only the open one at the end. Ten spans of one length
//! are rolled up into one of the next: however long a conversation is, a few spans stand for it.

use sha2::{Digest as _, Sha256};

use super::SourceText;

/// Messages of the shortest whole span.
const SPAN_LEN: u64 = 40;
/// Spans that are rolled up into one.
const ROLLED_LEN: u64 = 10;
/// How often spans are rolled up: the longest has `SPAN_LEN` messages times `ROLLED_LEN` for each level.
const LEVELS: u32 = 3;

/// A span of a conversation, by the numbers of its messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// The number of its first message.
    pub first_seq: u64,
    /// The number of its last message.
    pub last_seq: u64,
    /// Whether it has its full length and will not grow: only then a model is asked for its summary.
    pub is_whole: bool,
}

/// The spans that stand for a conversation from one message to another, oldest first: without gaps, the longest whole
/// ones that there are, and open ones where none fits.
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
    /// The shorter spans that this one rolls up; none for the shortest, which are made of messages.
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

/// A hash over messages as they may be shown: another one after every edit and removal of one of them, and after every
/// change of what is taken out of them.
pub fn digest(said: &[SourceText<'_>]) -> [u8; 32] {
    let mut hash = Sha256::new();
    for one in said {
        for text in [one.id, one.name, one.text] {
            // The length first: no two lists of texts are the same row of bytes.
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
    fn whole_spans_lie_at_fixed_numbers_and_the_rest_is_open() {
        assert_eq!(shown(1, 95), [(1, 40, true), (41, 80, true), (81, 95, false)]);
        assert_eq!(shown(30, 95), [(30, 40, false), (41, 80, true), (81, 95, false)]);
        assert_eq!(shown(1, 3), [(1, 3, false)]);
        assert_eq!(shown(5, 4), []);
    }

    #[test]
    fn ten_spans_are_rolled_up_into_one() {
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
    fn another_text_name_or_order_has_another_digest() {
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
        fn a_new_message_changes_no_whole_span_unless_it_is_rolled_up(last_seq in 1u64..50_000) {
            let before: Vec<Span> = plan(1, last_seq).into_iter().filter(|span| span.is_whole).collect();
            let after = plan(1, last_seq + 1);
            let rolled: Vec<Span> = after.iter().flat_map(Span::parts).collect();
            prop_assert!(before.iter().all(|span| after.contains(span) || rolled.contains(span)
                || rolled.iter().any(|part| part.parts().contains(span))
                || rolled.iter().flat_map(Span::parts).any(|part| part.parts().contains(span))));
        }
    }
}
