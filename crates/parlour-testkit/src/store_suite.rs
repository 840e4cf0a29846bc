//! The promises of the store port, one function each. Each area is a file, each promise a true sentence.

pub mod accounts;
pub mod answers;
pub mod audit;
mod blocking;
pub mod call_ends;
pub mod call_lists;
pub mod calls;
pub mod channel_events;
pub mod client_ids;
mod context;
pub mod conversations;
pub mod deliveries;
pub mod directory;
pub mod events;
pub mod finding;
pub mod finishing;
pub mod graph;
pub mod history;
pub mod inbox;
pub mod inbox_filters;
pub mod injections;
pub mod invites;
pub mod links;
pub mod memberships;
pub mod model;
pub mod names;
pub mod numbers;
pub mod page_keys;
pub mod passwords;
pub mod pruning;
pub mod questions;
pub mod read_positions;
pub mod references;
pub mod refusals;
pub mod related_lookups;
pub mod repeats;
pub mod runs;
pub mod search;
pub mod series;
pub mod snapshots;
pub mod streams;
pub mod summaries;
pub mod timelines;
pub mod tokens;
pub mod visibility;
pub mod watching;
pub mod work;

/// Runs every promise of the store port as a test of its own.
///
/// `make` is an `async fn` of the calling module that answers an empty `Arc<dyn Store>`, and a guard that lives as
/// long as the test.
#[macro_export]
macro_rules! store_suite {
    ($make:ident) => {
        $crate::promise_tests! { store_suite, $make;
            accounts {
                a_person_is_read_as_it_was_added
                a_token_tells_who_is_calling
                a_look_alike_person_is_refused_and_leaves_no_trace
                people_are_listed_oldest_first
                a_new_token_replaces_the_old_ones
                an_agents_token_can_be_replaced
                a_token_for_nobody_is_refused
                a_renamed_agent_is_shown_by_its_new_name
            }
            tokens {
                a_token_is_read_as_it_was_kept
                each_kind_of_key_is_looked_up_among_its_own
                a_token_grants_what_it_was_made_with
                an_administrator_needs_the_scope_to_be_one
                an_expired_token_is_told_with_its_end
                the_tokens_of_a_member_are_listed_oldest_first
                another_members_token_is_no_key
                a_revoked_token_is_unknown
                a_key_is_kept_once
                a_token_made_by_nobody_is_refused
                a_member_has_a_bounded_number_of_tokens
                expired_tokens_make_room
                expired_tokens_are_forgotten
                very_many_expired_tokens_are_forgotten
                the_audit_log_names_tokens_and_their_members
            }
            links {
                a_link_becomes_a_session_of_its_member
                a_link_that_is_no_good_is_refused
                a_link_works_until_its_end
                other_tokens_are_no_links
                a_link_is_not_used_up_without_a_session
                a_session_takes_the_place_of_its_link
                of_many_who_redeem_one_link_one_gets_in
                the_audit_log_names_a_link_and_its_session
            }
            passwords {
                a_password_is_the_last_that_was_set
                a_person_signs_in_by_any_spelling_of_its_name
                an_agent_has_no_sign_in_record
                a_new_password_ends_sessions_and_links
                a_password_does_not_end_the_session_that_sets_it
                a_password_for_nobody_is_refused
                the_audit_log_names_the_person_of_a_password
            }
            invites {
                an_invite_is_read_as_it_was_made
                an_invite_that_cannot_be_is_refused
                the_invites_of_a_project_are_listed_oldest_first
                another_projects_invite_is_no_key
                an_invite_that_was_taken_back_is_unknown
                a_project_has_a_bounded_number_of_open_invites
                invites_that_have_ended_make_room
                joining_uses_an_invite_once_more
                an_invite_that_has_ended_lets_nobody_in
                an_invite_is_for_its_own_project
                a_refused_join_uses_nothing_up
                a_repeated_join_is_counted_once
                of_many_who_join_at_once_as_many_get_in_as_the_invite_says
                the_audit_log_names_invites_and_their_projects
            }
            names {
                an_agent_does_not_look_like_a_person_of_its_project
                an_agent_does_not_look_like_the_owner_of_its_project
                an_agent_does_not_look_like_an_administrator
                an_administrator_does_not_look_like_an_agent
                a_person_does_not_come_where_an_agent_looks_alike
                names_of_people_elsewhere_are_free_to_agents
                a_renamed_person_is_told_to_its_projects_alone
                a_person_keeps_its_name_when_the_new_one_is_taken
                the_name_that_a_person_has_changes_nothing
                somebody_unknown_is_not_renamed
                an_agent_keeps_its_own_look
            }
            audit {
                every_change_is_one_entry_that_says_who_did_what
                a_post_for_another_names_who_has_posted_it
                every_change_of_an_account_is_one_entry
                what_changes_nothing_leaves_no_entry
                a_note_is_an_entry_of_its_own
                concurrent_writes_are_numbered_and_chained
                the_head_is_the_end_of_the_export
                an_export_goes_on_after_any_entry
                entries_are_listed_newest_first
                a_filter_shows_what_it_wants
                a_key_beyond_the_audit_log_is_refused
                entries_outlive_what_they_tell_of
                no_text_and_no_secret_is_in_an_entry
                an_entry_carries_the_moment_of_its_deed
            }
            series {
                a_series_is_made_in_its_order
                nobody_comes_between_the_changes_of_a_series
                the_first_refusal_ends_a_series
                what_a_series_refuses_leaves_no_trace
                a_repeated_series_changes_nothing
                a_series_of_nothing_is_nothing
                every_event_of_a_series_is_told_in_order
                a_foreign_author_moves_nobodys_read_position
            }
            events {
                every_change_is_one_event_that_says_what_the_writer_was_told
                the_end_of_the_log_is_the_position_of_its_last_event
                a_log_begins_with_its_project
                events_are_read_in_order_from_any_offset
                a_log_holds_only_its_own_project
                events_show_messages_as_they_are_now
                a_removed_text_is_gone_from_the_log
            }
            channel_events {
                a_private_channel_is_made_with_its_members
                an_open_channel_is_made_without_members
                a_channel_that_closes_names_who_is_in_it
                a_channel_that_opens_says_so
                any_other_change_of_a_channel_is_an_update
            }
            watching {
                every_event_is_handed_over_as_it_was_committed
                a_watcher_hears_nothing_of_the_past
                a_message_is_told_as_it_was
                what_writes_no_event_is_not_told
                events_come_in_the_order_of_their_log
                an_event_comes_when_it_can_be_read
                an_event_comes_though_its_writer_has_gone_away
                watchers_do_not_disturb_one_another
                what_does_not_fit_is_left_out_and_read_from_the_log
            }
            pruning {
                a_log_holds_everything_at_first
                older_events_are_forgotten
                a_log_without_a_bound_is_kept
                each_log_has_a_bound_of_its_own
                the_last_event_stays_and_numbers_go_on
                what_forgotten_events_have_made_stays
                the_events_about_a_message_outlive_its_post
                an_ending_is_known_though_its_event_was_forgotten
                a_pruned_log_has_no_holes
                a_long_log_is_pruned_to_its_bound
                pruning_is_no_event
            }
            numbers {
                offsets_of_each_log_count_from_one
                numbers_of_each_conversation_count_from_one
                concurrent_senders_leave_no_gap
                concurrent_senders_are_told_their_own_number
                concurrent_retries_post_once
                numbers_of_removed_messages_are_not_reused
                refused_posts_use_up_no_number
                reads_see_every_write_that_was_answered
            }
            client_ids {
                a_client_may_choose_the_id
                a_retry_gets_the_first_answer
                a_retry_tells_nobody_again
                a_retry_after_an_edit_leaves_the_edit
                a_retry_after_a_removal_brings_nothing_back
                a_retry_after_archiving_gets_the_first_answer
                another_text_under_a_used_id_is_refused
                the_edited_text_under_the_old_id_is_refused
                the_same_text_by_another_author_is_refused
                an_id_of_another_project_is_refused
            }
            repeats {
                an_equal_write_changes_nothing_and_answers_like_the_first
                a_write_that_wants_what_is_so_is_repeated
                a_message_that_has_a_thread_keeps_it
                participants_who_have_a_dm_keep_it
                other_participants_have_another_dm
            }
            refusals {
                a_thing_that_does_not_exist_is_not_found
                a_post_without_a_conversation_is_not_found
                a_write_to_no_project_is_not_found
                things_of_another_project_are_not_found
                a_look_alike_name_is_refused
                a_rename_to_a_look_alike_is_refused
                a_name_is_taken_only_by_others_in_the_same_place
                the_token_of_a_refused_agent_is_not_kept
                a_post_to_an_archived_channel_is_refused
                a_refused_write_spares_those_beside_it
            }
            page_keys {
                a_conversation_that_the_list_cannot_show_is_no_key
                a_call_that_the_list_cannot_show_is_no_key
                a_question_or_run_that_the_list_cannot_show_is_no_key
                a_member_or_work_that_the_list_cannot_show_is_no_key
            }
            directory {
                a_project_is_read_as_it_is_now
                an_agent_is_read_as_it_is_now
                agents_with_an_engine_are_listed_by_id
                members_are_the_owner_the_added_and_the_agents
                leaving_a_project_leaves_its_private_channels
                callers_see_their_own_projects
                projects_are_listed_oldest_first
                members_are_listed_on_pages_of_any_size
                the_roster_names_the_present_members
            }
            conversations {
                a_conversation_is_read_as_it_was_made
                an_unknown_conversation_is_none
                a_channel_is_read_as_it_is_now
                channels_are_listed_oldest_first
                threads_are_listed_oldest_first
                dms_are_listed_for_their_participants
                channel_members_are_listed_by_id
                subscribers_are_listed_by_id
                leaving_a_private_channel_ends_the_subscription
                a_channel_that_becomes_private_keeps_the_named_members
            }
            memberships {
                a_project_channel_reaches_the_members_of_the_project
                a_private_channel_reaches_its_members
                a_dm_reaches_its_participants
                a_thread_stands_as_its_channel
                a_scene_agrees_with_the_conversation
                subscribers_listen_to_their_channel
                thread_writers_and_the_root_author_listen_to_a_thread
                agents_without_access_do_not_listen
                agents_listen_to_their_dm
                readers_are_those_who_can_read
            }
            history {
                a_message_is_read_with_every_field
                an_unknown_message_is_none
                the_newest_come_newest_first
                slices_before_a_number_reach_the_beginning
                slices_after_a_number_reach_the_end
                slices_take_any_number
                the_number_before_a_moment_is_that_of_the_last_earlier_message
                an_edit_changes_the_text_and_keeps_the_place
                a_removed_message_keeps_its_place
                a_removed_message_cannot_be_edited
                reactions_show_who_reacted
                the_events_about_a_message_are_listed
            }
            finishing {
                a_stream_begins_as_a_message_that_is_streaming
                an_ending_brings_all_that_is_final
                every_way_to_end_is_kept
                an_ending_without_content_keeps_what_was_there
                an_ending_calls_those_it_mentions
                a_finished_message_is_found_by_its_final_text
                the_same_ending_again_gets_the_first_answer
                another_ending_is_refused
                a_plain_message_has_ended
                a_removed_stream_has_ended
                a_stream_can_be_edited_after_its_end
                an_archived_channel_takes_an_ending
                a_refused_ending_leaves_the_stream_open
            }
            streams {
                a_saved_text_is_kept_beside_its_message
                a_later_text_replaces_the_earlier_one
                a_stream_without_a_saved_text_has_the_body_it_began_with
                the_streams_of_all_projects_are_open
                a_message_that_is_not_streaming_keeps_no_text
                one_text_that_is_left_out_spares_the_others
                saving_a_text_is_no_event
            }
            references {
                what_is_there_is_not_missing
                what_does_not_exist_is_missing
                a_message_of_another_conversation_is_missing
                a_thread_answers_its_own_messages_and_the_one_above
                an_artifact_of_a_private_conversation_is_missing_for_others
                things_of_another_project_are_missing
            }
            inbox {
                each_delivery_is_one_row_with_its_reason
                a_message_that_tells_nobody_reaches_no_inbox
                an_inbox_is_listed_in_the_order_of_arrival
                an_inbox_can_be_read_on_after_its_last_item_was_read
                a_read_message_leaves_the_inbox_of_its_reader
                reading_twice_is_reading_once
                a_read_mark_says_what_is_left_in_the_inbox
                a_removed_message_leaves_the_inbox
                an_inbox_shows_the_newest_text
                an_edit_tells_agents_that_it_mentions_for_the_first_time
                writing_does_not_empty_the_own_inbox
                the_unread_of_an_agent_is_its_inbox
                what_an_agent_may_no_longer_read_leaves_its_inbox
            }
            inbox_filters {
                every_filter_lists_what_it_wants
                counts_follow_the_lists
                what_awaits_the_agent_is_blocking
                a_filtered_list_goes_on_from_its_own
                digests_tell_what_is_unread_by_conversation
                what_a_person_should_not_miss
                an_ended_question_to_others_is_no_longer_to_be_missed
                what_is_unread_in_a_conversation_is_counted
            }
            calls {
                a_post_calls_each_agent_once
                a_post_that_calls_nobody_leaves_no_call
                an_agent_that_cannot_read_is_not_called
                a_refused_post_leaves_no_call
                a_repeated_post_calls_nobody_again
                an_ending_calls_at_its_moment
                a_repeated_ending_calls_nobody_again
            }
            call_ends {
                an_answer_takes_its_call_and_the_earlier_ones
                an_answer_leaves_other_agents_and_conversations_alone
                an_answer_may_stand_in_another_conversation
                an_answer_takes_only_what_is_open
                only_an_answer_of_the_called_takes_a_call
                a_refused_or_repeated_answer_takes_nothing
                the_state_of_a_call_follows_its_answer
                a_passed_call_is_closed
                a_call_that_is_no_longer_open_cannot_be_passed
                a_call_that_never_was_cannot_be_passed
                a_removed_message_no_longer_calls
                an_agent_that_loses_a_channel_loses_its_open_calls_there
            }
            call_lists {
                open_calls_are_listed_in_the_order_of_calling
                open_calls_can_be_read_on_after_the_last_was_answered
                open_calls_are_younger_than_asked
                recent_calls_come_by_agent_newest_first
                waiting_calls_are_counted_in_the_given_order
                correlated_calls_are_those_that_agents_have_made
                correlated_calls_are_the_first_ones
                who_was_never_called_has_no_calls
            }
            read_positions {
                everything_after_the_read_position_is_unread
                reading_a_message_reads_all_before_it
                a_read_position_never_goes_back
                a_read_mark_says_what_a_person_has_left_unread
                a_post_advances_the_read_position_of_its_author
                a_removed_message_is_not_unread
                an_edit_changes_the_count_of_mentions
                each_conversation_is_counted_for_itself
                another_projects_messages_are_not_counted
                a_post_to_a_thousand_people_is_one_event
            }
            snapshots {
                a_snapshot_holds_what_the_lists_show
                a_snapshot_names_the_unread_mentions
                a_snapshot_tells_the_thread_of_a_task_to_its_readers
                what_is_hidden_leaves_no_trace_in_a_snapshot
                who_does_not_see_a_project_gets_no_snapshot
                a_snapshot_is_of_one_position_while_writes_race
                seats_are_those_of_their_position
                an_unknown_project_has_no_seats
                a_snapshot_holds_the_newest
            }
            work {
                a_task_is_read_as_it_was_given
                a_task_is_read_as_it_is_now
                of_many_who_begin_a_task_one_does
                tasks_are_listed_oldest_first
                batches_are_read_and_listed_oldest_first
                an_artifact_is_read_as_it_was_recorded
                artifacts_may_share_a_content
                artifacts_are_listed_for_those_who_may_see_them
            }
            graph {
                a_graph_holds_the_things_of_the_project
                a_graph_holds_the_messages_that_connect_something
                a_removed_message_leaves_the_graph
                an_artifact_is_connected_with_its_task
                a_graph_holds_the_newest_of_very_many_messages
                what_the_caller_may_not_read_leaves_no_trace
            }
            visibility {
                everything_shown_agrees_with_the_rule_of_access
                private_happenings_change_nothing_for_others
            }
            model {
                any_sequence_of_writes_leads_to_what_the_model_says
            }
        }
        $crate::store_suite_for_blocking! { $make }
        $crate::store_suite_for_context! { $make }
    };
}

#[cfg(test)]
mod tests;
