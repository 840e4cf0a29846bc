//! Providers that send something else than an answer, or only a part of one.

use parlour_agent::{
    engine::Engine,
    engines::models::{Interface, ModelSettings},
};
use tokio_util::sync::CancellationToken;

use crate::{
    collected_answer::{CollectedAnswer, trouble_of},
    provider::{DONE, FakeProvider, KEY, ProviderReply, answer, events, events_head, says},
    question,
};

/// Why there is no answer when exactly these bytes come once, without another try.
async fn reason_of(interface: Interface, bytes: Vec<u8>) -> (String, String) {
    let provider = FakeProvider::sending(bytes).await;
    trouble_of(&provider.engine_with(interface, once)).await
}

fn once(settings: &mut ModelSettings) {
    settings.request_limits.tries_max = 1;
}

#[tokio::test]
async fn errors_of_every_provider_have_plain_texts() {
    let openai = format!(
        r#"{{"error":{{"message":"Incorrect API key provided: {KEY}.","type":"invalid_request_error","code":"invalid_api_key"}}}}"#
    );
    let anthropic = r#"{"type":"error","error":{"type":"not_found_error","message":"model: small"},"request_id":"r"}"#;
    let gemini = r#"{"error":{"code":400,"message":"The input token count exceeds the maximum number of tokens allowed (1048576).","status":"INVALID_ARGUMENT"}}"#;
    let bad_key = r#"{"error":{"code":400,"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT"}}"#;
    let quota = r#"{"error":{"message":"You exceeded your current quota.","type":"insufficient_quota","code":"insufficient_quota"}}"#;
    for (interface, status, body, expected) in [
        (
            Interface::OpenAi,
            401,
            openai.as_str(),
            "the provider refused the key (401): Incorrect API key provided: (hidden).",
        ),
        (
            Interface::OpenAi,
            429,
            quota,
            "the provider account has no credit left (429): You exceeded your current quota.",
        ),
        (
            Interface::Anthropic,
            404,
            anthropic,
            "the provider has no model small, or the URL is wrong (404): model: small",
        ),
        (
            Interface::Gemini,
            400,
            gemini,
            "the conversation is too long for the model small (400): The input token count",
        ),
        (Interface::Gemini, 400, bad_key, "the provider refused the key (400): API key not valid."),
        (Interface::OpenAi, 502, "<html>Bad Gateway</html>", "the provider has an internal error (502)"),
    ] {
        let (_, reason) = reason_of(interface, answer(status, "", body)).await;
        assert!(reason.starts_with(expected), "{reason}");
        assert!(!reason.contains(KEY) && !reason.contains('\n'), "{reason}");
    }
}

#[tokio::test]
async fn a_closed_connection_and_an_unreachable_provider_have_different_errors() {
    for bytes in [&b""[..], b"HTTP/1.1 200", b"SSH-2.0-nothing of the sort\r\n"] {
        let (_, reason) = reason_of(Interface::OpenAi, bytes.to_vec()).await;
        assert!(reason.ends_with("closed the connection without an answer"), "{reason}");
    }
}

#[tokio::test]
async fn a_redirect_is_not_followed_with_the_key() {
    let elsewhere = FakeProvider::playing(vec![vec![]]).await;
    let to = format!("Location: {}/v1/chat/completions\r\n", elsewhere.url);
    let (_, reason) = reason_of(Interface::OpenAi, answer(307, &to, "")).await;
    assert_eq!(reason, "the provider redirects to another URL, which is not followed (307)");
    assert!(elsewhere.asked().is_empty());
}

