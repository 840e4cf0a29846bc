//! Fuzz targets: no input makes a dialect panic, and accepted input survives a round trip.

use parlour_core::{
    Timestamp,
    fuzz::{FuzzTarget, text},
};
use serde_json::Value;

use crate::{
    DecodeContext, Dialect,
    caco::{self, OutputPart},
    decode_line, encode_line, jaibber,
    models::{anthropic, gemini, openai_chat, openai_responses},
    mojibake, pynchy,
};

/// Accepted model lists.
pub const MODEL_LISTS: &[&[u8]] = &[
    br#"{"messages":[{"role":"system","content":"Be brief."},{"role":"user","content":"Hi","name":"Mara"},{"role":"assistant","content":"","tool_calls":[{"id":"c1","type":"function","function":{"name":"find","arguments":"{}"}}]},{"role":"tool","tool_call_id":"c1","content":"hit"}]}"#,
    br#"{"instructions":"Be brief.","input":[{"type":"message","role":"user","content":"Hi"},{"type":"function_call","call_id":"c1","name":"find","arguments":"{}"},{"type":"function_call_output","call_id":"c1","output":"hit"}]}"#,
    br#"{"system":"Be brief.","messages":[{"role":"user","content":"Hi"},{"role":"assistant","content":"Hello"},{"role":"user","content":"?"}]}"#,
    br#"{"contents":[{"role":"user","parts":[{"text":"Hi"}]},{"role":"model","parts":[{"text":"Hello"}]},{"role":"user","parts":[{"text":"?"}]}]}"#,
];

/// Accepted texts and objects that are not lines of a dialect.
pub const OTHER_INPUTS: &[&[u8]] = &[
    b"<messages>\n<message sender=\"Mara\" time=\"2026-02-15T09:12:00+00:00\">a &lt; b &amp; c</message>\n</messages>",
    br#"{"type":"message","chat_jid":"1203@g.us","sender_name":"Mara","content":"Hi","timestamp":"2026-02-15T09:12:00.123456+00:00","is_bot":false}"#,
    br#"{"type":"agent_trace","chat_jid":"1203@g.us","trace_type":"text","text":"Hel"}"#,
    b"2026-02-15T09:12:00.123456+00:00",
    b"Before <internal>a thought</internal> after <host>note</host>",
    br#"{"prompt":"Hi","source":"agent","fromSession":"s-1","correlationId":"c-1","imageData":"data:image/png;base64,aGk="}"#,
    b"[SESSION RESUMED]\nnotes\n---\n\n[applet:file browser] [agent:x] Show [output:out_1700000000000_abc123] files",
    b"Done. [HANDOFF: @Coder-2 \"Write the\ntests\"] and [HANDOFF:@x \"\"]",
];

pub const TARGETS: &[FuzzTarget] = &[
    ("native", |bytes| round_trip(Dialect::Native, bytes)),
    ("zen", |bytes| round_trip(Dialect::Zen, bytes)),
    ("a2a", |bytes| round_trip(Dialect::A2a, bytes)),
    ("tkr", |bytes| round_trip(Dialect::Tkr, bytes)),
    ("tkr-legacy", |bytes| round_trip(Dialect::TkrLegacy, bytes)),
    ("caco", |bytes| round_trip(Dialect::Caco, bytes)),
    ("jaibber", |bytes| round_trip(Dialect::Jaibber, bytes)),
    ("pynchy", |bytes| round_trip(Dialect::Pynchy, bytes)),
    ("model_lists", model_lists),
    ("mojibake", |bytes| drop(mojibake::repair(&text(bytes)))),
    ("pynchy_prompt", pynchy_prompt),
    ("pynchy_http", pynchy_http),
    ("pynchy_time", |bytes| drop(pynchy::time_order_key(&text(bytes)))),
    ("pynchy_tags", pynchy_tags),
    ("caco_post", caco_post),
    ("caco_source", caco_source),
    ("caco_output", caco_output),
    ("jaibber_handoffs", jaibber_handoffs),
];

