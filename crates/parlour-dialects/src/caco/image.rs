//! Images that come inside a message, as `data:image/png;base64,…`.

use parlour_core::{Refusal, limits};

/// An image in a data address; its bytes are not decoded yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ImageData<'a> {
    /// What it is, such as `image/png`.
    pub media_type: &'a str,
    /// The bytes in base64, checked.
    pub base64: &'a str,
    /// How many bytes that are.
    pub bytes_len: usize,
}

/// Reads a data address without copying it; refuses everything that is no image in base64, or too large.
pub fn parse_image_data(address: &str) -> Result<ImageData<'_>, Refusal> {
    let no_image = || Refusal::invalid("this must be an image as a data address: data:image/<type>;base64,<bytes>");
    let (media_type, base64) =
        address.strip_prefix("data:").and_then(|rest| rest.split_once(";base64,")).ok_or_else(no_image)?;
    let subtype = media_type.strip_prefix("image/").ok_or_else(no_image)?;
    if !is_token(subtype) {
        return Err(no_image());
    }
    let bytes_len = decoded_len(base64).ok_or_else(|| Refusal::invalid("the bytes of the image are no base64"))?;
    if bytes_len > limits::IMAGE_DATA_BYTES_MAX {
        let most = limits::IMAGE_DATA_BYTES_MAX;
        return Err(Refusal::out_of_bounds(format!("the image has {bytes_len} bytes; at most {most} are taken")));
    }
    Ok(ImageData { media_type, base64, bytes_len })
}

fn is_token(subtype: &str) -> bool {
    !subtype.is_empty() && subtype.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".+-".contains(&byte))
}

/// How many bytes a text in base64 stands for; none when it is empty or cannot be decoded.
fn decoded_len(base64: &str) -> Option<usize> {
    let digits = base64.trim_end_matches('=').as_bytes();
    let padding = base64.len() - digits.len();
    let is_whole = base64.len().is_multiple_of(4) && padding <= 2 && !digits.is_empty();
    let value = digits.iter().try_fold(0, |_, byte| digit(*byte))?;
    // The bits of the last digit that no byte needs are zero, or two texts would stand for the same bytes.
    let unused: u8 = [0, 0b11, 0b1111].get(padding).copied()?;
    (is_whole && value & unused == 0).then_some(base64.len() / 4 * 3 - padding)
}

fn digit(byte: u8) -> Option<u8> {
    match byte {
        b'A'..=b'Z' => Some(byte - b'A'),
        b'a'..=b'z' => Some(byte - b'a' + 26),
        b'0'..=b'9' => Some(byte - b'0' + 52),
        b'+' => Some(62),
        b'/' => Some(63),
        _ => None,
    }
}
