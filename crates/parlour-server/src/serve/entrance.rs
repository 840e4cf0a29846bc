//! The way from a connection into the router: each request learns by which way it came.

use std::{convert::Infallible, net::IpAddr, pin::Pin, sync::Arc, time::Duration};

use axum::{
    Router,
    http::{Request, Response},
};
use hyper::{body::Incoming, service::Service};
use tower::Service as _;

use super::{
    bodies::{TimelyBody, TrackedBody},
    connection::Connection,
    forwarded::client_address,
    pulse::Pulse,
};
use crate::{
    borders::Proxies,
    peer::{PeerAddress, PeerCertificate},
};

/// The router, as the requests of one connection reach it.
pub(super) struct Entrance {
    pub(super) app: Router,
    pub(super) connection: Connection,
    pub(super) peer: IpAddr,
    pub(super) certificate: Option<PeerCertificate>,
    pub(super) proxies: Arc<Proxies>,
    pub(super) pulse: Arc<Pulse>,
    pub(super) body_time_max: Duration,
}

type Answering = Pin<Box<dyn Future<Output = Result<Response<TrackedBody>, Infallible>> + Send>>;

impl Service<Request<Incoming>> for Entrance {
    type Response = Response<TrackedBody>;
    type Error = Infallible;
    type Future = Answering;

    fn call(&self, mut request: Request<Incoming>) -> Answering {
        let under_way = self.pulse.begin(request.version());
        let client = client_address(&self.proxies, self.peer, request.headers());
        let extensions = request.extensions_mut();
        extensions.insert(self.connection.clone());
        extensions.insert(PeerAddress(self.peer));
        extensions.insert(client);
        if let Some(certificate) = self.certificate {
            extensions.insert(certificate);
        }
        let time_max = self.body_time_max;
        // A router is always ready, and a copy of it is one count: the routes are shared.
        let answering = self.app.clone().call(request.map(|body| TimelyBody::new(body, time_max)));
        Box::pin(async move { Ok(answering.await?.map(|body| TrackedBody::new(body, under_way))) })
    }
}
