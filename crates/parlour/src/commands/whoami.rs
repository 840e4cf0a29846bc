//! `parlour whoami`: the identity that commands use.

use clap::Args;
use parlour_agent::answers::{Me, Role};
use parlour_core::scope::Scope;
use serde::Serialize;

use crate::{
    failure::Failure,
    output::Output,
    profiles::ProfileName,
    session::{Connection, Session},
};

const EXAMPLES: &str = "\
Examples:
  parlour whoami
  parlour whoami --profile work --json";

/// Show the member, hub, project and token that commands use
///
/// The hub confirms the token: exit code 1 if it does not accept it.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct WhoamiCommand {
    #[command(flatten)]
    connection: Connection,
}

#[derive(Serialize)]
struct Identity {
    /// Absent if the token is from the environment or a settings file.
    #[serde(skip_serializing_if = "Option::is_none")]
    profile: Option<ProfileName>,
    url: String,
    #[serde(flatten)]
    me: Me,
    /// The name of the project that commands use; absent if several are visible and none is selected.
    #[serde(skip_serializing_if = "Option::is_none")]
    project: Option<String>,
}

impl WhoamiCommand {
    pub(crate) async fn run(self) -> Result<Output, Failure> {
        let session = self.connection.open()?;
        let me = session.client.me().await?;
        // A wrong project must not hide the identity; other commands report it.
        let project = session.project().await.ok().map(|project| project.name.to_string());
        let identity = Identity { profile: session.profile.clone(), url: session.client.url().to_owned(), me, project };
        session.answer(&identity, |identity| identity.show(&session))
    }
}

impl Identity {
    fn show(&self, session: &Session) -> String {
        let Self { profile, url, me, project } = self;
        let role = match me.role {
            Role::Admin => "administrator",
            Role::Person => "person",
            Role::Agent => "agent",
        };
        let acts_as = me.acts_as.as_ref().map(|program| format!(", writes as {}", program.name)).unwrap_or_default();
        let token = me.token_id.as_ref().map(ToString::to_string).unwrap_or_default();
        let ends =
            me.expires_at.map_or("no expiry".to_owned(), |at| format!("expires {}", session.local_time.show(at)));
        let scopes = if me.scopes.len() >= Scope::ALL.len() { "all".to_owned() } else { me.scopes.join(", ") };
        let lines = [
            ("Member", format!("{} ({}), {role}{acts_as}", me.name, me.member_id)),
            ("Hub", url.clone()),
            ("Profile", profile.as_ref().map_or("none: the token is from a setting".to_owned(), ToString::to_string)),
            ("Project", project.clone().unwrap_or_else(|| "none selected (`parlour project use NAME`)".to_owned())),
            ("Token", format!("{token}, {ends}")),
            ("Scopes", scopes),
        ];
        lines.iter().map(|(label, value)| format!("{label:<8}  {value}\n")).collect()
    }
}
