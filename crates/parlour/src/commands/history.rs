//! `parlour history`: reads a conversation, the newest message at the bottom.

use clap::Args;
use parlour_agent::HistoryRange;
use parlour_core::{limits, message::Message, paging::Page};

use crate::{
    failure::Failure,
    output::{Output, shell::quoted},
    resolve::ResolvedConversation,
    session::{Connection, Session},
};

const EXAMPLES: &str = "\
Examples:
  parlour history general
  parlour history '#general' --limit 100
  parlour history general --before 42            messages before number 42
  parlour history thr_01K… --since 2026-11-15T09:00:00Z
  parlour history general --all --json > general.json";

/// Maximum number of messages of `--all`.
const ALL_MESSAGES_MAX: usize = 100_000;
const MESSAGES_DEFAULT: usize = 20;

/// Show the messages of a conversation, newest last
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct HistoryCommand {
    /// Channel by name or id, `@name` for a DM, or id of a thread or DM
    conversation: String,
    /// Maximum number of messages
    #[arg(long, value_name = "NUMBER", default_value_t = MESSAGES_DEFAULT)]
    limit: usize,
    /// Only messages before this number, message id or time
    #[arg(long, value_name = "MARK", conflicts_with = "since")]
    before: Option<String>,
    /// Only messages after this number, message id or time
    #[arg(long, value_name = "MARK")]
    since: Option<String>,
    /// All messages
    #[arg(long, conflicts_with = "limit")]
    all: bool,
    #[command(flatten)]
    connection: Connection,
}

impl HistoryCommand {
    pub(crate) async fn run(self) -> Result<Output, Failure> {
        let session = self.connection.open()?;
        let conversation = session.conversation(&self.conversation).await?;
        let page = self.read(&session, &conversation).await?;
        session.answer(&page, |page| self.show(&session, &conversation, page))
    }

    /// Reads pages until the limit; messages keep the order of the API.
    async fn read(&self, session: &Session, conversation: &ResolvedConversation) -> Result<Page<Message>, Failure> {
        let wanted = if self.all { ALL_MESSAGES_MAX } else { self.limit };
        let mut range =
            HistoryRange { before: self.before.clone(), since: self.since.clone(), ..HistoryRange::default() };
        let mut whole = Page { items: Vec::new(), next: None };
        loop {
            range.limit = Some((wanted - whole.items.len()).min(limits::PAGE_ITEMS_MAX));
            let page = session.client.history(&conversation.id, &range).await?;
            whole.items.extend(page.items);
            whole.next = page.next;
            if whole.next.is_none() || whole.items.len() >= wanted {
                return Ok(whole);
            }
            range = HistoryRange { cursor: whole.next.clone(), ..HistoryRange::default() };
        }
    }

    /// Sorts the messages, so that the newest is at the bottom.
    fn show(&self, session: &Session, conversation: &ResolvedConversation, page: &Page<Message>) -> String {
        if page.items.is_empty() {
            return format!("No messages in {}.\n", conversation.label);
        }
        let view = session.view();
        let mut messages: Vec<_> = page.items.iter().collect();
        messages.sort_by_key(|message| message.seq);
        let mut text: Vec<_> = messages.iter().map(|message| view.show(message)).collect();
        if page.next.is_some() {
            text.push(session.next(&self.further(&messages)));
        }
        text.join("\n")
    }

    /// The command that continues this list.
    fn further(&self, messages: &[&Message]) -> String {
        let edge = if self.since.is_some() { messages.last() } else { messages.first() };
        let seq = edge.map_or(0, |message| message.seq);
        let mark = if self.since.is_some() { "since" } else { "before" };
        format!("parlour history {} --{mark} {seq}", quoted(&self.conversation))
    }
}
