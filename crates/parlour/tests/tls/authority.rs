//! An authority of the tests, the files that it signs, and what a hub shows.

use std::{
    fs,
    net::TcpStream,
    path::{Path, PathBuf},
    sync::Arc,
};

use rcgen::{
    BasicConstraints, CertificateParams, CertifiedIssuer, DnType, ExtendedKeyUsagePurpose, IsCa, KeyPair,
    KeyUsagePurpose,
};
use rustls::{ClientConfig, ClientConnection, RootCertStore, crypto::aws_lc_rs};
use rustls_pki_types::ServerName;

/// Somebody who signs certificates; its own is `ca.pem` in its folder.
pub(crate) struct Authority {
    issuer: CertifiedIssuer<'static, KeyPair>,
    folder: PathBuf,
}

impl Authority {
    pub(crate) fn new(folder: &Path) -> Self {
        let mut params = CertificateParams::new(Vec::new()).expect("no names");
        params.distinguished_name.push(DnType::CommonName, "Authority of the tests");
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.key_usages = vec![KeyUsagePurpose::KeyCertSign];
        let issuer = CertifiedIssuer::self_signed(params, KeyPair::generate().expect("a key")).expect("signed");
        fs::write(folder.join("ca.pem"), issuer.pem()).expect("written");
        Self { issuer, folder: folder.to_owned() }
    }

    /// Writes `hub.pem` and `hub.key` for a hub on this machine, and answers the certificate.
    pub(crate) fn write_hub(&self) -> Vec<u8> {
        self.write("hub", &["127.0.0.1", "localhost"], ExtendedKeyUsagePurpose::ServerAuth)
    }

    /// Writes a certificate for a client and its key.
    pub(crate) fn write_client(&self, name: &str) {
        self.write(name, &[name], ExtendedKeyUsagePurpose::ClientAuth);
    }

    /// The same for a hub that is called like this.
    pub(crate) fn write(&self, file: &str, names: &[&str], usage: ExtendedKeyUsagePurpose) -> Vec<u8> {
        let names: Vec<_> = names.iter().map(ToString::to_string).collect();
        let mut params = CertificateParams::new(names).expect("names");
        params.distinguished_name.push(DnType::CommonName, file);
        params.extended_key_usages = vec![usage];
        let key = KeyPair::generate().expect("a key");
        let certificate = params.signed_by(&key, &self.issuer).expect("signed");
        fs::write(self.folder.join(format!("{file}.key")), key.serialize_pem()).expect("written");
        fs::write(self.folder.join(format!("{file}.pem")), certificate.pem()).expect("written");
        certificate.der().to_vec()
    }

    /// The certificate that the hub at this address shows to a new connection.
    pub(crate) fn shown_by(&self, url: &str) -> Vec<u8> {
        let mut roots = RootCertStore::empty();
        roots.add(self.issuer.der().clone()).expect("an authority");
        let config = ClientConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()))
            .with_safe_default_protocol_versions()
            .expect("versions")
            .with_root_certificates(roots)
            .with_no_client_auth();
        let name = ServerName::try_from("localhost").expect("a name");
        let mut session = ClientConnection::new(Arc::new(config), name).expect("a session");
        let mut stream = TcpStream::connect(url.trim_start_matches("https://")).expect("connected");
        session.complete_io(&mut stream).expect("hands shaken");
        session.peer_certificates().expect("shown")[0].to_vec()
    }
}
