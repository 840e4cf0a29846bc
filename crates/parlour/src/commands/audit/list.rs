use clap::Args;
use parlour_core::{
    Refusal, Timestamp,
    audit::{AuditEntry, AuditFilter, ResultFilter},
    id::MemberId,
    limits,
    paging::Page,
};

use crate::{
    failure::Failure,
    output::{Output, table::Table},
    session::{Connection, Session},
};

const EXAMPLES: &str = "\
Examples:
  parlour audit list                              what was done and refused last
  parlour audit list --result refused             who has tried what is not allowed
  parlour audit list --actor Mara --limit 200
  parlour audit list --action tokens.issued --since 2026-11-01T00:00:00Z
  parlour audit list --project Tour --json

Administrators only; the token needs the scope `admin`.";

/// A page may be empty and still have a next one: after this many the user decides.
const PAGES_MAX: usize = 100;

/// List what was changed or refused, newest first
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct List {
    /// Only what this member did, by name or id
    #[arg(long, value_name = "MEMBER")]
    actor: Option<String>,
    /// Only this action, for example `messaging.posted`
    #[arg(long)]
    action: Option<String>,
    /// Only what was `done`, `refused`, or refused with this code
    #[arg(long, value_parser = parse::<ResultFilter>)]
    result: Option<ResultFilter>,
    /// Only what happened at this time or later
    #[arg(long, value_name = "TIME", value_parser = parse::<Timestamp>)]
    since: Option<Timestamp>,
    /// Only what happened before this time
    #[arg(long, value_name = "TIME", value_parser = parse::<Timestamp>)]
    until: Option<Timestamp>,
    /// How many entries
    #[arg(long, value_name = "NUMBER", default_value_t = 50)]
    limit: usize,
    #[command(flatten)]
    connection: Connection,
}

impl List {
    pub(super) async fn run(self) -> Result<Output, Failure> {
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

    /// A project that was named bounds the list; without one it is that of the whole hub.
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
        return "Nothing found.\n".to_owned();
    }
    let mut table = Table::new(&["no", "when", "who", "what", "result", "by", "on"]);
    for entry in &found.items {
        let (no, when) = (entry.no.to_string(), session.moments.show(entry.at));
        let subject = entry.subject.as_deref().unwrap_or_default();
        table.row(&[&no, &when, &entry.actor.name, &entry.action, &entry.result, entry.surface.as_str(), subject]);
    }
    let mut text = table.render(session.style);
    if found.next.is_some() {
        text += "\nThere is more; raise --limit, or use `parlour audit export`.\n";
    }
    text
}
