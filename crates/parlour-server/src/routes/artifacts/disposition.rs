//! The file name of a download, in a header that may hold ASCII only (RFC 6266, RFC 8187).

/// What a browser may do with a content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Use {
    /// Show it in a page: it holds pixels and nothing that acts.
    Show,
    /// Save it; whoever opens it all the same gets it without scripts, requests and forms.
    Save,
}

/// Pictures that hold nothing but pixels. SVG is not among them: it can hold scripts.
const RASTER_IMAGES: [&str; 5] = ["image/png", "image/jpeg", "image/gif", "image/webp", "image/avif"];

impl Use {
    /// What may be done with a content of this media type. Browsers do not guess another one (`nosniff`), so a page
    /// that calls itself a picture is a broken picture.
    pub(super) fn of(media_type: &str) -> Self {
        let essence = media_type.split(';').next().unwrap_or_default().trim_end();
        let is_raster = RASTER_IMAGES.iter().any(|raster| essence.eq_ignore_ascii_case(raster));
        if is_raster { Self::Show } else { Self::Save }
    }

    /// The header that says so, with the name to save the content under.
    pub(super) fn disposition(self, filename: &str) -> String {
        let word = if self == Self::Show { "inline" } else { "attachment" };
        let encoded: String = filename.bytes().map(encode).collect();
        format!("{word}; filename*=UTF-8''{encoded}")
    }

    /// The content security policy.
    pub(super) fn policy(self) -> &'static str {
        match self {
            Self::Show => "default-src 'none'",
            Self::Save => "sandbox; default-src 'none'",
        }
    }
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
        let header = Use::Save.disposition("Übersicht 1.pdf");
        assert_eq!(header, "attachment; filename*=UTF-8''%C3%9Cbersicht%201.pdf");
    }

    #[test]
    fn only_pictures_made_of_pixels_are_shown() {
        for shown in ["image/png", "IMAGE/PNG", "image/jpeg; q=1", "image/webp ;x"] {
            assert_eq!(Use::of(shown), Use::Show, "{shown}");
        }
        for saved in
            ["image/svg+xml", "text/html", "image/png+xml", "image/", "image/pngx", "", "x; image/png", "a,image/png"]
        {
            assert_eq!(Use::of(saved), Use::Save, "{saved}");
        }
    }

    proptest! {
        #[test]
        fn no_name_breaks_out_of_its_place(filename in ".*") {
            let header = Use::Save.disposition(&filename);
            let value = header.strip_prefix("attachment; filename*=UTF-8''").expect("start");
            prop_assert!(value.bytes().all(|byte| byte.is_ascii_graphic() && !b"\"\\;,'()<>@".contains(&byte)));
        }
    }
}
