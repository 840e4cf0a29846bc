//! Ids of other systems, as native ids and back.
//!
//! A text that is a native id stays as it is. One that could stand in a native id does so, after a mark (`msg_f_…`), and
//! is found again there. Anything else becomes a fingerprint (`msg_h_…`); whoever needs the text again has to keep it.
//! The same text always gives the same id.

use parlour_core::{
    id::{BatchId, ChannelId, DmId, MessageId, ProjectId, TaskId, ThreadId},
    limits,
};
use sha2::{Digest, Sha256};

/// What stands in an id before a text that is found again.
const FOUND: &str = "f_";
/// What stands in an id before a fingerprint.
const FINGERPRINT: &str = "h_";

/// The digits of generated ids.
const DIGITS: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";
/// How many digits 128 bits have.
const DIGITS_OF_BITS: usize = 26;
/// Room for any id: a prefix of three letters, an underscore and the rest.
const ROOM: usize = 4 + limits::ID_TAIL_CHARS_MAX;

/// An id type that a foreign text can become.
pub(crate) trait MappedId: Sized {
    const PREFIX: &'static str;
    fn parsed(text: &str) -> Option<Self>;
    fn text(&self) -> &str;
}

macro_rules! mapped_ids {
    ($($id:ident),+) => { $(
        impl MappedId for $id {
            const PREFIX: &'static str = $id::PREFIX;

            fn parsed(text: &str) -> Option<Self> {
                text.parse().ok()
            }

            fn text(&self) -> &str {
                self.as_str()
            }
        }
    )+ };
}

mapped_ids!(MessageId, ProjectId, ChannelId, ThreadId, DmId, TaskId, BatchId);

/// The native id for a foreign text.
pub(crate) fn mapped<I: MappedId>(text: &str) -> I {
    if is_native::<I>(text)
        && let Some(id) = I::parsed(text)
    {
        return id;
    }
    if is_plain(text) { marked(FOUND, text.as_bytes()) } else { fingerprint(&[text]) }
}

/// The native id for two foreign texts with a colon between them.
pub(crate) fn mapped_pair<I: MappedId>(first: &str, second: &str) -> I {
    // No id holds a colon, so there is nothing to find again.
    fingerprint(&[first, ":", second])
}

/// The id of what nobody has made: all its digits are zero.
pub(crate) fn unmade<I: MappedId>() -> I {
    marked("", &[b'0'; DIGITS_OF_BITS])
}

/// The text to write for an id: the foreign one where it stands in the id, else the id itself.
pub(crate) fn said<I: MappedId>(id: &I) -> &str {
    let tail = id.text().get(I::PREFIX.len() + 1..).unwrap_or_default();
    tail.strip_prefix(FOUND).unwrap_or(id.text())
}

/// The foreign text, when the id does not give it back and it has to be kept.
pub(crate) fn unsaid<I: MappedId>(text: String, id: &I) -> Option<String> {
    (said(id) != text).then_some(text)
}

fn is_native<I: MappedId>(text: &str) -> bool {
    let tail = text.strip_prefix(I::PREFIX).and_then(|rest| rest.strip_prefix('_'));
    tail.is_some_and(|tail| !tail.starts_with(FOUND))
}

fn is_plain(text: &str) -> bool {
    (1..=limits::ID_TAIL_CHARS_MAX - FOUND.len()).contains(&text.len())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-')
}

fn fingerprint<I: MappedId>(parts: &[&str]) -> I {
    let mut hash = Sha256::new();
    parts.iter().for_each(|part| hash.update(part.as_bytes()));
    let mut bits = [0; 16];
    bits.copy_from_slice(&hash.finalize()[..16]);
    marked(FINGERPRINT, &digits(u128::from_be_bytes(bits)))
}

/// The digits that a generated id has for these bits.
fn digits(bits: u128) -> [u8; DIGITS_OF_BITS] {
    let mut digits = [0; DIGITS_OF_BITS];
    let mut rest = bits;
    for digit in digits.iter_mut().rev() {
        *digit = DIGITS[(rest & 31) as usize];
        rest >>= 5;
    }
    digits
}

/// An id of its prefix, a mark and a tail, put together without a text in between: ids are made for every message.
fn marked<I: MappedId>(mark: &str, tail: &[u8]) -> I {
    let mut room = [0; ROOM];
    let mut end = 0;
    for part in [I::PREFIX.as_bytes(), b"_", mark.as_bytes(), tail] {
        room[end..end + part.len()].copy_from_slice(part);
        end += part.len();
    }
    let id = std::str::from_utf8(&room[..end]).ok().and_then(I::parsed);
    id.expect("marks and tails are short and of letters, digits, `_` and `-`: digits, or checked by is_plain")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(text: &str, id: &str, again: &str) {
        let mapped: MessageId = mapped(text);
        assert_eq!((mapped.as_str(), said(&mapped)), (id, again), "{text:?}");
    }

    #[test]
    fn native_ids_stay_and_plain_texts_are_found_again() {
        check("msg_1620123456789", "msg_1620123456789", "msg_1620123456789");
        check(
            "3f2a7c1e-0000-4000-8000-123456789abc",
            "msg_f_3f2a7c1e-0000-4000-8000-123456789abc",
            "3f2a7c1e-0000-4000-8000-123456789abc",
        );
        check("prj_1", "msg_f_prj_1", "prj_1");
        check("msg_f_x", "msg_f_msg_f_x", "msg_f_x");
    }

    #[test]
    fn other_texts_become_a_fingerprint_that_is_always_the_same() {
        for text in ["", "1@g.us", "a b", &"x".repeat(300)] {
            let id: MessageId = mapped(text);
            assert!(id.as_str().starts_with("msg_h_"), "{id}");
            assert_eq!(id, mapped(text));
            assert_eq!(unsaid(text.to_owned(), &id).as_deref(), Some(text));
        }
        let id: DmId = mapped("coder:planner");
        assert_eq!(id.as_str(), "dm_h_0203TKSSYG5KMCSZRMEDHED499");
    }

    #[test]
    fn what_nobody_has_made_has_the_id_of_no_bits() {
        assert_eq!(unmade::<ProjectId>(), ProjectId::from_bits(0));
        assert_eq!(unmade::<DmId>(), DmId::from_bits(0));
    }

    proptest! {
        #[test]
        fn digits_are_those_of_generated_ids(bits: u128) {
            let digits = String::from_utf8(digits(bits).to_vec()).expect("digits");
            prop_assert_eq!(MessageId::from_bits(bits).to_string(), format!("msg_{digits}"));
        }

        #[test]
        fn a_pair_is_mapped_as_its_two_texts_with_a_colon(first in ".{0,40}", second in ".{0,40}") {
            prop_assert_eq!(mapped_pair::<DmId>(&first, &second), mapped::<DmId>(&format!("{first}:{second}")));
        }

        #[test]
        fn different_texts_get_different_ids(one in ".{0,70}", other in ".{0,70}") {
            let (a, b): (MessageId, MessageId) = (mapped(&one), mapped(&other));
            prop_assert_eq!(one == other, a == b);
        }

        #[test]
        fn a_text_is_said_again_or_kept(text in "[a-z_:-]{0,70}") {
            let id: ChannelId = mapped(&text);
            prop_assert_eq!(unsaid(text.clone(), &id).unwrap_or_else(|| said(&id).to_owned()), text);
        }
    }
}
