//! Profiles: the hubs that a user has signed in to, in one private file of the user's configuration folder.
//!
//! A profile is a hub with the token that belongs to it. The file has mode 600 in a folder of mode 700 and is replaced in
//! one step. Changes hold a lock, so that two sign-ins at the same time are both stored.

use std::{
    collections::BTreeMap,
    env,
    ffi::OsString,
    fs::{self, File, OpenOptions},
    io::{self, Write as _},
    os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _, PermissionsExt as _},
    path::{Path, PathBuf},
    str::FromStr,
};

use parlour_core::id::TokenId;
use serde::{Deserialize, Serialize};

use crate::failure::Failure;

const FILE_BYTES_MAX: u64 = 1024 * 1024;
const PROFILES_MAX: usize = 100;
const NAME_CHARS_MAX: usize = 64;
const FILE_MODE: u32 = 0o600;
const FOLDER_MODE: u32 = 0o700;

/// The name of a profile: letters, digits, `.`, `-`, `_` and `:`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub(crate) struct ProfileName(String);

impl FromStr for ProfileName {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let is_allowed = |character: char| character.is_alphanumeric() || ".-_:".contains(character);
        let chars = text.chars().count();
        let is_name = (1..=NAME_CHARS_MAX).contains(&chars) && text.chars().all(is_allowed) && !text.starts_with('-');
        is_name.then(|| Self(text.to_owned())).ok_or_else(|| {
            format!("a profile name has 1 to {NAME_CHARS_MAX} letters, digits, or `.`, `-`, `_`, `:`, and starts with no `-`")
        })
    }
}

impl ProfileName {
    /// The name for a hub: its host and port.
    pub(crate) fn of_hub(url: &str) -> Self {
        let address = url.split_once("://").map_or(url, |(_, rest)| rest);
        let allowed =
            |character: char| if character.is_alphanumeric() || ".-_:".contains(character) { character } else { '_' };
        let name: String = address.chars().take(NAME_CHARS_MAX).map(allowed).collect();
        Self(name.trim_matches(['_', '-']).to_owned()).or_hub()
    }

    /// The name for an agent: its name, with characters that need no quotation marks in a shell.
    pub(crate) fn of_agent(name: &str) -> Self {
        let allowed =
            |character: char| if character.is_alphanumeric() || "-_".contains(character) { character } else { '_' };
        let name: String = name.chars().take(NAME_CHARS_MAX).map(allowed).collect();
        Self(name.trim_matches(['_', '-']).to_owned()).or_hub()
    }

    fn or_hub(self) -> Self {
        if self.0.is_empty() { Self("hub".to_owned()) } else { self }
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Display for ProfileName {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(&self.0)
    }
}

impl From<ProfileName> for String {
    fn from(name: ProfileName) -> Self {
        name.0
    }
}

impl TryFrom<String> for ProfileName {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

/// A hub and the credential for it. It has no `Debug`, so that the token cannot reach a log.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Profile {
    /// The URL of the hub as the client normalises it.
    pub(crate) url: String,
    pub(crate) token: String,
    /// The token, if `parlour login` has issued it: `parlour logout` revokes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) issued: Option<TokenId>,
    /// The name of the member at the time of the sign-in, for lists.
    pub(crate) member: String,
    /// The project that commands use unless another is given, by name or id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) project: Option<String>,
    /// Additional CA certificates for this hub.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) ca: Option<PathBuf>,
}

/// The profiles of a user.
#[derive(Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Profiles {
    /// The profile that commands use unless another is selected.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) default: Option<ProfileName>,
    #[serde(default, rename = "profile")]
    pub(crate) all: BTreeMap<ProfileName, Profile>,
}

impl Profiles {
    pub(crate) fn get(&self, name: &ProfileName) -> Result<&Profile, Failure> {
        self.all.get(name).ok_or_else(|| {
            let known: Vec<_> = self.all.keys().map(ProfileName::as_str).collect();
            let failure = Failure::usage(format!("there is no profile {name:?}", name = name.as_str()));
            match known.is_empty() {
                true => failure.hint("sign in with `parlour login`"),
                false => failure.hint(format!("use one of: {}", known.join(", "))),
            }
        })
    }

    /// The profile of a hub: the default one if it belongs to this hub, else the only one. Several are ambiguous.
    pub(crate) fn of_hub(&self, url: &str) -> Result<Option<(&ProfileName, &Profile)>, Failure> {
        let mut found: Vec<_> = self.all.iter().filter(|(_, profile)| profile.url == url).collect();
        if let Some(place) = found.iter().position(|(name, _)| Some(*name) == self.default.as_ref()) {
            return Ok(Some(found.swap_remove(place)));
        }
        match found.as_slice() {
            [] => Ok(None),
            [only] => Ok(Some(*only)),
            several => {
                let names: Vec<_> = several.iter().map(|(name, _)| name.as_str()).collect();
                let names = names.join(", ");
                Err(Failure::usage(format!("several profiles belong to {url}: {names}"))
                    .hint("select one with --profile NAME"))
            }
        }
    }

    pub(crate) fn default_profile(&self) -> Option<(&ProfileName, &Profile)> {
        self.all.get_key_value(self.default.as_ref()?)
    }

