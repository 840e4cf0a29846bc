//! Rules that judge the whole message: depth, chain, budget and repetition; and the effect of a reset.

use crate::{
    author::Author,
    call::Call,
    id::MessageId,
    limits,
    loop_guard::tests::{GuardFixture, agent, bot, called, channel, person},
    message::{Cause, Kind, Message, State},
    name::Name,
};

#[test]
fn a_message_below_the_limit_calls() {
    assert_eq!(GuardFixture::new().caused(2, &[3, 1]).verdict(&[2]), "Bob");
}

#[test]
fn a_message_at_the_limit_calls_nobody() {
    assert_eq!(GuardFixture::new().caused(3, &[1]).verdict(&[2, 3]), "Bob Depth, Cem Depth");
    assert_eq!(GuardFixture::new().caused(u32::MAX, &[1]).verdict(&[2]), "Bob Depth");
}

#[test]
fn the_project_sets_the_depth_limit() {
    let mut fixture = GuardFixture::new().caused(5, &[1]);
    fixture.limits.response_depth_max = 6;
    assert_eq!(fixture.verdict(&[2]), "Bob");
    fixture.limits.response_depth_max = 5;
    assert_eq!(fixture.verdict(&[2]), "Bob Depth");
}

#[test]
fn a_message_without_a_cause_has_depth_one() {
    let mut fixture = GuardFixture::new();
    assert_eq!((fixture.message.cause.clone(), fixture.verdict(&[2])), (None, "Bob".to_owned()));
    fixture.limits.response_depth_max = 1;
    assert_eq!(fixture.verdict(&[2]), "Bob Depth");
}

#[test]
fn an_agent_that_already_answered_in_the_chain_is_held() {
    assert_eq!(GuardFixture::new().caused(2, &[2, 1]).verdict(&[2, 3]), "Cem, Bob Chain");
}

#[test]
fn names_are_compared_without_case() {
    let mut fixture = GuardFixture::new().caused(2, &[1]);
    fixture.message.cause.as_mut().expect("a cause").chain.push("BOB".into());
    assert_eq!(fixture.verdict(&[2, 3]), "Cem, Bob Chain");
}

#[test]
fn a_renamed_agent_is_still_held_by_its_id() {
    let mut fixture = GuardFixture::new().caused(2, &[2, 1]);
    fixture.message.cause.as_mut().expect("a cause").chain = vec!["robert".into(), "ada".into()];
    assert_eq!(fixture.verdict(&[2]), "Bob Chain");
}

#[test]
fn the_project_sets_how_often_an_agent_may_repeat_in_a_chain() {
    let mut fixture = GuardFixture::new().caused(2, &[2, 1]);
    fixture.limits.chain_repeats_max = 1;
    assert_eq!(fixture.verdict(&[2]), "Bob");
    let mut twice = GuardFixture::new().caused(2, &[2, 1, 2, 1]);
    twice.limits.chain_repeats_max = 1;
    assert_eq!(twice.verdict(&[2]), "Bob Chain");
}

#[test]
fn the_same_agent_by_name_and_by_id_counts_once() {
    let mut fixture = GuardFixture::new().caused(2, &[2, 1]);
    fixture.limits.chain_repeats_max = 1;
    let cause = fixture.message.cause.as_mut().expect("a cause");
    assert_eq!((cause.chain.len(), cause.agents.len()), (2, 2));
    assert_eq!(fixture.verdict(&[2]), "Bob");
}

/// Agents have written `count` different messages since a person's; the limit is 5.
fn after_answers(count: usize) -> GuardFixture {
    let mut fixture = GuardFixture::new().with(person(), 1, "Go");
    fixture.limits.conversation_answers_max = 5;
    for number in 0..count {
        fixture = fixture.with(bot(2 + number % 3), 2, &distinct_text(number));
    }
    fixture
}

/// A text that is similar to no other.
fn distinct_text(number: usize) -> String {
    let letter = char::from_u32('a' as u32 + (number % 26) as u32).expect("a letter");
    format!("{letter}{letter}{letter}{letter} {number}{number}{number} {}", letter.to_string().repeat(number))
}

