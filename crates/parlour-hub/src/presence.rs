//! Who is there, and who is typing.
//!
//! The books are pure: they are told what time it is, and what they answer is told by others. Changes are gathered in
//! windows, one for each project or conversation, so that the number of frames depends on neither how many members
//! come and go nor how often.

mod member;
mod registry;
mod typing;

use std::{collections::BTreeSet, sync::Arc};

use parking_lot::Mutex;
use parlour_core::{
    Code, Refusal, Timestamp,
    access::{self, Principal, Role},
    audience::Audience,
    event::Change,
    id::{ConversationId, MemberId, ProjectId},
    limits,
    live::{ProjectFrame, ServerFrame, Typing},
    member::{Agent, Person},
    name::Name,
    paging::{Page, PageRequest},
    presence::{Presence, PresenceUpdate},
    scope::Scope,
};

use crate::{
    Failure,
    access::Access,
    facade::delegate,
    live::{Feeds, SessionId},
    ports::{Clock, Store},
    timers::Alarm,
};

pub(crate) use self::{
    member::Source,
    registry::{PresenceRegistry, VisibleProjects},
    typing::TypingRegistry,
};

/// Presence and typing of members.
pub(crate) struct PresenceService {
    access: Access,
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
    feeds: Arc<Feeds>,
    state: Mutex<PresenceState>,
    due_changed: Alarm,
}

/// The presence and the typing of all members.
#[derive(Default)]
pub(crate) struct PresenceState {
    pub(crate) presence: PresenceRegistry,
    pub(crate) typing: TypingRegistry,
}

impl PresenceState {
    /// When something has to be told, or somebody counts as gone.
    pub(crate) fn next_due(&self) -> Option<Timestamp> {
        [self.presence.next_due(), self.typing.next_due()].into_iter().flatten().min()
    }
}

delegate! { presence:
    announce_presence(caller: &Principal, request: PresenceUpdate) -> Presence;
    withdraw_presence(caller: &Principal) -> ();
    enter_presence(caller: &Principal, session: SessionId, request: PresenceUpdate) -> Presence;
    presence(caller: &Principal, project: Option<&ProjectId>, page: &PageRequest) -> Page<Presence>;
    note_typing(caller: &Principal, id: &ConversationId) -> ();
}

impl PresenceService {
    pub(crate) fn new(access: &Access, store: &Arc<dyn Store>, clock: &Arc<dyn Clock>, feeds: &Arc<Feeds>) -> Self {
        Self {
            access: access.clone(),
            store: Arc::clone(store),
            clock: Arc::clone(clock),
            feeds: Arc::clone(feeds),
            state: Mutex::default(),
            due_changed: Alarm::default(),
        }
    }

    /// Reads or writes the books; whoever waits for the next due moment learns when it is another one.
    fn with<T>(&self, act: impl FnOnce(&mut PresenceState) -> T) -> T {
        let mut state = self.state.lock();
        let due = state.next_due();
        let outcome = act(&mut state);
        if state.next_due() != due {
            self.due_changed.ring();
        }
        outcome
    }

    /// Follows a change to who belongs where, or to what a member is called.
    ///
    /// The store is asked anew instead of trusting the change: two changes can arrive in the wrong order.
    pub(crate) async fn refresh_after(&self, caller: &Principal, change: &Change, now: Timestamp) {
        let Some(who) = affected_member(caller, change) else { return };
        let Some(ticket) = self.with(|state| state.presence.ticket(&who.member)) else { return };
        let record = match MemberRecord::load(self.store.as_ref(), &who).await {
            Ok(record) => record,
            Err(failure) => hidden(&who, &failure),
        };
        self.with(|state| state.presence.settle(now, &who.member, ticket, record));
    }
}

/// Nobody is shown where the hub is not sure that he belongs.
fn hidden(who: &Principal, failure: &Failure) -> MemberRecord {
    tracing::warn!(member = %who.member, %failure, "presence is hidden: the projects could not be read");
    MemberRecord { name: who.name.clone(), instructions: None, projects: Default::default() }
}

