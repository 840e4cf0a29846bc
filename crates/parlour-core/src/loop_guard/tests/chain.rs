use super::stage::Stage;

#[test]
fn an_agent_that_has_answered_on_the_way_is_held() {
    assert_eq!(Stage::new().caused(2, &[2, 1]).verdict(&[2, 3]), "Cem, Bob Chain");
}

#[test]
fn names_are_compared_whatever_their_case() {
    let mut stage = Stage::new().caused(2, &[1]);
    stage.message.cause.as_mut().expect("a cause").chain.push("BOB".into());
    assert_eq!(stage.verdict(&[2, 3]), "Cem, Bob Chain");
}

#[test]
fn a_new_name_does_not_hide_an_agent() {
    let mut stage = Stage::new().caused(2, &[2, 1]);
    stage.message.cause.as_mut().expect("a cause").chain = vec!["robert".into(), "ada".into()];
    assert_eq!(stage.verdict(&[2]), "Bob Chain");
}

#[test]
fn an_agent_may_stand_in_the_chain_again_as_often_as_the_project_says() {
    let mut stage = Stage::new().caused(2, &[2, 1]);
    stage.limits.chain_repeats_max = 1;
    assert_eq!(stage.verdict(&[2]), "Bob");
    let mut twice = Stage::new().caused(2, &[2, 1, 2, 1]);
    twice.limits.chain_repeats_max = 1;
    assert_eq!(twice.verdict(&[2]), "Bob Chain");
}

#[test]
fn the_same_agent_by_name_and_by_id_counts_once() {
    let mut stage = Stage::new().caused(2, &[2, 1]);
    stage.limits.chain_repeats_max = 1;
    let cause = stage.message.cause.as_mut().expect("a cause");
    assert_eq!((cause.chain.len(), cause.agents.len()), (2, 2));
    assert_eq!(stage.verdict(&[2]), "Bob");
}
