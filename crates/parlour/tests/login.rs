//! Sign-in on the command line: profiles, their precedence, JSON errors and exit codes.

mod support;

use std::{fs, os::unix::fs::PermissionsExt as _, path::PathBuf, process::Command};

use serde_json::Value;
use support::{Hub, Run, parlour, run, transcript::words};
use tempfile::TempDir;

/// A hub, and a home folder without a profile.
struct Home {
    folder: TempDir,
    hub: Hub,
}

const PASSWORD: &str = "correct horse battery";

impl Home {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let hub = Hub::start(folder.path());
        Self { folder, hub }
    }

    /// A command of this user, without a token in its environment.
    fn command(&self) -> Command {
        let mut command = parlour(self.folder.path());
        command.env("PARLOUR_URL", &self.hub.url);
        command
    }

    fn run(&self, line: &str) -> Run {
        run(self.command().args(words(line)), "")
    }

    /// The same without the address of the hub.
    fn run_without_url(&self, line: &str) -> Run {
        run(parlour(self.folder.path()).args(words(line)), "")
    }

    fn run_with_input(&self, line: &str, input: &str) -> Run {
        run(self.command().args(words(line)), input)
    }

    fn ok(&self, line: &str) -> String {
        let run = self.run(line);
        assert_eq!(run.code, Some(0), "{line}: {}", run.stderr);
        run.stdout
    }

    /// Signs the administrator in with the token of the hub.
    fn log_in(&self) {
        let run = self.run_with_input("login --token-file -", &format!("{}\n", self.hub.token));
        assert_eq!(run.code, Some(0), "{}", run.stderr);
    }

    fn json(&self, line: &str) -> Value {
        serde_json::from_str(&self.ok(&format!("{line} --json"))).expect("JSON")
    }

    fn profiles_file(&self) -> PathBuf {
        self.folder.path().join(".config/parlour/profiles.toml")
    }
}

/// The JSON of an error.
fn error_of(run: &Run) -> Value {
    assert_eq!(run.stderr.lines().count(), 1, "{}", run.stderr);
    serde_json::from_str::<Value>(&run.stderr).expect("JSON")["error"].clone()
}

#[test]
fn a_token_is_stored_privately_and_used_by_later_commands() {
    let home = Home::new();
    home.log_in();
    let mode = |path: &std::path::Path| fs::metadata(path).expect("there").permissions().mode() & 0o777;
    let file = home.profiles_file();
    assert_eq!((mode(&file), mode(file.parent().expect("a folder"))), (0o600, 0o700));
    let history = home.run_without_url("history general");
    assert_eq!(history.code, Some(0), "the profile knows its hub: {}", history.stderr);
    let who = home.run_without_url("whoami");
    assert!(who.stdout.contains("Admin") && who.stdout.contains(&home.hub.url), "{}", who.stdout);
    assert!(who.stdout.contains("Tour") && who.stdout.contains("administrator"), "{}", who.stdout);
    let printed = [home.ok("profile list"), home.ok("profile list --json"), who.stdout, home.ok("whoami --json")];
    assert!(printed.iter().all(|text| !text.contains(&home.hub.token)), "no output contains the token");
}

