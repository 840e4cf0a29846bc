//! Preserves how a foreign form differs from the canonical one.
//!
//! A dialect encodes a message in its canonical form. When it decodes a form that differs (another spelling, an
//! unknown field, a missing field), it stores the differences in the metadata under its name, and applies them when
//! the message is encoded again.

use parlour_core::{Refusal, message::Message};
use serde_json::{Map, Value};

use crate::{
    DecodeContext, extras,
    json::{Json, Object},
};

/// The key of the list of canonical fields that a form does not have.
pub(crate) const ABSENT: &str = "absent";

/// Decodes and encodes the forms of a dialect with their deviations.
pub(crate) struct FormCodec {
    /// The key in the metadata.
    pub(crate) dialect: &'static str,
    /// Fields that are always canonical, so that metadata cannot change them.
    pub(crate) fixed_fields: &'static [&'static str],
    /// Decodes a form without extras.
    pub(crate) decode: fn(&Object<'_>, &DecodeContext) -> Result<Message, Refusal>,
    /// Puts extras into a form; false if the form has no place for them.
    pub(crate) put_extras: for<'a> fn(&mut Object<'a>, Object<'a>) -> bool,
}

impl FormCodec {
    /// The differences between a form and the canonical form of its message, or none.
    pub(crate) fn deviations(&self, form: &Object<'_>, canonical: &Object<'_>) -> Option<Value> {
        let (mut own, mut absent) = (Map::new(), Vec::new());
        // Both are sorted by name, so they are compared in one pass.
        let mut canonical = canonical.iter().peekable();
        for (name, value) in form.iter() {
            while let Some((before, _)) = canonical.next_if(|(canonical, _)| *canonical != name && *canonical < name) {
                absent.push(Value::from(before));
            }
            let encoded = canonical.next_if(|(canonical, _)| *canonical == name);
            if encoded.is_none_or(|(_, encoded)| encoded != value) && !self.fixed_fields.contains(&name) {
                own.insert(name.to_owned(), value.clone().into_value());
            }
        }
        absent.extend(canonical.map(|(name, _)| Value::from(name)));
        if !absent.is_empty() {
            own.insert(ABSENT.to_owned(), absent.into());
        }
        (!own.is_empty()).then_some(Value::Object(own))
    }

    pub(crate) fn preserve(&self, message: &mut Message, own: Option<Value>) {
        if let Some(own) = own {
            message.metadata.insert(self.dialect.to_owned(), own);
        }
    }

    /// Encodes a message: the canonical form with the preserved deviations and the extras.
    ///
    /// `canonical` receives the deviations, because they can make canonical fields unnecessary. Deviations that cannot
    /// be decoded are dropped: anybody can write metadata.
    pub(crate) fn encode<'a>(
        &self,
        message: &'a Message,
        canonical: impl Fn(Option<&Object<'a>>) -> Object<'a>,
    ) -> Object<'a> {
        let own = message.metadata.get(self.dialect).and_then(Value::as_object).map(Object::of);
        let encoded = own.and_then(|own| self.with_extras(message, self.overlay(canonical(Some(&own)), own)));
        let encoded = encoded.or_else(|| self.with_extras(message, canonical(None)));
        encoded.expect("a canonical form can be decoded and has a place for extras")
    }

    fn overlay<'a>(&self, mut form: Object<'a>, mut own: Object<'a>) -> Object<'a> {
        let absent = own.take(ABSENT);
        let is_free = |name: &str| !self.fixed_fields.contains(&name) && name != extras::KEY;
        for (name, value) in own.into_iter().filter(|(name, _)| is_free(name)) {
            form.set(name, value);
        }
        let absent = absent.as_ref().and_then(Json::as_list).unwrap_or_default();
        for name in absent.iter().filter_map(Json::as_str).filter(|name| is_free(name)) {
            form.take(name);
        }
        form
    }

    /// Adds the extras; none if the form cannot be decoded or has no place for them.
    fn with_extras<'a>(&self, message: &'a Message, mut form: Object<'a>) -> Option<Object<'a>> {
        // Another time than that of the message, so that the extras of a form without a time contain it.
        let decode_context = DecodeContext::history(message.created_at.plus_millis(1));
        let decoded = (self.decode)(&form, &decode_context).ok()?;
        let is_whole = match extras::extras_of(message, &decoded) {
            None => true,
            Some(extras) => (self.put_extras)(&mut form, extras),
        };
        is_whole.then_some(form)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const CODEC: FormCodec = FormCodec {
        dialect: "x",
        fixed_fields: &["body"],
        decode: |_, decode_context| Ok(crate::Item::signal("x", Value::Null, decode_context.now).message),
        put_extras: |_, _| false,
    };

    fn object(value: Value) -> Object<'static> {
        Object::read(value.into(), "a form").expect("an object")
    }

    fn deviations(form: Value) -> Option<Value> {
        CODEC.deviations(&object(form), &object(json!({"a": 1, "b": 2, "c": 3})))
    }

    #[test]
    fn deviations_contain_only_differences() {
        assert_eq!(deviations(json!({"a": 1, "b": 2, "c": 3, "body": "encoded"})), None);
        assert_eq!(
            deviations(json!({"a": 1, "b": "2", "d": null})),
            Some(json!({"b": "2", "d": null, "absent": ["c"]}))
        );
        assert_eq!(deviations(json!({"b": 2})), Some(json!({"absent": ["a", "c"]})));
    }

    #[test]
    fn deviations_replace_canonical_fields_except_fixed_ones() {
        let canonical = object(json!({"a": 1, "body": "encoded"}));
        let own = json!({"a": 2, "b": 3, "body": "forged", "parlour": {}, "absent": ["body", "c", 5]});
        assert_eq!(
            Value::Object(CODEC.overlay(canonical, object(own)).into_map()),
            json!({"a": 2, "b": 3, "body": "encoded"})
        );
    }
}
