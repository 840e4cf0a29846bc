//! Opens WebSocket connections to a hub, and encodes and decodes frames.

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
use crate::{Client, Problem, TlsFailure};

const CONNECT_TIME_MAX: Duration = Duration::from_secs(10);
/// The largest frame: the longest message with all its steps fits several times.
const FRAME_BYTES_MAX: usize = 4 * 1024 * 1024;
/// Small, because frames are small and a program may have many connections.
const READ_BUFFER_BYTES: usize = 8 * 1024;

/// Opens connections to one hub.
pub(super) trait Dial: Send + Sync + 'static {
    type Io: AsyncRead + AsyncWrite + Unpin + Send;

    fn dial(&self) -> impl Future<Output = Result<WebSocketStream<Self::Io>, ConnectFailure>> + Send;
}

/// Why a connection cannot be opened or was lost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ConnectFailure {
    /// A retry may succeed.
    Lost(Lost),
    /// A retry would fail as well.
    Over(LiveError),
}

/// A plain or an encrypted connection.
pub(super) trait Io: AsyncRead + AsyncWrite + Send + Unpin {}

impl<S: AsyncRead + AsyncWrite + Send + Unpin> Io for S {}

/// The WebSocket endpoint of a hub with the credentials of a client.
#[derive(Clone, Debug)]
pub(super) struct HubAddress {
    url: String,
    host: String,
    port: u16,
    authorization: Option<HeaderValue>,
    tls: Option<Arc<ClientConfig>>,
}

impl HubAddress {
    /// The endpoint of this client's hub; the client accepts `http` and `https` URLs only.
    pub(super) fn of(client: &Client) -> Self {
        let url = format!("{}/live", client.url().replacen("http", "ws", 1));
        let host = client.base().host_str().unwrap_or_default();
        Self {
            url,
            // The brackets around an IPv6 address belong to the URL.
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

    async fn open(&self) -> io::Result<Box<dyn Io>> {
        let stream = TcpStream::connect((self.host.as_str(), self.port)).await?;
        // Small frames must be sent at once.
        stream.set_nodelay(true)?;
        let Some(tls) = &self.tls else { return Ok(Box::new(stream)) };
        let name = ServerName::try_from(self.host.clone()).map_err(io::Error::other)?;
        Ok(Box::new(TlsConnector::from(Arc::clone(tls)).connect(name, stream).await?))
    }
}

impl Dial for HubAddress {
    type Io = Box<dyn Io>;

    async fn dial(&self) -> Result<WebSocketStream<Self::Io>, ConnectFailure> {
        match timeout(CONNECT_TIME_MAX, self.connect()).await {
            Ok(Ok(socket)) => Ok(socket),
            Ok(Err(Error::Http(response))) => Err(refused(&self.url, &response)),
            // Not permanent: an expired certificate may be replaced at any time.
            Ok(Err(error)) => Err(ConnectFailure::Lost(Lost::Unreachable(
                TlsFailure::in_chain(&error).map_or_else(|| error.to_string(), |trouble| trouble.to_string()),
            ))),
            Err(_) => Err(ConnectFailure::Lost(Lost::Unreachable(format!(
                "not within {} seconds",
                CONNECT_TIME_MAX.as_secs()
            )))),
        }
    }
}

/// Classifies a response that opens no connection: server errors are retried, refusals are permanent.
fn refused(url: &str, response: &Response<Option<Vec<u8>>>) -> ConnectFailure {
    let status = response.status();
    let problem: Option<Problem> = response.body().as_deref().and_then(|body| serde_json::from_slice(body).ok());
    match problem {
        _ if status.is_server_error() || status == StatusCode::TOO_MANY_REQUESTS => {
            ConnectFailure::Lost(Lost::Busy(problem.map_or_else(|| status.to_string(), |problem| problem.to_string())))
        }
        Some(problem) if problem.retryable => ConnectFailure::Lost(Lost::Busy(problem.to_string())),
        Some(problem) => ConnectFailure::Over(problem.into()),
        None if status == StatusCode::UNAUTHORIZED => {
            ConnectFailure::Over(LiveError::SignedOut("the token is missing or invalid".into()))
        }
        None => ConnectFailure::Over(LiveError::NoLive { url: url.to_owned(), status: status.as_u16() }),
    }
}

/// Sends a text frame.
pub(super) async fn send<S>(socket: &mut WebSocketStream<S>, text: String) -> Result<(), ConnectFailure>
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    let sent = timeout(CONNECT_TIME_MAX, socket.send(Message::text(text))).await;
    sent.map_err(|_| broken(&"a frame was not taken in time"))?.map_err(|error| broken(&error))
}

/// The next message; cancel-safe.
pub(super) async fn receive<S>(socket: &mut WebSocketStream<S>) -> Result<Message, ConnectFailure>
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    match socket.next().await {
        Some(Ok(message)) => Ok(message),
        // The usual end of a killed hub; the library's message is long.
        None | Some(Err(Error::Protocol(ProtocolError::ResetWithoutClosingHandshake) | Error::ConnectionClosed)) => {
            Err(broken(&"the hub closed the connection"))
        }
        Some(Err(Error::Capacity(error))) => Err(ConnectFailure::Lost(Lost::Unreadable(error.to_string()))),
        Some(Err(error)) => Err(broken(&error)),
    }
}

