//! Refused writes, which change nothing, and refused page keys.

use parlour_core::{
    Code, Timestamp,
    call::{Calls, PassedCall},
    conversation::{Channel, ChannelPatch, Visibility},
    event::{ChannelMember, Subscription},
    id::{AgentId, ChannelId, MessageId, PersonId, ProjectId, TaskId},
    inbox::InboxFilter,
    member::{Agent, AgentPatch, Person},
    message::{Message, State},
    paging::{Page, PageRequest},
    project::{Project, ProjectPatch},
    run::RunFilter,
    task::TaskPatch,
    write::{Archival, NewText, StreamEnding, Write},
};
use parlour_hub::Failure;

use crate::test_store::{TestMember, TestStore};

/// A project with one thing of each kind.
struct RefusalsFixture {
    mara: Person,
    tour: Project,
    coder: Agent,
    general: Channel,
    message: Message,
}

async fn fixture(test_store: &TestStore, suffix: &str) -> RefusalsFixture {
    let mara = test_store.person(&format!("Mara{suffix}")).await;
    let tour = test_store.project(&format!("Tour{suffix}"), &mara).await;
    let general = test_store.channel("general", &tour).await;
    RefusalsFixture {
        coder: test_store.agent("Coder", &tour).await,
        message: test_store.post(&mara, &general, "message").await,
        mara,
        tour,
        general,
    }
}

impl RefusalsFixture {
    /// Checks that a write is refused with this code and changes nothing that any member sees.
    async fn check_refused(&self, test_store: &TestStore, write: Write, code: Code) {
        let text = format!("{write:?}");
        let callers: [&dyn TestMember; 2] = [&self.mara, &self.coder];
        let before = test_store.snapshot(&self.tour, &callers).await;
        assert_eq!(test_store.refusal(&self.tour.id, &self.mara, write).await, code, "{text}");
        assert_eq!(test_store.snapshot(&self.tour, &callers).await, before, "{text}");
    }
}

fn new_text() -> NewText {
    NewText { body: "edited".into(), mentions: Vec::new(), deliveries: Vec::new() }
}

fn ending() -> StreamEnding {
    StreamEnding {
        state: State::Complete,
        reason: None,
        text: new_text(),
        content: None,
        steps: Vec::new(),
        calls: Calls::default(),
        usage: None,
        answer_to: None,
    }
}

/// A pass of an unknown agent.
fn passed_call(id: &MessageId) -> PassedCall {
    let (agent_id, conversation_id) = (AgentId::from_bits(1), ChannelId::from_bits(1).into());
    PassedCall { agent_id, message_id: id.clone(), conversation_id, reason: None }
}

fn writes_about_message(id: &MessageId, member: &dyn TestMember) -> Vec<Write> {
    vec![
        Write::EditMessage(id.clone(), new_text()),
        Write::FinishMessage(id.clone(), ending()),
        Write::RemoveMessage(id.clone()),
        Write::PassCall(passed_call(id)),
        Write::React(id.clone(), "👍".into(), member.member()),
        Write::Unreact(id.clone(), "👍".into(), member.member()),
        Write::MarkRead(id.clone(), member.member()),
    ]
}

fn writes_about_channel(id: &ChannelId, agent: &Agent) -> Vec<Write> {
    let patch = ChannelPatch { topic: Some("Plans".into()), ..ChannelPatch::default() };
    let member = ChannelMember { channel_id: id.clone(), member_id: agent.member() };
    let subscription = Subscription { channel_id: id.clone(), agent_id: agent.id.clone() };
    vec![
        Write::UpdateChannel(id.clone(), patch, Vec::new()),
        Write::ArchiveChannel(id.clone(), Archival::Archived),
        Write::AddChannelMember(member.clone()),
        Write::RemoveChannelMember(member),
        Write::Subscribe(subscription.clone()),
        Write::Unsubscribe(subscription),
    ]
}

