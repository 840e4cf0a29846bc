//! Inboxes by filter, by importance and by conversation, and what people should not miss.

use parlour_core::{
    Code,
    id::ConversationId,
    inbox::{DeliveryReason, Digest, InboxCounts, InboxEntry, InboxFilter, InboxOrder},
    member::Agent,
    message::{Importance, Message},
    paging::PageRequest,
    question::Settlement,
};

use super::calls::{Stage, stage};
use crate::world::{Caller, Place, World, check_pages, read_all, yes};

fn key(entry: &InboxEntry) -> String {
    entry.message.id.to_string()
}

/// Posts a message of this importance for the coder, which it mentions or not.
async fn tell(world: &World, stage: &Stage, place: &dyn Place, importance: Importance, is_mention: bool) -> Message {
    let draft = world.draft(&stage.mara, place, "look");
    let mut draft = match is_mention {
        true => draft.mentioning(&stage.coder),
        false => draft.telling(&stage.coder, DeliveryReason::Subscription),
    };
    draft.message.importance = importance;
    world.send(&stage.mara, &draft).await
}

/// Two messages for each importance with and without a mention, in two channels, and a question in each.
async fn crowd(world: &World, stage: &Stage) -> (Vec<Message>, ConversationId) {
    let hall = world.channel("hall", &stage.tour).await;
    let mut messages = Vec::new();
    for is_mention in [false, true] {
        for importance in [Importance::Normal, Importance::Critical, Importance::High] {
            for place in [&stage.general, &hall] {
                messages.push(tell(world, stage, place, importance, is_mention).await);
            }
        }
    }
    for place in [&stage.general, &hall] {
        messages.push(world.ask(&stage.mara, place, &[&stage.coder]).await);
    }
    (messages, hall.id.into())
}

fn is_wanted(filter: &InboxFilter, stage: &Stage, message: &Message) -> bool {
    filter.importance.is_none_or(|least| message.importance >= least)
        && (!filter.only_mentions || message.mentions.contains(&stage.coder.member()))
        && (!filter.only_blocking || message.blocking)
        && filter.conversation_id.as_ref().is_none_or(|place| message.to == *place)
}

/// Every filter, alone and with every other, lists what it wants in the wanted order, on pages of every size.
pub async fn every_filter_lists_what_it_wants(world: World) {
    let stage = stage(&world).await;
    let (messages, hall) = crowd(&world, &stage).await;
    let nowhere: ConversationId = "chn_none".parse().expect("id");
    for bits in 0..96_u8 {
        let importances = [None, Some(Importance::High), Some(Importance::Critical), Some(Importance::Normal)];
        let filter = InboxFilter {
            importance: importances[usize::from(bits & 3)],
            only_mentions: bits & 4 > 0,
            only_blocking: bits & 8 > 0,
            order: if bits & 16 > 0 { InboxOrder::Importance } else { InboxOrder::Time },
            conversation_id: [None, Some(hall.clone()), Some(nowhere.clone())][usize::from(bits >> 5)].clone(),
        };
        let mut wanted: Vec<&Message> = messages.iter().filter(|one| is_wanted(&filter, &stage, one)).collect();
        if filter.order == InboxOrder::Importance {
            wanted.sort_by_key(|message| std::cmp::Reverse(message.importance));
        }
        let expected: Vec<String> = wanted.iter().map(|message| message.id.to_string()).collect();
        let coder = &stage.coder.id;
        for limit in [1, 3, 20] {
            let found = read_all(limit, async |page| world.store().inbox(coder, &filter, &page).await).await;
            assert_eq!(found.iter().map(key).collect::<Vec<_>>(), expected, "{filter:?} by {limit}");
        }
    }
}

/// The counts are those of the lists, and follow reading, editing and removing.
pub async fn counts_follow_the_lists(world: World) {
    let stage = stage(&world).await;
    let (messages, _) = crowd(&world, &stage).await;
    let check = async |expected: [u64; 5]| {
        let counts = world.store().inbox_counts(&stage.coder.id).await.expect("counts");
        let [total, mentions, high, critical, blocking] = expected;
        assert_eq!(counts, InboxCounts { total, mentions, high, critical, blocking });
    };
    check([14, 8, 4, 4, 2]).await;
    world.read(&stage.coder, &messages[2]).await;
    world.edit(&stage.mara, &messages[6], "no mention").await;
    world.remove(&stage.mara, &messages[10]).await;
    check([12, 6, 3, 3, 2]).await;
    world.remove(&stage.mara, &messages[12]).await;
    check([11, 5, 3, 3, 1]).await;
    for message in &messages {
        world.read(&stage.coder, message).await;
    }
    check([0; 5]).await;
    let nobody = world.store().inbox_counts(&"agt_none".parse().expect("id")).await.expect("counts");
    assert_eq!(nobody, InboxCounts::default());
}

