//! `parlour person`: adds and shows people.

mod link;
mod password;

use clap::{Args, Subcommand};
use parlour_agent::{answers::CreatedPerson, requests::NewPerson};
use parlour_core::{id::PersonId, name::Name};

use super::shown_once::show_token;
use crate::{
    failure::Failure,
    output::{Output, shell::quoted, table::Table},
    session::{Connection, Session},
};

/// What can be done with people.
#[derive(Debug, Subcommand)]
pub(crate) enum Person {
    Create(Create),
    List(List),
    Token(Token),
    Link(link::Link),
    Password(password::Password),
}

impl Person {
    pub(crate) async fn run(self) -> Result<Output, Failure> {
        match self {
            Self::Create(command) => command.run().await,
            Self::List(command) => command.run().await,
            Self::Token(command) => command.run().await,
            Self::Link(command) => command.run().await,
            Self::Password(command) => command.run().await,
        }
    }
}

/// Add a person to the hub and show the token, once; for administrators
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  parlour person create Mara\n  parlour person create Jonas --admin")]
pub(crate) struct Create {
    /// The name, unique on the hub
    name: Name,
    /// Make the person an administrator
    #[arg(long)]
    admin: bool,
    #[command(flatten)]
    connection: Connection,
}

impl Create {
    async fn run(self) -> Result<Output, Failure> {
        let session = self.connection.open()?;
        let created = session.client.create_person(&NewPerson { name: self.name, is_admin: self.admin }).await?;
        session.answer(&created, |created| show_created(&session, created))
    }
}

/// A new person is in no project yet, so that is the next step.
fn show_created(session: &Session, created: &CreatedPerson) -> String {
    let person = &created.person;
    let role = if person.is_admin { "Administrator" } else { "Person" };
    let next = session.next(&format!("parlour project invite {}", quoted(person.name.as_str())));
    let token = show_token(session, &created.token);
    format!("{role} {} was added ({}).\n{token}{next}", person.name, person.id)
}

/// List the people of the hub
#[derive(Args, Debug)]
#[command(after_help = "Example:\n  parlour person list")]
pub(crate) struct List {
    #[command(flatten)]
    connection: Connection,
}

impl List {
    async fn run(self) -> Result<Output, Failure> {
        let session = self.connection.open()?;
        let page = session.client.people().await?;
        session.answer(&page, |page| {
            let mut table = Table::new(&["id", "name", "added", "role"]);
            for person in &page.items {
                let added = session.moments.show(person.created_at);
                let role = if person.is_admin { "administrator" } else { "person" };
                table.row(&[person.id.as_str(), person.name.as_str(), &added, role]);
            }
            table.render(session.style)
        })
    }
}

/// Give a person a new token in place of the old one
#[derive(Args, Debug)]
#[command(after_help = "Example:\n  parlour person token Mara")]
pub(crate) struct Token {
    /// The person, by name or id
    person: String,
    #[command(flatten)]
    connection: Connection,
}

impl Token {
    async fn run(self) -> Result<Output, Failure> {
        let session = self.connection.open()?;
        let id = session.person(&self.person).await?;
        let renewed = session.client.renew_person_token(&id).await?;
        session.answer(&renewed, |renewed| {
            format!("{id} has a new token; the old one no longer works.\n{}", show_token(&session, &renewed.token))
        })
    }
}

/// The person with this name or id, or whoever calls.
async fn person_or_self(session: &Session, wanted: Option<&str>) -> Result<PersonId, Failure> {
    if let Some(wanted) = wanted {
        return session.person(wanted).await;
    }
    let me = session.client.me().await?;
    let missing = || Failure::new(format!("{} is an agent; only people sign in with browsers", me.name));
    me.member_id.person().cloned().ok_or_else(missing)
}
