//! A database of an earlier version is migrated when it is opened, without losing data.

mod sqlite_fixture;
mod sqlite_invariants;

use std::path::Path;

use parlour_adapters::{SqliteOptions, SqliteStore};
use parlour_core::{
    Code, Timestamp,
    access::{Principal, Role},
    call::CallState,
    context::AgentContext,
    conversation::Conversation,
    delivery::DeliveryState,
    engine::Engine,
    event::Change,
    id::{AgentId, ConversationId, PersonId, ProjectId},
    inbox::{InboxFilter, InboxOrder},
    member::{Agent, AgentPatch},
    message::State,
    paging::PageRequest,
    question::QuestionState,
    scope::{JoinRole, Scope, Scopes},
    search_query::SearchQuery,
    timeline::TimelineEntryKind,
    token::{TokenKey, TokenKind},
    write::Write,
};
use parlour_hub::ports::{
    Accounts, CallRecords, Conversations, Deliveries, Directory, History, Inboxes, Invites, Log, Questions, Runs,
    SavedStream, Streams,
};
use parlour_testkit::{TestMember, TestStore};
use sqlite_fixture::{connection, number, test_store};
use sqlite_invariants::violated_invariants;
use tempfile::TempDir;

/// A database after the first migration, with data of that version.
fn version_1() -> TempDir {
    let folder = tempfile::tempdir().expect("folder");
    let db = connection(folder.path());
    db.execute_batch(include_str!("../src/sqlite/migrations/0001_initial.sql")).expect("first step");
    db.execute_batch(include_str!("sqlite_upgrade/version_1.sql")).expect("data");
    db.pragma_update(None, "user_version", 1).expect("version");
    folder
}

/// A database after the first two migrations, with data of both versions.
fn version_2() -> TempDir {
    let folder = version_1();
    let db = connection(folder.path());
    db.execute_batch(include_str!("../src/sqlite/migrations/0002_streams.sql")).expect("second step");
    db.execute_batch(include_str!("sqlite_upgrade/version_2.sql")).expect("data");
    db.pragma_update(None, "user_version", 2).expect("version");
    folder
}

/// A database after the first four migrations, with data of all versions.
fn version_4() -> TempDir {
    let folder = version_2();
    let db = connection(folder.path());
    db.execute_batch(include_str!("../src/sqlite/migrations/0003_tokens.sql")).expect("third step");
    db.execute_batch(include_str!("../src/sqlite/migrations/0004_audit.sql")).expect("fourth step");
    db.execute_batch(include_str!("sqlite_upgrade/version_4.sql")).expect("data");
    db.pragma_update(None, "user_version", 4).expect("version");
    folder
}

/// A database after the first six migrations, with data of all versions.
fn version_6() -> TempDir {
    let folder = version_4();
    let db = connection(folder.path());
    db.execute_batch(include_str!("../src/sqlite/migrations/0005_calls.sql")).expect("fifth step");
    db.execute_batch(include_str!("../src/sqlite/migrations/0006_acting_tokens.sql")).expect("sixth step");
    db.execute_batch(include_str!("sqlite_upgrade/version_6.sql")).expect("data");
    db.pragma_update(None, "user_version", 6).expect("version");
    folder
}

fn open(folder: &Path) -> (SqliteStore, TestStore) {
    let store = SqliteStore::open(folder, SqliteOptions::default()).expect("open");
    let test_store = test_store(&store);
    (store, test_store)
}

fn tour() -> ProjectId {
    "prj_tour".parse().expect("id")
}

fn general() -> ConversationId {
    "chn_general".parse().expect("id")
}

fn coder() -> AgentId {
    "agt_coder".parse().expect("id")
}

fn mara() -> PersonId {
    "per_mara".parse().expect("id")
}

/// The principal of the token whose hash consists of this byte.
async fn caller(store: &SqliteStore, byte: u8) -> Principal {
    store.principal(&TokenKey::Static([byte; 32])).await.expect("read").expect("a caller")
}

#[tokio::test]
async fn a_migrated_database_has_the_newest_version_and_no_faults() {
    for folder in [version_1(), version_2(), version_4(), version_6()] {
        open(folder.path()).0.close();
        let found = SqliteStore::inspect(folder.path()).expect("readable").expect("there");
        assert_eq!((found.version, found.faults), (found.version_known, Vec::new()));
        assert_eq!(violated_invariants(&connection(folder.path())), [""; 0]);
    }
}

