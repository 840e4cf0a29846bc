//! The promises of the keys port.

pub mod keys;

/// Runs every promise of the keys port as a test of its own.
///
/// `make` is an `async fn` of the calling module that returns an `Arc<dyn Keys>` with its first key, and a guard that
/// lives as long as the test.
#[macro_export]
macro_rules! key_suite {
    ($make:ident) => {
        $crate::promise_tests! { key_suite, $make;
            keys {
                signed_claims_are_read_unchanged
                the_issuer_never_changes
                a_token_is_three_parts_of_url_safe_text
                a_token_with_any_change_is_rejected
                parts_of_two_tokens_do_not_make_a_valid_token
                claims_with_a_too_long_lifetime_are_not_signed
                a_new_key_signs_at_once_and_older_tokens_stay_valid
                the_newest_key_is_published_first_and_without_its_secret
                key_ids_are_unique
                a_key_is_deleted_when_its_last_token_has_expired
                concurrent_rotations_lose_no_key
                a_malformed_token_is_rejected_and_not_repeated
            }
        }
    };
}
