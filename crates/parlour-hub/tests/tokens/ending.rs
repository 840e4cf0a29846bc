use parlour_core::{Code, id::TokenId, scope::Scopes};
use parlour_hub::{live::SessionEnd, use_cases::TokenFormat};

use super::TokenFixture;
use crate::support::{refused, token_request};

#[tokio::test]
async fn a_revoked_token_does_not_authenticate_and_others_stay_valid() {
    let fixture = TokenFixture::new().await;
    let hub = &fixture.test.hub;
    let (first, second) = (
        fixture.test.narrow_token(&fixture.mara, Scopes::all()).await,
        fixture.test.narrow_token(&fixture.mara, Scopes::all()).await,
    );
    let caller = hub.sign_in(&first).await.expect("signed in");
    hub.revoke_token(&fixture.mara, caller.grant.origin.token.as_ref().expect("id")).await.expect("revoked");
    assert_eq!(refused(hub.sign_in(&first).await), Code::Unauthenticated);
    hub.sign_in(&second).await.expect("the other one works");
}

#[tokio::test]
async fn revoking_a_token_ends_only_its_own_live_sessions() {
    let fixture = TokenFixture::new().await;
    let hub = &fixture.test.hub;
    let (lost, kept) = (
        fixture.test.narrow_token(&fixture.mara, Scopes::all()).await,
        fixture.test.narrow_token(&fixture.mara, Scopes::all()).await,
    );
    let (ending, going_on) =
        (hub.open_session(&lost).await.expect("session"), hub.open_session(&kept).await.expect("session"));
    let id = ending.caller().grant.origin.token.clone().expect("id");
    hub.revoke_token(&fixture.test.admin, &id).await.expect("revoked");
    assert_eq!(ending.ended().await, SessionEnd::SignedOut);
    let other = going_on.caller().grant.origin.token.clone().expect("id");
    tokio::select! {
        biased;
        why = going_on.ended() => panic!("ended: {why:?}"),
        () = tokio::task::yield_now() => {}
    }
    hub.revoke_token(&fixture.test.admin, &other).await.expect("revoked");
    assert_eq!(going_on.ended().await, SessionEnd::SignedOut, "its own revocation ends it");
}

#[tokio::test]
async fn a_token_is_not_found_by_members_who_may_not_list_it() {
    let fixture = TokenFixture::new().await;
    let hub = &fixture.test.hub;
    let token = fixture.test.narrow_token(&fixture.mara, Scopes::all()).await;
    let id = hub.sign_in(&token).await.expect("signed in").grant.origin.token.expect("id");
    let foreign = hub.revoke_token(&fixture.tom, &id).await.expect_err("refused");
    let unknown = hub.revoke_token(&fixture.tom, &TokenId::from_bits(7)).await.expect_err("refused");
    let (foreign, unknown) = (foreign.to_string(), unknown.to_string());
    assert_eq!(foreign.replace(id.as_str(), "it"), unknown.replace(TokenId::from_bits(7).as_str(), "it"));
    hub.sign_in(&token).await.expect("it still works");
}

#[tokio::test]
async fn managers_of_an_agent_can_revoke_its_tokens() {
    let fixture = TokenFixture::new().await;
    let hub = &fixture.test.hub;
    let id = fixture.tokens_of(&fixture.coder).await[0].id.clone();
    assert_eq!(refused(hub.revoke_token(&fixture.tom, &id).await), Code::NotFound);
    hub.revoke_token(&fixture.mara, &id).await.expect("the owner of the project may");
    assert_eq!(fixture.tokens_of(&fixture.coder).await, []);
    assert_eq!(refused(hub.revoke_token(&fixture.mara, &id).await), Code::NotFound, "once");
}

#[tokio::test]
async fn a_token_can_revoke_itself() {
    let fixture = TokenFixture::new().await;
    let request = token_request(None, TokenFormat::Jwt, None);
    let issued = fixture.test.hub.issue_token(&fixture.mara, request).await.expect("issued");
    let secret = issued.secret.expect("secret");
    let caller = fixture.test.hub.sign_in(&secret).await.expect("signed in");
    fixture.test.hub.revoke_token(&caller, &issued.token.id).await.expect("revoked");
    assert_eq!(refused(fixture.test.hub.sign_in(&secret).await), Code::Unauthenticated);
}
