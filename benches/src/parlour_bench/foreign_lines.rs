//! Generated lines of each dialect.

use parlour_dialects::Dialect;
use serde_json::{Value, json};

use super::sample_texts::SampleTexts;

/// This many lines of a dialect, the same in every run.
pub(super) fn foreign_lines(dialect: Dialect, count: usize) -> Vec<Vec<u8>> {
    let mut words = SampleTexts::seeded(7);
    let line = |number: usize| {
        let mut body = String::new();
        words.write_body(&mut body);
        line_of(dialect, number, &body).to_string().into_bytes()
    };
    (0..count).map(line).collect()
}

/// Lines of a person and of an agent alternate.
fn line_of(dialect: Dialect, number: usize, body: &str) -> Value {
    let is_answer = number % 2 == 1;
    let id = format!("3f2a7c1e-8d4b-4c6a-9e2f-{number:012x}");
    let ms = 1_763_000_000_000_u64 + number as u64 * 1_000;
    let time = format!("2025-11-13T02:{:02}:{:02}.{:03}Z", number / 60 % 60, number % 60, number % 1_000);
    match dialect {
        Dialect::Native => native(is_answer, number, body, &time),
        Dialect::Zen => json!({
            "id": format!("c:ch:apollo:general:{ms}"), "type": "channel", "channel_id": "ch:apollo:general",
            "from": if is_answer { "agt_coder" } else { "per_mara" }, "body": body, "mentions": [], "artifacts": [],
            "importance": "normal", "blocking": false, "ts": ms, "project_id": "apollo",
        }),
        Dialect::A2a => json!({
            "spec": "a2a/1", "type": "event", "id": id, "correlation_id": "c-17", "time": time, "from_id": "coder",
            "to_id": "tester", "intent": "status_update", "context": {"task_id": "t-1", "project_id": "apollo"},
            "payload": {"body": body},
        }),
        Dialect::Tkr if is_answer => json!({
            "id": id, "type": "text", "timestamp": time, "session_id": "session_abc123", "from_agent": "phil_connors",
            "content": body, "in_reply_to": "msg_1620123456789", "streaming": false, "turn_complete": true,
        }),
        Dialect::Tkr => json!({
            "id": id, "type": "text", "timestamp": time, "session_id": "session_abc123", "from_user": true,
            "content": body, "to_agent": "phil_connors",
        }),
        Dialect::TkrLegacy if is_answer => json!({
            "id": id, "type": "text", "timestamp": time, "sessionId": "session_abc123", "fromAgent": "phil_connors",
            "content": body, "text": body, "inReplyTo": "msg_1620123456789", "streaming": false, "turnComplete": true,
        }),
        Dialect::TkrLegacy => json!({
            "id": id, "type": "text", "timestamp": time, "sessionId": "session_abc123", "fromUser": true,
            "content": body, "text": body, "toAgent": "phil_connors",
        }),
        Dialect::Caco if is_answer => json!({
            "id": id, "timestamp": time, "type": "assistant.message", "data": {"messageId": id, "content": body},
        }),
        Dialect::Caco => json!({
            "id": id, "timestamp": time, "type": "user.message",
            "data": {"content": body, "source": "applet", "appletSlug": "file-browser"},
        }),
        Dialect::Jaibber if is_answer => json!({
            "from": "u-2", "fromUsername": "Coder", "projectId": "apollo", "text": body, "messageId": id,
            "type": "response", "agentName": "Coder", "isAgentMessage": true, "responseDepth": 1,
            "respondingChain": ["coder"],
        }),
        Dialect::Jaibber => json!({
            "from": "u-1", "fromUsername": "Mara", "projectId": "apollo", "text": body, "messageId": id,
            "type": "message", "executionMode": "auto",
        }),
        Dialect::Pynchy => json!({
            "id": format!("bot-{ms}"), "chat_jid": "1203630@g.us", "sender": if is_answer { "bot" } else { "49170@s.whatsapp.net" },
            "sender_name": if is_answer { "pynchy" } else { "Mara" }, "content": body, "timestamp": time,
            "is_from_me": u8::from(is_answer), "message_type": if is_answer { "assistant" } else { "user" },
            "metadata": null,
        }),
    }
}

fn native(is_answer: bool, number: usize, body: &str, time: &str) -> Value {
    let from = match is_answer {
        true => json!({"type": "agent", "id": "agt_01KA3V8Q2N7W4T9Y6B5C0D1E2F", "name": "Coder"}),
        false => json!({"type": "person", "id": "per_01KA3V8Q2N7W4T9Y6B5C0D1E2G", "name": "Mara"}),
    };
    json!({
        "id": format!("msg_01KA3V8Q2N7W4T9Y6B5{number:07}"), "project_id": "prj_01KA3V8Q2N7W4T9Y6B5C0D1E2H",
        "type": "channel", "to": "chn_01KA3V8Q2N7W4T9Y6B5C0D1E2J", "seq": number + 1, "from": from,
        "kind": if is_answer { "assistant" } else { "user" }, "body": body, "mentions": [], "artifacts": [],
        "importance": "normal", "blocking": false, "context": {"project_id": "prj_01KA3V8Q2N7W4T9Y6B5C0D1E2H"},
        "state": "complete", "created_at": time,
    })
}

#[cfg(test)]
mod tests {
    use parlour_core::Timestamp;
    use parlour_dialects::{DecodeContext, decode_line};

    use super::*;

    #[test]
    fn every_line_is_one_of_its_dialect() {
        for &dialect in Dialect::ALL {
            for line in foreign_lines(dialect, 4) {
                let read = decode_line(dialect, &line, &DecodeContext::history(Timestamp::from_millis(0)));
                assert!(read.is_ok(), "{dialect}: {read:?}");
            }
        }
    }
}
