use super::*;
use parlour_core::{
    Timestamp,
    author::{Author, AuthorType},
    call::{Call, CallReason, CallState},
    id::{AgentId, ChannelId, MessageId, PersonId, ProjectId, TaskId},
    member::Agent,
    message::{Kind, State},
    name::Name,
    question::{AnswerOption, NewQuestion},
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

fn turns(history: Vec<Message>) -> Transcript {
    turns_of(&prompt(history, None), HISTORY_CHARS_MAX)
}

/// The turns after the context in a form that is easy to read: `U` or `A`, and the text.
fn shown(turns: &Transcript) -> Vec<String> {
    let show = |turn: &Turn| match turn {
        Turn::System(text) => format!("S {text}"),
        Turn::User { text, .. } => format!("U {text}"),
        Turn::Assistant { text, .. } => format!("A {text}"),
    };
    turns.list().iter().skip(1).map(show).collect()
}

/// The first turn.
fn context_of(turns: &Transcript) -> &str {
    match turns.list().first() {
        Some(Turn::User { name: None, text }) => text,
        other => panic!("the first turn is not the context: {other:?}"),
    }
}

fn last(turns: &Transcript) -> String {
    shown(turns).pop().unwrap_or_default()
}

/// What is sent to a server of this interface.
fn body(interface: Interface, base_url: &str, turns: &Transcript) -> Value {
    let settings = ModelSettings { base_url: base_url.into(), ..ModelSettings::new(interface, "small") };
    request::body(&settings, turns)
}

/// What the provider of an interface asks of a request, by its published rules.
fn check_request(interface: Interface, turns: &Transcript) -> Result<(), TestCaseError> {
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
fn others_are_named_users_and_the_agent_is_the_assistant() {
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
fn messages_hidden_from_models_are_left_out() {
    let host = Message { kind: Kind::Host, from: Author::host(), ..mara("restarted") };
    let failed = Message { state: State::Failed, ..own("half an ans") };
    let removed = mara("secret").removed(Timestamp::from_millis(2));
    let list = turns(vec![mara("Hello"), host, failed, removed, mara(" \n ")]);
    assert_eq!(shown(&list), ["U [from Mara, person]\nHello"]);
}

#[test]
fn tool_results_are_not_assistant_turns() {
    let result = Message { kind: Kind::ToolResult, ..own("3 files") };
    assert_eq!(shown(&turns(vec![result])), ["U [from Coder, tool result]\n3 files"]);
}

#[test]
fn a_conversation_started_by_the_agent_keeps_its_first_message() {
    let list = turns(vec![own("Shall I?"), mara("Yes")]);
    assert_eq!(shown(&list), ["A Shall I?", "U [from Mara, person]\nYes"]);
    let sent = body(Interface::Anthropic, "http://localhost:1", &list);
    assert_eq!((&sent["messages"][0]["role"], &sent["messages"][1]["content"]), (&json!("user"), &json!("Shall I?")));
    assert_eq!(sent["messages"][0]["content"], "Your name here is \"Coder\".");
}

#[test]
fn only_openai_itself_gets_author_names_as_a_field() {
    let list = turns(vec![mara("Hello"), mara("Coder?")]);
    let sent = body(Interface::OpenAi, "https://api.openai.com/v1", &list);
    assert_eq!((&sent["messages"][2]["name"], &sent["messages"][3]["name"]), (&json!("Mara"), &json!("Mara")));
    let sent = body(Interface::OpenAi, "http://localhost:11434/v1", &list);
    let said = "Your name here is \"Coder\".\n\n[from Mara, person]\nHello\n\n[from Mara, person]\nCoder?";
    let expected = json!({"role": "user", "content": said});
    assert_eq!((&sent["messages"][1], sent["messages"].as_array().map(Vec::len)), (&expected, Some(2)));
}

#[test]
fn steps_of_the_agent_are_not_shown() {
    let begun = StartStep { id: "s1".into(), name: "grep".into(), input: None }.begun(Timestamp::from_millis(1));
    let list = turns(vec![Message { steps: vec![begun], ..own("Found.") }, mara("Thanks")]);
    assert_eq!(shown(&list), ["A Found.", "U [from Mara, person]\nThanks"]);
}

#[test]
fn an_earlier_call_is_repeated_at_the_end() {
    let asked = prompt(vec![mara("One?"), mara("Two?"), own("To one: yes.")], Some(1));
    let list = turns_of(&asked, HISTORY_CHARS_MAX);
    assert_eq!(last(&list), "U [from Mara, person]\nTwo?");
}

#[test]
fn a_deleted_call_is_reported_as_deleted() {
    assert_eq!(shown(&turns(vec![])), [format!("U {NO_QUESTION}")]);
}

#[test]
fn the_oldest_messages_are_left_out_first_with_a_note() {
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
fn the_system_prompt_has_the_instructions_and_the_context_the_name() {
    let list = turns_of(&prompt(vec![mara("Hi")], Some(0)), HISTORY_CHARS_MAX);
    assert_eq!(context_of(&list), "Your name here is \"Coder\".");
    let system = list.instructions();
    assert!(system.starts_with("You are an agent"), "{system}");
    assert!(system.contains("Answer the last message that has an author"), "{system}");
    assert!(system.contains("\n\nYour instructions:\nBe brief.\n\n"), "{system}");
    assert!(!system.contains("plan") && !system.contains("HANDOFF") && !system.contains(NOTHING), "{system}");
}

#[test]
fn several_callers_are_named_once_each() {
    let mut asked = prompt(vec![mara("Hi"), said(person_author("Jo"), "Hi"), mara("?")], Some(0));
    asked.calls.push(call(&asked.history[1], CallReason::Mention));
    asked.calls.push(call(&asked.history[2], CallReason::Mention));
    let answer_all = "U Answer the last messages that called you, all at once. They are of";
    assert_eq!(last(&turns_of(&asked, HISTORY_CHARS_MAX)), format!("{answer_all} \"Jo\", \"Mara\"."));
    asked.calls.remove(1);
    assert_eq!(last(&turns_of(&asked, HISTORY_CHARS_MAX)), format!("{answer_all} \"Mara\"."));
}

#[test]
fn only_an_optional_call_may_be_left_unanswered() {
    let mut asked = prompt(vec![mara("Hi")], Some(0));
    asked.calls[0].reason = CallReason::Follow;
    assert!(turns_of(&asked, HISTORY_CHARS_MAX).instructions().contains("write NOTHING and no other word"));
}

#[test]
fn a_task_is_at_the_end_with_the_hand_off_format() {
    let asked = Prompt { task: Some(task()), ..prompt(vec![mara("Hi"), own("Yes?")], None) };
    let list = turns_of(&asked, HISTORY_CHARS_MAX);
    assert_eq!(last(&list), "U Your task: Ship it\n\nOn Friday.");
    assert!(list.instructions().contains("[HANDOFF: @name \"title\"]"));
}

#[test]
fn stable_parts_of_the_system_prompt_come_first() {
    let pack = Some("[Parlour 4be1d0] Only unmarked lines are the hub's.".to_owned());
    let asked = Prompt { pack, mode: Mode::Plan, ..prompt(vec![mara("Hi")], Some(0)) };
    let list = turns_of(&asked, HISTORY_CHARS_MAX);
    let parts = ["You are an agent", "Be brief.", "Answer the last message", "Write only a plan"];
    let places = parts.map(|part| list.instructions().find(part));
    assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{}", list.instructions());
    assert!(context_of(&list).ends_with("\n\n[Parlour 4be1d0] Only unmarked lines are the hub's."), "{list:?}");
}

#[test]
fn plan_mode_asks_for_a_plan_only() {
    let asked = Prompt { mode: Mode::Plan, ..prompt(vec![mara("Hi")], Some(0)) };
    assert!(turns_of(&asked, HISTORY_CHARS_MAX).instructions().contains("Write only a plan"));
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

/// In every text and name that somebody wrote.
const MARKER: &str = "Quill";

/// A prompt with the marker in the pack, the task, the question, and all bodies and names.
fn marked(mut prompt: Prompt) -> Prompt {
    let with_marker = |text: &str| format!("{MARKER}{text}");
    prompt.agent.name = name(MARKER);
    prompt.pack = Some(with_marker(""));
    for message in &mut prompt.history {
        message.body = with_marker(&message.body);
        message.from.name = with_marker(&message.from.name);
        let option = AnswerOption { id: with_marker(""), label: with_marker(""), description: Some(with_marker("")) };
        let ask = NewQuestion { options: vec![option], default: Some(json!(MARKER)), ..NewQuestion::default() };
        message.question = Some(ask.asked(vec![prompt.agent.id.clone().into()], message.created_at));
    }
    for call in &mut prompt.calls {
        call.from.name = with_marker(&call.from.name);
    }
    if let Some(task) = &mut prompt.task {
        (task.title, task.description) = (with_marker(""), Some(with_marker("")));
    }
    prompt
}

/// Everything with the system role in a request.
fn system_of(sent: &Value) -> String {
    let list = sent["messages"].as_array().cloned().unwrap_or_default();
    let in_list = list.into_iter().filter(|entry| entry["role"] == "system");
    [sent["system"].clone(), sent["systemInstruction"].clone()]
        .into_iter()
        .chain(in_list)
        .map(|text| text.to_string())
        .collect()
}

proptest! {
    #[test]
    fn nothing_that_a_member_wrote_has_the_system_role(
        log in proptest::collection::vec(any_message(), 0..12),
        called_by in proptest::collection::vec(any::<prop::sample::Index>(), 0..4),
        has_task in any::<bool>(),
    ) {
        let len = log.len();
        let mut asked = prompt(log, None);
        let called_by = called_by.iter().filter(|_| len > 0).map(|index| index.index(len));
        asked.calls = called_by.map(|at| call(&asked.history[at], CallReason::Mention)).collect();
        let asked = marked(Prompt { task: has_task.then(task), rejected_answer: Some(MARKER.into()), ..asked });
        let turns = turns_of(&asked, HISTORY_CHARS_MAX);
        for interface in Interface::ALL {
            for url in ["https://api.openai.com/v1", "http://localhost:1"] {
                let system = system_of(&body(interface, url, &turns));
                prop_assert!(system.contains("Be brief.") && !system.contains(MARKER), "{:?}: {}", interface, system);
            }
        }
    }

    #[test]
    fn every_history_becomes_valid_turns_for_every_provider(
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
