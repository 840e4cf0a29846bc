//! Opening a connection: from the address of a hub to a socket that speaks frames.

use std::{future::Future, io, sync::Arc, time::Duration};

use futures_util::{SinkExt, StreamExt};
use parlour_core::live::{ClientFrame, ServerFrame};
use reqwest::header::{AUTHORIZATION, HeaderValue};
use rustls::ClientConfig;
use rustls_pki_types::ServerName;
use serde_json::Value;
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::TcpStream,
    time::timeout,
};
use tokio_rustls::TlsConnector;
use tokio_tungstenite::{
    WebSocketStream, client_async_with_config,
    tungstenite::{
        Message,
        client::IntoClientRequest,
        error::{Error, ProtocolError},
        http::{Response, StatusCode},
        protocol::WebSocketConfig,
    },
};

use super::item::{LiveError, Lost};
use crate::{Client, Problem, TlsTrouble};

/// How long it may take until a connection is open.
const CONNECT_TIME_MAX: Duration = Duration::from_secs(10);
/// How long a frame of a hub may be: the longest message with all its steps fits several times.
const FRAME_BYTES_MAX: usize = 4 * 1024 * 1024;
/// How much is read at once: frames are small, and a program may keep many connections.
const READ_BUFFER_BYTES: usize = 8 * 1024;

/// A way to open connections to one hub.
pub(super) trait Dial: Send + Sync + 'static {
    /// What the connection goes through.
    type Io: AsyncRead + AsyncWrite + Unpin + Send;

    /// Opens a connection.
    fn dial(&self) -> impl Future<Output = Result<WebSocketStream<Self::Io>, Undone>> + Send;
}

/// Why there is no connection, or no longer one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Undone {
    /// Another try may help.
    Lost(Lost),
    /// Nothing helps.
    Over(LiveError),
}

/// Whatever bytes go through: a plain connection or an encrypted one.
pub(super) trait Io: AsyncRead + AsyncWrite + Send + Unpin {}

impl<S: AsyncRead + AsyncWrite + Send + Unpin> Io for S {}

/// The hub of a client, as the owner of its token.
#[derive(Clone, Debug)]
pub(super) struct HubAddress {
    url: String,
    host: String,
    port: u16,
    authorization: Option<HeaderValue>,
    tls: Option<Arc<ClientConfig>>,
}

impl HubAddress {
    /// Where the live events of this client's hub are. The client has let only `http` and `https` through.
    pub(super) fn of(client: &Client) -> Self {
        let url = format!("{}/live", client.url().replacen("http", "ws", 1));
        let host = client.base().host_str().unwrap_or_default();
        Self {
            url,
            // The brackets around an IPv6 address belong to the address of the page, not to its own.
            host: host.trim_start_matches('[').trim_end_matches(']').to_owned(),
            port: client.base().port_or_known_default().unwrap_or_default(),
            authorization: client.authorization().cloned(),
            tls: client.tls().cloned(),
        }
    }

    async fn connect(&self) -> Result<WebSocketStream<Box<dyn Io>>, Error> {
        let mut request = self.url.as_str().into_client_request()?;
        if let Some(authorization) = &self.authorization {
            request.headers_mut().insert(AUTHORIZATION, authorization.clone());
        }
        let config = WebSocketConfig::default()
            .read_buffer_size(READ_BUFFER_BYTES)
            .max_message_size(Some(FRAME_BYTES_MAX))
            .max_frame_size(Some(FRAME_BYTES_MAX));
        let (socket, _) = client_async_with_config(request, self.open().await?, Some(config)).await?;
        Ok(socket)
    }

    /// The connection below the frames.
    async fn open(&self) -> io::Result<Box<dyn Io>> {
        let stream = TcpStream::connect((self.host.as_str(), self.port)).await?;
        // Frames are small and must not wait for more.
        stream.set_nodelay(true)?;
        let Some(tls) = &self.tls else { return Ok(Box::new(stream)) };
        let name = ServerName::try_from(self.host.clone()).map_err(io::Error::other)?;
        Ok(Box::new(TlsConnector::from(Arc::clone(tls)).connect(name, stream).await?))
    }
}

