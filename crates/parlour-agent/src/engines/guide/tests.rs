//! Every answer as people read it, and what holds for all of them.

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

/// Everything that the guide may say, and no more.
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

/// Questions of Mara, after some talk.
fn prompt(talk: &[(Author, &str)], questions: &[&str], reason: CallReason) -> Prompt {
    let all = talk.iter().cloned().chain(questions.iter().map(|body| (person(1, "Mara"), *body)));
    let history: Vec<_> = (1..).zip(all).map(|(number, (from, body))| message(number, from, body)).collect();
    let calls = history[talk.len()..].iter().map(|message| call(message, reason)).collect();
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

fn talk() -> Vec<(Author, &'static str)> {
    vec![
        (person(2, "Ben"), "When do we ship?\nI need to know."),
        (agent(2, "Coder"), "The tests pass. @Ben *decides* <b>now</b>."),
        (person(2, "Ben"), "Then on Friday."),
        (agent(1, "Guide"), "You are welcome."),
    ]
}

/// The whole text of an answer.
fn text(prompt: &Prompt) -> String {
    let texts = compose(prompt).into_iter().filter_map(|part| match part {
        Part::Text(text) => Some(text),
        Part::Look(_) | Part::Ask(_) => None,
    });
    texts.collect()
}

/// A prompt with a question of Mara.
pub(super) fn mara_asks(question: &str) -> Prompt {
    prompt(&[], &[question], CallReason::Mention)
}

fn answer(question: &str) -> String {
    text(&prompt(&talk(), &[question], CallReason::Mention))
}

#[test]
fn every_answer_is_pleasant_to_read() {
    for question in [
        "help",
        "who are you",
        "hub",
        "channels",
        "threads",
        "dms",
        "mentions",
        "inbox",
        "tokens",
        "join",
        "loop guard",
        "streams",
        "ask me something",
        "docs",
        "table",
        "code",
        "diagram",
        "diagram of the people",
        "markdown",
        "summarise",
        "who is here",
        "hello",
        "thanks",
        "explane chanell 7",
        "what is love",
    ] {
        insta::with_settings!({omit_expression => true, description => format!("@Guide {question}")}, {
            insta::assert_snapshot!(question.replace(' ', "_"), answer(&format!("@Guide {question}")));
        });
    }
}

#[test]
fn an_empty_conversation_has_no_summary() {
    let ask = |question| text(&prompt(&[], &[question], CallReason::Dm));
    assert!(ask("summarise").starts_with("There is nothing to summarise yet"));
    assert!(ask("who is here?").starts_with("Apart from you and me nobody"));
}

#[test]
fn a_summary_of_a_long_talk_has_its_beginning_and_its_end() {
    let lines: Vec<_> = (1..=30).map(|number| format!("line {number} {}", "x".repeat(300))).collect();
    let talk: Vec<_> = lines.iter().map(|line| (person(2, "Ben"), line.as_str())).collect();
    let summary = text(&prompt(&talk, &["summarise"], CallReason::Mention));
    assert!(summary.contains("**30 messages of 1 author**"), "{summary}");
    assert!(summary.contains("line 1 x") && summary.contains("line 30 x") && !summary.contains("line 10 x"));
    assert!(summary.len() < 2_000, "{summary}");
}

#[test]
fn several_questions_are_answered_together_and_each_once() {
    let several =
        prompt(&[], &["@Guide hello", "@Guide threads", "@Guide dms", "@Guide threads?"], CallReason::Mention);
    let text = text(&several);
    assert_eq!(text.matches("**A thread hangs below one message").count(), 1, "{text}");
    assert_eq!(text.matches("**A dm is a conversation").count(), 1, "{text}");
    assert!(!text.contains("Hello."), "{text}");
}

#[test]
fn where_it_need_not_answer_it_does_so_only_for_a_clear_question() {
    let follow = |question| text(&prompt(&[], &[question], CallReason::Follow));
    assert_eq!(follow("thanks, I will try that"), "");
    assert_eq!(follow("and what do you think, Ben?"), "");
    assert!(follow("what about dms?").starts_with("**A dm is"));
}

/// Takes an answer as the hub would.
#[derive(Clone, Default)]
struct Paper {
    written: Arc<Mutex<Vec<String>>>,
    /// After so many pieces nobody wants more.
    pieces_max: Option<usize>,
}

impl Paper {
    fn lines(&self) -> Vec<String> {
        self.written.lock().expect("unpoisoned").clone()
    }

    fn put(&self, line: String) -> Result<(), AnswerStopped> {
        let mut written = self.written.lock().expect("unpoisoned");
        if self.pieces_max.is_some_and(|max| written.len() >= max) {
            return Err(AnswerStopped);
        }
        written.push(line);
        Ok(())
    }
}

#[async_trait]
impl AnswerSink for Paper {
    async fn write(&mut self, text: &str) -> Result<(), AnswerStopped> {
        self.put(text.to_owned())
    }

    async fn start_step(&mut self, step: StartStep) -> Result<(), AnswerStopped> {
        step.check().expect("a valid step");
        self.put(format!("[{}]", step.name))
    }

    async fn finish_step(&mut self, _: &str, end: FinishStep) -> Result<(), AnswerStopped> {
        end.check().expect("a valid end");
        self.put(format!("[{}]", end.output.unwrap_or_default()))
    }

    async fn ask(&mut self, question: EngineQuestion) -> Result<QuestionReply, AskError> {
        question.ask.check().expect("a valid question");
        let asked = format!("[ask {}: {}]", question.whom, question.body);
        self.put(asked).map_err(|_| AskError::new("nobody wants it"))?;
        let option = Some("join".to_owned());
        Ok(QuestionReply { state: QuestionState::Answered, option, value: None, text: None, is_default: false })
    }
}

#[tokio::test(start_paused = true)]
async fn an_answer_is_written_in_pieces_after_a_look() {
    let mut paper = Paper::default();
    let asked = prompt(&talk(), &["@Guide summarise"], CallReason::Mention);
    let outcome = GuideEngine.answer(&asked, &mut paper, CancellationToken::new()).await;
    assert_eq!(outcome, Ok(Completion::default()));
    let lines = paper.lines();
    assert_eq!(lines[..2], ["[look at the conversation]", r#"[{"authors":2,"messages":3}]"#]);
    assert!(lines.len() > 10, "{lines:?}");
    assert_eq!(lines[2..].concat(), text(&asked));
}

#[tokio::test(start_paused = true)]
async fn it_asks_the_person_who_called_it_and_goes_on() {
    let mut paper = Paper::default();
    let asked = mara_asks("@Guide ask me something");
    let outcome = GuideEngine.answer(&asked, &mut paper, CancellationToken::new()).await;
    assert_eq!(outcome, Ok(Completion::default()));
    let text = paper.lines().concat();
    assert!(text.contains("[ask per_"), "{text}");
    assert!(text.find("I ask you one now") < text.find("[ask per_"), "{text}");
    assert!(text.contains("You have chosen **Join an agent**, and my run goes on."), "{text}");
}

#[test]
fn it_asks_no_agent() {
    let mut asked = mara_asks("@Guide ask me something");
    asked.calls[0].from = agent(2, "Coder");
    assert!(compose(&asked).iter().all(|part| !matches!(part, Part::Ask(_))));
    assert!(text(&asked).contains("only of people"));
}

#[tokio::test(start_paused = true)]
async fn it_stops_in_the_middle_when_it_is_told_to() {
    let asked = prompt(&[], &["@Guide help"], CallReason::Mention);
    let stopped = Err(EngineError::from(AnswerStopped));
    let mut paper = Paper { pieces_max: Some(3), ..Paper::default() };
    assert_eq!(GuideEngine.answer(&asked, &mut paper, CancellationToken::new()).await, stopped);
    assert_eq!(paper.lines().len(), 3);
    let (stop, mut paper) = (CancellationToken::new(), Paper::default());
    let (cancel, seen) = (stop.clone(), paper.clone());
    let watch = async {
        while seen.lines().len() < 5 {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        cancel.cancel();
    };
    let (outcome, ()) = tokio::join!(GuideEngine.answer(&asked, &mut paper, stop), watch);
    assert_eq!(outcome, stopped);
    assert!(paper.lines().len() < 10);
}

#[tokio::test]
async fn a_task_is_given_back_with_a_reason() {
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
    let asked = Prompt { calls: Vec::new(), task: Some(task), ..prompt(&[], &[], CallReason::Mention) };
    let outcome = GuideEngine.answer(&asked, &mut Paper::default(), CancellationToken::new()).await;
    assert!(outcome.is_err_and(|trouble| trouble.reason.contains("do no tasks")));
}

/// Words that lead somewhere, and signs that could break something.
fn any_text() -> impl Strategy<Value = String> {
    let words = prop::sample::select(vec![
        "help",
        "@Guide",
        "@Coder",
        "@everyone",
        "summarise",
        "diagram",
        "people",
        "who",
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
    fn whatever_is_asked_the_answer_is_whole_bounded_and_calls_nobody(
        said in prop::collection::vec(any_text(), 0..30),
        question in any_text(),
    ) {
        let talk: Vec<_> = said.iter().map(|body| (person(2, "Ben"), body.as_str())).collect();
        let text = text(&prompt(&talk, &[&question], CallReason::Mention));
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
