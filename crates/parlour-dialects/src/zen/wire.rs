//! The fields of zen messages. Values are JSON, or texts as in a Redis hash; `null` counts as absent.

use std::borrow::Cow;

use parlour_core::Refusal;
use serde_json::{Map, Value};

use crate::{
    fields::missing,
    json::{Json, Object, wrong_type},
};

macro_rules! form {
    ($($field:ident = $name:literal),+ $(,)?) => {
        /// The fields of a message, found in one pass because most of them are needed.
        pub(super) struct MessageFields<'f, 'a> {
            $(pub(super) $field: FormField<'f, 'a>,)+
        }

        impl<'f, 'a> MessageFields<'f, 'a> {
            pub(super) fn of(object: &'f Object<'a>) -> Self {
                let mut form = Self { $($field: FormField::absent($name),)+ };
                for (name, value) in object.iter() {
                    match name {
                        $($name => form.$field.set(value),)+
                        _ => {}
                    }
                }
                form
            }
        }
    };
}

form! {
    a = "a",
    artifacts = "artifacts",
    b = "b",
    blocking = "blocking",
    body = "body",
    channel_id = "channel_id",
    context = "context",
    correlation_id = "correlation_id",
    created_at = "created_at",
    from = "from",
    id = "id",
    importance = "importance",
    members = "members",
    mentions = "mentions",
    meta = "meta",
    project_id = "project_id",
    resolved = "resolved",
    resolved_by = "resolved_by",
    resolved_ts = "resolved_ts",
    resume_token = "resume_token",
    root = "root",
    conversation_type = "type",
    to = "to",
    ts = "ts",
}

#[derive(Clone, Copy, Debug)]
pub(super) struct FormField<'f, 'a> {
    name: &'static str,
    value: Option<&'f Json<'a>>,
}

impl<'f, 'a> FormField<'f, 'a> {
    pub(super) fn absent(name: &'static str) -> Self {
        Self { name, value: None }
    }

    pub(super) fn of(form: &'f Object<'a>, name: &'static str) -> Self {
        let mut field = Self::absent(name);
        form.get(name).into_iter().for_each(|value| field.set(value));
        field
    }

    pub(super) fn set(&mut self, value: &'f Json<'a>) {
        self.value = Some(value).filter(|value| !value.is_null());
    }

    pub(super) fn is_there(self) -> bool {
        self.value.is_some()
    }

    pub(super) fn missing(self) -> Refusal {
        missing(self.name)
    }

    pub(super) fn text(self) -> Result<Option<&'f str>, Refusal> {
        let Some(value) = self.value else { return Ok(None) };
        value.as_str().map(Some).ok_or_else(|| wrong_type(self.name, "a string", value))
    }

    pub(super) fn required_text(self) -> Result<&'f str, Refusal> {
        self.text()?.ok_or_else(|| self.missing())
    }

    pub(super) fn as_text(self) -> Option<&'f str> {
        self.value.and_then(Json::as_str)
    }

    /// A number, or its text.
    pub(super) fn whole(self) -> Result<Option<i64>, Refusal> {
        let Some(value) = self.value else { return Ok(None) };
        let number = match value {
            Json::Text(text) => text.parse().ok(),
            Json::Number(number) => number.as_i64(),
            _ => None,
        };
        number.map(Some).ok_or_else(|| wrong_type(self.name, "an integer", value))
    }

    /// A boolean, 0 or 1, or its text.
    pub(super) fn truth(self) -> Result<Option<bool>, Refusal> {
        let Some(value) = self.value else { return Ok(None) };
        let boolean = match value {
            Json::Bool(boolean) => Some(*boolean),
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
        boolean.map(Some).ok_or_else(|| wrong_type(self.name, "a boolean", value))
    }

    /// A list of texts, its JSON text, or comma-separated texts.
    pub(super) fn texts(self) -> Result<Option<Vec<Cow<'f, str>>>, Refusal> {
        let Some(value) = self.value else { return Ok(None) };
        let name = self.name;
        match value {
            Json::List(items) => {
                let item = |(index, item): (usize, &'f Json<'a>)| {
                    let refuse = || wrong_type(&format!("{name}[{index}]"), "a string", item);
                    item.as_str().map(Cow::Borrowed).ok_or_else(refuse)
                };
                items.iter().enumerate().map(item).collect::<Result<_, _>>().map(Some)
            }
            Json::Text(text) if text.starts_with('[') => {
                let items: Vec<String> =
                    serde_json::from_str(text).map_err(|_| wrong_type(name, "an array of strings", value))?;
                Ok(Some(items.into_iter().map(Cow::Owned).collect()))
            }
            Json::Text(text) if text.is_empty() => Ok(Some(Vec::new())),
            Json::Text(text) => Ok(Some(text.split(',').map(Cow::Borrowed).collect())),
            other => Err(wrong_type(name, "an array of strings", other)),
        }
    }

    /// An object, or its JSON text.
    pub(super) fn object(self) -> Result<Option<Cow<'f, Object<'a>>>, Refusal> {
        match self.value {
            None => Ok(None),
            Some(Json::Object(object)) => Ok(Some(Cow::Borrowed(object))),
            Some(value) => {
                let refuse = || wrong_type(self.name, "an object", value);
                let text = value.as_str().ok_or_else(refuse)?;
                let object: Map<String, Value> = serde_json::from_str(text).map_err(|_| refuse())?;
                Ok(Some(Cow::Owned(object.into())))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn form(value: Value) -> Object<'static> {
        Map::from_iter([("x".to_owned(), value)]).into()
    }

    #[test]
    fn a_boolean_can_be_text_or_number() {
        for (value, boolean) in [(json!(true), true), (json!("True"), true), (json!("1"), true), (json!(0), false)] {
            assert_eq!(FormField::of(&form(value), "x").truth(), Ok(Some(boolean)));
        }
        for value in [json!("yes"), json!(2), json!([]), json!(-1)] {
            assert_eq!(FormField::of(&form(value), "x").truth().expect_err("no truth").field.as_deref(), Some("x"));
        }
    }

    #[test]
    fn a_list_can_be_json_text_or_comma_separated() {
        let texts_of = |value| FormField::of(&form(value), "x").texts().expect("a list").map(|list| list.join("|"));
        for value in [json!(["a", "b"]), json!("[\"a\", \"b\"]"), json!("a,b")] {
            assert_eq!(texts_of(value).as_deref(), Some("a|b"));
        }
        assert_eq!((texts_of(json!("")).as_deref(), texts_of(json!(null))), (Some(""), None));
        for (value, field) in [(json!([1]), "x[0]"), (json!("[1]"), "x"), (json!(7), "x"), (json!("[\"a\""), "x")] {
            assert_eq!(FormField::of(&form(value), "x").texts().expect_err("no list").field.as_deref(), Some(field));
        }
    }

    #[test]
    fn numbers_and_objects_may_be_texts() {
        assert_eq!(
            (FormField::of(&form(json!("12")), "x").whole(), FormField::of(&form(json!(-1)), "x").whole()),
            (Ok(Some(12)), Ok(Some(-1)))
        );
        assert!(
            FormField::of(&form(json!("12a")), "x").whole().is_err()
                && FormField::of(&form(json!(1.5)), "x").whole().is_err()
        );
        assert_eq!(FormField::of(&form(json!("{\"a\":1}")), "x").object().expect("an object").expect("there").len(), 1);
        assert!(
            FormField::of(&form(json!("[]")), "x").object().is_err()
                && FormField::of(&form(json!(true)), "x").object().is_err()
        );
    }
}
