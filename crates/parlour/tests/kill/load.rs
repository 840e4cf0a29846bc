//! The load: senders that post one message after another, and repeat each under its id until it is acknowledged.

use parlour_agent::{Client, ClientError, Retry, answers::Posted};
use parlour_core::{
    id::{ChannelId, MessageId},
    post::PostMessage,
};
use tokio::{
    sync::{mpsc, watch},
    task::JoinHandle,
};

use crate::checker::AckedWrite;

/// The name of the agent that some messages call.
pub(crate) const AGENT: &str = "Reader";

/// What the senders are told: where the hub is now, and when to come to an end.
#[derive(Clone)]
pub(crate) struct KillSchedule {
    /// The client for the hub of this round; absent while there is none.
    pub(crate) client: Option<Client>,
    /// Whether a sender begins another message.
    pub(crate) goes_on: bool,
}

/// A client that leaves every decision about repeating to the sender.
pub(crate) fn client(url: &str, token: &str) -> Client {
    Client::new(url, Some(token)).expect("a client").with_retry(Retry::NEVER)
}

/// Starts a sender. It ends, with all that was acknowledged, when it is told to and its last message is through.
pub(crate) fn start_sender(
    sender: usize,
    channels: Vec<ChannelId>,
    mut course: watch::Receiver<KillSchedule>,
    acks: mpsc::Sender<()>,
) -> JoinHandle<Vec<AckedWrite>> {
    tokio::spawn(async move {
        let mut acked = Vec::new();
        while course.borrow().goes_on {
            let number = acked.len();
            let channel = &channels[(sender + number) % channels.len()];
            let (id, request) = message(sender, number, channel);
            let posted = post_until_acked(&mut course, &id, &request).await;
            acked.push(to_acked(&posted, sender, number));
            // Nobody may be counting.
            let _ = acks.try_send(());
        }
        acked
    })
}

/// The message that a sender posts as its `number`th; the same each time it is asked for.
pub(crate) fn message(sender: usize, number: usize, channel: &ChannelId) -> (MessageId, PostMessage) {
    let id = format!("msg_kill-{sender}-{number}").parse().expect("an id");
    let calls = if is_mention(number) { format!(" for @{AGENT}") } else { String::new() };
    let body = format!("message {number} of sender {sender}{calls}");
    (id, PostMessage { channel_id: Some(channel.clone()), body, ..PostMessage::default() })
}

/// Every third message calls the agent.
fn is_mention(number: usize) -> bool {
    number.is_multiple_of(3)
}

/// What an answer says about a message.
pub(crate) fn to_acked(posted: &Posted, sender: usize, number: usize) -> AckedWrite {
    let message = &posted.message;
    AckedWrite {
        id: message.id.to_string(),
        conversation: message.to.to_string(),
        body: message.body.clone(),
        seq: message.seq,
        offset: posted.position.offset(),
        is_mention: is_mention(number),
        sender,
        number,
    }
}

/// Posts to whichever hub there is. A hub that died in the middle may have stored the message or not: only the
/// next one can tell, so the same id is posted again.
async fn post_until_acked(course: &mut watch::Receiver<KillSchedule>, id: &MessageId, request: &PostMessage) -> Posted {
    loop {
        let client = course.borrow_and_update().client.clone();
        if let Some(client) = client {
            match client.post_message(id, request).await {
                Ok(posted) => return posted,
                Err(error) => assert!(is_expected(&error), "a post was refused: {error}"),
            }
        }
        course.changed().await.expect("the rounds outlive the senders");
    }
}

/// A killed hub breaks the connection; anything else would be a fault.
fn is_expected(error: &ClientError) -> bool {
    matches!(error, ClientError::Unreachable { .. })
}
