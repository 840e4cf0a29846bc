//! The audit log: one entry for every change, chained, and never a text.

mod stage;

use std::collections::BTreeSet;

use parlour_core::{
    Code, Timestamp,
    attribution::Attribution,
    audit::{AuditEntry, AuditFilter, AuditHead, DONE, ResultFilter, SealedEntry, Verifier},
    author::Author,
    event::Change,
    id::TokenId,
    member::Person,
    origin::{Origin, Surface},
    paging::PageRequest,
    project::{Project, ProjectPatch},
    token::OtherTokens,
    write::{Appended, Entry, Novelty, Write},
};

use self::stage::Stage;
use crate::world::{Caller, World, read_all};
use parlour_hub::{Failure, ports::AuditNote};

/// A text that must never be found in the log.
const MARK: &str = "xyzzy";

/// The milliseconds of a day.
const DAY_MS: u32 = 24 * 60 * 60 * 1000;

/// All entries, as an export gives them.
async fn export(world: &World) -> Vec<SealedEntry> {
    let mut entries: Vec<SealedEntry> = Vec::new();
    loop {
        let after = entries.last().map_or(0, |last| last.entry.no);
        let more = world.store().audit_after(after).await.expect("entries");
        if more.is_empty() {
            return entries;
        }
        entries.extend(more);
    }
}

/// The head of an export, which must be whole.
fn verified(entries: &[SealedEntry]) -> AuditHead {
    let mut verifier = Verifier::new(None);
    for entry in entries {
        verifier.check(entry.line().as_bytes()).expect("a whole log");
    }
    verifier.finish().expect("a whole log")
}

async fn last(world: &World) -> AuditEntry {
    let page = PageRequest::new(None, Some(1)).expect("page");
    let mut newest = world.store().audit(&AuditFilter::default(), &page).await.expect("entries");
    newest.items.pop().expect("an entry")
}

async fn count(world: &World) -> u64 {
    world.store().audit_head().await.expect("head").no
}

/// A attribution of this member through a surface, with a token.
fn attribution(world: &World, actor: &dyn Caller, token: u128) -> Attribution {
    let origin = Origin { surface: Surface::Live, token: Some(TokenId::from_bits(token)) };
    Attribution { actor: actor.author(), at: world.clock().advance(1), origin }
}

fn note(attribution: Attribution, action: &str, result: &str) -> AuditNote {
    AuditNote { attribution, action: action.to_owned(), project_id: None, subject: None, result: result.to_owned() }
}

async fn append(world: &World, project: &Project, attribution: Attribution, write: Write) -> Result<Appended, Failure> {
    world.store().append(Entry { project_id: project.id.clone(), attribution, write }).await
}

async fn mara_and_tour(world: &World) -> (Person, Project) {
    let mara = world.person("Mara").await;
    let tour = world.project("Tour", &mara).await;
    (mara, tour)
}

/// Every sort of change writes one entry with who, when, by which way, what, where and on what.
pub async fn every_change_is_one_entry_that_says_who_did_what(world: World) {
    let stage = Stage::new(&world).await;
    // The second is told by `Accounts::rename_person`, which is no write to one project.
    let mut names = BTreeSet::from(["projects.created", "projects.person_updated"]);
    for (place, write) in (0..).zip(stage.writes(&world)) {
        let (text, before, attribution) =
            (format!("{write:?}"), count(&world).await, attribution(&world, &stage.mara, place));
        let appended = append(&world, &stage.tour, attribution.clone(), write).await.expect(&text);
        let expected = AuditEntry {
            no: before + 1,
            at: attribution.at,
            actor: attribution.actor,
            surface: attribution.origin.surface,
            token_id: attribution.origin.token,
            action: appended.change.name().to_owned(),
            project_id: Some(stage.tour.id.clone()),
            subject: Some(appended.change.subject()),
            result: DONE.to_owned(),
        };
        assert_eq!(last(&world).await, expected, "{text}");
        names.insert(appended.change.name());
    }
    assert_eq!(names, Change::NAMES.iter().copied().collect(), "every sort of change was made");
    verified(&export(&world).await);
}

