//! The promises of the keys port.

pub mod keys;

/// Runs every promise of the keys port as a test of its own.
///
/// `make` is an `async fn` of the calling module that answers an `Arc<dyn Keys>` with its first key, and a guard that
/// lives as long as the test.
#[macro_export]
macro_rules! key_suite {
    ($make:ident) => {
        $crate::promise_tests! { key_suite, $make;
            keys {
                what_was_signed_is_read_as_it_was
                the_name_of_the_hub_never_changes
                a_token_is_three_parts_of_url_safe_text
                a_token_with_any_part_changed_is_not_believed
                parts_of_two_tokens_make_no_third
                claims_that_live_too_long_are_not_signed
                a_new_key_signs_at_once_and_older_tokens_stay_good
                the_newest_key_comes_first_and_no_secret_is_shown
                ids_of_keys_are_never_alike
                a_key_is_forgotten_when_its_last_token_has_ended
                rotations_at_once_lose_no_key
                nonsense_is_refused_and_not_repeated
            }
        }
    };
}
