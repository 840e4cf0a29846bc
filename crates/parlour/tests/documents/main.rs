//! The documents are true: every command of README.md and docs/ runs against a real hub and prints what the page shows.
//!
//! Each page gets one shell, a home folder and a fresh hub. CONTRIBUTING.md ("Write a block that runs") describes the notation.

#![allow(clippy::panic, reason = "these are tests")]

mod commands;
mod inline_commands;
mod markdown;
mod output;
mod page;
mod routes;
mod shell;
mod stand_ins;

use std::{collections::BTreeMap, fs, path::Path};

use markdown::Page;

/// Where the documents are.
const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// One test for each page with commands or requests, so that pages run side by side.
macro_rules! pages {
    ($($name:ident: $path:literal,)+) => {
        $(#[test] fn $name() { page::check(&read($path)); })+
        const TESTED: &[&str] = &[$($path),+];
    };
}

pages! {
    readme_runs: "README.md",
    access_runs: "docs/access.md",
    agents_run: "docs/agents.md",
    audit_runs: "docs/audit.md",
    blocking_runs: "docs/blocking.md",
    command_line_runs: "docs/cli.md",
    context_runs: "docs/context.md",
    dialects_run: "docs/dialects/README.md",
    dialect_a2a_runs: "docs/dialects/a2a.md",
    dialect_jaibber_runs: "docs/dialects/jaibber.md",
    dialect_tkr_runs: "docs/dialects/tkr.md",
    dialect_zen_runs: "docs/dialects/zen.md",
    guide_runs: "docs/guide.md",
    hooks_run: "docs/hooks.md",
    limits_run: "docs/limits.md",
    live_runs: "docs/live.md",
    mcp_runs: "docs/mcp.md",
    moving_runs: "docs/moving.md",
    reranking_runs: "docs/reranking.md",
    tls_runs: "docs/tls.md",
    tour_runs: "docs/tour.md",
}

#[test]
fn every_block_is_run_checked_or_excused_in_its_page() {
    let problems: Vec<_> = all_pages().iter().flat_map(Page::problems).collect();
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn every_page_that_has_something_to_run_has_a_test() {
    let pages = all_pages();
    let untested: Vec<_> =
        pages.iter().filter(|page| page.is_runnable() && !TESTED.contains(&page.path.as_str())).collect();
    assert!(untested.is_empty(), "add to `pages!`: {:?}", untested.iter().map(|page| &page.path).collect::<Vec<_>>());
    let idle: Vec<_> =
        pages.iter().filter(|page| !page.is_runnable() && TESTED.contains(&page.path.as_str())).collect();
    assert!(idle.is_empty(), "nothing runs in: {:?}", idle.iter().map(|page| &page.path).collect::<Vec<_>>());
}

/// The reviewed list of excuses: a block that stops running, or a new one that never ran, changes it.
#[test]
fn blocks_that_are_not_run_are_listed_with_their_reasons() {
    let mut reasons = BTreeMap::<String, usize>::new();
    for page in all_pages() {
        for block in page.blocks().filter(|block| block.not_run.is_some()) {
            let reason = block.not_run.as_deref().unwrap_or_default();
            *reasons.entry(format!("{}: {reason}", page.path)).or_default() += 1;
        }
    }
    let list: Vec<_> = reasons.iter().map(|(reason, count)| format!("{count} × {reason}")).collect();
    insta::assert_snapshot!(format!("{} blocks are not run\n{}", reasons.values().sum::<usize>(), list.join("\n")));
}

#[test]
fn every_route_that_a_page_names_exists() {
    let problems: Vec<_> = all_pages().iter().flat_map(routes::problems).collect();
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn every_command_that_a_page_names_exists() {
    let problems: Vec<_> = all_pages().iter().flat_map(inline_commands::problems).collect();
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

fn read(path: &str) -> Page {
    let text = fs::read_to_string(Path::new(ROOT).join(path)).unwrap_or_else(|error| panic!("{path}: {error}"));
    Page::parse(path, &text)
}

/// README.md and every page below docs/.
fn all_pages() -> Vec<Page> {
    let mut paths = vec!["README.md".to_owned()];
    let mut folders = vec!["docs".to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(Path::new(ROOT).join(&folder)).expect("a folder") {
            let entry = entry.expect("an entry");
            let path = format!("{folder}/{}", entry.file_name().to_string_lossy());
            if entry.path().is_dir() {
                folders.push(path);
            } else if path.ends_with(".md") {
                paths.push(path);
            }
        }
    }
    paths.sort();
    paths.iter().map(|path| read(path)).collect()
}
