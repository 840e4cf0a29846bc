//! Events: what has happened, in the order of the project's log.

use serde::{Deserialize, Serialize};

use crate::{
    Timestamp,
    artifact::Artifact,
    author::Author,
    call::PassedCall,
    conversation::{Channel, Dm, Thread},
    delivery::DeliveryMark,
    id::{AgentId, ChannelId, ConversationId, MemberId, MessageId, ProjectId},
    inbox::ReadMark,
    member::{Agent, Person},
    message::Message,
    position::Position,
    project::Project,
    question::QuestionMark,
    run::Run,
    task::{Batch, Task},
};

/// One entry of a project's log. Every change that a client can see is exactly one event.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Event {
    /// The position in the log.
    pub position: Position,
    /// The project.
    pub project_id: ProjectId,
    /// When it happened.
    pub at: Timestamp,
    /// The actor.
    pub actor: Author,
    /// The change.
    #[serde(flatten)]
    pub change: Change,
}

/// A member and the channel that it joined or left.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct ChannelMember {
    /// The channel.
    pub channel_id: ChannelId,
    /// The member.
    pub member_id: MemberId,
}

/// An agent and the channel that it follows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Subscription {
    /// The channel.
    pub channel_id: ChannelId,
    /// The agent.
    pub agent_id: AgentId,
}

/// A channel that became private. Members who are not in it learn only that it is gone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct ClosedChannel {
    /// The channel's id.
    pub channel_id: ChannelId,
    /// The channel as it is now, for those who are in it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub channel: Option<Channel>,
    /// The members, for readers who are in it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub members: Vec<MemberId>,
}

/// A new channel. A private one has its members; an open one has none of its own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct CreatedChannel {
    /// The channel.
    #[serde(flatten)]
    pub channel: Channel,
    /// The members of a private channel.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub members: Vec<MemberId>,
}

/// A reaction of one member to one message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct ReactionMark {
    /// The message.
    pub message_id: MessageId,
    /// The conversation of the message.
    pub conversation_id: ConversationId,
    /// The emoji.
    pub emoji: String,
    /// The member.
    pub member_id: MemberId,
}