pub async fn changing_an_unknown_thing_is_refused(test_store: TestStore) {
    let fixture = fixture(&test_store, "").await;
    let agent = AgentPatch { capabilities: Some(vec!["rust".into()]), ..AgentPatch::default() };
    let task = TaskPatch { title: Some("Other".into()), ..TaskPatch::default() };
    let mut writes = vec![
        Write::AddPerson(PersonId::from_bits(test_store.bits())),
        Write::UpdateAgent(AgentId::from_bits(test_store.bits()), agent),
        Write::UpdateTask(TaskId::from_bits(test_store.bits()), task),
    ];
    writes.extend(writes_about_message(&MessageId::from_bits(test_store.bits()), &fixture.mara));
    writes.extend(writes_about_channel(&ChannelId::from_bits(test_store.bits()), &fixture.coder));
    for write in writes {
        fixture.check_refused(&test_store, write, Code::NotFound).await;
    }
}

/// So is a thread of an unknown message.
pub async fn a_post_to_an_unknown_conversation_is_refused(test_store: TestStore) {
    let fixture = fixture(&test_store, "").await;
    let nowhere = test_store.new_channel("nowhere", &fixture.tour);
    let post = test_store.draft(&fixture.mara, &nowhere, "hello").write();
    fixture.check_refused(&test_store, post, Code::NotFound).await;
    let gone = Message { id: MessageId::from_bits(test_store.bits()), ..fixture.message.clone() };
    let thread = Write::CreateThread(test_store.new_thread(&fixture.general, &gone));
    fixture.check_refused(&test_store, thread, Code::NotFound).await;
}

pub async fn a_write_to_an_unknown_project_is_refused(test_store: TestStore) {
    let fixture = fixture(&test_store, "").await;
    let nowhere = ProjectId::from_bits(test_store.bits());
    let name = ProjectPatch { description: Some("x".into()), ..ProjectPatch::default() };
    for write in [Write::UpdateProject(name), Write::AddPerson(fixture.mara.id.clone())] {
        assert_eq!(test_store.refusal(&nowhere, &fixture.mara, write).await, Code::NotFound);
    }
    assert_eq!(test_store.store().project(&nowhere).await.expect("project"), None);
}

pub async fn changing_a_thing_of_another_project_is_refused(test_store: TestStore) {
    let (here, there) = (fixture(&test_store, "").await, fixture(&test_store, " Two").await);
    let before = test_store.snapshot(&there.tour, &[&there.mara, &there.coder]).await;
    let agent = AgentPatch { capabilities: Some(vec!["rust".into()]), ..AgentPatch::default() };
    let mut writes = vec![Write::UpdateAgent(there.coder.id.clone(), agent)];
    writes.extend(writes_about_message(&there.message.id, &here.mara));
    writes.extend(writes_about_channel(&there.general.id, &here.coder));
    for write in writes {
        here.check_refused(&test_store, write, Code::NotFound).await;
    }
    assert_eq!(test_store.snapshot(&there.tour, &[&there.mara, &there.coder]).await, before);
}

/// A new project, agent or channel cannot have a name that is confusable with one in use.
pub async fn a_confusable_name_is_refused(test_store: TestStore) {
    let fixture = fixture(&test_store, "").await;
    let agent = test_store.new_agent("CODER", &fixture.tour);
    fixture.check_refused(&test_store, test_store.adding_agent(agent), Code::NameTaken).await;
    let channel = test_store.new_channel("General", &fixture.tour);
    fixture.check_refused(&test_store, Write::CreateChannel(channel, Vec::new()), Code::NameTaken).await;
    let project = test_store.new_project("t0ur", &fixture.mara);
    let id = project.id.clone();
    assert_eq!(test_store.refusal(&id, &fixture.mara, Write::CreateProject(project)).await, Code::NameTaken);
    assert_eq!(test_store.store().project(&id).await.expect("project"), None);
    assert_eq!(test_store.store().end_of_log(&id).await.expect("end"), None);
}

