//! `parlour doctor`: looks at everything a hub and its commands need, and says what to type next.

use std::env;

use clap::Args;
use parlour_adapters::SystemClock;
use parlour_hub::ports::Clock as _;
use serde::Serialize;

use crate::{
    failure::{EXIT_FAILED, Failure},
    folder_lock::{FolderLock, Holder},
    output::{Output, style::Style},
    settings::{Both, ClientSettings, Flags, ServerSettings, Sources},
};

mod check;
mod database;
mod folder;
mod hub;
mod keys;
mod providers;
mod rights;
mod setup;
mod tls;

use check::{Check, Verdict};

const EXAMPLES: &str = "\
Examples:
  parlour doctor
  parlour doctor --data /srv/parlour --json";

/// Look whether everything is in order
///
/// Nothing is changed. It looks at the settings, the data folder and who gets at it, the disk, the database, the keys,
/// the providers of models, the port, and at the hub that your commands would call. The exit code is 1 when something is broken.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Doctor {
    /// Print JSON, for programs
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    flags: Flags<Both>,
}

/// What was found.
#[derive(Clone, Debug, Serialize)]
struct Report {
    version: &'static str,
    checks: Vec<Check>,
    /// The next command to type.
    next: String,
}

impl Doctor {
    pub(crate) async fn run(self) -> Result<Output, Failure> {
        let report = self.look().await;
        let exit = if report.is_broken() { EXIT_FAILED } else { 0 };
        let output = if self.json { Output::json(&report)? } else { Output::text(report.show(Style::for_stdout())) };
        Ok(Output { exit, ..output })
    }

    /// Goes as far as the settings can be read: everything else depends on them.
    async fn look(&self) -> Report {
        let environment = |name: &str| env::var_os(name);
        let names: Vec<_> = env::vars_os().filter_map(|(name, _)| name.into_string().ok()).collect();
        let mut checks = vec![setup::check_variables(&names)];
        let settings = Sources::open(&self.flags, &environment).and_then(|sources| {
            checks.push(setup::check_file(&sources));
            Ok((ServerSettings::read(&sources)?, ClientSettings::read(&sources)?))
        });
        match settings {
            Ok((server, client)) => look_further(checks, &server, &client).await,
            Err(error) => {
                checks.push(Check::bad("settings", error.to_string()));
                Report::new(checks, "correct the setting, then: parlour doctor".to_owned())
            }
        }
    }
}

/// Looks at what the settings lead to. A hub that runs on the folder is left in peace: its database is not opened.
async fn look_further(mut checks: Vec<Check>, server: &ServerSettings, client: &ClientSettings) -> Report {
    let holder = FolderLock::holder(&server.data).ok().flatten();
    checks.push(folder::check_folder(&server.data));
    checks.push(rights::check_rights(&server.data));
    checks.push(folder::check_disk(&server.data));
    checks.push(check_lock(holder.as_ref()));
    checks.push(database::check_database(&server.data, holder.as_ref()));
    checks.extend(server.tls.as_ref().map(tls::check_tls));
    checks.push(keys::check_keys(&server.data, SystemClock::default().now()));
    checks.extend(keys::check_issuer(server.issuer.as_ref()));
    checks.push(providers::check_providers(&server.providers));
    checks.extend(providers::check_rerankers(&server.rerankers));
    checks.push(hub::check_port(server.listen, holder.as_ref()).await);
    let (reach, standing) = hub::check_client(client).await;
    checks.extend([reach.clone(), standing.clone()]);
    let next = next_command(&checks, &reach, &standing);
    Report::new(checks, next)
}

/// A running hub is as good as none: both are states to work in.
fn check_lock(holder: Option<&Holder>) -> Check {
    match holder {
        None => Check::good("hub", "none runs on this folder"),
        Some(holder) => {
            let place = holder.url.as_deref().map(|url| format!(" at {url}")).unwrap_or_default();
            Check::good("hub", format!("process {} runs on this folder{place}", holder.pid))
        }
    }
}

/// Repairs before a start, a start before a token, a token before talking.
fn next_command(checks: &[Check], reach: &Check, standing: &Check) -> String {
    if let Some(broken) = checks.iter().find(|check| check.verdict == Verdict::Bad) {
        return format!("repair \"{}\" as said above, then: parlour doctor", broken.name);
    }
    if reach.verdict != Verdict::Good {
        return "parlour serve".to_owned();
    }
    if standing.verdict == Verdict::Warning {
        return "parlour token renew".to_owned();
    }
    if standing.verdict != Verdict::Good {
        return "export PARLOUR_TOKEN=… with your token, then: parlour history general".to_owned();
    }
    "parlour history general".to_owned()
}

impl Report {
    fn new(checks: Vec<Check>, next: String) -> Self {
        Self { version: env!("CARGO_PKG_VERSION"), checks, next }
    }

    /// Warnings and notes are for people; only what does not work counts for the exit code.
    fn is_broken(&self) -> bool {
        self.checks.iter().any(|check| check.verdict == Verdict::Bad)
    }

    fn show(&self, style: Style) -> String {
        let lines: String = self.checks.iter().map(|check| check.show(style) + "\n").collect();
        format!("Parlour {}\n\n{lines}\nNext: {}\n", self.version, self.next)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn next(checks: &[Check]) -> String {
        let [.., reach, standing] = checks else { panic!("two at least") };
        next_command(checks, reach, standing)
    }

    #[test]
    fn the_next_command_is_the_first_thing_that_is_missing() {
        let (good, note) = (Check::good("x", ""), Check::note("x", ""));
        let broken = Check::bad("disk", "full");
        assert!(next(&[broken, note.clone(), note.clone()]).starts_with("repair \"disk\""));
        assert_eq!(next(&[note.clone(), note.clone()]), "parlour serve");
        assert!(next(&[good.clone(), note]).starts_with("export PARLOUR_TOKEN"));
        assert_eq!(next(&[good.clone(), Check::warning("token", "ends soon")]), "parlour token renew");
        assert_eq!(next(&[good.clone(), good]), "parlour history general");
    }

    #[test]
    fn a_warning_breaks_nothing() {
        let report = |check| Report::new(vec![check], String::new());
        assert!(!report(Check::warning("disk", "low")).is_broken());
        assert!(report(Check::bad("disk", "full")).is_broken());
    }
}
