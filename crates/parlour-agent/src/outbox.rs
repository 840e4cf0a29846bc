//! Posts on their way: kept in order under ids of their own until the hub has answered each.

use parlour_core::{id::MessageId, post::PostMessage};
use tokio::{
    sync::{mpsc, oneshot},
    time::sleep,
};
use tokio_util::task::AbortOnDropHandle;
use uuid::Uuid;

use crate::{
    Client, ClientError, Retry,
    answers::Posted,
    live::{Backoff, draw},
};

/// Posts that wait in one outbox.
const OUTBOX_LEN_MAX: usize = 1_000;

/// Sends posts one after another. Each is repeated under the same id until the hub takes or refuses it, however long
/// the hub is away, so it is posted exactly once and in its turn.
///
/// Dropping the outbox gives up what still waits; [`Outbox::close`] waits for it.
#[derive(Debug)]
pub struct Outbox {
    queue: mpsc::Sender<QueuedPost>,
    task: AbortOnDropHandle<()>,
}

/// A post that is on its way.
#[derive(Debug)]
pub struct PendingPost {
    /// Its id, known before it is sent.
    pub id: MessageId,
    outcome: oneshot::Receiver<Result<Posted, ClientError>>,
}

/// Why a post was not taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{OUTBOX_LEN_MAX} posts are waiting already")]
pub struct OutboxFull;

/// One post and whom to reply.
#[derive(Debug)]
struct QueuedPost {
    id: MessageId,
    request: PostMessage,
    reply: oneshot::Sender<Result<Posted, ClientError>>,
}

impl Outbox {
    /// An empty outbox.
    pub fn new(client: &Client) -> Self {
        Self::with_backoff(client, Backoff::default())
    }

    /// The same with other pauses between tries.
    pub fn with_backoff(client: &Client, backoff: Backoff) -> Self {
        let (queue, posts) = mpsc::channel(OUTBOX_LEN_MAX);
        // The outbox decides itself how often it tries.
        let task = tokio::spawn(send_all(client.clone().with_retry(Retry::NEVER), backoff, posts));
        Self { queue, task: AbortOnDropHandle::new(task) }
    }

    /// Puts a post at the end of the queue. It gets an id now, unless it brings one.
    pub fn post(&self, request: PostMessage) -> Result<PendingPost, OutboxFull> {
        let id = request.id.clone().unwrap_or_else(|| MessageId::from_bits(Uuid::now_v7().as_u128()));
        let (reply, outcome) = oneshot::channel();
        self.queue.try_send(QueuedPost { id: id.clone(), request, reply }).map_err(|_| OutboxFull)?;
        Ok(PendingPost { id, outcome })
    }

    /// Waits until everything was answered.
    pub async fn close(self) {
        drop(self.queue);
        // It only fails when the program is being ended.
        let _ = self.task.await;
    }
}

impl PendingPost {
    /// Waits for what came of it; nothing when the outbox was given up before.
    pub async fn outcome(self) -> Option<Result<Posted, ClientError>> {
        self.outcome.await.ok()
    }
}

async fn send_all(client: Client, backoff: Backoff, mut posts: mpsc::Receiver<QueuedPost>) {
    while let Some(QueuedPost { id, request, reply }) = posts.recv().await {
        let outcome = send_one(&client, backoff, &id, &request).await;
        // The caller may have dropped its receiver.
        let _ = reply.send(outcome);
    }
}

async fn send_one(
    client: &Client,
    mut backoff: Backoff,
    id: &MessageId,
    request: &PostMessage,
) -> Result<Posted, ClientError> {
    loop {
        match client.post_message(id, request).await {
            Err(error) if error.is_retryable() => sleep(backoff.pause_after_failure(draw())).await,
            outcome => return outcome,
        }
    }
}
