//! Outputs: what Caco shows beside a message, named in its text by `[output:id]`.

/// A piece of a text with outputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutputPart<'a> {
    /// Text between outputs, never empty.
    Text(&'a str),
    /// An output is to stand here; this is its id.
    Output(&'a str),
}

/// The name that Caco gives an output: `out_<milliseconds>_<six digits of base 36>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutputName<'a> {
    /// The whole name.
    pub name: &'a str,
    /// When it was made, in milliseconds since 1970.
    pub made_at_ms: u64,
    /// What tells it from others of that moment.
    pub tail: &'a str,
}

/// What a file of the outputs folder holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutputFile {
    /// What is known of the output (`.meta.json`).
    Metadata,
    /// An embed (`.json`).
    Json,
    /// An image in base64 (`.b64`).
    Base64,
    /// Text or a page (`.txt`).
    Text,
}

const MARK: &str = "[output:";
/// The greatest milliseconds of a name have this many digits; a longer number is no time.
const TIME_DIGITS: usize = 15;
const TAIL_DIGITS: usize = 6;

/// Takes a text apart at its markers; together the parts are the whole text. What only looks like a marker stays text.
pub fn output_parts(text: &str) -> Vec<OutputPart<'_>> {
    let (mut parts, mut begun, mut looked) = (Vec::new(), 0, 0);
    while let Some(found) = text[looked..].find(MARK) {
        let start = looked + found;
        let id = marked_id(&text[start + MARK.len()..]);
        looked = start + MARK.len() + id.len();
        if id.is_empty() || !text[looked..].starts_with(']') {
            continue;
        }
        push_text(&mut parts, &text[begun..start]);
        parts.push(OutputPart::Output(id));
        looked += 1;
        begun = looked;
    }
    push_text(&mut parts, &text[begun..]);
    parts
}

/// The marker that stands for an output in a text.
pub fn output_marker(id: &str) -> String {
    [MARK, id, "]"].concat()
}

/// Reads the name of an output.
pub fn parse_output_name(name: &str) -> Option<OutputName<'_>> {
    let (time, tail) = name.strip_prefix("out_")?.split_once('_')?;
    let is_time = (1..=TIME_DIGITS).contains(&time.len()) && time.bytes().all(|byte| byte.is_ascii_digit());
    let is_tail = tail.len() == TAIL_DIGITS && tail.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'z'));
    (is_time && is_tail).then(|| Some(OutputName { name, made_at_ms: time.parse().ok()?, tail })).flatten()
}

/// Reads the name of a file in the outputs folder. A name that leads anywhere else is none.
pub fn parse_output_file(file_name: &str) -> Option<(OutputName<'_>, OutputFile)> {
    let (name, extension) = file_name.split_once('.')?;
    let file = match extension {
        "meta.json" => OutputFile::Metadata,
        "json" => OutputFile::Json,
        "b64" => OutputFile::Base64,
        "txt" => OutputFile::Text,
        _ => return None,
    };
    Some((parse_output_name(name)?, file))
}

/// What of a text can be the id in a marker.
fn marked_id(text: &str) -> &str {
    let is_id = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
    let end = text.bytes().position(|byte| !is_id(byte)).unwrap_or(text.len());
    &text[..end]
}

fn push_text<'a>(parts: &mut Vec<OutputPart<'a>>, text: &'a str) {
    if !text.is_empty() {
        parts.push(OutputPart::Text(text));
    }
}
