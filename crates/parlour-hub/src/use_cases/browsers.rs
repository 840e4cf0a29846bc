//! People in browsers: they sign in with a password or a link and get a session, which a cookie carries.

use parlour_core::{access::Principal, id::PersonId, via::Surface};

use super::IssuedToken;
use crate::{Failure, Fault, Hub};

/// A browser that was just signed in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignedIn {
    /// Who.
    pub caller: Principal,
    /// The session; its secret belongs into a cookie and nowhere else.
    pub session: IssuedToken,
}

impl Hub {
    /// Signs a person in with name and password. A wrong name, a wrong password and a person without one are refused
    /// alike (`SignInFailed`), after the same time.
    pub async fn sign_in_with_password(
        &self,
        name: &str,
        password: String,
        surface: Surface,
    ) -> Result<SignedIn, Failure> {
        let _ = (name, password, surface);
        Err(Fault::new("sign in", "not there yet").into())
    }

    /// Signs a person in with the code of a link, which works once.
    pub async fn sign_in_with_link(&self, code: &str, surface: Surface) -> Result<SignedIn, Failure> {
        let _ = (code, surface);
        Err(Fault::new("sign in", "not there yet").into())
    }

    /// Ends the session that the caller has shown.
    pub async fn sign_out(&self, caller: &Principal) -> Result<(), Failure> {
        let _ = caller;
        Err(Fault::new("sign out", "not there yet").into())
    }

    /// Gives a person a password: by that person, who has to know the one before if there is one, or by an
    /// administrator. Its other browsers are signed out.
    pub async fn set_password(
        &self,
        caller: &Principal,
        person: &PersonId,
        current: Option<String>,
        password: String,
    ) -> Result<(), Failure> {
        let _ = (caller, person, current, password);
        Err(Fault::new("set a password", "not there yet").into())
    }

    /// Makes a link by which a person can sign in once: by that person or an administrator. Answers its code.
    pub async fn make_link(&self, caller: &Principal, person: &PersonId) -> Result<String, Failure> {
        let _ = (caller, person);
        Err(Fault::new("make a link", "not there yet").into())
    }
}
