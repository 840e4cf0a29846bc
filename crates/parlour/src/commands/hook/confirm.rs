//! Asks before anything is written.

use std::io::{self, IsTerminal as _, Write as _};

use crate::{
    failure::{EXIT_FAILED, Failure},
    output::Output,
};

/// Whether to go on: nothing when it is to be done, otherwise how the command ends.
pub(super) fn ask(plan: &str, is_sure: bool) -> Result<Option<Output>, Failure> {
    if is_sure {
        return Ok(None);
    }
    if !io::stdin().is_terminal() {
        let text = format!("{plan}\nNothing was written: nobody is there to ask. Run it again with --yes.\n");
        return Ok(Some(Output { text, exit: EXIT_FAILED }));
    }
    let shown = io::stdout().write_all(plan.as_bytes()).and_then(|()| io::stdout().flush());
    shown.map_err(|error| Failure::broken("show the plan", &error))?;
    let answer = dialoguer::Confirm::new().with_prompt("Write this?").default(false).interact();
    let is_wanted = answer.map_err(|error| Failure::broken("ask", &error))?;
    let refused = || Output { text: "Nothing was written.\n".to_owned(), exit: EXIT_FAILED };
    Ok((!is_wanted).then(refused))
}
