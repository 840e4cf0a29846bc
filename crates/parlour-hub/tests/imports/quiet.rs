use parlour_core::{
    author::{Author, AuthorType},
    call::HoldRule,
    import::ImportedMessage,
    inbox::InboxCounts,
    loop_guard::GuardMark,
    message::{Importance, Kind},
    paging::PageRequest,
    policy::Policy,
    project::ProjectPatch,
};

use crate::{
    fixture::{ImportFixture, into_thread, old, stranger},
    support::{agent_id, say},
};

async fn counts(fixture: &ImportFixture) -> InboxCounts {
    fixture.hub().inbox_counts(&fixture.coder, &agent_id(&fixture.coder)).await.expect("counts")
}

/// Nothing is on its way to the agent, and nothing waits for it.
async fn check_nothing_reached_it(fixture: &ImportFixture) {
    assert_eq!(fixture.test.inbox(&fixture.coder).await, []);
    assert_eq!(counts(fixture).await.total, 0);
    let calls = fixture.hub().open_calls(&fixture.coder, &agent_id(&fixture.coder), &PageRequest::first()).await;
    assert_eq!(calls.expect("calls").items, []);
}

#[tokio::test]
async fn it_wakes_nobody_whatever_its_texts_say() {
    let fixture = ImportFixture::new().await;
    fixture.hub().subscribe(&fixture.coder, &fixture.channel, &agent_id(&fixture.coder)).await.expect("subscribed");
    let loud = |number, kind, author| ImportedMessage {
        kind,
        from: stranger(author),
        importance: Importance::Critical,
        ..old(number, "@Coder @all @agents look at once!")
    };
    let messages = vec![
        loud(1, Kind::User, AuthorType::Person),
        loud(2, Kind::Assistant, AuthorType::Agent),
        loud(3, Kind::User, AuthorType::Scheduler),
    ];
    for message in fixture.take_over(messages).await {
        assert!(message.mentions.is_empty() && message.calls.is_empty() && message.held.is_empty());
        assert!(!message.blocking && message.question.is_none());
        assert_eq!(fixture.hub().deliveries(&fixture.mara, &message.id).await.expect("deliveries"), []);
    }
    check_nothing_reached_it(&fixture).await;
    assert_eq!(fixture.test.hub.pending_blocks(&fixture.coder, None, &[]).await.expect("blocks"), None);
}

#[tokio::test]
async fn who_follows_a_thread_is_not_called_by_it() {
    let fixture = ImportFixture::new().await;
    let (_, thread) = fixture.thread().await;
    let mut request = say(&fixture.channel, "@Coder hi");
    (request.channel_id, request.thread_id) = (None, Some(thread.clone()));
    let asked = fixture.hub().post_message(&fixture.mara, request.clone()).await.expect("posted").message;
    let mut answer = request.clone();
    (answer.body, answer.reply_to) = ("Hello".into(), Some(asked.id.clone()));
    fixture.hub().post_message(&fixture.coder, answer).await.expect("answered");
    fixture.hub().mark_read(&fixture.coder, &asked.id, None).await.expect("read");
    let request = into_thread(&thread, vec![old(1, "and one more thing")]);
    fixture.hub().import_messages(&fixture.test.admin, request).await.expect("taken over");
    check_nothing_reached_it(&fixture).await;
}

#[tokio::test]
async fn a_reply_that_was_taken_over_answers_no_question() {
    let fixture = ImportFixture::new().await;
    let mut request = say(&fixture.channel, "@Coder shall we?");
    request.blocking = true;
    let asked = fixture.hub().post_message(&fixture.mara, request).await.expect("asked").message;
    let reply = ImportedMessage {
        from: stranger(AuthorType::Agent),
        kind: Kind::Assistant,
        reply_to: Some(asked.id.clone()),
        ..old(1, "yes")
    };
    let reply = fixture.take_over(vec![reply]).await.remove(0);
    assert_eq!((reply.reply_to.as_ref(), reply.answer_to.as_ref()), (Some(&asked.id), None));
    let question = fixture.hub().message(&fixture.mara, &asked.id).await.expect("a message").question;
    assert!(question.expect("a question").is_open());
    assert_eq!(counts(&fixture).await.total, 1, "what Mara asked still waits");
}

#[tokio::test]
async fn for_people_it_is_unread_like_anything_else() {
    let fixture = ImportFixture::new().await;
    fixture.take_over(vec![old(1, "one"), old(2, "two")]).await;
    for who in [&fixture.mara, &fixture.test.admin] {
        let unread = fixture.hub().unread(who, &fixture.project).await.expect("unread");
        assert_eq!((unread.total, unread.mentions), (2, 0), "{}", who.name);
    }
}

#[tokio::test]
async fn a_mark_of_the_loop_guard_that_was_taken_over_is_none() {
    let fixture = ImportFixture::new().await;
    let mark = GuardMark::Tripped { rule: HoldRule::Budget, agents: vec![agent_id(&fixture.coder)], until: None };
    let host = Author { id: Some("pynchy:hub".into()), ..Author::host() };
    let said = ImportedMessage { from: host, kind: Kind::Host, content: Some(mark.content()), ..old(1, "stop") };
    fixture.take_over(vec![said]).await;
    let stops = fixture.hub().loop_guard(&fixture.mara, &fixture.channel.clone().into()).await.expect("stops");
    assert_eq!(stops, []);
}

#[tokio::test]
async fn it_neither_uses_up_what_agents_may_say_nor_renews_it() {
    let fixture = ImportFixture::new().await;
    let mut policy = Policy::default();
    policy.loop_limits.conversation_answers_max = 3;
    let patch = ProjectPatch { policy: Some(policy), ..ProjectPatch::default() };
    fixture.hub().update_project(&fixture.mara, &fixture.project, patch).await.expect("changed");
    fixture.test.agent(&fixture.project, "Tester").await;
    let of_agent = |number| ImportedMessage {
        from: stranger(AuthorType::Agent),
        kind: Kind::Assistant,
        ..old(number, "an answer from elsewhere")
    };
    fixture.take_over((1..=10).map(of_agent).collect()).await;
    let calls = async |body| fixture.test.post(&fixture.coder, &fixture.channel, body).await.message.calls.len();
    assert_eq!((calls("@Tester one apple").await, calls("@Tester two pears").await), (1, 1));
    fixture.take_over(vec![old(11, "a person from elsewhere")]).await;
    assert_eq!(calls("@Tester three plums").await, 0, "nobody here has spoken");
}
