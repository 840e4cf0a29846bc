use super::stage::{Stage, at, bot, called, person, place};

/// Ada and Bob have called each other by turns in each of these seconds; the limit is 4 in 60 s, then 30 s of silence.
fn exchange(seconds: &[i64]) -> Stage {
    let mut stage = Stage::new();
    stage.limits.pair_messages_max = 4;
    stage.limits.pair_silence_seconds = 30;
    for (index, second) in seconds.iter().enumerate() {
        let (from, to) = if index % 2 == 0 { (1, 2) } else { (2, 1) };
        stage.calls.insert(0, called(bot(from), to, *second));
    }
    stage
}

#[test]
fn a_full_window_is_followed_by_silence() {
    assert_eq!(exchange(&[960, 970, 980, 990]).verdict(&[2, 3]), "Cem, Bob Pair until 1020");
}

#[test]
fn fewer_calls_or_slower_ones_do_not_fill_the_window() {
    assert_eq!(exchange(&[970, 980, 990]).verdict(&[2]), "Bob");
    assert_eq!(exchange(&[920, 940, 960, 990]).verdict(&[2]), "Bob");
    assert_eq!(exchange(&[930, 940, 960, 990]).verdict(&[2]), "Bob Pair until 1020", "60 seconds are within");
}

#[test]
fn silence_ends_by_itself() {
    let mut stage = exchange(&[960, 970, 980, 990]);
    stage.now = at(1_019);
    assert_eq!(stage.verdict(&[2]), "Bob Pair until 1020");
    stage.now = at(1_020);
    assert_eq!(stage.verdict(&[2]), "Bob");
}

#[test]
fn older_calls_do_not_widen_the_window() {
    assert_eq!(exchange(&[1, 2, 960, 970, 980, 990]).verdict(&[2]), "Bob Pair until 1020");
}

#[test]
fn only_calls_between_the_two_by_themselves_count() {
    let mut stage = exchange(&[960, 970]);
    stage.calls.extend([called(person(), 1, 980), called(person(), 2, 985), called(bot(3), 2, 990)]);
    assert_eq!(stage.verdict(&[2]), "Bob");
}

#[test]
fn calls_in_other_conversations_count() {
    let mut stage = exchange(&[960, 970, 980, 990]);
    stage.calls.iter_mut().for_each(|call| call.conversation_id = place(2));
    assert_eq!(stage.verdict(&[2]), "Bob Pair until 1020");
}

#[test]
fn a_reset_forgets_the_calls_of_its_conversation_alone() {
    let stage = exchange(&[960, 970, 980, 990]).reset(995);
    assert_eq!(stage.verdict(&[2]), "Bob");
    let mut elsewhere = stage.clone();
    elsewhere.calls.iter_mut().for_each(|call| call.conversation_id = place(2));
    assert_eq!(elsewhere.verdict(&[2]), "Bob Pair until 1020");
    let early = exchange(&[960, 970, 980, 990]).reset(955);
    assert_eq!(early.verdict(&[2]), "Bob Pair until 1020", "what came after it counts");
}

#[test]
fn a_persons_message_does_not_end_the_silence() {
    let stage = exchange(&[960, 970, 980, 990]).with(person(), 995, "Quiet, please");
    assert_eq!(stage.verdict(&[2]), "Bob Pair until 1020");
}

#[test]
fn a_call_that_is_told_twice_counts_once() {
    let mut stage = exchange(&[970, 980, 990]);
    stage.calls.extend(stage.calls.clone());
    assert_eq!(stage.verdict(&[2]), "Bob");
}

#[test]
fn a_limit_beyond_what_is_known_means_all_that_is_known() {
    let mut stage = exchange(&(790..990).collect::<Vec<_>>());
    stage.limits.pair_window_seconds = 1_000;
    stage.limits.pair_messages_max = 10_000;
    assert_eq!(stage.verdict(&[2]), "Bob Pair until 1019");
    stage.calls.pop();
    assert_eq!(stage.verdict(&[2]), "Bob");
}

#[test]
fn limits_out_of_bounds_overflow_nowhere() {
    let mut stage = exchange(&[960]);
    stage.limits.pair_messages_max = 0;
    stage.limits.pair_silence_seconds = u64::MAX;
    stage.limits.pair_window_seconds = u64::MAX;
    assert!(stage.verdict(&[2]).starts_with("Bob Pair until"));
}
