use clap::Args;
use parlour_agent::{PageAt, answers::InboxPage};
use parlour_core::{
    id::ProjectId,
    inbox::{DeliveryReason, InboxEntry, InboxFilter, InboxOrder, Unread},
    message::Importance,
};

use super::owner;
use crate::{
    choices,
    failure::Failure,
    output::{Output, table::Table},
    resolve::Labels,
    session::{Connection, Session},
};

pub(super) const EXAMPLES: &str = "\
Examples:
  parlour inbox                            your own
  parlour inbox --mentions                 only what you should not miss
  parlour inbox --agent Coder              an agent's, for administrators
  parlour inbox --by-importance --limit 5  the most urgent first
  parlour inbox --blocking                 what somebody waits for
  parlour inbox counts
  parlour inbox digest                     one line for each conversation
  parlour inbox read --in general          nothing of it is new any more";

#[derive(Args, Debug)]
pub(super) struct List {
    /// The agent, by name or id; without it, whoever the token belongs to
    #[arg(long, value_name = "AGENT")]
    agent: Option<String>,
    /// Only what matters at least as much
    #[arg(long, value_parser = choices::importance())]
    importance: Option<Importance>,
    /// Only what mentions the agent; for a person what it should not miss: mentions, dms, questions, what is urgent
    #[arg(long)]
    mentions: bool,
    /// Only messages whose open question asks the agent
    #[arg(long)]
    blocking: bool,
    /// Only what stands in this conversation
    #[arg(long = "in", value_name = "CONVERSATION")]
    place: Option<String>,
    /// Critical before high before normal
    #[arg(long)]
    by_importance: bool,
    /// How many messages
    #[arg(long, value_name = "NUMBER")]
    limit: Option<usize>,
    #[command(flatten)]
    connection: Connection,
}

impl List {
    pub(super) async fn run(self) -> Result<Output, Failure> {
        let session = self.connection.open()?;
        match owner(&session, self.agent.as_deref()).await? {
            Some(agent) => {
                let page = session.client.inbox(&agent, &self.filter(&session).await?, &self.page()).await?;
                let labels = labels_of(&session, &page.items).await?;
                session.answer(&page, |page| show_inbox(&session, &labels, page))
            }
            None if self.is_filtered() => Err(Failure::usage(
                "people have no inbox of their own, so there is nothing to choose from by importance, question or place",
            )
            .hint("parlour inbox --mentions, or --agent NAME for the inbox of an agent")),
            None => {
                let project = session.project().await?.id;
                if self.mentions { self.show_mentions(&session, &project).await } else { unread(&session, &project).await }
            }
        }
    }

    /// What a person should not miss.
    async fn show_mentions(&self, session: &Session, project: &ProjectId) -> Result<Output, Failure> {
        let page = session.client.project_inbox(project, &self.page()).await?;
        let labels = session.labels_in(project).await?;
        session.answer(&page, |page| match page.items.as_slice() {
            [] => "Nothing new that you should not miss.\n".to_owned(),
            entries => {
                show_entries(session, &labels, entries, Owner::Person, page.next.is_some()).trim_start().to_owned()
            }
        })
    }

    /// Whether something was said that only an agent's inbox knows.
    fn is_filtered(&self) -> bool {
        self.importance.is_some() || self.blocking || self.place.is_some() || self.by_importance
    }

    fn page(&self) -> PageAt {
        PageAt { limit: self.limit, cursor: None }
    }

    async fn filter(&self, session: &Session) -> Result<InboxFilter, Failure> {
        let conversation_id = match &self.place {
            Some(wanted) => Some(session.place(wanted).await?.id),
            None => None,
        };
        Ok(InboxFilter {
            importance: self.importance,
            only_mentions: self.mentions,
            only_blocking: self.blocking,
            conversation_id,
            order: if self.by_importance { InboxOrder::Importance } else { InboxOrder::Time },
        })
    }
}

async fn unread(session: &Session, project: &ProjectId) -> Result<Output, Failure> {
    let unread = session.client.unread(project).await?;
    let labels = session.labels_in(project).await?;
    session.answer(&unread, |unread| show_unread(session, &labels, unread))
}

async fn labels_of(session: &Session, entries: &[InboxEntry]) -> Result<Labels, Failure> {
    match entries.first() {
        Some(entry) => session.labels_in(&entry.message.project_id).await,
        None => Ok(Labels::default()),
    }
}

fn show_inbox(session: &Session, labels: &Labels, page: &InboxPage) -> String {
    match (page.items.is_empty(), page.unread) {
        (true, 0) => "Nothing unread.\n".to_owned(),
        (true, unread) => format!("{unread} unread, but nothing like this.\n"),
        (false, unread) => {
            format!(
                "{unread} unread.\n{}",
                show_entries(session, labels, &page.items, Owner::Agent, page.next.is_some())
            )
        }
    }
}

/// Whose messages are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Owner {
    Agent,
    Person,
}

/// Each entry says why it is there, before the message itself.
fn show_entries(session: &Session, labels: &Labels, entries: &[InboxEntry], owner: Owner, has_more: bool) -> String {
    let view = session.view();
    let mut text = String::new();
    for entry in entries {
        let reason = match entry.reason {
            DeliveryReason::Mention => "mention",
            DeliveryReason::Dm => "dm",
            DeliveryReason::Thread => "thread",
            // People follow whatever they can read.
            DeliveryReason::Subscription if owner == Owner::Person => "message",
            DeliveryReason::Subscription => "subscription",
        };
        text += &format!("\n{reason} in {}\n{}", labels.of(&entry.message.to), view.show(&entry.message));
    }
    if has_more {
        text += "\nThere is more; raise --limit.\n";
    }
    text
}

/// People have a position in each conversation, so counts say more than messages.
fn show_unread(session: &Session, labels: &Labels, unread: &Unread) -> String {
    if unread.total == 0 {
        return "Nothing unread.\n".to_owned();
    }
    let mut table = Table::new(&["conversation", "unread", "mentions", "since"]);
    for one in &unread.conversations {
        let place = labels.of(&one.conversation_id);
        let [count, mentions, since] = [one.unread, one.mentions, one.read_seq].map(|number| number.to_string());
        table.row(&[&place, &count, &mentions, &since]);
    }
    let first = unread.conversations.first().map(|one| (one.conversation_id.to_string(), one.read_seq));
    let next = first.map(|(id, seq)| session.next(&format!("parlour history {id} --since {seq}")));
    format!("{}{}", table.render(session.style), next.unwrap_or_default())
}
