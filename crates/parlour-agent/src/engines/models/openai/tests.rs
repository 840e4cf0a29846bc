use super::{super::settings::Interface, *};

fn base(text: &str) -> Url {
    text.parse().expect("an address")
}

fn turns() -> Turns {
    let mut turns = Turns::default();
    turns.instruct("You are Coder.");
    turns.ask("Hi");
    turns.answer("Hello.");
    turns.ask("Go on");
    turns
}

fn settings(base_url: &str, output_tokens_max: Option<u32>) -> ModelSettings {
    ModelSettings { base_url: base_url.into(), output_tokens_max, ..ModelSettings::new(Interface::OpenAi, "small") }
}

fn pieces(data: &str) -> Vec<Piece> {
    read(&Event { name: String::new(), data: data.into() }).expect("readable")
}

fn finished(reason: &str) -> Vec<Piece> {
    pieces(&format!(r#"{{"choices":[{{"delta":{{}},"finish_reason":"{reason}"}}]}}"#))
}

#[test]
fn the_address_is_below_the_base_and_v1_is_the_usual_folder() {
    for (given, expected) in [
        ("https://api.openai.com/v1", "https://api.openai.com/v1/chat/completions"),
        ("http://localhost:11434", "http://localhost:11434/v1/chat/completions"),
        ("http://localhost:1/api/v3/", "http://localhost:1/api/v3/chat/completions"),
        ("http://localhost:1/v1/chat/completions", "http://localhost:1/v1/chat/completions"),
    ] {
        assert_eq!(url(&base(given)).as_str(), expected);
    }
}

#[test]
fn the_key_is_a_bearer_and_may_be_absent() {
    let headers = headers(Some(&Secret::new("sk-1"))).expect("headers");
    assert_eq!(headers[AUTHORIZATION], "Bearer sk-1");
    assert!(headers[AUTHORIZATION].is_sensitive());
    assert!(super::headers(None).expect("headers").is_empty());
}

#[test]
fn a_request_has_the_system_first_and_asks_for_numbers() {
    let expected = json!({
        "model": "small", "stream": true, "stream_options": {"include_usage": true},
        "messages": [
            {"role": "system", "content": "You are Coder."},
            {"role": "user", "content": "Hi"},
            {"role": "assistant", "content": "Hello."},
            {"role": "user", "content": "Go on"},
        ],
    });
    assert_eq!(body(&settings("http://localhost:1", None), &turns()), expected);
}

#[test]
fn the_limit_of_an_answer_has_the_name_that_the_server_knows() {
    let with = |url| body(&settings(url, Some(9)), &turns());
    assert_eq!(with("https://api.openai.com/v1")["max_completion_tokens"], 9);
    assert_eq!(with("http://localhost:11434/v1")["max_tokens"], 9);
    assert_eq!(with("https://openai.com.example/v1")["max_tokens"], 9);
}

#[test]
fn a_chunk_brings_text_and_the_name_of_the_model() {
    let data = r#"{"id":"c1","object":"chat.completion.chunk","created":1,"model":"small-2026","system_fingerprint":null,
        "choices":[{"index":0,"delta":{"role":"assistant","content":"Hel"},"logprobs":null,"finish_reason":null}],"usage":null}"#;
    assert_eq!(pieces(data), [Piece::Model("small-2026".into()), Piece::Text("Hel".into())]);
}

#[test]
fn numbers_come_with_or_without_choices() {
    let expected = [Piece::Count(Count { input: Some(9), cached: Some(4), output: Some(3) })];
    for choices in ["[]", "null"] {
        let data = format!(
            r#"{{"choices":{choices},"usage":{{"prompt_tokens":9,"completion_tokens":3,"total_tokens":12,"prompt_tokens_details":{{"cached_tokens":4}}}}}}"#
        );
        assert_eq!(pieces(&data), expected);
    }
    let without = r#"{"usage":{"prompt_tokens":9,"completion_tokens":3,"prompt_tokens_details":null}}"#;
    assert_eq!(pieces(without), [Piece::Count(Count { input: Some(9), cached: None, output: Some(3) })]);
}

#[test]
fn what_a_model_thinks_is_no_part_of_its_answer() {
    for data in [
        r#"{"choices":[{"delta":{"reasoning_content":"Hm","content":null}}]}"#,
        r#"{"choices":[{"delta":{"reasoning":"Hm","content":""}}]}"#,
        r#"{"choices":[{"delta":{"content":[{"type":"thinking","thinking":[{"type":"text","text":"Hm"}]}]}}]}"#,
    ] {
        assert_eq!(pieces(data), [], "{data}");
    }
    let parts = r#"{"choices":[{"delta":{"content":[{"type":"text","text":"Yes"}]}}]}"#;
    assert_eq!(pieces(parts), [Piece::Text("Yes".into())]);
}

#[test]
fn a_tool_is_named_once() {
    let first = r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"t","type":"function","function":{"name":"grep","arguments":""}}]}}]}"#;
    let next = r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"a\""}}]}}]}"#;
    let old = r#"{"choices":[{"delta":{"function_call":{"name":"grep","arguments":""}}}]}"#;
    assert_eq!(pieces(first), [Piece::Tool("grep".into())]);
    assert_eq!(pieces(next), []);
    assert_eq!(pieces(old), [Piece::Tool("grep".into())]);
}

#[test]
fn the_ends_are_told_apart() {
    for (reason, expected) in [
        ("stop", Finish::Whole),
        ("tool_calls", Finish::Whole),
        ("length", Finish::Length),
        ("content_filter", Finish::Filtered("content_filter".into())),
        ("abort", Finish::Other("abort".into())),
    ] {
        assert_eq!(finished(reason), [Piece::Finish(expected)]);
    }
    assert_eq!(finished(""), []);
    assert_eq!(pieces(" [DONE] "), [Piece::End]);
}

#[test]
fn a_refusal_in_own_words_is_no_text() {
    let data = r#"{"choices":[{"delta":{"refusal":"I cannot"}}]}"#;
    assert_eq!(pieces(data), [Piece::Refusal("I cannot".into())]);
}

#[test]
fn an_error_in_the_stream_is_found_in_all_its_forms() {
    let data = r#"{"error":{"message":"boom","type":"server_error","code":500}}"#;
    let [Piece::Error(refused)] = &pieces(data)[..] else { unreachable!("one error") };
    assert_eq!((refused.status, refused.message.as_str()), (Some(500), "boom"));
    let named = read(&Event { name: "error".into(), data: r#"{"message":"boom"}"#.into() }).expect("readable");
    assert!(matches!(&named[..], [Piece::Error(refused)] if refused.message == "boom"));
}

#[test]
fn what_is_not_json_is_said_to_be_none() {
    assert_eq!(read(&Event { name: String::new(), data: "<html>".into() }), Err(NotJson));
    assert_eq!(pieces(" "), []);
}
