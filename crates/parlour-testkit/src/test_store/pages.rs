use parlour_core::paging::{Page, PageRequest};

use parlour_hub::Failure;

/// More pages than any list of a test has, so that an endless list fails instead of hanging.
const PAGES_MAX: usize = 10_000;

/// Reads a whole list in pages of this size.
pub(crate) async fn read_all<T>(limit: usize, read: impl AsyncFn(PageRequest) -> Result<Page<T>, Failure>) -> Vec<T> {
    let (mut items, mut after) = (Vec::new(), None);
    for _ in 0..PAGES_MAX {
        let request = PageRequest::new(after, Some(limit)).expect("a limit within bounds");
        let page = read(request).await.expect("a page");
        assert!(page.items.len() <= limit, "a page holds no more than was asked for");
        items.extend(page.items);
        after = page.next;
        if after.is_none() {
            return items;
        }
    }
    assert_eq!(after, None, "a list must end");
    items
}

/// Checks the order of a list on pages of every size, and that the key of a page is that of its last item.
pub(crate) async fn check_pages<T: Clone>(
    expected: &[String],
    key: impl Fn(&T) -> String,
    read: impl AsyncFn(PageRequest) -> Result<Page<T>, Failure>,
) {
    for limit in 1..=expected.len() + 1 {
        let items = read_all(limit, async |request| {
            let page = read(request).await?;
            if page.next.is_some() {
                assert_eq!(page.next, page.items.last().map(&key), "the key of a page of {limit}");
            }
            Ok(page)
        });
        let keys: Vec<_> = items.await.iter().map(&key).collect();
        assert_eq!(keys, expected, "pages of {limit}");
    }
}
