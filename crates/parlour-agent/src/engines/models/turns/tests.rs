use super::*;
use parlour_core::{
    Timestamp,
    author::{Author, AuthorType},
    call::{Call, CallReason, CallState},
    id::{AgentId, ChannelId, MessageId, PersonId, ProjectId, TaskId},
    member::Agent,
    message::{Kind, State},
    name::Name,
    step::StartStep,
    task::{Task, TaskStatus},
};
use parlour_dialects::models::{Turn, openai_chat};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::{
    engine::Mode,
    engines::models::{Interface, ModelSettings, request},
};

const CODER: u128 = 1;

fn name(text: &str) -> Name {
    Name::parse(text).expect("a name")
}

fn agent_author(bits: u128, shown: &str) -> Author {
    Author::member(&AgentId::from_bits(bits).into(), &name(shown))
}

fn person_author(shown: &str) -> Author {
    Author::member(&PersonId::from_bits(1).into(), &name(shown))
}

fn said(from: Author, body: &str) -> Message {
    let at = Timestamp::from_millis(1);
    let channel = ChannelId::from_bits(1).into();
    Message::plain(MessageId::from_bits(1), ProjectId::from_bits(1), channel, from, body.into(), at)
}

fn mara(body: &str) -> Message {
    said(person_author("Mara"), body)
}

fn own(body: &str) -> Message {
    said(agent_author(CODER, "Coder"), body)
}

fn call(message: &Message, reason: CallReason) -> Call {
    Call {
        agent_id: AgentId::from_bits(CODER),
        message_id: message.id.clone(),
        project_id: message.project_id.clone(),
        conversation_id: message.to.clone(),
        reason,
        from: message.from.clone(),
        depth: 0,
        correlation_id: None,
        called_at: message.created_at,
        state: CallState::Open,
        answer_id: None,
    }
}

/// The prompt of Coder after these messages, called by the one with this number if any.
fn prompt(mut history: Vec<Message>, called_by: Option<usize>) -> Prompt {
    for (place, message) in history.iter_mut().enumerate() {
        message.id = MessageId::from_bits(place as u128);
    }
    let calls = called_by.map(|place| call(&history[place], CallReason::Mention));
    let agent = Agent {
        id: AgentId::from_bits(CODER),
        project_id: ProjectId::from_bits(1),
        name: name("Coder"),
        capabilities: vec![],
        endpoint_url: None,
        instructions: Some("Be brief.".into()),
        engine: None,
        context: None,
        owner: PersonId::from_bits(1),
        created_at: Timestamp::from_millis(1),
    };
    Prompt {
        agent,
        calls: calls.into_iter().collect(),
        pack: None,
        history,
        task: None,
        mode: Mode::Auto,
        run_id: None,
        rejected_answer: None,
    }
}

fn task() -> Task {
    Task {
        id: TaskId::from_bits(1),
        project_id: ProjectId::from_bits(1),
        title: "Ship it".into(),
        description: Some("On Friday.".into()),
        status: TaskStatus::Working,
        assignee: None,
        parent_id: None,
        batch_id: None,
        thread_id: None,
        created_by: PersonId::from_bits(1).into(),
        created_at: Timestamp::from_millis(1),
        updated_at: Timestamp::from_millis(1),
    }
}

fn turns(history: Vec<Message>) -> Turns {
    turns_of(&prompt(history, None), HISTORY_CHARS_MAX)
}

/// The turns in a form that is easy to read: `U` or `A`, and the text.
fn shown(turns: &Turns) -> Vec<String> {
    let show = |turn: &Turn| match turn {
        Turn::System(text) => format!("S {text}"),
        Turn::User { text, .. } => format!("U {text}"),
        Turn::Assistant { text, .. } => format!("A {text}"),
    };
    turns.list().iter().map(show).collect()
}

fn last(turns: &Turns) -> String {
    shown(turns).pop().unwrap_or_default()
}

/// What is sent to a server of this interface.
fn body(interface: Interface, base_url: &str, turns: &Turns) -> Value {
    let settings = ModelSettings { base_url: base_url.into(), ..ModelSettings::new(interface, "small") };
    request::body(&settings, turns)
}

/// What the provider of an interface asks of a request, by its published rules.
fn check_request(interface: Interface, turns: &Turns) -> Result<(), TestCaseError> {
    let body = body(interface, "http://localhost:1", turns);
    let list = |field: &str| body[field].as_array().cloned().unwrap_or_default();
    let (said, roles) = match interface {
        Interface::OpenAi => {
            let mut messages = list("messages");
            let system = messages.remove(0);
            prop_assert!(system["role"] == "system" && is_text(&system["content"]), "{system}");
            prop_assert!(body["stream"] == true && body["stream_options"]["include_usage"] == true);
            (messages, ["user", "assistant"])
        }
        Interface::Anthropic => {
            prop_assert!(is_text(&body["system"]) && body["max_tokens"].as_u64() > Some(0) && body["stream"] == true);
            (list("messages"), ["user", "assistant"])
        }
        Interface::Gemini => {
            prop_assert!(is_text(&body["systemInstruction"]["parts"][0]["text"]));
            (list("contents"), ["user", "model"])
        }
    };
    prop_assert_eq!(said.len() % 2, 1, "the user is first and last");
    for (place, turn) in said.iter().enumerate() {
        let text = if interface == Interface::Gemini { &turn["parts"][0]["text"] } else { &turn["content"] };
        prop_assert!(turn["role"] == roles[place % 2] && is_text(text), "{turn}");
    }
    Ok(())
}

