//! The port, the hub that commands would call, and whether it knows them.

use std::net::SocketAddr;

use parlour_agent::{Client, ClientError};
use tokio::net::TcpListener;

use super::check::Check;
use crate::{folder_lock::Holder, settings::ClientSettings};

/// Whether a hub could listen where the settings say.
pub(super) async fn check_port(listen: SocketAddr, holder: Option<&Holder>) -> Check {
    if holder.is_some() {
        return Check::note("port", "the running hub has its own");
    }
    match TcpListener::bind(listen).await {
        Ok(_) => Check::good("port", format!("{listen} is free")),
        Err(error) => match hub_at(listen).await {
            Some(version) => {
                Check::warning("port", format!("Parlour {version} answers on {listen}, with another data folder"))
            }
            None => Check::bad("port", format!("{listen}: {error}; choose another with --listen")),
        },
    }
}

/// The version of the hub that answers at an address.
async fn hub_at(address: SocketAddr) -> Option<String> {
    let client = Client::new(&format!("http://{address}"), None).ok()?;
    Some(client.health().await.ok()?.version)
}

/// Whether the hub of the settings answers, and whether it knows the token.
pub(super) async fn check_client(settings: &ClientSettings) -> (Check, Check) {
    let client = match Client::with_options(&settings.url, &settings.options()) {
        Ok(client) => client,
        Err(error) => return (Check::bad("address", error.to_string()), check_token_alone(settings)),
    };
    match client.health().await {
        Ok(health) => {
            let reach = Check::good("address", format!("Parlour {} answers at {}", health.version, client.url()));
            (reach, check_token(&client, settings).await)
        }
        Err(error @ ClientError::Unreachable { .. }) => {
            (Check::note("address", error.to_string()), check_token_alone(settings))
        }
        Err(error) => (Check::bad("address", error.to_string()), check_token_alone(settings)),
    }
}

/// Only the hub can say whether a token is right.
async fn check_token(client: &Client, settings: &ClientSettings) -> Check {
    if !settings.shows_somebody() {
        return check_token_alone(settings);
    }
    match client.me().await {
        Ok(me) => Check::good("token", format!("you are {} ({})", me.name, me.member_id)),
        Err(error) => Check::bad("token", error.to_string()),
    }
}

/// What can be said about a token without a hub.
fn check_token_alone(settings: &ClientSettings) -> Check {
    match settings.token {
        Some(_) => Check::note("token", "one is set; no hub says whether it is right"),
        None => Check::note("token", "none is set; commands that talk to a hub need PARLOUR_TOKEN"),
    }
}

#[cfg(test)]
mod tests {
    use parlour_agent::TlsOptions;

    use super::*;
    use crate::commands::doctor::check::Verdict;

    fn settings(url: &str, token: Option<&str>) -> ClientSettings {
        ClientSettings { url: url.to_owned(), token: token.map(str::to_owned), project: None, tls: TlsOptions::default() }
    }

    #[tokio::test]
    async fn a_free_port_is_good_and_a_strangers_is_bad() {
        // Held open without ever answering like a hub: the guard below hangs up on whoever calls.
        let taken = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = taken.local_addr().expect("bound");
        tokio::spawn(async move { while taken.accept().await.is_ok() {} });
        assert_eq!(check_port(address, None).await.verdict, Verdict::Bad);
        assert_eq!(check_port("127.0.0.1:0".parse().expect("address"), None).await.verdict, Verdict::Good);
    }

    #[tokio::test]
    async fn a_hub_that_is_not_there_is_no_fault_but_a_wrong_address_is() {
        let (reach, token) = check_client(&settings("http://127.0.0.1:1", Some("x"))).await;
        assert_eq!((reach.verdict, token.verdict), (Verdict::Note, Verdict::Note));
        let (reach, _) = check_client(&settings("nowhere", None)).await;
        assert_eq!(reach.verdict, Verdict::Bad);
    }
}
