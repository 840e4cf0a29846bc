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
    fixture::{CallFixture, addressed},
    support::{agent_id, say},
};

const AGENTS: &[&str] = &["Ada", "Bob"];

/// Ada and Bob call each other until the guard stops them.
async fn trip(fixture: &CallFixture) -> Message {
    let question = fixture.say(&fixture.mara, "@Ada, begin").await;
    let answer = fixture.answer(fixture.agent("Ada"), &question, "@Bob, and you?").await;
    fixture.answer(fixture.agent("Bob"), &answer, "@Ada, no, you").await
}

#[tokio::test]
async fn the_conversation_is_told_which_rule_has_stopped_whom_and_how_to_lift_it() {
    let fixture = CallFixture::new(AGENTS).await;
    let stopped = trip(&fixture).await;
    let [told] = fixture.notices(&stopped.to).await.try_into().expect("one notice");
    assert_eq!((told.from.author_type, told.kind), (AuthorType::Host, Kind::Host));
    let agents = vec![agent_id(fixture.agent("Ada"))];
    assert_eq!(GuardMark::of(&told), Some(GuardMark::Tripped { rule: HoldRule::Chain, agents, until: None }));
    for word in ["Ada", "Bob", "loop-guard/reset", fixture.channel.as_str()] {
        assert!(told.body.contains(word), "{word} is missing in {}", told.body);
    }
    assert_eq!(told.seq, stopped.seq + 1);
}

#[tokio::test]
async fn a_rule_is_told_once_until_a_person_speaks() {
    let fixture = CallFixture::new(AGENTS).await;
    trip(&fixture).await;
    for body in ["@Ada, once more", "@Ada, and a third time", "@Ada, something else"] {
        assert_eq!(fixture.say(fixture.agent("Bob"), body).await.held.len(), 1, "{body}");
    }
    assert_eq!(fixture.told_rules().await, [HoldRule::Chain]);
    trip(&fixture).await;
    assert_eq!(fixture.told_rules().await, [HoldRule::Chain, HoldRule::Chain]);
}

#[tokio::test]
async fn a_repeated_post_tells_nothing_again() {
    let fixture = CallFixture::new(AGENTS).await;
    let question = fixture.say(&fixture.mara, "@Ada, begin").await;
    let answer = fixture.answer(fixture.agent("Ada"), &question, "@Bob, and you?").await;
    let id = Some("msg_bobs".parse().expect("id"));
    let request = PostMessage { id, reply_to: Some(answer.id), ..say(&fixture.channel, "@Ada, no, you") };
    let first = fixture.post(fixture.agent("Bob"), request.clone()).await;
    fixture.say(&fixture.mara, "I see").await;
    assert_eq!(fixture.post(fixture.agent("Bob"), request).await, first);
    assert_eq!(fixture.told_rules().await, [HoldRule::Chain]);
}

#[tokio::test]
async fn a_notice_wakes_nobody_reaches_no_model_and_no_inbox() {
    let fixture = CallFixture::new(AGENTS).await;
    for agent in &fixture.agents {
        fixture.hub().subscribe(agent, &fixture.channel, &agent_id(agent)).await.expect("subscribed");
    }
    let stopped = trip(&fixture).await;
    let [told] = fixture.notices(&stopped.to).await.try_into().expect("one notice");
    assert!(!model_visibility::may_reach_model(&told) && !model_visibility::may_wake(&told));
    assert_eq!((&told.calls, &told.mentions), (&Vec::new(), &Vec::new()));
    for agent in &fixture.agents {
        assert!(!fixture.test.inbox(agent).await.contains(&told.id));
        assert!(!fixture.open_messages(agent).await.contains(&told.id));
    }
}

#[tokio::test]
async fn a_notice_is_one_event_of_the_hub_itself() {
    let fixture = CallFixture::new(AGENTS).await;
    let stopped = trip(&fixture).await;
    let [told] = fixture.notices(&stopped.to).await.try_into().expect("one notice");
    let events =
        fixture.hub().message_events(&fixture.mara, &told.id, &PageRequest::first()).await.expect("events").items;
    assert_eq!(events.len(), 1);
    assert_eq!(events[0].actor.author_type, AuthorType::Host);
    assert!(matches!(&events[0].change, Change::MessagePosted(message) if message.id == told.id));
}

#[tokio::test]
async fn what_is_stopped_in_private_is_told_in_private() {
    let fixture = CallFixture::new(AGENTS).await;
    let dm = fixture.dm(&[&fixture.mara, fixture.agent("Ada"), fixture.agent("Bob")]).await;
    let question = fixture.post(&fixture.mara, addressed(&dm, "@Ada, begin")).await;
    let answer = fixture.answer(fixture.agent("Ada"), &question, "@Bob, and you?").await;
    fixture.answer(fixture.agent("Bob"), &answer, "@Ada, no, you").await;
    assert_eq!(fixture.notices(&dm).await.len(), 1);
    assert_eq!(fixture.history(&fixture.channel.clone().into()).await, []);
}
