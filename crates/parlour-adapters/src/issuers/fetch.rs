//! Getting the keys of an issuer from where they are.

use std::{
    fs::{self, File},
    io::{self, Read as _},
    path::Path,
    time::{Duration, SystemTime},
};

use parlour_core::limits;
use reqwest::{Client, StatusCode, Url, redirect};
use serde::Deserialize;

use super::{
    jwk::{BadSet, JwkSet},
    source::{is_loopback, web_address},
};

/// Why keys could not be had.
#[derive(Debug, thiserror::Error)]
pub(super) enum NoKeys {
    #[error("read the file")]
    File(#[from] io::Error),
    #[error("ask its address")]
    Web(#[source] reqwest::Error),
    #[error("its address answers {0}")]
    Status(StatusCode),
    #[error("there are more than {} bytes", limits::ISSUER_BODY_BYTES_MAX)]
    Long,
    #[error("its keys")]
    Set(#[from] BadSet),
    #[error("its description is in no form that is known")]
    Description(#[source] serde_json::Error),
    #[error("its description is that of {0:?}")]
    OtherIssuer(String),
    #[error("its description names no safe address for its keys")]
    Address,
}

/// By what a change of a file is noticed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stamp {
    bytes: u64,
    changed_at: Option<SystemTime>,
}

impl Stamp {
    /// How the file is now; one that is not there has none.
    pub(super) fn of(path: &Path) -> Option<Self> {
        let about = fs::metadata(path).ok()?;
        Some(Self { bytes: about.len(), changed_at: about.modified().ok() })
    }
}

/// Reads a set from a file.
pub(super) fn read_file(path: &Path) -> Result<JwkSet, NoKeys> {
    let mut json = Vec::new();
    File::open(path)?.take(limits::ISSUER_BODY_BYTES_MAX as u64 + 1).read_to_end(&mut json)?;
    if json.len() > limits::ISSUER_BODY_BYTES_MAX {
        return Err(NoKeys::Long);
    }
    Ok(JwkSet::parse(&json)?)
}

/// A client that waits not for ever and goes nowhere but where it was sent.
pub(super) fn client(first: &Url) -> reqwest::Result<Client> {
    let seconds = Duration::from_secs(limits::ISSUER_FETCH_SECONDS_MAX as u64);
    let builder = Client::builder()
        .timeout(seconds)
        .redirect(redirect::Policy::none())
        .user_agent(concat!("parlour/", env!("CARGO_PKG_VERSION")));
    // The own machine is never behind a proxy.
    if is_loopback(first) { builder.no_proxy().build() } else { builder.build() }
}

/// Asks an address for a set.
pub(super) async fn ask_set(client: &Client, address: &Url) -> Result<JwkSet, NoKeys> {
    Ok(JwkSet::parse(&ask(client, address).await?)?)
}

/// Asks an issuer where its keys are, then for the keys.
pub(super) async fn ask_issuer(client: &Client, issuer: &str, description: &Url) -> Result<JwkSet, NoKeys> {
    let json = ask(client, description).await?;
    let found: Description = serde_json::from_slice(&json).map_err(NoKeys::Description)?;
    if found.issuer != issuer {
        return Err(NoKeys::OtherIssuer(found.issuer.chars().take(100).collect()));
    }
    let address = web_address(&found.jwks_uri).map_err(|_| NoKeys::Address)?;
    // A protected way must not end in an open one, where others could bring their own keys.
    if description.scheme() == "https" && address.scheme() != "https" {
        return Err(NoKeys::Address);
    }
    ask_set(client, &address).await
}

/// What an issuer says about itself; it says more.
#[derive(Deserialize)]
struct Description {
    issuer: String,
    jwks_uri: String,
}

async fn ask(client: &Client, address: &Url) -> Result<Vec<u8>, NoKeys> {
    // The address is the operator's own; still it stays out of errors, for it may hold a password.
    let web = |error: reqwest::Error| NoKeys::Web(error.without_url());
    let mut answer = client.get(address.clone()).send().await.map_err(web)?;
    if answer.status() != StatusCode::OK {
        return Err(NoKeys::Status(answer.status()));
    }
    let mut body = Vec::new();
    while let Some(piece) = answer.chunk().await.map_err(web)? {
        body.extend_from_slice(&piece);
        if body.len() > limits::ISSUER_BODY_BYTES_MAX {
            return Err(NoKeys::Long);
        }
    }
    Ok(body)
}
