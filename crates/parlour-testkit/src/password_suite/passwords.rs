//! Hashing and checking.

use std::sync::Arc;

use parlour_core::limits;
use tokio::task::JoinSet;

use parlour_hub::{Failure, ports::Passwords};

const RIGHT: &str = "correct horse battery";

async fn hash(passwords: &Arc<dyn Passwords>, password: &str) -> String {
    passwords.hash(password.to_owned()).await.expect("a hash")
}

async fn verify(passwords: &Arc<dyn Passwords>, password: &str, hash: Option<&str>) -> bool {
    passwords.verify(password.to_owned(), hash.map(str::to_owned)).await.expect("an answer")
}

/// Case, blanks and length of a password matter.
pub async fn only_the_right_password_matches(passwords: Arc<dyn Passwords>) {
    let kept = hash(&passwords, RIGHT).await;
    assert!(verify(&passwords, RIGHT, Some(&kept)).await);
    for wrong in
        ["", "correct horse batter", "correct horse battery ", "Correct horse battery", "correct horse battery\0"]
    {
        assert!(!verify(&passwords, wrong, Some(&kept)).await, "{wrong:?}");
    }
    let (long, longer) = ("x".repeat(limits::PASSWORD_BYTES_MAX), "x".repeat(limits::PASSWORD_BYTES_MAX + 1));
    let kept = hash(&passwords, &long).await;
    assert!(verify(&passwords, &long, Some(&kept)).await && !verify(&passwords, &longer, Some(&kept)).await);
}

/// Equal passwords of two people cannot be recognised by their hashes.
pub async fn hashes_of_the_same_password_differ(passwords: Arc<dyn Passwords>) {
    let (first, second) = (hash(&passwords, RIGHT).await, hash(&passwords, RIGHT).await);
    assert_ne!(first, second);
    assert!(verify(&passwords, RIGHT, Some(&first)).await && verify(&passwords, RIGHT, Some(&second)).await);
}

/// A hash contains its parameters, not the password.
pub async fn a_hash_does_not_contain_the_password(passwords: Arc<dyn Passwords>) {
    let kept = hash(&passwords, RIGHT).await;
    assert!(kept.starts_with('$') && !kept.contains("horse"), "{kept}");
}

/// There is no hash if the account does not exist.
pub async fn without_a_hash_no_password_matches(passwords: Arc<dyn Passwords>) {
    assert!(!verify(&passwords, "", None).await && !verify(&passwords, RIGHT, None).await);
}

/// A damaged account is not a wrong password.
pub async fn a_hash_in_another_format_is_a_fault(passwords: Arc<dyn Passwords>) {
    for hash in ["", RIGHT, "$2b$12$abcdefghijklmnopqrstuv"] {
        let failure = passwords.verify(RIGHT.to_owned(), Some(hash.to_owned())).await.expect_err("damaged");
        assert!(matches!(failure, Failure::Fault(_)), "{failure}");
    }
}

/// Checks beyond those that run at once wait in a queue.
pub async fn concurrent_checks_within_the_queue_all_succeed(passwords: Arc<dyn Passwords>) {
    let kept = hash(&passwords, RIGHT).await;
    let mut checks = JoinSet::new();
    for _ in 0..2 * limits::PASSWORD_CHECKS_MAX + 1 {
        let (passwords, kept) = (Arc::clone(&passwords), kept.clone());
        checks.spawn(async move { verify(&passwords, RIGHT, Some(&kept)).await });
    }
    assert!(checks.join_all().await.into_iter().all(|is_right| is_right));
}

/// A browser that disconnects does not occupy the queue.
pub async fn a_cancelled_check_does_not_block_others(passwords: Arc<dyn Passwords>) {
    let kept = hash(&passwords, RIGHT).await;
    for _ in 0..2 * (limits::PASSWORD_CHECKS_MAX + limits::PASSWORD_QUEUE_LEN_MAX) {
        let mut check = std::pin::pin!(verify(&passwords, RIGHT, None));
        let mut context = std::task::Context::from_waker(std::task::Waker::noop());
        let _ = check.as_mut().poll(&mut context);
    }
    // Checks that had started continue; all others have left the queue.
    assert!(verify(&passwords, RIGHT, Some(&kept)).await);
}
