//! Random entries: every write, with every field that can be present or absent. The values need not fit together.

use parlour_core::{
    Timestamp,
    artifact::{Artifact, ContentHash},
    attribution::{Attribution, Origin, Surface},
    author::{Author, AuthorType},
    call::PassedCall,
    context::AgentContext,
    conversation::{Channel, ChannelPatch, Dm, Thread, Visibility},
    engine::Engine,
    event::{ChannelMember, Subscription},
    id::{
        AgentId, ArtifactId, BatchId, ChannelId, ConversationId, DmId, InviteId, MemberId, MessageId, PersonId,
        ProjectId, RunId, TaskId, ThreadId, TokenId,
    },
    member::{Agent, AgentPatch},
    name::Name,
    policy::{Policy, Retention},
    project::{Project, ProjectPatch},
    run::RunEnd,
    scope::Scope,
    task::{Batch, TaskPatch},
    token::{ActsAs, NewToken, ProgramType, Token, TokenKey, TokenKind},
    write::{Archival, Entry, NewMessage, StreamEnding, Write},
};
use serde_json::{Value, json};

use super::random_message::{
    answer_to, calls, delivery_report, message, new_text, pause, recipient, run, run_state, settlement, state, step,
    task, task_status, usage,
};

/// How many writes there are.
pub(crate) const WRITES: u64 = 33;

/// The numbers that decide about a value. When they are used up, everything is absent, empty or the first of its kind.
pub(crate) struct Choices {
    numbers: std::vec::IntoIter<u64>,
}

impl Choices {
    pub(crate) fn new(numbers: Vec<u64>) -> Self {
        Self { numbers: numbers.into_iter() }
    }

    pub(crate) fn number(&mut self) -> u64 {
        self.numbers.next().unwrap_or(0)
    }

    pub(crate) fn bits(&mut self) -> u128 {
        u128::from(self.number()) << 64 | u128::from(self.number())
    }

    pub(crate) fn flag(&mut self) -> bool {
        self.number() % 2 == 1
    }

    pub(crate) fn one_of<T: Clone>(&mut self, values: &[T]) -> T {
        values[(self.number() % values.len() as u64) as usize].clone()
    }

    pub(crate) fn maybe<T>(&mut self, make: impl FnOnce(&mut Self) -> T) -> Option<T> {
        self.flag().then(|| make(self))
    }

    pub(crate) fn some<T>(&mut self, make: impl Fn(&mut Self) -> T) -> Vec<T> {
        (0..self.number() % 3).map(|_| make(self)).collect()
    }

    pub(crate) fn text(&mut self) -> String {
        self.one_of(&["", "a b", "line\nline\t\"quoted\" \\", "Grüße 👍🏽", "\u{0}\u{7f}\u{2028}", "null", "{}"])
            .to_owned()
    }

    pub(crate) fn name(&mut self) -> Name {
        let name = self.one_of(&["Coder", "general", "Ägypten 7", "x-y_z"]);
        Name::parse(name).expect("a name")
    }

    pub(crate) fn at(&mut self) -> Timestamp {
        Timestamp::from_millis((self.number() >> 16) as i64)
    }

    /// Any JSON value except null, which is read as an absent field.
    pub(crate) fn value(&mut self) -> Value {
        let float = f64::from_bits(self.number());
        let float = if float.is_finite() { float } else { 0.5 };
        let values = [json!(float), json!(self.number()), json!(-(self.number() as i64 >> 1)), json!(self.flag())];
        match self.number() % 3 {
            0 => self.one_of(&values),
            1 => json!([null, values, self.text()]),
            _ => json!({ "": null, "z": values, "a": { "text": self.text() } }),
        }
    }

    pub(crate) fn bytes<const LEN: usize>(&mut self) -> [u8; LEN] {
        std::array::from_fn(|_| self.number() as u8)
    }

    pub(crate) fn agent(&mut self) -> AgentId {
        AgentId::from_bits(self.bits())
    }

    pub(crate) fn message_id(&mut self) -> MessageId {
        MessageId::from_bits(self.bits())
    }

    pub(crate) fn member(&mut self) -> MemberId {
        if self.flag() { self.agent().into() } else { PersonId::from_bits(self.bits()).into() }
    }

    pub(crate) fn place(&mut self) -> ConversationId {
        let bits = self.bits();
        match self.number() % 3 {
            0 => ChannelId::from_bits(bits).into(),
            1 => ThreadId::from_bits(bits).into(),
            _ => DmId::from_bits(bits).into(),
        }
    }
}

/// The entry of the write with this number.
pub(crate) fn entry(number: u64, from: &mut Choices) -> Entry {
    let origin =
        Origin { surface: from.one_of(Surface::ALL), token: from.maybe(|from| TokenId::from_bits(from.bits())) };
    let attribution = Attribution { actor: author(from), at: from.at(), origin };
    Entry { project_id: ProjectId::from_bits(from.bits()), attribution, write: write(number, from) }
}

