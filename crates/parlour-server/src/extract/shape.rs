//! Turning a reader's complaint about a value into a refusal that names the field.

use parlour_core::{Code, Refusal};

use super::cut;

const UNKNOWN_FIELD: &str = "unknown field `";
const MISSING_FIELD: &str = "missing field `";

/// Refuses a body that does not fit; `path` is where the reader stood, `complaint` what it said.
pub(super) fn refuse(path: &str, complaint: &str) -> Refusal {
    let code = if complaint.starts_with(UNKNOWN_FIELD) { Code::UnknownField } else { Code::WrongShape };
    let refusal = Refusal::new(code, cut(complaint));
    field_of(path, complaint).into_iter().fold(refusal, |refusal, field| refusal.at(&field))
}

/// The path of the field that a complaint is about. Readers stand beside unknown and missing fields, not on them.
pub(super) fn field_of(path: &str, complaint: &str) -> Option<String> {
    let parent = Some(path).filter(|path| !matches!(*path, "." | "?" | ""));
    let child = [UNKNOWN_FIELD, MISSING_FIELD].iter().find_map(|start| quoted_after(start, complaint));
    match (parent, child) {
        // Some readers stand on the unknown field already.
        (Some(parent), Some(child)) if ends_with_step(parent, child) => Some(cut(parent)),
        (Some(parent), Some(child)) => Some(cut(&format!("{parent}.{child}"))),
        (Some(only), None) | (None, Some(only)) => Some(cut(only)),
        (None, None) => None,
    }
}

fn ends_with_step(path: &str, step: &str) -> bool {
    path.strip_suffix(step).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
}

fn quoted_after<'a>(start: &str, complaint: &'a str) -> Option<&'a str> {
    let rest = complaint.strip_prefix(start)?;
    let end = rest.find("`, ").or_else(|| rest.rfind('`'))?;
    Some(&rest[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_and_missing_fields_are_named_with_their_path() {
        for (path, complaint, field) in [
            (".", "unknown field `nmae`, expected one of `name`, `topic`", "nmae"),
            ("nmae", "unknown field `nmae`, expected `name`", "nmae"),
            ("context", "unknown field `x`, there are no fields", "context.x"),
            ("context.x", "unknown field `x`, there are no fields", "context.x"),
            (".", "missing field `name` at line 1 column 2", "name"),
            ("attachments[0]", "missing field `size`", "attachments[0].size"),
            ("limit", "\"x\" is no whole number", "limit"),
        ] {
            assert_eq!(field_of(path, complaint).as_deref(), Some(field), "{complaint}");
        }
        assert_eq!(field_of(".", "invalid type: null"), None);
    }

    #[test]
    fn a_long_complaint_is_cut() {
        let refusal = refuse(&"a".repeat(9_000), &format!("unknown field `{}`, expected `b`", "é".repeat(9_000)));
        assert!(refusal.detail.len() + refusal.field.unwrap_or_default().len() < 2_000);
        assert_eq!(refusal.code, Code::UnknownField);
    }
}
