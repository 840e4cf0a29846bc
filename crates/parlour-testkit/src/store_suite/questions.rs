//! Questions: asked with their message, settled once, and found while they are open.

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
    waiting::Wait,
    write::{Ending, Novelty, Write},
};

use super::calls::{Stage, stage};
use crate::world::{Caller, World, check_pages, yes};
use parlour_hub::ports::HistoryRange;

fn ids(messages: &[Message]) -> Vec<String> {
    messages.iter().map(|message| message.id.to_string()).collect()
}

async fn open(world: &World, stage: &Stage) -> Vec<String> {
    let caller = stage.mara.principal();
    let page = world.store().open_questions(&stage.tour.id, &caller, &PageRequest::first()).await.expect("open");
    ids(&page.items)
}

async fn blocks(world: &World, stage: &Stage) -> Vec<String> {
    ids(&world.store().blocks_of(&stage.coder.id, 9).await.expect("blocks"))
}

/// A blocking post keeps its question with it, everywhere that the message is read.
pub async fn a_question_is_read_with_its_message(world: World) {
    let stage = stage(&world).await;
    let asked = world.ask(&stage.mara, &stage.general, &[&stage.coder]).await;
    let question = asked.question.clone().expect("a question");
    assert_eq!((question.state, &question.addressees), (QuestionState::Open, &vec![stage.coder.member()]));
    let history = world.store().messages(&asked.to, HistoryRange::Newest, 1).await.expect("history");
    let page = PageRequest::first();
    let inbox = world.store().inbox(&stage.coder.id, &InboxFilter::default(), &page).await.expect("inbox");
    assert_eq!((&history, &inbox.items[0].message), (&vec![asked.clone()], &asked));
    assert_eq!(world.store().message(&asked.id).await.expect("read"), Some(asked.clone()));
    let settled = world.settle(&stage.coder, &asked, yes()).await;
    let now = world.store().message(&asked.id).await.expect("read").expect("a message");
    assert_eq!(now.question, Some(settled));
}

/// A complete answer settles the question in the same write, and that is told by a second event right after the first.
pub async fn an_answer_settles_its_question_in_the_same_write(world: World) {
    let stage = stage(&world).await;
    let asked = world.ask(&stage.mara, &stage.general, &[&stage.coder]).await;
    let mut watched = world.store().watch();
    let draft = world.draft(&stage.coder, &stage.general, "yes").saying_yes_to(&asked);
    let answer = world.send(&stage.coder, &draft).await;
    assert_eq!(answer.answer_to, draft.message.answer_to);
    let question = world.question(&asked).await;
    let given = question.answer.clone().expect("an answer");
    assert_eq!((question.state, given.option.as_deref()), (QuestionState::Answered, Some("yes")));
    assert_eq!((given.message_id, question.closed_by), (Some(answer.id.clone()), Some(stage.coder.author())));
    assert_eq!(question.closed_at, Some(world.now()));
    let told = [watched.recv().await.expect("the post"), watched.recv().await.expect("the question")];
    assert_eq!(told.each_ref().map(|event| event.change.name()), ["messaging.posted", "messaging.question"]);
    assert_eq!(told[1].position.offset(), told[0].position.offset() + 1);
    let events = world.events(&stage.tour.id).await;
    let first = events.iter().position(|event| *event == told[0]).expect("the post");
    assert_eq!(events[first..first + 2], told);
}

/// The same holds for a stream that ends complete; one that ends otherwise answers nothing.
pub async fn a_stream_settles_at_its_end_alone(world: World) {
    let stage = stage(&world).await;
    let asked = world.ask(&stage.mara, &stage.general, &[&stage.coder]).await;
    let answer_to = world.draft(&stage.coder, &stage.general, "").saying_yes_to(&asked).message.answer_to;
    for (state, expected) in [(State::Failed, QuestionState::Open), (State::Complete, QuestionState::Answered)] {
        let begun = world.draft(&stage.coder, &stage.general, "").saying_yes_to(&asked).streaming();
        let begun = world.send(&stage.coder, &begun).await;
        assert_eq!((begun.answer_to.clone(), world.question(&asked).await.is_open()), (None, true));
        let ending = Ending { state, answer_to: answer_to.clone(), ..world.ending("yes") };
        let ended = world.finish(&stage.coder, &begun, ending.clone()).await;
        assert_eq!(world.question(&asked).await.state, expected);
        assert_eq!(ended.answer_to, answer_to.clone().filter(|_| state == State::Complete));
        let again = Write::FinishMessage(begun.id.clone(), ending);
        world.repeat(&stage.tour.id, &stage.coder, again).await;
    }
}