fn write(number: u64, from: &mut Choices) -> Write {
    match number {
        0 => Write::CreateProject(project(from)),
        1 => Write::UpdateProject(ProjectPatch {
            name: from.maybe(Choices::name),
            description: from.maybe(Choices::text),
            policy: from.maybe(policy),
        }),
        2 => Write::AddPerson(PersonId::from_bits(from.bits())),
        3 => Write::RemovePerson(PersonId::from_bits(from.bits())),
        4 => Write::CreateAgent(agent(from), token(from), from.maybe(|from| InviteId::from_bits(from.bits()))),
        5 => Write::UpdateAgent(from.agent(), agent_patch(from)),
        6 => Write::CreateChannel(channel(from), from.some(Choices::member)),
        7 => Write::UpdateChannel(ChannelId::from_bits(from.bits()), channel_patch(from), from.some(Choices::member)),
        8 => Write::ArchiveChannel(
            ChannelId::from_bits(from.bits()),
            from.one_of(&[Archival::Archived, Archival::Active]),
        ),
        9 => Write::AddChannelMember(channel_member(from)),
        10 => Write::RemoveChannelMember(channel_member(from)),
        11 => Write::Subscribe(subscription(from)),
        12 => Write::Unsubscribe(subscription(from)),
        13 => Write::CreateThread(Thread {
            id: ThreadId::from_bits(from.bits()),
            project_id: ProjectId::from_bits(from.bits()),
            channel_id: ChannelId::from_bits(from.bits()),
            root_message_id: from.message_id(),
            created_by: from.maybe(Choices::member),
            created_at: from.at(),
        }),
        14 => Write::CreateDm(Dm {
            id: DmId::from_bits(from.bits()),
            project_id: ProjectId::from_bits(from.bits()),
            participants: from.some(Choices::member),
            created_at: from.at(),
        }),
        15..=23 => write_about_message(number, from),
        _ => write_about_work(number, from),
    }
}

fn write_about_message(number: u64, from: &mut Choices) -> Write {
    match number {
        15 => Write::PostMessage(NewMessage {
            message: message(from),
            digest: from.bytes(),
            deliveries: from.some(recipient),
            calls: calls(from),
            answers: from.maybe(Choices::message_id),
            answers_also: from.some(Choices::message_id),
        }),
        16 => Write::EditMessage(from.message_id(), new_text(from)),
        17 => Write::FinishMessage(
            from.message_id(),
            StreamEnding {
                state: state(from),
                reason: from.maybe(Choices::text),
                text: new_text(from),
                content: from.maybe(Choices::value),
                steps: from.some(step),
                calls: calls(from),
                usage: from.maybe(usage),
                answer_to: from.maybe(answer_to),
            },
        ),
        18 => Write::PassCall(PassedCall {
            agent_id: from.agent(),
            message_id: from.message_id(),
            conversation_id: from.place(),
            reason: from.maybe(Choices::text),
        }),
        19 => Write::RemoveMessage(from.message_id()),
        20 => Write::React(from.message_id(), from.text(), from.member()),
        21 => Write::Unreact(from.message_id(), from.text(), from.member()),
        22 => Write::MarkRead(from.message_id(), from.member()),
        _ => Write::ReportDeliveries(delivery_report(from)),
    }
}

fn write_about_work(number: u64, from: &mut Choices) -> Write {
    match number {
        24 => Write::SettleQuestion(from.message_id(), settlement(from)),
        25 => Write::StartRun(run(from)),
        26 => Write::PauseRun(RunId::from_bits(from.bits()), from.some(pause)),
        27 => Write::ResumeRun(RunId::from_bits(from.bits()), from.maybe(Choices::message_id), from.text()),
        28 => Write::EndRun(
            RunId::from_bits(from.bits()),
            RunEnd { state: run_state(from), reason: from.maybe(Choices::text), usage: from.maybe(usage) },
        ),
        29 => Write::CreateTask(task(from)),
        30 => Write::UpdateTask(
            TaskId::from_bits(from.bits()),
            TaskPatch {
                title: from.maybe(Choices::text),
                description: from.maybe(Choices::text),
                status: from.maybe(task_status),
                assignee: from.maybe(Choices::member),
                thread_id: from.maybe(|from| ThreadId::from_bits(from.bits())),
                if_status: from.maybe(task_status),
            },
        ),
        31 => Write::CreateBatch(Batch {
            id: BatchId::from_bits(from.bits()),
            project_id: ProjectId::from_bits(from.bits()),
            name: from.name(),
            created_by: from.member(),
            created_at: from.at(),
        }),
        _ => Write::CreateArtifact(Artifact {
            id: ArtifactId::from_bits(from.bits()),
            project_id: ProjectId::from_bits(from.bits()),
            filename: from.text(),
            media_type: from.text(),
            size: from.number(),
            sha256: ContentHash::from_bytes(from.bytes()),
            conversation_id: from.maybe(Choices::place),
            task_id: from.maybe(|from| TaskId::from_bits(from.bits())),
            created_by: from.member(),
            created_at: from.at(),
        }),
    }
}

