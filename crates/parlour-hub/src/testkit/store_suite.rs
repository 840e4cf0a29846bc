//! The promises of the store port, one function each. Each area is a file, each promise a true sentence.

pub mod accounts;
pub mod client_ids;
pub mod conversations;
pub mod directory;
pub mod events;
pub mod graph;
pub mod history;
pub mod inbox;
pub mod model;
pub mod numbers;
pub mod page_keys;
pub mod read_positions;
pub mod references;
pub mod refusals;
pub mod repeats;
pub mod search;
pub mod standings;
pub mod visibility;
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
            events {
                every_change_is_one_event_that_says_what_the_writer_was_told
                the_end_of_the_log_is_the_position_of_its_last_event
                a_log_begins_with_its_project
                events_are_read_in_order_from_any_offset
                a_log_holds_only_its_own_project
                events_show_messages_as_they_are_now
                a_removed_text_is_gone_from_the_log
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
                a_member_or_work_that_the_list_cannot_show_is_no_key
            }
            directory {
                a_project_is_read_as_it_is_now
                an_agent_is_read_as_it_is_now
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
            standings {
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
                a_removed_message_leaves_the_inbox
                an_inbox_shows_the_newest_text
                an_edit_tells_agents_that_it_mentions_for_the_first_time
                writing_does_not_empty_the_own_inbox
                the_unread_of_an_agent_is_its_inbox
                what_an_agent_may_no_longer_read_leaves_its_inbox
            }
            read_positions {
                everything_after_the_read_position_is_unread
                reading_a_message_reads_all_before_it
                a_read_position_never_goes_back
                a_post_advances_the_read_position_of_its_author
                a_removed_message_is_not_unread
                an_edit_changes_the_count_of_mentions
                each_conversation_is_counted_for_itself
                another_projects_messages_are_not_counted
                a_post_to_a_thousand_people_is_one_event
            }
            search {
                a_hit_holds_all_words
                a_star_finds_beginnings
                a_phrase_finds_words_side_by_side
                operators_are_plain_words
                words_of_every_script_are_found
                hits_come_newest_first_each_exactly_once
                a_search_reaches_its_end_past_many_hidden_messages
                private_words_are_found_by_their_readers_only
                hidden_messages_make_no_next_page
                a_search_stays_within_its_project
                an_edited_message_is_found_by_its_new_text
                a_removed_message_is_never_found
                a_hit_is_the_message_as_it_is_now
            }
            work {
                a_task_is_read_as_it_was_given
                a_task_is_read_as_it_is_now
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
    };
}

#[cfg(test)]
mod tests {
    /// This file, which holds the list.
    const LIST: &str = include_str!("store_suite.rs");

    /// The files of all areas.
    const AREAS: &[&str] = &[
        include_str!("store_suite/accounts.rs"),
        include_str!("store_suite/events.rs"),
        include_str!("store_suite/numbers.rs"),
        include_str!("store_suite/client_ids.rs"),
        include_str!("store_suite/repeats.rs"),
        include_str!("store_suite/refusals.rs"),
        include_str!("store_suite/page_keys.rs"),
        include_str!("store_suite/directory.rs"),
        include_str!("store_suite/conversations.rs"),
        include_str!("store_suite/standings.rs"),
        include_str!("store_suite/history.rs"),
        include_str!("store_suite/references.rs"),
        include_str!("store_suite/inbox.rs"),
        include_str!("store_suite/read_positions.rs"),
        include_str!("store_suite/search.rs"),
        include_str!("store_suite/work.rs"),
        include_str!("store_suite/graph.rs"),
        include_str!("store_suite/visibility.rs"),
        include_str!("store_suite/model.rs"),
    ];

    fn promises(area: &str) -> impl Iterator<Item = &str> {
        let starts = area.lines().filter_map(|line| line.strip_prefix("pub async fn "));
        starts.filter_map(|rest| rest.split('(').next())
    }

    #[test]
    fn every_promise_is_on_the_list() {
        for promise in AREAS.iter().flat_map(|area| promises(area)) {
            assert!(LIST.lines().any(|line| line.trim() == promise), "{promise} is not on the list of the suite");
        }
    }

    #[test]
    fn every_area_is_looked_at() {
        assert_eq!(AREAS.len(), LIST.lines().filter(|line| line.starts_with("pub mod ")).count());
    }
}
