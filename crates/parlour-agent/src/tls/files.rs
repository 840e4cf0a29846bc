//! Certificates and keys in PEM files.

use std::{
    fmt::Display,
    fs::File,
    io::{self, Read as _},
    path::Path,
};

use rustls_pki_types::{
    CertificateDer, PrivateKeyDer,
    pem::{Error as PemError, PemObject as _},
};

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
