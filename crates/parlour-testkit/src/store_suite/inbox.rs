//! Unread messages: inboxes of agents with filters, counts and digests, and notable messages of people.

use parlour_core::{
    Code,
    conversation::{ChannelPatch, Visibility},
    event::{Change, ChannelMember},
    id::{ConversationId, MessageId},
    inbox::{ConversationUnread, DeliveryReason, Digest, InboxCounts, InboxEntry, InboxFilter, InboxOrder, Recipient},
    member::Agent,
    message::{Importance, Message},
    paging::PageRequest,
    question::Settlement,
    write::{NewText, Write},
};

use super::fixtures::ProjectFixture;
use crate::test_store::{PostTarget, TestMember, TestStore, check_pages, read_all, yes};

impl ProjectFixture {
    /// The unread messages of the agent in the channel, and its unread mentions.
    async fn unread(&self, test_store: &TestStore, agent: &Agent) -> (u64, u64) {
        let rows = test_store.store().unread(&self.tour.id, &agent.principal()).await.expect("unread");
        let is_here = |row: &&ConversationUnread| row.conversation_id == self.general.conversation_id();
        rows.iter().find(is_here).map_or((0, 0), |row| (row.unread, row.mentions))
    }
}

/// The inbox of an agent, oldest first; checks that the count agrees with the list.
async fn inbox(test_store: &TestStore, agent: &Agent) -> Vec<InboxEntry> {
    let entries =
        read_all(2, async |page| test_store.store().inbox(&agent.id, &InboxFilter::default(), &page).await).await;
    let count = test_store.store().inbox_counts(&agent.id).await.expect("counts").total;
    assert_eq!(entries.len() as u64, count, "the list and the count agree");
    entries
}

async fn bodies(test_store: &TestStore, agent: &Agent) -> Vec<String> {
    inbox(test_store, agent).await.into_iter().map(|entry| entry.message.body).collect()
}

/// Each delivery creates one row with its reason and the whole message; other agents get none.
pub async fn each_delivery_is_one_row_with_its_reason(test_store: TestStore) {
    let fixture = ProjectFixture::new(&test_store).await;
    for reason in [DeliveryReason::Subscription, DeliveryReason::Thread, DeliveryReason::Dm, DeliveryReason::Mention] {
        let draft = test_store.draft(&fixture.mara, &fixture.general, "hello").delivered_to(&fixture.coder, reason);
        let message = test_store.send(&fixture.mara, &draft).await;
        assert_eq!(inbox(&test_store, &fixture.coder).await, [InboxEntry { reason, message: message.clone() }]);
        test_store.read(&fixture.coder, &message).await;
    }
    assert_eq!(inbox(&test_store, &fixture.tester).await, []);
}

pub async fn a_message_without_recipients_enters_no_inbox(test_store: TestStore) {
    let fixture = ProjectFixture::new(&test_store).await;
    test_store.subscribe(&fixture.coder, &fixture.general).await;
    test_store.post(&fixture.mara, &fixture.general, "no recipient").await;
    assert_eq!(inbox(&test_store, &fixture.coder).await, []);
}

/// An inbox is listed in the order of arrival, independent of client-chosen ids, on pages of any size.
pub async fn an_inbox_is_listed_in_the_order_of_arrival(test_store: TestStore) {
    let fixture = ProjectFixture::new(&test_store).await;
    let mut expected = Vec::new();
    for id in ["msg_zzz", "msg_aaa", "msg_mmm", "msg_000"] {
        let id: MessageId = id.parse().expect("id");
        let draft = test_store.draft(&fixture.mara, &fixture.general, "hi").with_id(&id).mentioning(&fixture.coder);
        test_store.send(&fixture.mara, &draft).await;
        expected.push(id.to_string());
    }
    let key = |entry: &InboxEntry| entry.message.id.to_string();
    check_pages(&expected, key, async |page| {
        test_store.store().inbox(&fixture.coder.id, &InboxFilter::default(), &page).await
    })
    .await;
}

