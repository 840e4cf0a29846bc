//! What a command reads: what the hub lets a model see.

use parlour_agent::PageAt;
use parlour_core::{
    delivery::DeliveryPath,
    message::{Kind, State},
    run::RunFilter,
};

use crate::fixture::AgentFixture;

#[tokio::test]
async fn the_prompt_of_a_command_is_redacted_and_stored() {
    let fixture = AgentFixture::make();
    let _agent = fixture.agent("--name Coder --exec cat");
    let mut watch = fixture.watch().await;
    fixture.say("The password is hunter2hunter2").await;
    fixture.say("@Coder what did I say?").await;
    let answer = watch.ended().await;
    assert_eq!(answer.state, State::Complete, "{:?}", answer.reason);
    assert!(answer.body.contains("): The password is [") && !answer.body.contains("hunter2"), "{}", answer.body);
    assert!(answer.body.trim_end().ends_with("User (Admin): @Coder what did I say?"), "{}", answer.body);
    let filter = RunFilter { agent_id: Some(fixture.id_of("Coder").await), ..RunFilter::default() };
    let runs = fixture.client.runs(Some(&fixture.project), &filter, &PageAt::default()).await.expect("runs").items;
    let given = fixture.client.injections(&runs[0].id, &PageAt::default()).await.expect("kept").items;
    assert_eq!((given.len(), given[0].delivered_via), (1, DeliveryPath::Prompt));
    let text = given[0].text.as_deref().expect("readable");
    let (beside, list) = text.split_once("\n## History\n").expect("the conversation is kept, too");
    assert!(text.starts_with("[Parlour ") && answer.body.contains(beside), "{text}");
    assert!(list.contains("Admin: The password is [") && !list.contains("hunter2"), "{text}");
}

#[tokio::test]
async fn host_messages_never_reach_a_command() {
    let fixture = AgentFixture::make();
    let _ring = [(0, 1), (1, 0)].map(|(own, other)| {
        fixture.agent(&format!("--name Ring{own} --exec 'cat >/dev/null; echo thank you, @Ring{other}'"))
    });
    let _agent = fixture.agent("--name Coder --exec 'tr @ _'");
    let mut watch = fixture.watch().await;
    fixture.say("@Ring0 begin").await;
    let notice = loop {
        let message = watch.ended().await;
        if message.kind == Kind::Host {
            break message;
        }
    };
    fixture.say("@Coder what was said?").await;
    let answer = watch.ended().await;
    assert!(answer.body.contains("thank you, _Ring1"), "{}", answer.body);
    let words: Vec<_> = notice.body.split_whitespace().take(4).collect();
    assert!(!answer.body.contains(&words.join(" ").replace('@', "_")), "{}", answer.body);
    assert!(!answer.body.contains("guard reset"), "{}", answer.body);
}
