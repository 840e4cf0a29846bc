//! Hooks of a user whose coding agent is also the command of another agent's runner.

use std::fs;

use serde_json::json;

use crate::{
    fixture::{HookFixture, input},
    support::{running::RunningProcess, transcript::words},
};

/// A hook for `Coder`, and a runner of `Builder` whose command calls that hook and answers with its output.
struct SharedHook {
    fixture: HookFixture,
    _runner: RunningProcess,
}

impl SharedHook {
    fn make(prefix: &str) -> Self {
        let fixture = HookFixture::make();
        fixture.install("claude-code");
        let calls = ["SessionStart", "UserPromptSubmit", "PostToolUse", "Stop"].map(|event| {
            let file = fixture.home.path(&format!("{event}.json"));
            fs::write(&file, input("claude-code", event).to_string()).expect("written");
            let hook = fixture.installed("claude-code", event);
            format!("{prefix} {hook} --wait 0 --limit-ms 20000 < {}\n", file.display())
        });
        let script = fixture.home.path("model.sh");
        fs::write(&script, format!("cat > /dev/null\n{}", calls.concat())).expect("written");
        let mut command = fixture.home.command();
        command.env("PARLOUR_URL", &fixture.hub.url).env("PARLOUR_TOKEN", &fixture.hub.token);
        command.args(words("agent --name Builder --exec")).arg(format!("{prefix} sh {}", script.display()));
        let runner = RunningProcess::start(&mut command);
        let ready = runner.line();
        assert!(ready.contains("stop with Ctrl+C"), "{ready}");
        Self { fixture, _runner: runner }
    }

    /// The hook was silent in the run of `Builder`: no text, no delivery step and no run of `Coder`.
    fn check_silence(&self) {
        let secret = self.fixture.post("@Coder 'For you alone'");
        let answer = self.fixture.json("post general '@Builder build it' --wait");
        assert_eq!(answer[0]["body"], json!("{}\n{}\n{}\n{}"), "{answer}");
        assert_eq!(self.fixture.delivery(&secret)["state"], "stored");
        let runs = self.fixture.runs();
        assert_eq!(runs.len(), 1, "only the run of Builder: {runs:?}");
        assert!(!self.fixture.home.path(".local/state/parlour/hooks/sessions").exists(), "no session was kept");
    }
}

#[test]
fn a_hook_inside_the_command_of_a_runner_is_silent() {
    SharedHook::make("").check_silence();
}

#[test]
fn a_hook_inside_a_command_with_one_remaining_variable_of_the_run_is_silent() {
    SharedHook::make("env -u PARLOUR_AGENT -u PARLOUR_RUN_ID").check_silence();
}

#[cfg(target_os = "linux")]
#[test]
fn a_hook_inside_a_command_that_cleared_its_environment_is_silent() {
    SharedHook::make("env -i HOME=\"$HOME\" PATH=\"$PATH\"").check_silence();
}

#[test]
fn commands_of_a_hook_are_refused_inside_the_command_of_a_runner() {
    let fixture = HookFixture::make();
    fixture.install("claude-code");
    let profile = fixture.home.path(".config/parlour/hooks/claude-code.toml");
    let mut command = fixture.home.command();
    command.args(["hook", "as", "--config"]).arg(&profile).arg("inbox").env("PARLOUR_AGENT", "Builder");
    let run = crate::support::run(&mut command, "");
    assert_eq!((run.code, run.stdout.as_str()), (Some(1), ""), "{}", run.stderr);
    assert!(run.stderr.contains("inside a run of agent Builder"), "{}", run.stderr);
}