/// An answer that comes too late is kept as a plain message, with one event.
pub async fn a_late_answer_is_a_plain_message(world: World) {
    let stage = stage(&world).await;
    let asked = world.ask(&stage.mara, &stage.general, &[&stage.coder]).await;
    let removed = world.ask(&stage.mara, &stage.general, &[&stage.coder]).await;
    let settled = world.settle(&stage.mara, &asked, Settlement::Withdrawn).await;
    world.remove(&stage.mara, &removed).await;
    let of_a_reply: &[&str] = &["messaging.posted", "messaging.delivered"];
    for (late, told) in [(&asked, of_a_reply), (&removed, &["messaging.posted"])] {
        let before = world.events(&stage.tour.id).await.len();
        let draft = world.draft(&stage.coder, &stage.general, "yes").saying_yes_to(late);
        let answer = world.send(&stage.coder, &draft).await;
        assert_eq!((answer.answer_to, answer.reply_to), (None, Some(late.id.clone())));
        assert_eq!(world.event_names(&stage.tour).await[before..], *told, "no question is settled");
    }
    assert_eq!(world.question(&asked).await, settled);
}

/// A question ends once: whoever settles it later is refused, and nothing is lost.
pub async fn a_question_ends_once(world: World) {
    let stage = stage(&world).await;
    for settlement in [yes(), Settlement::Expired, Settlement::Withdrawn, Settlement::Ignored(stage.coder.member())] {
        let asked = world.ask(&stage.mara, &stage.general, &[&stage.coder]).await;
        let settled = world.settle(&stage.coder, &asked, settlement.clone()).await;
        assert!(!settled.is_open(), "{settlement:?}");
        for late in [yes(), Settlement::Expired, Settlement::Withdrawn, Settlement::Ignored(stage.coder.member())] {
            let write = Write::SettleQuestion(asked.id.clone(), late);
            assert_eq!(world.refusal(&stage.tour.id, &stage.mara, write).await, Code::QuestionClosed);
        }
        assert_eq!(world.question(&asked).await, settled);
    }
    let plain = world.post(&stage.mara, &stage.general, "nothing asked").await;
    let write = Write::SettleQuestion(plain.id, yes());
    assert_eq!(world.refusal(&stage.tour.id, &stage.mara, write).await, Code::NotFound);
}

/// One who ignores a question is no longer asked; when all do, it ends. Ignoring twice changes nothing.
pub async fn who_ignores_a_question_is_no_longer_asked(world: World) {
    let stage = stage(&world).await;
    let asked = world.ask(&stage.mara, &stage.general, &[&stage.coder, &stage.tester]).await;
    let by_coder = Settlement::Ignored(stage.coder.member());
    assert!(world.settle(&stage.coder, &asked, by_coder.clone()).await.is_open());
    assert_eq!(blocks(&world, &stage).await, [""; 0]);
    assert_eq!(world.store().blocks_of(&stage.tester.id, 9).await.expect("blocks").len(), 1);
    let again = Write::SettleQuestion(asked.id.clone(), by_coder);
    world.repeat(&stage.tour.id, &stage.coder, again).await;
    let ended = world.settle(&stage.tester, &asked, Settlement::Ignored(stage.tester.member())).await;
    assert_eq!((ended.state, ended.answer.is_some_and(|answer| answer.is_default)), (QuestionState::Ignored, true));
}

/// Removing a message withdraws its question, and the log tells nothing of what it said any more.
pub async fn a_removed_message_asks_nothing(world: World) {
    let stage = stage(&world).await;
    let mut draft = world.asking(&stage.mara, &stage.general, &[&stage.coder, &stage.tester]);
    let question = draft.message.question.as_mut().expect("a question");
    question.options[0].label = "xyzzy".into();
    let asked = world.send(&stage.mara, &draft).await;
    world.settle(&stage.coder, &asked, Settlement::Ignored(stage.coder.member())).await;
    let removed = world.remove(&stage.mara, &asked).await;
    assert_eq!((removed.question, open(&world, &stage).await), (None, vec![]));
    assert_eq!(world.store().blocks_of(&stage.tester.id, 9).await.expect("blocks"), []);
    let events = world.events(&stage.tour.id).await;
    let told = events.iter().find_map(|event| match &event.change {
        Change::QuestionChanged(mark) => Some(mark.question.state),
        _ => None,
    });
    assert_eq!(told, Some(QuestionState::Withdrawn));
    assert!(!format!("{events:?}").contains("xyzzy"), "a removed text is gone from the log too");
}

