//! The promises that must hold whatever was killed when, checked on what is there afterwards.

use std::collections::{BTreeMap, HashMap, HashSet};

/// A post that the hub has acknowledged to its sender.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct AckedWrite {
    pub(crate) id: String,
    pub(crate) conversation: String,
    pub(crate) body: String,
    pub(crate) seq: u64,
    /// The offset of its event in the project's log.
    pub(crate) offset: u64,
    /// Whether it calls the agent whose inbox is read in the end.
    pub(crate) is_mention: bool,
    /// Who sent it, and as which of its messages: each sender waits for one before it sends the next.
    pub(crate) sender: usize,
    pub(crate) number: usize,
}

/// A message that a reader finds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct StoredState {
    pub(crate) id: String,
    pub(crate) body: String,
    pub(crate) seq: u64,
}

/// What a reader finds when everything is over.
#[derive(Clone, Debug, Default)]
pub(crate) struct RecoveryCheck {
    /// Each conversation, in the order of reading.
    pub(crate) history: BTreeMap<String, Vec<StoredState>>,
    /// The ids in the inbox of the agent, in its order.
    pub(crate) inbox: Vec<String>,
    /// The messages of the load that have an entry in the audit log, in its order.
    pub(crate) audited: Vec<String>,
    /// What is wrong with the audit log, if anything.
    pub(crate) audit_flaw: Option<String>,
    /// What was answered when every acknowledged id was posted once more.
    pub(crate) repeats: Vec<AckedWrite>,
}

/// All broken promises, in words; none when all is well.
pub(crate) fn complaints(acked: &[AckedWrite], aftermath: &RecoveryCheck) -> Vec<String> {
    let history = &aftermath.history;
    let mut complaints = Vec::new();
    for (conversation, found) in history {
        complaints.extend(gaps(conversation, found));
        complaints.extend(doubles(conversation, found));
    }
    complaints.extend(losses(acked, history));
    complaints.extend(strangers(acked, history));
    complaints.extend(disorder(acked));
    complaints.extend(misdelivered(acked, &aftermath.inbox));
    complaints.extend(changed_answers(acked, &aftermath.repeats));
    complaints.extend(aftermath.audit_flaw.iter().map(|flaw| format!("audit: {flaw}")));
    complaints.extend(misaudited(history, &aftermath.audited));
    complaints
}

/// Numbers are 1, 2, 3 … without gaps.
fn gaps(conversation: &str, found: &[StoredState]) -> Option<String> {
    let wrong = (1..).zip(found).find(|(expected, message)| message.seq != *expected);
    wrong.map(|(expected, message)| {
        format!("gap in {conversation}: number {} stands where {expected} belongs", message.seq)
    })
}

/// No id and no text stands twice.
fn doubles(conversation: &str, found: &[StoredState]) -> Vec<String> {
    let (mut ids, mut bodies) = (HashSet::new(), HashSet::new());
    let mut doubles = Vec::new();
    for message in found {
        if !ids.insert(&message.id) || !bodies.insert(&message.body) {
            doubles.push(format!("doubled in {conversation}: {} ({})", message.id, message.body));
        }
    }
    doubles
}

/// Everything that was acknowledged is there, under its number and with its text.
fn losses(acked: &[AckedWrite], history: &BTreeMap<String, Vec<StoredState>>) -> Vec<String> {
    let found: HashMap<_, _> = history
        .iter()
        .flat_map(|(conversation, found)| found.iter().map(move |message| ((conversation, &message.id), message)))
        .collect();
    let is_there = |one: &AckedWrite| {
        let message = found.get(&(&one.conversation, &one.id));
        message.is_some_and(|message| message.seq == one.seq && message.body == one.body)
    };
    let lost = acked.iter().filter(|one| !is_there(one));
    lost.map(|one| format!("lost: {} was acknowledged as number {}", one.id, one.seq)).collect()
}

/// What is stored has exactly one entry in the audit log, and nothing else has one.
fn misaudited(history: &BTreeMap<String, Vec<StoredState>>, audited: &[String]) -> Vec<String> {
    let stored: HashSet<&String> = history.values().flatten().map(|message| &message.id).collect();
    let mut told = HashSet::new();
    let doubled = audited.iter().filter(|id| !told.insert(*id)).map(|id| format!("audit: {id} has two entries"));
    let mut wrong: Vec<String> = doubled.collect();
    wrong.extend(stored.difference(&told).map(|id| format!("audit: {id} is stored and has no entry")));
    wrong.extend(told.difference(&stored).map(|id| format!("audit: {id} has an entry and is not stored")));
    wrong
}

