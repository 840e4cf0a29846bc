//! Injections of runs: visible to readers of the run, without messages that the reader can no longer read.

mod support;

use parlour_core::{
    Code,
    access::Principal,
    context::{ContextFormat, ContextRequest, Injection},
    id::{ChannelId, MessageId, RunId},
    paging::PageRequest,
    run::StartRun,
};
use support::{TestHub, agent_id, refused};

struct InjectionFixture {
    hub: TestHub,
    mara: Principal,
    bela: Principal,
    coder: Principal,
    general: ChannelId,
    secret: ChannelId,
}

/// A project in which Mara and the agent share a private channel that Bela is not in.
async fn fixture() -> InjectionFixture {
    let hub = TestHub::new().await;
    let (mara, bela) = (hub.person("Mara").await, hub.person("Bela").await);
    let project = hub.project(&mara, "Release").await;
    hub.join(&project, &bela).await;
    let coder = hub.agent(&project, "Coder").await;
    let general = hub.channel(&mara, &project, "general").await;
    let secret = hub.private_channel(&mara, &project, "secret").await;
    hub.hub.add_channel_member(&mara, &secret, &coder.member).await.expect("added");
    InjectionFixture { hub, mara, bela, coder, general, secret }
}

impl InjectionFixture {
    async fn say(&self, channel: &ChannelId, body: &str) -> MessageId {
        self.hub.post(&self.mara, channel, &format!("@Coder {body}")).await.message.id
    }

    async fn start(&self, channel: Option<&ChannelId>) -> RunId {
        let request = StartRun { channel_id: channel.cloned(), ..StartRun::default() };
        self.hub.hub.start_run(&self.coder, request).await.expect("a run").id
    }

    /// Injects the new messages of the agent into the run.
    async fn inject(&self, run: &RunId) {
        let ask = ContextRequest {
            format: ContextFormat::Injection,
            run_id: Some(run.clone()),
            system_notices: vec!["The kettle boils.".into()],
            ..ContextRequest::default()
        };
        self.hub.hub.context(&self.coder, &agent_id(&self.coder), &ask).await.expect("a pack");
    }

    async fn read(&self, who: &Principal, run: &RunId) -> Vec<Injection> {
        self.hub.hub.injections(who, run, &PageRequest::first()).await.expect("injections").items
    }

    /// The injections of a run as JSON, in the form that a reader gets.
    async fn readable_text(&self, who: &Principal, run: &RunId) -> String {
        serde_json::to_string(&self.read(who, run).await).expect("plain data")
    }
}

#[tokio::test]
async fn an_agent_reads_the_injections_of_its_run() {
    let fixture = fixture().await;
    let message = fixture.say(&fixture.general, "the release is on friday").await;
    fixture.say(&fixture.secret, "the salary is high").await;
    let run = fixture.start(None).await;
    fixture.inject(&run).await;
    let given = fixture.read(&fixture.coder, &run).await;
    assert_eq!((given.len(), &given[0].run_id), (1, &run));
    let text = given[0].text.as_deref().expect("a text");
    assert!(text.contains("friday") && text.contains("salary"), "{text}");
    assert!(given[0].receipt.items.iter().any(|item| item.id == message.as_str() && item.level.is_some()));
    assert_eq!(fixture.read(&fixture.mara, &run).await[0].text.as_deref(), Some(text));
}

#[tokio::test]
async fn an_injection_that_shows_a_hidden_message_has_no_text() {
    let fixture = fixture().await;
    fixture.say(&fixture.general, "the release is on friday").await;
    let hidden = fixture.say(&fixture.secret, "the salary is high").await;
    let run = fixture.start(None).await;
    fixture.inject(&run).await;
    let readable_text = fixture.readable_text(&fixture.bela, &run).await;
    for secret in ["salary", hidden.as_str(), fixture.secret.as_str()] {
        assert!(!readable_text.contains(secret), "{secret}: {readable_text}");
    }
    assert!(readable_text.contains("friday"), "{readable_text}");
    assert_eq!(fixture.read(&fixture.bela, &run).await[0].text, None);
}

