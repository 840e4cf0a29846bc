//! Records of installed hooks, needed to uninstall them completely. They contain no secrets.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use parlour_agent::hooks::{settings::RestoreInfo, tool::Tool};
use parlour_core::id::TokenId;
use serde::{Deserialize, Serialize};

use super::{HookScope, confirm, paths::HookPaths, settings_file};
use crate::failure::Failure;

/// The record of one installation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct InstallRecord {
    tool: String,
    pub(super) scope: HookScope,
    pub(super) file: PathBuf,
    /// The profile of a hook.
    pub(super) profile: PathBuf,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) token_id: Option<TokenId>,
    pub(super) version: String,
    /// Whether the installation created the settings file.
    #[serde(default)]
    pub(super) created_file: bool,
    /// Folders that the installation created, outermost first.
    #[serde(default)]
    pub(super) made_folders: Vec<PathBuf>,
    #[serde(default)]
    pub(super) traces: RestoreInfo,
    /// The file with the permission that the installation wrote.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) rule_file: Option<PathBuf>,
    /// Whether the commands of the agent were permitted.
    #[serde(default)]
    pub(super) has_permission: bool,
}

/// All installations of a user.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct InstallRecords {
    installed: Vec<InstallRecord>,
    /// Created folders for profiles and state, outermost first.
    #[serde(default)]
    made_folders: Vec<PathBuf>,
}

impl InstallRecord {
    pub(super) fn new(tool: Tool, scope: HookScope, file: &Path, profile: &Path) -> Self {
        Self {
            tool: tool.name().to_owned(),
            scope,
            file: file.to_owned(),
            profile: profile.to_owned(),
            token_id: None,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            created_file: false,
            made_folders: Vec::new(),
            traces: RestoreInfo::default(),
            rule_file: None,
            has_permission: false,
        }
    }

    pub(super) fn tool(&self) -> Option<Tool> {
        self.tool.parse().ok()
    }
}

impl InstallRecords {
    /// Reads the records; an unreadable file counts as empty.
    pub(super) fn read(paths: &HookPaths) -> Self {
        let text = fs::read(paths.records()).unwrap_or_default();
        serde_json::from_slice(&text).unwrap_or_default()
    }

    pub(super) fn find(&self, tool: Tool, file: &Path) -> Option<&InstallRecord> {
        self.installed.iter().find(|record| record.tool() == Some(tool) && record.file == file)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &InstallRecord> {
        self.installed.iter()
    }

    /// Adds or replaces a record.
    pub(super) fn put(&mut self, record: InstallRecord) {
        self.installed.retain(|known| known.tool != record.tool || known.file != record.file);
        self.installed.push(record);
    }

    pub(super) fn remove(&mut self, tool: Tool, file: &Path) {
        self.installed.retain(|known| known.tool() != Some(tool) || known.file != file);
    }

    /// Remembers the created folder of a rule file for the last removal, because several installations may use it.
    pub(super) fn share_folders(&mut self, record: &InstallRecord, rule_file: Option<&Path>) {
        let Some(folder) = rule_file.and_then(Path::parent) else { return };
        let is_new = record.made_folders.iter().any(|made| made == folder)
            && self.made_folders.iter().all(|made| made != folder);
        if is_new {
            self.made_folders.push(folder.to_owned());
        }
    }

    /// Creates a folder and remembers it for the removal.
    pub(super) fn make_folder(&mut self, folder: &Path) -> Result<(), Failure> {
        self.made_folders.extend(settings_file::make_folders(folder, 0o700)?);
        Ok(())
    }

    /// Saves the records. Without records all files of the hook are removed.
    pub(super) fn save(&mut self, paths: &HookPaths) -> Result<(), Failure> {
        if self.installed.is_empty() {
            return self.forget_everything(paths);
        }
        self.make_folder(&paths.state)?;
        settings_file::replace(&paths.records(), &self.text()?, 0o600)
    }

    fn text(&self) -> Result<String, Failure> {
        let text = serde_json::to_string_pretty(self).map_err(|error| Failure::broken("write JSON", &error))?;
        Ok(text + "\n")
    }

    /// The diff of the record file, and the files that are removed with the last record; none without changes.
    pub(super) fn show_change(&self, paths: &HookPaths) -> Result<Option<String>, Failure> {
        let path = paths.records();
        let before = fs::read_to_string(&path).ok();
        if self.installed.is_empty() {
            let others = settings_file::files_below(&paths.state).into_iter().filter(|other| *other != path);
            let others = others.map(|other| format!("{} (removed)\n", other.display()));
            let own = before.map(|text| confirm::show_change(&path, Some(&text), None));
            let all: Vec<_> = own.into_iter().chain(others).collect();
            return Ok((!all.is_empty()).then(|| all.join("\n")));
        }
        let after = self.text()?;
        Ok((before.as_ref() != Some(&after)).then(|| confirm::show_change(&path, before.as_deref(), Some(&after))))
    }

    /// Records a folder that will be created.
    pub(super) fn plan_folder(&mut self, folder: &Path) {
        let missing = settings_file::missing_folders(folder);
        let known = self.made_folders.clone();
        self.made_folders.extend(missing.into_iter().filter(|folder| !known.contains(folder)));
    }

    fn forget_everything(&self, paths: &HookPaths) -> Result<(), Failure> {
        match fs::remove_dir_all(&paths.state) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(Failure::broken(format!("remove {}", paths.state.display()), &error));
            }
            _ => {}
        }
        settings_file::remove_empty(&self.made_folders);
        Ok(())
    }
}
