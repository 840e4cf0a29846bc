//! `parlour hook status`: where the hook is installed, and what is no longer as it was.

use std::{
    env, fs,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
};

use clap::Args;
use parlour_agent::{
    Client,
    hooks::{
        settings::{Entry, entries, switch_off},
        tool::Tool,
    },
};
use parlour_core::Code;
use serde::Serialize;

use super::{
    Scope,
    places::{self, Places},
    profile,
    records::Records,
    settings_file::SettingsFile,
};
use crate::{
    failure::{EXIT_FAILED, Failure},
    output::Output,
};

const EXAMPLES: &str = "\
Examples:
  parlour hook status
  parlour hook status --json

Ends with 1 when something is not as it should be.";

/// Show where the hook is installed, and what has changed since
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Status {
    /// Print JSON, for programs
    #[arg(long)]
    json: bool,
}

/// How one tool stands in one scope.
#[derive(Debug, Serialize)]
struct Standing {
    tool: &'static str,
    scope: Scope,
    file: PathBuf,
    is_installed: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    agent: Option<String>,
    /// What is not as it should be.
    drift: Vec<String>,
}

impl Status {
    pub(super) async fn run(self) -> Result<Output, Failure> {
        let places = Places::of_user()?;
        let folder = env::current_dir().map_err(|error| Failure::broken("find this folder", &error))?;
        let records = Records::read(&places);
        let mut standings = Vec::new();
        for tool in Tool::ALL {
            for scope in [Scope::User, Scope::Project] {
                let file = places.settings(tool, scope, &folder);
                let profile = places.profile(tool, scope, &folder);
                standings.push(look(&places, &records, (tool, scope), &file, &profile).await);
            }
        }
        for record in records.iter() {
            let Some(tool) = record.tool().filter(|_| standings.iter().all(|known| !is_at(known, &record.file))) else {
                continue;
            };
            standings.push(look(&places, &records, (tool, record.scope), &record.file, &record.profile).await);
        }
        let is_drifting = standings.iter().any(|standing| !standing.drift.is_empty());
        let exit = if is_drifting { EXIT_FAILED } else { 0 };
        let output = if self.json { Output::json(&standings)? } else { Output::text(show(&places, &standings)) };
        Ok(Output { exit, ..output })
    }
}

fn is_at(standing: &Standing, file: &Path) -> bool {
    standing.file == file || standing.file.canonicalize().is_ok_and(|real| real == file)
}

async fn look(places: &Places, records: &Records, at: (Tool, Scope), file: &Path, profile: &Path) -> Standing {
    let (tool, scope) = at;
    let mut standing = Standing {
        tool: tool.name(),
        scope,
        file: file.to_owned(),
        is_installed: false,
        agent: None,
        drift: Vec::new(),
    };
    let found = SettingsFile::read(file).map_err(|failure| failure.to_string());
    let real = found.as_ref().map_or(file.to_owned(), |found| found.path.clone());
    let record = records.find(tool, &real);
    let text = found.map(|found| found.text.unwrap_or_default());
    let known = text.as_ref().map_err(Clone::clone).and_then(|text| entries(text, tool).map_err(|it| it.to_string()));
    standing.is_installed = record.is_some() || known.as_ref().is_ok_and(|known| !known.is_empty());
    if !standing.is_installed {
        return standing;
    }
    match known {
        Err(why) => standing.drift.push(format!("the file cannot be read: {why}")),
        Ok(known) => standing.drift.extend(drift_of_entries(tool, &known, profile)),
    }
    let off = text.ok().and_then(|text| switch_off(&text, tool)).or_else(|| codex_off(places, tool));
    standing.drift.extend(off.map(|what| format!("hooks are switched off in the tool: {what}")));
    let version = env!("CARGO_PKG_VERSION");
    match record {
        None => standing.drift.push("it was not installed by this user here; install it again to have it kept".into()),
        Some(record) if record.version != version => {
            standing.drift.push(format!("it was installed by version {}, and this is {version}", record.version));
        }
        Some(_) => {}
    }
    match whose(profile).await {
        Ok(agent) => standing.agent = Some(agent),
        Err(why) => standing.drift.push(why),
    }
    standing
}

fn drift_of_entries(tool: Tool, known: &[Entry], profile: &Path) -> Vec<String> {
    let mut drift = Vec::new();
    let missing = tool.registrations().iter().filter(|one| known.iter().all(|entry| entry.event != one.event));
    let missing: Vec<_> = missing.map(|one| one.event).collect();
    if !missing.is_empty() {
        drift.push(format!("entries are missing: {}", missing.join(", ")));
    }
    let Ok(program) = places::program() else { return drift };
    let wanted = format!("{} hook run {tool} --config {}", places::quoted_path(&program), places::quoted_path(profile));
    let odd =
        known.iter().find(|entry| entry.command != wanted && !entry.command.starts_with(&(wanted.clone() + " --")));
    if let Some(odd) = odd {
        let (called, rest) = odd.command.split_once(" hook run ").unwrap_or_default();
        let is_other = called != places::quoted_path(&program);
        let what = if is_other {
            format!("another program is called: {called}")
        } else {
            format!("an entry was changed: {rest}")
        };
        drift.push(what);
    }
    drift
}

/// What switches the hooks of Codex off, which stands in another file than the hooks.
fn codex_off(places: &Places, tool: Tool) -> Option<&'static str> {
    let text = (tool == Tool::Codex).then(|| fs::read_to_string(places.codex_config()).ok())??;
    let config: toml::Table = text.parse().ok()?;
    let features = config.get("features")?;
    let off = |key: &str| features.get(key).and_then(toml::Value::as_bool) == Some(false);
    (off("hooks") || off("codex_hooks")).then_some("hooks = false below [features] in config.toml")
}

/// The agent of a profile, or why there is none.
async fn whose(profile: &Path) -> Result<String, String> {
    let about = fs::metadata(profile).map_err(|_| format!("{} is missing", profile.display()))?;
    if about.permissions().mode() & 0o077 != 0 {
        return Err(format!("{} can be read by others: chmod 600 it", profile.display()));
    }
    let settings = profile::read(profile.as_os_str()).map_err(|failure| failure.to_string())?;
    let client = Client::with_options(&settings.url, &settings.options()).map_err(|error| error.to_string())?;
    match client.me().await {
        Ok(me) if me.member_id.agent().is_some() => Ok(format!("{} at {}", me.name, client.url())),
        Ok(me) => Err(format!("the token is of {}, who is no agent", me.name)),
        Err(error) if error.problem().is_some_and(|problem| problem.is(Code::Unauthenticated)) => {
            Err("the token has ended; install the hook again".to_owned())
        }
        Err(error) => Err(format!("the hub is away: {error}")),
    }
}

fn show(places: &Places, standings: &[Standing]) -> String {
    let mut text = String::new();
    for standing in standings.iter().filter(|standing| standing.is_installed) {
        let agent = standing.agent.as_deref().unwrap_or("nobody");
        let is_well = if standing.drift.is_empty() { ", as it should be" } else { "" };
        text += &format!("{} ({}): the agent {agent}{is_well}\n", standing.tool, standing.scope.name());
        text += &format!("  {}\n", standing.file.display());
        standing.drift.iter().for_each(|drift| text += &format!("  ! {drift}\n"));
    }
    if text.is_empty() {
        return "No hook is installed here.\nNext: parlour hook install claude-code --agent Coder\n".to_owned();
    }
    if places.journal().exists() {
        text += &format!("What went wrong lately stands in {}\n", places.journal().display());
    }
    text
}
