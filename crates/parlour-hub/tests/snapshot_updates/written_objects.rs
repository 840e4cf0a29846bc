//! Objects and patches of random writes.

use parlour_core::{
    Timestamp,
    artifact::{Artifact, ContentHash},
    author::Author,
    call::{CallReason, Calls, NewCall, PassedCall},
    conversation::{Channel, ChannelPatch, Dm, Thread, Visibility, dm_participants},
    engine::Usage,
    id::{ArtifactId, BatchId, ConversationId, DmId, MemberId, MessageId, ThreadId},
    inbox::{DeliveryReason, Recipient},
    member::{Agent, AgentPatch},
    message::{Message, State},
    post::PostMessage,
    project::{Project, ProjectPatch},
    step::Step as AnswerStep,
    task::{Batch, Task, TaskPatch, TaskStatus},
    write::{NewMessage, NewText, StreamEnding, Write},
};

use crate::{
    fixture::{SnapshotFixture, pick},
    write_step::WriteStep,
};

impl SnapshotFixture {
    /// A unique name.
    fn label(&self, kind: &str) -> String {
        format!("{kind} {}", self.count)
    }

    pub(crate) fn other_project(&self) -> Project {
        self.test_store.new_project(&self.label("Project"), &self.people[0])
    }

    pub(crate) fn project_patch(&self, step: &WriteStep) -> ProjectPatch {
        ProjectPatch { description: Some(format!("about {}", step.bits % 3)), ..ProjectPatch::default() }
    }

    pub(crate) fn new_agent(&self) -> Agent {
        self.test_store.new_agent(&self.label("Agent"), &self.tour)
    }

    pub(crate) fn agent_patch(&self, step: &WriteStep) -> AgentPatch {
        AgentPatch { instructions: Some(format!("Be {}.", step.bits % 3)), ..AgentPatch::default() }
    }

    pub(crate) fn create_channel(&self, step: &WriteStep) -> Write {
        let visibility = visibility(step.what);
        let channel = Channel { visibility, ..self.test_store.new_channel(&self.label("room"), &self.tour) };
        Write::CreateChannel(channel, self.members(step.bits))
    }

    /// A patch that often changes the visibility.
    pub(crate) fn channel_patch(&self, step: &WriteStep) -> ChannelPatch {
        let visibility = (!step.bits.is_multiple_of(4)).then(|| visibility(step.bits));
        ChannelPatch { topic: Some(format!("topic {}", step.bits % 3)), visibility, ..ChannelPatch::default() }
    }

    pub(crate) fn new_thread(&self, step: &WriteStep) -> Option<Thread> {
        let in_channel: Vec<&Message> =
            self.messages.iter().filter(|message| matches!(message.to, ConversationId::Channel(_))).collect();
        let root = pick(&in_channel, step.what)?;
        let ConversationId::Channel(channel_id) = &root.to else { return None };
        Some(Thread {
            id: ThreadId::from_bits(self.test_store.bits()),
            project_id: self.tour.id.clone(),
            channel_id: channel_id.clone(),
            root_message_id: root.id.clone(),
            created_by: None,
            created_at: self.test_store.now(),
        })
    }

    pub(crate) fn new_dm(&self, step: &WriteStep) -> Dm {
        // A DM needs at least two participants.
        let members = [self.members(step.bits), vec![self.member(step.by), self.member(step.by.wrapping_add(1))]];
        Dm {
            id: DmId::from_bits(self.test_store.bits()),
            project_id: self.tour.id.clone(),
            participants: dm_participants(members.concat()).expect("a few participants"),
            created_at: self.test_store.now(),
        }
    }

    pub(crate) fn post(&self, step: &WriteStep) -> Option<Write> {
        let (id, to) = (MessageId::from_bits(self.test_store.bits()), pick(&self.conversations(), step.what)?.clone());
        let author = self.author(step).author();
        let plain = Message::plain(id, self.tour.id.clone(), to, author, self.label("message"), self.test_store.now());
        let state = if step.bits.is_multiple_of(3) { State::Streaming } else { State::Complete };
        let message = Message { state, mentions: self.members(step.bits), ..plain };
        let message = self.asking(step, self.answering(step, message));
        let digest = PostMessage { body: message.body.clone(), ..PostMessage::default() }.digest();
        let (calls, answers) = (self.calls(step), pick(&self.messages, step.by).map(|message| message.id.clone()));
        let deliveries = recipients(&message.mentions);
        Some(Write::PostMessage(NewMessage { message, digest, deliveries, calls, answers, answers_also: Vec::new() }))
    }

