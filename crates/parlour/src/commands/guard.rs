//! `parlour guard`: what the loop guard has stopped in a conversation, and lifting it.

use clap::{Args, Subcommand};
use parlour_agent::answers::GuardStop;
use parlour_core::call::HoldRule;

use crate::{
    failure::Failure,
    output::{Output, plain::one_line, shell::quoted},
    session::{Connection, Session},
};

/// What can be done with the loop guard.
#[derive(Debug, Subcommand)]
pub(crate) enum Guard {
    Show(Show),
    Reset(Reset),
}

impl Guard {
    pub(crate) async fn run(self) -> Result<Output, Failure> {
        match self {
            Self::Show(command) => command.run().await,
            Self::Reset(command) => command.run().await,
        }
    }
}

/// Show what the loop guard has stopped in a conversation
#[derive(Args, Debug)]
#[command(after_help = "Example:\n  parlour guard show general")]
pub(crate) struct Show {
    /// A channel by name, a dm by @name, or any conversation by id
    conversation: String,
    #[command(flatten)]
    connection: Connection,
}

impl Show {
    async fn run(self) -> Result<Output, Failure> {
        let session = self.connection.open()?;
        let place = session.place(&self.conversation).await?;
        let stops = session.client.loop_guard(&place.id).await?;
        let names = session.members_of(&session.project().await?.id).await?;
        session.answer(&stops, |stops| {
            if stops.stops.is_empty() {
                return format!("The loop guard has stopped nobody in {}.\n", place.label);
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

/// One stop in a line: since when, whom, why, and until when.
fn line(session: &Session, stop: &GuardStop, name: impl Fn(&parlour_core::id::AgentId) -> String) -> String {
    let agents = stop.agents.iter().map(name).collect::<Vec<_>>().join(", ");
    let until = stop.until.map(|until| format!(", until {}", session.moments.show(until))).unwrap_or_default();
    format!("{}  {}: {}{until}", session.moments.show(stop.at), one_line(&agents), meaning(stop.rule))
}

/// What a rule of the loop guard stands for.
pub(super) fn meaning(rule: HoldRule) -> &'static str {
    match rule {
        HoldRule::Depth => "so many agents have answered each other that a person is needed",
        HoldRule::Chain => "it has answered in this chain already",
        HoldRule::Pair => "two agents have called each other too often",
        HoldRule::Budget => "agents have written too much here without a person",
        HoldRule::NoProgress => "agents say nearly the same again and again",
        HoldRule::Correlation => "the calls under one correlation id go too deep, for too long or too fast",
        HoldRule::Waiting => "too many calls wait already",
    }
}

/// Lift the loop guard in a conversation
///
/// Agents may call each other again there. Writing a message there yourself does the same.
#[derive(Args, Debug)]
#[command(after_help = "Example:\n  parlour guard reset general")]
pub(crate) struct Reset {
    /// A channel by name, a dm by @name, or any conversation by id
    conversation: String,
    #[command(flatten)]
    connection: Connection,
}

impl Reset {
    async fn run(self) -> Result<Output, Failure> {
        let session = self.connection.open()?;
        let place = session.place(&self.conversation).await?;
        let message = session.client.reset_loop_guard(&place.id).await?;
        session.answer(&message, |_| format!("The loop guard is lifted in {}.\n", place.label))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_has_words_of_its_own() {
        use HoldRule::{Budget, Chain, Correlation, Depth, NoProgress, Pair, Waiting};
        let mut words: Vec<_> = [Depth, Chain, Pair, Budget, NoProgress, Correlation, Waiting].map(meaning).to_vec();
        words.sort_unstable();
        words.dedup();
        assert_eq!(words.len(), 7);
    }
}
