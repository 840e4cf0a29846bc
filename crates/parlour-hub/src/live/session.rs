//! Sessions: one for each open connection of a reader.

use std::{
    collections::{HashMap, HashSet},
    future::pending,
    sync::Arc,
};

use parking_lot::Mutex;
use parlour_core::{
    Code, Refusal,
    access::Principal,
    attribution::Surface,
    id::{MemberId, ProjectId, TokenId},
    limits,
    position::Position,
    scope::Scope,
};
use tokio::sync::{Semaphore, SemaphorePermit, watch};

use crate::{
    Failure,
    live::{LiveService, Reader},
};

/// The number of a live session; not reused until the hub restarts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SessionId(pub(crate) u64);

/// Where a reader begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StartPosition {
    /// With the next event.
    Now,
    /// With the events after this position.
    After(Position),
}

/// Which frames a reader receives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum FrameFilter {
    /// All visible frames, including ephemeral ones: open streams with chunks and steps, typing, presence.
    #[default]
    Everything,
    /// Events of the log only, with `gap` and `live`. For programs that wait to be called: fifty of them cost nothing
    /// while others write.
    Events,
}

/// Why a session or one of its readers has ended. A later session can resume.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SessionEnd {
    /// The reader did not keep up with the feed.
    TooSlow,
    /// The token was revoked, replaced or has expired.
    SignedOut,
    /// The member may no longer read a project that the session follows.
    AccessEnded,
    /// The hub stops.
    Stopping,
    /// The log could not be read.
    Fault,
}

/// An open connection of one reader, until it is dropped.
pub struct Session {
    live: Arc<LiveService>,
    caller: Principal,
    entry: Arc<SessionEntry>,
}

/// The registration of a session.
pub(super) struct SessionEntry {
    id: SessionId,
    /// The token that it was opened with.
    token: Option<TokenId>,
    /// Whether its member sees every project.
    is_admin: bool,
    /// The projects that it follows.
    projects: Mutex<HashSet<ProjectId>>,
    ended: watch::Sender<Option<SessionEnd>>,
}

/// All open sessions by member.
pub(crate) struct Sessions {
    state: Mutex<SessionTable>,
    /// Limits concurrent reads of the store: after a restart thousands of sessions connect at once.
    store_permits: Semaphore,
}

impl Default for Sessions {
    fn default() -> Self {
        Self { state: Mutex::default(), store_permits: Semaphore::new(limits::LIVE_STORE_READS_MAX) }
    }
}

#[derive(Default)]
struct SessionTable {
    last_id: u64,
    count: usize,
    by_member: HashMap<MemberId, Vec<Arc<SessionEntry>>>,
    /// Set when the hub stops; no session can be opened then.
    stopped: bool,
}

impl Session {
    /// Registers a session of an authenticated caller.
    pub(super) fn open(live: &Arc<LiveService>, caller: Principal) -> Result<Self, Failure> {
        let entry = live.sessions.add(&caller)?;
        Ok(Self { live: Arc::clone(live), caller, entry })
    }

    /// The same session with this surface as origin.
    #[must_use]
    pub fn over(mut self, surface: Surface) -> Self {
        self.caller.grant.origin.surface = surface;
        self
    }

    /// The number of the session.
    pub fn id(&self) -> SessionId {
        self.entry.id
    }

    /// The authenticated reader.
    pub fn caller(&self) -> &Principal {
        &self.caller
    }

    /// Follows a project; requires the scope to read messages. Following it twice is refused, and so is one project
    /// too many (`Full`). The reader receives all frames unless [`Reader::with_interest`] is called.
    pub async fn subscribe(&self, project: &ProjectId, start: StartPosition) -> Result<Reader, Failure> {
        self.live.access.require_scope(&self.caller, Scope::MessagesRead)?;
        let subscription = Subscription::begin(&self.entry, project)?;
        let _permit = self.live.sessions.store_permit().await;
        // Checked after the registration: a removal from now on ends the session.
        self.live.access.load_visible_project(&self.caller, project).await?;
        Reader::open(&self.live, &self.caller, subscription, start).await
    }

    /// Waits until the hub ends the session or its token expires. Surfaces then close the connection at once.
    pub async fn ended(&self) -> SessionEnd {
        tokio::select! {
            biased;
            why = self.entry.ended() => why,
            () = self.token_expires() => {
                self.entry.end(SessionEnd::SignedOut);
                SessionEnd::SignedOut
            }
        }
    }

    async fn token_expires(&self) {
        match self.caller.grant.expires_at {
            Some(at) => self.live.clock.sleep_until(at).await,
            None => pending().await,
        }
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        self.live.presence.leave_presence(self.entry.id);
        self.live.sessions.remove(&self.caller.member, self.entry.id);
    }
}

