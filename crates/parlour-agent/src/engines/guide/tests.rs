//! Snapshots of every answer, and properties of all answers.

use std::sync::{Arc, Mutex};

use parlour_core::{
    Timestamp,
    author::Author,
    call::{Call, CallReason, CallState},
    id::{AgentId, ChannelId, MemberId, MessageId, PersonId, ProjectId, TaskId},
    member::Agent,
    mention::{Roster, find_mentions},
    name::Name,
    post::PostMessage,
    question::QuestionState,
    task::{Task, TaskStatus},
};
use proptest::prelude::*;

use super::*;
use crate::engine::{AskError, EngineQuestion, Mode, QuestionReply};

const ANSWER_BYTES_MAX: usize = 16 * 1024;

fn name(text: &str) -> Name {
    text.parse().expect("a name")
}

fn guide() -> Agent {
    Agent {
        id: AgentId::from_bits(1),
        project_id: ProjectId::from_bits(1),
        name: name("Guide"),
        capabilities: Vec::new(),
        endpoint_url: None,
        instructions: None,
        engine: None,
        context: None,
        owner: PersonId::from_bits(1),
        created_at: Timestamp::from_millis(0),
    }
}

fn message(number: u128, from: Author, body: &str) -> Message {
    let channel = ChannelId::from_bits(1);
    Message::plain(
        MessageId::from_bits(number),
        ProjectId::from_bits(1),
        channel.into(),
        from,
        body.to_owned(),
        Timestamp::from_millis(0),
    )
}

fn person(number: u128, text: &str) -> Author {
    Author::member(&MemberId::from(PersonId::from_bits(number)), &name(text))
}

fn agent(number: u128, text: &str) -> Author {
    Author::member(&MemberId::from(AgentId::from_bits(number)), &name(text))
}

