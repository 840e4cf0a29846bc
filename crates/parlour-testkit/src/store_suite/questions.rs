//! Questions: stored with their message, settled once, and listed while they are open.

use std::slice;

use parlour_core::{
    Code,
    event::{Change, ChannelMember},
    id::MessageId,
    inbox::InboxFilter,
    limits,
    message::{Importance, Message, State},
    paging::PageRequest,
    question::{QuestionState, Settlement},
    waiting::PendingQuestion,
    write::{Novelty, StreamEnding, Write},
};

use super::fixtures::ProjectFixture;
use crate::test_store::{TestMember, TestStore, check_pages, yes};
use parlour_hub::ports::HistoryRange;

fn ids(messages: &[Message]) -> Vec<String> {
    messages.iter().map(|message| message.id.to_string()).collect()
}

async fn open(test_store: &TestStore, fixture: &ProjectFixture) -> Vec<String> {
    let caller = fixture.mara.principal();
    let page = test_store.store().open_questions(&fixture.tour.id, &caller, &PageRequest::first()).await.expect("open");
    ids(&page.items)
}

async fn blocks(test_store: &TestStore, fixture: &ProjectFixture) -> Vec<String> {
    ids(&test_store.store().blocks_of(&fixture.coder.id, 9).await.expect("blocks"))
}

/// A blocking message is read with its question in every list.
pub async fn a_question_is_read_with_its_message(test_store: TestStore) {
    let fixture = ProjectFixture::new(&test_store).await;
    let asked = test_store.ask(&fixture.mara, &fixture.general, &[&fixture.coder]).await;
    let question = asked.question.clone().expect("a question");
    assert_eq!((question.state, &question.addressees), (QuestionState::Open, &vec![fixture.coder.member()]));
    let history = test_store.store().messages(&asked.to, HistoryRange::Newest, 1).await.expect("history");
    let page = PageRequest::first();
    let inbox = test_store.store().inbox(&fixture.coder.id, &InboxFilter::default(), &page).await.expect("inbox");
    assert_eq!((&history, &inbox.items[0].message), (&vec![asked.clone()], &asked));
    assert_eq!(test_store.store().message(&asked.id).await.expect("read"), Some(asked.clone()));
    let settled = test_store.settle(&fixture.coder, &asked, yes()).await;
    let now = test_store.store().message(&asked.id).await.expect("read").expect("a message");
    assert_eq!(now.question, Some(settled));
}

/// A complete answer settles the question in the same write, with a second event right after the first.
pub async fn an_answer_settles_its_question_in_the_same_write(test_store: TestStore) {
    let fixture = ProjectFixture::new(&test_store).await;
    let asked = test_store.ask(&fixture.mara, &fixture.general, &[&fixture.coder]).await;
    let mut watched = test_store.store().watch();
    let draft = test_store.draft(&fixture.coder, &fixture.general, "yes").saying_yes_to(&asked);
    let answer = test_store.send(&fixture.coder, &draft).await;
    assert_eq!(answer.answer_to, draft.message.answer_to);
    let question = test_store.question(&asked).await;
    let given = question.answer.clone().expect("an answer");
    assert_eq!((question.state, given.option.as_deref()), (QuestionState::Answered, Some("yes")));
    assert_eq!((given.message_id, question.closed_by), (Some(answer.id.clone()), Some(fixture.coder.author())));
    assert_eq!(question.closed_at, Some(test_store.now()));
    let pair = [watched.recv().await.expect("the post"), watched.recv().await.expect("the question")];
    assert_eq!(pair.each_ref().map(|event| event.change.name()), ["messaging.posted", "messaging.question"]);
    assert_eq!(pair[1].position.offset(), pair[0].position.offset() + 1);
    let events = test_store.events(&fixture.tour.id).await;
    let first = events.iter().position(|event| *event == pair[0]).expect("the post");
    assert_eq!(events[first..first + 2], pair);
}

/// A stream that ends in another state settles nothing.
pub async fn a_streamed_answer_settles_its_question_when_it_ends_complete(test_store: TestStore) {
    let fixture = ProjectFixture::new(&test_store).await;
    let asked = test_store.ask(&fixture.mara, &fixture.general, &[&fixture.coder]).await;
    let answer_to = test_store.draft(&fixture.coder, &fixture.general, "").saying_yes_to(&asked).message.answer_to;
    for (state, expected) in [(State::Failed, QuestionState::Open), (State::Complete, QuestionState::Answered)] {
        let begun = test_store.draft(&fixture.coder, &fixture.general, "").saying_yes_to(&asked).streaming();
        let begun = test_store.send(&fixture.coder, &begun).await;
        assert_eq!((begun.answer_to.clone(), test_store.question(&asked).await.is_open()), (None, true));
        let ending = StreamEnding { state, answer_to: answer_to.clone(), ..test_store.ending("yes") };
        let ended = test_store.finish(&fixture.coder, &begun, ending.clone()).await;
        assert_eq!(test_store.question(&asked).await.state, expected);
        assert_eq!(ended.answer_to, answer_to.clone().filter(|_| state == State::Complete));
        let again = Write::FinishMessage(begun.id.clone(), ending);
        test_store.repeat(&fixture.tour.id, &fixture.coder, again).await;
    }
}