/// A post is logged with its own author and moment, and with others when somebody else has brought it.
pub async fn a_post_for_another_names_who_has_posted_it(world: World) {
    let (mara, tour) = mara_and_tour(&world).await;
    let bela = world.member("Bela", &tour).await;
    let general = world.channel("general", &tour).await;
    let draft = world.draft(&mara, &general, "hello");
    let by_bela = attribution(&world, &bela, 1);
    append(&world, &tour, by_bela.clone(), draft.write()).await.expect("posted");
    let entry = last(&world).await;
    assert_eq!((entry.actor, entry.at), (bela.author(), by_bela.at));
    assert_eq!(entry.subject, Some(draft.message.id.to_string()));
}

/// People, tokens, passwords and invites stand in no project's log, but in this one.
pub async fn every_change_of_an_account_is_one_entry(world: World) {
    let (mara, tour) = mara_and_tour(&world).await;
    let store = world.store();
    let person = world.new_person("Bela");
    let (token, invite) = (world.token(&mara.member()), stage::invite(&world, &tour, &mara));
    let mut before = count(&world).await;
    let mut check = async |expected: Attribution, action: &str| {
        let entry = last(&world).await;
        before += 1;
        assert_eq!((entry.no, entry.action.as_str(), entry.result.as_str()), (before, action, DONE));
        assert_eq!((entry.at, entry.actor, entry.token_id), (expected.at, expected.actor, expected.origin.token));
    };
    let by = || attribution(&world, &mara, 7);
    let done = by();
    store.create_person(done.clone(), person.clone(), world.token(&person.member())).await.expect("added");
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
    store.add_invite(done.clone(), invite.clone(), world.secret()).await.expect("kept");
    check(done, "invites.created").await;
    let done = by();
    store.revoke_invite(done.clone(), &invite.id).await.expect("ended");
    check(done, "invites.revoked").await;
}

/// Nothing is logged of what changed nothing: a repeated write, a refused one, one that met nothing there.
pub async fn what_changes_nothing_leaves_no_entry(world: World) {
    let (mara, tour) = mara_and_tour(&world).await;
    let same = ProjectPatch { name: Some(tour.name.clone()), ..ProjectPatch::default() };
    let before = count(&world).await;
    world.repeat(&tour.id, &mara, Write::UpdateProject(same)).await;
    world.refusal(&tour.id, &mara, Write::RemoveMessage("msg_none".parse().expect("id"))).await;
    world.store().revoke_token(world.attribution(), &TokenId::from_bits(9)).await.expect_err("unknown");
    let look_alike = world.new_person("MARA");
    let token = world.token(&look_alike.member());
    world.store().create_person(world.attribution(), look_alike, token).await.expect_err("taken");
    assert_eq!(count(&world).await, before);
}

/// A refusal can be noted though nothing has changed; also one of somebody and something that is not there.
pub async fn a_note_is_an_entry_of_its_own(world: World) {
    let mara = world.person("Mara").await;
    let stranger = world.new_person("Stranger");
    let by_mara = AuditNote {
        project_id: Some("prj_none".parse().expect("id")),
        subject: Some("chn_none/per_none".into()),
        ..note(attribution(&world, &mara, 1), "PATCH /channels/{id}", Code::Forbidden.as_str())
    };
    let nobody =
        Attribution { actor: Author::host(), at: world.now(), origin: Origin { surface: Surface::Http, token: None } };
    let notes = [
        by_mara,
        note(attribution(&world, &stranger, 2), "sessions.created", Code::SignInFailed.as_str()),
        note(nobody, "sessions.created", Code::SignInFailed.as_str()),
    ];
    for note in notes {
        world.store().note(note.clone()).await.expect("noted");
        let entry = last(&world).await;
        assert_eq!(
            (entry.at, entry.actor, entry.surface),
            (note.attribution.at, note.attribution.actor, note.attribution.origin.surface)
        );
        assert_eq!((entry.token_id, entry.action), (note.attribution.origin.token, note.action));
        assert_eq!((entry.project_id, entry.subject, entry.result), (note.project_id, note.subject, note.result));
    }
    verified(&export(&world).await);
}

