//! `parlour hook status`: lists installed hooks and their problems.

use std::{
    collections::BTreeSet,
    env, fs,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
};

use clap::Args;
use parlour_agent::{
    Client,
    hooks::{
        own_call::simple_words,
        permission::Permission,
        settings::{HookEntry, entries, has_rules, hooks_disabled_by},
        tool::Tool,
    },
};
use parlour_core::Code;
use serde::Serialize;

use super::{
    HookScope, codex_trust, identity,
    paths::{self, HookPaths},
    records::{InstallRecord, InstallRecords},
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

The exit code is 1 when an installation has problems.";

/// Show where the hook is installed, and problems of each installation
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct HookStatus {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// The state of the hook of one tool in one scope.
#[derive(Debug, Serialize)]
struct HookInstallation {
    tool: &'static str,
    scope: HookScope,
    file: PathBuf,
    is_installed: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    agent: Option<String>,
    /// Whether the agent may answer without an approval.
    has_permission: bool,
    /// Problems of the installation.
    drift: Vec<String>,
}

impl HookStatus {
    pub(super) async fn run(self) -> Result<Output, Failure> {
        let paths = HookPaths::of_user()?;
        let folder = env::current_dir().map_err(|error| Failure::broken("find this folder", &error))?;
        let records = InstallRecords::read(&paths);
        let mut installations = Vec::new();
        for tool in Tool::ALL {
            for scope in [HookScope::User, HookScope::Project] {
                if scope == HookScope::Project && paths.is_shared(tool, &folder) {
                    continue;
                }
                let file = paths.settings(tool, scope, &folder);
                let profile = paths.profile(tool, scope, &folder);
                installations.push(inspect(&paths, &records, (tool, scope), &file, &profile).await);
            }
        }
        for record in records.iter() {
            let Some(tool) = record.tool().filter(|_| installations.iter().all(|known| !is_at(known, &record.file)))
            else {
                continue;
            };
            installations.push(inspect(&paths, &records, (tool, record.scope), &record.file, &record.profile).await);
        }
        let is_drifting = installations.iter().any(|installation| !installation.drift.is_empty());
        let exit = if is_drifting { EXIT_FAILED } else { 0 };
        let output = if self.json { Output::json(&installations)? } else { Output::text(show(&paths, &installations)) };
        Ok(Output { exit, ..output })
    }
}

fn is_at(installation: &HookInstallation, file: &Path) -> bool {
    installation.file == file || installation.file.canonicalize().is_ok_and(|real| real == file)
}

async fn inspect(
    paths: &HookPaths,
    records: &InstallRecords,
    at: (Tool, HookScope),
    file: &Path,
    profile: &Path,
) -> HookInstallation {
    let (tool, scope) = at;
    let mut installation = HookInstallation {
        tool: tool.name(),
        scope,
        file: file.to_owned(),
        is_installed: false,
        agent: None,
        has_permission: false,
        drift: Vec::new(),
    };
    let found = SettingsFile::read(file).map_err(|failure| failure.to_string());
    let real = found.as_ref().map_or(file.to_owned(), |found| found.path.clone());
    let record = records.find(tool, &real);
    let text = found.map(|found| found.text.unwrap_or_default());
    installation.has_permission = record.is_some_and(|record| record.has_permission);
    let known = text.as_ref().map_err(Clone::clone).and_then(|text| entries(text, tool).map_err(|it| it.to_string()));
    installation.is_installed = record.is_some() || known.as_ref().is_ok_and(|known| !known.is_empty());
    if !installation.is_installed {
        return installation;
    }
    match known {
        Err(why) => installation.drift.push(format!("cannot read the settings file: {why}")),
        Ok(known) => {
            installation.drift.extend(drift_of_entries(tool, &known, profile));
            installation.drift.extend(distrust(paths, tool, &real, &known));
            let allowed = text.as_deref().unwrap_or_default();
            installation.drift.extend(missing_permission(tool, &known, profile, allowed, record));
        }
    }
    let off = text.ok().and_then(|text| hooks_disabled_by(&text, tool)).or_else(|| codex_off(paths, tool));
    installation.drift.extend(off.map(|what| format!("hooks are disabled in the tool: {what}")));
    let version = env!("CARGO_PKG_VERSION");
    match record {
        None => installation.drift.push("no record of this installation; run `parlour hook install` again".into()),
        Some(record) if record.version != version => {
            installation.drift.push(format!("installed by version {}; this is version {version}", record.version));
        }
        Some(_) => {}
    }
    match agent_of_profile(profile).await {
        Ok(agent) => installation.agent = Some(agent),
        Err(why) => installation.drift.push(why),
    }
    installation
}

fn drift_of_entries(tool: Tool, known: &[HookEntry], profile: &Path) -> Vec<String> {
    let mut drift = Vec::new();
    let missing = tool.registrations().iter().filter(|one| known.iter().all(|entry| entry.event != one.event));
    let missing: Vec<_> = missing.map(|one| one.event).collect();
    if !missing.is_empty() {
        drift.push(format!("entries are missing: {}", missing.join(", ")));
    }
    let called: BTreeSet<_> = known.iter().filter_map(|entry| called_program(&entry.command)).collect();
    if let Some(gone) = called.iter().find(|program| !is_program(program)) {
        let path = gone.display();
        drift.push(format!("the entry calls {path}, which is not there or not executable; install the hook again"));
        return drift;
    }
    let Ok(program) = paths::program() else { return drift };
    let wanted = format!("{} hook run {tool} --config {}", paths::quoted_path(&program), paths::quoted_path(profile));
    let odd =
        known.iter().find(|entry| entry.command != wanted && !entry.command.starts_with(&(wanted.clone() + " --")));
    if let Some(odd) = odd {
        let (called, rest) = odd.command.split_once(" hook run ").unwrap_or_default();
        let is_other = called != paths::quoted_path(&program);
        let what = if is_other {
            format!("the entry calls another program: {called}")
        } else {
            format!("the entry was changed: {rest}")
        };
        drift.push(what);
    }
    drift
}

/// The program that an entry calls.
fn called_program(command: &str) -> Option<PathBuf> {
    simple_words(command)?.into_iter().next().map(PathBuf::from)
}

fn is_program(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|about| about.is_file() && about.permissions().mode() & 0o111 != 0)
}

/// Why Codex does not run the entries.
fn distrust(paths: &HookPaths, tool: Tool, file: &Path, known: &[HookEntry]) -> Option<String> {
    let config = (tool == Tool::Codex).then(|| fs::read_to_string(paths.codex_config()).unwrap_or_default())?;
    codex_trust::problem(&config, file, known)
}

/// The permission that the installation wrote and that is no longer there.
fn missing_permission(
    tool: Tool,
    known: &[HookEntry],
    profile: &Path,
    settings: &str,
    record: Option<&InstallRecord>,
) -> Option<String> {
    let record = record.filter(|record| record.has_permission)?;
    let program = called_program(&known.first()?.command)?;
    let (is_there, place) = match (paths::permission(tool, &program, profile), &record.rule_file) {
        (Permission::Settings(rules), _) => (has_rules(settings, &rules), "permissions.allow".to_owned()),
        (Permission::RuleFile(rules), Some(path)) => {
            (fs::read_to_string(path).is_ok_and(|text| text == rules), path.display().to_string())
        }
        (Permission::RuleFile(_) | Permission::None, _) => return None,
    };
    let text = format!(
        "the permission to answer without an approval is missing or changed in {place}; install the hook again"
    );
    (!is_there).then_some(text)
}

/// The setting that disables the hooks of Codex, from its config file.
fn codex_off(paths: &HookPaths, tool: Tool) -> Option<&'static str> {
    let text = (tool == Tool::Codex).then(|| fs::read_to_string(paths.codex_config()).ok())??;
    let config: toml::Table = text.parse().ok()?;
    let features = config.get("features")?;
    let off = |key: &str| features.get(key).and_then(toml::Value::as_bool) == Some(false);
    (off("hooks") || off("codex_hooks")).then_some("hooks = false below [features] in config.toml")
}