/// An answer to a closed question is stored as a plain message, with one event.
pub async fn a_late_answer_is_a_plain_message(test_store: TestStore) {
    let fixture = ProjectFixture::new(&test_store).await;
    let asked = test_store.ask(&fixture.mara, &fixture.general, &[&fixture.coder]).await;
    let removed = test_store.ask(&fixture.mara, &fixture.general, &[&fixture.coder]).await;
    let settled = test_store.settle(&fixture.mara, &asked, Settlement::Withdrawn).await;
    test_store.remove(&fixture.mara, &removed).await;
    let of_a_reply: &[&str] = &["messaging.posted", "messaging.delivered"];
    for (late, expected) in [(&asked, of_a_reply), (&removed, &["messaging.posted"])] {
        let before = test_store.events(&fixture.tour.id).await.len();
        let draft = test_store.draft(&fixture.coder, &fixture.general, "yes").saying_yes_to(late);
        let answer = test_store.send(&fixture.coder, &draft).await;
        assert_eq!((answer.answer_to, answer.reply_to), (None, Some(late.id.clone())));
        assert_eq!(test_store.event_names(&fixture.tour).await[before..], *expected, "no question is settled");
    }
    assert_eq!(test_store.question(&asked).await, settled);
}

/// A later settlement is refused and changes nothing.
pub async fn a_question_ends_once(test_store: TestStore) {
    let fixture = ProjectFixture::new(&test_store).await;
    for settlement in [yes(), Settlement::Expired, Settlement::Withdrawn, Settlement::Ignored(fixture.coder.member())] {
        let asked = test_store.ask(&fixture.mara, &fixture.general, &[&fixture.coder]).await;
        let settled = test_store.settle(&fixture.coder, &asked, settlement.clone()).await;
        assert!(!settled.is_open(), "{settlement:?}");
        for late in [yes(), Settlement::Expired, Settlement::Withdrawn, Settlement::Ignored(fixture.coder.member())] {
            let write = Write::SettleQuestion(asked.id.clone(), late);
            assert_eq!(test_store.refusal(&fixture.tour.id, &fixture.mara, write).await, Code::QuestionClosed);
        }
        assert_eq!(test_store.question(&asked).await, settled);
    }
    let plain = test_store.post(&fixture.mara, &fixture.general, "nothing asked").await;
    let write = Write::SettleQuestion(plain.id, yes());
    assert_eq!(test_store.refusal(&fixture.tour.id, &fixture.mara, write).await, Code::NotFound);
}

/// When all addressees ignore it, the question ends. Ignoring it twice changes nothing.
pub async fn a_member_that_ignores_a_question_is_no_longer_asked(test_store: TestStore) {
    let fixture = ProjectFixture::new(&test_store).await;
    let asked = test_store.ask(&fixture.mara, &fixture.general, &[&fixture.coder, &fixture.tester]).await;
    let by_coder = Settlement::Ignored(fixture.coder.member());
    assert!(test_store.settle(&fixture.coder, &asked, by_coder.clone()).await.is_open());
    assert_eq!(blocks(&test_store, &fixture).await, [""; 0]);
    assert_eq!(test_store.store().blocks_of(&fixture.tester.id, 9).await.expect("blocks").len(), 1);
    let again = Write::SettleQuestion(asked.id.clone(), by_coder);
    test_store.repeat(&fixture.tour.id, &fixture.coder, again).await;
    let ended = test_store.settle(&fixture.tester, &asked, Settlement::Ignored(fixture.tester.member())).await;
    assert_eq!((ended.state, ended.answer.is_some_and(|answer| answer.is_default)), (QuestionState::Ignored, true));
}

