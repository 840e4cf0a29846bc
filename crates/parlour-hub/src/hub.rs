//! The hub itself: the ports and what is remembered of them.

use std::sync::Arc;

use parlour_core::{
    Refusal,
    access::{Membership, Principal},
    attribution::Attribution,
    audience::AccessRoot,
    author::AuthorType,
    conversation::Visibility,
    engine::EngineOffer,
    event::Change,
    id::{AgentId, ChannelId, ConversationId, MemberId, ProjectId, TokenId},
    limits,
    mention::Roster,
    policy::Policy,
    rate::Rates,
    token::{NewToken, OtherTokens, Token, TokenHash},
    write::{Appended, Entry, Write},
};
use tokio::sync::watch;

use crate::{
    Failure, Fault,
    context::ContextService,
    keyed_lock::KeyedLock,
    live::{Feeds, SessionEnd, Sessions},
    memo::Memo,
    note_budget::NoteBudget,
    ports::{Blobs, Clock, Ids, Issuers, Keys, Passwords, Store},
    presence::PresenceService,
    rates::RateLimiter,
    runs::RunSupervisor,
    streams::StreamRegistry,
};

/// The use cases of Parlour over a set of ports. Cheap to share behind an `Arc`.
pub struct Hub {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) blobs: Arc<dyn Blobs>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) ids: Arc<dyn Ids>,
    pub(crate) keys: Arc<dyn Keys>,
    pub(crate) issuers: Arc<dyn Issuers>,
    pub(crate) passwords: Arc<dyn Passwords>,
    /// Who was let in by what was shown, by its hash; forgotten whenever a token or a member changes.
    pub(crate) principals: Arc<Memo<TokenHash, Principal>>,
    /// The names of a project's members; forgotten whenever its members change.
    pub(crate) rosters: Arc<Memo<ProjectId, Arc<Roster>>>,
    /// How the producers of answers stand to the conversations they write in; forgotten whenever access changes.
    pub(crate) memberships: Arc<Memo<(MemberId, ConversationId), Membership>>,
    /// Who reaches a channel; forgotten whenever access changes.
    pub(crate) visibilities: Memo<ChannelId, Visibility>,
    /// The rules of a project; forgotten whenever a project changes.
    policies: Memo<ProjectId, Arc<Policy>>,
    /// Lets agents go one after another where they could slip past a rule together.
    pub(crate) call_locks: KeyedLock,
    /// Agents that nobody has ever called; forgotten whenever somebody calls one.
    pub(crate) never_called: Memo<AgentId, ()>,
    /// Conversations in which agents have written all that they may; forgotten whenever somebody else speaks anywhere.
    pub(crate) budget_exhausted: Memo<ConversationId, ()>,
    /// Projects in which nothing is asked; forgotten whenever somebody asks anywhere.
    pub(crate) no_open_questions: Memo<ProjectId, ()>,
    /// Whose members read a conversation; that never changes.
    pub(crate) roots: Memo<ConversationId, AccessRoot>,
    /// What keeps runs in step with questions, and those who wait with both.
    pub(crate) run_supervisor: RunSupervisor,
    /// The answers that are being written.
    pub(crate) streams: StreamRegistry,
    /// What is told to live readers.
    pub(crate) feeds: Feeds,
    /// Who reads live; ended when a token or a membership ends.
    pub(crate) sessions: Arc<Sessions>,
    /// Who is there, and who is typing.
    pub(crate) presence: Arc<PresenceService>,
    /// Who has made how many requests of late.
    pub(crate) rates: RateLimiter,
    /// How many refusals may still be noted.
    pub(crate) note_budget: NoteBudget,
    /// What can answer for agents that the hub runs itself.
    pub(crate) engines: Vec<EngineOffer>,
    /// Builds packs for models.
    pub(crate) context: ContextService,
    /// Counts up whenever an agent was added or changed.
    pub(crate) agent_changes: watch::Sender<u64>,
}

