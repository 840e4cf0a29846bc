//! Writes the table of embedded files as Rust. The build script is the only user; the crate compiles it for its tests.

/// The suffix of a brotli-compressed file.
pub(crate) const BROTLI_SUFFIX: &str = ".br";
/// The number of hexadecimal digits of a content hash in a file name.
const FINGERPRINT_LEN: usize = 16;
/// The number of hexadecimal digits of the hash in an entity tag.
const ETAG_LEN: usize = 32;

/// One file of the build folder.
pub(crate) struct BuildFile {
    /// Relative to the build folder, with `/` as separator.
    pub(crate) path: String,
    /// SHA-256 of the content in hexadecimal digits.
    pub(crate) hash: String,
    /// Whether a brotli-compressed file exists beside it.
    pub(crate) has_brotli: bool,
}

/// Renders `static FILES` in the given order. Paths are relative to `OUT_DIR`, so no path of the build machine is embedded.
pub(crate) fn render(entries: &[BuildFile]) -> String {
    let rows: String = entries.iter().map(render_row).collect();
    format!("static FILES: [EmbeddedFile; {}] = [\n{rows}];\n", entries.len())
}

fn render_row(entry: &BuildFile) -> String {
    let BuildFile { path, hash, has_brotli } = entry;
    let tag = &hash[..ETAG_LEN.min(hash.len())];
    let etag = format!("\"{tag}\"");
    let content = match has_brotli {
        true => format!(
            "Brotli {{ etag: {:?}, bytes: {}, gzip_etag: {:?}, gzip: OnceLock::new(), plain: OnceLock::new() }}",
            format!("\"{tag}-br\""),
            render_bytes(&format!("{path}{BROTLI_SUFFIX}")),
            format!("\"{tag}-gzip\"")
        ),
        false => format!("Plain({})", render_bytes(path)),
    };
    let (mime, is_immutable) = (mime_of(path), is_fingerprinted(path));
    format!(
        "    EmbeddedFile {{ path: {path:?}, mime: {mime:?}, is_immutable: {is_immutable}, etag: {etag:?}, content: EmbeddedContent::{content} }},\n"
    )
}

fn render_bytes(path: &str) -> String {
    format!("include_bytes!(concat!(env!(\"OUT_DIR\"), {:?}))", format!("/dist/{path}"))
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

/// Whether the file name contains a content hash before its extension, as in `docs.45214c056edb2fd4.js`.
fn is_fingerprinted(path: &str) -> bool {
    let mark = path.rsplit('.').nth(1).unwrap_or_default();
    let is_hex = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
    mark.len() == FINGERPRINT_LEN && mark.bytes().all(is_hex)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(path: &str, has_brotli: bool) -> BuildFile {
        BuildFile { path: path.to_owned(), hash: "ab".repeat(32), has_brotli }
    }

    #[test]
    fn a_row_contains_both_encodings_with_their_own_tags() {
        let table = render(&[entry("assets/docs.js", true)]);
        assert!(table.contains(r#"etag: "\"abababababababababababababababab\"""#), "{table}");
        assert!(table.contains(r#"etag: "\"abababababababababababababababab-br\"""#), "{table}");
        assert!(table.contains(r#"env!("OUT_DIR"), "/dist/assets/docs.js.br")"#), "{table}");
        assert!(!table.contains(r#""/dist/assets/docs.js""#), "only the compressed bytes are embedded: {table}");
    }

    #[test]
    fn a_file_without_brotli_is_embedded_uncompressed() {
        let table = render(&[entry("assets/photo.png", false)]);
        assert!(table.contains("EmbeddedContent::Plain(") && !table.contains(".br"), "{table}");
        assert!(table.contains(r#"mime: "image/png""#), "{table}");
    }

    #[test]
    fn an_empty_build_folder_gives_an_empty_table() {
        assert_eq!(render(&[]), "static FILES: [EmbeddedFile; 0] = [\n];\n");
    }

    #[test]
    fn text_types_have_the_charset_utf_8() {
        for path in ["index.html", "a.css", "a.b.js", "LICENSE.txt"] {
            assert!(mime_of(path).ends_with("charset=utf-8"), "{path}");
        }
    }

    #[test]
    fn unknown_file_extensions_are_octet_streams() {
        assert_eq!(mime_of("assets/thing"), "application/octet-stream");
        assert_eq!(mime_of("assets/thing.exe"), "application/octet-stream");
    }

    #[test]
    fn a_fingerprint_is_sixteen_hexadecimal_digits_before_the_extension() {
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