/// The log does not contain the removed text any more.
pub async fn removing_a_message_withdraws_its_question(test_store: TestStore) {
    let fixture = ProjectFixture::new(&test_store).await;
    let mut draft = test_store.asking(&fixture.mara, &fixture.general, &[&fixture.coder, &fixture.tester]);
    let question = draft.message.question.as_mut().expect("a question");
    question.options[0].label = "xyzzy".into();
    let asked = test_store.send(&fixture.mara, &draft).await;
    test_store.settle(&fixture.coder, &asked, Settlement::Ignored(fixture.coder.member())).await;
    let removed = test_store.remove(&fixture.mara, &asked).await;
    assert_eq!((removed.question, open(&test_store, &fixture).await), (None, vec![]));
    assert_eq!(test_store.store().blocks_of(&fixture.tester.id, 9).await.expect("blocks"), []);
    let events = test_store.events(&fixture.tour.id).await;
    let state = events.iter().find_map(|event| match &event.change {
        Change::QuestionChanged(mark) => Some(mark.question.state),
        _ => None,
    });
    assert_eq!(state, Some(QuestionState::Withdrawn));
    assert!(!format!("{events:?}").contains("xyzzy"), "a removed text is gone from the log too");
}

/// Open questions are listed by expiry, on pages of any size, and leave every list when they end.
pub async fn open_questions_are_listed_by_their_expiry(test_store: TestStore) {
    let fixture = ProjectFixture::new(&test_store).await;
    let mut asked = Vec::new();
    for minutes in [3, 1, 2] {
        let mut draft = test_store.asking(&fixture.coder, &fixture.general, &[&fixture.mara]);
        let question = draft.message.question.as_mut().expect("a question");
        question.expires_at = test_store.now().plus_millis(minutes * 60_000);
        asked.push(test_store.send(&fixture.coder, &draft).await);
    }
    let (tour, mara) = (&fixture.tour.id, fixture.mara.principal());
    let expected: Vec<String> = [1, 2, 0].map(|index: usize| asked[index].id.to_string()).into();
    let key = |message: &Message| message.id.to_string();
    check_pages(&expected, key, async |page| test_store.store().open_questions(tour, &mara, &page).await).await;
    check_pages(&expected, key, async |page| test_store.store().questions_to(&mara, None, &page).await).await;
    check_pages(&expected, key, async |page| test_store.store().questions_to(&mara, Some(tour), &page).await).await;
    let first = test_store.question(&asked[1]).await.expires_at;
    assert_eq!(test_store.store().next_expiry().await.expect("next"), Some(first));
    let due = async |until, limit| test_store.store().expiring_questions(until, limit).await.expect("due");
    assert_eq!(due(first, 9).await, [asked[1].id.clone()]);
    let later = first.plus_millis(90_000);
    let both: Vec<MessageId> = vec![asked[1].id.clone(), asked[2].id.clone()];
    assert_eq!((due(later, 9).await, due(later, 1).await), (both.clone(), both[..1].to_vec()));
    for message in &asked {
        test_store.settle(&fixture.mara, message, yes()).await;
    }
    assert_eq!(
        (open(&test_store, &fixture).await, test_store.store().next_expiry().await.expect("next")),
        (vec![], None)
    );
}

/// Only addressees who have not ignored a question and may read it get it listed.
pub async fn questions_are_listed_for_addressees_who_can_answer(test_store: TestStore) {
    let fixture = ProjectFixture::new(&test_store).await;
    let bela = test_store.member("Bela", &fixture.tour).await;
    let secret = test_store.private_channel("secret", &fixture.tour, &[&bela, &fixture.coder]).await;
    let hidden = test_store.ask(&fixture.coder, &secret, &[&bela, &fixture.mara]).await;
    let shared = test_store.ask(&fixture.coder, &fixture.general, &[&bela, &fixture.mara]).await;
    let to = async |caller: &dyn TestMember| {
        let page = PageRequest::first();
        ids(&test_store.store().questions_to(&caller.principal(), None, &page).await.expect("questions").items)
    };
    let both = ids(&[hidden.clone(), shared.clone()]);
    assert_eq!((to(&bela).await, to(&fixture.mara).await), (both, ids(slice::from_ref(&shared))));
    assert_eq!((to(&fixture.coder).await, open(&test_store, &fixture).await), (vec![], ids(slice::from_ref(&shared))));
    test_store.settle(&bela, &shared, Settlement::Ignored(bela.member())).await;
    assert_eq!(to(&bela).await, ids(&[hidden]));
    test_store.change(&fixture.tour.id, &fixture.mara, Write::RemovePerson(bela.id.clone())).await;
    assert_eq!(to(&bela).await, [""; 0]);
}

