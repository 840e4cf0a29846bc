//! A list of words that is asked often: a table behind it, made when it is first asked.

use std::{collections::HashSet, sync::OnceLock};

/// Words in lower case.
pub(crate) struct WordSet {
    list: &'static [&'static str],
    table: OnceLock<HashSet<&'static str>>,
}

impl WordSet {
    pub(crate) const fn of(list: &'static [&'static str]) -> Self {
        Self { list, table: OnceLock::new() }
    }

    pub(crate) fn contains(&self, word: &str) -> bool {
        self.table.get_or_init(|| self.list.iter().copied().collect()).contains(word)
    }
}
