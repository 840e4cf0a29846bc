//! A hub, an agent, and the home of somebody whose coding agents have the hook.

#![allow(clippy::panic, reason = "this is part of tests")]

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

use serde_json::Value;
use tempfile::TempDir;

use crate::support::{self, Hub, Run, transcript::words};

/// The tools, and the occasions of each in the order of its recorded inputs.
pub(crate) const TOOLS: [&str; 4] = ["claude-code", "codex", "gemini", "cursor"];

/// A home without any hub.
pub(crate) struct AgentHome {
    pub(crate) folder: TempDir,
}

impl AgentHome {
    pub(crate) fn make() -> Self {
        Self::called(".tmp")
    }

    /// A home whose name begins like this.
    pub(crate) fn called(name: &str) -> Self {
        let folder = tempfile::Builder::new().prefix(name).tempdir().expect("a folder");
        fs::create_dir(folder.path().join("work")).expect("a folder to work in");
        Self { folder }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn text(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        fs::write(path, text).expect("written");
    }

    /// The program in this home, with nothing set of whoever runs the tests.
    pub(crate) fn command(&self) -> Command {
        let mut command = support::parlour(&self.path("work"));
        command.env("HOME", self.folder.path());
        for name in ["XDG_CONFIG_HOME", "XDG_STATE_HOME", "CODEX_HOME", "CLAUDE_CONFIG_DIR"] {
            command.env_remove(name);
        }
        command
    }

    /// A shell in this home, with nothing set but what every shell has; what it is to run follows.
    pub(crate) fn shell(&self) -> Command {
        let mut shell = Command::new("sh");
        shell.env_clear().env("PATH", env::var_os("PATH").unwrap_or_default()).env("TZ", "UTC");
        shell.env("HOME", self.folder.path()).current_dir(self.path("work")).arg("-c");
        shell
    }

    /// Everything that is in it: each file with what it holds, and each folder.
    pub(crate) fn everything(&self) -> Vec<(PathBuf, Option<Vec<u8>>)> {
        fn walk(folder: &Path, found: &mut Vec<(PathBuf, Option<Vec<u8>>)>) {
            for entry in fs::read_dir(folder).expect("listed").flatten() {
                let path = entry.path();
                if path.is_dir() && !path.is_symlink() {
                    found.push((path.clone(), None));
                    walk(&path, found);
                } else {
                    found.push((path.clone(), fs::read(&path).ok()));
                }
            }
        }
        let mut found = Vec::new();
        walk(self.folder.path(), &mut found);
        found.sort();
        found
    }

    pub(crate) fn journal(&self) -> String {
        fs::read_to_string(self.path(".local/state/parlour/hooks/journal.log")).unwrap_or_default()
    }

    /// Calls the hook as a tool does, with a profile that is there.
    pub(crate) fn hook(&self, tool: &str, profile: &Path, flags: &str, input: &str) -> Run {
        let mut command = self.command();
        command.args(["hook", "run", tool, "--config"]).arg(profile).args(words(flags));
        support::run(&mut command, input)
    }
}

/// A home whose agent is `Coder` of a real hub.
pub(crate) struct HookFixture {
    pub(crate) hub: Hub,
    pub(crate) home: AgentHome,
}

impl HookFixture {
    pub(crate) fn make() -> Self {
        Self::at(AgentHome::make())
    }

    pub(crate) fn at(home: AgentHome) -> Self {
        let hub = Hub::start(home.folder.path());
        Self { hub, home }
    }

    /// Runs a command in the home, as the administrator.
    pub(crate) fn run(&self, line: &str) -> Run {
        let mut command = self.home.command();
        command.env("PARLOUR_URL", &self.hub.url).env("PARLOUR_TOKEN", &self.hub.token);
        support::run(command.args(words(line)), "")
    }

    /// The same; it must succeed, and its JSON is read.
    pub(crate) fn json(&self, line: &str) -> Value {
        let run = self.run(&format!("{line} --json"));
        assert_eq!(run.code, Some(0), "{line}: {}{}", run.stdout, run.stderr);
        serde_json::from_str(&run.stdout).unwrap_or_else(|error| panic!("{line}: {error}: {}", run.stdout))
    }

    /// Installs the hook of a tool for `Coder`.
    pub(crate) fn install(&self, tool: &str) {
        let run = self.run(&format!("hook install {tool} --agent Coder --yes"));
        assert_eq!(run.code, Some(0), "{}{}", run.stdout, run.stderr);
    }

