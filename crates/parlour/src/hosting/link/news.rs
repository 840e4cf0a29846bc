//! What happens in the project, read from the hub's own feed.

use std::{collections::VecDeque, sync::Arc, time::Duration};

use async_trait::async_trait;
use parlour_agent::{
    Retry,
    link::{HubEvent, HubEvents, LinkError},
};
use parlour_core::{access::Principal, id::ProjectId, live::ServerFrame, presence::PresenceUpdate};
use parlour_hub::{
    Failure, Hub,
    live::{EncodedFrame, FrameFilter, Reader, Session, SessionEnd, StartPosition},
};

use super::presence::PresenceKeeper;

/// How often a session is opened in a row before the pauses grow no further.
const PATIENCE: Retry =
    Retry { tries_max: u32::MAX, pause_first: Duration::from_millis(100), pause_max: Duration::from_secs(5) };

/// Follows a project for ever: a session that ends is opened again, and what was missed is told as a new beginning.
pub(super) struct LocalEvents {
    hub: Arc<Hub>,
    caller: Principal,
    project: ProjectId,
    presence: PresenceKeeper,
    open: Option<Open>,
    waiting: VecDeque<HubEvent>,
    failures: u32,
}

/// A session that follows the project.
struct Open {
    session: Arc<Session>,
    reader: Reader,
}

impl LocalEvents {
    pub(super) fn new(hub: &Arc<Hub>, caller: Principal, project: &ProjectId) -> Self {
        Self {
            hub: Arc::clone(hub),
            presence: PresenceKeeper::start(Arc::clone(hub), caller.clone()),
            caller,
            project: project.clone(),
            open: None,
            waiting: VecDeque::new(),
            failures: 0,
        }
    }

    /// Opens a session, after a pause when that has failed before. Cancelling it leaves nothing behind.
    async fn connect(&mut self) -> Result<(), Failure> {
        if let Some(pause) = PATIENCE.pause_after(self.failures).filter(|_| self.failures > 0) {
            tokio::time::sleep(pause).await;
        }
        let session = Arc::new(self.hub.open_session_as(self.caller.clone())?);
        let reader = session.subscribe(&self.project, StartPosition::Now).await?.with_interest(FrameFilter::Events);
        self.presence.stand_on(Some(Arc::clone(&session)));
        self.open = Some(Open { session, reader });
        Ok(())
    }

    /// Why the session ended, unless the hub stops: then there is nothing to come back to.
    fn lose(&mut self, why: SessionEnd) -> Result<HubEvent, LinkError> {
        self.open = None;
        self.presence.stand_on(None);
        self.failures += 1;
        match why {
            SessionEnd::Stopping => Err(LinkError::Away("the hub is stopping".to_owned())),
            SessionEnd::TooSlow => Ok(HubEvent::Lost("it was behind what happens".to_owned())),
            SessionEnd::SignedOut | SessionEnd::AccessEnded => Ok(HubEvent::Lost("its session was ended".to_owned())),
            SessionEnd::Fault => Ok(HubEvent::Lost("the log could not be read".to_owned())),
        }
    }
}

#[async_trait]
impl HubEvents for LocalEvents {
    async fn next(&mut self) -> Result<HubEvent, LinkError> {
        loop {
            if let Some(item) = self.waiting.pop_front() {
                self.failures = 0;
                return Ok(item);
            }
            let Some(open) = &mut self.open else {
                if let Err(failure) = self.connect().await {
                    self.failures += 1;
                    return lost(&failure);
                }
                continue;
            };
            match open.next().await {
                Ok(told) => self.waiting.extend(told.iter().filter_map(to_item)),
                Err(why) => return self.lose(why),
            }
        }
    }

    fn set_presence(&self, request: PresenceUpdate) {
        self.presence.say(request);
    }
}

impl Open {
    /// The next frames, or why there are no more. Cancelling the wait loses nothing.
    async fn next(&mut self) -> Result<Vec<EncodedFrame>, SessionEnd> {
        tokio::select! {
            biased;
            why = self.session.ended() => Err(why),
            told = self.reader.next() => told,
        }
    }
}

fn lost(failure: &Failure) -> Result<HubEvent, LinkError> {
    match failure.refusal() {
        Some(refusal) if refusal.code == parlour_core::Code::Stopping => Err(LinkError::Away(refusal.detail.clone())),
        Some(refusal) => Ok(HubEvent::Lost(refusal.detail.clone())),
        None => {
            tracing::warn!(cause = %crate::hosting::told(failure), "an agent of this hub cannot follow its project");
            Ok(HubEvent::Lost("something broke in the hub; its log says what".to_owned()))
        }
    }
}

/// A gap needs no word of its own: it is followed by `live`.
fn to_item(told: &EncodedFrame) -> Option<HubEvent> {
    match serde_json::from_slice(&told.json) {
        Ok(ServerFrame::Live(_)) => Some(HubEvent::Live),
        Ok(ServerFrame::Event(event)) => Some(HubEvent::Event(event)),
        Ok(_) => None,
        Err(error) => {
            tracing::error!(%error, frame = told.name, "the hub cannot read its own frame");
            None
        }
    }
}
