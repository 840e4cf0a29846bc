//! In-memory state of each project: cached facts of the store that most requests need.

use std::sync::Arc;

use parking_lot::Mutex;
use parlour_core::{
    Refusal,
    access::Membership,
    audience::AccessRoot,
    author::AuthorType,
    conversation::Visibility,
    event::Change,
    id::{AgentId, ChannelId, ConversationId, MemberId, PersonId, ProjectId},
    limits,
    mention::Roster,
    policy::Policy,
};
use quick_cache::unsync::Cache;

use crate::{
    Failure,
    cache::{LoadCache, LoadCell},
    ports::{PostContext, Store},
};

/// The states of all projects that were used lately.
pub(crate) struct ProjectStates {
    store: Arc<dyn Store>,
    states: Mutex<Cache<ProjectId, Arc<ProjectState>>>,
    /// The projects of conversations that were posted to; a conversation never changes its project.
    projects_of: LoadCache<ConversationId, ProjectId>,
}

/// The state of one project. Every cache is invalidated by [`ProjectStates::invalidate_after`].
pub(crate) struct ProjectState {
    roster: LoadCell<Arc<Roster>>,
    policy: LoadCell<Arc<Policy>>,
    /// Set while the project has no open question.
    pub(crate) no_open_questions: LoadCell<()>,
    /// Memberships of producers of answers in the conversations that they write in.
    pub(crate) memberships: LoadCache<(MemberId, ConversationId), Membership>,
    /// The facts for posts to channels and DMs. Those of threads change with the posts themselves and are not cached.
    post_contexts: LoadCache<(ConversationId, MemberId), Arc<PostContext>>,
    visibilities: LoadCache<ChannelId, Visibility>,
    /// The access root of a conversation never changes.
    access_roots: LoadCache<ConversationId, AccessRoot>,
    /// Agents that no message has ever called.
    pub(crate) never_called: LoadCache<AgentId, ()>,
    /// Conversations in which agents have used up their budget of messages.
    pub(crate) budget_exhausted: LoadCache<ConversationId, ()>,
}

impl ProjectStates {
    pub(crate) fn new(store: &Arc<dyn Store>) -> Self {
        Self {
            store: Arc::clone(store),
            states: Mutex::new(Cache::new(limits::ROSTER_CACHE_LEN_MAX)),
            projects_of: LoadCache::new(limits::ROOT_CACHE_LEN_MAX),
        }
    }

    /// The state of a project, empty if it was not used lately.
    pub(crate) fn get(&self, project: &ProjectId) -> Arc<ProjectState> {
        let mut states = self.states.lock();
        if let Some(state) = states.get(project) {
            return Arc::clone(state);
        }
        let state = Arc::new(ProjectState::new());
        states.insert(project.clone(), Arc::clone(&state));
        state
    }

    /// The names of the members of a project.
    pub(crate) async fn roster(&self, project: &ProjectId) -> Result<Arc<Roster>, Failure> {
        let load = async { Ok(Some(Arc::new(Roster::new(self.store.roster(project).await?)))) };
        Ok(self.get(project).roster.get_or_load(load).await?.expect("a roster is always loaded"))
    }

    /// The policy of a project.
    pub(crate) async fn policy(&self, project: &ProjectId) -> Result<Arc<Policy>, Failure> {
        let load = async { Ok(self.store.project(project).await?.map(|found| Arc::new(found.policy))) };
        let policy = self.get(project).policy.get_or_load(load).await?;
        Ok(policy.ok_or_else(|| Refusal::not_found("project", project))?)
    }

    /// The facts for a post by this member, as the store has them; `None` if there is no such conversation. Posts are
    /// the most frequent request, so repeated ones to a channel or DM read nothing from the store.
    pub(crate) async fn post_context(
        &self,
        id: &ConversationId,
        author: &MemberId,
    ) -> Result<Option<Arc<PostContext>>, Failure> {
        let load = async { Ok(self.store.post_context(id, author).await?.map(Arc::new)) };
        if matches!(id, ConversationId::Thread(_)) {
            return load.await;
        }
        match self.projects_of.get(id) {
            Some(project) => {
                let key = (id.clone(), author.clone());
                self.get(&project).post_contexts.get_or_load(&key, load).await
            }
            None => {
                let found = load.await?;
                if let Some(found) = &found {
                    self.projects_of.insert(id, found.conversation.project_id().clone());
                }
                Ok(found)
            }
        }
    }