/// Open questions are listed by their expiry, on pages of every size, and gone from every list with their end.
pub async fn open_questions_are_listed_by_their_expiry(world: World) {
    let stage = stage(&world).await;
    let mut asked = Vec::new();
    for minutes in [3, 1, 2] {
        let mut draft = world.asking(&stage.coder, &stage.general, &[&stage.mara]);
        let question = draft.message.question.as_mut().expect("a question");
        question.expires_at = world.now().plus_millis(minutes * 60_000);
        asked.push(world.send(&stage.coder, &draft).await);
    }
    let (tour, mara) = (&stage.tour.id, stage.mara.principal());
    let expected: Vec<String> = [1, 2, 0].map(|place: usize| asked[place].id.to_string()).into();
    let key = |message: &Message| message.id.to_string();
    check_pages(&expected, key, async |page| world.store().open_questions(tour, &mara, &page).await).await;
    check_pages(&expected, key, async |page| world.store().questions_to(&mara, None, &page).await).await;
    check_pages(&expected, key, async |page| world.store().questions_to(&mara, Some(tour), &page).await).await;
    let first = world.question(&asked[1]).await.expires_at;
    assert_eq!(world.store().next_expiry().await.expect("next"), Some(first));
    let due = async |until, limit| world.store().expiring_questions(until, limit).await.expect("due");
    assert_eq!(due(first, 9).await, [asked[1].id.clone()]);
    let later = first.plus_millis(90_000);
    let both: Vec<MessageId> = vec![asked[1].id.clone(), asked[2].id.clone()];
    assert_eq!((due(later, 9).await, due(later, 1).await), (both.clone(), both[..1].to_vec()));
    for message in &asked {
        world.settle(&stage.mara, message, yes()).await;
    }
    assert_eq!((open(&world, &stage).await, world.store().next_expiry().await.expect("next")), (vec![], None));
}

/// Only those are shown questions whom they address, who have not ignored them, and who may read them.
pub async fn questions_are_shown_to_those_who_can_answer(world: World) {
    let stage = stage(&world).await;
    let bela = world.member("Bela", &stage.tour).await;
    let secret = world.private_channel("secret", &stage.tour, &[&bela, &stage.coder]).await;
    let hidden = world.ask(&stage.coder, &secret, &[&bela, &stage.mara]).await;
    let shared = world.ask(&stage.coder, &stage.general, &[&bela, &stage.mara]).await;
    let to = async |caller: &dyn Caller| {
        let page = PageRequest::first();
        ids(&world.store().questions_to(&caller.principal(), None, &page).await.expect("questions").items)
    };
    let both = ids(&[hidden.clone(), shared.clone()]);
    assert_eq!((to(&bela).await, to(&stage.mara).await), (both, ids(slice::from_ref(&shared))));
    assert_eq!((to(&stage.coder).await, open(&world, &stage).await), (vec![], ids(slice::from_ref(&shared))));
    world.settle(&bela, &shared, Settlement::Ignored(bela.member())).await;
    assert_eq!(to(&bela).await, ids(&[hidden]));
    world.change(&stage.tour.id, &stage.mara, Write::RemovePerson(bela.id.clone())).await;
    assert_eq!(to(&bela).await, [""; 0]);
}