#[tokio::test]
async fn tokens_of_version_2_keep_their_members_and_scopes() {
    let folder = version_2();
    let (store, _) = open(folder.path());
    for (byte, member, role, scopes) in [
        (1, "per_mara", Role::Person, Scopes::all()),
        (2, "agt_coder", Role::Agent(tour()), JoinRole::Full.scopes()),
        (4, "per_root", Role::Admin, Scopes::all()),
        (5, "per_root", Role::Admin, Scopes::all()),
    ] {
        let caller = caller(&store, byte).await;
        assert_eq!((caller.member.as_str(), &caller.role), (member, &role));
        assert_eq!((caller.grant.scopes, caller.grant.expires_at), (scopes, None), "{member}");
        let others = [TokenKey::Session([byte; 32]), TokenKey::Link([byte; 32]), TokenKey::Certificate([byte; 32])];
        for other in others {
            assert_eq!(store.principal(&other).await.expect("read"), None, "{other:?}");
        }
    }
    assert_eq!(store.principal(&TokenKey::Static([3; 32])).await.expect("read"), None);
}

#[tokio::test]
async fn tokens_of_version_2_are_listed_and_revoked_one_by_one() {
    let folder = version_2();
    let (store, test_store) = open(folder.path());
    let root = caller(&store, 4).await.member;
    let tokens = store.tokens(&root, &PageRequest::first()).await.expect("list").items;
    let created_at = Timestamp::from_millis(1_735_689_600_010);
    assert_eq!(tokens.len(), 2);
    for token in &tokens {
        assert_eq!((token.kind, token.label.as_str(), token.created_at), (TokenKind::Static, "", created_at));
        assert_eq!((&token.member_id, &token.created_by, token.expires_at), (&root, &None, None));
    }
    let id = caller(&store, 4).await.grant.origin.token.expect("a token");
    store.revoke_token(test_store.attribution(), &id).await.expect("revoked");
    assert_eq!(store.principal(&TokenKey::Static([4; 32])).await.expect("read"), None);
    assert_eq!(caller(&store, 5).await.member, root);
}

#[tokio::test]
async fn passwords_and_invites_work_in_a_database_of_version_2() {
    let folder = version_2();
    let (store, test_store) = open(folder.path());
    store.set_password(test_store.attribution(), &mara(), "hash".to_owned()).await.expect("set");
    let found = store.sign_in_record(&"Mara".parse().expect("name")).await.expect("read").expect("a person");
    assert_eq!((found.0.id, found.1.as_deref()), (mara(), Some("hash")));
    let project = store.project(&tour()).await.expect("read").expect("a project");
    let invite = test_store.invite(&project, 1).await;
    let tester = test_store.new_agent("Tester", &project);
    test_store.change(&tour(), &tester, test_store.joining(tester.clone(), &invite)).await;
    assert_eq!(store.invite(&invite.id).await.expect("read").expect("an invite").uses, 1);
    let signed = test_store.token_of_kind(TokenKind::Jwt, &tester.member());
    test_store.issue(signed).await;
    assert_eq!(violated_invariants(&connection(folder.path())), [""; 0]);
}

#[tokio::test]
async fn an_agent_of_version_2_with_a_name_like_an_administrator_can_be_updated_and_renamed() {
    let folder = version_2();
    let (store, test_store) = open(folder.path());
    let agent = store.agent(&"agt_root".parse().expect("id")).await.expect("read").expect("an agent");
    let change = async |patch| test_store.change(&tour(), &agent, Write::UpdateAgent(agent.id.clone(), patch)).await;
    change(AgentPatch { capabilities: Some(vec!["rust".into()]), ..AgentPatch::default() }).await;
    change(AgentPatch { name: Some(test_store.name("Builder")), ..AgentPatch::default() }).await;
    let back = AgentPatch { name: Some(test_store.name("R00t")), ..AgentPatch::default() };
    let refused = test_store.refusal(&tour(), &agent, Write::UpdateAgent(agent.id.clone(), back)).await;
    assert_eq!(refused, Code::NameTaken);
}

#[tokio::test]
async fn tokens_of_version_4_that_manage_projects_get_the_scope_for_wide_mentions() {
    let folder = version_4();
    let (store, _) = open(folder.path());
    let signed = TokenKey::Jwt("tok_signed".parse().expect("id"));
    for (key, scopes) in [
        (TokenKey::Static([0x11; 32]), &[Scope::MessagesRead, Scope::MentionsWide, Scope::ProjectsManage][..]),
        (TokenKey::Static([0x12; 32]), &[Scope::MessagesRead]),
        (TokenKey::Static([0x13; 32]), &[Scope::ProjectsManage]),
        (signed, &[Scope::MentionsWide, Scope::ProjectsManage, Scope::Admin]),
    ] {
        let caller = store.principal(&key).await.expect("read").expect("a caller");
        assert_eq!(caller.grant.scopes.iter().collect::<Vec<_>>(), scopes, "{key:?}");
    }
}

