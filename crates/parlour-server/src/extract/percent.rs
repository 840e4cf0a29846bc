//! Percent encoding in queries.

/// Decodes one name or value of a query; `None` when it is no UTF-8 or an escape is broken.
pub(super) fn decode(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        rest = match (first, tail) {
            (b'%', [high, low, tail @ ..]) => {
                bytes.push(digit(*high)? << 4 | digit(*low)?);
                tail
            }
            (b'%', _) => return None,
            (b'+', tail) => {
                bytes.push(b' ');
                tail
            }
            (byte, tail) => {
                bytes.push(*byte);
                tail
            }
        };
    }
    String::from_utf8(bytes).ok()
}

fn digit(byte: u8) -> Option<u8> {
    char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn escapes_and_plus_signs_are_decoded() {
        assert_eq!(decode("a+b%20c%2Bd%c3%A9").as_deref(), Some("a b c+dé"));
    }

    #[test]
    fn broken_escapes_and_broken_utf8_are_refused() {
        for text in ["%", "%4", "%zz", "%+1", "%ff", "a%c3"] {
            assert_eq!(decode(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn every_text_survives_its_encoding(text in ".*") {
            let encoded: String = text.bytes().map(|byte| format!("%{byte:02x}")).collect();
            prop_assert_eq!(decode(&encoded), Some(text));
        }
    }
}
