use proptest::prelude::*;
use serde_json::Value;

use super::*;

const COMMAND: &str = "/usr/bin/parlour hook run claude-code --config '/srv/mara/x y.toml'";

fn command(tool: Tool) -> String {
    COMMAND.replace("claude-code", tool.name())
}

fn rules() -> Vec<String> {
    ["answer", "run resume"].map(|words| format!("Bash(/usr/bin/parlour hook as --config /x {words}:*)")).to_vec()
}

/// Adds and takes out again; answers what stood in between.
fn there_and_back(tool: Tool, text: &str) -> String {
    let (added, traces) = with_entries(text, tool, &command(tool), &rules()).expect(text);
    let found = entries(&added, tool).expect("JSON");
    let events: Vec<_> = found.iter().map(|entry| entry.event.as_str()).collect();
    let mut wanted: Vec<_> = tool.registrations().iter().map(|one| one.event).collect();
    let mut sorted = events.clone();
    sorted.sort_unstable();
    wanted.sort_unstable();
    assert_eq!(sorted, wanted, "{added}");
    assert!(found.iter().all(|entry| entry.command == command(tool) && entry.timeout.is_some()));
    assert!(has_rules(&added, &rules()), "{added}");
    assert_eq!(without_entries(&added, tool, &traces).expect("JSON"), text, "{added}");
    added
}

#[test]
fn unusual_files_are_restored_byte_for_byte() {
    for text in [
        "",
        "\n",
        "{}",
        "{ }\n",
        "{\n}\n",
        "{\n  // nothing yet\n}\n",
        "{\"a\":1}",
        "{\"a\":{\"hooks\":[]}}",
        "{\n    \"model\": \"opus\",\n    \"env\": { \"A\": \"1\" }\n}\n",
        "{\r\n\t\"model\": \"opus\"\r\n}\r\n",
        "{\n  \"model\": \"opus\", // mine\n  \"x\": 1 // last\n}\n",
        "{\n  \"model\": \"opus\",\n  \"x\": [1, 2,],\n}\n",
        "{\n  \"hooks\": {}\n}",
        "{\n  \"hooks\": {\n  },\n  \"x\": 1\n}",
        "{\n  \"hooks\": { \"Stop\": [], \"stop\": [], \"AfterAgent\": [ ] }\n}",
        "{\n  \"hooks\": {\n    \"Stop\": [\n      { \"hooks\": [{ \"type\": \"command\", \"command\": \"beep\" }] }\n    ]\n  }\n}",
        "{\n  \"hooks\": {\n    \"PreToolUse\": [/* none */],\n  },\n}",
        "{\"version\": 1, \"hooks\": {\"stop\": [{\"command\": \"x\"}]}}",
        "{\n  \"version\": 1\n}\n",
        "{\n  \"permissions\": {}\n}",
        "{\n  \"permissions\": { \"allow\": [ ] }\n}",
        "{\n  \"permissions\": {\n    \"deny\": [\"Bash(rm:*)\"], // never\n    \"allow\": [\n      \"Bash(ls:*)\",\n    ]\n  }\n}\n",
        "{\"permissions\":{\"allow\":[\"Bash(/usr/bin/parlour hook as --config /x answer:*)\"]}}",
        "\u{feff}{\n  \"a\": \"ü\"\n}",
        "/* head */ {\"a\": [1 // one\n]}",
    ] {
        for tool in Tool::ALL {
            there_and_back(tool, text);
        }
    }
}

#[test]
fn a_new_file_looks_as_the_tool_documents_it() {
    let added = there_and_back(Tool::Cursor, "");
    assert!(added.starts_with("{\n  \"version\": 1,\n  \"hooks\": {\n    \"sessionStart\": [\n      {\n"), "{added}");
    let value: Value = serde_json::from_str(&added).expect("JSON");
    assert_eq!(value["hooks"]["stop"][0]["loop_limit"], 5);
    let value: Value = serde_json::from_str(&there_and_back(Tool::Gemini, "")).expect("JSON");
    let hook = &value["hooks"]["AfterTool"][0]["hooks"][0];
    assert_eq!(
        (&hook["name"], &hook["type"], &hook["timeout"]),
        (&"parlour".into(), &"command".into(), &10_000.into())
    );
    let value: Value = serde_json::from_str(&there_and_back(Tool::Codex, "")).expect("JSON");
    assert_eq!(value["hooks"]["SessionEnd"][0]["hooks"][0]["timeout"], 3);
}