impl Dial for HubAddress {
    type Io = Box<dyn Io>;

    async fn dial(&self) -> Result<WebSocketStream<Self::Io>, Undone> {
        match timeout(CONNECT_TIME_MAX, self.connect()).await {
            Ok(Ok(socket)) => Ok(socket),
            Ok(Err(Error::Http(response))) => Err(refused(&self.url, &response)),
            // Not for good: a certificate that has expired may be replaced at any time.
            Ok(Err(error)) => Err(Undone::Lost(Lost::Unreachable(
                TlsTrouble::in_chain(&error).map_or_else(|| error.to_string(), |trouble| trouble.to_string()),
            ))),
            Err(_) => {
                Err(Undone::Lost(Lost::Unreachable(format!("not within {} seconds", CONNECT_TIME_MAX.as_secs()))))
            }
        }
    }
}

/// What an answer means that opens no connection: a hub in trouble may recover, a no stays one.
fn refused(url: &str, response: &Response<Option<Vec<u8>>>) -> Undone {
    let status = response.status();
    let problem: Option<Problem> = response.body().as_deref().and_then(|body| serde_json::from_slice(body).ok());
    match problem {
        _ if status.is_server_error() || status == StatusCode::TOO_MANY_REQUESTS => {
            Undone::Lost(Lost::Busy(problem.map_or_else(|| status.to_string(), |problem| problem.to_string())))
        }
        Some(problem) if problem.retryable => Undone::Lost(Lost::Busy(problem.to_string())),
        Some(problem) => Undone::Over(problem.into()),
        None if status == StatusCode::UNAUTHORIZED => Undone::Over(LiveError::SignedOut("nobody is signed in".into())),
        None => Undone::Over(LiveError::NoLive { url: url.to_owned(), status: status.as_u16() }),
    }
}

/// Sends a text, or says that the connection is broken.
pub(super) async fn send<S>(socket: &mut WebSocketStream<S>, text: String) -> Result<(), Undone>
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    let sent = timeout(CONNECT_TIME_MAX, socket.send(Message::text(text))).await;
    sent.map_err(|_| broken(&"a frame was not taken in time"))?.map_err(|error| broken(&error))
}

/// The next message. Waiting can be cancelled without a loss.
pub(super) async fn receive<S>(socket: &mut WebSocketStream<S>) -> Result<Message, Undone>
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    match socket.next().await {
        Some(Ok(message)) => Ok(message),
        // The library's words for this are long, and it is the usual end of a hub that was killed.
        None | Some(Err(Error::Protocol(ProtocolError::ResetWithoutClosingHandshake) | Error::ConnectionClosed)) => {
            Err(broken(&"the hub hung up"))
        }
        Some(Err(Error::Capacity(error))) => Err(Undone::Lost(Lost::Unreadable(error.to_string()))),
        Some(Err(error)) => Err(broken(&error)),
    }
}

fn broken(why: &impl ToString) -> Undone {
    Undone::Lost(Lost::Broken(why.to_string()))
}

/// What a text of the hub is.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Read {
    /// A frame.
    Known(Box<ServerFrame>),
    /// A frame of a newer hub.
    Unknown(Value),
}

/// Reads a text of the hub. An object with a type is a frame, even if this client is too old to know it.
pub(super) fn read(text: &str) -> Result<Read, String> {
    let error = match serde_json::from_str(text) {
        Ok(frame) => return Ok(Read::Known(Box::new(frame))),
        Err(error) => error,
    };
    match serde_json::from_str::<Value>(text) {
        Ok(json) if json.get("type").is_some_and(Value::is_string) => Ok(Read::Unknown(json)),
        _ => Err(error.to_string()),
    }
}

