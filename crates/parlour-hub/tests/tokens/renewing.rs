use parlour_core::{
    Code,
    scope::{JoinRole, Scope},
};
use parlour_hub::{
    live::SessionEnd,
    use_cases::{IssueToken, TokenFormat},
};

use super::TokenFixture;
use crate::support::{refused, token_request};

#[tokio::test]
async fn a_renewed_token_keeps_kind_label_scopes_and_lifetime_and_revokes_the_old_one() {
    let fixture = TokenFixture::new().await;
    let hub = &fixture.test.hub;
    for format in [TokenFormat::Jwt, TokenFormat::Static] {
        let request = IssueToken {
            label: "robot".into(),
            expires_in_seconds: Some(3_600),
            ..token_request(None, format, Some([Scope::MessagesRead].into_iter().collect()))
        };
        let old = hub.issue_token(&fixture.mara, request).await.expect("issued");
        let secret = old.secret.expect("secret");
        fixture.test.clock.advance(1_234);
        let session = hub.open_session(&secret).await.expect("session");
        let new = hub.renew_token(session.caller()).await.expect("any token renews itself");
        assert_eq!(session.ended().await, SessionEnd::SignedOut);
        assert_eq!(refused(hub.sign_in(&secret).await), Code::Unauthenticated);
        let caller = hub.sign_in(&new.secret.expect("secret")).await.expect("signed in");
        assert_eq!((caller.member, caller.grant.scopes), (fixture.mara.member.clone(), old.token.scopes));
        let like = |token: &parlour_core::token::Token| (token.kind, token.label.clone(), token.scopes);
        assert_eq!(like(&new.token), like(&old.token));
        let length = |token: &parlour_core::token::Token| {
            (token.expires_at.expect("an end").as_millis() - token.created_at.as_millis()) / 1_000
        };
        assert_eq!(length(&new.token), 3_600);
    }
}

#[tokio::test]
async fn a_revoked_token_cannot_be_renewed() {
    let fixture = TokenFixture::new().await;
    let hub = &fixture.test.hub;
    let request = token_request(None, TokenFormat::Jwt, None);
    let lost = hub.issue_token(&fixture.mara, request).await.expect("issued");
    let thief = hub.sign_in(&lost.secret.expect("secret")).await.expect("signed in before");
    hub.revoke_token(&fixture.mara, &lost.token.id).await.expect("revoked");
    let before = fixture.tokens_of(&fixture.mara).await;
    assert_eq!(refused(hub.renew_token(&thief).await), Code::Unauthenticated);
    assert_eq!(fixture.tokens_of(&fixture.mara).await, before);
}

#[tokio::test]
async fn browser_sessions_and_certificates_cannot_be_renewed() {
    let fixture = TokenFixture::new().await;
    let hub = &fixture.test.hub;
    let code = hub.make_link(&fixture.mara, fixture.mara.person().expect("person")).await.expect("link");
    let browser = hub.sign_in_with_link(&code, Default::default()).await.expect("signed in");
    assert_eq!(refused(hub.renew_token(&browser.caller).await), Code::Forbidden);
    let request = token_request(Some(&fixture.coder), TokenFormat::Certificate([7; 32]), None);
    hub.issue_token(&fixture.test.admin, request).await.expect("issued");
    let agent = hub.sign_in(parlour_hub::use_cases::Credential::Certificate(&[7; 32])).await.expect("signed in");
    assert_eq!(refused(hub.renew_token(&agent).await), Code::Forbidden);
}

#[tokio::test]
async fn a_caller_without_a_token_cannot_renew_one() {
    let fixture = TokenFixture::new().await;
    let host = parlour_core::access::Principal { grant: parlour_core::access::Grant::whole(), ..fixture.mara.clone() };
    assert_eq!(refused(fixture.test.hub.renew_token(&host).await), Code::Unauthenticated);
}

#[tokio::test]
async fn a_renewed_agent_token_keeps_its_scopes() {
    let fixture = TokenFixture::new().await;
    let (hub, coder) = (&fixture.test.hub, fixture.coder.member.agent().expect("an agent"));
    for token in fixture.tokens_of(&fixture.coder).await {
        hub.revoke_token(&fixture.mara, &token.id).await.expect("revoked");
    }
    let reader = token_request(Some(&fixture.coder), TokenFormat::Jwt, Some(JoinRole::ReadOnly.scopes()));
    hub.issue_token(&fixture.mara, reader).await.expect("issued");
    let renewed = hub.renew_agent_token(&fixture.mara, coder).await.expect("renewed");
    let caller = hub.sign_in(&renewed).await.expect("signed in");
    assert_eq!(caller.grant.scopes, JoinRole::ReadOnly.scopes());
}

#[tokio::test]
async fn renewing_for_an_agent_without_tokens_issues_one_of_the_role_full() {
    let fixture = TokenFixture::new().await;
    let (hub, coder) = (&fixture.test.hub, fixture.coder.member.agent().expect("an agent"));
    for token in fixture.tokens_of(&fixture.coder).await {
        hub.revoke_token(&fixture.mara, &token.id).await.expect("revoked");
    }
    let renewed = hub.renew_agent_token(&fixture.mara, coder).await.expect("renewed");
    assert_eq!(hub.sign_in(&renewed).await.expect("signed in").grant.scopes, JoinRole::Full.scopes());
}
