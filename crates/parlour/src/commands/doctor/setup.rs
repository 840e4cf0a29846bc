//! The settings themselves: the file and the environment.

use std::path::Path;

use parlour_agent::engines::COMMAND_VARIABLES;

use super::check::Check;
use crate::{
    data_folder::{Privacy, privacy},
    settings::{Both, Sources, TABLE},
};

/// Looks for variables that look like settings and are none.
pub(super) fn check_variables(names: &[String]) -> Check {
    // Inside of a command that answers for an agent, its runner has set a few.
    let given = COMMAND_VARIABLES.iter().map(|name| (*name).to_owned());
    let known: Vec<_> = TABLE.iter().map(|setting| setting.variable()).chain(given).collect();
    let (ours, others): (Vec<_>, Vec<_>) =
        names.iter().filter(|name| name.starts_with("PARLOUR_")).partition(|name| known.contains(name));
    if !others.is_empty() {
        let list = others.into_iter().cloned().collect::<Vec<_>>().join(", ");
        return Check::warning(
            "environment",
            format!("{list}: set, but no setting has this name; see docs/settings.md"),
        );
    }
    match ours.len() {
        0 => Check::good("environment", "no PARLOUR_ variable is set"),
        _ => Check::good("environment", ours.into_iter().cloned().collect::<Vec<_>>().join(", ")),
    }
}

/// Tells which file was read, and whether others can read a token in it.
pub(super) fn check_file(sources: &Sources<'_, Both>) -> Check {
    let Some(file) = sources.file_name() else {
        return Check::good("settings", "no parlour.toml here: flags, environment and defaults count");
    };
    let is_open = privacy(Path::new(file)).is_ok_and(|privacy| privacy == Privacy::OpenToOthers);
    if is_open && sources.has_secret_in_file() {
        return Check::warning("settings", format!("{file} holds a token and others can read it: chmod 600 '{file}'"));
    }
    Check::good("settings", format!("{file} was read"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::doctor::check::Verdict;

    fn variables(names: &[&str]) -> Check {
        check_variables(&names.iter().map(ToString::to_string).collect::<Vec<_>>())
    }

    #[test]
    fn a_mistyped_variable_is_named() {
        let check = variables(&["PATH", "PARLOUR_LISTN", "PARLOUR_DATA"]);
        assert_eq!(check.verdict, Verdict::Warning);
        assert!(check.detail.starts_with("PARLOUR_LISTN: set, but"), "{}", check.detail);
    }

    #[test]
    fn known_variables_are_listed_without_their_values() {
        assert_eq!(variables(&["PARLOUR_TOKEN", "PARLOUR_URL"]).detail, "PARLOUR_TOKEN, PARLOUR_URL");
        assert_eq!(variables(&["PATH"]).verdict, Verdict::Good);
        assert_eq!(variables(&["PARLOUR_AGENT"]).verdict, Verdict::Good, "a command of an agent may ask too");
    }
}
