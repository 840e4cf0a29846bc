//! The first frame of a client that could not sign in with the head of its request, as browsers cannot.

use std::{sync::Arc, time::Duration};

use parlour_core::{
    Code, Refusal, limits,
    live::{ClientFrame, CloseCode, Refused, ServerFrame},
    origin::Surface,
};
use parlour_hub::{Hub, live::Session};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_util::sync::CancellationToken;

use super::{
    beats::wait,
    farewell::Farewell,
    listener::{Listener, Said},
    requests::refused,
    socket::to_text,
    wire::Wire,
};
use crate::rates::Visit;

/// How long a client is given.
const TIME_MAX: Duration = Duration::from_secs(limits::LIVE_SIGN_IN_SECONDS_MAX as u64);

/// Waits until the client has signed in, and answers its session and the reference of its frame.
pub(super) async fn sign_in<S: AsyncRead + AsyncWrite + Unpin>(
    hub: &Arc<Hub>,
    wire: &mut Wire<S>,
    stop: &CancellationToken,
    visit: &Visit,
) -> Result<(Session, Option<String>), Farewell> {
    tokio::select! {
        biased;
        () = stop.cancelled() => Err(CloseCode::Restart.into()),
        signed_in = listen(hub, wire, visit) => signed_in,
        () = wait(hub.clock(), TIME_MAX) => Err(CloseCode::SignedOut.into()),
    }
}

async fn listen<S: AsyncRead + AsyncWrite + Unpin>(
    hub: &Arc<Hub>,
    wire: &mut Wire<S>,
    visit: &Visit,
) -> Result<(Session, Option<String>), Farewell> {
    let mut listener = Listener::default();
    loop {
        let heard = wire.read().await?;
        match listener.understand(heard) {
            Said::Frame(reference, ClientFrame::SignIn { token }) => {
                match visit.open_session(hub, (&token).into(), Surface::Live).await {
                    Ok(session) => return Ok((session, reference)),
                    Err(failure) => {
                        wire.write([to_text(&refused(reference, &failure))]).await?;
                        // There may be room for a session later, but a token that is wrong stays wrong.
                        if failure.refusal().is_some_and(|refusal| refusal.code == Code::Unauthenticated) {
                            return Err(CloseCode::SignedOut.into());
                        }
                    }
                }
            }
            Said::Frame(reference, _) => {
                let refusal = Refusal::new(Code::Unauthenticated, "send a frame of type sign_in first");
                wire.write([to_text(&ServerFrame::Refused(Refused::new(reference, &refusal)))]).await?;
            }
            Said::Unreadable(answer) => wire.write([to_text(&answer)]).await?,
            Said::Nothing => {}
        }
        listener.check()?;
    }
}