impl PresenceService {
    /// Says that the caller is there, until it is withdrawn or three heartbeats pass without another such word.
    pub(crate) async fn announce_presence(
        &self,
        caller: &Principal,
        request: PresenceUpdate,
    ) -> Result<Presence, Failure> {
        self.access.require_scope(caller, Scope::MessagesWrite)?;
        self.enter(caller, Source::Announcement, request).await
    }

    /// Takes back what `announce_presence` said. Doing it again changes nothing.
    pub(crate) async fn withdraw_presence(&self, caller: &Principal) -> Result<(), Failure> {
        self.access.require_scope(caller, Scope::MessagesWrite)?;
        let now = self.clock.now();
        self.with(|state| state.presence.withdraw(now, &caller.member));
        Ok(())
    }

    /// Says that the caller is there as long as this live session lasts.
    pub(crate) async fn enter_presence(
        &self,
        caller: &Principal,
        session: SessionId,
        request: PresenceUpdate,
    ) -> Result<Presence, Failure> {
        self.access.require_scope(caller, Scope::MessagesWrite)?;
        self.enter(caller, Source::Session(session), request).await
    }

    /// Takes back what a live session said; also when the session ends.
    pub(crate) fn leave_presence(&self, session: SessionId) {
        let now = self.clock.now();
        self.with(|state| state.presence.leave(now, session));
    }

    /// Lists who is there, people first, each by id: in one project, or in all that the caller sees.
    pub(crate) async fn presence(
        &self,
        caller: &Principal,
        project: Option<&ProjectId>,
        page: &PageRequest,
    ) -> Result<Page<Presence>, Failure> {
        self.access.require_scope(caller, Scope::ChannelsRead)?;
        let after = page.after().map(read_key).transpose()?;
        let visible_projects = match project {
            Some(project) => {
                VisibleProjects::Of(BTreeSet::from([self.access.load_visible_project(caller, project).await?.id]))
            }
            None => self.visible_projects(caller).await?,
        };
        let (now, probe) = (self.clock.now(), page.limit() + 1);
        let items = self.with(|state| state.presence.list(now, &visible_projects, after.as_ref(), probe));
        Ok(Page::from_probe(items, page.limit(), |presence| presence.member_id.to_string()))
    }

    /// Who is there in a project, as many as a snapshot holds.
    pub(crate) fn presence_in(&self, project: &ProjectId) -> Vec<Presence> {
        let (now, visible_projects) = (self.clock.now(), VisibleProjects::Of(BTreeSet::from([project.clone()])));
        self.with(|state| state.presence.list(now, &visible_projects, None, limits::PRESENCE_CHANGES_MAX))
    }

    /// Says that the caller, a person, is typing in a conversation.
    pub(crate) async fn note_typing(&self, caller: &Principal, id: &ConversationId) -> Result<(), Failure> {
        self.access.require_scope(caller, Scope::MessagesWrite)?;
        caller.person()?;
        let (conversation, membership) = self.access.load_visible_conversation(caller, id).await?;
        access::check_write(&membership)?;
        let now = self.clock.now();
        self.with(|state| state.typing.note(now, &conversation, &caller.member));
        Ok(())
    }

    /// Publishes changes of presence and typing when their window ends. Runs until it is dropped.
    pub(crate) async fn run_loop(&self) {
        loop {
            self.publish_due(self.clock.now());
            let next = self.with(|state| state.next_due());
            self.due_changed.wait(self.clock.as_ref(), next).await;
        }
    }

    /// The caller is entered first and looked up then: whatever changes in between is followed, not missed.
    async fn enter(&self, caller: &Principal, source: Source, request: PresenceUpdate) -> Result<Presence, Failure> {
        request.check()?;
        let now = self.clock.now();
        let (ticket, entered) = self.with(|PresenceState { presence, .. }| {
            let ticket = presence.enter(now, caller, source, request)?;
            Ok::<_, Refusal>((ticket, presence.presence_of(&caller.member)))
        })?;
        let record = MemberRecord::load(self.store.as_ref(), caller).await?;
        let settled = self.with(|PresenceState { presence, .. }| {
            presence.settle(self.clock.now(), &caller.member, ticket, record);
            presence.presence_of(&caller.member)
        });
        // Another request may have taken it back by now; then it was there for a moment, and that is answered.
        Ok(settled.or(entered).expect("who has just entered is there"))
    }

