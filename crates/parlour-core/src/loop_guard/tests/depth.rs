use super::stage::Stage;

#[test]
fn a_message_below_the_limit_calls() {
    assert_eq!(Stage::new().caused(2, &[3, 1]).verdict(&[2]), "Bob");
}

#[test]
fn a_message_at_the_limit_calls_nobody() {
    assert_eq!(Stage::new().caused(3, &[1]).verdict(&[2, 3]), "Bob Depth, Cem Depth");
    assert_eq!(Stage::new().caused(u32::MAX, &[1]).verdict(&[2]), "Bob Depth");
}

#[test]
fn the_limit_is_the_projects() {
    let mut stage = Stage::new().caused(5, &[1]);
    stage.limits.response_depth_max = 6;
    assert_eq!(stage.verdict(&[2]), "Bob");
    stage.limits.response_depth_max = 5;
    assert_eq!(stage.verdict(&[2]), "Bob Depth");
}

#[test]
fn a_message_without_a_record_is_the_first_of_its_chain() {
    let mut stage = Stage::new();
    assert_eq!((stage.message.cause.clone(), stage.verdict(&[2])), (None, "Bob".to_owned()));
    stage.limits.response_depth_max = 1;
    assert_eq!(stage.verdict(&[2]), "Bob Depth");
}
