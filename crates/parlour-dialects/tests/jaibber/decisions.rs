//! Whether an agent answers.

use parlour_dialects::jaibber::{
    AblyMessage, AgentProgram, Decision, PROMPT_CHARS_MAX, PassReason, RespondingAgent, decide,
};
use serde_json::{Map, Value, json};

fn frame(more: Value) -> AblyMessage {
    let more: Map<String, Value> = serde_json::from_value(more).expect("object");
    let mut frame = json!({
        "from": "u1", "fromUsername": "Mara", "projectId": "p1", "text": "@Coder hi", "messageId": "m1", "type": "message",
    });
    frame.as_object_mut().expect("object").extend(more);
    AblyMessage::from_value(frame).expect("a frame")
}

fn decided(more: Value) -> Decision {
    decide(&frame(more), "theirs", &RespondingAgent::new("Coder", "mine"), |_| false)
}

#[test]
fn each_refusal_to_answer_has_its_reason() {
    use PassReason::{InChain, NotMentioned, OtherType, TaskNote, TooDeep, TooLong};
    let long = format!("@Coder {}", "x".repeat(PROMPT_CHARS_MAX));
    for (more, why_not) in [
        (json!({"type": "typing"}), OtherType),
        (json!({"type": "chunk"}), OtherType),
        (json!({"type": "done"}), OtherType),
        (json!({"type": "error"}), OtherType),
        (json!({"isTaskNotification": true}), TaskNote),
        (json!({"text": long}), TooLong),
        (json!({"responseDepth": 3}), TooDeep),
        (json!({"responseDepth": 4_000_000}), TooDeep),
        (json!({"respondingChain": ["tester", "coder"]}), InChain),
        (json!({"text": "hi all"}), NotMentioned),
        (json!({"text": "@Coders"}), NotMentioned),
    ] {
        assert_eq!(decided(more), Decision::Pass(why_not), "{why_not:?}");
    }
}

#[test]
fn a_frame_that_mentions_the_agent_is_answered() {
    for more in [
        json!({}),
        json!({"type": "response"}),
        json!({"responseDepth": 2, "respondingChain": ["tester", "reviewer"]}),
        json!({"isTaskNotification": false, "mentions": ["nobody"]}),
        json!({"text": format!("@Coder{}", "é".repeat(PROMPT_CHARS_MAX - 6))}),
    ] {
        assert_eq!(decided(more), Decision::Answer);
    }
}

#[test]
fn length_is_counted_as_javascript_counts() {
    let text = |count| format!("@Coder{}", "🏠".repeat(count));
    assert_eq!(decided(json!({"text": text((PROMPT_CHARS_MAX - 6) / 2)})), Decision::Answer);
    assert_eq!(decided(json!({"text": text((PROMPT_CHARS_MAX - 6) / 2 + 1)})), Decision::Pass(PassReason::TooLong));
}

#[test]
fn the_chain_is_compared_case_insensitively() {
    for (name, link) in [("Coder", "CODER"), ("CODER", "Coder"), ("Émile", "ÉMILE")] {
        let text = format!("@{name} hi");
        let frame = frame(json!({"text": text, "respondingChain": [link]}));
        let decision = decide(&frame, "theirs", &RespondingAgent::new(name, "mine"), |_| false);
        assert_eq!(decision, Decision::Pass(PassReason::InChain), "{name} {link}");
    }
}

#[test]
fn own_frames_and_messages_in_progress_are_declined() {
    let me = RespondingAgent::new("Coder", "mine");
    assert_eq!(decide(&frame(json!({})), "mine", &me, |_| false), Decision::Pass(PassReason::OwnConnection));
    assert_eq!(decide(&frame(json!({})), "theirs", &me, |id| id == "m1"), Decision::Pass(PassReason::Answering));
}

#[test]
fn a_frame_of_the_same_account_on_another_connection_is_answered() {
    assert_eq!(decided(json!({"from": "me"})), Decision::Answer);
}

#[test]
fn the_desktop_client_requires_the_agent_flag() {
    let me = RespondingAgent { client: AgentProgram::Desktop, ..RespondingAgent::new("Coder", "mine") };
    for (more, decision) in [
        (json!({"type": "response"}), Decision::Pass(PassReason::Unmarked)),
        (json!({"type": "response", "isAgentMessage": false}), Decision::Pass(PassReason::Unmarked)),
        (json!({"type": "response", "isAgentMessage": true}), Decision::Answer),
        (json!({"type": "message"}), Decision::Answer),
    ] {
        assert_eq!(decide(&frame(more), "theirs", &me, |_| false), decision);
    }
}

#[test]
fn the_maximum_depth_is_configurable() {
    let me = RespondingAgent { depth_max: 1, ..RespondingAgent::new("Coder", "mine") };
    assert_eq!(
        decide(&frame(json!({"responseDepth": 1})), "theirs", &me, |_| false),
        Decision::Pass(PassReason::TooDeep)
    );
}

/// A frame with every reason against an answer: removing the first reason shows the next.
#[test]
fn the_reasons_are_checked_in_order() {
    use PassReason::{
        Answering, InChain, NotMentioned, OtherType, OwnConnection, TaskNote, TooDeep, TooLong, Unmarked,
    };
    let mut all =
        frame(json!({"type": "typing", "isTaskNotification": true, "responseDepth": 3, "respondingChain": ["coder"]}));
    all.text = "x".repeat(PROMPT_CHARS_MAX + 1);
    let me = RespondingAgent { client: AgentProgram::Desktop, ..RespondingAgent::new("Coder", "mine") };
    let why = |frame: &AblyMessage, connection: &str| match decide(frame, connection, &me, |_| true) {
        Decision::Pass(why_not) => Some(why_not),
        Decision::Answer => None,
    };
    let mut found = vec![why(&all, "mine"), why(&all, "theirs")];
    let steps: [fn(&mut AblyMessage); 7] = [
        |frame| frame.frame_type = parlour_dialects::jaibber::FrameType::Response,
        |frame| frame.is_agent_message = Some(true),
        |frame| frame.is_task_notification = None,
        |frame| frame.text = "hi".into(),
        |frame| frame.response_depth = None,
        |frame| frame.responding_chain = None,
        |frame| frame.text = "@coder".into(),
    ];
    for step in steps {
        step(&mut all);
        found.push(why(&all, "theirs"));
    }
    let order =
        [OwnConnection, OtherType, Unmarked, TaskNote, TooLong, TooDeep, InChain, NotMentioned, Answering].map(Some);
    assert_eq!(found, order);
    assert!(order.is_sorted());
}
