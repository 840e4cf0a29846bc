#![allow(dead_code)] // The `calling` and `guard` tests each use a part of it.

use parlour_core::{
    access::Principal,
    call::{Call, HoldRule},
    id::{AgentId, ChannelId, ConversationId, MessageId, ProjectId, ThreadId},
    loop_guard::GuardMark,
    message::{Kind, Message},
    paging::PageRequest,
    policy::Policy,
    post::PostMessage,
    project::ProjectPatch,
};
use parlour_hub::{
    Failure, Hub,
    use_cases::{HistoryQuery, OpenDm, OpenThread, Posted},
};

use crate::support::{TestHub, agent_id, say};

/// A project of Mara with an open channel and some agents.
pub(crate) struct CallFixture {
    pub(crate) test: TestHub,
    pub(crate) project: ProjectId,
    pub(crate) channel: ChannelId,
    pub(crate) mara: Principal,
    pub(crate) agents: Vec<Principal>,
}

impl CallFixture {
    pub(crate) async fn new(agents: &[&str]) -> Self {
        let test = TestHub::new().await;
        let mara = test.person("Mara").await;
        let project = test.project(&mara, "Apollo").await;
        let channel = test.channel(&mara, &project, "general").await;
        let mut fixture = Self { test, project, channel, mara, agents: Vec::new() };
        for name in agents {
            let agent = fixture.test.agent(&fixture.project, name).await;
            fixture.agents.push(agent);
        }
        fixture
    }

    /// A fixture with a changed policy.
    pub(crate) async fn with_policy(agents: &[&str], change: impl FnOnce(&mut Policy)) -> Self {
        let fixture = Self::new(agents).await;
        let mut policy = Policy::default();
        change(&mut policy);
        let patch = ProjectPatch { policy: Some(policy), ..ProjectPatch::default() };
        fixture.hub().update_project(&fixture.mara, &fixture.project, patch).await.expect("changed");
        fixture
    }

    pub(crate) fn hub(&self) -> &Hub {
        &self.test.hub
    }

    pub(crate) fn agent(&self, name: &str) -> &Principal {
        self.agents.iter().find(|agent| agent.name.as_str() == name).expect("an agent of the fixture")
    }

    /// Posts a message in the channel.
    pub(crate) async fn say(&self, who: &Principal, body: &str) -> Message {
        self.post(who, say(&self.channel, body)).await
    }

    pub(crate) async fn post(&self, who: &Principal, request: PostMessage) -> Message {
        self.try_post(who, request).await.expect("posted").message
    }

    pub(crate) async fn try_post(&self, who: &Principal, request: PostMessage) -> Result<Posted, Failure> {
        self.hub().post_message(who, request).await
    }

    /// Answers a message in its conversation.
    pub(crate) async fn answer(&self, who: &Principal, to: &Message, body: &str) -> Message {
        self.post(who, PostMessage { reply_to: Some(to.id.clone()), ..addressed(&to.to, body) }).await
    }

    /// Opens a thread below a message of the channel.
    pub(crate) async fn thread(&self, below: &Message) -> ThreadId {
        let request = OpenThread { channel_id: self.channel.clone(), root_message_id: below.id.clone() };
        self.hub().open_thread(&self.mara, request).await.expect("thread").0.id
    }

    /// Opens a DM of the first member with the others.
    pub(crate) async fn dm(&self, members: &[&Principal]) -> ConversationId {
        let participants = members[1..].iter().map(|one| one.member.clone()).collect();
        let request = OpenDm { project_id: Some(self.project.clone()), participants, first: None };
        self.hub().open_dm(members[0], request).await.expect("dm").dm.id.into()
    }

    /// The names of the agents that a message calls.
    pub(crate) fn called(&self, message: &Message) -> Vec<&str> {
        message.calls.iter().map(|id| self.name_of(id)).collect()
    }

    fn name_of(&self, id: &AgentId) -> &str {
        self.agents.iter().find(|agent| agent_id(agent) == *id).expect("an agent of the fixture").name.as_str()
    }

    /// The open calls of an agent, oldest first.
    pub(crate) async fn open_calls(&self, who: &Principal) -> Vec<Call> {
        self.hub().open_calls(who, &agent_id(who), &PageRequest::first()).await.expect("calls").items
    }

    pub(crate) async fn open_messages(&self, who: &Principal) -> Vec<MessageId> {
        self.open_calls(who).await.into_iter().map(|call| call.message_id).collect()
    }

    /// The messages of a conversation, oldest first.
    pub(crate) async fn history(&self, id: &ConversationId) -> Vec<Message> {
        let page = PageRequest::new(None, Some(200)).expect("a page");
        let mut found = self.hub().history(&self.mara, id, &HistoryQuery::default(), &page).await.expect("read").items;
        found.reverse();
        found
    }

    /// The loop guard notices in a conversation.
    pub(crate) async fn notices(&self, id: &ConversationId) -> Vec<Message> {
        let all = self.history(id).await;
        all.into_iter().filter(|message| message.kind == Kind::Host && GuardMark::of(message).is_some()).collect()
    }

    /// The rules of the loop guard notices in the channel, in order.
    pub(crate) async fn reported_rules(&self) -> Vec<HoldRule> {
        let notices = self.notices(&self.channel.clone().into()).await;
        let rule = |message: &Message| match GuardMark::of(message) {
            Some(GuardMark::Tripped { rule, .. }) => Some(rule),
            _ => None,
        };
        notices.iter().filter_map(rule).collect()
    }

    pub(crate) fn pass_seconds(&self, seconds: u32) {
        self.test.clock.advance(seconds * 1_000);
    }
}

/// The names and rules of the held agents of a message.
pub(crate) fn held(message: &Message) -> Vec<(&str, HoldRule)> {
    message.held.iter().map(|one| (one.name.as_str(), one.rule)).collect()
}

/// A post in this conversation.
pub(crate) fn addressed(to: &ConversationId, body: &str) -> PostMessage {
    let mut request = PostMessage { body: body.into(), ..PostMessage::default() };
    match to.clone() {
        ConversationId::Channel(id) => request.channel_id = Some(id),
        ConversationId::Thread(id) => request.thread_id = Some(id),
        ConversationId::Dm(id) => request.dm_id = Some(id),
    }
    request
}

/// The recorded depth of a message.
pub(crate) fn depth(message: &Message) -> u32 {
    message.cause.as_ref().expect("a cause").depth
}
