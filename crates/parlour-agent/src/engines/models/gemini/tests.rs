use super::{super::settings::Interface, *};

fn turns() -> Turns {
    let mut turns = Turns::default();
    turns.instruct("You are Coder.");
    turns.ask("Hi");
    turns.answer("Hello.");
    turns.ask("Go on");
    turns
}

fn at(base: &str, model: &str) -> String {
    url(&base.parse().expect("address"), model).to_string()
}

fn pieces(data: &str) -> Vec<Piece> {
    read(&Event { name: String::new(), data: data.into() }).expect("readable")
}

fn finished(reason: &str) -> Vec<Piece> {
    pieces(&format!(r#"{{"candidates":[{{"finishReason":"{reason}","index":0}}]}}"#))
}

#[test]
fn the_model_stands_in_the_address_and_the_key_never_does() {
    let expected = "https://host.example/v1beta/models/small:streamGenerateContent?alt=sse";
    for (base, model) in [
        ("https://host.example", "small"),
        ("https://host.example/", "models/small"),
        ("https://host.example/v1beta/", "small"),
    ] {
        assert_eq!(at(base, model), expected);
    }
    assert_eq!(
        at("http://localhost:1/g", "a/../b?key=1#x"),
        "http://localhost:1/g/v1beta/models/a%2F..%2Fb%3Fkey=1%23x:streamGenerateContent?alt=sse"
    );
    let headers = headers(Some(&Secret::new("AIza1"))).expect("headers");
    assert!(headers["x-goog-api-key"] == "AIza1" && headers["x-goog-api-key"].is_sensitive());
}

#[test]
fn a_request_calls_the_assistant_model() {
    let settings = ModelSettings::new(Interface::Gemini, "small");
    let text = |text: &str| json!([{ "text": text }]);
    let expected = json!({
        "systemInstruction": {"parts": text("You are Coder.")},
        "contents": [
            {"role": "user", "parts": text("Hi")},
            {"role": "model", "parts": text("Hello.")},
            {"role": "user", "parts": text("Go on")},
        ],
    });
    assert_eq!(body(&settings, &turns()), expected);
    let settings = ModelSettings { output_tokens_max: Some(9), ..settings };
    assert_eq!(body(&settings, &turns())["generationConfig"], json!({"maxOutputTokens": 9}));
}

#[test]
fn a_part_brings_text_numbers_and_the_name_of_the_model() {
    let data = r#"{"candidates":[{"content":{"parts":[{"text":"Hel"},{"text":"lo"}],"role":"model"},"index":0}],
        "usageMetadata":{"promptTokenCount":9,"candidatesTokenCount":2,"thoughtsTokenCount":5,"cachedContentTokenCount":4,"totalTokenCount":16},
        "modelVersion":"small-001","responseId":"r"}"#;
    let count = Count { input: Some(9), cached: Some(4), output: Some(7) };
    let expected =
        [Piece::Model("small-001".into()), Piece::Count(count), Piece::Text("Hel".into()), Piece::Text("lo".into())];
    assert_eq!(pieces(data), expected);
}

#[test]
fn what_a_model_thinks_is_no_part_of_its_answer() {
    let data = r#"{"candidates":[{"content":{"parts":[{"text":"Hm","thought":true},{"thoughtSignature":"x"}]}}]}"#;
    assert_eq!(pieces(data), []);
}

#[test]
fn a_wish_for_a_tool_is_found() {
    let data = r#"{"candidates":[{"content":{"parts":[{"functionCall":{"name":"grep","args":{"a":1}}}]}}]}"#;
    assert_eq!(pieces(data), [Piece::Tool("grep".into())]);
}

#[test]
fn the_ends_are_told_apart() {
    for (reason, expected) in [
        ("STOP", Finish::Whole),
        ("FUNCTION_CALL", Finish::Whole),
        ("UNEXPECTED_TOOL_CALL", Finish::Whole),
        ("MAX_TOKENS", Finish::Length),
        ("SAFETY", Finish::Filtered("SAFETY".into())),
        ("PROHIBITED_CONTENT", Finish::Filtered("PROHIBITED_CONTENT".into())),
        ("OTHER", Finish::Other("OTHER".into())),
    ] {
        assert_eq!(finished(reason), [Piece::Finish(expected)]);
    }
    let blocked = pieces(r#"{"promptFeedback":{"blockReason":"BLOCKLIST"},"usageMetadata":{"promptTokenCount":3}}"#);
    assert_eq!(blocked[1], Piece::Finish(Finish::Filtered("BLOCKLIST".into())));
}

#[test]
fn numbers_cannot_overflow() {
    let data = format!(r#"{{"usageMetadata":{{"candidatesTokenCount":{0},"thoughtsTokenCount":{0}}}}}"#, u64::MAX);
    assert_eq!(pieces(&data), [Piece::Count(Count { output: Some(u64::MAX), ..Count::default() })]);
}

#[test]
fn an_error_in_the_stream_is_an_error() {
    let data = r#"{"error":{"code":503,"message":"The model is overloaded.","status":"UNAVAILABLE"}}"#;
    let [Piece::Error(refused)] = &pieces(data)[..] else { unreachable!("one error") };
    assert_eq!((refused.status, refused.may_pass()), (Some(503), true));
    assert_eq!(read(&Event { name: String::new(), data: "[".into() }), Err(NotJson));
}
