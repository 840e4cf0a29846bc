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

use super::Stage;
use crate::support::{refused, wish_for};

const ROUNDS: usize = 40;

/// Signs in again and again, and answers when a sign-in that was begun after the revocation has succeeded.
async fn sign_in_until(stage: Arc<Stage>, token: String, is_revoked: Arc<AtomicBool>) -> bool {
    loop {
        let was_revoked = is_revoked.load(Ordering::SeqCst);
        let is_in = stage.test.hub.sign_in(&token).await.is_ok();
        if was_revoked || !is_in {
            return was_revoked && is_in;
        }
        tokio::task::yield_now().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn after_a_revocation_was_answered_no_sign_in_succeeds() {
    let stage = Arc::new(Stage::new().await);
    for round in 0..ROUNDS {
        let wanted = if round % 2 == 0 { TokenFormat::Jwt } else { TokenFormat::Static };
        let issued = stage.test.hub.issue_token(&stage.mara, wish_for(None, wanted, None)).await.expect("issued");
        let secret = issued.secret.expect("secret");
        let is_revoked = Arc::new(AtomicBool::new(false));
        let signing_in: Vec<_> = (0..4)
            .map(|_| tokio::spawn(sign_in_until(Arc::clone(&stage), secret.clone(), Arc::clone(&is_revoked))))
            .collect();
        stage.test.hub.revoke_token(&stage.mara, &issued.token.id).await.expect("revoked");
        is_revoked.store(true, Ordering::SeqCst);
        for one in signing_in {
            assert!(!one.await.expect("done"), "round {round}: a revoked token was let in");
        }
        assert_eq!(refused(stage.test.hub.sign_in(&secret).await), Code::Unauthenticated);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_token_is_either_renewed_or_revoked_and_never_lives_on_after_a_revocation() {
    let stage = Arc::new(Stage::new().await);
    for round in 0..ROUNDS {
        let label = format!("round {round}");
        let request = IssueToken { label: label.clone(), ..wish_for(None, TokenFormat::Static, None) };
        let lost = stage.test.hub.issue_token(&stage.mara, request).await.expect("issued");
        let thief = stage.test.hub.sign_in(&lost.secret.expect("secret")).await.expect("signed in");
        let renewer = Arc::clone(&stage);
        let renewing = tokio::spawn(async move { renewer.test.hub.renew_token(&thief).await });
        for _ in 0..round {
            tokio::task::yield_now().await;
        }
        let is_revoked = stage.test.hub.revoke_token(&stage.mara, &lost.token.id).await.is_ok();
        let is_renewed = renewing.await.expect("done").is_ok();
        let left = stage.tokens_of(&stage.mara).await.into_iter().filter(|token| token.label == label).count();
        assert_ne!(is_revoked, is_renewed, "round {round}");
        assert_eq!(left, usize::from(is_renewed), "round {round}");
        if is_renewed {
            let token = stage.tokens_of(&stage.mara).await.into_iter().find(|token| token.label == label);
            stage.test.hub.revoke_token(&stage.mara, &token.expect("renewed").id).await.expect("revoked");
        }
    }
}

/// Opens sessions until the token is refused, and answers them all.
async fn open_until_refused(stage: Arc<Stage>, token: String) -> Vec<Session> {
    let mut sessions = Vec::new();
    while let Ok(session) = stage.test.hub.open_session(&token).await {
        sessions.push(session);
        tokio::task::yield_now().await;
    }
    sessions
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sessions_that_are_opened_while_their_token_is_revoked_end() {
    let stage = Arc::new(Stage::new().await);
    for round in 0..ROUNDS {
        let token = stage.test.narrow_token(&stage.mara, Scopes::all()).await;
        let id = stage.test.hub.sign_in(&token).await.expect("remembered").grant.origin.token.expect("id");
        let opening: Vec<_> =
            (0..3).map(|_| tokio::spawn(open_until_refused(Arc::clone(&stage), token.clone()))).collect();
        stage.test.hub.revoke_token(&stage.mara, &id).await.expect("revoked");
        for opened in opening {
            for session in opened.await.expect("done") {
                let ended = tokio::time::timeout(Duration::from_secs(60), session.ended()).await;
                assert_eq!(ended, Ok(SessionEnd::SignedOut), "round {round}: a session of a revoked token lives on");
            }
        }
    }
}
