//! The files of TLS, in PEM.

use std::{
    fmt::Display,
    fs::{self, File},
    io::{self, Read as _},
    os::unix::fs::MetadataExt as _,
    path::{Path, PathBuf},
};

use rustls_pki_types::{
    CertificateDer, PrivateKeyDer,
    pem::{Error as PemError, PemObject as _},
};

/// A longer file is no certificate, not even a list of authorities.
const FILE_BYTES_MAX: u64 = 4 * 1024 * 1024;

/// Where the certificate, its key and the authorities are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TlsFiles {
    /// The hub's certificate, and after it those between it and an authority.
    pub certificate: PathBuf,
    /// Its private key.
    pub key: PathBuf,
    /// The authorities whose certificates clients may show.
    pub client_authorities: Option<PathBuf>,
}

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
    #[error("there is no {what} in {file}; it should hold a line -----BEGIN {mark}-----")]
    Lacks {
        /// The file.
        file: String,
        /// What was looked for.
        what: &'static str,
        /// The line that it begins with.
        mark: &'static str,
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

/// How all files look from outside; different whenever one of them was written or replaced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Stamp(Vec<Option<[i128; 5]>>);

impl TlsFiles {
    pub(super) fn stamp(&self) -> Stamp {
        let files = [Some(&self.certificate), Some(&self.key), self.client_authorities.as_ref()];
        let look = |path: &PathBuf| {
            let about = fs::metadata(path).ok()?;
            let (changed, part) = (about.ctime().into(), about.ctime_nsec().into());
            Some([about.dev().into(), about.ino().into(), about.size().into(), changed, part])
        };
        Stamp(files.into_iter().flatten().map(look).collect())
    }
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
    let found = found.map_err(|error| broken(path, &error))?;
    if found.is_empty() { Err(lacks(path, "certificate", "CERTIFICATE")) } else { Ok(found) }
}

/// The first private key of a file.
pub(super) fn read_key(path: &Path) -> Result<PrivateKeyDer<'static>, BadFile> {
    PrivateKeyDer::from_pem_slice(&read(path)?).map_err(|error| match error {
        PemError::NoItemsFound => lacks(path, "private key", "PRIVATE KEY"),
        error => broken(path, &error),
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

fn lacks(path: &Path, what: &'static str, mark: &'static str) -> BadFile {
    BadFile::Lacks { file: path.display().to_string(), what, mark }
}

fn broken(path: &Path, error: &PemError) -> BadFile {
    // The library's own words would show bytes of the file, which may be those of a key.
    let reason = match error {
        PemError::MissingSectionEnd { .. } => "a block has no end",
        PemError::Base64Decode(_) => "a block is no Base64",
        _ => "it is no PEM",
    };
    BadFile::broken(path, &reason)
}
