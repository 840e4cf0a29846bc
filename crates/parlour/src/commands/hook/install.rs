//! `parlour hook install`: shows the file changes and writes them after a confirmation.

use std::{env, fs, path::PathBuf};

use clap::Args;
use parlour_agent::hooks::{
    settings::{RestoreInfo, entries, with_entries, without_entries},
    tool::Tool,
};
use parlour_core::name::Name;

use super::{
    HookScope, confirm,
    identity::{self, HookIdentity},
    paths::{self, HookPaths},
    records::{InstallRecord, InstallRecords},
    run::WAIT_SECONDS_DEFAULT,
    settings_file::{self, SettingsFile},
};
use crate::{commands::agent::machine_name, failure::Failure, output::Output, session::Connection};

const EXAMPLES: &str = "\
Examples:
  parlour hook install claude-code --agent Coder
  parlour hook install codex --scope project --agent Reviewer --yes
  parlour hook install cursor                  with an agent's own token

Shows all file changes and asks before it writes them. docs/hooks.md describes each tool.";

/// Install the hook in a coding agent: claude-code, codex, gemini or cursor
///
/// The hook gives the coding agent the new messages between its steps, and keeps it from ending its turn while a question
/// waits for its answer.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct HookInstall {
    /// Coding agent: claude-code, codex, gemini or cursor
    #[arg(value_parser = super::tool)]
    tool: Tool,
    /// Install for all your sessions, or for sessions in this folder
    #[arg(long, value_enum, default_value_t = HookScope::User)]
    scope: HookScope,
    /// Agent of the sessions; with a person's token it is added if it does not exist, and gets a token
    #[arg(long, value_name = "NAME")]
    agent: Option<Name>,
    /// Token budget of one hook call; default: the setting of the project
    #[arg(long, value_name = "TOKENS", value_parser = clap::value_parser!(u64).range(128..=100_000))]
    budget: Option<u64>,
    /// Seconds to wait at the end of a turn for the answer to the agent's own question
    #[arg(long, value_name = "SECONDS", default_value_t = WAIT_SECONDS_DEFAULT, value_parser = clap::value_parser!(u64).range(0..=25))]
    wait: u64,
    /// Write without confirmation
    #[arg(long)]
    yes: bool,
    #[command(flatten)]
    connection: Connection,
}

/// All changes of an installation.
struct InstallPlan {
    paths: HookPaths,
    records: InstallRecords,
    file: SettingsFile,
    profile: PathBuf,
    after: String,
    traces: RestoreInfo,
    identity: HookIdentity,
}

impl HookInstall {
    pub(super) async fn run(self) -> Result<Output, Failure> {
        let plan = self.plan().await?;
        if plan.changes_nothing() {
            let text =
                format!("The hook of {} is already installed in {}.\n", self.tool.title(), plan.file.path.display());
            return Ok(Output::text(text));
        }
        let shown = plan.show(self.tool, self.scope)?;
        if let Some(end) = confirm::ask(&shown, self.yes)? {
            return Ok(end);
        }
        let agent = plan.identity.agent().clone();
        let path = plan.file.path.clone();
        plan.write(self.tool, self.scope).await?;
        let shown = if self.yes { shown + "\n" } else { String::new() };
        let title = self.tool.title();
        Ok(Output::text(format!("{shown}{title} now uses agent {agent} ({}).\n{}\n", path.display(), next(self.tool))))
    }

    async fn plan(&self) -> Result<InstallPlan, Failure> {
        let paths = HookPaths::of_user()?;
        let folder = env::current_dir().map_err(|error| Failure::broken("find this folder", &error))?;
        let file = SettingsFile::read(&paths.settings(self.tool, self.scope, &folder))?;
        file.check_writable()?;
        let profile = paths.profile(self.tool, self.scope, &folder);
        let records = InstallRecords::read(&paths);
        let old = records.find(self.tool, &file.path).map(|record| record.traces.clone());
        let command = self.command(&profile)?;
        let (after, traces) = change_text(&file, self.tool, &command, &old.unwrap_or_default())?;
        let machine = machine_name().unwrap_or_default();
        let purpose = format!("parlour hook {} on {machine}", self.tool);
        let identity = HookIdentity::find(&self.connection, self.agent.as_ref(), &profile, &purpose).await?;
        Ok(InstallPlan { paths, records, file, profile, after, traces, identity })
    }

    /// The command line for the tool. It contains no secret, because every user of the machine can list command lines.
    fn command(&self, profile: &std::path::Path) -> Result<String, Failure> {
        let program = paths::quoted_path(&paths::program()?);
        let mut command = format!("{program} hook run {} --config {}", self.tool, paths::quoted_path(profile));
        if let Some(budget) = self.budget {
            command += &format!(" --budget {budget}");
        }
        if self.wait != WAIT_SECONDS_DEFAULT {
            command += &format!(" --wait {}", self.wait);
        }
        Ok(command)
    }
}

/// Adds the entries to the settings text unless they exist.
fn change_text(
    file: &SettingsFile,
    tool: Tool,
    command: &str,
    old: &RestoreInfo,
) -> Result<(String, RestoreInfo), Failure> {
    let before = file.text.clone().unwrap_or_default();
    let refuse = |error| Failure::new(format!("{}: {error}; nothing was changed", file.path.display()));
    let known = entries(&before, tool).map_err(refuse)?;
    let has = |event: &str| known.iter().any(|entry| entry.event == event && entry.command == command);
    let wanted = tool.registrations();
    if known.len() == wanted.len() && wanted.iter().all(|one| has(one.event)) {
        return Ok((before, old.clone()));
    }
    let bare = without_entries(&before, tool, old).map_err(refuse)?;
    with_entries(&bare, tool, command).map_err(refuse)
}

