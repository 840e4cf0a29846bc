//! Silence of a provider, on a clock that moves by itself when nothing else happens.

use std::time::Duration;

use parlour_agent::engines::models::{Interface, ModelSettings};

use crate::{
    page::{answer_of, trouble_of},
    provider::{Provider, ProviderReply, events_head, says},
};

fn short(settings: &mut ModelSettings) {
    settings.patience.first_byte = Duration::from_secs(50);
    settings.patience.between_pieces = Duration::from_secs(20);
    settings.patience.whole = Duration::from_secs(100);
}

#[tokio::test(start_paused = true)]
async fn a_silent_provider_is_not_waited_for_any_longer_and_not_asked_again() {
    for script in [vec![ProviderReply::Stall], vec![ProviderReply::Send(events_head()), ProviderReply::Stall]] {
        let provider = Provider::playing(vec![script]).await;
        let (_, reason) = trouble_of(&provider.engine_with(Interface::OpenAi, short)).await;
        assert!(reason.ends_with("was silent for 50 s"), "{reason}");
        provider.until_left(1).await;
        assert_eq!(provider.asked().len(), 1);
    }
}

#[tokio::test(start_paused = true)]
async fn a_provider_that_falls_silent_leaves_a_cut_answer() {
    let script = vec![ProviderReply::Send(events_head()), ProviderReply::Send(says("Hel")), ProviderReply::Stall];
    let provider = Provider::playing(vec![script]).await;
    let (text, reason) = trouble_of(&provider.engine_with(Interface::OpenAi, short)).await;
    assert_eq!(text, "Hel");
    assert!(reason.starts_with("the answer is cut: the provider at") && reason.ends_with("for 20 s"), "{reason}");
}

#[tokio::test(start_paused = true)]
async fn no_time_limit_is_longer_than_that_of_the_whole_answer() {
    let script = vec![ProviderReply::Stall];
    let provider = Provider::playing(vec![script]).await;
    let engine = provider.engine_with(Interface::OpenAi, |settings| {
        short(settings);
        settings.patience.whole = Duration::from_secs(9);
    });
    assert_eq!(trouble_of(&engine).await.1, "the answer took longer than 9 s, which is the limit");
}

#[tokio::test(start_paused = true)]
async fn a_finished_answer_does_not_wait_for_a_connection_that_stays_open() {
    let finish = b"data: {\"choices\":[{\"delta\":{\"content\":\"Hello\"},\"finish_reason\":\"stop\"}]}\n\n".to_vec();
    let provider = Provider::playing(vec![vec![
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
async fn a_refusal_that_does_not_end_is_told_all_the_same() {
    let head = b"HTTP/1.1 401 X\r\nContent-Length: 999\r\n\r\n{".to_vec();
    let provider = Provider::playing(vec![vec![ProviderReply::Send(head), ProviderReply::Stall]]).await;
    let (_, reason) = trouble_of(&provider.engine_with(Interface::OpenAi, short)).await;
    assert_eq!(reason, "the provider refused the key (401)");
}