    /// The access root of a conversation: its channel, or the participants of its DM.
    pub(crate) async fn access_root(&self, project: &ProjectId, id: &ConversationId) -> Result<AccessRoot, Failure> {
        if let ConversationId::Channel(channel) = id {
            return Ok(AccessRoot::Channel(channel.clone()));
        }
        let load = async {
            let found = self.store.conversation(id, &nobody()).await?;
            Ok(found.map(|(conversation, _)| AccessRoot::of(&conversation)))
        };
        let root = self.get(project).access_roots.get_or_load(id, load).await?;
        Ok(root.ok_or_else(|| Refusal::not_found("conversation", id))?)
    }

    /// The access root of the conversation that a change is about, if it is about one.
    pub(crate) async fn access_root_of_change(
        &self,
        project: &ProjectId,
        change: &Change,
    ) -> Result<Option<AccessRoot>, Failure> {
        match (AccessRoot::of_change(change), change.conversation_id()) {
            (Some(root), _) => Ok(Some(root)),
            (None, Some(conversation)) => Ok(Some(self.access_root(project, &conversation).await?)),
            (None, None) => Ok(None),
        }
    }

    /// The visibility of a channel.
    pub(crate) async fn visibility(&self, project: &ProjectId, channel: &ChannelId) -> Result<Visibility, Failure> {
        let load = async {
            let found = self.store.conversation(&channel.clone().into(), &nobody()).await?;
            Ok(found.map(|(_, membership)| membership.visibility))
        };
        let visibility = self.get(project).visibilities.get_or_load(channel, load).await?;
        Ok(visibility.ok_or_else(|| Refusal::not_found("channel", channel))?)
    }

    /// Drops the cached facts of a project that a committed change has made wrong.
    pub(crate) fn invalidate_after(&self, project: &ProjectId, change: &Change) {
        let found = self.states.lock().get(project).cloned();
        if let Some(state) = found {
            state.invalidate_after(change);
        }
    }

    /// Drops the states of all projects, after members have changed.
    pub(crate) fn clear(&self) {
        // A load that is under way writes into a state that nobody reads any more.
        self.states.lock().clear();
    }
}

impl ProjectState {
    fn new() -> Self {
        Self {
            roster: LoadCell::default(),
            policy: LoadCell::default(),
            no_open_questions: LoadCell::default(),
            memberships: LoadCache::new(limits::MEMBERSHIP_CACHE_LEN_MAX),
            post_contexts: LoadCache::new(limits::POST_CONTEXT_CACHE_LEN_MAX),
            visibilities: LoadCache::new(limits::MEMBERSHIP_CACHE_LEN_MAX),
            access_roots: LoadCache::new(limits::ROOT_CACHE_LEN_MAX),
            never_called: LoadCache::new(limits::CALL_STATE_CACHE_LEN_MAX),
            budget_exhausted: LoadCache::new(limits::CALL_STATE_CACHE_LEN_MAX),
        }
    }

    fn invalidate_after(&self, change: &Change) {
        if change.moves_access() {
            self.memberships.clear();
            self.visibilities.clear();
        }
        if change.alters_post_context() {
            self.post_contexts.clear();
        }
        match change {
            Change::MessagePosted(message) | Change::MessageFinished(message) => {
                if !message.calls.is_empty() {
                    self.never_called.clear();
                }
                if message.from.author_type != AuthorType::Agent {
                    self.budget_exhausted.clear();
                }
                if message.blocking && matches!(change, Change::MessagePosted(_)) {
                    self.no_open_questions.clear();
                }
            }
            Change::MessageRemoved(_) => self.budget_exhausted.clear(),
            Change::ProjectUpdated(_) => {
                self.budget_exhausted.clear();
                self.policy.clear();
            }
            _ => {}
        }
    }
}

/// A reader without memberships, for facts that do not depend on the reader.
fn nobody() -> MemberId {
    PersonId::from_bits(0).into()
}