pub async fn renaming_to_a_confusable_name_is_refused(test_store: TestStore) {
    let fixture = fixture(&test_store, "").await;
    let (tester, random) =
        (test_store.agent("Tester", &fixture.tour).await, test_store.channel("random", &fixture.tour).await);
    test_store.project("Fair", &fixture.mara).await;
    let agent = AgentPatch { name: Some(test_store.name("coder")), ..AgentPatch::default() };
    let channel = ChannelPatch { name: Some(test_store.name("General")), ..ChannelPatch::default() };
    let project = ProjectPatch { name: Some(test_store.name("FAIR")), ..ProjectPatch::default() };
    for write in [
        Write::UpdateAgent(tester.id, agent),
        Write::UpdateChannel(random.id, channel, Vec::new()),
        Write::UpdateProject(project),
    ] {
        fixture.check_refused(&test_store, write, Code::NameTaken).await;
    }
}

/// Another spelling of the own name is allowed, and so are names of other projects.
pub async fn a_name_is_unique_within_its_project(test_store: TestStore) {
    let here = fixture(&test_store, "").await;
    let patch = AgentPatch { name: Some(test_store.name("coder")), ..AgentPatch::default() };
    test_store.change(&here.tour.id, &here.mara, Write::UpdateAgent(here.coder.id.clone(), patch)).await;
    let patch = ChannelPatch { name: Some(test_store.name("General")), ..ChannelPatch::default() };
    let write = Write::UpdateChannel(here.general.id.clone(), patch, Vec::new());
    test_store.change(&here.tour.id, &here.mara, write).await;
    let there = fixture(&test_store, " Two").await;
    assert_eq!((there.coder.name, there.general.name), (test_store.name("Coder"), test_store.name("general")));
}

pub async fn the_token_of_a_refused_agent_is_not_stored(test_store: TestStore) {
    let fixture = fixture(&test_store, "").await;
    let agent = test_store.new_agent("coder", &fixture.tour);
    let token = test_store.token(&agent.member());
    let write = Write::CreateAgent(agent, token.clone(), None);
    fixture.check_refused(&test_store, write, Code::NameTaken).await;
    assert_eq!(test_store.store().principal(&token.key).await.expect("principal"), None);
}

/// Posts to an archived channel and to its threads are refused until it is active again.
pub async fn a_post_to_an_archived_channel_is_refused(test_store: TestStore) {
    let fixture = fixture(&test_store, "").await;
    let thread = test_store.thread(&fixture.general, &fixture.message).await;
    let archival = |archival| Write::ArchiveChannel(fixture.general.id.clone(), archival);
    test_store.change(&fixture.tour.id, &fixture.mara, archival(Archival::Archived)).await;
    let post = test_store.draft(&fixture.mara, &fixture.general, "hello").mentioning(&fixture.coder);
    fixture.check_refused(&test_store, post.write(), Code::Archived).await;
    let answer = test_store.draft(&fixture.mara, &thread, "hello").mentioning(&fixture.coder);
    fixture.check_refused(&test_store, answer.write(), Code::Archived).await;
    test_store.change(&fixture.tour.id, &fixture.mara, archival(Archival::Active)).await;
    assert_eq!(test_store.send(&fixture.mara, &post).await.seq, 2);
}

pub async fn a_refused_write_does_not_affect_concurrent_writes(test_store: TestStore) {
    let fixture = fixture(&test_store, "").await;
    let mut tasks = tokio::task::JoinSet::new();
    for turn in 0..32 {
        let (test_store, mara, general) = (test_store.clone(), fixture.mara.clone(), fixture.general.clone());
        let used = fixture.message.id.clone();
        tasks.spawn(async move {
            let draft = test_store.draft(&mara, &general, &format!("message {turn}"));
            let draft = if turn % 2 == 0 { draft } else { draft.with_id(&used) };
            test_store.append(&general.project_id, &mara, draft.write()).await.is_ok()
        });
    }
    let taken = tasks.join_all().await.into_iter().filter(|is_taken| *is_taken).count();
    let history = test_store.history(&fixture.general.id.clone().into()).await;
    assert_eq!((taken, history.len()), (16, 17));
}

