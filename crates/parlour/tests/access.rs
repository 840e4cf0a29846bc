//! Tokens, invites, links and passwords, as people and programs use them from the command line.

mod support;

use std::os::unix::fs::PermissionsExt as _;

use reqwest::{Client, Response, StatusCode, header};
use serde_json::{Value, json};
use support::{
    Hub, Run, parlour, run,
    transcript::{snapshots, words},
};
use tempfile::TempDir;

/// A hub with its sample project, and the folder that ends with it.
fn hub() -> (TempDir, Hub) {
    let folder = tempfile::tempdir().expect("a folder");
    let hub = Hub::start(folder.path());
    (folder, hub)
}

/// Runs a command with this token.
fn run_as(hub: &Hub, token: &str, line: &str) -> Run {
    run(hub.command().env("PARLOUR_TOKEN", token).args(words(line)), "")
}

fn text(value: &Value) -> String {
    value.as_str().expect("a text").to_owned()
}

/// Holds what people see against the checked-in transcript of the test that calls this.
macro_rules! check {
    ($hub:expr, $lines:expr) => {
        snapshots().bind(|| insta::assert_snapshot!($hub.transcript(&$lines)))
    };
}

#[test]
fn tokens_are_issued_shown_and_revoked() {
    let (_folder, hub) = hub();
    check!(
        hub,
        [
            "agent create Coder",
            "token create --member Coder --role read-only --expires 30d --label 'nightly report'",
            "token create --static --label backup --scope messages:read --scope channels:read",
            "token list --member Coder",
            "token create --member Nobody",
            "token create --scope messages:eat",
            "token create --expires 1000d",
            "token create --certificate no-such-file.pem",
            "token revoke tok_none",
        ]
    );
}

#[test]
fn a_token_is_limited_to_its_scopes_and_ends_when_revoked() {
    let (_folder, hub) = hub();
    let issued = hub.json("token create --role read-only --label reader");
    let secret = text(&issued["secret"]);
    assert_eq!(run_as(&hub, &secret, "history general").code, Some(0));
    let refused = run_as(&hub, &secret, "post general hello");
    assert_eq!(refused.code, Some(1));
    assert!(refused.stderr.contains("messages:write") && refused.stderr.contains("PARLOUR-A04"), "{}", refused.stderr);
    assert_eq!(hub.run(&format!("token revoke {}", text(&issued["id"]))).code, Some(0));
    let gone = run_as(&hub, &secret, "history general");
    assert!(gone.stderr.contains("PARLOUR-A01"), "{}", gone.stderr);
}

#[test]
fn a_renewed_token_replaces_the_old_one() {
    let (_folder, hub) = hub();
    let old = text(&hub.json("token create --label mine")["secret"]);
    let renewed = run_as(&hub, &old, "token renew --json");
    let new = text(&serde_json::from_str::<Value>(&renewed.stdout).expect("JSON")["secret"]);
    assert_eq!(run_as(&hub, &new, "history general").code, Some(0));
    assert_eq!(run_as(&hub, &old, "history general").code, Some(1));
}

#[test]
fn invites_are_created_listed_and_revoked() {
    let (_folder, hub) = hub();
    check!(
        hub,
        [
            "invite list",
            "invite",
            "invite --role read-only --uses 5 --expires 7d --label 'build machines'",
            "invite list",
            "invite --role king",
            "invite --uses 0",
            "invite --expires 31d",
            "invite revoke inv_none",
            "join http://127.0.0.1:1 Coder",
        ]
    );
}

#[test]
fn an_invite_with_a_loopback_address_says_so() {
    let (_folder, hub) = hub();
    let invite = hub.run("invite");
    assert_eq!(invite.code, Some(0), "{}", invite.stderr);
    assert!(invite.stdout.contains("Run on this machine:\n  parlour join "), "{}", invite.stdout);
    let warning = format!("The address {} is reachable only from this machine.", hub.url);
    assert!(invite.stdout.contains(&warning) && invite.stdout.contains("parlour serve --listen "), "{}", invite.stdout);
}

