//! `parlour login`: signs in to a hub and stores the credential as a profile.

use std::{
    fs::File,
    io::{self, IsTerminal as _, Read},
    path::{Path, PathBuf},
};

use clap::Args;
use parlour_agent::{
    Client, ClientOptions, TlsOptions,
    answers::{Me, Role},
    normal_hub_url,
    requests::{IssueToken, SignIn},
};
use parlour_core::{
    id::{MemberId, TokenId},
    limits,
    token::TokenKind,
};
use serde_json::json;

use super::agent::machine_name;
use crate::{
    failure::Failure,
    lifetime::Lifetime,
    output::{Output, local_time::LocalTime},
    profiles::{Profile, ProfileName, ProfileStore, Profiles},
    resolve::project_named,
    session::Connection,
    settings::parse_token,
};

const EXAMPLES: &str = "\
Examples:
  parlour login                                   prompts for name and password, a token or a link
  parlour login https://chat.example --name Mara
  parlour login 'http://127.0.0.1:4870/sign-in#code=parlour_lnk_…'
  parlour login --token-file -                    prompts for the token without echo
  pass show parlour | parlour login --name Mara --password-file -
  parlour login https://chat.example --profile work --project Apollo

The credential is stored in profiles.toml in $XDG_CONFIG_HOME/parlour or ~/.config/parlour, readable for you only. With a \
password or a link, the hub issues a token for this profile, and `parlour logout` revokes it.";

/// The end of the path of a sign-in link.
const LINK_MARK: &str = "/sign-in#code=";

/// Sign in to a hub and store the credential as a profile
///
/// A person signs in with name and password, a sign-in link or a token; an agent with its token. The profile becomes the
/// default one, except for an agent if there is another profile.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct LoginCommand {
    /// URL of the hub, or a sign-in link; default: the hub of the profile, or http://127.0.0.1:4870
    #[arg(value_name = "URL|LINK")]
    hub: Option<String>,
    /// Name of the person
    #[arg(long, value_name = "NAME", conflicts_with = "token_file")]
    name: Option<String>,
    /// File with the password in its first line; `-` reads it from stdin
    #[arg(long, value_name = "FILE", requires = "name")]
    password_file: Option<PathBuf>,
    /// File with the token in its first line; `-` reads it from stdin, or prompts for it
    #[arg(long, value_name = "FILE")]
    token_file: Option<PathBuf>,
    /// Time until the issued token expires
    #[arg(long, value_name = "TIME", default_value = "90d")]
    expires: Lifetime,
    #[command(flatten)]
    connection: Connection,
}

/// The credential to sign in with.
enum LoginCredential {
    Token(String),
    SignIn(SignIn),
}

/// The token of the new profile and its owner.
struct LoggedIn {
    client: Client,
    url: String,
    ca: Option<PathBuf>,
    token: String,
    issued: Option<TokenId>,
    me: Me,
}

impl LoginCommand {
    pub(crate) async fn run(self) -> Result<Output, Failure> {
        let store = ProfileStore::required()?;
        let profiles = store.read()?;
        let named = self.connection.profile_name()?;
        let (url, credential) = self.credential(&self.target(&profiles, named.as_ref())?)?;
        let known_ca = || profiles.all.values().find(|one| one.url == url).and_then(|one| one.ca.clone());
        let ca = self.connection.settings_without_profile()?.tls.ca.map(|path| absolute(&path)).or_else(known_ca);
        let logged_in = log_in(&url, ca, credential, self.expires).await?;
        match self.store(&store, named, &logged_in).await {
            Ok((name, is_default)) => self.report(&logged_in, &name, is_default),
            Err(failure) => {
                // Nobody would know the token that was issued.
                revoke_issued(&logged_in.profile(None)).await;
                Err(failure)
            }
        }
    }

    /// Stores the profile; returns its name and whether it is the default one. The token that it replaces is revoked.
    async fn store(
        &self,
        store: &ProfileStore,
        named: Option<ProfileName>,
        logged_in: &LoggedIn,
    ) -> Result<(ProfileName, bool), Failure> {
        let project = match self.connection.project_flag() {
            Some(wanted) => Some(project_named(&logged_in.client, wanted).await?.name.to_string()),
            None => None,
        };
        let (name, is_default, replaced) = store.change(|profiles| {
            let name = named.unwrap_or_else(|| profile_name(profiles, logged_in));
            let replaced = profiles.all.get(&name).cloned();
            let kept = replaced.as_ref().filter(|old| old.url == logged_in.url).and_then(|old| old.project.clone());
            let becomes_default = logged_in.me.role != Role::Agent || profiles.all.is_empty();
            profiles.put(name.clone(), logged_in.profile(project.or(kept)), becomes_default)?;
            let is_default = profiles.default.as_ref() == Some(&name);
            Ok((name, is_default, replaced))
        })?;
        if let Some(old) = replaced.filter(|old| old.token != logged_in.token) {
            revoke_issued(&old).await;
        }
        Ok((name, is_default))
    }

