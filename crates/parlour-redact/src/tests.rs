use super::*;

#[test]
fn every_pattern_can_be_read() {
    let rules = scan::rules().expect("words");
    for (place, rule) in rules.all().iter().enumerate() {
        let error = regex::Regex::new(&rule.pattern.replace(r"\b", r"(?-u:\b)").replace(r"\d", "[0-9]")).err();
        assert!(rules.pattern(place).is_some(), "{}: {error:?}", rule.kind);
    }
}
