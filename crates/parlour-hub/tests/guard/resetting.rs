use parlour_core::{
    Code,
    author::AuthorType,
    call::HoldRule,
    id::ConversationId,
    loop_guard::GuardMark,
    message::{Kind, Message},
    write::Archival,
};

use crate::{
    fixture::{CallFixture, held},
    support::refused,
};

const AGENTS: &[&str] = &["Ada", "Bob"];

fn channel(fixture: &CallFixture) -> ConversationId {
    fixture.channel.clone().into()
}

async fn trip(fixture: &CallFixture) -> Message {
    let question = fixture.say(&fixture.mara, "@Ada, begin").await;
    let answer = fixture.answer(fixture.agent("Ada"), &question, "@Bob, and you?").await;
    let stopped = fixture.answer(fixture.agent("Bob"), &answer, "@Ada, no, you").await;
    assert_eq!(held(&stopped), [("Ada", HoldRule::Chain)]);
    stopped
}

#[tokio::test]
async fn after_a_reset_by_a_person_agents_can_call_each_other_again() {
    let fixture = CallFixture::new(AGENTS).await;
    trip(&fixture).await;
    let stops = fixture.hub().loop_guard(&fixture.mara, &channel(&fixture)).await.expect("stops");
    assert_eq!(stops.len(), 1);
    assert!(matches!(stops[0].mark, GuardMark::Tripped { rule: HoldRule::Chain, .. }));
    fixture.pass_seconds(1);
    let lifted = fixture.hub().reset_loop_guard(&fixture.mara, &channel(&fixture)).await.expect("lifted");
    assert_eq!((lifted.from.author_type, lifted.kind), (AuthorType::Host, Kind::Host));
    assert_eq!(GuardMark::of(&lifted), Some(GuardMark::Reset { by: fixture.mara.member.clone() }));
    assert!(lifted.body.contains("Mara"), "{}", lifted.body);
    assert_eq!(fixture.hub().loop_guard(&fixture.mara, &channel(&fixture)).await.expect("stops"), []);
    fixture.pass_seconds(1);
    assert_eq!(fixture.called(&fixture.say(fixture.agent("Bob"), "@Ada, once more").await), ["Ada"]);
}

#[tokio::test]
async fn after_a_reset_the_guard_trips_and_reports_again() {
    let fixture = CallFixture::new(AGENTS).await;
    trip(&fixture).await;
    fixture.pass_seconds(1);
    fixture.hub().reset_loop_guard(&fixture.mara, &channel(&fixture)).await.expect("lifted");
    fixture.pass_seconds(1);
    let mut last = fixture.say(fixture.agent("Bob"), "@Ada, once more").await;
    for number in 0..10 {
        let who = if number % 2 == 0 { "Ada" } else { "Bob" };
        if fixture.called(&last) != [who] {
            break;
        }
        let whom = if number % 2 == 0 { "Bob" } else { "Ada" };
        last = fixture.answer(fixture.agent(who), &last, &format!("@{whom}, word {number}")).await;
    }
    assert_eq!(last.calls, [], "it ends again");
    assert_eq!(fixture.reported_rules().await.len(), 2);
}

#[tokio::test]
async fn a_message_of_a_person_ends_active_stops() {
    let fixture = CallFixture::new(AGENTS).await;
    trip(&fixture).await;
    fixture.say(&fixture.mara, "I see").await;
    assert_eq!(fixture.hub().loop_guard(&fixture.mara, &channel(&fixture)).await.expect("stops"), []);
}

#[tokio::test]
async fn agents_cannot_reset_the_guard() {
    let fixture = CallFixture::new(AGENTS).await;
    trip(&fixture).await;
    let refusal = fixture.hub().reset_loop_guard(fixture.agent("Ada"), &channel(&fixture)).await;
    assert_eq!(refused(refusal), Code::Forbidden);
    assert_eq!(fixture.hub().loop_guard(fixture.agent("Ada"), &channel(&fixture)).await.expect("it may look").len(), 1);
}

#[tokio::test]
async fn only_members_who_may_write_can_reset_the_guard() {
    let fixture = CallFixture::new(AGENTS).await;
    let (stranger, nowhere) = (fixture.test.person("Tom").await, "chn_none".parse().expect("id"));
    assert_eq!(refused(fixture.hub().reset_loop_guard(&stranger, &channel(&fixture)).await), Code::NotFound);
    assert_eq!(refused(fixture.hub().loop_guard(&stranger, &channel(&fixture)).await), Code::NotFound);
    assert_eq!(refused(fixture.hub().reset_loop_guard(&fixture.mara, &nowhere).await), Code::NotFound);
    let dm = fixture.dm(&[&fixture.mara, fixture.agent("Ada")]).await;
    assert_eq!(refused(fixture.hub().reset_loop_guard(&fixture.test.admin, &dm).await), Code::NotFound);
    fixture.hub().archive_channel(&fixture.mara, &fixture.channel, Archival::Archived).await.expect("archived");
    assert_eq!(refused(fixture.hub().reset_loop_guard(&fixture.mara, &channel(&fixture)).await), Code::Archived);
}