    /// The hub: the argument, a URL setting, the hub of the named or default profile, or the default URL.
    fn target(&self, profiles: &Profiles, named: Option<&ProfileName>) -> Result<String, Failure> {
        if let Some(hub) = &self.hub {
            return Ok(hub.clone());
        }
        if let Some(url) = self.connection.url_setting()? {
            return Ok(url);
        }
        let profile = match named {
            Some(name) => profiles.all.get(name),
            None => profiles.default_profile().map(|(_, profile)| profile),
        };
        match profile {
            Some(profile) => Ok(profile.url.clone()),
            None => Ok(self.connection.settings_without_profile()?.url),
        }
    }

    /// The hub and the credential. A sign-in link contains both.
    fn credential(&self, hub: &str) -> Result<(String, LoginCredential), Failure> {
        if let Some(link) = read_link(hub) {
            return Ok(link);
        }
        let url = normal_hub_url(hub)?;
        if let Some(path) = &self.token_file {
            let text = secret_from(path, "Token")?;
            return Ok((url, LoginCredential::Token(checked_token(&text)?)));
        }
        match (&self.name, &self.password_file) {
            (Some(name), path) => {
                let path = path.as_deref().unwrap_or(Path::new("-"));
                let password = secret_from(path, "Password")?;
                Ok((url, LoginCredential::SignIn(SignIn::Password { name: name.clone(), password })))
            }
            (None, _) => ask(url),
        }
    }

    fn report(&self, logged_in: &LoggedIn, name: &ProfileName, is_default: bool) -> Result<Output, Failure> {
        let LoggedIn { url, me, issued, .. } = logged_in;
        if self.connection.is_json() {
            return Output::json(&json!({"profile": name, "is_default": is_default, "url": url, "member": me}));
        }
        let which = if is_default { "the default profile" } else { "a further profile" };
        let ends = me.expires_at.map(|at| format!(" until {}", LocalTime::local().show(at))).unwrap_or_default();
        let own = match issued {
            Some(_) => format!("A token was issued for it, valid{ends}; `parlour logout` revokes it.\n"),
            None => format!("The token is stored, valid{}.\n", if ends.is_empty() { " without expiry" } else { &ends }),
        };
        let next = match is_default {
            true => "parlour history general".to_owned(),
            false => format!("parlour history general --profile {name}"),
        };
        Ok(Output::text(format!("Signed in to {url} as {}: {which} {name}.\n{own}Next: {next}\n", me.name)))
    }
}

impl LoggedIn {
    fn profile(&self, project: Option<String>) -> Profile {
        Profile {
            url: self.url.clone(),
            token: self.token.clone(),
            issued: self.issued.clone(),
            member: self.me.name.to_string(),
            project,
            ca: self.ca.clone(),
        }
    }
}

async fn log_in(
    url: &str,
    ca: Option<PathBuf>,
    credential: LoginCredential,
    expires: Lifetime,
) -> Result<LoggedIn, Failure> {
    let (token, issued) = match credential {
        LoginCredential::Token(token) => (token, None),
        LoginCredential::SignIn(sign_in) => {
            let client = client_with(url, ca.as_ref(), None)?;
            let issued = client.sign_in(&sign_in, &token_request(expires)).await?;
            let no_secret = || Failure::new("the hub issued a token without a secret");
            (issued.secret.ok_or_else(no_secret)?, Some(issued.token.id))
        }
    };
    let client = client_with(url, ca.as_ref(), Some(&token))?;
    let me = client.me().await?;
    Ok(LoggedIn { url: client.url().to_owned(), client, ca, token, issued, me })
}

fn client_with(url: &str, ca: Option<&PathBuf>, token: Option<&str>) -> Result<Client, Failure> {
    let tls = TlsOptions { ca: ca.cloned(), identity: None };
    Ok(Client::with_options(url, &ClientOptions { token: token.map(str::to_owned), tls })?)
}

fn token_request(expires: Lifetime) -> IssueToken {
    let label = format!("parlour login on {}", machine_name().as_deref().unwrap_or("an unnamed machine"));
    IssueToken {
        member_id: None,
        kind: TokenKind::Static,
        label: label.chars().take(limits::TOKEN_LABEL_CHARS_MAX).collect(),
        scopes: None,
        acts_as: None,
        expires_in_seconds: Some(expires.0),
        certificate_sha256: None,
        issuer: None,
        subject: None,
    }
}

