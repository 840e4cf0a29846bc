//! Secrets and personal data in chat as people write it: what is found, and what is left alone.

#[path = "redaction/mod.rs"]
mod redaction;

use parlour_context::redact::Redactor;
use parlour_core::context::RedactionRules;

fn redactor() -> Redactor {
    Redactor::new(&RedactionRules::default()).expect("the hub's own rules")
}

#[test]
fn nearly_all_secrets_are_found_and_nothing_else() {
    let measured = redaction::measure(&redactor());
    let (missed, alarms) = (measured.missed.join("\n"), &measured.alarms);
    println!("{:?}, of {} harmless", measured.groups, measured.negatives);
    println!("missed:\n{missed}");
    assert!(alarms.is_empty(), "{alarms:#?}\n{missed}");
    assert!(measured.recall() >= 0.99, "{}: {:?}\n{missed}", measured.recall(), measured.groups);
    assert!(measured.groups.values().map(|group| group.1).sum::<usize>() >= 300 && measured.negatives >= 150);
}
