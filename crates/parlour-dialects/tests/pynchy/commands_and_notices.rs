//! Results of commands, and system notices.

use parlour_core::{author::AuthorType, message::Kind};
use parlour_dialects::pynchy::{
    CommandResult, exit_code, format_messages_for_sdk, is_error, notice_lines, system_prompt_with_notices,
};
use proptest::prelude::*;
use serde_json::json;

use crate::any_row::decoded;

fn texts(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

#[test]
fn the_result_of_a_command_is_its_output_or_its_errors() {
    for (stdout, stderr, exit, content) in [
        ("out\n", "warned", 0, "out"),
        ("  indented\n\n", "", 0, "  indented"),
        ("", "warned", 0, "(no output)"),
        (" \n", "", 0, "(no output)"),
        ("out", "broken\n", 1, "broken"),
        ("out", "", 1, "out"),
        ("", "", -9, "(no output)"),
    ] {
        let result = CommandResult::new(stdout, stderr, exit);
        assert_eq!((result.content.as_str(), json!(result.metadata)), (content, json!({"exit_code": exit})));
    }
}

#[test]
fn the_row_of_a_result_has_the_format_of_pynchy() {
    let row = CommandResult::new("", "no such file", 2).into_row(
        "cmd-1".into(),
        "1@g.us".into(),
        "2026-02-15T09:12:00Z".into(),
    );
    let value = row.into_value();
    let expected = json!({
        "id": "cmd-1", "chat_jid": "1@g.us", "sender": "command_output", "sender_name": "command",
        "content": "no such file", "timestamp": "2026-02-15T09:12:00Z", "is_from_me": 1,
        "message_type": "tool_result", "metadata": "{\"exit_code\": 2}",
    });
    assert_eq!(value, expected);
    let message = decoded(&value);
    assert_eq!((message.kind, message.from.author_type), (Kind::ToolResult, AuthorType::Tool));
    assert_eq!((exit_code(&message), is_error(&message)), (Some(2), true));
    assert_eq!(format_messages_for_sdk(&[message]).len(), 1, "models see what commands gave back");
}

#[test]
fn notices_are_appended_to_the_system_prompt() {
    let notices = texts(&["Uncommitted changes.", " ", "Deploy is running.\n"]);
    let prompt = system_prompt_with_notices("Be kind.\n", &notices);
    assert_eq!(prompt, "Be kind.\n\nUncommitted changes.\n\nDeploy is running.");
    assert_eq!(system_prompt_with_notices("Be kind.", &[]), "Be kind.");
    assert_eq!(system_prompt_with_notices("", &texts(&["Look."])), "Look.");
}

#[test]
fn notices_are_lines_before_the_prompt() {
    let notices = texts(&["Uncommitted changes.", "", "Behind main:\n  3 commits"]);
    let lines = "[System Notice] Uncommitted changes.\n[System Notice] Behind main: 3 commits\n";
    assert_eq!(notice_lines(&notices), lines);
    assert_eq!(notice_lines(&[]), "");
}

proptest! {
    #[test]
    fn each_notice_is_one_line(notices in prop::collection::vec("[a-z \n\r\t]{0,20}", 0..5)) {
        let non_blank = notices.iter().filter(|notice| !notice.trim().is_empty()).count();
        let lines = notice_lines(&notices);
        prop_assert_eq!(lines.lines().count(), non_blank);
        prop_assert!(lines.lines().all(|line| line.starts_with("[System Notice] ")));
    }

    #[test]
    fn a_result_is_never_blank(stdout in any::<String>(), stderr in any::<String>(), exit in any::<i32>()) {
        let result = CommandResult::new(&stdout, &stderr, exit);
        prop_assert!(!result.content.trim().is_empty());
        prop_assert_eq!(result.metadata.get("exit_code"), Some(&json!(exit)));
    }
}
