//! The pieces of an answer, and answers that are longer than a message.

use parlour_core::{limits, message::State};
use tokio::time::Instant;

use crate::{
    calls::settled,
    engine::{EngineAct, ScriptedEngine, think, write},
    fake_hub::{FakeHub, channel},
    process::RunnerFixture,
};

#[tokio::test(start_paused = true)]
async fn the_first_text_is_sent_at_once_and_later_text_is_collected() {
    let words = |word: &str| vec![write(word), think(30)];
    let acts = ["a", "b", "c", "d", "e"].map(words).concat();
    let (hub, engine) = (FakeHub::new(), ScriptedEngine::does(acts));
    let _process = RunnerFixture::start(&hub, &engine);
    hub.mention(&channel(1), "hi");
    hub.until("it is open", |hub| hub.messages.len() == 2).await;
    let begun = Instant::now();
    hub.until("the first piece is there", |hub| !hub.pieces.is_empty()).await;
    assert_eq!(begun.elapsed().as_millis(), 0);
    settled(&hub).await;
    let pieces: Vec<_> = hub.with(|hub| hub.pieces.iter().map(|(_, piece)| piece.clone()).collect());
    assert_eq!(pieces, ["a", "bcd", "e"]);
}

#[tokio::test(start_paused = true)]
async fn text_that_exceeds_a_message_follows_as_a_file() {
    let long = format!("{}é", "word ".repeat(limits::MESSAGE_BODY_BYTES_MAX / 4));
    let (hub, engine) = (FakeHub::new(), ScriptedEngine::does(vec![write(&long), write("end")]));
    let _process = RunnerFixture::start(&hub, &engine);
    hub.mention(&channel(1), "hi");
    hub.until("the file is posted", |hub| hub.messages.iter().any(|message| message.is_notice)).await;
    let (answer, notice) = (&hub.answers()[0], &hub.notices()[0]);
    assert!(answer.body.len() <= limits::MESSAGE_BODY_BYTES_MAX && answer.body.ends_with("follows as answer.md.*"));
    assert_eq!((answer.state, &notice.reply_to), (State::Complete, &Some(answer.id.clone())));
    let upload = hub.with(|hub| hub.uploads.remove(0));
    assert_eq!((upload.filename.as_str(), upload.content.len()), ("answer.md", long.len() + 3));
    assert_eq!((upload.content, upload.conversation_id), (format!("{long}end").into_bytes(), channel(1)));
    assert_eq!(
        (notice.artifacts.len(), notice.body.as_str()),
        (1, format!("The whole answer, {} bytes, is in answer.md.", long.len() + 3).as_str())
    );
}

#[tokio::test(start_paused = true)]
async fn an_endless_answer_is_stopped_and_its_text_is_kept() {
    let piece = write(&"x".repeat(1024 * 1024));
    let (hub, engine) = (FakeHub::new(), ScriptedEngine::does([vec![piece; 20], vec![EngineAct::WorkOn]].concat()));
    let _process = RunnerFixture::start(&hub, &engine);
    hub.mention(&channel(1), "hi");
    hub.until("the file is posted", |hub| hub.messages.iter().any(|message| message.is_notice)).await;
    assert_eq!(hub.answers()[0].reason.as_deref(), Some("Coder was stopped: an answer may have 16 MiB"));
    assert_eq!(hub.with(|hub| hub.uploads[0].content.len()), limits::ANSWER_BYTES_MAX);
    assert!(hub.notices()[0].body.contains("first 16 MiB"), "{}", hub.notices()[0].body);
}

#[tokio::test(start_paused = true)]
async fn a_long_answer_that_fails_is_kept_as_well() {
    let long = "x".repeat(limits::MESSAGE_BODY_BYTES_MAX + 1);
    let (hub, engine) = (FakeHub::new(), ScriptedEngine::does(vec![write(&long), EngineAct::Fail("no more tokens")]));
    let _process = RunnerFixture::start(&hub, &engine);
    hub.mention(&channel(1), "hi");
    hub.until("the file is posted", |hub| hub.messages.iter().any(|message| message.is_notice)).await;
    assert_eq!(hub.answers()[0].state, State::Failed);
    assert_eq!(hub.with(|hub| hub.uploads[0].content.len()), long.len());
}