/// Encodes an accepted line in every dialect and decodes it again.
fn round_trip(dialect: Dialect, bytes: &[u8]) {
    let decode_context = DecodeContext::history(Timestamp::from_millis(1_000));
    let Ok(item) = decode_line(dialect, bytes, &decode_context) else { return };
    for &other in Dialect::ALL {
        let mut line = Vec::new();
        if encode_line(other, &item, &mut line) {
            let again = decode_line(other, &line, &decode_context)
                .unwrap_or_else(|refusal| unreachable!("{other}: {refusal:?}"));
            assert_eq!(again, item, "{dialect} as {other}: {}", String::from_utf8_lossy(&line));
        }
    }
}

/// Encodes an accepted model list again and checks it against the rules of the provider.
fn model_lists(bytes: &[u8]) {
    let Ok(value) = serde_json::from_slice::<Value>(bytes) else { return };
    if let Ok(transcript) = openai_chat::decode(value.clone()) {
        openai_chat::check(&openai_chat::encode(&transcript, openai_chat::Server::OpenAi)).expect("a chat");
    }
    if let Ok(transcript) = openai_responses::decode(value.clone()) {
        openai_responses::check(&openai_responses::encode(&transcript)).expect("a response");
    }
    if let Ok(transcript) = anthropic::decode(value.clone()) {
        anthropic::check(&anthropic::encode(&transcript)).expect("messages");
    }
    if let Ok(transcript) = gemini::decode(value) {
        gemini::check(&gemini::encode(&transcript)).expect("contents");
    }
}

/// An accepted prompt has one element per message, and parsing is repeatable.
fn pynchy_prompt(bytes: &[u8]) {
    let text = text(bytes);
    if let Ok(messages) = pynchy::parse_messages_xml(&text) {
        assert_eq!(messages.len(), text.matches("\n<message ").count());
        assert_eq!(pynchy::parse_messages_xml(&text), Ok(messages));
    }
}

/// An accepted event is encoded as an event with the same content.
fn pynchy_http(bytes: &[u8]) {
    let decode_context = DecodeContext::history(Timestamp::from_millis(1_000));
    let Ok(value) = serde_json::from_slice::<Value>(bytes) else { return };
    let Ok(item) = pynchy::decode_http(value, &decode_context) else { return };
    let written = pynchy::encode_http(&item).expect("an event that was read");
    let again = pynchy::decode_http(written, &decode_context).expect("an event that was written");
    assert_eq!((again.frame, again.message.body), (item.frame, item.message.body));
}

fn pynchy_tags(bytes: &[u8]) {
    let text = text(bytes);
    let _ = (pynchy::show_internal(&text), pynchy::split_host(&text));
    assert!(pynchy::strip_internal(&text).len() <= text.len());
}

/// An accepted prompt is not empty, and a call between agents has a correlation id.
fn caco_post(bytes: &[u8]) {
    let Ok(value) = serde_json::from_slice::<Value>(bytes) else { return };
    if let Ok(post) = caco::decode_post(value) {
        assert!(!post.prompt.is_empty());
        assert!(post.from_session.is_none() || post.correlation_id.is_some());
    }
}

/// A parsed prefix survives a round trip.
fn caco_source(bytes: &[u8]) {
    let text = text(bytes);
    for read in [caco::parse_message_source(&text), caco::parse_stored_source(&text)] {
        let Some(identifier) = read.identifier else { continue };
        let written = caco::prefix_message_source(read.source, identifier, read.clean_content);
        assert_eq!(caco::parse_message_source(&written), read);
    }
}

/// The concatenated parts are the whole text.
fn caco_output(bytes: &[u8]) {
    let text = text(bytes);
    let written = caco::output_parts(&text).into_iter().map(|part| match part {
        OutputPart::Text(text) => text.to_owned(),
        OutputPart::Output(id) => caco::output_marker(id),
    });
    assert_eq!(written.collect::<String>(), text);
}

/// Each hand-off is a part of its text.
fn jaibber_handoffs(bytes: &[u8]) {
    let text = text(bytes);
    for handoff in jaibber::parse_handoffs(&text) {
        assert!(!handoff.name.is_empty() && text.contains(handoff.name) && text.contains(handoff.title));
    }
}
