//! The output of the hub when it is ready. Programs read the first line, so its form never changes.

use std::{
    io::{self, Write},
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr},
    path::PathBuf,
};

use parlour_hub::use_cases::FirstStart;

use crate::{
    commands::token::{SHOWN_ONCE, login_command},
    data_folder::Privacy,
};

/// Minimum length of a chosen token without a warning.
const TOKEN_CHARS_MIN: usize = 16;

/// The result of the start.
pub(super) struct Banner {
    pub(super) address: SocketAddr,
    pub(super) data: PathBuf,
    pub(super) privacy: Privacy,
    pub(super) start: FirstStart,
    pub(super) is_tls: bool,
}

impl Banner {
    pub(super) fn url(&self) -> String {
        format!("{}://{}", self.scheme(), self.address)
    }

    fn scheme(&self) -> &'static str {
        if self.is_tls { "https" } else { "http" }
    }

    /// Writes to stdout; errors are ignored.
    pub(super) fn write(&self, admin_token: Option<&str>) {
        let mut stdout = io::stdout().lock();
        let _ = stdout.write_all(self.text(admin_token).as_bytes()).and_then(|()| stdout.flush());
    }

    /// Address, warnings, sign-in.
    fn text(&self, admin_token: Option<&str>) -> String {
        let mut lines = vec![
            format!("Listening on {}", self.url()),
            format!("Data folder   {}", self.data.display()),
            format!("API and docs  {}/docs", self.local_url()),
        ];
        lines.extend(self.link());
        lines.extend(self.warnings(admin_token).into_iter().map(|warning| format!("! {warning}")));
        lines.push(String::new());
        lines.extend(self.sign_in(admin_token));
        lines.push("Stop with Ctrl+C.\n".to_owned());
        lines.join("\n")
    }

    /// The loopback URL if the hub listens on all addresses.
    fn local_url(&self) -> String {
        let ip = match self.address.ip() {
            IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
            IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
            ip => ip,
        };
        format!("{}://{}", self.scheme(), SocketAddr::new(ip, self.address.port()))
    }

    /// The one-time sign-in link of the administrator. The code is in the fragment, which browsers do not send.
    fn link(&self) -> Option<String> {
        let code = self.start.link.as_deref()?;
        Some(format!("Open once     {}/sign-in#code={code}", self.local_url()))
    }

    /// Shows a generated token, but not a chosen one.
    fn sign_in(&self, admin_token: Option<&str>) -> Vec<String> {
        let url = self.local_url();
        let name = &self.start.admin.name;
        let how = match (&self.start.new_token, admin_token) {
            (Some(token), _) => vec![
                format!("First start: {name} is the administrator. {SHOWN_ONCE}"),
                String::new(),
                format!("  {token}"),
                String::new(),
                "On the command line, sign in with this token, then read the first channel:".to_owned(),
            ],
            (None, Some(_)) => {
                vec![format!("On the command line, sign in as {name} with the token of PARLOUR_ADMIN_TOKEN:")]
            }
            (None, None) => vec![
                "To replace a lost administrator token, start once with PARLOUR_ADMIN_TOKEN set to a new one."
                    .to_owned(),
                "On the command line, sign in with your token, or with `parlour login` and your password:".to_owned(),
            ],
        };
        let next =
            [String::new(), format!("  {}", login_command(&url)), "  parlour history general".into(), String::new()];
        how.into_iter().chain(next).collect()
    }

    /// Risks of the configuration; they do not prevent the start.
    fn warnings(&self, admin_token: Option<&str>) -> Vec<String> {
        let mut warnings = Vec::new();
        if admin_token.is_some_and(|token| token.len() < TOKEN_CHARS_MIN) {
            warnings.push(format!(
                "PARLOUR_ADMIN_TOKEN has fewer than {TOKEN_CHARS_MIN} characters and can be guessed; use a longer one."
            ));
        }
        if !self.address.ip().is_loopback() && !self.is_tls {
            warnings.push(
                "The address is reachable from other machines and the hub uses plain HTTP: set --tls-cert and --tls-key, or use a TLS proxy."
                    .to_owned(),
            );
        }
        if self.privacy == Privacy::OpenToOthers {
            let folder = self.data.display();
            warnings.push(format!("Other users of this machine can access the data folder; run: chmod 700 '{folder}'"));
        }
        warnings
    }
}

