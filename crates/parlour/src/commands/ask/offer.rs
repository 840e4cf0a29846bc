//! The answers that a question offers, as they are typed.

use std::{fs::File, io::Read, path::Path};

use parlour_core::{limits, question::AnswerOption};
use serde_json::Value;

use crate::failure::Failure;

/// `yes`, or `yes=Ship it`.
pub(super) fn option(text: &str) -> Result<AnswerOption, String> {
    let (id, label) = text.split_once('=').unwrap_or((text, text));
    if id.trim().is_empty() || label.trim().is_empty() {
        return Err("an option is ID or ID=LABEL, for example yes='Ship it'".to_owned());
    }
    Ok(AnswerOption { id: id.trim().to_owned(), label: label.trim().to_owned(), description: None })
}

/// The default as the hub wants it: a value where there is a schema, otherwise the text itself.
pub(super) fn default(text: &str, has_schema: bool) -> Result<Value, Failure> {
    if !has_schema {
        return Ok(Value::String(text.to_owned()));
    }
    serde_json::from_str(text).map_err(|error| {
        Failure::usage(format!("--default is no JSON: {error}")).hint("a text stands in quotation marks: '\"later\"'")
    })
}

/// The JSON Schema in a file.
pub(super) fn read_schema(path: &Path) -> Result<Value, Failure> {
    let doing = format!("read {}", path.display());
    let mut text = String::new();
    // One byte more than a schema may have: enough for the hub to refuse it, and never endless.
    let bytes_max = limits::ANSWER_SCHEMA_BYTES_MAX as u64 * 4;
    let file = File::open(path).map_err(|error| Failure::broken(&doing, &error))?;
    file.take(bytes_max).read_to_string(&mut text).map_err(|error| Failure::broken(&doing, &error))?;
    serde_json::from_str(&text).map_err(|error| Failure::usage(format!("{} is no JSON: {error}", path.display())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_option_has_an_id_and_perhaps_a_label() {
        let pair = |text| option(text).map(|option| (option.id, option.label));
        assert_eq!(pair("yes"), Ok(("yes".to_owned(), "yes".to_owned())));
        assert_eq!(pair("a = b=c "), Ok(("a".to_owned(), "b=c".to_owned())));
        for text in ["", "=x", "x=", " = "] {
            assert!(option(text).is_err(), "{text:?}");
        }
    }

    #[test]
    fn a_default_is_json_only_where_there_is_a_schema() {
        assert_eq!(default("7", false), Ok(Value::from("7")));
        assert_eq!(default("7", true), Ok(Value::from(7)));
        let failure = default("later", true).expect_err("no JSON").to_string();
        assert!(failure.contains("--default is no JSON") && failure.contains("quotation marks"), "{failure}");
    }
}
