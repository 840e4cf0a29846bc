//! TLS with the real program: a hub with a certificate, commands that trust it, and agents that show their own.

#![allow(clippy::panic, reason = "these are tests")]

#[path = "tls/authority.rs"]
mod authority;
mod support;

use std::{
    fs,
    path::Path,
    process::Command,
    time::{Duration, Instant},
};

use authority::Authority;
use rcgen::ExtendedKeyUsagePurpose;
use rustix::process::Signal;
use support::{Hub, Run, TOKEN, parlour, run, running::RunningProcess, transcript::words};
use tempfile::TempDir;

/// Only a broken test takes as long as this.
const PATIENCE: Duration = Duration::from_secs(60);

/// A hub with a certificate of its own authority, in a folder with all files.
struct TestHub {
    hub: Hub,
    authority: Authority,
    folder: TempDir,
}

impl TestHub {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let authority = Authority::new(folder.path());
        authority.write_hub();
        let hub = Hub::start_with(folder.path(), |command| {
            command
                .args(["--tls-cert", "hub.pem", "--tls-key", "hub.key", "--client-ca", "ca.pem"])
                .env("PARLOUR_ADMIN_TOKEN", TOKEN)
        });
        Self { hub, authority, folder }
    }

    /// A command of the administrator that trusts the authority.
    fn command(&self, line: &str) -> Command {
        let mut command = self.hub.command();
        command.env("PARLOUR_CA", "ca.pem").args(words(line));
        command
    }

    fn run(&self, line: &str) -> Run {
        run(&mut self.command(line), "")
    }

    /// Runs a command that must succeed, and answers what it says.
    fn done(&self, line: &str) -> String {
        let run = self.run(line);
        assert_eq!(run.code, Some(0), "{line}: {}", run.stderr);
        run.stdout
    }

    /// A command of whoever has this certificate, and no token.
    fn run_as(&self, name: &str, line: &str) -> Run {
        let (certificate, key) = (format!("{name}.pem"), format!("{name}.key"));
        let mut command = self.command(line);
        run(command.env_remove("PARLOUR_TOKEN").args(["--client-cert", &certificate, "--client-key", &key]), "")
    }
}

/// Waits until something has become true.
fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let began = Instant::now();
    while !is_so() {
        assert!(began.elapsed() < PATIENCE, "waited in vain until {what}");
        std::thread::yield_now();
    }
}

#[test]
fn a_hub_with_a_certificate_shows_https_addresses() {
    let test_hub = TestHub::new();
    assert!(test_hub.hub.banner.starts_with("Listening on https://127.0.0.1:"), "{}", test_hub.hub.banner);
    assert!(!test_hub.hub.banner.contains("plain HTTP"));
    let second = run(parlour(test_hub.folder.path()).args(["serve", "--listen", "127.0.0.1:0", "--data", "data"]), "");
    assert!(second.stderr.contains(&format!("use it at {}", test_hub.hub.url)), "{}", second.stderr);
    let doctor = test_hub.done("doctor --data data --tls-cert hub.pem --tls-key hub.key");
    assert!(
        doctor.contains("tls           other users can read the private key; run: chmod 600 'hub.key'"),
        "{doctor}"
    );
    assert!(doctor.contains(&format!("answers at {}", test_hub.hub.url)), "{doctor}");
}

#[test]
fn commands_follow_and_write_over_tls() {
    let test_hub = TestHub::new();
    let tail = RunningProcess::start(&mut test_hub.command("tail --project Tour"));
    assert!(tail.note().starts_with("Following Tour after "));
    assert!(test_hub.done("post general Hello --project Tour").starts_with("Posted to #general"));
    assert!(tail.line().ends_with("  Admin  Hello"));
    let streamed = run(&mut test_hub.command("post general --stream --project Tour"), "one\ntwo\n");
    assert_eq!(streamed.code, Some(0), "{}", streamed.stderr);
    assert!(tail.line().contains("Admin is writing msg_"));
}

#[test]
fn an_unknown_authority_is_reported_with_a_remedy() {
    let test_hub = TestHub::new();
    let refused = test_hub.hub.run("history general");
    assert_eq!(refused.code, Some(5));
    assert!(refused.stderr.contains("an authority that this machine does not trust"), "{}", refused.stderr);
    assert!(refused.stderr.contains("--ca"), "{}", refused.stderr);
}

#[test]
fn plain_http_is_refused_with_a_hint_to_use_tls() {
    let test_hub = TestHub::new();
    let plain = test_hub.hub.url.replacen("https", "http", 1);
    let refused = test_hub.run(&format!("history general --url {plain}"));
    assert!(refused.stderr.contains("it accepts TLS connections only"), "{}", refused.stderr);
    assert!(refused.stderr.contains("use https://"), "{}", refused.stderr);
}

#[test]
fn https_to_a_plain_http_hub_fails_with_a_hint() {
    let folder = tempfile::tempdir().expect("a folder");
    let hub = Hub::start(folder.path());
    Authority::new(folder.path());
    let encrypted = hub.url.replacen("http", "https", 1);
    let refused = hub.run(&format!("history general --ca ca.pem --url {encrypted}"));
    assert!(refused.stderr.contains("does not use TLS"), "{}", refused.stderr);
}

