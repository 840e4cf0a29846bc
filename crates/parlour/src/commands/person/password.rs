use std::io::{self, IsTerminal as _, Read as _};

use clap::Args;
use parlour_agent::requests::NewPassword;
use parlour_core::limits;
use serde_json::json;

use crate::{failure::Failure, output::Output, session::Connection};

const EXAMPLES: &str = "\
Examples:
  parlour person password               your own; asks for it
  parlour person password Mara          for administrators
  pass show parlour | parlour person password

From a pipe the first line is the password; a second line is the one before it, where there is one.";

/// Set the password with which a person signs in, in a browser
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Password {
    /// The person, by name or id; yourself without it
    person: Option<String>,
    /// Ask for the password before, which a person who has one must know
    #[arg(long)]
    change: bool,
    #[command(flatten)]
    connection: Connection,
}

impl Password {
    pub(super) async fn run(self) -> Result<Output, Failure> {
        let session = self.connection.open()?;
        let id = super::person_or_self(&session, self.person.as_deref()).await?;
        let request = if io::stdin().is_terminal() { ask(self.change)? } else { read(io::stdin())? };
        session.client.set_password(&id, &request).await?;
        session.answer(&json!({"person_id": id}), |_| {
            format!("{id} has a new password; other browsers were signed out.\n")
        })
    }
}

/// Asks at the terminal, without showing what is typed.
fn ask(is_change: bool) -> Result<NewPassword, Failure> {
    let prompt = |text: &str| dialoguer::Password::new().with_prompt(text);
    let broken = |error: dialoguer::Error| Failure::broken("ask for a password", &error);
    let current = is_change.then(|| prompt("Password before").interact()).transpose().map_err(broken)?;
    let new = prompt("New password").with_confirmation("Again", "The two differ; try again.");
    Ok(NewPassword { current, password: new.interact().map_err(broken)? })
}

/// Reads a pipe: the password, and in a second line the one before.
fn read(input: impl io::Read) -> Result<NewPassword, Failure> {
    let mut text = String::new();
    let room = 2 * (limits::PASSWORD_BYTES_MAX as u64 + 2);
    input.take(room).read_to_string(&mut text).map_err(|error| Failure::broken("read the password", &error))?;
    let mut lines = text.lines().map(str::to_owned);
    let password = lines.next().filter(|line| !line.is_empty());
    let password = password.ok_or_else(|| Failure::usage("there is no password on stdin"))?;
    Ok(NewPassword { current: lines.next(), password })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pipe_holds_the_password_and_the_one_before() {
        let both = read("correct horse\nbattery staple\n".as_bytes()).expect("read");
        assert_eq!((both.password.as_str(), both.current.as_deref()), ("correct horse", Some("battery staple")));
        let one = read("correct horse".as_bytes()).expect("read");
        assert_eq!((one.password.as_str(), one.current), ("correct horse", None));
    }

    #[test]
    fn an_empty_pipe_is_a_wrong_call() {
        for text in ["", "\n", "\nx"] {
            assert!(read(text.as_bytes()).is_err_and(|failure| failure.exit == 2), "{text:?}");
        }
    }
}
