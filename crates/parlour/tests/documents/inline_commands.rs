//! Commands in the text of a page, such as `parlour token create --applet NAME`, exist with their flags.

use std::{
    collections::BTreeMap,
    process::Command,
    sync::{LazyLock, Mutex},
};

use regex::Regex;

use super::markdown::Page;

static INLINE: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"`(?:\$ )?parlour ([a-z][^`]*)`").expect("a pattern"));
static FLAG: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"--[a-z][a-z-]*").expect("a pattern"));
/// The help of each command, or nothing if the command does not exist.
static HELP: Mutex<BTreeMap<Vec<String>, Option<String>>> = Mutex::new(BTreeMap::new());

/// Commands and flags that the program does not have.
pub(crate) fn problems(page: &Page) -> Vec<String> {
    let mut problems = Vec::new();
    for (line, text) in &page.prose {
        for found in INLINE.captures_iter(text) {
            problems.extend(
                problem(&found[1]).map(|problem| format!("{}:{line}: parlour {}: {problem}", page.path, &found[1])),
            );
        }
    }
    problems
}

fn problem(command: &str) -> Option<String> {
    // What the command runs, as in --exec 'codex exec --json', has flags of its own.
    let own = command.split(['\'', '"']).next().unwrap_or_default();
    let Some(help) = help_of(own) else { return Some("the program has no such command".to_owned()) };
    let is_known =
        |flag: &str| help.split(|sign: char| !sign.is_ascii_alphanumeric() && sign != '-').any(|word| word == flag);
    let unknown = FLAG.find_iter(own).map(|flag| flag.as_str()).find(|flag| !is_known(flag))?;
    Some(format!("its help does not know {unknown}"))
}

fn help_of(command: &str) -> Option<String> {
    let is_name =
        |word: &&str| word.chars().all(|sign| sign.is_ascii_lowercase() || sign == '-') && !word.starts_with('-');
    let words: Vec<_> = command.split_whitespace().take_while(is_name).map(str::to_owned).collect();
    let mut known = HELP.lock().expect("no test panics in here");
    let help = known.entry(words).or_insert_with_key(|words| {
        let output =
            Command::new(env!("CARGO_BIN_EXE_parlour")).args(words).arg("--help").output().expect("the program");
        output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
    });
    help.clone()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_and_flags_must_exist() {
        assert_eq!(problem("token create --applet NAME"), None);
        assert_eq!(problem("agent --name A --exec 'codex --json'"), None);
        assert_eq!(problem("token invent").as_deref(), Some("the program has no such command"));
        assert_eq!(problem("post general --loud").as_deref(), Some("its help does not know --loud"));
    }
}