/// What a hub needs from the world.
#[derive(Clone)]
pub struct Ports {
    /// The durable truth.
    pub store: Arc<dyn Store>,
    /// The contents of files.
    pub blobs: Arc<dyn Blobs>,
    /// The time.
    pub clock: Arc<dyn Clock>,
    /// New ids and secrets.
    pub ids: Arc<dyn Ids>,
    /// The keys with which tokens are signed.
    pub keys: Arc<dyn Keys>,
    /// Other issuers of tokens that are trusted.
    pub issuers: Arc<dyn Issuers>,
    /// Slow hashes of passwords.
    pub passwords: Arc<dyn Passwords>,
}

impl Hub {
    /// Puts a hub together.
    pub fn new(ports: Ports) -> Self {
        let Ports { store, blobs, clock, ids, keys, issuers, passwords } = ports;
        let run_supervisor = RunSupervisor::new(&store, &clock);
        let context = ContextService::new(Arc::clone(&store), Arc::clone(&blobs), Arc::clone(&ids));
        Self {
            store,
            blobs,
            clock,
            ids,
            keys,
            issuers,
            passwords,
            principals: Arc::new(Memo::new(limits::TOKEN_CACHE_LEN_MAX)),
            rosters: Arc::new(Memo::new(limits::ROSTER_CACHE_LEN_MAX)),
            memberships: Arc::new(Memo::new(limits::STANDING_CACHE_LEN_MAX)),
            visibilities: Memo::new(limits::STANDING_CACHE_LEN_MAX),
            policies: Memo::new(limits::ROSTER_CACHE_LEN_MAX),
            call_locks: KeyedLock::default(),
            never_called: Memo::new(limits::UNCALLED_CACHE_LEN_MAX),
            budget_exhausted: Memo::new(limits::UNCALLED_CACHE_LEN_MAX),
            no_open_questions: Memo::new(limits::ROSTER_CACHE_LEN_MAX),
            roots: Memo::new(limits::ROOT_CACHE_LEN_MAX),
            run_supervisor,
            streams: StreamRegistry::default(),
            feeds: Feeds::default(),
            sessions: Arc::default(),
            presence: Arc::default(),
            rates: RateLimiter::new(Rates::default()),
            note_budget: NoteBudget::default(),
            engines: Vec::new(),
            context,
            agent_changes: watch::Sender::default(),
        }
    }

    /// The clock, for surfaces that wait.
    pub fn clock(&self) -> &Arc<dyn Clock> {
        &self.clock
    }

    /// Appends a write of this caller, dated now.
    pub(crate) async fn append(
        &self,
        caller: &Principal,
        project: &ProjectId,
        write: Write,
    ) -> Result<Appended, Failure> {
        let appended = self.store.append(self.entry(caller, project, write)).await?;
        self.invalidate_caches_after(&appended.change);
        Ok(appended)
    }

    /// Forgets what is no longer so after a change. The fan-out calls it too, for callers that have gone away.
    pub(crate) fn invalidate_caches_after(&self, change: &Change) {
        if change.moves_access() {
            self.memberships.clear();
            self.visibilities.clear();
        }
        if let Change::MessagePosted(message) | Change::MessageFinished(message) = change {
            if !message.calls.is_empty() {
                self.never_called.clear();
            }
            if message.from.author_type != AuthorType::Agent {
                self.budget_exhausted.clear();
            }
        }
        if let Change::MessagePosted(message) = change
            && message.blocking
        {
            self.no_open_questions.clear();
        }
        if matches!(change, Change::MessageRemoved(_)) {
            self.budget_exhausted.clear();
        }
        if matches!(change, Change::ProjectUpdated(_)) {
            self.budget_exhausted.clear();
            self.policies.clear();
        }
        count_agents(&self.agent_changes, change);
        self.run_supervisor.follow(change);
    }

    /// Lets all requests go that wait for something to happen, and no more wait from now on: when the hub stops. What
    /// models are writing for nobody in particular ends too.
    pub fn end_waits(&self) {
        self.run_supervisor.waiters.end();
        self.context.summaries().end();
    }

    /// A write of this caller, dated now.
    pub(crate) fn entry(&self, caller: &Principal, project: &ProjectId, write: Write) -> Entry {
        Entry { project_id: project.clone(), attribution: caller.attribution(self.clock.now()), write }
    }

