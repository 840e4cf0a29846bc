//! What a command reads: what the hub lets a model see.

use parlour_agent::PageAt;
use parlour_core::{delivery::Door, message::State, run::RunFilter};

use crate::stage::Stage;

#[tokio::test]
async fn a_command_reads_no_secret_and_what_it_reads_is_kept() {
    let stage = Stage::make();
    let _agent = stage.agent("--name Coder --exec cat");
    let mut watch = stage.watch().await;
    stage.say("The password is hunter2hunter2").await;
    stage.say("@Coder what did I say?").await;
    let answer = watch.ended().await;
    assert_eq!(answer.state, State::Complete, "{:?}", answer.reason);
    assert!(answer.body.contains("): The password is [") && !answer.body.contains("hunter2"), "{}", answer.body);
    assert!(answer.body.trim_end().ends_with("User (Admin): @Coder what did I say?"), "{}", answer.body);
    let filter = RunFilter { agent_id: Some(stage.id_of("Coder").await), ..RunFilter::default() };
    let runs = stage.client.runs(Some(&stage.project), &filter, &PageAt::default()).await.expect("runs").items;
    let given = stage.client.injections(&runs[0].id, &PageAt::default()).await.expect("kept").items;
    assert_eq!((given.len(), given[0].door), (1, Door::Prompt));
    let text = given[0].text.as_deref().expect("readable");
    assert!(text.starts_with("[Parlour ") && answer.body.contains(text.trim_end()), "{text}");
}