/// Messages that are read during the listing do not stop it.
pub async fn paging_an_inbox_continues_after_its_last_item_was_read(test_store: TestStore) {
    let fixture = ProjectFixture::new(&test_store).await;
    for body in ["one", "two", "three", "four", "five"] {
        test_store
            .send(&fixture.mara, &test_store.draft(&fixture.mara, &fixture.general, body).mentioning(&fixture.coder))
            .await;
    }
    let seen = read_all(2, async |page| {
        let page = test_store.store().inbox(&fixture.coder.id, &InboxFilter::default(), &page).await?;
        for entry in &page.items {
            test_store.read(&fixture.coder, &entry.message).await;
        }
        Ok(page)
    });
    assert_eq!(seen.await.len(), 5);
    assert_eq!(inbox(&test_store, &fixture.coder).await, []);
}

/// Reading removes a message from the inbox of its reader only.
pub async fn a_read_message_leaves_the_inbox_of_its_reader(test_store: TestStore) {
    let fixture = ProjectFixture::new(&test_store).await;
    let mut messages = Vec::new();
    for body in ["one", "two", "three"] {
        let draft = test_store.draft(&fixture.mara, &fixture.general, body);
        let draft = draft.mentioning(&fixture.coder).mentioning(&fixture.tester);
        messages.push(test_store.send(&fixture.mara, &draft).await);
    }
    test_store.read(&fixture.coder, &messages[0]).await;
    assert_eq!(bodies(&test_store, &fixture.coder).await, ["two", "three"]);
    assert_eq!(bodies(&test_store, &fixture.tester).await, ["one", "two", "three"]);
    assert_eq!(fixture.unread(&test_store, &fixture.coder).await, (2, 2));
}

pub async fn reading_a_message_twice_changes_nothing(test_store: TestStore) {
    let fixture = ProjectFixture::new(&test_store).await;
    let draft = test_store.draft(&fixture.mara, &fixture.general, "hi").mentioning(&fixture.coder);
    let message = test_store.send(&fixture.mara, &draft).await;
    let mark = Write::MarkRead(message.id.clone(), fixture.coder.member());
    test_store.change(&fixture.tour.id, &fixture.coder, mark.clone()).await;
    let end = test_store.store().end_of_log(&fixture.tour.id).await.expect("end");
    test_store.repeat(&fixture.tour.id, &fixture.coder, mark).await;
    assert_eq!(test_store.store().end_of_log(&fixture.tour.id).await.expect("end"), end);
    assert_eq!(inbox(&test_store, &fixture.coder).await, []);
}

/// The event of a read message contains the number of messages of the conversation that are left in the agent's inbox.
pub async fn a_read_mark_counts_the_remaining_inbox(test_store: TestStore) {
    let fixture = ProjectFixture::new(&test_store).await;
    let elsewhere = test_store.channel("elsewhere", &fixture.tour).await;
    let mut posts = Vec::new();
    for target in [&fixture.general, &fixture.general, &fixture.general, &elsewhere] {
        let draft = test_store.draft(&fixture.mara, target, "@Coder").mentioning(&fixture.coder);
        posts.push(test_store.send(&fixture.mara, &draft).await);
    }
    test_store.post(&fixture.mara, &fixture.general, "not for Coder").await;
    let mark = Write::MarkRead(posts[1].id.clone(), fixture.coder.member());
    let marked = test_store.change(&fixture.tour.id, &fixture.coder, mark).await;
    let Change::Read(read) = &marked else { unreachable!("a mark answers a mark") };
    assert_eq!((read.seq, read.unread), (2, 2));
    test_store.read(&fixture.coder, &posts[0]).await;
    assert!(test_store.events(&fixture.tour.id).await.iter().any(|event| event.change == marked));
}