    /// Adds or replaces a profile, and makes it the default one if wanted.
    pub(crate) fn put(&mut self, name: ProfileName, profile: Profile, becomes_default: bool) -> Result<(), Failure> {
        if self.all.len() >= PROFILES_MAX && !self.all.contains_key(&name) {
            return Err(Failure::new(format!("there are already {PROFILES_MAX} profiles"))
                .hint("remove one with `parlour logout --profile NAME`"));
        }
        if becomes_default {
            self.default = Some(name.clone());
        }
        self.all.insert(name, profile);
        Ok(())
    }

    /// Removes a profile. No other one takes its place as the default: commands must not change the hub silently.
    pub(crate) fn remove(&mut self, name: &ProfileName) {
        self.all.remove(name);
        self.default.take_if(|default| default == name);
    }
}

/// The file of the profiles.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ProfileStore {
    path: PathBuf,
}

impl ProfileStore {
    /// The file of the current user; none if there is no home folder.
    pub(crate) fn of_user() -> Option<Self> {
        Self::find(&|name| env::var_os(name))
    }

    fn find(variable: &dyn Fn(&str) -> Option<OsString>) -> Option<Self> {
        let folder = |name: &str| variable(name).map(PathBuf::from).filter(|path| path.is_absolute());
        let config = folder("XDG_CONFIG_HOME").or_else(|| Some(folder("HOME")?.join(".config")))?;
        Some(Self { path: config.join("parlour/profiles.toml") })
    }

    /// The same, for commands that store something.
    pub(crate) fn required() -> Result<Self, Failure> {
        Self::of_user().ok_or_else(|| Failure::new("no home folder is known").hint("set HOME or XDG_CONFIG_HOME"))
    }

    /// Reads the file; no profiles if it does not exist. A file that others can read is refused.
    pub(crate) fn read(&self) -> Result<Profiles, Failure> {
        let shown = self.path.display();
        let broken = |error: &io::Error| Failure::broken(format!("read {shown}"), error);
        let about = match fs::metadata(&self.path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Profiles::default()),
            Err(error) => return Err(broken(&error)),
            Ok(about) => about,
        };
        if !about.is_file() || about.len() > FILE_BYTES_MAX {
            return Err(Failure::usage(format!("{shown} is not a file of profiles")).hint("move it away"));
        }
        if about.permissions().mode() & 0o077 != 0 {
            return Err(Failure::usage(format!("other users can access {shown}, which contains tokens"))
                .hint(format!("chmod 600 {}", crate::output::shell::quoted(&shown.to_string()))));
        }
        let text = fs::read_to_string(&self.path).map_err(|error| broken(&error))?;
        // The error of the parser quotes the line, which may contain a token.
        toml::from_str(&text).map_err(|error| {
            let at = error.span().map_or(0, |span| text[..span.start.min(text.len())].lines().count());
            Failure::usage(format!("{shown} is not a valid file of profiles (line {at})"))
                .hint("correct it, or move it away and sign in again with `parlour login`")
        })
    }

    /// Changes the file under a lock: reads, applies the change, and replaces the file in one step.
    pub(crate) fn change<T>(&self, change: impl FnOnce(&mut Profiles) -> Result<T, Failure>) -> Result<T, Failure> {
        let folder = self.path.parent().unwrap_or(Path::new("."));
        make_private_folder(folder)?;
        let _lock = self.lock()?;
        let mut profiles = self.read()?;
        let outcome = change(&mut profiles)?;
        self.write(folder, &profiles)?;
        Ok(outcome)
    }

    fn lock(&self) -> Result<File, Failure> {
        let path = self.path.with_extension("lock");
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(false).mode(FILE_MODE);
        let locked = options.open(&path).and_then(|file| file.lock().map(|()| file));
        locked.map_err(|error| Failure::broken(format!("lock {}", path.display()), &error))
    }

    fn write(&self, folder: &Path, profiles: &Profiles) -> Result<(), Failure> {
        let text = toml::to_string(profiles).map_err(|error| Failure::broken("write the profiles", &error))?;
        let write = || {
            let mut file = tempfile::Builder::new().prefix(".profiles-").tempfile_in(folder)?;
            file.as_file().set_permissions(fs::Permissions::from_mode(FILE_MODE))?;
            file.write_all(text.as_bytes())?;
            file.as_file().sync_all()?;
            file.persist(&self.path).map_err(|error| error.error)?;
            File::open(folder)?.sync_all()
        };
        write().map_err(|error: io::Error| Failure::broken(format!("write {}", self.path.display()), &error))
    }
}

/// Creates the folder for its owner only; an existing one is restricted to its owner.
fn make_private_folder(folder: &Path) -> Result<(), Failure> {
    let make = || {
        fs::DirBuilder::new().recursive(true).mode(FOLDER_MODE).create(folder)?;
        fs::set_permissions(folder, fs::Permissions::from_mode(FOLDER_MODE))
    };
    make().map_err(|error: io::Error| Failure::broken(format!("create {}", folder.display()), &error))
}

#[cfg(test)]
mod tests;
