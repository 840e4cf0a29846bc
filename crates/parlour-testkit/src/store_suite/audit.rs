//! The audit log: one entry for every change, chained by hashes, without any user text.

mod fixture;

use std::collections::BTreeSet;

use parlour_core::{
    Code, Timestamp,
    attribution::{Attribution, Origin, Surface},
    audit::{AuditEntry, AuditFilter, AuditHead, DONE, ResultFilter, SealedEntry, Verifier},
    author::Author,
    event::Change,
    id::TokenId,
    member::Person,
    paging::PageRequest,
    project::{Project, ProjectPatch},
    token::OtherTokens,
    write::{Appended, Entry, Novelty, Write},
};

use self::fixture::AuditFixture;
use crate::test_store::{TestMember, TestStore, read_all};
use parlour_hub::{Failure, ports::AuditNote};

/// A text that must not appear in the log.
const MARK: &str = "xyzzy";

const DAY_MS: u32 = 24 * 60 * 60 * 1000;

/// All entries, as an export returns them.
async fn export(test_store: &TestStore) -> Vec<SealedEntry> {
    let mut entries: Vec<SealedEntry> = Vec::new();
    loop {
        let after = entries.last().map_or(0, |last| last.entry.no);
        let more = test_store.store().audit_after(after).await.expect("entries");
        if more.is_empty() {
            return entries;
        }
        entries.extend(more);
    }
}

/// Verifies the chain of an export, and returns its head.
fn verified(entries: &[SealedEntry]) -> AuditHead {
    let mut verifier = Verifier::new(None);
    for entry in entries {
        verifier.check(entry.line().as_bytes()).expect("a whole log");
    }
    verifier.finish().expect("a whole log")
}

async fn last(test_store: &TestStore) -> AuditEntry {
    let page = PageRequest::new(None, Some(1)).expect("page");
    let mut newest = test_store.store().audit(&AuditFilter::default(), &page).await.expect("entries");
    newest.items.pop().expect("an entry")
}

async fn count(test_store: &TestStore) -> u64 {
    test_store.store().audit_head().await.expect("head").no
}

/// An attribution of this member through a surface, with a token.
fn attribution(test_store: &TestStore, actor: &dyn TestMember, token: u128) -> Attribution {
    let origin = Origin { surface: Surface::Live, token: Some(TokenId::from_bits(token)) };
    Attribution { actor: actor.author(), at: test_store.clock().advance(1), origin }
}

fn note(attribution: Attribution, action: &str, result: &str) -> AuditNote {
    AuditNote { attribution, action: action.to_owned(), project_id: None, subject: None, result: result.to_owned() }
}

async fn append(
    test_store: &TestStore,
    project: &Project,
    attribution: Attribution,
    write: Write,
) -> Result<Appended, Failure> {
    test_store.store().append(Entry { project_id: project.id.clone(), attribution, write }).await
}

async fn mara_and_tour(test_store: &TestStore) -> (Person, Project) {
    let mara = test_store.person("Mara").await;
    let tour = test_store.project("Tour", &mara).await;
    (mara, tour)
}

/// The entry of each kind of change contains actor, time, surface, token, action, project and subject.
pub async fn every_change_writes_one_audit_entry(test_store: TestStore) {
    let fixture = AuditFixture::new(&test_store).await;
    // `Accounts::rename_person` writes the second one; it is not a write of one project.
    let mut names = BTreeSet::from(["projects.created", "projects.person_updated"]);
    for (number, write) in (0..).zip(fixture.writes(&test_store)) {
        let (text, before, attribution) =
            (format!("{write:?}"), count(&test_store).await, attribution(&test_store, &fixture.mara, number));
        let appended = append(&test_store, &fixture.tour, attribution.clone(), write).await.expect(&text);
        let expected = AuditEntry {
            no: before + 1,
            at: attribution.at,
            actor: attribution.actor,
            surface: attribution.origin.surface,
            token_id: attribution.origin.token,
            action: appended.change.name().to_owned(),
            project_id: Some(fixture.tour.id.clone()),
            subject: Some(appended.change.subject()),
            result: DONE.to_owned(),
        };
        assert_eq!(last(&test_store).await, expected, "{text}");
        names.insert(appended.change.name());
    }
    assert_eq!(names, Change::NAMES.iter().copied().collect(), "every kind of change was made");
    verified(&export(&test_store).await);
}

