//! The requests of a hub: each method of `Hub` calls the method of the same name of a service.

use std::net::IpAddr;

use parlour_core::{
    Code,
    access::Principal,
    artifact::Artifact,
    attribution::Attribution,
    attribution::Surface,
    audit::{AuditEntry, AuditFilter, AuditHead, SealedEntry},
    call::{Call, PassedCall},
    checkpoint::{Checkpoint, CheckpointDelivery, RunFinished},
    context::{ContextRequest, Injection, InjectionDiff, Pack},
    conversation::{Channel, ChannelPatch, Dm, Thread},
    delivery::Delivery,
    engine::EngineOffer,
    event::{ChannelMember, Event, Subscription},
    graph::Graph,
    id::{
        AgentId, ArtifactId, BatchId, ChannelId, ConversationId, DmId, InviteId, MemberId, MessageId, PersonId,
        ProjectId, RunId, TaskId, ThreadId, TokenId,
    },
    import::{ImportMessages, ImportOutcome},
    inbox::{Digest, InboxCounts, InboxEntry, InboxFilter, ReadMark, Unread},
    invite::Invite,
    live::{AddChunk, Cancel, Complete, Fail},
    member::{Agent, AgentPatch, Person},
    mention::MentionProblem,
    message::{Message, MessagePreview},
    name::Name,
    paging::{Page, PageRequest},
    position::Position,
    post::PostMessage,
    presence::{Presence, PresenceUpdate},
    project::{Project, ProjectPatch},
    question::{AnswerRequest, OpenQuestion},
    rate::{Cost, Rates},
    run::{FinishRun, Run, RunFilter, StartRun},
    snapshot::Snapshot,
    step::{FinishStep, StartStep, Step},
    task::{Batch, Task, TaskPatch},
    timeline::TimelineEntry,
    token::Token,
    write::{Archival, Novelty},
};
use serde_json::Value;
use tokio::sync::watch;

use crate::{
    Failure, Hub, RateCharges, RateExceeded, SignInAttempt,
    live::{Session, SessionId},
    ports::BlobReader,
    use_cases::{
        ArtifactDownload, BlockingNotice, BuiltContext, ContextWriter, Credential, DeliveryWait, EditMessage,
        FinishedStream, FirstStart, GuardStop, HistoryQuery, IssueToken, IssuedToken, Join, Joined, NewAgent,
        NewArtifact, NewBatch, NewChannel, NewInvite, NewPerson, NewProject, NewTask, OpenDm, OpenThread, OpenedDm,
        Posted, QuestionQuery, ReadMessages, ReadOutcome, ReportDeliveries, SearchHit, SignedIn, StreamLease,
    },
};

/// Defines async methods of `Hub` that call the method of the same name of a service.
macro_rules! delegate {
    ($service:ident: $($name:ident($($arg:ident: $type:ty),*) -> $answer:ty;)*) => {
        impl Hub {
            $(
                #[doc = concat!("Calls `", stringify!($name), "` of the service `", stringify!($service), "`.")]
                pub async fn $name(&self, $($arg: $type),*) -> Result<$answer, Failure> {
                    self.$service.$name($($arg),*).await
                }
            )*
        }
    };
}

delegate! { accounts:
    first_start(wanted_token: Option<&str>) -> FirstStart;
    sign_in_with_password(name: &str, password: String, surface: Surface) -> SignedIn;
    sign_in_with_link(code: &str, surface: Surface) -> SignedIn;
    sign_out(caller: &Principal) -> ();
    set_password(caller: &Principal, person: &PersonId, current: Option<String>, password: String) -> ();
    make_link(caller: &Principal, person: &PersonId) -> String;
    issue_token(caller: &Principal, request: IssueToken) -> IssuedToken;
    tokens(caller: &Principal, member: &MemberId, page: &PageRequest) -> Page<Token>;
    revoke_token(caller: &Principal, id: &TokenId) -> ();
    renew_token(caller: &Principal) -> IssuedToken;
    rotate_key(caller: &Principal) -> String;
    create_person(caller: &Principal, request: NewPerson) -> (Person, String);
    person(caller: &Principal, id: &PersonId) -> Person;
    people(caller: &Principal, page: &PageRequest) -> Page<Person>;
    rename_person(caller: &Principal, id: &PersonId, name: Name) -> Person;
    renew_person_token(caller: &Principal, id: &PersonId) -> String;
    create_agent(caller: &Principal, request: NewAgent) -> (Agent, String);
    agent(caller: &Principal, id: &AgentId) -> Agent;
    agents(caller: &Principal, project: &ProjectId, page: &PageRequest) -> Page<Agent>;
    update_agent(caller: &Principal, id: &AgentId, patch: AgentPatch) -> Agent;
    renew_agent_token(caller: &Principal, id: &AgentId) -> String;
    hosted_agents() -> Vec<Agent>;
    create_invite(caller: &Principal, request: NewInvite) -> (Invite, String);
    invites(caller: &Principal, project: &ProjectId, page: &PageRequest) -> Page<Invite>;
    revoke_invite(caller: &Principal, id: &InviteId) -> ();
    join(request: Join, surface: Surface) -> Joined;
}

