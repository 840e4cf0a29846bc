//! The promises of the port of other issuers.

pub mod issuers;

use std::sync::Arc;

use parlour_core::Timestamp;
use serde_json::Value;

use parlour_hub::ports::Issuers;

/// Signs any claims, as an issuer does.
pub type SignForeign = Box<dyn Fn(&Value) -> String + Send + Sync>;

/// The port under test, with one trusted issuer.
pub struct TrustedIssuerFixture {
    /// The port under test.
    pub issuers: Arc<dyn Issuers>,
    /// The name of the trusted issuer.
    pub issuer: String,
    /// The audience that tokens are for.
    pub audience: String,
    /// Signs as the trusted issuer.
    pub sign: SignForeign,
    /// Signs with another key under the same names.
    pub forge: SignForeign,
    /// The time.
    pub now: Timestamp,
}

/// Runs every promise of the port of other issuers as a test of its own.
///
/// `make` is an `async fn` of the calling module that returns a [`TrustedIssuerFixture`], and a guard that lives as
/// long as the test.
#[macro_export]
macro_rules! issuer_suite {
    ($make:ident) => {
        $crate::promise_tests! { issuer_suite, $make;
            issuers {
                a_token_is_attributed_by_its_issuer_name_alone
                a_valid_token_returns_identity_and_expiry
                a_forged_token_is_refused
                a_changed_token_is_refused
                a_token_for_another_audience_is_refused
                an_expired_or_not_yet_valid_token_is_refused
                a_token_without_a_required_claim_is_refused
                only_scopes_of_the_hub_are_granted
                a_malformed_token_is_refused_and_has_no_issuer
            }
        }
    };
}
