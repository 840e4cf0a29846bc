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
    id::{MemberId, ProjectId, TokenId},
    limits,
    origin::Surface,
    position::Position,
    scope::Scope,
};
use tokio::sync::{Semaphore, SemaphorePermit, watch};

use crate::{Failure, Hub, live::Reader, use_cases::Credential};

/// The number of a live session, never used again in this life of the hub.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SessionId(pub(crate) u64);

/// Where a reader begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StartPosition {
    /// With what happens next.
    Now,
    /// With what happened after this position.
    After(Position),
}

/// What a reader wants to be told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum FrameFilter {
    /// Everything that it may see, also what is of the moment: running streams and their chunks and steps, typing,
    /// presence.
    #[default]
    Everything,
    /// Only what stands in the log, with `gap` and `live`. For programs that wait to be called: fifty of them cost
    /// nothing while others write.
    Events,
}

/// Why a session or one of its readers has ended. What was told so far stands; a later session can resume.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SessionEnd {
    /// The reader was too slow.
    TooSlow,
    /// The token has ended: it was revoked or replaced, or it has expired.
    SignedOut,
    /// The member may no longer read a project that the session follows.
    AccessEnded,
    /// The hub stops.
    Stopping,
    /// The log could not be read.
    Fault,
}

/// An open connection of one reader. It ends for the hub when it is dropped.
pub struct Session {
    hub: Arc<Hub>,
    caller: Principal,
    entry: Arc<Entry>,
}

/// What the hub knows of a session.
pub(super) struct Entry {
    id: SessionId,
    /// The token that it was opened with.
    token: Option<TokenId>,
    /// Whether its member sees every project, with or without being in it.
    is_admin: bool,
    /// The projects that it follows.
    projects: Mutex<HashSet<ProjectId>>,
    ended: watch::Sender<Option<SessionEnd>>,
}

/// All open sessions, by their member.
pub(crate) struct Sessions {
    state: Mutex<State>,
    /// After a restart thousands come at once, and the store refuses what waits beyond its queue: so they come in turn.
    store_permits: Semaphore,
}

impl Default for Sessions {
    fn default() -> Self {
        Self { state: Mutex::default(), store_permits: Semaphore::new(limits::LIVE_STORE_READS_MAX) }
    }
}

#[derive(Default)]
struct State {
    last_id: u64,
    count: usize,
    by_member: HashMap<MemberId, Vec<Arc<Entry>>>,
    /// Set when the hub stops: then no session is opened any more.
    stopped: bool,
}

impl Hub {
    /// Opens a live session for the owner of this token. It is refused when there is no room (`Full`).
    pub async fn open_session<'a>(self: &Arc<Self>, credential: impl Into<Credential<'a>>) -> Result<Session, Failure> {
        let credential = credential.into();
        let _permit = self.sessions.store_permit().await;
        let caller = self.sign_in(credential).await?;
        let entry = self.sessions.add(&caller)?;
        let session = Session { hub: Arc::clone(self), caller, entry };
        // Asked again: a token that was replaced before the session was known has ended nothing.
        self.sign_in(credential).await?;
        Ok(session)
    }
}

impl Session {
    /// A session of a caller that is known already.
    pub(crate) fn open(hub: &Arc<Hub>, caller: Principal) -> Result<Self, Failure> {
        let entry = hub.sessions.add(&caller)?;
        Ok(Self { hub: Arc::clone(hub), caller, entry })
    }

    /// The same session, heard through this surface.
    #[must_use]
    pub fn over(mut self, surface: Surface) -> Self {
        self.caller.grant.origin.surface = surface;
        self
    }

    /// Its number.
    pub fn id(&self) -> SessionId {
        self.entry.id
    }

    /// Who reads.
    pub fn caller(&self) -> &Principal {
        &self.caller
    }

