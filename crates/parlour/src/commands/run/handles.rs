//! Replaces tool calls in injections by commands, for terminals without tools.

use serde_json::{Deserializer, Map, Value};

use crate::output::shell::quoted;

/// Marks of quoted lines.
const MARKS: [char; 2] = ['>', '|'];
/// Tools that an injection can contain.
const TOOLS: [&str; 4] = ["reply_thread", "post_message", "channel_history", "inbox"];

/// The tool call that resumes a run; the line contains the id of the run.
const RESUME: &str = r#"checkpoint {"resume":true}"#;

/// Replaces tool calls by commands; quoted lines are not changed.
pub(super) fn with_commands(text: &str) -> String {
    let lines = text.lines().map(|line| if line.starts_with(MARKS) { line.to_owned() } else { in_commands(line) });
    lines.collect::<Vec<_>>().join("\n")
}

/// Replaces the call at the end of a line of the hub, or the call that resumes the run.
fn in_commands(line: &str) -> String {
    let run = line.split_whitespace().find(|word| word.starts_with("run_"));
    if let Some(run) = run.filter(|_| line.contains(RESUME)) {
        return line.replace(RESUME, &format!("`parlour run resume {run}`"));
    }
    let call = TOOLS.iter().find_map(|tool| {
        let at = line.find(&format!(": {tool} {{"))? + 2;
        let command = command(tool, &object(&line[at + tool.len()..])?)?;
        Some(format!("{}{command}", &line[..at]))
    });
    call.unwrap_or_else(|| line.to_owned())
}

/// Parses a text that is exactly one JSON object.
fn object(text: &str) -> Option<Map<String, Value>> {
    let mut values = Deserializer::from_str(text).into_iter();
    values.next()?.ok().filter(|_| values.next().is_none())
}

fn command(tool: &str, with: &Map<String, Value>) -> Option<String> {
    let text = |key: &str| with.get(key)?.as_str().map(quoted);
    let number = |key: &str| with.get(key)?.as_u64();
    Some(match tool {
        "reply_thread" => format!("parlour answer {} {}", text("thread_id")?, text("body")?),
        "post_message" => {
            let reply_to = text("reply_to").map(|id| format!(" --reply-to {id}")).unwrap_or_default();
            format!("parlour post {} {}{reply_to}", text("channel_id")?, text("body")?)
        }
        "channel_history" => match (number("since"), number("limit")) {
            (Some(since), Some(limit)) => {
                format!("parlour history {} --since {since} --limit {limit}", text("channel_id")?)
            }
            // A single unread message.
            _ => "parlour inbox".to_owned(),
        },
        _ => "parlour inbox".to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tool_calls_are_shown_as_commands() {
        for (line, expected) in [
            (
                r#"Answer: reply_thread {"thread_id":"msg_1","body":"your answer"}"#,
                "Answer: parlour answer msg_1 'your answer'",
            ),
            (
                r#"You received a message from Mara (msg_1). Answer: reply_thread {"thread_id":"msg_1","body":"your answer"}"#,
                "You received a message from Mara (msg_1). Answer: parlour answer msg_1 'your answer'",
            ),
            (
                r#"Reply: post_message {"channel_id":"general","reply_to":"msg_1","body":"your text"}"#,
                "Reply: parlour post general 'your text' --reply-to msg_1",
            ),
            (
                r#"More: channel_history {"channel_id":"general","since":3,"limit":50}"#,
                "More: parlour history general --since 3 --limit 50",
            ),
            (r#"Read: channel_history {"channel_id":"msg_1"}"#, "Read: parlour inbox"),
            ("More: inbox {}", "More: parlour inbox"),
            (
                r#"Your run run_1 is paused. It goes on with your answer, or with checkpoint {"resume":true}."#,
                "Your run run_1 is paused. It goes on with your answer, or with `parlour run resume run_1`.",
            ),
        ] {
            assert_eq!(with_commands(line), expected);
        }
    }

    #[test]
    fn quoted_text_and_other_lines_are_unchanged() {
        for line in [
            r#">7 Mara: Answer: reply_thread {"thread_id":"msg_1","body":"x"}"#,
            "|More: inbox {}",
            "More: inbox {} and {}",
            "Answer: reply_thread {no JSON}",
            "You are Coder.",
        ] {
            assert_eq!(with_commands(line), line);
        }
    }
}
