//! TLS of the client: whom it trusts, what it shows, and what is wrong when there is no connection.

use std::{
    fmt::Display,
    fs::File,
    io::{self, Read as _},
    path::{Path, PathBuf},
    sync::Arc,
};

use rustls::{ClientConfig, Error as TlsError, crypto::aws_lc_rs};
use rustls_pki_types::{
    CertificateDer, PrivateKeyDer,
    pem::{Error as PemError, PemObject as _},
};
use rustls_platform_verifier::Verifier;

mod trouble;

pub use trouble::TlsTrouble;

/// What is spoken over TLS. Live sessions begin in HTTP/1.1, so nothing else is asked for.
const PROTOCOL: &[u8] = b"http/1.1";

/// Whom a client trusts besides the authorities of its machine, and how it shows who it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TlsOptions {
    /// A file with authorities that this machine does not know, in PEM.
    pub ca: Option<PathBuf>,
    /// The certificate that is shown to the hub.
    pub identity: Option<IdentityFiles>,
}

/// The client's own certificate, in PEM.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IdentityFiles {
    /// The file with the certificate, and after it those between it and an authority.
    pub certificate: PathBuf,
    /// The file with its private key; it may be the same.
    pub key: PathBuf,
}

/// Why a client cannot speak TLS at all.
#[derive(Debug, thiserror::Error)]
pub enum BadTls {
    /// A file does not hold what it should.
    #[error(transparent)]
    File(#[from] BadFile),
    /// The machine knows no authority, and none was given.
    #[error("this machine knows no authority that signs certificates: {0}")]
    NoAuthorities(TlsError),
    /// The client certificate cannot be shown.
    #[error("the client certificate cannot be used: {}", trouble::identity_text(.0))]
    Identity(TlsError),
}

/// How TLS is spoken with a hub, over HTTP and live alike.
pub(crate) fn configure(options: &TlsOptions) -> Result<Arc<ClientConfig>, BadTls> {
    let provider = Arc::new(aws_lc_rs::default_provider());
    let extra = options.ca.as_deref().map(read_certificates).transpose()?.unwrap_or_default();
    let verifier = Verifier::new_with_extra_roots(extra, Arc::clone(&provider)).map_err(|error| match &options.ca {
        Some(path) => BadFile::broken(path, &error).into(),
        None => BadTls::NoAuthorities(error),
    })?;
    let builder = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(BadTls::NoAuthorities)?
        .dangerous()
        // No danger: it looks as strictly as usual, at the authorities of the machine and the given ones.
        .with_custom_certificate_verifier(Arc::new(verifier));
    let mut config = match &options.identity {
        None => builder.with_no_client_auth(),
        Some(own) => builder
            .with_client_auth_cert(read_certificates(&own.certificate)?, read_key(&own.key)?)
            .map_err(BadTls::Identity)?,
    };
    config.alpn_protocols = vec![PROTOCOL.to_vec()];
    Ok(Arc::new(config))
}

/// A longer file is no certificate, not even a list of authorities.
const FILE_BYTES_MAX: u64 = 4 * 1024 * 1024;

/// A file that does not hold what it should.
#[derive(Debug, thiserror::Error)]
pub enum BadFile {
    /// It cannot be read.
    #[error("{file} cannot be read: {source}")]
    Unreadable {
        /// The file.
        file: String,
        /// Why.
        source: io::Error,
    },
    /// What was looked for is not in it.
    #[error("there is no {what} in {file}")]
    Lacks {
        /// The file.
        file: String,
        /// What was looked for.
        what: &'static str,
    },
    /// What is in it is damaged.
    #[error("{file} is damaged: {reason}")]
    Broken {
        /// The file.
        file: String,
        /// What is wrong.
        reason: String,
    },
}

impl BadFile {
    pub(super) fn broken(path: &Path, reason: &dyn Display) -> Self {
        Self::Broken { file: path.display().to_string(), reason: reason.to_string() }
    }
}

/// All certificates of a file, at least one.
pub(super) fn read_certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>, BadFile> {
    let text = read(path)?;
    let found: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&text).collect();
    match found {
        Ok(found) if found.is_empty() => Err(lacks(path, "certificate")),
        Ok(found) => Ok(found),
        Err(error) => Err(bad_pem(path, &error)),
    }
}

/// The first private key of a file.
pub(super) fn read_key(path: &Path) -> Result<PrivateKeyDer<'static>, BadFile> {
    PrivateKeyDer::from_pem_slice(&read(path)?).map_err(|error| match error {
        PemError::NoItemsFound => lacks(path, "private key"),
        error => bad_pem(path, &error),
    })
}

fn read(path: &Path) -> Result<Vec<u8>, BadFile> {
    let mut text = Vec::new();
    let reading = File::open(path).and_then(|file| file.take(FILE_BYTES_MAX + 1).read_to_end(&mut text));
    reading.map_err(|source| BadFile::Unreadable { file: path.display().to_string(), source })?;
    if text.len() as u64 > FILE_BYTES_MAX {
        return Err(BadFile::broken(path, &format!("it has more than {FILE_BYTES_MAX} bytes")));
    }
    Ok(text)
}

fn lacks(path: &Path, what: &'static str) -> BadFile {
    BadFile::Lacks { file: path.display().to_string(), what }
}

fn bad_pem(path: &Path, error: &PemError) -> BadFile {
    // The library's own words would show bytes of the file, which may be those of a key.
    let reason = match error {
        PemError::MissingSectionEnd { .. } => "a block has no end",
        PemError::Base64Decode(_) => "a block is no Base64",
        _ => "it is no PEM",
    };
    BadFile::broken(path, &reason)
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
    fn an_authority_and_a_certificate_are_taken_from_files() {
        let folder = tempfile::tempdir().expect("a folder");
        let own = pair(&folder, "coder");
        let options = TlsOptions { ca: Some(own.certificate.clone()), identity: Some(own) };
        let config = configure(&options).expect("good files");
        assert!(config.client_auth_cert_resolver.has_certs());
        assert_eq!(config.alpn_protocols, [b"http/1.1".to_vec()]);
    }

    #[test]
    fn a_file_that_does_not_help_is_named() {
        let folder = tempfile::tempdir().expect("a folder");
        let own = pair(&folder, "coder");
        let message = refused(&TlsOptions { ca: Some("no-such.pem".into()), identity: None });
        assert!(message.starts_with("no-such.pem cannot be read"), "{message}");
        let message = refused(&TlsOptions { ca: Some(own.key.clone()), identity: None });
        assert!(message.contains("no certificate in") && message.contains("coder.key"), "{message}");
    }

    #[test]
    fn a_key_of_another_certificate_is_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let (one, two) = (pair(&folder, "one"), pair(&folder, "two"));
        let mixed = IdentityFiles { key: two.key, ..one.clone() };
        let message = refused(&TlsOptions { ca: Some(one.certificate), identity: Some(mixed) });
        assert_eq!(message, "the client certificate cannot be used: its key does not fit");
    }
}
