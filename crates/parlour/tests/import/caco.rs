//! Caco's folder.

use serde_json::{Value, json};

use crate::fixture::ImportFixture;

fn event(number: u32, content: &str) -> Value {
    json!({
        "id": format!("7b1d0c52-41aa-4f0e-9c3b-0000000000{number:02}"), "timestamp": format!("2026-02-06T09:00:{number:02}.000Z"),
        "parentId": null, "type": "user.message", "data": {"content": content, "attachments": []},
    })
}

fn lines(events: &[Value]) -> String {
    events.iter().map(|event| format!("{event}\n")).collect()
}

fn events(fixture: &ImportFixture, path: &str) -> Vec<Value> {
    let text = std::fs::read_to_string(fixture.path(path)).expect("a file");
    text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

#[test]
fn sessions_become_named_channels_and_are_exported_again() {
    let fixture = ImportFixture::new();
    let one = [event(1, "Which tests are slow?"), event(2, "[applet:file-browser] Show files")];
    let two = [event(1, "[scheduler:daily] Report")];
    fixture.write("caco/sessions/s-1/meta.json", &json!({"name": "Slow tests"}).to_string());
    fixture.write("caco/sessions/s-1/events.jsonl", &lines(&one));
    fixture.write("caco/sessions/s-2/events.jsonl", &lines(&two));
    fixture.write("caco/sessions/s-3/meta.json", &json!({"name": "Never used"}).to_string());
    let told = fixture.json("import caco caco");
    assert_eq!((&told["stored"], told["channels"].as_array().map(Vec::len)), (&3.into(), Some(2)));
    assert_eq!(fixture.channels(), ["Slow tests", "s-2"]);
    let history = fixture.history("Slow tests");
    assert_eq!((&history[1]["body"], &history[1]["from"]["type"]), (&"Show files".into(), &"applet".into()));
    assert_eq!(fixture.json("import caco caco")["known"], 3);

    fixture.shown("export caco out");
    assert_eq!(events(&fixture, "out/sessions/s-1/events.jsonl"), one);
    assert_eq!(events(&fixture, "out/sessions/s-2/events.jsonl"), two);
    let meta = std::fs::read_to_string(fixture.path("out/sessions/s-1/meta.json")).expect("a file");
    assert_eq!(serde_json::from_str::<Value>(&meta).expect("JSON")["name"], "Slow tests");
    let refused = fixture.run("export caco out");
    assert!(refused.code == Some(1) && refused.stderr.contains("already contains sessions"), "{}", refused.stderr);
    fixture.shown("export caco out --force");
    assert_eq!(events(&fixture, "out/sessions/s-1/events.jsonl"), one);
}

#[test]
fn histories_may_be_in_their_own_folder() {
    let fixture = ImportFixture::new();
    fixture.write("caco/sessions/s-1/meta.json", &json!({"name": "Named"}).to_string());
    fixture.write("state/s-1/events.jsonl", &lines(&[event(1, "One")]));
    fixture.write("state/s-2.jsonl", &lines(&[event(1, "Two")]));
    fixture.write("state/notes.txt", "nothing");
    fixture.shown("import caco caco --events state");
    assert_eq!((fixture.bodies("Named"), fixture.bodies("s-2")), (vec!["One".to_owned()], vec!["Two".to_owned()]));
}

#[test]
fn a_tool_result_is_shown_with_the_message_that_called_the_tool() {
    let fixture = ImportFixture::new();
    let of = |number: u32, sort: &str, data: Value| {
        let mut event = event(number, "");
        (event["type"], event["data"]) = (json!(sort), data);
        event
    };
    let call = json!({"toolCallId": "t-1", "name": "bash", "arguments": {"command": "ls"}});
    let session = [
        event(1, "Which files are there?"),
        of(2, "assistant.message", json!({"messageId": "m-1", "content": "I look.", "toolRequests": [call]})),
        of(3, "tool.execution_start", json!({"toolCallId": "t-1", "toolName": "bash", "arguments": {"command": "ls"}})),
        of(
            4,
            "tool.execution_complete",
            json!({"toolCallId": "t-1", "success": true, "result": {"content": "README"}}),
        ),
        of(5, "assistant.message", json!({"messageId": "m-2", "content": "One: README."})),
    ];
    fixture.write("caco/sessions/s-1/events.jsonl", &lines(&session));
    fixture.shown("import caco caco");
    assert_eq!(fixture.bodies("s-1"), ["Which files are there?", "I look.", "One: README."]);
    let step = &fixture.history("s-1")[1]["steps"][0];
    assert!(step["output"].to_string().contains("README") && step["finished_at"].is_string(), "{step}");
    assert_eq!(fixture.json("import caco caco")["known"], 3);
    assert_eq!(fixture.shown("export caco out"), "Exported 3 messages of 1 channel to out.\n");
    assert_eq!(events(&fixture, "out/sessions/s-1/events.jsonl"), session);
}

#[test]
fn a_too_long_tool_result_is_cut_and_reported() {
    let fixture = ImportFixture::new();
    let mut session = [event(1, ""), event(2, ""), event(3, "Done.")];
    let call = json!({"toolCallId": "t-1", "name": "bash", "arguments": {"command": "ls"}});
    (session[0]["type"], session[0]["data"]) =
        (json!("assistant.message"), json!({"messageId": "m-1", "content": "I look.", "toolRequests": [call]}));
    (session[1]["type"], session[1]["data"]) = (
        json!("tool.execution_complete"),
        json!({"toolCallId": "t-1", "success": true, "result": {"content": "y".repeat(100_000)}}),
    );
    fixture.write("caco/sessions/s-1/events.jsonl", &lines(&session));
    let shown = fixture.shown("import caco caco");
    let told = "Shortened, too large: 1 event of tools\n";
    assert!(shown.contains(told), "{shown}");
    fixture.shown("export caco out");
    let out = events(&fixture, "out/sessions/s-1/events.jsonl");
    assert_eq!((&out[0], &out[2], out.len()), (&session[0], &session[2], 3));
    let result = out[1]["data"]["result"]["content"].as_str().expect("a text");
    assert!(result.starts_with("yyy") && result.ends_with("… (cut, 100000 bytes in all)"), "{result}");
}
