//! A certificate authority for tests, its certificates, and clients that trust it.

use std::{fs, path::PathBuf, sync::Arc};

use parlour_server::{ServeOptions, Tls, TlsFiles};
use rcgen::{
    BasicConstraints, CertificateParams, CertifiedIssuer, DnType, ExtendedKeyUsagePurpose, IsCa, KeyPair,
    KeyUsagePurpose,
};
use rustls::{
    ClientConfig, RootCertStore, SupportedProtocolVersion,
    crypto::aws_lc_rs,
    version::{TLS12, TLS13},
};
use rustls_pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use tempfile::TempDir;
use tokio::net::TcpStream;
use tokio_rustls::{TlsConnector, client::TlsStream};

use crate::serving::{TestServer, soon};

/// Both versions, the newer first.
pub(crate) const VERSIONS: [&SupportedProtocolVersion; 2] = [&TLS13, &TLS12];

/// A certificate authority.
pub(crate) struct TestAuthority(CertifiedIssuer<'static, KeyPair>);

/// A certificate with its key.
pub(crate) struct CertificateAndKey {
    pub(crate) certificate: rcgen::Certificate,
    pub(crate) key: KeyPair,
}

impl TestAuthority {
    pub(crate) fn new(name: &str) -> Self {
        let mut params = CertificateParams::new(Vec::new()).expect("no names");
        params.distinguished_name.push(DnType::CommonName, name);
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.key_usages = vec![KeyUsagePurpose::KeyCertSign];
        Self(CertifiedIssuer::self_signed(params, KeyPair::generate().expect("a key")).expect("signed"))
    }

    /// A certificate for a hub at `localhost`.
    pub(crate) fn hub(&self) -> CertificateAndKey {
        self.sign("localhost", ExtendedKeyUsagePurpose::ServerAuth)
    }

    /// A certificate for a client.
    pub(crate) fn client(&self, name: &str) -> CertificateAndKey {
        self.sign(name, ExtendedKeyUsagePurpose::ClientAuth)
    }

    fn sign(&self, name: &str, usage: ExtendedKeyUsagePurpose) -> CertificateAndKey {
        let mut params = CertificateParams::new([name.to_owned()]).expect("a name");
        params.distinguished_name.push(DnType::CommonName, name);
        params.extended_key_usages = vec![usage];
        let key = KeyPair::generate().expect("a key");
        CertificateAndKey { certificate: params.signed_by(&key, &self.0).expect("signed"), key }
    }

    pub(crate) fn pem(&self) -> String {
        self.0.pem()
    }

    /// The TLS client configuration that trusts this authority.
    pub(crate) fn config(
        &self,
        versions: &[&'static SupportedProtocolVersion],
        protocols: &[&[u8]],
        own: Option<&CertificateAndKey>,
    ) -> Arc<ClientConfig> {
        let mut roots = RootCertStore::empty();
        roots.add(self.0.der().clone()).expect("an authority");
        let builder = ClientConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()))
            .with_protocol_versions(versions)
            .expect("versions")
            .with_root_certificates(roots);
        let mut config = match own {
            None => builder.with_no_client_auth(),
            Some(own) => {
                let key = PrivateKeyDer::try_from(own.key.serialize_der()).expect("a key");
                builder.with_client_auth_cert(vec![own.certificate.der().clone()], key).expect("a pair")
            }
        };
        config.alpn_protocols = protocols.iter().map(|name| name.to_vec()).collect();
        Arc::new(config)
    }
}

/// The files of a hub.
pub(crate) struct Files {
    _folder: TempDir,
    pub(crate) tls: TlsFiles,
}

impl Files {
    pub(crate) fn new(pair: &CertificateAndKey, clients: Option<&TestAuthority>) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let path = |name: &str| -> PathBuf { folder.path().join(name) };
        let tls = TlsFiles {
            certificate: path("hub.pem"),
            key: path("hub.key"),
            client_authorities: clients.map(|_| path("clients.pem")),
        };
        let files = Self { tls, _folder: folder };
        files.write(pair);
        if let (Some(path), Some(clients)) = (&files.tls.client_authorities, clients) {
            fs::write(path, clients.pem()).expect("written");
        }
        files
    }

    pub(crate) fn write(&self, pair: &CertificateAndKey) {
        fs::write(&self.tls.certificate, pair.certificate.pem()).expect("written");
        fs::write(&self.tls.key, pair.key.serialize_pem()).expect("written");
    }

    pub(crate) fn load(&self) -> Arc<Tls> {
        Arc::new(Tls::load(self.tls.clone()).expect("good files"))
    }
}

pub(crate) fn options(tls: &Arc<Tls>) -> ServeOptions {
    ServeOptions { tls: Some(Arc::clone(tls)), ..ServeOptions::default() }
}

/// Performs a TLS handshake with a hub at `localhost`.
pub(crate) async fn shake_hands(hub: &TestServer, config: &Arc<ClientConfig>) -> std::io::Result<TlsStream<TcpStream>> {
    let name = ServerName::try_from("localhost").expect("a name");
    soon(TlsConnector::from(Arc::clone(config)).connect(name, hub.connect().await)).await
}

/// The certificate of the hub.
pub(crate) fn shown(stream: &TlsStream<TcpStream>) -> CertificateDer<'static> {
    let (_, session) = stream.get_ref();
    session.peer_certificates().expect("shaken hands")[0].clone().into_owned()
}
