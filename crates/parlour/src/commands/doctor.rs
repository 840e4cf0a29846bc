//! `parlour doctor`: checks the installation.

use std::env;

use clap::Args;
use parlour_adapters::SystemClock;
use parlour_hub::ports::Clock as _;
use serde::Serialize;

use crate::{
    failure::{EXIT_FAILED, Failure},
    folder_lock::{FolderLock, Holder},
    output::{
        Output,
        style::{Emphasis, Style},
    },
    session::stored_profiles,
    settings::{Both, ClientSettings, ResolvedClient, ServerSettings, SettingFlags, SettingSources},
};

mod data;
mod hub;
mod settings;

const EXAMPLES: &str = "\
Examples:
  parlour doctor
  parlour doctor --data /srv/parlour --json";

/// Check the installation, the settings and the hub
///
/// Checks the settings, the data folder and its permissions, the disk, the database, the keys, the model providers, the
/// port, and the hub that client commands call. Changes nothing. The exit code is 1 when a check fails.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct DoctorCommand {
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    flags: SettingFlags<Both>,
}

#[derive(Clone, Debug, Serialize)]
struct DoctorReport {
    version: &'static str,
    checks: Vec<CheckResult>,
    next: String,
}

impl DoctorCommand {
    pub(crate) async fn run(self) -> Result<Output, Failure> {
        let report = self.look().await;
        let exit = if report.is_broken() { EXIT_FAILED } else { 0 };
        let output = if self.json { Output::json(&report)? } else { Output::text(report.show(Style::for_stdout())) };
        Ok(Output { exit, ..output })
    }

    /// Stops after the settings if they are invalid, because all other checks depend on them.
    async fn look(&self) -> DoctorReport {
        let environment = |name: &str| env::var_os(name);
        let names: Vec<_> = env::vars_os().filter_map(|(name, _)| name.into_string().ok()).collect();
        let mut checks = vec![settings::check_variables(&names)];
        let settings = SettingSources::open(&self.flags, &environment).map_err(Failure::from).and_then(|sources| {
            checks.push(settings::check_file(&sources));
            Ok((ServerSettings::read(&sources)?, ResolvedClient::read(&sources, stored_profiles, || true)?))
        });
        match settings {
            Ok((server, client)) => run_checks(checks, &server, &client.settings).await,
            Err(error) => {
                checks.push(CheckResult::bad("settings", error.reason()));
                DoctorReport::new(checks, "correct the setting, then run: parlour doctor".to_owned())
            }
        }
    }
}

/// Runs the checks that need valid settings. The database of a running hub is not opened.
async fn run_checks(mut checks: Vec<CheckResult>, server: &ServerSettings, client: &ClientSettings) -> DoctorReport {
    let holder = FolderLock::holder(&server.data).ok().flatten();
    checks.push(data::check_folder(&server.data));
    checks.push(data::check_rights(&server.data));
    checks.push(data::check_disk(&server.data));
    checks.push(check_lock(holder.as_ref()));
    checks.push(data::check_database(&server.data, holder.as_ref()));
    checks.extend(server.tls.as_ref().map(settings::check_tls));
    checks.push(settings::check_keys(&server.data, SystemClock::default().now()));
    checks.extend(settings::check_issuer(server.issuer.as_ref()));
    checks.push(settings::check_providers(&server.providers));
    checks.extend(settings::check_rerankers(&server.rerankers));
    checks.push(hub::check_port(server.listen, holder.as_ref()).await);
    let (reach, standing) = hub::check_client(client).await;
    checks.extend([reach.clone(), standing.clone()]);
    let next = next_command(&checks, &reach, &standing);
    DoctorReport::new(checks, next)
}

fn check_lock(holder: Option<&Holder>) -> CheckResult {
    match holder {
        None => CheckResult::good("hub", "no hub is running on this folder"),
        Some(holder) => {
            let address = holder.url.as_deref().map(|url| format!(" at {url}")).unwrap_or_default();
            CheckResult::good("hub", format!("process {} is running on this folder{address}", holder.pid))
        }
    }
}

