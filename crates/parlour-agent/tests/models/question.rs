//! What the engines of tests are asked.

use parlour_agent::engine::{Mode, Prompt};
use parlour_core::{
    Timestamp,
    author::Author,
    call::{Call, CallReason, CallState},
    id::{AgentId, ChannelId, MessageId, PersonId, ProjectId},
    member::Agent,
    message::Message,
    name::Name,
};

/// Mara greets Coder, who is to answer.
pub(crate) fn plain() -> Prompt {
    called_by(CallReason::Mention)
}

/// Mara goes on in a thread; Coder need not answer.
pub(crate) fn optional() -> Prompt {
    called_by(CallReason::Follow)
}

fn called_by(reason: CallReason) -> Prompt {
    let at = Timestamp::from_millis(1);
    let (project, channel) = (ProjectId::from_bits(1), ChannelId::from_bits(1));
    let mara = Author::member(&PersonId::from_bits(1).into(), &name("Mara"));
    let id = MessageId::from_bits(1);
    let text = "Greetings, @Coder".to_owned();
    let message = Message::plain(id.clone(), project.clone(), channel.clone().into(), mara.clone(), text, at);
    let agent = Agent {
        id: AgentId::from_bits(1),
        project_id: project.clone(),
        name: name("Coder"),
        capabilities: vec![],
        endpoint_url: None,
        instructions: Some("Be brief.".into()),
        engine: None,
        context: None,
        owner: PersonId::from_bits(1),
        created_at: at,
    };
    let call = Call {
        agent_id: agent.id.clone(),
        message_id: id,
        project_id: project,
        conversation_id: channel.into(),
        reason,
        from: mara,
        depth: 0,
        correlation_id: None,
        called_at: at,
        state: CallState::Open,
        answer_id: None,
    };
    Prompt {
        agent,
        calls: vec![call],
        pack: None,
        history: vec![message],
        task: None,
        mode: Mode::Auto,
        run_id: None,
        rejected_answer: None,
    }
}

fn name(text: &str) -> Name {
    Name::parse(text).expect("a name")
}
