use clap::Args;
use parlour_core::inbox::InboxCounts;

use super::agent_owner;
use crate::{failure::Failure, output::Output, session::Connection};

/// Count what waits in an agent's inbox
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  parlour inbox counts\n  parlour inbox counts --agent Coder")]
pub(super) struct Counts {
    /// The agent, by name or id; without it, the one that the token belongs to
    #[arg(long, value_name = "AGENT")]
    agent: Option<String>,
    #[command(flatten)]
    connection: Connection,
}

impl Counts {
    pub(super) async fn run(self) -> Result<Output, Failure> {
        let session = self.connection.open()?;
        let agent = agent_owner(&session, self.agent.as_deref()).await?;
        let counts = session.client.inbox_counts(&agent).await?;
        session.answer(&counts, |counts| line(counts) + "\n")
    }
}

/// All counts that say something, the most urgent first.
pub(super) fn line(counts: &InboxCounts) -> String {
    if counts.total == 0 {
        return "Nothing unread.".to_owned();
    }
    let parts = [
        (counts.blocking, "blocking"),
        (counts.critical, "critical"),
        (counts.high, "high"),
        (counts.mentions, "with a mention"),
    ];
    let told = parts.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}"));
    let told = told.collect::<Vec<_>>().join(", ");
    if told.is_empty() { format!("{} unread.", counts.total) } else { format!("{} unread: {told}.", counts.total) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_there_is_counted_out() {
        let counts = InboxCounts { total: 7, blocking: 1, mentions: 3, ..InboxCounts::default() };
        assert_eq!(line(&counts), "7 unread: 1 blocking, 3 with a mention.");
        assert_eq!(line(&InboxCounts { total: 2, ..InboxCounts::default() }), "2 unread.");
        assert_eq!(line(&InboxCounts::default()), "Nothing unread.");
    }
}
