//! `parlour audit`: lists, exports and verifies the audit log.

use std::{
    fs::File,
    io::{self, Read, Write as _},
    path::{Path, PathBuf},
};

use clap::{Args, Subcommand};
use parlour_core::{
    Refusal, Timestamp,
    audit::{AuditEntry, AuditFilter, AuditFlaw, AuditHead, ResultFilter},
    id::MemberId,
    limits,
    paging::Page,
};
use serde::Serialize;

use crate::{
    failure::Failure,
    output::{Output, table::Table},
    session::{Connection, Session},
};

mod log_verifier;

use log_verifier::{LogVerifier, Verified};

#[derive(Debug, Subcommand)]
pub(crate) enum AuditCommand {
    List(AuditList),
    Export(AuditExportCommand),
    Verify(AuditVerify),
}

impl AuditCommand {
    pub(crate) async fn run(self) -> Result<Output, Failure> {
        match self {
            Self::List(command) => command.run().await,
            Self::Export(command) => command.run().await,
            Self::Verify(command) => command.run().await,
        }
    }
}

const LIST_EXAMPLES: &str = "\
Examples:
  parlour audit list                              the latest entries
  parlour audit list --result refused             refused requests only
  parlour audit list --actor Mara --limit 200
  parlour audit list --action tokens.issued --since 2026-11-01T00:00:00Z
  parlour audit list --project Tour --json

Administrators only; the token needs the scope `admin`.";

/// Maximum number of pages; a page may be empty and still have a next one.
const PAGES_MAX: usize = 100;

/// List changes and refused requests, newest first
#[derive(Args, Debug)]
#[command(after_help = LIST_EXAMPLES)]
pub(crate) struct AuditList {
    /// Only entries of this member, by name or id
    #[arg(long, value_name = "MEMBER")]
    actor: Option<String>,
    /// Only entries with this action, for example `messaging.posted`
    #[arg(long)]
    action: Option<String>,
    /// Only entries with this result: `done`, `refused`, or an error code
    #[arg(long, value_parser = parse::<ResultFilter>)]
    result: Option<ResultFilter>,
    /// Only entries at or after this time
    #[arg(long, value_name = "TIME", value_parser = parse::<Timestamp>)]
    since: Option<Timestamp>,
    /// Only entries before this time
    #[arg(long, value_name = "TIME", value_parser = parse::<Timestamp>)]
    until: Option<Timestamp>,
    /// Maximum number of entries
    #[arg(long, value_name = "NUMBER", default_value_t = 50)]
    limit: usize,
    #[command(flatten)]
    connection: Connection,
}

impl AuditList {
    async fn run(self) -> Result<Output, Failure> {
        let session = self.connection.open()?;
        let filter = self.filter(&session).await?;
        let mut found = Page { items: Vec::new(), next: None };
        for _ in 0..PAGES_MAX {
            let limit = (self.limit - found.items.len()).min(limits::PAGE_ITEMS_MAX);
            let page = session.client.audit(&filter, Some(limit), found.next.as_deref()).await?;
            found.items.extend(page.items);
            found.next = page.next;
            if found.next.is_none() || found.items.len() >= self.limit {
                break;
            }
        }
        session.answer(&found, |found| show(&session, found))
    }

    /// The filter; without a selected project it covers the whole hub.
    async fn filter(&self, session: &Session) -> Result<AuditFilter, Failure> {
        let project_id = match session.wanted_project {
            Some(_) => Some(session.project().await?.id),
            None => None,
        };
        let actor = match &self.actor {
            Some(wanted) => Some(self.actor(session, wanted).await?),
            None => None,
        };
        let (action, result) = (self.action.clone(), self.result);
        Ok(AuditFilter { project_id, actor, action, result, since: self.since, until: self.until })
    }

    async fn actor(&self, session: &Session, wanted: &str) -> Result<MemberId, Failure> {
        match (wanted.parse(), &session.wanted_project) {
            (Ok(id), _) => Ok(id),
            (Err(_), Some(_)) => session.member_in(&session.project().await?.id, wanted).await,
            (Err(_), None) => Ok(session.person(wanted).await?.into()),
        }
    }
}

fn parse<T: std::str::FromStr<Err = Refusal>>(text: &str) -> Result<T, String> {
    text.parse().map_err(|refusal: Refusal| refusal.detail)
}

