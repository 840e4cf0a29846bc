//! Silence of a provider, on a clock that moves by itself when nothing else happens.

use std::time::Duration;

use parlour_agent::engines::models::{Interface, ModelSettings};

use crate::{
    collected_answer::{answer_of, trouble_of},
    provider::{FakeProvider, ProviderReply, events_head, says},
};

fn short(settings: &mut ModelSettings) {
    settings.request_limits.first_byte = Duration::from_secs(50);
    settings.request_limits.between_pieces = Duration::from_secs(20);
    settings.request_limits.whole = Duration::from_secs(100);
}

#[tokio::test(start_paused = true)]
async fn a_silent_provider_times_out_without_a_retry() {
    for script in [vec![ProviderReply::Stall], vec![ProviderReply::Send(events_head()), ProviderReply::Stall]] {
        let provider = FakeProvider::playing(vec![script]).await;
        let (_, reason) = trouble_of(&provider.engine_with(Interface::OpenAi, short)).await;
        assert!(reason.ends_with("sent nothing for 50 s"), "{reason}");
        provider.until_left(1).await;
        assert_eq!(provider.asked().len(), 1);
    }
}

#[tokio::test(start_paused = true)]
async fn a_provider_that_stops_sending_leaves_a_cut_answer() {
    let script = vec![ProviderReply::Send(events_head()), ProviderReply::Send(says("Hel")), ProviderReply::Stall];
    let provider = FakeProvider::playing(vec![script]).await;
    let (text, reason) = trouble_of(&provider.engine_with(Interface::OpenAi, short)).await;
    assert_eq!(text, "Hel");
    assert!(reason.starts_with("the answer is cut: the provider at") && reason.ends_with("for 20 s"), "{reason}");
}

#[tokio::test(start_paused = true)]
async fn every_time_limit_is_at_most_that_of_the_whole_answer() {
    let script = vec![ProviderReply::Stall];
    let provider = FakeProvider::playing(vec![script]).await;
    let engine = provider.engine_with(Interface::OpenAi, |settings| {
        short(settings);
        settings.request_limits.whole = Duration::from_secs(9);
    });
    assert_eq!(trouble_of(&engine).await.1, "the answer took longer than the limit of 9 s");
}

#[tokio::test(start_paused = true)]
async fn a_finished_answer_does_not_wait_for_a_connection_that_stays_open() {
    let finish = b"data: {\"choices\":[{\"delta\":{\"content\":\"Hello\"},\"finish_reason\":\"stop\"}]}\n\n".to_vec();
    let provider = FakeProvider::playing(vec![vec![
        ProviderReply::Send(events_head()),
        ProviderReply::Send(finish),
        ProviderReply::Stall,
    ]])
    .await;
    let (text, end) = answer_of(&provider.engine_with(Interface::OpenAi, short)).await;
    assert_eq!(text, "Hello");
    let millis = end.expect("an answer").usage.and_then(|usage| usage.duration_ms).expect("a time");
    assert!(millis < 20_000, "{millis}");
}

#[tokio::test(start_paused = true)]
async fn an_endless_error_response_is_reported() {
    let head = b"HTTP/1.1 401 X\r\nContent-Length: 999\r\n\r\n{".to_vec();
    let provider = FakeProvider::playing(vec![vec![ProviderReply::Send(head), ProviderReply::Stall]]).await;
    let (_, reason) = trouble_of(&provider.engine_with(Interface::OpenAi, short)).await;
    assert_eq!(reason, "the provider refused the key (401)");
}
