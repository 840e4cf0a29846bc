//! `parlour hook`: delivers messages to coding agents between their steps.

use std::{env, ffi::OsString, os::unix::process::CommandExt as _, path::PathBuf, process::Command};

use clap::{Args, Subcommand, ValueEnum};
use parlour_agent::hooks::tool::Tool;
use serde::{Deserialize, Serialize};

pub(crate) use self::enclosing_run::EnclosingRun;
use crate::{failure::Failure, output::Output};

mod codex_trust;
mod confirm;
mod enclosing_run;
mod identity;
mod install;
mod paths;
mod records;
mod run;
mod session_file;
mod settings_file;
mod status;
mod uninstall;

/// Deliver messages to a coding agent between its steps (hooks)
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  parlour hook install claude-code --agent Coder\n  parlour hook status")]
pub(crate) struct HookCommand {
    #[command(subcommand)]
    command: HookSubcommand,
}

#[derive(Debug, Subcommand)]
enum HookSubcommand {
    Install(install::HookInstall),
    Status(status::HookStatus),
    Uninstall(uninstall::HookUninstall),
    Run(run::HookRun),
    As(HookAs),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum HookScope {
    /// All sessions of this user
    User,
    /// Sessions in this folder
    Project,
}

impl HookScope {
    fn name(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Project => "project",
        }
    }
}

impl HookCommand {
    pub(crate) async fn run(self) -> Result<Output, Failure> {
        match self.command {
            HookSubcommand::Install(command) => command.run().await,
            HookSubcommand::Status(command) => command.run().await,
            HookSubcommand::Uninstall(command) => command.run().await,
            HookSubcommand::Run(command) => command.run().await,
            HookSubcommand::As(command) => command.run(),
        }
    }
}

fn tool(text: &str) -> Result<Tool, String> {
    text.parse()
}

/// Run another command as the agent of a hook
///
/// Hooks show this command to models, so that they answer as themselves, independent of the environment of their shell.
/// Inside the command of a runner (`parlour agent --exec`) it is refused: that command works for another agent.
#[derive(Args, Debug)]
#[command(after_help = "Example:\n  parlour hook as --config ~/.config/parlour/hooks/codex.toml inbox")]
pub(crate) struct HookAs {
    /// Profile of the hook
    #[arg(long, value_name = "FILE")]
    config: PathBuf,
    /// Command and its arguments
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, required = true, value_name = "COMMAND")]
    words: Vec<OsString>,
}

impl HookAs {
    fn run(self) -> Result<Output, Failure> {
        if let Some(run) = EnclosingRun::find() {
            let reason =
                format!("`parlour hook as` is refused inside {}: it acts as the agent of the hook", run.label());
            return Err(Failure::new(reason).hint("write the answer to stdout; the runner posts it"));
        }
        let settings = identity::read_profile(self.config.as_os_str())?;
        let program = env::current_exe().map_err(|error| Failure::broken("find this program", &error))?;
        let mut command = Command::new(program);
        for (name, _) in env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("PARLOUR_")) {
            command.env_remove(name);
        }
        // In the environment, because every user of the machine can list command lines.
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
