//! What is asked for by the address of a call: pages, filters and waits.

use serde::Serialize;

/// Which page of a list is wanted; without marks the first one of the usual size.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PageAt {
    /// How many items at the most.
    pub limit: Option<usize>,
    /// Where to go on, as a page before has said.
    pub cursor: Option<String>,
}

/// Parameters of a call; those without a value are left out.
#[derive(Clone, Debug, Default)]
pub(super) struct Query(Vec<(&'static str, String)>);

impl PageAt {
    /// The first page of at most so many items.
    pub fn first(limit: usize) -> Self {
        Self { limit: Some(limit), cursor: None }
    }
}

impl Query {
    /// The parameters of a page.
    pub(super) fn page(page: &PageAt) -> Self {
        Self::default().with("limit", page.limit).with("cursor", page.cursor.as_deref())
    }

    /// One parameter more, when it has a value.
    pub(super) fn with(mut self, name: &'static str, value: Option<impl ToString>) -> Self {
        self.0.extend(value.map(|value| (name, value.to_string())));
        self
    }

    /// The same for a value that has a word in JSON.
    pub(super) fn with_word(self, name: &'static str, value: Option<impl Serialize>) -> Self {
        let word = value.and_then(|value| serde_json::to_value(value).ok());
        self.with(name, word.as_ref().and_then(serde_json::Value::as_str))
    }

    /// A parameter that is either `true` or not there.
    pub(super) fn with_flag(self, name: &'static str, is_set: bool) -> Self {
        self.with(name, is_set.then_some("true"))
    }

    /// The parameters as a call takes them.
    pub(super) fn pairs(&self) -> Vec<(&str, &str)> {
        self.0.iter().map(|(name, value)| (*name, value.as_str())).collect()
    }
}

#[cfg(test)]
mod tests {
    use parlour_core::message::Importance;

    use super::*;

    #[test]
    fn only_what_has_a_value_is_asked_for() {
        assert!(Query::page(&PageAt::default()).with_flag("open", false).pairs().is_empty());
        let page = PageAt { cursor: Some("here".to_owned()), ..PageAt::first(7) };
        let query = Query::page(&page).with_word("importance", Some(Importance::High)).with_flag("open", true);
        assert_eq!(query.pairs(), [("limit", "7"), ("cursor", "here"), ("importance", "high"), ("open", "true")]);
    }
}
