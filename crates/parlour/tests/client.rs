//! The typed client against a real hub: both sides must mean the same by every call and every answer.

mod support;

use parlour_agent::{
    Client, ClientError, HistoryRange, PageAt, Problem, Retry,
    answers::{CreatedAgent, CreatedPerson, Role},
    requests::{NewAgent, NewChannel, NewPerson, NewProject},
};
use parlour_core::{
    Code,
    conversation::{Channel, ConversationType, Visibility},
    id::{MessageId, ProjectId},
    inbox::{DeliveryReason, InboxFilter},
    mention::MentionProblemReason,
    message::{Importance, Kind},
    name::Name,
    post::PostMessage,
    project::Project,
};
use support::Hub;
use tempfile::TempDir;

/// A hub, its administrator's client, and a project with one channel.
struct TestHub {
    hub: Hub,
    admin: Client,
    project: Project,
    channel: Channel,
    _folder: TempDir,
}

impl TestHub {
    async fn make() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let hub = Hub::start(folder.path());
        let admin = client(&hub, &hub.token);
        let request = NewProject { name: name("Apollo"), description: Some("The next release".into()) };
        let project = admin.create_project(&request).await.expect("a project");
        let channel = make_channel(&admin, &project.id, "design", Visibility::Project).await;
        Self { hub, admin, project, channel, _folder: folder }
    }

    async fn agent(&self, called: &str) -> (CreatedAgent, Client) {
        let request = NewAgent {
            project_id: self.project.id.clone(),
            name: name(called),
            capabilities: vec!["rust".into()],
            endpoint_url: None,
            instructions: None,
            engine: None,
            context: None,
            role: None,
        };
        let created = self.admin.create_agent(&request).await.expect("an agent");
        let client = client(&self.hub, &created.token);
        (created, client)
    }

    async fn person(&self, called: &str) -> (CreatedPerson, Client) {
        let request = NewPerson { name: name(called), is_admin: false };
        let created = self.admin.create_person(&request).await.expect("a person");
        let client = client(&self.hub, &created.token);
        (created, client)
    }

    fn say(&self, body: &str) -> PostMessage {
        PostMessage { channel_id: Some(self.channel.id.clone()), body: body.into(), ..PostMessage::default() }
    }

    /// Posts as the administrator, under this number.
    async fn post(&self, number: u128, body: &str) -> u64 {
        let posted = self.admin.post_message(&MessageId::from_bits(number), &self.say(body)).await.expect("posted");
        posted.message.seq
    }
}

fn client(hub: &Hub, token: &str) -> Client {
    Client::new(&hub.url, Some(token)).expect("a client").with_retry(Retry::NEVER)
}

fn name(text: &str) -> Name {
    Name::parse(text).expect("a name")
}

async fn make_channel(client: &Client, project: &ProjectId, called: &str, visibility: Visibility) -> Channel {
    let request = NewChannel { project_id: project.clone(), name: name(called), topic: None, visibility };
    client.create_channel(&request).await.expect("a channel")
}

/// The hub's no to a call.
fn refused<T: std::fmt::Debug>(outcome: Result<T, ClientError>) -> Problem {
    outcome.expect_err("refused").problem().expect("a no of the hub").clone()
}

#[tokio::test]
async fn whoami_returns_the_member_of_the_token() {
    let test_hub = TestHub::make().await;
    let (agent, as_agent) = test_hub.agent("Coder").await;
    let (person, as_person) = test_hub.person("Mara").await;
    let me = as_agent.me().await.expect("an agent");
    assert_eq!((me.member_id, me.role), (agent.agent.id.into(), Role::Agent));
    assert_eq!(me.project_id, Some(test_hub.project.id.clone()));
    let me = as_person.me().await.expect("a person");
    assert_eq!((me.member_id, me.role, me.project_id), (person.person.id.into(), Role::Person, None));
    assert_eq!(test_hub.admin.me().await.expect("the administrator").role, Role::Admin);
}

#[tokio::test]
async fn health_needs_no_token_and_everything_else_does() {
    let test_hub = TestHub::make().await;
    let nobody = Client::new(&test_hub.hub.url, None).expect("a client");
    assert_eq!(nobody.health().await.expect("healthy").status, "ok");
    let problem = refused(nobody.projects().await);
    assert!(problem.is(Code::Unauthenticated) && problem.status == 401 && problem.request_id.is_some(), "{problem:?}");
    let stranger = client(&test_hub.hub, "not-a-token-of-this-hub");
    assert!(refused(stranger.me().await).is(Code::Unauthenticated));
}

