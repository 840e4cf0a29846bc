//! What each operation asks of a token. The use cases of the hub check it; here it is only told, and tests hold both
//! together.

use parlour_core::scope::Scope;
use utoipa::openapi::{
    OpenApi, SecurityRequirement,
    security::{ApiKey, ApiKeyValue, HttpAuthScheme, HttpBuilder, SecurityScheme},
};

/// What an operation asks of its caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Need {
    /// Nothing: it is open to everybody.
    Nothing,
    /// A token may be shown; whoever shows none signs in later.
    Perhaps,
    /// Any token that is known.
    Token,
    /// A token with this scope.
    Scope(Scope),
}

/// The ways to show a token; each will do.
const SCHEMES: [&str; 3] = ["token", "session", "certificate"];

/// Every operation by its id.
const TABLE: &[(Need, &[&str])] = &[
    (Need::Nothing, &["health", "ready", "openapi_document", "error_page", "get_jwks", "sign_in", "join"]),
    (Need::Perhaps, &["open_socket"]),
    (Need::Token, &["limits", "me", "renew_own_token", "sign_out"]),
    (
        Need::Scope(Scope::MessagesRead),
        &[
            "list_channel_messages",
            "list_thread_messages",
            "list_dm_messages",
            "get_message",
            "list_message_changes",
            "get_message_preview",
            "get_message_view",
            "mark_read",
            "get_inbox",
            "get_inbox_counts",
            "list_digests",
            "get_project_inbox",
            "read_messages",
            "list_deliveries",
            "report_deliveries",
            "list_questions",
            "get_answer",
            "list_runs",
            "get_run",
            "get_run_timeline",
            "get_task_timeline",
            "make_context",
            "list_injections",
            "get_injection_difference",
            "list_calls",
            "get_loop_guard",
            "get_unread",
            "search_messages",
            "get_snapshot",
            "get_graph",
            "stream_events",
            "list_artifacts",
            "get_artifact",
            "get_artifact_content",
        ],
    ),
    (
        Need::Scope(Scope::MessagesWrite),
        &[
            "post_message",
            "edit_message",
            "remove_message",
            "pass_call",
            "give_answer",
            "withdraw_question",
            "reset_loop_guard",
            "react",
            "unreact",
            "add_chunk",
            "beat",
            "complete",
            "fail",
            "cancel",
            "start_step",
            "finish_step",
            "open_thread",
            "open_dm",
            "note_typing",
            "announce_presence",
            "withdraw_presence",
        ],
    ),
    (
        Need::Scope(Scope::ChannelsRead),
        &[
            "list_projects",
            "get_project",
            "list_project_people",
            "list_people",
            "get_person",
            "list_agents",
            "get_agent",
            "list_engines",
            "list_channels",
            "get_channel",
            "list_channel_members",
            "list_subscriptions",
            "list_threads",
            "get_thread",
            "list_dms",
            "get_dm",
            "list_presence",
            "list_project_presence",
            "list_tasks",
            "get_task",
            "list_batches",
            "get_batch",
        ],
    ),
    (
        Need::Scope(Scope::ChannelsManage),
        &[
            "create_channel",
            "update_channel",
            "archive_channel",
            "unarchive_channel",
            "add_channel_member",
            "remove_channel_member",
            "subscribe",
            "unsubscribe",
        ],
    ),
    (Need::Scope(Scope::ArtifactsWrite), &["create_artifact"]),
    (Need::Scope(Scope::RunsWrite), &["start_run", "checkpoint", "beat_run", "resume_run", "finish_run", "cancel_run"]),
    (Need::Scope(Scope::TasksWrite), &["create_task", "update_task", "create_batch"]),
    (
        Need::Scope(Scope::ProjectsManage),
        &["create_project", "update_project", "add_project_person", "remove_project_person"],
    ),
    (
        Need::Scope(Scope::AgentsManage),
        &["create_agent", "update_agent", "create_invite", "list_invites", "revoke_invite"],
    ),
    (
        Need::Scope(Scope::TokensManage),
        &[
            "issue_token",
            "list_tokens",
            "revoke_token",
            "renew_person_token",
            "renew_agent_token",
            "update_person",
            "set_password",
            "make_link",
        ],
    ),
    (
        Need::Scope(Scope::Admin),
        &["create_person", "import_messages", "list_audit", "get_audit_head", "export_audit", "rotate_key"],
    ),
];