/// A removed message leaves every inbox and every count.
pub async fn a_removed_message_leaves_the_inbox(test_store: TestStore) {
    let fixture = ProjectFixture::new(&test_store).await;
    let draft = test_store.draft(&fixture.mara, &fixture.general, "oops");
    let message = test_store.send(&fixture.mara, &draft.mentioning(&fixture.coder).mentioning(&fixture.tester)).await;
    test_store
        .send(&fixture.mara, &test_store.draft(&fixture.mara, &fixture.general, "stays").mentioning(&fixture.coder))
        .await;
    test_store.remove(&fixture.mara, &message).await;
    assert_eq!(bodies(&test_store, &fixture.coder).await, ["stays"]);
    assert_eq!(inbox(&test_store, &fixture.tester).await, []);
    assert_eq!(fixture.unread(&test_store, &fixture.coder).await, (1, 1));
    assert_eq!(fixture.unread(&test_store, &fixture.tester).await, (0, 0));
}

pub async fn an_inbox_shows_the_current_text(test_store: TestStore) {
    let fixture = ProjectFixture::new(&test_store).await;
    let draft = test_store.draft(&fixture.mara, &fixture.general, "first").mentioning(&fixture.coder);
    let message = test_store.send(&fixture.mara, &draft).await;
    test_store.edit(&fixture.mara, &message, "second").await;
    assert_eq!(bodies(&test_store, &fixture.coder).await, ["second"]);
}

/// An edit enters the inbox of agents that it mentions for the first time; others that have the message get no second
/// row.
pub async fn an_edit_is_delivered_to_newly_mentioned_agents(test_store: TestStore) {
    let fixture = ProjectFixture::new(&test_store).await;
    let draft = test_store
        .draft(&fixture.mara, &fixture.general, "hi")
        .delivered_to(&fixture.tester, DeliveryReason::Subscription);
    let message = test_store.send(&fixture.mara, &draft).await;
    let recipient = |agent: &Agent| Recipient { agent_id: agent.id.clone(), reason: DeliveryReason::Mention };
    let text = NewText {
        body: "hi @Coder and @Tester".into(),
        mentions: vec![fixture.coder.member(), fixture.tester.member()],
        deliveries: vec![recipient(&fixture.coder), recipient(&fixture.tester)],
    };
    test_store.change(&fixture.tour.id, &fixture.mara, Write::EditMessage(message.id.clone(), text)).await;
    for agent in [&fixture.coder, &fixture.tester] {
        let entries = inbox(&test_store, agent).await;
        assert_eq!(entries.len(), 1);
        assert_eq!((entries[0].reason, &entries[0].message.id), (DeliveryReason::Mention, &message.id));
        assert_eq!(fixture.unread(&test_store, agent).await, (1, 1));
    }
}

pub async fn posting_does_not_empty_the_own_inbox(test_store: TestStore) {
    let fixture = ProjectFixture::new(&test_store).await;
    test_store
        .send(&fixture.mara, &test_store.draft(&fixture.mara, &fixture.general, "hi").mentioning(&fixture.coder))
        .await;
    test_store.post(&fixture.coder, &fixture.general, "busy").await;
    assert_eq!(bodies(&test_store, &fixture.coder).await, ["hi"]);
}

/// The unread count of an agent in a conversation is the number of its inbox rows there; mentions are counted
/// separately.
pub async fn unread_counts_of_an_agent_come_from_its_inbox(test_store: TestStore) {
    let fixture = ProjectFixture::new(&test_store).await;
    let delivered = |body: &str| {
        test_store
            .draft(&fixture.mara, &fixture.general, body)
            .delivered_to(&fixture.coder, DeliveryReason::Subscription)
    };
    test_store.send(&fixture.mara, &delivered("one")).await;
    test_store
        .send(&fixture.mara, &test_store.draft(&fixture.mara, &fixture.general, "two").mentioning(&fixture.coder))
        .await;
    test_store.post(&fixture.mara, &fixture.general, "not delivered").await;
    assert_eq!(fixture.unread(&test_store, &fixture.coder).await, (2, 1));
    assert_eq!(fixture.unread(&test_store, &fixture.tester).await, (0, 0));
}

