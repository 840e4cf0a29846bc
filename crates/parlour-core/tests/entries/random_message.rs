//! Random messages, questions, runs and tasks for the random entries.

use parlour_core::{
    call::{CallReason, Calls, HeldCall, HoldRule, NewCall},
    conversation::ConversationType,
    delivery::{DeliveryPath, DeliveryReport, DeliveryState, DeliveryStep},
    engine::Usage,
    id::{ArtifactId, BatchId, ProjectId, RunId, TaskId, ThreadId},
    inbox::{DeliveryReason, Recipient},
    message::{Attachment, Cause, Importance, Kind, Message, MessageContext, State},
    question::{Answer, AnswerOption, AnswerTo, Question, QuestionState, Settlement},
    reaction::Reaction,
    run::{Pause, PauseReason, Run, RunState},
    step::Step,
    task::{Task, TaskStatus},
    write::NewText,
};
use serde_json::{Map, Value};

use super::random_entry::{Choices, author};

pub(crate) fn message(from: &mut Choices) -> Message {
    let (to, project_id) = (from.place(), ProjectId::from_bits(from.bits()));
    Message {
        id: from.message_id(),
        project_id: project_id.clone(),
        conversation_type: from.one_of(&[ConversationType::Channel, ConversationType::Thread, ConversationType::Dm]),
        to,
        seq: from.number(),
        from: author(from),
        kind: from.one_of(&[Kind::User, Kind::Assistant, Kind::System, Kind::ToolResult, Kind::Host]),
        body: from.text(),
        content: from.maybe(Choices::value),
        mentions: from.some(Choices::member),
        calls: from.some(Choices::agent),
        held: from.some(held_call),
        artifacts: from.some(artifact_id),
        attachments: from.some(attachment),
        importance: from.one_of(&[Importance::Normal, Importance::High, Importance::Critical]),
        blocking: from.flag(),
        question: from.maybe(question),
        answer_to: from.maybe(answer_to),
        is_notice: from.flag(),
        reply_to: from.maybe(Choices::message_id),
        cause: from.maybe(cause),
        correlation_id: from.maybe(Choices::text),
        context: MessageContext {
            project_id,
            task_id: from.maybe(task_id),
            batch_id: from.maybe(|from| BatchId::from_bits(from.bits())),
        },
        state: state(from),
        reason: from.maybe(Choices::text),
        steps: from.some(step),
        usage: from.maybe(usage),
        metadata: from.some(|from| (from.text(), from.value())).into_iter().collect::<Map<String, Value>>(),
        created_at: from.at(),
        edited_at: from.maybe(Choices::at),
        removed_at: from.maybe(Choices::at),
        thread_id: from.maybe(|from| ThreadId::from_bits(from.bits())),
        reactions: from.some(|from| Reaction { emoji: from.text(), members: from.some(Choices::member) }),
    }
}

fn artifact_id(from: &mut Choices) -> ArtifactId {
    ArtifactId::from_bits(from.bits())
}

fn task_id(from: &mut Choices) -> TaskId {
    TaskId::from_bits(from.bits())
}

fn attachment(from: &mut Choices) -> Attachment {
    Attachment {
        filename: from.text(),
        media_type: from.text(),
        size: from.number(),
        artifact_id: from.maybe(artifact_id),
        url: from.maybe(Choices::text),
    }
}

fn cause(from: &mut Choices) -> Cause {
    Cause {
        depth: from.number() as u32,
        chain: from.some(Choices::text),
        agents: from.some(Choices::agent),
        message_id: from.maybe(Choices::message_id),
    }
}

pub(crate) fn state(from: &mut Choices) -> State {
    from.one_of(&[State::Streaming, State::Complete, State::Failed, State::Cancelled, State::Interrupted])
}

pub(crate) fn step(from: &mut Choices) -> Step {
    Step {
        id: from.text(),
        name: from.text(),
        input: from.maybe(Choices::value),
        output: from.maybe(Choices::value),
        is_error: from.flag(),
        started_at: from.at(),
        finished_at: from.maybe(Choices::at),
    }
}

pub(crate) fn usage(from: &mut Choices) -> Usage {
    Usage {
        model: from.text(),
        input_tokens: from.number(),
        cached_tokens: from.maybe(Choices::number),
        output_tokens: from.number(),
        tries: from.maybe(|from| from.number() as u32),
        duration_ms: from.maybe(Choices::number),
    }
}

pub(crate) fn recipient(from: &mut Choices) -> Recipient {
    use DeliveryReason::{Dm, Mention, Subscription, Thread};
    Recipient { agent_id: from.agent(), reason: from.one_of(&[Subscription, Thread, Dm, Mention]) }
}

pub(crate) fn new_text(from: &mut Choices) -> NewText {
    NewText { body: from.text(), mentions: from.some(Choices::member), deliveries: from.some(recipient) }
}

fn held_call(from: &mut Choices) -> HeldCall {
    use HoldRule::{Budget, Chain, Correlation, Depth, NoProgress, Pair, Waiting};
    HeldCall {
        agent_id: from.agent(),
        name: from.name(),
        rule: from.one_of(&[Depth, Chain, Pair, Budget, NoProgress, Correlation, Waiting]),
        until: from.maybe(Choices::at),
    }
}

