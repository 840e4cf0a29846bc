//! What a client says of its own chain.

use super::*;

fn claim(depth: u32, chain: &[&str]) -> ClaimedCause {
    ClaimedCause { depth, chain: chain.iter().map(ToString::to_string).collect() }
}

/// The cause of an answer of Bob, the agent 2, to one of Ada at depth 1.
fn answered(claimed: &ClaimedCause) -> Cause {
    let asked = Message { from: bot(1), ..message(1, bot(1), Some(cause(1, &["ada"]))) };
    cause_after(Some(&asked), &agent(2), &name("Bob"), Some(claimed))
}

#[test]
fn a_claim_can_raise_the_depth_and_never_lower_it() {
    assert_eq!(answered(&claim(0, &[])).depth, 2);
    assert_eq!(answered(&claim(2, &[])).depth, 2);
    assert_eq!(answered(&claim(9, &[])).depth, 9);
}

#[test]
fn a_claim_can_add_names_and_never_remove_them() {
    assert_eq!(answered(&claim(0, &[])).chain, ["ada", "bob"]);
    assert_eq!(answered(&claim(0, &["EVE", "Ada"])).chain, ["eve", "ada", "bob"]);
    assert_eq!(answered(&claim(0, &["ada", "bob"])).chain, ["ada", "bob"], "the usual claim adds nothing");
    assert_eq!(answered(&claim(0, &["Ada", "ADA", "bob"])).chain, ["ada", "ada", "bob"], "a repeat is one");
}

#[test]
fn a_claim_adds_no_agents() {
    let asked = message(1, person(), None);
    let cause = cause_after(Some(&asked), &agent(2), &name("Bob"), Some(&claim(5, &["ada"])));
    assert_eq!(cause.agents, [agent(2)]);
}

#[test]
fn a_long_claim_does_not_push_out_what_is_recorded() {
    let names: Vec<String> = (0..limits::CHAIN_NAMES_MAX).map(|number| format!("n{number}")).collect();
    let cause = answered(&ClaimedCause { depth: 0, chain: names });
    assert_eq!(cause.chain.len(), limits::CHAIN_NAMES_MAX);
    assert_eq!(cause.chain[limits::CHAIN_NAMES_MAX - 2..], ["ada", "bob"]);
}

#[test]
fn no_depth_overflows() {
    let deepest = message(1, bot(1), Some(cause(u32::MAX, &[])));
    assert_eq!(cause_after(Some(&deepest), &agent(2), &name("Bob"), Some(&claim(u32::MAX, &[]))).depth, u32::MAX);
}

#[test]
fn a_claim_out_of_bounds_is_refused_by_its_field() {
    let field = |claim: &ClaimedCause| claim.check().expect_err("refused").field;
    let depth = u32::try_from(limits::CLAIMED_DEPTH_MAX).expect("fits");
    assert_eq!(claim(depth, &["Coder"; limits::CHAIN_NAMES_MAX]).check(), Ok(()));
    assert_eq!(field(&claim(depth + 1, &[])).as_deref(), Some("cause.depth"));
    assert_eq!(field(&claim(0, &["x"; limits::CHAIN_NAMES_MAX + 1])).as_deref(), Some("cause.chain"));
    assert_eq!(field(&claim(0, &["x", "a\0"])).as_deref(), Some("cause.chain[1]"));
    assert_eq!(field(&claim(0, &[&"x".repeat(limits::NAME_CHARS_MAX + 1)])).as_deref(), Some("cause.chain[0]"));
}

#[test]
fn a_claim_has_no_other_fields() {
    assert!(serde_json::from_str::<ClaimedCause>(r#"{"depth":1,"agents":["agt_1"]}"#).is_err());
    assert_eq!(serde_json::from_str::<ClaimedCause>("{}").ok(), Some(ClaimedCause::default()));
}

proptest! {
    #[test]
    fn whatever_is_claimed_the_record_stands(
        depth: u32,
        claimed_depth: u32,
        recorded in prop::collection::vec("[a-cA-C]{1,2}", 0..6),
        claimed in prop::collection::vec("[a-cA-C]{1,2}", 0..80),
    ) {
        let chain: Vec<&str> = recorded.iter().map(String::as_str).collect();
        let asked = message(1, bot(1), Some(cause(depth, &chain)));
        let honest = cause_after(Some(&asked), &agent(2), &name("Bob"), None);
        let forged = ClaimedCause { depth: claimed_depth, chain: claimed };
        let cause = cause_after(Some(&asked), &agent(2), &name("Bob"), Some(&forged));
        prop_assert!(cause.depth >= honest.depth);
        prop_assert!(cause.chain.ends_with(&honest.chain));
        prop_assert!(cause.chain.len() <= limits::CHAIN_NAMES_MAX);
        prop_assert_eq!((cause.agents, cause.message_id), (honest.agents, honest.message_id));
    }
}
