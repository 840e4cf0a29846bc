//! The commands of a block, with the output that the page shows below each.

use std::process::{Command, Stdio};

use super::markdown::Block;

/// One command of a page.
pub(crate) struct Step {
    /// The line of its start in the page.
    pub(crate) line: usize,
    pub(crate) command: String,
    /// What the page shows below it; blocks of the language `sh` show nothing.
    pub(crate) documented: Option<String>,
}

/// An agent that a page has connected.
pub(crate) struct ConnectedAgent {
    /// Where the page connects it.
    pub(crate) line: usize,
    pub(crate) name: String,
    /// Whether it can answer without the API of a model.
    pub(crate) is_callable: bool,
}

/// Flags of engines that run on this machine.
const LOCAL_ENGINES: &[&str] = &["--exec", "--echo", "--claude-code", "--codex", "--gemini-cli", "--opencode"];

impl Step {
    /// Whether it runs until somebody stops it.
    pub(crate) fn is_long_running(&self) -> bool {
        let mut words = self.command.split_whitespace().skip_while(|word| is_assignment(word));
        let (program, first, second) = (words.next(), words.next(), words.next());
        let is_left_alone = !self.command.trim_end().ends_with('&');
        is_left_alone
            && match (program, first) {
                (Some("parlour"), Some("serve" | "tail"))
                | (Some("cargo"), Some("run"))
                | (Some("curl"), Some("-N" | "-sN")) => true,
                (Some("parlour"), Some("agent")) => second.is_some_and(|word| word.starts_with("--")),
                _ => false,
            }
    }

    /// Whether it starts a hub, in place of the one that runs.
    pub(crate) fn starts_hub(&self) -> bool {
        self.command.contains("parlour serve") || self.command.starts_with("cargo run")
    }

    /// The agent that it connects.
    pub(crate) fn agent(&self) -> Option<ConnectedAgent> {
        let mut words = self.command.split_whitespace();
        let name =
            words.find(|word| *word == "--name").and_then(|_| words.next()).filter(|_| self.is_long_running())?;
        let is_callable = self.command.split_whitespace().any(|word| LOCAL_ENGINES.contains(&word));
        Some(ConnectedAgent { line: self.line, name: name.to_owned(), is_callable })
    }
}

/// The steps of a block of the language `console` or `sh`.
pub(crate) fn steps(block: &Block) -> Vec<Step> {
    let is_console = block.language == "console";
    let mut steps: Vec<Step> = Vec::new();
    let mut open: Option<Step> = None;
    for (line, text) in (block.line..).zip(&block.lines) {
        let (command, is_start) = match text.strip_prefix("$ ") {
            Some(command) if is_console => (command, true),
            _ => (text.as_str(), !is_console && !text.trim().is_empty() && !text.starts_with('#')),
        };
        if let Some(step) = &mut open {
            step.command = format!("{}\n{command}", step.command);
        } else if is_start {
            open = Some(Step { line, command: command.to_owned(), documented: is_console.then(String::new) });
        } else if let Some(documented) = steps.last_mut().and_then(|step| step.documented.as_mut()) {
            *documented += &format!("{text}\n");
        }
        if open.as_ref().is_some_and(|step| is_complete(&step.command)) {
            steps.extend(open.take());
        }
    }
    steps.extend(open);
    steps
}

fn is_assignment(word: &str) -> bool {
    let name = word.split_once('=').map_or("", |(name, _)| name);
    !name.is_empty() && name.chars().all(|sign| sign.is_ascii_alphanumeric() || sign == '_')
}

/// Whether the shell would run this, or wait for another line.
fn is_complete(command: &str) -> bool {
    // An open here-document is only a warning.
    let parses = || {
        let checked = Command::new("bash").args(["-n", "-c", command]).stdin(Stdio::null()).output().expect("bash");
        checked.status.success() && checked.stderr.is_empty()
    };
    !command.ends_with('\\') && parses()
}

#[cfg(test)]
mod tests {
    use super::super::markdown::Page;
    use super::*;

    fn steps_of(text: &str) -> Vec<(usize, String, Option<String>)> {
        let page = Page::parse("p", text);
        let block = page.blocks().next().expect("a block");
        steps(block).into_iter().map(|step| (step.line, step.command, step.documented)).collect()
    }

    #[test]
    fn a_console_block_has_commands_and_their_output() {
        let steps = steps_of("```console\n$ echo a \\\n    b\na b\n$ true\n```\n");
        assert_eq!(
            steps,
            [(2, "echo a \\\n    b".into(), Some("a b\n".into())), (5, "true".into(), Some(String::new()))]
        );
    }

    #[test]
    fn a_script_is_split_where_the_shell_would_run_it() {
        let steps = steps_of("```sh\n# first\nif true; then\n  echo x\nfi\n\ncat <<END\na\nEND\n```\n");
        assert_eq!(steps, [(3, "if true; then\n  echo x\nfi".into(), None), (7, "cat <<END\na\nEND".into(), None)]);
    }

    #[test]
    fn servers_agents_and_tails_run_until_they_are_stopped() {
        let is_long = |command: &str| Step { line: 1, command: command.to_owned(), documented: None }.is_long_running();
        assert!(is_long("curl -sN http://x/events"));
        assert!(is_long("parlour serve --rates off") && is_long("KEY=x parlour agent --name A --echo"));
        assert!(!is_long("parlour agent create A") && !is_long("parlour agent --name A --echo &"));
    }
}
