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

use super::TokenFixture;
use crate::support::{TestHub, refused, say, token_request};

impl TokenFixture {
    /// A token of Mara that expires after a minute.
    async fn short_token(&self, format: TokenFormat) -> String {
        let request = IssueToken { expires_in_seconds: Some(60), ..token_request(None, format, None) };
        self.test.hub.issue_token(&self.mara, request).await.expect("issued").secret.expect("secret")
    }
}

#[tokio::test]
async fn an_expired_token_does_not_authenticate() {
    let fixture = TokenFixture::new().await;
    for format in [TokenFormat::Jwt, TokenFormat::Static] {
        let token = fixture.short_token(format).await;
        fixture.test.clock.advance(59_999);
        fixture.test.hub.sign_in(&token).await.expect("not yet");
        fixture.test.clock.advance(1);
        assert_eq!(refused(fixture.test.hub.sign_in(&token).await), Code::Unauthenticated);
        assert_eq!(refused(fixture.test.forgetful().sign_in(&token).await), Code::Unauthenticated);
    }
}

#[tokio::test]
async fn a_session_with_an_expired_token_cannot_read_or_write() {
    let fixture = TokenFixture::new().await;
    let hub = &fixture.test.hub;
    let session = hub.open_session(&fixture.short_token(TokenFormat::Jwt).await).await.expect("session");
    let channel = fixture.test.channel(&fixture.mara, &fixture.project, "general").await;
    let request = PostMessage { stream: true, ..say(&channel, "") };
    let answer = hub.post_message(session.caller(), request).await.expect("begun").message;
    let chunk = || AddChunk { start: None, text: "more".into() };
    hub.add_chunk(session.caller(), &answer.id, chunk()).await.expect("added");
    fixture.test.clock.advance(60_000);
    assert_eq!(session.ended().await, SessionEnd::SignedOut);
    assert_eq!(refused(hub.add_chunk(session.caller(), &answer.id, chunk()).await), Code::Unauthenticated);
    let subscribed = session.subscribe(&fixture.project, StartPosition::Now).await;
    assert_eq!(refused(subscribed.map(drop)), Code::Unauthenticated);
}

#[tokio::test]
async fn a_session_ends_when_its_token_expires() {
    let fixture = TokenFixture::new().await;
    let session =
        fixture.test.hub.open_session(&fixture.short_token(TokenFormat::Static).await).await.expect("session");
    let waiting = tokio::spawn(async move { session.ended().await });
    tokio::task::yield_now().await;
    fixture.test.clock.advance(59_999);
    tokio::task::yield_now().await;
    assert!(!waiting.is_finished());
    fixture.test.clock.advance(1);
    assert_eq!(waiting.await.expect("the session ended"), SessionEnd::SignedOut);
}

#[tokio::test]
async fn a_running_hub_deletes_expired_tokens() {
    let fixture = TokenFixture::new().await;
    fixture.short_token(TokenFormat::Static).await;
    assert_eq!(fixture.tokens_of(&fixture.mara).await.len(), 2);
    fixture.test.clock.advance(60_001);
    let stop = tokio_util::sync::CancellationToken::new();
    let running = tokio::spawn(std::sync::Arc::clone(&fixture.test.hub).drive(stop.clone()));
    while fixture.tokens_of(&fixture.mara).await.len() > 1 {
        tokio::task::yield_now().await;
    }
    stop.cancel();
    running.await.expect("stopped");
}

#[tokio::test]
async fn a_signed_token_expires_by_default_and_a_static_one_does_not() {
    let test = TestHub::new().await;
    let request = |format| token_request(None, format, Some([Scope::MessagesRead].into_iter().collect::<Scopes>()));
    let signed = test.hub.issue_token(&test.admin, request(TokenFormat::Jwt)).await.expect("issued").token;
    let lives_ms = signed.expires_at.expect("an end").as_millis() - signed.created_at.as_millis();
    assert_eq!(lives_ms, limits::TOKEN_SECONDS_DEFAULT as i64 * 1_000);
    let random = test.hub.issue_token(&test.admin, request(TokenFormat::Static)).await.expect("issued").token;
    assert_eq!(random.expires_at, None);
}
