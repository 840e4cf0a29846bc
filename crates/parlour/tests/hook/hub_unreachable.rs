//! Failures do not disturb a coding agent: it gets an empty reply in time.

use std::{
    io::{Read as _, Write as _},
    net::TcpListener,
    process::Stdio,
    time::{Duration, Instant},
};

use crate::{
    fixture::{AgentHome, TOOLS, input, recorded},
    support,
};

/// An address without a listener.
fn unused_url() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    format!("http://{}", listener.local_addr().expect("an address"))
}

fn with_profile(url: &str) -> AgentHome {
    let home = AgentHome::make();
    home.write("p.toml", &format!("url = \"{url}\"\ntoken = \"parlour_x\"\n"));
    home
}

#[test]
fn without_a_hub_every_recorded_input_gets_an_empty_reply_and_a_journal_line() {
    let home = with_profile(&unused_url());
    for tool in TOOLS {
        for input in recorded(tool) {
            let run = home.hook(tool, &home.path("p.toml"), "", &input.to_string());
            let expected =
                if input["hook_event_name"] == "beforeSubmitPrompt" { "{\"continue\":true}\n" } else { "{}\n" };
            assert_eq!((run.code, run.stdout.as_str(), run.stderr.as_str()), (Some(0), expected, ""), "{input}");
        }
        assert!(home.journal().contains(&format!("{tool} ")), "{}", home.journal());
    }
    assert!(!home.journal().contains("parlour_x"), "no secret is noted");
}

#[test]
fn invalid_inputs_and_arguments_get_an_empty_reply() {
    let home = with_profile(&unused_url());
    let long = format!("{{\"x\": \"{}\"}}", "y".repeat(17 * 1024 * 1024));
    for input in ["", "null", "[[[[", "{\"hook_event_name\": \"Stop\"}", "\u{0}", "{\"hook_event_name\": {}}", &long] {
        let run = home.hook("claude-code", &home.path("p.toml"), "", input);
        assert_eq!((run.code, run.stdout.as_str()), (Some(0), "{}\n"));
    }
    for words in [
        &["hook", "run"][..],
        &["hook", "run", "emacs"],
        &["hook", "run", "codex", "--no-such-flag"],
        &["hook", "run", "codex", "--config", "none.toml", "--wait", "1000"],
        &["hook", "run", "codex", "--config", "none.toml"],
    ] {
        let run = support::run(home.command().args(words), &recorded("codex")[0].to_string());
        assert_eq!((run.code, run.stdout.as_str()), (Some(0), "{}\n"), "{words:?}: {}", run.stderr);
    }
}

#[test]
fn a_silent_hub_delays_the_tool_no_longer_than_the_limit() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let home = with_profile(&format!("http://{}", listener.local_addr().expect("an address")));
    // The operating system accepts connections; nobody answers them.
    let begun = Instant::now();
    let run = home.hook("codex", &home.path("p.toml"), "--limit-ms 300", &input("codex", "PostToolUse").to_string());
    assert_eq!((run.code, run.stdout.as_str()), (Some(0), "{}\n"));
    assert!(home.journal().contains("no answer within 300 ms"), "{}", home.journal());
    // Generous, for slow machines: without the limit it would be half a minute.
    assert!(begun.elapsed() < Duration::from_secs(15));
}

#[test]
fn input_without_an_end_is_abandoned_at_the_limit() {
    let home = with_profile(&unused_url());
    let mut command = home.command();
    command.args(["hook", "run", "codex", "--limit-ms", "200", "--config"]).arg(home.path("p.toml"));
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("started");
    let mut stdin = child.stdin.take().expect("a pipe");
    stdin.write_all(b"{\"hook_event_name\":").expect("taken");
    let mut text = String::new();
    child.stdout.take().expect("a pipe").read_to_string(&mut text).expect("read");
    assert_eq!((child.wait().expect("ended").code(), text.as_str()), (Some(0), "{}\n"));
    drop(stdin);
}