#[tokio::test]
async fn a_response_that_is_not_an_event_stream_is_named() {
    for (headers, body, words) in [
        ("Content-Type: text/html\r\n", "<html>", "answered with text/html instead of an event stream"),
        ("Content-Type: application/json\r\n", "{}", "answered with application/json instead"),
        ("Content-Type: application/json\r\n", r#"{"error":"no such model"}"#, "no such model"),
        ("Content-Type: text/event-stream\r\nContent-Encoding: gzip\r\n", "\u{1f}", "a compressed answer (gzip)"),
        ("Content-Type: text/event-stream\r\n", "data: <html>\n\n", "is not JSON"),
    ] {
        let (text, reason) = reason_of(Interface::OpenAi, answer(200, headers, body)).await;
        assert!(text.is_empty() && reason.contains(words), "{reason}");
    }
}

#[tokio::test]
async fn a_response_without_a_content_type_is_read_as_a_stream() {
    let bytes = [b"HTTP/1.1 200 OK\r\n\r\n".to_vec(), says("Hello"), DONE.to_vec()].concat();
    let provider = FakeProvider::sending(bytes).await;
    let mut page = CollectedAnswer::new();
    let engine = provider.engine(Interface::OpenAi);
    engine.answer(&question::plain(), &mut page, CancellationToken::new()).await.expect("an answer");
    assert_eq!(page.text(), "Hello");
}

#[tokio::test]
async fn invalid_utf_8_ends_the_answer_after_the_text_before_it() {
    let (text, reason) =
        reason_of(Interface::OpenAi, events(&[says("Hel"), b"data: \xff\xfe\n\n".to_vec()].concat())).await;
    assert_eq!(text, "Hel");
    assert!(reason.starts_with("the answer ") && reason.ends_with("an event is not UTF-8"), "{reason}");
}

#[tokio::test]
async fn an_endless_line_is_refused() {
    let mut script = vec![ProviderReply::Send(events_head())];
    script.extend((0..64).map(|_| ProviderReply::Send(vec![b'x'; 64 * 1024])));
    script.push(ProviderReply::Stall);
    let provider = FakeProvider::playing(vec![script]).await;
    let (_, reason) = trouble_of(&provider.engine_with(Interface::OpenAi, once)).await;
    assert!(reason.ends_with("an event is too large"), "{reason}");
    provider.until_left(1).await;
}

#[tokio::test]
async fn an_answer_of_ten_megabytes_is_streamed() {
    let piece = "0123456789abcdef".repeat(4_096);
    let mut script = vec![ProviderReply::Send(events_head())];
    script.extend((0..160).map(|_| ProviderReply::Send(says(&piece))));
    script.push(ProviderReply::Send(DONE.to_vec()));
    let provider = FakeProvider::playing(vec![script]).await;
    let mut page = CollectedAnswer::new();
    let engine = provider.engine(Interface::OpenAi);
    engine.answer(&question::plain(), &mut page, CancellationToken::new()).await.expect("an answer");
    assert_eq!(page.text().len(), 160 * piece.len());
}

#[tokio::test]
async fn a_stopped_answer_closes_the_connection_to_the_provider() {
    let piece = "0123456789abcdef".repeat(4_096);
    let mut script = vec![ProviderReply::Send(events_head())];
    script.extend((0..1_000).map(|_| ProviderReply::Send(says(&piece))));
    let provider = FakeProvider::playing(vec![script]).await;
    let mut page = CollectedAnswer::of(1_000_000);
    let engine = provider.engine(Interface::OpenAi);
    let end = engine.answer(&question::plain(), &mut page, CancellationToken::new()).await;
    assert_eq!(end.expect_err("stopped").reason, "the answer was stopped");
    assert!(page.text().len() < 1_200_000);
    provider.until_left(1).await;
}

#[tokio::test]
async fn incomplete_ends_are_reported_and_the_text_stays() {
    let finish = |reason: &str| {
        format!("data: {{\"choices\":[{{\"delta\":{{}},\"finish_reason\":\"{reason}\"}}]}}\n\n").into_bytes()
    };
    let openai = |reason: &str| [says("Hel"), finish(reason)].concat();
    let anthropic = b"data: {\"type\":\"content_block_delta\",\"delta\":{\"type\":\"text_delta\",\"text\":\"Hel\"}}\n\ndata: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"max_tokens\"}}\n\ndata: {\"type\":\"message_stop\"}\n\n".to_vec();
    let gemini = br#"data: {"candidates":[{"content":{"parts":[{"text":"Hel"}]},"finishReason":"SAFETY"}]}"#.to_vec();
    for (interface, stream, words) in [
        (Interface::OpenAi, openai("length"), "the answer is cut at the token limit of the provider"),
        (Interface::OpenAi, openai("content_filter"), "a content filter of the provider stopped the answer"),
        (Interface::OpenAi, openai("error"), "the provider ended the answer early (error)"),
        (Interface::Anthropic, anthropic, "the answer is cut at its limit of 8192 tokens"),
        (Interface::Gemini, gemini, "a content filter of the provider stopped the answer (SAFETY)"),
    ] {
        let (text, reason) = reason_of(interface, events(&stream)).await;
        assert_eq!(text, "Hel");
        assert!(reason.contains(words), "{reason}");
    }
}

#[tokio::test]
async fn a_blocked_prompt_and_a_refusal_are_reported() {
    let blocked = br#"data: {"promptFeedback":{"blockReason":"PROHIBITED_CONTENT"}}"#;
    let (_, reason) = reason_of(Interface::Gemini, events(blocked)).await;
    assert_eq!(reason, "a content filter of the provider stopped the answer (PROHIBITED_CONTENT)");
    let refusal = br#"data: {"choices":[{"delta":{"refusal":"I can't help with that."},"finish_reason":"stop"}]}"#;
    let (_, reason) = reason_of(Interface::OpenAi, events(refusal)).await;
    assert_eq!(reason, "the model refused to answer: I can't help with that.");
}

#[tokio::test]
async fn a_required_call_may_not_get_an_empty_answer() {
    let (_, reason) = reason_of(Interface::OpenAi, events(DONE)).await;
    assert_eq!(reason, "the model returned an empty answer");
}
