//! Which engines a hub offers, and what happens when one cannot be had.

use std::net::TcpListener;

use parlour_core::message::State;

use crate::{
    fixture::HostingFixture,
    support::{parlour, run},
};

/// An address of this machine where nobody listens.
fn nowhere() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    format!("http://{}/v1", listener.local_addr().expect("bound"))
}

fn local() -> String {
    format!("local openai {} model=small", nowhere())
}

#[tokio::test]
async fn configured_engines_are_listed_after_the_built_in_one() {
    let engines = async |fixture: &HostingFixture| {
        let offers = fixture.client.engines().await.expect("engines").items;
        offers.into_iter().map(|offer| (offer.provider, offer.model)).collect::<Vec<_>>()
    };
    let fixture = HostingFixture::make().await;
    assert_eq!(engines(&fixture).await, [("built-in".to_owned(), None)]);
    let fixture = fixture.stopped(|command| command.env("PARLOUR_PROVIDERS", local()).env("GEMINI_API_KEY", "k")).await;
    let expected = [("built-in", None), ("gemini", None), ("local", Some("small"))];
    assert_eq!(engines(&fixture).await, expected.map(|(name, model)| (name.to_owned(), model.map(str::to_owned))));
}

#[tokio::test]
async fn an_unreachable_provider_fails_the_answer_with_a_reason() {
    let fixture = HostingFixture::with(|command| command.env("PARLOUR_PROVIDERS", local())).await;
    fixture.host("Coder", "local").await;
    let mut watch = fixture.watch().await;
    let question = fixture.say("@Coder are you there?").await.message;
    let answer = watch.ended().await;
    assert_eq!((answer.state, answer.reply_to), (State::Failed, Some(question.id)));
    let reason = answer.reason.expect("a reason");
    assert!(reason.contains("127.0.0.1"), "{reason}");
}

#[tokio::test]
async fn an_agent_without_its_provider_fails_every_call_with_a_reason() {
    let fixture = HostingFixture::with(|command| command.env("PARLOUR_PROVIDERS", local())).await;
    fixture.host("Coder", "local").await;
    let fixture = fixture.stopped(|command| command).await;
    let mut watch = fixture.watch().await;
    for question in ["@Coder are you there?", "@Coder and now?"] {
        fixture.say(question).await;
        let answer = watch.ended().await;
        assert_eq!(answer.state, State::Failed);
        assert!(answer.reason.as_deref().is_some_and(|text| text.contains("local") && text.contains("not configured")));
    }
}

#[tokio::test]
async fn an_agent_switches_to_its_new_engine() {
    let fixture = HostingFixture::with(|command| command.env("PARLOUR_PROVIDERS", local())).await;
    let coder = fixture.host("Coder", "local").await;
    let mut watch = fixture.watch().await;
    let before = watch.presence(&fixture, "Coder", true).await.expect("there");
    assert_eq!(before.runtime.as_deref(), Some("openai: small"));
    fixture.set_engine(&coder, "built-in").await;
    fixture.say("@Coder dms").await;
    assert!(watch.ended().await.body.starts_with("**A DM"));
}

#[test]
fn an_unusable_provider_prevents_the_start() {
    let folder = tempfile::tempdir().expect("a folder");
    let refused = |providers: &str, code| {
        let refused = run(parlour(folder.path()).args(["serve", "--providers", providers]), "");
        assert_eq!(refused.code, Some(code), "{}", refused.stderr);
        assert!(!folder.path().join("parlour-data").exists(), "nothing was made");
        refused.stderr
    };
    let text = refused("work openai key=sk-secret", 2);
    assert!(text.starts_with("parlour: --providers: work: API keys are not allowed in settings"), "{text}");
    assert!(!text.contains("sk-secret"), "{text}");
    let text = refused("work openai", 1);
    assert!(
        text.contains("the provider work: the environment variable OPENAI_API_KEY for its API key is not set"),
        "{text}"
    );
    assert!(text.contains("parlour doctor"), "{text}");
}