#[tokio::test]
async fn created_items_are_listed_and_read() {
    let test_hub = TestHub::make().await;
    let names: Vec<_> =
        test_hub.admin.projects().await.expect("projects").items.iter().map(|one| one.name.to_string()).collect();
    assert_eq!(names, ["Tour", "Apollo"]);
    assert_eq!(test_hub.admin.project(&test_hub.project.id).await.expect("the project"), test_hub.project);
    assert_eq!(test_hub.admin.channel(&test_hub.channel.id).await.expect("the channel"), test_hub.channel);
    let (agent, _) = test_hub.agent("Coder").await;
    assert_eq!(test_hub.admin.agents(&test_hub.project.id).await.expect("agents").items, [agent.agent]);
    let (mara, as_mara) = test_hub.person("Mara").await;
    assert_eq!(test_hub.admin.people().await.expect("people").items.len(), 2);
    assert_eq!(as_mara.projects().await.expect("none yet").items, []);
    test_hub.admin.add_project_person(&test_hub.project.id, &mara.person.id).await.expect("added");
    assert_eq!(as_mara.projects().await.expect("one now").items.len(), 1);
    assert_eq!(test_hub.admin.project_people(&test_hub.project.id).await.expect("people").items.len(), 2);
}

#[tokio::test]
async fn a_post_returns_all_its_fields() {
    let test_hub = TestHub::make().await;
    let (agent, _) = test_hub.agent("Coder").await;
    let first = test_hub.post(1, "A question").await;
    let request = PostMessage {
        importance: Importance::High,
        blocking: true,
        reply_to: Some(MessageId::from_bits(1)),
        ..test_hub.say("@Coder and @Codr, look")
    };
    let posted = test_hub.admin.post_message(&MessageId::from_bits(2), &request).await.expect("posted");
    let message = &posted.message;
    assert_eq!((first, message.seq, message.conversation_type), (1, 2, ConversationType::Channel));
    assert_eq!((message.importance, message.blocking, message.kind), (Importance::High, true, Kind::User));
    assert_eq!(message.mentions, [agent.agent.id.into()]);
    assert_eq!(posted.mention_problems.len(), 1);
    assert_eq!(posted.mention_problems[0].reason, MentionProblemReason::Unknown);
    assert_eq!(posted.mention_problems[0].candidates, ["Coder"]);
    assert_eq!(test_hub.admin.message(&message.id).await.expect("the message"), *message);
}

#[tokio::test]
async fn a_repeated_post_returns_the_first_result_and_another_text_is_refused() {
    let test_hub = TestHub::make().await;
    let id = MessageId::from_bits(1);
    let first = test_hub.admin.post_message(&id, &test_hub.say("once")).await.expect("posted");
    test_hub.post(2, "in between").await;
    let second = test_hub.admin.post_message(&id, &test_hub.say("once")).await.expect("the first answer");
    assert_eq!(first, second);
    let problem = refused(test_hub.admin.post_message(&id, &test_hub.say("twice")).await);
    assert!(problem.is(Code::ClientIdReused) && !problem.retryable, "{problem:?}");
}

#[tokio::test]
async fn an_unknown_name_in_mentions_is_refused_with_candidates() {
    let test_hub = TestHub::make().await;
    test_hub.agent("Coder").await;
    let request = PostMessage { mentions: vec!["Codr".into()], ..test_hub.say("look") };
    let problem = refused(test_hub.admin.post_message(&MessageId::from_bits(1), &request).await);
    assert!(problem.is(Code::UnknownMention), "{problem:?}");
    assert_eq!((problem.field.as_deref(), &problem.candidates[..]), (Some("mentions[0]"), &["Coder".to_owned()][..]));
    assert_eq!(test_hub.post(2, "the first that was taken").await, 1);
}