delegate! { audit:
    audit(caller: &Principal, filter: &AuditFilter, page: &PageRequest) -> Page<AuditEntry>;
    audit_after(caller: &Principal, no: u64) -> Vec<SealedEntry>;
    audit_head(caller: &Principal) -> AuditHead;
}

delegate! { presence:
    announce_presence(caller: &Principal, request: PresenceUpdate) -> Presence;
    withdraw_presence(caller: &Principal) -> ();
    enter_presence(caller: &Principal, session: SessionId, request: PresenceUpdate) -> Presence;
    presence(caller: &Principal, project: Option<&ProjectId>, page: &PageRequest) -> Page<Presence>;
    note_typing(caller: &Principal, id: &ConversationId) -> ();
}

delegate! { projects:
    create_project(caller: &Principal, request: NewProject) -> Project;
    project(caller: &Principal, id: &ProjectId) -> Project;
    projects(caller: &Principal, page: &PageRequest) -> Page<Project>;
    update_project(caller: &Principal, id: &ProjectId, patch: ProjectPatch) -> Project;
    end_of_log(caller: &Principal, id: &ProjectId) -> Position;
    project_graph(caller: &Principal, id: &ProjectId) -> Graph;
    project_people(caller: &Principal, project: &ProjectId, page: &PageRequest) -> Page<Person>;
    add_project_person(caller: &Principal, project: &ProjectId, person: &PersonId) -> Person;
    remove_project_person(caller: &Principal, project: &ProjectId, person: &PersonId) -> ();
}

delegate! { conversations:
    create_channel(caller: &Principal, request: NewChannel) -> Channel;
    channel(caller: &Principal, id: &ChannelId) -> Channel;
    channels(caller: &Principal, project: &ProjectId, page: &PageRequest) -> Page<Channel>;
    update_channel(caller: &Principal, id: &ChannelId, patch: ChannelPatch) -> Channel;
    archive_channel(caller: &Principal, id: &ChannelId, archival: Archival) -> Channel;
    channel_members(caller: &Principal, id: &ChannelId, page: &PageRequest) -> Page<MemberId>;
    add_channel_member(caller: &Principal, id: &ChannelId, member: &MemberId) -> ChannelMember;
    remove_channel_member(caller: &Principal, id: &ChannelId, member: &MemberId) -> ();
    subscribers(caller: &Principal, id: &ChannelId, page: &PageRequest) -> Page<AgentId>;
    subscribe(caller: &Principal, id: &ChannelId, agent: &AgentId) -> Subscription;
    unsubscribe(caller: &Principal, id: &ChannelId, agent: &AgentId) -> ();
    open_thread(caller: &Principal, request: OpenThread) -> (Thread, Novelty);
    thread(caller: &Principal, id: &ThreadId) -> Thread;
    threads(caller: &Principal, channel: &ChannelId, page: &PageRequest) -> Page<Thread>;
    open_dm(caller: &Principal, request: OpenDm) -> OpenedDm;
    dm(caller: &Principal, id: &DmId) -> Dm;
    dms(caller: &Principal, project: Option<&ProjectId>, page: &PageRequest) -> Page<Dm>;
}

delegate! { messages:
    post_message(caller: &Principal, request: PostMessage) -> Posted;
    edit_message(caller: &Principal, id: &MessageId, request: EditMessage) -> (Message, Vec<MentionProblem>);
    remove_message(caller: &Principal, id: &MessageId) -> Message;
    react(caller: &Principal, id: &MessageId, emoji: &str) -> Message;
    unreact(caller: &Principal, id: &MessageId, emoji: &str) -> Message;
    import_messages(caller: &Principal, request: ImportMessages) -> ImportOutcome;
    loop_guard(caller: &Principal, id: &ConversationId) -> Vec<GuardStop>;
    reset_loop_guard(caller: &Principal, id: &ConversationId) -> Message;
}

