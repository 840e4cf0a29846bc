//! An agent with a model, run by the hub: the provider is a small program of this test.

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::{TcpListener, TcpStream},
    sync::mpsc,
    thread,
};

use parlour_agent::PageAt;
use parlour_core::{delivery::DeliveryPath, message::State, run::RunFilter};

use crate::fixture::HostingFixture;

/// What a provider was asked: the head of the request in small letters, and its body.
type Asked = mpsc::Receiver<(String, serde_json::Value)>;

/// A provider that answers every question with "Hello from afar", in two pieces.
fn provider() -> (String, Asked) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let url = format!("http://{}/v1", listener.local_addr().expect("bound"));
    let (sender, asked) = mpsc::sync_channel(16);
    thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            let question = read_request(&stream);
            answer(stream);
            if sender.send(question).is_err() {
                return;
            }
        }
    });
    (url, asked)
}

fn read_request(stream: &TcpStream) -> (String, serde_json::Value) {
    let mut reader = BufReader::new(stream);
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        assert!(reader.read_line(&mut head).expect("a head") > 0, "the request breaks off: {head}");
    }
    let head = head.to_lowercase();
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")).expect("a length");
    let mut body = vec![0; length.parse().expect("a number")];
    reader.read_exact(&mut body).expect("a body");
    (head, serde_json::from_slice(&body).expect("JSON"))
}

fn answer(mut stream: TcpStream) {
    let piece = |text: &str| format!("data: {}\n\n", serde_json::json!({"choices": [{"delta": {"content": text}}]}));
    let end = serde_json::json!({"choices": [{"delta": {}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 7, "completion_tokens": 3}});
    let body = format!("{}{}data: {end}\n\ndata: [DONE]\n\n", piece("Hello "), piece("from afar"));
    let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n";
    // Nobody may be waiting any more.
    let _ = stream.write_all(format!("{head}{body}").as_bytes());
}

#[tokio::test]
async fn the_provider_answers_for_a_hosted_agent() {
    let (url, asked) = provider();
    let fixture = HostingFixture::with(|command| {
        command.env("PARLOUR_PROVIDERS", format!("work openai {url} model=small key_env=MY_KEY"));
        command.env("MY_KEY", "sk-very-secret").args(["--log", "trace"])
    })
    .await;
    fixture.host("Coder", "work").await;
    let mut watch = fixture.watch().await;
    fixture.say("@Coder say hello").await;
    let answer = watch.ended().await;
    assert_eq!((answer.state, answer.body.as_str()), (State::Complete, "Hello from afar"), "{:?}", answer.reason);
    let usage = answer.usage.expect("what it has cost");
    assert_eq!((usage.model.as_str(), usage.input_tokens, usage.output_tokens), ("small", 7, 3));
    let (head, body) = asked.recv().expect("a question");
    assert!(head.contains("authorization: bearer sk-very-secret"), "{head}");
    assert_eq!(body["model"], "small");
    assert!(body.to_string().contains("Be brief.") && body.to_string().contains("say hello"), "{body}");
    assert!(!fixture.hub.log().contains("sk-very-secret"), "no key in the log");
}

#[tokio::test]
async fn the_prompt_of_a_hosted_model_is_redacted_and_stored() {
    let (url, asked) = provider();
    let fixture = HostingFixture::with(|command| {
        command.env("PARLOUR_PROVIDERS", format!("work openai {url} model=small key_env=MY_KEY"));
        command.env("MY_KEY", "sk-very-secret")
    })
    .await;
    let coder = fixture.host("Coder", "work").await;
    let mut watch = fixture.watch().await;
    fixture.say("The password is hunter2hunter2").await;
    fixture.say("@Coder say hello").await;
    assert_eq!(watch.ended().await.state, State::Complete);
    let (_, body) = asked.recv().expect("a question");
    let said = body.to_string();
    assert!(said.contains("The password is [") && !said.contains("hunter2"), "{said}");
    let text = |index: usize| body["messages"][index]["content"].as_str().expect("a text");
    let (system, context) = (text(0), text(1));
    let places = ["Be brief.", "Answer the last message"].map(|part| system.find(part));
    assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{system}");
    assert!(!system.contains("[Parlour ") && !system.contains("Coder"), "{system}");
    assert!(context.starts_with("Your name here is \"Coder\".") && context.contains("\n[Parlour "), "{context}");
    let filter = RunFilter { agent_id: Some(coder), ..RunFilter::default() };
    let runs = fixture.client.runs(Some(&fixture.project), &filter, &PageAt::default()).await.expect("runs").items;
    let given = fixture.client.injections(&runs[0].id, &PageAt::default()).await.expect("kept").items;
    assert_eq!((runs.len(), given.len(), given[0].delivered_via), (1, 1, DeliveryPath::Prompt));
    let text = given[0].text.as_deref().expect("readable");
    let (beside, list) = text.split_once("\n## History\n").expect("the conversation is kept, too");
    assert!(context.contains(beside) && list.contains("Admin: The password is ["), "{text}");
}
