//! The files of TLS, as the hub would read them.

use parlour_server::{Tls, TlsFiles};

use super::check::Check;
use crate::data_folder::{Privacy, privacy};

/// Whether a hub could speak TLS with these files, and keep its key to itself.
pub(super) fn check_tls(files: &TlsFiles) -> Check {
    if let Err(error) = Tls::load(files.clone()) {
        return Check::bad("tls", error.to_string());
    }
    let key = files.key.display();
    if privacy(&files.key).is_ok_and(|privacy| privacy == Privacy::OpenToOthers) {
        return Check::warning("tls", format!("others can read the private key: chmod 600 '{key}'"));
    }
    let clients = files.client_authorities.as_ref().map(|file| format!("; clients of {}", file.display()));
    Check::good("tls", format!("{} and its key{}", files.certificate.display(), clients.unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use std::{fs, os::unix::fs::PermissionsExt as _};

    use rcgen::{CertificateParams, KeyPair};

    use super::*;
    use crate::commands::doctor::check::Verdict;

    #[test]
    fn a_pair_is_good_when_only_its_owner_can_read_the_key() {
        let folder = tempfile::tempdir().expect("a folder");
        let files = TlsFiles {
            certificate: folder.path().join("hub.pem"),
            key: folder.path().join("hub.key"),
            client_authorities: None,
        };
        assert_eq!(check_tls(&files).verdict, Verdict::Bad, "there are no files yet");
        let key = KeyPair::generate().expect("a key");
        let params = CertificateParams::new(["localhost".to_owned()]).expect("a name");
        fs::write(&files.certificate, params.self_signed(&key).expect("signed").pem()).expect("written");
        fs::write(&files.key, key.serialize_pem()).expect("written");
        for (mode, verdict) in [(0o644, Verdict::Warning), (0o600, Verdict::Good)] {
            fs::set_permissions(&files.key, fs::Permissions::from_mode(mode)).expect("set");
            assert_eq!(check_tls(&files).verdict, verdict, "{mode:o}");
        }
    }
}
