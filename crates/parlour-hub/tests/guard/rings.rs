use parlour_core::{
    access::Principal,
    call::HoldRule,
    message::{Message, State},
    post::PostMessage,
};

use crate::fixture::{CallFixture, addressed};

const NAMES: [&str; 5] = ["Ada", "Bob", "Cora", "Dora", "Egon"];

/// Answers after which a test fails: more than any rule allows.
const ANSWERS_MAX: usize = 100;

/// How an agent answers.
#[derive(Clone, Copy, Debug)]
enum AnswerStyle {
    /// As a whole message with `reply_to`.
    Replying,
    /// As a whole message without `reply_to`.
    Silent,
    /// As a stream with `reply_to`.
    Streaming,
}

/// Answers all open calls with a mention of the next agent, until no call is open.
async fn answer_all_calls(fixture: &CallFixture, style: AnswerStyle, next: impl Fn(&str) -> String) -> Vec<Message> {
    let mut answers = Vec::new();
    loop {
        let before = answers.len();
        for agent in &fixture.agents {
            for call in fixture.open_calls(agent).await {
                let body = format!("{} for the next: @{}", answers.len(), next(agent.name.as_str()));
                let request =
                    PostMessage { reply_to: Some(call.message_id), ..addressed(&call.conversation_id, &body) };
                answers.push(answer(fixture, agent, style, request).await);
                assert!(answers.len() < ANSWERS_MAX, "the agents do not stop");
            }
        }
        if answers.len() == before {
            return answers;
        }
    }
}

async fn answer(fixture: &CallFixture, agent: &Principal, style: AnswerStyle, request: PostMessage) -> Message {
    match style {
        AnswerStyle::Replying => fixture.post(agent, request).await,
        AnswerStyle::Silent => fixture.post(agent, PostMessage { reply_to: None, ..request }).await,
        AnswerStyle::Streaming => {
            let begun = fixture.post(agent, PostMessage { stream: true, ..request }).await;
            assert_eq!(begun.state, State::Streaming);
            fixture.hub().complete_stream(agent, &begun.id, Default::default()).await.expect("ended").message
        }
    }
}

fn next_of(names: &[&str], name: &str) -> String {
    let index = names.iter().position(|one| *one == name).expect("in the ring");
    names[(index + 1) % names.len()].to_owned()
}

#[tokio::test]
async fn a_ring_of_agents_stops_at_the_chain_or_depth_rule() {
    for (size, answers, rule) in [(2, 2, HoldRule::Chain), (3, 3, HoldRule::Depth), (5, 3, HoldRule::Depth)] {
        for style in [AnswerStyle::Replying, AnswerStyle::Silent, AnswerStyle::Streaming] {
            let names = &NAMES[..size];
            let fixture = CallFixture::new(names).await;
            fixture.say(&fixture.mara, "@Ada, begin").await;
            let said = answer_all_calls(&fixture, style, |name| next_of(names, name)).await;
            assert_eq!(said.len(), answers, "a ring of {size}, {style:?}");
            assert_eq!(said.last().expect("an answer").held[0].rule, rule, "a ring of {size}, {style:?}");
            assert_eq!(fixture.reported_rules().await, [rule], "a ring of {size}, {style:?}");
        }
    }
}

#[tokio::test]
async fn an_agent_that_mentions_itself_calls_nobody() {
    let fixture = CallFixture::new(&["Ada"]).await;
    fixture.say(&fixture.mara, "@Ada, begin").await;
    let said = answer_all_calls(&fixture, AnswerStyle::Replying, |_| "Ada and @ADA".to_owned()).await;
    assert_eq!(said.len(), 1);
    assert_eq!((&said[0].calls, &said[0].held), (&Vec::new(), &Vec::new()));
    assert_eq!(fixture.reported_rules().await, []);
}

#[tokio::test]
async fn two_agents_in_a_dm_stop_answering() {
    let fixture = CallFixture::new(&["Ada", "Bob"]).await;
    let dm = fixture.dm(&[fixture.agent("Ada"), fixture.agent("Bob")]).await;
    fixture.post(fixture.agent("Ada"), addressed(&dm, "thank you")).await;
    let said = answer_all_calls(&fixture, AnswerStyle::Replying, |_| String::new()).await;
    assert_eq!(said.len(), 1, "Bob answers once; Ada is already in the chain");
}

#[tokio::test]
async fn each_message_of_a_person_restarts_the_ring() {
    let names = &NAMES[..3];
    let fixture = CallFixture::new(names).await;
    for round in 0..3 {
        fixture.say(&fixture.mara, &format!("@Ada, round {round}")).await;
        assert_eq!(
            answer_all_calls(&fixture, AnswerStyle::Replying, |name| next_of(names, name)).await.len(),
            3,
            "round {round}"
        );
    }
}

#[tokio::test]
async fn the_project_sets_the_depth_limit_of_a_ring() {
    for depth in [1, 2, 5] {
        let names = &NAMES[..5];
        let fixture = CallFixture::with_policy(names, |policy| {
            policy.loop_limits.response_depth_max = depth;
            policy.loop_limits.similar_answers_max = 100;
        })
        .await;
        fixture.say(&fixture.mara, "@Ada, begin").await;
        let said = answer_all_calls(&fixture, AnswerStyle::Replying, |name| next_of(names, name)).await;
        assert_eq!(said.len() as u64, depth);
        assert!(said.iter().all(|message| u64::from(message.cause.as_ref().expect("a cause").depth) <= depth));
    }
}
