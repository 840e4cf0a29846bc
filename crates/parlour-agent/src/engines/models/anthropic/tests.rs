use super::{
    super::settings::{Interface, OUTPUT_TOKENS_USUAL},
    *,
};

fn turns() -> Turns {
    let mut turns = Turns::default();
    turns.instruct("You are Coder.");
    turns.ask("Hi");
    turns
}

fn pieces(data: &str) -> Vec<Piece> {
    read(&Event { name: String::new(), data: data.into() }).expect("readable")
}

fn finished(reason: &str) -> Vec<Piece> {
    pieces(&format!(r#"{{"type":"message_delta","delta":{{"stop_reason":"{reason}","stop_sequence":null}}}}"#))
}

#[test]
fn the_address_takes_a_base_with_and_without_its_version() {
    for base in ["https://api.anthropic.com", "https://api.anthropic.com/", "https://api.anthropic.com/v1"] {
        assert_eq!(url(&base.parse().expect("address")).as_str(), "https://api.anthropic.com/v1/messages");
    }
    let proxied = url(&"http://localhost:1/anthropic".parse().expect("address"));
    assert_eq!(proxied.as_str(), "http://localhost:1/anthropic/v1/messages");
}

#[test]
fn the_version_goes_along_and_the_key_is_hidden() {
    let headers = headers(Some(&Secret::new("sk-ant-1"))).expect("headers");
    assert_eq!(
        (&headers["anthropic-version"], &headers["x-api-key"]),
        (&HeaderValue::from_static(VERSION), &HeaderValue::from_static("sk-ant-1"))
    );
    assert!(headers["x-api-key"].is_sensitive());
}

#[test]
fn a_request_has_its_system_apart_and_always_a_limit() {
    let settings = ModelSettings::new(Interface::Anthropic, "large");
    let expected = json!({
        "model": "large", "max_tokens": OUTPUT_TOKENS_USUAL, "system": "You are Coder.", "stream": true,
        "messages": [{"role": "user", "content": "Hi"}],
    });
    assert_eq!(body(&settings, &turns()), expected);
    let settings = ModelSettings { output_tokens_max: Some(9), ..settings };
    assert_eq!(body(&settings, &turns())["max_tokens"], 9);
}

#[test]
fn the_beginning_names_the_model_and_what_it_was_given() {
    let data = r#"{"type":"message_start","message":{"id":"m","type":"message","role":"assistant","content":[],
        "model":"large-2026","stop_reason":null,"usage":{"input_tokens":5,"cache_creation_input_tokens":3,"cache_read_input_tokens":2,"output_tokens":1}}}"#;
    let count = Count { input: Some(10), cached: Some(2), output: Some(1) };
    assert_eq!(pieces(data), [Piece::Model("large-2026".into()), Piece::Count(count)]);
}

#[test]
fn only_text_is_the_answer() {
    for (data, expected) in [
        (
            r#"{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hel"}}"#,
            vec![Piece::Text("Hel".into())],
        ),
        (r#"{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"Hm"}}"#, vec![]),
        (r#"{"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"x"}}"#, vec![]),
        (r#"{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{"}}"#, vec![]),
        (r#"{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":""}}"#, vec![]),
        (r#"{"type":"content_block_start","index":0,"content_block":{"type":"redacted_thinking","data":"x"}}"#, vec![]),
        (r#"{"type":"content_block_stop","index":0}"#, vec![]),
        (r#"{"type":"ping"}"#, vec![]),
        (r#"{"type":"something_new","x":1}"#, vec![]),
    ] {
        assert_eq!(pieces(data), expected, "{data}");
    }
}

#[test]
fn a_tool_is_named_when_its_block_begins() {
    let data = r#"{"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"t","name":"grep","input":{}}}"#;
    assert_eq!(pieces(data), [Piece::Tool("grep".into())]);
}

#[test]
fn the_ends_are_told_apart() {
    for (reason, expected) in [
        ("end_turn", Finish::Whole),
        ("tool_use", Finish::Whole),
        ("max_tokens", Finish::Length),
        ("refusal", Finish::Refused),
        ("model_context_window_exceeded", Finish::Full),
        ("odd", Finish::Other("odd".into())),
    ] {
        assert_eq!(finished(reason), [Piece::Finish(expected)]);
    }
    assert_eq!(pieces(r#"{"type":"message_stop"}"#), [Piece::End]);
}

#[test]
fn the_last_numbers_come_before_the_end() {
    let data = r#"{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":15}}"#;
    let count = Count { output: Some(15), ..Count::default() };
    assert_eq!(pieces(data), [Piece::Count(count), Piece::Finish(Finish::Whole)]);
}

#[test]
fn an_overloaded_provider_says_so_in_the_stream() {
    let data = r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#;
    let [Piece::Error(refused)] = &pieces(data)[..] else { unreachable!("one error") };
    assert!(refused.may_pass());
}

#[test]
fn what_is_not_json_is_said_to_be_none() {
    assert_eq!(read(&Event { name: "ping".into(), data: "{".into() }), Err(NotJson));
    assert_eq!(pieces(""), []);
}
