//! Every command that talks to a hub: what people see, and the JSON that programs get.

mod support;

use std::{
    io::{BufRead, BufReader, Write},
    net::TcpListener,
    process::Stdio,
};

use parlour_agent::{Client, requests::NewChannel};
use parlour_core::{conversation::Visibility, name::Name, post::PostMessage};
use support::{Hub, parlour, run, transcript::snapshots};
use tempfile::TempDir;

/// A hub with its sample project, and the folder that ends with it.
fn hub() -> (TempDir, Hub) {
    let folder = tempfile::tempdir().expect("a folder");
    let hub = Hub::start(folder.path());
    (folder, hub)
}

/// The hub as the agent `Coder` sees it, which is made for this.
fn as_coder(hub: &mut Hub) {
    let created = hub.json("agent create Coder");
    hub.token = created["token"].as_str().expect("a token").to_owned();
}

/// Holds what people see against the checked-in transcript of the test that calls this.
macro_rules! check {
    ($hub:expr, $lines:expr) => {
        snapshots().bind(|| insta::assert_snapshot!($hub.transcript(&$lines)))
    };
}

#[test]
fn projects_are_created_and_shown() {
    let (_folder, hub) = hub();
    check!(
        hub,
        [
            "project list",
            "project create Apollo --description 'The next release'",
            "project show apollo",
            "project show",
            "project show --project Tour",
            "project create 'Apollo'",
            "project create 'a/b'",
        ]
    );
}

#[test]
fn channels_are_created_shown_and_changed() {
    let (_folder, hub) = hub();
    check!(
        hub,
        [
            "channel create design --topic 'Mock-ups and colours'",
            "channel create board --private",
            "channel archive design",
            "channel list",
            "post design 'Too late'",
            "channel unarchive '#design'",
            "agent create Coder",
            "channel members board --add Coder",
            "channel members board --remove coder",
            "channel members general",
            "channel subscribe general Coder",
            "channel subscribers general",
            "channel unsubscribe general Coder",
            "channel subscribers general",
            "channel subscribe general",
        ]
    );
}

#[test]
fn members_are_added_and_get_tokens() {
    let (_folder, hub) = hub();
    check!(
        hub,
        [
            "agent list",
            "agent create Coder --capability rust --capability review --instructions 'Be brief.'",
            "agent list",
            "agent token coder",
            "agent token Nobody",
            "person create 'Mara Stone'",
            "person create Jonas --admin",
            "person list",
            "person token jonas",
            "project invite 'mara stone'",
            "agent create '@Coder'",
        ]
    );
}

#[test]
fn questions_are_asked_shown_answered_and_withdrawn() {
    let (_folder, mut hub) = hub();
    check!(
        hub,
        [
            "questions",
            "agent create Coder",
            "ask general 'Who?'",
            "ask general '@Coder which branch?' --option main --option 'dev=The dev branch' --default main --id msg_ask-1",
            "questions --all",
            "deliveries msg_ask-1",
            "answer msg_ask-1 main",
            "withdraw msg_ask-1",
            "withdraw msg_ask-1",
            "ask general '@Coder sure?' --option yes --id msg_ask-2",
            "inbox counts",
            "inbox --mentions",
        ]
    );
    as_coder_again(&mut hub);
    check!(
        hub,
        [
            "questions",
            "inbox counts",
            "inbox digest",
            "run start --label 'Mend the build' --in general --id run_own-1",
            "run list --open",
            "answer msg_ask-2 yess",
            "answer msg_ask-2 yes",
            "answer msg_ask-2 yes",
            "run checkpoint run_own-1",
            "run resume run_own-1",
            "run show run_own-1",
            "inbox read --in general",
            "inbox read --in general",
            "run finish run_own-1",
            "run checkpoint run_own-1",
            "run timeline run_own-1",
            "history general --since 3",
        ]
    );
}

/// The hub as the agent `Coder` sees it, which is there already.
fn as_coder_again(hub: &mut Hub) {
    let renewed = hub.json("agent token Coder");
    hub.token = renewed["token"].as_str().expect("a token").to_owned();
}