delegate! { streams:
    add_chunk(caller: &Principal, id: &MessageId, chunk: AddChunk) -> StreamLease;
    beat_stream(caller: &Principal, id: &MessageId) -> StreamLease;
    start_step(caller: &Principal, id: &MessageId, request: StartStep) -> Step;
    finish_step(caller: &Principal, id: &MessageId, step_id: &str, end: FinishStep) -> Step;
    complete_stream(caller: &Principal, id: &MessageId, request: Complete) -> FinishedStream;
    fail_stream(caller: &Principal, id: &MessageId, request: Fail) -> FinishedStream;
    cancel_stream(caller: &Principal, id: &MessageId, request: Cancel) -> FinishedStream;
    interrupt_abandoned_streams() -> u64;
}

delegate! { history:
    message(caller: &Principal, id: &MessageId) -> Message;
    message_preview(caller: &Principal, id: &MessageId) -> MessagePreview;
    message_view(caller: &Principal, id: &MessageId) -> Message;
    message_events(caller: &Principal, id: &MessageId, page: &PageRequest) -> Page<Event>;
    history(caller: &Principal, id: &ConversationId, query: &HistoryQuery, page: &PageRequest) -> Page<Message>;
    search(caller: &Principal, project: &ProjectId, text: &str, page: &PageRequest) -> Page<SearchHit>;
    snapshot(caller: &Principal, project: &ProjectId) -> Snapshot;
}

delegate! { inbox:
    inbox(caller: &Principal, agent: &AgentId, filter: &InboxFilter, page: &PageRequest) -> (Page<InboxEntry>, u64);
    inbox_counts(caller: &Principal, agent: &AgentId) -> InboxCounts;
    digests(caller: &Principal, agent: &AgentId, page: &PageRequest) -> Page<Digest>;
    my_inbox(caller: &Principal, project: &ProjectId, page: &PageRequest) -> Page<InboxEntry>;
    unread(caller: &Principal, project: &ProjectId) -> Unread;
    mark_read(caller: &Principal, id: &MessageId, reader: Option<MemberId>) -> ReadMark;
    read_messages(caller: &Principal, request: ReadMessages) -> ReadOutcome;
    deliveries(caller: &Principal, id: &MessageId) -> Vec<Delivery>;
    wait_deliveries(caller: &Principal, id: &MessageId, wait: DeliveryWait) -> Vec<Delivery>;
    report_deliveries(caller: &Principal, request: ReportDeliveries) -> Vec<Delivery>;
}

delegate! { calls:
    open_calls(caller: &Principal, agent: &AgentId, page: &PageRequest) -> Page<Call>;
    pass_call(caller: &Principal, message: &MessageId, reason: Option<String>) -> PassedCall;
}

delegate! { questions:
    questions(caller: &Principal, query: &QuestionQuery, page: &PageRequest) -> Page<OpenQuestion>;
    wait_question(caller: &Principal, id: &MessageId, seconds: u64) -> Message;
    answer_question(caller: &Principal, id: &MessageId, request: AnswerRequest) -> Message;
    withdraw_question(caller: &Principal, id: &MessageId) -> Message;
}

delegate! { runs:
    start_run(caller: &Principal, request: StartRun) -> Run;
    run(caller: &Principal, id: &RunId) -> Run;
    wait_run(caller: &Principal, id: &RunId, seconds: u64) -> Run;
    runs(caller: &Principal, project: &ProjectId, filter: &RunFilter, page: &PageRequest) -> Page<Run>;
    run_timeline(caller: &Principal, id: &RunId, page: &PageRequest) -> Page<TimelineEntry>;
    checkpoint(caller: &Principal, id: &RunId, delivery: CheckpointDelivery) -> Checkpoint;
    beat_run(caller: &Principal, id: &RunId) -> Run;
    pending_blocks(caller: &Principal, run: Option<&RunId>, except: &[MessageId]) -> Option<BlockingNotice>;
    resume_run(caller: &Principal, id: &RunId, message: Option<&MessageId>) -> Run;
    finish_run(caller: &Principal, id: &RunId, request: FinishRun) -> RunFinished;
    cancel_run(caller: &Principal, id: &RunId, reason: Option<String>) -> Run;
}

