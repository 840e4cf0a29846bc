//! Whole answers of every provider, as their streams look.

use parlour_agent::{engine::Engine, engines::models::Interface};
use parlour_core::engine::Usage;
use tokio_util::sync::CancellationToken;

use crate::{
    collected_answer::{CollectedAnswer, answer_of},
    provider::{DONE, FakeProvider, KEY, ProviderReply, events, events_head, says},
    question,
};

const TEXT: &str = "Grüße aus 🦀!";

/// Tokens that were given to a model, kept from before, and written by it.
type Numbers = [Option<u64>; 3];

/// Every recorded stream with its interface, the name of its model and its numbers.
const STREAMS: &[(Interface, &[u8], &str, Numbers)] = &[
    (Interface::OpenAi, include_bytes!("streams/openai.sse"), "small-2026-03-01", [Some(120), Some(64), Some(9)]),
    (Interface::OpenAi, include_bytes!("streams/ollama.sse"), "qwen3:8b", [None; 3]),
    (Interface::OpenAi, include_bytes!("streams/vllm.sse"), "org/model", [Some(30), None, Some(12)]),
    (Interface::OpenAi, include_bytes!("streams/llamacpp.sse"), "gguf", [None; 3]),
    (Interface::Anthropic, include_bytes!("streams/anthropic.sse"), "large-20260301", [Some(120), Some(64), Some(9)]),
    (Interface::Gemini, include_bytes!("streams/gemini.sse"), "small-001", [Some(120), Some(64), Some(9)]),
];

/// The numbers without the time that it took.
fn counted(usage: Option<Usage>) -> (String, Numbers, Option<u32>) {
    let usage = usage.expect("a model was asked");
    assert!(usage.duration_ms.is_some());
    let some = |tokens| (tokens > 0).then_some(tokens);
    (usage.model, [some(usage.input_tokens), usage.cached_tokens, some(usage.output_tokens)], usage.tries)
}

#[tokio::test]
async fn recorded_streams_of_all_servers_become_text_and_usage() {
    for (interface, stream, model, numbers) in STREAMS {
        let provider = FakeProvider::sending(events(stream)).await;
        let (text, end) = answer_of(&provider.engine(*interface)).await;
        assert_eq!(text, TEXT, "{model}");
        assert_eq!(counted(end.expect(model).usage), ((*model).to_owned(), *numbers, Some(1)));
    }
}

#[tokio::test]
async fn answers_do_not_depend_on_chunk_boundaries() {
    for (interface, stream, model, _) in STREAMS {
        let head = std::iter::once(ProviderReply::Send(events_head()));
        let script = head.chain(stream.iter().map(|byte| ProviderReply::Send(vec![*byte]))).collect();
        let provider = FakeProvider::playing(vec![script]).await;
        assert_eq!(answer_of(&provider.engine(*interface)).await.0, TEXT, "{model}");
    }
}

#[tokio::test]
async fn a_chunked_http_response_is_read() {
    let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n";
    let mut bytes = head.as_bytes().to_vec();
    for piece in [says("He"), says("llo"), DONE.to_vec()] {
        // Cut inside of an event: the frames of HTTP are not those of the events.
        for part in piece.chunks(7) {
            bytes.extend(format!("{:x};odd=1\r\n", part.len()).into_bytes());
            bytes.extend(part);
            bytes.extend(b"\r\n");
        }
    }
    bytes.extend(b"0\r\n\r\n");
    let provider = FakeProvider::sending(bytes).await;
    assert_eq!(answer_of(&provider.engine(Interface::OpenAi)).await.0, "Hello");
}

#[tokio::test]
async fn every_piece_is_written_when_it_arrives() {
    let script = vec![
        ProviderReply::Send(events_head()),
        ProviderReply::Send(says("One")),
        ProviderReply::Wait(1),
        ProviderReply::Send(says(" two")),
        ProviderReply::Wait(2),
        ProviderReply::Send(DONE.to_vec()),
    ];
    let provider = FakeProvider::playing(vec![script]).await;
    let (engine, mut page) = (provider.engine(Interface::OpenAi), CollectedAnswer::new());
    let mut text = page.watch();
    let prompt = question::plain();
    let answer = engine.answer(&prompt, &mut page, CancellationToken::new());
    let watch = async {
        text.wait_for(|text| text == "One").await.expect("the first piece");
        provider.go(1);
        text.wait_for(|text| text == "One two").await.expect("the second piece");
        provider.go(2);
    };
    let (end, ()) = tokio::join!(answer, watch);
    assert!(end.is_ok());
}

#[tokio::test]
async fn a_request_has_the_right_url_and_the_key_only_in_its_header() {
    for (interface, line, header, value) in [
        (Interface::OpenAi, "POST /v1/chat/completions", "authorization", format!("Bearer {KEY}")),
        (Interface::Anthropic, "POST /v1/messages", "x-api-key", KEY.to_owned()),
        (
            Interface::Gemini,
            "POST /v1beta/models/small:streamGenerateContent?alt=sse",
            "x-goog-api-key",
            KEY.to_owned(),
        ),
    ] {
        let provider = FakeProvider::sending(events(b"")).await;
        let engine = provider.engine_with(interface, |settings| settings.request_limits.tries_max = 1);
        let (_, end) = answer_of(&engine).await;
        let asked = &provider.asked()[0];
        assert_eq!((asked.line.as_str(), asked.header(header)), (line, Some(value.as_str())));
        assert_eq!(asked.header("content-type"), Some("application/json"));
        assert_eq!(asked.header("accept-encoding"), None);
        assert!(asked.body.to_string().contains("[from Mara, person]\\nGreetings, @Coder"));
        let elsewhere = format!("{} {} {engine:?} {end:?} {}", asked.line, asked.body, engine.runtime());
        assert!(!elsewhere.contains(KEY), "{elsewhere}");
    }
}

#[tokio::test]
async fn a_tool_call_is_reported_as_a_step_and_the_answer_continues() {
    let tool = r#"data: {"choices":[{"delta":{"tool_calls":[{"index":0,"id":"t","function":{"name":"grep","arguments":"{}"}}]}}]}"#;
    let provider =
        FakeProvider::sending(events(&[tool.as_bytes(), b"\n\n", &says("Done without."), DONE].concat())).await;
    let mut page = CollectedAnswer::new();
    let engine = provider.engine(Interface::OpenAi);
    engine.answer(&question::plain(), &mut page, CancellationToken::new()).await.expect("an answer");
    assert_eq!(page.text(), "Done without.");
    let [(name, end)] = page.steps() else { unreachable!("one step") };
    assert!(name == "tool: grep" && end.is_error, "{name} {end:?}");
}

#[tokio::test]
async fn an_optional_call_may_get_an_empty_answer() {
    for pieces in [vec!["NOTH", "ING"], vec!["\n"], vec![]] {
        let stream: Vec<u8> = pieces.iter().flat_map(|piece| says(piece)).chain(DONE.iter().copied()).collect();
        let provider = FakeProvider::sending(events(&stream)).await;
        let mut page = CollectedAnswer::new();
        let engine = provider.engine(Interface::OpenAi);
        engine.answer(&question::optional(), &mut page, CancellationToken::new()).await.expect("silence");
        assert_eq!(page.text(), "", "{pieces:?}");
    }
}
