//! Live delivery of events to readers.
//!
//! The store reports every committed event (`Log::watch`). The fan-out encodes it once and puts it into the feed of its
//! project. A reader follows the feed at its own pace and takes the frames that its audience allows. A reader that is
//! behind the feed reads the log, and a live reader that falls behind has to resume: the fan-out never waits for
//! readers.

mod fanout;
mod feed;
mod reader;
mod sabotage;
mod session;

use std::sync::Arc;

use parlour_core::access::Principal;

use self::fanout::Fanout;
use crate::{
    Failure,
    access::Access,
    accounts::{AccountService, Credential},
    event_writer::EventWriter,
    infrastructure::Infrastructure,
    ports::{Clock, Store},
    presence::PresenceService,
    project_state::ProjectStates,
    streams::StreamService,
};

pub(crate) use self::{fanout::Feeds, session::Sessions};
pub use self::{
    feed::EncodedFrame,
    reader::Reader,
    session::{FrameFilter, Session, SessionEnd, SessionId, StartPosition},
};

/// Opens live sessions and publishes committed events to their readers.
pub(crate) struct LiveService {
    access: Access,
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
    projects: Arc<ProjectStates>,
    writer: EventWriter,
    feeds: Arc<Feeds>,
    sessions: Arc<Sessions>,
    accounts: Arc<AccountService>,
    presence: Arc<PresenceService>,
    streams: Arc<StreamService>,
}

impl LiveService {
    pub(crate) fn new(
        parts: &Infrastructure,
        accounts: &Arc<AccountService>,
        presence: &Arc<PresenceService>,
        streams: &Arc<StreamService>,
    ) -> Self {
        Self {
            access: parts.access.clone(),
            store: parts.store(),
            clock: parts.clock(),
            projects: Arc::clone(&parts.projects),
            writer: parts.writer.clone(),
            feeds: Arc::clone(&parts.feeds),
            sessions: Arc::clone(&parts.sessions),
            accounts: Arc::clone(accounts),
            presence: Arc::clone(presence),
            streams: Arc::clone(streams),
        }
    }

    /// Opens a live session for the owner of this credential. Refused (`Full`) at the limit of sessions.
    pub(crate) async fn open_session(self: &Arc<Self>, credential: Credential<'_>) -> Result<Session, Failure> {
        let _permit = self.sessions.store_permit().await;
        let caller = self.accounts.sign_in(credential).await?;
        let session = self.open_session_as(caller)?;
        // Sign in again: a token that was replaced before the registration did not end this session.
        self.accounts.sign_in(credential).await?;
        Ok(session)
    }

    /// Opens a live session for an authenticated caller.
    pub(crate) fn open_session_as(self: &Arc<Self>, caller: Principal) -> Result<Session, Failure> {
        Session::open(self, caller)
    }

    /// The work of the fan-out, once; it ends when the store closes.
    pub(crate) fn fan_out(&self) -> Option<impl Future<Output = ()> + '_> {
        Fanout::new(self).map(Fanout::run)
    }

    /// Ends all sessions and feeds (`Stopping`) and refuses new sessions.
    pub(crate) fn stop(&self) {
        self.sessions.stop();
        self.feeds.end_all(SessionEnd::Stopping);
    }
}