#[test]
fn a_person_signs_in_with_name_and_password_and_out_again() {
    let home = Home::new();
    assert_eq!(home.hub.run("person create Mara").code, Some(0));
    let set = run(home.hub.command().args(["person", "password", "Mara"]), PASSWORD);
    assert_eq!(set.code, Some(0), "{}", set.stderr);
    assert_eq!(home.hub.run("project invite Mara").code, Some(0));

    let wrong = home.run_with_input("login --name Mara --password-file - --json", "wrong password\n");
    assert_eq!((wrong.code, error_of(&wrong)["code"].clone()), (Some(1), "PARLOUR-A06".into()), "{}", wrong.stderr);
    assert!(!home.profiles_file().exists());

    let right = home.run_with_input("login --name Mara --password-file -", &format!("{PASSWORD}\n"));
    assert_eq!(right.code, Some(0), "{}", right.stderr);
    assert!(right.stdout.contains("as Mara") && right.stdout.contains("parlour logout"), "{}", right.stdout);
    let me = home.json("whoami");
    assert_eq!((&me["name"], me["expires_at"].is_string()), (&"Mara".into(), true), "{me}");
    assert!(home.ok("post general 'Hello from the profile'").starts_with("Posted to #general"));

    let tokens = home.hub.json("token list --member Mara")["items"].to_string();
    assert!(tokens.contains("parlour login on"), "{tokens}");
    assert!(!tokens.contains("\"session\""), "the session of the sign-in has ended: {tokens}");
    let token = fs::read_to_string(home.profiles_file()).expect("a file");
    let token = token.lines().find_map(|line| line.strip_prefix("token = ")).expect("a token").trim_matches('"');

    let out = home.ok("logout");
    assert!(out.contains("The token was revoked"), "{out}");
    let refused = run(home.command().env("PARLOUR_TOKEN", token).arg("whoami"), "");
    assert!(refused.stderr.contains("PARLOUR-A01") && refused.stderr.contains("parlour login"), "{}", refused.stderr);
    let nobody = home.run("whoami");
    assert_eq!(nobody.code, Some(2));
    assert!(nobody.stderr.contains(&format!("parlour login {}", home.hub.url)), "{}", nobody.stderr);
}

#[test]
fn a_sign_in_link_works_once() {
    let home = Home::new();
    let line = home.hub.banner.lines().find_map(|line| line.strip_prefix("Open once     ")).map(str::to_owned);
    let link = line.expect("a link in the banner");
    let first = run(parlour(home.folder.path()).args(["login", &link, "--profile", "first"]), "");
    assert_eq!(first.code, Some(0), "{}", first.stderr);
    assert!(first.stdout.contains("as Admin") && first.stdout.contains("profile first"), "{}", first.stdout);
    let second = run(parlour(home.folder.path()).args(["login", &link, "--profile", "second"]), "");
    assert_eq!(second.code, Some(1), "{}", second.stdout);
    assert!(second.stderr.contains("PARLOUR-A06"), "{}", second.stderr);
}

#[test]
fn a_failed_sign_in_leaves_no_token_behind() {
    let home = Home::new();
    assert_eq!(run(home.hub.command().args(["person", "password"]), PASSWORD).code, Some(0));
    let refused = home.run_with_input("login --name Admin --password-file - --project Nowhere", PASSWORD);
    assert!(refused.code == Some(1) && refused.stderr.contains("Nowhere"), "{}", refused.stderr);
    let tokens = home.hub.json("token list")["items"].to_string();
    assert!(!tokens.contains("parlour login on") && !home.profiles_file().exists(), "{tokens}");
}

#[test]
fn a_token_that_was_passed_stays_valid_after_logout() {
    let home = Home::new();
    home.log_in();
    let out = home.ok("logout");
    assert!(out.contains("stays valid"), "{out}");
    assert_eq!(home.hub.run("whoami").code, Some(0));
    home.log_in();
    assert!(home.ok("logout --revoke").contains("was revoked"));
    assert_eq!(home.hub.run("whoami").code, Some(1));
}

#[test]
fn a_profile_token_is_not_sent_to_another_hub() {
    let home = Home::new();
    home.log_in();
    // Accepts one connection and keeps what it was sent.
    let other = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}", other.local_addr().expect("bound"));
    let sent = run(parlour(home.folder.path()).args(["whoami", "--url", &url]), "");
    assert_eq!(sent.code, Some(2), "{}", sent.stderr);
    assert!(sent.stderr.contains(&format!("not signed in to {url}")), "{}", sent.stderr);
    other.set_nonblocking(true).expect("set");
    assert!(other.accept().is_err(), "nothing was sent");
    let profile = home.json("profile list")["items"][0]["name"].as_str().expect("a name").to_owned();
    let both = run(parlour(home.folder.path()).args(["whoami", "--url", &url, "--profile", &profile]), "");
    assert!(both.code == Some(2) && both.stderr.contains("belongs to"), "{}", both.stderr);
}

