use parlour_core::{Code, delivery::DeliveryState, id::MessageId};
use parlour_hub::use_cases::{ReadMessages, ReadOutcome};

use super::fixture::BlockingFixture;
use crate::support::{agent_id, refused};

fn these(ids: &[&MessageId]) -> ReadMessages {
    ReadMessages { message_ids: ids.iter().map(|id| (*id).clone()).collect(), ..ReadMessages::default() }
}

fn outcome(read: u64, already: u64) -> ReadOutcome {
    ReadOutcome { read, already, left: 0 }
}

#[tokio::test]
async fn an_agent_marks_several_messages_as_read_once() {
    let fixture = BlockingFixture::new().await;
    let one = fixture.test.post(&fixture.mara, &fixture.channel, "@Coder, one").await.message;
    let two = fixture.test.post(&fixture.mara, &fixture.channel, "@Coder, two").await.message;
    let other = fixture.test.post(&fixture.mara, &fixture.channel, "@Tester, three").await.message;
    let request = these(&[&one.id, &two.id, &one.id, &other.id]);
    assert_eq!(fixture.hub().read_messages(&fixture.coder, request.clone()).await.expect("read"), outcome(2, 1));
    assert_eq!(fixture.test.inbox(&fixture.coder).await, []);
    assert_eq!(fixture.hub().read_messages(&fixture.coder, request).await.expect("read"), outcome(0, 3));
    let delivery = fixture.hub().deliveries(&fixture.mara, &one.id).await.expect("deliveries").remove(0);
    assert!(delivery.state == DeliveryState::Seen && delivery.time_to_read_ms.is_some());
    assert_eq!(fixture.test.inbox(&fixture.tester).await, [other.id]);
}

#[tokio::test]
async fn an_agent_marks_a_conversation_as_read_up_to_a_message() {
    let fixture = BlockingFixture::new().await;
    let mut said = Vec::new();
    for number in 0..5 {
        said.push(fixture.test.post(&fixture.mara, &fixture.channel, &format!("@Coder, {number}")).await.message.id);
    }
    let conversation = Some(fixture.channel.clone().into());
    let request =
        ReadMessages { conversation_id: conversation.clone(), up_to: Some(said[2].clone()), ..ReadMessages::default() };
    assert_eq!(fixture.hub().read_messages(&fixture.coder, request).await.expect("read"), outcome(3, 0));
    assert_eq!(fixture.test.inbox(&fixture.coder).await, said[3..]);
    let agent = Some(agent_id(&fixture.coder));
    let rest = ReadMessages { conversation_id: conversation, agent_id: agent, ..ReadMessages::default() };
    assert_eq!(refused(fixture.hub().read_messages(&fixture.mara, rest.clone()).await), Code::Forbidden);
    assert_eq!(fixture.hub().read_messages(&fixture.test.admin, rest).await.expect("read"), outcome(2, 0));
    assert_eq!(fixture.test.inbox(&fixture.coder).await, []);
}

#[tokio::test]
async fn messages_over_the_limit_of_a_request_are_reported_as_left() {
    let fixture = BlockingFixture::new().await;
    let mut said = Vec::new();
    for number in 0..203 {
        said.push(
            fixture.test.post(&fixture.mara, &fixture.channel, &format!("@Coder, @Tester, {number}")).await.message.id,
        );
    }
    let request = ReadMessages { conversation_id: Some(fixture.channel.clone().into()), ..ReadMessages::default() };
    let first = fixture.hub().read_messages(&fixture.coder, request.clone()).await.expect("read");
    assert_eq!(first, ReadOutcome { read: 200, already: 0, left: 3 });
    assert_eq!(fixture.hub().read_messages(&fixture.coder, request.clone()).await.expect("read"), outcome(3, 0));
    let bounded = ReadMessages { up_to: Some(said[200].clone()), ..request };
    let first = fixture.hub().read_messages(&fixture.tester, bounded.clone()).await.expect("read");
    assert_eq!(first, ReadOutcome { read: 200, already: 0, left: 1 }, "two messages are after `up_to`");
    assert_eq!(fixture.hub().read_messages(&fixture.tester, bounded).await.expect("read"), outcome(1, 0));
    assert_eq!(fixture.test.inbox(&fixture.tester).await, said[201..]);
}

#[tokio::test]
async fn a_person_reads_up_to_the_last_listed_message() {
    let fixture = BlockingFixture::new().await;
    let mut said = Vec::new();
    for number in 0..4 {
        said.push(fixture.test.post(&fixture.mara, &fixture.channel, &format!("{number}")).await.message.id);
    }
    let request = these(&[&said[0], &said[1]]);
    assert_eq!(fixture.hub().read_messages(&fixture.ben, request.clone()).await.expect("read"), outcome(2, 0));
    assert_eq!(fixture.hub().read_messages(&fixture.ben, request).await.expect("read"), outcome(0, 2));
    let whole = ReadMessages { conversation_id: Some(fixture.channel.clone().into()), ..ReadMessages::default() };
    assert_eq!(fixture.hub().read_messages(&fixture.ben, whole.clone()).await.expect("read"), outcome(2, 0));
    assert_eq!(fixture.hub().read_messages(&fixture.ben, whole).await.expect("read"), outcome(0, 0));
    assert_eq!(fixture.hub().unread(&fixture.ben, &fixture.project).await.expect("unread").total, 0);
}

#[tokio::test]
async fn ambiguous_and_hidden_read_requests_are_refused() {
    let fixture = BlockingFixture::new().await;
    let said = fixture.test.post(&fixture.mara, &fixture.channel, "@Coder, look").await.message;
    let conversation = Some(fixture.channel.clone().into());
    let unclear = [
        ReadMessages::default(),
        ReadMessages { conversation_id: conversation.clone(), ..these(&[&said.id]) },
        ReadMessages { up_to: Some(said.id.clone()), ..these(&[&said.id]) },
    ];
    for request in unclear {
        assert_eq!(refused(fixture.hub().read_messages(&fixture.coder, request).await), Code::WrongShape);
    }
    let private = fixture.test.private_channel(&fixture.mara, &fixture.project, "secret").await;
    let hidden = fixture.test.post(&fixture.mara, &private, "Hello").await.message;
    let requests = [
        these(&[&said.id, &hidden.id]),
        ReadMessages { conversation_id: Some(private.into()), ..ReadMessages::default() },
        ReadMessages { conversation_id: conversation, up_to: Some(hidden.id), ..ReadMessages::default() },
    ];
    for request in requests {
        assert_eq!(refused(fixture.hub().read_messages(&fixture.coder, request.clone()).await), Code::NotFound);
        assert_eq!(refused(fixture.hub().read_messages(&fixture.ben, request).await), Code::NotFound);
    }
    assert_eq!(fixture.test.inbox(&fixture.coder).await, [said.id], "nothing was marked as read");
}
