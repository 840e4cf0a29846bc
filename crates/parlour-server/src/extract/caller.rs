//! Who is calling.

use std::sync::Arc;

use axum::{
    extract::{FromRef, FromRequestParts},
    http::request::Parts,
};
use parlour_core::{access::Principal, origin::Surface};
use parlour_hub::Hub;

use super::Pass;
use crate::{borders::Borders, denied::Denied, rates::Visit};

/// The member behind what the request shows. A handler that takes it is closed to everybody else.
pub(crate) struct Caller(pub(crate) Principal);

impl<S> FromRequestParts<S> for Caller
where
    Arc<Hub>: FromRef<S>,
    Borders: FromRef<S>,
    S: Send + Sync,
{
    type Rejection = Denied;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Denied> {
        let pass = Pass::from_request_parts(parts, state).await?;
        let (hub, Ok(visit)) = (Arc::<Hub>::from_ref(state), Visit::from_request_parts(parts, state).await);
        let caller = visit.let_in(&hub, pass.shown(), hub.sign_in(pass.shown())).await?.over(Surface::Http);
        visit.charge(&hub, &caller)?;
        Ok(Self(caller))
    }
}
