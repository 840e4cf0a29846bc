//! The agent's presence: it lasts as long as a session, and the runner only says what it is doing.

use std::sync::Arc;

use parlour_core::{access::Principal, presence::PresenceUpdate};
use parlour_hub::{Hub, live::Session};
use tokio::sync::watch;
use tokio_util::task::AbortOnDropHandle;

/// Says to the hub what the runner last said, on the session that is open.
pub(super) struct PresenceKeeper {
    wanted: watch::Sender<Wanted>,
    /// Ends with the keeper.
    _task: AbortOnDropHandle<()>,
}

/// What is to be said, and on which session.
#[derive(Clone, Default)]
struct Wanted {
    /// Shared: a session that ends while something is said on it ends only afterwards, and takes that back.
    session: Option<Arc<Session>>,
    request: Option<PresenceUpdate>,
}

impl PresenceKeeper {
    /// Begins to wait for something to say.
    pub(super) fn start(hub: Arc<Hub>, caller: Principal) -> Self {
        let (wanted, changes) = watch::channel(Wanted::default());
        let task = tokio::spawn(keep_saying(hub, caller, changes));
        Self { wanted, _task: AbortOnDropHandle::new(task) }
    }

    /// From now on it counts on this session, or on none.
    pub(super) fn stand_on(&self, session: Option<Arc<Session>>) {
        self.wanted.send_modify(|wanted| wanted.session = session);
    }

    /// What the agent is doing now.
    pub(super) fn say(&self, request: PresenceUpdate) {
        self.wanted.send_modify(|wanted| wanted.request = Some(request));
    }
}

/// One word after the other; only the last one counts.
async fn keep_saying(hub: Arc<Hub>, caller: Principal, mut changes: watch::Receiver<Wanted>) {
    while changes.changed().await.is_ok() {
        let wanted = changes.borrow_and_update().clone();
        let (Some(session), Some(request)) = (wanted.session, wanted.request) else { continue };
        if let Err(failure) = hub.enter_presence(&caller, session.id(), request).await {
            tracing::warn!(cause = %crate::hosting::told(&failure), "the presence of an agent of this hub was not taken");
        }
    }
}