#[tokio::test]
async fn tokens_of_version_4_post_as_their_members() {
    let folder = version_4();
    let (store, _) = open(folder.path());
    let caller = store.principal(&TokenKey::Static([0x11; 32])).await.expect("read").expect("a caller");
    assert_eq!((caller.grant.acts_as.clone(), caller.author().member_id()), (None, Some(caller.member)));
}

#[tokio::test]
async fn agents_of_version_4_have_no_engine_and_can_get_one() {
    let folder = version_4();
    let (store, test_store) = open(folder.path());
    let agent = store.agent(&coder()).await.expect("read").expect("an agent");
    assert_eq!(agent.engine, None);
    assert_eq!(store.hosted_agents(&PageRequest::first()).await.expect("list").items, []);
    let engine = Engine { provider: "built-in".into(), model: None };
    let patch = AgentPatch { engine: Some(engine.clone()), ..AgentPatch::default() };
    test_store.change(&tour(), &agent, Write::UpdateAgent(agent.id.clone(), patch)).await;
    let hosted = store.hosted_agents(&PageRequest::first()).await.expect("list").items;
    assert_eq!(hosted, [Agent { engine: Some(engine), ..agent }]);
}

#[tokio::test]
async fn messages_of_version_4_have_no_calls_and_new_messages_can_call() {
    let folder = version_4();
    let (store, test_store) = open(folder.path());
    let history = test_store.history(&general()).await;
    let cause = history[1].cause.clone().expect("a cause");
    assert_eq!((cause.depth, cause.chain, cause.agents), (1, vec!["Coder".to_owned()], Vec::new()));
    assert!(history.iter().all(|message| message.calls.is_empty()));
    let agent = store.agent(&coder()).await.expect("read").expect("an agent");
    assert_eq!(store.recent_calls(&[coder()], 9).await.expect("read"), []);
    let (channel, _) = store.conversation(&general(), &agent.member()).await.expect("read").expect("a channel");
    let Conversation::Channel(channel) = channel else { unreachable!("a channel") };
    let mara = store.person(&mara()).await.expect("read").expect("a person");
    let message = test_store.call(&mara, &channel, &agent).await;
    let answer = test_store.answer(&agent, &channel, &message).await;
    let call = store.call(&coder(), &message.id).await.expect("read").expect("a call");
    assert_eq!((call.state, call.answer_id), (CallState::Answered, Some(answer.id)));
    assert_eq!(violated_invariants(&connection(folder.path())), [""; 0]);
}

#[tokio::test]
async fn the_question_of_a_blocking_message_of_version_6_has_expired() {
    let folder = version_6();
    let (store, _) = open(folder.path());
    let message = store.message(&"msg_blocking".parse().expect("id")).await.expect("read").expect("a message");
    let question = message.question.expect("every blocking message has one");
    assert_eq!((question.state, question.addressees), (QuestionState::Expired, vec![coder().into()]));
    assert_eq!((question.expires_at, question.closed_at), (message.created_at, Some(message.created_at)));
    assert_eq!(store.blocks_of(&coder(), 9).await.expect("blocks"), []);
    assert_eq!(store.next_expiry().await.expect("next"), None);
    let first = InboxFilter { order: InboxOrder::Importance, ..InboxFilter::default() };
    let inbox = store.inbox(&coder(), &first, &PageRequest::first()).await.expect("inbox").items;
    assert_eq!(inbox[0].message.id, message.id);
    let counts = store.inbox_counts(&coder()).await.expect("counts");
    assert_eq!((counts.total, counts.critical, counts.blocking), (inbox.len() as u64, 1, 0));
    let deliveries = store.deliveries(&message.id, &[]).await.expect("deliveries");
    let known: Vec<_> = deliveries.iter().map(|one| (one.recipient.as_str(), one.state, one.stored_at)).collect();
    assert_eq!(known, [("agt_coder", DeliveryState::Stored, message.created_at)]);
}

#[tokio::test]
async fn the_timeline_of_a_task_of_version_6_starts_with_its_creation() {
    let folder = version_6();
    let (store, _) = open(folder.path());
    let mara = caller(&store, 1).await;
    let entries = store.task_timeline(&"tsk_old".parse().expect("id"), &mara, &PageRequest::first()).await;
    let entries = entries.expect("entries").items;
    assert_eq!((entries.len(), entries[0].kind), (1, TimelineEntryKind::TaskCreated));
    assert_eq!((entries[0].by.name.as_str(), entries[0].at), ("Mara", Timestamp::from_millis(1_735_689_600_030)));
}

#[tokio::test]
async fn tokens_of_version_6_with_write_scope_get_the_block_scope() {
    let folder = version_6();
    let (store, _) = open(folder.path());
    for (byte, may_block) in [(1, true), (2, true), (0x11, false), (0x12, false)] {
        let scopes = caller(&store, byte).await.grant.scopes;
        let has = |scope| scopes.iter().any(|one| one == scope);
        assert_eq!((has(Scope::MessagesWrite), has(Scope::MessagesBlock)), (may_block, may_block), "{byte}");
    }
}

