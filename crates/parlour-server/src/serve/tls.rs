//! TLS: the hub's certificate and the authorities of its clients, loaded anew when their files change.

mod files;

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use arc_swap::ArcSwap;
use rustls::{
    Error as TlsError, RootCertStore, ServerConfig,
    crypto::{CryptoProvider, aws_lc_rs},
    server::{VerifierBuilderError, WebPkiClientVerifier, danger::ClientCertVerifier},
};
use tokio::{sync::Notify, time::sleep};

pub use self::files::{BadFile, TlsFiles};
use self::files::{Stamp, read_certificates, read_key};

/// What is spoken over TLS, the best first.
const PROTOCOLS: [&[u8]; 2] = [b"h2", b"http/1.1"];

/// How the hub shows who it is, and whose certificates it takes from clients.
///
/// Each new connection takes what is current; those that are open go on with what they began with.
#[derive(Debug)]
pub struct Tls {
    files: TlsFiles,
    current: ArcSwap<ServerConfig>,
    /// How the files looked when they were last read, whatever came of it.
    seen: Mutex<Stamp>,
}

/// Why files cannot be used for TLS.
#[derive(Debug, thiserror::Error)]
pub enum BadTls {
    /// A file does not hold what it should.
    #[error(transparent)]
    File(#[from] BadFile),
    /// The two files belong to different pairs.
    #[error("the key in {key} does not fit the certificate in {certificate}")]
    Mismatch {
        /// The file with the key.
        key: String,
        /// The file with the certificate.
        certificate: String,
    },
    /// The certificate or the key is of a sort that is not understood.
    #[error("the certificate in {certificate} or its key cannot be used: {source}")]
    Unusable {
        /// The file with the certificate.
        certificate: String,
        /// What is wrong.
        source: TlsError,
    },
    /// The authorities of clients cannot be used.
    #[error("the authorities in {file} cannot be used: {source}")]
    Authorities {
        /// Their file.
        file: String,
        /// What is wrong.
        source: VerifierBuilderError,
    },
}

impl Tls {
    /// Reads the files.
    pub fn load(files: TlsFiles) -> Result<Self, BadTls> {
        let seen = files.stamp();
        let current = ArcSwap::from_pointee(configure(&files)?);
        Ok(Self { files, current, seen: Mutex::new(seen) })
    }

    /// Reads the files again. When they cannot be used, what was there before stays.
    pub fn reload(&self) -> Result<(), BadTls> {
        *self.seen.lock().unwrap_or_else(PoisonError::into_inner) = self.files.stamp();
        self.current.store(Arc::new(configure(&self.files)?));
        Ok(())
    }

    /// Reads the files again whenever they change, looking every so often, and whenever it is asked to. Never ends.
    pub async fn keep_fresh(self: Arc<Self>, interval: Duration, asked: &Notify) {
        loop {
            let is_asked = tokio::select! {
                () = asked.notified() => true,
                () = sleep(interval) => false,
            };
            let tls = Arc::clone(&self);
            // Files may be slow, and no other task should wait for them.
            let looking = tokio::task::spawn_blocking(move || tls.look(is_asked));
            if let Err(error) = looking.await {
                tracing::error!(%error, "looking for a new certificate broke down");
            }
        }
    }

    /// Reads the files when they have changed or it is asked, and tells the log what came of it.
    fn look(&self, is_asked: bool) {
        let has_changed = *self.seen.lock().unwrap_or_else(PoisonError::into_inner) != self.files.stamp();
        if !is_asked && !has_changed {
            return;
        }
        match self.reload() {
            Ok(()) => tracing::info!(certificate = %self.files.certificate.display(), "the certificate was read again"),
            Err(error) => tracing::warn!(%error, "the new certificate is not used; the old one stays"),
        }
    }

    /// What the next connection begins with.
    pub(super) fn current(&self) -> Arc<ServerConfig> {
        self.current.load_full()
    }
}

/// TLS 1.2 and 1.3. A client that shows no certificate is let in, to sign in by other means.
fn configure(files: &TlsFiles) -> Result<ServerConfig, BadTls> {
    let provider = Arc::new(aws_lc_rs::default_provider());
    let (chain, key) = (read_certificates(&files.certificate)?, read_key(&files.key)?);
    let verifier = files.client_authorities.is_some().then(|| authorities(files, &provider)).transpose()?;
    let builder = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| files.unusable(error))?;
    let builder = match verifier {
        Some(verifier) => builder.with_client_cert_verifier(verifier),
        None => builder.with_no_client_auth(),
    };
    let mut config = builder.with_single_cert(chain, key).map_err(|error| files.unusable(error))?;
    config.alpn_protocols = PROTOCOLS.map(<[u8]>::to_vec).to_vec();
    Ok(config)
}

fn authorities(files: &TlsFiles, provider: &Arc<CryptoProvider>) -> Result<Arc<dyn ClientCertVerifier>, BadTls> {
    let path = files.client_authorities.as_deref().expect("asked only when there are some");
    let mut roots = RootCertStore::empty();
    for certificate in read_certificates(path)? {
        roots.add(certificate).map_err(|error| BadFile::broken(path, &error))?;
    }
    WebPkiClientVerifier::builder_with_provider(Arc::new(roots), Arc::clone(provider))
        .allow_unauthenticated()
        .build()
        .map_err(|source| BadTls::Authorities { file: path.display().to_string(), source })
}

impl TlsFiles {
    fn unusable(&self, source: TlsError) -> BadTls {
        let certificate = self.certificate.display().to_string();
        match source {
            TlsError::InconsistentKeys(_) => BadTls::Mismatch { key: self.key.display().to_string(), certificate },
            source => BadTls::Unusable { certificate, source },
        }
    }
}

#[cfg(test)]
mod tests;
