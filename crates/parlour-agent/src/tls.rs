//! TLS of the client: trusted authorities, the client certificate, and the reasons of failed connections.

use std::{
    error::Error,
    io,
    path::{Path, PathBuf},
    sync::Arc,
};

use rustls::{AlertDescription, CertificateError, ClientConfig, Error as TlsError, crypto::aws_lc_rs};
use rustls_pki_types::{
    CertificateDer, PrivateKeyDer,
    pem::{Error as PemError, PemObject as _},
};
use rustls_platform_verifier::Verifier;

/// The ALPN protocol. A WebSocket begins in HTTP/1.1, so no other protocol is offered.
const PROTOCOL: &[u8] = b"http/1.1";

/// PEM files of a client; the authorities of the machine are trusted as well.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TlsOptions {
    /// Further authorities to trust.
    pub ca: Option<PathBuf>,
    pub identity: Option<IdentityFiles>,
}

/// The certificate that the client presents to the hub.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IdentityFiles {
    /// The certificate, followed by its intermediate certificates.
    pub certificate: PathBuf,
    /// The private key; it may be in the same file.
    pub key: PathBuf,
}

/// Why the TLS options of a client cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum TlsConfigError {
    #[error(transparent)]
    File(#[from] PemFileError),
    #[error("this machine has no trusted certificate authorities: {0}")]
    NoAuthorities(TlsError),
    #[error("the client certificate cannot be used: {}", identity_error(.0))]
    Identity(TlsError),
}

/// A PEM file that cannot be used.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("{file} {reason}")]
pub struct PemFileError {
    file: String,
    reason: String,
}

/// The TLS configuration of HTTP requests and WebSockets.
pub(crate) fn configure(options: &TlsOptions) -> Result<Arc<ClientConfig>, TlsConfigError> {
    let provider = Arc::new(aws_lc_rs::default_provider());
    let extra = options.ca.as_deref().map(read_certificates).transpose()?.unwrap_or_default();
    let verifier = Verifier::new_with_extra_roots(extra, Arc::clone(&provider)).map_err(|error| match &options.ca {
        Some(path) => PemFileError::new(path, format!("is damaged: {error}")).into(),
        None => TlsConfigError::NoAuthorities(error),
    })?;
    let builder = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(TlsConfigError::NoAuthorities)?
        .dangerous()
        // Not dangerous: this verifier checks as strictly as the default one.
        .with_custom_certificate_verifier(Arc::new(verifier));
    let mut config = match &options.identity {
        None => builder.with_no_client_auth(),
        Some(own) => builder
            .with_client_auth_cert(read_certificates(&own.certificate)?, read_key(&own.key)?)
            .map_err(TlsConfigError::Identity)?,
    };
    config.alpn_protocols = vec![PROTOCOL.to_vec()];
    Ok(Arc::new(config))
}

/// All certificates of a file; at least one is required.
fn read_certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>, PemFileError> {
    let found = CertificateDer::pem_file_iter(path).and_then(|found| found.collect::<Result<Vec<_>, _>>());
    let found = if found.as_ref().is_ok_and(Vec::is_empty) { Err(PemError::NoItemsFound) } else { found };
    found.map_err(|error| PemFileError::of(path, "certificate", &error))
}

/// The first private key of a file.
fn read_key(path: &Path) -> Result<PrivateKeyDer<'static>, PemFileError> {
    PrivateKeyDer::from_pem_file(path).map_err(|error| PemFileError::of(path, "private key", &error))
}

impl PemFileError {
    fn new(path: &Path, reason: String) -> Self {
        Self { file: path.display().to_string(), reason }
    }

    fn of(path: &Path, item: &str, error: &PemError) -> Self {
        let reason = match error {
            PemError::Io(error) => format!("cannot be read: {error}"),
            PemError::NoItemsFound => format!("contains no {item}"),
            // The library's message would contain bytes of the file, which may belong to a key.
            PemError::MissingSectionEnd { .. } => "is damaged: a block has no end".to_owned(),
            PemError::Base64Decode(_) => "is damaged: a block is not Base64".to_owned(),
            _ => "is damaged: it is not PEM".to_owned(),
        };
        Self::new(path, reason)
    }
}