#[tokio::test]
async fn a_database_of_version_1_keeps_its_data() {
    let folder = version_1();
    let (store, test_store) = open(folder.path());
    let history = test_store.history(&general()).await;
    assert_eq!(history.len(), 1);
    assert_eq!(
        (history[0].body.as_str(), history[0].state, history[0].steps.len()),
        ("hello old world", State::Complete, 0)
    );
    let inbox = store.inbox(&coder(), &InboxFilter::default(), &PageRequest::first()).await.expect("inbox").items;
    assert_eq!(inbox.iter().map(|entry| &entry.message).collect::<Vec<_>>(), [&history[0]]);
    let project = store.project(&tour()).await.expect("read").expect("a project");
    assert_eq!((project.policy.streams.window_ms, project.policy.retention.event_days_max), (200, None));
    let caller = Principal::new(coder(), "Coder".parse().expect("name"), Role::Agent(tour()));
    let query = SearchQuery::parse("old world").expect("query");
    let found = store.search(&tour(), &caller, &query, &PageRequest::first()).await.expect("found").items;
    assert_eq!(found, history);
}

#[tokio::test]
async fn the_events_of_version_1_are_readable() {
    let folder = version_1();
    let (store, test_store) = open(folder.path());
    let events = test_store.events(&tour()).await;
    let names: Vec<_> = events.iter().map(|event| event.change.name()).collect();
    let expected = ["projects.created", "channels.created", "channels.created", "messaging.posted", "messaging.read"];
    assert_eq!(names, expected);
    let Change::ChannelCreated(secret) = &events[2].change else { unreachable!("a channel") };
    assert_eq!((secret.channel.name.as_str(), secret.members.len()), ("secret", 0), "members were not noted then");
    let Change::Read(mark) = &events[4].change else { unreachable!("a mark") };
    assert_eq!((mark.seq, mark.unread), (1, 0));
    let range = store.log_range(&tour()).await.expect("range").expect("a log");
    assert_eq!((range.first, range.end.offset(), range.end.epoch()), (1, 5, "OLDEPOCH"));
}

#[tokio::test]
async fn a_stream_can_be_written_in_a_database_of_version_1() {
    let folder = version_1();
    let (store, test_store) = open(folder.path());
    assert_eq!(store.open_streams().await.expect("open"), []);
    let coder = store.agent(&coder()).await.expect("read").expect("an agent");
    let (channel, _) = store.conversation(&general(), &coder.member()).await.expect("read").expect("a channel");
    let Conversation::Channel(channel) = channel else { unreachable!("a channel") };
    let draft = test_store.draft(&coder, &channel, "");
    let begun = test_store.send(&coder, &draft.streaming()).await;
    let saved = SavedStream { message_id: begun.id.clone(), text: "so far".into(), steps: Vec::new() };
    store.save_streams(vec![saved.clone()]).await.expect("saved");
    assert_eq!(store.open_streams().await.expect("open"), [(begun.clone(), saved)]);
    let finished = test_store.finish(&coder, &begun, test_store.ending("done")).await;
    assert_eq!((finished.seq, finished.body.as_str()), (2, "done"));
    assert_eq!(store.end_of_log(&tour()).await.expect("end").expect("a log").offset(), 7);
    assert_eq!(number(&connection(folder.path()), "SELECT COUNT(*) FROM stream"), 0);
}

#[tokio::test]
async fn agents_of_version_6_can_get_context_settings_and_injections() {
    let folder = version_6();
    let (store, test_store) = open(folder.path());
    let project = store.project(&tour()).await.expect("read").expect("a project");
    let agent = store.agents(&tour(), &PageRequest::first()).await.expect("agents").items.remove(0);
    assert_eq!(agent.context, None);
    let context = AgentContext { pack_tokens_max: Some(900), ..AgentContext::default() };
    let patch = AgentPatch { context: Some(context.clone()), ..AgentPatch::default() };
    test_store.change(&tour(), &agent, Write::UpdateAgent(agent.id.clone(), patch)).await;
    let now = store.agent(&agent.id).await.expect("read").expect("an agent");
    assert_eq!(now.context, Some(context));
    let channel = test_store.channel("upgraded", &project).await;
    let message = test_store.post(&agent, &channel, "new words").await;
    let run = test_store.start(&agent, None).await;
    let given = test_store.inject(&run, &[&message]).await;
    assert_eq!(test_store.injections(&run).await, [given]);
    assert_eq!(violated_invariants(&connection(folder.path())), [""; 0]);
}
