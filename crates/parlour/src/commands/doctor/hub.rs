//! The port, the hub that commands would call, and whether it knows them.

use std::net::SocketAddr;

use parlour_adapters::{SystemClock, token_ends_at};
use parlour_agent::{Client, ClientError};
use parlour_core::Timestamp;
use parlour_hub::ports::Clock as _;
use tokio::net::TcpListener;

use super::check::Check;
use crate::{folder_lock::Holder, settings::ClientSettings};

const DAY_MS: i64 = 24 * 60 * 60 * 1000;
/// A token that ends before this should be renewed.
const TOKEN_DAYS_LOW: i64 = 7;

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
        Ok(me) => judge_end(&format!("you are {} ({})", me.name, me.member_id), settings, SystemClock::default().now()),
        Err(error) => Check::bad("token", error.to_string()),
    }
}

/// A signed token says itself when it ends; who knows it in time can renew it.
fn judge_end(about: &str, settings: &ClientSettings, now: Timestamp) -> Check {
    let ends_at = settings.token.as_deref().and_then(token_ends_at);
    match ends_at.map(|at| (at.as_millis() - now.as_millis()) / DAY_MS) {
        Some(days) if days < TOKEN_DAYS_LOW => {
            Check::warning("token", format!("{about}, but it ends in {days} days: parlour token renew"))
        }
        _ => Check::good("token", about),
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
        ClientSettings {
            url: url.to_owned(),
            token: token.map(str::to_owned),
            project: None,
            tls: TlsOptions::default(),
        }
    }

    #[test]
    fn a_token_that_ends_soon_is_a_warning_with_the_way_to_renew_it() {
        // Claims that say only {"exp":1000000}; nothing else is looked at.
        let signed = settings("http://127.0.0.1:1", Some("e30.eyJleHAiOjEwMDAwMDB9.x"));
        let verdict = |days_before: i64| {
            judge_end("you are Bo", &signed, Timestamp::from_millis(1_000_000_000 - days_before * DAY_MS)).verdict
        };
        assert_eq!((verdict(TOKEN_DAYS_LOW), verdict(TOKEN_DAYS_LOW - 1)), (Verdict::Good, Verdict::Warning));
        let random = settings("http://127.0.0.1:1", Some("a random text"));
        assert_eq!(judge_end("you are Bo", &random, Timestamp::from_millis(0)).detail, "you are Bo");
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