    /// The names of a project's members.
    pub(crate) async fn roster(&self, project: &ProjectId) -> Result<Arc<Roster>, Failure> {
        let load = async { Ok(Some(Arc::new(Roster::new(self.store.roster(project).await?)))) };
        Ok(self.rosters.get_or_load(project, load).await?.expect("a roster is always loaded"))
    }

    /// The rules of a project.
    pub(crate) async fn policy(&self, project: &ProjectId) -> Result<Arc<Policy>, Failure> {
        let load = async { Ok(self.store.project(project).await?.map(|found| Arc::new(found.policy))) };
        let policy = self.policies.get_or_load(project, load).await?;
        Ok(policy.ok_or_else(|| Refusal::not_found("project", project))?)
    }

    /// Appends a write that changes who is a member or what a member is called.
    pub(crate) async fn append_to_members(
        &self,
        caller: &Principal,
        project: &ProjectId,
        write: Write,
    ) -> Result<Appended, Failure> {
        let entry = self.entry(caller, project, write);
        let (store, presence, caller) = (Arc::clone(&self.store), Arc::clone(&self.presence), caller.clone());
        let agent_changes = self.agent_changes.clone();
        self.change_members(async move {
            let at = entry.attribution.at;
            let appended = store.append(entry).await?;
            presence.refresh_after(store.as_ref(), &caller, &appended.change, at).await;
            count_agents(&agent_changes, &appended.change);
            Ok(appended)
        })
        .await
    }

    /// Keeps a token in place of all others of its member, whose live sessions end.
    pub(crate) async fn replace_tokens(&self, attribution: Attribution, new: NewToken) -> Result<Token, Failure> {
        let store = Arc::clone(&self.store);
        let change = async move { store.add_token(attribution, new, OtherTokens::End).await };
        self.change_tokens(change, |sessions, token| sessions.end_member(&token.member_id, SessionEnd::SignedOut)).await
    }

    /// Ends a token and the live sessions that were opened with it.
    pub(crate) async fn end_token(&self, attribution: Attribution, id: &TokenId) -> Result<Token, Failure> {
        let (store, id) = (Arc::clone(&self.store), id.clone());
        let change = async move { store.revoke_token(attribution, &id).await };
        self.change_tokens(change, |sessions, token| sessions.end_token(&token.member_id, &token.id)).await
    }

    /// Ends tokens, then forgets whom they let in, and then ends live sessions: one that is opened meanwhile signs in
    /// once more after it is known here, and finds nothing remembered.
    ///
    /// It runs to its end even when the caller goes away in the middle: the store finishes a write that it has begun,
    /// and a token that has ended must not live on in memory.
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

    /// Changes members, then forgets what is remembered of them. It runs to its end like [`Hub::change_tokens`].
    pub(crate) async fn change_members<T: Send + 'static>(
        &self,
        change: impl Future<Output = Result<T, Failure>> + Send + 'static,
    ) -> Result<T, Failure> {
        let (principals, rosters) = (Arc::clone(&self.principals), Arc::clone(&self.rosters));
        let memberships = Arc::clone(&self.memberships);
        let changing = tokio::spawn(async move {
            let outcome = change.await;
            principals.clear();
            rosters.clear();
            memberships.clear();
            outcome
        });
        changing.await.map_err(|error| Fault::new("change members", error))?
    }
}

/// Does work of several writes to its end, even when the caller goes away in the middle.
pub(crate) async fn run_to_completion<T: Send + 'static>(
    operation: &'static str,
    work: impl Future<Output = Result<T, Failure>> + Send + 'static,
) -> Result<T, Failure> {
    tokio::spawn(work).await.map_err(|error| Fault::new(operation, error))?
}

/// Counts up when an agent was added or changed.
fn count_agents(changes: &watch::Sender<u64>, change: &Change) {
    if matches!(change, Change::AgentCreated(_) | Change::AgentUpdated(_)) {
        changes.send_modify(|count| *count += 1);
    }
}
