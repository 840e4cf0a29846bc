//! Ids in the address.

use std::str::FromStr;

use axum::{
    extract::{FromRequestParts, RawPathParams},
    http::request::Parts,
};
use parlour_core::{Code, Refusal};

use crate::denied::Denied;

/// The one variable part of an address.
pub(crate) struct Id<T>(pub(crate) T);

/// The two variable parts of an address.
pub(crate) struct IdPair<A, B>(pub(crate) A, pub(crate) B);

impl<S: Send + Sync, T: FromStr<Err = Refusal>> FromRequestParts<S> for Id<T> {
    type Rejection = Denied;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Denied> {
        let params = read_params(parts, state).await?;
        Ok(Self(parse(&params, 0)?))
    }
}

impl<S: Send + Sync, A: FromStr<Err = Refusal>, B: FromStr<Err = Refusal>> FromRequestParts<S> for IdPair<A, B> {
    type Rejection = Denied;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Denied> {
        let params = read_params(parts, state).await?;
        Ok(Self(parse(&params, 0)?, parse(&params, 1)?))
    }
}

async fn read_params<S: Send + Sync>(parts: &mut Parts, state: &S) -> Result<RawPathParams, Refusal> {
    let refuse = |_| Refusal::new(Code::BadId, "the address holds bytes that are no UTF-8");
    RawPathParams::from_request_parts(parts, state).await.map_err(refuse)
}

fn parse<T: FromStr<Err = Refusal>>(params: &RawPathParams, index: usize) -> Result<T, Refusal> {
    let (name, text) = params.iter().nth(index).expect("the route has this variable part");
    text.parse().map_err(|refusal: Refusal| refusal.at(name))
}
