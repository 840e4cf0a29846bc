//! The benchmarks run end to end. Figures of a debug build are meaningless, so no test checks them.

use std::process::Command;

use serde_json::Value;

/// Runs `parlour-bench` and returns its report. The hub is the debug build beside it: build the whole workspace.
fn bench(line: &str) -> Value {
    let folder = tempfile::tempdir().expect("folder");
    let output = Command::new(env!("CARGO_BIN_EXE_parlour-bench"))
        .args(line.split(' '))
        .args(["--json", "--rounds", "1", "--folder"])
        .arg(folder.path())
        .output()
        .expect("run");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let left = std::fs::read_dir(folder.path()).expect("folder").count();
    assert_eq!(left, 0, "a benchmark leaves nothing behind");
    serde_json::from_slice(&output.stdout).expect("JSON")
}

fn names(report: &Value) -> Vec<&str> {
    report["rows"].as_array().expect("rows").iter().filter_map(|row| row["name"].as_str()).collect()
}

#[test]
fn posts_are_measured_for_many_senders_and_for_one() {
    let report = bench("post --posts 50 --senders 2");
    let names = names(&report);
    assert!(names.contains(&"hub, 2 senders") && names.contains(&"hub, 1 sender"), "{names:?}");
    assert!(report["rows"][0]["per_second"].as_f64() > Some(0.0));
}

#[test]
fn pages_are_measured_in_every_history() {
    let report = bench("history --messages 100,200 --seconds 1");
    let expected = ["newest page of 100 messages", "newest page of 200 messages"];
    assert_eq!(names(&report)[..2], expected);
    assert_eq!(report["ratios"].as_array().map(Vec::len), Some(2));
}

#[test]
fn packs_are_measured_in_every_history_and_by_the_engine_alone() {
    let report = bench("context --messages 100,200 --candidates 50 --seconds 1");
    assert_eq!(names(&report)[..2], ["asked before, 100 messages", "asked before, 200 messages"]);
    assert_eq!(report["ratios"].as_array().map(Vec::len), Some(3));
}

#[test]
fn every_dialect_is_converted() {
    let report = bench("convert --quick");
    let names = names(&report);
    assert!(names.contains(&"tkr → native") && names.contains(&"native → pynchy"), "{names:?}");
}

#[test]
fn searches_for_common_words_are_compared_with_a_rare_word() {
    let report = bench("search --messages 100");
    let ratios = report["ratios"].as_array().expect("ratios");
    assert_eq!(ratios.len(), 6);
    for ratio in ratios {
        assert!(ratio["name"].as_str().is_some_and(|name| name.contains("rare")), "{ratio}");
        assert!(ratio["value"].as_f64().is_some_and(|value| value > 0.0), "{ratio}");
    }
}

#[test]
fn inboxes_are_read_and_marked_as_read() {
    let report = bench("inbox --unread 1000");
    let requests = ["look", "look by importance", "mark as read", "read a conversation"];
    assert_eq!(names(&report), requests.map(|what| format!("{what}, 1000 unread")));
}

#[test]
fn every_blocking_message_pauses_at_the_next_checkpoint() {
    let report = bench("blocking --quick");
    assert!(is_met(&report, "checkpoints after an acknowledgement that went on"), "{report}");
}

#[test]
fn starts_are_measured_on_an_empty_store_and_on_a_filled_one() {
    assert_eq!(names(&bench("start --messages 20")), ["empty store", "store with 20 messages"]);
}

/// The verdict of a count that must be 0 on any machine.
fn is_met(report: &Value, name: &str) -> bool {
    let ratios = report["ratios"].as_array().expect("ratios");
    ratios.iter().find(|ratio| ratio["name"] == name).expect(name)["met"] == true
}

#[test]
fn every_reader_gets_every_message_in_order() {
    let report = bench("fanout --quick --readers 5");
    let names = names(&report);
    assert!(names.contains(&"hub, as fast as it goes") && names.contains(&"hub, 10 messages/s"), "{names:?}");
    assert!(is_met(&report, "deliveries lost, hub") && is_met(&report, "deliveries out of order, hub"), "{report}");
}

#[test]
fn streamed_answers_arrive_complete() {
    let report = bench("stream --quick --readers 3");
    assert_eq!(names(&report)[0], "hub");
    assert!(is_met(&report, "bytes of text that did not arrive, hub"), "{report}");
}

#[test]
fn memory_is_measured_for_idle_readers_of_both_transports() {
    let report = bench("idle --quick --readers 5,10");
    let names = names(&report);
    let expected = ["hub, 5 WebSocket readers", "hub, 10 WebSocket readers", "hub, 5 SSE readers"];
    assert!(expected.iter().all(|name| names.contains(name)), "{names:?}");
}

#[test]
fn readers_that_never_read_do_not_disturb_the_others() {
    let report = bench("stall --quick --readers 5 --stalled 1");
    assert_eq!(names(&report), ["all read", "the others, while some do not read"]);
    assert!(is_met(&report, "deliveries lost or out of order at the others"), "{report}");
}

#[test]
fn reconnected_readers_miss_no_event() {
    let report = bench("reconnect --quick --readers 10");
    assert_eq!(names(&report), ["hub, started again"]);
    for name in ["events lost", "events doubled or out of order", "readers that were turned away"] {
        assert!(is_met(&report, name), "{report}");
    }
}

#[test]
fn a_missing_ceiling_is_an_error() {
    let output = Command::new(env!("CARGO_BIN_EXE_parlour-bench"))
        .args(["post", "--ceiling", "no-such-program"])
        .output()
        .expect("run");
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("no-such-program"));
}
