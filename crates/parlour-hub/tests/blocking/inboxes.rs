use parlour_core::{Code, message::Importance, paging::PageRequest, post::PostMessage};

use super::stage::{Stage, say_in_dm};
use crate::support::{agent_id, refused, say};

#[tokio::test]
async fn counts_and_digests_agree_with_the_inbox() {
    let stage = Stage::new().await;
    let coder = agent_id(&stage.coder);
    stage.test.post(&stage.mara, &stage.channel, "@Coder, look").await;
    let request = PostMessage { importance: Importance::Critical, ..say(&stage.channel, "@Coder, stop") };
    stage.hub().post_message(&stage.mara, request).await.expect("posted");
    stage.ask(&stage.mara, "@Coder, which version?").await;
    let dm = stage.dm(&stage.mara, &[&stage.coder]).await;
    stage.hub().post_message(&stage.mara, say_in_dm(&dm, "Psst")).await.expect("posted");
    let counts = stage.hub().inbox_counts(&stage.coder, &coder).await.expect("counts");
    assert_eq!((counts.total, counts.mentions, counts.critical, counts.blocking), (4, 3, 1, 1));
    let digests = stage.hub().digests(&stage.coder, &coder, &PageRequest::first()).await.expect("digests").items;
    let places: Vec<_> = digests.iter().map(|digest| digest.conversation_id.clone()).collect();
    assert_eq!(places, [stage.channel.clone().into(), dm.into()], "the critical one first");
    assert_eq!(digests.iter().map(|digest| digest.unread.total).sum::<u64>(), 4);
}

#[tokio::test]
async fn an_administrator_counts_only_what_it_may_read() {
    let stage = Stage::new().await;
    let (coder, admin) = (agent_id(&stage.coder), &stage.test.admin);
    stage.test.post(&stage.mara, &stage.channel, "@Coder, look").await;
    let dm = stage.dm(&stage.mara, &[&stage.coder]).await;
    stage.hub().post_message(&stage.mara, say_in_dm(&dm, "Psst")).await.expect("posted");
    assert_eq!(stage.hub().inbox_counts(admin, &coder).await.expect("counts").total, 1);
    let digests = stage.hub().digests(admin, &coder, &PageRequest::first()).await.expect("digests");
    assert_eq!((digests.items.len(), digests.next), (1, None));
    for key in [dm.to_string(), "dm_none".into()] {
        let page = PageRequest::new(Some(key), None).expect("page");
        assert_eq!(refused(stage.hub().digests(admin, &coder, &page).await), Code::BadQuery);
    }
    for who in [&stage.mara, &stage.tester] {
        assert_eq!(refused(stage.hub().inbox_counts(who, &coder).await), Code::Forbidden);
        assert_eq!(refused(stage.hub().digests(who, &coder, &PageRequest::first()).await), Code::Forbidden);
    }
}

#[tokio::test]
async fn a_person_is_shown_what_it_should_not_miss() {
    let stage = Stage::new().await;
    stage.test.post(&stage.mara, &stage.channel, "Just talking").await;
    let mention = stage.test.post(&stage.mara, &stage.channel, "@Ben, look").await.message;
    let asked = stage.ask(&stage.coder, "@Mara, keep it?").await;
    let shown = stage.hub().my_inbox(&stage.ben, &stage.project, &PageRequest::first()).await.expect("inbox");
    let shown: Vec<_> = shown.items.into_iter().map(|entry| entry.message.id).collect();
    assert_eq!(shown, [asked.id, mention.id], "newest first");
    let agents = stage.hub().my_inbox(&stage.coder, &stage.project, &PageRequest::first()).await;
    assert_eq!(refused(agents), Code::Forbidden);
    let stranger = stage.test.person("Eve").await;
    assert_eq!(refused(stage.hub().my_inbox(&stranger, &stage.project, &PageRequest::first()).await), Code::NotFound);
}
