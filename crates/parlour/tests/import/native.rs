//! From one project, or hub, to another.

use serde_json::{Value, json};

use crate::{
    fixture::ImportFixture,
    support::{parlour, run},
};

/// What a file of native messages holds, by id.
fn values(fixture: &ImportFixture, name: &str) -> Vec<Value> {
    let text = std::fs::read_to_string(fixture.path(name)).expect("a file");
    let mut values: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    values.sort_by_key(|value| value["id"].as_str().map(str::to_owned));
    values
}

#[tokio::test]
async fn a_project_with_threads_round_trips() {
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
    assert_eq!(values(&fixture, "old.jsonl").len(), 4, "three messages and the record of the channel");

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
fn the_sample_project_round_trips_through_stdout() {
    let fixture = ImportFixture::new();
    let lines = fixture.hub.run("export native - --project Tour");
    assert_eq!(lines.code, Some(0), "{}", lines.stderr);
    assert!(lines.stderr.starts_with("Exported ") && lines.stderr.ends_with(" to -.\n"), "{}", lines.stderr);
    fixture.write("tour.jsonl", &lines.stdout);
    let told = fixture.json("import native tour.jsonl");
    let messages = lines.stdout.lines().filter(|line| !line.contains("\"frame\":"));
    assert_eq!(told["stored"], messages.count());
    fixture.shown("export native again.jsonl");
    assert_eq!(values(&fixture, "again.jsonl"), values(&fixture, "tour.jsonl"));
}

/// Name and visibility of each channel of a project, by name.
fn channels(fixture: &ImportFixture, project: &str) -> Vec<(String, String)> {
    let page = fixture.hub.json(&format!("channel list --project {project}"));
    let text = |channel: &Value, field: &str| channel[field].as_str().unwrap_or_default().to_owned();
    let items = page["items"].as_array().expect("channels");
    let mut channels: Vec<_> =
        items.iter().map(|channel| (text(channel, "name"), text(channel, "visibility"))).collect();
    channels.sort();
    channels
}

/// A project `Old` with an open, a private and an empty channel.
fn old_project(fixture: &ImportFixture) {
    for line in [
        "project create Old",
        "channel create deck --topic 'Plans of the deck' --project Old",
        "channel create board --private --project Old",
        "channel create 'A long name with more than forty-eight characters in' --project Old",
        "post deck 'Open words' --project Old",
        "post board 'Closed words' --project Old",
    ] {
        fixture.hub.json(line);
    }
}

fn file(fixture: &ImportFixture, name: &str) -> String {
    std::fs::read_to_string(fixture.path(name)).expect("a file")
}

#[test]
fn an_export_and_import_keep_names_topics_and_visibility() {
    let fixture = ImportFixture::new();
    old_project(&fixture);
    fixture.hub.json("export native old.jsonl --project Old");
    let told = fixture.json("import native old.jsonl");
    assert_eq!((&told["stored"], &told["skipped"]["frames"]), (&2.into(), &0.into()), "{told}");
    assert_eq!(channels(&fixture, "Move"), channels(&fixture, "Old"));
    assert_eq!(fixture.bodies("board"), ["Closed words"]);
    fixture.shown("export native new.jsonl");
    assert_eq!(file(&fixture, "new.jsonl"), file(&fixture, "old.jsonl"));
    fixture.shown("export native new.json");
    fixture.hub.json("project create Third");
    fixture.hub.json("import native new.json --project Third");
    assert_eq!(channels(&fixture, "Third"), channels(&fixture, "Old"));
    assert_eq!(fixture.json("import native old.jsonl")["known"], 2, "the channels are found again");
}

#[test]
fn a_taken_name_gets_a_number_here_and_its_name_back_in_the_export() {
    let fixture = ImportFixture::new();
    old_project(&fixture);
    fixture.json("channel create deck");
    fixture.hub.json("export native old.jsonl --project Old");
    fixture.json("import native old.jsonl");
    assert_eq!(fixture.bodies("deck-2"), ["Open words"]);
    fixture.shown("export native new.jsonl --channel deck-2");
    let lines = file(&fixture, "new.jsonl");
    assert!(lines.lines().all(|line| file(&fixture, "old.jsonl").contains(line)), "{lines}");
}

#[test]
fn messages_posted_after_the_import_stay_in_the_channel_in_the_next_export() {
    let fixture = ImportFixture::new();
    old_project(&fixture);
    fixture.hub.json("export native old.jsonl --project Old");
    fixture.json("import native old.jsonl");
    fixture.json("post deck 'Later words'");
    fixture.shown("export native new.jsonl");
    fixture.hub.json("project create Third");
    fixture.hub.json("import native new.jsonl --project Third");
    assert_eq!(channels(&fixture, "Third"), channels(&fixture, "Old"));
    let page = fixture.hub.json("history deck --all --project Third");
    assert_eq!(page["items"].as_array().map(Vec::len), Some(2));
}

#[test]
fn exports_without_channel_records_are_imported() {
    let fixture = ImportFixture::new();
    old_project(&fixture);
    fixture.hub.json("export native old.jsonl --channel deck --project Old");
    let text = file(&fixture, "old.jsonl");
    let messages: Vec<&str> = text.lines().filter(|line| !line.contains("\"frame\":")).collect();
    fixture.write("before.jsonl", &messages.join("\n"));
    assert_eq!(fixture.json("import native before.jsonl")["stored"], 1);
    let [(name, visibility)] = &channels(&fixture, "Move")[..] else { panic!("one channel") };
    assert!(name.starts_with("native-") && visibility == "project", "{name} {visibility}");
}

#[test]
fn a_channel_whose_record_is_invalid_stays_private() {
    let fixture = ImportFixture::new();
    old_project(&fixture);
    fixture.hub.json("export native old.jsonl --channel board --project Old");
    let damaged = file(&fixture, "old.jsonl").replacen("\"private\"", "\"secret\"", 1);
    fixture.write("damaged.jsonl", &damaged);
    let refused = fixture.run("import native damaged.jsonl");
    assert_eq!(refused.code, Some(1));
    assert!(refused.stderr.starts_with("line 1: field metadata.parlour.channel: "), "{}", refused.stderr);
    fixture.shown("import native damaged.jsonl --lenient");
    let [(_, visibility)] = &channels(&fixture, "Move")[..] else { panic!("one channel") };
    assert_eq!(visibility, "private");
}

#[test]
fn every_line_of_an_export_is_a_native_message_for_convert() {
    let fixture = ImportFixture::new();
    old_project(&fixture);
    fixture.hub.json("export native old.jsonl --project Old");
    let convert = |to: &str| {
        let mut command = parlour(fixture.folder.path());
        run(command.args(["convert", "--from", "native", "--to", to]), &file(&fixture, "old.jsonl"))
    };
    let same = convert("native");
    assert_eq!(same.code, Some(0), "{}", same.stderr);
    fixture.write("same.jsonl", &same.stdout);
    assert_eq!(values(&fixture, "same.jsonl"), values(&fixture, "old.jsonl"));
    let other = convert("tkr");
    assert_eq!((other.code, other.stdout.lines().count()), (Some(0), 2), "{}", other.stderr);
}
