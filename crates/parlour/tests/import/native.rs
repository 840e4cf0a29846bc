//! From one project, or hub, to another.

use serde_json::{Value, json};

use crate::fixture::ImportFixture;

/// What a file of native messages holds, by id.
fn values(fixture: &ImportFixture, name: &str) -> Vec<Value> {
    let text = std::fs::read_to_string(fixture.path(name)).expect("a file");
    let mut values: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    values.sort_by_key(|value| value["id"].as_str().map(str::to_owned));
    values
}

#[tokio::test]
async fn a_project_moves_with_its_threads_and_comes_back_as_it_was() {
    let fixture = ImportFixture::new();
    fixture.hub.json("project create Old");
    let channel = fixture.hub.json("channel create deck --project Old")["id"].as_str().expect("an id").to_owned();
    fixture.hub.json("agent create Coder --project Old");
    let root = fixture.hub.json("post deck 'Look, @Coder' --importance high --project Old")["id"].clone();
    let http = reqwest::Client::builder().no_proxy().build().expect("a client");
    let request = json!({"channel_id": channel, "root_message_id": root});
    let asked =
        http.post(format!("{}/threads", fixture.hub.url)).bearer_auth(&fixture.hub.token).json(&request).send().await;
    let thread: Value = asked.expect("an answer").json().await.expect("JSON");
    let thread = thread["id"].as_str().expect("an id");
    for line in [format!("post {thread} 'Below'"), "post deck 'Further' --project Old".to_owned()] {
        assert_eq!(fixture.hub.run(&line).code, Some(0), "{line}");
    }
    assert_eq!(fixture.hub.run("export native old.jsonl --project Old").code, Some(0));
    assert_eq!(values(&fixture, "old.jsonl").len(), 3);

    let told = fixture.json("import native old.jsonl");
    assert_eq!((&told["stored"], told["channels"].as_array().map(Vec::len)), (&3.into(), Some(2)));
    assert_eq!(fixture.channels().len(), 1, "the thread stands below its message");
    let moved = fixture.history(&fixture.channels()[0]);
    assert_eq!((moved.len(), moved[0]["body"].as_str()), (2, Some("Look, @Coder")));
    let below = moved[0]["thread_id"].as_str().expect("a thread").to_owned();
    assert_eq!(fixture.bodies(&below), ["Below"]);
    assert!(moved[0]["from"]["id"].as_str().is_some_and(|id| id.starts_with("parlour:per_")), "{}", moved[0]);
    assert_eq!(fixture.json("agent list")["items"], json!([]), "nobody of the old project is a member here");
    assert_eq!(fixture.json("import native old.jsonl")["known"], 3);

    fixture.shown("export native new.jsonl");
    assert_eq!(values(&fixture, "new.jsonl"), values(&fixture, "old.jsonl"));
}

#[test]
fn the_sample_project_goes_to_stdout_and_back() {
    let fixture = ImportFixture::new();
    let lines = fixture.hub.run("export native - --project Tour");
    assert_eq!(lines.code, Some(0), "{}", lines.stderr);
    assert!(lines.stderr.starts_with("Wrote ") && lines.stderr.ends_with(" to -.\n"), "{}", lines.stderr);
    fixture.write("tour.jsonl", &lines.stdout);
    let told = fixture.json("import native tour.jsonl");
    assert_eq!(told["stored"], lines.stdout.lines().count());
    fixture.shown("export native again.jsonl");
    assert_eq!(values(&fixture, "again.jsonl"), values(&fixture, "tour.jsonl"));
}