/// The entry contains the actor and time of the attribution, not the author and time of the message.
pub async fn a_post_for_another_author_names_the_actor(test_store: TestStore) {
    let (mara, tour) = mara_and_tour(&test_store).await;
    let bela = test_store.member("Bela", &tour).await;
    let general = test_store.channel("general", &tour).await;
    let draft = test_store.draft(&mara, &general, "hello");
    let by_bela = attribution(&test_store, &bela, 1);
    append(&test_store, &tour, by_bela.clone(), draft.write()).await.expect("posted");
    let entry = last(&test_store).await;
    assert_eq!((entry.actor, entry.at), (bela.author(), by_bela.at));
    assert_eq!(entry.subject, Some(draft.message.id.to_string()));
}

/// Changes of people, tokens, passwords and invites are in the audit log, but in no project's log.
pub async fn every_account_change_writes_one_entry(test_store: TestStore) {
    let (mara, tour) = mara_and_tour(&test_store).await;
    let store = test_store.store();
    let person = test_store.new_person("Bela");
    let (token, invite) = (test_store.token(&mara.member()), fixture::invite(&test_store, &tour, &mara));
    let mut before = count(&test_store).await;
    let mut check = async |expected: Attribution, action: &str| {
        let entry = last(&test_store).await;
        before += 1;
        assert_eq!((entry.no, entry.action.as_str(), entry.result.as_str()), (before, action, DONE));
        assert_eq!((entry.at, entry.actor, entry.token_id), (expected.at, expected.actor, expected.origin.token));
    };
    let by = || attribution(&test_store, &mara, 7);
    let done = by();
    store.create_person(done.clone(), person.clone(), test_store.token(&person.member())).await.expect("added");
    check(done, "people.created").await;
    let done = by();
    store.add_token(done.clone(), token.clone(), OtherTokens::Stay).await.expect("kept");
    check(done, "tokens.issued").await;
    let done = by();
    store.revoke_token(done.clone(), &token.token.id).await.expect("ended");
    check(done, "tokens.revoked").await;
    let done = by();
    store.set_password(done.clone(), &mara.id, MARK.to_owned()).await.expect("set");
    check(done, "passwords.set").await;
    let done = by();
    store.add_invite(done.clone(), invite.clone(), test_store.secret()).await.expect("kept");
    check(done, "invites.created").await;
    let done = by();
    store.revoke_invite(done.clone(), &invite.id).await.expect("ended");
    check(done, "invites.revoked").await;
}

/// A repeated write, a refused write and a write about an unknown thing write no entry.
pub async fn a_write_without_effect_writes_no_entry(test_store: TestStore) {
    let (mara, tour) = mara_and_tour(&test_store).await;
    let same = ProjectPatch { name: Some(tour.name.clone()), ..ProjectPatch::default() };
    let before = count(&test_store).await;
    test_store.repeat(&tour.id, &mara, Write::UpdateProject(same)).await;
    test_store.refusal(&tour.id, &mara, Write::RemoveMessage("msg_none".parse().expect("id"))).await;
    test_store.store().revoke_token(test_store.attribution(), &TokenId::from_bits(9)).await.expect_err("unknown");
    let look_alike = test_store.new_person("MARA");
    let token = test_store.token(&look_alike.member());
    test_store.store().create_person(test_store.attribution(), look_alike, token).await.expect_err("taken");
    assert_eq!(count(&test_store).await, before);
}

/// A note can record a refusal, also with an unknown actor, project or subject.
pub async fn a_note_writes_an_entry_without_a_change(test_store: TestStore) {
    let mara = test_store.person("Mara").await;
    let stranger = test_store.new_person("Stranger");
    let by_mara = AuditNote {
        project_id: Some("prj_none".parse().expect("id")),
        subject: Some("chn_none/per_none".into()),
        ..note(attribution(&test_store, &mara, 1), "PATCH /channels/{id}", Code::Forbidden.as_str())
    };
    let nobody = Attribution {
        actor: Author::host(),
        at: test_store.now(),
        origin: Origin { surface: Surface::Http, token: None },
    };
    let notes = [
        by_mara,
        note(attribution(&test_store, &stranger, 2), "sessions.created", Code::SignInFailed.as_str()),
        note(nobody, "sessions.created", Code::SignInFailed.as_str()),
    ];
    for note in notes {
        test_store.store().note(note.clone()).await.expect("noted");
        let entry = last(&test_store).await;
        assert_eq!(
            (entry.at, entry.actor, entry.surface),
            (note.attribution.at, note.attribution.actor, note.attribution.origin.surface)
        );
        assert_eq!((entry.token_id, entry.action), (note.attribution.origin.token, note.action));
        assert_eq!((entry.project_id, entry.subject, entry.result), (note.project_id, note.subject, note.result));
    }
    verified(&export(&test_store).await);
}

