//! `parlour completions`: a completion script for a shell.

use clap::{Args, Command};
use clap_complete::Shell;

use crate::{failure::Failure, output::Output};

const EXAMPLES: &str = "\
Examples:
  parlour completions bash > ~/.local/share/bash-completion/completions/parlour
  parlour completions zsh > ~/.zfunc/_parlour            with ~/.zfunc in fpath
  parlour completions fish > ~/.config/fish/completions/parlour.fish";

/// Print a completion script for a shell
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct CompletionsCommand {
    /// Shell
    #[arg(value_enum)]
    shell: Shell,
}

impl CompletionsCommand {
    /// Generates the script from the definition of the command line, so it always matches the commands of this binary.
    #[expect(clippy::unnecessary_wraps, reason = "all commands have the same signature")]
    pub(crate) fn run(self, cli: &mut Command) -> Result<Output, Failure> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, cli, "parlour", &mut script);
        Ok(Output::text(String::from_utf8_lossy(&script)))
    }
}