#[tokio::test]
async fn a_history_is_read_from_any_position() {
    let test_hub = TestHub::make().await;
    for number in 1..=6 {
        test_hub.post(number, &format!("text {number}")).await;
    }
    let id = test_hub.channel.id.clone().into();
    let numbers = async |range: HistoryRange| {
        let page = test_hub.admin.history(&id, &range).await.expect("a page");
        (page.items.iter().map(|message| message.seq).collect::<Vec<_>>(), page.next)
    };
    let range = |before: Option<&str>, since: Option<&str>, limit| HistoryRange {
        before: before.map(str::to_owned),
        since: since.map(str::to_owned),
        limit: Some(limit),
        cursor: None,
    };
    let by_id = MessageId::from_bits(4).to_string();
    assert_eq!(numbers(HistoryRange::default()).await.0, [6, 5, 4, 3, 2, 1]);
    assert_eq!(numbers(range(Some("4"), None, 2)).await.0, [3, 2]);
    assert_eq!(numbers(range(Some(&by_id), None, 9)).await, (vec![3, 2, 1], None));
    assert_eq!(numbers(range(None, Some(&by_id), 9)).await, (vec![5, 6], None));
    assert_eq!(numbers(range(None, Some("2000-01-01T00:00:00Z"), 9)).await.0, [1, 2, 3, 4, 5, 6]);
    let (first, cursor) = numbers(range(None, Some("1"), 2)).await;
    assert_eq!(first, [2, 3]);
    let next = HistoryRange { cursor, limit: Some(9), ..HistoryRange::default() };
    assert_eq!(numbers(next).await, (vec![4, 5, 6], None));
}

#[tokio::test]
async fn contradicting_history_options_are_refused_with_their_field() {
    let test_hub = TestHub::make().await;
    let id = test_hub.channel.id.clone().into();
    let both = HistoryRange { before: Some("1".into()), since: Some("1".into()), ..HistoryRange::default() };
    let problem = refused(test_hub.admin.history(&id, &both).await);
    assert!(problem.is(Code::BadQuery) && problem.field.is_some(), "{problem:?}");
    let zero = HistoryRange { limit: Some(0), ..HistoryRange::default() };
    assert_eq!(refused(test_hub.admin.history(&id, &zero).await).field.as_deref(), Some("limit"));
}

#[tokio::test]
async fn a_search_continues_at_its_cursor() {
    let test_hub = TestHub::make().await;
    for number in 1..=5 {
        test_hub.post(number, &format!("needle {number}")).await;
    }
    test_hub.post(6, "only hay").await;
    let first = test_hub.admin.search(&test_hub.project.id, "needle", Some(3), None).await.expect("hits");
    let found: Vec<_> = first.items.iter().map(|hit| hit.snippet.as_str()).collect();
    assert_eq!(found, ["needle 5", "needle 4", "needle 3"]);
    let rest =
        test_hub.admin.search(&test_hub.project.id, "needle", Some(3), first.next.as_deref()).await.expect("hits");
    assert_eq!((rest.items.len(), rest.next), (2, None));
    assert!(refused(test_hub.admin.search(&test_hub.project.id, "!?", None, None).await).is(Code::BadQuery));
}

#[tokio::test]
async fn an_inbox_gives_the_reason_of_each_message() {
    let test_hub = TestHub::make().await;
    let (agent, as_agent) = test_hub.agent("Coder").await;
    let id = &agent.agent.id;
    test_hub.post(1, "nobody in particular").await;
    test_hub.post(2, "hello @Coder").await;
    test_hub.admin.subscribe(&test_hub.channel.id, id).await.expect("subscribed");
    test_hub.post(3, "to all who follow").await;
    let dm = test_hub.admin.open_dm(&test_hub.project.id, &[id.clone().into()]).await.expect("a dm");
    let request = PostMessage { dm_id: Some(dm.id), body: "between us".into(), ..PostMessage::default() };
    test_hub.admin.post_message(&MessageId::from_bits(4), &request).await.expect("posted");
    let inbox = as_agent.inbox(id, &InboxFilter::default(), &PageAt::first(2)).await.expect("the inbox");
    let reasons: Vec<_> = inbox.items.iter().map(|entry| entry.reason).collect();
    assert_eq!((reasons, inbox.unread), (vec![DeliveryReason::Mention, DeliveryReason::Subscription], 3));
    let next = PageAt { cursor: inbox.next, ..PageAt::first(2) };
    let rest = as_agent.inbox(id, &InboxFilter::default(), &next).await.expect("the rest");
    assert_eq!(rest.items.iter().map(|entry| entry.reason).collect::<Vec<_>>(), [DeliveryReason::Dm]);
}

#[tokio::test]
async fn unread_counts_belong_to_the_owner_of_the_token() {
    let test_hub = TestHub::make().await;
    let (mara, as_mara) = test_hub.person("Mara").await;
    test_hub.admin.add_project_person(&test_hub.project.id, &mara.person.id).await.expect("added");
    test_hub.post(1, "hello @Mara").await;
    test_hub.post(2, "and again").await;
    let unread = as_mara.unread(&test_hub.project.id).await.expect("counts");
    assert_eq!((unread.total, unread.mentions), (2, 1));
    assert_eq!(test_hub.admin.unread(&test_hub.project.id).await.expect("own texts are read").total, 0);
}

