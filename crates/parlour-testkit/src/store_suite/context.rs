//! The part of the list that is about packs: how what they are made of is found, and what is kept of them.

/// Runs the promises that packs rest upon; a part of [`store_suite!`](crate::store_suite).
#[doc(hidden)]
#[macro_export]
macro_rules! store_suite_for_context {
    ($make:ident) => {
        $crate::promise_tests! { store_suite, $make;
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
            finding {
                a_message_with_any_of_the_words_is_found
                rare_words_count_most
                several_words_count_together
                only_so_many_are_found
                a_common_word_is_looked_for_among_the_newest
                only_the_first_words_are_looked_for
                words_are_found_by_their_readers_only
                hidden_messages_do_not_change_what_is_found
                very_many_hidden_hits_hide_no_others
                what_is_removed_is_not_found_by_any_word
                finding_stays_within_its_project
            }
            related_lookups {
                where_an_agent_was_called_comes_last_first
                hidden_calls_do_not_change_where_an_agent_was_called
                tasks_beside_a_task_are_its_parts_and_sisters
                hidden_files_take_no_place_from_others
            }
            injections {
                an_injection_is_read_as_it_was_kept
                an_injection_is_kept_once
                an_injection_of_an_unknown_run_is_refused
                injections_are_listed_in_their_order
                another_runs_injection_is_no_key
                a_run_has_a_bounded_number_of_injections
                an_injection_is_no_change_of_its_project
                a_removed_text_is_gone_from_injections
                an_edited_text_is_gone_from_injections
                a_summary_goes_with_what_it_may_quote
                a_text_that_was_gone_already_is_not_kept
            }
            summaries {
                a_summary_is_read_as_it_was_kept
                a_summary_of_other_sources_is_none
                a_later_summary_takes_the_place_of_the_first
                a_summary_of_nothing_known_is_refused
                a_summary_is_gone_when_a_source_is
                a_conversation_has_a_bounded_number_of_summaries
            }
        }
    };
}
