//! `parlour hook as`: another command, called as the agent of a hook.

use std::{env, ffi::OsString, os::unix::process::CommandExt as _, path::PathBuf, process::Command};

use clap::Args;

use super::profile;
use crate::{failure::Failure, output::Output};

/// Call another command as the agent of a hook
///
/// This is what the hook shows to models, so that they answer as themselves whatever else is set in their shell.
#[derive(Args, Debug)]
#[command(after_help = "Example:\n  parlour hook as --config ~/.config/parlour/hooks/codex.toml inbox")]
pub(crate) struct AsAgent {
    /// The file that says who the hook is
    #[arg(long, value_name = "FILE")]
    config: PathBuf,
    /// The command and what it takes
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, required = true, value_name = "COMMAND")]
    words: Vec<OsString>,
}

impl AsAgent {
    pub(super) fn run(self) -> Result<Output, Failure> {
        let settings = profile::read(self.config.as_os_str())?;
        let program = env::current_exe().map_err(|error| Failure::broken("find this program", &error))?;
        let mut command = Command::new(program);
        for (name, _) in env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("PARLOUR_")) {
            command.env_remove(name);
        }
        // By the environment, and not as flags: those are seen by every user of the machine.
        command.args(self.words).env("PARLOUR_URL", settings.url);
        let identity = settings.tls.identity;
        let variables = [
            ("PARLOUR_TOKEN", settings.token.map(OsString::from)),
            ("PARLOUR_PROJECT", settings.project.map(OsString::from)),
            ("PARLOUR_CA", settings.tls.ca.map(OsString::from)),
            ("PARLOUR_CLIENT_CERT", identity.as_ref().map(|files| files.certificate.clone().into())),
            ("PARLOUR_CLIENT_KEY", identity.as_ref().map(|files| files.key.clone().into())),
        ];
        command.envs(variables.into_iter().filter_map(|(name, value)| Some((name, value?))));
        Err(Failure::broken("call the command", &command.exec()))
    }
}
