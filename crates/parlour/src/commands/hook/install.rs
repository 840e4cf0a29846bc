//! `parlour hook install`: shows the file changes and writes them after a confirmation.

use std::{
    env, fs,
    path::{Path, PathBuf},
};

use clap::Args;
use parlour_agent::hooks::{
    permission::Permission,
    settings::{RestoreInfo, entries, has_rules, with_entries, without_entries},
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
    /// Do not permit the commands with which the agent reads and answers messages: each of them needs an approval
    #[arg(long)]
    no_permission: bool,
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
    /// The file with the permission, for tools that have one.
    rules: Option<RuleFile>,
    has_permission: bool,
    identity: HookIdentity,
}

/// A file with a permission and its new text; none if it is removed.
struct RuleFile {
    file: SettingsFile,
    after: Option<String>,
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
        let approval = approval_note(self.tool, plan.has_permission);
        plan.write(self.tool, self.scope).await?;
        let shown = if self.yes { shown + "\n" } else { String::new() };
        let (title, next) = (self.tool.title(), next(self.tool));
        Ok(Output::text(format!("{shown}{title} now uses agent {agent} ({}).\n{approval}{next}\n", path.display())))
    }

    async fn plan(&self) -> Result<InstallPlan, Failure> {
        let paths = HookPaths::of_user()?;
        let folder = env::current_dir().map_err(|error| Failure::broken("find this folder", &error))?;
        paths.check_scope(self.tool, self.scope, &folder)?;
        let file = SettingsFile::read(&paths.settings(self.tool, self.scope, &folder))?;
        file.check_writable()?;
        let profile = paths.profile(self.tool, self.scope, &folder);
        let records = InstallRecords::read(&paths);
        let old = records.find(self.tool, &file.path);
        let traces = old.map(|record| record.traces.clone()).unwrap_or_default();
        let command = self.command(&profile)?;
        let permission = if self.no_permission {
            Permission::None
        } else {
            paths::permission(self.tool, &paths::program()?, &profile)
        };
        let (after, traces) = change_text(&file, self.tool, &command, permission.in_settings(), &traces)?;
        let known = old.and_then(|record| record.rule_file.as_ref());
        let rules = rule_file(&paths, self.tool, self.scope, &folder, &permission, known)?;
        let has_permission = permission != Permission::None;
        let machine = machine_name().unwrap_or_default();
        let purpose = format!("parlour hook {} on {machine}", self.tool);
        let identity = HookIdentity::find(&self.connection, self.agent.as_ref(), &profile, &purpose).await?;
        Ok(InstallPlan { paths, records, file, profile, after, traces, rules, has_permission, identity })
    }

    /// The command line for the tool. It contains no secret, because every user of the machine can list command lines.
    fn command(&self, profile: &Path) -> Result<String, Failure> {
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
    rules: &[String],
    old: &RestoreInfo,
) -> Result<(String, RestoreInfo), Failure> {
    let before = file.text.clone().unwrap_or_default();
    let refuse = |error| Failure::new(format!("{}: {error}; nothing was changed", file.path.display()));
    let known = entries(&before, tool).map_err(refuse)?;
    let has = |event: &str| known.iter().any(|entry| entry.event == event && entry.command == command);
    let wanted = tool.registrations();
    let has_permission = has_rules(&before, rules) && (!rules.is_empty() || old.added_rules.is_empty());
    if known.len() == wanted.len() && wanted.iter().all(|one| has(one.event)) && has_permission {
        return Ok((before, old.clone()));
    }
    let bare = without_entries(&before, tool, old).map_err(refuse)?;
    with_entries(&bare, tool, command, rules).map_err(refuse)
}

/// The change of the file with the permission. A file that no installation has written is not overwritten.
fn rule_file(
    paths: &HookPaths,
    tool: Tool,
    scope: HookScope,
    folder: &Path,
    permission: &Permission,
    known: Option<&PathBuf>,
) -> Result<Option<RuleFile>, Failure> {
    let Some(path) = paths.rule_file(tool, scope, folder) else { return Ok(None) };
    let file = SettingsFile::read(&path)?;
    let after = match permission {
        Permission::RuleFile(text) => Some(text.clone()),
        Permission::Settings(_) | Permission::None if known.is_none() => return Ok(None),
        Permission::Settings(_) | Permission::None => None,
    };
    if file.text.is_some() && file.text != after && known != Some(&file.path) {
        let reason = format!("{} exists and was not written by this command; nothing was changed", path.display());
        return Err(Failure::new(reason).hint("move it away, or install with --no-permission"));
    }
    file.check_writable()?;
    Ok(Some(RuleFile { file, after }))
}

