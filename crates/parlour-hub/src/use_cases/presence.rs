//! Who is there, and who is typing.

use std::{collections::BTreeSet, future::pending};

use parlour_core::{
    Code, Refusal, Timestamp,
    access::{self, Principal, Role},
    audience::Audience,
    id::{ConversationId, MemberId, ProjectId},
    limits,
    live::{ProjectFrame, ServerFrame, Typing},
    paging::{Page, PageRequest},
    presence::{Presence, PresenceUpdate},
    scope::Scope,
};

use crate::{
    Failure, Hub,
    live::SessionId,
    presence::{PresenceState, MemberRecord, VisibleProjects, Source, person_projects},
};

impl Hub {
    /// Says that the caller is there, until it is withdrawn or three heartbeats pass without another such word.
    pub async fn announce_presence(&self, caller: &Principal, request: PresenceUpdate) -> Result<Presence, Failure> {
        self.require_scope(caller, Scope::MessagesWrite)?;
        self.enter(caller, Source::Announcement, request).await
    }

    /// Takes back what `announce_presence` said. Doing it again changes nothing.
    pub async fn withdraw_presence(&self, caller: &Principal) -> Result<(), Failure> {
        self.require_scope(caller, Scope::MessagesWrite)?;
        let now = self.clock.now();
        self.presence.with(|state| state.presence.withdraw(now, &caller.member));
        Ok(())
    }

    /// Says that the caller is there as long as this live session lasts.
    pub async fn enter_presence(
        &self,
        caller: &Principal,
        session: SessionId,
        request: PresenceUpdate,
    ) -> Result<Presence, Failure> {
        self.require_scope(caller, Scope::MessagesWrite)?;
        self.enter(caller, Source::Session(session), request).await
    }

    /// Takes back what a live session said; also when the session ends.
    pub fn leave_presence(&self, session: SessionId) {
        let now = self.clock.now();
        self.presence.with(|state| state.presence.leave(now, session));
    }

    /// Lists who is there, people first, each by id: in one project, or in all that the caller sees.
    pub async fn presence(
        &self,
        caller: &Principal,
        project: Option<&ProjectId>,
        page: &PageRequest,
    ) -> Result<Page<Presence>, Failure> {
        self.require_scope(caller, Scope::ChannelsRead)?;
        let after = page.after().map(read_key).transpose()?;
        let visible_projects = match project {
            Some(project) => VisibleProjects::Of(BTreeSet::from([self.load_visible_project(caller, project).await?.id])),
            None => self.visible_projects(caller).await?,
        };
        let (now, probe) = (self.clock.now(), page.limit() + 1);
        let items = self.presence.with(|state| state.presence.list(now, &visible_projects, after.as_ref(), probe));
        Ok(Page::from_probe(items, page.limit(), |presence| presence.member_id.to_string()))
    }

    /// Who is there in a project, as many as a snapshot holds.
    pub(crate) fn presence_in(&self, project: &ProjectId) -> Vec<Presence> {
        let (now, visible_projects) = (self.clock.now(), VisibleProjects::Of(BTreeSet::from([project.clone()])));
        self.presence.with(|state| state.presence.list(now, &visible_projects, None, limits::PRESENCE_CHANGES_MAX))
    }

    /// Says that the caller, a person, is typing in a conversation.
    pub async fn note_typing(&self, caller: &Principal, id: &ConversationId) -> Result<(), Failure> {
        self.require_scope(caller, Scope::MessagesWrite)?;
        caller.person()?;
        let (conversation, membership) = self.load_visible_conversation(caller, id).await?;
        access::check_write(&membership)?;
        let now = self.clock.now();
        self.presence.with(|state| state.typing.note(now, &conversation, &caller.member));
        Ok(())
    }

    /// Tells changes of presence and typing when their window is over. Runs until it is dropped.
    pub(crate) async fn drive_presence(&self) {
        loop {
            self.publish_due(self.clock.now());
            let next = async {
                match self.presence.with(|state| state.next_due()) {
                    Some(at) => self.clock.sleep_until(at).await,
                    None => pending().await,
                }
            };
            tokio::select! {
                () = next => {}
                () = self.presence.due_changed() => {}
            }
        }
    }

    /// The caller is entered first and looked up then: whatever changes in between is followed, not missed.
    async fn enter(&self, caller: &Principal, source: Source, request: PresenceUpdate) -> Result<Presence, Failure> {
        request.check()?;
        let now = self.clock.now();
        let (ticket, entered) = self.presence.with(|PresenceState { presence, .. }| {
            let ticket = presence.enter(now, caller, source, request)?;
            Ok::<_, Refusal>((ticket, presence.presence_of(&caller.member)))
        })?;
        let record = MemberRecord::load(self.store.as_ref(), caller).await?;
        let settled = self.presence.with(|PresenceState { presence, .. }| {
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
        let (presence, typing) =
            self.presence.with(|state| (state.presence.take_due(now), state.typing.take_due(now)));
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
