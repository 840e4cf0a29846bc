use parlour_core::{
    Code,
    attribution::Surface,
    limits,
    scope::{Scope, Scopes},
    token::TokenKind,
};
use parlour_hub::use_cases::Credential;

use super::{BrowserFixture, code_of};
use crate::support::{TestHub, person_id, refused};

#[tokio::test]
async fn a_link_works_once() {
    let fixture = BrowserFixture::new().await;
    let hub = &fixture.test.hub;
    let code = hub.make_link(&fixture.test.admin, &person_id(&fixture.mara)).await.expect("link");
    assert!(code.starts_with("parlour_lnk_"), "secret scanners recognise the prefix");
    assert_eq!(refused(hub.sign_in(&code).await), Code::Unauthenticated, "it is no bearer token");
    let browser = hub.sign_in_with_link(&code, Surface::Http).await.expect("signed in");
    assert_eq!((browser.caller.member, browser.session.token.kind), (fixture.mara.member.clone(), TokenKind::Session));
    assert_eq!(browser.caller.grant.origin.surface, Surface::Http);
    let secret = browser.session.secret.expect("secret");
    hub.sign_in(Credential::Session(&secret)).await.expect("the cookie works");
    assert_eq!(refused(hub.sign_in_with_link(&code, Surface::Http).await), Code::SignInFailed);
    assert_eq!(fixture.last_audit_entry().await, ("sessions.sign_in".into(), None, code_of(Code::SignInFailed)));
}

#[tokio::test]
async fn of_concurrent_sign_ins_with_one_link_one_succeeds() {
    let fixture = BrowserFixture::new().await;
    let hub = &fixture.test.hub;
    let code = hub.make_link(&fixture.mara, &person_id(&fixture.mara)).await.expect("link");
    let tries = (0..4).map(|_| hub.sign_in_with_link(&code, Surface::Http));
    let outcomes = futures_util::future::join_all(tries).await;
    assert_eq!(outcomes.iter().filter(|outcome| outcome.is_ok()).count(), 1);
}

#[tokio::test]
async fn a_link_expires() {
    let fixture = BrowserFixture::new().await;
    let code = fixture.test.hub.make_link(&fixture.mara, &person_id(&fixture.mara)).await.expect("link");
    fixture.test.clock.advance(u32::try_from(limits::LINK_SECONDS_MAX).expect("fits") * 1_000);
    assert_eq!(refused(fixture.test.hub.sign_in_with_link(&code, Surface::Http).await), Code::SignInFailed);
}

#[tokio::test]
async fn a_link_grants_only_the_scopes_of_the_token_that_created_it() {
    let fixture = BrowserFixture::new().await;
    let scopes: Scopes = [Scope::TokensManage, Scope::ChannelsRead].into_iter().collect();
    let token = fixture.test.narrow_token(&fixture.mara, scopes).await;
    let caller = fixture.test.hub.sign_in(&token).await.expect("signed in");
    let code = fixture.test.hub.make_link(&caller, &person_id(&fixture.mara)).await.expect("link");
    let browser = fixture.test.hub.sign_in_with_link(&code, Surface::Http).await.expect("signed in");
    assert_eq!((browser.caller.grant.scopes, browser.session.token.scopes), (scopes, scopes));
}

#[tokio::test]
async fn only_administrators_create_links_for_others() {
    let fixture = BrowserFixture::new().await;
    let tom = fixture.test.person("Tom").await;
    assert_eq!(refused(fixture.test.hub.make_link(&tom, &person_id(&fixture.mara)).await), Code::Forbidden);
    let nobody = "per_nobody".parse().expect("an id");
    assert_eq!(refused(fixture.test.hub.make_link(&fixture.test.admin, &nobody).await), Code::NotFound);
}

#[tokio::test]
async fn every_start_creates_a_new_link_and_revokes_the_previous_one() {
    let test = TestHub::new().await;
    let by_admin = test.hub.make_link(&test.admin, &person_id(&test.admin)).await.expect("link");
    let old = test.hub.first_start(None).await.expect("start").link.expect("a link");
    let new = test.hub.first_start(None).await.expect("start").link.expect("a link");
    assert_eq!(refused(test.hub.sign_in_with_link(&old, Surface::Http).await), Code::SignInFailed);
    let browser = test.hub.sign_in_with_link(&new, Surface::Http).await.expect("signed in");
    assert!(browser.caller.is_admin());
    test.hub.sign_in_with_link(&by_admin, Surface::Http).await.expect("links that a person created stay valid");
}

#[tokio::test]
async fn the_hub_starts_without_a_link_when_the_administrator_has_no_free_token() {
    let test = TestHub::new().await;
    test.hub.first_start(None).await.expect("start");
    // The first token uses one slot; revoking the link of the previous start frees the last one.
    for _ in 0..limits::TOKENS_PER_MEMBER_MAX - 2 {
        test.narrow_token(&test.admin, Scopes::NONE).await;
    }
    let link = test.hub.first_start(None).await.expect("start").link.expect("the last slot");
    test.hub.sign_in_with_link(&link, Surface::Http).await.expect("signed in");
    assert_eq!(test.hub.first_start(None).await.expect("start").link, None);
}
