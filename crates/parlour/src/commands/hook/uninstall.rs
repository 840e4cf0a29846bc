//! `parlour hook uninstall`: takes away what was installed, and leaves everything else as it is.

use std::{env, fs, path::PathBuf};

use clap::Args;
use parlour_agent::hooks::{settings::without_entries, tool::Tool};
use parlour_core::id::TokenId;

use super::{
    Scope, change, confirm,
    places::Places,
    profile,
    records::{Record, Records},
    settings_file::{self, SettingsFile},
};
use crate::{failure::Failure, output::Output, session::Connection};

const EXAMPLES: &str = "\
Examples:
  parlour hook uninstall claude-code
  parlour hook uninstall codex --scope project --yes

The settings file of the tool is byte for byte as before, as far as nobody else changed it; what was made goes away.";

/// Remove the hook from a coding agent
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Uninstall {
    /// claude-code, codex, gemini or cursor
    #[arg(value_parser = super::tool)]
    tool: Tool,
    /// For all your sessions, or for those in this folder
    #[arg(long, value_enum, default_value_t = Scope::User)]
    scope: Scope,
    /// Remove without asking
    #[arg(long)]
    yes: bool,
    #[command(flatten)]
    connection: Connection,
}

/// Everything that is to be taken away.
struct Plan {
    places: Places,
    records: Records,
    record: Option<Record>,
    file: SettingsFile,
    profile: PathBuf,
    /// The settings file afterwards; nothing when it goes away.
    after: Option<String>,
}

impl Uninstall {
    pub(super) async fn run(self) -> Result<Output, Failure> {
        let plan = self.plan()?;
        if plan.changes_nothing() {
            let text = format!("{} has no hook in {}.\n", self.tool.title(), plan.file.path.display());
            return Ok(Output::text(text));
        }
        let shown = plan.show(self.tool)?;
        if let Some(end) = confirm::ask(&shown, self.yes)? {
            return Ok(end);
        }
        let token = plan.record.as_ref().and_then(|record| record.token_id.clone());
        let title = self.tool.title();
        plan.write(self.tool)?;
        let told = match token {
            Some(token) => self.end_token(&token).await,
            None => String::new(),
        };
        let shown = if self.yes { shown + "\n" } else { String::new() };
        Ok(Output::text(format!("{shown}The hook of {title} was removed.\n{told}")))
    }

    fn plan(&self) -> Result<Plan, Failure> {
        let places = Places::of_user()?;
        let folder = env::current_dir().map_err(|error| Failure::broken("find this folder", &error))?;
        let file = SettingsFile::read(&places.settings(self.tool, self.scope, &folder))?;
        let records = Records::read(&places);
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
        let profile = places.profile(self.tool, self.scope, &folder);
        let profile = record.as_ref().map_or(profile, |record| record.profile.clone());
        Ok(Plan { places, records, record, file, profile, after: (!goes_away).then_some(after) })
    }

    /// Ends the token of the hook, if whoever runs this may do that.
    async fn end_token(&self, token: &TokenId) -> String {
        let ended = match self.connection.open() {
            Ok(session) => session.client.revoke_token(token).await.is_ok(),
            Err(_) => false,
        };
        if ended {
            return "Its token was ended.\n".to_owned();
        }
        format!("Its token still works. End it with a token that may: parlour token revoke {token}\n")
    }
}

impl Plan {
    fn changes_nothing(&self) -> bool {
        self.record.is_none() && self.file.text == self.after && !self.profile.exists()
    }

    fn show(&self, tool: Tool) -> Result<String, Failure> {
        let mut parts = Vec::new();
        if self.file.text != self.after {
            parts.push(change::show(&self.file.path, self.file.text.as_deref(), self.after.as_deref()));
        }
        if let Ok(text) = fs::read_to_string(&self.profile) {
            parts.push(change::show(&self.profile, Some(&profile::without_token(&text)), None));
        }
        let mut records = self.records.clone();
        records.remove(tool, &self.file.path);
        parts.extend(records.show_change(&self.places)?);
        Ok(parts.join("\n"))
    }

    fn write(mut self, tool: Tool) -> Result<(), Failure> {
        match &self.after {
            Some(text) if self.file.text.as_ref() != Some(text) => {
                settings_file::replace(&self.file.path, text, 0o600)?;
            }
            Some(_) => {}
            None => profile::remove(&self.file.path)?,
        }
        if let Some(record) = &self.record {
            settings_file::remove_empty(&record.made_folders);
        }
        profile::remove(&self.profile)?;
        self.records.remove(tool, &self.file.path);
        self.records.save(&self.places)
    }
}