/// Why a TLS connection failed. A retry would fail the same way.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TlsFailure {
    /// Includes self-signed certificates.
    #[error("its certificate was signed by an authority that this machine does not trust")]
    UnknownAuthority,
    #[error("its certificate is a CA certificate, which a server must not present as its own")]
    AuthorityItself,
    #[error("its certificate is for another host name than the one in the URL")]
    OtherName,
    #[error("its certificate has expired or is not valid yet")]
    OutOfTime,
    #[error("it refused the client certificate")]
    RefusedIdentity,
    #[error("the server does not use TLS")]
    NoTls,
    /// The URL begins with `http://`.
    #[error("it accepts TLS connections only")]
    OnlyTls,
    #[error("TLS failed: {0}")]
    Other(String),
}

impl TlsFailure {
    /// The TLS failure in this error or in one of its causes.
    pub(crate) fn in_chain(error: &(dyn Error + 'static)) -> Option<Self> {
        let mut next = Some(error);
        while let Some(error) = next {
            if let Some(found) = error.downcast_ref::<TlsError>() {
                return Some(found.into());
            }
            // The source of an I/O error is the source of the error that it wraps.
            next = match error.downcast_ref::<io::Error>().and_then(io::Error::get_ref) {
                Some(inner) => Some(inner),
                None => error.source(),
            };
        }
        None
    }

    /// What the user can do about it.
    pub fn remedy(&self) -> Option<&'static str> {
        match self {
            Self::UnknownAuthority => {
                Some("if you trust the hub, pass the certificate of its authority with --ca or PARLOUR_CA")
            }
            Self::AuthorityItself => Some(
                "make the hub's certificate with `-addext basicConstraints=critical,CA:FALSE`; docs/tls.md shows how",
            ),
            Self::OtherName => Some("use the host name of the certificate in --url or PARLOUR_URL"),
            Self::OutOfTime => Some("the hub needs a new certificate; check the clocks of both machines too"),
            Self::RefusedIdentity => {
                Some("check --client-cert: an authority in the hub's --client-ca must have signed it")
            }
            Self::NoTls => Some("use http:// instead of https:// if the hub serves plain HTTP"),
            Self::OnlyTls => Some("use https:// instead of http:// in --url or PARLOUR_URL"),
            Self::Other(_) => None,
        }
    }
}

impl From<&TlsError> for TlsFailure {
    fn from(error: &TlsError) -> Self {
        match error {
            TlsError::InvalidCertificate(error) => error.into(),
            TlsError::AlertReceived(alert) if is_about_certificate(*alert) => Self::RefusedIdentity,
            TlsError::InvalidMessage(_) => Self::NoTls,
            other => Self::Other(other.to_string()),
        }
    }
}

impl From<&CertificateError> for TlsFailure {
    fn from(error: &CertificateError) -> Self {
        match error {
            CertificateError::UnknownIssuer | CertificateError::BadSignature => Self::UnknownAuthority,
            CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => Self::OtherName,
            CertificateError::Expired
            | CertificateError::ExpiredContext { .. }
            | CertificateError::NotValidYet
            | CertificateError::NotValidYetContext { .. } => Self::OutOfTime,
            CertificateError::Other(other) if is_authority(&other.to_string()) => Self::AuthorityItself,
            other => Self::Other(other.to_string()),
        }
    }
}

/// Whether the verifier refused a CA certificate. It has no error of its own for that, only the name of the cause.
/// `openssl req -x509` makes such certificates by default.
fn is_authority(cause: &str) -> bool {
    cause.contains("CaUsedAsEndEntity")
}

fn is_about_certificate(alert: AlertDescription) -> bool {
    matches!(
        alert,
        AlertDescription::BadCertificate
            | AlertDescription::UnsupportedCertificate
            | AlertDescription::CertificateRevoked
            | AlertDescription::CertificateExpired
            | AlertDescription::CertificateUnknown
            | AlertDescription::UnknownCA
            | AlertDescription::CertificateRequired
            | AlertDescription::DecryptError
    )
}

