//! Who is calling.

use parlour_core::{Code, Refusal, access::Principal, limits};

use crate::{Failure, Hub, token::hash_token};

impl Hub {
    /// Tells whose token this is; an unknown or replaced one is refused.
    pub async fn sign_in(&self, token: &str) -> Result<Principal, Failure> {
        let refuse = || Refusal::new(Code::Unauthenticated, "this token is not known here; it may have been replaced");
        if token.len() > limits::TOKEN_CHARS_MAX {
            return Err(refuse().into());
        }
        let hash = hash_token(token);
        let found = self.principals.get_or_load(&hash, self.store.principal(&hash)).await?;
        Ok(found.ok_or_else(refuse)?)
    }
}
