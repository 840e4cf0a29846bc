//! What a tool is about to do, in one line.

use serde_json::Value;

use super::cut::{cut_end, cut_start};

/// Characters of what is shown of a tool's input.
const DETAIL_CHARS_MAX: usize = 60;
/// Characters of the name of a tool.
const NAME_CHARS_MAX: usize = 60;
/// The fields in which known tools say what they are about, the most telling first.
const TELLING: [&str; 6] = ["command", "url", "query", "pattern", "description", "prompt"];

/// The name of a tool and what it is given, in one short line: `Bash: cargo test`.
///
/// Of a path the end is shown, of everything else the beginning. A tool whose input has no field that tells what it is
/// about is shown with its whole input as JSON, cut.
pub fn tool_preview(name: &str, input: &Value) -> String {
    let name = cut_end(name, NAME_CHARS_MAX);
    match detail(input) {
        Some(detail) => format!("{name}: {detail}"),
        None => name,
    }
}

fn detail(input: &Value) -> Option<String> {
    let text = |field: &str| input.get(field).and_then(Value::as_str).filter(|text| !text.trim().is_empty());
    if let Some(path) = text("file_path").or_else(|| text("notebook_path")) {
        return Some(cut_start(path, DETAIL_CHARS_MAX));
    }
    let telling = TELLING.iter().find_map(|field| Some((*field, text(field)?)));
    match (telling, text("path")) {
        (Some(("pattern", pattern)), Some(path)) => {
            let half = DETAIL_CHARS_MAX / 2;
            Some(format!("{} in {}", cut_end(pattern, half), cut_start(path, half - 4)))
        }
        (Some((_, told)), _) => Some(cut_end(told, DETAIL_CHARS_MAX)),
        (None, Some(path)) => Some(cut_start(path, DETAIL_CHARS_MAX)),
        (None, None) => whole(input),
    }
}

fn whole(input: &Value) -> Option<String> {
    let is_empty = match input {
        Value::Null => true,
        Value::Object(fields) => fields.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::String(text) => text.trim().is_empty(),
        _ => false,
    };
    (!is_empty).then(|| cut_end(&input.to_string(), DETAIL_CHARS_MAX))
}
