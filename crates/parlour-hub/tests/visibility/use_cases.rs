//! Checks that the tables of reads and writes contain every use case of the source.

use std::{collections::BTreeSet, fs, path::Path};

use crate::reads::{APART, READS};

/// The writes: their results are compared as outcomes, and their effects by the reads.
const WRITES: &[&str] = &[
    "add_channel_member",
    "add_chunk",
    "add_project_person",
    "announce_presence",
    "answer_question",
    "archive_channel",
    "beat_run",
    "beat_stream",
    "cancel_run",
    "cancel_stream",
    "checkpoint",
    "complete_stream",
    "create_agent",
    "create_artifact",
    "create_batch",
    "create_channel",
    "create_invite",
    "create_person",
    "create_project",
    "create_task",
    "edit_message",
    "enter_presence",
    "fail_stream",
    "finish_run",
    "finish_step",
    "import_messages",
    "issue_token",
    "make_link",
    "mark_read",
    "note_typing",
    "open_dm",
    "open_thread",
    "pass_call",
    "post_message",
    "react",
    "read_messages",
    "remove_channel_member",
    "remove_message",
    "remove_project_person",
    "rename_person",
    "renew_agent_token",
    "renew_person_token",
    "renew_token",
    "report_deliveries",
    "reset_loop_guard",
    "resume_run",
    "revoke_invite",
    "revoke_token",
    "rotate_key",
    "set_password",
    "sign_out",
    "start_run",
    "start_step",
    "subscribe",
    "unreact",
    "unsubscribe",
    "update_agent",
    "update_channel",
    "update_project",
    "update_task",
    "withdraw_presence",
    "withdraw_question",
];

/// The names of all public async functions in the source of the hub that take a caller, including those that the
/// facade delegates to a service.
fn use_cases() -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    collect_use_cases(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut found);
    found
}

fn collect_use_cases(folder: &Path, found: &mut BTreeSet<String>) {
    for entry in fs::read_dir(folder).expect("source folder") {
        let path = entry.expect("entry").path();
        if path.is_dir() {
            collect_use_cases(&path, found);
            continue;
        }
        let text = fs::read_to_string(path).expect("text");
        for function in text.split("    pub async fn ").skip(1) {
            let signature = function.split('{').next().unwrap_or_default();
            if signature.contains(": &Principal") {
                found.extend(signature.split(['(', '<']).next().map(str::to_owned));
            }
        }
        let delegated = text.lines().filter_map(|line| line.trim_start().split_once("(caller: &Principal"));
        found.extend(delegated.filter(|(name, _)| !name.contains(' ')).map(|(name, _)| name.to_owned()));
    }
}

#[test]
fn every_use_case_is_a_read_or_a_write() {
    let apart = APART.iter().map(|(name, _)| *name);
    let known: BTreeSet<String> = READS.iter().chain(WRITES).copied().chain(apart).map(str::to_owned).collect();
    let found = use_cases();
    let missing: Vec<_> = found.difference(&known).collect();
    assert_eq!(missing, Vec::<&String>::new(), "say whether these read, and then ask them in `reads`");
    let gone: Vec<_> = known.difference(&found).collect();
    assert_eq!(gone, Vec::<&String>::new(), "these are no use cases any more");
}

#[test]
fn no_use_case_is_in_two_tables() {
    let mut names: Vec<_> = READS.iter().chain(WRITES).chain(APART.iter().map(|(name, _)| name)).collect();
    let count = names.len();
    names.sort();
    names.dedup();
    assert_eq!(names.len(), count);
}
