use clap::Args;
use parlour_agent::PageAt;
use parlour_core::{inbox::Digest, paging::Page};

use super::agent_owner;
use crate::{
    failure::Failure,
    output::{Output, table::Table},
    resolve::Labels,
    session::{Connection, Session},
};

/// Show what an agent has not read in one line for each conversation
///
/// The most important conversation stands first.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  parlour inbox digest\n  parlour inbox digest --agent Coder --limit 5")]
pub(super) struct Digests {
    /// The agent, by name or id; without it, the one that the token belongs to
    #[arg(long, value_name = "AGENT")]
    agent: Option<String>,
    /// How many conversations
    #[arg(long, value_name = "NUMBER")]
    limit: Option<usize>,
    #[command(flatten)]
    connection: Connection,
}

impl Digests {
    pub(super) async fn run(self) -> Result<Output, Failure> {
        let session = self.connection.open()?;
        let agent = agent_owner(&session, self.agent.as_deref()).await?;
        let page = session.client.digests(&agent, &PageAt { limit: self.limit, cursor: None }).await?;
        let labels = match page.items.is_empty() {
            true => Labels::default(),
            false => session.labels_in(&session.client.agent(&agent).await?.project_id).await?,
        };
        session.answer(&page, |page| show(&session, &labels, page))
    }
}

fn show(session: &Session, labels: &Labels, page: &Page<Digest>) -> String {
    if page.items.is_empty() {
        return "Nothing unread.\n".to_owned();
    }
    let mut table = Table::new(&["conversation", "unread", "blocking", "critical", "high", "from", "newest"]);
    for digest in &page.items {
        let unread = &digest.unread;
        let numbers = [unread.total, unread.blocking, unread.critical, unread.high].map(|number| number.to_string());
        let from = digest.from.iter().map(|author| author.name.as_str()).collect::<Vec<_>>().join(", ");
        let [total, blocking, critical, high] = &numbers;
        let place = labels.of(&digest.conversation_id);
        table.row(&[&place, total, blocking, critical, high, &from, &digest.newest.summary]);
    }
    let more = if page.next.is_some() { "\nThere is more; raise --limit.\n" } else { "" };
    table.render(session.style) + more
}
