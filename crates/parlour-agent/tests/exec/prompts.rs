//! Prompts to try engines with.

use parlour_agent::engine::{Mode, Prompt};
use parlour_core::{
    Timestamp,
    author::{Author, AuthorType},
    call::{Call, CallReason, CallState},
    id::{AgentId, ChannelId, MessageId, PersonId, ProjectId, TaskId},
    member::Agent,
    message::Message,
    name::Name,
    task::{Task, TaskStatus},
};

pub(crate) fn agent() -> Agent {
    Agent {
        id: AgentId::from_bits(1),
        project_id: ProjectId::from_bits(1),
        name: Name::parse("Coder").expect("a name"),
        capabilities: Vec::new(),
        endpoint_url: None,
        instructions: None,
        engine: None,
        context: None,
        owner: PersonId::from_bits(1),
        created_at: Timestamp::from_millis(0),
    }
}

/// The message with this number, by a person.
pub(crate) fn said(number: u128, name: &str, body: &str) -> Message {
    said_by(AuthorType::Person, number, name, body)
}

/// The message with this number, by an agent: by the one that is asked if it has its name.
pub(crate) fn answered(number: u128, name: &str, body: &str) -> Message {
    let mut message = said_by(AuthorType::Agent, number, name, body);
    let agent = agent();
    let id = if name == agent.name.as_str() { agent.id } else { AgentId::from_bits(2) };
    message.from.id = Some(id.to_string());
    message
}

pub(crate) fn said_by(author_type: AuthorType, number: u128, name: &str, body: &str) -> Message {
    let author = Author { author_type, id: None, name: name.to_owned() };
    let (project, channel) = (ProjectId::from_bits(1), ChannelId::from_bits(1).into());
    let at = Timestamp::from_millis(0);
    Message::plain(MessageId::from_bits(number), project, channel, author, body.to_owned(), at)
}

/// A prompt with this history, whose messages with these numbers are to be answered.
pub(crate) fn asked(history: Vec<Message>, reason: CallReason, numbers: &[u128]) -> Prompt {
    let calls = numbers.iter().map(|&number| call(number, reason)).collect();
    Prompt {
        agent: agent(),
        calls,
        pack: None,
        history,
        task: None,
        mode: Mode::Auto,
        run_id: None,
        rejected_answer: None,
    }
}

fn call(number: u128, reason: CallReason) -> Call {
    Call {
        agent_id: AgentId::from_bits(1),
        message_id: MessageId::from_bits(number),
        project_id: ProjectId::from_bits(1),
        conversation_id: ChannelId::from_bits(1).into(),
        reason,
        from: Author { author_type: AuthorType::Person, id: None, name: "Mara".into() },
        depth: 0,
        correlation_id: None,
        called_at: Timestamp::from_millis(0),
        state: CallState::Open,
        answer_id: None,
    }
}

/// Somebody mentions the agent with these words.
pub(crate) fn mention(body: &str) -> Prompt {
    asked(vec![said(1, "Mara", body)], CallReason::Mention, &[1])
}

/// Somebody goes on in a thread that the agent follows.
pub(crate) fn follow(body: &str) -> Prompt {
    asked(vec![said(1, "Mara", body)], CallReason::Follow, &[1])
}

/// A task, with this history of its thread.
pub(crate) fn task(title: &str, description: Option<&str>, history: Vec<Message>) -> Prompt {
    let task = Task {
        id: TaskId::from_bits(1),
        project_id: ProjectId::from_bits(1),
        title: title.to_owned(),
        description: description.map(str::to_owned),
        status: TaskStatus::Working,
        assignee: Some(AgentId::from_bits(1).into()),
        parent_id: None,
        batch_id: None,
        thread_id: None,
        created_by: PersonId::from_bits(1).into(),
        created_at: Timestamp::from_millis(0),
        updated_at: Timestamp::from_millis(0),
    };
    Prompt { task: Some(task), ..asked(history, CallReason::Mention, &[]) }
}
