//! MCP sessions: their owners, their idle times and their ends.
//!
//! A session belongs to the token that opened it. It holds a live session of the hub, so it ends at once when the token is
//! revoked or expires and when the hub stops.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use parlour_core::{
    Code, Refusal, Timestamp,
    access::Principal,
    id::{MemberId, TokenId},
    limits,
};
use parlour_hub::{Hub, live::Session};
use rmcp::transport::streamable_http_server::session::{
    SessionManager as _,
    local::{LocalSessionManager, SessionConfig},
};
use tokio_util::sync::CancellationToken;

use super::client_state::ClientState;

/// The reason with which a run is cancelled when its client closes the session.
const SESSION_CLOSED: &str = "its MCP session was closed";

/// Whether the event streams of a session begin with an event without a message, which contains the time after which a
/// disconnected client reconnects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Priming {
    Sent,
    Omitted,
}

impl Priming {
    /// The time that the event contains; rmcp sends none without it.
    pub(super) fn retry(self) -> Option<Duration> {
        (self == Self::Sent).then_some(SessionConfig::DEFAULT_SSE_RETRY)
    }
}

/// All open MCP sessions.
pub(super) struct McpSessions {
    /// The sessions as rmcp manages them: one manager for each kind of `Priming`, a setting that a manager has only once.
    primed: Arc<LocalSessionManager>,
    plain: Arc<LocalSessionManager>,
    by_id: Mutex<HashMap<Arc<str>, Arc<McpSession>>>,
}

/// One open MCP session.
pub(super) struct McpSession {
    id: Arc<str>,
    caller: Principal,
    pub(super) client: Arc<ClientState>,
    pub(super) priming: Priming,
    /// Cancelled when the session ends, which ends its event streams.
    pub(super) ended: CancellationToken,
    activity: Mutex<SessionActivity>,
}

struct SessionActivity {
    open_requests: usize,
    last_used: Timestamp,
}

/// An open request of a session; it ends when this guard is dropped with the response.
pub(super) struct OpenRequest {
    session: Arc<McpSession>,
    hub: Arc<Hub>,
}

impl McpSessions {
    pub(super) fn new() -> Self {
        let manager = |priming: Priming| {
            let mut manager = LocalSessionManager::default();
            // `watch` ends idle sessions, with the clock of the hub.
            manager.session_config.keep_alive = None;
            manager.session_config.sse_retry = priming.retry();
            Arc::new(manager)
        };
        Self { primed: manager(Priming::Sent), plain: manager(Priming::Omitted), by_id: Mutex::default() }
    }

    /// The manager of the sessions with this kind of priming.
    pub(super) fn manager(&self, priming: Priming) -> &Arc<LocalSessionManager> {
        match priming {
            Priming::Sent => &self.primed,
            Priming::Omitted => &self.plain,
        }
    }

    /// Finds a session of the caller. The session of another token is refused like one that does not exist.
    pub(super) fn find(&self, id: &str, caller: &Principal) -> Result<Arc<McpSession>, Refusal> {
        let refuse = || Refusal::new(Code::NotFound, "there is no such MCP session; open a new one with initialize");
        let session = self.lock().get(id).cloned().ok_or_else(refuse)?;
        if session.belongs_to(caller) { Ok(session) } else { Err(refuse()) }
    }

    /// Makes room for one more session of this member: at its limit, ends its session that has been idle the longest.
    /// Refused (`Full`) at the limit of the hub.
    pub(super) async fn make_room(&self, member: &MemberId) -> Result<(), Refusal> {
        let (count, oldest) = {
            let by_id = self.lock();
            let own = by_id.values().filter(|session| session.caller.member == *member);
            let (of_member, oldest) = (own.clone().count(), own.min_by_key(|session| session.last_used()).cloned());
            (by_id.len(), oldest.filter(|_| of_member >= limits::MCP_SESSIONS_PER_MEMBER_MAX))
        };
        match oldest {
            Some(oldest) => self.end(&oldest).await,
            None if count >= limits::MCP_SESSIONS_MAX => {
                return Err(Refusal::new(Code::Full, "too many MCP sessions are open; try again later"));
            }
            None => {}
        }
        Ok(())
    }

