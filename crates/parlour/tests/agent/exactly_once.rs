//! Every call is answered once: over absence, restarts, lost hubs and several processes.

use std::collections::HashSet;

use parlour_core::{
    message::State,
    policy::{Policy, StreamRules},
};

use crate::fixture::AgentFixture;

#[tokio::test]
async fn calls_made_while_the_agent_is_offline_are_answered_once() {
    let fixture = AgentFixture::make();
    let agent = fixture.agent("--name Coder --exec 'cat >/dev/null; echo done'");
    agent.interrupt();
    assert_eq!(agent.finish().0, Some(0));
    let question = fixture.say("@Coder are you there?").await;
    let mut watch = fixture.watch().await;
    let agent = fixture.agent("--name Coder --exec 'cat >/dev/null; echo done'");
    assert_eq!(watch.ended().await.reply_to, Some(question.id.clone()));
    drop(agent);
    let _again = fixture.agent("--name Coder --exec 'cat >/dev/null; echo done'");
    let second = fixture.say("@Coder and now?").await;
    assert_eq!(watch.ended().await.reply_to, Some(second.id), "the first is not answered again");
    assert_eq!(fixture.answers().await.len(), 2);
}

#[tokio::test]
async fn two_processes_of_one_agent_answer_each_call_once() {
    let fixture = AgentFixture::make();
    let line = "--name Coder --exec 'cat >/dev/null; echo done'";
    // Each on a machine of its own: on one machine the second would end the first one's token.
    let _one = fixture.agent(&format!("{line} --machine one"));
    let _two = fixture.agent(&format!("{line} --machine two"));
    let mut watch = fixture.watch().await;
    let mut asked = HashSet::new();
    for number in 0..5 {
        let question = fixture.say(&format!("@Coder question {number}")).await;
        let answer = watch.ended().await;
        assert_eq!((answer.state, answer.reply_to), (State::Complete, Some(question.id.clone())));
        asked.insert(question.id);
    }
    let answered: Vec<_> = fixture.answers().await.into_iter().filter_map(|answer| answer.reply_to).collect();
    assert_eq!(answered.len(), 5);
    assert_eq!(answered.into_iter().collect::<HashSet<_>>(), asked);
}

#[tokio::test]
async fn an_agent_continues_after_a_kill_of_its_hub() {
    let fixture = AgentFixture::make();
    let agent = fixture.agent("--name Coder --exec 'cat >/dev/null; echo done'");
    let fixture = fixture.restarted();
    assert!(agent.line().starts_with("Connection to the hub lost"));
    let mut watch = fixture.watch().await;
    let question = fixture.say("@Coder still there?").await;
    let answer = watch.ended().await;
    assert_eq!((answer.reply_to, answer.body.trim_end()), (Some(question.id), "done"));
}

#[tokio::test]
async fn the_answer_of_a_killed_agent_is_interrupted_and_not_repeated() {
    let fixture = AgentFixture::make();
    let policy = Policy { streams: StreamRules { lease_seconds: 1, ..StreamRules::default() }, ..Policy::default() };
    fixture.change_project(&serde_json::json!({ "policy": policy })).await;
    let mut watch = fixture.watch().await;
    {
        let _killed = fixture.agent("--name Coder --exec 'cat >/dev/null; echo half; sleep 600'");
        fixture.say("@Coder go").await;
        assert_eq!(watch.piece().await.trim_end(), "half");
    }
    let answer = watch.ended().await;
    assert_eq!((answer.state, answer.body.trim_end()), (State::Interrupted, "half"));
    let _again = fixture.agent("--name Coder --exec 'cat >/dev/null; echo whole'");
    let next = fixture.say("@Coder again").await;
    let answer = watch.ended().await;
    assert_eq!((answer.reply_to, answer.body.trim_end()), (Some(next.id), "whole"));
}
