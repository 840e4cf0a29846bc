//! The promises of the passwords port.

pub mod passwords;

/// Runs every promise of the passwords port as a test of its own.
///
/// `make` is an `async fn` of the calling module that answers an `Arc<dyn Passwords>`, and a guard that lives as long as
/// the test.
#[macro_export]
macro_rules! password_suite {
    ($make:ident) => {
        $crate::promise_tests! { password_suite, $make;
            passwords {
                the_right_password_is_known_and_no_other
                the_same_password_is_never_hashed_alike
                a_hash_does_not_hold_the_password
                without_a_hash_every_password_is_wrong
                a_hash_that_was_made_elsewhere_is_a_fault
                a_few_at_once_are_all_answered
                a_check_that_nobody_waits_for_any_longer_does_not_block_others
            }
        }
    };
}
