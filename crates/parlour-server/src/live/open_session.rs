//! A session and the stop of the hub, as one thing that can end.

use parlour_core::live::CloseCode;
use parlour_hub::live::Session;
use tokio_util::sync::CancellationToken;

use super::farewell::code_of;

/// A session on a surface that may stop.
pub(super) struct OpenSession<S> {
    pub(super) session: S,
    pub(super) stop: CancellationToken,
}

impl<S: std::borrow::Borrow<Session>> OpenSession<S> {
    /// Waits until the session must be closed, and tells why. Everything that takes time is raced against it.
    pub(super) async fn over(&self) -> CloseCode {
        tokio::select! {
            biased;
            () = self.stop.cancelled() => CloseCode::Restart,
            why = self.session.borrow().ended() => code_of(why),
        }
    }
}
