//! `parlour person`: adds and lists people, and sets up their sign-in.

use std::io::{self, IsTerminal as _, Read as _};

use clap::{Args, Subcommand};
use parlour_agent::{
    answers::CreatedPerson,
    requests::{NewPassword, NewPerson},
};
use parlour_core::{id::PersonId, limits, name::Name};
use serde_json::json;

use super::token::show_token;
use crate::{
    failure::Failure,
    output::{Output, shell::quoted, table::Table},
    session::{Connection, Session},
};

#[derive(Debug, Subcommand)]
pub(crate) enum PersonCommand {
    Create(PersonCreate),
    List(PersonList),
    Token(PersonToken),
    Link(PersonLink),
    Password(PersonPassword),
}

impl PersonCommand {
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

/// Add a person to the hub and print the token once (administrators)
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  parlour person create Mara\n  parlour person create Jonas --admin")]
pub(crate) struct PersonCreate {
    /// Name, unique on the hub
    name: Name,
    /// Make the person an administrator
    #[arg(long)]
    admin: bool,
    #[command(flatten)]
    connection: Connection,
}

impl PersonCreate {
    async fn run(self) -> Result<Output, Failure> {
        let session = self.connection.open()?;
        let created = session.client.create_person(&NewPerson { name: self.name, is_admin: self.admin }).await?;
        session.answer(&created, |created| show_created(&session, created))
    }
}

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
pub(crate) struct PersonList {
    #[command(flatten)]
    connection: Connection,
}

impl PersonList {
    async fn run(self) -> Result<Output, Failure> {
        let session = self.connection.open()?;
        let page = session.client.people().await?;
        session.answer(&page, |page| {
            let mut table = Table::new(&["id", "name", "added", "role"]);
            for person in &page.items {
                let added = session.local_time.show(person.created_at);
                let role = if person.is_admin { "administrator" } else { "person" };
                table.row(&[person.id.as_str(), person.name.as_str(), &added, role]);
            }
            table.render(session.style)
        })
    }
}

/// Replace the token of a person
#[derive(Args, Debug)]
#[command(after_help = "Example:\n  parlour person token Mara")]
pub(crate) struct PersonToken {
    /// Person, by name or id
    person: String,
    #[command(flatten)]
    connection: Connection,
}

impl PersonToken {
    async fn run(self) -> Result<Output, Failure> {
        let session = self.connection.open()?;
        let id = session.person(&self.person).await?;
        let renewed = session.client.renew_person_token(&id).await?;
        session.answer(&renewed, |renewed| {
            format!("New token for {id}; the old token is revoked.\n{}", show_token(&session, &renewed.token))
        })
    }
}

/// The given person, or the caller.
async fn person_or_self(session: &Session, wanted: Option<&str>) -> Result<PersonId, Failure> {
    if let Some(wanted) = wanted {
        return session.person(wanted).await;
    }
    let me = session.client.me().await?;
    let missing = || Failure::new(format!("{} is an agent; only people sign in with a browser", me.name));
    me.member_id.person().cloned().ok_or_else(missing)
}

/// Create a one-time sign-in link for the browser
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  parlour person link\n  parlour person link Mara")]
pub(crate) struct PersonLink {
    /// Person, by name or id; default: yourself
    person: Option<String>,
    #[command(flatten)]
    connection: Connection,
}

impl PersonLink {
    async fn run(self) -> Result<Output, Failure> {
        let session = self.connection.open()?;
        let id = person_or_self(&session, self.person.as_deref()).await?;
        let link = session.client.make_link(&id).await?;
        session.answer(&link, |link| {
            format!("One-time sign-in link, valid for 24 hours:\n  {}{}\n", session.client.url(), link.path)
        })
    }
}

const PASSWORD_EXAMPLES: &str = "\
Examples:
  parlour person password               set your own; prompts for it
  parlour person password Mara          for another person (administrators)
  pass show parlour | parlour person password

From a pipe, the first line is the new password, and an optional second line the current one.";

/// Set the password of a person for sign-in with the browser
#[derive(Args, Debug)]
#[command(after_help = PASSWORD_EXAMPLES)]
pub(crate) struct PersonPassword {
    /// Person, by name or id; default: yourself
    person: Option<String>,
    /// Prompt for the current password too; required if you have one
    #[arg(long)]
    change: bool,
    #[command(flatten)]
    connection: Connection,
}

impl PersonPassword {
    async fn run(self) -> Result<Output, Failure> {
        let session = self.connection.open()?;
        let id = person_or_self(&session, self.person.as_deref()).await?;
        let request = if io::stdin().is_terminal() { ask_password(self.change)? } else { read_password(io::stdin())? };
        session.client.set_password(&id, &request).await?;
        session.answer(&json!({"person_id": id}), |_| {
            format!("New password set for {id}; other browser sessions were signed out.\n")
        })
    }
}

/// Prompts without echo.
fn ask_password(is_change: bool) -> Result<NewPassword, Failure> {
    let prompt = |text: &str| dialoguer::Password::new().with_prompt(text);
    let broken = |error: dialoguer::Error| Failure::broken("ask for a password", &error);
    let current = is_change.then(|| prompt("Current password").interact()).transpose().map_err(broken)?;
    let new = prompt("New password").with_confirmation("Again", "The passwords differ; try again.");
    Ok(NewPassword { current, password: new.interact().map_err(broken)? })
}

/// Reads the new password and an optional current one from a pipe.
fn read_password(input: impl io::Read) -> Result<NewPassword, Failure> {
    let mut text = String::new();
    let room = 2 * (limits::PASSWORD_BYTES_MAX as u64 + 2);
    input.take(room).read_to_string(&mut text).map_err(|error| Failure::broken("read the password", &error))?;
    let mut lines = text.lines().map(str::to_owned);
    let password = lines.next().filter(|line| !line.is_empty());
    let password = password.ok_or_else(|| Failure::usage("no password on stdin"))?;
    Ok(NewPassword { current: lines.next(), password })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pipe_holds_the_password_and_the_one_before() {
        let both = read_password("correct horse\nbattery staple\n".as_bytes()).expect("read");
        assert_eq!((both.password.as_str(), both.current.as_deref()), ("correct horse", Some("battery staple")));
        let one = read_password("correct horse".as_bytes()).expect("read");
        assert_eq!((one.password.as_str(), one.current), ("correct horse", None));
    }

    #[test]
    fn an_empty_pipe_is_a_wrong_call() {
        for text in ["", "\n", "\nx"] {
            assert!(read_password(text.as_bytes()).is_err_and(|failure| failure.exit == 2), "{text:?}");
        }
    }
}
