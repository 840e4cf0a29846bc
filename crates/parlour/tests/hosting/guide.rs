//! The built-in agent of the sample project.

use std::{collections::BTreeSet, fs};

use parlour_agent::live::LiveItem;
use parlour_core::{event::Change, live::Cancel, member::AgentPatch, message::State};

use crate::{
    fixture::HostingFixture,
    support::{parlour, run, transcript::words},
};

#[tokio::test]
async fn the_answer_to_a_mention_is_streamed() {
    let fixture = HostingFixture::make().await;
    let mut watch = fixture.watch().await;
    let question = fixture.say("@Guide help").await.message;
    let answer = watch.begun().await;
    assert_eq!((answer.from.name.as_str(), answer.reply_to.as_ref()), ("Guide", Some(&question.id)));
    let (mut pieces, mut text) = (0, String::new());
    let whole = loop {
        match watch.next().await {
            LiveItem::Chunk(chunk) => {
                pieces += 1;
                text.push_str(&chunk.text);
            }
            LiveItem::Event(event) => {
                if let Change::MessageFinished(message) = event.change {
                    break *message;
                }
            }
            _ => {}
        }
    };
    assert!(pieces > 1, "the answer came in {pieces} pieces");
    assert!(!text.is_empty() && whole.body.starts_with(&text), "{text}");
    assert_eq!((whole.state, &whole.id), (State::Complete, &answer.id));
    assert!(whole.body.contains("not a language model"), "{}", whole.body);
    assert!(whole.mentions.is_empty() && whole.calls.is_empty());
}

#[tokio::test]
async fn the_guide_is_present_with_its_runtime_and_abilities() {
    let fixture = HostingFixture::make().await;
    let mut watch = fixture.watch().await;
    let guide = watch.presence(&fixture, "Guide", true).await.expect("there");
    assert_eq!(guide.runtime.as_deref(), Some("built-in"));
    assert!(guide.is_agent && guide.abilities.can_stream && guide.abilities.can_be_woken, "{guide:?}");
}

#[tokio::test]
async fn a_summary_has_a_finished_step() {
    let fixture = HostingFixture::make().await;
    let mut watch = fixture.watch().await;
    fixture.say("We ship on Friday.").await;
    fixture.say("@Guide summarise").await;
    let answer = watch.ended().await;
    assert!(answer.body.contains("We ship on Friday."), "{}", answer.body);
    assert_eq!(answer.steps.len(), 1);
    assert_eq!((answer.steps[0].name.as_str(), answer.steps[0].finished_at.is_some()), ("read the conversation", true));
}

#[tokio::test]
async fn a_cancelled_answer_stays_cancelled_and_the_next_question_is_answered() {
    let fixture = HostingFixture::make().await;
    let mut watch = fixture.watch().await;
    // On a slow machine an answer may have ended before it can be stopped.
    for _ in 0..10 {
        fixture.say("@Guide join").await;
        let answer = watch.begun().await;
        let stopped = fixture.client.cancel_stream(&answer.id, &Cancel::default()).await;
        let ended = watch.ended().await;
        if stopped.is_ok() {
            assert_eq!((ended.id, ended.state), (answer.id, State::Cancelled));
            fixture.say("@Guide thanks").await;
            assert_eq!(watch.ended().await.body, "You are welcome.");
            return;
        }
    }
    panic!("no answer could be stopped");
}

#[tokio::test]
async fn a_guide_with_another_name_answers_under_that_name() {
    let fixture = HostingFixture::make().await;
    let guide = fixture.id_of("Guide").await;
    let patch = AgentPatch { name: Some("Helper".parse().expect("a name")), ..AgentPatch::default() };
    fixture.client.update_agent(&guide, &patch).await.expect("renamed");
    let mut watch = fixture.watch().await;
    fixture.say("@Helper threads").await;
    let answer = watch.ended().await;
    assert_eq!((answer.from.name.as_str(), answer.state), ("Helper", State::Complete));
    assert!(answer.body.starts_with("**A thread"), "{}", answer.body);
}

/// The snapshots of all answers of the guide.
const ANSWERS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../parlour-agent/src/engines/guide/snapshots");

/// The commands in a text: whole lines and code spans.
fn commands(text: &str) -> impl Iterator<Item = &str> {
    let parts = text.lines().chain(text.split('`').skip(1).step_by(2));
    parts.filter(|part| part.starts_with("parlour ")).map(|part| part.split(" #").next().unwrap_or(part).trim())
}

#[test]
fn every_command_in_an_answer_of_the_guide_is_valid() {
    let folder = tempfile::tempdir().expect("a folder");
    let answers = fs::read_dir(ANSWERS).expect("answers").map(|file| fs::read_to_string(file.expect("a file").path()));
    let all: String = answers.collect::<Result<Vec<_>, _>>().expect("texts").join("\n");
    let commands: BTreeSet<_> = commands(&all).collect();
    assert!(commands.len() > 8, "{commands:?}");
    for command in commands {
        // Arguments before `--help` are parsed first, so a wrong flag or sub-command is refused.
        let help = run(parlour(folder.path()).args(&words(command)[1..]).arg("--help"), "");
        assert_eq!(help.code, Some(0), "{command}: {}", help.stderr);
    }
}