/// Entries of concurrent writes are numbered without gaps, and the seal of every commit is valid.
pub async fn concurrent_writes_are_numbered_and_chained(test_store: TestStore) {
    let (mara, tour) = mara_and_tour(&test_store).await;
    let general = test_store.channel("general", &tour).await;
    let before = count(&test_store).await;
    let mut writers = tokio::task::JoinSet::new();
    for writer in 0..8_u64 {
        let (test_store, mara, tour, general) = (test_store.clone(), mara.clone(), tour.clone(), general.clone());
        writers.spawn(async move {
            for number in 0..20 {
                let draft = test_store.draft(&mara, &general, "hello");
                let attribution = attribution(&test_store, &mara, u128::from(writer));
                let novelty = append(&test_store, &tour, attribution, draft.write()).await.expect("posted").novelty;
                assert_eq!(novelty, Novelty::New);
                if number % 5 == 0 {
                    test_store.refusal(&tour.id, &mara, Write::RemoveMessage("msg_none".parse().expect("id"))).await;
                }
            }
        });
    }
    writers.join_all().await;
    let entries = export(&test_store).await;
    assert_eq!(verified(&entries), test_store.store().audit_head().await.expect("head"));
    assert_eq!(entries.len() as u64, before + 8 * 20);
}

/// The head of an empty log is 0 and increases with each write.
pub async fn the_head_is_the_end_of_the_export(test_store: TestStore) {
    assert_eq!(test_store.store().audit_head().await.expect("head"), AuditHead::default());
    assert_eq!(export(&test_store).await, []);
    let mut heads = Vec::new();
    for name in ["Mara", "Bela", "Zoe"] {
        test_store.person(name).await;
        let head = test_store.store().audit_head().await.expect("head");
        assert_eq!(verified(&export(&test_store).await), head);
        heads.push(head.no);
    }
    assert_eq!(heads, [1, 2, 3]);
}

/// An export that starts after any entry ends with the same seal.
pub async fn an_export_can_start_after_any_entry(test_store: TestStore) {
    let (mara, tour) = mara_and_tour(&test_store).await;
    for body in ["a", "b", "c"] {
        let general = test_store.channel(body, &tour).await;
        test_store.post(&mara, &general, body).await;
    }
    let all = export(&test_store).await;
    for after in 0..=all.len() {
        assert_eq!(test_store.store().audit_after(after as u64).await.expect("entries"), all[after..], "after {after}");
    }
    assert_eq!(test_store.store().audit_after(u64::MAX).await.expect("entries"), []);
}

pub async fn entries_are_listed_newest_first(test_store: TestStore) {
    let (mara, tour) = mara_and_tour(&test_store).await;
    let general = test_store.channel("general", &tour).await;
    for body in ["a", "b", "c", "d"] {
        test_store.post(&mara, &general, body).await;
    }
    let mut expected: Vec<AuditEntry> = export(&test_store).await.into_iter().map(|sealed| sealed.entry).collect();
    expected.reverse();
    for limit in 1..=expected.len() + 1 {
        let filter = AuditFilter::default();
        let listed = read_all(limit, async |page| test_store.store().audit(&filter, &page).await).await;
        assert_eq!(listed, expected, "pages of {limit}");
    }
}