fn is_text(value: &Value) -> bool {
    value.as_str().is_some_and(|text| !text.trim().is_empty() && text.trim_end() == text)
}

#[test]
fn the_others_are_the_user_below_their_names_and_the_agent_is_the_assistant() {
    let tester = said(agent_author(2, "Tester"), "It is red.");
    let list = turns(vec![mara("Hello @Coder"), own("Hello."), mara("Look."), tester]);
    let expected = [
        "U [from Mara, person]\nHello @Coder",
        "A Hello.",
        "U [from Mara, person]\nLook.",
        "U [from Tester, agent]\nIt is red.",
    ];
    assert_eq!(shown(&list), expected);
}

#[test]
fn an_agent_of_another_id_is_not_the_assistant_whatever_its_name() {
    let list = turns(vec![said(agent_author(2, "Coder"), "I am you.")]);
    assert_eq!(shown(&list), ["U [from Coder, agent]\nI am you."]);
}

#[test]
fn what_a_model_may_not_see_is_left_out() {
    let host = Message { kind: Kind::Host, from: Author::host(), ..mara("restarted") };
    let failed = Message { state: State::Failed, ..own("half an ans") };
    let removed = mara("secret").removed(Timestamp::from_millis(2));
    let list = turns(vec![mara("Hello"), host, failed, removed, mara(" \n ")]);
    assert_eq!(shown(&list), ["U [from Mara, person]\nHello"]);
}

#[test]
fn what_a_tool_gave_back_to_the_agent_is_not_its_own_word() {
    let result = Message { kind: Kind::ToolResult, ..own("3 files") };
    assert_eq!(shown(&turns(vec![result])), ["U [from Coder, tool result]\n3 files"]);
}

#[test]
fn a_conversation_that_the_agent_began_keeps_its_first_words() {
    let list = turns(vec![own("Shall I?"), mara("Yes")]);
    assert_eq!(shown(&list), ["A Shall I?", "U [from Mara, person]\nYes"]);
    let sent = body(Interface::Anthropic, "http://localhost:1", &list);
    assert_eq!((&sent["messages"][0]["role"], &sent["messages"][1]["content"]), (&json!("user"), &json!("Shall I?")));
}

#[test]
fn openai_gets_the_names_of_authors_and_servers_that_imitate_it_do_not() {
    let list = turns(vec![mara("Hello"), mara("Coder?")]);
    let sent = body(Interface::OpenAi, "https://api.openai.com/v1", &list);
    assert_eq!((&sent["messages"][1]["name"], &sent["messages"][2]["name"]), (&json!("Mara"), &json!("Mara")));
    let sent = body(Interface::OpenAi, "http://localhost:11434/v1", &list);
    let expected = json!({"role": "user", "content": "[from Mara, person]\nHello\n\n[from Mara, person]\nCoder?"});
    assert_eq!((&sent["messages"][1], sent["messages"].as_array().map(Vec::len)), (&expected, Some(2)));
}

#[test]
fn what_the_agent_did_on_the_way_is_not_shown() {
    let begun = StartStep { id: "s1".into(), name: "grep".into(), input: None }.begun(Timestamp::from_millis(1));
    let list = turns(vec![Message { steps: vec![begun], ..own("Found.") }, mara("Thanks")]);
    assert_eq!(shown(&list), ["A Found.", "U [from Mara, person]\nThanks"]);
}

#[test]
fn a_call_that_lies_behind_is_asked_again_at_the_end() {
    let asked = prompt(vec![mara("One?"), mara("Two?"), own("To one: yes.")], Some(1));
    let list = turns_of(&asked, HISTORY_CHARS_MAX);
    assert_eq!(last(&list), "U [from Mara, person]\nTwo?");
}

#[test]
fn a_question_that_is_gone_is_said_to_be_gone() {
    assert_eq!(shown(&turns(vec![])), [format!("U {NO_QUESTION}")]);
}

#[test]
fn the_oldest_messages_are_left_out_first_and_that_is_told() {
    let long = "x".repeat(1_000);
    let history = vec![mara("First"), mara(&long), mara("Last")];
    let cut = turns_of(&prompt(history.clone(), None), 1_200);
    assert_eq!(shown(&cut)[0], format!("U [from Mara, person]\n{long}"));
    assert!(cut.instructions().contains("left out"));
    assert!(!turns(history).instructions().contains("left out"));
}

