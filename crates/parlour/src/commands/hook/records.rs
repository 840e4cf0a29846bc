//! What was installed where, so that it can be taken away again without a trace. No secrets stand here.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use parlour_agent::hooks::{settings::Traces, tool::Tool};
use parlour_core::id::TokenId;
use serde::{Deserialize, Serialize};

use super::{Scope, change, places::Places, settings_file};
use crate::failure::Failure;

/// One installed hook.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Record {
    tool: String,
    pub(super) scope: Scope,
    /// The settings file of the tool.
    pub(super) file: PathBuf,
    /// The file that says who the hook is.
    pub(super) profile: PathBuf,
    /// The token that was issued for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) token_id: Option<TokenId>,
    /// The version that installed it.
    pub(super) version: String,
    /// Whether the settings file was made.
    #[serde(default)]
    pub(super) created_file: bool,
    /// The folders that were made for it, the outermost first.
    #[serde(default)]
    pub(super) made_folders: Vec<PathBuf>,
    #[serde(default)]
    pub(super) traces: Traces,
}

/// All installed hooks of a user.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Records {
    installed: Vec<Record>,
    /// The folders that were made for what the hook keeps itself, the outermost first.
    #[serde(default)]
    made_folders: Vec<PathBuf>,
}

impl Record {
    pub(super) fn new(tool: Tool, scope: Scope, file: &Path, profile: &Path) -> Self {
        Self {
            tool: tool.name().to_owned(),
            scope,
            file: file.to_owned(),
            profile: profile.to_owned(),
            token_id: None,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            created_file: false,
            made_folders: Vec::new(),
            traces: Traces::default(),
        }
    }

    pub(super) fn tool(&self) -> Option<Tool> {
        self.tool.parse().ok()
    }
}

impl Records {
    /// Reads them; those that cannot be read are none.
    pub(super) fn read(places: &Places) -> Self {
        let text = fs::read(places.records()).unwrap_or_default();
        serde_json::from_slice(&text).unwrap_or_default()
    }

    /// That of a tool in a settings file.
    pub(super) fn find(&self, tool: Tool, file: &Path) -> Option<&Record> {
        self.installed.iter().find(|record| record.tool() == Some(tool) && record.file == file)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Record> {
        self.installed.iter()
    }

    /// Takes a record in, in place of the one before it.
    pub(super) fn put(&mut self, record: Record) {
        self.installed.retain(|known| known.tool != record.tool || known.file != record.file);
        self.installed.push(record);
    }

    pub(super) fn remove(&mut self, tool: Tool, file: &Path) {
        self.installed.retain(|known| known.tool() != Some(tool) || known.file != file);
    }

    /// Makes a folder for what the hook keeps itself.
    pub(super) fn make_folder(&mut self, folder: &Path) -> Result<(), Failure> {
        self.made_folders.extend(settings_file::make_folders(folder, 0o700)?);
        Ok(())
    }

    /// Keeps them. When none is left, nothing of the hook's own is left either.
    pub(super) fn save(&mut self, places: &Places) -> Result<(), Failure> {
        if self.installed.is_empty() {
            return self.forget_everything(places);
        }
        self.make_folder(&places.state)?;
        settings_file::replace(&places.records(), &self.text()?, 0o600)
    }

    fn text(&self) -> Result<String, Failure> {
        let text = serde_json::to_string_pretty(self).map_err(|error| Failure::broken("write JSON", &error))?;
        Ok(text + "\n")
    }

    /// What changes in their file, and what goes away with the last of them. Nothing when nothing does.
    pub(super) fn show_change(&self, places: &Places) -> Result<Option<String>, Failure> {
        let path = places.records();
        let before = fs::read_to_string(&path).ok();
        if self.installed.is_empty() {
            let others = settings_file::files_below(&places.state).into_iter().filter(|other| *other != path);
            let others = others.map(|other| format!("{} (removed)\n", other.display()));
            let own = before.map(|text| change::show(&path, Some(&text), None));
            let all: Vec<_> = own.into_iter().chain(others).collect();
            return Ok((!all.is_empty()).then(|| all.join("\n")));
        }
        let after = self.text()?;
        Ok((before.as_ref() != Some(&after)).then(|| change::show(&path, before.as_deref(), Some(&after))))
    }

    /// Takes note of the folder as if it had been made.
    pub(super) fn foresee_folder(&mut self, folder: &Path) {
        let missing = settings_file::missing_folders(folder);
        let known = self.made_folders.clone();
        self.made_folders.extend(missing.into_iter().filter(|folder| !known.contains(folder)));
    }

    fn forget_everything(&self, places: &Places) -> Result<(), Failure> {
        match fs::remove_dir_all(&places.state) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(Failure::broken(format!("remove {}", places.state.display()), &error));
            }
            _ => {}
        }
        settings_file::remove_empty(&self.made_folders);
        Ok(())
    }
}