/// An agent that loses access to a channel loses its rows and counts of the channel and of its threads.
pub async fn messages_that_an_agent_may_no_longer_read_leave_its_inbox(test_store: TestStore) {
    let fixture = ProjectFixture::new(&test_store).await;
    let secret = test_store.private_channel("secret", &fixture.tour, &[&fixture.mara, &fixture.coder]).await;
    for channel in [&secret, &fixture.general] {
        let root = test_store
            .send(&fixture.mara, &test_store.draft(&fixture.mara, channel, "above").mentioning(&fixture.coder))
            .await;
        let thread = test_store.thread(channel, &root).await;
        test_store
            .send(&fixture.mara, &test_store.draft(&fixture.mara, &thread, "below").mentioning(&fixture.coder))
            .await;
    }
    assert_eq!(bodies(&test_store, &fixture.coder).await, ["above", "below", "above", "below"]);
    let member = ChannelMember { channel_id: secret.id, member_id: fixture.coder.member() };
    test_store.change(&fixture.tour.id, &fixture.mara, Write::RemoveChannelMember(member)).await;
    assert_eq!(bodies(&test_store, &fixture.coder).await, ["above", "below"]);
    let close = ChannelPatch { visibility: Some(Visibility::Private), ..ChannelPatch::default() };
    let write = Write::UpdateChannel(fixture.general.id.clone(), close, vec![fixture.mara.member()]);
    test_store.change(&fixture.tour.id, &fixture.mara, write).await;
    assert_eq!(bodies(&test_store, &fixture.coder).await, Vec::<String>::new());
    assert_eq!(fixture.unread(&test_store, &fixture.coder).await, (0, 0));
}

fn key(entry: &InboxEntry) -> String {
    entry.message.id.to_string()
}

/// Posts a message of this importance to the coder's inbox, with or without a mention.
async fn deliver(
    test_store: &TestStore,
    fixture: &ProjectFixture,
    target: &dyn PostTarget,
    importance: Importance,
    is_mention: bool,
) -> Message {
    let draft = test_store.draft(&fixture.mara, target, "look");
    let mut draft = match is_mention {
        true => draft.mentioning(&fixture.coder),
        false => draft.delivered_to(&fixture.coder, DeliveryReason::Subscription),
    };
    draft.message.importance = importance;
    test_store.send(&fixture.mara, &draft).await
}

/// Posts messages of each importance, with and without a mention, into two channels, and a question into each.
async fn fill_inbox(test_store: &TestStore, fixture: &ProjectFixture) -> (Vec<Message>, ConversationId) {
    let hall = test_store.channel("hall", &fixture.tour).await;
    let mut messages = Vec::new();
    for is_mention in [false, true] {
        for importance in [Importance::Normal, Importance::Critical, Importance::High] {
            for target in [&fixture.general, &hall] {
                messages.push(deliver(test_store, fixture, target, importance, is_mention).await);
            }
        }
    }
    for target in [&fixture.general, &hall] {
        messages.push(test_store.ask(&fixture.mara, target, &[&fixture.coder]).await);
    }
    (messages, hall.id.into())
}

fn matches(filter: &InboxFilter, fixture: &ProjectFixture, message: &Message) -> bool {
    filter.importance.is_none_or(|least| message.importance >= least)
        && (!filter.only_mentions || message.mentions.contains(&fixture.coder.member()))
        && (!filter.only_blocking || message.blocking)
        && filter.conversation_id.as_ref().is_none_or(|conversation| message.to == *conversation)
}

/// Every combination of filters lists the matching messages in the requested order, on pages of several sizes.
pub async fn every_filter_lists_the_matching_messages(test_store: TestStore) {
    let fixture = ProjectFixture::new(&test_store).await;
    let (messages, hall) = fill_inbox(&test_store, &fixture).await;
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
        let mut matching: Vec<&Message> = messages.iter().filter(|one| matches(&filter, &fixture, one)).collect();
        if filter.order == InboxOrder::Importance {
            matching.sort_by_key(|message| std::cmp::Reverse(message.importance));
        }
        let expected: Vec<String> = matching.iter().map(|message| message.id.to_string()).collect();
        let coder = &fixture.coder.id;
        for limit in [1, 3, 20] {
            let found = read_all(limit, async |page| test_store.store().inbox(coder, &filter, &page).await).await;
            assert_eq!(found.iter().map(key).collect::<Vec<_>>(), expected, "{filter:?} by {limit}");
        }
    }
}

