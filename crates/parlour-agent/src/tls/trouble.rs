//! What is wrong with a connection over TLS, in plain words.

use std::{error::Error, io};

use rustls::{AlertDescription, CertificateError, Error as TlsError};

/// Why there is no safe connection to a hub. Another try would end the same way.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TlsTrouble {
    /// An authority that nobody here trusts has signed it, or the hub itself.
    #[error("its certificate was signed by an authority that this machine does not know")]
    UnknownAuthority,
    /// It is that of an authority, which vouches for others and is nobody's own.
    #[error("its certificate is that of an authority, and no server may show such a one as its own")]
    AuthorityItself,
    /// It is the certificate of something else.
    #[error("its certificate is for another name than the one in the address")]
    OtherName,
    /// It is too late or too early for it.
    #[error("its certificate has expired or is not valid yet")]
    OutOfTime,
    /// The hub does not take what this client shows.
    #[error("it does not take the client certificate")]
    RefusedIdentity,
    /// Whoever answers there speaks something else.
    #[error("whoever answers there does not speak TLS")]
    NoTls,
    /// The hub speaks TLS, and the address says otherwise.
    #[error("it speaks TLS only")]
    OnlyTls,
    /// Anything else, in the words of TLS.
    #[error("TLS failed: {0}")]
    Other(String),
}

impl TlsTrouble {
    /// What is wrong with TLS in this error or in one of its causes.
    pub(crate) fn in_chain(error: &(dyn Error + 'static)) -> Option<Self> {
        let mut next = Some(error);
        while let Some(error) = next {
            if let Some(found) = error.downcast_ref::<TlsError>() {
                return Some(found.into());
            }
            // An input error hides what it was made of: its source is the source of that.
            next = match error.downcast_ref::<io::Error>().and_then(io::Error::get_ref) {
                Some(inner) => Some(inner),
                None => error.source(),
            };
        }
        None
    }

    /// What its user can do about it.
    pub fn remedy(&self) -> Option<&'static str> {
        match self {
            Self::UnknownAuthority => {
                Some("name the file with the hub's authority with --ca or PARLOUR_CA, when you trust it")
            }
            Self::AuthorityItself => Some(
                "make the hub's certificate with `-addext basicConstraints=critical,CA:FALSE`; docs/tls.md shows how",
            ),
            Self::OtherName => Some("use the name that the certificate is for in --url or PARLOUR_URL"),
            Self::OutOfTime => Some("the hub needs a new certificate; look at the clocks of both machines too"),
            Self::RefusedIdentity => Some("check --client-cert: an authority of the hub's --client-ca has to sign it"),
            Self::NoTls => Some("write http:// instead of https:// when the hub speaks plain HTTP"),
            Self::OnlyTls => Some("write https:// instead of http:// in --url or PARLOUR_URL"),
            Self::Other(_) => None,
        }
    }
}

impl From<&TlsError> for TlsTrouble {
    fn from(error: &TlsError) -> Self {
        match error {
            TlsError::InvalidCertificate(error) => error.into(),
            TlsError::AlertReceived(alert) if is_about_certificate(*alert) => Self::RefusedIdentity,
            TlsError::InvalidMessage(_) => Self::NoTls,
            other => Self::Other(other.to_string()),
        }
    }
}

impl From<&CertificateError> for TlsTrouble {
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

/// Whether the verifier complains of an authority in the place of a server. It has no word of its own for that, only the
/// name of its cause. A certificate that was made with one command is most often such a one.
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

/// Why an own certificate cannot be shown.
pub(super) fn identity_text(error: &TlsError) -> String {
    match error {
        TlsError::InconsistentKeys(_) => "its key does not fit".to_owned(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trouble(error: &TlsError) -> TlsTrouble {
        error.into()
    }

    #[test]
    fn the_usual_troubles_have_plain_words_and_a_remedy() {
        for (error, word) in [
            (CertificateError::UnknownIssuer, "--ca"),
            (CertificateError::NotValidForName, "--url"),
            (CertificateError::Expired, "new certificate"),
        ] {
            let trouble = trouble(&TlsError::InvalidCertificate(error));
            assert!(trouble.remedy().is_some_and(|remedy| remedy.contains(word)), "{trouble}");
        }
        assert_eq!(trouble(&TlsError::AlertReceived(AlertDescription::UnknownCA)), TlsTrouble::RefusedIdentity);
        assert!(matches!(trouble(&TlsError::DecryptError), TlsTrouble::Other(_)));
    }

    #[test]
    fn an_authority_in_the_place_of_a_server_is_named() {
        #[derive(Debug, thiserror::Error)]
        #[error("CaUsedAsEndEntity")]
        struct Cause;
        let other = rustls::OtherError(std::sync::Arc::new(Cause));
        let trouble = trouble(&TlsError::InvalidCertificate(CertificateError::Other(other)));
        assert_eq!(trouble, TlsTrouble::AuthorityItself);
        assert!(trouble.remedy().is_some_and(|remedy| remedy.contains("CA:FALSE")));
    }

    #[test]
    fn a_trouble_is_found_inside_of_input_errors() {
        let inner = TlsError::InvalidCertificate(CertificateError::UnknownIssuer);
        let outer = io::Error::other(io::Error::new(io::ErrorKind::InvalidData, inner));
        assert_eq!(TlsTrouble::in_chain(&outer), Some(TlsTrouble::UnknownAuthority));
        assert_eq!(TlsTrouble::in_chain(&io::Error::other("refused")), None);
    }
}
