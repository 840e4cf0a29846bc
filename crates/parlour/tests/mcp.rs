//! `parlour mcp` as a coding agent runs it: the protocol on stdout, trouble on stderr, and a clean end.

mod support;

use serde_json::{Value, json};
use support::{Hub, parlour, running::RunningProcess};

/// A relay to this hub, with a handshake behind it.
fn relay(hub: &Hub) -> RunningProcess {
    let mut relay = RunningProcess::start(hub.command().arg("mcp"));
    let opened = ask(&mut relay, 1, "initialize", &handshake());
    assert_eq!(opened["result"]["serverInfo"]["name"], "parlour", "{opened}");
    feed(&mut relay, &json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
    relay
}

fn handshake() -> Value {
    json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}})
}

fn feed(relay: &mut RunningProcess, message: &Value) {
    relay.feed(format!("{message}\n").as_bytes());
}

fn ask(relay: &mut RunningProcess, id: u64, method: &str, params: &Value) -> Value {
    feed(relay, &json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
    let answer: Value = serde_json::from_str(&relay.line()).expect("nothing but the protocol is on stdout");
    assert_eq!(answer["id"], id, "{answer}");
    answer
}

fn tool(relay: &mut RunningProcess, id: u64, name: &str, arguments: &Value) -> Value {
    ask(relay, id, "tools/call", &json!({"name": name, "arguments": arguments}))
}

#[test]
fn tools_are_called_over_stdio() {
    let folder = tempfile::tempdir().expect("a folder");
    let hub = Hub::start(folder.path());
    let mut relay = relay(&hub);
    let posted = tool(&mut relay, 2, "post_message", &json!({"channel_id": "general", "body": "hello\nover lines"}));
    assert_eq!(posted["result"]["isError"], false, "{posted}");
    let read = tool(&mut relay, 3, "channel_history", &json!({"channel_id": "general"}));
    assert!(read.to_string().contains("over lines"), "{read}");
    relay.end_input();
    assert_eq!(relay.finish(), (Some(0), String::new(), String::new()));
}

#[test]
fn requests_without_a_handshake_are_relayed_too() {
    let folder = tempfile::tempdir().expect("a folder");
    let hub = Hub::start(folder.path());
    let mut relay = RunningProcess::start(hub.command().arg("mcp"));
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let found = ask(&mut relay, 1, "server/discover", &json!({"_meta": meta}));
    assert!(found["result"]["supportedVersions"].to_string().contains("2026-07-28"), "{found}");
    let posted = json!({"name": "post_message", "arguments": {"channel_id": "general", "body": "hi"}, "_meta": meta});
    let posted = ask(&mut relay, 2, "tools/call", &posted);
    assert_eq!(posted["result"]["isError"], false, "{posted}");
}

#[test]
fn a_restart_of_the_hub_is_hidden_from_the_client() {
    let folder = tempfile::tempdir().expect("a folder");
    let hub = Hub::start(folder.path());
    let url = hub.url.clone();
    let mut relay = relay(&hub);
    drop(hub);
    let away = tool(&mut relay, 2, "dm_list", &json!({}));
    assert!(away["error"]["message"].as_str().is_some_and(|text| text.contains("no hub answers")), "{away}");
    assert!(relay.note().contains("no hub answers"));
    let _hub = Hub::start_again(folder.path(), &url);
    let back = tool(&mut relay, 3, "dm_list", &json!({}));
    assert_eq!(back["result"]["isError"], false, "{back}");
    assert_eq!(relay.note(), "parlour: the hub is back");
}

#[test]
fn an_unreachable_hub_is_reported_on_stderr_and_to_the_client() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut command = parlour(folder.path());
    command.args(["mcp", "--url", "http://127.0.0.1:9"]).env("PARLOUR_TOKEN", "some-token");
    let mut relay = RunningProcess::start(&mut command);
    let away = ask(&mut relay, 1, "initialize", &handshake());
    assert_eq!(away["error"]["code"], -32000, "{away}");
    assert!(relay.note().contains("no hub answers at http://127.0.0.1:9"));
    relay.end_input();
    assert_eq!(relay.finish().0, Some(0));
}

#[test]
fn a_wrong_token_is_reported_to_the_client_with_its_code() {
    let folder = tempfile::tempdir().expect("a folder");
    let hub = Hub::start(folder.path());
    let mut relay = RunningProcess::start(hub.command().arg("mcp").env("PARLOUR_TOKEN", "made-up"));
    let refused = ask(&mut relay, 1, "initialize", &handshake());
    assert_eq!(refused["error"]["data"]["code"], "PARLOUR-A01", "{refused}");
}

#[test]
fn a_missing_token_prevents_the_start() {
    let folder = tempfile::tempdir().expect("a folder");
    let run = support::run(parlour(folder.path()).arg("mcp"), "");
    assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""));
    assert!(run.stderr.contains("not signed in to"), "{}", run.stderr);
}

#[test]
fn invalid_lines_get_an_error_and_are_skipped() {
    let folder = tempfile::tempdir().expect("a folder");
    let hub = Hub::start(folder.path());
    let mut relay = relay(&hub);
    relay.feed(b"\n  \nnonsense\n");
    let refused: Value = serde_json::from_str(&relay.line()).expect("the protocol");
    assert_eq!((&refused["id"], &refused["error"]["code"]), (&Value::Null, &json!(-32700)));
    assert_eq!(tool(&mut relay, 2, "dm_list", &json!({}))["result"]["isError"], false);
}

#[test]
fn a_signal_ends_the_process_cleanly() {
    let folder = tempfile::tempdir().expect("a folder");
    let hub = Hub::start(folder.path());
    let relay = relay(&hub);
    relay.interrupt();
    assert_eq!(relay.finish(), (Some(0), String::new(), String::new()));
}
