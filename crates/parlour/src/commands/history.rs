//! `parlour history`: reads a conversation, the newest message at the bottom.

use clap::Args;
use parlour_agent::HistoryRange;
use parlour_core::{limits, message::Message, paging::Page};

use crate::{
    failure::Failure,
    output::{Output, shell::quoted},
    resolve::Place,
    session::{Connection, Session},
};

const EXAMPLES: &str = "\
Examples:
  parlour history general
  parlour history '#general' --limit 100
  parlour history general --before 42            older than number 42
  parlour history thr_01K… --since 2026-11-15T09:00:00Z
  parlour history general --all --json > general.json";

/// How many messages `--all` reads at the most; the rest is announced.
const ALL_MESSAGES_MAX: usize = 100_000;
/// How many are shown when nobody says.
const MESSAGES_DEFAULT: usize = 20;

/// Read a conversation, the newest message at the bottom
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct History {
    /// A channel by name or id, `@name` for your dm with a member, or the id of a thread or dm
    conversation: String,
    /// How many messages
    #[arg(long, value_name = "NUMBER", default_value_t = MESSAGES_DEFAULT)]
    limit: usize,
    /// Only what stands before this number, message id or time
    #[arg(long, value_name = "MARK", conflicts_with = "since")]
    before: Option<String>,
    /// Only what stands after this number, message id or time
    #[arg(long, value_name = "MARK")]
    since: Option<String>,
    /// Everything
    #[arg(long, conflicts_with = "limit")]
    all: bool,
    #[command(flatten)]
    connection: Connection,
}

impl History {
    pub(crate) async fn run(self) -> Result<Output, Failure> {
        let session = self.connection.open()?;
        let place = session.place(&self.conversation).await?;
        let page = self.read(&session, &place).await?;
        session.answer(&page, |page| self.show(&session, &place, page))
    }

    /// Reads as many pages as are needed; they keep the order of the API.
    async fn read(&self, session: &Session, place: &Place) -> Result<Page<Message>, Failure> {
        let wanted = if self.all { ALL_MESSAGES_MAX } else { self.limit };
        let mut range =
            HistoryRange { before: self.before.clone(), since: self.since.clone(), ..HistoryRange::default() };
        let mut whole = Page { items: Vec::new(), next: None };
        loop {
            range.limit = Some((wanted - whole.items.len()).min(limits::PAGE_ITEMS_MAX));
            let page = session.client.history(&place.id, &range).await?;
            whole.items.extend(page.items);
            whole.next = page.next;
            if whole.next.is_none() || whole.items.len() >= wanted {
                return Ok(whole);
            }
            range = HistoryRange { cursor: whole.next.clone(), ..HistoryRange::default() };
        }
    }

    /// Like a chat: whatever order the API has chosen, the newest message stands at the bottom.
    fn show(&self, session: &Session, place: &Place, page: &Page<Message>) -> String {
        if page.items.is_empty() {
            return format!("Nothing there in {}.\n", place.label);
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

    /// The command that shows what is next to these messages.
    fn further(&self, messages: &[&Message]) -> String {
        let edge = if self.since.is_some() { messages.last() } else { messages.first() };
        let seq = edge.map_or(0, |message| message.seq);
        let mark = if self.since.is_some() { "since" } else { "before" };
        format!("parlour history {} --{mark} {seq}", quoted(&self.conversation))
    }
}
