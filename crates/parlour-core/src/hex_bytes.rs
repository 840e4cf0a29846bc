//! The serialised form of hashes: lower-case hexadecimal text. Use it with `#[serde(with = "crate::hex_bytes")]`.

use serde::{Deserialize, Deserializer, Serializer, de};

/// Writes the bytes as hexadecimal text.
pub(crate) fn serialize<S: Serializer, const LEN: usize>(bytes: &[u8; LEN], output: S) -> Result<S::Ok, S::Error> {
    let text: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    output.serialize_str(&text)
}

/// Reads exactly `LEN` bytes of lower-case hexadecimal text.
pub(crate) fn deserialize<'de, D: Deserializer<'de>, const LEN: usize>(input: D) -> Result<[u8; LEN], D::Error> {
    let text = String::deserialize(input)?;
    let refuse = || de::Error::custom(format_args!("expected {} lower-case hexadecimal digits", LEN * 2));
    if text.len() != LEN * 2 {
        return Err(refuse());
    }
    let mut bytes = [0; LEN];
    for (byte, digits) in bytes.iter_mut().zip(text.as_bytes().chunks_exact(2)) {
        let digit = |digit: u8| match digit {
            b'0'..=b'9' => Some(digit - b'0'),
            b'a'..=b'f' => Some(digit - b'a' + 10),
            _ => None,
        };
        let (Some(high), Some(low)) = (digit(digits[0]), digit(digits[1])) else { return Err(refuse()) };
        *byte = high << 4 | low;
    }
    Ok(bytes)
}
