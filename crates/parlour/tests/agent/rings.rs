//! Agents that call each other for ever, as real processes: the hub lets them answer so often and no more.

use parlour_core::{author::AuthorType, message::Message};

use crate::{fixture::AgentFixture, support::running::RunningProcess};

/// Agents that always call the next one of the ring.
fn ring(fixture: &AgentFixture, count: usize) -> Vec<RunningProcess> {
    let agent = |number: usize| {
        let next = (number + 1) % count;
        fixture.agent(&format!("--name Ring{number} --exec 'cat >/dev/null; echo thank you, @Ring{next}'"))
    };
    (0..count).map(agent).collect()
}

/// What agents wrote until the hub said that it stopped them, and what it said.
async fn until_stopped(fixture: &AgentFixture, opening: &str) -> (Vec<Message>, Message) {
    let mut watch = fixture.watch().await;
    fixture.say(opening).await;
    let mut answers = Vec::new();
    loop {
        let message = watch.ended().await;
        match message.from.author_type {
            AuthorType::Host => return (answers, message),
            _ => answers.push(message),
        }
    }
}

#[tokio::test]
async fn a_ring_of_two_answers_once_each() {
    let fixture = AgentFixture::make();
    let _agents = ring(&fixture, 2);
    let (answers, notice) = until_stopped(&fixture, "@Ring0 begin").await;
    assert_eq!(answers.len(), 2);
    assert!(notice.body.contains("Ring0"), "{}", notice.body);
    let held = &answers[1].held;
    assert_eq!((held.len(), held[0].name.as_str()), (1, "Ring0"));
    assert!(notice.body.contains("parlour guard reset"), "{}", notice.body);
}

#[tokio::test]
async fn a_ring_of_five_stops_at_the_depth_limit_and_a_person_restarts_it() {
    let fixture = AgentFixture::make();
    let _agents = ring(&fixture, 5);
    let (answers, _) = until_stopped(&fixture, "@Ring0 begin").await;
    assert_eq!(answers.len(), 3, "as deep as response_depth_max");
    let (again, _) = until_stopped(&fixture, "@Ring3 once more").await;
    assert_eq!(again.len(), 3, "a person has begun a new chain");
}

#[tokio::test]
async fn an_agent_that_calls_itself_is_not_called() {
    let fixture = AgentFixture::make();
    let _agents = ring(&fixture, 1);
    let mut watch = fixture.watch().await;
    fixture.say("@Ring0 begin").await;
    let answer = watch.ended().await;
    assert!(answer.calls.is_empty() && answer.body.contains("@Ring0"));
}

#[tokio::test]
async fn the_guard_is_shown_and_reset() {
    let fixture = AgentFixture::make();
    let _agents = ring(&fixture, 2);
    until_stopped(&fixture, "@Ring0 begin").await;
    let shown = fixture.hub.run("guard show general");
    assert_eq!(shown.code, Some(0), "{}", shown.stderr);
    assert!(shown.stdout.contains("Ring0: the agent already answered in this chain"), "{}", shown.stdout);
    let lifted = fixture.hub.run("guard reset general");
    assert_eq!(lifted.stdout, "The loop guard was reset in #general.\n");
    assert_eq!(fixture.hub.run("guard show general").stdout, "The loop guard has not stopped any agent in #general.\n");
}
