use super::*;

#[tokio::test]
async fn a_new_hash_says_how_it_was_made() {
    let hash = Argon2Passwords::default().hash("correct horse".to_owned()).await.expect("hash");
    assert!(hash.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"), "{hash}");
}

#[tokio::test]
async fn a_damaged_hash_is_a_fault_that_does_not_show_it() {
    let passwords = Argon2Passwords::default();
    for hash in ["", "plain text", "$argon2id$v=19$m=4000000,t=2,p=1$c29tZXNhbHQ$AAAA"] {
        let failure = passwords.verify("x".to_owned(), Some(hash.to_owned())).await.expect_err("damaged");
        let Failure::Fault(fault) = failure else { panic!("no refusal: {failure}") };
        assert!(hash.is_empty() || !fault.chain().contains(hash), "{}", fault.chain());
    }
}

#[test]
fn the_decoy_itself_lets_nobody_in() {
    // Not even whoever would find a password for the decoy: what was not there does not count.
    assert_eq!(is_right("", None), Ok(false));
    assert_eq!(
        is_right("", Some(&Hashed::derive("", &[0; SALT_BYTES], Cost::NOW).expect("hash").to_string())),
        Ok(true)
    );
}

#[tokio::test]
async fn a_crowd_is_asked_to_come_back_and_the_rest_waits_for_its_turn() {
    let passwords = Argon2Passwords::default();
    let mut turns = Vec::new();
    for _ in 0..limits::PASSWORD_CHECKS_MAX {
        turns.push(passwords.wait_for_turn().await.expect("a turn"));
    }
    let mut waiting: Vec<_> =
        (0..limits::PASSWORD_QUEUE_LEN_MAX).map(|_| Box::pin(passwords.wait_for_turn())).collect();
    for one in &mut waiting {
        assert!(poll_once(one).is_none(), "no turn is free");
    }
    let failure = passwords.wait_for_turn().await.expect_err("crowded");
    assert_eq!(failure.refusal().map(|refusal| refusal.code), Some(Code::Overloaded));
    drop(turns.pop());
    assert!(poll_once(&mut waiting[0]).is_some(), "the first in the queue has the turn that became free");
}

/// Looks whether a future is done, without waiting.
fn poll_once<F: Future + Unpin>(future: &mut F) -> Option<F::Output> {
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    match std::pin::Pin::new(future).poll(&mut context) {
        std::task::Poll::Ready(done) => Some(done),
        std::task::Poll::Pending => None,
    }
}