impl InstallPlan {
    fn changes_nothing(&self) -> bool {
        self.file.text.as_ref() == Some(&self.after) && matches!(self.identity, HookIdentity::Kept { .. })
    }

    fn show(&self, tool: Tool, scope: HookScope) -> Result<String, Failure> {
        let mut parts = vec![self.identity.plan()];
        if let Some(shown) = self.identity.shown() {
            let before = fs::read_to_string(&self.profile).ok().map(|text| identity::without_token(&text));
            parts.push(confirm::show_change(&self.profile, before.as_deref(), Some(&shown)));
        }
        if self.file.text.as_ref() != Some(&self.after) {
            parts.push(confirm::show_change(&self.file.path, self.file.text.as_deref(), Some(&self.after)));
        }
        parts.extend(self.planned_records(tool, scope).show_change(&self.paths)?);
        Ok(parts.join("\n"))
    }

    /// The records after the installation, without the id of a token that is not issued yet.
    fn planned_records(&self, tool: Tool, scope: HookScope) -> InstallRecords {
        let (mut records, mut record) = (self.records.clone(), self.record(tool, scope));
        if self.identity.shown().is_some() {
            record.token_id = None;
            records.plan_folder(&self.paths.profiles);
        }
        let folder = self.file.path.parent().unwrap_or(&self.file.path);
        record.made_folders.extend(settings_file::missing_folders(folder));
        records.plan_folder(&self.paths.state);
        records.put(record);
        records
    }

    fn record(&self, tool: Tool, scope: HookScope) -> InstallRecord {
        let old = self.records.find(tool, &self.file.path);
        let mut record = InstallRecord::new(tool, scope, &self.file.path, &self.profile);
        record.traces = self.traces.clone();
        record.token_id = old.and_then(|old| old.token_id.clone());
        record.created_file = self.file.text.is_none() || old.is_some_and(|old| old.created_file);
        record.made_folders = old.map(|old| old.made_folders.clone()).unwrap_or_default();
        record
    }

    /// Writes all files; after an error everything is restored.
    async fn write(mut self, tool: Tool, scope: HookScope) -> Result<(), Failure> {
        let old = self.records.find(tool, &self.file.path).cloned();
        let mut record = self.record(tool, scope);
        let profile_before = fs::read_to_string(&self.profile).ok();
        let realized = self.identity.apply().await?;
        let issued = realized.as_ref().and_then(|(_, token)| token.clone());
        if realized.is_some() {
            record.token_id.clone_from(&issued);
        }
        let replaced = old.as_ref().and_then(|old| old.token_id.clone()).filter(|_| realized.is_some());
        let text = realized.as_ref().map(|(text, _)| text.as_str());
        if let Err(failure) = self.write_files(text, record) {
            self.undo_files(tool, profile_before.as_deref(), old);
            if let Some(token) = &issued {
                self.identity.revoke(token).await;
            }
            return Err(failure);
        }
        if let Some(token) = replaced {
            // Best effort: the token may already be revoked.
            self.identity.revoke(&token).await;
        }
        Ok(())
    }

    fn write_files(&mut self, profile: Option<&str>, mut record: InstallRecord) -> Result<(), Failure> {
        if let Some(text) = profile {
            self.records.make_folder(&self.paths.profiles)?;
            settings_file::replace(&self.profile, text, 0o600)?;
        }
        let folder = self.file.path.parent().unwrap_or(&self.file.path);
        record.made_folders.extend(settings_file::make_folders(folder, 0o755)?);
        self.records.put(record);
        // The record first: uninstall needs it.
        self.records.save(&self.paths)?;
        settings_file::replace(&self.file.path, &self.after, 0o600)
    }

    /// Restores all files. Errors are ignored, because the first error is reported.
    fn undo_files(&mut self, tool: Tool, profile_before: Option<&str>, old: Option<InstallRecord>) {
        let put_back = |path: &std::path::Path, before: Option<&str>| match before {
            Some(text) => settings_file::replace(path, text, 0o600),
            None => identity::remove_profile(path),
        };
        let _ = put_back(&self.profile, profile_before);
        let _ = put_back(&self.file.path, self.file.text.as_deref());
        let made = self.records.find(tool, &self.file.path).map(|record| record.made_folders.clone());
        settings_file::remove_empty(&made.unwrap_or_default());
        self.records.remove(tool, &self.file.path);
        if let Some(old) = old {
            self.records.put(old);
        }
        let _ = self.records.save(&self.paths);
    }
}

/// Instructions for the user after the installation.
fn next(tool: Tool) -> &'static str {
    match tool {
        Tool::ClaudeCode => "New sessions use the hook; /hooks lists it.",
        Tool::Codex => {
            "Codex runs a hook only after you trust it: open /hooks in its next session. Versions with hooks off by \
             default need `hooks = true` below [features] in config.toml."
        }
        Tool::Gemini => "New sessions use the hook; /hooks lists it. In a project, Gemini CLI asks you to trust it.",
        Tool::Cursor => "Cursor reloads the file automatically; Settings → Hooks lists it.",
    }
}
