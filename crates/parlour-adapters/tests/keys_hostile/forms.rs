//! Valid tokens in another encoding.

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use parlour_core::limits;

use crate::token_forge::{TokenForge, encode};

#[tokio::test]
async fn any_other_encoding_of_a_token_is_refused() {
    let forge = TokenForge::new().await;
    let good = &forge.good;
    let [head, claims, signature] = *good.split('.').collect::<Vec<_>>() else { panic!("three parts") };
    let other = forge.other.secret.as_deref().expect("a token");
    let other: Vec<_> = other.split('.').collect();
    let padded = |part: &str| format!("{part}{}", "=".repeat((4 - part.len() % 4) % 4));
    for (token, why) in [
        (format!("{claims}.{head}.{signature}"), "swapped parts"),
        (format!("{head}.{signature}.{claims}"), "swapped parts"),
        (format!("{head}.{}.{signature}", other[1]), "claims of another token"),
        (format!("{head}.{claims}.{}", other[2]), "signature of another token"),
        (format!("{head}.{claims}."), "no signature"),
        (format!("{head}.{claims}"), "two parts"),
        (format!("{good}."), "a dot behind"),
        (format!(".{good}"), "a dot in front"),
        (format!("{head}..{claims}.{signature}"), "an empty part"),
        (format!("{good}.{signature}.{signature}"), "five parts"),
        (format!("{head}\u{ff0e}{claims}\u{ff0e}{signature}"), "dots of another script"),
        (format!("{}.{}.{}", padded(head), padded(claims), padded(signature)), "padding"),
        (format!("{head}.{claims}.{}=", signature), "padding of the signature"),
        (format!(" {good}"), "a blank in front"),
        (format!("{good} "), "a blank behind"),
        (format!("{good}\r\n"), "a line break behind"),
        (format!("{head}.{claims}.\n{signature}"), "a line break within"),
        (format!("{good}\0"), "a NUL behind"),
        (format!("{good}\u{200b}"), "a zero-width blank behind"),
        (format!("\u{202e}{good}"), "another direction"),
        (format!("Bearer {good}"), "the name of the scheme"),
        (good.to_uppercase(), "upper case"),
        (good.to_lowercase(), "lower case"),
        (good[1..].to_owned(), "without its first character"),
        (good[..good.len() - 1].to_owned(), "without its last character"),
        (good[..good.len() / 2].to_owned(), "half of it"),
        (format!("{good}{good}"), "twice"),
        (format!("{head}.{claims}.{}", with_unused_bits(signature)), "a signature with loose bits"),
        (format!("{head}.{claims}.{}", malleable(&forge, signature)), "the other form of the signature"),
        (format!("{head}.{claims}.{}", encode([0; 64])), "a signature of zeros"),
        (format!("{head}.{claims}.{}", encode([0xff; 64])), "a signature of ones"),
        (format!("{head}.{claims}.{}", "A".repeat(limits::TOKEN_CHARS_MAX)), "too long"),
        (format!("{head}.{}.{signature}", "A".repeat(1_000_000)), "much too long"),
        (".".repeat(limits::TOKEN_CHARS_MAX), "dots"),
        ("..".to_owned(), "two dots"),
        (String::new(), "nothing"),
    ] {
        forge.assert_refused(&token, why).await;
    }
}

/// Another encoding of the same bytes: the last character of a signature has unused bits.
fn with_unused_bits(signature: &str) -> String {
    const DIGITS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let (start, last) = signature.split_at(signature.len() - 1);
    let index = DIGITS.find(last).expect("a digit");
    format!("{start}{}", &DIGITS[index + 1..index + 2])
}

/// A malleable form of the signature: its second half plus the order of the group, which lax verifiers accept.
fn malleable(forge: &TokenForge, signature: &str) -> String {
    const ORDER: [u8; 32] = [
        0xed, 0xd3, 0xf5, 0x5c, 0x1a, 0x63, 0x12, 0x58, 0xd6, 0x9c, 0xf7, 0xa2, 0xde, 0xf9, 0xde, 0x14, 0, 0, 0, 0, 0,
        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x10,
    ];
    let mut bytes = URL_SAFE_NO_PAD.decode(signature).expect("base64");
    let mut carry = 0;
    for (byte, order) in bytes[32..].iter_mut().zip(ORDER) {
        let sum = u16::from(*byte) + u16::from(order) + carry;
        (*byte, carry) = (sum.to_le_bytes()[0], sum >> 8);
    }
    assert_eq!((bytes.len(), carry), (64, 0), "{}", forge.good);
    encode(bytes)
}
