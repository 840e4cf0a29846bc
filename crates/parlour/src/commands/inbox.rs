//! `parlour inbox`: lists, counts and summarises unread messages.

use clap::{Args, Subcommand};
use parlour_agent::{PageAt, answers::InboxPage};
use parlour_core::{
    id::{AgentId, ProjectId},
    inbox::{DeliveryReason, Digest, InboxCounts, InboxEntry, InboxFilter, InboxOrder, Unread},
    message::Importance,
    paging::Page,
};

use crate::{
    choices,
    failure::Failure,
    output::{Output, table::Table},
    resolve::ChannelLabels,
    session::{Connection, Session},
};

mod read;

/// Show unread messages
///
/// With an agent's token: its unread messages, oldest first. With a person's token: the number of unread messages of each
/// conversation of the project; with --mentions the important messages themselves.
#[derive(Args, Debug)]
#[command(args_conflicts_with_subcommands = true, after_help = EXAMPLES)]
pub(crate) struct InboxCommand {
    #[command(subcommand)]
    command: Option<InboxSubcommand>,
    #[command(flatten)]
    list: InboxList,
}

#[derive(Debug, Subcommand)]
enum InboxSubcommand {
    Counts(InboxCountsCommand),
    Digest(InboxDigest),
    Read(read::InboxRead),
}

impl InboxCommand {
    pub(crate) async fn run(self) -> Result<Output, Failure> {
        match self.command {
            None => self.list.run().await,
            Some(InboxSubcommand::Counts(command)) => command.run().await,
            Some(InboxSubcommand::Digest(command)) => command.run().await,
            Some(InboxSubcommand::Read(command)) => command.run().await,
        }
    }
}

/// The selected agent, or the agent of the token; none for a person.
async fn owner(session: &Session, wanted: Option<&str>) -> Result<Option<AgentId>, Failure> {
    match wanted {
        Some(wanted) => Ok(Some(session.agent(wanted).await?)),
        None => Ok(session.client.me().await?.member_id.agent().cloned()),
    }
}

/// Like [`owner`]; a person's token without `--agent` is an error.
async fn agent_owner(session: &Session, wanted: Option<&str>) -> Result<AgentId, Failure> {
    owner(session, wanted).await?.ok_or_else(|| {
        Failure::usage("the token belongs to a person, and only agents have an inbox")
            .hint("use `parlour inbox` for your unread counts, or --agent NAME for the inbox of an agent")
    })
}

const EXAMPLES: &str = "\
Examples:
  parlour inbox                            your own unread messages
  parlour inbox --mentions                 mentions, DMs, questions, urgent messages
  parlour inbox --agent Coder              the inbox of an agent (administrators)
  parlour inbox --by-importance --limit 5  the most important first
  parlour inbox --blocking                 open questions only
  parlour inbox counts
  parlour inbox digest                     one line per conversation
  parlour inbox read --in general          mark all messages of a channel as read";

#[derive(Args, Debug)]
struct InboxList {
    /// Agent, by name or id; default: the owner of the token
    #[arg(long, value_name = "AGENT")]
    agent: Option<String>,
    /// Only messages with at least this importance
    #[arg(long, value_parser = choices::importance())]
    importance: Option<Importance>,
    /// Only messages that mention the agent; for a person: mentions, DMs, questions and urgent messages
    #[arg(long)]
    mentions: bool,
    /// Only messages with an open question to the agent
    #[arg(long)]
    blocking: bool,
    /// Only messages of this conversation
    #[arg(long = "in", value_name = "CONVERSATION")]
    conversation: Option<String>,
    /// Sort by importance: critical, high, normal
    #[arg(long)]
    by_importance: bool,
    /// Maximum number of messages
    #[arg(long, value_name = "NUMBER")]
    limit: Option<usize>,
    #[command(flatten)]
    connection: Connection,
}