#[test]
fn an_agent_on_another_machine_joins_with_one_command() {
    let (folder, hub) = hub();
    let code = text(&hub.json("invite")["code"]);
    let elsewhere = folder.path().join("elsewhere");
    std::fs::create_dir(&elsewhere).expect("a folder");
    let link = format!("{}/#{code}", hub.url);
    let joined = run(parlour(&elsewhere).args(["join", &link, "Coder", "--save"]), "");
    assert_eq!(joined.code, Some(0), "{}", joined.stderr);
    assert!(joined.stdout.starts_with("Coder joined Tour"), "{}", joined.stdout);
    assert!(joined.stdout.ends_with("\n  parlour agent --claude-code\n"), "{}", joined.stdout);
    let file = elsewhere.join("parlour.toml");
    let mode = std::fs::metadata(&file).expect("the file").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let posted = run(parlour(&elsewhere).args(["post", "general", "Hello from afar"]), "");
    assert_eq!(posted.code, Some(0), "{}", posted.stderr);
    assert!(hub.run("history general").stdout.contains("Hello from afar"));
    // The invite was for one agent, and a file that is there is left alone.
    let again = run(parlour(&elsewhere).args(["join", &link, "Second"]), "");
    assert!(again.stderr.contains("PARLOUR-A09"), "{}", again.stderr);
    let kept = run(parlour(&elsewhere).args(["join", &link, "Second", "--save"]), "");
    assert!(kept.stderr.contains("already exists"), "{}", kept.stderr);
}

#[test]
fn the_token_of_an_agent_that_joins_is_stored_as_a_profile() {
    let (folder, hub) = hub();
    let link = format!("{}/#{}", hub.url, text(&hub.json("invite --uses 2")["code"]));
    let elsewhere = folder.path().join("elsewhere");
    std::fs::create_dir(&elsewhere).expect("a folder");
    let joined = run(parlour(&elsewhere).args(["join", &link, "Coder"]), "");
    assert_eq!(joined.code, Some(0), "{}", joined.stderr);
    assert!(joined.stdout.contains("stored as profile Coder") && !joined.stdout.contains("eyJ"), "{}", joined.stdout);
    assert!(joined.stdout.ends_with("\n  parlour agent --profile Coder --claude-code\n"), "{}", joined.stdout);
    let who = run(parlour(&elsewhere).args(["whoami", "--profile", "Coder"]), "");
    assert!(who.stdout.contains("Coder") && who.stdout.contains("agent"), "{}{}", who.stdout, who.stderr);
    // It does not become the default, and is not replaced by another agent of this name.
    assert_eq!(run(parlour(&elsewhere).arg("whoami"), "").code, Some(2));
    let again = run(parlour(&elsewhere).args(["join", &link, "Coder"]), "");
    assert!(again.stderr.contains("profile Coder already exists"), "{}", again.stderr);
}

#[test]
fn context_rules_given_at_join_are_stored() {
    let (folder, hub) = hub();
    let link = format!("{}/#{}", hub.url, text(&hub.json("invite")["code"]));
    let join =
        |context: &str| run(parlour(folder.path()).args(["join", &link, "Coder", "--json", "--context", context]), "");
    for (wrong, words) in [
        ("{\"pack\": 1}", "unknown field `pack`"),
        ("lots", "invalid context settings of an agent"),
        ("{\"pack_tokens_max\": \"many\"}", "many"),
        ("{\"pack_tokens_max\": 1}", "context.pack_tokens_max"),
    ] {
        let refused = join(wrong);
        assert!(refused.code.is_some_and(|code| code != 0) && refused.stdout.is_empty(), "{wrong}: {}", refused.stdout);
        assert!(refused.stderr.contains(words), "{wrong}: {}", refused.stderr);
    }
    // None of them has used the invite up.
    let joined = join("{\"pack_tokens_max\": 300, \"model\": \"gpt-4o\"}");
    assert_eq!(joined.code, Some(0), "{}", joined.stderr);
    let joined: Value = serde_json::from_str(&joined.stdout).expect("JSON");
    assert_eq!(joined["agent"]["context"], serde_json::json!({ "pack_tokens_max": 300, "model": "gpt-4o" }));
    assert_eq!(hub.run("post general '@Coder which valve?'").code, Some(0));
    let pack = run_as(&hub, &text(&joined["token"]), "context --in general --json");
    let receipt = serde_json::from_str::<Value>(&pack.stdout).expect("JSON")["receipt"].clone();
    assert_eq!((&receipt["budget"], &receipt["counting"]["is_exact"]), (&300.into(), &true.into()), "{receipt}");
}