/// What an operation asks for. One that is missing in the table is told as if any token would do; a test finds it.
pub(super) fn need_of(operation: &str) -> Need {
    let row = TABLE.iter().find(|(_, operations)| operations.contains(&operation));
    row.map_or(Need::Token, |(need, _)| *need)
}

impl Need {
    /// The need as the document tells it: any one of these will do.
    pub(super) fn requirements(self) -> Vec<SecurityRequirement> {
        let anybody = SecurityRequirement::default();
        match self {
            Self::Nothing => vec![anybody],
            Self::Perhaps => [anybody].into_iter().chain(with(&[])).collect(),
            Self::Token => with(&[]).collect(),
            Self::Scope(scope) => with(&[scope]).collect(),
        }
    }
}

fn with(scopes: &[Scope]) -> impl Iterator<Item = SecurityRequirement> {
    SCHEMES.into_iter().map(move |scheme| SecurityRequirement::new(scheme, scopes.iter().map(|scope| scope.as_str())))
}

/// Adds the ways to show a token, and what its scopes mean.
pub(super) fn describe(document: &mut OpenApi) {
    let bearer = "The token of a person or an agent: random, signed by this hub (JWT), or signed by a trusted issuer.";
    let session = "The cookie of a signed-in browser, over TLS `__Host-parlour_session`. It counts for the hub's own \
                   pages only.";
    let certificate = "A client certificate that was made known with `POST /tokens`, where the hub asks for them.";
    let components = document.components.get_or_insert_default();
    let http = HttpBuilder::new().scheme(HttpAuthScheme::Bearer).description(Some(bearer)).build();
    components.add_security_scheme(SCHEMES[0], SecurityScheme::Http(http));
    let cookie = ApiKeyValue::with_description("parlour_session", session);
    components.add_security_scheme(SCHEMES[1], SecurityScheme::ApiKey(ApiKey::Cookie(cookie)));
    let tls =
        SecurityScheme::MutualTls { description: Some(certificate.to_owned()), deprecated: None, extensions: None };
    components.add_security_scheme(SCHEMES[2], tls);
    let rows = Scope::ALL.iter().map(|scope| format!("- `{scope}`: {}\n", scope.meaning()));
    let list: String = rows.collect();
    document.info.description.get_or_insert_default().push_str(&format!("\n\nThe scopes of tokens:\n\n{list}"));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_operation_stands_twice() {
        let mut all: Vec<_> = TABLE.iter().flat_map(|(_, operations)| operations.iter()).collect();
        all.sort_unstable();
        let count = all.len();
        all.dedup();
        assert_eq!(all.len(), count);
    }

    #[test]
    fn every_scope_that_something_asks_for_stands_once() {
        let needs: Vec<_> = TABLE.iter().map(|(need, _)| need).collect();
        for (number, need) in needs.iter().enumerate() {
            assert!(!needs[..number].contains(need), "{need:?}");
        }
    }

    #[test]
    fn whatever_is_forgotten_is_not_open() {
        assert_eq!(need_of("an operation that nobody knows"), Need::Token);
    }

    #[test]
    fn each_way_to_show_a_token_will_do() {
        let told = serde_json::to_value(Need::Scope(Scope::MessagesRead).requirements()).expect("JSON");
        let expected = SCHEMES.map(|scheme| serde_json::json!({scheme: ["messages:read"]}));
        assert_eq!(told, serde_json::json!(expected));
        let told = serde_json::to_value(Need::Nothing.requirements()).expect("JSON");
        assert_eq!(told, serde_json::json!([{}]));
    }
}