/// Checks that a list refuses these keys, all with the same text.
async fn check_keys_refused<T>(keys: &[&str], read: impl AsyncFn(PageRequest) -> Result<Page<T>, Failure>) {
    let mut details = Vec::new();
    for key in keys {
        let page = PageRequest::new(Some((*key).to_owned()), None).expect("a page");
        let failure = read(page).await.err().expect(key);
        let refusal = failure.refusal().expect("a refusal").clone();
        assert_eq!((refusal.code, refusal.field.as_deref()), (Code::BadQuery, Some("cursor")), "{key}");
        details.push(refusal.detail.replace(key, "X"));
    }
    details.dedup();
    assert_eq!(details.len(), 1, "{details:?}");
}

/// A project with a private channel that Bela cannot read, and another project.
struct PageKeysFixture {
    bela: Person,
    tour: Project,
    fair: Project,
    general: Channel,
    secret: Channel,
    hidden: Message,
}

async fn page_keys_fixture(test_store: &TestStore) -> PageKeysFixture {
    let mara = test_store.person("Mara").await;
    let (tour, fair) = (test_store.project("Tour", &mara).await, test_store.project("Fair", &mara).await);
    let secret = test_store.private_channel("secret", &tour, &[&mara]).await;
    PageKeysFixture {
        bela: test_store.member("Bela", &tour).await,
        general: test_store.channel("general", &tour).await,
        hidden: test_store.post(&mara, &secret, "hidden").await,
        secret,
        tour,
        fair,
    }
}

/// A key of another list, of another project or of a hidden thing is refused like an unknown one.
pub async fn a_hidden_conversation_is_no_page_key(test_store: TestStore) {
    let fixture = page_keys_fixture(&test_store).await;
    let (tour, bela) = (&fixture.tour.id, fixture.bela.principal());
    let hall = test_store.channel("hall", &fixture.fair).await;
    let thread = test_store.thread(&fixture.secret, &fixture.hidden).await;
    let coder = test_store.agent("Coder", &fixture.tour).await;
    let dm = test_store.dm(&fixture.tour, &[&coder, &fixture.bela]).await;
    let (secret, hall, thread) = (fixture.secret.id.as_str(), hall.id.as_str(), thread.id.as_str());
    let keys = ["chn_none", "zzz", secret, hall, thread, dm.id.as_str()];
    check_keys_refused(&keys, async |page| test_store.store().channels(tour, &bela, &page).await).await;
    let keys = ["thr_none", thread, fixture.general.id.as_str()];
    check_keys_refused(&keys, async |page| test_store.store().threads(&fixture.general.id, &page).await).await;
    let keys = ["dm_none", dm.id.as_str(), hall];
    let olaf = test_store.person("Olaf").await.member();
    check_keys_refused(&keys, async |page| test_store.store().dms(&olaf, None, &page).await).await;
    let keys = ["msg_none", "zzz", fixture.hidden.id.as_str(), hall];
    check_keys_refused(&keys, async |page| test_store.store().inbox(&coder.id, &InboxFilter::default(), &page).await)
        .await;
}

/// Only a message that calls the agent in a conversation that it may read is a key.
pub async fn a_hidden_call_is_no_page_key(test_store: TestStore) {
    let fixture = page_keys_fixture(&test_store).await;
    let (coder, tester) =
        (test_store.agent("Coder", &fixture.tour).await, test_store.agent("Tester", &fixture.tour).await);
    let uncalled = test_store.post(&fixture.bela, &fixture.general, "for nobody").await;
    let of_tester = test_store.call(&fixture.bela, &fixture.general, &tester).await;
    let lost = test_store.call(&fixture.bela, &fixture.general, &coder).await;
    let close = ChannelPatch { visibility: Some(Visibility::Private), ..ChannelPatch::default() };
    let members = vec![fixture.bela.member()];
    let write = Write::UpdateChannel(fixture.general.id.clone(), close, members);
    test_store.change(&fixture.tour.id, &fixture.bela, write).await;
    let keys = ["msg_none", "zzz", uncalled.id.as_str(), of_tester.id.as_str(), lost.id.as_str()];
    let always = Timestamp::from_millis(0);
    check_keys_refused(&keys, async |page| test_store.store().open_calls(&coder.id, always, &page).await).await;
}