// The names are plain tokens: as literals they would not be seen by the derive that describes them.
macro_rules! changes {
    ($($name:tt => $(#[$doc:meta])* $variant:ident($data:ty);)+) => {
        /// A change. The names are the subjects to which other programs subscribe.
        #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
        #[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
        #[serde(tag = "name", content = "data")]
        pub enum Change {
            $($(#[$doc])* #[serde(rename = $name)] $variant(Box<$data>)),+
        }

        impl Change {
            /// The names of all events.
            pub const NAMES: &'static [&'static str] = &[$($name),+];

            /// The name of the event.
            pub fn name(&self) -> &'static str {
                match self { $(Self::$variant(_) => $name),+ }
            }
        }
    };
}

changes! {
    "projects.created" => /** A project was made. */ ProjectCreated(Project);
    "projects.updated" => /** A project was changed. */ ProjectUpdated(Project);
    "projects.person_added" => /** A person joined the project. */ PersonAdded(Person);
    "projects.person_updated" => /** A person of the project has another name. */ PersonUpdated(Person);
    "projects.person_removed" => /** A person left the project. */ PersonRemoved(Person);
    "agents.created" => /** An agent was added. */ AgentCreated(Agent);
    "agents.updated" => /** An agent was changed. */ AgentUpdated(Agent);
    "channels.created" => /** A channel was made. */ ChannelCreated(CreatedChannel);
    "channels.updated" => /** A channel was changed. */ ChannelUpdated(Channel);
    "channels.closed" => /** An open channel became private. */ ChannelClosed(ClosedChannel);
    "channels.opened" => /** A private channel became open to the project. */ ChannelOpened(Channel);
    "channels.archived" => /** A channel can only be read from now on. */ ChannelArchived(Channel);
    "channels.unarchived" => /** A channel can be written to again. */ ChannelUnarchived(Channel);
    "channels.member_added" => /** A member joined a private channel. */ ChannelMemberAdded(ChannelMember);
    "channels.member_removed" => /** A member left a private channel. */ ChannelMemberRemoved(ChannelMember);
    "channels.subscribed" => /** An agent follows a channel. */ Subscribed(Subscription);
    "channels.unsubscribed" => /** An agent no longer follows a channel. */ Unsubscribed(Subscription);
    "messaging.thread_created" => /** A thread was opened. */ ThreadCreated(Thread);
    "messaging.created" => /** A dm was opened. */ DmCreated(Dm);
    "messaging.posted" => /** A message was posted. */ MessagePosted(Message);
    "messaging.finished" => /** The stream of a message has ended; its text is final. */ MessageFinished(Message);
    "messaging.edited" => /** A message's text was changed. */ MessageEdited(Message);
    "messaging.removed" => /** A message was removed. */ MessageRemoved(Message);
    "messaging.reacted" => /** A member reacted to a message. */ Reacted(ReactionMark);
    "messaging.unreacted" => /** A member took a reaction back. */ Unreacted(ReactionMark);
    "messaging.passed" => /** An agent does not answer a message that called it. */ CallPassed(PassedCall);
    "messaging.read" => /** A reader read up to a message. */ Read(ReadMark);
    "messaging.delivered" => /** Messages have come further on their way to an agent. */ Delivered(DeliveryMark);
    "messaging.question" => /** A question was settled, or one will not answer it. */ QuestionChanged(QuestionMark);
    "runs.started" => /** A run began. */ RunStarted(Run);
    "runs.paused" => /** A run is paused, or paused by one message more. */ RunPaused(Run);
    "runs.resumed" => /** A run goes on, or is paused by one message less. */ RunResumed(Run);
    "runs.ended" => /** A run has ended. */ RunEnded(Run);
    "tasks.created" => /** A task was given. */ TaskCreated(Task);
    "tasks.updated" => /** A task was changed. */ TaskUpdated(Task);
    "batches.created" => /** A batch was made. */ BatchCreated(Batch);
    "artifacts.created" => /** A file was uploaded. */ ArtifactCreated(Artifact);
}

impl Change {
    /// Whether the change gives a member access or removes it.
    pub fn moves_access(&self) -> bool {
        matches!(
            self,
            Self::PersonAdded(_)
                | Self::PersonRemoved(_)
                | Self::ChannelClosed(_)
                | Self::ChannelOpened(_)
                | Self::ChannelArchived(_)
                | Self::ChannelUnarchived(_)
                | Self::ChannelMemberAdded(_)
                | Self::ChannelMemberRemoved(_)
        )
    }

    /// Whether it may change the facts that a post to a channel or DM is checked against: the conversation, its members
    /// and its subscribers. The match names every event, so that a new one has to be decided.
    pub fn alters_post_context(&self) -> bool {
        match self {
            Self::ProjectCreated(_)
            | Self::ProjectUpdated(_)
            | Self::PersonAdded(_)
            | Self::PersonUpdated(_)
            | Self::PersonRemoved(_)
            | Self::AgentCreated(_)
            | Self::AgentUpdated(_)
            | Self::ChannelCreated(_)
            | Self::ChannelUpdated(_)
            | Self::ChannelClosed(_)
            | Self::ChannelOpened(_)
            | Self::ChannelArchived(_)
            | Self::ChannelUnarchived(_)
            | Self::ChannelMemberAdded(_)
            | Self::ChannelMemberRemoved(_)
            | Self::Subscribed(_)
            | Self::Unsubscribed(_)
            | Self::DmCreated(_) => true,
            Self::ThreadCreated(_)
            | Self::MessagePosted(_)
            | Self::MessageFinished(_)
            | Self::MessageEdited(_)
            | Self::MessageRemoved(_)
            | Self::Reacted(_)
            | Self::Unreacted(_)
            | Self::CallPassed(_)
            | Self::Read(_)
            | Self::Delivered(_)
            | Self::QuestionChanged(_)
            | Self::RunStarted(_)
            | Self::RunPaused(_)
            | Self::RunResumed(_)
            | Self::RunEnded(_)
            | Self::TaskCreated(_)
            | Self::TaskUpdated(_)
            | Self::BatchCreated(_)
            | Self::ArtifactCreated(_) => false,
        }
    }

    /// The conversation whose readers may receive the whole change; absent means every member of the project.
    pub fn conversation_id(&self) -> Option<ConversationId> {
        match self {
            Self::ChannelCreated(new) => Some(new.channel.id.clone().into()),
            Self::ChannelClosed(closed) => Some(closed.channel_id.clone().into()),
            Self::ChannelUpdated(channel)
            | Self::ChannelOpened(channel)
            | Self::ChannelArchived(channel)
            | Self::ChannelUnarchived(channel) => Some(channel.id.clone().into()),
            Self::ChannelMemberAdded(one) | Self::ChannelMemberRemoved(one) => Some(one.channel_id.clone().into()),
            Self::Subscribed(one) | Self::Unsubscribed(one) => Some(one.channel_id.clone().into()),
            Self::ThreadCreated(thread) => Some(thread.id.clone().into()),
            Self::DmCreated(dm) => Some(dm.id.clone().into()),
            Self::MessagePosted(message)
            | Self::MessageFinished(message)
            | Self::MessageEdited(message)
            | Self::MessageRemoved(message) => Some(message.to.clone()),
            Self::Reacted(mark) | Self::Unreacted(mark) => Some(mark.conversation_id.clone()),
            Self::CallPassed(passed) => Some(passed.conversation_id.clone()),
            Self::Read(mark) => Some(mark.conversation_id.clone()),
            Self::Delivered(mark) => Some(mark.conversation_id.clone()),
            Self::QuestionChanged(mark) => Some(mark.conversation_id.clone()),
            Self::RunStarted(run) | Self::RunPaused(run) | Self::RunResumed(run) | Self::RunEnded(run) => {
                run.conversation_id.clone()
            }
            Self::ArtifactCreated(artifact) => artifact.conversation_id.clone(),
            Self::TaskCreated(task) | Self::TaskUpdated(task) => task.thread_id.clone().map(ConversationId::from),
            _ => None,
        }
    }

    /// The id of the changed object for the audit log; with a member, both ids separated by `/`.
    pub fn subject(&self) -> String {
        match self {
            Self::ProjectCreated(project) | Self::ProjectUpdated(project) => project.id.to_string(),
            Self::PersonAdded(person) | Self::PersonUpdated(person) | Self::PersonRemoved(person) => {
                person.id.to_string()
            }
            Self::AgentCreated(agent) | Self::AgentUpdated(agent) => agent.id.to_string(),
            Self::ChannelCreated(new) => new.channel.id.to_string(),
            Self::ChannelClosed(closed) => closed.channel_id.to_string(),
            Self::ChannelUpdated(channel)
            | Self::ChannelOpened(channel)
            | Self::ChannelArchived(channel)
            | Self::ChannelUnarchived(channel) => channel.id.to_string(),
            Self::ChannelMemberAdded(one) | Self::ChannelMemberRemoved(one) => pair(&one.channel_id, &one.member_id),
            Self::Subscribed(one) | Self::Unsubscribed(one) => pair(&one.channel_id, &one.agent_id),
            Self::ThreadCreated(thread) => thread.id.to_string(),
            Self::DmCreated(dm) => dm.id.to_string(),
            Self::MessagePosted(message)
            | Self::MessageFinished(message)
            | Self::MessageEdited(message)
            | Self::MessageRemoved(message) => message.id.to_string(),
            Self::Reacted(mark) | Self::Unreacted(mark) => pair(&mark.message_id, &mark.member_id),
            Self::CallPassed(passed) => pair(&passed.message_id, &passed.agent_id),
            Self::Read(mark) => pair(&mark.conversation_id, &mark.reader),
            Self::Delivered(mark) => {
                mark.deliveries.first().map_or_else(String::new, |one| pair(&one.message_id, &one.recipient))
            }
            Self::QuestionChanged(mark) => mark.message_id.to_string(),
            Self::RunStarted(run) | Self::RunPaused(run) | Self::RunResumed(run) | Self::RunEnded(run) => {
                run.id.to_string()
            }
            Self::TaskCreated(task) | Self::TaskUpdated(task) => task.id.to_string(),
            Self::BatchCreated(batch) => batch.id.to_string(),
            Self::ArtifactCreated(artifact) => artifact.id.to_string(),
        }
    }

    /// The change as readers without access to the conversation receive it; mostly nothing.
    ///
    /// A member who loses a channel receives only its removal. All members see a task, but only readers of its thread
    /// see the thread.
    pub fn seen_from_outside(&self) -> Option<Self> {
        let without_thread = |task: &Task| Box::new(Task { thread_id: None, ..task.clone() });
        match self {
            Self::ChannelClosed(closed) => {
                let channel_id = closed.channel_id.clone();
                Some(Self::ChannelClosed(Box::new(ClosedChannel { channel_id, channel: None, members: Vec::new() })))
            }
            Self::TaskCreated(task) => Some(Self::TaskCreated(without_thread(task))),
            Self::TaskUpdated(task) => Some(Self::TaskUpdated(without_thread(task))),
            _ => None,
        }
    }
}

/// The ids of an object and a member, separated by `/`.
fn pair(thing: &impl std::fmt::Display, member: &impl std::fmt::Display) -> String {
    format!("{thing}/{member}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        id::{TaskId, ThreadId},
        message::tests::sample,
        task::TaskStatus,
    };

    #[test]
    fn an_event_is_flat_with_name_and_data() {
        let event = Event {
            position: Position::new("a", 7).expect("position"),
            project_id: sample().project_id,
            at: Timestamp::from_millis(0),
            actor: sample().from,
            change: Change::MessagePosted(Box::new(sample())),
        };
        let json = serde_json::to_value(&event).expect("json");
        assert_eq!((&json["name"], &json["position"]), (&"messaging.posted".into(), &"a-7".into()));
        assert_eq!(json["data"]["body"], "Hello");
        assert_eq!(serde_json::from_value::<Event>(json).expect("own form"), event);
    }

    #[test]
    fn the_event_names_of_the_contract_exist() {
        for name in [
            "messaging.created",
            "messaging.posted",
            "messaging.read",
            "messaging.thread_created",
            "channels.created",
            "channels.updated",
            "channels.archived",
        ] {
            assert!(Change::NAMES.contains(&name), "{name}");
        }
    }

    #[test]
    fn outside_of_its_conversation_a_task_has_no_thread() {
        let task = Task {
            id: TaskId::from_bits(1),
            project_id: sample().project_id,
            title: "Ship it".into(),
            description: None,
            status: TaskStatus::Open,
            assignee: None,
            parent_id: None,
            batch_id: None,
            thread_id: Some(ThreadId::from_bits(1)),
            created_by: "per_1".parse().expect("id"),
            created_at: Timestamp::from_millis(0),
            updated_at: Timestamp::from_millis(0),
        };
        let change = Change::TaskUpdated(Box::new(task.clone()));
        assert_eq!(change.conversation_id(), Some(ThreadId::from_bits(1).into()));
        let outside = Change::TaskUpdated(Box::new(Task { thread_id: None, ..task }));
        assert_eq!((change.seen_from_outside(), outside.conversation_id()), (Some(outside), None));
        assert_eq!(Change::MessagePosted(Box::new(sample())).seen_from_outside(), None);
    }

    #[test]
    fn membership_changes_move_access_and_posts_do_not() {
        let one = ChannelMember { channel_id: ChannelId::from_bits(1), member_id: "agt_1".parse().expect("id") };
        assert!(Change::ChannelMemberRemoved(Box::new(one)).moves_access());
        assert!(!Change::MessagePosted(Box::new(sample())).moves_access());
    }

    #[test]
    fn the_subject_of_a_change_is_an_id_and_never_a_text() {
        assert_eq!(Change::MessagePosted(Box::new(sample())).subject(), sample().id.to_string());
        let one = ChannelMember { channel_id: "chn_1".parse().expect("id"), member_id: "agt_1".parse().expect("id") };
        assert_eq!(Change::ChannelMemberAdded(Box::new(one)).subject(), "chn_1/agt_1");
    }

    #[test]
    fn changes_in_a_conversation_name_it() {
        let posted = Change::MessagePosted(Box::new(sample()));
        assert_eq!(posted.conversation_id(), Some(sample().to));
    }
}