#[cfg(test)]
mod tests {
    use parlour_core::{Timestamp, id::PersonId, member::Person, name::Name};

    use super::*;

    fn banner(address: &str, new_token: Option<&str>) -> Banner {
        let admin = Person {
            id: PersonId::from_bits(1),
            name: Name::parse("Admin").expect("name"),
            is_admin: true,
            created_at: Timestamp::from_millis(0),
        };
        Banner {
            address: address.parse().expect("address"),
            data: "data".into(),
            privacy: Privacy::Private,
            start: FirstStart { admin, new_token: new_token.map(str::to_owned), link: None, sample: None },
            is_tls: false,
        }
    }

    #[test]
    fn the_first_start_shows_the_token_and_the_sign_in_command() {
        insta::assert_snapshot!(banner("127.0.0.1:4870", Some("parlour_0123")).text(None), @r"
        Listening on http://127.0.0.1:4870
        Data folder   data
        API and docs  http://127.0.0.1:4870/docs

        First start: Admin is the administrator. The token is shown only once:

          parlour_0123

        On the command line, sign in with this token, then read the first channel:

          parlour login http://127.0.0.1:4870 --token-file -
          parlour history general

        Stop with Ctrl+C.
        ");
    }

    #[test]
    fn a_later_start_explains_how_to_sign_in() {
        insta::assert_snapshot!(banner("127.0.0.1:4870", None).text(None), @r"
        Listening on http://127.0.0.1:4870
        Data folder   data
        API and docs  http://127.0.0.1:4870/docs

        To replace a lost administrator token, start once with PARLOUR_ADMIN_TOKEN set to a new one.
        On the command line, sign in with your token, or with `parlour login` and your password:

          parlour login http://127.0.0.1:4870 --token-file -
          parlour history general

        Stop with Ctrl+C.
        ");
    }

    #[test]
    fn a_chosen_token_is_never_repeated() {
        let text = banner("127.0.0.1:4870", None).text(Some("a-long-enough-secret"));
        assert!(!text.contains("a-long-enough-secret"), "{text}");
        assert!(text.contains("the token of PARLOUR_ADMIN_TOKEN"), "{text}");
        assert!(!text.contains("! "), "{text}");
    }

    #[test]
    fn the_first_line_is_the_address_and_nothing_else() {
        let text = banner("[::1]:9", None).text(None);
        assert_eq!(text.lines().next(), Some("Listening on http://[::1]:9"));
    }

    #[test]
    fn insecure_settings_are_reported() {
        let mut banner = banner("0.0.0.0:4870", None);
        banner.privacy = Privacy::OpenToOthers;
        let warnings = banner.warnings(Some("short")).join("\n");
        for word in ["fewer than 16", "plain HTTP", "chmod 700 'data'"] {
            assert!(warnings.contains(word), "{warnings}");
        }
    }

    #[test]
    fn a_tls_hub_shows_https_and_no_warning() {
        let banner = Banner { is_tls: true, ..banner("0.0.0.0:4870", None) };
        assert_eq!(banner.text(None).lines().next(), Some("Listening on https://0.0.0.0:4870"));
        assert_eq!(banner.local_url(), "https://127.0.0.1:4870");
        assert!(banner.warnings(None).is_empty());
    }

    #[test]
    fn a_wildcard_address_is_shown_as_loopback() {
        assert_eq!(banner("0.0.0.0:1", None).local_url(), "http://127.0.0.1:1");
        assert_eq!(banner("[::]:1", None).local_url(), "http://[::1]:1");
        assert_eq!(banner("10.0.0.7:1", None).local_url(), "http://10.0.0.7:1");
    }
}
