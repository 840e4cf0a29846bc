//! Values as JSON has them or as a hash of Redis does, where everything is a text. `null` counts as absent.

use std::borrow::Cow;

use parlour_core::Refusal;
use serde_json::{Map, Value};

use crate::json::{Json, Object, wrong};

/// The fields of a message.
pub(super) type Form<'a> = Object<'a>;

pub(super) fn any<'f, 'a>(form: &'f Form<'a>, name: &str) -> Option<&'f Json<'a>> {
    form.get(name).filter(|value| !value.is_null())
}

pub(super) fn text<'f>(form: &'f Form<'_>, name: &str) -> Result<Option<&'f str>, Refusal> {
    let Some(value) = any(form, name) else { return Ok(None) };
    value.as_str().map(Some).ok_or_else(|| wrong(name, "a text", value))
}

/// A whole number, or the text of one.
pub(super) fn whole(form: &Form<'_>, name: &str) -> Result<Option<i64>, Refusal> {
    let Some(value) = any(form, name) else { return Ok(None) };
    let number = match value {
        Json::Text(text) => text.parse().ok(),
        Json::Number(number) => number.as_i64(),
        _ => None,
    };
    number.map(Some).ok_or_else(|| wrong(name, "a whole number", value))
}

/// A truth: itself, 0 or 1, or the text of one.
pub(super) fn truth(form: &Form<'_>, name: &str) -> Result<Option<bool>, Refusal> {
    let Some(value) = any(form, name) else { return Ok(None) };
    let is_so = match value {
        Json::Bool(is_so) => Some(*is_so),
        Json::Number(number) => {
            number.as_u64().and_then(|number| [false, true].get(usize::try_from(number).ok()?).copied())
        }
        Json::Text(text) => match text.as_ref() {
            "true" | "True" | "1" => Some(true),
            "false" | "False" | "0" | "" => Some(false),
            _ => None,
        },
        _ => None,
    };
    is_so.map(Some).ok_or_else(|| wrong(name, "true or false", value))
}

/// A list of texts: itself, its JSON, or the texts with commas between them.
pub(super) fn texts<'f>(form: &'f Form<'_>, name: &str) -> Result<Option<Vec<Cow<'f, str>>>, Refusal> {
    let Some(value) = any(form, name) else { return Ok(None) };
    match value {
        Json::List(items) => {
            let item = |(place, item): (usize, &'f Json<'_>)| {
                let refuse = || wrong(&format!("{name}[{place}]"), "a text", item);
                item.as_str().map(Cow::Borrowed).ok_or_else(refuse)
            };
            items.iter().enumerate().map(item).collect::<Result<_, _>>().map(Some)
        }
        Json::Text(text) if text.starts_with('[') => {
            let items: Vec<String> = serde_json::from_str(text).map_err(|_| wrong(name, "a list of texts", value))?;
            Ok(Some(items.into_iter().map(Cow::Owned).collect()))
        }
        Json::Text(text) if text.is_empty() => Ok(Some(Vec::new())),
        Json::Text(text) => Ok(Some(text.split(',').map(Cow::Borrowed).collect())),
        other => Err(wrong(name, "a list of texts", other)),
    }
}

/// An object: itself, or its JSON.
pub(super) fn object<'f, 'a>(form: &'f Form<'a>, name: &str) -> Result<Option<Cow<'f, Form<'a>>>, Refusal> {
    match any(form, name) {
        None => Ok(None),
        Some(Json::Object(object)) => Ok(Some(Cow::Borrowed(object))),
        Some(value) => {
            let text = value.as_str().ok_or_else(|| wrong(name, "an object", value))?;
            let object: Map<String, Value> = serde_json::from_str(text).map_err(|_| wrong(name, "an object", value))?;
            Ok(Some(Cow::Owned(object.into())))
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn form(value: Value) -> Form<'static> {
        Map::from_iter([("x".to_owned(), value)]).into()
    }

    #[test]
    fn a_truth_has_many_spellings() {
        for (value, is_so) in [(json!(true), true), (json!("True"), true), (json!("1"), true), (json!(0), false)] {
            assert_eq!(truth(&form(value), "x"), Ok(Some(is_so)));
        }
        for value in [json!("yes"), json!(2), json!([]), json!(-1)] {
            assert_eq!(truth(&form(value), "x").expect_err("no truth").field.as_deref(), Some("x"));
        }
    }

    #[test]
    fn a_list_has_many_spellings() {
        let texts_of = |value| texts(&form(value), "x").expect("a list").map(|list| list.join("|"));
        for value in [json!(["a", "b"]), json!("[\"a\", \"b\"]"), json!("a,b")] {
            assert_eq!(texts_of(value).as_deref(), Some("a|b"));
        }
        assert_eq!((texts_of(json!("")).as_deref(), texts_of(json!(null))), (Some(""), None));
        for (value, field) in [(json!([1]), "x[0]"), (json!("[1]"), "x"), (json!(7), "x"), (json!("[\"a\""), "x")] {
            assert_eq!(texts(&form(value), "x").expect_err("no list").field.as_deref(), Some(field));
        }
    }

    #[test]
    fn numbers_and_objects_may_be_texts() {
        assert_eq!((whole(&form(json!("12")), "x"), whole(&form(json!(-1)), "x")), (Ok(Some(12)), Ok(Some(-1))));
        assert!(whole(&form(json!("12a")), "x").is_err() && whole(&form(json!(1.5)), "x").is_err());
        assert_eq!(object(&form(json!("{\"a\":1}")), "x").expect("an object").expect("there").len(), 1);
        assert!(object(&form(json!("[]")), "x").is_err() && object(&form(json!(true)), "x").is_err());
    }
}