#[test]
fn messages_are_posted_read_and_found() {
    let (_folder, hub) = hub();
    check!(
        hub,
        [
            "agent create Coder",
            "post general Hello @Coder, have you met @Codr?",
            "post '#general' 'Look at the build, @Coder' --importance critical --blocking",
            "post @Coder 'Between us'",
            "history general --limit 2",
            "history general --before 2",
            "history general --since 3",
            "history @Coder",
            "history general --since 99",
            "search build",
            "search 'nothing like this'",
            "inbox",
            "inbox --agent Coder",
            "history @Nobody",
        ]
    );
}

#[test]
fn an_agent_reads_its_own_inbox() {
    let (_folder, mut hub) = hub();
    let admin = hub.token.clone();
    as_coder(&mut hub);
    let coder = std::mem::replace(&mut hub.token, admin);
    hub.run("post general 'Hello @Coder'");
    hub.token = coder;
    let inbox = hub.json("inbox");
    assert_eq!((&inbox["unread"], &inbox["items"][0]["reason"]), (&1.into(), &"mention".into()));
    assert!(hub.run("inbox").stdout.starts_with("1 unread.\n"));
    let refused = hub.run("person create Mallory");
    assert_eq!(refused.code, Some(1));
    assert!(refused.stderr.contains("PARLOUR-A04"), "{}", refused.stderr);
}

#[test]
fn a_person_sees_unread_counts() {
    let (_folder, mut hub) = hub();
    let mara = hub.json("person create Mara");
    hub.run("project invite Mara");
    hub.token = mara["token"].as_str().expect("a token").to_owned();
    check!(hub, ["inbox"]);
    assert_eq!(hub.json("inbox")["total"], 2);
}

#[test]
fn a_repeated_id_posts_once() {
    let (_folder, hub) = hub();
    let line = "post general 'Once only' --id msg_my-own-id";
    let (first, second) = (hub.json(line), hub.json(line));
    assert_eq!((&first["seq"], &first["position"]), (&second["seq"], &second["position"]));
    assert_eq!(hub.json("history general --all")["items"].as_array().map(Vec::len), Some(3));
    let other = hub.run("post general 'Something else' --id msg_my-own-id");
    assert!(other.code == Some(1) && other.stderr.contains("PARLOUR-C01"), "{}", other.stderr);
}

#[test]
fn a_text_can_come_from_stdin() {
    let (_folder, hub) = hub();
    let posted = run(hub.command().args(["post", "general", "-", "--json"]), "first line\nsecond line\n");
    let posted: serde_json::Value = serde_json::from_str(&posted.stdout).expect("JSON");
    assert_eq!(posted["body"], "first line\nsecond line");
    let endless = run(hub.command().args(["post", "general", "-"]), &"x".repeat(70_000));
    assert!(endless.code == Some(1) && endless.stderr.contains("PARLOUR-I10"), "{}", endless.stderr);
}

#[test]
fn a_reply_names_its_message() {
    let (_folder, hub) = hub();
    let first = hub.json("post general 'A question'")["id"].as_str().expect("an id").to_owned();
    let answer = hub.json(&format!("post general 'An answer' --reply-to {first}"));
    assert_eq!(answer["reply_to"], first);
    assert!(hub.run("history general --limit 1").stdout.contains(&format!("reply to {first}")));
}

/// Posts this many messages to `#general`, faster than commands could.
async fn fill(hub: &Hub, count: usize) {
    let client = Client::new(&hub.url, Some(&hub.token)).expect("a client");
    let project = client.projects().await.expect("projects").items.remove(0);
    let channel = client.channels(&project.id).await.expect("channels").items.remove(0).id;
    for number in 0..count {
        let id = format!("msg_fill-{number}").parse().expect("an id");
        let body = format!("filling {number}");
        let request = PostMessage { channel_id: Some(channel.clone()), body, ..PostMessage::default() };
        client.post_message(&id, &request).await.expect("posted");
    }
}

