//! The port, the hub that commands would call, and whether it knows them.

use std::net::SocketAddr;

use parlour_adapters::{SystemClock, token_ends_at};
use parlour_agent::{Client, ClientError};
use parlour_core::Timestamp;
use parlour_hub::ports::Clock as _;
use tokio::net::TcpListener;

use super::CheckResult;
use crate::{folder_lock::Holder, settings::ClientSettings};

const DAY_MS: i64 = 24 * 60 * 60 * 1000;
/// Remaining days of a token for a warning.
const TOKEN_DAYS_LOW: i64 = 7;

/// Checks that the configured address is free.
pub(super) async fn check_port(listen: SocketAddr, holder: Option<&Holder>) -> CheckResult {
    if holder.is_some() {
        return CheckResult::note("port", "not checked: the hub is running");
    }
    match TcpListener::bind(listen).await {
        Ok(_) => CheckResult::good("port", format!("{listen} is free")),
        Err(error) => match hub_at(listen).await {
            Some(version) => CheckResult::warning(
                "port",
                format!("Parlour {version} is running on {listen} with another data folder"),
            ),
            None => CheckResult::bad("port", format!("{listen}: {error}; select another with --listen")),
        },
    }
}

async fn hub_at(address: SocketAddr) -> Option<String> {
    let client = Client::new(&format!("http://{address}"), None).ok()?;
    Some(client.health().await.ok()?.version)
}

/// Checks that the configured hub is reachable and accepts the token.
pub(super) async fn check_client(settings: &ClientSettings) -> (CheckResult, CheckResult) {
    let client = match Client::with_options(&settings.url, &settings.options()) {
        Ok(client) => client,
        Err(error) => return (CheckResult::bad("address", error.to_string()), check_token_alone(settings)),
    };
    match client.health().await {
        Ok(health) => {
            let reach = CheckResult::good("address", format!("Parlour {} answers at {}", health.version, client.url()));
            (reach, check_token(&client, settings).await)
        }
        Err(error @ ClientError::Unreachable { .. }) => {
            (CheckResult::note("address", error.to_string()), check_token_alone(settings))
        }
        Err(error) => (CheckResult::bad("address", error.to_string()), check_token_alone(settings)),
    }
}

async fn check_token(client: &Client, settings: &ClientSettings) -> CheckResult {
    if !settings.has_credential() {
        return check_token_alone(settings);
    }
    match client.me().await {
        Ok(me) => judge_end(&format!("you are {} ({})", me.name, me.member_id), settings, SystemClock::default().now()),
        Err(error) => CheckResult::bad("token", error.to_string()),
    }
}

/// Warns before a signed token expires.
fn judge_end(about: &str, settings: &ClientSettings, now: Timestamp) -> CheckResult {
    let ends_at = settings.token.as_deref().and_then(token_ends_at);
    match ends_at.map(|at| (at.as_millis() - now.as_millis()) / DAY_MS) {
        Some(days) if days < TOKEN_DAYS_LOW => {
            CheckResult::warning("token", format!("{about}, expires in {days} days; run: parlour token renew"))
        }
        _ => CheckResult::good("token", about),
    }
}

/// The check of the token without a reachable hub.
fn check_token_alone(settings: &ClientSettings) -> CheckResult {
    match settings.token {
        Some(_) => CheckResult::note("token", "set, but not verified: no hub is reachable"),
        None => CheckResult::note("token", "not signed in; run: parlour login"),
    }
}

#[cfg(test)]
mod tests {
    use parlour_agent::TlsOptions;

    use super::*;
    use crate::commands::doctor::Verdict;

    fn settings(url: &str, token: Option<&str>) -> ClientSettings {
        ClientSettings {
            url: url.to_owned(),
            token: token.map(str::to_owned),
            project: None,
            tls: TlsOptions::default(),
        }
    }

    #[test]
    fn a_token_that_expires_soon_is_a_warning_with_a_remedy() {
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
    async fn a_free_port_is_ok_and_a_used_one_is_an_error() {
        // A listener that does not answer like a hub.
        let taken = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = taken.local_addr().expect("bound");
        tokio::spawn(async move { while taken.accept().await.is_ok() {} });
        assert_eq!(check_port(address, None).await.verdict, Verdict::Bad);
        assert_eq!(check_port("127.0.0.1:0".parse().expect("address"), None).await.verdict, Verdict::Good);
    }

    #[tokio::test]
    async fn an_absent_hub_is_ok_and_an_invalid_address_is_an_error() {
        let (reach, token) = check_client(&settings("http://127.0.0.1:1", Some("x"))).await;
        assert_eq!((reach.verdict, token.verdict), (Verdict::Note, Verdict::Note));
        let (reach, _) = check_client(&settings("nowhere", None)).await;
        assert_eq!(reach.verdict, Verdict::Bad);
    }
}
