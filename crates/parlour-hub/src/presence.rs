//! Presence and typing of members.
//!
//! The registries are pure: the caller passes the time and publishes the changes that they return. Changes are
//! collected in windows, one for each project or conversation, so that the number of frames does not depend on how
//! many members come and go.

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
    infrastructure::Infrastructure,
    live::{Feeds, SessionId},
    ports::{Clock, Store},
    timers::Alarm,
};

pub(crate) use self::{
    member::PresenceSource,
    registry::{PresenceRegistry, VisibleProjects},
    typing::TypingRegistry,
};

/// Tracks and publishes presence and typing.
pub struct PresenceService {
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
    /// When a change is published or a presence expires next.
    pub(crate) fn next_due(&self) -> Option<Timestamp> {
        [self.presence.next_due(), self.typing.next_due()].into_iter().flatten().min()
    }
}

impl PresenceService {
    /// A service without present members.
    pub fn new(parts: &Infrastructure) -> Self {
        Self {
            access: parts.access.clone(),
            store: parts.store(),
            clock: parts.clock(),
            feeds: Arc::clone(&parts.feeds),
            state: Mutex::default(),
            due_changed: Alarm::default(),
        }
    }

    /// Reads or changes the state, and wakes the loop when the next due time changes.
    fn with<T>(&self, act: impl FnOnce(&mut PresenceState) -> T) -> T {
        let mut state = self.state.lock();
        let due = state.next_due();
        let outcome = act(&mut state);
        if state.next_due() != due {
            self.due_changed.wake();
        }
        outcome
    }

    /// Reloads the record of a member whose projects or name a change may have changed.
    ///
    /// It reads the store instead of the change: two changes can arrive in the wrong order.
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

/// Hides a member whose projects could not be read.
fn hidden(who: &Principal, failure: &Failure) -> MemberRecord {
    tracing::warn!(member = %who.member, %failure, "presence is hidden: the projects could not be read");
    MemberRecord { name: who.name.clone(), instructions: None, projects: Default::default() }
}

impl PresenceService {
    /// Announces the caller's presence, until it is withdrawn or three heartbeats pass without another announcement.
    pub(crate) async fn announce_presence(
        &self,
        caller: &Principal,
        request: PresenceUpdate,
    ) -> Result<Presence, Failure> {
        self.access.require_scope(caller, Scope::MessagesWrite)?;
        self.enter(caller, PresenceSource::Announcement, request).await
    }

    /// Withdraws an announcement. Repeating it changes nothing.
    pub(crate) async fn withdraw_presence(&self, caller: &Principal) -> Result<(), Failure> {
        self.access.require_scope(caller, Scope::MessagesWrite)?;
        let now = self.clock.now();
        self.with(|state| state.presence.withdraw(now, &caller.member));
        Ok(())
    }

    /// Announces the caller's presence for the duration of a live session.
    pub(crate) async fn enter_presence(
        &self,
        caller: &Principal,
        session: SessionId,
        request: PresenceUpdate,
    ) -> Result<Presence, Failure> {
        self.access.require_scope(caller, Scope::MessagesWrite)?;
        self.enter(caller, PresenceSource::Session(session), request).await
    }

    /// Removes the presence of a live session; also called when the session ends.
    pub(crate) fn leave_presence(&self, session: SessionId) {
        let now = self.clock.now();
        self.with(|state| state.presence.leave(now, session));
    }

    /// Lists present members, people first, each by id: in one project, or in all that the caller sees.
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

    /// Present members of a project, as many as a snapshot holds.
    pub(crate) fn presence_in(&self, project: &ProjectId) -> Vec<Presence> {
        let (now, visible_projects) = (self.clock.now(), VisibleProjects::Of(BTreeSet::from([project.clone()])));
        self.with(|state| state.presence.list(now, &visible_projects, None, limits::PRESENCE_CHANGES_MAX))
    }

    /// Publishes that the caller, a person, is typing in a conversation.
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

    /// Registers the caller before reading its record, so that a change in between is not missed.
    async fn enter(
        &self,
        caller: &Principal,
        source: PresenceSource,
        request: PresenceUpdate,
    ) -> Result<Presence, Failure> {
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
        // Another request may have withdrawn it meanwhile; then the presence of that time is returned.
        Ok(settled.or(entered).expect("a member that has just entered is present"))
    }

    /// The projects in which the caller sees others.
    async fn visible_projects(&self, caller: &Principal) -> Result<VisibleProjects, Failure> {
        Ok(match &caller.role {
            Role::Admin => VisibleProjects::All,
            Role::Person => VisibleProjects::Of(person_projects(self.store.as_ref(), caller).await?),
            Role::Agent(home) => VisibleProjects::Of(BTreeSet::from([home.clone()])),
        })
    }

    /// Publishes due changes, one frame for each project and each conversation.
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

/// A page key is a member id. It need not be present any more: the order of ids is stable.
fn read_key(key: &str) -> Result<MemberId, Refusal> {
    key.parse().map_err(|_| Refusal::new(Code::BadQuery, "this cursor is of no page of this list").at("cursor"))
}

/// The stored facts about a present member.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct MemberRecord {
    pub(crate) name: Name,
    pub(crate) instructions: Option<String>,
    /// The projects that it belongs to; an administrator does not belong to every project it sees.
    pub(crate) projects: BTreeSet<ProjectId>,
}

impl MemberRecord {
    /// Reads the current facts from the store.
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

/// The projects that a person belongs to, at most `PRESENCE_PROJECTS_MAX`.
pub(crate) async fn person_projects(store: &dyn Store, who: &Principal) -> Result<BTreeSet<ProjectId>, Failure> {
    // An administrator would see all projects; only memberships count here.
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
