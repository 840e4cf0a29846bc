//! Finding messages.

use parlour_core::{
    access::Principal,
    id::ProjectId,
    message::Message,
    paging::{Page, PageRequest},
    scope::Scope,
    search_query::SearchQuery,
};

use crate::{Failure, Hub};

/// A message that was found, with the place that matches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SearchHit {
    /// A short piece of the text around the first match.
    pub snippet: String,
    /// The message.
    pub message: Message,
}

impl Hub {
    /// Finds messages that hold all words of the text, newest first. A page may be short and still have a next.
    pub async fn search(
        &self,
        caller: &Principal,
        project: &ProjectId,
        text: &str,
        page: &PageRequest,
    ) -> Result<Page<SearchHit>, Failure> {
        self.access.require_scope(caller, Scope::MessagesRead)?;
        let query = SearchQuery::parse(text)?;
        self.access.load_visible_project(caller, project).await?;
        let mut found = self.store.search(project, caller, &query, page).await?;
        for message in &mut found.items {
            self.streams.fill_streaming_text(message).await?;
        }
        Ok(found.map(|message| SearchHit { snippet: query.snippet(&message.body), message }))
    }
}
