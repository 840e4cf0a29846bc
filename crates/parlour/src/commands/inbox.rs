//! `parlour inbox`: what is unread, message by message for agents, conversation by conversation for people.

use clap::Args;
use parlour_agent::{PageAt, answers::InboxPage};
use parlour_core::{
    id::AgentId,
    inbox::{DeliveryReason, InboxFilter, Unread},
};

use crate::{
    failure::Failure,
    output::{Output, table::Table},
    resolve::Labels,
    session::{Connection, Session},
};

const EXAMPLES: &str = "\
Examples:
  parlour inbox                   your own
  parlour inbox --agent Coder     an agent's, for administrators";

/// Show what is unread
///
/// With the token of an agent: its unread messages, oldest first. With the token of a person: how many messages are
/// unread in each conversation of the project.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Inbox {
    /// The agent, by name or id; without it, whoever the token belongs to
    #[arg(long, value_name = "AGENT")]
    agent: Option<String>,
    /// How many messages
    #[arg(long, value_name = "NUMBER")]
    limit: Option<usize>,
    #[command(flatten)]
    connection: Connection,
}

impl Inbox {
    pub(crate) async fn run(self) -> Result<Output, Failure> {
        let session = self.connection.open()?;
        match self.whose(&session).await? {
            Some(agent) => {
                let page = PageAt { limit: self.limit, cursor: None };
                let page = session.client.inbox(&agent, &InboxFilter::default(), &page).await?;
                let labels = match page.items.first() {
                    Some(entry) => session.labels_in(&entry.message.project_id).await?,
                    None => Labels::default(),
                };
                session.answer(&page, |page| show_inbox(&session, &labels, page))
            }
            None => {
                let project = session.project().await?;
                let unread = session.client.unread(&project.id).await?;
                let labels = session.labels_in(&project.id).await?;
                session.answer(&unread, |unread| show_unread(&session, &labels, unread))
            }
        }
    }

    /// The agent whose inbox is wanted; none for a person's own.
    async fn whose(&self, session: &Session) -> Result<Option<AgentId>, Failure> {
        match &self.agent {
            Some(wanted) => Ok(Some(session.agent(wanted).await?)),
            None => Ok(session.client.me().await?.member_id.agent().cloned()),
        }
    }
}

/// Each entry says why it is there, before the message itself.
fn show_inbox(session: &Session, labels: &Labels, page: &InboxPage) -> String {
    if page.items.is_empty() && page.unread == 0 {
        return "Nothing unread.\n".to_owned();
    }
    let view = session.view();
    let mut text = format!("{} unread.\n", page.unread);
    for entry in &page.items {
        let reason = match entry.reason {
            DeliveryReason::Mention => "mention",
            DeliveryReason::Dm => "dm",
            DeliveryReason::Thread => "thread",
            DeliveryReason::Subscription => "subscription",
        };
        text += &format!("\n{reason} in {}\n{}", labels.of(&entry.message.to), view.show(&entry.message));
    }
    if page.next.is_some() {
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
