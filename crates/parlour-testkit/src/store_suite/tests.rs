/// The files with the list and the modules.
const LIST: &str = concat!(include_str!("../store_suite.rs"), include_str!("promise_list.rs"));

/// The files of all areas.
const AREAS: &[&str] = &[
    include_str!("accounts.rs"),
    include_str!("tokens.rs"),
    include_str!("invites.rs"),
    include_str!("names.rs"),
    include_str!("audit.rs"),
    include_str!("events.rs"),
    include_str!("starts.rs"),
    include_str!("batches.rs"),
    include_str!("watchers.rs"),
    include_str!("pruning.rs"),
    include_str!("numbers.rs"),
    include_str!("repeated_writes.rs"),
    include_str!("refusals.rs"),
    include_str!("directory.rs"),
    include_str!("conversations.rs"),
    include_str!("history.rs"),
    include_str!("streams.rs"),
    include_str!("inbox.rs"),
    include_str!("read_positions.rs"),
    include_str!("calls.rs"),
    include_str!("call_lists.rs"),
    include_str!("deliveries.rs"),
    include_str!("questions.rs"),
    include_str!("runs.rs"),
    include_str!("snapshots.rs"),
    include_str!("work.rs"),
    include_str!("visibility.rs"),
    include_str!("search.rs"),
    include_str!("related_lookups.rs"),
    include_str!("context_records.rs"),
    include_str!("model.rs"),
];

fn promises(area: &str) -> impl Iterator<Item = &str> {
    let starts = area.lines().filter_map(|line| line.strip_prefix("pub async fn "));
    starts.filter_map(|rest| rest.split('(').next())
}

#[test]
fn every_promise_is_on_the_list() {
    for promise in AREAS.iter().flat_map(|area| promises(area)) {
        assert!(LIST.lines().any(|line| line.trim() == promise), "{promise} is not on the list of the suite");
    }
}

#[test]
fn every_area_is_checked() {
    assert_eq!(AREAS.len(), LIST.lines().filter(|line| line.starts_with("pub mod ")).count());
}
