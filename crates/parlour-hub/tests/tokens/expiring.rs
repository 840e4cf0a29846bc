use parlour_core::{
    Code, limits,
    live::AddChunk,
    post::PostMessage,
    scope::{Scope, Scopes},
};
use parlour_hub::{
    live::{SessionEnd, StartPosition},
    use_cases::{IssueToken, TokenFormat},
};

use super::Stage;
use crate::support::{TestHub, refused, say, wish_for};

impl Stage {
    /// A token of Mara that ends after a minute.
    async fn short_token(&self, wanted: TokenFormat) -> String {
        let request = IssueToken { expires_in_seconds: Some(60), ..wish_for(None, wanted, None) };
        self.test.hub.issue_token(&self.mara, request).await.expect("issued").secret.expect("secret")
    }
}

#[tokio::test]
async fn a_token_lets_nobody_in_after_its_end() {
    let stage = Stage::new().await;
    for wanted in [TokenFormat::Jwt, TokenFormat::Static] {
        let token = stage.short_token(wanted).await;
        stage.test.clock.advance(59_999);
        stage.test.hub.sign_in(&token).await.expect("not yet");
        stage.test.clock.advance(1);
        assert_eq!(refused(stage.test.hub.sign_in(&token).await), Code::Unauthenticated);
        assert_eq!(refused(stage.test.forgetful().sign_in(&token).await), Code::Unauthenticated);
        stage.test.clock.advance(0);
    }
}

#[tokio::test]
async fn a_session_ends_with_its_token_and_reads_and_writes_nothing_after() {
    let stage = Stage::new().await;
    let hub = &stage.test.hub;
    let session = hub.open_session(&stage.short_token(TokenFormat::Jwt).await).await.expect("session");
    let channel = stage.test.channel(&stage.mara, &stage.project, "general").await;
    let request = PostMessage { stream: true, ..say(&channel, "") };
    let answer = hub.post_message(session.caller(), request).await.expect("begun").message;
    let chunk = || AddChunk { start: None, text: "more".into() };
    hub.add_chunk(session.caller(), &answer.id, chunk()).await.expect("added");
    stage.test.clock.advance(60_000);
    assert_eq!(session.ended().await, SessionEnd::SignedOut);
    assert_eq!(refused(hub.add_chunk(session.caller(), &answer.id, chunk()).await), Code::Unauthenticated);
    let subscribed = session.subscribe(&stage.project, StartPosition::Now).await;
    assert_eq!(refused(subscribed.map(drop)), Code::Unauthenticated);
}

#[tokio::test]
async fn whoever_waits_for_the_end_of_a_session_is_woken_when_its_token_expires() {
    let stage = Stage::new().await;
    let session = stage.test.hub.open_session(&stage.short_token(TokenFormat::Static).await).await.expect("session");
    let waiting = tokio::spawn(async move { session.ended().await });
    tokio::task::yield_now().await;
    stage.test.clock.advance(59_999);
    tokio::task::yield_now().await;
    assert!(!waiting.is_finished());
    stage.test.clock.advance(1);
    assert_eq!(waiting.await.expect("told"), SessionEnd::SignedOut);
}

#[tokio::test]
async fn a_running_hub_forgets_tokens_that_have_expired() {
    let stage = Stage::new().await;
    stage.short_token(TokenFormat::Static).await;
    assert_eq!(stage.tokens_of(&stage.mara).await.len(), 2);
    stage.test.clock.advance(60_001);
    let stop = tokio_util::sync::CancellationToken::new();
    let running = tokio::spawn(std::sync::Arc::clone(&stage.test.hub).drive(stop.clone()));
    while stage.tokens_of(&stage.mara).await.len() > 1 {
        tokio::task::yield_now().await;
    }
    stop.cancel();
    running.await.expect("stopped");
}

#[tokio::test]
async fn a_signed_token_always_ends_and_a_static_one_need_not() {
    let test = TestHub::new().await;
    let request = |wanted| wish_for(None, wanted, Some([Scope::MessagesRead].into_iter().collect::<Scopes>()));
    let signed = test.hub.issue_token(&test.admin, request(TokenFormat::Jwt)).await.expect("issued").token;
    let lives_ms = signed.expires_at.expect("an end").as_millis() - signed.created_at.as_millis();
    assert_eq!(lives_ms, limits::TOKEN_SECONDS_DEFAULT as i64 * 1_000);
    let random = test.hub.issue_token(&test.admin, request(TokenFormat::Static)).await.expect("issued").token;
    assert_eq!(random.expires_at, None);
}