/// Nothing is there that nobody has sent.
fn strangers(acked: &[AckedWrite], history: &BTreeMap<String, Vec<StoredState>>) -> Vec<String> {
    let sent: HashSet<_> = acked.iter().map(|one| &one.id).collect();
    let strangers = history.values().flatten().filter(|message| !sent.contains(&message.id));
    strangers.map(|message| format!("stranger: nobody sent {} ({})", message.id, message.body)).collect()
}

/// The log grows with the numbers of each conversation and with the messages of each sender, and has one place for each.
fn disorder(acked: &[AckedWrite]) -> Vec<String> {
    let mut complaints = Vec::new();
    let mut by_seq: Vec<_> = acked.iter().collect();
    by_seq.sort_by_key(|one| (&one.conversation, one.seq));
    let mut by_sender: Vec<_> = acked.iter().collect();
    by_sender.sort_by_key(|one| (one.sender, one.number));
    let in_log = |pair: &[&AckedWrite]| pair[0].offset < pair[1].offset;
    for pair in by_seq.windows(2).filter(|pair| pair[0].conversation == pair[1].conversation && !in_log(pair)) {
        complaints.push(format!("disorder: {} stands before {} but not in the log", pair[0].id, pair[1].id));
    }
    for pair in by_sender.windows(2).filter(|pair| pair[0].sender == pair[1].sender && !in_log(pair)) {
        complaints.push(format!("disorder: {} was sent before {} and stands after it", pair[0].id, pair[1].id));
    }
    let places: HashSet<_> = acked.iter().map(|one| one.offset).collect();
    if places.len() != acked.len() {
        complaints.push("disorder: two messages share a place in the log".to_owned());
    }
    complaints
}

/// The inbox holds every message that calls the agent, each once, in the order of the log, and nothing else.
fn misdelivered(acked: &[AckedWrite], inbox: &[String]) -> Option<String> {
    let mut expected: Vec<_> = acked.iter().filter(|one| one.is_mention).collect();
    expected.sort_by_key(|one| one.offset);
    if expected.iter().map(|one| &one.id).eq(inbox) {
        return None;
    }
    let wrong = expected.iter().zip(inbox).find(|(one, found)| one.id != **found);
    let place = wrong.map(|(one, found)| format!("; {found} stands where {} belongs", one.id)).unwrap_or_default();
    Some(format!("misdelivered: the inbox holds {} of {} messages{place}", inbox.len(), expected.len()))
}

