//! A session and the stop of the hub, as one thing that can end.

use std::{pin::Pin, sync::Arc};

use parlour_core::live::CloseCode;
use parlour_hub::live::Session;
use tokio_util::sync::CancellationToken;

use super::farewell::code_of;

/// A session on a surface that may stop.
pub(super) struct OpenSession {
    pub(super) session: Arc<Session>,
    /// Kept between two waits: who waits is registered once for each session, not for each frame.
    over: Pin<Box<dyn Future<Output = CloseCode> + Send>>,
}

impl OpenSession {
    pub(super) fn new(session: Session, stop: CancellationToken) -> Self {
        let session = Arc::new(session);
        let over = Box::pin(over(Arc::clone(&session), stop));
        Self { session, over }
    }

    /// Waits until the session must be closed, and tells why, once. Everything that takes time is raced against it.
    pub(super) async fn over(&mut self) -> CloseCode {
        self.over.as_mut().await
    }
}

async fn over(session: Arc<Session>, stop: CancellationToken) -> CloseCode {
    tokio::select! {
        biased;
        () = stop.cancelled() => CloseCode::Restart,
        why = session.ended() => code_of(why),
    }
}