/// A project that a session follows, until it is dropped.
pub(super) struct Subscription {
    entry: Arc<SessionEntry>,
    project: ProjectId,
}

impl Subscription {
    fn begin(entry: &Arc<SessionEntry>, project: &ProjectId) -> Result<Self, Refusal> {
        let mut projects = entry.projects.lock();
        if projects.contains(project) {
            return Err(Refusal::invalid("this session follows the project already").at("project_id"));
        }
        if projects.len() >= limits::LIVE_SUBSCRIPTIONS_MAX {
            let detail = format!("a session follows at most {} projects", limits::LIVE_SUBSCRIPTIONS_MAX);
            return Err(Refusal::new(Code::Full, detail));
        }
        projects.insert(project.clone());
        Ok(Self { entry: Arc::clone(entry), project: project.clone() })
    }

    pub(super) fn project(&self) -> &ProjectId {
        &self.project
    }
}

impl Drop for Subscription {
    fn drop(&mut self) {
        self.entry.projects.lock().remove(&self.project);
    }
}

impl Sessions {
    /// Waits for a permit to read the store.
    pub(super) async fn store_permit(&self) -> SemaphorePermit<'_> {
        self.store_permits.acquire().await.expect("the semaphore is never closed")
    }

    fn add(&self, caller: &Principal) -> Result<Arc<SessionEntry>, Refusal> {
        let member = &caller.member;
        let mut state = self.state.lock();
        if state.stopped {
            return Err(Refusal::new(Code::Stopping, "the hub is stopping"));
        }
        let of_member = state.by_member.get(member).map_or(0, Vec::len);
        if state.count >= limits::LIVE_SESSIONS_MAX || of_member >= limits::LIVE_SESSIONS_PER_MEMBER_MAX {
            return Err(Refusal::new(Code::Full, "too many live sessions are open; close some first"));
        }
        state.last_id += 1;
        state.count += 1;
        let (id, ended) = (SessionId(state.last_id), watch::Sender::new(None));
        let (token, is_admin) = (caller.grant.origin.token.clone(), caller.is_admin());
        let entry = Arc::new(SessionEntry { id, token, is_admin, projects: Mutex::default(), ended });
        state.by_member.entry(member.clone()).or_default().push(Arc::clone(&entry));
        Ok(entry)
    }

    fn remove(&self, member: &MemberId, id: SessionId) {
        let mut state = self.state.lock();
        let Some(entries) = state.by_member.get_mut(member) else { return };
        let before = entries.len();
        entries.retain(|entry| entry.id != id);
        let removed = before - entries.len();
        if entries.is_empty() {
            state.by_member.remove(member);
        }
        state.count -= removed;
    }

    pub(crate) fn end_member(&self, member: &MemberId, why: SessionEnd) {
        self.end_where(member, why, |_| true);
    }

    /// Ends the sessions of a member that were opened with this token.
    pub(crate) fn end_token(&self, member: &MemberId, token: &TokenId) {
        self.end_where(member, SessionEnd::SignedOut, |entry| entry.token.as_ref() == Some(token));
    }

    /// Ends the sessions of a member whose token is not among these.
    pub(crate) fn keep_tokens(&self, member: &MemberId, kept: &HashSet<TokenId>) {
        let is_gone = |entry: &SessionEntry| entry.token.as_ref().is_some_and(|token| !kept.contains(token));
        self.end_where(member, SessionEnd::SignedOut, is_gone);
    }

    /// Ends the sessions of a member that follow this project, except those of administrators.
    pub(crate) fn end_in_project(&self, member: &MemberId, project: &ProjectId) {
        let follows = |entry: &SessionEntry| !entry.is_admin && entry.projects.lock().contains(project);
        self.end_where(member, SessionEnd::AccessEnded, follows);
    }

    fn end_where(&self, member: &MemberId, why: SessionEnd, is_affected: impl Fn(&SessionEntry) -> bool) {
        let state = self.state.lock();
        let entries = state.by_member.get(member).into_iter().flatten();
        entries.filter(|entry| is_affected(entry)).for_each(|entry| entry.end(why));
    }

    /// Ends all sessions and refuses new ones.
    pub(crate) fn stop(&self) {
        let mut state = self.state.lock();
        state.stopped = true;
        state.by_member.values().flatten().for_each(|entry| entry.end(SessionEnd::Stopping));
    }
}

impl SessionEntry {
    async fn ended(&self) -> SessionEnd {
        let mut ended = self.ended.subscribe();
        let why = ended.wait_for(Option::is_some).await.ok().and_then(|why| *why);
        why.unwrap_or(SessionEnd::Stopping)
    }

    /// Ends the session; only the first reason counts.
    fn end(&self, why: SessionEnd) {
        self.ended.send_if_modified(|ended| ended.is_none() && ended.replace(why).is_none());
    }
}
