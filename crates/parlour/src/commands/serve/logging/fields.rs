use std::fmt::{self, Debug, Write as _};

use serde_json::Value;
use tracing::field::{Field, Visit};

/// Characters of one value; a longer one is cut.
const VALUE_CHARS_MAX: usize = 2_000;
/// What a value that was cut ends with.
const CUT: char = '…';

/// The fields of an event or of a span, in the order in which they were given.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Fields(Vec<(&'static str, Value)>);

impl Fields {
    /// Sets a field; one that is there already gets the new value.
    pub(super) fn set(&mut self, name: &'static str, value: Value) {
        match self.0.iter_mut().find(|(known, _)| *known == name) {
            Some((_, known)) => *known = value,
            None => self.0.push((name, value)),
        }
    }

    /// Takes a field out.
    pub(super) fn take(&mut self, name: &str) -> Option<Value> {
        let place = self.0.iter().position(|(known, _)| *known == name)?;
        Some(self.0.remove(place).1)
    }

    /// Adds those of others; they go before the own ones.
    pub(super) fn extend(&mut self, others: Self) {
        others.0.into_iter().for_each(|(name, value)| self.set(name, value));
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&'static str, &Value)> {
        self.0.iter().map(|(name, value)| (*name, value))
    }
}

impl Visit for Fields {
    fn record_f64(&mut self, field: &Field, value: f64) {
        self.set(field.name(), value.into());
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.set(field.name(), value.into());
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.set(field.name(), value.into());
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.set(field.name(), value.into());
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.record_debug(field, &format_args!("{value}"));
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        let mut cut = Cut::default();
        // It stops by an error when the value is too long: what was written so far counts.
        let _ = write!(cut, "{value:?}");
        self.set(field.name(), cut.text.into());
    }
}

/// A text that takes no more than it may.
#[derive(Default)]
struct Cut {
    text: String,
    chars: usize,
}

impl fmt::Write for Cut {
    fn write_str(&mut self, more: &str) -> fmt::Result {
        for char in more.chars() {
            if self.chars == VALUE_CHARS_MAX {
                self.text.push(CUT);
                return Err(fmt::Error);
            }
            self.text.push(char);
            self.chars += 1;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(text: &str) -> String {
        let mut cut = Cut::default();
        let _ = write!(cut, "{text}");
        cut.text
    }

    #[test]
    fn a_huge_value_is_cut() {
        let text = cut(&"ö".repeat(100_000));
        assert_eq!((text.chars().count(), text.chars().last()), (VALUE_CHARS_MAX + 1, Some(CUT)));
        assert_eq!(cut(&"x".repeat(VALUE_CHARS_MAX)).len(), VALUE_CHARS_MAX);
    }

    #[test]
    fn the_newest_value_of_a_field_counts() {
        let mut fields = Fields::default();
        fields.set("a", 1.into());
        fields.set("b", 2.into());
        fields.extend(Fields(vec![("a", 3.into())]));
        assert_eq!(fields, Fields(vec![("a", 3.into()), ("b", 2.into())]));
        assert_eq!((fields.take("a"), fields.take("c")), (Some(3.into()), None));
    }
}