#[test]
fn the_last_message_of_the_budget_calls_nobody() {
    assert_eq!(after_answers(3).verdict(&[2]), "Bob");
    assert_eq!(after_answers(4).verdict(&[2, 3]), "Bob Budget, Cem Budget", "it is the fifth itself");
    assert_eq!(after_answers(9).verdict(&[2]), "Bob Budget");
}

#[test]
fn a_message_of_a_person_renews_the_budget() {
    assert_eq!(after_answers(9).with(person(), 3, "Go on").verdict(&[2]), "Bob");
    let mut fixture = after_answers(9).with(person(), 3, "Go on");
    for number in 20..24 {
        fixture = fixture.with(bot(2), 4, &distinct_text(number));
    }
    assert_eq!(fixture.verdict(&[2]), "Bob Budget");
}

#[test]
fn a_reset_renews_the_budget() {
    assert_eq!(after_answers(9).reset(3).verdict(&[2]), "Bob");
}

#[test]
fn host_messages_do_not_use_the_budget() {
    let mut fixture = after_answers(3);
    for _ in 0..5 {
        fixture = fixture.with(Author::host(), 3, "By the way");
    }
    assert_eq!(fixture.verdict(&[2]), "Bob");
}

/// The same kind of author, with an id of another system.
fn foreign(like: Author) -> Author {
    Author { id: Some("pynchy:1".into()), ..like }
}

#[test]
fn imported_messages_neither_use_nor_renew_the_budget() {
    let mut fixture = after_answers(3);
    for number in 30..40 {
        fixture = fixture.with(foreign(bot(2)), 3, &distinct_text(number));
    }
    assert_eq!(fixture.verdict(&[2]), "Bob");
    assert_eq!(after_answers(4).with(foreign(person()), 3, "Go on").verdict(&[2]), "Bob Budget");
}

#[test]
fn a_window_full_of_imported_messages_does_not_exhaust_the_budget() {
    let mut fixture = GuardFixture::new();
    for number in 0..limits::GUARD_WINDOW_MAX {
        fixture = fixture.with(foreign(bot(2)), 2, &distinct_text(number));
    }
    assert_eq!(fixture.verdict(&[2]), "Bob");
}

#[test]
fn failed_and_streaming_answers_use_the_budget() {
    let mut fixture = after_answers(4);
    fixture.window[0].state = State::Failed;
    fixture.window[1].state = State::Streaming;
    assert_eq!(fixture.verdict(&[2]), "Bob Budget");
}

#[test]
fn a_message_that_is_already_in_the_window_counts_once() {
    let mut fixture = after_answers(3);
    fixture.window.insert(0, fixture.message.clone());
    assert_eq!(fixture.verdict(&[2]), "Bob");
}

#[test]
fn a_conversation_without_a_person_has_a_budget() {
    let mut fixture = after_answers(4);
    fixture.window.pop();
    assert_eq!(fixture.verdict(&[2]), "Bob Budget");
}

#[test]
fn a_budget_larger_than_the_window_is_limited_by_the_window() {
    let mut fixture = after_answers(limits::GUARD_WINDOW_MAX);
    fixture.limits.conversation_answers_max = 10_000;
    assert_eq!(fixture.verdict(&[2]), "Bob", "the person's message is in the window");
    fixture.window.pop();
    assert_eq!(fixture.verdict(&[2]), "Bob Budget");
    fixture.window.pop();
    assert_eq!(fixture.verdict(&[2]), "Bob", "the whole conversation is in the window");
}

/// Agents have written these texts since a person's; the limit is 3 that are nearly the same.
fn after_texts(texts: &[&str]) -> GuardFixture {
    let mut fixture = GuardFixture::new().with(person(), 1, "Go");
    for (index, text) in texts.iter().enumerate() {
        fixture = fixture.with(bot(1 + index % 2), 2, text);
    }
    fixture
}

