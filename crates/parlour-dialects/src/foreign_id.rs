//! Conversion of foreign ids and authors to native ones and back.
//!
//! A native id stays unchanged. A text of id characters is embedded after a mark (`msg_f_…`) and can be recovered. Any
//! other text becomes a hash (`msg_h_…`); the dialect must preserve the text. Equal texts always give equal ids.

use parlour_core::{
    author::{Author, AuthorType},
    id::{BatchId, ChannelId, DmId, MessageId, ProjectId, TaskId, ThreadId},
    limits,
};
use sha2::{Digest, Sha256};

/// The mark before an embedded text.
const TEXT_MARK: &str = "f_";
/// The mark before a hash.
const HASH_MARK: &str = "h_";

/// The digits of generated ids.
const DIGITS: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";
/// The number of digits of 128 bits.
const DIGITS_LEN: usize = 26;
/// A prefix of three letters, an underscore and the tail.
const ID_BYTES_MAX: usize = 4 + limits::ID_TAIL_CHARS_MAX;

/// An id type that foreign texts are converted to.
pub(crate) trait NativeId: Sized {
    const PREFIX: &'static str;
    fn parse(text: &str) -> Option<Self>;
    fn as_text(&self) -> &str;
}

macro_rules! native_ids {
    ($($id:ident),+) => { $(
        impl NativeId for $id {
            const PREFIX: &'static str = $id::PREFIX;

            fn parse(text: &str) -> Option<Self> {
                text.parse().ok()
            }

            fn as_text(&self) -> &str {
                self.as_str()
            }
        }
    )+ };
}

native_ids!(MessageId, ProjectId, ChannelId, ThreadId, DmId, TaskId, BatchId);

/// The native id of a foreign text.
pub(crate) fn native_id<I: NativeId>(text: &str) -> I {
    if is_native::<I>(text)
        && let Some(id) = I::parse(text)
    {
        return id;
    }
    if is_plain(text) { marked_id(TEXT_MARK, text.as_bytes()) } else { hashed_id(&[text]) }
}

/// The native id of two foreign texts joined by a colon.
pub(crate) fn native_pair_id<I: NativeId>(first: &str, second: &str) -> I {
    // Ids contain no colon, so the text can only be hashed.
    hashed_id(&[first, ":", second])
}

/// The id of something that does not exist: all digits are zero.
pub(crate) fn nil_id<I: NativeId>() -> I {
    marked_id("", &[b'0'; DIGITS_LEN])
}

/// The foreign text of an id if it is embedded, else the id itself.
pub(crate) fn foreign_text<I: NativeId>(id: &I) -> &str {
    let tail = id.as_text().get(I::PREFIX.len() + 1..).unwrap_or_default();
    tail.strip_prefix(TEXT_MARK).unwrap_or(id.as_text())
}

/// The foreign text if the id does not contain it, so that it must be preserved.
pub(crate) fn unrecoverable_text<I: NativeId>(text: String, id: &I) -> Option<String> {
    (foreign_text(id) != text).then_some(text)
}

fn is_native<I: NativeId>(text: &str) -> bool {
    let tail = text.strip_prefix(I::PREFIX).and_then(|rest| rest.strip_prefix('_'));
    tail.is_some_and(|tail| !tail.starts_with(TEXT_MARK))
}

fn is_plain(text: &str) -> bool {
    (1..=limits::ID_TAIL_CHARS_MAX - TEXT_MARK.len()).contains(&text.len())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-')
}

fn hashed_id<I: NativeId>(parts: &[&str]) -> I {
    let mut hash = Sha256::new();
    parts.iter().for_each(|part| hash.update(part.as_bytes()));
    let mut bits = [0; 16];
    bits.copy_from_slice(&hash.finalize()[..16]);
    marked_id(HASH_MARK, &digits(u128::from_be_bytes(bits)))
}

/// The digits of a generated id with these bits.
fn digits(bits: u128) -> [u8; DIGITS_LEN] {
    let mut digits = [0; DIGITS_LEN];
    let mut rest = bits;
    for digit in digits.iter_mut().rev() {
        *digit = DIGITS[(rest & 31) as usize];
        rest >>= 5;
    }
    digits
}