/// The agent of a profile, or the problem.
async fn agent_of_profile(profile: &Path) -> Result<String, String> {
    let about = fs::metadata(profile).map_err(|_| format!("{} is missing", profile.display()))?;
    if about.permissions().mode() & 0o077 != 0 {
        return Err(format!("other users can read {0}; run: chmod 600 '{0}'", profile.display()));
    }
    let settings = identity::read_profile(profile.as_os_str()).map_err(|failure| failure.to_string())?;
    let client = Client::with_options(&settings.url, &settings.options()).map_err(|error| error.to_string())?;
    match client.me().await {
        Ok(me) if me.member_id.agent().is_some() => Ok(format!("{} at {}", me.name, client.url())),
        Ok(me) => Err(format!("the token belongs to {}, which is not an agent", me.name)),
        Err(error) if error.problem().is_some_and(|problem| problem.is(Code::Unauthenticated)) => {
            Err("the token is no longer valid; install the hook again".to_owned())
        }
        Err(error) => Err(format!("the hub is not reachable: {error}")),
    }
}

fn show(paths: &HookPaths, installations: &[HookInstallation]) -> String {
    let mut text = String::new();
    for installation in installations.iter().filter(|installation| installation.is_installed) {
        let agent = installation.agent.as_deref().unwrap_or("unknown");
        let is_well = if installation.drift.is_empty() { ", OK" } else { "" };
        text += &format!("{} ({}): agent {agent}{is_well}\n", installation.tool, installation.scope.name());
        text += &format!("  {}\n", installation.file.display());
        if !installation.has_permission {
            text += "  Each answer of the agent needs an approval.\n";
        }
        installation.drift.iter().for_each(|drift| text += &format!("  ! {drift}\n"));
    }
    if text.is_empty() {
        return "No hook is installed here.\nNext: parlour hook install claude-code --agent Coder\n".to_owned();
    }
    if paths.journal().exists() {
        text += &format!("Recent errors: {}\n", paths.journal().display());
    }
    text
}
