//! The client against a stand-in that answers exactly as told: what it sends, repeats, follows and refuses.

use std::time::Duration;

use parlour_agent::{Client, ClientError, HistoryRange, Retry, link::Upload, requests::NewAgent};
use parlour_core::{
    id::{ChannelId, MessageId, ProjectId},
    import::{ImportMessages, ImportOutcome},
    live::{AddChunk, Cancel, Complete, Fail},
    member::AgentPatch,
    name::Name,
    post::PostMessage,
    step::{FinishStep, StartStep},
    task::TaskPatch,
};
use serde_json::json;

mod support;
use support::{ScriptedReply, ScriptedServer, message, problem};

/// As patient as the real one, without its pauses.
const QUICK: Retry = Retry { tries_max: 4, pause_first: Duration::ZERO, pause_max: Duration::ZERO };

fn client(hub: &ScriptedServer) -> Client {
    Client::new(&hub.url, Some("secret-token")).expect("client").with_retry(QUICK)
}

fn hello() -> PostMessage {
    PostMessage { channel_id: Some(ChannelId::from_bits(1)), body: "Hello".into(), ..PostMessage::default() }
}

fn posted() -> ScriptedReply {
    ScriptedReply::With(201, message("complete", "Hello").to_string())
}

#[tokio::test]
async fn the_token_is_sent_as_a_bearer_token() {
    let hub =
        ScriptedServer::answering(vec![ScriptedReply::With(200, r#"{"status":"ok","version":"0.1.0"}"#.into())]).await;
    client(&hub).health().await.expect("healthy");
    assert_eq!(hub.asked()[0].authorization.as_deref(), Some("Bearer secret-token"));
    assert_eq!(hub.asked()[0].line, "GET /health");
}

#[tokio::test]
async fn a_post_is_retried_with_the_same_id() {
    let hub = ScriptedServer::answering(vec![problem(503, "PARLOUR-S02", true), ScriptedReply::HangUp, posted()]).await;
    let id = MessageId::from_bits(7);
    let answer = client(&hub).post_message(&id, &hello()).await.expect("posted in the end");
    assert_eq!((answer.message.seq, answer.position.offset()), (3, 12));
    let bodies: Vec<_> = hub.asked().into_iter().map(|asked| asked.body).collect();
    assert_eq!(bodies.len(), 3);
    assert!(bodies.iter().all(|body| body == &bodies[0] && body.contains(id.as_str())), "{bodies:?}");
}

#[tokio::test]
async fn an_import_is_retried_unchanged() {
    let outcome = ScriptedReply::With(200, r#"{"stored":1,"known":2}"#.into());
    let hub = ScriptedServer::answering(vec![problem(429, "PARLOUR-A08", true), ScriptedReply::HangUp, outcome]).await;
    let request = ImportMessages { channel_id: Some(ChannelId::from_bits(1)), thread_id: None, messages: Vec::new() };
    let answer = client(&hub).import(&request).await.expect("taken over in the end");
    assert_eq!(answer, ImportOutcome { stored: 1, known: 2 });
    let asked = hub.asked();
    assert!(asked.len() == 3 && asked.iter().all(|one| one.line == "POST /imports" && one.body == asked[0].body));
}

#[tokio::test]
async fn the_given_id_replaces_the_one_in_the_request() {
    let hub = ScriptedServer::answering(vec![posted()]).await;
    let request = PostMessage { id: Some(MessageId::from_bits(1)), ..hello() };
    client(&hub).post_message(&MessageId::from_bits(7), &request).await.expect("posted");
    assert!(hub.asked()[0].body.contains(MessageId::from_bits(7).as_str()));
}

#[tokio::test]
async fn a_refused_post_is_not_repeated() {
    let hub = ScriptedServer::answering(vec![problem(409, "PARLOUR-C01", false)]).await;
    let error = client(&hub).post_message(&MessageId::from_bits(7), &hello()).await.expect_err("refused");
    assert_eq!(error.to_string(), "because (PARLOUR-C01)");
    assert_eq!(hub.asked().len(), 1);
}

#[tokio::test]
async fn a_post_is_retried_a_limited_time() {
    let hub = ScriptedServer::answering(vec![problem(503, "PARLOUR-S01", true); 5]).await;
    let error = client(&hub).post_message(&MessageId::from_bits(7), &hello()).await.expect_err("never");
    assert!(error.problem().is_some_and(|problem| problem.status == 503));
    assert_eq!(hub.asked().len(), 4);
}

#[tokio::test]
async fn a_list_is_read_to_its_end() {
    let page = |items: &[&str], next: Option<&str>| {
        ScriptedReply::With(200, json!({ "items": items, "next": next }).to_string())
    };
    let hub = ScriptedServer::answering(vec![page(&["agt_1"], Some("a+b")), page(&["per_2"], None)]).await;
    let members = client(&hub).channel_members(&ChannelId::from_bits(1)).await.expect("members");
    assert_eq!(members.items.iter().map(ToString::to_string).collect::<Vec<_>>(), ["agt_1", "per_2"]);
    assert_eq!(members.next, None);
    assert!(hub.asked()[1].line.ends_with("?limit=200&cursor=a%2Bb"), "{:?}", hub.asked()[1]);
}

#[tokio::test]
async fn only_given_history_options_are_sent() {
    let empty = || ScriptedReply::With(200, r#"{"items":[]}"#.into());
    let hub = ScriptedServer::answering(vec![empty(), empty()]).await;
    let thread = "thr_1".parse().expect("id");
    client(&hub).history(&thread, &HistoryRange::default()).await.expect("page");
    let range = HistoryRange { before: Some("12".into()), limit: Some(5), ..HistoryRange::default() };
    client(&hub).history(&"dm_1".parse().expect("id"), &range).await.expect("page");
    let lines: Vec<_> = hub.asked().into_iter().map(|asked| asked.line).collect();
    assert_eq!(lines, ["GET /threads/thr_1/messages", "GET /dms/dm_1/messages?before=12&limit=5"]);
}

/// Where a call goes; the stand-in refuses it, which is all the same here.
async fn asked<T, F: Future<Output = T>>(call: impl FnOnce(Client) -> F) -> String {
    let hub = ScriptedServer::answering(vec![problem(404, "PARLOUR-N01", false)]).await;
    call(client(&hub)).await;
    hub.asked().remove(0).line
}

#[tokio::test]
async fn read_requests_use_the_routes_of_the_api() {
    let (project, channel) = (ProjectId::from_bits(1), ChannelId::from_bits(1));
    let (prj, chn) = (project.to_string(), channel.to_string());
    let list = "?limit=200";
    assert_eq!(asked(async |hub| hub.me().await).await, "GET /me");
    assert_eq!(asked(async |hub| hub.projects().await).await, format!("GET /projects{list}"));
    assert_eq!(asked(async |hub| hub.project(&project).await).await, format!("GET /projects/{prj}"));
    assert_eq!(asked(async |hub| hub.unread(&project).await).await, format!("GET /projects/{prj}/unread"));
    assert_eq!(asked(async |hub| hub.agents(&project).await).await, format!("GET /projects/{prj}/agents{list}"));
    assert_eq!(asked(async |hub| hub.channels(&project).await).await, format!("GET /projects/{prj}/channels{list}"));
    assert_eq!(
        asked(async |hub| hub.project_people(&project).await).await,
        format!("GET /projects/{prj}/people{list}")
    );
    assert_eq!(asked(async |hub| hub.people().await).await, format!("GET /people{list}"));
    assert_eq!(asked(async |hub| hub.channel(&channel).await).await, format!("GET /channels/{chn}"));
    assert_eq!(
        asked(async |hub| hub.subscribers(&channel).await).await,
        format!("GET /channels/{chn}/subscriptions{list}")
    );
    assert_eq!(asked(async |hub| hub.threads(&channel).await).await, format!("GET /channels/{chn}/threads{list}"));
    assert_eq!(asked(async |hub| hub.snapshot(&project).await).await, format!("GET /projects/{prj}/snapshot"));
    assert_eq!(asked(async |hub| hub.dms(&project).await).await, format!("GET /dms?project_id={prj}&limit=200"));
    assert_eq!(
        asked(async |hub| hub.search(&project, "a b", Some(5), None).await).await,
        format!("GET /search?project_id={prj}&q=a+b&limit=5")
    );
}

#[tokio::test]
async fn write_requests_use_the_routes_of_the_api() {
    let channel = ChannelId::from_bits(1);
    let (agent, person) = ("agt_1".parse().expect("id"), "per_1".parse().expect("id"));
    let member = "agt_1".parse().expect("id");
    let chn = channel.to_string();
    assert_eq!(asked(async |hub| hub.archive_channel(&channel).await).await, format!("POST /channels/{chn}/archive"));
    assert_eq!(
        asked(async |hub| hub.unarchive_channel(&channel).await).await,
        format!("POST /channels/{chn}/unarchive")
    );
    assert_eq!(
        asked(async |hub| hub.add_channel_member(&channel, &member).await).await,
        format!("POST /channels/{chn}/members")
    );
    assert_eq!(
        asked(async |hub| hub.remove_channel_member(&channel, &member).await).await,
        format!("DELETE /channels/{chn}/members/agt_1")
    );
    assert_eq!(asked(async |hub| hub.open_thread(&channel, &MessageId::from_bits(1)).await).await, "POST /threads");
    assert_eq!(
        asked(async |hub| hub.remove_project_person(&ProjectId::from_bits(1), &person).await).await,
        format!("DELETE /projects/{}/people/per_1", ProjectId::from_bits(1))
    );
    assert_eq!(
        asked(async |hub| hub.unsubscribe(&channel, &agent).await).await,
        format!("DELETE /channels/{chn}/subscriptions/agt_1")
    );
    assert_eq!(asked(async |hub| hub.renew_agent_token(&agent).await).await, "POST /agents/agt_1/token");
    assert_eq!(asked(async |hub| hub.renew_person_token(&person).await).await, "POST /people/per_1/token");
}

#[tokio::test]
async fn answer_requests_use_the_routes_of_the_api() {
    let id: MessageId = "msg_1".parse().expect("id");
    let chunk = AddChunk { start: Some(0), text: "Hi".into() };
    assert_eq!(asked(async |hub| hub.add_chunk(&id, &chunk).await).await, "POST /messages/msg_1/chunks");
    assert_eq!(asked(async |hub| hub.beat_stream(&id).await).await, "POST /messages/msg_1/beat");
    let (complete, cancel) = (Complete::default(), Cancel::default());
    assert_eq!(asked(async |hub| hub.complete_stream(&id, &complete).await).await, "POST /messages/msg_1/complete");
    assert_eq!(asked(async |hub| hub.cancel_stream(&id, &cancel).await).await, "POST /messages/msg_1/cancel");
    let fail = Fail { reason: "no model".into(), ..Fail::default() };
    assert_eq!(asked(async |hub| hub.fail_stream(&id, &fail).await).await, "POST /messages/msg_1/fail");
    let step = StartStep { id: "s1".into(), name: "grep".into(), input: None };
    assert_eq!(asked(async |hub| hub.start_step(&id, &step).await).await, "POST /messages/msg_1/steps");
    let end = FinishStep::default();
    let line = asked(async |hub| hub.finish_step(&id, "s1", &end).await).await;
    assert_eq!(line, "POST /messages/msg_1/steps/s1/finish");
}

#[tokio::test]
async fn request_bodies_use_the_field_names_of_the_api() {
    let hub = ScriptedServer::answering(vec![problem(404, "PARLOUR-N01", false)]).await;
    let name = |text| Name::parse(text).expect("a name");
    let request = NewAgent {
        project_id: ProjectId::from_bits(1),
        name: name("Coder"),
        capabilities: vec!["rust".into()],
        endpoint_url: None,
        instructions: Some("Be brief.".into()),
        engine: None,
        context: None,
        role: None,
    };
    client(&hub).create_agent(&request).await.expect_err("refused");
    let body: serde_json::Value = serde_json::from_str(&hub.asked()[0].body).expect("JSON");
    let expected = json!({
        "project_id": ProjectId::from_bits(1), "name": "Coder", "capabilities": ["rust"], "instructions": "Be brief.",
    });
    assert_eq!(body, expected);
}

#[tokio::test]
async fn a_redirect_is_not_followed_with_the_token() {
    let elsewhere = ScriptedServer::answering(vec![ScriptedReply::With(200, "{}".into())]).await;
    let hub = ScriptedServer::answering(vec![ScriptedReply::Redirect(elsewhere.url.clone())]).await;
    let error = client(&hub).health().await.expect_err("not followed");
    assert!(matches!(error, ClientError::BadAnswer { status: 302, .. }), "{error}");
    assert_eq!(elsewhere.asked(), []);
}

#[tokio::test]
async fn an_unreachable_address_has_a_plain_error() {
    // A port that was free a moment ago: nobody listens there now.
    let url = {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
        format!("http://{}", listener.local_addr().expect("bound"))
    };
    let client = Client::new(&url, None).expect("client").with_retry(Retry::NEVER);
    let error = client.health().await.expect_err("nobody there");
    assert_eq!(error.to_string(), format!("no hub answers at {url}"));
    assert!(error.is_retryable());
}

#[test]
fn a_token_is_not_shown_in_debug_output() {
    let client = Client::new("http://127.0.0.1:1", Some("secret-token")).expect("client");
    assert!(!format!("{client:?}").contains("secret-token"));
}

#[test]
fn a_token_with_a_line_break_is_refused() {
    let error = Client::new("http://127.0.0.1:1", Some("secret\ntoken")).expect_err("refused");
    assert!(matches!(error, ClientError::BadToken), "{error}");
    assert!(!error.to_string().contains("secret"));
}

#[tokio::test]
async fn agent_and_task_requests_use_the_routes_of_the_api() {
    let (project, agent) = (ProjectId::from_bits(1), "agt_1".parse().expect("id"));
    let (message, task) = ("msg_1".parse().expect("id"), "tsk_1".parse().expect("id"));
    let thread = "thr_1".parse().expect("id");
    assert_eq!(asked(async |hub| hub.agent(&agent).await).await, "GET /agents/agt_1");
    let patch = AgentPatch::default();
    assert_eq!(asked(async |hub| hub.update_agent(&agent, &patch).await).await, "PATCH /agents/agt_1");
    assert_eq!(asked(async |hub| hub.engines().await).await, "GET /engines");
    assert_eq!(asked(async |hub| hub.calls(&agent).await).await, "GET /agents/agt_1/calls?limit=200");
    assert_eq!(asked(async |hub| hub.pass_call(&message, None).await).await, "POST /messages/msg_1/pass");
    assert_eq!(asked(async |hub| hub.loop_guard(&thread).await).await, "GET /conversations/thr_1/loop-guard");
    let reset = asked(async |hub| hub.reset_loop_guard(&thread).await).await;
    assert_eq!(reset, "POST /conversations/thr_1/loop-guard/reset");
    assert_eq!(asked(async |hub| hub.tasks(&project).await).await, format!("GET /projects/{project}/tasks?limit=200"));
    assert_eq!(asked(async |hub| hub.task(&task).await).await, "GET /tasks/tsk_1");
    let patch = TaskPatch::default();
    assert_eq!(asked(async |hub| hub.update_task(&task, &patch).await).await, "PATCH /tasks/tsk_1");
}

#[tokio::test]
async fn a_pass_contains_its_reason_if_there_is_one() {
    let refused = || problem(404, "PARLOUR-N01", false);
    let hub = ScriptedServer::answering(vec![refused(), refused()]).await;
    for reason in [None, Some("busy")] {
        client(&hub).pass_call(&MessageId::from_bits(1), reason).await.expect_err("refused");
    }
    let bodies: Vec<_> = hub.asked().into_iter().map(|asked| asked.body).collect();
    assert_eq!(bodies, ["{}", r#"{"reason":"busy"}"#]);
}

#[tokio::test]
async fn a_file_is_uploaded_unchanged_with_its_name_and_conversation() {
    let hub = ScriptedServer::answering(vec![problem(404, "PARLOUR-N01", false)]).await;
    let file = Upload {
        conversation_id: "chn_1".parse().expect("id"),
        filename: "a b.md".into(),
        media_type: "text/markdown".into(),
        content: b"# Hi".to_vec(),
    };
    client(&hub).upload(&ProjectId::from_bits(1), &file).await.expect_err("refused");
    let asked = hub.asked().remove(0);
    let project = ProjectId::from_bits(1);
    let line = format!("POST /artifacts?project_id={project}&filename=a+b.md&conversation_id=chn_1");
    assert_eq!((asked.line, asked.body.as_str()), (line, "# Hi"));
}
