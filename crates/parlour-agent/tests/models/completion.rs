//! One text out of another, outside of any conversation.

use parlour_agent::engines::models::Interface;

use crate::provider::{FakeProvider, events};

const STREAMS: [(Interface, &[u8]); 3] = [
    (Interface::OpenAi, include_bytes!("streams/openai.sse")),
    (Interface::Anthropic, include_bytes!("streams/anthropic.sse")),
    (Interface::Gemini, include_bytes!("streams/gemini.sse")),
];

#[tokio::test]
async fn every_api_gets_one_request_with_instructions_and_text() {
    for (interface, stream) in STREAMS {
        let provider = FakeProvider::sending(events(stream)).await;
        let text = provider.engine(interface).complete("Say it in short.", "Mara: the tide turns at 6.", 100).await;
        assert_eq!(text.expect("an answer"), "Grüße aus 🦀!");
        let asked: Vec<String> = provider.asked().iter().map(|one| one.body.to_string()).collect();
        assert_eq!(asked.len(), 1, "{interface:?}");
        assert!(asked[0].contains("Say it in short.") && asked[0].contains("the tide turns at 6."), "{}", asked[0]);
    }
}

#[tokio::test]
async fn a_too_long_completion_is_refused() {
    let (interface, stream) = STREAMS[0];
    let provider = FakeProvider::sending(events(stream)).await;
    assert!(provider.engine(interface).complete("Say it in short.", "Something.", 3).await.is_err());
}