/// A repeated id is answered as it was the first time.
fn changed_answers(acked: &[AckedWrite], repeats: &[AckedWrite]) -> Vec<String> {
    let first: HashMap<_, _> = acked.iter().map(|one| (&one.id, one)).collect();
    let changed = repeats.iter().filter(|repeat| first.get(&repeat.id) != Some(repeat));
    let mut complaints: Vec<_> =
        changed.map(|repeat| format!("changed answer: {} is now number {}", repeat.id, repeat.seq)).collect();
    if repeats.len() != acked.len() {
        complaints.push(format!("{} of {} ids were repeated", repeats.len(), acked.len()));
    }
    complaints
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A sound load: two senders, one conversation, every second message for the agent.
    fn sound() -> (Vec<AckedWrite>, RecoveryCheck) {
        let acked: Vec<_> = (1..=6)
            .map(|seq| AckedWrite {
                id: format!("msg_{seq}"),
                conversation: "chn_1".into(),
                body: format!("text {seq}"),
                seq,
                offset: seq + 10,
                is_mention: seq % 2 == 0,
                sender: usize::from(seq > 3),
                number: usize::try_from(seq).expect("small"),
            })
            .collect();
        let found = |one: &AckedWrite| StoredState { id: one.id.clone(), body: one.body.clone(), seq: one.seq };
        let history = BTreeMap::from([("chn_1".to_owned(), acked.iter().map(found).collect())]);
        let inbox = ["msg_2", "msg_4", "msg_6"].map(str::to_owned).into();
        let (repeats, audited) = (acked.clone(), acked.iter().map(|one| one.id.clone()).collect());
        (acked, RecoveryCheck { history, inbox, repeats, audited, audit_flaw: None })
    }

    /// The complaints after the aftermath was spoilt.
    fn spoilt(spoil: impl FnOnce(&mut RecoveryCheck)) -> String {
        let (acked, mut aftermath) = sound();
        spoil(&mut aftermath);
        complaints(&acked, &aftermath).join("\n")
    }

    /// The complaints after the history was spoilt.
    fn after(spoil: impl FnOnce(&mut Vec<StoredState>)) -> String {
        spoilt(|aftermath| spoil(aftermath.history.get_mut("chn_1").expect("the only one")))
    }

    #[test]
    fn a_correct_history_gives_no_complaint() {
        assert_eq!(spoilt(|_| ()), "");
    }

    #[test]
    fn a_lost_message_is_detected() {
        assert!(after(|history| drop(history.pop())).starts_with("lost: msg_6 was acknowledged as number 6\n"));
        assert!(after(|history| history[2].body = "other".into()).contains("lost: msg_3"));
        assert!(after(|history| history.clear()).contains("lost: msg_1"));
    }

    #[test]
    fn a_duplicated_message_is_detected() {
        let doubled = after(|history| history.push(StoredState { seq: 7, ..history[0].clone() }));
        assert!(doubled.contains("doubled in chn_1: msg_1"), "{doubled}");
        let same_text = after(|history| history.push(StoredState { id: "msg_7".into(), seq: 7, ..history[0].clone() }));
        assert!(same_text.contains("doubled in chn_1: msg_7 (text 1)"), "{same_text}");
    }

    #[test]
    fn a_gap_and_a_wrong_first_number_are_detected() {
        assert!(after(|history| drop(history.remove(3))).contains("gap in chn_1: number 5 stands where 4 belongs"));
        assert!(after(|history| drop(history.remove(0))).contains("gap in chn_1: number 2 stands where 1 belongs"));
        assert!(after(|history| history[5].seq = 5).contains("gap in chn_1: number 5 stands where 6 belongs"));
    }

    #[test]
    fn an_unknown_message_is_detected() {
        let stranger = StoredState { id: "msg_x".into(), body: "x".into(), seq: 7 };
        assert!(after(|history| history.push(stranger)).starts_with("stranger: nobody sent msg_x (x)\n"));
    }

    #[test]
    fn a_log_that_does_not_grow_is_detected() {
        let (mut acked, mut aftermath) = sound();
        acked[3].offset = acked[4].offset;
        aftermath.repeats = acked.clone();
        let text = complaints(&acked, &aftermath).join("\n");
        assert!(text.contains("msg_4 stands before msg_5 but not in the log"), "{text}");
        assert!(text.contains("share a place"), "{text}");
    }

    #[test]
    fn reordered_messages_of_a_sender_are_detected() {
        let (mut acked, mut aftermath) = sound();
        (acked[0].number, acked[1].number) = (acked[1].number, acked[0].number);
        aftermath.repeats = acked.clone();
        let text = complaints(&acked, &aftermath).join("\n");
        assert!(text.contains("msg_2 was sent before msg_1 and stands after it"), "{text}");
    }

    #[test]
    fn missing_duplicated_and_wrong_inbox_messages_are_detected() {
        let text = spoilt(|aftermath| drop(aftermath.inbox.pop()));
        assert_eq!(text, "misdelivered: the inbox holds 2 of 3 messages");
        let text = spoilt(|aftermath| aftermath.inbox.insert(1, "msg_2".into()));
        assert_eq!(text, "misdelivered: the inbox holds 4 of 3 messages; msg_2 stands where msg_4 belongs");
        assert!(spoilt(|aftermath| aftermath.inbox.swap(0, 1)).contains("msg_4 stands where msg_2 belongs"));
        assert!(spoilt(|aftermath| aftermath.inbox.push("msg_1".into())).contains("4 of 3"));
    }

    #[test]
    fn a_mismatching_audit_log_is_detected() {
        let text = spoilt(|aftermath| drop(aftermath.audited.pop()));
        assert_eq!(text, "audit: msg_6 is stored and has no entry");
        let text = spoilt(|aftermath| aftermath.audited.push("msg_x".into()));
        assert_eq!(text, "audit: msg_x has an entry and is not stored");
        let text = spoilt(|aftermath| aftermath.audited.push("msg_1".into()));
        assert_eq!(text, "audit: msg_1 has two entries");
        assert_eq!(spoilt(|aftermath| aftermath.audit_flaw = Some("broken".into())), "audit: broken");
    }

    #[test]
    fn a_changed_response_is_detected() {
        assert_eq!(spoilt(|aftermath| aftermath.repeats[1].seq = 9), "changed answer: msg_2 is now number 9");
        assert_eq!(spoilt(|aftermath| aftermath.repeats.truncate(1)), "1 of 6 ids were repeated");
    }
}
