//! Resources: conversations and the inbox, for clients that let a person choose what a model reads.

use parlour_core::{
    Code, Refusal,
    conversation::Channel,
    id::ConversationId,
    inbox::{InboxEntry, InboxFilter, InboxOrder},
    limits,
    message::Message,
    paging::PageRequest,
};
use parlour_hub::{Failure, use_cases::HistoryQuery};
use rmcp::{
    ErrorData,
    model::{
        CacheScope, ListResourceTemplatesResult, ListResourcesResult, ReadResourceResult, Resource, ResourceContents,
        ResourceTemplate,
    },
};
use serde_json::json;

use super::{
    outcome::without_nulls,
    shown::{self, Length},
    turn::{Turn, page},
};
use crate::http_error::HttpError;

/// The caller's inbox.
const INBOX: &str = "parlour://inbox";
/// What the address of a conversation begins with.
const CONVERSATION: &str = "parlour://conversation/";
/// How texts are marked.
const MIME: &str = "text/markdown";

/// Lists the inbox and the channels of the caller's project; a person who sees several projects finds all of theirs by
/// their addresses.
pub(super) async fn list(turn: &Turn<'_>, cursor: Option<String>) -> Result<ListResourcesResult, ErrorData> {
    let mut resources = Vec::new();
    if cursor.is_none() {
        let inbox = Resource::new(INBOX, "inbox").with_title("Your unread messages");
        resources.push(inbox.with_mime_type(MIME));
    }
    let mut next = None;
    // A person who sees several projects, or a token that may not see channels, still has the inbox.
    if let Ok(project) = turn.project(None).await {
        let page = page(None, cursor).map_err(|refusal| told(refusal.into(), None))?;
        if let Ok(channels) = turn.hub.channels(turn.caller, &project, &page).await {
            resources.extend(channels.items.iter().map(channel));
            next = channels.next;
        }
    }
    let mut listed =
        ListResourcesResult::with_all_items(resources).with_ttl_ms(0).with_cache_scope(CacheScope::Private);
    listed.next_cursor = next;
    Ok(listed)
}

fn channel(channel: &Channel) -> Resource {
    let resource = Resource::new(format!("{CONVERSATION}{}", channel.id), format!("#{}", channel.name));
    let topic = channel.topic.as_deref().unwrap_or("The last messages of the channel");
    resource.with_description(topic).with_mime_type(MIME)
}

/// How the address of any conversation is made.
pub(super) fn templates() -> ListResourceTemplatesResult {
    let conversation = ResourceTemplate::new(format!("{CONVERSATION}{{id}}"), "conversation")
        .with_description("The last messages of a channel, thread or dm, by its id")
        .with_mime_type(MIME);
    ListResourceTemplatesResult::with_all_items(vec![conversation]).with_cache_scope(CacheScope::Private)
}

/// Reads a resource.
pub(super) async fn read(turn: &Turn<'_>, address: &str) -> Result<ReadResourceResult, ErrorData> {
    let text = match address.strip_prefix(CONVERSATION) {
        Some(id) => conversation(turn, id).await,
        None if address == INBOX => inbox(turn).await,
        None => Err(unknown(address).into()),
    };
    let text = text.map_err(|failure| told(failure, Some(address)))?;
    let contents = ResourceContents::text(text, address).with_mime_type(MIME);
    Ok(ReadResourceResult::new(vec![contents]).with_ttl_ms(0).with_cache_scope(CacheScope::Private))
}

async fn conversation(turn: &Turn<'_>, id: &str) -> Result<String, Failure> {
    let id: ConversationId = id.parse()?;
    let found = turn.hub.history(turn.caller, &id, &HistoryQuery::default(), &usual_page()?).await?;
    let mut messages = turn.hub.views(found.items).await?;
    messages.reverse();
    Ok(in_words(&messages))
}

async fn inbox(turn: &Turn<'_>) -> Result<String, Failure> {
    let page = usual_page()?;
    let entries = match turn.caller.member.agent() {
        Some(agent) => {
            let filter = InboxFilter { order: InboxOrder::Importance, ..InboxFilter::default() };
            turn.hub.inbox(turn.caller, agent, &filter, &page).await?.0.items
        }
        None => inbox_of_person(turn, &page).await?,
    };
    Ok(in_words(&turn.hub.views(entries.into_iter().map(|entry| entry.message)).await?))
}

/// What a person has not read, project by project, up to one page.
async fn inbox_of_person(turn: &Turn<'_>, page: &PageRequest) -> Result<Vec<InboxEntry>, Failure> {
    let mut entries = Vec::new();
    for project in turn.hub.projects(turn.caller, page).await?.items {
        if entries.len() >= page.limit() {
            break;
        }
        entries.extend(turn.hub.my_inbox(turn.caller, &project.id, page).await?.items);
    }
    entries.truncate(page.limit());
    Ok(entries)
}

fn usual_page() -> Result<PageRequest, Refusal> {
    PageRequest::new(None, Some(limits::MCP_PAGE_ITEMS_DEFAULT))
}

fn in_words(messages: &[Message]) -> String {
    if messages.is_empty() {
        return "Nothing here.".to_owned();
    }
    messages.iter().map(|message| shown::message_text(message, Length::Cut)).collect::<Vec<_>>().join("\n")
}

fn unknown(address: &str) -> Refusal {
    let shown: String = address.chars().take(100).collect();
    Refusal::new(Code::NotFound, format!("there is no resource {shown:?}; there is {INBOX}"))
}

/// A refusal as an error of the protocol; what cannot be found says so in the protocol's own way.
fn told(failure: Failure, address: Option<&str>) -> ErrorData {
    let http_error = HttpError::from(failure);
    if let Some(fault) = http_error.fault() {
        tracing::error!(cause = fault.chain(), "a resource met a fault");
        return ErrorData::internal_error("the hub met a fault; its log has the cause", None);
    }
    let (code, detail) = (http_error.code(), http_error.refusal().map_or("", |refusal| refusal.detail.as_str()));
    let told = json!({"code": code.as_str(), "title": code.title(), "what_to_do": code.remedy(), "uri": address});
    let data = Some(without_nulls(told));
    match code {
        Code::NotFound | Code::BadId => ErrorData::resource_not_found(detail.to_owned(), data),
        _ => ErrorData::invalid_request(detail.to_owned(), data),
    }
}
