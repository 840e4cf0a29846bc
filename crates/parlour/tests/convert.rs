//! `parlour convert` as a shell sees it: pipes, files, errors and exit codes. What becomes of a message is tested with
//! the dialects.

mod support;

use std::fs;

use serde_json::{Value, json};
use support::{Run, parlour, run, running::RunningProcess};
use tempfile::TempDir;

fn folder() -> TempDir {
    tempfile::tempdir().expect("a folder")
}

fn convert(folder: &TempDir, words: &[&str], input: &str) -> Run {
    run(parlour(folder.path()).arg("convert").args(words), input)
}

const NATIVE: [&str; 4] = ["--from", "native", "--to", "native"];

/// A native message with this text.
fn message(number: u32, body: &str) -> Value {
    json!({
        "id": format!("msg_{number}"), "project_id": "prj_1", "type": "channel", "to": "chn_1", "seq": number,
        "from": {"type": "person", "id": "per_1", "name": "Mara"}, "kind": "user", "body": body, "mentions": [],
        "artifacts": [], "importance": "normal", "blocking": false, "context": {"project_id": "prj_1"},
        "state": "complete", "created_at": "2026-11-15T09:12:00.000Z",
    })
}

fn lines(count: u32) -> String {
    (1..=count).map(|number| format!("{}\n", message(number, "Hello"))).collect()
}