/// A browser without a page: it keeps what it is told to keep.
fn browser() -> Client {
    Client::builder().no_proxy().build().expect("a client")
}

async fn sign_in(hub: &Hub, body: &Value) -> Response {
    let request = browser().post(format!("{}/sign-in", hub.url)).header(header::ORIGIN, &hub.url);
    request.json(body).send().await.expect("an answer")
}

/// The cookie that an answer sets, as a browser sends it back.
fn cookie(answer: &Response) -> String {
    let set = answer.headers().get(header::SET_COOKIE).expect("a cookie").to_str().expect("text");
    assert!(set.contains("HttpOnly") && set.contains("SameSite=Strict"), "{set}");
    set.split(';').next().expect("a pair").to_owned()
}

async fn me(hub: &Hub, cookie: &str) -> StatusCode {
    let request = browser().get(format!("{}/me", hub.url)).header(header::ORIGIN, &hub.url);
    request.header(header::COOKIE, cookie).send().await.expect("an answer").status()
}

#[tokio::test]
async fn the_sign_in_link_of_serve_works_once() {
    let (_folder, hub) = hub();
    let (_, code) = hub.banner.split_once("/sign-in#code=").expect("a link in the banner");
    let body = json!({"code": code.lines().next().expect("a line")});
    let signed_in = sign_in(&hub, &body).await;
    assert_eq!(signed_in.status(), StatusCode::OK);
    assert_eq!(me(&hub, &cookie(&signed_in)).await, StatusCode::OK);
    assert_eq!(sign_in(&hub, &body).await.status(), StatusCode::UNAUTHORIZED);
}

#[tokio::test]
async fn a_person_sets_a_password_and_signs_in_with_it() {
    let (_folder, hub) = hub();
    hub.run("person create Mara");
    let line = words("person password Mara");
    let short = run(hub.command().args(&line), "short\n");
    assert!(short.stderr.contains("PARLOUR-I10"), "{}", short.stderr);
    let set = run(hub.command().args(&line), "correct horse battery\n");
    assert_eq!(set.code, Some(0), "{}", set.stderr);
    let wrong = sign_in(&hub, &json!({"name": "Mara", "password": "battery horse correct"})).await;
    assert_eq!(wrong.status(), StatusCode::UNAUTHORIZED);
    let right = sign_in(&hub, &json!({"name": "Mara", "password": "correct horse battery"})).await;
    assert_eq!(right.status(), StatusCode::OK);
    let first = cookie(&right);
    // Another password signs the browser out.
    run(hub.command().args(&line), "staple horse battery\n");
    assert_eq!(me(&hub, &first).await, StatusCode::UNAUTHORIZED);
}

#[test]
fn a_link_for_a_person_is_shown_as_an_address_to_open() {
    let (_folder, hub) = hub();
    hub.run("person create Mara");
    check!(hub, ["person link Mara", "person link", "person link Nobody", "agent create Coder"]);
}

#[test]
fn agents_cannot_use_sign_in_links_or_passwords() {
    let (_folder, hub) = hub();
    let coder = text(&hub.json("agent create Coder")["token"]);
    for line in ["person link", "person password"] {
        let refused = run_as(&hub, &coder, line);
        assert!(refused.stderr.contains("only people sign in"), "{}", refused.stderr);
    }
}

#[tokio::test]
async fn a_rotated_key_signs_new_tokens_and_old_ones_stay_valid() {
    let (_folder, hub) = hub();
    let before = text(&hub.json("token create")["secret"]);
    let rotated = hub.json("key rotate");
    let after = text(&hub.json("token create")["secret"]);
    let keys = browser().get(format!("{}/.well-known/jwks.json", hub.url)).send().await.expect("keys");
    let keys: Value = keys.json().await.expect("JSON");
    assert_eq!((keys["keys"].as_array().map(Vec::len), &keys["keys"][0]["kid"]), (Some(2), &rotated["kid"]));
    for token in [before, after] {
        assert_eq!(run_as(&hub, &token, "history general").code, Some(0));
    }
}
