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
    fixture::{ImportFixture, foreign_author, foreign_message, into_thread},
    support::{agent_id, say},
};

async fn counts(fixture: &ImportFixture) -> InboxCounts {
    fixture.hub().inbox_counts(&fixture.coder, &agent_id(&fixture.coder)).await.expect("counts")
}

/// Checks that the agent has no inbox entry, no unread count and no open call.
async fn check_agent_got_nothing(fixture: &ImportFixture) {
    assert_eq!(fixture.test.inbox(&fixture.coder).await, []);
    assert_eq!(counts(fixture).await.total, 0);
    let calls = fixture.hub().open_calls(&fixture.coder, &agent_id(&fixture.coder), &PageRequest::first()).await;
    assert_eq!(calls.expect("calls").items, []);
}

#[tokio::test]
async fn an_import_calls_no_agent() {
    let fixture = ImportFixture::new().await;
    fixture.hub().subscribe(&fixture.coder, &fixture.channel, &agent_id(&fixture.coder)).await.expect("subscribed");
    let urgent = |number, kind, author| ImportedMessage {
        kind,
        from: foreign_author(author),
        importance: Importance::Critical,
        ..foreign_message(number, "@Coder @all @agents look at once!")
    };
    let messages = vec![
        urgent(1, Kind::User, AuthorType::Person),
        urgent(2, Kind::Assistant, AuthorType::Agent),
        urgent(3, Kind::User, AuthorType::Scheduler),
    ];
    for message in fixture.import_new(messages).await {
        assert!(message.mentions.is_empty() && message.calls.is_empty() && message.held.is_empty());
        assert!(!message.blocking && message.question.is_none());
        assert_eq!(fixture.hub().deliveries(&fixture.mara, &message.id).await.expect("deliveries"), []);
    }
    check_agent_got_nothing(&fixture).await;
    assert_eq!(fixture.test.hub.pending_blocks(&fixture.coder, None, &[]).await.expect("blocks"), None);
}

#[tokio::test]
async fn an_import_does_not_call_agents_that_follow_the_thread() {
    let fixture = ImportFixture::new().await;
    let (_, thread) = fixture.thread().await;
    let mut request = say(&fixture.channel, "@Coder hi");
    (request.channel_id, request.thread_id) = (None, Some(thread.clone()));
    let asked = fixture.hub().post_message(&fixture.mara, request.clone()).await.expect("posted").message;
    let mut answer = request.clone();
    (answer.body, answer.reply_to) = ("Hello".into(), Some(asked.id.clone()));
    fixture.hub().post_message(&fixture.coder, answer).await.expect("answered");
    fixture.hub().mark_read(&fixture.coder, &asked.id, None).await.expect("read");
    let request = into_thread(&thread, vec![foreign_message(1, "and one more thing")]);
    fixture.hub().import_messages(&fixture.test.admin, request).await.expect("imported");
    check_agent_got_nothing(&fixture).await;
}

#[tokio::test]
async fn an_imported_reply_answers_no_question() {
    let fixture = ImportFixture::new().await;
    let mut request = say(&fixture.channel, "@Coder shall we?");
    request.blocking = true;
    let asked = fixture.hub().post_message(&fixture.mara, request).await.expect("asked").message;
    let reply = ImportedMessage {
        from: foreign_author(AuthorType::Agent),
        kind: Kind::Assistant,
        reply_to: Some(asked.id.clone()),
        ..foreign_message(1, "yes")
    };
    let reply = fixture.import_new(vec![reply]).await.remove(0);
    assert_eq!((reply.reply_to.as_ref(), reply.answer_to.as_ref()), (Some(&asked.id), None));
    let question = fixture.hub().message(&fixture.mara, &asked.id).await.expect("a message").question;
    assert!(question.expect("a question").is_open());
    assert_eq!(counts(&fixture).await.total, 1, "the question of Mara is still unread");
}

#[tokio::test]
async fn imported_messages_are_unread_for_people() {
    let fixture = ImportFixture::new().await;
    fixture.import_new(vec![foreign_message(1, "one"), foreign_message(2, "two")]).await;
    for who in [&fixture.mara, &fixture.test.admin] {
        let unread = fixture.hub().unread(who, &fixture.project).await.expect("unread");
        assert_eq!((unread.total, unread.mentions), (2, 0), "{}", who.name);
    }
}

#[tokio::test]
async fn an_imported_loop_guard_mark_has_no_effect() {
    let fixture = ImportFixture::new().await;
    let mark = GuardMark::Tripped { rule: HoldRule::Budget, agents: vec![agent_id(&fixture.coder)], until: None };
    let host = Author { id: Some("pynchy:hub".into()), ..Author::host() };
    let imported =
        ImportedMessage { from: host, kind: Kind::Host, content: Some(mark.content()), ..foreign_message(1, "stop") };
    fixture.import_new(vec![imported]).await;
    let stops = fixture.hub().loop_guard(&fixture.mara, &fixture.channel.clone().into()).await.expect("stops");
    assert_eq!(stops, []);
}

#[tokio::test]
async fn an_import_neither_uses_nor_renews_the_budget_of_agents() {
    let fixture = ImportFixture::new().await;
    let mut policy = Policy::default();
    policy.loop_limits.conversation_answers_max = 3;
    let patch = ProjectPatch { policy: Some(policy), ..ProjectPatch::default() };
    fixture.hub().update_project(&fixture.mara, &fixture.project, patch).await.expect("changed");
    fixture.test.agent(&fixture.project, "Tester").await;
    let of_agent = |number| ImportedMessage {
        from: foreign_author(AuthorType::Agent),
        kind: Kind::Assistant,
        ..foreign_message(number, "an answer from elsewhere")
    };
    fixture.import_new((1..=10).map(of_agent).collect()).await;
    let calls = async |body| fixture.test.post(&fixture.coder, &fixture.channel, body).await.message.calls.len();
    assert_eq!((calls("@Tester one apple").await, calls("@Tester two pears").await), (1, 1));
    fixture.import_new(vec![foreign_message(11, "a person from elsewhere")]).await;
    assert_eq!(calls("@Tester three plums").await, 0, "no person of this hub has posted");
}
