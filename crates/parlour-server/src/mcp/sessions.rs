//! MCP sessions: whose they are, and what ends them.
//!
//! A session belongs to the token that opened it, and ends with it. It is a live session of the hub too, so whatever
//! ends those ends this one within the same moment: a revoked or expired token, and the stop of the hub.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use parlour_core::{
    Code, Refusal, Timestamp,
    access::Principal,
    id::{MemberId, TokenId},
    limits,
};
use parlour_hub::{Hub, live::Session};
use rmcp::transport::streamable_http_server::session::{SessionManager as _, local::LocalSessionManager};
use tokio_util::sync::CancellationToken;

use super::desk::Desk;

/// What the run of a client is stopped with that has closed its session in the middle of it.
const CLOSED: &str = "its MCP session was closed";

/// All open MCP sessions.
#[derive(Default)]
pub(super) struct McpSessions {
    /// The part of the protocol.
    pub(super) manager: Arc<LocalSessionManager>,
    by_id: Mutex<HashMap<Arc<str>, Arc<McpSession>>>,
}

/// One open MCP session.
pub(super) struct McpSession {
    id: Arc<str>,
    caller: Principal,
    pub(super) desk: Arc<Desk>,
    /// Cancelled when it ends: then all of its streams end.
    pub(super) over: CancellationToken,
    usage: Mutex<Usage>,
}

struct Usage {
    /// Answers that have not ended yet.
    open: usize,
    last: Timestamp,
}

/// A request of a session that is under way, up to the end of its answer.
pub(super) struct UnderWay {
    session: Arc<McpSession>,
    hub: Arc<Hub>,
}

impl McpSessions {
    pub(super) fn new() -> Self {
        let mut manager = LocalSessionManager::default();
        // What is quiet is ended here, by the hub's own clock.
        manager.session_config.keep_alive = None;
        Self { manager: Arc::new(manager), by_id: Mutex::default() }
    }

    /// The session of this id, when it is the caller's. That of another token is answered like one that never was.
    pub(super) fn find(&self, id: &str, caller: &Principal) -> Result<Arc<McpSession>, Refusal> {
        let refuse = || Refusal::new(Code::NotFound, "there is no such MCP session; initialize a new one");
        let session = self.lock().get(id).cloned().ok_or_else(refuse)?;
        if session.is_of(caller) { Ok(session) } else { Err(refuse()) }
    }

    /// Makes room for one more session of this member: ends the one that was quiet for longest when it has too many.
    /// Refused (`Full`) when all places are taken.
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

    /// Takes a session that the protocol has opened, and watches over it.
    pub(super) fn add(self: &Arc<Self>, hub: &Arc<Hub>, live: Session, id: &str, stop: CancellationToken) {
        let session = Arc::new(McpSession {
            id: id.into(),
            caller: live.caller().clone(),
            desk: Arc::default(),
            over: CancellationToken::new(),
            usage: Mutex::new(Usage { open: 0, last: hub.clock().now() }),
        });
        self.lock().insert(Arc::clone(&session.id), Arc::clone(&session));
        tokio::spawn(watch(Arc::clone(self), Arc::clone(hub), session, live, stop));
    }

    /// Ends a session whose client has said goodbye. What it worked on has stopped with it.
    pub(super) async fn close(&self, hub: &Hub, session: &McpSession) {
        self.end(session).await;
        if let Some(run) = session.desk.run() {
            let stopped = hub.cancel_run(&session.caller, &run, Some(CLOSED.to_owned())).await;
            tracing::debug!(%run, is_stopped = stopped.is_ok(), "a client has closed its session in the middle of a run");
        }
    }

    /// Ends a session: no request finds it any more, and its streams end.
    async fn end(&self, session: &McpSession) {
        self.lock().remove(&session.id);
        session.over.cancel();
        if let Err(error) = self.manager.close_session(&session.id).await {
            tracing::debug!(%error, "an MCP session had ended already");
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Arc<str>, Arc<McpSession>>> {
        self.by_id.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Ends the session when its token ends, the hub stops, or it was quiet for too long.
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
            () = session.over.cancelled() => return,
            () = stop.cancelled() => break,
            _ = live.ended() => break,
            () = hub.clock().sleep_until(session.quiet_at()) => {
                if session.is_quiet(hub.clock().now()) {
                    break;
                }
            }
        }
    }
    sessions.end(&session).await;
}

impl McpSession {
    /// Notes that a request has come; it is under way until what is answered is dropped.
    pub(super) fn begin(self: &Arc<Self>, hub: &Arc<Hub>) -> UnderWay {
        let mut usage = self.usage();
        usage.open += 1;
        usage.last = hub.clock().now();
        drop(usage);
        UnderWay { session: Arc::clone(self), hub: Arc::clone(hub) }
    }

    fn is_of(&self, caller: &Principal) -> bool {
        let token = |caller: &Principal| -> Option<TokenId> { caller.grant.origin.token.clone() };
        self.caller.member == caller.member && token(&self.caller) == token(caller)
    }

    fn last_used(&self) -> Timestamp {
        self.usage().last
    }

    /// When it will have been quiet for too long. While something is under way it is looked at again after that time.
    fn quiet_at(&self) -> Timestamp {
        self.last_used().plus_millis(limits::MCP_SESSION_QUIET_SECONDS as u64 * 1_000)
    }

    fn is_quiet(&self, now: Timestamp) -> bool {
        let mut usage = self.usage();
        if usage.open > 0 {
            usage.last = now;
            return false;
        }
        drop(usage);
        self.quiet_at() <= now
    }

    fn usage(&self) -> MutexGuard<'_, Usage> {
        self.usage.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        let mut usage = self.session.usage();
        usage.open -= 1;
        usage.last = self.hub.clock().now();
    }
}
