use proptest::prelude::*;

use super::*;
use crate::author::AuthorType;

fn entry(no: u64) -> AuditEntry {
    AuditEntry {
        no,
        at: Timestamp::from_millis(1_700_000_000_000),
        actor: Author { author_type: AuthorType::Agent, id: Some("agt_1".into()), name: "Coder".into() },
        surface: Surface::Http,
        token_id: Some("tok_1".parse().expect("id")),
        action: "messaging.posted".into(),
        project_id: Some("prj_1".parse().expect("id")),
        subject: Some(format!("msg_{no}")),
        result: DONE.into(),
    }
}

/// The lines of a log whose commits have these lengths.
fn export(commits: &[u64]) -> Vec<String> {
    let (mut head, mut lines) = (AuditHead::default(), Vec::new());
    for length in commits {
        let end = head.no + length;
        while head.no < end {
            let entry = entry(head.no + 1);
            head = head.after(entry.line().as_bytes());
            lines.push(SealedEntry { entry, seal: (head.no == end).then_some(head.hash) }.line());
        }
    }
    lines
}

fn verify(lines: &[impl AsRef<[u8]>], recorded: Option<AuditHead>) -> Result<AuditHead, AuditFlaw> {
    let mut verifier = Verifier::new(recorded);
    lines.iter().try_for_each(|line| verifier.check(line.as_ref()))?;
    verifier.finish()
}

fn head_of(lines: &[String]) -> AuditHead {
    verify(lines, None).expect("whole")
}

#[test]
fn a_line_is_written_in_a_fixed_order() {
    let golden = concat!(
        r#"{"no":7,"at":"2023-11-14T22:13:20.000Z","actor":{"type":"agent","id":"agt_1","name":"Coder"},"#,
        r#""surface":"http","token_id":"tok_1","action":"messaging.posted","project_id":"prj_1","#,
        r#""subject":"msg_7","result":"done"}"#
    );
    assert_eq!(entry(7).line(), golden);
    let bare = AuditEntry { actor: Author::host(), token_id: None, project_id: None, subject: None, ..entry(1) };
    let golden = concat!(
        r#"{"no":1,"at":"2023-11-14T22:13:20.000Z","actor":{"type":"host","name":"Parlour"},"surface":"http","#,
        r#""action":"messaging.posted","result":"done"}"#
    );
    assert_eq!(bare.line(), golden);
}

#[test]
fn the_chain_of_a_log_never_changes() {
    // Stored logs and recorded heads depend on it.
    let golden = "3:6149d96a68220478d9b236e9dd10bb56648c64f44a3f75d1cc19096885c52c89";
    assert_eq!(head_of(&export(&[1, 2])).to_string(), golden);
}

#[test]
fn a_sealed_line_is_the_line_with_the_seal_as_last_field() {
    let line = &export(&[1])[0];
    let bare = entry(1).line();
    let seal = head_of(&export(&[1])).hash;
    assert_eq!(*line, format!("{},\"seal\":\"{seal}\"}}", bare.trim_end_matches('}')));
}

#[test]
fn an_intact_log_is_verified_for_any_commit_lengths() {
    for commits in [&[][..], &[1], &[3], &[1, 1, 1], &[2, 5, 1]] {
        assert_eq!(head_of(&export(commits)).no, commits.iter().sum::<u64>());
    }
}

#[test]
fn a_missing_line_is_named() {
    let mut lines = export(&[2, 3]);
    lines.remove(2);
    assert_eq!(verify(&lines, None), Err(AuditFlaw::Missing { missing: 3, found: 4 }));
    assert_eq!(verify(&export(&[2, 3])[1..], None), Err(AuditFlaw::Missing { missing: 1, found: 2 }));
}

#[test]
fn swapped_and_repeated_lines_are_named() {
    let mut lines = export(&[2, 3]);
    lines.swap(2, 3);
    assert_eq!(verify(&lines, None), Err(AuditFlaw::Missing { missing: 3, found: 4 }));
    let mut lines = export(&[2, 3]);
    lines.insert(3, lines[2].clone());
    assert_eq!(verify(&lines, None), Err(AuditFlaw::Misplaced { expected: 4, found: 3 }));
}

#[test]
fn a_changed_line_is_found_at_the_seal_of_its_commit() {
    let mut lines = export(&[2, 3, 1]);
    lines[3] = lines[3].replace("Coder", "Other");
    let flaw = verify(&lines, None).expect_err("changed");
    assert_eq!(flaw, AuditFlaw::Broken { first: 3, last: 5 });
    assert!(flaw.to_string().starts_with("one of the entries 3 to 5 was changed"), "{flaw}");
    assert!(AuditFlaw::Broken { first: 6, last: 6 }.to_string().starts_with("entry 6 was changed"));
}

#[test]
fn a_log_that_ends_within_a_commit_is_cut_off() {
    assert_eq!(verify(&export(&[2, 3])[..4], None), Err(AuditFlaw::CutOff { after: 4 }));
}