/// Only messages that the agent may read and has not handled block it.
pub async fn blocks_are_ordered_by_importance_then_age(test_store: TestStore) {
    let fixture = ProjectFixture::new(&test_store).await;
    let secret = test_store.private_channel("secret", &fixture.tour, &[&fixture.mara, &fixture.coder]).await;
    let lost = test_store.ask(&fixture.mara, &secret, &[&fixture.coder]).await;
    let member = ChannelMember { channel_id: secret.id.clone(), member_id: fixture.coder.member() };
    test_store.change(&fixture.tour.id, &fixture.mara, Write::RemoveChannelMember(member)).await;
    let plain = test_store.ask(&fixture.mara, &fixture.general, &[&fixture.coder]).await;
    let mut draft = test_store.asking(&fixture.tester, &fixture.general, &[&fixture.coder]);
    draft.message.importance = Importance::Critical;
    let critical = test_store.send(&fixture.tester, &draft).await;
    assert_eq!(blocks(&test_store, &fixture).await, ids(&[critical.clone(), plain.clone()]));
    assert_eq!(test_store.store().blocks_of(&fixture.coder.id, 1).await.expect("blocks").len(), 1);
    let run = test_store.start(&fixture.coder, None).await;
    test_store.pause_run(&fixture.coder, &run, &critical).await;
    test_store.resume_run(&fixture.coder, &run).await;
    assert_eq!(blocks(&test_store, &fixture).await, ids(&[plain]));
    assert!(test_store.question(&lost).await.is_open() && test_store.question(&critical).await.is_open());
}

/// Only agents wait, for the addressees that can still answer.
pub async fn waits_are_the_open_questions_of_agents(test_store: TestStore) {
    let fixture = ProjectFixture::new(&test_store).await;
    test_store.ask(&fixture.mara, &fixture.general, &[&fixture.coder]).await;
    let asked = test_store.ask(&fixture.coder, &fixture.general, &[&fixture.mara, &fixture.tester]).await;
    let waits = async || test_store.store().waits(&fixture.tour.id).await.expect("waits");
    let wait = |awaited| vec![PendingQuestion { asker: fixture.coder.id.clone(), awaited }];
    assert_eq!(waits().await, wait(vec![fixture.mara.member(), fixture.tester.member()]));
    test_store.settle(&fixture.mara, &asked, Settlement::Ignored(fixture.mara.member())).await;
    assert_eq!(waits().await, wait(vec![fixture.tester.member()]));
    test_store.settle(&fixture.tester, &asked, yes()).await;
    assert_eq!(waits().await, []);
}

/// The limit per member and project also holds for concurrent posts; closed questions do not count.
pub async fn an_asker_has_a_bounded_number_of_open_questions(test_store: TestStore) {
    let fixture = ProjectFixture::new(&test_store).await;
    let mut asked = Vec::new();
    for _ in 0..limits::QUESTIONS_PER_ASKER_MAX {
        asked.push(test_store.ask(&fixture.coder, &fixture.general, &[&fixture.mara]).await);
    }
    let before = fixture.shot(&test_store).await;
    let next = test_store.asking(&fixture.coder, &fixture.general, &[&fixture.mara]);
    assert_eq!(test_store.refusal(&fixture.tour.id, &fixture.coder, next.write()).await, Code::Full);
    assert_eq!(fixture.shot(&test_store).await, before);
    test_store.ask(&fixture.tester, &fixture.general, &[&fixture.mara]).await;
    let counts = async || {
        test_store.store().open_question_counts(&fixture.tour.id, &fixture.coder.member()).await.expect("counts")
    };
    let most = limits::QUESTIONS_PER_ASKER_MAX as u64;
    assert_eq!(counts().await, (most, most + 1));
    test_store.settle(&fixture.mara, &asked[0], yes()).await;
    assert_eq!(counts().await, (most - 1, most));
    test_store.send(&fixture.coder, &next).await;
}

/// The other answers are plain messages.
pub async fn one_of_several_concurrent_answers_settles_the_question(test_store: TestStore) {
    let fixture = ProjectFixture::new(&test_store).await;
    let asked = test_store.ask(&fixture.mara, &fixture.general, &[&fixture.coder]).await;
    let answers = (0..8).map(|_| {
        let write = test_store.draft(&fixture.coder, &fixture.general, "yes").saying_yes_to(&asked).write();
        let (test_store, project, coder) = (test_store.clone(), fixture.tour.id.clone(), fixture.coder.clone());
        tokio::spawn(async move { test_store.append(&project, &coder, write).await.expect("posted") })
    });
    let mut counted = Vec::new();
    for answer in answers.collect::<Vec<_>>() {
        let appended = answer.await.expect("a task");
        let Change::MessagePosted(message) = appended.change else { unreachable!() };
        assert_eq!(appended.novelty, Novelty::New);
        counted.extend(message.answer_to.is_some().then_some(message.id));
    }
    let answer = test_store.question(&asked).await.answer.expect("an answer");
    assert_eq!(counted, [answer.message_id.expect("a message")]);
    let names = test_store.event_names(&fixture.tour).await;
    assert_eq!(names.iter().filter(|name| **name == "messaging.question").count(), 1);
}