/// The verdict on Bob when Ada writes this text after the earlier ones.
fn verdict_after(text: &str, earlier: &[&str]) -> String {
    let mut fixture = after_texts(earlier);
    fixture.message.body = text.to_owned();
    fixture.verdict(&[2])
}

#[test]
fn the_third_nearly_equal_message_calls_nobody() {
    assert_eq!(verdict_after("Thanks!", &["Thanks!"]), "Bob");
    assert_eq!(verdict_after("Thanks!", &["Thanks!", "Thanks!"]), "Bob NoProgress");
}

#[test]
fn similarity_ignores_mentions_and_punctuation() {
    assert_eq!(verdict_after("@Bob thank you!", &["@Ada Thank you.", "@Bob THANK YOU 🙏"]), "Bob NoProgress");
    assert_eq!(verdict_after("@Project Manager thanks", &["@Ada thanks", "Thanks, @Cem!"]), "Bob NoProgress");
}

#[test]
fn two_agents_that_alternate_two_texts_are_held() {
    let turns = ["@Bob Thank you!", "@Ada You are welcome!", "@Bob Thank you!", "@Ada You are welcome!"];
    assert_eq!(verdict_after("@Bob Thank you!", &turns), "Bob NoProgress");
    assert_eq!(verdict_after("@Bob Thank you!", &turns[1..]), "Bob");
}

#[test]
fn messages_of_mentions_and_emoji_only_are_similar() {
    assert_eq!(verdict_after("@Bob", &["@Ada", "@Bob 👍"]), "Bob NoProgress");
}

#[test]
fn different_texts_are_progress() {
    assert_eq!(verdict_after("The build is green.", &["The build is red.", "I look into the tests."]), "Bob");
    assert_eq!(verdict_after("Yes.", &["No.", "Maybe."]), "Bob");
}

#[test]
fn texts_before_a_message_of_a_person_or_a_reset_do_not_count() {
    let mut fixture = after_texts(&["Thanks!", "Thanks!"]).with(person(), 3, "Stop that");
    fixture.message.body = "Thanks!".into();
    assert_eq!(fixture.verdict(&[2]), "Bob");
    let mut fixture = after_texts(&["Thanks!", "Thanks!"]).reset(3);
    fixture.message.body = "Thanks!".into();
    assert_eq!(fixture.verdict(&[2]), "Bob");
}

#[test]
fn only_finished_answers_of_agents_count() {
    let uncounted: [fn(&mut GuardFixture); 5] = [
        |fixture| fixture.window[0].state = State::Failed,
        |fixture| fixture.window[0].is_notice = true,
        |fixture| fixture.window[0].kind = Kind::ToolResult,
        |fixture| fixture.window[0].from.author_type = crate::author::AuthorType::Scheduler,
        |fixture| fixture.window[0].removed_at = Some(fixture.now),
    ];
    for uncounted in uncounted {
        let mut fixture = after_texts(&["Thanks!", "Thanks!"]);
        fixture.message.body = "Thanks!".into();
        assert_eq!(fixture.verdict(&[2]), "Bob NoProgress");
        uncounted(&mut fixture);
        assert_eq!(fixture.verdict(&[2]), "Bob");
    }
}

#[test]
fn a_message_is_not_compared_with_itself() {
    let mut fixture = GuardFixture::new();
    fixture.limits.similar_answers_max = 1;
    assert_eq!(fixture.verdict(&[2]), "Bob");
    let fixture = fixture.with(bot(2), 2, "Something new");
    assert_eq!(fixture.verdict(&[2]), "Bob NoProgress");
}

#[test]
fn content_without_text_is_not_compared() {
    let mut fixture = after_texts(&["", ""]);
    fixture.message.body = String::new();
    assert_eq!(fixture.verdict(&[2]), "Bob NoProgress");
    fixture.message.content = Some(serde_json::json!({"rows": 3}));
    assert_eq!(fixture.verdict(&[2]), "Bob");
}

/// Gives the newest message of the window this cause.
fn with_cause(mut fixture: GuardFixture, cause: Cause) -> GuardFixture {
    fixture.window[0].cause = Some(cause);
    fixture
}

