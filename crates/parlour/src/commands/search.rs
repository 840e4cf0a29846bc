//! `parlour search`: finds messages.

use clap::Args;
use parlour_agent::answers::SearchHit;
use parlour_core::{limits, paging::Page};

use crate::{
    failure::Failure,
    output::{Output, plain::one_line},
    resolve::ChannelLabels,
    session::{Connection, Session},
};

const EXAMPLES: &str = "\
Examples:
  parlour search deploy failed          messages with both words
  parlour search '\"out of memory\"'      an exact phrase
  parlour search 'deplo*' --limit 50    words with this prefix";

/// Maximum number of pages per search; a page may be empty and still have a next one.
const PAGES_MAX: usize = 20;

/// Search messages that contain all words, newest first
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct SearchCommand {
    /// Words; a phrase in quotation marks, a prefix followed by `*`
    #[arg(required = true)]
    words: Vec<String>,
    /// Maximum number of messages
    #[arg(long, value_name = "NUMBER", default_value_t = 20)]
    limit: usize,
    #[command(flatten)]
    connection: Connection,
}

impl SearchCommand {
    pub(crate) async fn run(self) -> Result<Output, Failure> {
        let session = self.connection.open()?;
        let project = session.project().await?;
        let text = self.words.join(" ");
        let mut found = Page { items: Vec::new(), next: None };
        for _ in 0..PAGES_MAX {
            let limit = (self.limit - found.items.len()).min(limits::PAGE_ITEMS_MAX);
            let page = session.client.search(&project.id, &text, Some(limit), found.next.as_deref()).await?;
            found.items.extend(page.items);
            found.next = page.next;
            if found.next.is_none() || found.items.len() >= self.limit {
                break;
            }
        }
        let labels = session.labels_in(&project.id).await?;
        session.answer(&found, |found| show(&session, &labels, found))
    }
}

fn show(session: &Session, labels: &ChannelLabels, found: &Page<SearchHit>) -> String {
    if found.items.is_empty() {
        return "No messages found.\n".to_owned();
    }
    let view = session.view();
    let hits = found.items.iter().map(|hit| {
        let conversation = labels.of(&hit.message.to);
        format!("{conversation}  {}\n    {}\n", view.head(&hit.message), one_line(&hit.snippet))
    });
    let mut text = hits.collect::<Vec<_>>().join("\n");
    if found.next.is_some() {
        text += "\nMore results exist; raise --limit or add a word.\n";
    }
    text
}
