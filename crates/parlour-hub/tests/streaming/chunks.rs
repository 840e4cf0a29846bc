//! Frames of a stream for live readers.

use parlour_core::{
    policy::{Policy, StreamRules},
    project::ProjectPatch,
};
use parlour_hub::use_cases::{OpenDm, OpenThread};

use super::fixture::StreamFixture;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pieces_of_a_window_are_one_chunk_and_the_rest_precedes_the_end() {
    let fixture = StreamFixture::new().await;
    let mut reader = fixture.subscribe().await;
    let id = fixture.begin().await;
    assert_eq!(reader.receive_until("messaging.posted").await, ["messaging.posted"]);
    for piece in ["Hé", "l", "lo"] {
        fixture.add(&id, piece).await.expect("added");
    }
    fixture.pass_window();
    assert_eq!(reader.receive_until("chunk").await, ["0:Héllo"]);
    fixture.add(&id, " world").await.expect("added");
    fixture.complete(&id).await.expect("completed");
    assert_eq!(reader.receive_until("messaging.finished").await, ["5: world", "Complete:Héllo world"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_reader_that_joins_late_gets_the_text_so_far_and_then_chunks() {
    let fixture = StreamFixture::new().await;
    let mut early = fixture.subscribe().await;
    let id = fixture.begin_with(fixture.request("So: ")).await;
    early.receive_until("messaging.posted").await;
    fixture.add(&id, "one").await.expect("added");
    fixture.pass_window();
    early.receive_until("chunk").await;
    fixture.add(&id, ", two").await.expect("added");
    let mut late = fixture.subscribe().await;
    assert_eq!(late.receive_until("stream").await, ["=So: one"]);
    fixture.pass_window();
    for reader in [&mut early, &mut late] {
        assert_eq!(reader.receive_until("chunk").await, ["7:, two"]);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn steps_are_sent_without_delay_and_in_order() {
    let fixture = StreamFixture::new().await;
    let mut reader = fixture.subscribe().await;
    let id = fixture.begin().await;
    reader.receive_until("messaging.posted").await;
    fixture.add(&id, "Let me see. ").await.expect("added");
    fixture.start_step(&id, "s1").await.expect("begun");
    fixture.add(&id, "Found.").await.expect("added");
    fixture.finish_step(&id, "s1").await.expect("ended");
    assert_eq!(reader.receive_until("step_finished").await, ["0:Let me see. ", "+s1", "12:Found.", "-s1"]);
    let finished = fixture.complete(&id).await.expect("completed").message;
    assert_eq!(finished.steps.len(), 1, "the message contains them");
    assert_eq!(reader.receive_until("messaging.finished").await, ["Complete:Let me see. Found."]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_policy_of_the_project_sets_the_chunk_window() {
    let fixture = StreamFixture::new().await;
    let streams = StreamRules { window_ms: 1_000, ..StreamRules::default() };
    let patch = ProjectPatch { policy: Some(Policy { streams, ..Policy::default() }), ..ProjectPatch::default() };
    fixture.hub().update_project(&fixture.mara, &fixture.project, patch).await.expect("updated");
    let mut reader = fixture.subscribe().await;
    let id = fixture.begin().await;
    reader.receive_until("messaging.posted").await;
    fixture.add(&id, "a").await.expect("added");
    fixture.test.clock.advance(999);
    fixture.add(&id, "b").await.expect("added");
    fixture.test.clock.advance(1);
    assert_eq!(reader.receive_until("chunk").await, ["0:ab"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stream_in_a_private_channel_is_sent_to_its_members_only() {
    let fixture = StreamFixture::new().await;
    let (tom, token) = fixture.test.person_with_token("Tom").await;
    fixture.test.join(&fixture.project, &tom).await;
    let secret = fixture.test.private_channel(&fixture.mara, &fixture.project, "secret").await;
    fixture.hub().add_channel_member(&fixture.mara, &secret, &fixture.coder.member).await.expect("added");
    let (mut member, mut outsider) = (fixture.subscribe().await, fixture.subscribe_as(&token).await);
    let thread_root = fixture.test.post(&fixture.mara, &secret, "root").await.message.id;
    let request = OpenThread { channel_id: secret.clone(), root_message_id: thread_root };
    let thread = fixture.hub().open_thread(&fixture.mara, request).await.expect("thread").0;
    let request = parlour_core::post::PostMessage {
        thread_id: Some(thread.id),
        stream: true,
        ..parlour_core::post::PostMessage::default()
    };
    let id = fixture.begin_with(request).await;
    member.receive_until("messaging.thread_created").await;
    member.receive_until("messaging.posted").await;
    fixture.add(&id, "hush").await.expect("added");
    fixture.pass_window();
    assert_eq!(member.receive_until("chunk").await, ["0:hush"]);
    fixture.test.post(&fixture.mara, &fixture.channel, "all").await;
    assert_eq!(outsider.receive_until("messaging.posted").await, ["messaging.posted"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stream_in_a_dm_is_sent_to_its_participants() {
    let fixture = StreamFixture::new().await;
    let request = OpenDm {
        project_id: Some(fixture.project.clone()),
        participants: vec![fixture.coder.member.clone()],
        first: None,
    };
    let dm = fixture.hub().open_dm(&fixture.mara, request).await.expect("dm").dm;
    let mut reader = fixture.subscribe().await;
    let request = parlour_core::post::PostMessage {
        dm_id: Some(dm.id),
        stream: true,
        ..parlour_core::post::PostMessage::default()
    };
    let id = fixture.begin_with(request).await;
    reader.receive_until("messaging.posted").await;
    fixture.add(&id, "between us").await.expect("added");
    fixture.pass_window();
    assert_eq!(reader.receive_until("chunk").await, ["0:between us"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn chunks_join_to_the_same_text_for_any_pieces() {
    let text: Vec<char> = "Früh übt sich 👩‍🚀, wer später — ganz ruhig — meisterlich tippt.".chars().collect();
    for cut in [1, 2, 3, 7, 64] {
        let fixture = StreamFixture::new().await;
        let mut reader = fixture.subscribe().await;
        let id = fixture.begin().await;
        reader.receive_until("messaging.posted").await;
        for (index, piece) in text.chunks(cut).enumerate() {
            fixture.add(&id, &piece.iter().collect::<String>()).await.expect("added");
            fixture.test.clock.advance(u32::try_from(index * 37 % 230).expect("small"));
        }
        let finished = fixture.complete(&id).await.expect("completed").message;
        let mut received = reader.receive_until("messaging.finished").await;
        received.pop();
        let joined = received.iter().fold(String::new(), |joined, chunk| {
            let (start, piece) = chunk.split_once(':').expect("a chunk");
            assert_eq!(start, joined.chars().count().to_string(), "no hole and no double");
            joined + piece
        });
        assert_eq!((&joined, joined == finished.body), (&text.iter().collect(), true), "pieces of {cut}");
    }
}
