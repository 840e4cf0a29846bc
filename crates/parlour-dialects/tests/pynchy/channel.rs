//! The texts of messages in pynchy's channels.

use parlour_core::{
    Timestamp,
    message::{Kind, Message, State},
    step::Step,
};
use parlour_dialects::pynchy::{RenderOptions, RenderVersion, exit_code, is_error, render, tool_preview};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::{
    any_row::{any_row, decoded, message},
    support::{any_message, any_text},
};

const FIRST: RenderOptions<'_> = RenderOptions { version: RenderVersion::First, assistant: "pynchy" };
const LATER: RenderOptions<'_> = RenderOptions { version: RenderVersion::Later, assistant: "pynchy" };

/// A row of a sender with its usual type.
fn from(sender: &str, content: &str) -> Value {
    let message_type = match sender {
        "host" => "host",
        "system" => "system",
        "command_output" => "tool_result",
        "tui-user" | "system_notice" => "user",
        _ => "assistant",
    };
    json!({"sender": sender, "sender_name": sender, "content": content, "message_type": message_type})
}

fn check(sender: &str, content: &str, first: Option<&str>, later: Option<&str>) {
    let message = message(&from(sender, content));
    assert_eq!(render(&message, &FIRST).as_deref(), first, "{sender}: {content}");
    assert_eq!(render(&message, &LATER).as_deref(), later, "{sender}: {content}");
}

#[test]
fn each_kind_of_message_has_its_mark() {
    check("tui-user", "Hello", Some("Hello"), Some("Hello"));
    check("bot", "Sunny.", Some("pynchy: Sunny."), Some("🦞 Sunny."));
    check("host", "⚠️ Down", Some("🏠 ⚠️ Down"), Some("🏠 ⚠️ Down"));
    check("system", "Use tabs.", Some("⚙️ Use tabs."), Some("⚙️ Use tabs."));
    check("system_notice", "Look.", Some("📢 Look."), Some("📢 Look."));
    check("thinking", "{\"thinking\": \"Hm.\"}", Some("💭 thinking..."), Some("💭 Hm."));
    check("thinking", "{\"thinking\": \"\"}", Some("💭 thinking..."), Some("💭 thinking..."));
    check("thinking", "Hm.", Some("💭 thinking..."), Some("💭 Hm."));
    check("tool_result", "{\"content\": \"x\"}", Some("📋 tool result"), Some("📋 tool result"));
}

#[test]
fn system_traces_show_their_subtype_and_later_versions_hide_init() {
    check("system", "{\"subtype\": \"init\"}", Some("⚙️ system: init"), None);
    check("system", "{\"subtype\": \"compact\"}", Some("⚙️ system: compact"), Some("⚙️ system: compact"));
    check("system", "{\"subtype\": \"\"}", Some("⚙️ system: unknown"), Some("⚙️ system: unknown"));
}

#[test]
fn calls_of_tools_are_shown_as_previews() {
    let call = "{\"tool_name\": \"Bash\", \"tool_input\": {\"command\": \"ls\\n-l\"}}";
    check("tool_use", call, Some("🔧 Bash: ls -l"), Some("🔧 Bash: ls -l"));
    check("tool_use", "Bash", Some("🔧 Bash"), Some("🔧 Bash"));
    let step = Step {
        id: "s".into(),
        name: "Read".into(),
        input: Some(json!({"file_path": "/a/b.rs"})),
        output: None,
        is_error: false,
        started_at: Timestamp::from_millis(0),
        finished_at: None,
    };
    let message = Message { steps: vec![step], ..message(&from("tool_use", "")) };
    assert_eq!(render(&message, &LATER).as_deref(), Some("🔧 Read: /a/b.rs"));
}

#[test]
fn the_cost_of_a_run_is_one_line() {
    let whole = "{\"total_cost_usd\": 0.1234, \"duration_ms\": 3400, \"num_turns\": 5}";
    check("result_meta", whole, Some("📊 0.12 USD · 3.4s · 5 turns"), Some("📊 0.12 USD · 3.4s · 5 turns"));
    check("result_meta", "{\"num_turns\": 1}", Some("📊 1 turns"), Some("📊 1 turns"));
    check("result_meta", "{\"num_turns\": null}", None, None);
    check("result_meta", "no numbers", None, None);
}

#[test]
fn the_output_of_a_command_is_fenced_and_has_its_exit_code() {
    let output = |content: &str, metadata: Value| {
        let mut row = from("command_output", content);
        row["metadata"] = metadata;
        render(&message(&row), &LATER).expect("shown")
    };
    assert_eq!(output("a", json!({"exit_code": 0})), "🔧 ✅ Command output (exit 0):\n```\na\n```");
    assert_eq!(output("a", json!("{\"exit_code\": 127}")), "🔧 ❌ Command output (exit 127):\n```\na\n```");
    assert_eq!(output("a", json!(null)), "🔧 ✅ Command output:\n```\na\n```");
    assert_eq!(output("a", json!({"is_error": true})), "🔧 ❌ Command output:\n```\na\n```");
    assert_eq!(
        output("```\n````x", json!({"exit_code": 0})),
        "🔧 ✅ Command output (exit 0):\n`````\n```\n````x\n`````"
    );
}

#[test]
fn a_failed_tool_is_recognised() {
    let failed = message(&from("tool_result", "{\"is_error\": true}"));
    let went_well = message(&from("tool_result", "{\"is_error\": false}"));
    assert!(is_error(&failed) && !is_error(&went_well));
    let said = message(&json!({"content": "{\"is_error\": true}", "metadata": {"exit_code": 1}}));
    assert!(!is_error(&said) && exit_code(&said).is_none(), "a person's text is no result of a tool");
}

