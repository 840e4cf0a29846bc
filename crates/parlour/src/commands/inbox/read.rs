use clap::Args;
use parlour_agent::{answers::ReadOutcome, requests::ReadMessages};
use parlour_core::{id::MessageId, limits};

use crate::{
    failure::Failure,
    output::Output,
    session::{Connection, Session},
};

const EXAMPLES: &str = "\
Examples:
  parlour inbox read msg_01K… msg_01K…
  parlour inbox read --in general                   everything there
  parlour inbox read --in general --up-to msg_01K…
  parlour inbox read --in general --agent Coder     for an agent, as an administrator";

/// How often a long conversation is asked for the rest.
const ROUNDS_MAX: usize = 500;

/// Mark messages as read
///
/// What is read leaves the inbox, and whoever wrote it sees that it was. Doing it again changes nothing.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(super) struct Read {
    /// The messages, by id
    #[arg(value_name = "MESSAGE", required_unless_present = "place", conflicts_with = "place")]
    messages: Vec<MessageId>,
    /// Instead of single messages: everything in this conversation
    #[arg(long = "in", id = "place", value_name = "CONVERSATION")]
    place: Option<String>,
    /// Only up to this message
    #[arg(long, value_name = "MESSAGE", requires = "place")]
    up_to: Option<MessageId>,
    /// The agent that has read it, by name or id; without it, whoever the token belongs to
    #[arg(long, value_name = "AGENT")]
    agent: Option<String>,
    #[command(flatten)]
    connection: Connection,
}

impl Read {
    pub(super) async fn run(self) -> Result<Output, Failure> {
        let session = self.connection.open()?;
        let agent_id = match &self.agent {
            Some(wanted) => Some(session.agent(wanted).await?),
            None => None,
        };
        let outcome = match &self.place {
            Some(wanted) => {
                let conversation_id = Some(session.place(wanted).await?.id);
                let request = ReadMessages { agent_id, conversation_id, up_to: self.up_to, ..ReadMessages::default() };
                read_whole(&session, &request).await?
            }
            None => {
                let mut sum = ReadOutcome::default();
                for some in self.messages.chunks(limits::DELIVERIES_PER_REPORT_MAX) {
                    let request = ReadMessages {
                        agent_id: agent_id.clone(),
                        message_ids: some.to_vec(),
                        ..ReadMessages::default()
                    };
                    sum = add(sum, session.client.read_messages(&request).await?);
                }
                sum
            }
        };
        session.answer(&outcome, show)
    }
}

/// Asks until nothing of the conversation is left.
async fn read_whole(session: &Session, request: &ReadMessages) -> Result<ReadOutcome, Failure> {
    let mut sum = ReadOutcome::default();
    for _ in 0..ROUNDS_MAX {
        sum = add(sum, session.client.read_messages(request).await?);
        if sum.left == 0 {
            break;
        }
    }
    Ok(sum)
}

fn add(sum: ReadOutcome, next: ReadOutcome) -> ReadOutcome {
    ReadOutcome { read: sum.read + next.read, already: sum.already + next.already, left: next.left }
}

fn show(outcome: &ReadOutcome) -> String {
    let mut text = match outcome.read {
        0 => "Nothing of it was unread.\n".to_owned(),
        1 => "1 message is read now.\n".to_owned(),
        count => format!("{count} messages are read now.\n"),
    };
    if outcome.read > 0 && outcome.already > 0 {
        text += &format!("{} had been read before.\n", outcome.already);
    }
    if outcome.left > 0 {
        text += &format!("{} are left; do it again.\n", outcome.left);
    }
    text
}
