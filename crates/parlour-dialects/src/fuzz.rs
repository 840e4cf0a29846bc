//! Fuzz targets: every dialect takes any bytes, never panics, and what it accepts means the same when read again.

use parlour_core::{Timestamp, fuzz::Target};

use crate::{
    Dialect, Scene, decode_line, encode_line,
    models::{anthropic, gemini, openai_chat, openai_responses},
    mojibake,
};

/// Lists for models that are accepted, beside the lines of the dialects.
pub const MODEL_LISTS: &[&[u8]] = &[
    br#"{"messages":[{"role":"system","content":"Be brief."},{"role":"user","content":"Hi","name":"Mara"},{"role":"assistant","content":"","tool_calls":[{"id":"c1","type":"function","function":{"name":"find","arguments":"{}"}}]},{"role":"tool","tool_call_id":"c1","content":"hit"}]}"#,
    br#"{"instructions":"Be brief.","input":[{"type":"message","role":"user","content":"Hi"},{"type":"function_call","call_id":"c1","name":"find","arguments":"{}"},{"type":"function_call_output","call_id":"c1","output":"hit"}]}"#,
    br#"{"system":"Be brief.","messages":[{"role":"user","content":"Hi"},{"role":"assistant","content":"Hello"},{"role":"user","content":"?"}]}"#,
    br#"{"contents":[{"role":"user","parts":[{"text":"Hi"}]},{"role":"model","parts":[{"text":"Hello"}]},{"role":"user","parts":[{"text":"?"}]}]}"#,
];

/// The parsers of the dialects.
pub const TARGETS: &[Target] = &[
    ("native", |bytes| round(Dialect::Native, bytes)),
    ("zen", |bytes| round(Dialect::Zen, bytes)),
    ("a2a", |bytes| round(Dialect::A2a, bytes)),
    ("tkr", |bytes| round(Dialect::Tkr, bytes)),
    ("tkr-legacy", |bytes| round(Dialect::TkrLegacy, bytes)),
    ("caco", |bytes| round(Dialect::Caco, bytes)),
    ("jaibber", |bytes| round(Dialect::Jaibber, bytes)),
    ("pynchy", |bytes| round(Dialect::Pynchy, bytes)),
    ("model_lists", model_lists),
    ("mojibake", |bytes| drop(mojibake::repair(&parlour_core::fuzz::text(bytes)))),
];

/// What a dialect accepts is written in every dialect and read again as the same.
fn round(dialect: Dialect, bytes: &[u8]) {
    let scene = Scene::history(Timestamp::from_millis(1_000));
    let Ok(item) = decode_line(dialect, bytes, &scene) else { return };
    for &other in Dialect::ALL {
        let mut line = Vec::new();
        if encode_line(other, &item, &mut line) {
            let again =
                decode_line(other, &line, &scene).unwrap_or_else(|refusal| unreachable!("{other}: {refusal:?}"));
            assert_eq!(again, item, "{dialect} as {other}: {}", String::from_utf8_lossy(&line));
        }
    }
}

/// What is accepted of a list for models is written again as one that its provider takes.
fn model_lists(bytes: &[u8]) {
    let Ok(value) = serde_json::from_slice::<serde_json::Value>(bytes) else { return };
    if let Ok(turns) = openai_chat::decode(value.clone()) {
        openai_chat::check(&openai_chat::encode(&turns, openai_chat::Server::OpenAi)).expect("a chat");
    }
    if let Ok(turns) = openai_responses::decode(value.clone()) {
        openai_responses::check(&openai_responses::encode(&turns)).expect("a response");
    }
    if let Ok(turns) = anthropic::decode(value.clone()) {
        anthropic::check(&anthropic::encode(&turns)).expect("messages");
    }
    if let Ok(turns) = gemini::decode(value) {
        gemini::check(&gemini::encode(&turns)).expect("contents");
    }
}