/// The numbers of the messages of a page.
fn numbers(page: &serde_json::Value) -> Vec<u64> {
    page["items"].as_array().expect("items").iter().map(|item| item["seq"].as_u64().expect("a number")).collect()
}

#[tokio::test]
async fn a_long_history_is_read_over_many_pages() {
    let (_folder, hub) = hub();
    fill(&hub, 248).await;
    let whole = hub.json("history general --all");
    assert_eq!(numbers(&whole), (1..=250).rev().collect::<Vec<_>>());
    assert!(whole.get("next").is_none());
    let most = hub.json("history general --limit 230");
    assert_eq!(numbers(&most), (21..=250).rev().collect::<Vec<_>>());
    assert!(most["next"].is_string());
    assert_eq!(numbers(&hub.json("history general --since 20 --limit 210")), (21..=230).collect::<Vec<_>>());
    let found = hub.json("search filling --limit 240");
    assert_eq!(found["items"].as_array().map(Vec::len), Some(240));
    assert!(hub.run("search filling").stdout.ends_with("More results exist; raise --limit or add a word.\n"));
}

#[tokio::test]
async fn a_name_is_found_far_down_a_list() {
    let (_folder, hub) = hub();
    let client = Client::new(&hub.url, Some(&hub.token)).expect("a client");
    let project = client.projects().await.expect("projects").items.remove(0);
    for number in 0..205 {
        let name = Name::parse(&format!("room {number} of many")).expect("a name");
        let (topic, visibility) = (None, Visibility::Project);
        let request = NewChannel { project_id: project.id.clone(), name, topic, visibility };
        client.create_channel(&request).await.expect("made");
    }
    assert_eq!(hub.json("channel list")["items"].as_array().map(Vec::len), Some(206));
    assert_eq!(hub.run("post 'Room 204 of many' hello").code, Some(0));
    let unknown = hub.run("post 'room 205 of many' hello");
    assert!(
        unknown.stderr.contains("general, room 0 of many") && unknown.stderr.ends_with(", …\n"),
        "{}",
        unknown.stderr
    );
}

#[test]
fn another_server_at_the_address_is_detected() {
    let folder = tempfile::tempdir().expect("a folder");
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let url = format!("http://{}", listener.local_addr().expect("bound"));
    let stranger = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().expect("a caller");
        let head = BufReader::new(stream.try_clone().expect("a stream")).lines().map_while(Result::ok);
        head.take_while(|line| !line.is_empty()).for_each(drop);
        stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\n<html>").expect("sent");
    });
    let run = run(parlour(folder.path()).args(["project", "list", "--url", &url]).env("PARLOUR_TOKEN", "x"), "");
    stranger.join().expect("no panic");
    assert_eq!(run.code, Some(1));
    assert!(run.stderr.contains("not like a Parlour hub") && run.stderr.contains("parlour doctor"), "{}", run.stderr);
}

#[test]
fn every_json_list_is_a_page_of_the_api() {
    let (_folder, hub) = hub();
    hub.json("agent create Coder");
    hub.json("channel create board --private");
    for (line, field) in [
        ("project list", "name"),
        ("channel list", "visibility"),
        ("agent list", "capabilities"),
        ("person list", "is_admin"),
        ("search welcome", "snippet"),
    ] {
        assert!(hub.json(line)["items"][0].get(field).is_some(), "{line}");
    }
    assert!(hub.json("channel members board")["items"][0].is_string());
    assert!(hub.json("channel subscribers board")["items"].as_array().is_some_and(Vec::is_empty));
}

#[test]
fn every_change_returns_the_new_state() {
    let (_folder, hub) = hub();
    assert_eq!(hub.json("project create Apollo")["name"], "Apollo");
    let project = "--project Apollo";
    assert_eq!(hub.json(&format!("channel create general {project}"))["name"], "general");
    assert_eq!(hub.json(&format!("agent create Coder {project}"))["name"], "Coder");
    assert!(hub.json(&format!("agent token Coder {project}"))["token"].is_string());
    assert!(hub.json("person create Mara")["token"].is_string());
    assert!(hub.json("person token Mara")["token"].is_string());
    assert_eq!(hub.json(&format!("project invite Mara {project}"))["name"], "Mara");
    assert!(hub.json(&format!("channel subscribe general Coder {project}"))["agent_id"].is_string());
    assert!(hub.json(&format!("channel unsubscribe general Coder {project}"))["agent_id"].is_string());
    assert!(hub.json(&format!("channel archive general {project}"))["archived_at"].is_string());
    assert!(hub.json(&format!("channel unarchive general {project}")).get("archived_at").is_none());
    assert_eq!(hub.json("project show Apollo")["name"], "Apollo");
}

