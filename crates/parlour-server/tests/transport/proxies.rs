//! Client addresses behind a proxy.

use parlour_server::ServeOptions;

use crate::serving::{TestServer, ask};

/// The client address that the router sees.
async fn client(trusted: &str, head: &str) -> String {
    let options = ServeOptions { proxies: trusted.parse().expect("a list"), ..ServeOptions::default() };
    let hub = TestServer::start(options).await;
    let client = ask(&mut hub.connect().await, "/client", head).await;
    hub.end().await;
    client
}

#[tokio::test]
async fn a_trusted_proxy_determines_the_client_address() {
    assert_eq!(client("127.0.0.1", "x-forwarded-for: 6.6.6.6, 9.9.9.9\r\n").await, "9.9.9.9");
}

#[tokio::test]
async fn forwarded_addresses_of_other_peers_are_ignored() {
    assert_eq!(client("", "x-forwarded-for: 9.9.9.9\r\n").await, "127.0.0.1");
    assert_eq!(client("10.0.0.0/8", "x-forwarded-for: 9.9.9.9\r\n").await, "127.0.0.1");
}
