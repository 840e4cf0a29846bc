//! Resources: conversations and the inbox, for clients in which a person selects what a model reads.

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
    message_format::{BodyLength, message_text, quoted_name},
    request::{McpRequest, page},
    tool_output::without_nulls,
};
use crate::http_error::HttpError;

const INBOX_URI: &str = "parlour://inbox";
const CONVERSATION_URI_PREFIX: &str = "parlour://conversation/";
const MIME_TYPE: &str = "text/markdown";

/// Lists the inbox and the channels of the caller's project. For a person with several projects it lists only the inbox;
/// their conversations can be read by URI.
pub(super) async fn list(mcp: &McpRequest<'_>, cursor: Option<String>) -> Result<ListResourcesResult, ErrorData> {
    let mut resources = Vec::new();
    if cursor.is_none() {
        let inbox = Resource::new(INBOX_URI, "inbox").with_title("Your unread messages");
        resources.push(inbox.with_mime_type(MIME_TYPE));
    }
    let mut next = None;
    // A person with several projects, or a token without access to channels, still gets the inbox.
    if let Ok(project) = mcp.project(None).await {
        let page = page(None, cursor).map_err(|refusal| protocol_error(refusal.into(), None))?;
        if let Ok(channels) = mcp.hub.channels(mcp.caller, &project, &page).await {
            let topics = channels.items.iter().map(|channel| channel.topic.clone().unwrap_or_default()).collect();
            let topics = mcp.hub.lines_for_models(&project, topics).await;
            let topics = topics.map_err(|failure| protocol_error(failure, None))?;
            resources
                .extend(channels.items.iter().zip(&topics).map(|(channel, topic)| channel_resource(channel, topic)));
            next = channels.next;
        }
    }
    let mut listed =
        ListResourcesResult::with_all_items(resources).with_ttl_ms(0).with_cache_scope(CacheScope::Private);
    listed.next_cursor = next;
    Ok(listed)
}

/// A channel with its redacted topic. The topic is quoted, because a model may read it as a description by the hub.
fn channel_resource(channel: &Channel, topic: &str) -> Resource {
    let resource = Resource::new(format!("{CONVERSATION_URI_PREFIX}{}", channel.id), format!("#{}", channel.name));
    let description = match topic {
        "" => "The latest messages of the channel".to_owned(),
        topic => format!("The latest messages of the channel. Topic: {}", quoted_name(topic)),
    };
    resource.with_description(description).with_mime_type(MIME_TYPE)
}

/// The URI template of a conversation.
pub(super) fn templates() -> ListResourceTemplatesResult {
    let conversation = ResourceTemplate::new(format!("{CONVERSATION_URI_PREFIX}{{id}}"), "conversation")
        .with_description("The latest messages of a channel, thread or DM, by its id")
        .with_mime_type(MIME_TYPE);
    ListResourceTemplatesResult::with_all_items(vec![conversation]).with_cache_scope(CacheScope::Private)
}

/// Reads a resource.
pub(super) async fn read(mcp: &McpRequest<'_>, uri: &str) -> Result<ReadResourceResult, ErrorData> {
    let text = match uri.strip_prefix(CONVERSATION_URI_PREFIX) {
        Some(id) => conversation(mcp, id).await,
        None if uri == INBOX_URI => inbox(mcp).await,
        None => Err(unknown_resource(uri).into()),
    };
    let text = text.map_err(|failure| protocol_error(failure, Some(uri)))?;
    let contents = ResourceContents::text(text, uri).with_mime_type(MIME_TYPE);
    Ok(ReadResourceResult::new(vec![contents]).with_ttl_ms(0).with_cache_scope(CacheScope::Private))
}

async fn conversation(mcp: &McpRequest<'_>, id: &str) -> Result<String, Failure> {
    let id: ConversationId = id.parse()?;
    let found = mcp.hub.history(mcp.caller, &id, &HistoryQuery::default(), &first_page()?).await?;
    let mut messages = mcp.hub.views(found.items).await?;
    messages.reverse();
    Ok(messages_text(&messages))
}

async fn inbox(mcp: &McpRequest<'_>) -> Result<String, Failure> {
    let page = first_page()?;
    let entries = match mcp.caller.member.agent() {
        Some(agent) => {
            let filter = InboxFilter { order: InboxOrder::Importance, ..InboxFilter::default() };
            mcp.hub.inbox(mcp.caller, agent, &filter, &page).await?.0.items
        }
        None => inbox_of_person(mcp, &page).await?,
    };
    Ok(messages_text(&mcp.hub.views(entries.into_iter().map(|entry| entry.message)).await?))
}

/// The unread messages of a person, project by project, up to one page.
async fn inbox_of_person(mcp: &McpRequest<'_>, page: &PageRequest) -> Result<Vec<InboxEntry>, Failure> {
    let mut entries = Vec::new();
    for project in mcp.hub.projects(mcp.caller, page).await?.items {
        if entries.len() >= page.limit() {
            break;
        }
        entries.extend(mcp.hub.my_inbox(mcp.caller, &project.id, page).await?.items);
    }
    entries.truncate(page.limit());
    Ok(entries)
}

fn first_page() -> Result<PageRequest, Refusal> {
    PageRequest::new(None, Some(limits::MCP_PAGE_ITEMS_DEFAULT))
}

fn messages_text(messages: &[Message]) -> String {
    if messages.is_empty() {
        return "No messages.".to_owned();
    }
    messages.iter().map(|message| message_text(message, BodyLength::Truncated)).collect::<Vec<_>>().join("\n")
}

fn unknown_resource(uri: &str) -> Refusal {
    let shown: String = uri.chars().take(100).collect();
    Refusal::new(Code::NotFound, format!("there is no resource {shown:?}; resources/list lists those that exist"))
}

/// Converts a failure into an error of the protocol.
fn protocol_error(failure: Failure, uri: Option<&str>) -> ErrorData {
    let http_error = HttpError::from(failure);
    if let Some(fault) = http_error.fault() {
        tracing::error!(cause = fault.chain(), "a resource request failed");
        return ErrorData::internal_error("internal error; the log of the hub contains the cause", None);
    }
    let (code, detail) = (http_error.code(), http_error.refusal().map_or("", |refusal| refusal.detail.as_str()));
    let data = json!({"code": code.as_str(), "title": code.title(), "what_to_do": code.remedy(), "uri": uri});
    let data = Some(without_nulls(data));
    match code {
        Code::NotFound | Code::BadId => ErrorData::resource_not_found(detail.to_owned(), data),
        _ => ErrorData::invalid_request(detail.to_owned(), data),
    }
}