/// Writes a frame; `reference` comes back with the hub's answer.
pub(super) fn write(frame: &ClientFrame, reference: &str) -> String {
    let mut json = serde_json::to_value(frame).expect("a frame is plain data");
    json["ref"] = reference.into();
    json.to_string()
}

#[cfg(test)]
mod tests {
    use parlour_core::id::ProjectId;
    use serde_json::json;

    use super::*;

    fn answer(status: u16, body: &str) -> Undone {
        let body = Some(body.as_bytes().to_vec());
        let mut response = Response::new(body);
        *response.status_mut() = StatusCode::from_u16(status).expect("a status");
        refused("ws://hub.example/live", &response)
    }

    #[test]
    fn the_address_follows_from_that_of_the_hub() {
        let url = |base| HubAddress::of(&Client::new(base, None).expect(base)).url;
        assert_eq!(url("http://127.0.0.1:4870"), "ws://127.0.0.1:4870/live");
        assert_eq!(url("http://hub.example/http/"), "ws://hub.example/http/live");
        assert_eq!(url("https://hub.example"), "wss://hub.example/live");
    }

    #[test]
    fn the_connection_goes_to_the_host_and_port_of_the_hub() {
        let place = |base| {
            let address = HubAddress::of(&Client::new(base, None).expect(base));
            (address.host.clone(), address.port, address.tls.is_some())
        };
        assert_eq!(place("http://hub.example"), ("hub.example".to_owned(), 80, false));
        assert_eq!(place("http://[::1]:4870"), ("::1".to_owned(), 4870, false));
        assert_eq!(place("https://hub.example"), ("hub.example".to_owned(), 443, true));
    }

    #[test]
    fn a_hub_in_trouble_is_tried_again() {
        for status in [429, 500, 502, 503] {
            assert!(matches!(answer(status, "<html>"), Undone::Lost(Lost::Busy(_))), "{status}");
        }
    }

    #[test]
    fn a_no_stays_a_no() {
        let body = r#"{"code":"PARLOUR-A01","title":"Nobody is signed in","detail":"no such token","status":401}"#;
        assert_eq!(answer(401, body), Undone::Over(LiveError::SignedOut("no such token".into())));
        assert!(matches!(answer(401, ""), Undone::Over(LiveError::SignedOut(_))));
        let body = r#"{"code":"PARLOUR-A03","title":"t","detail":"not from there","status":403}"#;
        assert!(matches!(answer(403, body), Undone::Over(LiveError::Refused { .. })));
    }

    #[test]
    fn another_server_is_told_apart_from_a_hub() {
        for status in [200, 302, 404] {
            assert!(matches!(answer(status, "<html>"), Undone::Over(LiveError::NoLive { .. })), "{status}");
        }
    }

    #[test]
    fn a_token_is_not_shown_in_debug_output() {
        let client = Client::new("http://127.0.0.1:1", Some("secret-token")).expect("client");
        assert!(!format!("{:?}", HubAddress::of(&client)).contains("secret-token"));
    }

    #[test]
    fn a_frame_carries_its_reference_beside_its_fields() {
        let frame = ClientFrame::Subscribe { project_id: ProjectId::from_bits(1), after: None, events_only: false };
        let json: Value = serde_json::from_str(&write(&frame, "follow")).expect("JSON");
        assert_eq!(json, json!({"type": "subscribe", "project_id": ProjectId::from_bits(1), "ref": "follow"}));
    }

    #[test]
    fn a_frame_of_a_newer_hub_is_kept_and_anything_else_is_no_frame() {
        let newer = r#"{"type":"weather","sky":"blue"}"#;
        assert_eq!(read(newer), Ok(Read::Unknown(json!({"type": "weather", "sky": "blue"}))));
        for text in ["", "hello", "[]", "{}", r#"{"type":1}"#, "{\"type\":\"hello\""] {
            assert!(read(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_known_type_with_unknown_contents_is_kept_too() {
        let event = r#"{"type":"event","name":"weather.changed","position":"E-7","data":{}}"#;
        assert!(matches!(read(event), Ok(Read::Unknown(_))));
    }
}
