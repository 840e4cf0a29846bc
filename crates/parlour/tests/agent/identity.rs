//! Which agent is run, and with which token.

use crate::{
    fixture::AgentFixture,
    support::{run, running::RunningProcess, transcript::words},
};

#[tokio::test]
async fn a_run_leaves_no_token_behind() {
    let fixture = AgentFixture::make();
    let agent = fixture.agent("--name Coder --echo --machine here");
    let id = fixture.id_of("Coder").await.into();
    let tokens = fixture.client.tokens(Some(&id)).await.expect("tokens").items;
    let labels: Vec<_> = tokens.iter().map(|token| token.label.as_str()).collect();
    assert_eq!(labels, ["parlour agent on here"], "one for this run, and none besides");
    agent.interrupt();
    assert_eq!(agent.finish().0, Some(0));
    assert_eq!(fixture.client.tokens(Some(&id)).await.expect("tokens").items, []);
}

#[tokio::test]
async fn the_next_start_revokes_the_token_of_a_killed_process() {
    let fixture = AgentFixture::make();
    drop(fixture.agent("--name Coder --echo --machine here"));
    let _again = fixture.agent("--name Coder --echo --machine here");
    let id = fixture.id_of("Coder").await.into();
    assert_eq!(fixture.client.tokens(Some(&id)).await.expect("tokens").items.len(), 1);
}

#[tokio::test]
async fn an_agent_with_its_own_token_needs_no_name() {
    let fixture = AgentFixture::make();
    let created = fixture.hub.json("agent create Coder");
    let token = created["token"].as_str().expect("a token");
    let mut command = fixture.hub.command();
    let agent = RunningProcess::start(command.env("PARLOUR_TOKEN", token).args(words("agent --echo")));
    assert!(agent.line().contains("is connected to Tour"));
    let mut watch = fixture.watch().await;
    fixture.say("@Coder hello").await;
    assert!(watch.ended().await.body.contains("hello"));
    let other = run(fixture.hub.command().env("PARLOUR_TOKEN", token).args(words("agent --name Other --echo")), "");
    assert_eq!(other.code, Some(2));
    assert!(other.stderr.contains("this token belongs to agent Coder"), "{}", other.stderr);
}

#[tokio::test]
async fn an_agent_joins_with_an_invite_and_stays() {
    let fixture = AgentFixture::make();
    let invite = fixture.hub.run("invite").stdout;
    let link = invite.split('\'').nth(1).expect("a link").to_owned();
    let joined =
        run(crate::support::parlour(fixture.folder.path()).args(["join", &link, "Coder", "--save", "coder.toml"]), "");
    assert_eq!(joined.code, Some(0), "{}", joined.stderr);
    let mut command = crate::support::parlour(fixture.folder.path());
    let agent = RunningProcess::start(command.args(words("agent --config coder.toml --echo")));
    assert!(agent.line().contains("is connected to Tour"));
    let mut watch = fixture.watch().await;
    fixture.say("@Coder hello").await;
    assert!(watch.ended().await.body.contains("hello"));
}

#[test]
fn a_hosted_agent_cannot_be_run_a_second_time() {
    let fixture = AgentFixture::make();
    let run = fixture.hub.run("agent --name Guide --echo");
    assert_eq!(run.code, Some(1), "{}", run.stdout);
    assert!(run.stderr.contains("Guide is hosted by the hub"), "{}", run.stderr);
}

#[tokio::test]
async fn a_revoked_token_ends_the_agent_with_a_reason() {
    let fixture = AgentFixture::make();
    let agent = fixture.agent("--name Coder --echo");
    let id = fixture.id_of("Coder").await.into();
    for token in fixture.client.tokens(Some(&id)).await.expect("tokens").items {
        fixture.client.revoke_token(&token.id).await.expect("revoked");
    }
    let (code, _, stderr) = agent.finish();
    assert_eq!(code, Some(1));
    assert!(stderr.contains("no longer accepts the agent"), "{stderr}");
}
