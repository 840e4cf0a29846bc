/// The files that hold the list.
const LIST: &str = concat!(include_str!("../store_suite.rs"), include_str!("blocking.rs"), include_str!("context.rs"));

/// The files of all areas.
const AREAS: &[&str] = &[
    include_str!("accounts.rs"),
    include_str!("audit.rs"),
    include_str!("related_lookups.rs"),
    include_str!("calls.rs"),
    include_str!("call_ends.rs"),
    include_str!("call_lists.rs"),
    include_str!("tokens.rs"),
    include_str!("links.rs"),
    include_str!("passwords.rs"),
    include_str!("invites.rs"),
    include_str!("names.rs"),
    include_str!("events.rs"),
    include_str!("channel_events.rs"),
    include_str!("watching.rs"),
    include_str!("pruning.rs"),
    include_str!("numbers.rs"),
    include_str!("client_ids.rs"),
    include_str!("repeats.rs"),
    include_str!("refusals.rs"),
    include_str!("page_keys.rs"),
    include_str!("directory.rs"),
    include_str!("conversations.rs"),
    include_str!("memberships.rs"),
    include_str!("history.rs"),
    include_str!("finishing.rs"),
    include_str!("streams.rs"),
    include_str!("references.rs"),
    include_str!("inbox.rs"),
    include_str!("inbox_filters.rs"),
    include_str!("deliveries.rs"),
    include_str!("answers.rs"),
    include_str!("questions.rs"),
    include_str!("runs.rs"),
    include_str!("timelines.rs"),
    include_str!("read_positions.rs"),
    include_str!("search.rs"),
    include_str!("finding.rs"),
    include_str!("injections.rs"),
    include_str!("summaries.rs"),
    include_str!("series.rs"),
    include_str!("snapshots.rs"),
    include_str!("work.rs"),
    include_str!("graph.rs"),
    include_str!("visibility.rs"),
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
fn every_area_is_looked_at() {
    assert_eq!(AREAS.len(), LIST.lines().filter(|line| line.starts_with("pub mod ")).count());
}