impl InstallPlan {
    fn changes_nothing(&self) -> bool {
        let is_same = |rules: &RuleFile| rules.file.text == rules.after;
        self.file.text.as_ref() == Some(&self.after)
            && self.rules.as_ref().is_none_or(is_same)
            && matches!(self.identity, HookIdentity::Kept { .. })
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
        if let Some(RuleFile { file, after }) = self.rules.as_ref().filter(|rules| rules.file.text != rules.after) {
            parts.push(confirm::show_change(&file.path, file.text.as_deref(), after.as_deref()));
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
        for folder in self.folders() {
            let missing = settings_file::missing_folders(folder).into_iter();
            let known = record.made_folders.clone();
            record.made_folders.extend(missing.filter(|folder| !known.contains(folder)));
        }
        records.share_folders(&record, self.rules.as_ref().map(|rules| rules.file.path.as_path()));
        records.plan_folder(&self.paths.state);
        records.put(record);
        records
    }

    /// The folders of the files of the tool.
    fn folders(&self) -> impl Iterator<Item = &Path> {
        let rules = self.rules.as_ref().filter(|rules| rules.after.is_some()).map(|rules| &rules.file.path);
        std::iter::once(&self.file.path).chain(rules).filter_map(|path| path.parent())
    }

    fn record(&self, tool: Tool, scope: HookScope) -> InstallRecord {
        let old = self.records.find(tool, &self.file.path);
        let mut record = InstallRecord::new(tool, scope, &self.file.path, &self.profile);
        record.traces = self.traces.clone();
        record.token_id = old.and_then(|old| old.token_id.clone());
        record.created_file = self.file.text.is_none() || old.is_some_and(|old| old.created_file);
        record.made_folders = old.map(|old| old.made_folders.clone()).unwrap_or_default();
        let rules = self.rules.as_ref().filter(|rules| rules.after.is_some());
        record.rule_file = rules.map(|rules| rules.file.path.clone());
        record.has_permission = self.has_permission;
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
        for folder in self.folders() {
            record.made_folders.extend(settings_file::make_folders(folder, 0o755)?);
        }
        self.records.share_folders(&record, self.rules.as_ref().map(|rules| rules.file.path.as_path()));
        self.records.put(record);
        // The record first: uninstall needs it.
        self.records.save(&self.paths)?;
        if let Some(RuleFile { file, after }) = &self.rules {
            put(&file.path, after.as_deref())?;
        }
        settings_file::replace(&self.file.path, &self.after, 0o600)
    }

    /// Restores all files. Errors are ignored, because the first error is reported.
    fn undo_files(&mut self, tool: Tool, profile_before: Option<&str>, old: Option<InstallRecord>) {
        let _ = put(&self.profile, profile_before);
        let _ = put(&self.file.path, self.file.text.as_deref());
        if let Some(rules) = &self.rules {
            let _ = put(&rules.file.path, rules.file.text.as_deref());
        }
        let made = self.records.find(tool, &self.file.path).map(|record| record.made_folders.clone());
        settings_file::remove_empty(&made.unwrap_or_default());
        self.records.remove(tool, &self.file.path);
        if let Some(old) = old {
            self.records.put(old);
        }
        let _ = self.records.save(&self.paths);
    }
}

/// Writes a file, or removes it without a text.
fn put(path: &Path, text: Option<&str>) -> Result<(), Failure> {
    match text {
        Some(text) => settings_file::replace(path, text, 0o600),
        None => identity::remove_profile(path),
    }
}

/// Whether answers of the agent need an approval.
fn approval_note(tool: Tool, has_permission: bool) -> String {
    let title = tool.title();
    match (has_permission, tool) {
        (true, _) => {
            "The agent may read and answer messages without an approval; everything else needs one as before.\n"
                .to_owned()
        }
        (false, Tool::Cursor) => {
            format!("{title} asks before the agent answers: allow `parlour hook as` in its settings.\n")
        }
        (false, _) => {
            format!("{title} asks before each answer of the agent; install without --no-permission to permit them.\n")
        }
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
