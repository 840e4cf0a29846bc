//! What was given to a run: for whoever sees the run, and no more of it than the reader may read now.

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
    hub.hub.add_channel_member(&mara, &secret, &coder.member).await.expect("a seat");
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

    /// Gives the run what is new for its agent.
    async fn give(&self, run: &RunId) {
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

    /// Everything that a reader is told, as one text.
    async fn told(&self, who: &Principal, run: &RunId) -> String {
        serde_json::to_string(&self.read(who, run).await).expect("plain data")
    }
}

#[tokio::test]
async fn the_agent_reads_what_its_run_was_given() {
    let fixture = fixture().await;
    let message = fixture.say(&fixture.general, "the release is on friday").await;
    fixture.say(&fixture.secret, "the salary is high").await;
    let run = fixture.start(None).await;
    fixture.give(&run).await;
    let given = fixture.read(&fixture.coder, &run).await;
    assert_eq!((given.len(), &given[0].run_id), (1, &run));
    let text = given[0].text.as_deref().expect("a text");
    assert!(text.contains("friday") && text.contains("salary"), "{text}");
    assert!(given[0].receipt.items.iter().any(|item| item.id == message.as_str() && item.level.is_some()));
    assert_eq!(fixture.read(&fixture.mara, &run).await[0].text.as_deref(), Some(text));
}

#[tokio::test]
async fn what_a_reader_may_not_read_is_left_out_with_the_whole_text() {
    let fixture = fixture().await;
    fixture.say(&fixture.general, "the release is on friday").await;
    let hidden = fixture.say(&fixture.secret, "the salary is high").await;
    let run = fixture.start(None).await;
    fixture.give(&run).await;
    let told = fixture.told(&fixture.bela, &run).await;
    for secret in ["salary", hidden.as_str(), fixture.secret.as_str()] {
        assert!(!told.contains(secret), "{secret}: {told}");
    }
    assert!(told.contains("friday"), "{told}");
    assert_eq!(fixture.read(&fixture.bela, &run).await[0].text, None);
}

#[tokio::test]
async fn who_does_not_see_a_run_is_told_that_there_is_none() {
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
async fn an_agent_that_lost_a_channel_reads_nothing_of_it_any_more() {
    let fixture = fixture().await;
    fixture.say(&fixture.general, "the release is on friday").await;
    fixture.say(&fixture.secret, "the salary is high").await;
    let run = fixture.start(None).await;
    fixture.give(&run).await;
    fixture
        .hub
        .hub
        .remove_channel_member(&fixture.mara, &fixture.secret, &fixture.coder.member)
        .await
        .expect("removed");
    let told = fixture.told(&fixture.coder, &run).await;
    assert!(!told.contains("salary") && told.contains("friday"), "{told}");
}

#[tokio::test]
async fn what_was_removed_or_edited_since_is_gone_for_everybody() {
    let fixture = fixture().await;
    let removed = fixture.say(&fixture.general, "my key is hunter2").await;
    let edited = fixture.say(&fixture.general, "my door is number 48151").await;
    let run = fixture.start(None).await;
    fixture.give(&run).await;
    assert!(fixture.told(&fixture.coder, &run).await.contains("48151"));
    fixture.hub.hub.remove_message(&fixture.mara, &removed).await.expect("removed");
    let body = parlour_hub::use_cases::EditMessage { body: "my door is closed".into() };
    fixture.hub.hub.edit_message(&fixture.mara, &edited, body).await.expect("edited");
    for who in [&fixture.coder, &fixture.mara, &fixture.bela] {
        let told = fixture.told(who, &run).await;
        assert!(!told.contains("hunter2") && !told.contains("48151"), "{told}");
        assert!(told.contains(edited.as_str()), "that it was shown stays: {told}");
        assert_eq!(fixture.read(who, &run).await[0].text, None);
    }
}

#[tokio::test]
async fn notices_of_the_moment_are_not_kept() {
    let fixture = fixture().await;
    fixture.say(&fixture.general, "the release is on friday").await;
    let run = fixture.start(None).await;
    fixture.give(&run).await;
    let told = fixture.told(&fixture.coder, &run).await;
    assert!(!told.contains("kettle"), "{told}");
}

#[tokio::test]
async fn two_runs_differ_in_what_their_reader_may_read() {
    let fixture = fixture().await;
    let open = fixture.say(&fixture.general, "the release is on friday").await;
    let before = fixture.start(None).await;
    fixture.give(&before).await;
    let hidden = fixture.say(&fixture.secret, "the salary is high").await;
    let after = fixture.start(None).await;
    fixture.give(&after).await;
    let tell = async |who: &Principal, before: &RunId, after: &RunId| {
        fixture.hub.hub.injection_difference(who, before, after).await.expect("a difference")
    };
    let own = tell(&fixture.coder, &before, &after).await;
    assert!(own.only_after.iter().any(|item| item.id == hidden.as_str()), "{own:#?}");
    assert!(own.only_after.iter().all(|item| item.id != open.as_str()), "{own:#?}");
    let belas = serde_json::to_string(&tell(&fixture.bela, &before, &after).await).expect("plain data");
    assert!(!belas.contains("salary") && !belas.contains(hidden.as_str()), "{belas}");
    let same = tell(&fixture.mara, &after, &after).await;
    assert_eq!((same.only_before.len(), same.only_after.len(), same.changed.len()), (0, 0, 0));
    assert!(same.same > 0);
}
