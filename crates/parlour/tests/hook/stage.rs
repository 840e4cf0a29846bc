//! A hub, an agent, and the home of somebody whose coding agents have the hook.

#![allow(clippy::panic, reason = "this is part of tests")]

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use serde_json::Value;
use tempfile::TempDir;

use crate::support::{self, Hub, Run, transcript::words};

/// The tools, and the occasions of each in the order of its recorded inputs.
pub(crate) const TOOLS: [&str; 4] = ["claude-code", "codex", "gemini", "cursor"];

/// A home without any hub.
pub(crate) struct Home {
    pub(crate) folder: TempDir,
}

impl Home {
    pub(crate) fn make() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
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
pub(crate) struct Stage {
    pub(crate) hub: Hub,
    pub(crate) home: Home,
}

impl Stage {
    pub(crate) fn make() -> Self {
        let home = Home::make();
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
        let profile = self.home.path(&format!(".config/parlour/hooks/{tool}.toml"));
        let run = self.home.hook(tool, &profile, "--wait 0 --limit-ms 20000", &input.to_string());
        assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{}", run.stdout);
        serde_json::from_str(&run.stdout).unwrap_or_else(|error| panic!("{error}: {}", run.stdout))
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
    let places = ["/hookSpecificOutput/additionalContext", "/additional_context", "/reason", "/followup_message"];
    places.iter().find_map(|place| answer.pointer(place)).and_then(Value::as_str).unwrap_or_default()
}
