//! The part of the list that is about messages that block: what becomes of a message, who answers it, and who waits.

/// Runs the promises that blocking messages rest upon; a part of [`store_suite!`](crate::store_suite).
#[doc(hidden)]
#[macro_export]
macro_rules! store_suite_for_blocking {
    ($make:ident) => {
        $crate::promise_tests! { store_suite, $make;
            deliveries {
                a_post_is_stored_for_each_agent_that_it_tells
                an_answer_that_was_streamed_is_stored_at_its_end
                a_report_moves_the_delivery_and_is_told
                what_is_no_news_is_not_told
                what_was_seen_leaves_the_inbox
                marking_as_read_is_seeing
                a_report_about_what_was_not_for_the_agent_is_refused
                a_run_of_another_conversation_is_not_told
                what_a_broken_run_was_shown_has_failed
                a_run_elsewhere_fails_without_its_reason
                what_is_gone_is_on_no_way
                a_new_mention_begins_anew
                people_have_seen_what_they_have_read
            }
            answers {
                an_answer_answers_what_it_took_and_what_was_shown
                what_was_taken_unshown_stays_unread
                a_streamed_answer_answers_when_it_is_complete
                a_reply_answers_for_its_agent
                notices_and_results_answer_nothing
                settling_a_question_answers_its_message
                an_answer_in_a_thread_answers_the_message_above
                being_answered_is_told
                whatever_answers_is_told
            }
            questions {
                a_question_is_read_with_its_message
                an_answer_settles_its_question_in_the_same_write
                a_stream_settles_at_its_end_alone
                a_late_answer_is_a_plain_message
                a_question_ends_once
                who_ignores_a_question_is_no_longer_asked
                a_removed_message_asks_nothing
                open_questions_are_listed_by_their_expiry
                questions_are_shown_to_those_who_can_answer
                blocks_come_the_most_important_first
                waits_are_the_open_questions_of_agents
                an_asker_has_a_bounded_number_of_open_questions
                of_many_answers_one_counts
            }
            runs {
                a_run_is_read_as_it_was_begun
                a_run_begins_once
                a_run_of_unknown_things_is_refused
                an_agent_has_a_bounded_number_of_runs
                a_run_goes_on_when_nothing_pauses_it
                only_what_still_waits_pauses_a_run
                what_is_resumed_from_is_handled
                nobody_claims_that_an_agent_has_read
                a_run_ends_once
                a_run_is_told_without_what_is_elsewhere
                runs_are_listed_newest_first
                runs_are_seen_like_their_conversation
            }
            timelines {
                every_turn_of_a_run_is_a_moment
                every_end_is_told_as_it_was
                a_task_is_given_and_moves
                a_chronicle_is_read_page_by_page
                what_is_hidden_leaves_no_moment
            }
        }
    };
}