pub(crate) fn calls(from: &mut Choices) -> Calls {
    let call = |from: &mut Choices| NewCall {
        agent_id: from.agent(),
        reason: from.one_of(&[CallReason::Follow, CallReason::Dm, CallReason::Mention]),
    };
    Calls { called: from.some(call), held: from.some(held_call) }
}

/// A value of an answer, which can also be null.
fn answer_value(from: &mut Choices) -> Value {
    if from.flag() { Value::Null } else { from.value() }
}

pub(crate) fn answer_to(from: &mut Choices) -> AnswerTo {
    AnswerTo { message_id: from.message_id(), option: from.maybe(Choices::text), value: from.maybe(answer_value) }
}

fn answer(from: &mut Choices) -> Answer {
    Answer {
        option: from.maybe(Choices::text),
        value: from.maybe(answer_value),
        text: from.maybe(Choices::text),
        message_id: from.maybe(Choices::message_id),
        is_default: from.flag(),
    }
}

fn question(from: &mut Choices) -> Question {
    use QuestionState::{Answered, Expired, Ignored, Open, Unanswered, Withdrawn};
    let option = |from: &mut Choices| AnswerOption {
        id: from.text(),
        label: from.text(),
        description: from.maybe(Choices::text),
    };
    Question {
        addressees: from.some(Choices::member),
        options: from.some(option),
        schema: from.maybe(Choices::value),
        default: from.maybe(Choices::value),
        expires_at: from.at(),
        state: from.one_of(&[Open, Answered, Expired, Ignored, Unanswered, Withdrawn]),
        answer: from.maybe(answer),
        ignored_by: from.some(Choices::member),
        unanswered_by: from.some(Choices::member),
        closed_at: from.maybe(Choices::at),
        closed_by: from.maybe(author),
    }
}

pub(crate) fn settlement(from: &mut Choices) -> Settlement {
    match from.number() % 5 {
        0 => Settlement::Expired,
        1 => Settlement::Withdrawn,
        2 => Settlement::Ignored(from.member()),
        3 => Settlement::Unanswered(from.member()),
        _ => Settlement::Answered(answer(from)),
    }
}

pub(crate) fn delivery_report(from: &mut Choices) -> DeliveryReport {
    use DeliveryState::{Answered, Expired, Failed, Injected, Queued, Seen, Stored};
    let path = |from: &mut Choices| {
        from.one_of(&[
            DeliveryPath::Prompt,
            DeliveryPath::Checkpoint,
            DeliveryPath::Nudge,
            DeliveryPath::Tool,
            DeliveryPath::Hook,
        ])
    };
    let step = DeliveryStep {
        state: from.one_of(&[Stored, Queued, Injected, Seen, Answered, Expired, Failed]),
        delivered_via: from.maybe(path),
        run_id: from.maybe(|from| RunId::from_bits(from.bits())),
        why: from.maybe(Choices::text),
        answer_id: from.maybe(Choices::message_id),
    };
    let (agent_id, conversation_id) = (from.agent(), from.place());
    DeliveryReport { agent_id, conversation_id, message_ids: from.some(Choices::message_id), step }
}

pub(crate) fn run_state(from: &mut Choices) -> RunState {
    from.one_of(&[RunState::Running, RunState::Paused, RunState::Done, RunState::Failed, RunState::Cancelled])
}

pub(crate) fn pause(from: &mut Choices) -> Pause {
    Pause {
        reason: from.one_of(&[PauseReason::Message, PauseReason::Asked]),
        message_id: from.message_id(),
        conversation_id: from.place(),
        from: author(from),
        since: from.at(),
        answered_separately: from.flag(),
    }
}

pub(crate) fn run(from: &mut Choices) -> Run {
    Run {
        id: RunId::from_bits(from.bits()),
        project_id: ProjectId::from_bits(from.bits()),
        agent_id: from.agent(),
        state: run_state(from),
        label: from.maybe(Choices::text),
        conversation_id: from.maybe(Choices::place),
        message_id: from.maybe(Choices::message_id),
        task_id: from.maybe(task_id),
        pauses: from.some(pause),
        reason: from.maybe(Choices::text),
        usage: from.maybe(usage),
        lease_seconds: from.number(),
        started_at: from.at(),
        updated_at: from.at(),
        finished_at: from.maybe(Choices::at),
    }
}

pub(crate) fn task_status(from: &mut Choices) -> TaskStatus {
    use TaskStatus::{Blocked, Cancelled, Done, Failed, Open, Working};
    from.one_of(&[Open, Working, Blocked, Done, Failed, Cancelled])
}

pub(crate) fn task(from: &mut Choices) -> Task {
    Task {
        id: task_id(from),
        project_id: ProjectId::from_bits(from.bits()),
        title: from.text(),
        description: from.maybe(Choices::text),
        status: task_status(from),
        assignee: from.maybe(Choices::member),
        parent_id: from.maybe(task_id),
        batch_id: from.maybe(|from| BatchId::from_bits(from.bits())),
        thread_id: from.maybe(|from| ThreadId::from_bits(from.bits())),
        created_by: from.member(),
        created_at: from.at(),
        updated_at: from.at(),
    }
}
