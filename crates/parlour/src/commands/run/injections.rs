use clap::Args;
use parlour_agent::PageAt;
use parlour_core::{
    context::{Injection, InjectionDiff, ReceiptItem},
    id::RunId,
    paging::Page,
};

use crate::{
    commands::context::{
        explain::items,
        words::{author_words, format_word, outcome_word},
    },
    failure::Failure,
    output::{
        Output,
        plain::{harmless, one_line},
        table::Table,
    },
    resolve::Labels,
    session::{Connection, Session},
};

const EXAMPLES: &str = "\
Examples:
  parlour run injections run_01K…                  when its model was given how much
  parlour run injections run_01K… --texts          and the very words, and why
  parlour run injections run_01K… --with run_01J…  how another run differs

What you may not read is left out.";

/// Show what was given to the model of a run
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Injections {
    /// The run, by id
    run: RunId,
    /// Compare with what this run was given
    #[arg(long, value_name = "RUN", conflicts_with_all = ["texts", "limit"])]
    with: Option<RunId>,
    /// Show the texts too
    #[arg(long)]
    texts: bool,
    /// How many
    #[arg(long, value_name = "NUMBER")]
    limit: Option<usize>,
    #[command(flatten)]
    connection: Connection,
}

impl Injections {
    pub(super) async fn run(self) -> Result<Output, Failure> {
        let session = self.connection.open()?;
        if let Some(other) = &self.with {
            let difference = session.client.injection_difference(&self.run, other).await?;
            let labels = self.labels(&session).await?;
            return session.answer(&difference, |told| show_difference(&session, &labels, [&self.run, other], told));
        }
        let page = PageAt { limit: self.limit, cursor: None };
        let found = session.client.injections(&self.run, &page).await?;
        let labels = if self.texts { self.labels(&session).await? } else { Labels::default() };
        session.answer(&found, |found| self.show(&session, &labels, found))
    }

    async fn labels(&self, session: &Session) -> Result<Labels, Failure> {
        let run = session.client.run(&self.run, 0).await?;
        session.labels_in(&run.project_id).await
    }

    fn show(&self, session: &Session, labels: &Labels, found: &Page<Injection>) -> String {
        if found.items.is_empty() {
            return "Nothing was given to this run by the hub.\n".to_owned();
        }
        let mut text = table(session, &found.items);
        if self.texts {
            text.extend(found.items.iter().map(|one| whole(session, labels, one)));
        }
        if found.next.is_some() {
            text += "\nThere is more; raise --limit.\n";
        }
        text
    }
}

fn table(session: &Session, injections: &[Injection]) -> String {
    let mut table = Table::new(&["injection", "when", "delivered via", "format", "tokens", "of", "shown", "left out"]);
    for one in injections {
        let receipt = &one.receipt;
        let shown: u64 = receipt.sections.iter().map(|section| section.shown).sum();
        let left_out: u64 = receipt.sections.iter().map(|section| section.left_out).sum();
        table.row(&[
            one.id.as_str(),
            &session.moments.show(one.at),
            crate::commands::deliveries::delivery_path_text(one.delivered_via),
            format_word(one.format),
            &receipt.used.to_string(),
            &receipt.budget.to_string(),
            &shown.to_string(),
            &left_out.to_string(),
        ]);
    }
    table.render(session.style)
}

/// One of them with its text and its candidates.
fn whole(session: &Session, labels: &Labels, one: &Injection) -> String {
    let text = match &one.text {
        Some(text) => harmless(text.trim_end()),
        None => "(The text is not shown: there is something in it that you may not read.)".to_owned(),
    };
    format!("\n{}\n\n{text}\n\n{}", one.id, items(session.style, labels, &one.receipt.items))
}

fn show_difference(session: &Session, labels: &Labels, runs: [&RunId; 2], told: &InjectionDiff) -> String {
    let mut parts = Vec::new();
    for (run, only) in runs.into_iter().zip([&told.only_before, &told.only_after]) {
        if !only.is_empty() {
            parts.push(format!("Only {run} was shown:\n{}", items(session.style, labels, only)));
        }
    }
    if !told.changed.is_empty() {
        parts.push(format!("Both were shown, differently:\n{}", changed(session, &told.changed)));
    }
    let same = match told.same {
        0 if parts.is_empty() => "Neither was shown anything that you may read.\n".to_owned(),
        0 => "Nothing was shown to both alike.\n".to_owned(),
        1 => "1 was shown to both alike.\n".to_owned(),
        count => format!("{count} were shown to both alike.\n"),
    };
    parts.push(same);
    parts.join("\n")
}

fn changed(session: &Session, pairs: &[[ReceiptItem; 2]]) -> String {
    let mut table = Table::new(&["first", "tokens", "second", "tokens", "from", "what"]);
    for [before, after] in pairs {
        table.row(&[
            outcome_word(before),
            &before.tokens.to_string(),
            outcome_word(after),
            &after.tokens.to_string(),
            &author_words(after.from.as_ref()),
            &one_line(&after.id),
        ]);
    }
    table.render(session.style)
}
