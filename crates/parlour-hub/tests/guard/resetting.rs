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
    stage::{Stage, held},
    support::refused,
};

const AGENTS: &[&str] = &["Ada", "Bob"];

fn channel(stage: &Stage) -> ConversationId {
    stage.channel.clone().into()
}

async fn trip(stage: &Stage) -> Message {
    let question = stage.say(&stage.mara, "@Ada, begin").await;
    let answer = stage.answer(stage.agent("Ada"), &question, "@Bob, and you?").await;
    let stopped = stage.answer(stage.agent("Bob"), &answer, "@Ada, no, you").await;
    assert_eq!(held(&stopped), [("Ada", HoldRule::Chain)]);
    stopped
}

#[tokio::test]
async fn a_person_lifts_the_guard_and_agents_may_call_each_other_again() {
    let stage = Stage::new(AGENTS).await;
    trip(&stage).await;
    let stops = stage.hub().loop_guard(&stage.mara, &channel(&stage)).await.expect("stops");
    assert_eq!(stops.len(), 1);
    assert!(matches!(stops[0].mark, GuardMark::Tripped { rule: HoldRule::Chain, .. }));
    stage.pass_seconds(1);
    let lifted = stage.hub().reset_loop_guard(&stage.mara, &channel(&stage)).await.expect("lifted");
    assert_eq!((lifted.from.author_type, lifted.kind), (AuthorType::Host, Kind::Host));
    assert_eq!(GuardMark::of(&lifted), Some(GuardMark::Reset { by: stage.mara.member.clone() }));
    assert!(lifted.body.contains("Mara"), "{}", lifted.body);
    assert_eq!(stage.hub().loop_guard(&stage.mara, &channel(&stage)).await.expect("stops"), []);
    stage.pass_seconds(1);
    assert_eq!(stage.called(&stage.say(stage.agent("Bob"), "@Ada, once more").await), ["Ada"]);
}

#[tokio::test]
async fn after_a_reset_the_guard_trips_again_and_says_so() {
    let stage = Stage::new(AGENTS).await;
    trip(&stage).await;
    stage.pass_seconds(1);
    stage.hub().reset_loop_guard(&stage.mara, &channel(&stage)).await.expect("lifted");
    stage.pass_seconds(1);
    let mut last = stage.say(stage.agent("Bob"), "@Ada, once more").await;
    for number in 0..10 {
        let who = if number % 2 == 0 { "Ada" } else { "Bob" };
        if stage.called(&last) != [who] {
            break;
        }
        let whom = if number % 2 == 0 { "Bob" } else { "Ada" };
        last = stage.answer(stage.agent(who), &last, &format!("@{whom}, word {number}")).await;
    }
    assert_eq!(last.calls, [], "it ends again");
    assert_eq!(stage.told_rules().await.len(), 2);
}

#[tokio::test]
async fn a_person_who_speaks_ends_what_was_stopped() {
    let stage = Stage::new(AGENTS).await;
    trip(&stage).await;
    stage.say(&stage.mara, "I see").await;
    assert_eq!(stage.hub().loop_guard(&stage.mara, &channel(&stage)).await.expect("stops"), []);
}

#[tokio::test]
async fn agents_do_not_lift_the_guard() {
    let stage = Stage::new(AGENTS).await;
    trip(&stage).await;
    let refusal = stage.hub().reset_loop_guard(stage.agent("Ada"), &channel(&stage)).await;
    assert_eq!(refused(refusal), Code::Forbidden);
    assert_eq!(stage.hub().loop_guard(stage.agent("Ada"), &channel(&stage)).await.expect("it may look").len(), 1);
}

#[tokio::test]
async fn only_who_may_write_there_lifts_it() {
    let stage = Stage::new(AGENTS).await;
    let (stranger, nowhere) = (stage.test.person("Tom").await, "chn_none".parse().expect("id"));
    assert_eq!(refused(stage.hub().reset_loop_guard(&stranger, &channel(&stage)).await), Code::NotFound);
    assert_eq!(refused(stage.hub().loop_guard(&stranger, &channel(&stage)).await), Code::NotFound);
    assert_eq!(refused(stage.hub().reset_loop_guard(&stage.mara, &nowhere).await), Code::NotFound);
    let dm = stage.dm(&[&stage.mara, stage.agent("Ada")]).await;
    assert_eq!(refused(stage.hub().reset_loop_guard(&stage.test.admin, &dm).await), Code::NotFound);
    stage.hub().archive_channel(&stage.mara, &stage.channel, Archival::Archived).await.expect("archived");
    assert_eq!(refused(stage.hub().reset_loop_guard(&stage.mara, &channel(&stage)).await), Code::Archived);
}
