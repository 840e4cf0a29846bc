//! Which events are sent on, when embeds are sent, and how tools look as text.

use parlour_core::limits;
use parlour_dialects::caco::{EmbedQueue, passes_filter, tool_end_text, tool_start_text};
use proptest::prelude::*;
use serde_json::{Value, json};

#[test]
fn events_with_content_pass_the_filter() {
    for name in [
        "content",
        "deltaContent",
        "intent",
        "toolName",
        "toolCallId",
        "message",
        "progressMessage",
        "partialOutput",
        "agentName",
    ] {
        for (value, is_shown) in [
            (json!("x"), true),
            (json!(" "), true),
            (json!(""), false),
            (json!(null), false),
            (json!(false), false),
            (json!(0), false),
            (json!(0.0), false),
            (json!(true), true),
            (json!(-1), true),
            (json!([]), true),
            (json!({}), true),
        ] {
            assert_eq!(passes_filter("any.event", Some(&json!({name: value}))), is_shown, "{name}: {value}");
        }
    }
}

#[test]
fn events_without_content_do_not_pass_the_filter() {
    for data in
        [json!({}), json!({"messageId": "m"}), json!({"Content": "x"}), json!([]), json!("content"), json!(null)]
    {
        assert!(!passes_filter("assistant.usage", Some(&data)), "{data}");
    }
    assert!(!passes_filter("assistant.usage", None));
}

#[test]
fn some_events_always_pass_the_filter() {
    for name in [
        "session.idle",
        "session.error",
        "assistant.turn_start",
        "session.compaction_start",
        "session.compaction_complete",
        "caco.embed",
        "caco.",
        "caco.something.new",
    ] {
        assert!(passes_filter(name, None), "{name}");
        assert!(passes_filter(name, Some(&json!({}))), "{name}");
    }
    for name in ["caco", "Caco.embed", "session.idle2", "session.start", ""] {
        assert!(!passes_filter(name, None), "{name}");
    }
}

fn embed(number: usize) -> Value {
    json!({"type": "caco.embed", "data": {"outputId": format!("out_{number}_abcdef")}})
}

#[test]
fn embeds_are_queued_until_the_answer_begins_and_keep_their_order() {
    for trigger in ["assistant.message_delta", "assistant.message", "session.error", "session.idle"] {
        let mut queue = EmbedQueue::default();
        assert_eq!((queue.queue(embed(1)), queue.queue(embed(2)), queue.len()), (None, None, 2));
        for other in ["tool.execution_complete", "user.message", "assistant.turn_start", "caco.embed"] {
            assert!(queue.take_before(other).is_empty(), "{other}");
        }
        assert_eq!(queue.take_before(trigger), [embed(1), embed(2)], "{trigger}");
        assert!(queue.is_empty() && queue.take_before(trigger).is_empty());
    }
}

#[test]
fn embeds_beyond_the_limit_are_returned_at_once() {
    let mut queue = EmbedQueue::default();
    for number in 0..limits::EMBEDS_QUEUED_MAX {
        assert_eq!(queue.queue(embed(number)), None);
    }
    assert_eq!(queue.queue(embed(limits::EMBEDS_QUEUED_MAX)), Some(embed(0)));
    assert_eq!(queue.len(), limits::EMBEDS_QUEUED_MAX);
}

#[test]
fn an_unfinished_history_loses_no_embed() {
    let mut queue = EmbedQueue::default();
    assert_eq!(queue.queue(embed(1)), None);
    assert_eq!(queue.finish(), [embed(1)]);
}

#[test]
fn a_started_tool_shows_name_and_command() {
    assert_eq!(tool_start_text("bash", "ls -l"), "bash\n`ls -l`");
    assert_eq!(tool_start_text("view", ""), "view");
    assert_eq!(tool_start_text("bash", "echo `date` now"), "bash\n``echo `date` now``");
    assert_eq!(tool_start_text("bash", "`date`"), "bash\n`` `date` ``");
    assert_eq!(tool_start_text("bash", "a\nb"), "bash\n`a b`");
}

#[test]
fn a_finished_tool_shows_input_and_output() {
    assert_eq!(tool_end_text("bash", "ls", "a.rs\n"), "*bash*\n\n```bash\nls\na.rs\n```");
    assert_eq!(tool_end_text("bash", "", ""), "*bash*\n\n```bash\n```");
    assert_eq!(tool_end_text("view", "", "x"), "*view*\n\n```view\nx\n```");
}

#[test]
fn a_fence_in_the_output_does_not_end_the_block() {
    let text = tool_end_text("view", "a.md", "```rust\nfn x() {}\n```\n<b>");
    assert_eq!(text, "*view*\n\n````view\na.md\n```rust\nfn x() {}\n```\n<b>\n````");
    assert!(tool_end_text("a ``` b\n", "", "x").contains("\n\n```a-----b-\nx"));
}

proptest! {
    #[test]
    fn the_fence_of_a_tool_is_longer_than_any_in_its_output(input in "[`a\n~]{0,30}", output in "[`a\n~]{0,30}") {
        let text = tool_end_text("tool", &input, &output);
        let fence = text.lines().last().expect("a line");
        prop_assert!(fence.len() >= 3 && fence.bytes().all(|byte| byte == b'`'));
        prop_assert!(!input.contains(fence) && !output.contains(fence));
        prop_assert_eq!(text.matches(fence).count(), 2);
    }

    #[test]
    fn every_embed_is_returned_exactly_once(events in prop::collection::vec(0..4_u8, 0..300)) {
        let (mut queue, mut sent, mut made) = (EmbedQueue::default(), Vec::new(), 0);
        for event in events {
            match event {
                0 => sent.extend(queue.take_before("assistant.message")),
                1 => sent.extend(queue.take_before("tool.execution_start")),
                _ => {
                    sent.extend(queue.queue(embed(made)));
                    made += 1;
                }
            }
        }
        sent.extend(queue.take_before("session.idle"));
        prop_assert_eq!(sent, (0..made).map(embed).collect::<Vec<_>>());
    }
}
