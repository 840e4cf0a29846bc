//! Commands that go wrong: bounded, reported, nothing hangs, nothing is lost.

use parlour_core::{limits, message::State};

use crate::fixture::AgentFixture;

/// What an agent with this command makes of a question.
async fn answer_of(command: &str, more: &str) -> (AgentFixture, parlour_core::message::Message) {
    let fixture = AgentFixture::make();
    let agent = fixture.agent(&format!("--name Coder --exec '{command}' {more}"));
    let mut watch = fixture.watch().await;
    fixture.say("@Coder go").await;
    let answer = watch.ended().await;
    drop(agent);
    (fixture, answer)
}

#[tokio::test]
async fn a_failing_command_gives_a_failed_answer_with_its_last_error_lines() {
    let (_fixture, answer) = answer_of("echo some; echo no such file >&2; exit 3", "").await;
    assert_eq!((answer.state, answer.body.trim_end()), (State::Failed, "some"));
    let reason = answer.reason.expect("why");
    assert!(reason.contains("status 3") && reason.contains("no such file"), "{reason}");
}

#[tokio::test]
async fn a_missing_command_is_named() {
    let (_fixture, answer) = answer_of("no-such-command-anywhere", "").await;
    assert_eq!(answer.state, State::Failed);
    let reason = answer.reason.expect("why");
    assert!(reason.contains("no-such-command-anywhere"), "{reason}");
}

#[tokio::test]
async fn a_command_without_output_gives_a_failed_answer() {
    let (_fixture, answer) = answer_of("cat >/dev/null", "").await;
    assert_eq!(answer.state, State::Failed);
    assert!(answer.reason.is_some_and(|reason| !reason.is_empty()));
}

#[tokio::test]
async fn an_endless_command_is_stopped_at_its_time_limit() {
    let (_fixture, answer) = answer_of("echo begun; sleep 600", "--answer-time 1s").await;
    assert_eq!((answer.state, answer.body.trim_end()), (State::Failed, "begun"));
    assert!(answer.reason.as_deref().is_some_and(|reason| reason.contains("1 second")), "{:?}", answer.reason);
}

#[tokio::test]
async fn invalid_utf_8_is_shown_as_replacement_characters() {
    let (_fixture, answer) = answer_of(r#"printf "a\377b\n""#, "").await;
    assert_eq!((answer.state, answer.body.trim_end()), (State::Complete, "a\u{FFFD}b"));
}

#[tokio::test]
async fn an_answer_of_ten_megabytes_is_cut_and_attached_as_a_file() {
    let fixture = AgentFixture::make();
    let _agent = fixture.agent("--name Coder --exec 'yes line | head -c 10000000'");
    let mut watch = fixture.watch().await;
    fixture.say("@Coder go").await;
    let answer = watch.ended().await;
    assert_eq!(answer.state, State::Complete);
    assert!(answer.body.len() <= limits::MESSAGE_BODY_BYTES_MAX && answer.body.len() > 60_000, "{}", answer.body.len());
    let notice = watch.ended().await;
    assert_eq!((notice.is_notice, notice.reply_to), (true, Some(answer.id)));
    let file = notice.artifacts.first().or(notice.attachments.first().and_then(|file| file.artifact_id.as_ref()));
    let file = file.expect("the whole answer");
    let url = format!("{}/artifacts/{file}/content", fixture.hub.url);
    let content = reqwest::Client::new().get(url).bearer_auth(&fixture.hub.token).send().await.expect("answered");
    let whole = content.text().await.expect("a text");
    assert_eq!(whole.lines().count(), 2_000_000);
}

#[test]
fn usage_errors_are_reported_before_anything_is_sent() {
    let fixture = AgentFixture::make();
    for (line, word) in [
        ("--name Coder", "--exec"),
        ("--name Coder --exec a --echo", "cannot be used with"),
        ("--echo", "--name"),
        ("--name Coder --exec ''", "needs a command"),
        ("--name Coder --exec cat --model m", "--model is only valid with"),
        ("--name Coder --echo --model m", "--model is only valid with"),
        ("--name Coder --claude-code --codex", "cannot be used with"),
        ("--name Coder --claude-code --exec a", "cannot be used with"),
        ("--name Coder --claude-code --key-env KEY", "--key-env is only valid with --openai"),
        ("--name Coder --claude-code --events text", "--events is only valid with --exec"),
        ("--name Coder --codex --prompt argument", "--prompt argument is only valid with --exec"),
        ("--name Coder --echo --events auto", "--events is only valid with --exec"),
        ("--name Coder --exec cat -- --more", "an argument after -- is only valid with --claude-code"),
        ("--name Coder --exec cat --events json", "possible values"),
        ("--name Coder --openai http://127.0.0.1:1/v1", "--model"),
        ("--name Coder --openai ftp://x --model m", "is not a valid provider URL"),
        ("--name Coder --exec cat --folder nowhere", "is not a folder"),
        ("--name 'a/b' --echo", "name"),
    ] {
        let run = fixture.hub.run(&format!("agent {line}"));
        assert_eq!(run.code, Some(2), "{line}: {}", run.stderr);
        assert!(run.stderr.contains(word), "{line}: {}", run.stderr);
    }
}

#[tokio::test]
async fn the_processes_of_a_command_end_when_its_runner_is_killed() {
    let fixture = AgentFixture::make();
    let pipe = fixture.folder.path().join("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().expect("mkfifo").success());
    let agent = fixture.agent(&format!("--name Coder --exec 'sleep 600 > {} & wait'", pipe.display()));
    fixture.say("@Coder go").await;
    // Opens when the process below the command has opened its end.
    let held = tokio::task::spawn_blocking(move || std::fs::File::open(pipe).expect("open")).await.expect("opened");
    // Kills the runner, which cannot clean up.
    drop(agent);
    let rest = tokio::task::spawn_blocking(move || std::io::read_to_string(held)).await.expect("read");
    assert_eq!(rest.expect("text"), "", "the last writer has ended");
}
