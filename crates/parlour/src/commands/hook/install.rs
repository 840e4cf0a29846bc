//! `parlour hook install`: shows what it would write, and writes it.

use std::{env, fs, path::PathBuf};

use clap::Args;
use parlour_agent::hooks::{
    settings::{Traces, entries, with_entries, without_entries},
    tool::Tool,
};
use parlour_core::name::Name;

use super::{
    Scope, change, confirm,
    identity::Identity,
    places::{self, Places},
    profile,
    records::{Record, Records},
    run::WAIT_SECONDS_DEFAULT,
    settings_file::{self, SettingsFile},
};
use crate::{commands::agent::machine_name, failure::Failure, output::Output, session::Connection};

const EXAMPLES: &str = "\
Examples:
  parlour hook install claude-code --agent Coder
  parlour hook install codex --scope project --agent Reviewer --yes
  parlour hook install cursor                  with the token of an agent

Shows every file that it would touch, and writes on confirmation. docs/hooks.md says what each tool can do.";

/// Install the hook in a coding agent: claude-code, codex, gemini or cursor
///
/// The hook gives the coding agent the messages of an agent between its steps, and does not let it end its turn while
/// somebody waits for its answer.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Install {
    /// claude-code, codex, gemini or cursor
    #[arg(value_parser = super::tool)]
    tool: Tool,
    /// For all your sessions, or for those in this folder
    #[arg(long, value_enum, default_value_t = Scope::User)]
    scope: Scope,
    /// The agent that the sessions are; with a person's token it is added when it is not there, and gets a token
    #[arg(long, value_name = "NAME")]
    agent: Option<Name>,
    /// Tokens of a model's context that one call of the hook may take; the rules of the project say it otherwise
    #[arg(long, value_name = "TOKENS", value_parser = clap::value_parser!(u64).range(128..=100_000))]
    budget: Option<u64>,
    /// Seconds that the end of a turn waits for the answer to a question that the agent has asked
    #[arg(long, value_name = "SECONDS", default_value_t = WAIT_SECONDS_DEFAULT, value_parser = clap::value_parser!(u64).range(0..=25))]
    wait: u64,
    /// Write without asking
    #[arg(long)]
    yes: bool,
    #[command(flatten)]
    connection: Connection,
}

/// Everything that is to be written.
struct Plan {
    places: Places,
    records: Records,
    file: SettingsFile,
    profile: PathBuf,
    after: String,
    traces: Traces,
    identity: Identity,
}