impl InboxList {
    async fn run(self) -> Result<Output, Failure> {
        let session = self.connection.open()?;
        match owner(&session, self.agent.as_deref()).await? {
            Some(agent) => {
                let page = session.client.inbox(&agent, &self.filter(&session).await?, &self.page()).await?;
                let labels = labels_of(&session, &page.items).await?;
                session.answer(&page, |page| show_inbox(&session, &labels, page))
            }
            None if self.is_filtered() => Err(Failure::usage(
                "the token belongs to a person; these filters are only valid for the inbox of an agent",
            )
            .hint("use `parlour inbox --mentions`, or --agent NAME")),
            None => {
                let project = session.project().await?.id;
                if self.mentions {
                    self.show_mentions(&session, &project).await
                } else {
                    unread(&session, &project).await
                }
            }
        }
    }

    /// Mentions, DMs, questions and urgent messages of a person.
    async fn show_mentions(&self, session: &Session, project: &ProjectId) -> Result<Output, Failure> {
        let page = session.client.project_inbox(project, &self.page()).await?;
        let labels = session.labels_in(project).await?;
        session.answer(&page, |page| match page.items.as_slice() {
            [] => "No unread mentions, DMs, questions or urgent messages.\n".to_owned(),
            entries => {
                show_entries(session, &labels, entries, Owner::Person, page.next.is_some()).trim_start().to_owned()
            }
        })
    }

    /// Whether a filter for inboxes of agents is set.
    fn is_filtered(&self) -> bool {
        self.importance.is_some() || self.blocking || self.conversation.is_some() || self.by_importance
    }

    fn page(&self) -> PageAt {
        PageAt { limit: self.limit, cursor: None }
    }

