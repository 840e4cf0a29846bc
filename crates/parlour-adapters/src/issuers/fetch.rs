//! Fetches the keys of an issuer from a file or an address.

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

/// Why keys could not be fetched.
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

/// Size and modification time of a file, to detect changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FileStamp {
    bytes: u64,
    changed_at: Option<SystemTime>,
}

impl FileStamp {
    /// The current stamp; `None` if the file does not exist.
    pub(super) fn of(path: &Path) -> Option<Self> {
        let metadata = fs::metadata(path).ok()?;
        Some(Self { bytes: metadata.len(), changed_at: metadata.modified().ok() })
    }
}

/// Reads a key set from a file.
pub(super) fn read_file(path: &Path) -> Result<JwkSet, NoKeys> {
    let mut json = Vec::new();
    File::open(path)?.take(limits::ISSUER_BODY_BYTES_MAX as u64 + 1).read_to_end(&mut json)?;
    if json.len() > limits::ISSUER_BODY_BYTES_MAX {
        return Err(NoKeys::Long);
    }
    Ok(JwkSet::parse(&json)?)
}

/// An HTTP client with a timeout that follows no redirects.
pub(super) fn client(first: &Url) -> reqwest::Result<Client> {
    let seconds = Duration::from_secs(limits::ISSUER_FETCH_SECONDS_MAX as u64);
    let builder = Client::builder()
        .timeout(seconds)
        .redirect(redirect::Policy::none())
        .user_agent(concat!("parlour/", env!("CARGO_PKG_VERSION")));
    // A loopback address is never behind a proxy.
    if is_loopback(first) { builder.no_proxy().build() } else { builder.build() }
}

/// Fetches a key set from an address.
pub(super) async fn fetch_set(client: &Client, address: &Url) -> Result<JwkSet, NoKeys> {
    Ok(JwkSet::parse(&get(client, address).await?)?)
}

/// Fetches the discovery document of an issuer, then the key set that it names.
pub(super) async fn discover_set(client: &Client, issuer: &str, description: &Url) -> Result<JwkSet, NoKeys> {
    let json = get(client, description).await?;
    let found: Description = serde_json::from_slice(&json).map_err(NoKeys::Description)?;
    if found.issuer != issuer {
        return Err(NoKeys::OtherIssuer(found.issuer.chars().take(100).collect()));
    }
    let address = web_address(&found.jwks_uri).map_err(|_| NoKeys::Address)?;
    // From HTTPS it must not lead to plain HTTP, where an attacker could replace the keys.
    if description.scheme() == "https" && address.scheme() != "https" {
        return Err(NoKeys::Address);
    }
    fetch_set(client, &address).await
}

/// The used fields of a discovery document.
#[derive(Deserialize)]
struct Description {
    issuer: String,
    jwks_uri: String,
}

async fn get(client: &Client, address: &Url) -> Result<Vec<u8>, NoKeys> {
    // Errors do not contain the address, because it may contain a password.
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