fn call(message: &Message, reason: CallReason) -> Call {
    Call {
        agent_id: AgentId::from_bits(1),
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

/// A prompt with a history and calls of Mara.
fn prompt(history: &[(Author, &str)], questions: &[&str], reason: CallReason) -> Prompt {
    let earlier = history.len();
    let all = history.iter().cloned().chain(questions.iter().map(|body| (person(1, "Mara"), *body)));
    let history: Vec<_> = (1..).zip(all).map(|(number, (from, body))| message(number, from, body)).collect();
    let calls = history[earlier..].iter().map(|message| call(message, reason)).collect();
    Prompt {
        agent: guide(),
        calls,
        pack: None,
        history,
        task: None,
        mode: Mode::Auto,
        run_id: None,
        rejected_answer: None,
    }
}

fn conversation() -> Vec<(Author, &'static str)> {
    vec![
        (person(2, "Ben"), "When do we ship?\nI need to know."),
        (agent(2, "Coder"), "The tests pass. @Ben *decides* <b>now</b>."),
        (person(2, "Ben"), "Then on Friday."),
        (agent(1, "Guide"), "You are welcome."),
    ]
}

/// The whole text of an answer, without its steps and questions.
fn text(prompt: &Prompt) -> String {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
    let mut sink = CollectedAnswer::default();
    let answer = GuideEngine.answer(prompt, &mut sink, CancellationToken::new());
    runtime.expect("a runtime").block_on(answer).expect("answered");
    sink.text()
}

fn question_of_mara(question: &str) -> Prompt {
    prompt(&[], &[question], CallReason::Mention)
}

#[test]
fn every_answer_matches_its_snapshot() {
    for question in [
        "help",
        "hub",
        "channels",
        "threads",
        "dms",
        "mentions",
        "loop guard",
        "join",
        "docs",
        "table",
        "code",
        "diagram",
        "summarise",
        "ask me something",
        "thanks",
        "what is love",
    ] {
        insta::with_settings!({omit_expression => true, description => format!("@Guide {question}")}, {
            let answer = text(&prompt(&conversation(), &[&format!("@Guide {question}")], CallReason::Mention));
            insta::assert_snapshot!(question.replace(' ', "_"), answer);
        });
    }
}

#[test]
fn an_empty_conversation_has_no_summary() {
    assert!(text(&prompt(&[], &["summarise"], CallReason::Dm)).starts_with("There is nothing to summarise yet"));
}

#[test]
fn a_summary_quotes_the_first_and_the_latest_messages() {
    let lines: Vec<_> = (1..=30).map(|number| format!("line {number} {}", "x".repeat(300))).collect();
    let history: Vec<_> = lines.iter().map(|line| (person(2, "Ben"), line.as_str())).collect();
    let summary = text(&prompt(&history, &["summarise"], CallReason::Mention));
    assert!(summary.contains("**30 recent messages**"), "{summary}");
    assert!(summary.contains("line 1 x") && summary.contains("line 30 x") && !summary.contains("line 10 x"));
    assert!(summary.len() < 2_000, "{summary}");
}

#[test]
fn several_calls_get_one_answer_with_each_topic_once() {
    let questions = ["@Guide thanks", "@Guide threads", "@Guide dms", "@Guide threads?"];
    let text = text(&prompt(&[], &questions, CallReason::Mention));
    assert_eq!(text.matches("**A thread is").count(), 1, "{text}");
    assert_eq!(text.matches("**A DM is").count(), 1, "{text}");
    assert!(!text.contains("You are welcome."), "{text}");
}

#[test]
fn an_optional_call_is_answered_only_if_its_topic_is_clear() {
    let follow = |question| text(&prompt(&[], &[question], CallReason::Follow));
    assert_eq!(follow("thanks, I will try that"), "");
    assert_eq!(follow("and what do you think, Ben?"), "");
    assert!(follow("what about dms?").starts_with("**A DM is"));
}

/// An answer as the hub receives it. Steps and questions are in brackets.
#[derive(Clone, Default)]
struct CollectedAnswer {
    pieces: Arc<Mutex<Vec<String>>>,
    /// The answer is stopped after this number of pieces.
    pieces_max: Option<usize>,
}

impl CollectedAnswer {
    fn pieces(&self) -> Vec<String> {
        self.pieces.lock().expect("unpoisoned").clone()
    }

    fn text(&self) -> String {
        self.pieces().into_iter().filter(|piece| !piece.starts_with("[step") && !piece.starts_with("[ask")).collect()
    }

    fn push(&self, piece: String) -> Result<(), AnswerStopped> {
        let mut pieces = self.pieces.lock().expect("unpoisoned");
        if self.pieces_max.is_some_and(|max| pieces.len() >= max) {
            return Err(AnswerStopped);
        }
        pieces.push(piece);
        Ok(())
    }
}

#[async_trait]
impl AnswerSink for CollectedAnswer {
    async fn write(&mut self, text: &str) -> Result<(), AnswerStopped> {
        self.push(text.to_owned())
    }

    async fn start_step(&mut self, step: StartStep) -> Result<(), AnswerStopped> {
        step.check().expect("a valid step");
        self.push(format!("[step {}]", step.name))
    }

    async fn finish_step(&mut self, _: &str, end: FinishStep) -> Result<(), AnswerStopped> {
        end.check().expect("a valid end");
        self.push(format!("[step {}]", end.output.unwrap_or_default()))
    }

    async fn ask(&mut self, question: EngineQuestion) -> Result<QuestionReply, AskError> {
        question.ask.check().expect("a valid question");
        let asked = format!("[ask {}: {}]", question.whom, question.body);
        self.push(asked).map_err(|_| AskError::new("the answer was stopped"))?;
        Ok(reply(QuestionState::Answered, Some("join"), None, false))
    }
}

fn reply(state: QuestionState, option: Option<&str>, text: Option<&str>, is_default: bool) -> QuestionReply {
    QuestionReply { state, option: option.map(Into::into), value: None, text: text.map(Into::into), is_default }
}

#[tokio::test(start_paused = true)]
async fn a_summary_is_written_in_pieces_after_a_step() {
    let mut sink = CollectedAnswer::default();
    let prompt = prompt(&conversation(), &["@Guide summarise"], CallReason::Mention);
    let outcome = GuideEngine.answer(&prompt, &mut sink, CancellationToken::new()).await;
    assert_eq!(outcome, Ok(Completion::default()));
    let pieces = sink.pieces();
    assert_eq!(pieces[..2], ["[step read the conversation]", r#"[step {"messages":3}]"#]);
    assert!(pieces.len() > 10, "{pieces:?}");
}

#[tokio::test(start_paused = true)]
async fn the_guide_asks_the_calling_person_and_continues_with_the_choice() {
    let mut sink = CollectedAnswer::default();
    let prompt = question_of_mara("@Guide ask me something");
    let outcome = GuideEngine.answer(&prompt, &mut sink, CancellationToken::new()).await;
    assert_eq!(outcome, Ok(Completion::default()));
    let text = sink.pieces().concat();
    assert!(text.contains("[ask per_"), "{text}");
    assert!(text.find("I ask you one now") < text.find("[ask per_"), "{text}");
    assert!(text.contains("You chose **Connect an agent**, so I continue."), "{text}");
}

#[test]
fn the_guide_asks_no_agent() {
    let mut prompt = question_of_mara("@Guide ask me something");
    prompt.calls[0].from = agent(2, "Coder");
    assert!(text(&prompt).contains("I ask only people"));
}

#[test]
fn every_reply_to_the_question_has_a_text() {
    let after = |reply| text_after_reply(reply, &question_of_mara("@Guide ask me something"));
    let text = after(Ok(reply(QuestionState::Answered, Some("threads"), None, false)));
    assert!(text.contains("You chose **Threads**") && text.contains("**A thread is"), "{text}");
    let text = after(Ok(reply(QuestionState::Expired, Some("channels"), None, true)));
    assert!(text.contains("Nobody answered, so I continue with the default: **Channels**."), "{text}");
    assert!(after(Ok(reply(QuestionState::Answered, None, Some("dms, please"), false))).contains("Thank you."));
    assert!(after(Ok(reply(QuestionState::Withdrawn, None, None, false))).contains("no answer"));
    assert!(after(Err(AskError::new("this hub takes no runs"))).contains("could not ask: this hub takes no runs."));
}

#[tokio::test(start_paused = true)]
async fn an_answer_ends_early_when_it_is_stopped() {
    let prompt = question_of_mara("@Guide help");
    let stopped = Err(EngineError::from(AnswerStopped));
    let mut sink = CollectedAnswer { pieces_max: Some(3), ..CollectedAnswer::default() };
    assert_eq!(GuideEngine.answer(&prompt, &mut sink, CancellationToken::new()).await, stopped);
    assert_eq!(sink.pieces().len(), 3);
    let (stop, mut sink) = (CancellationToken::new(), CollectedAnswer::default());
    let (cancel, seen) = (stop.clone(), sink.clone());
    let watch = async {
        while seen.pieces().len() < 5 {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        cancel.cancel();
    };
    let (outcome, ()) = tokio::join!(GuideEngine.answer(&prompt, &mut sink, stop), watch);
    assert_eq!(outcome, stopped);
    assert!(sink.pieces().len() < 10);
}

#[tokio::test]
async fn a_task_fails_with_a_reason() {
    let at = Timestamp::from_millis(0);
    let task = Task {
        id: TaskId::from_bits(1),
        project_id: ProjectId::from_bits(1),
        title: "Write the notes".into(),
        description: None,
        status: TaskStatus::Open,
        assignee: None,
        parent_id: None,
        batch_id: None,
        thread_id: None,
        created_by: PersonId::from_bits(1).into(),
        created_at: at,
        updated_at: at,
    };
    let prompt = Prompt { calls: Vec::new(), task: Some(task), ..prompt(&[], &[], CallReason::Mention) };
    let outcome = GuideEngine.answer(&prompt, &mut CollectedAnswer::default(), CancellationToken::new()).await;
    assert!(outcome.is_err_and(|error| error.reason.contains("cannot work on tasks")));
}

/// Keywords, mentions and characters with a meaning in Markdown.
fn any_text() -> impl Strategy<Value = String> {
    let words = prop::sample::select(vec![
        "help",
        "@Guide",
        "@Coder",
        "@everyone",
        "summarise",
        "diagram",
        "table",
        "`",
        "```",
        "|",
        "\n",
        "<b>",
        "](x)",
        "unknowable",
        "\u{202e}",
        "&#64;Coder",
        "\\@Coder",
    ]);
    prop_oneof![any::<String>(), prop::collection::vec(words, 0..12).prop_map(|words| words.join(" "))]
}

proptest! {
    #[test]
    fn every_answer_is_a_valid_bounded_message_without_mentions(
        bodies in prop::collection::vec(any_text(), 0..30),
        question in any_text(),
    ) {
        let history: Vec<_> = bodies.iter().map(|body| (person(2, "Ben"), body.as_str())).collect();
        let text = text(&prompt(&history, &[&question], CallReason::Mention));
        let roster = Roster::new(vec![
            (AgentId::from_bits(2).into(), name("Coder")),
            (AgentId::from_bits(1).into(), name("Guide")),
        ]);
        let mentions = find_mentions(&text, &roster);
        prop_assert!(mentions == Default::default(), "{mentions:?} in {text}");
        prop_assert!(text.len() <= ANSWER_BYTES_MAX, "{} bytes", text.len());
        let channel_id = Some(ChannelId::from_bits(1));
        prop_assert_eq!(PostMessage { channel_id, body: text, ..PostMessage::default() }.check(), Ok(()));
    }
}