    async fn filter(&self, session: &Session) -> Result<InboxFilter, Failure> {
        let conversation_id = match &self.conversation {
            Some(wanted) => Some(session.conversation(wanted).await?.id),
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

async fn labels_of(session: &Session, entries: &[InboxEntry]) -> Result<ChannelLabels, Failure> {
    match entries.first() {
        Some(entry) => session.labels_in(&entry.message.project_id).await,
        None => Ok(ChannelLabels::default()),
    }
}

fn show_inbox(session: &Session, labels: &ChannelLabels, page: &InboxPage) -> String {
    match (page.items.is_empty(), page.unread) {
        (true, 0) => "No unread messages.\n".to_owned(),
        (true, unread) => format!("{unread} unread, none of them matches the filter.\n"),
        (false, unread) => {
            format!(
                "{unread} unread.\n{}",
                show_entries(session, labels, &page.items, Owner::Agent, page.next.is_some())
            )
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Owner {
    Agent,
    Person,
}

/// Each entry starts with its delivery reason.
fn show_entries(
    session: &Session,
    labels: &ChannelLabels,
    entries: &[InboxEntry],
    owner: Owner,
    has_more: bool,
) -> String {
    let view = session.view();
    let mut text = String::new();
    for entry in entries {
        let reason = match entry.reason {
            DeliveryReason::Mention => "mention",
            DeliveryReason::Dm => "dm",
            DeliveryReason::Thread => "thread",
            // People have no subscriptions.
            DeliveryReason::Subscription if owner == Owner::Person => "message",
            DeliveryReason::Subscription => "subscription",
        };
        text += &format!("\n{reason} in {}\n{}", labels.of(&entry.message.to), view.show(&entry.message));
    }
    if has_more {
        text += "\nMore results exist; raise --limit.\n";
    }
    text
}

/// People have read positions, so counts are shown.
fn show_unread(session: &Session, labels: &ChannelLabels, unread: &Unread) -> String {
    if unread.total == 0 {
        return "No unread messages.\n".to_owned();
    }
    let mut table = Table::new(&["conversation", "unread", "mentions", "read up to"]);
    for one in &unread.conversations {
        let conversation = labels.of(&one.conversation_id);
        let [count, mentions, since] = [one.unread, one.mentions, one.read_seq].map(|number| number.to_string());
        table.row(&[&conversation, &count, &mentions, &since]);
    }
    let first = unread.conversations.first().map(|one| (one.conversation_id.to_string(), one.read_seq));
    let next = first.map(|(id, seq)| session.next(&format!("parlour history {id} --since {seq}")));
    format!("{}{}", table.render(session.style), next.unwrap_or_default())
}

/// Show the number of unread messages of an agent
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  parlour inbox counts\n  parlour inbox counts --agent Coder")]
struct InboxCountsCommand {
    /// Agent, by name or id; default: the owner of the token
    #[arg(long, value_name = "AGENT")]
    agent: Option<String>,
    #[command(flatten)]
    connection: Connection,
}

impl InboxCountsCommand {
    async fn run(self) -> Result<Output, Failure> {
        let session = self.connection.open()?;
        let agent = agent_owner(&session, self.agent.as_deref()).await?;
        let counts = session.client.inbox_counts(&agent).await?;
        session.answer(&counts, |counts| counts_line(counts) + "\n")
    }
}

/// The counts above zero, the most urgent first.
fn counts_line(counts: &InboxCounts) -> String {
    if counts.total == 0 {
        return "No unread messages.".to_owned();
    }
    let parts = [
        (counts.blocking, "blocking"),
        (counts.critical, "critical"),
        (counts.high, "high"),
        (counts.mentions, "with a mention"),
    ];
    let listed = parts.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}"));
    let listed = listed.collect::<Vec<_>>().join(", ");
    if listed.is_empty() { format!("{} unread.", counts.total) } else { format!("{} unread: {listed}.", counts.total) }
}

/// Show a digest of an agent's unread messages, one line per conversation
///
/// The most important conversation comes first.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  parlour inbox digest\n  parlour inbox digest --agent Coder --limit 5")]
struct InboxDigest {
    /// Agent, by name or id; default: the owner of the token
    #[arg(long, value_name = "AGENT")]
    agent: Option<String>,
    /// Maximum number of conversations
    #[arg(long, value_name = "NUMBER")]
    limit: Option<usize>,
    #[command(flatten)]
    connection: Connection,
}

impl InboxDigest {
    async fn run(self) -> Result<Output, Failure> {
        let session = self.connection.open()?;
        let agent = agent_owner(&session, self.agent.as_deref()).await?;
        let page = session.client.digests(&agent, &PageAt { limit: self.limit, cursor: None }).await?;
        let labels = match page.items.is_empty() {
            true => ChannelLabels::default(),
            false => session.labels_in(&session.client.agent(&agent).await?.project_id).await?,
        };
        session.answer(&page, |page| show_digests(&session, &labels, page))
    }
}

fn show_digests(session: &Session, labels: &ChannelLabels, page: &Page<Digest>) -> String {
    if page.items.is_empty() {
        return "No unread messages.\n".to_owned();
    }
    let mut table = Table::new(&["conversation", "unread", "blocking", "critical", "high", "from", "newest"]);
    for digest in &page.items {
        let unread = &digest.unread;
        let numbers = [unread.total, unread.blocking, unread.critical, unread.high].map(|number| number.to_string());
        let from = digest.from.iter().map(|author| author.name.as_str()).collect::<Vec<_>>().join(", ");
        let [total, blocking, critical, high] = &numbers;
        let conversation = labels.of(&digest.conversation_id);
        table.row(&[&conversation, total, blocking, critical, high, &from, &digest.newest.summary]);
    }
    let more = if page.next.is_some() { "\nMore results exist; raise --limit.\n" } else { "" };
    table.render(session.style) + more
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_of_zero_are_not_shown() {
        let counts = InboxCounts { total: 7, blocking: 1, mentions: 3, ..InboxCounts::default() };
        assert_eq!(counts_line(&counts), "7 unread: 1 blocking, 3 with a mention.");
        assert_eq!(counts_line(&InboxCounts { total: 2, ..InboxCounts::default() }), "2 unread.");
        assert_eq!(counts_line(&InboxCounts::default()), "No unread messages.");
    }
}
