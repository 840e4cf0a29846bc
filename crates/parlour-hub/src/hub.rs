//! The hub: a facade over the services, and their construction.

use std::sync::Arc;

use parlour_core::{
    access::Principal,
    attribution::Attribution,
    engine::EngineOffer,
    id::{ProjectId, TokenId},
    limits,
    paging::PageRequest,
    rate::Rates,
    token::{NewToken, OtherTokens, Token, TokenHash},
    write::{Appended, Write},
};

use crate::{
    Failure, Fault,
    access::Access,
    cache::LoadCache,
    calling::CallService,
    context::ContextService,
    event_writer::EventWriter,
    keyed_lock::KeyedLock,
    live::{Feeds, SessionEnd, Sessions},
    note_budget::NoteBudget,
    ports::{Blobs, Clock, Ids, Issuers, Keys, Passwords, Store},
    presence::PresenceService,
    project_state::ProjectStates,
    questions::QuestionService,
    rates::RateLimiter,
    runs::RunSupervisor,
    streams::{StreamDependencies, StreamService},
    use_cases::PostService,
};

/// The use cases of Parlour over a set of ports: a facade over the services. Cheap to share behind an `Arc`.
pub struct Hub {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) blobs: Arc<dyn Blobs>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) ids: Arc<dyn Ids>,
    pub(crate) keys: Arc<dyn Keys>,
    pub(crate) issuers: Arc<dyn Issuers>,
    pub(crate) passwords: Arc<dyn Passwords>,
    /// Callers by the fingerprint of their credential; cleared whenever a token or a member changes.
    pub(crate) principals: Arc<LoadCache<TokenHash, Principal>>,
    pub(crate) access: Access,
    pub(crate) projects: Arc<ProjectStates>,
    pub(crate) writer: EventWriter,
    pub(crate) run_supervisor: RunSupervisor,
    pub(crate) calls: Arc<CallService>,
    pub(crate) questions: Arc<QuestionService>,
    pub(crate) streams: Arc<StreamService>,
    pub(crate) posts: PostService,
    pub(crate) presence: Arc<PresenceService>,
    pub(crate) feeds: Arc<Feeds>,
    pub(crate) sessions: Arc<Sessions>,
    pub(crate) rates: Arc<RateLimiter>,
    pub(crate) note_budget: NoteBudget,
    /// The engines that can answer for agents which the hub runs itself.
    pub(crate) engines: Vec<EngineOffer>,
    pub(crate) context: ContextService,
}

/// The ports of a hub.
#[derive(Clone)]
pub struct Ports {
    pub store: Arc<dyn Store>,
    pub blobs: Arc<dyn Blobs>,
    pub clock: Arc<dyn Clock>,
    pub ids: Arc<dyn Ids>,
    pub keys: Arc<dyn Keys>,
    pub issuers: Arc<dyn Issuers>,
    pub passwords: Arc<dyn Passwords>,
}

impl Hub {
    /// Builds the services over these ports.
    pub fn new(ports: Ports) -> Self {
        let Ports { store, blobs, clock, ids, keys, issuers, passwords } = ports;
        let access = Access::new(&store, &clock);
        let projects = Arc::new(ProjectStates::new(&store));
        let run_supervisor = RunSupervisor::new(&store, &clock);
        let writer = EventWriter::new(&store, &clock, &projects, &run_supervisor);
        let locks = KeyedLock::default();
        let calls = Arc::new(CallService::new(&access, &store, &clock, &projects, &locks));
        let questions = Arc::new(QuestionService::new(&store, &clock, &projects, &run_supervisor, &locks));
        let feeds = Arc::new(Feeds::default());
        let streams = Arc::new(StreamService::new(StreamDependencies {
            feeds: Arc::clone(&feeds),
            access: access.clone(),
            store: Arc::clone(&store),
            clock: Arc::clone(&clock),
            projects: Arc::clone(&projects),
            writer: writer.clone(),
            calls: Arc::clone(&calls),
            questions: Arc::clone(&questions),
        }));
        let rates = Arc::new(RateLimiter::new(Rates::default(), &clock));
        let posts = PostService {
            access: access.clone(),
            store: Arc::clone(&store),
            clock: Arc::clone(&clock),
            ids: Arc::clone(&ids),
            writer: writer.clone(),
            rates: Arc::clone(&rates),
            calls: Arc::clone(&calls),
            questions: Arc::clone(&questions),
            streams: Arc::clone(&streams),
        };
        let context = ContextService::new(Arc::clone(&store), Arc::clone(&blobs), Arc::clone(&ids));
        Self {
            presence: Arc::new(PresenceService::new(&access, &store, &clock, &feeds)),
            context,
            principals: Arc::new(LoadCache::new(limits::TOKEN_CACHE_LEN_MAX)),
            sessions: Arc::default(),
            note_budget: NoteBudget::default(),
            engines: Vec::new(),
            store,
            blobs,
            clock,
            ids,
            keys,
            issuers,
            passwords,
            access,
            projects,
            writer,
            run_supervisor,
            calls,
            questions,
            streams,
            posts,
            feeds,
            rates,
        }
    }