pub async fn a_hidden_question_run_or_unread_message_is_no_page_key(test_store: TestStore) {
    let fixture = page_keys_fixture(&test_store).await;
    let (tour, bela) = (&fixture.tour.id, fixture.bela.principal());
    let coder = test_store.agent("Coder", &fixture.tour).await;
    test_store.admit(&coder, &fixture.secret).await;
    let hidden = test_store.ask(&coder, &fixture.secret, &[&fixture.bela]).await;
    let to_other = test_store.ask(&coder, &fixture.general, &[&coder]).await;
    let robot = test_store.agent("Robot", &fixture.fair).await;
    let (secret, foreign) =
        (test_store.start(&coder, Some(&fixture.secret)).await, test_store.start(&robot, None).await);
    let keys = ["msg_none", "zzz", hidden.id.as_str(), fixture.hidden.id.as_str()];
    check_keys_refused(&keys, async |page| test_store.store().open_questions(tour, &bela, &page).await).await;
    check_keys_refused(&keys, async |page| test_store.store().notable_unread(tour, &bela, &page).await).await;
    let keys = [keys.as_slice(), &[to_other.id.as_str()]].concat();
    check_keys_refused(&keys, async |page| test_store.store().questions_to(&bela, None, &page).await).await;
    let (keys, all) = (["run_none", "zzz", secret.id.as_str(), foreign.id.as_str()], RunFilter::default());
    check_keys_refused(&keys, async |page| test_store.store().runs(tour, &bela, &all, &page).await).await;
    check_keys_refused(&["zzz"], async |page| test_store.store().open_runs(&page).await).await;
    let tester = test_store.agent("Tester", &fixture.tour).await;
    let keys = ["chn_none", "zzz", fixture.secret.id.as_str()];
    check_keys_refused(&keys, async |page| test_store.store().digests(&tester.id, &page).await).await;
}

pub async fn a_hidden_member_task_or_artifact_is_no_page_key(test_store: TestStore) {
    let fixture = page_keys_fixture(&test_store).await;
    let (tour, bela) = (&fixture.tour.id, fixture.bela.principal());
    let (robot, task) = (test_store.agent("Robot", &fixture.fair).await, test_store.task("Build", &fixture.fair).await);
    let batch = test_store.batch("Week", &fixture.fair).await;
    let file = test_store.artifact("a.txt", &fixture.tour, Some(&fixture.secret)).await;
    let fair = fixture.fair.id.as_str();
    check_keys_refused(&["prj_none", fair], async |page| test_store.store().projects(&bela, &page).await).await;
    let keys = ["agt_none", robot.id.as_str(), fixture.bela.id.as_str()];
    check_keys_refused(&keys, async |page| test_store.store().agents(tour, &page).await).await;
    check_keys_refused(&["zzz", fair], async |page| test_store.store().hosted_agents(&page).await).await;
    check_keys_refused(&["zzz", fair], async |page| test_store.store().project_people(tour, &page).await).await;
    check_keys_refused(&["zzz", fair], async |page| {
        test_store.store().channel_members(&fixture.secret.id, &page).await
    })
    .await;
    check_keys_refused(&["zzz", fair], async |page| test_store.store().subscribers(&fixture.general.id, &page).await)
        .await;
    check_keys_refused(&["tsk_none", task.id.as_str()], async |page| test_store.store().tasks(tour, &page).await).await;
    check_keys_refused(&["bat_none", batch.id.as_str()], async |page| test_store.store().batches(tour, &page).await)
        .await;
    let keys = ["art_none", file.id.as_str()];
    check_keys_refused(&keys, async |page| test_store.store().artifacts(tour, &bela, &page).await).await;
}
