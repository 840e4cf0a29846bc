//! `parlour questions`: lists open questions.

use clap::Args;
use parlour_agent::{PageAt, QuestionFilter};
use parlour_core::{paging::Page, question::OpenQuestion, run::Run};

use crate::{
    failure::Failure,
    output::{Output, plain::one_line, shell::quoted},
    resolve::MemberNames,
    session::{Connection, Session},
};

const EXAMPLES: &str = "\
Examples:
  parlour questions                   questions to you, in all projects
  parlour questions --project Tour    only in this project
  parlour questions --all             all open questions of the project
  parlour answer msg_01K… yes";

/// List open questions
///
/// Lists the questions to you, in all projects or in the one of --project, the first to expire first, with their options
/// and the runs that wait for the answer.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct QuestionsCommand {
    /// All open questions of the project that you can read
    #[arg(long)]
    all: bool,
    /// Maximum number of results
    #[arg(long, value_name = "NUMBER")]
    limit: Option<usize>,
    #[command(flatten)]
    connection: Connection,
}

impl QuestionsCommand {
    pub(crate) async fn run(self) -> Result<Output, Failure> {
        let session = self.connection.open()?;
        let asked = match (self.all, &session.wanted_project) {
            (true, _) => QuestionFilter::AnybodyIn(session.project().await?.id),
            (false, Some(_)) => QuestionFilter::MeIn(session.project().await?.id),
            (false, None) => QuestionFilter::Me,
        };
        let page = session.client.questions(&asked, &PageAt { limit: self.limit, cursor: None }).await?;
        let names = match &asked {
            QuestionFilter::AnybodyIn(project) => Some(session.names_in(project).await?),
            _ => None,
        };
        session.answer(&page, |page| show(&session, names.as_ref(), page))
    }
}

fn show(session: &Session, names: Option<&MemberNames>, page: &Page<OpenQuestion>) -> String {
    if page.items.is_empty() {
        return match names {
            Some(_) => "No open questions in this project.\n".to_owned(),
            None => "No open questions to you.\n".to_owned(),
        };
    }
    let blocks: Vec<_> = page.items.iter().map(|open| show_one(session, names, open)).collect();
    let more = if page.next.is_some() { "\nMore results exist; raise --limit.\n" } else { "" };
    let next = page.items.first().map(|open| session.next(&next_command(open))).unwrap_or_default();
    format!("{}{more}\n{next}", blocks.join("\n"))
}

/// Conversation, addressees, message with options, and blocked runs.
fn show_one(session: &Session, names: Option<&MemberNames>, open: &OpenQuestion) -> String {
    let conversation = match &open.channel_name {
        Some(channel) => format!("#{channel}"),
        None => "DM".to_owned(),
    };
    let asked = names.zip(open.message.question.as_ref()).map(|(names, question)| {
        let awaited: Vec<_> = question.awaited().collect();
        format!(" · asks {}", one_line(&names.of_all(awaited)))
    });
    let mut text = format!("{conversation} · {}{}\n", open.project_name, asked.unwrap_or_default());
    text += &session.view().show(&open.message);
    if !open.blocks.is_empty() {
        let runs = open.blocks.iter().map(run_words).collect::<Vec<_>>().join(", ");
        text += &format!("    blocks: {runs}\n");
    }
    text
}

/// The label of a run, or its id.
fn run_words(run: &Run) -> String {
    match &run.label {
        Some(label) => format!("{} ({})", one_line(label), run.id),
        None => run.id.to_string(),
    }
}

fn next_command(open: &OpenQuestion) -> String {
    let question = open.message.question.as_ref();
    let option = question.and_then(|question| question.options.first()).map(|option| quoted(&option.id));
    let answer = match (option, question.is_some_and(|question| question.schema.is_some())) {
        (Some(option), _) => option,
        (None, true) => "--value '…'".to_owned(),
        (None, false) => "'…'".to_owned(),
    };
    format!("parlour answer {} {answer}", open.message.id)
}
