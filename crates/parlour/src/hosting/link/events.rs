//! Events of the project from the feed of the hub, and the presence of the agent.

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
use tokio::sync::watch;
use tokio_util::task::AbortOnDropHandle;

/// Pauses between attempts to open a session; attempts are unlimited.
const PATIENCE: Retry =
    Retry { tries_max: u32::MAX, pause_first: Duration::from_millis(100), pause_max: Duration::from_secs(5) };

/// Follows a project: a session that ended is reopened, and `Live` signals a possible gap.
pub(super) struct LocalEvents {
    hub: Arc<Hub>,
    caller: Principal,
    project: ProjectId,
    presence: PresenceUpdater,
    open: Option<OpenSession>,
    waiting: VecDeque<HubEvent>,
    failures: u32,
}

struct OpenSession {
    session: Arc<Session>,
    reader: Reader,
}

impl LocalEvents {
    pub(super) fn new(hub: &Arc<Hub>, caller: Principal, project: &ProjectId) -> Self {
        Self {
            hub: Arc::clone(hub),
            presence: PresenceUpdater::start(Arc::clone(hub), caller.clone()),
            caller,
            project: project.clone(),
            open: None,
            waiting: VecDeque::new(),
            failures: 0,
        }
    }

    /// Opens a session, after a pause if the last attempt failed. Cancel safe.
    async fn connect(&mut self) -> Result<(), Failure> {
        if let Some(pause) = PATIENCE.pause_after(self.failures).filter(|_| self.failures > 0) {
            tokio::time::sleep(pause).await;
        }
        let session = Arc::new(self.hub.open_session_as(self.caller.clone())?);
        let reader = session.subscribe(&self.project, StartPosition::Now).await?.with_interest(FrameFilter::Events);
        self.presence.set_session(Some(Arc::clone(&session)));
        self.open = Some(OpenSession { session, reader });
        Ok(())
    }

    /// Closes the session; an error if the hub stops.
    fn lose(&mut self, why: SessionEnd) -> Result<HubEvent, LinkError> {
        self.open = None;
        self.presence.set_session(None);
        self.failures += 1;
        match why {
            SessionEnd::Stopping => Err(LinkError::Away("the hub is stopping".to_owned())),
            SessionEnd::TooSlow => Ok(HubEvent::Lost("the reader was too slow".to_owned())),
            SessionEnd::SignedOut | SessionEnd::AccessEnded => Ok(HubEvent::Lost("the session was closed".to_owned())),
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
                Ok(frames) => self.waiting.extend(frames.iter().filter_map(to_item)),
                Err(why) => return self.lose(why),
            }
        }
    }

    fn set_presence(&self, request: PresenceUpdate) {
        self.presence.say(request);
    }
}

impl OpenSession {
    /// The next frames, or the reason of the end. Cancel safe.
    async fn next(&mut self) -> Result<Vec<EncodedFrame>, SessionEnd> {
        tokio::select! {
            biased;
            why = self.session.ended() => Err(why),
            frames = self.reader.next() => frames,
        }
    }
}

fn lost(failure: &Failure) -> Result<HubEvent, LinkError> {
    match failure.refusal() {
        Some(refusal) if refusal.code == parlour_core::Code::Stopping => Err(LinkError::Away(refusal.detail.clone())),
        Some(refusal) => Ok(HubEvent::Lost(refusal.detail.clone())),
        None => {
            tracing::warn!(cause = %crate::hosting::failure_text(failure), "a hosted agent cannot follow its project");
            Ok(HubEvent::Lost("internal error; see the log of the hub".to_owned()))
        }
    }
}

/// A gap is not an item: `live` follows it.
fn to_item(frame: &EncodedFrame) -> Option<HubEvent> {
    match serde_json::from_slice(&frame.json) {
        Ok(ServerFrame::Live(_)) => Some(HubEvent::Live),
        Ok(ServerFrame::Event(event)) => Some(HubEvent::Event(event)),
        Ok(_) => None,
        Err(error) => {
            tracing::error!(%error, frame = frame.name, "cannot decode a frame of the hub");
            None
        }
    }
}

/// Publishes the latest presence on the open session.
pub(super) struct PresenceUpdater {
    wanted: watch::Sender<DesiredPresence>,
    _task: AbortOnDropHandle<()>,
}

/// The latest presence and its session.
#[derive(Clone, Default)]
struct DesiredPresence {
    /// Shared: a session ends only after a running update, and then removes the presence.
    session: Option<Arc<Session>>,
    request: Option<PresenceUpdate>,
}

impl PresenceUpdater {
    pub(super) fn start(hub: Arc<Hub>, caller: Principal) -> Self {
        let (wanted, changes) = watch::channel(DesiredPresence::default());
        let task = tokio::spawn(publish_presence(hub, caller, changes));
        Self { wanted, _task: AbortOnDropHandle::new(task) }
    }

    /// Sets the session.
    pub(super) fn set_session(&self, session: Option<Arc<Session>>) {
        self.wanted.send_modify(|wanted| wanted.session = session);
    }

    pub(super) fn say(&self, request: PresenceUpdate) {
        self.wanted.send_modify(|wanted| wanted.request = Some(request));
    }
}

/// Publishes updates one by one; outdated ones are skipped.
async fn publish_presence(hub: Arc<Hub>, caller: Principal, mut changes: watch::Receiver<DesiredPresence>) {
    while changes.changed().await.is_ok() {
        let wanted = changes.borrow_and_update().clone();
        let (Some(session), Some(request)) = (wanted.session, wanted.request) else { continue };
        if let Err(failure) = hub.enter_presence(&caller, session.id(), request).await {
            tracing::warn!(cause = %crate::hosting::failure_text(&failure), "cannot set the presence of a hosted agent");
        }
    }
}
