//! The guide is true: every block of commands in it runs as it stands, one after the other, against a fresh hub.

mod support;

use std::{env, path::Path, process::Command};

use support::{Hub, run};

const GUIDE: &str = include_str!("../../../docs/guide.md");

#[test]
fn every_block_of_the_guide_runs() {
    let folder = tempfile::tempdir().expect("a folder");
    let hub = Hub::start(folder.path());
    let script = format!("set -euo pipefail\n{}", blocks(GUIDE).join("\n"));
    let ran = run(&mut shell(folder.path(), &hub), &script);
    assert_eq!(ran.code, Some(0), "stdout:\n{}\nstderr:\n{}", ran.stdout, ran.stderr);
    for expected in [
        "@Coder is it done?",
        "PARLOUR-C01",
        "Version 2: fewer bugs.",
        "flowchart LR",
        "Said by a pipe",
        "say it again",
    ] {
        assert!(ran.stdout.contains(expected), "{expected:?} is missing in:\n{}", ran.stdout);
    }
}

#[test]
fn only_blocks_marked_as_sh_are_commands() {
    let text = "a\n```sh\none\ntwo\n```\nb\n```text\nno\n```\n```sh\nthree\n```\n";
    assert_eq!(blocks(text), ["one\ntwo\n", "three\n"]);
}

/// The commands of all blocks marked as `sh`.
fn blocks(markdown: &str) -> Vec<&str> {
    let starts = markdown.split("```sh\n").skip(1);
    starts.map(|rest| rest.split("```").next().unwrap_or_default()).collect()
}

/// A shell as a reader of the guide has it: the program on the path, the address and a token in the environment.
fn shell(folder: &Path, hub: &Hub) -> Command {
    let program = Path::new(env!("CARGO_BIN_EXE_parlour"));
    let bin = program.parent().expect("a folder").to_path_buf();
    let path = env::var_os("PATH").unwrap_or_default();
    let path = env::join_paths([bin].into_iter().chain(env::split_paths(&path))).expect("a path");
    let mut shell = Command::new("bash");
    shell.current_dir(folder).env("PATH", path).env("PARLOUR_URL", &hub.url).env("PARLOUR_TOKEN", &hub.token);
    shell
}
