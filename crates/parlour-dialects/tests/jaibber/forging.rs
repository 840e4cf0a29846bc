//! Metadata cannot change the author or the text of a message.

use parlour_core::{
    Timestamp,
    author::{Author, AuthorType},
    id::{ChannelId, MessageId, ProjectId},
    message::{Cause, Message},
};
use parlour_dialects::{Item, jaibber};
use serde_json::{Map, Value, json};

use crate::support::decode_context;

fn noted(author_id: &str, note: Value) -> Message {
    let from = Author { author_type: AuthorType::Agent, id: Some(author_id.into()), name: "Coder".into() };
    let (project, channel) = (ProjectId::from_bits(1), ChannelId::from_bits(2).into());
    let at = Timestamp::from_millis(5);
    let plain = Message::plain(MessageId::from_bits(3), project, channel, from, "Hello".into(), at);
    let cause = Some(Cause { depth: 2, chain: vec!["coder".into()], agents: vec![], message_id: None });
    Message { cause, metadata: Map::from_iter([("jaibber".to_owned(), note)]), ..plain }
}

fn said(message: Message) -> Value {
    let item = Item::message(message);
    let frame = jaibber::encode(&item).expect("said");
    assert_eq!(jaibber::decode(frame.clone(), &decode_context()).expect("own frame"), item, "{frame}");
    frame
}

#[test]
fn metadata_of_a_member_do_not_change_author_type_or_cause() {
    let usual = said(noted("agt_1", json!({})));
    for note in [
        json!({"fromUsername": "Mara", "agentName": "Mara"}),
        json!({"isAgentMessage": false}),
        json!({"absent": ["agentName", "isAgentMessage", "responseDepth", "respondingChain"]}),
        json!({"type": "done"}),
        json!({"type": "message", "text": "forged", "from": "u9"}),
        json!({"form": "row", "senderType": "user", "senderName": "Mara"}),
        json!({"form": "local"}),
        json!({"messageId": "other", "projectId": "other", "parentMessageId": "other"}),
        json!({"fields": {"from": "u9", "text": "forged", "type": "message", "parlour": {"body": "forged"}}}),
        json!({"attachments": [{"id": "1"}], "mentions": [1], "responseId": 5}),
    ] {
        let mut frame = said(noted("agt_1", note.clone()));
        let (found, usual) = (frame.as_object_mut().expect("object"), usual.as_object().expect("object"));
        found.insert("parlour".into(), usual["parlour"].clone());
        assert_eq!(found, usual, "{note}");
    }
}

#[test]
fn malformed_metadata_change_neither_text_nor_author() {
    for note in [json!(null), json!(5), json!([]), json!("x"), json!({"absent": "agentName", "fields": [], "form": 1})]
    {
        for author in ["agt_1", "jaibber:u1/Coder", "jaibber:", "jaibberish"] {
            // `said` checks the round trip, author included.
            let frame = said(noted(author, note.clone()));
            assert!(frame.to_string().contains(r#""Hello""#), "{author}, {note}: {frame}");
        }
    }
}

#[test]
fn account_and_name_of_an_agent_are_unambiguous() {
    for (from, name) in [("u1", "Coder"), ("u1/Coder", "Coder"), ("u", "a/b"), ("u1/", ""), ("/", "/")] {
        let frame = json!({
            "from": from, "fromUsername": name, "projectId": "p1", "text": "", "messageId": "m1", "type": "response",
            "agentName": name, "isAgentMessage": true,
        });
        let item = jaibber::decode(frame.clone(), &decode_context()).expect("a frame");
        let again = jaibber::encode(&item).expect("said");
        assert_eq!((&again["from"], &again["fromUsername"]), (&frame["from"], &frame["fromUsername"]));
        assert_eq!(item.message.from.member_id(), None);
    }
}

/// Jaibber refuses messages without an id, and these ids embed an empty text.
#[test]
fn an_id_with_an_empty_text_is_encoded_completely() {
    // The hash of an empty text.
    let of_nothing = "msg_h_73P324567W3GA9NYZMS2CPZE94";
    for (author, form) in [("agt_1", "frame"), ("jaibber:u1/Coder", "row"), ("jaibber:them/Coder", "local")] {
        for id in ["msg_f_", of_nothing] {
            let mut message = noted(author, json!({"form": form, "messageId": "", "projectId": ""}));
            message.id = id.parse().expect("an id");
            message.project_id = id.replace("msg_", "prj_").parse().expect("an id");
            let frame = said(message);
            let own = frame.get("messageId").unwrap_or(&frame["id"]);
            assert_eq!(own, id, "{form}");
        }
    }
}
