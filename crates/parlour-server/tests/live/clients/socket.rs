//! A WebSocket client.

use futures_util::{SinkExt as _, StreamExt as _};
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio_tungstenite::{
    WebSocketStream, client_async,
    tungstenite::{Error, Message, client::IntoClientRequest as _},
};

use crate::{
    serving::{LiveHub, soon},
    support::Member,
};

/// An open socket.
pub(crate) struct Socket(WebSocketStream<TcpStream>);

impl Socket {
    /// Opens a socket with the token in the request.
    pub(crate) async fn open(hub: &LiveHub, member: &Member, query: &str) -> Self {
        let bearer = format!("Bearer {}", member.token);
        Self::try_open(hub, query, &[("authorization", &bearer)]).await.expect("opened")
    }

    /// Opens a socket, or returns the status and the problem document.
    pub(crate) async fn try_open(hub: &LiveHub, query: &str, headers: &[(&'static str, &str)]) -> Result<Self, u16> {
        let mut request = format!("ws://{}/live{query}", hub.address).into_client_request().expect("request");
        for (name, value) in headers {
            request.headers_mut().insert(*name, value.parse().expect("a header"));
        }
        match soon(client_async(request, hub.connect().await)).await {
            Ok((socket, _)) => Ok(Self(socket)),
            Err(Error::Http(response)) => Err(response.status().as_u16()),
            Err(other) => unreachable!("{other}"),
        }
    }

    pub(crate) async fn send(&mut self, frame: Value) {
        self.send_message(Message::text(frame.to_string())).await;
    }

    pub(crate) async fn send_message(&mut self, message: Message) {
        soon(self.0.send(message)).await.expect("sent");
    }

    /// The next frame as JSON, or the close code.
    async fn read(&mut self) -> Result<Value, u16> {
        loop {
            match soon(self.0.next()).await {
                Some(Ok(Message::Text(text))) => return Ok(serde_json::from_str(&text).expect("JSON")),
                Some(Ok(Message::Close(Some(frame)))) => return Err(frame.code.into()),
                Some(Ok(Message::Ping(_))) => {}
                other => unreachable!("neither a text nor a close: {other:?}"),
            }
        }
    }

    /// The next frame.
    pub(crate) async fn next(&mut self) -> Value {
        self.read().await.expect("a frame")
    }

    /// The next frame of this type; others are skipped.
    pub(crate) async fn until(&mut self, name: &str) -> Value {
        loop {
            let frame = self.next().await;
            if frame["type"] == name {
                return frame;
            }
        }
    }

    /// The frames up to the next ping of the hub.
    pub(crate) async fn until_ping(&mut self) -> Vec<Value> {
        let mut before = Vec::new();
        loop {
            match soon(self.0.next()).await.expect("open").expect("whole") {
                Message::Ping(_) => return before,
                Message::Text(text) => before.push(serde_json::from_str(&text).expect("JSON")),
                other => unreachable!("neither a text nor a ping: {other:?}"),
            }
        }
    }

    /// Sends a frame and returns its response; other frames are skipped.
    pub(crate) async fn ask(&mut self, mut frame: Value) -> Value {
        frame["ref"] = json!("asked");
        self.send(frame).await;
        loop {
            let answer = self.next().await;
            if answer["ref"] == "asked" {
                return answer;
            }
        }
    }

    /// Sends a frame that must succeed and returns its data.
    pub(crate) async fn done(&mut self, frame: Value) -> Value {
        let answer = self.ask(frame).await;
        assert_eq!(answer["type"], "ok", "{answer}");
        answer["data"].clone()
    }

    /// The close code; other frames are skipped.
    pub(crate) async fn closed(mut self) -> u16 {
        loop {
            if let Err(code) = self.read().await {
                return code;
            }
        }
    }

    /// Waits until the hub has echoed the close frame and closed the connection.
    pub(crate) async fn gone(mut self) {
        while let Some(Ok(message)) = soon(self.0.next()).await {
            assert!(matches!(message, Message::Text(_) | Message::Close(None)), "{message:?}");
        }
    }

    /// All frames up to the close, and its code.
    pub(crate) async fn rest(mut self) -> (Vec<Value>, u16) {
        let mut frames = Vec::new();
        loop {
            match self.read().await {
                Ok(frame) => frames.push(frame),
                Err(code) => return (frames, code),
            }
        }
    }
}
