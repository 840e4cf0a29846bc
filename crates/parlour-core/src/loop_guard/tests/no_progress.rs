use super::stage::{Stage, bot, person};
use crate::message::{Kind, State};

/// Agents have written these texts since a person's; the limit is 3 that are nearly the same.
fn after(texts: &[&str]) -> Stage {
    let mut stage = Stage::new().with(person(), 1, "Go");
    for (index, text) in texts.iter().enumerate() {
        stage = stage.with(bot(1 + index % 2), 2, text);
    }
    stage
}

/// What becomes of Bob when Ada writes this text after those.
fn says(text: &str, earlier: &[&str]) -> String {
    let mut stage = after(earlier);
    stage.message.body = text.to_owned();
    stage.verdict(&[2])
}

#[test]
fn the_third_nearly_equal_message_calls_nobody() {
    assert_eq!(says("Thanks!", &["Thanks!"]), "Bob");
    assert_eq!(says("Thanks!", &["Thanks!", "Thanks!"]), "Bob NoProgress");
}

#[test]
fn thanks_for_thanks_are_the_same_whomever_they_address() {
    assert_eq!(says("@Bob thank you!", &["@Ada Thank you.", "@Bob THANK YOU 🙏"]), "Bob NoProgress");
    assert_eq!(says("@Project Manager thanks", &["@Ada thanks", "Thanks, @Cem!"]), "Bob NoProgress");
}

#[test]
fn two_that_take_turns_are_found_out() {
    let turns = ["@Bob Thank you!", "@Ada You are welcome!", "@Bob Thank you!", "@Ada You are welcome!"];
    assert_eq!(says("@Bob Thank you!", &turns), "Bob NoProgress");
    assert_eq!(says("@Bob Thank you!", &turns[1..]), "Bob");
}

#[test]
fn bare_mentions_and_signs_say_nothing_new() {
    assert_eq!(says("@Bob", &["@Ada", "@Bob 👍"]), "Bob NoProgress");
}

#[test]
fn different_texts_are_progress() {
    assert_eq!(says("The build is green.", &["The build is red.", "I look into the tests."]), "Bob");
    assert_eq!(says("Yes.", &["No.", "Maybe."]), "Bob");
}

#[test]
fn what_was_said_before_a_persons_word_or_a_reset_does_not_count() {
    let mut stage = after(&["Thanks!", "Thanks!"]).with(person(), 3, "Stop that");
    stage.message.body = "Thanks!".into();
    assert_eq!(stage.verdict(&[2]), "Bob");
    let mut stage = after(&["Thanks!", "Thanks!"]).reset(3);
    stage.message.body = "Thanks!".into();
    assert_eq!(stage.verdict(&[2]), "Bob");
}

#[test]
fn only_finished_answers_of_agents_count() {
    let quiet: [fn(&mut Stage); 5] = [
        |stage| stage.window[0].state = State::Failed,
        |stage| stage.window[0].is_notice = true,
        |stage| stage.window[0].kind = Kind::ToolResult,
        |stage| stage.window[0].from.author_type = crate::author::AuthorType::Scheduler,
        |stage| stage.window[0].removed_at = Some(stage.now),
    ];
    for quiet in quiet {
        let mut stage = after(&["Thanks!", "Thanks!"]);
        stage.message.body = "Thanks!".into();
        assert_eq!(stage.verdict(&[2]), "Bob NoProgress");
        quiet(&mut stage);
        assert_eq!(stage.verdict(&[2]), "Bob");
    }
}

#[test]
fn a_text_is_never_held_for_its_own_sake() {
    let mut stage = Stage::new();
    stage.limits.similar_answers_max = 1;
    assert_eq!(stage.verdict(&[2]), "Bob");
    let stage = stage.with(bot(2), 2, "Something new");
    assert_eq!(stage.verdict(&[2]), "Bob NoProgress");
}

#[test]
fn files_without_words_are_not_compared() {
    let mut stage = after(&["", ""]);
    stage.message.body = String::new();
    assert_eq!(stage.verdict(&[2]), "Bob NoProgress");
    stage.message.content = Some(serde_json::json!({"rows": 3}));
    assert_eq!(stage.verdict(&[2]), "Bob");
}
