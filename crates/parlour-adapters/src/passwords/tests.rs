use super::*;

#[tokio::test]
async fn a_new_hash_contains_its_parameters() {
    let hash = Argon2Passwords::default().hash("correct horse".to_owned()).await.expect("hash");
    assert!(hash.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"), "{hash}");
}

#[tokio::test]
async fn a_damaged_hash_is_a_fault_that_does_not_contain_the_hash() {
    let passwords = Argon2Passwords::default();
    for hash in ["", "plain text", "$argon2id$v=19$m=4000000,t=2,p=1$c29tZXNhbHQ$AAAA"] {
        let failure = passwords.verify("x".to_owned(), Some(hash.to_owned())).await.expect_err("damaged");
        let Failure::Fault(fault) = failure else { panic!("no refusal: {failure}") };
        assert!(hash.is_empty() || !fault.chain().contains(hash), "{}", fault.chain());
    }
}

#[test]
fn no_password_matches_a_missing_hash() {
    // Not even a password that matches the decoy.
    assert_eq!(is_correct("", None), Ok(false));
    assert_eq!(
        is_correct("", Some(&Hashed::derive("", &[0; SALT_BYTES], Argon2Cost::NOW).expect("hash").to_string())),
        Ok(true)
    );
}

#[tokio::test]
async fn too_many_password_checks_are_refused_and_the_others_wait() {
    let passwords = Argon2Passwords::default();
    let mut permits = Vec::new();
    for _ in 0..limits::PASSWORD_CHECKS_MAX {
        permits.push(passwords.acquire_permits().await.expect("permits"));
    }
    let mut waiting: Vec<_> =
        (0..limits::PASSWORD_QUEUE_LEN_MAX).map(|_| Box::pin(passwords.acquire_permits())).collect();
    for one in &mut waiting {
        assert!(poll_once(one).is_none(), "all permits are taken");
    }
    let failure = passwords.acquire_permits().await.expect_err("overloaded");
    assert_eq!(failure.refusal().map(|refusal| refusal.code), Some(Code::Overloaded));
    drop(permits.pop());
    assert!(poll_once(&mut waiting[0]).is_some(), "the first in the queue has the permits that became free");
}

/// Polls a future once.
fn poll_once<F: Future + Unpin>(future: &mut F) -> Option<F::Output> {
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    match std::pin::Pin::new(future).poll(&mut context) {
        std::task::Poll::Ready(done) => Some(done),
        std::task::Poll::Pending => None,
    }
}