/// A filter lists exactly the matching entries, on pages of any size.
pub async fn a_filter_lists_the_matching_entries(test_store: TestStore) {
    let (mara, tour) = mara_and_tour(&test_store).await;
    let fair = test_store.project("Fair", &mara).await;
    let bela = test_store.member("Bela", &tour).await;
    let (general, lobby) = (test_store.channel("general", &tour).await, test_store.channel("lobby", &fair).await);
    for author in [&mara, &bela, &mara] {
        test_store.post(author, &general, "hello").await;
    }
    test_store.post(&mara, &lobby, "hello").await;
    let refused = note(attribution(&test_store, &bela, 1), "messaging.posted", Code::MissingScope.as_str());
    test_store.store().note(refused).await.expect("noted");
    let all: Vec<AuditEntry> = export(&test_store).await.into_iter().map(|sealed| sealed.entry).rev().collect();
    let none = AuditFilter::default();
    let filters = [
        AuditFilter { project_id: Some(tour.id), ..none.clone() },
        AuditFilter { actor: Some(bela.member()), ..none.clone() },
        AuditFilter { action: Some("messaging.posted".into()), ..none.clone() },
        AuditFilter { action: Some("projects.created".into()), actor: Some(mara.member()), ..none.clone() },
        AuditFilter { result: Some(ResultFilter::Done), ..none.clone() },
        AuditFilter { result: Some(ResultFilter::Refused), ..none.clone() },
        AuditFilter { result: Some(ResultFilter::Code(Code::Forbidden)), ..none.clone() },
        AuditFilter { since: Some(all[3].at), ..none.clone() },
        AuditFilter { until: Some(all[3].at), ..none.clone() },
    ];
    for filter in filters {
        let expected: Vec<AuditEntry> = all.iter().filter(|entry| filter.matches(entry)).cloned().collect();
        for limit in [1, 3, 50] {
            let listed = read_all(limit, async |page| test_store.store().audit(&filter, &page).await).await;
            assert_eq!(listed, expected, "{filter:?} on pages of {limit}");
        }
    }
}

pub async fn an_invalid_audit_page_key_is_refused(test_store: TestStore) {
    test_store.person("Mara").await;
    for key in ["0", "1", "2", "-1", "+1", "x", "", "99999999999999999999"] {
        let page = PageRequest::new(Some(key.to_owned()), None).expect("page");
        let failure = test_store.store().audit(&AuditFilter::default(), &page).await.expect_err(key);
        assert_eq!(failure.refusal().map(|refusal| refusal.code), Some(Code::BadQuery), "{key}");
    }
}

/// Entries stay unchanged when the token is revoked, the message removed and the events pruned.
pub async fn entries_outlive_their_subjects(test_store: TestStore) {
    let (mara, tour) = mara_and_tour(&test_store).await;
    let general = test_store.channel("general", &tour).await;
    let token = test_store.token(&mara.member());
    test_store.store().add_token(test_store.attribution(), token.clone(), OtherTokens::Stay).await.expect("kept");
    let origin = Origin { surface: Surface::Http, token: Some(token.token.id.clone()) };
    let by_mara = Attribution { actor: mara.author(), at: test_store.clock().advance(1), origin };
    let mut draft = test_store.draft(&mara, &general, "hello");
    draft.message.created_at = by_mara.at;
    append(&test_store, &tour, by_mara, draft.write()).await.expect("posted");
    let before = export(&test_store).await;

    test_store.store().revoke_token(test_store.attribution(), &token.token.id).await.expect("ended");
    test_store.remove(&mara, &draft.message).await;
    test_store.change(&tour.id, &mara, Write::UpdateProject(fixture::one_day_retention())).await;
    test_store.clock().advance(3 * DAY_MS);
    test_store.store().prune_logs(test_store.now()).await.expect("pruned");
    let after = export(&test_store).await;
    assert_eq!(after[..before.len()], before);
    verified(&after);
}

pub async fn entries_contain_no_text_and_no_secret(test_store: TestStore) {
    let fixture = AuditFixture::new(&test_store).await;
    for write in fixture.writes(&test_store) {
        let text = format!("{write:?}");
        test_store.append(&fixture.tour.id, &fixture.mara, write).await.expect(&text);
    }
    let mut token = test_store.token(&fixture.mara.member());
    token.token.label = MARK.to_owned();
    test_store.store().add_token(test_store.attribution(), token, OtherTokens::Stay).await.expect("kept");
    test_store.store().set_password(test_store.attribution(), &fixture.mara.id, MARK.to_owned()).await.expect("set");
    for sealed in export(&test_store).await {
        assert!(!sealed.line().contains(MARK), "{}", sealed.line());
    }
}

/// The time of an entry is that of the attribution, even if it is earlier than that of the entry before.
pub async fn an_entry_has_the_time_of_its_attribution(test_store: TestStore) {
    let mara = test_store.person("Mara").await;
    for ms in [5_000, 1_000, 9_000] {
        let at = Timestamp::from_millis(ms);
        let attribution = Attribution { at, ..attribution(&test_store, &mara, 1) };
        test_store.store().note(note(attribution, "x", DONE)).await.expect("noted");
        assert_eq!(last(&test_store).await.at, at);
    }
    verified(&export(&test_store).await);
}
