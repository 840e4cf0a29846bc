use parlour_core::{
    Code,
    scope::{Scope, Scopes},
};
use parlour_hub::{live::SessionEnd, use_cases::Credential};

use super::{BrowserFixture, GOOD, code_of};
use crate::support::{person_id, refused};

const BETTER: &str = "a better horse";

#[tokio::test]
async fn a_new_password_replaces_the_old_one() {
    let fixture = BrowserFixture::new().await;
    fixture.set(&fixture.mara, Some(GOOD), BETTER).await.expect("set");
    assert_eq!(refused(fixture.sign_in("Mara", GOOD).await), Code::SignInFailed);
    fixture.sign_in("Mara", BETTER).await.expect("signed in");
}

#[tokio::test]
async fn changing_a_password_requires_the_current_one_except_for_administrators() {
    let fixture = BrowserFixture::new().await;
    for current in [None, Some(""), Some("wrong horse")] {
        let failure = fixture.set(&fixture.mara, current, BETTER).await.expect_err("refused");
        let refusal = failure.refusal().expect("a refusal");
        assert_eq!((refusal.code, refusal.field.as_deref()), (Code::SignInFailed, Some("current")));
        let mara = Some(person_id(&fixture.mara).to_string());
        assert_eq!(fixture.last_audit_entry().await, ("people.set_password".into(), mara, code_of(Code::SignInFailed)));
    }
    fixture.set(&fixture.test.admin, None, BETTER).await.expect("an administrator can reset it");
    fixture.sign_in("Mara", BETTER).await.expect("signed in");
}

#[tokio::test]
async fn setting_the_password_of_another_person_is_refused() {
    let fixture = BrowserFixture::new().await;
    let tom = fixture.test.person("Tom").await;
    assert_eq!(refused(fixture.set(&tom, Some(GOOD), BETTER).await), Code::Forbidden);
    let project = fixture.test.project(&fixture.mara, "Release").await;
    let coder = fixture.test.agent(&project, "Coder").await;
    assert_eq!(refused(fixture.set(&coder, Some(GOOD), BETTER).await), Code::MissingScope);
    fixture.sign_in("Mara", GOOD).await.expect("unchanged");
}

#[tokio::test]
async fn a_restricted_token_cannot_gain_scopes_by_setting_a_password() {
    let fixture = BrowserFixture::new().await;
    let tom = fixture.test.person("Tom").await;
    for (who, scopes) in [
        (&tom, Scopes::all().without(Scope::MessagesRead)),
        (&fixture.test.admin, [Scope::TokensManage, Scope::Admin].into_iter().collect()),
    ] {
        let token = fixture.test.narrow_token(who, scopes).await;
        let caller = fixture.test.hub.sign_in(&token).await.expect("signed in");
        let set = fixture.test.hub.set_password(&caller, &person_id(&tom), None, BETTER.into()).await;
        assert_eq!(refused(set), Code::Forbidden);
    }
    let token = fixture.test.narrow_token(&fixture.mara, [Scope::TokensManage].into_iter().collect()).await;
    let caller = fixture.test.hub.sign_in(&token).await.expect("signed in");
    fixture.set(&caller, Some(GOOD), BETTER).await.expect("with the current password it gains nothing");
}

#[tokio::test]
async fn a_new_password_ends_links_and_other_browsers_with_their_live_sessions() {
    let fixture = BrowserFixture::new().await;
    let hub = &fixture.test.hub;
    let (own, other) =
        (fixture.sign_in("Mara", GOOD).await.expect("in"), fixture.sign_in("Mara", GOOD).await.expect("in"));
    let link = hub.make_link(&own.caller, &person_id(&fixture.mara)).await.expect("link");
    let (own_secret, other_secret) = (own.session.secret.expect("secret"), other.session.secret.expect("secret"));
    let (going_on, ending) = (
        hub.open_session(Credential::Session(&own_secret)).await.expect("session"),
        hub.open_session(Credential::Session(&other_secret)).await.expect("session"),
    );
    fixture.set(&own.caller, Some(GOOD), BETTER).await.expect("set");
    assert_eq!(ending.ended().await, SessionEnd::SignedOut);
    assert_eq!(refused(hub.sign_in(Credential::Session(&other_secret)).await), Code::Unauthenticated);
    assert_eq!(refused(hub.sign_in_with_link(&link, Default::default()).await), Code::SignInFailed);
    hub.sign_in(Credential::Session(&own_secret)).await.expect("the own browser stays signed in");
    hub.sign_out(&own.caller).await.expect("signed out");
    assert_eq!(going_on.ended().await, SessionEnd::SignedOut, "its live session ended only now");
}

#[tokio::test]
async fn weak_passwords_are_refused_and_nothing_changes() {
    let fixture = BrowserFixture::new().await;
    for weak in ["", "short", "password123", "aaaaaaaaaa", &"long ".repeat(100)] {
        let failure = fixture.set(&fixture.mara, Some(GOOD), weak).await.expect_err("refused");
        assert_eq!(failure.refusal().and_then(|refusal| refusal.field.as_deref()), Some("password"), "{weak}");
    }
    fixture.sign_in("Mara", GOOD).await.expect("unchanged");
}

#[tokio::test]
async fn a_password_is_compared_after_unicode_normalisation() {
    let fixture = BrowserFixture::new().await;
    fixture.set(&fixture.mara, Some(GOOD), "Zwo\u{308}lf Kekse").await.expect("set");
    fixture.sign_in("Mara", "Zw\u{f6}lf Kekse").await.expect("signed in");
}

#[tokio::test]
async fn a_password_is_stored_as_an_argon2id_hash() {
    let fixture = BrowserFixture::new().await;
    let record = parlour_hub::ports::Accounts::sign_in_record(fixture.test.store(), &fixture.mara.name).await;
    let hash = record.expect("read").expect("a record").1.expect("a hash");
    assert!(hash.starts_with("$argon2id$") && !hash.contains(GOOD), "{hash}");
}
