//! When a request is made again, and when never.

use parlour_agent::{
    engine::Engine,
    engines::models::{Interface, ModelEngine, ModelSettings, RequestLimits},
};
use std::time::Duration;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::{
    collected_answer::{CollectedAnswer, answer_of, trouble_of},
    provider::{DONE, FakeProvider, ProviderReply, answer, events, events_head, says},
    question,
};

const OVERLOADED: &[u8] =
    b"event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}}\n\n";

fn hello() -> Vec<ProviderReply> {
    vec![ProviderReply::Send(events(&[says("Hello").as_slice(), DONE].concat()))]
}

fn refusing(status: u16, headers: &str) -> Vec<ProviderReply> {
    vec![ProviderReply::Send(answer(status, headers, r#"{"error":{"message":"later"}}"#))]
}

/// Waits the usual times; the clock of the test is moved on by itself.
fn patient(settings: &mut ModelSettings) {
    settings.request_limits = RequestLimits::default();
}

#[tokio::test]
async fn transient_errors_are_retried_with_the_same_request() {
    let scripts = vec![refusing(429, ""), vec![], refusing(503, "Retry-After: 0\r\n"), hello()];
    let provider = FakeProvider::playing(scripts).await;
    let (text, end) = answer_of(&provider.engine(Interface::OpenAi)).await;
    assert_eq!(text, "Hello");
    assert_eq!(end.expect("an answer").usage.and_then(|usage| usage.tries), Some(4));
    let asked = provider.asked();
    assert_eq!(asked.len(), 4);
    assert!(asked.iter().all(|request| request.body == asked[0].body));
}

#[tokio::test]
async fn the_final_error_states_the_number_of_attempts() {
    let provider = FakeProvider::playing(vec![refusing(500, ""); 9]).await;
    let (text, reason) = trouble_of(&provider.engine(Interface::OpenAi)).await;
    assert_eq!(text, "");
    assert_eq!(reason, "the provider has an internal error (500): later (asked 4 times)");
    assert_eq!(provider.asked().len(), 4);
}

#[tokio::test]
async fn permanent_errors_are_not_retried() {
    for status in [400, 401, 403, 404, 422] {
        let provider = FakeProvider::playing(vec![refusing(status, ""); 2]).await;
        trouble_of(&provider.engine(Interface::OpenAi)).await;
        assert_eq!(provider.asked().len(), 1, "{status}");
    }
}

#[tokio::test]
async fn an_unreachable_address_has_a_plain_error() {
    // A port that was free a moment ago: nobody listens there now.
    let address = {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
        listener.local_addr().expect("bound").to_string()
    };
    let none = Duration::ZERO;
    let settings = ModelSettings {
        base_url: format!("http://{address}"),
        request_limits: RequestLimits { pause_first: none, pause_max: none, ..RequestLimits::default() },
        ..ModelSettings::new(Interface::OpenAi, "small")
    };
    let (_, reason) = trouble_of(&ModelEngine::new(settings).expect("an engine")).await;
    assert_eq!(reason, format!("the provider at {address} cannot be reached (asked 4 times)"));
}

#[tokio::test]
async fn an_overload_is_retried_only_before_the_first_text() {
    let word = b"data: {\"type\":\"content_block_delta\",\"delta\":{\"type\":\"text_delta\",\"text\":\"Hel\"}}\n\n";
    let begun = events(&[word.as_slice(), OVERLOADED].concat());
    let provider =
        FakeProvider::playing(vec![vec![ProviderReply::Send(events(OVERLOADED))], vec![ProviderReply::Send(begun)]])
            .await;
    let (text, reason) = trouble_of(&provider.engine(Interface::Anthropic)).await;
    assert_eq!((text.as_str(), provider.asked().len()), ("Hel", 2));
    assert_eq!(reason, "the answer is cut: the provider is overloaded: Overloaded");
}

#[tokio::test]
async fn an_incomplete_answer_is_kept_and_reported_as_cut() {
    for end in [says("lf"), b"data: {\"choices\":[{\"delta\":{\"con".to_vec()] {
        let provider =
            FakeProvider::playing(vec![vec![ProviderReply::Send(events(&[says("Ha"), end].concat()))], hello()]).await;
        let (text, reason) = trouble_of(&provider.engine(Interface::OpenAi)).await;
        assert!(text.starts_with("Ha") && reason.starts_with("the answer is cut: the connection"), "{text}: {reason}");
        assert_eq!(provider.asked().len(), 1);
    }
}

#[tokio::test(start_paused = true)]
async fn a_requested_retry_pause_is_respected() {
    let provider = FakeProvider::playing(vec![refusing(429, "Retry-After: 7\r\n"), hello()]).await;
    let begin = Instant::now();
    assert_eq!(answer_of(&provider.engine_with(Interface::OpenAi, patient)).await.0, "Hello");
    assert!(begin.elapsed() >= Duration::from_secs(7), "{:?}", begin.elapsed());
}

#[tokio::test(start_paused = true)]
async fn a_too_long_requested_pause_ends_the_retries() {
    let provider = FakeProvider::playing(vec![refusing(429, "Retry-After: 3600\r\n"), hello()]).await;
    let (_, reason) = trouble_of(&provider.engine_with(Interface::OpenAi, patient)).await;
    assert!(reason.ends_with("later; it requests a wait of 3600 s"), "{reason}");
    assert_eq!(provider.asked().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn pauses_grow_up_to_a_limit() {
    let provider = FakeProvider::playing(vec![refusing(503, ""), refusing(503, ""), refusing(503, ""), hello()]).await;
    let begin = Instant::now();
    answer_of(&provider.engine_with(Interface::OpenAi, patient)).await.1.expect("an answer");
    let most = Duration::from_millis(500 + 1_000 + 2_000 + 100);
    assert!(begin.elapsed() <= most, "{:?}", begin.elapsed());
}

#[tokio::test]
async fn a_stop_ends_a_running_answer_at_once() {
    let script = vec![ProviderReply::Send(events_head()), ProviderReply::Send(says("Hel")), ProviderReply::Stall];
    let provider = FakeProvider::playing(vec![script]).await;
    let (engine, mut page, stop) =
        (provider.engine(Interface::OpenAi), CollectedAnswer::new(), CancellationToken::new());
    let (mut text, prompt) = (page.watch(), question::plain());
    let answer = engine.answer(&prompt, &mut page, stop.clone());
    let halt = async {
        text.wait_for(|text| text == "Hel").await.expect("the first piece");
        stop.cancel();
    };
    let (end, ()) = tokio::join!(answer, halt);
    assert_eq!(end.expect_err("stopped").reason, "the answer was stopped");
    // The connection was let go as well: the stand-in sees its caller leave.
    provider.until_left(1).await;
}

#[tokio::test]
async fn a_stop_ends_pauses_and_waits_at_once() {
    let long = |settings: &mut ModelSettings| {
        let hour = Duration::from_secs(3_600);
        settings.request_limits =
            RequestLimits { pause_first: hour, pause_max: hour, whole: hour, ..RequestLimits::default() };
    };
    for script in [refusing(429, "Retry-After: 29\r\n"), vec![ProviderReply::Stall]] {
        let provider = FakeProvider::playing(vec![script, hello()]).await;
        let (engine, mut page) = (provider.engine_with(Interface::OpenAi, long), CollectedAnswer::new());
        let (stop, prompt) = (CancellationToken::new(), question::plain());
        let answer = engine.answer(&prompt, &mut page, stop.clone());
        let halt = async {
            provider.until_asked(1).await;
            stop.cancel();
        };
        let (end, ()) = tokio::join!(answer, halt);
        assert_eq!(end.expect_err("stopped").reason, "the answer was stopped");
        provider.until_left(1).await;
        assert_eq!(provider.asked().len(), 1);
    }
}

#[tokio::test]
async fn a_failure_contains_the_usage_so_far() {
    let numbers = b"data: {\"choices\":[{\"delta\":{\"content\":\"Hi\"}}],\"usage\":{\"prompt_tokens\":5,\"completion_tokens\":1}}\n\n";
    let provider = FakeProvider::sending(events(numbers)).await;
    let (_, end) = answer_of(&provider.engine(Interface::OpenAi)).await;
    let usage = end.expect_err("cut").usage.expect("counted");
    assert_eq!((usage.input_tokens, usage.output_tokens, usage.tries), (5, 1, Some(1)));
}