#[tokio::test]
async fn agents_subscribe_and_unsubscribe() {
    let test_hub = TestHub::make().await;
    let (agent, _) = test_hub.agent("Coder").await;
    let (channel, id) = (&test_hub.channel.id, &agent.agent.id);
    let subscription = test_hub.admin.subscribe(channel, id).await.expect("subscribed");
    assert_eq!((&subscription.channel_id, &subscription.agent_id), (channel, id));
    assert_eq!(test_hub.admin.subscribers(channel).await.expect("followers").items, std::slice::from_ref(id));
    test_hub.admin.unsubscribe(channel, id).await.expect("ended");
    assert_eq!(test_hub.admin.subscribers(channel).await.expect("followers").items, []);
}

#[tokio::test]
async fn a_private_channel_exists_for_its_members_only() {
    let test_hub = TestHub::make().await;
    let (agent, as_agent) = test_hub.agent("Coder").await;
    let board = make_channel(&test_hub.admin, &test_hub.project.id, "board", Visibility::Private).await;
    assert!(refused(as_agent.channel(&board.id).await).is(Code::NotFound));
    let member = agent.agent.id.into();
    test_hub.admin.add_channel_member(&board.id, &member).await.expect("let in");
    assert_eq!(as_agent.channel(&board.id).await.expect("visible now"), board);
    assert_eq!(test_hub.admin.channel_members(&board.id).await.expect("members").items.len(), 2);
    test_hub.admin.remove_channel_member(&board.id, &member).await.expect("taken out");
    assert!(refused(as_agent.channel(&board.id).await).is(Code::NotFound));
}

#[tokio::test]
async fn an_archived_channel_can_only_be_read() {
    let test_hub = TestHub::make().await;
    test_hub.post(1, "before").await;
    assert!(test_hub.admin.archive_channel(&test_hub.channel.id).await.expect("archived").archived_at.is_some());
    let problem = refused(test_hub.admin.post_message(&MessageId::from_bits(2), &test_hub.say("after")).await);
    assert!(problem.is(Code::Archived) && problem.status == 409, "{problem:?}");
    assert!(test_hub.admin.unarchive_channel(&test_hub.channel.id).await.expect("back").archived_at.is_none());
    assert_eq!(test_hub.post(2, "after").await, 2);
}

#[tokio::test]
async fn the_same_two_share_one_dm() {
    let test_hub = TestHub::make().await;
    let (agent, as_agent) = test_hub.agent("Coder").await;
    let admin = test_hub.admin.me().await.expect("the administrator").member_id;
    let first = test_hub.admin.open_dm(&test_hub.project.id, &[agent.agent.id.into()]).await.expect("a dm");
    let second = as_agent.open_dm(&test_hub.project.id, &[admin]).await.expect("the same");
    assert_eq!(first, second);
    assert_eq!(as_agent.dms(&test_hub.project.id).await.expect("dms").items, [first]);
}

#[tokio::test]
async fn a_renewed_token_replaces_the_old_one() {
    let test_hub = TestHub::make().await;
    let (agent, as_agent) = test_hub.agent("Coder").await;
    let renewed = test_hub.admin.renew_agent_token(&agent.agent.id).await.expect("a token");
    assert!(refused(as_agent.me().await).is(Code::Unauthenticated));
    assert_eq!(client(&test_hub.hub, &renewed.token).me().await.expect("known").name, name("Coder"));
    let (person, as_person) = test_hub.person("Mara").await;
    test_hub.admin.renew_person_token(&person.person.id).await.expect("a token");
    assert!(refused(as_person.me().await).is(Code::Unauthenticated));
}

#[tokio::test]
async fn agents_are_refused_operations_of_people() {
    let test_hub = TestHub::make().await;
    let (_, as_agent) = test_hub.agent("Coder").await;
    let request = NewProject { name: name("Mine"), description: None };
    assert!(refused(as_agent.create_project(&request).await).is(Code::MissingScope));
    let request = NewPerson { name: name("Friend"), is_admin: true };
    assert!(refused(as_agent.create_person(&request).await).is(Code::MissingScope));
}

#[tokio::test]
async fn names_that_look_alike_are_refused_with_their_field() {
    let test_hub = TestHub::make().await;
    let (project_id, topic, visibility) = (test_hub.project.id.clone(), None, Visibility::Project);
    let request = NewChannel { project_id, name: name("Design"), topic, visibility };
    let problem = refused(test_hub.admin.create_channel(&request).await);
    assert!(problem.is(Code::NameTaken) && problem.field.as_deref() == Some("name"), "{problem:?}");
}
