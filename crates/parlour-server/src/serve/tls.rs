//! TLS configuration from PEM files, reloaded when the files change.

use std::{
    fmt::Display,
    fs::{self, File},
    io::{self, Read as _},
    os::unix::fs::MetadataExt as _,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use arc_swap::ArcSwap;
use rustls::{
    Error as RustlsError, RootCertStore, ServerConfig,
    crypto::{CryptoProvider, aws_lc_rs},
    server::{VerifierBuilderError, WebPkiClientVerifier, danger::ClientCertVerifier},
};
use rustls_pki_types::{
    CertificateDer, PrivateKeyDer,
    pem::{Error as PemError, PemObject as _},
};
use tokio::{sync::Notify, time::sleep};

/// ALPN protocols, preferred first.
const PROTOCOLS: [&[u8]; 2] = [b"h2", b"http/1.1"];

/// The hub's certificate, and the authorities of client certificates. New connections use the current configuration; open
/// ones keep theirs.
#[derive(Debug)]
pub struct Tls {
    files: TlsFiles,
    current: ArcSwap<ServerConfig>,
    /// The file metadata at the last read, successful or not.
    seen: Mutex<FileVersions>,
}

/// Why a TLS configuration is invalid.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    /// A file is unreadable or malformed.
    #[error(transparent)]
    File(#[from] TlsFileError),
    /// Key and certificate do not match.
    #[error("the key in {key} does not match the certificate in {certificate}")]
    Mismatch {
        /// The file with the key.
        key: String,
        /// The file with the certificate.
        certificate: String,
    },
    /// The certificate or key is not supported.
    #[error("the certificate in {certificate} or its key cannot be used: {source}")]
    Unusable {
        /// The file with the certificate.
        certificate: String,
        /// What is wrong.
        source: RustlsError,
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
    /// Loads the files.
    pub fn load(files: TlsFiles) -> Result<Self, TlsError> {
        let seen = files.versions();
        let current = ArcSwap::from_pointee(configure(&files)?);
        Ok(Self { files, current, seen: Mutex::new(seen) })
    }

    /// Reloads the files; on an error the current configuration stays.
    pub fn reload(&self) -> Result<(), TlsError> {
        *self.seen.lock().unwrap_or_else(PoisonError::into_inner) = self.files.versions();
        self.current.store(Arc::new(configure(&self.files)?));
        Ok(())
    }

    /// Reloads the files when they change (checked at `interval`) or when notified. Never returns.
    pub async fn keep_fresh(self: Arc<Self>, interval: Duration, requested: &Notify) {
        loop {
            let is_requested = tokio::select! {
                () = requested.notified() => true,
                () = sleep(interval) => false,
            };
            let tls = Arc::clone(&self);
            // File access may block.
            let reloading = tokio::task::spawn_blocking(move || tls.reload_if_changed(is_requested));
            if let Err(error) = reloading.await {
                tracing::error!(%error, "checking for a new certificate failed");
            }
        }
    }

    /// Reloads changed files and logs the result.
    fn reload_if_changed(&self, is_requested: bool) {
        let has_changed = *self.seen.lock().unwrap_or_else(PoisonError::into_inner) != self.files.versions();
        if !is_requested && !has_changed {
            return;
        }
        match self.reload() {
            Ok(()) => tracing::info!(certificate = %self.files.certificate.display(), "the certificate was reloaded"),
            Err(error) => tracing::warn!(%error, "the new certificate is not used; the old one stays"),
        }
    }

    /// The configuration of the next connection.
    pub(super) fn current(&self) -> Arc<ServerConfig> {
        self.current.load_full()
    }
}

/// TLS 1.2 and 1.3. Client certificates are optional: other credentials are accepted too.
fn configure(files: &TlsFiles) -> Result<ServerConfig, TlsError> {
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

fn authorities(files: &TlsFiles, provider: &Arc<CryptoProvider>) -> Result<Arc<dyn ClientCertVerifier>, TlsError> {
    let path = files.client_authorities.as_deref().expect("called only with authorities");
    let mut roots = RootCertStore::empty();
    for certificate in read_certificates(path)? {
        roots.add(certificate).map_err(|error| TlsFileError::broken(path, &error))?;
    }
    WebPkiClientVerifier::builder_with_provider(Arc::new(roots), Arc::clone(provider))
        .allow_unauthenticated()
        .build()
        .map_err(|source| TlsError::Authorities { file: path.display().to_string(), source })
}

impl TlsFiles {
    fn unusable(&self, source: RustlsError) -> TlsError {
        let certificate = self.certificate.display().to_string();
        match source {
            RustlsError::InconsistentKeys(_) => TlsError::Mismatch { key: self.key.display().to_string(), certificate },
            source => TlsError::Unusable { certificate, source },
        }
    }
}

#[cfg(test)]
mod tests;

const FILE_BYTES_MAX: u64 = 4 * 1024 * 1024;

/// Paths of the PEM files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TlsFiles {
    /// The hub's certificate, followed by its intermediate certificates.
    pub certificate: PathBuf,
    /// The private key of the certificate.
    pub key: PathBuf,
    /// Authorities of client certificates.
    pub client_authorities: Option<PathBuf>,
}

/// A PEM file that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum TlsFileError {
    /// It cannot be read.
    #[error("{file} cannot be read: {source}")]
    Unreadable {
        /// The file.
        file: String,
        /// Why.
        source: io::Error,
    },
    /// What was looked for is not in it.
    #[error("{file} contains no {what}; it needs a line -----BEGIN {mark}-----")]
    Lacks {
        /// The file.
        file: String,
        /// What was looked for.
        what: &'static str,
        /// The line that it begins with.
        mark: &'static str,
    },
    /// The content is invalid.
    #[error("{file} is damaged: {reason}")]
    Broken {
        /// The file.
        file: String,
        /// What is wrong.
        reason: String,
    },
}

/// File metadata that changes whenever a file is written or replaced.
#[derive(Clone, Debug, PartialEq, Eq)]
struct FileVersions(Vec<Option<[i128; 5]>>);

impl TlsFiles {
    fn versions(&self) -> FileVersions {
        let files = [Some(&self.certificate), Some(&self.key), self.client_authorities.as_ref()];
        let look = |path: &PathBuf| {
            let about = fs::metadata(path).ok()?;
            let (changed, part) = (about.ctime().into(), about.ctime_nsec().into());
            Some([about.dev().into(), about.ino().into(), about.size().into(), changed, part])
        };
        FileVersions(files.into_iter().flatten().map(look).collect())
    }
}

impl TlsFileError {
    fn broken(path: &Path, reason: &dyn Display) -> Self {
        Self::Broken { file: path.display().to_string(), reason: reason.to_string() }
    }
}

/// All certificates of a file; at least one is required.
fn read_certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>, TlsFileError> {
    let text = read(path)?;
    let found: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&text).collect();
    let found = found.map_err(|error| broken(path, &error))?;
    if found.is_empty() { Err(lacks(path, "certificate", "CERTIFICATE")) } else { Ok(found) }
}

