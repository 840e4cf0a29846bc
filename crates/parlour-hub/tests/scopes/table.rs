//! Every use case with its required scope, and a call of it with unknown ids.

use std::pin::Pin;

use parlour_core::{
    Code,
    access::Principal,
    audit::AuditFilter,
    checkpoint::CheckpointDelivery,
    context::ContextRequest,
    conversation::{ChannelPatch, Visibility},
    delivery::{DeliveryState, DeliveryStep},
    id::{
        AgentId, ArtifactId, BatchId, ChannelId, ConversationId, DmId, InviteId, MemberId, MessageId, PersonId,
        ProjectId, RunId, TaskId, ThreadId, TokenId,
    },
    import::ImportMessages,
    inbox::InboxFilter,
    live::{AddChunk, Cancel, Complete, Fail},
    member::AgentPatch,
    name::Name,
    paging::PageRequest,
    post::PostMessage,
    presence::PresenceUpdate,
    project::ProjectPatch,
    question::AnswerRequest,
    run::{FinishRun, RunFilter, StartRun},
    scope::{JoinRole, Scope},
    step::{FinishStep, StartStep},
    task::{TaskPatch, TaskStatus},
    write::Archival,
};
use parlour_hub::{
    Failure, Hub,
    live::SessionId,
    use_cases::{
        DeliveryWait, EditMessage, HistoryQuery, IssueToken, NewAgent, NewArtifact, NewBatch, NewChannel, NewInvite,
        NewPerson, NewProject, NewTask, OpenDm, OpenThread, QuestionQuery, ReadMessages, ReportDeliveries, TokenFormat,
        WrittenPack,
    },
};

type Answer<'a> = Pin<Box<dyn Future<Output = Option<Code>> + 'a>>;

/// One use case: its required scope, and a call that returns the code of its refusal.
pub(crate) struct UseCase {
    pub(crate) name: &'static str,
    pub(crate) scope: Scope,
    pub(crate) call: for<'a> fn(&'a Hub, &'a Principal, SessionId) -> Answer<'a>,
}

/// Use cases that every token may call for itself.
pub(crate) const ANY_TOKEN: &[&str] = &["renew_token", "sign_out"];

macro_rules! table {
    ($session:ident; $($scope:ident { $($name:ident($($argument:expr),*);)+ })+) => {
        /// All use cases that require a scope.
        pub(crate) const TABLE: &[UseCase] = &[$($(UseCase {
            name: stringify!($name),
            scope: Scope::$scope,
            call: |hub, who, $session| Box::pin(async move {
                let _ = $session;
                code(hub.$name(who $(, $argument)*).await)
            }),
        }),+),+];
    };
}

