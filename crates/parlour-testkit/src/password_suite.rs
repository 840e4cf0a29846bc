//! The promises of the passwords port.

pub mod passwords;

/// Runs every promise of the passwords port as a test of its own.
///
/// `make` is an `async fn` of the calling module that returns an `Arc<dyn Passwords>`, and a guard that lives as
/// long as the test.
#[macro_export]
macro_rules! password_suite {
    ($make:ident) => {
        $crate::promise_tests! { password_suite, $make;
            passwords {
                only_the_right_password_matches
                hashes_of_the_same_password_differ
                a_hash_does_not_contain_the_password
                without_a_hash_no_password_matches
                a_hash_in_another_format_is_a_fault
                concurrent_checks_within_the_queue_all_succeed
                a_cancelled_check_does_not_block_others
            }
        }
    };
}