fn show(session: &Session, found: &Page<AuditEntry>) -> String {
    if found.items.is_empty() && found.next.is_none() {
        return "No entries found.\n".to_owned();
    }
    let mut table = Table::new(&["no", "time", "actor", "action", "result", "via", "subject"]);
    for entry in &found.items {
        let (no, when) = (entry.no.to_string(), session.local_time.show(entry.at));
        let subject = entry.subject.as_deref().unwrap_or_default();
        table.row(&[&no, &when, &entry.actor.name, &entry.action, &entry.result, entry.surface.as_str(), subject]);
    }
    let mut text = table.render(session.style);
    if found.next.is_some() {
        text += "\nMore entries exist; raise --limit, or use `parlour audit export`.\n";
    }
    text
}

const EXPORT_EXAMPLES: &str = "\
Examples:
  parlour audit export > audit.jsonl
  parlour audit export --after 5000 >> audit.jsonl    continue an earlier export
  parlour audit export | gzip > audit.jsonl.gz

Administrators only; the token needs the scope `admin`.";

/// Write the audit log to stdout as JSON lines, oldest entry first
#[derive(Args, Debug)]
#[command(after_help = EXPORT_EXAMPLES)]
pub(crate) struct AuditExportCommand {
    /// Only entries after this number
    #[arg(long, value_name = "NUMBER", default_value_t = 0)]
    after: u64,
    #[command(flatten)]
    connection: Connection,
}

impl AuditExportCommand {
    async fn run(self) -> Result<Output, Failure> {
        let session = self.connection.open()?;
        let mut export = session.client.export_audit(self.after).await?;
        while let Some(bytes) = export.next().await? {
            if !write_stdout(&bytes)? {
                break;
            }
        }
        Ok(Output::default())
    }
}

/// Writes to stdout. Returns false for a closed pipe; other errors fail the export.
fn write_stdout(bytes: &[u8]) -> Result<bool, Failure> {
    let mut stdout = io::stdout().lock();
    match stdout.write_all(bytes).and_then(|()| stdout.flush()) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(false),
        Err(error) => Err(Failure::broken("write the export", &error)),
    }
}

const VERIFY_EXAMPLES: &str = "\
Examples:
  parlour audit verify                        verify the log of the hub
  parlour audit verify audit.jsonl            verify an export; `-` reads stdin
  parlour audit verify --head 5000:9f86d081…  check that entry 5000 still has this hash

Store the head outside of the hub: somebody with access to its disk can write a new log, but not one with the same \
head. To verify an export that starts after an entry, pass the head of that entry.";

const PIECE_BYTES: usize = 64 * 1024;

/// Verify the hash chain of the audit log: no entry is missing, changed, moved or added
#[derive(Args, Debug)]
#[command(after_help = VERIFY_EXAMPLES)]
pub(crate) struct AuditVerify {
    /// Exported log; default: the log of the hub
    file: Option<PathBuf>,
    /// Head that was stored earlier, as NUMBER:HASH
    #[arg(long, value_name = "HEAD", value_parser = parse_head)]
    head: Option<AuditHead>,
    #[command(flatten)]
    connection: Connection,
}

#[derive(Serialize)]
struct VerifiedLog {
    entries: u64,
    head: AuditHead,
}

impl AuditVerify {
    async fn run(self) -> Result<Output, Failure> {
        let lines = LogVerifier::new(self.head);
        let verified = match &self.file {
            None => self.check_hub(lines).await?,
            Some(path) if path == Path::new("-") => check_file(lines, io::stdin().lock())?,
            Some(path) => {
                let file = File::open(path).map_err(|error| Failure::broken(path.display(), &error))?;
                check_file(lines, file)?
            }
        };
        let Verified { entries, head } = verified;
        if self.connection.is_json() {
            return Output::json(&VerifiedLog { entries, head });
        }
        Ok(Output::text(format!("The audit log is intact: {entries} entries verified.\nHead: {head}\n")))
    }

    async fn check_hub(&self, mut lines: LogVerifier) -> Result<Verified, Failure> {
        let mut export = self.connection.open()?.client.export_audit(0).await?;
        while let Some(bytes) = export.next().await? {
            lines.add(&bytes).map_err(damaged)?;
        }
        lines.finish().map_err(damaged)
    }
}

fn check_file(mut lines: LogVerifier, mut file: impl Read) -> Result<Verified, Failure> {
    let mut piece = vec![0; PIECE_BYTES];
    loop {
        match file.read(&mut piece) {
            Ok(0) => return lines.finish().map_err(damaged),
            Ok(length) => lines.add(&piece[..length]).map_err(damaged)?,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(Failure::broken("read the export", &error)),
        }
    }
}

#[expect(clippy::needless_pass_by_value, reason = "it takes an error in map_err")]
fn damaged(flaw: AuditFlaw) -> Failure {
    Failure::new(format!("the audit log is damaged: {flaw}"))
}

fn parse_head(text: &str) -> Result<AuditHead, String> {
    text.parse().map_err(|refusal: Refusal| refusal.detail)
}
