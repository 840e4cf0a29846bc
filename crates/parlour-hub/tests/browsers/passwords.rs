use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use async_trait::async_trait;
use parlour_adapters::SqliteStore;
use parlour_core::{
    Code, Timestamp,
    attribution::{Attribution, Surface},
    id::PersonId,
    limits,
    paging::PageRequest,
    scope::Scopes,
    token::TokenKind,
};
use parlour_hub::{
    Failure,
    live::SessionEnd,
    ports::{Accounts, Clock, Passwords},
    use_cases::Credential,
};

use super::{BrowserFixture, GOOD, code_of};
use crate::support::{TestHub, person_id, refused};

#[tokio::test]
async fn a_person_signs_in_with_name_and_password_and_gets_a_session() {
    let fixture = BrowserFixture::new().await;
    let browser = fixture.sign_in("mara", GOOD).await.expect("the case of a name does not matter");
    assert_eq!(browser.caller.member, fixture.mara.member);
    assert_eq!((browser.caller.grant.scopes, browser.caller.grant.origin.surface), (Scopes::all(), Surface::Http));
    assert_eq!(browser.session.token.kind, TokenKind::Session);
    let ends = browser.session.token.expires_at.expect("an end").as_millis() - fixture.test.clock.now().as_millis();
    assert_eq!(ends, limits::SESSION_SECONDS_MAX as i64 * 1_000);
    let secret = browser.session.secret.expect("secret");
    let caller = fixture.test.hub.sign_in(Credential::Session(&secret)).await.expect("the cookie works");
    assert_eq!(caller.grant.origin.token, Some(browser.session.token.id));
    assert_eq!(refused(fixture.test.hub.sign_in(&secret).await), Code::Unauthenticated, "it is no bearer token");
}

#[tokio::test]
async fn every_failed_password_sign_in_gets_the_same_refusal() {
    let fixture = BrowserFixture::new().await;
    fixture.test.person("Tom").await;
    let long = "x".repeat(1_000_000);
    let mut words = Vec::new();
    for (called, password) in [
        ("Mara", "wrong horse"),
        ("Mara", ""),
        ("Mara", &long),
        ("Tom", GOOD),
        ("Tom", ""),
        ("Nobody", GOOD),
        ("", GOOD),
        ("system", GOOD),
        (&long, GOOD),
        ("Ma\0ra", GOOD),
    ] {
        let failure = fixture.sign_in(called, password).await.expect_err("refused");
        assert_eq!(failure.refusal().expect("a refusal").code, Code::SignInFailed);
        words.push(failure.to_string());
    }
    words.dedup();
    assert_eq!(words.len(), 1, "{words:?}");
}

/// Counts how often a password is checked.
#[derive(Default)]
struct CountingPasswords {
    checks: AtomicUsize,
}

#[async_trait]
impl Passwords for CountingPasswords {
    async fn hash(&self, password: String) -> Result<String, Failure> {
        Ok(format!("hash of {password}"))
    }

    async fn verify(&self, password: String, hash: Option<String>) -> Result<bool, Failure> {
        self.checks.fetch_add(1, Ordering::SeqCst);
        Ok(hash == Some(format!("hash of {password}")))
    }
}

/// Replaces the password in the store while it is verified.
#[derive(Default)]
struct ReplacedPasswords {
    victim: parking_lot::Mutex<Option<(SqliteStore, PersonId)>>,
}

#[async_trait]
impl Passwords for ReplacedPasswords {
    async fn hash(&self, password: String) -> Result<String, Failure> {
        Ok(password)
    }

    async fn verify(&self, password: String, hash: Option<String>) -> Result<bool, Failure> {
        let victim = self.victim.lock().take();
        if let Some((store, person)) = victim {
            let attribution = Attribution::of_host(Timestamp::from_millis(0));
            store.set_password(attribution, &person, "another password".into()).await?;
        }
        Ok(hash == Some(password))
    }
}

#[tokio::test]
async fn a_password_that_is_replaced_during_the_sign_in_is_refused() {
    let replaced = Arc::new(ReplacedPasswords::default());
    let test = TestHub::with_passwords(replaced.clone()).await;
    let mara = test.person("Mara").await;
    let id = person_id(&mara);
    test.hub.set_password(&mara, &id, None, GOOD.into()).await.expect("set");
    *replaced.victim.lock() = Some((test.store().clone(), id));
    let outcome = test.hub.sign_in_with_password("Mara", GOOD.into(), Surface::Http).await;
    assert_eq!(refused(outcome), Code::SignInFailed);
    let tokens = test.hub.tokens(&mara, &mara.member, &PageRequest::first()).await.expect("tokens").items;
    assert!(tokens.iter().all(|token| token.kind != TokenKind::Session), "no session is left behind");
}