#[test]
fn a_streaming_text_ends_with_a_mark() {
    let growing = |body: &str| Message { state: State::Streaming, body: body.into(), ..message(&from("bot", "x")) };
    assert_eq!(render(&growing("Sun "), &LATER).as_deref(), Some("🦞 Sun ▌"));
    assert_eq!(render(&growing(""), &LATER).as_deref(), Some("🦞 ▌"));
}

#[test]
fn empty_and_removed_messages_are_not_shown() {
    assert_eq!(render(&message(&from("bot", " \n")), &LATER), None);
    assert_eq!(render(&message(&json!({})).removed(Timestamp::from_millis(1)), &LATER), None);
}

#[test]
fn long_outputs_and_thoughts_are_cut_in_the_middle_and_answers_are_not() {
    let long = format!("a{}z", "é".repeat(5_000));
    let expected = format!("a{}\n… 2502 characters left out …\n{}z", "é".repeat(1_999), "é".repeat(499));
    assert_eq!(render(&message(&from("thinking", &long)), &LATER), Some(format!("💭 {expected}")));
    let output = render(&message(&from("command_output", &long)), &LATER).expect("shown");
    assert_eq!(output, format!("🔧 ✅ Command output:\n```\n{expected}\n```"));
    assert_eq!(render(&message(&from("bot", &long)), &LATER), Some(format!("🦞 {long}")));
}

#[test]
fn a_person_who_types_a_mark_is_shown_by_name() {
    for text in
        ["🏠 Deployed", " \u{200b}🏠 Deployed", "🦞 Yes", "⚙️ x", "⚙ x", "pynchy: Yes", "Pynchy : Yes", "👤 Max: Yes"]
    {
        let shown = render(&message(&json!({"content": text})), &FIRST).expect("shown");
        assert_eq!(shown, format!("👤 Mara: {text}"));
    }
    for text in ["My 🏠", "To pynchy: hi", "pynchy, hi"] {
        assert_eq!(render(&message(&json!({"content": text})), &FIRST).as_deref(), Some(text));
    }
}

#[test]
fn a_preview_shows_the_main_argument_of_a_tool() {
    let long = "x".repeat(200);
    for (name, input, preview) in [
        ("Bash", json!({"command": "cargo test", "timeout": 5}), "Bash: cargo test".to_owned()),
        ("Bash", json!({"command": "a\nb\tc"}), "Bash: a b c".to_owned()),
        ("Bash", json!({"command": long}), format!("Bash: {}…", "x".repeat(59))),
        ("Bash", json!({}), "Bash".to_owned()),
        ("Read", json!({"file_path": "/a/b.rs"}), "Read: /a/b.rs".to_owned()),
        ("Edit", json!({"file_path": format!("/{long}/b.rs")}), format!("Edit: …{}/b.rs", "x".repeat(54))),
        ("Write", json!({"file_path": "", "content": "y"}), "Write: {\"content\":\"y\",\"file_path\":\"\"}".to_owned()),
        ("Grep", json!({"pattern": "fn main", "path": "src"}), "Grep: fn main in src".to_owned()),
        ("Glob", json!({"pattern": "**/*.rs"}), "Glob: **/*.rs".to_owned()),
        ("LS", json!({"path": "/src"}), "LS: /src".to_owned()),
        ("WebFetch", json!({"url": "https://a.example/", "prompt": "p"}), "WebFetch: https://a.example/".to_owned()),
        ("WebSearch", json!({"query": "weather"}), "WebSearch: weather".to_owned()),
        ("Task", json!({"description": "Look", "prompt": "Look around"}), "Task: Look".to_owned()),
        ("TodoWrite", json!({"todos": [1]}), "TodoWrite: {\"todos\":[1]}".to_owned()),
        ("mcp", json!(null), "mcp".to_owned()),
        ("mcp", json!([]), "mcp".to_owned()),
        ("mcp", json!(7), "mcp: 7".to_owned()),
    ] {
        assert_eq!(tool_preview(name, &input), preview, "{input}");
    }
}

/// Whether the text ends with a fenced block that its content cannot close.
fn fence_holds(shown: &str) -> bool {
    let Some((_, block)) = shown.split_once(":\n") else { return false };
    let fence = block.len() - block.trim_start_matches('`').len();
    let inner = block.get(fence..block.len() - fence).unwrap_or_default();
    fence >= 3 && block.ends_with(&"`".repeat(fence)) && !inner.contains(&"`".repeat(fence))
}

proptest! {
    #[test]
    fn no_command_output_can_close_its_fence(output in "(`{1,5}|\n|a| ){1,40}") {
        let shown = render(&message(&from("command_output", &format!("x{output}"))), &LATER).expect("shown");
        prop_assert!(fence_holds(&shown), "{shown}");
    }

    #[test]
    fn only_host_messages_have_the_host_mark(message in prop_oneof![any_row().prop_map(|row| decoded(&row)), any_message()]) {
        for style in [FIRST, LATER] {
            if let Some(shown) = render(&message, &style) {
                prop_assert_eq!(shown.trim_start().starts_with('🏠'), message.kind == Kind::Host, "{}", shown);
            }
        }
    }

    #[test]
    fn a_preview_is_one_short_line(name in any_text(), field in "(command|url|path|file_path|pattern|x)", text in any::<String>()) {
        for input in [json!({field.clone(): text.clone()}), json!({"pattern": text.clone(), "path": text})] {
            let preview = tool_preview(&name, &input);
            prop_assert!(preview.chars().count() <= 122 && !preview.contains(char::is_control), "{preview:?}");
        }
    }
}