#[test]
fn comments_are_preserved() {
    let added = there_and_back(Tool::ClaudeCode, "{\n  \"a\": 1 // about a\n}\n");
    assert!(added.starts_with("{\n  \"a\": 1, // about a\n  \"hooks\": {\n"), "{added}");
}

#[test]
fn later_additions_of_the_user_are_kept() {
    let (added, traces) = with_entries("{}", Tool::ClaudeCode, COMMAND, &rules()).expect("added");
    let more = added.replacen("{\n  \"hooks\"", "{\n  \"first\": 1,\n  \"hooks\"", 1);
    let more = more.replace("\n}", ",\n  \"last\": [true]\n}");
    let left = without_entries(&more, Tool::ClaudeCode, &traces).expect("JSON");
    let value: Value = serde_json::from_str(&left).expect("still JSON");
    assert_eq!(value, serde_json::json!({"first": 1, "last": [true]}));
}

#[test]
fn an_entry_moved_into_another_group_is_removed_alone() {
    let text = serde_json::json!({"hooks": {"Stop": [{"matcher": "*", "hooks": [
        {"type": "command", "command": "beep"}, {"type": "command", "command": COMMAND},
    ]}], "PostToolUse": [{"hooks": [{"command": COMMAND}]}]}});
    let left = without_entries(&text.to_string(), Tool::ClaudeCode, &RestoreInfo::default()).expect("JSON");
    let value: Value = serde_json::from_str(&left).expect("JSON");
    assert_eq!(
        value,
        serde_json::json!({"hooks": {"Stop": [{"matcher": "*", "hooks": [
            {"type": "command", "command": "beep"},
        ]}]}})
    );
}

#[test]
fn the_hook_is_removed_without_its_record() {
    for (text, left) in [("{}", "{}"), ("{\n  // mine\n}", "{\n  // mine\n}"), ("{\"hooks\": {\"Stop\": []}}", "{}")] {
        let (added, _) = with_entries(text, Tool::ClaudeCode, COMMAND, &[]).expect("added");
        let got = without_entries(&added, Tool::ClaudeCode, &RestoreInfo::default()).expect("JSON");
        assert_eq!(got, left);
    }
}

#[test]
fn other_hooks_are_not_mistaken_for_this_one() {
    let text = r#"{"hooks": {"Stop": [{"hooks": [{"command": "x hook run claude-code"}, {"command": 7},
        {"command": "parlour hook run codex"}, {"command": "parlour hook run claude-codex"}]}]}}"#;
    assert_eq!(entries(text, Tool::ClaudeCode), Ok(vec![]));
    assert_eq!(entries(text, Tool::Codex).expect("JSON").len(), 1);
}

#[test]
fn files_with_an_unexpected_structure_are_refused_with_a_reason() {
    for (text, told) in [
        ("{", "not valid JSON (line 1"),
        ("[]", "the top level must be an object for Claude Code"),
        ("{\"hooks\": []}", "\"hooks\" must be an object"),
        ("{\"hooks\": {\"Stop\": {}}}", "\"hooks\".\"Stop\" must be an array"),
        ("{\"permissions\": []}", "\"permissions\" must be an object"),
        ("{\"permissions\": {\"allow\": {}}}", "\"permissions\".\"allow\" must be an array"),
    ] {
        let error = with_entries(text, Tool::ClaudeCode, COMMAND, &rules()).expect_err(text).to_string();
        assert!(error.contains(told), "{error}");
    }
}

/// Some JSON value as a text, in the style that editors write.
fn values() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        ".{0,8}".prop_map(Value::from),
        Just(serde_json::json!({"hooks": [{"type": "command", "command": "other"}]})),
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            proptest::collection::btree_map("[a-z]{1,4}|Stop|stop|hooks|version|permissions|allow", inner, 0..4)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn every_change_can_be_undone(value in values(), is_pretty in any::<bool>(), at in 0usize..4) {
        let text = if is_pretty { serde_json::to_string_pretty(&value).expect("JSON") } else { value.to_string() };
        let tool = Tool::ALL[at];
        if let Ok((added, traces)) = with_entries(&text, tool, &command(tool), &rules()) {
            prop_assert_eq!(entries(&added, tool).expect("JSON").len(), tool.registrations().len());
            prop_assert_eq!(without_entries(&added, tool, &traces).expect("JSON"), text);
            let mut kept: Value = serde_json::from_str(&added).expect("JSON");
            for one in tool.registrations() {
                kept["hooks"][one.event].as_array_mut().expect("a list").pop();
            }
            let had: Value = value;
            for (key, old) in had.as_object().expect("an object") {
                if key != "hooks" && key != "permissions" { prop_assert_eq!(&kept[key], old); }
            }
        }
    }
}
