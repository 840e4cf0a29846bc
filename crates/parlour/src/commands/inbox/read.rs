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
  parlour inbox read --in general                   all messages of the channel
  parlour inbox read --in general --up-to msg_01K…
  parlour inbox read --in general --agent Coder     for an agent (administrators)";

/// Maximum number of requests for one conversation.
const ROUNDS_MAX: usize = 500;

/// Mark messages as read
///
/// Removes the messages from the inbox and reports them as seen to their authors. Repeating it has no effect.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(super) struct InboxRead {
    /// Messages, by id
    #[arg(value_name = "MESSAGE", required_unless_present = "conversation", conflicts_with = "conversation")]
    messages: Vec<MessageId>,
    /// All messages of this conversation
    #[arg(long = "in", id = "conversation", value_name = "CONVERSATION")]
    conversation: Option<String>,
    /// Only messages up to this one
    #[arg(long, value_name = "MESSAGE", requires = "conversation")]
    up_to: Option<MessageId>,
    /// Agent that read the messages, by name or id; default: the owner of the token
    #[arg(long, value_name = "AGENT")]
    agent: Option<String>,
    #[command(flatten)]
    connection: Connection,
}

impl InboxRead {
    pub(super) async fn run(self) -> Result<Output, Failure> {
        let session = self.connection.open()?;
        let agent_id = match &self.agent {
            Some(wanted) => Some(session.agent(wanted).await?),
            None => None,
        };
        let outcome = match &self.conversation {
            Some(wanted) => {
                let conversation_id = Some(session.conversation(wanted).await?.id);
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

/// Repeats the request until no unread message is left.
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
        0 => "No message was unread.\n".to_owned(),
        1 => "1 message marked as read.\n".to_owned(),
        count => format!("{count} messages marked as read.\n"),
    };
    if outcome.read > 0 && outcome.already > 0 {
        text += &format!("{} already read.\n", outcome.already);
    }
    if outcome.left > 0 {
        text += &format!("{} unread messages are left; repeat the command.\n", outcome.left);
    }
    text
}