pub(crate) fn author(from: &mut Choices) -> Author {
    use AuthorType::{Agent, Applet, Host, Person, Scheduler, System, Tool};
    let author_type = from.one_of(&[Person, Agent, Applet, Scheduler, Tool, Host, System]);
    Author { author_type, id: from.maybe(Choices::text), name: from.text() }
}

fn policy(from: &mut Choices) -> Policy {
    let retention = Retention {
        messages_per_conversation_max: from.maybe(Choices::number),
        message_days_max: from.maybe(Choices::number),
        event_days_max: from.maybe(Choices::number),
        artifact_days_max: from.maybe(Choices::number),
    };
    let mut policy = Policy { retention, ..Policy::default() };
    policy.budgets.pack_tokens_max = from.number();
    policy.loop_limits.response_depth_max = from.number();
    policy.calls.waiting_max = from.number();
    policy.streams.window_ms = from.number();
    policy.context.weights.words = from.number();
    policy.context.quotas.sender_percent = from.number();
    policy.context.redaction.mute = from.some(Choices::text);
    policy.context.summariser = from.maybe(engine);
    policy.context.reranker = from.maybe(Choices::text);
    policy
}

fn engine(from: &mut Choices) -> Engine {
    Engine { provider: from.text(), model: from.maybe(Choices::text) }
}

fn agent_context(from: &mut Choices) -> AgentContext {
    AgentContext {
        injection_tokens_max: from.maybe(Choices::number),
        pack_tokens_max: from.maybe(Choices::number),
        history_tokens_max: from.maybe(Choices::number),
        weights: from.maybe(|_| Default::default()),
        quotas: from.maybe(|_| Default::default()),
        model: from.maybe(Choices::text),
    }
}

fn project(from: &mut Choices) -> Project {
    Project {
        id: ProjectId::from_bits(from.bits()),
        name: from.name(),
        description: from.maybe(Choices::text),
        owner: PersonId::from_bits(from.bits()),
        policy: policy(from),
        created_at: from.at(),
    }
}

fn agent(from: &mut Choices) -> Agent {
    Agent {
        id: from.agent(),
        project_id: ProjectId::from_bits(from.bits()),
        name: from.name(),
        capabilities: from.some(Choices::text),
        endpoint_url: from.maybe(Choices::text),
        instructions: from.maybe(Choices::text),
        engine: from.maybe(engine),
        context: from.maybe(agent_context),
        owner: PersonId::from_bits(from.bits()),
        created_at: from.at(),
    }
}

fn agent_patch(from: &mut Choices) -> AgentPatch {
    AgentPatch {
        name: from.maybe(Choices::name),
        capabilities: from.maybe(|from| from.some(Choices::text)),
        endpoint_url: from.maybe(Choices::text),
        instructions: from.maybe(Choices::text),
        engine: from.maybe(engine),
        context: from.maybe(agent_context),
    }
}

fn token(from: &mut Choices) -> NewToken {
    use TokenKind::{Certificate, External, Jwt, Link, Session, Static};
    let id = TokenId::from_bits(from.bits());
    let key = match from.number() % 6 {
        0 => TokenKey::Static(from.bytes()),
        1 => TokenKey::Jwt(id.clone()),
        2 => TokenKey::Session(from.bytes()),
        3 => TokenKey::Link(from.bytes()),
        4 => TokenKey::Certificate(from.bytes()),
        _ => TokenKey::External(from.bytes()),
    };
    let token = Token {
        id,
        member_id: from.member(),
        kind: from.one_of(&[Static, Jwt, Session, Link, Certificate, External]),
        label: from.text(),
        scopes: from.some(|from| from.one_of(Scope::ALL)).into_iter().collect(),
        acts_as: from.maybe(|from| ActsAs {
            program: from.one_of(&[ProgramType::Applet, ProgramType::Scheduler]),
            name: from.name(),
        }),
        created_by: from.maybe(Choices::member),
        created_at: from.at(),
        expires_at: from.maybe(Choices::at),
    };
    NewToken { token, key }
}

fn visibility(from: &mut Choices) -> Visibility {
    from.one_of(&[Visibility::Project, Visibility::Private])
}

fn channel(from: &mut Choices) -> Channel {
    Channel {
        id: ChannelId::from_bits(from.bits()),
        project_id: ProjectId::from_bits(from.bits()),
        name: from.name(),
        topic: from.maybe(Choices::text),
        visibility: visibility(from),
        created_by: from.maybe(Choices::member),
        created_at: from.at(),
        archived_at: from.maybe(Choices::at),
    }
}

fn channel_patch(from: &mut Choices) -> ChannelPatch {
    ChannelPatch {
        name: from.maybe(Choices::name),
        topic: from.maybe(Choices::text),
        visibility: from.maybe(visibility),
    }
}

fn channel_member(from: &mut Choices) -> ChannelMember {
    ChannelMember { channel_id: ChannelId::from_bits(from.bits()), member_id: from.member() }
}

fn subscription(from: &mut Choices) -> Subscription {
    Subscription { channel_id: ChannelId::from_bits(from.bits()), agent_id: from.agent() }
}
