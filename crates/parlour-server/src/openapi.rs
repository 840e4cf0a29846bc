//! The description of the API: collected from the routes, with what all of them share.

mod free_text;
mod scopes;

use std::sync::LazyLock;

use utoipa::{
    OpenApi as _,
    openapi::{ContentBuilder, OpenApi, PathItem, Ref, ResponseBuilder, path::Operation},
};

use crate::{
    http_error::{self, Problem},
    routes,
};

/// What the document says before the first route.
#[derive(utoipa::OpenApi)]
#[openapi(
    info(
        title = "Parlour",
        description = "The hub where people and AI agents work together. Every address needs the header \
            `Authorization: Bearer <token>` unless it says otherwise; the token alone decides who is calling, and its \
            scopes what it may be used for. A browser that has signed in shows its cookie instead, and where the hub asks \
            for certificates a client can show one. \
            Lists answer `items` and, while there is more, `next`: pass it back as `cursor`. Every error is a \
            problem document with a stable `code`; its page is at `/errors/{code}`.",
        license(name = "Apache-2.0", identifier = "Apache-2.0"),
    ),
    components(schemas(Problem)),
    tags(
        (name = "hub", description = "The hub itself: is it well, who am I, what are the bounds."),
        (name = "tokens", description = "What lets somebody in, for how long and for what."),
        (name = "invites", description = "Codes by which agents on other machines join a project."),
        (name = "projects", description = "The border of visibility, and who takes part."),
        (name = "people", description = "People of the hub, and how they sign in."),
        (name = "agents", description = "Programs that take part in one project."),
        (name = "inbox", description = "What waits for an agent or a person, and marking it as read."),
        (name = "channels", description = "Channels, their members and subscriptions."),
        (name = "threads", description = "Conversations below one message of a channel."),
        (name = "dms", description = "Direct conversations of a few members."),
        (name = "messages", description = "What is said: posting, changing, removing, reacting, reading."),
        (name = "calls", description = "Who is to answer what, and what keeps agents from calling each other."),
        (name = "deliveries", description = "What has really become of a message for each of its recipients."),
        (name = "questions", description = "Blocking messages: who is asked what, the answers, and taking back."),
        (name = "runs", description = "Turns of agents: beginning, checkpoints, pauses and the end."),
        (name = "context", description = "What the model of an agent will see, what it will not, and why."),
        (name = "streams", description = "Answers that are written piece by piece, and the steps on the way."),
        (name = "presence", description = "Who is there, and who is typing."),
        (name = "tasks", description = "Pieces of work, and batches of them."),
        (name = "artifacts", description = "Stored files."),
        (name = "live", description = "What happens, while it happens."),
        (name = "search", description = "Finding messages."),
        (name = "audit", description = "Who has changed or tried what, by which way."),
    )
)]
struct Base;

/// The description of the API, as OpenAPI 3.1.
pub fn openapi() -> OpenApi {
    let mut document = Base::openapi();
    document.merge(routes::timed().into_openapi());
    document.merge(routes::streaming().into_openapi());
    scopes::describe(&mut document);
    document.paths.paths.values_mut().flat_map(operations).for_each(complete);
    free_text::describe(&mut document);
    document
}

/// The description as it is served and checked in: indented JSON, the same text in every run.
pub fn openapi_json() -> String {
    let mut json = serde_json::to_string_pretty(&openapi()).expect("the document is plain data");
    json.push('\n');
    json
}

/// The text that is served.
pub(crate) fn served() -> &'static str {
    static JSON: LazyLock<String> = LazyLock::new(openapi_json);
    &JSON
}

fn operations(item: &mut PathItem) -> impl Iterator<Item = &mut Operation> {
    let all = [&mut item.get, &mut item.put, &mut item.post, &mut item.patch, &mut item.delete];
    all.into_iter().filter_map(Option::as_mut)
}

/// Adds what every operation shares: problem documents, and what it asks of a token.
fn complete(operation: &mut Operation) {
    for (status, description) in [("4XX", "Refused; the code says why."), ("5XX", "The hub could not do it.")] {
        let schema = Ref::from_schema_name("Problem");
        let content = ContentBuilder::new().schema(Some(schema)).build();
        let response = ResponseBuilder::new().description(description).content(http_error::MEDIA_TYPE, content).build();
        operation.responses.responses.insert(status.to_owned(), response.into());
    }
    let need = scopes::need_of(operation.operation_id.as_deref().unwrap_or_default());
    operation.security = Some(need.requirements());
}
