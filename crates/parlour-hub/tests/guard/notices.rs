use parlour_core::{
    author::AuthorType,
    call::HoldRule,
    event::Change,
    loop_guard::GuardMark,
    message::{Kind, Message},
    model_visibility,
    paging::PageRequest,
    post::PostMessage,
};

use crate::{
    stage::{Stage, addressed},
    support::{agent_id, say},
};

const AGENTS: &[&str] = &["Ada", "Bob"];

/// Ada and Bob call each other until the guard stops them.
async fn trip(stage: &Stage) -> Message {
    let question = stage.say(&stage.mara, "@Ada, begin").await;
    let answer = stage.answer(stage.agent("Ada"), &question, "@Bob, and you?").await;
    stage.answer(stage.agent("Bob"), &answer, "@Ada, no, you").await
}

#[tokio::test]
async fn the_conversation_is_told_which_rule_has_stopped_whom_and_how_to_lift_it() {
    let stage = Stage::new(AGENTS).await;
    let stopped = trip(&stage).await;
    let [told] = stage.notices(&stopped.to).await.try_into().expect("one notice");
    assert_eq!((told.from.author_type, told.kind), (AuthorType::Host, Kind::Host));
    let agents = vec![agent_id(stage.agent("Ada"))];
    assert_eq!(GuardMark::of(&told), Some(GuardMark::Tripped { rule: HoldRule::Chain, agents, until: None }));
    for word in ["Ada", "Bob", "loop-guard/reset", stage.channel.as_str()] {
        assert!(told.body.contains(word), "{word} is missing in {}", told.body);
    }
    assert_eq!(told.seq, stopped.seq + 1);
}

#[tokio::test]
async fn a_rule_is_told_once_until_a_person_speaks() {
    let stage = Stage::new(AGENTS).await;
    trip(&stage).await;
    for body in ["@Ada, once more", "@Ada, and a third time", "@Ada, something else"] {
        assert_eq!(stage.say(stage.agent("Bob"), body).await.held.len(), 1, "{body}");
    }
    assert_eq!(stage.told_rules().await, [HoldRule::Chain]);
    trip(&stage).await;
    assert_eq!(stage.told_rules().await, [HoldRule::Chain, HoldRule::Chain]);
}

#[tokio::test]
async fn a_repeated_post_tells_nothing_again() {
    let stage = Stage::new(AGENTS).await;
    let question = stage.say(&stage.mara, "@Ada, begin").await;
    let answer = stage.answer(stage.agent("Ada"), &question, "@Bob, and you?").await;
    let id = Some("msg_bobs".parse().expect("id"));
    let request = PostMessage { id, reply_to: Some(answer.id), ..say(&stage.channel, "@Ada, no, you") };
    let first = stage.post(stage.agent("Bob"), request.clone()).await;
    stage.say(&stage.mara, "I see").await;
    assert_eq!(stage.post(stage.agent("Bob"), request).await, first);
    assert_eq!(stage.told_rules().await, [HoldRule::Chain]);
}

#[tokio::test]
async fn a_notice_wakes_nobody_reaches_no_model_and_no_inbox() {
    let stage = Stage::new(AGENTS).await;
    for agent in &stage.agents {
        stage.hub().subscribe(agent, &stage.channel, &agent_id(agent)).await.expect("subscribed");
    }
    let stopped = trip(&stage).await;
    let [told] = stage.notices(&stopped.to).await.try_into().expect("one notice");
    assert!(!model_visibility::may_reach_model(&told) && !model_visibility::may_wake(&told));
    assert_eq!((&told.calls, &told.mentions), (&Vec::new(), &Vec::new()));
    for agent in &stage.agents {
        assert!(!stage.test.inbox(agent).await.contains(&told.id));
        assert!(!stage.open_messages(agent).await.contains(&told.id));
    }
}

#[tokio::test]
async fn a_notice_is_one_event_of_the_hub_itself() {
    let stage = Stage::new(AGENTS).await;
    let stopped = trip(&stage).await;
    let [told] = stage.notices(&stopped.to).await.try_into().expect("one notice");
    let events = stage.hub().message_events(&stage.mara, &told.id, &PageRequest::first()).await.expect("events").items;
    assert_eq!(events.len(), 1);
    assert_eq!(events[0].actor.author_type, AuthorType::Host);
    assert!(matches!(&events[0].change, Change::MessagePosted(message) if message.id == told.id));
}

#[tokio::test]
async fn what_is_stopped_in_private_is_told_in_private() {
    let stage = Stage::new(AGENTS).await;
    let dm = stage.dm(&[&stage.mara, stage.agent("Ada"), stage.agent("Bob")]).await;
    let question = stage.post(&stage.mara, addressed(&dm, "@Ada, begin")).await;
    let answer = stage.answer(stage.agent("Ada"), &question, "@Bob, and you?").await;
    stage.answer(stage.agent("Bob"), &answer, "@Ada, no, you").await;
    assert_eq!(stage.notices(&dm).await.len(), 1);
    assert_eq!(stage.history(&stage.channel.clone().into()).await, []);
}
