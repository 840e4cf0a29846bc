//! A running hub that listens on a port.

use std::{io, net::SocketAddr, time::Duration};

use axum::http::Method;
use parlour_core::{limits, rate::Rates};
use serde_json::json;
use tokio::{
    net::{TcpListener, TcpStream},
    task::JoinHandle,
};
use tokio_util::sync::CancellationToken;

use crate::{
    clients::{Events, Socket},
    support::{Member, TestApp},
};

/// A test that waits longer has failed.
const PATIENCE: Duration = Duration::from_secs(60);

/// Awaits the future; fails instead of hanging.
#[track_caller]
pub(crate) fn soon<T>(future: impl Future<Output = T>) -> impl Future<Output = T> {
    let location = std::panic::Location::caller();
    async move {
        let in_time = tokio::time::timeout(PATIENCE, future).await;
        in_time.unwrap_or_else(|_| unreachable!("timed out at {location}"))
    }
}

/// A running hub with a project, a channel and two people, which listens on a port.
pub(crate) struct LiveHub {
    pub(crate) app: TestApp,
    pub(crate) project: String,
    pub(crate) channel: String,
    pub(crate) mara: Member,
    pub(crate) ben: Member,
    pub(crate) address: SocketAddr,
    surface: (CancellationToken, JoinHandle<io::Result<()>>),
    running: (CancellationToken, JoinHandle<()>),
}

impl LiveHub {
    pub(crate) async fn new() -> Self {
        Self::with_rates(Rates::off()).await
    }

    pub(crate) async fn with_rates(rates: Rates) -> Self {
        let app = TestApp::with_rates(rates).await;
        let stop = CancellationToken::new();
        let running = (stop.clone(), tokio::spawn(app.hub.clone().drive(stop)));
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("address");
        let stop = CancellationToken::new();
        let serving = tokio::spawn(parlour_server::serve(listener, app.router.clone(), stop.clone()));
        let project = app.project("Apollo").await;
        let channel = app.channel(&project, "launch").await;
        let mara = app.person_in(&project, "Mara").await;
        let ben = app.person_in(&project, "Ben").await;
        Self { app, project, channel, mara, ben, address, surface: (stop, serving), running }
    }

    pub(crate) async fn connect(&self) -> TcpStream {
        TcpStream::connect(self.address).await.expect("connected")
    }

    /// A socket of Ben that is subscribed to the project and live.
    pub(crate) async fn socket(&self) -> Socket {
        let mut socket = Socket::open(self, &self.ben, &format!("?project_id={}", self.project)).await;
        socket.until("hello").await;
        socket.until("live").await;
        socket
    }

    /// An event stream of Ben that is live.
    pub(crate) async fn events(&self) -> Events {
        let mut events = Events::open(self, &self.ben, &self.query("")).await;
        events.until("live").await;
        events
    }

    /// The query that selects the project, with further parameters.
    pub(crate) fn query(&self, more: &str) -> String {
        format!("?project_id={}{more}", self.project)
    }

    /// Posts a message of Mara in the channel and returns its position.
    pub(crate) async fn say(&self, text: &str) -> String {
        let body = json!({"channel_id": self.channel, "body": text});
        let posted = self.app.post("/messages", body).by(&self.mara.token).await.expect(201);
        posted["position"].as_str().expect("a position").to_owned()
    }

    /// Removes Ben from the project.
    pub(crate) async fn remove_ben(&self) {
        let path = format!("/projects/{}/people/{}", self.project, self.ben.id);
        assert!(self.app.call(Method::DELETE, &path).await.status.is_success());
    }

    /// Advances the clock by one heartbeat.
    pub(crate) fn beat(&self) {
        self.app.clock.advance(limits::LIVE_HEARTBEAT_SECONDS as u32 * 1_000);
    }

    /// Stops the server as a signal does.
    pub(crate) fn stop(&self) {
        self.surface.0.cancel();
    }

    /// Stops the hub and waits for all of its tasks.
    pub(crate) async fn end(self) {
        self.surface.0.cancel();
        // Sockets that the test no longer reads get time to answer the close frame; advance the clock past it.
        while !self.surface.1.is_finished() {
            self.app.clock.advance(1_000);
            tokio::task::yield_now().await;
        }
        soon(self.surface.1).await.expect("no panic").expect("served");
        self.running.0.cancel();
        soon(self.running.1).await.expect("no panic");
    }
}