/// What pauses an agent comes the most important first, then the oldest: what it may read and has not handled.
pub async fn blocks_come_the_most_important_first(world: World) {
    let stage = stage(&world).await;
    let secret = world.private_channel("secret", &stage.tour, &[&stage.mara, &stage.coder]).await;
    let lost = world.ask(&stage.mara, &secret, &[&stage.coder]).await;
    let member = ChannelMember { channel_id: secret.id.clone(), member_id: stage.coder.member() };
    world.change(&stage.tour.id, &stage.mara, Write::RemoveChannelMember(member)).await;
    let plain = world.ask(&stage.mara, &stage.general, &[&stage.coder]).await;
    let mut draft = world.asking(&stage.tester, &stage.general, &[&stage.coder]);
    draft.message.importance = Importance::Critical;
    let critical = world.send(&stage.tester, &draft).await;
    assert_eq!(blocks(&world, &stage).await, ids(&[critical.clone(), plain.clone()]));
    assert_eq!(world.store().blocks_of(&stage.coder.id, 1).await.expect("blocks").len(), 1);
    let run = world.start(&stage.coder, None).await;
    world.pause_run(&stage.coder, &run, &critical).await;
    world.resume_run(&stage.coder, &run).await;
    assert_eq!(blocks(&world, &stage).await, ids(&[plain]));
    assert!(world.question(&lost).await.is_open() && world.question(&critical).await.is_open());
}

/// Who waits is told of agents alone, with those from whom an answer can still come.
pub async fn waits_are_the_open_questions_of_agents(world: World) {
    let stage = stage(&world).await;
    world.ask(&stage.mara, &stage.general, &[&stage.coder]).await;
    let asked = world.ask(&stage.coder, &stage.general, &[&stage.mara, &stage.tester]).await;
    let waits = async || world.store().waits(&stage.tour.id).await.expect("waits");
    let wait = |awaited| vec![Wait { asker: stage.coder.id.clone(), awaited }];
    assert_eq!(waits().await, wait(vec![stage.mara.member(), stage.tester.member()]));
    world.settle(&stage.mara, &asked, Settlement::Ignored(stage.mara.member())).await;
    assert_eq!(waits().await, wait(vec![stage.tester.member()]));
    world.settle(&stage.tester, &asked, yes()).await;
    assert_eq!(waits().await, []);
}

/// A member has a bounded number of open questions in a project, also when many are posted at once; one that has ended
/// makes room.
pub async fn an_asker_has_a_bounded_number_of_open_questions(world: World) {
    let stage = stage(&world).await;
    let mut asked = Vec::new();
    for _ in 0..limits::QUESTIONS_PER_ASKER_MAX {
        asked.push(world.ask(&stage.coder, &stage.general, &[&stage.mara]).await);
    }
    let before = stage.shot(&world).await;
    let next = world.asking(&stage.coder, &stage.general, &[&stage.mara]);
    assert_eq!(world.refusal(&stage.tour.id, &stage.coder, next.write()).await, Code::Full);
    assert_eq!(stage.shot(&world).await, before);
    world.ask(&stage.tester, &stage.general, &[&stage.mara]).await;
    let counts =
        async || world.store().open_question_counts(&stage.tour.id, &stage.coder.member()).await.expect("counts");
    let most = limits::QUESTIONS_PER_ASKER_MAX as u64;
    assert_eq!(counts().await, (most, most + 1));
    world.settle(&stage.mara, &asked[0], yes()).await;
    assert_eq!(counts().await, (most - 1, most));
    world.send(&stage.coder, &next).await;
}

/// Of many answers that come at once one settles the question; the others are plain messages.
pub async fn of_many_answers_one_counts(world: World) {
    let stage = stage(&world).await;
    let asked = world.ask(&stage.mara, &stage.general, &[&stage.coder]).await;
    let answers = (0..8).map(|_| {
        let write = world.draft(&stage.coder, &stage.general, "yes").saying_yes_to(&asked).write();
        let (world, project, coder) = (world.clone(), stage.tour.id.clone(), stage.coder.clone());
        tokio::spawn(async move { world.append(&project, &coder, write).await.expect("posted") })
    });
    let mut counted = Vec::new();
    for answer in answers.collect::<Vec<_>>() {
        let appended = answer.await.expect("a task");
        let Change::MessagePosted(message) = appended.change else { unreachable!() };
        assert_eq!(appended.novelty, Novelty::New);
        counted.extend(message.answer_to.is_some().then_some(message.id));
    }
    let answer = world.question(&asked).await.answer.expect("an answer");
    assert_eq!(counted, [answer.message_id.expect("a message")]);
    let names = world.event_names(&stage.tour).await;
    assert_eq!(names.iter().filter(|name| **name == "messaging.question").count(), 1);
}