/// A message is blocking for an agent while its question is open and awaits that very agent.
pub async fn what_awaits_the_agent_is_blocking(world: World) {
    let stage = stage(&world).await;
    let only = InboxFilter { only_blocking: true, ..InboxFilter::default() };
    let blocking = async |agent: &parlour_core::member::Agent| {
        let page = world.store().inbox(&agent.id, &only, &PageRequest::first()).await.expect("inbox");
        let counts = world.store().inbox_counts(&agent.id).await.expect("counts");
        assert_eq!(page.items.len() as u64, counts.blocking, "what is listed is what is counted");
        (counts.blocking, counts.total)
    };
    let draft = world.asking(&stage.mara, &stage.general, &[&stage.coder]);
    let asked = world.send(&stage.mara, &draft.telling(&stage.tester, DeliveryReason::Subscription)).await;
    assert_eq!((blocking(&stage.coder).await, blocking(&stage.tester).await), ((1, 1), (0, 1)));
    world.settle(&stage.mara, &asked, Settlement::Withdrawn).await;
    assert_eq!(blocking(&stage.coder).await, (0, 1));
    let both = world.ask(&stage.mara, &stage.general, &[&stage.coder, &stage.tester]).await;
    world.settle(&stage.coder, &both, Settlement::Ignored(stage.coder.member())).await;
    assert_eq!((blocking(&stage.coder).await, blocking(&stage.tester).await), ((0, 2), (1, 2)));
}

/// A list goes on only from a message that it could show; one that was read meanwhile is a good key.
pub async fn a_filtered_list_goes_on_from_its_own(world: World) {
    let stage = stage(&world).await;
    let (messages, hall) = crowd(&world, &stage).await;
    let filter = InboxFilter {
        importance: Some(Importance::High),
        conversation_id: Some(hall),
        order: InboxOrder::Importance,
        ..InboxFilter::default()
    };
    let after = async |message: &Message| {
        let page = PageRequest::new(Some(message.id.to_string()), None).expect("a page");
        world.store().inbox(&stage.coder.id, &filter, &page).await
    };
    let in_hall: Vec<&Message> = messages.iter().filter(|one| is_wanted(&filter, &stage, one)).collect();
    let first = in_hall.iter().find(|one| one.importance == Importance::Critical).expect("a critical one");
    world.read(&stage.coder, first).await;
    assert_eq!(after(first).await.expect("a page").items.len(), in_hall.len() - 1);
    for foreign in [&messages[0], &messages[1], &messages[2]] {
        let refused = after(foreign).await.expect_err("another list's key");
        assert_eq!(refused.refusal().map(|refusal| refusal.code), Some(Code::BadQuery));
    }
}

/// Digests tell of each conversation how much is unread, by whom, the oldest and the newest; those with critical messages
/// come first, then with high ones, then the oldest.
pub async fn digests_tell_what_is_unread_by_conversation(world: World) {
    let stage = stage(&world).await;
    let mut places = Vec::new();
    for name in ["old", "new", "high", "critical"] {
        places.push(world.channel(name, &stage.tour).await);
    }
    tell(&world, &stage, &places[0], Importance::Normal, false).await;
    tell(&world, &stage, &places[1], Importance::Normal, false).await;
    let oldest = tell(&world, &stage, &places[2], Importance::High, false).await;
    let newest = world.ask(&stage.tester, &places[2], &[&stage.coder]).await;
    tell(&world, &stage, &places[3], Importance::Normal, true).await;
    tell(&world, &stage, &places[3], Importance::Critical, true).await;
    let coder = &stage.coder.id;
    let expected: Vec<String> = [3, 2, 0, 1].map(|place: usize| places[place].id.to_string()).into();
    let conversation = |digest: &Digest| digest.conversation_id.to_string();
    check_pages(&expected, conversation, async |page| world.store().digests(coder, &page).await).await;
    let digests = world.store().digests(coder, &PageRequest::first()).await.expect("digests").items;
    let high = &digests[1];
    assert_eq!(high.unread, InboxCounts { total: 2, mentions: 1, high: 1, critical: 0, blocking: 1 });
    assert_eq!(high.from, [stage.mara.author(), stage.tester.author()]);
    assert_eq!((&high.oldest.message_id, &high.newest.message_id), (&oldest.id, &newest.id));
    assert_eq!((high.oldest.blocks.is_some(), high.newest.blocks.is_some()), (false, true));
    world.read(&stage.coder, &oldest).await;
    world.read(&stage.coder, &newest).await;
    let page = PageRequest::new(Some(places[2].id.to_string()), None).expect("a page");
    let anew = world.store().digests(coder, &page).await.expect("digests").items;
    assert_eq!(anew.len(), 3, "the list begins anew when the conversation of its key was read");
}