fn values(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

#[test]
fn lines_of_a_pipe_are_converted_in_order() {
    let folder = folder();
    let run = convert(&folder, &NATIVE, &lines(500));
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
    assert_eq!(values(&run.stdout), values(&lines(500)));
}

#[test]
fn empty_input_gives_empty_output() {
    let folder = folder();
    for input in ["", "\n\n", "[]", " [ ] "] {
        assert_eq!(
            convert(&folder, &NATIVE, input),
            Run { code: Some(0), stdout: String::new(), stderr: String::new() }
        );
    }
}

#[test]
fn a_list_or_a_wrapped_list_is_read_like_lines() {
    let folder = folder();
    let list = serde_json::to_string_pretty(&[message(1, "a, ] b"), message(2, "c")]).expect("JSON");
    let wrapped = format!("{{\"data\": {list}, \"pagination\": {{\"hasMore\": false}}}}");
    for input in [list, wrapped] {
        let run = convert(&folder, &NATIVE, &input);
        assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
        assert_eq!(values(&run.stdout), [message(1, "a, ] b"), message(2, "c")]);
    }
}

#[test]
fn wrapped_lists_may_follow_each_other_and_a_misplaced_list_is_reported() {
    let folder = folder();
    let page = |number: u32| json!({"data": [message(number, "Hello")], "pagination": {"hasMore": true}});
    let run = convert(&folder, &NATIVE, &format!("{}\n{:#}\n", page(1), page(2)));
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
    assert_eq!(values(&run.stdout), [message(1, "Hello"), message(2, "Hello")]);
    let late = format!("{{\"pagination\": {{}}, \"data\": [{}]}}", message(1, "Hello"));
    for words in [&NATIVE[..], &TKR[..], &TKR_MENDED[..]] {
        let refused = convert(&folder, words, &late);
        let hint = "; to read the list in `data`, make it the first field\n";
        assert!(refused.code == Some(1) && refused.stderr.contains(hint), "{}", refused.stderr);
    }
}

#[test]
fn files_are_read_and_written() {
    let folder = folder();
    fs::write(folder.path().join("in.jsonl"), lines(3)).expect("written");
    let run = convert(&folder, &[&NATIVE[..], &["in.jsonl", "-o", "out.jsonl"]].concat(), "");
    assert_eq!((run.code, run.stdout.as_str(), run.stderr.as_str()), (Some(0), "", ""));
    let written = fs::read_to_string(folder.path().join("out.jsonl")).expect("a file");
    assert_eq!(values(&written), values(&lines(3)));
}

#[test]
fn an_existing_file_stays_if_nothing_could_be_read() {
    let folder = folder();
    let out = || fs::read_to_string(folder.path().join("out.jsonl")).expect("a file");
    fs::write(folder.path().join("out.jsonl"), "what was there").expect("written");
    let words = [&NATIVE[..], &["-o", "out.jsonl"]].concat();
    assert_eq!((convert(&folder, &words, "no JSON\n").code, out().as_str()), (Some(1), "what was there"));
    assert_eq!((convert(&folder, &words, "").code, out().as_str()), (Some(0), ""));
    assert_eq!(convert(&folder, &words, &format!("{}no JSON\n", lines(1))).code, Some(1));
    assert_eq!(values(&out()), values(&lines(1)), "what was written before stays");
}

#[test]
fn the_input_file_is_never_overwritten() {
    let folder = folder();
    fs::write(folder.path().join("in.jsonl"), lines(3)).expect("written");
    let run = convert(&folder, &[&NATIVE[..], &["in.jsonl", "-o", "./in.jsonl"]].concat(), "");
    assert_eq!(run.code, Some(2));
    assert_eq!(fs::read_to_string(folder.path().join("in.jsonl")).expect("a file"), lines(3));
}

#[test]
fn the_first_invalid_line_ends_the_conversion_with_its_number() {
    let folder = folder();
    let input = format!("{}\n{{\"id\": 7}}\n{}", lines(2).trim_end(), lines(1));
    let run = convert(&folder, &NATIVE, &input);
    assert_eq!(run.code, Some(1));
    assert!(run.stderr.starts_with("parlour: line 3: "), "{}", run.stderr);
    assert!(run.stderr.contains("\n  try: ") && run.stderr.contains("--lenient"), "{}", run.stderr);
    assert_eq!(values(&run.stdout), values(&lines(2)));
}

#[test]
fn a_wrong_field_is_named_with_its_rule() {
    let folder = folder();
    let run =
        convert(&folder, &["--from", "tkr", "--to", "native"], "{\"id\":\"a\",\"session_id\":5,\"type\":\"text\"}\n");
    assert_eq!(run.code, Some(1));
    let expected = "parlour: line 1: field session_id: this must be a string, not a number\n";
    assert!(run.stderr.starts_with(expected), "{}", run.stderr);
}

#[test]
fn lenient_mode_skips_and_counts_invalid_lines() {
    let folder = folder();
    let bad: String = (0..30).map(|number| format!("no JSON {number}\n")).collect();
    let run = convert(&folder, &[&NATIVE[..], &["--lenient"]].concat(), &format!("{}{bad}{}", lines(2), lines(1)));
    assert_eq!(run.code, Some(0));
    assert_eq!(values(&run.stdout).len(), 3);
    let told: Vec<&str> = run.stderr.lines().collect();
    assert_eq!(told.len(), 22, "{}", run.stderr);
    assert!(told[0].starts_with("line 3: invalid JSON: ") && told[19].starts_with("line 22: "), "{}", run.stderr);
    assert_eq!(told[20..], ["… and 10 more that could not be decoded", "3 written, 30 skipped"]);
}

#[test]
fn frames_that_the_target_cannot_express_are_reported_at_the_end() {
    let folder = folder();
    let mut signal = message(1, "");
    signal["frame"] = json!("signal");
    let mut piece = message(2, "Hel");
    piece["frame"] = json!("piece");
    let input = format!("{signal}\n{piece}\n{piece}\n{}\n", message(3, "Hello"));
    let run = convert(&folder, &["--from", "native", "--to", "pynchy"], &input);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert_eq!(run.stdout.lines().count(), 1);
    assert_eq!(run.stderr, "3 frames have no equivalent in pynchy: 2 chunks, 1 signal\n");
}

#[test]
fn a_slow_pipe_is_converted_line_by_line() {
    let folder = folder();
    let mut running = RunningProcess::start(parlour(folder.path()).arg("convert").args(NATIVE));
    for number in 1..=3 {
        running.feed(format!("{}\n", message(number, "Hello")).as_bytes());
        assert_eq!(serde_json::from_str::<Value>(&running.line()).expect("JSON")["seq"], number);
    }
    running.end_input();
    assert_eq!(running.finish(), (Some(0), String::new(), String::new()));
}

#[test]
fn a_closed_pipe_ends_the_conversion_quietly() {
    let folder = folder();
    fs::write(folder.path().join("in.jsonl"), lines(20_000)).expect("written");
    let mut command = parlour(folder.path());
    let mut running = RunningProcess::start_unread(command.arg("convert").args(NATIVE).arg("in.jsonl"));
    running.close_stdout();
    assert_eq!(running.finish(), (Some(0), String::new(), String::new()));
}

#[test]
fn the_dialects_are_listed_with_a_line_about_each() {
    let folder = folder();
    let run = convert(&folder, &["--list"], "");
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    for name in ["native", "zen", "a2a", "tkr", "tkr-legacy", "caco", "jaibber", "pynchy", "anthropic", "pynchy-sdk"] {
        let line = run.stdout.lines().find(|line| line.split_whitespace().next() == Some(name));
        assert!(line.is_some_and(|line| line.split_whitespace().count() > 3), "{name}: {}", run.stdout);
    }
}

/// A conversation of a person and two agents, as TKR writes it.
fn talk() -> String {
    let line = |number: u32, from: Value, content: &str| {
        let mut value = json!({
            "id": format!("m{number}"), "type": "text", "timestamp": format!("2025-05-02T12:00:0{number}.000Z"),
            "session_id": "default", "content": content,
        });
        value.as_object_mut().expect("an object").extend(from.as_object().expect("an object").clone());
        format!("{value}\n")
    };
    [
        line(1, json!({"from_user": true}), "Hello?"),
        line(2, json!({"from_agent": "phil"}), "Good morning!"),
        line(3, json!({"from_agent": "chloe"}), "And from me."),
        line(4, json!({"from_user": true}), "What is the weather?"),
    ]
    .concat()
}

#[test]
fn a_log_is_converted_to_the_model_list_of_one_agent() {
    let folder = folder();
    for (target, list, assistant) in [
        ("openai-chat", "messages", "assistant"),
        ("openai-responses", "input", "assistant"),
        ("anthropic", "messages", "assistant"),
        ("gemini", "contents", "model"),
    ] {
        for seen_by in ["phil", "PHIL", "tkr:phil"] {
            let run = convert(&folder, &["--from", "tkr", "--to", target, "--as", seen_by], &talk());
            assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{target}");
            let document: Value = serde_json::from_str(&run.stdout).expect("JSON");
            let own: Vec<&Value> =
                document[list].as_array().expect("a list").iter().filter(|one| one["role"] == assistant).collect();
            assert_eq!(own.len(), 1, "{target}: {document}");
            assert!(own[0].to_string().contains("Good morning!"), "{target}: {document}");
        }
    }
}

#[test]
fn a_log_is_converted_to_the_prompts_of_other_systems() {
    let folder = folder();
    let context = convert(&folder, &["--from", "tkr", "--to", "jaibber-context"], &talk());
    assert!(context.stdout.contains("User: Hello?\n\nAssistant (phil): Good morning!"), "{}", context.stdout);
    assert!(context.stdout.ends_with("---\n\nWhat is the weather?\n"), "{}", context.stdout);
    let prompt = convert(&folder, &["--from", "tkr", "--to", "pynchy-prompt"], &talk());
    assert!(prompt.stdout.starts_with("<messages>\n<message sender="), "{}", prompt.stdout);
    let sdk = convert(&folder, &["--from", "tkr", "--to", "pynchy-sdk"], &talk());
    assert_eq!(serde_json::from_str::<Vec<Value>>(&sdk.stdout).expect("a list").len(), 4);
    for (target, expected) in [("jaibber-context", ""), ("pynchy-prompt", ""), ("pynchy-sdk", "[]\n")] {
        assert_eq!(convert(&folder, &["--from", "tkr", "--to", target], "[]").stdout, expected, "{target}");
    }
}

#[test]
fn a_model_list_needs_an_agent_that_may_not_have_written_yet() {
    let folder = folder();
    let unnamed = convert(&folder, &["--from", "tkr", "--to", "anthropic"], &talk());
    assert!(unnamed.code == Some(2) && unnamed.stderr.contains("--as"), "{}", unnamed.stderr);
    let silent = convert(&folder, &["--from", "tkr", "--to", "openai-chat", "--as", "bot"], &talk());
    assert_eq!(silent.code, Some(0), "{}", silent.stderr);
    assert!(
        silent.stdout.contains("What is the weather?") && !silent.stdout.contains("\"assistant\""),
        "{}",
        silent.stdout
    );
    assert!(silent.stderr.ends_with("it has messages of phil, chloe\n"), "{}", silent.stderr);
    let empty = convert(&folder, &["--from", "tkr", "--to", "openai-chat", "--as", "bot"], "[]");
    let document: Value = serde_json::from_str(&empty.stdout).expect("JSON");
    assert_eq!((empty.code, empty.stderr.as_str(), &document["messages"]), (Some(0), "", &json!([])));
}

#[test]
fn invalid_arguments_and_files_are_refused_with_a_remedy() {
    let folder = folder();
    for (words, code, said) in [
        (&["--from", "native"][..], 2, "--to <DIALECT>"),
        (&["--from", "icq", "--to", "native"], 2, "pynchy"),
        (&["--from", "native", "--to", "native", "missing.jsonl"], 1, "missing.jsonl: No such file"),
        (&["--from", "native", "--to", "native", "."], 2, "is a folder, not a file"),
        (&["--from", "native", "--to", "native", "-o", "no/such/folder"], 1, "no/such/folder"),
        (
            &["--from", "native", "--to", "native", "--as", "Coder"],
            2,
            "--as is only valid for model lists, not for native",
        ),
    ] {
        let run = convert(&folder, words, "");
        assert_eq!((run.code, run.stdout.as_str()), (Some(code), ""), "{words:?}: {}", run.stderr);
        assert!(run.stderr.contains(said), "{words:?}: {}", run.stderr);
    }
    fs::write(folder.path().join("wide.json"), b"\xFF\xFE[\0]\0").expect("written");
    let run = convert(&folder, &[&NATIVE[..], &["wide.json"]].concat(), "");
    assert!(run.code == Some(1) && run.stderr.contains("iconv"), "{}", run.stderr);
}

#[test]
fn a_line_of_any_length_needs_bounded_memory() {
    let folder = folder();
    let input = format!("{}\n{}", "x".repeat(17 * 1024 * 1024), lines(1));
    let run = convert(&folder, &[&NATIVE[..], &["--lenient"]].concat(), &input);
    assert_eq!((run.code, run.stdout.lines().count()), (Some(0), 1));
    assert!(run.stderr.starts_with("line 1: too long: 17825793 bytes; the maximum is 16777216\n"), "{}", run.stderr);
}

/// A message of TKR with these metadata.
fn tkr(metadata: &Value) -> String {
    let message = json!({
        "id": "a", "type": "text", "timestamp": "2026-01-01T00:00:00Z", "session_id": "s", "from_user": true,
        "content": "It is 72Â°F", "metadata": metadata,
    });
    format!("{message}\n")
}

const TKR: [&str; 4] = ["--from", "tkr", "--to", "tkr"];
const TKR_MENDED: [&str; 5] = ["--from", "tkr", "--to", "tkr", "--repair-encoding"];

#[test]
fn a_damaged_encoding_is_repaired_on_request() {
    let folder = folder();
    let input = tkr(&json!({"place": "cafÃ©"}));
    assert_eq!(values(&convert(&folder, &TKR, &input).stdout)[0]["content"], "It is 72Â°F");
    let mended = convert(&folder, &TKR_MENDED, &input);
    assert_eq!((mended.code, mended.stderr.as_str()), (Some(0), ""));
    let value = values(&mended.stdout).remove(0);
    assert_eq!((&value["content"], &value["metadata"]["place"]), (&"It is 72°F".into(), &"café".into()));
    let broken = convert(&folder, &TKR_MENDED, "{\"id\": \n");
    assert!(broken.stderr.starts_with("parlour: line 1: invalid JSON: "), "{}", broken.stderr);
}

#[test]
fn repairing_the_encoding_keeps_all_limits() {
    let folder = folder();
    for levels in [100, 101, 120] {
        let input = tkr(&json!({"deep": (0..levels).fold(Value::Null, |inner, _| json!([inner]))}));
        let (plain, mended) = (convert(&folder, &TKR, &input), convert(&folder, &TKR_MENDED, &input));
        assert_eq!((mended.code, &mended.stderr), (plain.code, &plain.stderr), "{levels}");
        assert_eq!(mended.code, Some(if levels > 100 { 1 } else { 0 }), "{levels}");
    }
}
