//! The server that the public conformance suite of MCP calls: tools, resources and prompts with fixed names and contents.
//!
//! It has a path of its own, exists only when tests enable it, and does not use the hub.

#![expect(deprecated, reason = "the suite also tests older revisions of the protocol")]

mod input_required;
mod tools;

use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        CallToolRequestParams, CallToolResponse, GetPromptRequestParams, GetPromptResponse, GetPromptResult,
        Implementation, ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult, ListToolsResult,
        PaginatedRequestParams, Prompt, ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult, Resource,
        ResourceTemplate, ServerCapabilities, ServerConfig, SetLevelRequestParams, SubscribeRequestParams,
        SubscriptionFilter, Tool, UnsubscribeRequestParams,
    },
    service::RequestContext,
};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// Answers the requests of the conformance suite.
#[derive(Clone, Debug)]
pub(super) struct FixtureServer;

type FixtureContext = RequestContext<RoleServer>;
type PageParams = Option<PaginatedRequestParams>;

impl ServerHandler for FixtureServer {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_completions()
            .enable_logging()
            .enable_prompts()
            .enable_resources()
            .enable_resources_subscribe()
            .enable_tools()
            .build();
        ServerConfig::new(capabilities).with_server_info(Implementation::new("parlour-fixtures", "1"))
    }

    async fn set_level(&self, _: SetLevelRequestParams, _: FixtureContext) -> Result<(), ErrorData> {
        Ok(())
    }

    async fn subscribe(&self, _: SubscribeRequestParams, _: FixtureContext) -> Result<(), ErrorData> {
        Ok(())
    }

    async fn unsubscribe(&self, _: UnsubscribeRequestParams, _: FixtureContext) -> Result<(), ErrorData> {
        Ok(())
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        Some(requested.clone())
    }

    async fn list_tools(&self, _: PageParams, _: FixtureContext) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(tools::list()))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        tools::list().into_iter().find(|tool| tool.name == name)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: FixtureContext,
    ) -> Result<CallToolResponse, ErrorData> {
        match input_required::call(&request, &context)? {
            Some(answered) => Ok(answered),
            None => tools::call(&request, &context).await.map(CallToolResponse::from),
        }
    }

    async fn list_prompts(&self, _: PageParams, _: FixtureContext) -> Result<ListPromptsResult, ErrorData> {
        Ok(ListPromptsResult::with_all_items(fixture_prompts()))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _: FixtureContext,
    ) -> Result<GetPromptResponse, ErrorData> {
        match input_required::prompt(&request) {
            Some(answered) => Ok(answered),
            None => fixture_prompt(&request).map(GetPromptResponse::from),
        }
    }

    async fn list_resources(&self, _: PageParams, _: FixtureContext) -> Result<ListResourcesResult, ErrorData> {
        Ok(ListResourcesResult::with_all_items(fixture_resources()))
    }

    async fn list_resource_templates(
        &self,
        _: PageParams,
        _: FixtureContext,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Ok(ListResourceTemplatesResult::with_all_items(fixture_templates()))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: FixtureContext,
    ) -> Result<ReadResourceResponse, ErrorData> {
        read_fixture(&request.uri).map(ReadResourceResponse::from)
    }
}

/// Parses a value of the protocol from JSON; panics if it does not match.
fn value_of<T: DeserializeOwned>(json: Value) -> T {
    serde_json::from_value(json).expect("fixtures are valid values of the protocol; the suite reads each")
}

/// An image of one red pixel, as PNG in Base64.
const PIXEL: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";
/// A sound without samples, as WAV in Base64.
const SOUND: &str = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA=";

fn fixture_resources() -> Vec<Resource> {
    let resource = |name: &str, mime: &str| json!({"uri": format!("test://{name}"), "name": name, "description": "For the test suite.", "mimeType": mime});
    vec![
        value_of(resource("static-text", "text/plain")),
        value_of(resource("static-binary", "image/png")),
        value_of(resource("watched-resource", "text/plain")),
    ]
}

fn fixture_templates() -> Vec<ResourceTemplate> {
    vec![value_of(json!({
        "uriTemplate": "test://template/{id}/data", "name": "template", "description": "For the test suite.",
        "mimeType": "application/json",
    }))]
}

fn read_fixture(uri: &str) -> Result<ReadResourceResult, ErrorData> {
    let content = match uri {
        "test://static-text" => {
            json!({"uri": uri, "mimeType": "text/plain", "text": "This is the content of the static text resource."})
        }
        "test://static-binary" => json!({"uri": uri, "mimeType": "image/png", "blob": PIXEL}),
        "test://watched-resource" => json!({"uri": uri, "mimeType": "text/plain", "text": "Watched."}),
        _ => templated_resource(uri)
            .ok_or_else(|| ErrorData::resource_not_found("Resource not found", Some(json!({"uri": uri}))))?,
    };
    Ok(ReadResourceResult::new(vec![value_of(content)]))
}

fn templated_resource(uri: &str) -> Option<Value> {
    let id = uri.strip_prefix("test://template/")?.strip_suffix("/data")?;
    let text = json!({"id": id, "templateTest": true, "data": format!("Data for ID: {id}")}).to_string();
    Some(json!({"uri": uri, "mimeType": "application/json", "text": text}))
}

fn fixture_prompts() -> Vec<Prompt> {
    let prompt = |name: &str, arguments: &[&str]| -> Prompt {
        let arguments: Vec<_> = arguments
            .iter()
            .map(|name| json!({"name": name, "description": "For the test suite.", "required": true}))
            .collect();
        value_of(json!({"name": name, "description": "For the test suite.", "arguments": arguments}))
    };
    vec![
        prompt("test_simple_prompt", &[]),
        prompt("test_prompt_with_arguments", &["arg1", "arg2"]),
        prompt("test_prompt_with_embedded_resource", &["resourceUri"]),
        prompt("test_prompt_with_image", &[]),
        prompt("test_input_required_result_prompt", &[]),
    ]
}

fn fixture_prompt(request: &GetPromptRequestParams) -> Result<GetPromptResult, ErrorData> {
    let argument = |name: &str| {
        let found = request.arguments.as_ref().and_then(|all| all.get(name));
        found.and_then(Value::as_str).unwrap_or_default().to_owned()
    };
    let text = |text: &str| json!({"type": "text", "text": text});
    let contents = match request.name.as_ref() {
        "test_simple_prompt" => vec![text("This is a simple prompt for testing.")],
        "test_prompt_with_arguments" => {
            vec![text(&format!("Prompt with arguments: arg1='{}', arg2='{}'", argument("arg1"), argument("arg2")))]
        }
        "test_prompt_with_embedded_resource" => vec![
            json!({"type": "resource", "resource": {
                "uri": argument("resourceUri"), "mimeType": "text/plain", "text": "Embedded resource content for testing.",
            }}),
            text("Please process the embedded resource above."),
        ],
        "test_prompt_with_image" => vec![
            json!({"type": "image", "data": PIXEL, "mimeType": "image/png"}),
            text("Please analyze the image above."),
        ],
        name => return Err(ErrorData::invalid_params(format!("there is no prompt {name:?}"), None)),
    };
    let messages: Vec<_> = contents.into_iter().map(|content| json!({"role": "user", "content": content})).collect();
    Ok(value_of(json!({"resultType": "complete", "messages": messages})))
}