#[test]
fn commits_cut_off_at_the_end_are_detected_by_a_recorded_head() {
    let lines = export(&[2, 3]);
    let recorded = head_of(&lines);
    assert_eq!(verify(&lines[..2], None).map(|head| head.no), Ok(2), "without a noted head it looks whole");
    assert_eq!(verify(&lines[..2], Some(recorded)), Err(AuditFlaw::Shorter { last: 2, noted: 5 }));
    let none: [&str; 0] = [];
    assert_eq!(verify(&none, Some(recorded)), Err(AuditFlaw::Shorter { last: 0, noted: 5 }));
}

#[test]
fn a_recreated_log_is_detected_by_a_recorded_head() {
    let recorded = AuditHead { hash: AuditHash::default(), ..head_of(&export(&[2, 3])) };
    assert_eq!(verify(&export(&[2, 3, 1]), Some(recorded)), Err(AuditFlaw::OtherHead { no: 5 }));
}

#[test]
fn a_log_that_grew_still_contains_the_recorded_head() {
    let (older, newer) = (export(&[2, 3]), export(&[2, 3, 4]));
    assert_eq!(verify(&newer, Some(head_of(&older))), Ok(head_of(&newer)));
    assert_eq!(verify(&newer, Some(AuditHead::default())), Ok(head_of(&newer)));
}

#[test]
fn entries_after_a_recorded_head_are_verified_from_there() {
    let (older, newer) = (export(&[2, 3]), export(&[2, 3, 4]));
    assert_eq!(verify(&newer[5..], Some(head_of(&older))), Ok(head_of(&newer)));
    let wrong = AuditHead { hash: AuditHash::default(), no: 5 };
    assert_eq!(verify(&newer[5..], Some(wrong)), Err(AuditFlaw::Broken { first: 6, last: 9 }));
}

#[test]
fn a_head_round_trips_as_text_and_other_texts_are_refused() {
    let head = head_of(&export(&[3]));
    assert_eq!(head.to_string().parse(), Ok(head));
    let upper = head.to_string().to_uppercase();
    for text in ["", "3", "3:", ":", "x:00", "+3:00", upper.as_str(), &format!("{head}0"), &format!("-{head}")] {
        assert!(text.parse::<AuditHead>().is_err(), "{text}");
    }
}

#[test]
fn a_filter_matches_entries_that_match_all_its_fields() {
    let wanted = AuditFilter {
        project_id: Some("prj_1".parse().expect("id")),
        actor: Some("agt_1".parse().expect("id")),
        action: Some("messaging.posted".into()),
        result: Some(ResultFilter::Done),
        since: Some(entry(1).at),
        until: Some(entry(1).at.plus_millis(1)),
    };
    assert!(wanted.matches(&entry(1)) && AuditFilter::default().matches(&entry(1)));
    let others = [
        AuditFilter { project_id: Some("prj_2".parse().expect("id")), ..wanted.clone() },
        AuditFilter { actor: Some("agt_2".parse().expect("id")), ..wanted.clone() },
        AuditFilter { action: Some("messaging.edited".into()), ..wanted.clone() },
        AuditFilter { result: Some(ResultFilter::Refused), ..wanted.clone() },
        AuditFilter { since: wanted.until, ..wanted.clone() },
        AuditFilter { until: wanted.since, ..wanted.clone() },
    ];
    for other in others {
        assert!(!other.matches(&entry(1)), "{other:?}");
    }
}

#[test]
fn results_are_done_refused_or_a_code() {
    let refused = AuditEntry { result: "PARLOUR-A02".into(), ..entry(1) };
    for (text, is_wanted) in [("done", false), ("refused", true), ("PARLOUR-A02", true), ("PARLOUR-A04", false)] {
        let result: ResultFilter = text.parse().expect(text);
        assert_eq!(
            AuditFilter { result: Some(result), ..AuditFilter::default() }.matches(&refused),
            is_wanted,
            "{text}"
        );
        assert_eq!(result.to_string(), text);
    }
    assert!("PARLOUR-X99".parse::<ResultFilter>().is_err());
}

proptest! {
    #[test]
    fn no_byte_of_an_export_can_be_changed(
        commits in prop::collection::vec(1_u64..4, 1..5),
        index: prop::sample::Index,
        flip in 1_u8..,
    ) {
        let mut bytes = export(&commits).join("\n").into_bytes();
        let index = index.index(bytes.len());
        bytes[index] ^= flip;
        let lines: Vec<&[u8]> = bytes.split(|byte| *byte == b'\n').collect();
        prop_assert!(verify(&lines, None).is_err(), "byte {}", index);
    }

    #[test]
    fn only_the_last_commit_can_be_removed_unnoticed(
        commits in prop::collection::vec(1_u64..4, 1..5),
        index: prop::sample::Index,
    ) {
        let mut lines = export(&commits);
        let recorded = head_of(&lines);
        lines.remove(index.index(lines.len()));
        prop_assert!(verify(&lines, Some(recorded)).is_err());
    }

    #[test]
    fn arbitrary_lines_are_never_an_intact_log(lines in prop::collection::vec(".*|\\{\"no\":[0-9]{1,20}\\}", 0..5)) {
        let head = AuditHead { no: u64::MAX, hash: AuditHash::default() };
        prop_assert!(verify(&lines, Some(head)).is_err());
        prop_assert!(verify(&lines, None).is_err() || lines.is_empty());
    }
}