/// The counts agree with the lists after reading, editing and removing.
pub async fn inbox_counts_agree_with_the_lists(test_store: TestStore) {
    let fixture = ProjectFixture::new(&test_store).await;
    let (messages, _) = fill_inbox(&test_store, &fixture).await;
    let check = async |expected: [u64; 5]| {
        let counts = test_store.store().inbox_counts(&fixture.coder.id).await.expect("counts");
        let [total, mentions, high, critical, blocking] = expected;
        assert_eq!(counts, InboxCounts { total, mentions, high, critical, blocking });
    };
    check([14, 8, 4, 4, 2]).await;
    test_store.read(&fixture.coder, &messages[2]).await;
    test_store.edit(&fixture.mara, &messages[6], "no mention").await;
    test_store.remove(&fixture.mara, &messages[10]).await;
    check([12, 6, 3, 3, 2]).await;
    test_store.remove(&fixture.mara, &messages[12]).await;
    check([11, 5, 3, 3, 1]).await;
    for message in &messages {
        test_store.read(&fixture.coder, message).await;
    }
    check([0; 5]).await;
    let nobody = test_store.store().inbox_counts(&"agt_none".parse().expect("id")).await.expect("counts");
    assert_eq!(nobody, InboxCounts::default());
}

/// A message counts as blocking for an agent while its question is open and awaits this agent.
pub async fn a_message_is_blocking_while_its_question_awaits_the_agent(test_store: TestStore) {
    let fixture = ProjectFixture::new(&test_store).await;
    let only = InboxFilter { only_blocking: true, ..InboxFilter::default() };
    let blocking = async |agent: &parlour_core::member::Agent| {
        let page = test_store.store().inbox(&agent.id, &only, &PageRequest::first()).await.expect("inbox");
        let counts = test_store.store().inbox_counts(&agent.id).await.expect("counts");
        assert_eq!(page.items.len() as u64, counts.blocking, "the list and the count agree");
        (counts.blocking, counts.total)
    };
    let draft = test_store.asking(&fixture.mara, &fixture.general, &[&fixture.coder]);
    let asked =
        test_store.send(&fixture.mara, &draft.delivered_to(&fixture.tester, DeliveryReason::Subscription)).await;
    assert_eq!((blocking(&fixture.coder).await, blocking(&fixture.tester).await), ((1, 1), (0, 1)));
    test_store.settle(&fixture.mara, &asked, Settlement::Withdrawn).await;
    assert_eq!(blocking(&fixture.coder).await, (0, 1));
    let both = test_store.ask(&fixture.mara, &fixture.general, &[&fixture.coder, &fixture.tester]).await;
    test_store.settle(&fixture.coder, &both, Settlement::Ignored(fixture.coder.member())).await;
    assert_eq!((blocking(&fixture.coder).await, blocking(&fixture.tester).await), ((0, 2), (1, 2)));
}

/// A page key must be a message that matches the filter; one that was read meanwhile is valid.
pub async fn a_filtered_list_refuses_keys_that_it_does_not_contain(test_store: TestStore) {
    let fixture = ProjectFixture::new(&test_store).await;
    let (messages, hall) = fill_inbox(&test_store, &fixture).await;
    let filter = InboxFilter {
        importance: Some(Importance::High),
        conversation_id: Some(hall),
        order: InboxOrder::Importance,
        ..InboxFilter::default()
    };
    let after = async |message: &Message| {
        let page = PageRequest::new(Some(message.id.to_string()), None).expect("a page");
        test_store.store().inbox(&fixture.coder.id, &filter, &page).await
    };
    let in_hall: Vec<&Message> = messages.iter().filter(|one| matches(&filter, &fixture, one)).collect();
    let first = in_hall.iter().find(|one| one.importance == Importance::Critical).expect("a critical one");
    test_store.read(&fixture.coder, first).await;
    assert_eq!(after(first).await.expect("a page").items.len(), in_hall.len() - 1);
    for foreign in [&messages[0], &messages[1], &messages[2]] {
        let refused = after(foreign).await.expect_err("another list's key");
        assert_eq!(refused.refusal().map(|refusal| refusal.code), Some(Code::BadQuery));
    }
}