    /// The projects in which the caller meets others.
    async fn visible_projects(&self, caller: &Principal) -> Result<VisibleProjects, Failure> {
        Ok(match &caller.role {
            Role::Admin => VisibleProjects::All,
            Role::Person => VisibleProjects::Of(person_projects(self.store.as_ref(), caller).await?),
            Role::Agent(home) => VisibleProjects::Of(BTreeSet::from([home.clone()])),
        })
    }

    /// Tells whatever is due, one frame for each project and each conversation.
    fn publish_due(&self, now: Timestamp) {
        let (presence, typing) = self.with(|state| (state.presence.take_due(now), state.typing.take_due(now)));
        for (project_id, what) in presence {
            let frame = ServerFrame::Presence(ProjectFrame { project_id: project_id.clone(), what });
            self.feeds.publish_ephemeral(&project_id, Audience::Project, &frame);
        }
        for (conversation_id, typists) in typing {
            let what = Typing { conversation_id, members: typists.members };
            let frame = ServerFrame::Typing(ProjectFrame { project_id: typists.project.clone(), what });
            self.feeds.publish_ephemeral(&typists.project, Audience::Readers(typists.root), &frame);
        }
    }
}

/// The key of a page is a member's id. Whether it is still there does not matter: the order of ids stands.
fn read_key(key: &str) -> Result<MemberId, Refusal> {
    key.parse().map_err(|_| Refusal::new(Code::BadQuery, "this cursor is of no page of this list").at("cursor"))
}

/// What the store knows of a member that is there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct MemberRecord {
    pub(crate) name: Name,
    /// What an agent was told to be.
    pub(crate) instructions: Option<String>,
    /// The projects that it belongs to; seeing a project as an administrator is not belonging to it.
    pub(crate) projects: BTreeSet<ProjectId>,
}

impl MemberRecord {
    /// Reads what the store knows of a member now.
    pub(crate) async fn load(store: &dyn Store, who: &Principal) -> Result<Self, Failure> {
        match &who.member {
            MemberId::Person(_) => {
                let projects = person_projects(store, who).await?;
                Ok(Self { name: who.name.clone(), instructions: None, projects })
            }
            MemberId::Agent(id) => {
                let agent = store.agent(id).await?;
                Ok(Self {
                    name: agent.as_ref().map_or_else(|| who.name.clone(), |agent| agent.name.clone()),
                    projects: agent.iter().map(|agent| agent.project_id.clone()).collect(),
                    instructions: agent.and_then(|agent| agent.instructions),
                })
            }
        }
    }
}

/// The projects that a person belongs to, `PRESENCE_PROJECTS_MAX` of them at the most.
pub(crate) async fn person_projects(store: &dyn Store, who: &Principal) -> Result<BTreeSet<ProjectId>, Failure> {
    // As an administrator a person would see all projects; here only memberships count.
    let person = Principal { role: Role::Person, ..who.clone() };
    let (mut projects, mut after) = (BTreeSet::new(), None);
    while projects.len() < limits::PRESENCE_PROJECTS_MAX {
        let request = PageRequest::new(after, Some(limits::PAGE_ITEMS_MAX))?;
        let page = store.projects(&person, &request).await?;
        projects.extend(page.items.into_iter().map(|project| project.id));
        after = page.next;
        if after.is_none() {
            break;
        }
    }
    Ok(projects)
}

/// The member whose record a change may have changed.
fn affected_member(caller: &Principal, change: &Change) -> Option<Principal> {
    match change {
        Change::ProjectCreated(_) => Some(caller.clone()),
        Change::PersonAdded(person) | Change::PersonUpdated(person) | Change::PersonRemoved(person) => {
            Some(person_principal(person))
        }
        Change::AgentUpdated(agent) => Some(agent_principal(agent)),
        _ => None,
    }
}

fn person_principal(person: &Person) -> Principal {
    Principal::new(person.id.clone(), person.name.clone(), Role::Person)
}

fn agent_principal(agent: &Agent) -> Principal {
    let role = Role::Agent(agent.project_id.clone());
    Principal::new(agent.id.clone(), agent.name.clone(), role)
}