table! { session;
    MessagesRead {
        message(&message());
        history(&conversation(), &HistoryQuery::default(), &page());
        message_events(&message(), &page());
        message_preview(&message());
        message_view(&message());
        inbox(&agent(), &InboxFilter::default(), &page());
        inbox_counts(&agent());
        digests(&agent(), &page());
        my_inbox(&project(), &page());
        read_messages(ReadMessages { message_ids: vec![message()], ..ReadMessages::default() });
        deliveries(&message());
        wait_deliveries(&message(), DeliveryWait { state: DeliveryState::Seen, recipient: None, seconds: 0 });
        report_deliveries(seen());
        questions(&QuestionQuery::default(), &page());
        wait_question(&message(), 0);
        pending_blocks(None, &[]);
        run(&run());
        wait_run(&run(), 0);
        runs(&project(), &RunFilter::default(), &page());
        run_timeline(&run(), &page());
        injections(&run(), &page());
        injection_difference(&run(), &run());
        context(&agent(), &ContextRequest::default());
        context_written(&agent(), &ContextRequest::default(), &|_, _, _| WrittenPack::default());
        task_timeline(&task(), &page());
        open_calls(&agent(), &page());
        loop_guard(&conversation());
        unread(&project());
        mark_read(&message(), None);
        search(&project(), "words", &page());
        snapshot(&project());
        project_graph(&project());
        end_of_log(&project());
        artifact(&artifact());
        artifacts(&project(), &page());
        download_artifact(&artifact());
    }
    MessagesWrite {
        post_message(PostMessage { channel_id: Some(channel()), body: "Hi".into(), ..PostMessage::default() });
        edit_message(&message(), EditMessage { body: "Hi".into() });
        remove_message(&message());
        react(&message(), "👍");
        unreact(&message(), "👍");
        add_chunk(&message(), AddChunk { start: None, text: "Hi".into() });
        beat_stream(&message());
        start_step(&message(), StartStep { id: "1".into(), name: "look".into(), input: None });
        finish_step(&message(), "1", FinishStep::default());
        complete_stream(&message(), Complete::default());
        fail_stream(&message(), Fail { reason: "broken".into(), ..Fail::default() });
        cancel_stream(&message(), Cancel::default());
        answer_question(&message(), AnswerRequest { ignore: true, ..AnswerRequest::default() });
        withdraw_question(&message());
        open_thread(OpenThread { channel_id: channel(), root_message_id: message() });
        open_dm(OpenDm { project_id: Some(project()), participants: vec![agent().into()], first: None });
        pass_call(&message(), None);
        reset_loop_guard(&conversation());
        note_typing(&conversation());
        announce_presence(PresenceUpdate::default());
        withdraw_presence();
        enter_presence(session, PresenceUpdate::default());
    }
    ChannelsRead {
        project(&project());
        projects(&page());
        project_people(&project(), &page());
        person(&person());
        people(&page());
        agent(&agent());
        agents(&project(), &page());
        channel(&channel());
        channels(&project(), &page());
        channel_members(&channel(), &page());
        subscribers(&channel(), &page());
        thread(&ThreadId::from_bits(7));
        threads(&channel(), &page());
        dm(&DmId::from_bits(7));
        dms(None, &page());
        presence(None, &page());
        task(&task());
        tasks(&project(), &page());
        batch(&BatchId::from_bits(7));
        batches(&project(), &page());
    }
    ChannelsManage {
        create_channel(NewChannel { project_id: project(), name: name(), topic: None, visibility: Visibility::Project });
        update_channel(&channel(), ChannelPatch::default());
        archive_channel(&channel(), Archival::Archived);
        add_channel_member(&channel(), &member());
        remove_channel_member(&channel(), &member());
        subscribe(&channel(), &agent());
        unsubscribe(&channel(), &agent());
    }
    ArtifactsWrite {
        create_artifact(file(), Box::pin(tokio::io::empty()));
    }
    TasksWrite {
        create_task(work());
        update_task(&task(), TaskPatch::default());
        create_batch(NewBatch { project_id: project(), name: name() });
    }
    RunsWrite {
        start_run(StartRun { agent_id: Some(agent()), ..StartRun::default() });
        checkpoint(&run(), CheckpointDelivery::Checkpoint);
        beat_run(&run());
        resume_run(&run(), None);
        finish_run(&run(), FinishRun::default());
        cancel_run(&run(), None);
    }
    ProjectsManage {
        create_project(NewProject { name: name(), description: None, policy: None });
        update_project(&project(), ProjectPatch::default());
        add_project_person(&project(), &person());
        remove_project_person(&project(), &person());
    }
    AgentsManage {
        create_agent(newcomer());
        update_agent(&agent(), AgentPatch::default());
        create_invite(invite());
        invites(&project(), &page());
        revoke_invite(&InviteId::from_bits(7));
    }
    TokensManage {
        issue_token(IssueToken { member_id: Some(member()), format: TokenFormat::Static, label: String::new(), scopes: None, acts_as: None, expires_in_seconds: None });
        tokens(&member(), &page());
        revoke_token(&TokenId::from_bits(7));
        renew_person_token(&person());
        rename_person(&person(), name());
        renew_agent_token(&agent());
        set_password(&person(), None, "a long enough password".into());
        make_link(&person());
    }
    Admin {
        create_person(NewPerson { name: name(), is_admin: false });
        import_messages(ImportMessages { channel_id: Some(channel()), thread_id: None, messages: Vec::new() });
        rotate_key();
        audit(&AuditFilter::default(), &page());
        audit_after(0);
        audit_head();
    }
}

fn code<T>(outcome: Result<T, Failure>) -> Option<Code> {
    outcome.err().and_then(|failure| failure.refusal().map(|refusal| refusal.code))
}

fn page() -> PageRequest {
    PageRequest::first()
}

fn name() -> Name {
    Name::parse("Nemo").expect("a name")
}

fn project() -> ProjectId {
    ProjectId::from_bits(7)
}

fn person() -> PersonId {
    PersonId::from_bits(7)
}

fn agent() -> AgentId {
    AgentId::from_bits(7)
}

fn member() -> MemberId {
    agent().into()
}

fn channel() -> ChannelId {
    ChannelId::from_bits(7)
}

fn conversation() -> ConversationId {
    channel().into()
}

fn message() -> MessageId {
    MessageId::from_bits(7)
}

fn task() -> TaskId {
    TaskId::from_bits(7)
}

fn run() -> RunId {
    RunId::from_bits(7)
}

fn seen() -> ReportDeliveries {
    ReportDeliveries {
        agent_id: Some(agent()),
        message_ids: vec![message()],
        step: DeliveryStep::to(DeliveryState::Seen),
    }
}

fn artifact() -> ArtifactId {
    ArtifactId::from_bits(7)
}

fn file() -> NewArtifact {
    NewArtifact {
        project_id: project(),
        filename: "notes.txt".into(),
        media_type: "text/plain".into(),
        conversation_id: conversation(),
        task_id: None,
    }
}

fn work() -> NewTask {
    NewTask {
        project_id: project(),
        title: "Release".into(),
        description: None,
        status: TaskStatus::default(),
        assignee: None,
        parent_id: None,
        batch_id: None,
        thread_id: None,
    }
}

fn newcomer() -> NewAgent {
    NewAgent {
        project_id: project(),
        name: name(),
        capabilities: Vec::new(),
        endpoint_url: None,
        instructions: None,
        engine: None,
        context: None,
        role: None,
    }
}

fn invite() -> NewInvite {
    NewInvite {
        project_id: project(),
        role: JoinRole::Full,
        label: String::new(),
        uses_max: 1,
        expires_in_seconds: None,
    }
}