#[tokio::test]
async fn a_run_is_not_found_by_members_who_cannot_see_it() {
    let fixture = fixture().await;
    let olaf = fixture.hub.person("Olaf").await;
    let (open, hidden) = (fixture.start(None).await, fixture.start(Some(&fixture.secret)).await);
    let page = PageRequest::first();
    for (who, run) in [(&olaf, &open), (&olaf, &hidden), (&fixture.bela, &hidden)] {
        assert_eq!(refused(fixture.hub.hub.injections(who, run, &page).await), Code::NotFound);
        for (before, after) in [(run, &open), (&open, run)] {
            assert_eq!(refused(fixture.hub.hub.injection_difference(who, before, after).await), Code::NotFound);
        }
    }
}

#[tokio::test]
async fn injections_hide_messages_of_a_channel_that_the_agent_left() {
    let fixture = fixture().await;
    fixture.say(&fixture.general, "the release is on friday").await;
    fixture.say(&fixture.secret, "the salary is high").await;
    let run = fixture.start(None).await;
    fixture.inject(&run).await;
    fixture
        .hub
        .hub
        .remove_channel_member(&fixture.mara, &fixture.secret, &fixture.coder.member)
        .await
        .expect("removed");
    let readable_text = fixture.readable_text(&fixture.coder, &run).await;
    assert!(!readable_text.contains("salary") && readable_text.contains("friday"), "{readable_text}");
}

#[tokio::test]
async fn removed_and_edited_messages_are_hidden_from_injections() {
    let fixture = fixture().await;
    let removed = fixture.say(&fixture.general, "my key is hunter2").await;
    let edited = fixture.say(&fixture.general, "my door is number 48151").await;
    let run = fixture.start(None).await;
    fixture.inject(&run).await;
    assert!(fixture.readable_text(&fixture.coder, &run).await.contains("48151"));
    fixture.hub.hub.remove_message(&fixture.mara, &removed).await.expect("removed");
    let body = parlour_hub::use_cases::EditMessage { body: "my door is closed".into() };
    fixture.hub.hub.edit_message(&fixture.mara, &edited, body).await.expect("edited");
    for who in [&fixture.coder, &fixture.mara, &fixture.bela] {
        let readable_text = fixture.readable_text(who, &run).await;
        assert!(!readable_text.contains("hunter2") && !readable_text.contains("48151"), "{readable_text}");
        assert!(readable_text.contains(edited.as_str()), "that it was shown stays: {readable_text}");
        assert_eq!(fixture.read(who, &run).await[0].text, None);
    }
}

#[tokio::test]
async fn system_notices_are_not_stored() {
    let fixture = fixture().await;
    fixture.say(&fixture.general, "the release is on friday").await;
    let run = fixture.start(None).await;
    fixture.inject(&run).await;
    let readable_text = fixture.readable_text(&fixture.coder, &run).await;
    assert!(!readable_text.contains("kettle"), "{readable_text}");
}

#[tokio::test]
async fn a_diff_of_two_runs_contains_only_readable_items() {
    let fixture = fixture().await;
    let open = fixture.say(&fixture.general, "the release is on friday").await;
    let before = fixture.start(None).await;
    fixture.inject(&before).await;
    let hidden = fixture.say(&fixture.secret, "the salary is high").await;
    let after = fixture.start(None).await;
    fixture.inject(&after).await;
    let difference = async |who: &Principal, before: &RunId, after: &RunId| {
        fixture.hub.hub.injection_difference(who, before, after).await.expect("a difference")
    };
    let own = difference(&fixture.coder, &before, &after).await;
    assert!(own.only_after.iter().any(|item| item.id == hidden.as_str()), "{own:#?}");
    assert!(own.only_after.iter().all(|item| item.id != open.as_str()), "{own:#?}");
    let belas = serde_json::to_string(&difference(&fixture.bela, &before, &after).await).expect("plain data");
    assert!(!belas.contains("salary") && !belas.contains(hidden.as_str()), "{belas}");
    let same = difference(&fixture.mara, &after, &after).await;
    assert_eq!((same.only_before.len(), same.only_after.len(), same.changed.len()), (0, 0, 0));
    assert!(same.same > 0);
}