fn identity_error(error: &TlsError) -> String {
    match error {
        TlsError::InconsistentKeys(_) => "its key belongs to another certificate".to_owned(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use rcgen::{CertificateParams, KeyPair};
    use tempfile::TempDir;

    use super::*;

    fn pair(folder: &TempDir, name: &str) -> IdentityFiles {
        let key = KeyPair::generate().expect("a key");
        let params = CertificateParams::new([name.to_owned()]).expect("a name");
        let files = IdentityFiles {
            certificate: folder.path().join(format!("{name}.pem")),
            key: folder.path().join(format!("{name}.key")),
        };
        fs::write(&files.certificate, params.self_signed(&key).expect("signed").pem()).expect("written");
        fs::write(&files.key, key.serialize_pem()).expect("written");
        files
    }

    fn refused(options: &TlsOptions) -> String {
        configure(options).expect_err("refused").to_string()
    }

    #[test]
    fn the_authority_and_the_client_certificate_are_read_from_files() {
        let folder = tempfile::tempdir().expect("a folder");
        let own = pair(&folder, "coder");
        let options = TlsOptions { ca: Some(own.certificate.clone()), identity: Some(own) };
        let config = configure(&options).expect("good files");
        assert!(config.client_auth_cert_resolver.has_certs());
        assert_eq!(config.alpn_protocols, [b"http/1.1".to_vec()]);
    }

    #[test]
    fn an_unusable_file_is_named() {
        let folder = tempfile::tempdir().expect("a folder");
        let own = pair(&folder, "coder");
        let message = refused(&TlsOptions { ca: Some("no-such.pem".into()), identity: None });
        assert!(message.starts_with("no-such.pem cannot be read"), "{message}");
        let message = refused(&TlsOptions { ca: Some(own.key.clone()), identity: None });
        assert!(message.ends_with("coder.key contains no certificate"), "{message}");
    }

    #[test]
    fn the_key_of_another_certificate_is_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let (one, two) = (pair(&folder, "one"), pair(&folder, "two"));
        let mixed = IdentityFiles { key: two.key, ..one.clone() };
        let message = refused(&TlsOptions { ca: Some(one.certificate), identity: Some(mixed) });
        assert_eq!(message, "the client certificate cannot be used: its key belongs to another certificate");
    }

    fn failure(error: &TlsError) -> TlsFailure {
        error.into()
    }

    #[test]
    fn common_failures_have_a_remedy() {
        for (error, word) in [
            (CertificateError::UnknownIssuer, "--ca"),
            (CertificateError::NotValidForName, "--url"),
            (CertificateError::Expired, "new certificate"),
        ] {
            let failure = failure(&TlsError::InvalidCertificate(error));
            assert!(failure.remedy().is_some_and(|remedy| remedy.contains(word)), "{failure}");
        }
        assert_eq!(failure(&TlsError::AlertReceived(AlertDescription::UnknownCA)), TlsFailure::RefusedIdentity);
        assert!(matches!(failure(&TlsError::DecryptError), TlsFailure::Other(_)));
    }

    #[test]
    fn a_ca_certificate_of_a_server_is_reported() {
        #[derive(Debug, thiserror::Error)]
        #[error("CaUsedAsEndEntity")]
        struct VerifierCause;
        let other = rustls::OtherError(std::sync::Arc::new(VerifierCause));
        let failure = failure(&TlsError::InvalidCertificate(CertificateError::Other(other)));
        assert_eq!(failure, TlsFailure::AuthorityItself);
        assert!(failure.remedy().is_some_and(|remedy| remedy.contains("CA:FALSE")));
    }

    #[test]
    fn a_tls_failure_is_found_inside_of_io_errors() {
        let inner = TlsError::InvalidCertificate(CertificateError::UnknownIssuer);
        let outer = io::Error::other(io::Error::new(io::ErrorKind::InvalidData, inner));
        assert_eq!(TlsFailure::in_chain(&outer), Some(TlsFailure::UnknownAuthority));
        assert_eq!(TlsFailure::in_chain(&io::Error::other("refused")), None);
    }
}
