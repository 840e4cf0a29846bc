use std::sync::Arc;

use axum::{
    extract::Request,
    response::{IntoResponse as _, Response},
};
use parlour_core::Refusal;
use parlour_hub::Hub;

use super::{headers, visit::Tally};
use crate::{denied::Denied, peer::ClientAddress};

/// Charges the address of every request, before anything is known of who makes it, and tells the caller in the answer
/// what is left to it.
pub(crate) async fn charge_address(
    hub: &Hub,
    mut request: Request,
    next: impl AsyncFnOnce(Request) -> Response,
) -> Response {
    let ClientAddress(address) = request.extensions().get().copied().unwrap_or_default();
    let tally = Tally::default();
    let mut response = match hub.charge_address(address) {
        Ok(()) => {
            request.extensions_mut().insert(Arc::clone(&tally));
            next(request).await
        }
        Err(exceeded) => {
            let _ = tally.set(Err(exceeded));
            Denied::from(Refusal::from(exceeded)).into_response()
        }
    };
    if let Some(tally) = tally.get() {
        headers::tell(response.headers_mut(), hub.rates(), tally);
    }
    response
}
