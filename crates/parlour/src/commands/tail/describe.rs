//! Events that are no messages, each in a few words.

use parlour_core::{
    author::Author,
    delivery::{Delivery, DeliveryState},
    event::{Change, ChannelMember, ReactionMark, Subscription},
    id::MemberId,
    question::{QuestionMark, QuestionState},
    run::Run,
};

use super::names::Names;
use crate::output::question::answer_line;

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
        Change::Delivered(mark) => {
            mark.deliveries.iter().map(|one| delivered(one, names)).collect::<Vec<_>>().join(", ")
        }
        Change::QuestionChanged(mark) => format!("{who} {}", settled(mark)),
        Change::RunStarted(run) => format!("{} begins {}", names.member(&run.agent_id.clone().into()), worked(run)),
        Change::RunPaused(run) => format!("{} pauses {}", names.member(&run.agent_id.clone().into()), worked(run)),
        Change::RunResumed(run) => {
            format!("{} goes on with {}", names.member(&run.agent_id.clone().into()), worked(run))
        }
        Change::RunEnded(run) => {
            format!("{} ended {}: {}", names.member(&run.agent_id.clone().into()), worked(run), run.state.as_str())
        }
        other => other.name().to_owned(),
    }
}

/// How far a message has come with one recipient.
fn delivered(one: &Delivery, names: &Names) -> String {
    let to = names.member(&one.recipient);
    match one.state {
        _ if one.handled_at.is_some() && one.answered_at.is_none() => format!("{to} has handled {}", one.message_id),
        DeliveryState::Stored => format!("{} is stored for {to}", one.message_id),
        DeliveryState::Queued => format!("{} waits for {to}", one.message_id),
        DeliveryState::Injected => format!("{} was put before {to}", one.message_id),
        DeliveryState::Seen => format!("{to} has seen {}", one.message_id),
        DeliveryState::Answered => format!("{to} has answered {}", one.message_id),
        DeliveryState::Expired => format!("{} has expired for {to}", one.message_id),
        DeliveryState::Failed => format!("{} did not reach {to}", one.message_id),
    }
}

/// What became of a question.
fn settled(mark: &QuestionMark) -> String {
    let id = &mark.message_id;
    match (&mark.question.state, mark.question.answer.as_ref().map(answer_line)) {
        (QuestionState::Open, _) => format!("will not answer {id}"),
        (QuestionState::Answered, Some(answer)) => format!("answered {id}: {answer}"),
        (QuestionState::Answered, None) => format!("answered {id}"),
        (QuestionState::Expired, _) => format!("let {id} expire"),
        (QuestionState::Ignored, _) => format!("was the last who will not answer {id}"),
        (QuestionState::Withdrawn, _) => format!("withdrew {id}"),
    }
}

/// A run by what it does, or by its id.
fn worked(run: &Run) -> String {
    match &run.label {
        Some(label) => format!("{label:?} ({})", run.id),
        None => run.id.to_string(),
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