#[test]
fn a_certificate_for_another_name_is_refused() {
    let test_hub = TestHub::new();
    test_hub.authority.write("hub", &["hub.example"], ExtendedKeyUsagePurpose::ServerAuth);
    test_hub.hub.signal(Signal::HUP);
    wait_until("the name is refused", || {
        test_hub.run("history general").stderr.contains("certificate is for another host name than the one in the URL")
    });
}

#[test]
fn a_new_certificate_is_loaded_without_a_restart() {
    let test_hub = TestHub::new();
    let tail = RunningProcess::start(&mut test_hub.command("tail --project Tour"));
    assert!(tail.note().starts_with("Following Tour after "));
    let new = test_hub.authority.write_hub();
    wait_until("the new certificate is shown", || test_hub.authority.shown_by(&test_hub.hub.url) == new);
    test_hub.done("post general 'Still here' --project Tour");
    assert!(tail.line().ends_with("  Admin  Still here"), "the open connection goes on");
}

#[test]
fn an_invalid_new_certificate_is_reported_and_the_old_one_stays() {
    let test_hub = TestHub::new();
    let old = test_hub.authority.shown_by(&test_hub.hub.url);
    fs::write(test_hub.folder.path().join("hub.pem"), "no certificate").expect("written");
    test_hub.hub.signal(Signal::HUP);
    wait_until("the log tells why", || test_hub.hub.log().contains("contains no certificate"));
    assert_eq!(test_hub.authority.shown_by(&test_hub.hub.url), old);
}

#[test]
fn an_agent_signs_in_with_its_certificate_until_it_is_revoked() {
    let test_hub = TestHub::new();
    test_hub.authority.write_client("coder");
    assert!(test_hub.run_as("coder", "history general").stderr.contains("PARLOUR-A01"), "nobody knows it yet");

    test_hub.done("agent create Coder --project Tour");
    test_hub.done("token create --member Coder --certificate coder.pem --project Tour");
    let posted = test_hub.run_as("coder", "post general 'Signed and sealed' --json");
    assert_eq!(posted.code, Some(0), "{}", posted.stderr);
    let posted: serde_json::Value = serde_json::from_str(&posted.stdout).expect("JSON");
    assert_eq!(posted["from"]["name"], "Coder", "{posted}");

    let tokens: serde_json::Value =
        serde_json::from_str(&test_hub.done("token list --member Coder --project Tour --json")).expect("JSON");
    let items = tokens["items"].as_array().expect("a list");
    let record = items.iter().find(|token| token["kind"] == "certificate").expect("the record");
    test_hub.done(&format!("token revoke {}", record["id"].as_str().expect("an id")));
    let refused = test_hub.run_as("coder", "post general 'Once more'");
    assert!(refused.stderr.contains("PARLOUR-A01"), "{}", refused.stderr);
}

#[test]
fn a_certificate_of_an_unknown_authority_does_not_authenticate() {
    let test_hub = TestHub::new();
    let strangers = tempfile::tempdir().expect("a folder");
    Authority::new(strangers.path()).write_client("stranger");
    for file in ["stranger.pem", "stranger.key"] {
        fs::copy(strangers.path().join(file), test_hub.folder.path().join(file)).expect("copied");
    }
    let refused = test_hub.run_as("stranger", "history general");
    assert!(refused.stderr.contains("refused the client certificate"), "{}", refused.stderr);
}

#[test]
fn an_agent_joins_over_tls_and_keeps_the_authority() {
    let test_hub = TestHub::new();
    let invite: serde_json::Value = serde_json::from_str(&test_hub.done("invite --project Tour --json")).expect("JSON");
    let link = format!("{}/#{}", test_hub.hub.url, invite["code"].as_str().expect("a code"));
    let mut command = parlour(test_hub.folder.path());
    let joined = run(command.args(["join", &link, "Coder", "--ca", "ca.pem", "--save"]), "");
    assert_eq!(joined.code, Some(0), "{}", joined.stderr);
    let posted = run(parlour(test_hub.folder.path()).args(["post", "general", "I am here"]), "");
    assert_eq!(posted.code, Some(0), "{}", posted.stderr);
}

/// What a hub says that cannot start with these flags.
fn refused_start(folder: &Path, flags: &str) -> String {
    let refused = run(parlour(folder).args(["serve", "--listen", "127.0.0.1:0"]).args(words(flags)), "");
    assert_ne!(refused.code, Some(0), "{flags}");
    refused.stderr
}

#[test]
fn invalid_tls_files_are_named_before_the_data_folder_is_created() {
    let folder = tempfile::tempdir().expect("a folder");
    let authority = Authority::new(folder.path());
    authority.write_hub();
    authority.write_client("coder");
    for (flags, words) in [
        ("--tls-cert hub.pem", "set --tls-key too"),
        ("--tls-key hub.key", "set --tls-cert too"),
        ("--client-ca ca.pem", "client certificates need TLS"),
        ("--tls-cert none.pem --tls-key hub.key", "none.pem cannot be read"),
        ("--tls-cert hub.key --tls-key hub.key", "hub.key contains no certificate"),
        ("--tls-cert hub.pem --tls-key hub.pem", "hub.pem contains no private key"),
        ("--tls-cert hub.pem --tls-key coder.key", "the key in coder.key does not match the certificate in hub.pem"),
        ("--tls-cert hub.pem --tls-key hub.key --client-ca hub.key", "hub.key contains no certificate"),
    ] {
        let stderr = refused_start(folder.path(), flags);
        assert!(stderr.contains(words), "{flags}: {stderr}");
    }
    assert!(!folder.path().join("parlour-data").exists());
}