/// The first private key of a file.
fn read_key(path: &Path) -> Result<PrivateKeyDer<'static>, TlsFileError> {
    PrivateKeyDer::from_pem_slice(&read(path)?).map_err(|error| match error {
        PemError::NoItemsFound => lacks(path, "private key", "PRIVATE KEY"),
        error => broken(path, &error),
    })
}

fn read(path: &Path) -> Result<Vec<u8>, TlsFileError> {
    let mut text = Vec::new();
    let reading = File::open(path).and_then(|file| file.take(FILE_BYTES_MAX + 1).read_to_end(&mut text));
    reading.map_err(|source| TlsFileError::Unreadable { file: path.display().to_string(), source })?;
    if text.len() as u64 > FILE_BYTES_MAX {
        return Err(TlsFileError::broken(path, &format!("it has more than {FILE_BYTES_MAX} bytes")));
    }
    Ok(text)
}

fn lacks(path: &Path, what: &'static str, mark: &'static str) -> TlsFileError {
    TlsFileError::Lacks { file: path.display().to_string(), what, mark }
}

fn broken(path: &Path, error: &PemError) -> TlsFileError {
    // The library's message would contain bytes of the file, which may belong to a key.
    let reason = match error {
        PemError::MissingSectionEnd { .. } => "a block has no end",
        PemError::Base64Decode(_) => "a block is not Base64",
        _ => "it is not PEM",
    };
    TlsFileError::broken(path, &reason)
}
