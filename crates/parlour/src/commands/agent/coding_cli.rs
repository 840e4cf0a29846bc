//! Coding programs as engines: `--claude-code`, `--codex`, `--gemini-cli`, `--opencode`.

use std::{
    env,
    ffi::OsStr,
    fs::Metadata,
    io::{self, IsTerminal, Write},
    path::Path,
};

use parlour_agent::engines::{CodingCli, ExecEngine, OutputFormat};

use crate::{failure::Failure, output::shell::quoted};

/// The flag that selects a program.
pub(super) fn flag(cli: CodingCli) -> &'static str {
    match cli {
        CodingCli::ClaudeCode => "--claude-code",
        CodingCli::Codex => "--codex",
        CodingCli::GeminiCli => "--gemini-cli",
        CodingCli::OpenCode => "--opencode",
    }
}

/// The engine that runs a program with these additional arguments.
pub(super) fn engine(cli: CodingCli, model: Option<&str>, arguments: &[String]) -> ExecEngine {
    let profile = cli.profile();
    let with_model = model.map(|model| ["--model", model]);
    let own = profile.arguments.iter().copied().chain(with_model.into_iter().flatten());
    let words = [profile.program].into_iter().chain(own).chain(arguments.iter().map(String::as_str));
    ExecEngine {
        name: Some(model.map_or_else(|| profile.name.to_owned(), |model| format!("{}: {model}", profile.name))),
        model: model.map(ToOwned::to_owned),
        output: OutputFormat::Events(cli),
        ..ExecEngine::new(words.map(quoted).collect::<Vec<_>>().join(" "))
    }
}

/// Fails if the program is not in the PATH.
pub(super) fn check_installed(cli: CodingCli) -> Result<(), Failure> {
    let path = env::var_os("PATH").unwrap_or_default();
    if is_in_path(cli.profile().program, &path) {
        return Ok(());
    }
    let profile = cli.profile();
    let message = format!("{} is not installed: no program {} in the PATH", profile.name, profile.program);
    Err(Failure::new(message).hint(format!("{}, or add its folder to the PATH", profile.install)))
}

fn is_in_path(program: &str, path: &OsStr) -> bool {
    let is_program = |file: &Path| file.metadata().is_ok_and(|data| data.is_file() && is_executable(&data));
    env::split_paths(path).any(|folder| {
        [program.to_owned(), format!("{program}.exe"), format!("{program}.cmd")]
            .iter()
            .any(|name| is_program(&folder.join(name)))
    })
}

#[cfg(unix)]
fn is_executable(data: &Metadata) -> bool {
    std::os::unix::fs::PermissionsExt::mode(&data.permissions()) & 0o111 != 0
}

#[cfg(not(unix))]
fn is_executable(_data: &Metadata) -> bool {
    true
}

/// Prints a note, if somebody sees it, that the command is a coding program whose answer arrives only when it ends.
pub(super) fn note_missing_events(command: &str) {
    let mut stderr = io::stderr();
    if let Some(note) = missing_events(command).filter(|_| stderr.is_terminal()) {
        let _ = writeln!(stderr, "{note}");
    }
}

fn missing_events(command: &str) -> Option<String> {
    let is_setting = |word: &&str| *word == "exec" || word.split_once('=').is_some_and(|(name, _)| is_name(name));
    let program = command.split_whitespace().find(|word| !is_setting(word))?;
    let program = program.rsplit('/').next().unwrap_or(program);
    let cli = CodingCli::ALL.into_iter().find(|cli| cli.profile().program == program)?;
    let (name, flag) = (cli.profile().name, flag(cli));
    let is_plain = !command.contains(cli.profile().events_mark);
    is_plain.then(|| {
        format!("parlour: {name} prints its answer at the end; {flag} instead of --exec shows text and tool calls live")
    })
}

fn is_name(word: &str) -> bool {
    word.chars().all(|sign| sign.is_ascii_alphanumeric() || sign == '_')
}

#[cfg(test)]
mod tests {
    use super::*;
    use parlour_agent::engine::Engine;

    #[test]
    fn a_program_gets_its_own_arguments_and_those_of_the_user() {
        let more = ["--allowedTools".to_owned(), "Bash(git *)".to_owned()];
        let made = engine(CodingCli::ClaudeCode, None, &more);
        assert_eq!(
            made.command,
            "claude -p --output-format stream-json --verbose --include-partial-messages --allowedTools 'Bash(git *)'"
        );
        assert_eq!(
            (made.runtime().as_str(), made.output),
            ("Claude Code", OutputFormat::Events(CodingCli::ClaudeCode))
        );
    }

    #[test]
    fn a_model_is_passed_to_the_program() {
        for (cli, command) in [
            (CodingCli::Codex, "codex exec --json --model m-1"),
            (CodingCli::GeminiCli, "gemini --output-format stream-json --model m-1"),
            (CodingCli::OpenCode, "opencode run --format json --model m-1"),
        ] {
            let made = engine(cli, Some("m-1"), &[]);
            assert_eq!((made.command.as_str(), made.model.as_deref()), (command, Some("m-1")));
            assert_eq!(made.runtime(), format!("{}: m-1", cli.profile().name));
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_program_is_found_in_the_path_if_it_can_be_run() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().expect("folder");
        let path = env::join_paths(["/nowhere".as_ref(), folder.path()]).expect("path");
        assert!(!is_in_path("claude", &path));
        let file = folder.path().join("claude");
        std::fs::write(&file, "").expect("written");
        assert!(!is_in_path("claude", &path), "not executable");
        std::fs::set_permissions(&file, PermissionsExt::from_mode(0o755)).expect("executable");
        assert!(is_in_path("claude", &path));
        assert!(!is_in_path("claude", OsStr::new("")));
    }

    #[test]
    fn a_command_that_prints_its_answer_at_the_end_is_noted() {
        for (command, flag) in [
            ("claude -p", "--claude-code"),
            ("KEY=1 exec /usr/bin/claude -p --model opus", "--claude-code"),
            ("codex exec -", "--codex"),
            ("gemini", "--gemini-cli"),
            ("opencode run", "--opencode"),
        ] {
            assert!(missing_events(command).is_some_and(|note| note.contains(flag)), "{command}");
        }
        for command in [
            "claude -p --output-format stream-json --verbose",
            "codex exec --json -",
            "opencode run --format=json",
            "cat",
            "",
            "echo claude",
        ] {
            assert_eq!(missing_events(command), None, "{command}");
        }
    }
}
