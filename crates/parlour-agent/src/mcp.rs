//! A relay for programs that speak MCP over their standard streams: lines in, lines out, and the hub behind them.
//!
//! It adds nothing to the protocol but what the way over HTTP needs: the session, the headers, and a session begun anew
//! when the hub was restarted in between. What the hub refuses, or that it is away, the client learns as the error of its
//! request, so a hub that comes back is used again.

use std::sync::Arc;

use parlour_core::limits;
use tokio::{
    io::{AsyncBufRead, AsyncWrite, AsyncWriteExt as _},
    sync::{Semaphore, mpsc},
};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use crate::Client;
use hub_connection::FarSide;
use line::{Read, read_line};

mod hub_connection;
mod line;

/// Relays everything that stands on `input` to the hub, and what it answers to `output`, until the input ends, `stop` is
/// called, or nobody takes the output any more. What is under way when the input ends is still answered; then the
/// session is closed.
///
/// `note` is told, in words for people, when the hub cannot be reached and when it can be again.
pub async fn relay<I, O>(client: Client, mut input: I, output: O, stop: CancellationToken, note: fn(&str))
where
    I: AsyncBufRead + Unpin,
    O: AsyncWrite + Unpin + Send + 'static,
{
    let (answers, lines) = mpsc::channel(limits::MCP_RELAYED_MAX);
    let writing = tokio::spawn(write_lines(output, lines, stop.clone()));
    let far_side = Arc::new(FarSide::new(client, note));
    let tasks = TaskTracker::new();
    let places = Arc::new(Semaphore::new(limits::MCP_RELAYED_MAX));
    while let Some(read) = stop.run_until_cancelled(read_line(&mut input)).await {
        let line = match read {
            Read::Line(line) => line,
            Read::Refused(answer) => {
                let _ = answers.send(answer).await;
                continue;
            }
            Read::End => break,
        };
        let Some(Ok(place)) = stop.run_until_cancelled(Arc::clone(&places).acquire_owned()).await else { break };
        let (far_side, answers, stop) = (Arc::clone(&far_side), answers.clone(), stop.clone());
        let is_in_turn = line.is_in_turn();
        let passing = tasks.spawn(async move {
            stop.run_until_cancelled(far_side.pass(line, &answers)).await;
            drop(place);
        });
        if is_in_turn {
            let _ = passing.await;
        }
    }
    tasks.close();
    tasks.wait().await;
    far_side.close().await;
    drop(answers);
    let _ = writing.await;
}

/// Writes answers, each as one line. When nobody takes them any more, the relay ends.
async fn write_lines(mut output: impl AsyncWrite + Unpin, mut lines: mpsc::Receiver<String>, stop: CancellationToken) {
    while let Some(mut line) = lines.recv().await {
        line.push('\n');
        let written = async {
            output.write_all(line.as_bytes()).await?;
            output.flush().await
        };
        if written.await.is_err() {
            return stop.cancel();
        }
    }
}
