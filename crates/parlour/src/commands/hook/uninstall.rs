//! `parlour hook uninstall`: removes an installed hook.

use std::{env, fs, path::PathBuf};

use clap::Args;
use parlour_agent::hooks::{settings::without_entries, tool::Tool};
use parlour_core::id::TokenId;

use super::{
    HookScope, confirm, identity,
    paths::HookPaths,
    records::{InstallRecord, InstallRecords},
    settings_file::{self, SettingsFile},
};
use crate::{failure::Failure, output::Output, session::Connection};

const EXAMPLES: &str = "\
Examples:
  parlour hook uninstall claude-code
  parlour hook uninstall codex --scope project --yes

Restores the settings file of the tool byte for byte, unless somebody else changed it, and removes created files.";

/// Remove the hook from a coding agent
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct HookUninstall {
    /// Coding agent: claude-code, codex, gemini or cursor
    #[arg(value_parser = super::tool)]
    tool: Tool,
    /// Install for all your sessions, or for sessions in this folder
    #[arg(long, value_enum, default_value_t = HookScope::User)]
    scope: HookScope,
    /// Remove without confirmation
    #[arg(long)]
    yes: bool,
    #[command(flatten)]
    connection: Connection,
}

/// All changes of an uninstall.
struct UninstallPlan {
    paths: HookPaths,
    records: InstallRecords,
    record: Option<InstallRecord>,
    file: SettingsFile,
    profile: PathBuf,
    /// The new text of the settings file; none if it is removed.
    after: Option<String>,
}

impl HookUninstall {
    pub(super) async fn run(self) -> Result<Output, Failure> {
        let plan = self.plan()?;
        if plan.changes_nothing() {
            let text = format!("No hook of {} is installed in {}.\n", self.tool.title(), plan.file.path.display());
            return Ok(Output::text(text));
        }
        let shown = plan.show(self.tool)?;
        if let Some(end) = confirm::ask(&shown, self.yes)? {
            return Ok(end);
        }
        let token = plan.record.as_ref().and_then(|record| record.token_id.clone());
        let title = self.tool.title();
        plan.write(self.tool)?;
        let token_note = match token {
            Some(token) => self.end_token(&token).await,
            None => String::new(),
        };
        let shown = if self.yes { shown + "\n" } else { String::new() };
        Ok(Output::text(format!("{shown}The hook of {title} was removed.\n{token_note}")))
    }

    fn plan(&self) -> Result<UninstallPlan, Failure> {
        let paths = HookPaths::of_user()?;
        let folder = env::current_dir().map_err(|error| Failure::broken("find this folder", &error))?;
        paths.check_scope(self.tool, self.scope, &folder)?;
        let file = SettingsFile::read(&paths.settings(self.tool, self.scope, &folder))?;
        let records = InstallRecords::read(&paths);
        let record = records.find(self.tool, &file.path).cloned();
        let traces = record.as_ref().map(|record| record.traces.clone()).unwrap_or_default();
        let before = file.text.clone().unwrap_or_default();
        let after = without_entries(&before, self.tool, &traces)
            .map_err(|error| Failure::new(format!("{}: {error}; nothing was changed", file.path.display())))?;
        if after != before {
            file.check_writable()?;
        }
        let is_made = record.as_ref().is_some_and(|record| record.created_file);
        let goes_away = file.text.is_none() || (is_made && after.trim().is_empty());
        let profile = paths.profile(self.tool, self.scope, &folder);
        let profile = record.as_ref().map_or(profile, |record| record.profile.clone());
        Ok(UninstallPlan { paths, records, record, file, profile, after: (!goes_away).then_some(after) })
    }

    /// Revokes the token of the hook if the caller has the permission.
    async fn end_token(&self, token: &TokenId) -> String {
        let ended = match self.connection.open() {
            Ok(session) => session.client.revoke_token(token).await.is_ok(),
            Err(_) => false,
        };
        if ended {
            return "Its token was revoked.\n".to_owned();
        }
        format!(
            "Its token is still valid. Revoke it with a token that has the permission: parlour token revoke {token}\n"
        )
    }
}

impl UninstallPlan {
    fn changes_nothing(&self) -> bool {
        self.record.is_none() && self.file.text == self.after && !self.profile.exists()
    }

    /// The file with the permission that the installation wrote.
    fn rule_file(&self) -> Option<&PathBuf> {
        self.record.as_ref()?.rule_file.as_ref()
    }

    fn show(&self, tool: Tool) -> Result<String, Failure> {
        let mut parts = Vec::new();
        if self.file.text != self.after {
            parts.push(confirm::show_change(&self.file.path, self.file.text.as_deref(), self.after.as_deref()));
        }
        if let Some(path) = self.rule_file()
            && let Ok(text) = fs::read_to_string(path)
        {
            parts.push(confirm::show_change(path, Some(&text), None));
        }
        if let Ok(text) = fs::read_to_string(&self.profile) {
            parts.push(confirm::show_change(&self.profile, Some(&identity::without_token(&text)), None));
        }
        let mut records = self.records.clone();
        records.remove(tool, &self.file.path);
        parts.extend(records.show_change(&self.paths)?);
        Ok(parts.join("\n"))
    }

    fn write(mut self, tool: Tool) -> Result<(), Failure> {
        match &self.after {
            Some(text) if self.file.text.as_ref() != Some(text) => {
                settings_file::replace(&self.file.path, text, 0o600)?;
            }
            Some(_) => {}
            None => identity::remove_profile(&self.file.path)?,
        }
        if let Some(path) = self.rule_file() {
            identity::remove_profile(path)?;
        }
        if let Some(record) = &self.record {
            settings_file::remove_empty(&record.made_folders);
        }
        identity::remove_profile(&self.profile)?;
        self.records.remove(tool, &self.file.path);
        self.records.save(&self.paths)
    }
}
