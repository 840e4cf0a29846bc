//! Security schemes of the API description, and the scope that each operation requires.
//!
//! The use cases of the hub check the scopes; tests compare them with this table.

use parlour_core::scope::Scope;
use utoipa::openapi::{
    OpenApi, SecurityRequirement,
    security::{ApiKey, ApiKeyValue, HttpAuthScheme, HttpBuilder, SecurityScheme},
};

/// The authentication that an operation requires.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Authentication {
    None,
    /// A token is optional: the client can authenticate later.
    Optional,
    /// Any valid token.
    AnyToken,
    /// A token with this scope.
    Scope(Scope),
}

/// The security schemes; each is sufficient.
const SCHEMES: [&str; 3] = ["token", "session", "certificate"];

/// Every operation by its id.
const TABLE: &[(Authentication, &[&str])] = &[
    (Authentication::None, &["health", "ready", "openapi_document", "error_page", "get_jwks", "sign_in", "join"]),
    (Authentication::Optional, &["open_socket"]),
    (Authentication::AnyToken, &["limits", "me", "renew_own_token", "sign_out"]),
    (
        Authentication::Scope(Scope::MessagesRead),
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
        Authentication::Scope(Scope::MessagesWrite),
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
        Authentication::Scope(Scope::ChannelsRead),
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
        Authentication::Scope(Scope::ChannelsManage),
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
    (Authentication::Scope(Scope::ArtifactsWrite), &["create_artifact"]),
    (
        Authentication::Scope(Scope::RunsWrite),
        &["start_run", "checkpoint", "beat_run", "resume_run", "finish_run", "cancel_run"],
    ),
    (Authentication::Scope(Scope::TasksWrite), &["create_task", "update_task", "create_batch"]),
    (
        Authentication::Scope(Scope::ProjectsManage),
        &["create_project", "update_project", "add_project_person", "remove_project_person"],
    ),
    (
        Authentication::Scope(Scope::AgentsManage),
        &["create_agent", "update_agent", "create_invite", "list_invites", "revoke_invite"],
    ),
    (
        Authentication::Scope(Scope::TokensManage),
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
        Authentication::Scope(Scope::Admin),
        &["create_person", "import_messages", "list_audit", "get_audit_head", "export_audit", "rotate_key"],
    ),
];

/// The authentication of an operation. Operations that are missing in the table require a token; a test finds them.
pub(super) fn authentication_of(operation: &str) -> Authentication {
    let row = TABLE.iter().find(|(_, operations)| operations.contains(&operation));
    row.map_or(Authentication::AnyToken, |(authentication, _)| *authentication)
}

impl Authentication {
    /// The alternatives in the API description; any of them is sufficient.
    pub(super) fn requirements(self) -> Vec<SecurityRequirement> {
        let no_token = SecurityRequirement::default();
        match self {
            Self::None => vec![no_token],
            Self::Optional => [no_token].into_iter().chain(with(&[])).collect(),
            Self::AnyToken => with(&[]).collect(),
            Self::Scope(scope) => with(&[scope]).collect(),
        }
    }
}

fn with(scopes: &[Scope]) -> impl Iterator<Item = SecurityRequirement> {
    SCHEMES.into_iter().map(move |scheme| SecurityRequirement::new(scheme, scopes.iter().map(|scope| scope.as_str())))
}

/// Adds the security schemes, and the meaning of the scopes.
pub(super) fn describe(document: &mut OpenApi) {
    let bearer = "The token of a person or an agent: random, signed by this hub (JWT), or signed by a trusted issuer.";
    let session = "The cookie of a signed-in browser, over TLS `__Host-parlour_session`. It is accepted from the \
                   pages of the hub only.";
    let certificate = "A client certificate that was registered with `POST /tokens`, if the hub requests certificates.";
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
    fn every_operation_has_one_row() {
        let mut all: Vec<_> = TABLE.iter().flat_map(|(_, operations)| operations.iter()).collect();
        all.sort_unstable();
        let count = all.len();
        all.dedup();
        assert_eq!(all.len(), count);
    }

    #[test]
    fn every_authentication_has_one_row() {
        let rows: Vec<_> = TABLE.iter().map(|(authentication, _)| authentication).collect();
        for (number, row) in rows.iter().enumerate() {
            assert!(!rows[..number].contains(row), "{row:?}");
        }
    }

    #[test]
    fn an_operation_without_a_row_requires_a_token() {
        assert_eq!(authentication_of("unknown_operation"), Authentication::AnyToken);
    }

    #[test]
    fn each_security_scheme_is_sufficient() {
        let requirements =
            serde_json::to_value(Authentication::Scope(Scope::MessagesRead).requirements()).expect("JSON");
        let expected = SCHEMES.map(|scheme| serde_json::json!({scheme: ["messages:read"]}));
        assert_eq!(requirements, serde_json::json!(expected));
        let requirements = serde_json::to_value(Authentication::None.requirements()).expect("JSON");
        assert_eq!(requirements, serde_json::json!([{}]));
    }
}
