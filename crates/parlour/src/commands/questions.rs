//! `parlour questions`: what waits for an answer, as a board in the terminal.

use clap::Args;
use parlour_agent::{Asked, PageAt};
use parlour_core::{paging::Page, question::OpenQuestion, run::Run};

use crate::{
    failure::Failure,
    output::{Output, plain::one_line, shell::quoted},
    resolve::Names,
    session::{Connection, Session},
};

const EXAMPLES: &str = "\
Examples:
  parlour questions                   what you are asked, in all projects
  parlour questions --project Tour    only there
  parlour questions --all             all open questions of the project, whoever is asked
  parlour answer msg_01K… yes";

/// Show the questions that wait for an answer
///
/// Those that ask you, in all projects or in the one of --project, the soonest to expire first. Each shows its options
/// and what cannot go on without an answer.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Questions {
    /// All open questions of the project that you may read, and not only those that ask you
    #[arg(long)]
    all: bool,
    /// How many
    #[arg(long, value_name = "NUMBER")]
    limit: Option<usize>,
    #[command(flatten)]
    connection: Connection,
}

impl Questions {
    pub(crate) async fn run(self) -> Result<Output, Failure> {
        let session = self.connection.open()?;
        let asked = match (self.all, &session.wanted_project) {
            (true, _) => Asked::AnybodyIn(session.project().await?.id),
            (false, Some(_)) => Asked::MeIn(session.project().await?.id),
            (false, None) => Asked::Me,
        };
        let page = session.client.questions(&asked, &PageAt { limit: self.limit, cursor: None }).await?;
        let names = match &asked {
            Asked::AnybodyIn(project) => Some(session.names_in(project).await?),
            _ => None,
        };
        session.answer(&page, |page| show(&session, names.as_ref(), page))
    }
}

fn show(session: &Session, names: Option<&Names>, page: &Page<OpenQuestion>) -> String {
    if page.items.is_empty() {
        return match names {
            Some(_) => "Nobody waits for an answer in this project.\n".to_owned(),
            None => "Nobody waits for an answer of yours.\n".to_owned(),
        };
    }
    let blocks: Vec<_> = page.items.iter().map(|open| show_one(session, names, open)).collect();
    let more = if page.next.is_some() { "\nThere is more; raise --limit.\n" } else { "" };
    let next = page.items.first().map(|open| session.next(&next_command(open))).unwrap_or_default();
    format!("{}{more}\n{next}", blocks.join("\n"))
}

/// Where it stands and whom it asks, the message with its options, and what waits for it.
fn show_one(session: &Session, names: Option<&Names>, open: &OpenQuestion) -> String {
    let place = match &open.channel_name {
        Some(channel) => format!("#{channel}"),
        None => "dm".to_owned(),
    };
    let asked = names.zip(open.message.question.as_ref()).map(|(names, question)| {
        let awaited: Vec<_> = question.awaited().collect();
        format!(" · asks {}", one_line(&names.of_all(awaited)))
    });
    let mut text = format!("{place} · {}{}\n", open.project_name, asked.unwrap_or_default());
    text += &session.view().show(&open.message);
    if !open.blocks.is_empty() {
        let runs = open.blocks.iter().map(run_words).collect::<Vec<_>>().join(", ");
        text += &format!("    waits for it: {runs}\n");
    }
    text
}

/// A run by what it does, or by its id.
fn run_words(run: &Run) -> String {
    match &run.label {
        Some(label) => format!("{} ({})", one_line(label), run.id),
        None => run.id.to_string(),
    }
}

/// What to type for the first one.
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
