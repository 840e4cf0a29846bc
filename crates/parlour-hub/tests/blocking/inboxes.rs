use parlour_core::{Code, message::Importance, paging::PageRequest, post::PostMessage};

use super::fixture::{BlockingFixture, say_in_dm};
use crate::support::{agent_id, refused, say};

#[tokio::test]
async fn counts_and_digests_agree_with_the_inbox() {
    let fixture = BlockingFixture::new().await;
    let coder = agent_id(&fixture.coder);
    fixture.test.post(&fixture.mara, &fixture.channel, "@Coder, look").await;
    let request = PostMessage { importance: Importance::Critical, ..say(&fixture.channel, "@Coder, stop") };
    fixture.hub().post_message(&fixture.mara, request).await.expect("posted");
    fixture.ask(&fixture.mara, "@Coder, which version?").await;
    let dm = fixture.dm(&fixture.mara, &[&fixture.coder]).await;
    fixture.hub().post_message(&fixture.mara, say_in_dm(&dm, "Psst")).await.expect("posted");
    let counts = fixture.hub().inbox_counts(&fixture.coder, &coder).await.expect("counts");
    assert_eq!((counts.total, counts.mentions, counts.critical, counts.blocking), (4, 3, 1, 1));
    let digests = fixture.hub().digests(&fixture.coder, &coder, &PageRequest::first()).await.expect("digests").items;
    let conversations: Vec<_> = digests.iter().map(|digest| digest.conversation_id.clone()).collect();
    assert_eq!(conversations, [fixture.channel.clone().into(), dm.into()], "the critical one first");
    assert_eq!(digests.iter().map(|digest| digest.unread.total).sum::<u64>(), 4);
}

#[tokio::test]
async fn an_administrator_counts_only_readable_messages() {
    let fixture = BlockingFixture::new().await;
    let (coder, admin) = (agent_id(&fixture.coder), &fixture.test.admin);
    fixture.test.post(&fixture.mara, &fixture.channel, "@Coder, look").await;
    let dm = fixture.dm(&fixture.mara, &[&fixture.coder]).await;
    fixture.hub().post_message(&fixture.mara, say_in_dm(&dm, "Psst")).await.expect("posted");
    assert_eq!(fixture.hub().inbox_counts(admin, &coder).await.expect("counts").total, 1);
    let digests = fixture.hub().digests(admin, &coder, &PageRequest::first()).await.expect("digests");
    assert_eq!((digests.items.len(), digests.next), (1, None));
    for key in [dm.to_string(), "dm_none".into()] {
        let page = PageRequest::new(Some(key), None).expect("page");
        assert_eq!(refused(fixture.hub().digests(admin, &coder, &page).await), Code::BadQuery);
    }
    for who in [&fixture.mara, &fixture.tester] {
        assert_eq!(refused(fixture.hub().inbox_counts(who, &coder).await), Code::Forbidden);
        assert_eq!(refused(fixture.hub().digests(who, &coder, &PageRequest::first()).await), Code::Forbidden);
    }
}

#[tokio::test]
async fn the_inbox_of_a_person_lists_mentions_and_questions() {
    let fixture = BlockingFixture::new().await;
    fixture.test.post(&fixture.mara, &fixture.channel, "Just talking").await;
    let mention = fixture.test.post(&fixture.mara, &fixture.channel, "@Ben, look").await.message;
    let asked = fixture.ask(&fixture.coder, "@Mara, keep it?").await;
    let shown = fixture.hub().my_inbox(&fixture.ben, &fixture.project, &PageRequest::first()).await.expect("inbox");
    let shown: Vec<_> = shown.items.into_iter().map(|entry| entry.message.id).collect();
    assert_eq!(shown, [asked.id, mention.id], "newest first");
    let agents = fixture.hub().my_inbox(&fixture.coder, &fixture.project, &PageRequest::first()).await;
    assert_eq!(refused(agents), Code::Forbidden);
    let stranger = fixture.test.person("Eve").await;
    assert_eq!(
        refused(fixture.hub().my_inbox(&stranger, &fixture.project, &PageRequest::first()).await),
        Code::NotFound
    );
}
