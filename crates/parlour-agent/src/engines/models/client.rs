//! The connections to providers, shared by all engines that are given the same client.

use std::time::Duration;

use reqwest::redirect;
use rustls::ClientConfig;

use crate::tls::{self, BadTls, TlsOptions};

/// How long it may take until somebody takes the call.
const CONNECT_TIME_MAX: Duration = Duration::from_secs(10);

/// Connections to providers. Cheap to clone; all clones share them.
#[derive(Clone, Debug)]
pub struct ModelClient {
    /// To the own machine, which is never behind a proxy.
    direct: reqwest::Client,
    /// To others, through the proxy of the environment if there is one.
    usual: reqwest::Client,
}

impl ModelClient {
    /// Connections that trust the authorities of this machine and the given ones.
    pub fn new(options: &TlsOptions) -> Result<Self, BadTls> {
        let tls = tls::configure(options)?;
        let build = |builder: reqwest::ClientBuilder| {
            let builder = builder
                .connect_timeout(CONNECT_TIME_MAX)
                .user_agent(concat!("parlour/", env!("CARGO_PKG_VERSION")))
                // A redirect would carry the key to an address that nobody has chosen.
                .redirect(redirect::Policy::none())
                .tls_backend_preconfigured(ClientConfig::clone(&tls));
            builder.build().map_err(|error| BadTls::NoAuthorities(rustls::Error::General(error.to_string())))
        };
        Ok(Self { direct: build(reqwest::Client::builder().no_proxy())?, usual: build(reqwest::Client::builder())? })
    }

    /// The connections that lead there.
    pub(super) fn http(&self, is_own_machine: bool) -> &reqwest::Client {
        if is_own_machine { &self.direct } else { &self.usual }
    }
}