fn broken(why: &impl ToString) -> ConnectFailure {
    ConnectFailure::Lost(Lost::Broken(why.to_string()))
}

/// A decoded frame.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum HubFrame {
    Known(Box<ServerFrame>),
    /// A frame of a newer hub.
    Unknown(Value),
}

/// Decodes a frame. An object with an unknown type is a frame of a newer hub.
pub(super) fn read(text: &str) -> Result<HubFrame, String> {
    let error = match serde_json::from_str(text) {
        Ok(frame) => return Ok(HubFrame::Known(Box::new(frame))),
        Err(error) => error,
    };
    match serde_json::from_str::<Value>(text) {
        Ok(json) if json.get("type").is_some_and(Value::is_string) => Ok(HubFrame::Unknown(json)),
        _ => Err(error.to_string()),
    }
}

/// Encodes a frame; the hub repeats `reference` in its response.
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

    fn answer(status: u16, body: &str) -> ConnectFailure {
        let body = Some(body.as_bytes().to_vec());
        let mut response = Response::new(body);
        *response.status_mut() = StatusCode::from_u16(status).expect("a status");
        refused("ws://hub.example/live", &response)
    }

    #[test]
    fn the_websocket_url_is_derived_from_the_hub_url() {
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
    fn server_errors_are_retried() {
        for status in [429, 500, 502, 503] {
            assert!(matches!(answer(status, "<html>"), ConnectFailure::Lost(Lost::Busy(_))), "{status}");
        }
    }

    #[test]
    fn refusals_are_permanent() {
        let body = r#"{"code":"PARLOUR-A01","title":"The request is not authenticated","detail":"no such token","status":401}"#;
        assert_eq!(answer(401, body), ConnectFailure::Over(LiveError::SignedOut("no such token".into())));
        assert!(matches!(answer(401, ""), ConnectFailure::Over(LiveError::SignedOut(_))));
        let body = r#"{"code":"PARLOUR-A03","title":"t","detail":"not from there","status":403}"#;
        assert!(matches!(answer(403, body), ConnectFailure::Over(LiveError::Refused { .. })));
    }

    #[test]
    fn responses_of_other_servers_are_permanent_failures() {
        for status in [200, 302, 404] {
            assert!(matches!(answer(status, "<html>"), ConnectFailure::Over(LiveError::NoLive { .. })), "{status}");
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
    fn a_frame_of_a_newer_hub_is_kept_and_other_texts_are_errors() {
        let newer = r#"{"type":"weather","sky":"blue"}"#;
        assert_eq!(read(newer), Ok(HubFrame::Unknown(json!({"type": "weather", "sky": "blue"}))));
        for text in ["", "hello", "[]", "{}", r#"{"type":1}"#, "{\"type\":\"hello\""] {
            assert!(read(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_known_type_with_unknown_contents_is_kept_too() {
        let event = r#"{"type":"event","name":"weather.changed","position":"E-7","data":{}}"#;
        assert!(matches!(read(event), Ok(HubFrame::Unknown(_))));
    }
}