    /// Registers a session that rmcp has opened and starts a task that ends it.
    pub(super) fn add(
        self: &Arc<Self>,
        hub: &Arc<Hub>,
        live: Session,
        id: &str,
        priming: Priming,
        stop: CancellationToken,
    ) {
        let session = Arc::new(McpSession {
            id: id.into(),
            caller: live.caller().clone(),
            client: Arc::default(),
            priming,
            ended: CancellationToken::new(),
            activity: Mutex::new(SessionActivity { open_requests: 0, last_used: hub.clock().now() }),
        });
        self.lock().insert(Arc::clone(&session.id), Arc::clone(&session));
        tokio::spawn(watch(Arc::clone(self), Arc::clone(hub), session, live, stop));
    }

    /// Ends a session that its client has closed, and cancels its run.
    pub(super) async fn close(&self, hub: &Hub, session: &McpSession) {
        self.end(session).await;
        if let Some(run) = session.client.run() {
            let stopped = hub.cancel_run(&session.caller, &run, Some(SESSION_CLOSED.to_owned())).await;
            tracing::debug!(%run, is_stopped = stopped.is_ok(), "a client closed its session during a run");
        }
    }

    /// Removes a session and ends its event streams.
    async fn end(&self, session: &McpSession) {
        self.lock().remove(&session.id);
        session.ended.cancel();
        if let Err(error) = self.manager(session.priming).close_session(&session.id).await {
            tracing::debug!(%error, "an MCP session had already ended");
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Arc<str>, Arc<McpSession>>> {
        self.by_id.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Ends the session when its token ends, the hub stops, or it has been idle for too long.
async fn watch(
    sessions: Arc<McpSessions>,
    hub: Arc<Hub>,
    session: Arc<McpSession>,
    live: Session,
    stop: CancellationToken,
) {
    loop {
        tokio::select! {
            biased;
            () = session.ended.cancelled() => return,
            () = stop.cancelled() => break,
            _ = live.ended() => break,
            () = hub.clock().sleep_until(session.idle_deadline()) => {
                if session.is_idle(hub.clock().now()) {
                    break;
                }
            }
        }
    }
    sessions.end(&session).await;
}

impl McpSession {
    /// Counts a request as open until the returned guard is dropped.
    pub(super) fn begin_request(self: &Arc<Self>, hub: &Arc<Hub>) -> OpenRequest {
        let mut activity = self.activity();
        activity.open_requests += 1;
        activity.last_used = hub.clock().now();
        drop(activity);
        OpenRequest { session: Arc::clone(self), hub: Arc::clone(hub) }
    }

    fn belongs_to(&self, caller: &Principal) -> bool {
        let token = |caller: &Principal| -> Option<TokenId> { caller.grant.origin.token.clone() };
        self.caller.member == caller.member && token(&self.caller) == token(caller)
    }

    fn last_used(&self) -> Timestamp {
        self.activity().last_used
    }

    /// When the session ends unless it is used. A session with open requests gets another full period then.
    fn idle_deadline(&self) -> Timestamp {
        self.last_used().plus_millis(limits::MCP_SESSION_IDLE_SECONDS as u64 * 1_000)
    }

    fn is_idle(&self, now: Timestamp) -> bool {
        let mut activity = self.activity();
        if activity.open_requests > 0 {
            activity.last_used = now;
            return false;
        }
        drop(activity);
        self.idle_deadline() <= now
    }

    fn activity(&self) -> MutexGuard<'_, SessionActivity> {
        self.activity.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for OpenRequest {
    fn drop(&mut self) {
        let mut activity = self.session.activity();
        activity.open_requests -= 1;
        activity.last_used = self.hub.clock().now();
    }
}
