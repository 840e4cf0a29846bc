//! Events that are no messages, each in a few words.

use parlour_core::{
    author::Author,
    event::{Change, ChannelMember, ReactionMark, Subscription},
    id::MemberId,
};

use super::names::Names;

/// What somebody did, in a few words. Messages themselves are shown in full elsewhere.
pub(super) fn describe(actor: &Author, change: &Change, names: &Names) -> String {
    let who = &actor.name;
    match change {
        Change::ProjectCreated(project) => format!("{who} made the project {}", project.name),
        Change::ProjectUpdated(project) => format!("{who} changed the project {}", project.name),
        Change::PersonAdded(person) => format!("{} joined the project", person.name),
        Change::PersonUpdated(person) => format!("{who} is now called {}", person.name),
        Change::PersonRemoved(person) => format!("{} left the project", person.name),
        Change::AgentCreated(agent) => format!("{who} added the agent {}", agent.name),
        Change::AgentUpdated(agent) => format!("{who} changed the agent {}", agent.name),
        Change::TaskCreated(task) => format!("{who} gave the task {:?} ({})", task.title, task.id),
        Change::TaskUpdated(task) => format!("{who} changed the task {:?} ({})", task.title, task.id),
        Change::BatchCreated(batch) => format!("{who} made the batch {}", batch.name),
        Change::ArtifactCreated(artifact) => format!("{who} uploaded {} ({})", artifact.filename, artifact.id),
        _ => in_conversation(who, change, names),
    }
}

fn in_conversation(who: &str, change: &Change, names: &Names) -> String {
    match change {
        Change::ChannelCreated(_) => format!("{who} made the channel"),
        Change::ChannelUpdated(_) => format!("{who} changed the channel"),
        Change::ChannelClosed(_) => format!("{who} made the channel private"),
        Change::ChannelOpened(_) => format!("{who} opened the channel to the project"),
        Change::ChannelArchived(_) => format!("{who} archived the channel"),
        Change::ChannelUnarchived(_) => format!("{who} brought the channel back"),
        Change::ChannelMemberAdded(one) => format!("{} joined", joined(one, names)),
        Change::ChannelMemberRemoved(one) => format!("{} left", joined(one, names)),
        Change::Subscribed(one) => format!("{} follows the channel", follower(one, names)),
        Change::Unsubscribed(one) => format!("{} no longer follows the channel", follower(one, names)),
        Change::ThreadCreated(thread) => format!("{who} opened a thread below {}", thread.root_message_id),
        Change::DmCreated(_) => format!("{who} opened the dm"),
        Change::MessageRemoved(message) => format!("{who} removed {}", message.id),
        Change::MessagePosted(message) => format!("{who} is writing {} …", message.id),
        Change::Reacted(mark) => format!("{} reacted {} to {}", reader(mark, names), mark.emoji, mark.message_id),
        Change::Unreacted(mark) => {
            format!("{} took {} back from {}", reader(mark, names), mark.emoji, mark.message_id)
        }
        Change::CallPassed(passed) => format!("{who} does not answer {}", passed.message_id),
        Change::Read(mark) => format!("{} read up to number {}", names.member(&mark.reader), mark.seq),
        other => other.name().to_owned(),
    }
}

fn joined(one: &ChannelMember, names: &Names) -> String {
    names.member(&one.member_id)
}

fn follower(one: &Subscription, names: &Names) -> String {
    names.member(&MemberId::from(one.agent_id.clone()))
}

fn reader(mark: &ReactionMark, names: &Names) -> String {
    names.member(&mark.member_id)
}
