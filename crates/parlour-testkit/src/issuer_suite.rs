//! The promises of the port of other issuers.

pub mod issuers;

use std::sync::Arc;

use parlour_core::Timestamp;
use serde_json::Value;

use parlour_hub::ports::Issuers;

/// Makes tokens as the trusted issuer does: signs these claims, whatever they are.
pub type SignForeign = Box<dyn Fn(&Value) -> String + Send + Sync>;

/// Issuers that trust one, together with that one.
pub struct TrustedOne {
    /// What is tested.
    pub issuers: Arc<dyn Issuers>,
    /// The name of the trusted issuer.
    pub issuer: String,
    /// The audience that tokens are for.
    pub audience: String,
    /// The pen of the trusted issuer.
    pub sign: SignForeign,
    /// The pen of somebody else who uses the same names.
    pub forge: SignForeign,
    /// The time.
    pub now: Timestamp,
}

/// Runs every promise of the port of other issuers as a test of its own.
///
/// `make` is an `async fn` of the calling module that answers a [`TrustedOne`], and a guard that lives as long as the
/// test.
#[macro_export]
macro_rules! issuer_suite {
    ($make:ident) => {
        $crate::promise_tests! { issuer_suite, $make;
            issuers {
                a_token_of_the_issuer_is_known_by_its_name_alone
                a_good_token_tells_who_it_is_and_until_when
                a_forged_token_is_refused
                a_changed_token_is_refused
                a_token_for_another_audience_is_refused
                an_ended_token_and_one_not_begun_are_refused
                a_token_without_a_needed_claim_is_refused
                scopes_are_those_of_ours_that_the_issuer_names
                nonsense_is_refused_and_known_by_nobody
            }
        }
    };
}
