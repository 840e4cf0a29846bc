use clap::Args;
use parlour_core::{paging::Page, scope::Scopes, token::Token};

use super::create::token_owner;
use crate::{
    failure::Failure,
    output::{Output, table::Table},
    session::{Connection, Session},
};

/// List the tokens of a member: what lets it in, for what and until when
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  parlour token list\n  parlour token list --member Coder")]
pub(crate) struct List {
    /// Whose, by name or id; your own without it
    #[arg(long)]
    member: Option<String>,
    #[command(flatten)]
    connection: Connection,
}

impl List {
    pub(super) async fn run(self) -> Result<Output, Failure> {
        let session = self.connection.open()?;
        let member = match &self.member {
            Some(wanted) => Some(token_owner(&session, wanted).await?),
            None => None,
        };
        let page = session.client.tokens(member.as_ref()).await?;
        session.answer(&page, |page| show(&session, page))
    }
}

fn show(session: &Session, page: &Page<Token>) -> String {
    if page.items.is_empty() {
        return format!("There are no tokens.\n{}", session.next("parlour token create"));
    }
    let mut table = Table::new(&["id", "kind", "label", "made", "ends", "scopes"]);
    for token in &page.items {
        let kind = serde_json::to_value(token.kind).ok().and_then(|kind| kind.as_str().map(str::to_owned));
        let made = session.moments.show(token.created_at);
        let ends = token.expires_at.map_or("never".to_owned(), |at| session.moments.show(at));
        let scopes = if token.scopes == Scopes::all() { "all".to_owned() } else { token.scopes.to_string() };
        table.row(&[token.id.as_str(), &kind.unwrap_or_default(), &token.label, &made, &ends, &scopes]);
    }
    table.render(session.style)
}