delegate! { context:
    context(caller: &Principal, agent: &AgentId, request: &ContextRequest) -> BuiltContext;
    context_written(caller: &Principal, agent: &AgentId, request: &ContextRequest, write: ContextWriter<'_>) -> Pack;
    injections(caller: &Principal, run: &RunId, page: &PageRequest) -> Page<Injection>;
    injection_difference(caller: &Principal, before: &RunId, after: &RunId) -> InjectionDiff;
}

delegate! { tasks:
    create_task(caller: &Principal, request: NewTask) -> Task;
    task(caller: &Principal, id: &TaskId) -> Task;
    tasks(caller: &Principal, project: &ProjectId, page: &PageRequest) -> Page<Task>;
    update_task(caller: &Principal, id: &TaskId, patch: TaskPatch) -> Task;
    task_timeline(caller: &Principal, id: &TaskId, page: &PageRequest) -> Page<TimelineEntry>;
    create_batch(caller: &Principal, request: NewBatch) -> Batch;
    batch(caller: &Principal, id: &BatchId) -> Batch;
    batches(caller: &Principal, project: &ProjectId, page: &PageRequest) -> Page<Batch>;
}

delegate! { artifacts:
    create_artifact(caller: &Principal, request: NewArtifact, content: BlobReader) -> Artifact;
    artifact(caller: &Principal, id: &ArtifactId) -> Artifact;
    download_artifact(caller: &Principal, id: &ArtifactId) -> ArtifactDownload;
    artifacts(caller: &Principal, project: &ProjectId, page: &PageRequest) -> Page<Artifact>;
}

/// Methods that are not async, cannot fail, or are generic.
impl Hub {
    /// Authenticates a credential; an unknown, revoked, expired or forged one is refused (`Unauthenticated`).
    pub async fn sign_in<'a>(&self, credential: impl Into<Credential<'a>>) -> Result<Principal, Failure> {
        self.accounts.sign_in(credential).await
    }

    /// The public keys by which anybody can check the tokens that this hub has signed.
    pub fn jwks(&self) -> Value {
        self.accounts.jwks()
    }

    /// Lists the engines that agents can have.
    pub fn engines(&self, caller: &Principal) -> Result<Vec<EngineOffer>, Failure> {
        self.accounts.engines(caller)
    }

    /// A counter that grows whenever an agent was added or changed, also when its caller has gone away.
    pub fn agent_changes(&self) -> watch::Receiver<u64> {
        self.accounts.agent_changes()
    }

    /// The principal of a hosted agent. For the code that runs it inside the process of the hub.
    pub fn act_as(&self, agent: &Agent) -> Principal {
        self.accounts.act_as(agent)
    }

    /// Opens a live session for the owner of this credential. Refused (`Full`) at the limit of sessions.
    pub async fn open_session<'a>(&self, credential: impl Into<Credential<'a>>) -> Result<Session, Failure> {
        self.live.open_session(credential.into()).await
    }

    /// Opens a live session for a hosted agent: its presence lasts as long as the session.
    pub fn open_session_as(&self, caller: Principal) -> Result<Session, Failure> {
        self.live.open_session_as(caller)
    }

    /// Removes the presence that a live session has announced.
    pub fn leave_presence(&self, session: SessionId) {
        self.presence.leave_presence(session);
    }

    /// Records a refusal in the audit log. `subject` is the id of a thing, never a text that somebody has sent.
    pub async fn note_refusal(
        &self,
        attribution: Attribution,
        action: &str,
        project: Option<ProjectId>,
        subject: Option<String>,
        code: Code,
    ) {
        self.audit.note_refusal(attribution, action, project, subject, code).await;
    }

    /// The messages that a model may see, in the same order and redacted. The caller has checked read access.
    pub async fn views(&self, messages: impl IntoIterator<Item = Message>) -> Result<Vec<Message>, Failure> {
        self.context.views(messages).await
    }

    /// Short texts of members for a model, such as the topics of channels: redacted, each on one line. The caller has checked
    /// read access.
    pub async fn lines_for_models(&self, project: &ProjectId, texts: Vec<String>) -> Result<Vec<String>, Failure> {
        self.context.lines(project, texts).await
    }

    /// Waits for the summaries that were begun before: the next pack contains their results.
    pub async fn finish_summaries(&self) {
        self.context.summaries().finish().await;
    }

    /// The number of failed rerank requests since the start of the hub.
    pub fn rerank_failures(&self) -> u64 {
        self.context.rerank_failures()
    }

    /// The rates in force.
    pub fn rates(&self) -> &Rates {
        self.rates.rates()
    }

    /// Charges a member for one request. Every surface calls it before it begins the request.
    pub fn charge(&self, caller: &Principal, cost: Cost) -> Result<RateCharges, RateExceeded> {
        self.rates.charge(caller, cost)
    }

    /// Charges an address for one request whose caller is not known yet.
    pub fn charge_address(&self, address: IpAddr) -> Result<(), RateExceeded> {
        self.rates.charge_address(address)
    }

    /// Gives an address its charge back, because the caller is a member with a rate of its own.
    pub fn release_address(&self, address: IpAddr) {
        self.rates.release_address(address);
    }

    /// Runs a sign-in unless too many attempts from this address or under this name have failed.
    pub async fn limit_sign_in<T>(
        &self,
        from: IpAddr,
        attempt: SignInAttempt<'_>,
        sign_in: impl Future<Output = Result<T, Failure>>,
    ) -> Result<T, Failure> {
        self.rates.limit_sign_in(from, attempt, sign_in).await
    }
}