#[test]
fn the_last_message_is_shown_in_part_when_it_does_not_fit() {
    let cut = turns_of(&prompt(vec![mara("First"), mara(&"y".repeat(50))], None), 10);
    assert_eq!(shown(&cut), [format!("U [from Mara, person]\n{}", "y".repeat(10))]);
}

#[test]
fn the_frame_tells_who_the_agent_is_and_who_has_called() {
    let system = turns_of(&prompt(vec![mara("Hi")], Some(0)), HISTORY_CHARS_MAX);
    let system = system.instructions();
    assert!(system.starts_with("You are Coder, an agent"), "{system}");
    assert!(system.contains("the last message of Mara, who has called you"), "{system}");
    assert!(system.contains("\n\nYour instructions:\nBe brief.\n\n"), "{system}");
    assert!(!system.contains("plan") && !system.contains("HANDOFF") && !system.contains(NOTHING), "{system}");
}

#[test]
fn several_callers_are_named_once_each() {
    let mut asked = prompt(vec![mara("Hi"), said(person_author("Jo"), "Hi"), mara("?")], Some(0));
    asked.calls.push(call(&asked.history[1], CallReason::Mention));
    asked.calls.push(call(&asked.history[2], CallReason::Mention));
    assert!(
        turns_of(&asked, HISTORY_CHARS_MAX)
            .instructions()
            .contains("the last messages of Mara, Jo, who have called you")
    );
    asked.calls.remove(1);
    assert!(
        turns_of(&asked, HISTORY_CHARS_MAX).instructions().contains("the last messages of Mara, who has called you")
    );
}

#[test]
fn only_an_optional_call_may_be_left_unanswered() {
    let mut asked = prompt(vec![mara("Hi")], Some(0));
    asked.calls[0].reason = CallReason::Follow;
    assert!(turns_of(&asked, HISTORY_CHARS_MAX).instructions().contains("write NOTHING and no other word"));
}

#[test]
fn a_task_stands_at_the_end_and_may_be_handed_off() {
    let asked = Prompt { task: Some(task()), ..prompt(vec![mara("Hi"), own("Yes?")], None) };
    let list = turns_of(&asked, HISTORY_CHARS_MAX);
    assert_eq!(last(&list), "U Your task: Ship it\n\nOn Friday.");
    assert!(list.instructions().contains("[HANDOFF: @name \"title\"]"));
}

#[test]
fn what_changes_least_is_told_first() {
    let pack = Some("[Parlour 4be1d0] Only unmarked lines are the hub's.".to_owned());
    let asked = Prompt { pack, mode: Mode::Plan, ..prompt(vec![mara("Hi")], Some(0)) };
    let list = turns_of(&asked, HISTORY_CHARS_MAX);
    let parts = ["You are Coder", "Be brief.", "[Parlour 4be1d0]", "the last message of Mara", "Only a plan"];
    let places = parts.map(|part| list.instructions().find(part));
    assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{}", list.instructions());
}

#[test]
fn plan_mode_asks_for_a_plan_only() {
    let asked = Prompt { mode: Mode::Plan, ..prompt(vec![mara("Hi")], Some(0)) };
    assert!(turns_of(&asked, HISTORY_CHARS_MAX).instructions().contains("Only a plan is wanted"));
}

/// Any message of any author, kind and state, with texts that like to imitate labels.
fn any_message() -> impl Strategy<Value = Message> {
    let author = prop_oneof![
        Just(agent_author(CODER, "Coder")),
        Just(agent_author(2, "Tester")),
        Just(person_author("Mara")),
        "\\PC{0,9}".prop_map(|name| Author { author_type: AuthorType::Applet, id: None, name }),
    ];
    let body = prop_oneof![
        "\\PC{0,40}",
        "[ \\n\\r\u{2028}]{0,3}\\[from [A-Z], person\\][ \\n]{0,2}[a-z]{0,9}",
        Just(String::new())
    ];
    let kind = prop_oneof![Just(Kind::User), Just(Kind::Assistant), Just(Kind::ToolResult), Just(Kind::Host)];
    let state = prop_oneof![4 => Just(State::Complete), 1 => Just(State::Failed), 1 => Just(State::Streaming)];
    (author, body, kind, state).prop_map(|(from, body, kind, state)| Message { kind, state, ..said(from, &body) })
}

proptest! {
    #[test]
    fn any_log_becomes_a_list_that_every_provider_takes(
        log in proptest::collection::vec(any_message(), 0..20),
        called_by in any::<prop::sample::Index>(),
        chars_max in 1_usize..2_000,
        has_task in any::<bool>(),
    ) {
        let called_by = (!log.is_empty()).then(|| called_by.index(log.len()));
        let asked = Prompt { task: has_task.then(task), ..prompt(log, called_by) };
        let turns = turns_of(&asked, chars_max);
        prop_assert!(!turns.is_answered());
        for interface in Interface::ALL {
            check_request(interface, &turns)?;
        }
        let sent = body(Interface::OpenAi, "https://api.openai.com/v1", &turns);
        prop_assert!(openai_chat::decode(json!({ "messages": sent["messages"] })).is_ok(), "{}", sent);
    }
}
