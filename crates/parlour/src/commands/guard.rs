//! `parlour guard`: shows and resets the loop guard of a conversation.

use clap::{Args, Subcommand};
use parlour_agent::answers::GuardStop;
use parlour_core::call::HoldRule;

use crate::{
    failure::Failure,
    output::{Output, plain::one_line, shell::quoted},
    session::{Connection, Session},
};

#[derive(Debug, Subcommand)]
pub(crate) enum GuardCommand {
    Show(GuardShow),
    Reset(GuardReset),
}

impl GuardCommand {
    pub(crate) async fn run(self) -> Result<Output, Failure> {
        match self {
            Self::Show(command) => command.run().await,
            Self::Reset(command) => command.run().await,
        }
    }
}

/// Show the agents that the loop guard stopped in a conversation
#[derive(Args, Debug)]
#[command(after_help = "Example:\n  parlour guard show general")]
pub(crate) struct GuardShow {
    /// Channel by name or id, `@name` for a DM, or id of a thread or DM
    conversation: String,
    #[command(flatten)]
    connection: Connection,
}

impl GuardShow {
    async fn run(self) -> Result<Output, Failure> {
        let session = self.connection.open()?;
        let conversation = session.conversation(&self.conversation).await?;
        let stops = session.client.loop_guard(&conversation.id).await?;
        let names = session.members_of(&session.project().await?.id).await?;
        session.answer(&stops, |stops| {
            if stops.stops.is_empty() {
                return format!("The loop guard has not stopped any agent in {}.\n", conversation.label);
            }
            let name = |id: &parlour_core::id::AgentId| {
                let found = names.iter().find(|(member, _)| member.agent() == Some(id));
                found.map_or_else(|| id.to_string(), |(_, name)| name.to_string())
            };
            let lines: String = stops.stops.iter().map(|stop| line(&session, stop, name) + "\n").collect();
            lines + &session.next(&format!("parlour guard reset {}", quoted(&self.conversation)))
        })
    }
}

/// One stop in a line: start, agents, reason, end.
fn line(session: &Session, stop: &GuardStop, name: impl Fn(&parlour_core::id::AgentId) -> String) -> String {
    let agents = stop.agents.iter().map(name).collect::<Vec<_>>().join(", ");
    let until = stop.until.map(|until| format!(", until {}", session.local_time.show(until))).unwrap_or_default();
    format!("{}  {}: {}{until}", session.local_time.show(stop.at), one_line(&agents), meaning(stop.rule))
}

/// Describes a rule of the loop guard.
pub(super) fn meaning(rule: HoldRule) -> &'static str {
    match rule {
        HoldRule::Depth => "the chain of agent answers reached its maximum depth; a person has to post",
        HoldRule::Chain => "the agent already answered in this chain",
        HoldRule::Pair => "two agents called each other too often",
        HoldRule::Budget => "agents posted too much here without a message of a person",
        HoldRule::NoProgress => "agents repeat nearly the same text",
        HoldRule::Correlation => "the calls of one correlation id are too deep, too long or too frequent",
        HoldRule::Waiting => "too many calls are waiting",
    }
}

/// Reset the loop guard in a conversation
///
/// Agents can call each other there again. A message of a person has the same effect.
#[derive(Args, Debug)]
#[command(after_help = "Example:\n  parlour guard reset general")]
pub(crate) struct GuardReset {
    /// Channel by name or id, `@name` for a DM, or id of a thread or DM
    conversation: String,
    #[command(flatten)]
    connection: Connection,
}

impl GuardReset {
    async fn run(self) -> Result<Output, Failure> {
        let session = self.connection.open()?;
        let conversation = session.conversation(&self.conversation).await?;
        let message = session.client.reset_loop_guard(&conversation.id).await?;
        session.answer(&message, |_| format!("The loop guard was reset in {}.\n", conversation.label))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_has_its_own_text() {
        use HoldRule::{Budget, Chain, Correlation, Depth, NoProgress, Pair, Waiting};
        let mut words: Vec<_> = [Depth, Chain, Pair, Budget, NoProgress, Correlation, Waiting].map(meaning).to_vec();
        words.sort_unstable();
        words.dedup();
        assert_eq!(words.len(), 7);
    }
}