/// The profile of the same member at the same hub; otherwise a free name after the agent, the hub, or both.
fn profile_name(profiles: &Profiles, logged_in: &LoggedIn) -> ProfileName {
    let LoggedIn { url, me, .. } = logged_in;
    let is_same = |profile: &Profile| profile.url == *url && profile.member == me.name.as_str();
    if let Some((name, _)) = profiles.all.iter().find(|(_, profile)| is_same(profile)) {
        return name.clone();
    }
    let first = match me.member_id {
        MemberId::Agent(_) => ProfileName::of_agent(me.name.as_str()),
        MemberId::Person(_) => ProfileName::of_hub(url),
    };
    if profiles.all.contains_key(&first) {
        return ProfileName::of_hub(&format!("http://{}.{}", me.name, ProfileName::of_hub(url)));
    }
    first
}

/// Revokes the token of a profile if a sign-in has issued it. An error is not reported: the token expires by itself.
async fn revoke_issued(profile: &Profile) {
    let Some(id) = &profile.issued else { return };
    if let Ok(client) = client_with(&profile.url, profile.ca.as_ref(), Some(&profile.token)) {
        let _ = client.revoke_token(id).await;
    }
}

/// Reads a sign-in link: the URL of the hub and the code.
fn read_link(text: &str) -> Option<(String, LoginCredential)> {
    let (url, code) = text.trim().split_once(LINK_MARK)?;
    Some((url.to_owned(), LoginCredential::SignIn(SignIn::Link { code: code.to_owned() })))
}

fn checked_token(text: &str) -> Result<String, Failure> {
    parse_token(text).map_err(|reason| Failure::usage(format!("the token is invalid: {reason}")))
}

/// The first line of a file. `-` is stdin; on a terminal it is a prompt without echo.
fn secret_from(path: &Path, prompt: &str) -> Result<String, Failure> {
    if path != Path::new("-") {
        let file = File::open(path);
        let file = file.map_err(|error| Failure::broken(format!("read {}", path.display()), &error))?;
        return first_line(file, &path.display().to_string());
    }
    if io::stdin().is_terminal() { ask_secret(prompt) } else { first_line(io::stdin(), "stdin") }
}

fn first_line(input: impl Read, place: &str) -> Result<String, Failure> {
    let mut text = String::new();
    let bytes_max = limits::TOKEN_CHARS_MAX as u64 + 2;
    input
        .take(bytes_max)
        .read_to_string(&mut text)
        .map_err(|error| Failure::broken(format!("read {place}"), &error))?;
    let line = text.lines().next().unwrap_or_default();
    if line.is_empty() {
        return Err(Failure::usage(format!("the first line of {place} is empty")));
    }
    Ok(line.to_owned())
}

fn ask_secret(prompt: &str) -> Result<String, Failure> {
    let asked = dialoguer::Password::new().with_prompt(prompt).interact();
    asked.map_err(|error| Failure::broken(format!("ask for the {}", prompt.to_lowercase()), &error))
}

/// Prompts for name and password, or for a token or link.
fn ask(url: String) -> Result<(String, LoginCredential), Failure> {
    if !io::stdin().is_terminal() {
        return Err(Failure::usage("no credential is given, and stdin is not a terminal")
            .hint("pass --token-file FILE, --name NAME --password-file FILE, or a sign-in link"));
    }
    let prompt = format!("Name on {url} (empty: use a token or a sign-in link)");
    let name = dialoguer::Input::<String>::new().with_prompt(prompt).allow_empty(true).interact_text();
    let name = name.map_err(|error| Failure::broken("ask for the name", &error))?;
    if !name.trim().is_empty() {
        let password = ask_secret("Password")?;
        return Ok((url, LoginCredential::SignIn(SignIn::Password { name: name.trim().to_owned(), password })));
    }
    let text = ask_secret("Token or sign-in link")?;
    match read_link(&text) {
        Some(link) => Ok(link),
        None => Ok((url, LoginCredential::Token(checked_token(text.trim())?))),
    }
}

fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sign_in_link_contains_hub_and_code() {
        let (url, credential) = read_link("https://chat.example/sign-in#code=parlour_lnk_1\n").expect("a link");
        assert_eq!(url, "https://chat.example");
        assert!(matches!(credential, LoginCredential::SignIn(SignIn::Link { code }) if code == "parlour_lnk_1"));
        assert!(read_link("https://chat.example").is_none());
    }

    #[test]
    fn a_secret_is_the_first_line() {
        assert_eq!(first_line("secret\nrest".as_bytes(), "x").as_deref(), Ok("secret"));
        assert!(first_line("\nsecret".as_bytes(), "x").is_err_and(|failure| failure.exit == 2));
        assert!(checked_token("a b").is_err());
    }
}
