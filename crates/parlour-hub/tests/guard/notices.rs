use parlour_core::{
    author::AuthorType,
    call::HoldRule,
    event::Change,
    limits,
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
async fn a_notice_names_the_rule_the_held_agents_and_how_to_reset() {
    let fixture = CallFixture::new(AGENTS).await;
    let stopped = trip(&fixture).await;
    let [notice] = fixture.notices(&stopped.to).await.try_into().expect("one notice");
    assert_eq!((notice.from.author_type, notice.kind), (AuthorType::Host, Kind::Host));
    let agents = vec![agent_id(fixture.agent("Ada"))];
    assert_eq!(GuardMark::of(&notice), Some(GuardMark::Tripped { rule: HoldRule::Chain, agents, until: None }));
    for word in ["Ada", "Bob", "loop-guard/reset", fixture.channel.as_str()] {
        assert!(notice.body.contains(word), "{word} is missing in {}", notice.body);
    }
    assert_eq!(notice.seq, stopped.seq + 1);
}

#[tokio::test]
async fn a_rule_is_reported_once_until_a_person_posts() {
    let fixture = CallFixture::new(AGENTS).await;
    trip(&fixture).await;
    for body in ["@Ada, once more", "@Ada, and a third time", "@Ada, something else"] {
        assert_eq!(fixture.say(fixture.agent("Bob"), body).await.held.len(), 1, "{body}");
    }
    assert_eq!(fixture.reported_rules().await, [HoldRule::Chain]);
    trip(&fixture).await;
    assert_eq!(fixture.reported_rules().await, [HoldRule::Chain, HoldRule::Chain]);
}

#[tokio::test]
async fn a_rule_is_not_reported_again_after_a_restart() {
    let fixture = CallFixture::new(AGENTS).await;
    trip(&fixture).await;
    for number in 0..limits::GUARD_WINDOW_MAX {
        fixture.say(fixture.agent("Bob"), &format!("status {number}")).await;
    }
    let restarted = fixture.test.forgetful();
    let request = PostMessage { id: Some("msg_late".parse().expect("id")), ..say(&fixture.channel, "@Ada, again") };
    let late = restarted.post_message(fixture.agent("Bob"), request).await.expect("posted").message;
    assert_eq!(late.held.len(), 1);
    assert_eq!(fixture.reported_rules().await, [HoldRule::Chain]);
}

#[tokio::test]
async fn a_repeated_post_creates_no_second_notice() {
    let fixture = CallFixture::new(AGENTS).await;
    let question = fixture.say(&fixture.mara, "@Ada, begin").await;
    let answer = fixture.answer(fixture.agent("Ada"), &question, "@Bob, and you?").await;
    let id = Some("msg_bobs".parse().expect("id"));
    let request = PostMessage { id, reply_to: Some(answer.id), ..say(&fixture.channel, "@Ada, no, you") };
    let first = fixture.post(fixture.agent("Bob"), request.clone()).await;
    fixture.say(&fixture.mara, "I see").await;
    assert_eq!(fixture.post(fixture.agent("Bob"), request).await, first);
    assert_eq!(fixture.reported_rules().await, [HoldRule::Chain]);
}

#[tokio::test]
async fn a_notice_calls_no_agent_and_reaches_no_model_and_no_inbox() {
    let fixture = CallFixture::new(AGENTS).await;
    for agent in &fixture.agents {
        fixture.hub().subscribe(agent, &fixture.channel, &agent_id(agent)).await.expect("subscribed");
    }
    let stopped = trip(&fixture).await;
    let [notice] = fixture.notices(&stopped.to).await.try_into().expect("one notice");
    assert!(!model_visibility::may_reach_model(&notice) && !model_visibility::may_wake(&notice));
    assert_eq!((&notice.calls, &notice.mentions), (&Vec::new(), &Vec::new()));
    for agent in &fixture.agents {
        assert!(!fixture.test.inbox(agent).await.contains(&notice.id));
        assert!(!fixture.open_messages(agent).await.contains(&notice.id));
    }
}

#[tokio::test]
async fn a_notice_is_one_event_of_the_hub() {
    let fixture = CallFixture::new(AGENTS).await;
    let stopped = trip(&fixture).await;
    let [notice] = fixture.notices(&stopped.to).await.try_into().expect("one notice");
    let events =
        fixture.hub().message_events(&fixture.mara, &notice.id, &PageRequest::first()).await.expect("events").items;
    assert_eq!(events.len(), 1);
    assert_eq!(events[0].actor.author_type, AuthorType::Host);
    assert!(matches!(&events[0].change, Change::MessagePosted(message) if message.id == notice.id));
}

#[tokio::test]
async fn holds_in_a_private_conversation_are_reported_there() {
    let fixture = CallFixture::new(AGENTS).await;
    let dm = fixture.dm(&[&fixture.mara, fixture.agent("Ada"), fixture.agent("Bob")]).await;
    let question = fixture.post(&fixture.mara, addressed(&dm, "@Ada, begin")).await;
    let answer = fixture.answer(fixture.agent("Ada"), &question, "@Bob, and you?").await;
    fixture.answer(fixture.agent("Bob"), &answer, "@Ada, no, you").await;
    assert_eq!(fixture.notices(&dm).await.len(), 1);
    assert_eq!(fixture.history(&fixture.channel.clone().into()).await, []);
}
