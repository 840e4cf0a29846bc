use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use parlour_core::{Code, scope::Scopes};
use parlour_hub::{
    live::{Session, SessionEnd},
    use_cases::{IssueToken, TokenFormat},
};

use super::TokenFixture;
use crate::support::{refused, token_request};

const ROUNDS: usize = 40;

/// Signs in repeatedly until a refusal or the revocation; returns whether a sign-in after the revocation succeeded.
async fn sign_in_until(fixture: Arc<TokenFixture>, token: String, is_revoked: Arc<AtomicBool>) -> bool {
    loop {
        let was_revoked = is_revoked.load(Ordering::SeqCst);
        let is_in = fixture.test.hub.sign_in(&token).await.is_ok();
        if was_revoked || !is_in {
            return was_revoked && is_in;
        }
        tokio::task::yield_now().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_sign_in_succeeds_after_a_revocation_returned() {
    let fixture = Arc::new(TokenFixture::new().await);
    for round in 0..ROUNDS {
        let format = if round % 2 == 0 { TokenFormat::Jwt } else { TokenFormat::Static };
        let issued =
            fixture.test.hub.issue_token(&fixture.mara, token_request(None, format, None)).await.expect("issued");
        let secret = issued.secret.expect("secret");
        let is_revoked = Arc::new(AtomicBool::new(false));
        let signing_in: Vec<_> = (0..4)
            .map(|_| tokio::spawn(sign_in_until(Arc::clone(&fixture), secret.clone(), Arc::clone(&is_revoked))))
            .collect();
        fixture.test.hub.revoke_token(&fixture.mara, &issued.token.id).await.expect("revoked");
        is_revoked.store(true, Ordering::SeqCst);
        for one in signing_in {
            assert!(!one.await.expect("done"), "round {round}: a revoked token authenticated");
        }
        assert_eq!(refused(fixture.test.hub.sign_in(&secret).await), Code::Unauthenticated);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_a_concurrent_renewal_and_revocation_exactly_one_succeeds() {
    let fixture = Arc::new(TokenFixture::new().await);
    for round in 0..ROUNDS {
        let label = format!("round {round}");
        let request = IssueToken { label: label.clone(), ..token_request(None, TokenFormat::Static, None) };
        let lost = fixture.test.hub.issue_token(&fixture.mara, request).await.expect("issued");
        let thief = fixture.test.hub.sign_in(&lost.secret.expect("secret")).await.expect("signed in");
        let renewer = Arc::clone(&fixture);
        let renewing = tokio::spawn(async move { renewer.test.hub.renew_token(&thief).await });
        for _ in 0..round {
            tokio::task::yield_now().await;
        }
        let is_revoked = fixture.test.hub.revoke_token(&fixture.mara, &lost.token.id).await.is_ok();
        let is_renewed = renewing.await.expect("done").is_ok();
        let left = fixture.tokens_of(&fixture.mara).await.into_iter().filter(|token| token.label == label).count();
        assert_ne!(is_revoked, is_renewed, "round {round}");
        assert_eq!(left, usize::from(is_renewed), "round {round}");
        if is_renewed {
            let token = fixture.tokens_of(&fixture.mara).await.into_iter().find(|token| token.label == label);
            fixture.test.hub.revoke_token(&fixture.mara, &token.expect("renewed").id).await.expect("revoked");
        }
    }
}

/// Opens sessions until the token is refused, and returns them.
async fn open_until_refused(fixture: Arc<TokenFixture>, token: String) -> Vec<Session> {
    let mut sessions = Vec::new();
    while let Ok(session) = fixture.test.hub.open_session(&token).await {
        sessions.push(session);
        tokio::task::yield_now().await;
    }
    sessions
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sessions_opened_during_a_revocation_end() {
    let fixture = Arc::new(TokenFixture::new().await);
    for round in 0..ROUNDS {
        let token = fixture.test.narrow_token(&fixture.mara, Scopes::all()).await;
        let id = fixture.test.hub.sign_in(&token).await.expect("signed in").grant.origin.token.expect("id");
        let opening: Vec<_> =
            (0..3).map(|_| tokio::spawn(open_until_refused(Arc::clone(&fixture), token.clone()))).collect();
        fixture.test.hub.revoke_token(&fixture.mara, &id).await.expect("revoked");
        for opened in opening {
            for session in opened.await.expect("done") {
                let ended = tokio::time::timeout(Duration::from_secs(60), session.ended()).await;
                assert_eq!(ended, Ok(SessionEnd::SignedOut), "round {round}: a session of a revoked token stays open");
            }
        }
    }
}
