use std::{
    fs::File,
    io::{self, Read},
    path::{Path, PathBuf},
};

use clap::Args;
use parlour_core::{
    Refusal,
    audit::{AuditFlaw, AuditHead},
};
use serde::Serialize;

use super::lines::{CheckedLines, Verified};
use crate::{failure::Failure, output::Output, session::Connection};

const EXAMPLES: &str = "\
Examples:
  parlour audit verify                        the log of the hub
  parlour audit verify audit.jsonl            an export; `-` reads stdin
  parlour audit verify --head 5000:9f86d081…  does the log still hold what it held then?

Note the head down somewhere else. Whoever holds the disk of the hub can make a whole log anew, but not one with the \
same head. An export that begins after an entry is verified with the head of that entry.";

/// How much of a file is read at once.
const PIECE_BYTES: usize = 64 * 1024;

/// Check that no entry of the audit log is missing, changed, moved or added
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Verify {
    /// An exported log; without it, the log of the hub
    file: Option<PathBuf>,
    /// A head that was noted down before, as NUMBER:HASH
    #[arg(long, value_name = "HEAD", value_parser = parse_head)]
    head: Option<AuditHead>,
    #[command(flatten)]
    connection: Connection,
}

/// What is told to programs.
#[derive(Serialize)]
struct Answer {
    entries: u64,
    head: AuditHead,
}

impl Verify {
    pub(super) async fn run(self) -> Result<Output, Failure> {
        let lines = CheckedLines::new(self.head);
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
            return Output::json(&Answer { entries, head });
        }
        Ok(Output::text(format!("The audit log is whole: {entries} entries were checked.\nHead: {head}\n")))
    }

    async fn check_hub(&self, mut lines: CheckedLines) -> Result<Verified, Failure> {
        let mut export = self.connection.open()?.client.export_audit(0).await?;
        while let Some(bytes) = export.next().await? {
            lines.add(&bytes).map_err(tell)?;
        }
        lines.finish().map_err(tell)
    }
}

fn check_file(mut lines: CheckedLines, mut file: impl Read) -> Result<Verified, Failure> {
    let mut piece = vec![0; PIECE_BYTES];
    loop {
        match file.read(&mut piece) {
            Ok(0) => return lines.finish().map_err(tell),
            Ok(length) => lines.add(&piece[..length]).map_err(tell)?,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(Failure::broken("read the export", &error)),
        }
    }
}

#[expect(clippy::needless_pass_by_value, reason = "it takes an error in map_err")]
fn tell(flaw: AuditFlaw) -> Failure {
    Failure::new(format!("the audit log is not whole: {flaw}"))
}

fn parse_head(text: &str) -> Result<AuditHead, String> {
    text.parse().map_err(|refusal: Refusal| refusal.detail)
}
