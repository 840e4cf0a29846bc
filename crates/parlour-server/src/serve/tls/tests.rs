use std::{fs, path::Path};

use rcgen::{CertificateParams, KeyPair};
use tempfile::TempDir;

use super::*;

/// A pair for the hub, as PEM.
fn pair() -> (String, String) {
    let key = KeyPair::generate().expect("a key");
    let params = CertificateParams::new(["localhost".to_owned()]).expect("a name");
    (params.self_signed(&key).expect("signed").pem(), key.serialize_pem())
}

/// A folder with these two files.
fn folder(certificate: &str, key: &str) -> (TempDir, TlsFiles) {
    let folder = tempfile::tempdir().expect("a folder");
    let files = TlsFiles {
        certificate: folder.path().join("hub.pem"),
        key: folder.path().join("hub.key"),
        client_authorities: None,
    };
    write(&files, certificate, key);
    (folder, files)
}

fn write(files: &TlsFiles, certificate: &str, key: &str) {
    fs::write(&files.certificate, certificate).expect("written");
    fs::write(&files.key, key).expect("written");
}

fn refused(certificate: &str, key: &str) -> String {
    let (_folder, files) = folder(certificate, key);
    Tls::load(files).expect_err("refused").to_string()
}

#[test]
fn a_pair_is_loaded_and_both_protocols_are_offered() {
    let (certificate, key) = pair();
    let (_folder, files) = folder(&certificate, &key);
    let tls = Tls::load(files).expect("a good pair");
    assert_eq!(tls.current().alpn_protocols, [b"h2".to_vec(), b"http/1.1".to_vec()]);
}

#[test]
fn an_error_names_the_file_without_certificate_or_key() {
    let (certificate, key) = pair();
    assert!(refused(&key, &key).contains("contains no certificate"), "{}", refused(&key, &key));
    assert!(refused(&certificate, &certificate).contains("contains no private key"));
    assert!(refused("", &key).contains("hub.pem"));
}

#[test]
fn an_error_names_the_missing_file() {
    let (_folder, mut files) = folder("", "");
    files.certificate = Path::new("no-such.pem").into();
    let message = Tls::load(files).expect_err("missing").to_string();
    assert!(message.starts_with("no-such.pem cannot be read"), "{message}");
}

#[test]
fn the_error_of_a_damaged_file_does_not_contain_its_content() {
    let (certificate, key) = pair();
    let secret: String = key.lines().skip(1).take(1).collect();
    let message = refused(&certificate, &key.replace("-----END", "-----EDN"));
    assert!(message.contains("damaged") && !message.contains(&secret), "{message}");
    let message = refused(&certificate.replace('=', "!").replace('M', "*"), &key);
    assert!(message.contains("damaged"), "{message}");
}

#[test]
fn a_key_of_another_pair_is_refused() {
    let (certificate, _) = pair();
    let (_, key) = pair();
    assert!(refused(&certificate, &key).contains("does not match the certificate"), "{}", refused(&certificate, &key));
}

#[test]
fn authorities_must_be_certificates() {
    let (certificate, key) = pair();
    let (_folder, mut files) = folder(&certificate, &key);
    files.client_authorities = Some(files.key.clone());
    assert!(Tls::load(files.clone()).expect_err("a key").to_string().contains("contains no certificate"));
    files.client_authorities = Some(files.certificate.clone());
    Tls::load(files).expect("a certificate is an authority");
}

#[test]
fn a_broken_new_pair_is_not_loaded() {
    let (certificate, key) = pair();
    let (_folder, files) = folder(&certificate, &key);
    let tls = Tls::load(files.clone()).expect("a good pair");
    let before = tls.current();
    write(&files, "garbage", &key);
    tls.reload().expect_err("broken");
    assert!(Arc::ptr_eq(&before, &tls.current()));
    write(&files, &certificate, &key);
    tls.reload().expect("good again");
    assert!(!Arc::ptr_eq(&before, &tls.current()));
}

/// Waits until `tls` has something else than `before`.
async fn replaced(tls: &Tls, before: &Arc<ServerConfig>) {
    while Arc::ptr_eq(before, &tls.current()) {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn changed_files_are_reloaded_automatically() {
    let (certificate, key) = pair();
    let (_folder, files) = folder(&certificate, &key);
    let tls = Arc::new(Tls::load(files.clone()).expect("a good pair"));
    let before = tls.current();
    let asked = Notify::new();
    let (certificate, key) = pair();
    write(&files, &certificate, &key);
    tokio::select! {
        () = Arc::clone(&tls).keep_fresh(Duration::from_millis(1), &asked) => {}
        () = replaced(&tls, &before) => {}
    }
}

#[tokio::test]
async fn files_are_reloaded_on_request() {
    let (certificate, key) = pair();
    let (_folder, files) = folder(&certificate, &key);
    let tls = Arc::new(Tls::load(files).expect("a good pair"));
    let before = tls.current();
    let asked = Notify::new();
    asked.notify_one();
    tokio::select! {
        () = Arc::clone(&tls).keep_fresh(Duration::from_secs(3_600), &asked) => {}
        () = replaced(&tls, &before) => {}
    }
}

#[test]
fn unchanged_files_are_not_reloaded() {
    let (certificate, key) = pair();
    let (_folder, files) = folder(&certificate, &key);
    let tls = Tls::load(files).expect("a good pair");
    let before = tls.current();
    tls.reload_if_changed(false);
    assert!(Arc::ptr_eq(&before, &tls.current()));
}