/// A digest contains the counts, the authors, the oldest and the newest unread message of a conversation. Conversations
/// with critical messages come first, then with high ones, then by the oldest message.
pub async fn digests_count_unread_messages_by_conversation(test_store: TestStore) {
    let fixture = ProjectFixture::new(&test_store).await;
    let mut channels = Vec::new();
    for name in ["old", "new", "high", "critical"] {
        channels.push(test_store.channel(name, &fixture.tour).await);
    }
    deliver(&test_store, &fixture, &channels[0], Importance::Normal, false).await;
    deliver(&test_store, &fixture, &channels[1], Importance::Normal, false).await;
    let oldest = deliver(&test_store, &fixture, &channels[2], Importance::High, false).await;
    let newest = test_store.ask(&fixture.tester, &channels[2], &[&fixture.coder]).await;
    deliver(&test_store, &fixture, &channels[3], Importance::Normal, true).await;
    deliver(&test_store, &fixture, &channels[3], Importance::Critical, true).await;
    let coder = &fixture.coder.id;
    let expected: Vec<String> = [3, 2, 0, 1].map(|index: usize| channels[index].id.to_string()).into();
    let conversation = |digest: &Digest| digest.conversation_id.to_string();
    check_pages(&expected, conversation, async |page| test_store.store().digests(coder, &page).await).await;
    let digests = test_store.store().digests(coder, &PageRequest::first()).await.expect("digests").items;
    let high = &digests[1];
    assert_eq!(high.unread, InboxCounts { total: 2, mentions: 1, high: 1, critical: 0, blocking: 1 });
    assert_eq!(high.from, [fixture.mara.author(), fixture.tester.author()]);
    assert_eq!((&high.oldest.message_id, &high.newest.message_id), (&oldest.id, &newest.id));
    assert_eq!((high.oldest.blocks.is_some(), high.newest.blocks.is_some()), (false, true));
    test_store.read(&fixture.coder, &oldest).await;
    test_store.read(&fixture.coder, &newest).await;
    let page = PageRequest::new(Some(channels[2].id.to_string()), None).expect("a page");
    let anew = test_store.store().digests(coder, &page).await.expect("digests").items;
    assert_eq!(anew.len(), 3, "the list starts again if the conversation of its key was read");
}

