//! A reader over a WebSocket, written for these tests alone.

use futures_util::{SinkExt as _, StreamExt as _};
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio_tungstenite::{
    WebSocketStream, client_async,
    tungstenite::{Error, Message, client::IntoClientRequest as _},
};

use crate::{reader::ReaderTarget, transcript::text};

/// An open socket that follows one project.
pub(crate) struct WsConnection {
    socket: WebSocketStream<TcpStream>,
}

impl WsConnection {
    /// Opens a socket and follows the project; nothing when the connection broke.
    pub(crate) async fn open(target: &ReaderTarget, after: Option<&str>) -> Option<Self> {
        let address = target.url.strip_prefix("http://").expect("an address");
        let stream = TcpStream::connect(address).await.ok()?;
        let request = format!("ws://{address}/live").into_client_request().expect("an address");
        let mut socket = match client_async(request, stream).await {
            Ok((socket, _)) => socket,
            Err(Error::Http(answer)) => {
                assert!(answer.status().is_server_error(), "GET /live: {}", answer.status());
                return None;
            }
            Err(_) => return None,
        };
        let sign_in = json!({ "type": "sign_in", "token": target.token });
        let mut subscribe = json!({ "type": "subscribe", "ref": "s", "project_id": target.project });
        if let Some(after) = after {
            subscribe["after"] = after.into();
        }
        for frame in [sign_in, subscribe] {
            socket.send(Message::text(frame.to_string())).await.ok()?;
        }
        Some(Self { socket })
    }

    /// The next frame; nothing after the end. Cancelling the wait loses nothing.
    pub(crate) async fn next(&mut self) -> Option<Value> {
        loop {
            match self.socket.next().await?.ok()? {
                Message::Text(shown) => {
                    let frame: Value = serde_json::from_str(&shown)
                        .unwrap_or_else(|error| json!({ "type": "broken", "detail": error.to_string() }));
                    // A hub that is being stopped refuses, and closes.
                    if text(&frame, "/type") == "refused" && frame["retryable"] == true {
                        return None;
                    }
                    return Some(frame);
                }
                Message::Close(_) => return None,
                // Pings are answered by the library.
                _ => {}
            }
        }
    }
}
