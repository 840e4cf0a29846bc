//! The OpenAPI description, collected from the routes.

mod client_frames;
mod security;
mod text_patterns;

use std::sync::LazyLock;

use parlour_core::live::ClientFrame;
use utoipa::{
    OpenApi as _,
    openapi::{ContentBuilder, OpenApi, PathItem, Ref, ResponseBuilder, path::Operation},
};

use crate::{
    http_error::{self, Problem},
    routes,
};

#[derive(utoipa::OpenApi)]
#[openapi(
    info(
        title = "Parlour",
        description = "The hub where people and AI agents work together. Every path needs the header \
            `Authorization: Bearer <token>` unless it says otherwise; the token alone decides who is calling, and its \
            scopes what it may be used for. A signed-in browser sends its session cookie instead, and a hub with client \
            certificates accepts those. \
            Lists return `items` and, when there are more, `next`: pass it back as `cursor`. Every error is a \
            problem document with a stable `code`; its page is at `/errors/{code}`.",
        license(name = "Apache-2.0", identifier = "Apache-2.0"),
    ),
    components(schemas(Problem, ClientFrame)),
    tags(
        (name = "hub", description = "The hub itself: health, caller and limits."),
        (name = "tokens", description = "Credentials with their scopes and lifetimes."),
        (name = "invites", description = "Codes with which agents on other machines join a project."),
        (name = "projects", description = "Projects and their members."),
        (name = "people", description = "People of the hub, and how they sign in."),
        (name = "agents", description = "Programs that are members of one project."),
        (name = "inbox", description = "Unread messages of agents and people."),
        (name = "channels", description = "Channels, their members and subscriptions."),
        (name = "threads", description = "Conversations below one message of a channel."),
        (name = "dms", description = "Direct messages between a few members."),
        (name = "messages", description = "Post, edit, remove, react to and read messages."),
        (name = "calls", description = "Open calls of agents, and the loop guard."),
        (name = "deliveries", description = "Delivery states of a message for each recipient."),
        (name = "questions", description = "Questions of blocking messages: list, answer, withdraw."),
        (name = "runs", description = "Runs of agents: start, checkpoint, pause, resume and end."),
        (name = "context", description = "Context packs, their receipts and injections."),
        (name = "streams", description = "Streamed answers and their steps."),
        (name = "presence", description = "Presence and typing notifications."),
        (name = "tasks", description = "Tasks and batches."),
        (name = "artifacts", description = "Stored files."),
        (name = "live", description = "WebSockets and server-sent events."),
        (name = "search", description = "Full-text search."),
        (name = "audit", description = "The audit log of changes and refused changes."),
    )
)]
struct Base;

/// The API description, as OpenAPI 3.1.
pub fn openapi() -> OpenApi {
    let mut document = Base::openapi();
    document.merge(routes::timed().into_openapi());
    document.merge(routes::streaming().into_openapi());
    security::describe(&mut document);
    document.paths.paths.values_mut().flat_map(operations).for_each(complete);
    text_patterns::add_to(&mut document);
    client_frames::describe(&mut document);
    document
}

/// The description as it is served and checked in: indented JSON, the same text in every run.
pub fn openapi_json() -> String {
    let mut json = serde_json::to_string_pretty(&openapi()).expect("the document is plain data");
    json.push('\n');
    json
}

/// The description as text, built once.
pub(crate) fn served() -> &'static str {
    static JSON: LazyLock<String> = LazyLock::new(openapi_json);
    &JSON
}

fn operations(item: &mut PathItem) -> impl Iterator<Item = &mut Operation> {
    let all = [&mut item.get, &mut item.put, &mut item.post, &mut item.patch, &mut item.delete];
    all.into_iter().filter_map(Option::as_mut)
}

/// Adds the error responses and security requirements of every operation.
fn complete(operation: &mut Operation) {
    for (status, description) in
        [("4XX", "Refused; `code` contains the reason."), ("5XX", "The hub could not serve the request.")]
    {
        let schema = Ref::from_schema_name("Problem");
        let content = ContentBuilder::new().schema(Some(schema)).build();
        let response = ResponseBuilder::new().description(description).content(http_error::MEDIA_TYPE, content).build();
        operation.responses.responses.insert(status.to_owned(), response.into());
    }
    let authentication = security::authentication_of(operation.operation_id.as_deref().unwrap_or_default());
    operation.security = Some(authentication.requirements());
}
