use parlour_core::{Code, paging::PageRequest};

use crate::{
    fixture::{CallFixture, addressed},
    support::{agent_id, refused, say},
};

#[tokio::test]
async fn open_calls_come_oldest_first_and_in_pages() {
    let fixture = CallFixture::new(&["Coder"]).await;
    let coder = fixture.agent("Coder");
    let mut asked = Vec::new();
    for number in 0..5 {
        asked.push(fixture.say(&fixture.mara, &format!("@Coder {number}")).await.id);
    }
    let (mut found, mut key) = (Vec::new(), None);
    loop {
        let page = PageRequest::new(key, Some(2)).expect("a page");
        let calls = fixture.hub().open_calls(coder, &agent_id(coder), &page).await.expect("calls");
        assert!(calls.items.len() <= 2);
        found.extend(calls.items.into_iter().map(|call| call.message_id));
        key = calls.next;
        if key.is_none() {
            break;
        }
    }
    assert_eq!(found, asked);
}

#[tokio::test]
async fn a_call_expires() {
    let fixture = CallFixture::with_policy(&["Coder"], |policy| policy.calls.expire_seconds = 60).await;
    let coder = fixture.agent("Coder");
    let message = fixture.say(&fixture.mara, "@Coder go").await;
    fixture.pass_seconds(59);
    assert_eq!(fixture.open_messages(coder).await, std::slice::from_ref(&message.id));
    fixture.pass_seconds(1);
    assert_eq!(fixture.open_messages(coder).await, []);
    let late = fixture.answer(coder, &message, "sorry, I was away").await;
    assert_eq!(late.cause.expect("a cause").depth, 1, "it may still answer");
}

#[tokio::test]
async fn the_calls_of_an_agent_are_visible_to_the_agent_and_administrators() {
    let fixture = CallFixture::new(&["Coder", "Tester"]).await;
    let id = agent_id(fixture.agent("Coder"));
    let message = fixture.say(&fixture.mara, "@Coder go").await;
    for other in [&fixture.mara, fixture.agent("Tester")] {
        assert_eq!(refused(fixture.hub().open_calls(other, &id, &PageRequest::first()).await), Code::Forbidden);
    }
    let calls = fixture.hub().open_calls(&fixture.test.admin, &id, &PageRequest::first()).await.expect("calls");
    assert_eq!(calls.items[0].message_id, message.id);
    let stranger = fixture.test.person("Tom").await;
    assert_eq!(refused(fixture.hub().open_calls(&stranger, &id, &PageRequest::first()).await), Code::NotFound);
}

#[tokio::test]
async fn an_administrator_sees_only_calls_of_readable_conversations() {
    let fixture = CallFixture::new(&["Coder"]).await;
    let (coder, admin) = (fixture.agent("Coder"), &fixture.test.admin);
    let dm = fixture.dm(&[&fixture.mara, coder]).await;
    let mut open = Vec::new();
    let mut hidden = Vec::new();
    for number in 0..3 {
        hidden.push(fixture.post(&fixture.mara, addressed(&dm, "between us")).await.id);
        open.push(fixture.say(&fixture.mara, &format!("@Coder {number}")).await.id);
    }
    let (mut found, mut key) = (Vec::new(), None);
    loop {
        let page = PageRequest::new(key, Some(1)).expect("a page");
        let calls = fixture.hub().open_calls(admin, &agent_id(coder), &page).await.expect("calls");
        found.extend(calls.items.into_iter().map(|call| call.message_id));
        key = calls.next;
        if key.is_none() {
            break;
        }
    }
    assert_eq!(found, open);
    for made_up in [hidden[0].as_str(), "msg_none", "nonsense", ""] {
        let page = PageRequest::new(Some(made_up.into()), None).expect("a page");
        let failure = fixture.hub().open_calls(admin, &agent_id(coder), &page).await.expect_err(made_up);
        let refusal = failure.refusal().expect("a refusal");
        assert_eq!((refusal.code, refusal.field.as_deref()), (Code::BadQuery, Some("cursor")), "{made_up}");
    }
}

#[tokio::test]
async fn calls_in_conversations_that_the_agent_can_no_longer_read_are_not_open() {
    let fixture = CallFixture::new(&["Coder"]).await;
    let coder = fixture.agent("Coder");
    let secret = fixture.test.private_channel(&fixture.mara, &fixture.project, "secret").await;
    fixture.hub().add_channel_member(&fixture.mara, &secret, &coder.member).await.expect("added");
    let message = fixture.post(&fixture.mara, say(&secret, "@Coder go")).await;
    assert_eq!(fixture.open_messages(coder).await, std::slice::from_ref(&message.id));
    fixture.hub().remove_channel_member(&fixture.mara, &secret, &coder.member).await.expect("sent away");
    assert_eq!(fixture.open_messages(coder).await, []);
    assert_eq!(refused(fixture.hub().pass_call(coder, &message.id, None).await), Code::NotFound);
}