/// A cause of this depth after the message that is the `parent`-th of the window, counted from 1 as they were added.
fn cause(depth: u32, agents: &[usize], parent: u128) -> Cause {
    let chain = agents.iter().map(|number| Name::fold(bot(*number).name.as_str())).collect();
    let agents = agents.iter().map(|number| agent(*number)).collect();
    Cause { depth, chain, agents, message_id: Some(MessageId::from_bits(parent)) }
}

/// Ada answers the message of Bob, which was the second answer since Mara wrote. The reset comes before or after it.
fn third_answer() -> GuardFixture {
    let mut fixture = with_cause(GuardFixture::new().with(person(), 1, "Go"), cause(0, &[], 0));
    fixture = with_cause(fixture.with(bot(3), 2, "One"), cause(1, &[3], 1));
    fixture = with_cause(fixture.with(bot(2), 3, "Two"), cause(2, &[3, 2], 2));
    fixture.message.cause = Some(cause(3, &[3, 2, 1], 3));
    fixture
}

#[test]
fn a_reset_after_the_parent_message_clears_the_chain() {
    assert_eq!(third_answer().verdict(&[2, 4]), "Bob Depth, Dan Depth");
    assert_eq!(third_answer().reset(4).verdict(&[2, 4]), "Bob, Dan");
}

#[test]
fn only_answers_after_the_reset_count() {
    let mut fixture = third_answer();
    let reset = fixture.clone().reset(2).window.remove(0);
    fixture.window.insert(1, Message { id: MessageId::from_bits(50), ..reset });
    assert_eq!(fixture.verdict(&[2, 3, 4]), "Cem, Dan, Bob Chain");
    fixture.limits.response_depth_max = 2;
    assert_eq!(fixture.verdict(&[3]), "Cem Depth");
}

#[test]
fn a_reset_before_the_whole_chain_has_no_effect() {
    let mut fixture = third_answer();
    let reset = fixture.clone().reset(0).window.remove(0);
    fixture.window.push(Message { id: MessageId::from_bits(50), ..reset });
    assert_eq!(fixture.verdict(&[4]), "Dan Depth");
}

#[test]
fn a_reset_does_not_clear_a_chain_from_another_conversation() {
    let mut fixture = third_answer().reset(4);
    fixture.message.cause = Some(cause(3, &[3, 2, 1], 700));
    assert_eq!(fixture.verdict(&[4]), "Dan Depth");
    let asked = |number: u128, seconds: i64| Call {
        message_id: MessageId::from_bits(700),
        conversation_id: channel(number),
        ..called(bot(2), 1, seconds)
    };
    fixture.calls = vec![asked(2, 3)];
    assert_eq!(fixture.verdict(&[4]), "Dan Depth");
    fixture.calls = vec![asked(1, 5)];
    assert_eq!(fixture.verdict(&[4]), "Dan Depth", "it was asked after the reset");
    fixture.calls = vec![asked(1, 3)];
    assert_eq!(fixture.verdict(&[4]), "Dan", "the stored call is of this conversation, before the window");
}

#[test]
fn a_reset_does_not_change_a_message_without_a_parent() {
    let mut fixture = third_answer().reset(4).caused(1, &[1]);
    assert_eq!(fixture.verdict(&[2]), "Bob");
    fixture = fixture.caused(3, &[1]);
    assert_eq!(fixture.verdict(&[2]), "Bob Depth", "a claim still counts");
}

#[test]
fn a_cycle_of_causes_ends() {
    let mut fixture = with_cause(GuardFixture::new().reset(0).with(bot(2), 3, "Two"), cause(2, &[2], 2));
    fixture.message.cause = Some(cause(3, &[2, 1], 2));
    assert_eq!(fixture.verdict(&[4]), "Dan Depth");
}

#[test]
fn a_forged_reset_has_no_effect() {
    for author in [bot(2), person()] {
        let mut fixture = third_answer().reset(4);
        fixture.window[0].from = author;
        assert_eq!(fixture.verdict(&[4]), "Dan Depth");
    }
}
