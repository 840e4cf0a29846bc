//! The file name of a download, in a header that may hold ASCII only (RFC 6266, RFC 8187).

/// Tells a browser to save the content under this name, never to show it.
pub(super) fn attachment(filename: &str) -> String {
    let encoded: String = filename.bytes().map(encode).collect();
    format!("attachment; filename*=UTF-8''{encoded}")
}

fn encode(byte: u8) -> String {
    let is_plain = byte.is_ascii_alphanumeric() || b"!#$&+-.^_`|~".contains(&byte);
    if is_plain { char::from(byte).to_string() } else { format!("%{byte:02X}") }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn names_are_encoded_byte_by_byte() {
        assert_eq!(attachment("Übersicht 1.pdf"), "attachment; filename*=UTF-8''%C3%9Cbersicht%201.pdf");
    }

    proptest! {
        #[test]
        fn no_name_breaks_out_of_its_place(filename in ".*") {
            let header = attachment(&filename);
            let value = header.strip_prefix("attachment; filename*=UTF-8''").expect("start");
            prop_assert!(value.bytes().all(|byte| byte.is_ascii_graphic() && !b"\"\\;,'()<>@".contains(&byte)));
        }
    }
}