/// Mentions, open questions, important messages and DMs are listed, except messages that the person wrote, has read or
/// may not read.
pub async fn notable_unread_messages_are_listed_newest_first(test_store: TestStore) {
    let fixture = ProjectFixture::new(&test_store).await;
    let bela = test_store.member("Bela", &fixture.tour).await;
    let dm = test_store.dm(&fixture.tour, &[&bela, &fixture.mara]).await;
    let secret = test_store.private_channel("secret", &fixture.tour, &[&fixture.mara, &fixture.coder]).await;
    let hall = test_store.channel("hall", &fixture.tour).await;
    let important =
        async |target: &dyn PostTarget| deliver(&test_store, &fixture, target, Importance::High, false).await;
    let read = important(&fixture.general).await;
    test_store.read(&bela, &read).await;
    let high = important(&fixture.general).await;
    test_store.post(&fixture.mara, &fixture.general, "nothing special").await;
    important(&secret).await;
    let mention =
        test_store.send(&fixture.mara, &test_store.draft(&fixture.mara, &hall, "you").mentioning(&bela)).await;
    let direct = test_store.post(&fixture.mara, &dm, "hello").await;
    let blocking = test_store.ask(&fixture.mara, &fixture.general, &[&fixture.coder]).await;
    let removed = important(&fixture.general).await;
    test_store.remove(&fixture.mara, &removed).await;
    let (tour, caller) = (&fixture.tour.id, bela.principal());
    let expected = [&blocking, &direct, &mention, &high].map(|message| message.id.to_string());
    check_pages(&expected, key, async |page| test_store.store().notable_unread(tour, &caller, &page).await).await;
    let page = test_store.store().notable_unread(tour, &caller, &PageRequest::first()).await.expect("a page");
    let reasons: Vec<_> = page.items.iter().map(|entry| entry.reason).collect();
    use DeliveryReason::{Dm, Mention, Subscription};
    assert_eq!(reasons, [Subscription, Dm, Mention, Subscription]);
    test_store.post(&bela, &fixture.general, "read it all").await;
    let left = test_store.store().notable_unread(tour, &caller, &PageRequest::first()).await.expect("a page");
    assert_eq!(left.items.iter().map(key).collect::<Vec<_>>(), expected[1..3]);
    let olaf = test_store.person("Olaf").await.principal();
    assert_eq!(test_store.store().notable_unread(tour, &olaf, &PageRequest::first()).await.expect("a page").items, []);
}

/// The inbox rows of a conversation are counted, up to each of its messages and in all.
pub async fn unread_messages_of_a_conversation_are_counted(test_store: TestStore) {
    let fixture = ProjectFixture::new(&test_store).await;
    let (messages, hall) = fill_inbox(&test_store, &fixture).await;
    let count = async |agent: &Agent, conversation: &ConversationId, up_to: Option<u64>| {
        test_store.store().inbox_count_in(&agent.id, conversation, up_to).await.expect("a count")
    };
    let mut unread: Vec<u64> = messages.iter().filter(|one| one.to == hall).map(|one| one.seq).collect();
    let read = messages.iter().find(|one| one.to == hall).expect("a message");
    test_store.read(&fixture.coder, read).await;
    unread.retain(|seq| *seq != read.seq);
    assert_eq!(count(&fixture.coder, &hall, None).await, unread.len() as u64);
    for last in messages.iter().filter(|one| one.to == hall).map(|one| one.seq) {
        let expected = unread.iter().filter(|seq| **seq <= last).count() as u64;
        assert_eq!(count(&fixture.coder, &hall, Some(last)).await, expected, "up to {last}");
    }
    let nowhere: ConversationId = "chn_none".parse().expect("id");
    assert_eq!(count(&fixture.tester, &hall, None).await, 0);
    assert_eq!((count(&fixture.coder, &nowhere, None).await, count(&fixture.coder, &nowhere, Some(1)).await), (0, 0));
}

/// A closed question to others is not listed; a message that mentions the person or is important stays until it is
/// read.
pub async fn an_ended_question_to_others_is_not_notable(test_store: TestStore) {
    let fixture = ProjectFixture::new(&test_store).await;
    let bela = test_store.member("Bela", &fixture.tour).await;
    let draft = test_store.asking(&fixture.mara, &fixture.general, &[&fixture.coder]);
    let to_others = test_store.send(&fixture.mara, &draft).await;
    let mut draft = test_store.asking(&fixture.mara, &fixture.general, &[&fixture.coder]);
    draft.message.importance = Importance::High;
    let important = test_store.send(&fixture.mara, &draft).await;
    let to_bela = test_store.ask(&fixture.coder, &fixture.general, &[&bela]).await;
    let open = test_store.ask(&fixture.tester, &fixture.general, &[&fixture.coder]).await;
    for asked in [&to_others, &important, &to_bela] {
        test_store.settle(&fixture.mara, asked, yes()).await;
    }
    let (tour, caller) = (&fixture.tour.id, bela.principal());
    let expected = [&open, &to_bela, &important].map(|message| message.id.to_string());
    check_pages(&expected, key, async |page| test_store.store().notable_unread(tour, &caller, &page).await).await;
}