    /// A tool calls the hook by the command that was installed, through a shell.
    pub(crate) fn call(&self, tool: &str, input: &Value) -> Value {
        let command = self.installed(tool, input["hook_event_name"].as_str().expect("an event"));
        let mut shell = self.home.shell();
        let run = support::run(shell.arg(format!("{command} --wait 0 --limit-ms 20000")), &input.to_string());
        assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{}", run.stdout);
        serde_json::from_str(&run.stdout).unwrap_or_else(|error| panic!("{error}: {}", run.stdout))
    }

    /// The command that is installed for an event.
    pub(crate) fn installed(&self, tool: &str, event: &str) -> String {
        let text = self.home.text(settings(tool, "user"));
        let all: Value = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"));
        command_in(&all["hooks"][event]).unwrap_or_else(|| panic!("nothing is installed for {event}: {text}"))
    }

    /// What became of a message for the agent.
    pub(crate) fn delivery(&self, message: &str) -> Value {
        let url = format!("{}/messages/{message}/deliveries", self.hub.url);
        let answer = get(&url, &self.hub.token);
        answer["items"][0].clone()
    }

    /// The runs of the project, newest first.
    pub(crate) fn runs(&self) -> Vec<Value> {
        let project = self.json("project show")["id"].as_str().expect("an id").to_owned();
        let answer = get(&format!("{}/runs?project_id={project}", self.hub.url), &self.hub.token);
        answer["items"].as_array().expect("a list").clone()
    }

    /// The kinds of the entries in the timeline of a run, oldest first.
    pub(crate) fn timeline(&self, run: &str) -> Vec<String> {
        let answer = get(&format!("{}/runs/{run}/timeline", self.hub.url), &self.hub.token);
        let kinds = answer["items"].as_array().expect("a list").iter();
        kinds.map(|entry| entry["kind"].as_str().expect("a kind").to_owned()).collect()
    }

    /// What was given to a run, oldest first.
    pub(crate) fn injections(&self, run: &str) -> Vec<Value> {
        let answer = get(&format!("{}/runs/{run}/injections", self.hub.url), &self.hub.token);
        answer["items"].as_array().expect("a list").clone()
    }

    /// Says something, and answers the id of the message.
    pub(crate) fn post(&self, line: &str) -> String {
        self.json(&format!("post {line}"))["id"].as_str().expect("an id").to_owned()
    }
}

fn command_in(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => text.contains(" hook run ").then(|| text.clone()),
        Value::Array(items) => items.iter().find_map(command_in),
        Value::Object(fields) => fields.values().find_map(command_in),
        _ => None,
    }
}

/// The settings file of a tool, below the home.
pub(crate) fn settings(tool: &str, scope: &str) -> &'static str {
    match (tool, scope) {
        ("claude-code", "user") => ".claude/settings.json",
        ("claude-code", _) => "work/.claude/settings.local.json",
        ("codex", "user") => ".codex/hooks.json",
        ("codex", _) => "work/.codex/hooks.json",
        ("gemini", "user") => ".gemini/settings.json",
        ("gemini", _) => "work/.gemini/settings.json",
        (_, "user") => ".cursor/hooks.json",
        _ => "work/.cursor/hooks.json",
    }
}

fn get(url: &str, token: &str) -> Value {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let request = reqwest::Client::new().get(url).bearer_auth(token);
        request.send().await.expect("answered").json().await.expect("JSON")
    })
}

/// The recorded inputs of a tool.
pub(crate) fn recorded(tool: &str) -> Vec<Value> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/hook/fixtures/{tool}.jsonl"));
    let text = fs::read_to_string(path).expect("recorded");
    text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

/// The recorded input of this event.
pub(crate) fn input(tool: &str, event: &str) -> Value {
    recorded(tool).into_iter().find(|input| input["hook_event_name"] == event).expect(event)
}

/// What an answer puts before the model, whichever tool it is for.
pub(crate) fn told(answer: &Value) -> &str {
    let places = [
        "/hookSpecificOutput/additionalContext",
        "/hookSpecificOutput/permissionDecisionReason",
        "/additional_context",
        "/agent_message",
        "/reason",
        "/followup_message",
    ];
    places.iter().find_map(|place| answer.pointer(place)).and_then(Value::as_str).unwrap_or_default()
}
