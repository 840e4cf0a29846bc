//! The log of the real program at its finest: no secret and no body is in it, and nothing that a client sends breaks a line.

mod support;

#[path = "logs/driver.rs"]
mod driver;

use std::collections::HashMap;

use driver::Driver;
use serde_json::{Value, json};
use support::Hub;
use tempfile::TempDir;

const FORMATS: [&str; 2] = ["text", "json"];

/// A hub that logs everything it can.
fn hub(format: &str) -> (TempDir, Hub) {
    let folder = tempfile::tempdir().expect("a folder");
    let hub = Hub::start_with(folder.path(), |command| {
        command.env("PARLOUR_ADMIN_TOKEN", driver::ADMIN).args(["--log", "trace", "--log-format", format])
    });
    (folder, hub)
}

/// The whole log of a hub that was driven by this and has ended.
async fn driven(format: &str, drive: impl AsyncFnOnce(&mut Driver)) -> (Driver, String) {
    let (folder, hub) = hub(format);
    let mut driver = Driver::new(&hub.url, &hub.banner);
    drive(&mut driver).await;
    assert!(hub.stop().success());
    let log = std::fs::read_to_string(folder.path().join("hub.log")).expect("a log");
    (driver, log)
}

fn objects(log: &str) -> Vec<Value> {
    log.lines().map(|line| serde_json::from_str(line).expect(line)).collect()
}

async fn everything(driver: &mut Driver) {
    driver.people().await;
    driver.messages().await;
    driver.streams().await;
    driver.files().await;
    driver.live().await;
    driver.bad_requests().await;
}

#[tokio::test]
async fn no_secret_and_no_body_is_ever_logged() {
    for format in FORMATS {
        let (driver, log) = driven(format, everything).await;
        assert!(log.lines().count() > 50, "much has happened");
        assert!(driver.markers.len() > 30, "much could have been told");
        for marker in &driver.markers {
            assert!(!log.contains(marker), "{format}: {marker} is in the log");
        }
    }
}

#[tokio::test]
async fn every_line_is_an_object_and_every_response_has_a_line() {
    let (driver, log) = driven("json", everything).await;
    let lines = objects(&log);
    for line in &lines {
        let is_text = |name: &str| line[name].is_string();
        assert!(["timestamp", "level", "message", "target"].into_iter().all(is_text), "{line}");
    }
    let told: HashMap<_, _> =
        lines.iter().filter(|line| line["status"].is_u64()).map(|line| (line["request_id"].as_str(), line)).collect();
    for (id, status) in &driver.answers {
        let line = told.get(&Some(id)).expect(id);
        assert_eq!(line["status"], *status, "{line}");
        assert!(line["latency_us"].is_u64() && line["method"].is_string() && line["route"].is_string(), "{line}");
    }
}

#[tokio::test]
async fn a_line_contains_the_request_its_caller_and_its_correlation_id() {
    let (_, log) = driven("json", async |driver| {
        let message = json!({"channel_id": driver.channel().await, "body": "Hello", "correlation_id": "story-8"});
        driver.send_with("POST", "/messages", &[("x-request-id", "mine-1")], Some(message)).await;
        driver.send_with("GET", "/me", &[("x-request-id", "mine-2"), ("x-correlation-id", "run:7")], None).await;
        let trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
        driver.send_with("GET", "/me", &[("x-request-id", "mine-3"), ("traceparent", trace)], None).await;
        driver.send_with("GET", "/channels/nonsense", &[("x-request-id", "mine-4")], None).await;
    })
    .await;
    let lines = objects(&log);
    let line = |id: &str| lines.iter().find(|line| line["request_id"] == id && line["status"].is_u64()).expect(id);
    let posted = line("mine-1");
    assert_eq!(
        (&posted["method"], &posted["route"], &posted["status"]),
        (&json!("POST"), &json!("/messages"), &json!(201))
    );
    assert!(posted["member_id"].as_str().is_some_and(|id| id.starts_with("per_")), "{posted}");
    assert_eq!((&posted["surface"], &posted["correlation_id"]), (&json!("http"), &json!("story-8")));
    assert_eq!(line("mine-2")["correlation_id"], "run:7");
    assert_eq!(line("mine-3")["correlation_id"], "0af7651916cd43dd8448eb211c80319c");
    let refused = line("mine-4");
    assert_eq!((&refused["code"], &refused["route"]), (&json!("PARLOUR-I08"), &json!("/channels/{id}")));
}

/// Whether a line of the log for people begins as all of them do.
fn begins_well(line: &str) -> bool {
    let mut words = line.split_whitespace();
    let (at, level) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    at.len() == 24 && at.ends_with('Z') && ["TRACE", "DEBUG", "INFO", "WARN", "ERROR"].contains(&level)
}

#[tokio::test]
async fn client_input_cannot_break_a_log_line() {
    for format in FORMATS {
        let (_, log) = driven(format, async |driver| driver.injections().await).await;
        for line in log.lines() {
            assert!(line.len() < 20_000, "a line is bounded");
            assert!(!line.chars().any(char::is_control), "{line:?}");
            let is_whole = if format == "text" { begins_well(line) } else { line.starts_with("{\"timestamp\":") };
            assert!(is_whole && !line.starts_with("FORGED"), "{line}");
        }
    }
}

#[tokio::test]
async fn requests_are_not_logged_at_the_default_level() {
    let folder = tempfile::tempdir().expect("a folder");
    let hub = Hub::start_with(folder.path(), |command| {
        command.env("PARLOUR_ADMIN_TOKEN", driver::ADMIN).args(["--log-format", "json"])
    });
    let mut driver = Driver::new(&hub.url, &hub.banner);
    driver.send("GET", "/me", None).await;
    driver.send("GET", "/nonsense", None).await;
    let lines = objects(&hub.log());
    assert!(lines.iter().all(|line| line["message"] != "answered"), "{lines:?}");
}