    /// An imported message.
    pub(crate) fn import(&self, step: &WriteStep) -> Option<Write> {
        let (id, to) = (MessageId::from_bits(self.test_store.bits()), pick(&self.conversations(), step.what)?.clone());
        let id_there = Some(format!("pynchy:{}", step.by % 3));
        let author = Author { id: id_there, ..self.author(step).author() };
        let at = Timestamp::from_millis(i64::from(step.bits));
        let plain = Message::plain(id, self.tour.id.clone(), to, author, self.label("import"), at);
        let reply_to = pick(&self.messages, step.bits).filter(|message| message.to == plain.to);
        let message = Message { reply_to: reply_to.map(|message| message.id.clone()), ..plain };
        let digest = PostMessage { body: message.body.clone(), ..PostMessage::default() }.digest();
        let (deliveries, calls) = (Vec::new(), Calls::default());
        Some(Write::PostMessage(NewMessage {
            message,
            digest,
            deliveries,
            calls,
            answers: None,
            answers_also: Vec::new(),
        }))
    }

    /// Calls of all mentioned agents, also of agents that cannot read the message.
    fn calls(&self, step: &WriteStep) -> Calls {
        let mentioned = self.members(step.bits);
        let called = mentioned.iter().filter_map(MemberId::agent).cloned();
        let called = called.map(|agent_id| NewCall { agent_id, reason: CallReason::Mention }).collect();
        Calls { called, held: Vec::new() }
    }

    /// A pass of an earlier call, which may have been answered since.
    pub(crate) fn passed_call(&self, step: &WriteStep) -> Option<PassedCall> {
        let calling: Vec<_> = self.messages.iter().filter(|message| !message.calls.is_empty()).collect();
        let message = pick(&calling, step.what)?;
        Some(PassedCall {
            agent_id: pick(&message.calls, step.bits)?.clone(),
            message_id: message.id.clone(),
            conversation_id: message.to.clone(),
            reason: (step.by % 2 == 1).then(|| "why".to_owned()),
        })
    }

    pub(crate) fn text(&self, step: &WriteStep) -> NewText {
        NewText { body: self.label("text"), mentions: self.members(step.bits), deliveries: Vec::new() }
    }

    /// A message that was posted as streaming; it may have ended since.
    pub(crate) fn streaming(&self, step: &WriteStep) -> Option<MessageId> {
        let streaming: Vec<_> = self.messages.iter().filter(|message| message.state == State::Streaming).collect();
        pick(&streaming, step.what).map(|message| message.id.clone())
    }

    pub(crate) fn ending(&self, step: &WriteStep) -> StreamEnding {
        let states = [State::Complete, State::Failed, State::Cancelled, State::Interrupted];
        let at = self.test_store.now();
        let answer_step = AnswerStep {
            id: "1".into(),
            name: "search".into(),
            input: None,
            output: None,
            is_error: false,
            started_at: at,
            finished_at: Some(at),
        };
        StreamEnding {
            state: states[usize::from(step.by) % states.len()],
            reason: (step.by % 2 == 1).then(|| "why".to_owned()),
            text: self.text(step),
            content: None,
            steps: vec![answer_step],
            calls: self.calls(step),
            usage: Some(Usage { model: "small".into(), ..Usage::default() }).filter(|_| step.bits % 2 == 1),
            answer_to: self.answer_to(step),
        }
    }

    /// A task with a thread if there is one.
    pub(crate) fn new_task(&self, step: &WriteStep) -> Task {
        let thread_id = pick(&self.threads, step.what).cloned();
        Task { thread_id, ..self.test_store.new_task("Ship it", &self.tour) }
    }

    pub(crate) fn task_patch(&self, step: &WriteStep) -> TaskPatch {
        let status = [TaskStatus::Open, TaskStatus::Working, TaskStatus::Done][usize::from(step.bits) % 3];
        let thread_id = pick(&self.threads, step.by).cloned();
        TaskPatch { status: Some(status), thread_id, ..TaskPatch::default() }
    }

    pub(crate) fn new_batch(&self) -> Batch {
        Batch {
            id: BatchId::from_bits(self.test_store.bits()),
            project_id: self.tour.id.clone(),
            name: self.test_store.name(&self.label("Batch")),
            created_by: self.people[0].id.clone().into(),
            created_at: self.test_store.now(),
        }
    }

    /// A file of a conversation, or of the whole project.
    pub(crate) fn new_artifact(&self, step: &WriteStep) -> Artifact {
        let conversations = self.conversations();
        Artifact {
            id: ArtifactId::from_bits(self.test_store.bits()),
            project_id: self.tour.id.clone(),
            filename: "a.txt".into(),
            media_type: "text/plain".into(),
            size: 3,
            sha256: ContentHash::from_bytes(self.test_store.secret()),
            conversation_id: pick(&conversations, step.what).filter(|_| !step.bits.is_multiple_of(4)).cloned(),
            task_id: None,
            created_by: self.people[0].id.clone().into(),
            created_at: self.test_store.now(),
        }
    }
}

/// The agents among these members as recipients.
fn recipients(members: &[MemberId]) -> Vec<Recipient> {
    let agents = members.iter().filter_map(MemberId::agent).cloned();
    agents.map(|agent_id| Recipient { agent_id, reason: DeliveryReason::Mention }).collect()
}

fn visibility(number: u8) -> Visibility {
    if number.is_multiple_of(2) { Visibility::Private } else { Visibility::Project }
}