    /// The same hub with other rates; by default all are on.
    #[must_use]
    pub fn with_rates(mut self, rates: Rates) -> Self {
        self.rates = Arc::new(RateLimiter::new(rates, &self.clock));
        self.posts.rates = Arc::clone(&self.rates);
        self
    }

    /// Returns when the store answers a read.
    pub async fn check_ready(&self) -> Result<(), Failure> {
        self.store.people(&PageRequest::new(None, Some(1))?).await?;
        Ok(())
    }

    /// The clock, for surfaces that wait.
    pub fn clock(&self) -> &Arc<dyn Clock> {
        &self.clock
    }

    /// Ends all requests that wait for a change, and all summaries under way; further ones do not wait. Called when
    /// the hub stops.
    pub fn end_waits(&self) {
        self.run_supervisor.waiters.end();
        self.context.summaries().end();
    }

    /// Appends a write that changes members or their names.
    pub(crate) async fn append_to_members(
        &self,
        caller: &Principal,
        project: &ProjectId,
        write: Write,
    ) -> Result<Appended, Failure> {
        let entry = self.writer.entry(caller, project, write);
        let (store, presence) = (Arc::clone(&self.store), Arc::clone(&self.presence));
        let (writer, caller) = (self.writer.clone(), caller.clone());
        self.change_members(async move {
            let at = entry.attribution.at;
            let appended = store.append(entry).await?;
            presence.refresh_after(&caller, &appended.change, at).await;
            writer.count_agent_change(&appended.change);
            Ok(appended)
        })
        .await
    }

    /// Stores a token in place of all others of its member and ends the live sessions of the member.
    pub(crate) async fn replace_tokens(&self, attribution: Attribution, new: NewToken) -> Result<Token, Failure> {
        let store = Arc::clone(&self.store);
        let change = async move { store.add_token(attribution, new, OtherTokens::End).await };
        self.change_tokens(change, |sessions, token| sessions.end_member(&token.member_id, SessionEnd::SignedOut)).await
    }

    /// Revokes a token and ends the live sessions that were opened with it.
    pub(crate) async fn end_token(&self, attribution: Attribution, id: &TokenId) -> Result<Token, Failure> {
        let (store, id) = (Arc::clone(&self.store), id.clone());
        let change = async move { store.revoke_token(attribution, &id).await };
        self.change_tokens(change, |sessions, token| sessions.end_token(&token.member_id, &token.id)).await
    }

    /// Changes tokens, then clears the cache of callers, and then ends live sessions. A session that is opened
    /// meanwhile signs in again after it is registered, and finds nothing cached.
    ///
    /// The work is completed even if the caller goes away: the store finishes a write that it has begun, and a
    /// revoked token must not stay in the cache.
    pub(crate) async fn change_tokens<T: Send + 'static>(
        &self,
        change: impl Future<Output = Result<T, Failure>> + Send + 'static,
        end_sessions: impl FnOnce(&Sessions, &T) + Send + 'static,
    ) -> Result<T, Failure> {
        let (principals, sessions) = (Arc::clone(&self.principals), Arc::clone(&self.sessions));
        let changing = tokio::spawn(async move {
            let outcome = change.await;
            principals.clear();
            if let Ok(changed) = &outcome {
                end_sessions(&sessions, changed);
            }
            outcome
        });
        changing.await.map_err(|error| Fault::new("change tokens", error))?
    }

    /// Changes members, then clears the caches about them. The work is completed like [`Hub::change_tokens`].
    pub(crate) async fn change_members<T: Send + 'static>(
        &self,
        change: impl Future<Output = Result<T, Failure>> + Send + 'static,
    ) -> Result<T, Failure> {
        let (principals, projects) = (Arc::clone(&self.principals), Arc::clone(&self.projects));
        let changing = tokio::spawn(async move {
            let outcome = change.await;
            principals.clear();
            projects.clear();
            outcome
        });
        changing.await.map_err(|error| Fault::new("change members", error))?
    }
}
