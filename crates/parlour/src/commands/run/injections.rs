use clap::Args;
use parlour_agent::PageAt;
use parlour_core::{
    context::{Injection, InjectionDiff, ReceiptItem},
    id::RunId,
    paging::Page,
};

use crate::{
    commands::context::receipt::{author_words, format_word, items, outcome_word},
    failure::Failure,
    output::{
        Output,
        plain::{harmless, one_line},
        table::Table,
    },
    resolve::ChannelLabels,
    session::{Connection, Session},
};

const EXAMPLES: &str = "\
Examples:
  parlour run injections run_01K…                  time and size of each injection
  parlour run injections run_01K… --texts          with texts and receipts
  parlour run injections run_01K… --with run_01J…  compare with another run

Items that you cannot read are omitted.";

/// List the injections of a run: the texts that its model received
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct RunInjections {
    /// Run, by id
    run: RunId,
    /// Compare with the injections of this run
    #[arg(long, value_name = "RUN", conflicts_with_all = ["texts", "limit"])]
    with: Option<RunId>,
    /// Print the texts
    #[arg(long)]
    texts: bool,
    /// Maximum number of results
    #[arg(long, value_name = "NUMBER")]
    limit: Option<usize>,
    #[command(flatten)]
    connection: Connection,
}

impl RunInjections {
    pub(super) async fn run(self) -> Result<Output, Failure> {
        let session = self.connection.open()?;
        if let Some(other) = &self.with {
            let difference = session.client.injection_difference(&self.run, other).await?;
            let labels = self.labels(&session).await?;
            return session
                .answer(&difference, |difference| show_difference(&session, &labels, [&self.run, other], difference));
        }
        let page = PageAt { limit: self.limit, cursor: None };
        let found = session.client.injections(&self.run, &page).await?;
        let labels = if self.texts { self.labels(&session).await? } else { ChannelLabels::default() };
        session.answer(&found, |found| self.show(&session, &labels, found))
    }

    async fn labels(&self, session: &Session) -> Result<ChannelLabels, Failure> {
        let run = session.client.run(&self.run, 0).await?;
        session.labels_in(&run.project_id).await
    }

    fn show(&self, session: &Session, labels: &ChannelLabels, found: &Page<Injection>) -> String {
        if found.items.is_empty() {
            return "No injections.\n".to_owned();
        }
        let mut text = table(session, &found.items);
        if self.texts {
            text.extend(found.items.iter().map(|one| whole(session, labels, one)));
        }
        if found.next.is_some() {
            text += "\nMore results exist; raise --limit.\n";
        }
        text
    }
}

fn table(session: &Session, injections: &[Injection]) -> String {
    let mut table =
        Table::new(&["injection", "when", "delivered via", "format", "tokens", "budget", "shown", "omitted"]);
    for one in injections {
        let receipt = &one.receipt;
        let shown: u64 = receipt.sections.iter().map(|section| section.shown).sum();
        let left_out: u64 = receipt.sections.iter().map(|section| section.left_out).sum();
        table.row(&[
            one.id.as_str(),
            &session.local_time.show(one.at),
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

/// One injection with its text and candidates.
fn whole(session: &Session, labels: &ChannelLabels, one: &Injection) -> String {
    let text = match &one.text {
        Some(text) => harmless(text.trim_end()),
        None => "(Text hidden: it contains messages that you cannot read.)".to_owned(),
    };
    format!("\n{}\n\n{text}\n\n{}", one.id, items(session.style, labels, &one.receipt.items))
}

fn show_difference(session: &Session, labels: &ChannelLabels, runs: [&RunId; 2], difference: &InjectionDiff) -> String {
    let mut parts = Vec::new();
    for (run, only) in runs.into_iter().zip([&difference.only_before, &difference.only_after]) {
        if !only.is_empty() {
            parts.push(format!("Only in {run}:\n{}", items(session.style, labels, only)));
        }
    }
    if !difference.changed.is_empty() {
        parts.push(format!("In both, with different levels:\n{}", changed(session, &difference.changed)));
    }
    let same = match difference.same {
        0 if parts.is_empty() => "Neither run has injections that you can read.\n".to_owned(),
        0 => "No items are the same in both.\n".to_owned(),
        1 => "1 item is the same in both.\n".to_owned(),
        count => format!("{count} items are the same in both.\n"),
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
