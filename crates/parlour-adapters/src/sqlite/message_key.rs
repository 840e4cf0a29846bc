//! The storage of message ids: a generated id as 16 bytes, any other as text.

use parlour_core::id::MessageId;
use rusqlite::{
    ToSql,
    types::{FromSql, FromSqlError, FromSqlResult, ToSqlOutput, Value, ValueRef},
};

/// The digits of generated ids, by value.
const DIGITS: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/// A message id as a parameter.
pub(super) struct MessageKey<'id>(pub(super) &'id MessageId);

/// A message id read from a column.
pub(super) struct StoredMessageId(pub(super) MessageId);

impl ToSql for MessageKey<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(match bits(self.0) {
            Some(bits) => ToSqlOutput::Owned(Value::Blob(bits.to_be_bytes().to_vec())),
            None => self.0.as_str().into(),
        })
    }
}

impl FromSql for StoredMessageId {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        let id = match value {
            ValueRef::Blob(bytes) => {
                let bytes: [u8; 16] = bytes.try_into().map_err(FromSqlError::other)?;
                MessageId::from_bits(u128::from_be_bytes(bytes))
            }
            text => text.as_str()?.parse().map_err(FromSqlError::other)?,
        };
        Ok(Self(id))
    }
}

/// The 128 bits of a generated id; `None` for other ids.
fn bits(id: &MessageId) -> Option<u128> {
    let digits = id.as_str().as_bytes().strip_prefix(b"msg_").filter(|digits| digits.len() == 26)?;
    // 26 digits encode 130 bits: the first digit must leave two bits unused.
    let mut bits = value(digits[0]).filter(|first| *first < 8)?;
    for digit in &digits[1..] {
        bits = bits << 5 | value(*digit)?;
    }
    Some(bits)
}

fn value(digit: u8) -> Option<u128> {
    DIGITS.iter().position(|one| *one == digit).map(|value| value as u128)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rusqlite::Connection;

    use super::*;

    fn stored(id: &MessageId) -> (MessageId, String) {
        let db = Connection::open_in_memory().expect("memory");
        db.query_row("SELECT ?1, typeof(?1)", [MessageKey(id)], |row| {
            Ok((row.get::<_, StoredMessageId>(0)?.0, row.get(1)?))
        })
        .expect("row")
    }

    #[test]
    fn ids_that_only_look_generated_stay_text() {
        for tail in ["8ZZZZZZZZZZZZZZZZZZZZZZZZZ", "0000000000000000000000000u", "000000000000000000000000I1", "x"] {
            let id: MessageId = format!("msg_{tail}").parse().expect("id");
            assert_eq!(stored(&id), (id.clone(), "text".to_owned()), "{tail}");
        }
    }

    proptest! {
        #[test]
        fn generated_ids_round_trip_as_16_bytes(bits: u128) {
            let id = MessageId::from_bits(bits);
            prop_assert_eq!(stored(&id), (id.clone(), "blob".to_owned()));
        }

        #[test]
        fn other_ids_round_trip(tail in "[A-Za-z0-9_-]{1,60}") {
            let id: MessageId = format!("msg_{tail}").parse().expect("id");
            prop_assert_eq!(stored(&id).0, id);
        }
    }
}