#[test]
fn profiles_are_listed_selected_and_have_a_default_project() {
    let home = Home::new();
    home.log_in();
    assert_eq!(home.hub.run("project create Apollo").code, Some(0));
    let several = home.run("history general");
    assert!(several.code == Some(2) && several.stderr.contains("parlour project use"), "{}", several.stderr);
    assert!(home.ok("project use Tour").contains("Tour"));
    assert_eq!(home.run("history general").code, Some(0));

    let agent = home.hub.json("agent create Coder --project Tour");
    let token = agent["token"].as_str().expect("a token");
    let stored = home.run_with_input("login --token-file -", token);
    assert!(stored.stdout.contains("a further profile Coder"), "{}{}", stored.stdout, stored.stderr);
    assert_eq!(home.json("whoami")["name"], "Admin", "the profile of an agent does not become the default one");
    assert_eq!(home.json("--profile Coder whoami")["name"], "Coder");
    assert_eq!(run(home.command().env("PARLOUR_PROFILE", "Coder").args(["whoami", "--json"]), "").code, Some(0));
    home.ok("profile use Coder");
    assert_eq!(home.json("whoami")["name"], "Coder");
    let list = home.ok("profile list");
    assert!(list.lines().any(|line| line.starts_with("*  Coder")), "{list}");
    let unknown = home.run("whoami --profile nobody");
    assert!(unknown.code == Some(2) && unknown.stderr.contains("Coder"), "{}", unknown.stderr);
}

#[test]
fn a_renewed_token_is_stored_in_its_profile() {
    let home = Home::new();
    home.log_in();
    let renewed = home.ok("token renew");
    assert!(renewed.contains("stored in profile") && !renewed.contains("parlour_"), "{renewed}");
    assert_eq!(home.run("whoami").code, Some(0));
    assert_eq!(home.hub.run("whoami").code, Some(1), "the old token is revoked");
}

#[test]
fn the_command_of_a_runner_does_not_act_as_the_user() {
    let home = Home::new();
    home.log_in();
    let inside = run(home.command().env("PARLOUR_AGENT", "Coder").args(["post", "general", "hi"]), "");
    assert_eq!(inside.code, Some(2), "{}", inside.stdout);
    assert!(inside.stderr.contains("Coder") && inside.stderr.contains("--profile"), "{}", inside.stderr);
}

#[test]
fn errors_are_json_if_json_is_wanted() {
    let home = Home::new();
    home.log_in();
    let refused = home.run("--json history nowhere");
    assert_eq!(refused.code, Some(1), "{}", refused.stderr);
    let error = error_of(&refused);
    assert_eq!((&error["exit"], &error["retryable"]), (&1.into(), &false.into()), "{error}");
    assert!(error["detail"].as_str().is_some_and(|text| text.contains("nowhere")), "{error}");

    let usage = home.run("post --json");
    let error = error_of(&usage);
    assert_eq!((usage.code, &error["code"], &error["exit"]), (Some(2), &"usage".into(), &2.into()), "{error}");

    let lost = home.run("whoami --url http://127.0.0.1:1 --json");
    assert_eq!(error_of(&lost)["code"], "usage", "no profile for that hub");
    let lost = run(
        parlour(home.folder.path()).env("PARLOUR_TOKEN", "x").args(words("--url http://127.0.0.1:1 --json whoami")),
        "",
    );
    let error = error_of(&lost);
    assert_eq!(
        (lost.code, &error["code"], &error["retryable"]),
        (Some(5), &"unreachable".into(), &true.into()),
        "{error}"
    );

    let refused = run(home.command().env("PARLOUR_TOKEN", "wrong").args(["whoami", "--json"]), "");
    let error = error_of(&refused);
    assert_eq!((refused.code, &error["code"]), (Some(1), &"PARLOUR-A01".into()), "{error}");
    assert!(error["remedy"].as_str().is_some_and(|text| text.contains("parlour login")), "{error}");
}