/// Builds an id in a buffer on the stack: this runs for every message.
fn marked_id<I: NativeId>(mark: &str, tail: &[u8]) -> I {
    let mut buffer = [0; ID_BYTES_MAX];
    let mut end = 0;
    for part in [I::PREFIX.as_bytes(), b"_", mark.as_bytes(), tail] {
        buffer[end..end + part.len()].copy_from_slice(part);
        end += part.len();
    }
    let id = std::str::from_utf8(&buffer[..end]).ok().and_then(I::parse);
    id.expect("marks and tails are short and of letters, digits, `_` and `-`: digits, or checked by is_plain")
}

/// An author of another system. Its id has the dialect as prefix, so it never equals the id of a member.
pub(crate) fn foreign_author(dialect: &str, author_type: AuthorType, id: &str, name: &str) -> Author {
    let name = if name.is_empty() { id } else { name };
    Author { author_type, id: Some([dialect, ":", id].concat()), name: name.to_owned() }
}

/// The id of an author in the dialect: the foreign id, or the native id of an author from elsewhere.
pub(crate) fn foreign_author_id<'a>(dialect: &str, author: &'a Author) -> &'a str {
    let id = author.id.as_deref().unwrap_or(&author.name);
    id.strip_prefix(dialect).and_then(|rest| rest.strip_prefix(':')).unwrap_or(id)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(text: &str, id: &str, recovered: &str) {
        let native: MessageId = native_id(text);
        assert_eq!((native.as_str(), foreign_text(&native)), (id, recovered), "{text:?}");
    }

    #[test]
    fn native_ids_stay_and_plain_texts_can_be_recovered() {
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
    fn other_texts_become_a_stable_hash() {
        for text in ["", "1@g.us", "a b", &"x".repeat(300)] {
            let id: MessageId = native_id(text);
            assert!(id.as_str().starts_with("msg_h_"), "{id}");
            assert_eq!(id, native_id(text));
            assert_eq!(unrecoverable_text(text.to_owned(), &id).as_deref(), Some(text));
        }
        let id: DmId = native_id("coder:planner");
        assert_eq!(id.as_str(), "dm_h_0203TKSSYG5KMCSZRMEDHED499");
    }

    #[test]
    fn the_nil_id_has_no_bits() {
        assert_eq!(nil_id::<ProjectId>(), ProjectId::from_bits(0));
        assert_eq!(nil_id::<DmId>(), DmId::from_bits(0));
    }

    proptest! {
        #[test]
        fn digits_are_those_of_generated_ids(bits: u128) {
            let digits = String::from_utf8(digits(bits).to_vec()).expect("digits");
            prop_assert_eq!(MessageId::from_bits(bits).to_string(), format!("msg_{digits}"));
        }

        #[test]
        fn a_pair_is_mapped_as_its_two_texts_with_a_colon(first in ".{0,40}", second in ".{0,40}") {
            prop_assert_eq!(native_pair_id::<DmId>(&first, &second), native_id::<DmId>(&format!("{first}:{second}")));
        }

        #[test]
        fn different_texts_get_different_ids(one in ".{0,70}", other in ".{0,70}") {
            let (a, b): (MessageId, MessageId) = (native_id(&one), native_id(&other));
            prop_assert_eq!(one == other, a == b);
        }

        #[test]
        fn a_text_is_in_the_id_or_must_be_preserved(text in "[a-z_:-]{0,70}") {
            let id: ChannelId = native_id(&text);
            prop_assert_eq!(unrecoverable_text(text.clone(), &id).unwrap_or_else(|| foreign_text(&id).to_owned()), text);
        }
    }

    #[test]
    fn a_foreign_author_id_can_be_recovered() {
        let author = foreign_author("tkr", AuthorType::Agent, "phil:2", "");
        assert_eq!((author.id.as_deref(), author.name.as_str()), (Some("tkr:phil:2"), "phil:2"));
        assert_eq!((foreign_author_id("tkr", &author), foreign_author_id("caco", &author)), ("phil:2", "tkr:phil:2"));
        assert_eq!(author.member_id(), None);
    }

    #[test]
    fn a_foreign_author_is_never_a_member() {
        assert_eq!(foreign_author("tkr", AuthorType::Agent, "agt_1", "").member_id(), None);
    }
}