    /// Follows a project; the token must be one that reads messages. Following one twice is refused, and so is one too
    /// many (`Full`). The reader is told everything, unless [`Reader::with_interest`] says otherwise.
    pub async fn subscribe(&self, project: &ProjectId, start: StartPosition) -> Result<Reader, Failure> {
        self.hub.access.require_scope(&self.caller, Scope::MessagesRead)?;
        let subscription = Subscription::begin(&self.entry, project)?;
        let _permit = self.hub.sessions.store_permit().await;
        // Asked after the session is known to follow: whoever is removed from now on ends it.
        self.hub.access.load_visible_project(&self.caller, project).await?;
        Reader::open(&self.hub, &self.caller, subscription, start).await
    }

    /// Waits until the hub ends the session or its token expires, and tells why. Surfaces then close the connection at
    /// once.
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
            Some(at) => self.hub.clock.sleep_until(at).await,
            None => pending().await,
        }
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        self.hub.presence.leave_presence(self.entry.id);
        self.hub.sessions.remove(&self.caller.member, self.entry.id);
    }
}

/// A project in the list of a session, until it is dropped.
pub(super) struct Subscription {
    entry: Arc<Entry>,
    project: ProjectId,
}

impl Subscription {
    fn begin(entry: &Arc<Entry>, project: &ProjectId) -> Result<Self, Refusal> {
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

    /// The project.
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
    /// Waits until a live reader may ask the store; the turn ends when it is dropped.
    pub(super) async fn store_permit(&self) -> SemaphorePermit<'_> {
        self.store_permits.acquire().await.expect("turns are never closed")
    }

    fn add(&self, caller: &Principal) -> Result<Arc<Entry>, Refusal> {
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
        let entry = Arc::new(Entry { id, token, is_admin, projects: Mutex::default(), ended });
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

    /// Ends all sessions of a member.
    pub(crate) fn end_member(&self, member: &MemberId, why: SessionEnd) {
        self.end_where(member, why, |_| true);
    }

    /// Ends those sessions of a member that were opened with this token; the others go on.
    pub(crate) fn end_token(&self, member: &MemberId, token: &TokenId) {
        self.end_where(member, SessionEnd::SignedOut, |entry| entry.token.as_ref() == Some(token));
    }

    /// Ends those sessions of a member whose token is not among these.
    pub(crate) fn keep_tokens(&self, member: &MemberId, kept: &HashSet<TokenId>) {
        let is_gone = |entry: &Entry| entry.token.as_ref().is_some_and(|token| !kept.contains(token));
        self.end_where(member, SessionEnd::SignedOut, is_gone);
    }

    /// Ends those sessions of a member that follow this project; administrators go on seeing it.
    pub(crate) fn end_in_project(&self, member: &MemberId, project: &ProjectId) {
        let follows = |entry: &Entry| !entry.is_admin && entry.projects.lock().contains(project);
        self.end_where(member, SessionEnd::AccessEnded, follows);
    }

    fn end_where(&self, member: &MemberId, why: SessionEnd, is_meant: impl Fn(&Entry) -> bool) {
        let state = self.state.lock();
        let entries = state.by_member.get(member).into_iter().flatten();
        entries.filter(|entry| is_meant(entry)).for_each(|entry| entry.end(why));
    }

    /// Ends all sessions and opens no more.
    pub(crate) fn stop(&self) {
        let mut state = self.state.lock();
        state.stopped = true;
        state.by_member.values().flatten().for_each(|entry| entry.end(SessionEnd::Stopping));
    }
}

impl Entry {
    async fn ended(&self) -> SessionEnd {
        let mut ended = self.ended.subscribe();
        let why = ended.wait_for(Option::is_some).await.ok().and_then(|why| *why);
        why.unwrap_or(SessionEnd::Stopping)
    }

    /// The first reason counts.
    fn end(&self, why: SessionEnd) {
        self.ended.send_if_modified(|ended| ended.is_none() && ended.replace(why).is_none());
    }
}