#[tokio::test]
async fn every_sign_in_attempt_verifies_exactly_one_password() {
    let counting = Arc::new(CountingPasswords::default());
    let test = TestHub::with_passwords(counting.clone()).await;
    let mara = test.person("Mara").await;
    test.person("Tom").await;
    test.hub.set_password(&mara, &person_id(&mara), None, GOOD.into()).await.expect("set");
    let long = "x".repeat(limits::PASSWORD_BYTES_MAX + 1);
    let tries = [("Mara", GOOD), ("Mara", "wrong"), ("Mara", &long), ("Tom", GOOD), ("Nobody", GOOD), ("@", GOOD)];
    for (number, (called, password)) in tries.into_iter().enumerate() {
        let outcome = test.hub.sign_in_with_password(called, password.into(), Surface::Http).await;
        assert_eq!(outcome.is_ok(), number == 0, "{called}");
        assert_eq!(counting.checks.load(Ordering::SeqCst), number + 1, "{called}");
    }
}

#[tokio::test]
async fn a_failed_sign_in_is_audited_with_its_person_and_without_the_typed_text() {
    let fixture = BrowserFixture::new().await;
    fixture.sign_in("Mara", "wrong horse").await.expect_err("refused");
    let mara = Some(person_id(&fixture.mara).to_string());
    assert_eq!(fixture.last_audit_entry().await, ("sessions.sign_in".into(), mara, code_of(Code::SignInFailed)));
    fixture.sign_in("my secret by mistake", GOOD).await.expect_err("refused");
    assert_eq!(fixture.last_audit_entry().await, ("sessions.sign_in".into(), None, code_of(Code::SignInFailed)));
}

#[tokio::test]
async fn signing_out_ends_only_that_browser_session_and_its_live_sessions() {
    let fixture = BrowserFixture::new().await;
    let (one, other) =
        (fixture.sign_in("Mara", GOOD).await.expect("in"), fixture.sign_in("Mara", GOOD).await.expect("in"));
    let (ended_secret, other_secret) = (one.session.secret.expect("secret"), other.session.secret.expect("secret"));
    let live = fixture.test.hub.open_session(Credential::Session(&ended_secret)).await.expect("session");
    fixture.test.hub.sign_out(&one.caller).await.expect("signed out");
    assert_eq!(live.ended().await, SessionEnd::SignedOut);
    assert_eq!(refused(fixture.test.hub.sign_in(Credential::Session(&ended_secret)).await), Code::Unauthenticated);
    fixture.test.hub.sign_in(Credential::Session(&other_secret)).await.expect("the other browser stays");
}

#[tokio::test]
async fn signing_out_with_a_token_keeps_the_token() {
    let fixture = BrowserFixture::new().await;
    let token = fixture.test.narrow_token(&fixture.mara, Scopes::NONE).await;
    let caller = fixture.test.hub.sign_in(&token).await.expect("signed in");
    fixture.test.hub.sign_out(&caller).await.expect("nothing to end");
    fixture.test.hub.sign_in(&token).await.expect("it still works");
}

#[tokio::test]
async fn a_browser_session_over_the_limit_ends_the_oldest_one() {
    let test = TestHub::with_passwords(Arc::new(CountingPasswords::default())).await;
    let mara = test.person("Mara").await;
    test.hub.set_password(&mara, &person_id(&mara), None, GOOD.into()).await.expect("set");
    let mut secrets = Vec::new();
    for _ in 0..=limits::TOKENS_PER_MEMBER_MAX {
        test.clock.advance(1_000);
        let browser = test.hub.sign_in_with_password("Mara", GOOD.into(), Surface::Http).await.expect("signed in");
        secrets.push(browser.session.secret.expect("secret"));
    }
    // Her first token uses one slot, so two sessions were ended.
    for (number, secret) in secrets.iter().enumerate() {
        assert_eq!(test.hub.sign_in(Credential::Session(secret)).await.is_ok(), number >= 2, "browser {number}");
    }
}
