//! The list of all routes of the native API. The macro of each handler defines its method, path and description.

mod agents;
mod artifacts;
mod audit;
mod calls;
mod channels;
mod context;
mod deliveries;
mod dms;
mod history;
mod hub;
mod inbox;
mod invites;
mod live;
mod long_poll;
pub(crate) mod messages;
mod people;
mod presence;
mod projects;
mod questions;
mod request_types;
mod runs;
mod search;
mod sign_in;
pub(crate) mod streams;
mod tasks;
mod threads;
mod tokens;

pub(crate) use hub::unknown_path;
use utoipa_axum::{router::OpenApiRouter, routes};

use crate::app::AppState;

/// Routes with the time limit `REQUEST_SECONDS_MAX`; a live route only starts its response by then.
pub(crate) fn timed() -> OpenApiRouter<AppState> {
    accounts().merge(conversations()).merge(messaging()).merge(agent_runs())
}

/// The hub, people, tokens, invites, agents and their inboxes.
fn accounts() -> OpenApiRouter<AppState> {
    OpenApiRouter::new()
        .routes(routes!(hub::health))
        .routes(routes!(hub::ready))
        .routes(routes!(hub::limits))
        .routes(routes!(hub::me))
        .routes(routes!(tokens::renew_own_token))
        .routes(routes!(tokens::list_tokens, tokens::issue_token))
        .routes(routes!(tokens::revoke_token))
        .routes(routes!(tokens::get_jwks))
        .routes(routes!(tokens::rotate_key))
        .routes(routes!(sign_in::sign_in))
        .routes(routes!(sign_in::sign_out))
        .routes(routes!(hub::openapi_document))
        .routes(routes!(hub::error_page))
        .routes(routes!(people::list_people, people::create_person))
        .routes(routes!(people::get_person, people::update_person))
        .routes(routes!(people::renew_person_token))
        .routes(routes!(sign_in::set_password))
        .routes(routes!(sign_in::make_link))
        .routes(routes!(invites::list_invites, invites::create_invite))
        .routes(routes!(invites::revoke_invite))
        .routes(routes!(invites::join))
        .routes(routes!(agents::create_agent))
        .routes(routes!(agents::list_agents))
        .routes(routes!(agents::get_agent, agents::update_agent))
        .routes(routes!(agents::renew_agent_token))
        .routes(routes!(inbox::get_inbox))
        .routes(routes!(inbox::get_inbox_counts))
        .routes(routes!(inbox::list_digests))
        .routes(routes!(calls::list_calls))
        .routes(routes!(agents::list_engines))
        .routes(routes!(audit::list_audit))
        .routes(routes!(audit::get_audit_head))
}

/// Projects, conversations, tasks and artifacts.
fn conversations() -> OpenApiRouter<AppState> {
    OpenApiRouter::new()
        .routes(routes!(projects::list_projects, projects::create_project))
        .routes(routes!(projects::get_project, projects::update_project))
        .routes(routes!(projects::get_graph))
        .routes(routes!(projects::get_snapshot))
        .routes(routes!(projects::list_project_people, projects::add_project_person))
        .routes(routes!(projects::remove_project_person))
        .routes(routes!(channels::create_channel))
        .routes(routes!(channels::list_channels))
        .routes(routes!(channels::get_channel, channels::update_channel))
        .routes(routes!(channels::archive_channel))
        .routes(routes!(channels::unarchive_channel))
        .routes(routes!(channels::list_channel_members, channels::add_channel_member))
        .routes(routes!(channels::remove_channel_member))
        .routes(routes!(channels::list_subscriptions, channels::subscribe))
        .routes(routes!(channels::unsubscribe))
        .routes(routes!(threads::list_threads))
        .routes(routes!(threads::open_thread))
        .routes(routes!(threads::get_thread))
        .routes(routes!(dms::list_dms, dms::open_dm))
        .routes(routes!(dms::get_dm))
        .routes(routes!(tasks::create_task))
        .routes(routes!(tasks::list_tasks))
        .routes(routes!(tasks::get_task, tasks::update_task))
        .routes(routes!(tasks::create_batch))
        .routes(routes!(tasks::list_batches))
        .routes(routes!(tasks::get_batch))
        .routes(routes!(artifacts::list_artifacts))
        .routes(routes!(artifacts::get_artifact))
}

/// Messages, streams and live surfaces.
fn messaging() -> OpenApiRouter<AppState> {
    OpenApiRouter::new()
        .routes(routes!(history::list_channel_messages))
        .routes(routes!(history::list_thread_messages))
        .routes(routes!(history::list_dm_messages))
        .routes(routes!(messages::post_message))
        .routes(routes!(messages::import_messages))
        .routes(routes!(messages::get_message, messages::edit_message, messages::remove_message))
        .routes(routes!(messages::list_message_changes))
        .routes(routes!(messages::get_message_preview))
        .routes(routes!(messages::get_message_view))
        .routes(routes!(messages::mark_read))
        .routes(routes!(inbox::read_messages))
        .routes(routes!(inbox::get_project_inbox))
        .routes(routes!(deliveries::list_deliveries))
        .routes(routes!(deliveries::report_deliveries))
        .routes(routes!(questions::list_questions))
        .routes(routes!(questions::get_answer, questions::give_answer))
        .routes(routes!(questions::withdraw_question))
        .routes(routes!(calls::pass_call))
        .routes(routes!(calls::get_loop_guard))
        .routes(routes!(calls::reset_loop_guard))
        .routes(routes!(streams::add_chunk))
        .routes(routes!(streams::beat))
        .routes(routes!(streams::complete))
        .routes(routes!(streams::fail))
        .routes(routes!(streams::cancel))
        .routes(routes!(streams::start_step))
        .routes(routes!(streams::finish_step))
        .routes(routes!(messages::react, messages::unreact))
        .routes(routes!(projects::get_unread))
        .routes(routes!(presence::list_presence, presence::announce_presence, presence::withdraw_presence))
        .routes(routes!(presence::list_project_presence))
        .routes(routes!(presence::note_typing))
        .routes(routes!(search::search_messages))
        .routes(routes!(live::stream_events))
        .routes(routes!(live::open_socket))
}

/// Runs and their context.
fn agent_runs() -> OpenApiRouter<AppState> {
    OpenApiRouter::new()
        .routes(routes!(runs::list_runs, runs::start_run))
        .routes(routes!(runs::get_run))
        .routes(routes!(runs::checkpoint))
        .routes(routes!(runs::beat_run))
        .routes(routes!(runs::resume_run))
        .routes(routes!(runs::finish_run))
        .routes(routes!(runs::cancel_run))
        .routes(routes!(runs::get_run_timeline))
        .routes(routes!(runs::get_task_timeline))
        .routes(routes!(context::make_context))
        .routes(routes!(context::list_injections))
        .routes(routes!(context::get_injection_difference))
}

/// Routes of files and exports, without the common time limit.
pub(crate) fn streaming() -> OpenApiRouter<AppState> {
    OpenApiRouter::new()
        .routes(routes!(artifacts::create_artifact))
        .routes(routes!(artifacts::get_artifact_content))
        .routes(routes!(audit::export_audit))
}
