//! Writes the table of embedded files as Rust. The build script is the only user; the crate compiles it for its tests.

/// What the name of a file's brotli form has more.
pub(crate) const PACKED: &str = ".br";
/// How many hexadecimal digits in a name promise that its content never changes.
const FINGERPRINT_LEN: usize = 16;
/// How much of the hash an entity tag carries: half of it, beyond any chance of a clash.
const ETAG_LEN: usize = 32;

/// One file of the build folder.
pub(crate) struct Entry {
    /// Below the build folder, with `/` between the parts.
    pub(crate) path: String,
    /// SHA-256 of the content, in hexadecimal digits.
    pub(crate) hash: String,
    /// Whether its brotli form lies beside it.
    pub(crate) is_packed: bool,
}

/// Writes `static FILES` in the order given. Contents are named below `OUT_DIR`, so no path of the building machine gets in.
pub(crate) fn render(entries: &[Entry]) -> String {
    let rows: String = entries.iter().map(render_row).collect();
    format!("static FILES: &[EmbeddedFile] = &[\n{rows}];\n")
}

fn render_row(entry: &Entry) -> String {
    let Entry { path, hash, is_packed } = entry;
    let tag = &hash[..ETAG_LEN.min(hash.len())];
    let plain = render_form(path, tag);
    let brotli = match is_packed {
        true => format!("Some({})", render_form(&format!("{path}{PACKED}"), &format!("{tag}-br"))),
        false => "None".to_owned(),
    };
    let (mime, is_immutable) = (mime_of(path), is_fingerprinted(path));
    format!(
        "    EmbeddedFile {{ path: {path:?}, mime: {mime:?}, is_immutable: {is_immutable}, plain: {plain}, brotli: {brotli} }},\n"
    )
}

fn render_form(path: &str, tag: &str) -> String {
    let quoted = format!("\"{tag}\"");
    let place = format!("/dist/{path}");
    format!("Form {{ etag: {quoted:?}, bytes: include_bytes!(concat!(env!(\"OUT_DIR\"), {place:?})) }}")
}

fn mime_of(path: &str) -> &'static str {
    match path.rsplit('.').next() {
        Some("html") => "text/html; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("json") => "application/json",
        Some("svg") => "image/svg+xml",
        Some("png") => "image/png",
        Some("woff2") => "font/woff2",
        Some("txt") => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}

/// Whether the part before the ending is a fingerprint of the content, as in `docs.45214c056edb2fd4.js`.
fn is_fingerprinted(path: &str) -> bool {
    let mark = path.rsplit('.').nth(1).unwrap_or_default();
    let is_hex = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
    mark.len() == FINGERPRINT_LEN && mark.bytes().all(is_hex)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(path: &str, is_packed: bool) -> Entry {
        Entry { path: path.to_owned(), hash: "ab".repeat(32), is_packed }
    }

    #[test]
    fn a_row_names_both_forms_with_their_own_tags() {
        let table = render(&[entry("assets/docs.js", true)]);
        assert!(table.contains(r#"etag: "\"abababababababababababababababab\"""#), "{table}");
        assert!(table.contains(r#"etag: "\"abababababababababababababababab-br\"""#), "{table}");
        assert!(table.contains(r#"env!("OUT_DIR"), "/dist/assets/docs.js.br")"#), "{table}");
    }

    #[test]
    fn a_file_without_a_brotli_form_is_embedded_as_it_is() {
        let table = render(&[entry("assets/photo.png", false)]);
        assert!(table.contains("brotli: None"), "{table}");
        assert!(table.contains(r#"mime: "image/png""#), "{table}");
    }

    #[test]
    fn an_empty_build_folder_gives_an_empty_table() {
        assert_eq!(render(&[]), "static FILES: &[EmbeddedFile] = &[\n];\n");
    }

    #[test]
    fn every_text_says_that_it_is_utf_8() {
        for path in ["index.html", "a.css", "a.b.js", "LICENSE.txt"] {
            assert!(mime_of(path).ends_with("charset=utf-8"), "{path}");
        }
    }

    #[test]
    fn a_browser_never_guesses_at_an_unknown_ending() {
        assert_eq!(mime_of("assets/thing"), "application/octet-stream");
        assert_eq!(mime_of("assets/thing.exe"), "application/octet-stream");
    }

    #[test]
    fn only_sixteen_hexadecimal_digits_before_the_ending_are_a_fingerprint() {
        assert!(is_fingerprinted("assets/docs.45214c056edb2fd4.js"));
        for path in [
            "index.html",
            "assets/swagger-ui-bundle.js.LICENSE.txt",
            "assets/docs.45214C056EDB2FD4.js",
            "assets/docs.45214c056edb2fd.js",
            "assets/docs.45214c056edb2fd4",
            "45214c056edb2fd4",
            "",
        ] {
            assert!(!is_fingerprinted(path), "{path}");
        }
    }
}