/// Whoever writes at the same time, the numbers have no gap and every commit fits its seal.
pub async fn concurrent_writes_are_numbered_and_chained(world: World) {
    let (mara, tour) = mara_and_tour(&world).await;
    let general = world.channel("general", &tour).await;
    let before = count(&world).await;
    let mut writers = tokio::task::JoinSet::new();
    for writer in 0..8_u64 {
        let (world, mara, tour, general) = (world.clone(), mara.clone(), tour.clone(), general.clone());
        writers.spawn(async move {
            for place in 0..20 {
                let draft = world.draft(&mara, &general, "hello");
                let attribution = attribution(&world, &mara, u128::from(writer));
                let novelty = append(&world, &tour, attribution, draft.write()).await.expect("posted").novelty;
                assert_eq!(novelty, Novelty::New);
                if place % 5 == 0 {
                    world.refusal(&tour.id, &mara, Write::RemoveMessage("msg_none".parse().expect("id"))).await;
                }
            }
        });
    }
    writers.join_all().await;
    let entries = export(&world).await;
    assert_eq!(verified(&entries), world.store().audit_head().await.expect("head"));
    assert_eq!(entries.len() as u64, before + 8 * 20);
}

/// The head of an empty log is 0; each write moves it on.
pub async fn the_head_is_the_end_of_the_export(world: World) {
    assert_eq!(world.store().audit_head().await.expect("head"), AuditHead::default());
    assert_eq!(export(&world).await, []);
    let mut heads = Vec::new();
    for name in ["Mara", "Bela", "Zoe"] {
        world.person(name).await;
        let head = world.store().audit_head().await.expect("head");
        assert_eq!(verified(&export(&world).await), head);
        heads.push(head.no);
    }
    assert_eq!(heads, [1, 2, 3]);
}

/// An export can go on after any entry, and still ends with the same seal.
pub async fn an_export_goes_on_after_any_entry(world: World) {
    let (mara, tour) = mara_and_tour(&world).await;
    for body in ["a", "b", "c"] {
        let general = world.channel(body, &tour).await;
        world.post(&mara, &general, body).await;
    }
    let all = export(&world).await;
    for after in 0..=all.len() {
        assert_eq!(world.store().audit_after(after as u64).await.expect("entries"), all[after..], "after {after}");
    }
    assert_eq!(world.store().audit_after(u64::MAX).await.expect("entries"), []);
}

/// The list goes from the newest entry to the first, on pages of any size.
pub async fn entries_are_listed_newest_first(world: World) {
    let (mara, tour) = mara_and_tour(&world).await;
    let general = world.channel("general", &tour).await;
    for body in ["a", "b", "c", "d"] {
        world.post(&mara, &general, body).await;
    }
    let mut expected: Vec<AuditEntry> = export(&world).await.into_iter().map(|sealed| sealed.entry).collect();
    expected.reverse();
    for limit in 1..=expected.len() + 1 {
        let filter = AuditFilter::default();
        let listed = read_all(limit, async |page| world.store().audit(&filter, &page).await).await;
        assert_eq!(listed, expected, "pages of {limit}");
    }
}

