//! The hub as a process: its start, its banner, its lock, its signals.

mod support;

use std::{
    fs,
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    os::unix::fs::{MetadataExt, PermissionsExt},
    process::Stdio,
};

use rustix::process::Signal;
use support::{Hub, TOKEN, parlour, run, transcript::steady};
use tempfile::TempDir;

fn folder() -> TempDir {
    tempfile::tempdir().expect("a folder")
}

#[test]
fn the_first_start_shows_a_token_that_works() {
    let folder = folder();
    let hub = Hub::start_with(folder.path(), |command| command);
    let data = fs::canonicalize(folder.path().join("data")).expect("made");
    let banner = hub.banner.replace(&hub.url, "http://HUB").replace(data.to_str().expect("UTF-8"), "DATA");
    insta::assert_snapshot!(steady(&banner), @r"
    Listening on http://HUB
    Data folder   DATA
    API and docs  http://HUB/docs
    Open once     http://HUB/sign-in#code=parlour_lnk_0000000000000000000000000000000000000000000000000000000000000000

    First start: Admin is the administrator. The token is shown only once:

      parlour_0000000000000000000000000000000000000000000000000000000000000000

    On the command line, sign in with this token, then read the first channel:

      parlour login http://HUB --token-file -
      parlour history general

    Stop with Ctrl+C.
    ");
    assert_eq!(hub.json("project list")["items"][0]["name"], "Tour");
}

#[test]
fn later_starts_show_no_token_and_keep_the_first_one() {
    let folder = folder();
    let first = Hub::start_with(folder.path(), |command| command);
    let token = first.token.clone();
    assert_eq!(first.stop().code(), Some(0));
    let mut second = Hub::start_with(folder.path(), |command| command);
    assert!(!second.banner.lines().any(|line| line.trim().starts_with("parlour_")), "{}", second.banner);
    second.token = token;
    assert_eq!(second.json("project list")["items"].as_array().map(Vec::len), Some(1));
}

#[test]
fn a_lost_token_is_replaced_by_one_from_the_environment() {
    let folder = folder();
    let first = Hub::start_with(folder.path(), |command| command);
    let lost = first.token.clone();
    first.stop();
    let mut hub = Hub::start(folder.path());
    assert!(!hub.banner.contains(TOKEN), "{}", hub.banner);
    assert_eq!(hub.run("project list").code, Some(0));
    hub.token = lost;
    let refused = hub.run("project list");
    assert_eq!(refused.code, Some(1));
    assert!(refused.stderr.contains("PARLOUR-A01") && refused.stderr.contains("PARLOUR_TOKEN"), "{}", refused.stderr);
}

#[test]
fn messages_survive_a_restart() {
    let folder = folder();
    let hub = Hub::start(folder.path());
    assert_eq!(hub.run("post general 'Remember me'").code, Some(0));
    assert_eq!(hub.stop().code(), Some(0));
    let hub = Hub::start(folder.path());
    let newest = &hub.json("history general --limit 1")["items"][0];
    assert_eq!((&newest["body"], &newest["seq"]), (&"Remember me".into(), &3.into()));
}

#[test]
fn a_second_start_on_the_same_folder_is_refused() {
    let folder = folder();
    let hub = Hub::start(folder.path());
    let second = run(parlour(folder.path()).args(["serve", "--listen", "127.0.0.1:0", "--data", "data"]), "");
    assert_eq!((second.code, second.stdout.as_str()), (Some(1), ""));
    assert!(second.stderr.starts_with("parlour: a hub is already running on the data folder data, process "));
    assert!(second.stderr.contains(&format!("use it at {}", hub.url)), "{}", second.stderr);
    assert_eq!(hub.run("project list").code, Some(0), "the first one runs on");
}

#[test]
fn of_several_concurrent_starts_one_succeeds() {
    let folder = folder();
    let start = |_| {
        let mut command = parlour(folder.path());
        command.args(["serve", "--listen", "127.0.0.1:0", "--data", "data"]);
        command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("started")
    };
    let mut children: Vec<_> = (0..4).map(start).collect();
    let first_line = |child: &mut std::process::Child| {
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("a pipe")).read_line(&mut line).expect("a line or the end");
        line
    };
    let lines: Vec<_> = children.iter_mut().map(first_line).collect();
    let mut codes = Vec::new();
    for (child, line) in children.iter_mut().zip(&lines) {
        if !line.is_empty() {
            child.kill().expect("the winner runs");
        }
        codes.push(child.wait().expect("the end").code());
    }
    assert_eq!(lines.iter().filter(|line| line.starts_with("Listening on ")).count(), 1, "{lines:?}");
    assert_eq!(codes.iter().filter(|code| **code == Some(1)).count(), 3, "{codes:?}");
}

#[test]
fn a_used_port_is_refused_with_a_remedy() {
    let (first, second) = (folder(), folder());
    let hub = Hub::start(first.path());
    let address = hub.url.trim_start_matches("http://");
    let refused = run(parlour(second.path()).args(["serve", "--listen", address]), "");
    assert_eq!(refused.code, Some(1));
    assert!(refused.stderr.contains("is in use by another program"), "{}", refused.stderr);
    assert!(refused.stderr.contains("--listen 127.0.0.1:0"), "{}", refused.stderr);
}

#[test]
fn both_signals_stop_the_hub_with_exit_code_0() {
    for signal in [Signal::TERM, Signal::INT] {
        let folder = folder();
        let mut hub = Hub::start(folder.path());
        hub.signal(signal);
        assert_eq!(hub.wait().code(), Some(0), "{}", hub.log());
        assert!(hub.log().contains("stopped"), "{}", hub.log());
    }
}