/// The next command: fix a failed check, start a hub, get a token, or use it.
fn next_command(checks: &[CheckResult], reach: &CheckResult, standing: &CheckResult) -> String {
    if let Some(broken) = checks.iter().find(|check| check.verdict == Verdict::Bad) {
        return format!("fix \"{}\" as described above, then run: parlour doctor", broken.name);
    }
    if reach.verdict != Verdict::Good {
        return "parlour serve".to_owned();
    }
    if standing.verdict == Verdict::Warning {
        return "parlour token renew".to_owned();
    }
    if standing.verdict != Verdict::Good {
        return "parlour login".to_owned();
    }
    "parlour history general".to_owned()
}

impl DoctorReport {
    fn new(checks: Vec<CheckResult>, next: String) -> Self {
        Self { version: env!("CARGO_PKG_VERSION"), checks, next }
    }

    /// Only failed checks affect the exit code, not warnings and notes.
    fn is_broken(&self) -> bool {
        self.checks.iter().any(|check| check.verdict == Verdict::Bad)
    }

    fn show(&self, style: Style) -> String {
        let lines: String = self.checks.iter().map(|check| check.show(style) + "\n").collect();
        format!("Parlour {}\n\n{lines}\nNext: {}\n", self.version, self.next)
    }
}

/// The result of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum Verdict {
    Good,
    /// Information only, such as a missing data folder before the first start.
    Note,
    /// A risk that does not prevent operation.
    Warning,
    Bad,
}

/// A check and its result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
struct CheckResult {
    name: &'static str,
    verdict: Verdict,
    detail: String,
}

const NAME_CHARS_MAX: usize = 12;

impl CheckResult {
    fn good(name: &'static str, detail: impl Into<String>) -> Self {
        Self { name, verdict: Verdict::Good, detail: detail.into() }
    }

    fn note(name: &'static str, detail: impl Into<String>) -> Self {
        Self { verdict: Verdict::Note, ..Self::good(name, detail) }
    }

    fn warning(name: &'static str, detail: impl Into<String>) -> Self {
        Self { verdict: Verdict::Warning, ..Self::good(name, detail) }
    }

    fn bad(name: &'static str, detail: impl Into<String>) -> Self {
        Self { verdict: Verdict::Bad, ..Self::good(name, detail) }
    }

    fn show(&self, style: Style) -> String {
        let (mark, look) = match self.verdict {
            Verdict::Good => ("✓", Emphasis::Good),
            Verdict::Note => ("·", Emphasis::Dim),
            Verdict::Warning => ("!", Emphasis::Warning),
            Verdict::Bad => ("✗", Emphasis::Bad),
        };
        format!("{} {:<NAME_CHARS_MAX$}  {}", style.paint(look, mark), self.name, self.detail)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn next(checks: &[CheckResult]) -> String {
        let [.., reach, standing] = checks else { panic!("two at least") };
        next_command(checks, reach, standing)
    }

    #[test]
    fn the_next_command_is_the_first_thing_that_is_missing() {
        let (good, note) = (CheckResult::good("x", ""), CheckResult::note("x", ""));
        let broken = CheckResult::bad("disk", "full");
        assert!(next(&[broken, note.clone(), note.clone()]).starts_with("fix \"disk\""));
        assert_eq!(next(&[note.clone(), note.clone()]), "parlour serve");
        assert_eq!(next(&[good.clone(), note]), "parlour login");
        assert_eq!(next(&[good.clone(), CheckResult::warning("token", "ends soon")]), "parlour token renew");
        assert_eq!(next(&[good.clone(), good]), "parlour history general");
    }

    #[test]
    fn a_warning_breaks_nothing() {
        let report = |check| DoctorReport::new(vec![check], String::new());
        assert!(!report(CheckResult::warning("disk", "low")).is_broken());
        assert!(report(CheckResult::bad("disk", "full")).is_broken());
    }

    #[test]
    fn checks_are_aligned_below_one_another() {
        let shown =
            [CheckResult::good("disk", "a"), CheckResult::note("token", "b"), CheckResult::warning("data folder", "c")];
        let lines: Vec<_> = shown.iter().map(|check| check.show(Style::PLAIN)).collect();
        assert_eq!(lines, ["✓ disk          a", "· token         b", "! data folder   c"]);
        assert_eq!(CheckResult::bad("port", "d").show(Style::PLAIN), "✗ port          d");
    }

    #[test]
    fn programs_read_the_verdict_as_a_word() {
        let json = serde_json::to_value(CheckResult::bad("port", "d")).expect("json");
        assert_eq!(json, serde_json::json!({"name": "port", "verdict": "bad", "detail": "d"}));
    }
}
