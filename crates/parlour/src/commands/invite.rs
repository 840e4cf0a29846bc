//! `parlour invite`: creates, lists and revokes invites.

use std::net::IpAddr;

use clap::{Args, Subcommand};
use parlour_agent::{answers::CreatedInvite, requests::NewInvite};
use parlour_core::{id::InviteId, invite::Invite, name::Name, paging::Page, scope::JoinRole};
use serde_json::json;

use crate::{
    choices,
    failure::Failure,
    lifetime::Lifetime,
    output::{Output, shell::quoted, table::Table},
    session::{Connection, Session},
};

/// Invite agents of other machines to the project
///
/// Prints the command to run on the other machine, and a warning if the address of the hub is reachable only from this
/// one. By default one agent can use the invite, within one day.
#[derive(Args, Debug)]
#[command(args_conflicts_with_subcommands = true, after_help = EXAMPLES)]
pub(crate) struct InviteCommand {
    #[command(subcommand)]
    command: Option<InviteSubcommand>,
    #[command(flatten)]
    create: InviteCreate,
}

#[derive(Debug, Subcommand)]
enum InviteSubcommand {
    List(InviteList),
    Revoke(InviteRevoke),
}

impl InviteCommand {
    pub(crate) async fn run(self) -> Result<Output, Failure> {
        match self.command {
            None => self.create.run().await,
            Some(InviteSubcommand::List(command)) => command.run().await,
            Some(InviteSubcommand::Revoke(command)) => command.run().await,
        }
    }
}

const EXAMPLES: &str = "\
Examples:
  parlour invite                                   for one agent, valid for one day
  parlour invite --role read-only --uses 5 --expires 7d --label 'build machines'
  parlour invite list
  parlour invite revoke inv_01KA3V8Q2N7W4T9Y6B5C0D1E2F";

/// The port in the proposed commands if the URL has none.
const DEFAULT_PORT: u16 = 4870;

#[derive(Args, Debug)]
pub(crate) struct InviteCreate {
    /// Role of the agents that join
    #[arg(long, value_name = "ROLE", value_parser = choices::role(), default_value = "full")]
    role: JoinRole,
    /// Number of agents that can join
    #[arg(long, value_name = "COUNT", default_value_t = 1)]
    uses: u32,
    /// Time until the invite expires, for example 7d or 12h
    #[arg(long, value_name = "TIME", default_value = "24h")]
    expires: Lifetime,
    /// Label for your own use
    #[arg(long, value_name = "TEXT", default_value = "")]
    label: String,
    #[command(flatten)]
    connection: Connection,
}

impl InviteCreate {
    async fn run(self) -> Result<Output, Failure> {
        let session = self.connection.open()?;
        let project = session.project().await?;
        let request = NewInvite {
            role: self.role,
            label: self.label,
            uses_max: self.uses,
            expires_in_seconds: Some(self.expires.0),
        };
        let created = session.client.create_invite(&project.id, &request).await?;
        session.answer(&created, |created| show_created(&session, &project.name, created))
    }
}

fn show_created(session: &Session, project: &Name, created: &CreatedInvite) -> String {
    let invite = &created.invite;
    let agents = if invite.uses_max == 1 { "One agent".to_owned() } else { format!("{} agents", invite.uses_max) };
    let ends = session.local_time.show(invite.expires_at);
    let url = session.client.url();
    let link = quoted(&format!("{url}/#{}", created.code));
    let role = invite.role.as_str();
    let (machine, warning) = if is_loopback(url) { ("this", only_here(url)) } else { ("the other", String::new()) };
    format!(
        "{agents} can join {project} ({role}) until {ends}. Run on {machine} machine:\n  parlour join {link} NAME\n{warning}"
    )
}

/// Whether a URL is reachable only from this machine.
fn is_loopback(url: &str) -> bool {
    let (host, _) = host_and_port(url);
    let host = host.trim_matches(['[', ']']).trim_end_matches('.');
    let is_local_name = host == "localhost" || host.ends_with(".localhost");
    is_local_name || host.parse::<IpAddr>().is_ok_and(|ip| ip.to_canonical().is_loopback() || ip.is_unspecified())
}

/// Host and port of the URL of a client, which was parsed and normalised before.
fn host_and_port(url: &str) -> (&str, Option<u16>) {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    match authority.rsplit_once(':').map(|(host, port)| (host, port.parse())) {
        Some((host, Ok(port))) => (host, Some(port)),
        _ => (authority, None),
    }
}

fn only_here(url: &str) -> String {
    let port = host_and_port(url).1.unwrap_or(DEFAULT_PORT);
    format!(
        "The address {url} is reachable only from this machine. For another machine:\n  \
         parlour serve --listen 0.0.0.0:{port} --tls-cert FILE --tls-key FILE\n  \
         parlour invite --url https://HOST:{port}\n\
         HOST is the address of this machine; a host name must also be in --hosts of the hub.\n"
    )
}

/// List the invites of the project
#[derive(Args, Debug)]
#[command(after_help = "Example:\n  parlour invite list")]
pub(crate) struct InviteList {
    #[command(flatten)]
    connection: Connection,
}

impl InviteList {
    async fn run(self) -> Result<Output, Failure> {
        let session = self.connection.open()?;
        let project = session.project().await?;
        let page = session.client.invites(&project.id).await?;
        session.answer(&page, |page| show_invites(&session, page))
    }
}

fn show_invites(session: &Session, page: &Page<Invite>) -> String {
    if page.items.is_empty() {
        return format!("No invites.\n{}", session.next("parlour invite"));
    }
    let mut table = Table::new(&["id", "role", "used", "expires", "label"]);
    for invite in &page.items {
        let used = format!("{} of {}", invite.uses, invite.uses_max);
        let ends = session.local_time.show(invite.expires_at);
        table.row(&[invite.id.as_str(), invite.role.as_str(), &used, &ends, &invite.label]);
    }
    table.render(session.style)
}

/// Revoke an invite; agents that already joined stay
#[derive(Args, Debug)]
#[command(after_help = "Example:\n  parlour invite revoke inv_01KA3V8Q2N7W4T9Y6B5C0D1E2F")]
pub(crate) struct InviteRevoke {
    /// Id of the invite (`parlour invite list`)
    id: InviteId,
    #[command(flatten)]
    connection: Connection,
}

impl InviteRevoke {
    async fn run(self) -> Result<Output, Failure> {
        let session = self.connection.open()?;
        session.client.revoke_invite(&self.id).await?;
        session.answer(&json!({"id": self.id}), |_| format!("Invite {} was revoked.\n", self.id))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_this_machine_are_recognised() {
        for url in [
            "http://127.0.0.1:4870",
            "http://127.8.8.8",
            "http://[::1]:4870",
            "http://[::ffff:127.0.0.1]:4870",
            "http://localhost:4870",
            "https://hub.localhost",
            "http://0.0.0.0:4870",
        ] {
            assert!(is_loopback(url), "{url}");
        }
        for url in
            ["https://chat.example", "http://192.168.1.7:4870", "http://[fd00::1]:4870", "https://localhost.example"]
        {
            assert!(!is_loopback(url), "{url}");
        }
    }

    #[test]
    fn the_warning_names_the_address_and_the_commands() {
        let text = only_here("http://127.0.0.1:5000");
        assert!(text.starts_with("The address http://127.0.0.1:5000 is reachable only from this machine."), "{text}");
        assert!(
            text.contains("parlour serve --listen 0.0.0.0:5000") && text.contains("--url https://HOST:5000"),
            "{text}"
        );
    }
}
