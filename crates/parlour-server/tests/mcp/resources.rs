use serde_json::json;

use crate::client::{Client, Stage};

#[tokio::test]
async fn the_inbox_and_the_channels_are_listed() {
    let stage = Stage::new().await;
    let listed = stage.client.ask(&stage.app, "resources/list", json!({})).await;
    let resources = listed["result"]["resources"].as_array().expect("resources");
    let addresses: Vec<_> = resources.iter().map(|one| one["uri"].as_str().expect("uri")).collect();
    assert_eq!(addresses, ["parlour://inbox", &format!("parlour://conversation/{}", stage.channel)]);
    let templates = stage.client.ask(&stage.app, "resources/templates/list", json!({})).await;
    assert_eq!(templates["result"]["resourceTemplates"][0]["uriTemplate"], "parlour://conversation/{id}");
}

#[tokio::test]
async fn a_conversation_is_read_with_its_last_messages() {
    let stage = Stage::new().await;
    for number in 1..=30 {
        stage.app.say(&stage.channel, &format!("number {number}")).await;
    }
    let uri = format!("parlour://conversation/{}", stage.channel);
    let read = stage.client.ask(&stage.app, "resources/read", json!({"uri": uri})).await;
    let text = read["result"]["contents"][0]["text"].as_str().expect("text");
    assert!(text.contains("> number 30") && text.contains("> number 11") && !text.contains("> number 10\n"), "{text}");
}

#[tokio::test]
async fn what_is_hidden_is_answered_like_what_never_was() {
    let stage = Stage::new().await;
    let secret = stage.app.private_channel(&stage.mara, &stage.project, "secret").await;
    let read = async |id: &str| {
        let uri = format!("parlour://conversation/{id}");
        let answer = stage.client.ask(&stage.app, "resources/read", json!({"uri": uri})).await;
        answer["error"].to_string().replace(id, "ID")
    };
    let hidden = read(&secret).await;
    assert_eq!(hidden, read("chn_neverwas").await);
    assert!(hidden.contains("-32002"), "{hidden}");
    for uri in ["parlour://conversation/nonsense", "parlour://nothing", "file:///etc/passwd", ""] {
        let answer = stage.client.ask(&stage.app, "resources/read", json!({"uri": uri})).await;
        assert!(answer.get("error").is_some(), "{uri}: {answer}");
    }
}

#[tokio::test]
async fn the_inbox_is_the_callers_own() {
    let stage = Stage::new().await;
    stage.app.say(&stage.channel, "@Coder hello").await;
    let painter = stage.app.agent(&stage.project, "Painter").await;
    let other = Client::open(&stage.app, &painter.token).await;
    let read = async |client: &Client| {
        let answer = client.ask(&stage.app, "resources/read", json!({"uri": "parlour://inbox"})).await;
        answer["result"]["contents"][0]["text"].as_str().expect("text").to_owned()
    };
    assert!(read(&stage.client).await.contains("@Coder hello"));
    assert_eq!(read(&other).await, "Nothing here.");
}