#[test]
fn one_of_several_projects_must_be_chosen() {
    let (_folder, hub) = hub();
    hub.json("project create Apollo");
    let refused = hub.run("channel list");
    assert_eq!(refused.code, Some(2));
    assert_eq!(
        refused.stderr,
        "parlour: several projects are visible: Tour, Apollo\n  try: select one with --project NAME, or for all commands with `parlour project use NAME`\n"
    );
    let chosen = run(hub.command().args(["channel", "list"]).env("PARLOUR_PROJECT", "tour"), "");
    assert_eq!(chosen.code, Some(0), "{}", chosen.stderr);
}

#[test]
fn a_conversation_named_by_its_id_needs_no_project() {
    let (_folder, hub) = hub();
    let id = hub.json("channel list")["items"][0]["id"].as_str().expect("an id").to_owned();
    hub.json("project create Apollo");
    assert_eq!(hub.run(&format!("post {id} hello")).code, Some(0));
}

#[test]
fn a_missing_token_or_hub_is_reported_with_a_remedy() {
    let folder = tempfile::tempdir().expect("a folder");
    let no_token = run(parlour(folder.path()).args(["history", "general"]), "");
    assert_eq!(no_token.code, Some(2));
    assert!(no_token.stderr.contains("parlour login http://127.0.0.1:4870"), "{}", no_token.stderr);
    let mut command = parlour(folder.path());
    command.args(["history", "general", "--url", "http://127.0.0.1:1"]).env("PARLOUR_TOKEN", "x");
    let no_hub = run(&mut command, "");
    assert_eq!(no_hub.code, Some(5));
    assert_eq!(
        no_hub.stderr,
        "parlour: no hub answers at http://127.0.0.1:1\n  \
         try: start it with `parlour serve`, or check the address: --url, PARLOUR_URL, `parlour profile list`\n"
    );
}

#[test]
fn a_closed_pipe_is_not_a_failure() {
    let (_folder, hub) = hub();
    let long = "x ".repeat(30_000);
    for _ in 0..4 {
        let posted = run(hub.command().args(["post", "general", "-"]), &long);
        assert_eq!(posted.code, Some(0), "{}", posted.stderr);
    }
    let mut command = hub.command();
    command.args(["history", "general", "--all"]).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("started");
    let mut line = String::new();
    // More follows than a pipe holds, so the command is still writing when its reader goes.
    BufReader::with_capacity(64, child.stdout.take().expect("a pipe")).read_line(&mut line).expect("a line");
    let output = child.wait_with_output().expect("the end");
    assert_eq!((output.status.code(), output.stderr), (Some(0), Vec::new()));
}

#[test]
fn output_to_a_pipe_has_no_colours() {
    let (_folder, hub) = hub();
    assert!(!hub.run("history general").stdout.contains('\u{1b}'));
}

#[test]
fn help_and_version_are_shown() {
    let folder = tempfile::tempdir().expect("a folder");
    let help = run(parlour(folder.path()).arg("--help"), "");
    assert!(help.code == Some(0) && help.stdout.contains("Examples:") && !help.stdout.contains("reference"));
    let post = run(parlour(folder.path()).args(["post", "--help"]), "");
    assert!(post.stdout.contains("--reply-to") && post.stdout.contains("PARLOUR_URL"), "{}", post.stdout);
    let wrong = run(parlour(folder.path()).arg("pots"), "");
    assert!(wrong.code == Some(2) && wrong.stderr.contains("post"), "{}", wrong.stderr);
}