/// A filter shows the entries that it wants and no others, on pages of any size.
pub async fn a_filter_shows_what_it_wants(world: World) {
    let (mara, tour) = mara_and_tour(&world).await;
    let fair = world.project("Fair", &mara).await;
    let bela = world.member("Bela", &tour).await;
    let (general, lobby) = (world.channel("general", &tour).await, world.channel("lobby", &fair).await);
    for author in [&mara, &bela, &mara] {
        world.post(author, &general, "hello").await;
    }
    world.post(&mara, &lobby, "hello").await;
    let refused = note(attribution(&world, &bela, 1), "messaging.posted", Code::MissingScope.as_str());
    world.store().note(refused).await.expect("noted");
    let all: Vec<AuditEntry> = export(&world).await.into_iter().map(|sealed| sealed.entry).rev().collect();
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
        let expected: Vec<AuditEntry> = all.iter().filter(|entry| filter.wants(entry)).cloned().collect();
        for limit in [1, 3, 50] {
            let listed = read_all(limit, async |page| world.store().audit(&filter, &page).await).await;
            assert_eq!(listed, expected, "{filter:?} on pages of {limit}");
        }
    }
}

/// Only what a page has given out is a key.
pub async fn a_key_beyond_the_audit_log_is_refused(world: World) {
    world.person("Mara").await;
    for key in ["0", "1", "2", "-1", "+1", "x", "", "99999999999999999999"] {
        let page = PageRequest::new(Some(key.to_owned()), None).expect("page");
        let failure = world.store().audit(&AuditFilter::default(), &page).await.expect_err(key);
        assert_eq!(failure.refusal().map(|refusal| refusal.code), Some(Code::BadQuery), "{key}");
    }
}

/// Entries stay as they are when the token has ended, the member was renamed, the message removed and the events
/// forgotten.
pub async fn entries_outlive_what_they_tell_of(world: World) {
    let (mara, tour) = mara_and_tour(&world).await;
    let general = world.channel("general", &tour).await;
    let token = world.token(&mara.member());
    world.store().add_token(world.attribution(), token.clone(), OtherTokens::Stay).await.expect("kept");
    let origin = Origin { surface: Surface::Http, token: Some(token.token.id.clone()) };
    let by_mara = Attribution { actor: mara.author(), at: world.clock().advance(1), origin };
    let mut draft = world.draft(&mara, &general, "hello");
    draft.message.created_at = by_mara.at;
    append(&world, &tour, by_mara, draft.write()).await.expect("posted");
    let before = export(&world).await;

    world.store().revoke_token(world.attribution(), &token.token.id).await.expect("ended");
    world.remove(&mara, &draft.message).await;
    world.change(&tour.id, &mara, Write::UpdateProject(stage::short_memory())).await;
    world.clock().advance(3 * DAY_MS);
    world.store().prune_logs(world.now()).await.expect("pruned");
    let after = export(&world).await;
    assert_eq!(after[..before.len()], before);
    verified(&after);
}

/// No text that somebody has written and no secret is in any entry.
pub async fn no_text_and_no_secret_is_in_an_entry(world: World) {
    let stage = Stage::new(&world).await;
    for write in stage.writes(&world) {
        let text = format!("{write:?}");
        world.append(&stage.tour.id, &stage.mara, write).await.expect(&text);
    }
    let mut token = world.token(&stage.mara.member());
    token.token.label = MARK.to_owned();
    world.store().add_token(world.attribution(), token, OtherTokens::Stay).await.expect("kept");
    world.store().set_password(world.attribution(), &stage.mara.id, MARK.to_owned()).await.expect("set");
    for sealed in export(&world).await {
        assert!(!sealed.line().contains(MARK), "{}", sealed.line());
    }
}

/// The moment of an entry is that of the attribution, also when clocks go back.
pub async fn an_entry_carries_the_moment_of_its_deed(world: World) {
    let mara = world.person("Mara").await;
    for ms in [5_000, 1_000, 9_000] {
        let at = Timestamp::from_millis(ms);
        let attribution = Attribution { at, ..attribution(&world, &mara, 1) };
        world.store().note(note(attribution, "x", DONE)).await.expect("noted");
        assert_eq!(last(&world).await.at, at);
    }
    verified(&export(&world).await);
}