impl Install {
    pub(super) async fn run(self) -> Result<Output, Failure> {
        let plan = self.plan().await?;
        if plan.changes_nothing() {
            let text = format!("{} has the hook already, in {}.\n", self.tool.title(), plan.file.path.display());
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
        Ok(Output::text(format!(
            "{shown}{title} is the agent {agent} now ({}).\n{}\n",
            path.display(),
            next(self.tool)
        )))
    }

    async fn plan(&self) -> Result<Plan, Failure> {
        let places = Places::of_user()?;
        let folder = env::current_dir().map_err(|error| Failure::broken("find this folder", &error))?;
        let file = SettingsFile::read(&places.settings(self.tool, self.scope, &folder))?;
        file.check_writable()?;
        let profile = places.profile(self.tool, self.scope, &folder);
        let records = Records::read(&places);
        let old = records.find(self.tool, &file.path).map(|record| record.traces.clone());
        let command = self.command(&profile)?;
        let (after, traces) = change_text(&file, self.tool, &command, &old.unwrap_or_default())?;
        let machine = machine_name().unwrap_or_default();
        let purpose = format!("parlour hook {} on {machine}", self.tool);
        let identity = Identity::find(&self.connection, self.agent.as_ref(), &profile, &purpose).await?;
        Ok(Plan { places, records, file, profile, after, traces, identity })
    }

    /// What the tool is to call. Nothing secret stands in it: every user of a machine can see commands.
    fn command(&self, profile: &std::path::Path) -> Result<String, Failure> {
        let program = places::quoted_path(&places::program()?);
        let mut command = format!("{program} hook run {} --config {}", self.tool, places::quoted_path(profile));
        if let Some(budget) = self.budget {
            command += &format!(" --budget {budget}");
        }
        if self.wait != WAIT_SECONDS_DEFAULT {
            command += &format!(" --wait {}", self.wait);
        }
        Ok(command)
    }
}

/// The text with the entries; as it is when it has them.
fn change_text(file: &SettingsFile, tool: Tool, command: &str, old: &Traces) -> Result<(String, Traces), Failure> {
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

impl Plan {
    fn changes_nothing(&self) -> bool {
        self.file.text.as_ref() == Some(&self.after) && matches!(self.identity, Identity::Kept { .. })
    }

    fn show(&self, tool: Tool, scope: Scope) -> Result<String, Failure> {
        let mut parts = vec![self.identity.plan()];
        if let Some(shown) = self.identity.shown() {
            let before = fs::read_to_string(&self.profile).ok().map(|text| profile::without_token(&text));
            parts.push(change::show(&self.profile, before.as_deref(), Some(&shown)));
        }
        if self.file.text.as_ref() != Some(&self.after) {
            parts.push(change::show(&self.file.path, self.file.text.as_deref(), Some(&self.after)));
        }
        parts.extend(self.foreseen_records(tool, scope).show_change(&self.places)?);
        Ok(parts.join("\n"))
    }

    /// What will be known to be installed; the id of a token that is not issued yet is missing.
    fn foreseen_records(&self, tool: Tool, scope: Scope) -> Records {
        let (mut records, mut record) = (self.records.clone(), self.record(tool, scope));
        if self.identity.shown().is_some() {
            record.token_id = None;
            records.foresee_folder(&self.places.profiles);
        }
        let folder = self.file.path.parent().unwrap_or(&self.file.path);
        record.made_folders.extend(settings_file::missing_folders(folder));
        records.foresee_folder(&self.places.state);
        records.put(record);
        records
    }

    /// The record of the hook without what writing it will show.
    fn record(&self, tool: Tool, scope: Scope) -> Record {
        let old = self.records.find(tool, &self.file.path);
        let mut record = Record::new(tool, scope, &self.file.path, &self.profile);
        record.traces = self.traces.clone();
        record.token_id = old.and_then(|old| old.token_id.clone());
        record.created_file = self.file.text.is_none() || old.is_some_and(|old| old.created_file);
        record.made_folders = old.map(|old| old.made_folders.clone()).unwrap_or_default();
        record
    }

    /// Writes all of it, or leaves everything as it was.
    async fn write(mut self, tool: Tool, scope: Scope) -> Result<(), Failure> {
        let old = self.records.find(tool, &self.file.path).cloned();
        let mut record = self.record(tool, scope);
        let profile_before = fs::read_to_string(&self.profile).ok();
        let realized = self.identity.realize().await?;
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
            // Failing that it has ended already, or is listed with what it was for.
            self.identity.revoke(&token).await;
        }
        Ok(())
    }

    fn write_files(&mut self, profile: Option<&str>, mut record: Record) -> Result<(), Failure> {
        if let Some(text) = profile {
            self.records.make_folder(&self.places.profiles)?;
            settings_file::replace(&self.profile, text, 0o600)?;
        }
        let folder = self.file.path.parent().unwrap_or(&self.file.path);
        record.made_folders.extend(settings_file::make_folders(folder, 0o755)?);
        self.records.put(record);
        // First the record: what is not known to be installed could not be taken away without a trace.
        self.records.save(&self.places)?;
        settings_file::replace(&self.file.path, &self.after, 0o600)
    }

    /// Puts everything back. What failed before may fail again, and the first failure is the one to tell.
    fn undo_files(&mut self, tool: Tool, profile_before: Option<&str>, old: Option<Record>) {
        let put_back = |path: &std::path::Path, before: Option<&str>| match before {
            Some(text) => settings_file::replace(path, text, 0o600),
            None => profile::remove(path),
        };
        let _ = put_back(&self.profile, profile_before);
        let _ = put_back(&self.file.path, self.file.text.as_deref());
        let made = self.records.find(tool, &self.file.path).map(|record| record.made_folders.clone());
        settings_file::remove_empty(&made.unwrap_or_default());
        self.records.remove(tool, &self.file.path);
        if let Some(old) = old {
            self.records.put(old);
        }
        let _ = self.records.save(&self.places);
    }
}

/// What is left to do for the user.
fn next(tool: Tool) -> &'static str {
    match tool {
        Tool::ClaudeCode => "New sessions have the hook; /hooks lists it.",
        Tool::Codex => {
            "Codex runs a hook only after you have trusted it: open /hooks in its next session. Versions in which hooks are \
             off by default need `hooks = true` below [features] in config.toml."
        }
        Tool::Gemini => "New sessions have the hook; /hooks lists it. In a project, Gemini CLI asks you to trust it.",
        Tool::Cursor => "Cursor reads the file by itself; Settings → Hooks lists it.",
    }
}
