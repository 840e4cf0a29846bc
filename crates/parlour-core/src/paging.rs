//! Pages: a list is read by key, and each page has the cursor of the next.

use crate::{Refusal, limits};

/// A request for one page of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageRequest {
    after: Option<String>,
    limit: usize,
}

impl PageRequest {
    /// Asks for `limit` items (1 to `PAGE_ITEMS_MAX`) after the item with this key.
    pub fn new(after: Option<String>, limit: Option<usize>) -> Result<Self, Refusal> {
        let limit = limit.unwrap_or(limits::PAGE_ITEMS_DEFAULT);
        if !(1..=limits::PAGE_ITEMS_MAX).contains(&limit) {
            let detail = format!("limit is {limit}; the range is 1 to {}", limits::PAGE_ITEMS_MAX);
            return Err(Refusal::new(crate::Code::BadQuery, detail).at("limit"));
        }
        Ok(Self { after, limit })
    }

    /// The first page of the usual size.
    pub fn first() -> Self {
        Self { after: None, limit: limits::PAGE_ITEMS_DEFAULT }
    }

    /// The key of the last item of the page before, if there was one.
    pub fn after(&self) -> Option<&str> {
        self.after.as_deref()
    }

    /// The number of requested items.
    pub fn limit(&self) -> usize {
        self.limit
    }
}

/// One page of a list.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Page<T> {
    /// The items of this page.
    pub items: Vec<T>,
    /// Pass this back as `cursor` for the next page; absent on the last page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
}

impl<T> Page<T> {
    /// Makes a page from up to `limit + 1` items: one more than asked for means that there is a next page.
    pub fn from_probe(mut items: Vec<T>, limit: usize, key: impl Fn(&T) -> String) -> Self {
        let has_more = items.len() > limit;
        items.truncate(limit);
        let next = if has_more { items.last().map(key) } else { None };
        Self { items, next }
    }

    /// The same page with converted items.
    pub fn map<U>(self, turn: impl FnMut(T) -> U) -> Page<U> {
        Page { items: self.items.into_iter().map(turn).collect(), next: self.next }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_extra_item_is_dropped_and_means_that_a_next_page_exists() {
        let page = Page::from_probe(vec![1, 2, 3], 2, ToString::to_string);
        assert_eq!((page.items, page.next.as_deref()), (vec![1, 2], Some("2")));
    }

    #[test]
    fn the_last_page_has_no_next() {
        assert_eq!(Page::from_probe(vec![1, 2], 2, ToString::to_string).next, None);
    }

    #[test]
    fn limits_outside_the_bounds_are_refused() {
        for limit in [0, limits::PAGE_ITEMS_MAX + 1, usize::MAX] {
            assert!(PageRequest::new(None, Some(limit)).is_err(), "{limit}");
        }
        assert_eq!(PageRequest::new(None, None).expect("default").limit(), limits::PAGE_ITEMS_DEFAULT);
    }
}