/// What a person should not miss: mentions, blocking and important messages, and dms; newest first, never what it wrote,
/// has read or may not read.
pub async fn what_a_person_should_not_miss(world: World) {
    let stage = stage(&world).await;
    let bela = world.member("Bela", &stage.tour).await;
    let dm = world.dm(&stage.tour, &[&bela, &stage.mara]).await;
    let secret = world.private_channel("secret", &stage.tour, &[&stage.mara, &stage.coder]).await;
    let hall = world.channel("hall", &stage.tour).await;
    let important = async |place: &dyn Place| tell(&world, &stage, place, Importance::High, false).await;
    let read = important(&stage.general).await;
    world.read(&bela, &read).await;
    let high = important(&stage.general).await;
    world.post(&stage.mara, &stage.general, "nothing special").await;
    important(&secret).await;
    let mention = world.send(&stage.mara, &world.draft(&stage.mara, &hall, "you").mentioning(&bela)).await;
    let direct = world.post(&stage.mara, &dm, "hello").await;
    let blocking = world.ask(&stage.mara, &stage.general, &[&stage.coder]).await;
    let removed = important(&stage.general).await;
    world.remove(&stage.mara, &removed).await;
    let (tour, caller) = (&stage.tour.id, bela.principal());
    let expected = [&blocking, &direct, &mention, &high].map(|message| message.id.to_string());
    check_pages(&expected, key, async |page| world.store().notable_unread(tour, &caller, &page).await).await;
    let page = world.store().notable_unread(tour, &caller, &PageRequest::first()).await.expect("a page");
    let reasons: Vec<_> = page.items.iter().map(|entry| entry.reason).collect();
    use DeliveryReason::{Dm, Mention, Subscription};
    assert_eq!(reasons, [Subscription, Dm, Mention, Subscription]);
    world.post(&bela, &stage.general, "read it all").await;
    let left = world.store().notable_unread(tour, &caller, &PageRequest::first()).await.expect("a page");
    assert_eq!(left.items.iter().map(key).collect::<Vec<_>>(), expected[1..3]);
    let olaf = world.person("Olaf").await.principal();
    assert_eq!(world.store().notable_unread(tour, &olaf, &PageRequest::first()).await.expect("a page").items, []);
}

/// What is unread in a conversation is counted, up to each of its messages and in all.
pub async fn what_is_unread_in_a_conversation_is_counted(world: World) {
    let stage = stage(&world).await;
    let (messages, hall) = crowd(&world, &stage).await;
    let count = async |agent: &Agent, place: &ConversationId, up_to: Option<u64>| {
        world.store().inbox_count_in(&agent.id, place, up_to).await.expect("a count")
    };
    let mut unread: Vec<u64> = messages.iter().filter(|one| one.to == hall).map(|one| one.seq).collect();
    let read = messages.iter().find(|one| one.to == hall).expect("a message");
    world.read(&stage.coder, read).await;
    unread.retain(|seq| *seq != read.seq);
    assert_eq!(count(&stage.coder, &hall, None).await, unread.len() as u64);
    for last in messages.iter().filter(|one| one.to == hall).map(|one| one.seq) {
        let expected = unread.iter().filter(|seq| **seq <= last).count() as u64;
        assert_eq!(count(&stage.coder, &hall, Some(last)).await, expected, "up to {last}");
    }
    let nowhere: ConversationId = "chn_none".parse().expect("id");
    assert_eq!(count(&stage.tester, &hall, None).await, 0);
    assert_eq!((count(&stage.coder, &nowhere, None).await, count(&stage.coder, &nowhere, Some(1)).await), (0, 0));
}

/// A question to others is nothing to miss any more when it has ended; one that mentions the person stays until it is read,
/// and so does one that matters more than usual.
pub async fn an_ended_question_to_others_is_no_longer_to_be_missed(world: World) {
    let stage = stage(&world).await;
    let bela = world.member("Bela", &stage.tour).await;
    let draft = world.asking(&stage.mara, &stage.general, &[&stage.coder]);
    let to_others = world.send(&stage.mara, &draft).await;
    let mut draft = world.asking(&stage.mara, &stage.general, &[&stage.coder]);
    draft.message.importance = Importance::High;
    let important = world.send(&stage.mara, &draft).await;
    let to_bela = world.ask(&stage.coder, &stage.general, &[&bela]).await;
    let open = world.ask(&stage.tester, &stage.general, &[&stage.coder]).await;
    for asked in [&to_others, &important, &to_bela] {
        world.settle(&stage.mara, asked, yes()).await;
    }
    let (tour, caller) = (&stage.tour.id, bela.principal());
    let expected = [&open, &to_bela, &important].map(|message| message.id.to_string());
    check_pages(&expected, key, async |page| world.store().notable_unread(tour, &caller, &page).await).await;
}
