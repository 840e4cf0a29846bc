//! `parlour project`: makes and shows projects.

use clap::{Args, Subcommand};
use parlour_agent::requests::NewProject;
use parlour_core::{name::Name, project};

use crate::{
    failure::Failure,
    output::{Output, shell::quoted, table::Table},
    profiles::ProfileStore,
    session::{Connection, Session},
};

#[derive(Debug, Subcommand)]
pub(crate) enum ProjectCommand {
    Create(ProjectCreate),
    List(ProjectList),
    Show(ProjectShow),
    Use(ProjectUse),
    Invite(ProjectInvite),
}

impl ProjectCommand {
    pub(crate) async fn run(self) -> Result<Output, Failure> {
        match self {
            Self::Create(command) => command.run().await,
            Self::List(command) => command.run().await,
            Self::Show(command) => command.run().await,
            Self::Use(command) => command.run().await,
            Self::Invite(command) => command.run().await,
        }
    }
}

/// Create a project
#[derive(Args, Debug)]
#[command(after_help = "Example:\n  parlour project create Apollo --description 'The next release'")]
pub(crate) struct ProjectCreate {
    /// Name, unique on the hub
    name: Name,
    /// Description of the project
    #[arg(long, value_name = "TEXT")]
    description: Option<String>,
    #[command(flatten)]
    connection: Connection,
}

impl ProjectCreate {
    async fn run(self) -> Result<Output, Failure> {
        let session = self.connection.open()?;
        let request = NewProject { name: self.name, description: self.description };
        let project = session.client.create_project(&request).await?;
        session.answer(&project, |project| {
            let next = format!("parlour channel create general --project {}", quoted(project.name.as_str()));
            format!("Project {} was created ({}).\n{}", project.name, project.id, session.next(&next))
        })
    }
}

/// Select the project that commands of this profile use by default
#[derive(Args, Debug)]
#[command(after_help = "Example:\n  parlour project use Apollo")]
pub(crate) struct ProjectUse {
    /// Project, by name or id
    name: String,
    #[command(flatten)]
    connection: Connection,
}

impl ProjectUse {
    async fn run(self) -> Result<Output, Failure> {
        let session = self.connection.open()?;
        let project = session.project_named(&self.name).await?;
        let Some(name) = &session.profile else {
            return Err(Failure::usage("no profile is in use, so no project can be stored")
                .hint("sign in with `parlour login`, or set PARLOUR_PROJECT"));
        };
        ProfileStore::required()?.change(|profiles| {
            if let Some(profile) = profiles.all.get_mut(name) {
                profile.project = Some(project.name.to_string());
            }
            Ok(())
        })?;
        session.answer(&project, |project| format!("Commands of profile {name} now use project {}.\n", project.name))
    }
}

/// List the projects that you can see
#[derive(Args, Debug)]
#[command(after_help = "Example:\n  parlour project list")]
pub(crate) struct ProjectList {
    #[command(flatten)]
    connection: Connection,
}

impl ProjectList {
    async fn run(self) -> Result<Output, Failure> {
        let session = self.connection.open()?;
        let page = session.client.projects().await?;
        session.answer(&page, |page| {
            let mut table = Table::new(&["id", "name", "created", "description"]);
            for project in &page.items {
                let made = session.local_time.show(project.created_at);
                let description = project.description.as_deref().unwrap_or_default();
                table.row(&[project.id.as_str(), project.name.as_str(), &made, description]);
            }
            table.render(session.style)
        })
    }
}

/// Show one project
#[derive(Args, Debug)]
#[command(after_help = "Example:\n  parlour project show Tour")]
pub(crate) struct ProjectShow {
    /// Project, by name or id; default: the current one
    name: Option<String>,
    #[command(flatten)]
    connection: Connection,
}

impl ProjectShow {
    async fn run(self) -> Result<Output, Failure> {
        let session = self.connection.open()?;
        let project = match &self.name {
            Some(name) => session.project_named(name).await?,
            None => session.project().await?,
        };
        session.answer(&project, |project| show(&session, project))
    }
}

/// The most important settings; `--json` prints all.
fn show(session: &Session, project: &project::Project) -> String {
    let loops = &project.policy.loop_limits;
    let mut table = Table::new(&["project", "value"]);
    table.row(&["name", project.name.as_str()]);
    table.row(&["id", project.id.as_str()]);
    table.row(&["description", project.description.as_deref().unwrap_or("–")]);
    table.row(&["owner", project.owner.as_str()]);
    table.row(&["created", &session.local_time.show(project.created_at)]);
    table.row(&["agent answers in a row", &loops.response_depth_max.to_string()]);
    table.row(&["pack token budget", &project.policy.budgets.pack_tokens_max.to_string()]);
    table.render(session.style)
        + &session.next(&format!("parlour channel list --project {}", quoted(project.name.as_str())))
}

/// Add a person to the project
#[derive(Args, Debug)]
#[command(after_help = "Example:\n  parlour project invite Mara --project Apollo")]
pub(crate) struct ProjectInvite {
    /// Person, by name or id
    person: String,
    #[command(flatten)]
    connection: Connection,
}

impl ProjectInvite {
    async fn run(self) -> Result<Output, Failure> {
        let session = self.connection.open()?;
        let project = session.project().await?;
        let id = session.person(&self.person).await?;
        let person = session.client.add_project_person(&project.id, &id).await?;
        session.answer(&person, |person| format!("{} was added to {}.\n", person.name, project.name))
    }
}