/// A post whose body is still missing, taken up by the hub.
fn half_a_post(hub: &Hub) -> (BufReader<TcpStream>, &'static str) {
    let body = r#"{"channel_id":"chn_none","body":"late"}"#;
    let mut stream = TcpStream::connect(hub.url.trim_start_matches("http://")).expect("a connection");
    write!(
        stream,
        "POST /messages HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {}\r\nContent-Type: application/json\r\n\
         Content-Length: {}\r\nExpect: 100-continue\r\n\r\n",
        hub.token,
        body.len()
    )
    .expect("sent");
    let mut stream = BufReader::new(stream);
    let mut line = String::new();
    stream.read_line(&mut line).expect("an answer");
    assert_eq!(line, "HTTP/1.1 100 Continue\r\n", "the hub waits for the body");
    (stream, body)
}

/// Asks the hub to stop and waits until it has understood.
fn begin_stop(hub: &Hub) {
    hub.signal(Signal::TERM);
    while !hub.log().contains("stopping") {
        std::thread::yield_now();
    }
}

#[test]
fn a_running_request_is_answered_before_the_hub_stops() {
    let folder = folder();
    let mut hub = Hub::start(folder.path());
    let (mut stream, body) = half_a_post(&hub);
    begin_stop(&hub);
    stream.get_mut().write_all(body.as_bytes()).expect("sent");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("the whole answer");
    assert!(answer.contains("404 Not Found") && answer.contains("PARLOUR-N01"), "{answer}");
    assert_eq!(hub.wait().code(), Some(0), "{}", hub.log());
}

#[test]
fn a_second_signal_ends_the_hub_at_once() {
    let folder = folder();
    let mut hub = Hub::start(folder.path());
    let _kept_open = half_a_post(&hub);
    begin_stop(&hub);
    hub.signal(Signal::INT);
    assert_eq!(hub.wait().code(), Some(130));
}

#[test]
fn a_clean_stop_leaves_no_write_ahead_log() {
    let folder = folder();
    Hub::start(folder.path()).stop();
    let data = folder.path().join("data");
    assert!(data.join("parlour.db").exists());
    assert!(!data.join("parlour.db-wal").exists());
}

#[test]
fn a_closed_pipe_does_not_stop_the_hub() {
    let folder = folder();
    let mut command = parlour(folder.path());
    command.args(["serve", "--listen", "127.0.0.1:0", "--data", "data"]).env("PARLOUR_ADMIN_TOKEN", TOKEN);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("started");
    drop(child.stderr.take());
    let mut line = String::new();
    BufReader::new(child.stdout.take().expect("a pipe")).read_line(&mut line).expect("the first line");
    let url = line.trim().trim_start_matches("Listening on ").to_owned();
    let mut history = parlour(folder.path());
    history.args(["history", "general"]).env("PARLOUR_URL", url).env("PARLOUR_TOKEN", TOKEN);
    let history = run(&mut history, "");
    child.kill().expect("it still runs");
    child.wait().expect("the end");
    assert_eq!(history.code, Some(0), "{}", history.stderr);
}

#[test]
fn the_data_folder_is_private() {
    let folder = folder();
    let hub = Hub::start(folder.path());
    let mode = |name: &str| fs::metadata(folder.path().join(name)).expect("there").mode() & 0o777;
    assert_eq!((mode("data"), mode("data/lock")), (0o700, 0o600));
    assert!(!hub.banner.contains("! "), "{}", hub.banner);
}

#[test]
fn insecure_settings_are_named_in_the_banner() {
    let folder = folder();
    let data = folder.path().join("data");
    fs::create_dir(&data).expect("made");
    fs::set_permissions(&data, fs::Permissions::from_mode(0o755)).expect("rights");
    let hub = Hub::start_with(folder.path(), |command| command.env("PARLOUR_ADMIN_TOKEN", "short"));
    assert!(hub.banner.contains("! PARLOUR_ADMIN_TOKEN has fewer than 16 characters"), "{}", hub.banner);
    assert!(hub.banner.contains("chmod 700"), "{}", hub.banner);
}

#[test]
fn the_default_command_starts_the_hub() {
    let folder = folder();
    let mut command = parlour(folder.path());
    let mut child = command
        .args(["--listen", "127.0.0.1:0"])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("started");
    let mut line = String::new();
    BufReader::new(child.stdout.take().expect("a pipe")).read_line(&mut line).expect("the first line");
    child.kill().expect("it runs");
    child.wait().expect("the end");
    assert!(line.starts_with("Listening on http://127.0.0.1:"), "{line}");
    assert!(folder.path().join("parlour-data/parlour.db").exists());
}

#[test]
fn the_log_is_available_as_json() {
    let folder = folder();
    let hub = Hub::start_with(folder.path(), |command| command.args(["--log", "debug", "--log-format", "json"]));
    hub.run("project list");
    let log = hub.log();
    assert!(log.lines().count() > 0);
    for line in log.lines() {
        assert!(serde_json::from_str::<serde_json::Value>(line).is_ok(), "{line}");
    }
    assert!(!log.contains(&hub.token), "no token in the log");
}

#[test]
fn an_unusable_folder_is_refused() {
    let folder = folder();
    fs::write(folder.path().join("data"), "a file").expect("file");
    let refused = run(parlour(folder.path()).args(["serve", "--data", "data"]), "");
    assert_eq!(refused.code, Some(1));
    assert!(refused.stderr.contains("cannot use the data folder data"), "{}", refused.stderr);
}
